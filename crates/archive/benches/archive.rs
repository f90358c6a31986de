//! Import speed, size and lookup time of an archive: `cargo bench -p tablero-archive`.
//!
//! Writes generated games to files (Othello as WTHOR with name files, chess as PGN), imports them from there, and looks
//! up positions of the games. Players prefer some moves in the opening, so that games share their first moves as real
//! ones do. `ARCHIVE_GAMES` is the number of games of each kind, 500,000 by default.

#![allow(clippy::print_stdout)]

use std::path::Path;
use std::time::Instant;

use rayon::prelude::*;
use tablero_archive::{Archive, ImportOptions, Query, Source};
use tablero_chess::Chess;
use tablero_core::{AnyGame, AnyGameHistory, AnyMove, AnyPosition, AnyRecord, Game as _, Rng};
use tablero_othello::Othello;

fn main() {
    let games: usize =
        std::env::var("ARCHIVE_GAMES").ok().and_then(|n| n.parse().ok()).unwrap_or(500_000);
    let folder = std::env::temp_dir().join(format!("tablero-archive-bench-{}", std::process::id()));
    for (game, format) in [(AnyGame::of::<Othello>(), "wthor"), (AnyGame::of::<Chess>(), "pgn")] {
        let folder = folder.join(game.name());
        std::fs::create_dir_all(&folder).expect("a writable folder");
        measure(game, format, games, &folder);
    }
    std::fs::remove_dir_all(&folder).expect("removable");
}

fn measure(game: AnyGame, format: &str, games: usize, folder: &Path) {
    let files = write_games(game, format, games, folder);
    let sources: Vec<_> = files.iter().map(|path| Source::file(path)).collect();
    let archive = Archive::open(folder, &[game]).expect("a new archive");
    let report =
        archive.import(&sources, &ImportOptions::default(), &mut |_| {}).expect("readable");
    assert_eq!((report.games as usize + report.duplicates as usize, report.skipped), (games, 0));
    let speed = games as f64 / report.seconds;
    println!("{game}: import of {games} games: {:.1} s, {speed:.0} games/s", report.seconds);
    println!("{game}: {:.0} bytes a game", archive.bytes() as f64 / report.games as f64);

    let again =
        archive.import(&sources[..1], &ImportOptions::default(), &mut |_| {}).expect("readable");
    assert_eq!(again.games, 0, "duplicates");

    let positions: Vec<AnyPosition> = (0..2000)
        .map(|seed| {
            let record = random_game(game, 1_000_000 + seed);
            let plies = (seed as usize % 24).min(record.plies.len());
            let mut position = record.start.clone();
            record.plies[..plies].iter().for_each(|ply| position.play(ply.m));
            position
        })
        .collect();
    let times =
        time_each(&positions, |position| archive.explore(position, 10).expect("explored").games);
    print_times(&format!("{game}: explore, positions of plies 0 to 23"), times);
    let start = [game.start()];
    let times = time_each(&start.repeat(20), |position| {
        archive.explore(position, 10).expect("explored").games
    });
    print_times(&format!("{game}: explore, start"), times);
    let names: Vec<String> = (0..200).map(|n| format!("Player {}", n * 7)).collect();
    let times = time_each(&names, |name| {
        let query = Query { player: Some(name.clone()), ..Query::default() };
        archive.search(&query).expect("found").total
    });
    print_times(&format!("{game}: search by player"), times);
}

fn time_each<T>(inputs: &[T], work: impl Fn(&T) -> u64) -> Vec<f64> {
    let time = |input| {
        let start = Instant::now();
        std::hint::black_box(work(input));
        1000.0 * start.elapsed().as_secs_f64()
    };
    let mut times: Vec<f64> = inputs.iter().map(time).collect();
    times.sort_by(f64::total_cmp);
    times
}

fn print_times(what: &str, times: Vec<f64>) {
    let at = |part: usize| times[(times.len() * part / 100).min(times.len() - 1)];
    println!("{what}: median {:.2} ms, 95 % {:.2} ms, longest {:.2} ms", at(50), at(95), at(100));
}

/// Files of at most 50,000 games.
fn write_games(
    game: AnyGame,
    format: &str,
    count: usize,
    folder: &Path,
) -> Vec<std::path::PathBuf> {
    let format = game.formats().into_iter().find(|known| known.name == format).expect("known");
    let mut files = Vec::new();
    for first in (0..count).step_by(50_000) {
        let numbers = first..count.min(first + 50_000);
        let records: Vec<AnyRecord> =
            numbers.into_par_iter().map(|number| random_game(game, number as u64)).collect();
        let path = folder.join(format!("games-{first}.{}", format.extensions[0]));
        for output in (format.write)(&records).expect("writable") {
            let path = match output.companion {
                None => path.clone(),
                Some(extension) => path.with_extension(extension),
            };
            std::fs::write(path, output.bytes).expect("writable");
        }
        files.push(path);
    }
    files
}

fn random_game(game: AnyGame, seed: u64) -> AnyRecord {
    let mut rng = Rng::for_stream(1, seed);
    let mut history = AnyGameHistory::new(game.start());
    while history.plies() < 90 {
        let moves = history.moves();
        if moves.is_empty() {
            break;
        }
        let m = pick(&mut rng, &moves, history.plies(), history.position());
        history.play(m).expect("legal");
    }
    let mut record = AnyRecord::from_history(&history);
    record.players = [rng.below(2000), rng.below(2000)].map(|n| format!("Player {n}"));
    record.set_tag("Event", format!("Event {}", rng.below(500)));
    record.set_tag("Date", format!("{}.??.??", 1990 + seed / 20_000));
    record
}

/// A move: of few that are liked in this position early in the game, of all later.
fn pick(rng: &mut Rng, moves: &[AnyMove], ply: usize, position: &AnyPosition) -> AnyMove {
    if ply >= 20 {
        return moves[rng.below(moves.len() as u64) as usize];
    }
    // The first is chosen with probability 1/2, the second with 1/4, ...
    let rank = (rng.bits().trailing_zeros() as usize).min(moves.len() - 1);
    let liked = |m: &AnyMove| position.after(*m).key();
    let mut ordered = moves.to_vec();
    ordered.sort_by_key(liked);
    ordered[rank]
}
