#![allow(missing_docs, clippy::print_stdout)]
use std::sync::atomic::AtomicBool;
use std::time::Instant;
use tablero_champion::engine::*;
use tablero_champion::eval::Weights;
use tablero_champion::{Board, Selectivity};

fn cpu() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let f: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
    (f[11].parse::<f64>().unwrap()) / 100.0
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let from: usize = args.get(1).map_or(40, |s| s.parse().unwrap());
    let to: usize = args.get(2).map_or(49, |s| s.parse().unwrap());
    let threads: usize = args.get(3).map_or(1, |s| s.parse().unwrap());
    let verbose = args.get(4).is_some();
    let text = std::fs::read_to_string("/work/shared/data/ffo-40-49.obf").unwrap();
    let entries = tablero_othello::files::obf::read(&text).unwrap();
    let (mut total, mut nodes, mut c) = (0.0, 0, 0.0);
    for (i, e) in entries.iter().enumerate() {
        if i + 40 < from || i + 40 > to {
            continue;
        }
        let mut engine = Engine::new(Weights::embedded(), 256 << 20, threads);
        let stop = AtomicBool::new(false);
        let board = Board::from(&e.position);
        let request =
            Request::new(board, Stage { depth: 60, selectivity: Selectivity::NONE }, &stop);
        let (start, cp) = (Instant::now(), cpu());
        let p = engine.search(&request, &mut |p| {
            if verbose {
                println!(
                    "   {:>2}@{} {:+} {} {:?} {:?}",
                    p.stage.depth,
                    p.stage.selectivity,
                    p.value(),
                    p.nodes,
                    p.time,
                    &p.lines[0].squares[..p.lines[0].squares.len().min(6)]
                );
            }
        });
        let (t, cp) = (start.elapsed().as_secs_f64(), cpu() - cp);
        let expected = e.scores[0].1.0;
        println!(
            "{} e{} {:+} {} nodes {:.1}M {:.2}s cpu {:.2}s {:.1} Mnps {}",
            i + 40,
            board.empties().count_ones(),
            p.value(),
            p.best(),
            p.nodes as f64 / 1e6,
            t,
            cp,
            p.nodes as f64 / cp / 1e6,
            if p.value() == expected { "" } else { "WRONG" }
        );
        total += t;
        nodes += p.nodes;
        c += cp;
    }
    println!(
        "total {:.2}s cpu {:.2}s {:.1}M nodes {:.1} Mnps",
        total,
        c,
        nodes as f64 / 1e6,
        nodes as f64 / c / 1e6
    );
}
