//! An engine for the client's tests: `sample-engine uci|nboard|gtp [GAME]`.

mod player;

use std::io::{BufReader, stdin, stdout};

use player::engine;
use tablero_chess::Chess;
use tablero_othello::Othello;
use tablero_protocol::{serve_gtp, serve_nboard, serve_uci};
use tablero_shobu::Shobu;

fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (input, output) = (BufReader::new(stdin()), stdout().lock());
    match words[..] {
        ["uci", "chess"] => serve_uci(input, output, &engine::<Chess>()),
        ["uci", "othello"] => serve_uci(input, output, &engine::<Othello>()),
        ["uci", "shobu"] => serve_uci(input, output, &engine::<Shobu>()),
        ["nboard"] => serve_nboard(input, output, &engine()),
        ["gtp"] => serve_gtp(input, output, &engine()),
        _ => Err(std::io::Error::other("sample-engine uci|nboard|gtp [GAME]")),
    }
}
