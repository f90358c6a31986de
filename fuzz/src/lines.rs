//! Targets that read lines: positions, moves, player lines, options, protocols.

use std::time::Duration;

use tablero_arena::stats::Sprt;
use tablero_arena::{Openings, TimeControl};
use tablero_core::{Limits, PlayerLine, PlayerSetup, parse_duration};
use tablero_protocol::{Engine, EngineSettings, serve};
use tablero_registry::games;

use crate::Target;

/// Positions and moves of every game, player lines, values of options.
pub(crate) fn lines() -> Vec<Target> {
    let bytes = |texts: &[&str]| texts.iter().map(|text| text.as_bytes().to_vec()).collect();
    let mut targets = Vec::new();
    for &entry in games() {
        let game = entry.game();
        let start = game.start();
        let mut samples: Vec<Vec<u8>> = vec![start.position_text().into_bytes()];
        samples.push(format!("start moves {}", start.move_text(start.moves()[0])).into_bytes());
        samples.extend(start.moves().iter().map(|&m| start.uci_move(m).into_bytes()));
        targets.push(Target::new(format!("lines/{game}-positions"), samples, 1000, move |bytes| {
            let text = String::from_utf8_lossy(bytes);
            for rules in game.all_rules() {
                let _ = game.parse_history(&text, rules);
            }
            let _ = (start.parse_move(&text), start.parse_uci_move(&text));
        }));
        targets.push(Target::new(
            format!("lines/{game}-players"),
            bytes(&PLAYERS),
            300,
            move |bytes| {
                let text = String::from_utf8_lossy(bytes);
                let Ok(line) = text.parse::<PlayerLine>() else { return };
                let _ = entry.player_kinds().permit(&line, PlayerSetup::LOCAL.permissions);
            },
        ));
    }
    let options = ["balanced:8", "random:4", "0,10", "60+0.6", "2s"];
    targets.push(Target::new("lines/options", bytes(&options), 1000, |bytes| {
        let text = String::from_utf8_lossy(bytes);
        let _ = (text.parse::<Openings>(), text.parse::<Sprt>(), text.parse::<TimeControl>());
        let _ = parse_duration(&text);
    }));
    targets
}

const PLAYERS: [&str; 8] = [
    "alphabeta depth=4 eval=jma hash=16 time=1.5s",
    "mcts iterations=100 c=1.4 threads=2",
    "puct net=othello-2x32 iterations=50 \"a b\"",
    "level hard",
    "champion nodes=1000 weights=x.weights#2",
    "uci /usr/games/stockfish elo=1350 'Skill Level'=3",
    "nboard \"my engine\" -x depth=3",
    "gtp /bin/engine --flag time=100ms",
];

/// Sessions of an engine over every protocol.
pub(crate) fn protocols() -> Vec<Target> {
    let mut targets = Vec::new();
    for &entry in games() {
        for &protocol in entry.game().protocols() {
            let samples = SESSIONS.map(|session| session.as_bytes().to_vec()).to_vec();
            let name = format!("protocols/{}-{protocol}", entry.game());
            targets.push(Target::new(name, samples, 60, move |bytes| {
                let make_player = |_: &EngineSettings| {
                    entry.build("random", &PlayerSetup::LOCAL).map_err(|error| error.to_string())
                };
                let engine = Engine {
                    game: entry.game(),
                    name: "fuzz".into(),
                    make_player: Box::new(make_player),
                    settings: EngineSettings::default(),
                    elo: Some(500..=2500),
                    default_limits: Limits {
                        time: Some(Duration::from_millis(10)),
                        ..Limits::default()
                    },
                    seed: 1,
                };
                // Fails on a line that is too long.
                let _ = serve(protocol, bytes, std::io::sink(), &engine);
            }));
        }
    }
    targets
}

const SESSIONS: [&str; 8] = [
    "uci\nisready\nposition startpos moves e2e4 e7e5\ngo depth 2\nstop\n",
    "setoption name MultiPV value 3\nsetoption name Hash value 1\ngo infinite\nstop\nponderhit\n",
    "go ponder wtime 10 btime 10 winc 1\nponderhit\nposition fen 8/8/8/8/8/8/8/K1k5 w - - 0 1\ngo nodes 5\n",
    "ucinewgame\nsetoption name UCI_Elo value 700\ndebug on\ngo mate 2 searchmoves e2e4\nquit\n",
    "nboard 2\nset depth 2\nset game (;GM[Othello]TI[05:00/00:10/02:00]B[F5//1.2]W[D6];)\ngo\n",
    "move F5/1.0/3\nhint 3\nanalyze\nping 3\nlearn\nset contempt 3\n",
    "time_settings 10 5 3\ntime_left b 1 1\nplay b f5\ngenmove w\nundo\nshowboard\n",
    "12 play black d3\nplay w pass\nreg_genmove white\nfinal_score\nclear_board\nquit\n",
];
