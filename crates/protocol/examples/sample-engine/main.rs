//! A complete engine, also used by the client's tests: `sample-engine uci|nboard|gtp GAME`.

mod player;

use std::io::{BufReader, Error, stdin, stdout};

use player::engine;
use tablero_chess::Chess;
use tablero_core::{AnyGame, Protocol};
use tablero_othello::Othello;
use tablero_protocol::serve;
use tablero_shobu::Shobu;

const PROTOCOLS: [Protocol; 3] = [Protocol::Uci, Protocol::NBoard, Protocol::Gtp];
const GAMES: [AnyGame; 3] =
    [AnyGame::of::<Chess>(), AnyGame::of::<Othello>(), AnyGame::of::<Shobu>()];

fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [protocol, game] = arguments.as_slice() else { return Err(usage()) };
    let protocol = PROTOCOLS.into_iter().find(|known| known.name() == protocol);
    let game = GAMES.into_iter().find(|known| known.name() == game);
    let (protocol, game) = protocol.zip(game).ok_or_else(usage)?;
    serve(protocol, BufReader::new(stdin()), stdout().lock(), &engine(game))
}

fn usage() -> Error {
    Error::other("sample-engine uci|nboard|gtp chess|othello|shobu")
}
