//! Damaged and endless files: games that cannot be read are skipped, devices are refused.

mod common;

use std::fs;
use std::path::Path;

use common::{directory, json, stderr, stdout, tablero, tablero_with_input};

const PGN: &str =
    "[White \"A\"]\n\n1. e4 e5 *\n\n[White \"B\"]\n\n1. e4 Qz9 *\n\n[White \"C\"]\n\n1. d4 d5 *\n";

/// Writes a file and returns its path.
fn write(folder: &Path, name: &str, content: impl AsRef<[u8]>) -> String {
    let path = folder.join(name);
    fs::write(&path, content).expect("written");
    path.to_string_lossy().into_owned()
}

#[test]
fn a_bad_game_is_skipped_with_a_warning() {
    let folder = directory("skipped");
    let file = write(&folder, "three.pgn", PGN);
    let listed = tablero(&["show", &file, "--list"]);
    let warning = format!(
        "warning: {file}: skipped game 2: line 7, column 7: found `Qz9`, expected a move such as"
    );
    assert!(stderr(&listed).starts_with(&warning), "{}", stderr(&listed));
    assert_eq!(stderr(&listed).lines().count(), 1);
    let list = stdout(&listed);
    assert!(list.contains("1  A") && list.contains("3  C") && list.lines().count() == 2, "{list}");

    let third = json(&["show", &file, "--number", "3", "--json"]);
    assert_eq!((&third["players"][0], &third["count"]), (&"C".into(), &3.into()));
    let second = tablero(&["show", &file, "--number", "2"]);
    assert_eq!(second.status.code(), Some(1));
    assert!(stderr(&second).contains("error: game 2: line 7"), "{}", stderr(&second));

    let out = folder.join("out.pgn").to_string_lossy().into_owned();
    let converted = tablero(&["convert", &file, &out]);
    assert!(converted.status.success() && stderr(&converted).starts_with(&warning));
    assert_eq!(fs::read_to_string(&out).expect("written").matches("[White ").count(), 2);
    let reviewed =
        tablero(&["review", &file, "--player", "alphabeta depth=1", "--number", "3", "--json"]);
    assert!(stdout(&reviewed).contains("d5") && stderr(&reviewed).starts_with(&warning));
    let played = tablero_with_input(&["play", "chess", "--load", &file], "quit\n");
    assert!(stderr(&played).starts_with(&warning), "{}", stderr(&played));
}

#[test]
fn strict_fails_at_the_first_bad_game() {
    let folder = directory("strict");
    let file = write(&folder, "three.pgn", PGN);
    let out = folder.join("out.pgn").to_string_lossy().into_owned();
    for command in [
        &["show", &file, "--strict"][..],
        &["convert", &file, &out, "--strict"],
        &["review", &file, "--strict"],
        &["play", "chess", "--load", &file, "--strict"],
        &["match", "chess", "random", "random", "--openings", &file, "--strict"],
    ] {
        let failed = tablero(command);
        let message = stderr(&failed);
        assert_eq!(failed.status.code(), Some(1), "{command:?}: {message}");
        assert!(message.contains("invalid pgn file of chess: line 7, column 7"), "{message}");
    }
    assert!(!Path::new(&out).exists());
}

#[test]
fn openings_and_test_suites_are_read_as_far_as_possible() {
    let folder = directory("as-far");
    let data = folder.join("data").to_string_lossy().into_owned();
    let openings = write(&folder, "openings.pgn", PGN);
    let played = tablero(&[
        "match",
        "chess",
        "random",
        "random",
        "--games",
        "2",
        "--max-plies",
        "4",
        "--openings",
        &openings,
        "--data",
        &data,
        "--json",
    ]);
    assert!(played.status.success() && stderr(&played).contains("skipped game 2"));

    let position = "-XXXXXX-XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXOXXXXXXO O;";
    let suite = write(&folder, "suite.obf", format!("{position}\nXO X;\n{position}\n"));
    let solved = tablero(&["solve", &suite, "--json"]);
    let lines = stdout(&solved);
    assert!(lines.contains("\"index\":1,") && lines.contains("\"index\":3,"), "{lines}");
    assert!(stderr(&solved).contains("skipped game 2: line 2"), "{}", stderr(&solved));
    let strict = tablero(&["solve", &suite, "--strict"]);
    assert_eq!(strict.status.code(), Some(1));

    let games = write(&folder, "games.txt", "f5d6c3d3c4\nf5f5\nf5d6\n");
    let evolve = ["evolve", "othello", "--genome", "sci", "--games", &games, "--data", &data];
    let strict = tablero(&[&evolve[..], &["--strict"]].concat());
    assert!(stderr(&strict).contains("invalid transcript file"), "{}", stderr(&strict));
    let evolved = tablero(&evolve);
    assert!(stderr(&evolved).contains("skipped game 2: line 2"), "{}", stderr(&evolved));
}

#[test]
fn many_warnings_are_counted() {
    let folder = directory("many");
    let text = format!("f5d6\n{}", "f5f5\n".repeat(5000));
    let shown = tablero(&["show", &write(&folder, "games.txt", text)]);
    assert!(shown.status.success());
    let message = stderr(&shown);
    assert_eq!(message.lines().count(), 11);
    assert!(message.ends_with(": skipped 4990 more games\n"), "{message}");
}

#[test]
fn nothing_readable_is_an_error() {
    let folder = directory("nothing");
    let file =
        write(&folder, "bad.pgn", "[White \"A\"]\n\n1. Qz9 *\n\n[White \"B\"]\n\n1. Qz8 *\n");
    let failed = tablero(&["show", &file]);
    assert_eq!(failed.status.code(), Some(1));
    let message = stderr(&failed);
    assert!(message.contains("invalid pgn file of chess: line 3, column 4"), "{message}");
    assert_eq!(message.lines().count(), 1);
}

#[test]
fn byte_order_marks_are_skipped_and_utf_16_is_reported() {
    let folder = directory("encodings");
    for (name, text, game) in [
        ("a.txt", "f5d6c3\n", "othello"),
        ("b.txt", "44533\n", "connectfour"),
        ("c.fen", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n", "chess"),
        ("d.epd", "6k1/5ppp/8/8/8/8/8/K2R4 w - - bm Rd8;\n", "chess"),
        ("e.pos", "x o.. .x. ...\n", "tictactoe"),
        ("f.pgn", PGN, "chess"),
    ] {
        let marked = format!("\u{feff}{text}");
        let file = write(&folder, name, &marked);
        assert_eq!(json(&["show", &file, "--json"])["game"], game, "{name}");
        let utf16 = marked.encode_utf16().flat_map(u16::to_le_bytes);
        let file = write(&folder, name, utf16.collect::<Vec<u8>>());
        let failed = tablero(&["show", &file]);
        assert!(stderr(&failed).contains("in UTF-16; convert it to UTF-8"), "{}", stderr(&failed));
    }
}

#[cfg(unix)]
#[test]
fn endless_files_are_refused() {
    for line in [
        "alphabeta depth=1 eval=/dev/zero",
        "champion depth=1 weights=/dev/zero",
        "puct net=/dev/zero sims=1",
    ] {
        let failed = tablero(&["best", "othello", "start", "--player", line]);
        assert_eq!(failed.status.code(), Some(2), "{line}: {}", stderr(&failed));
        assert!(stderr(&failed).contains("neither a file nor a pipe"), "{}", stderr(&failed));
    }
    for command in [
        &["show", "/dev/zero"][..],
        &["convert", "/dev/zero", "-", "--to", "pgn"],
        &["review", "/dev/zero"],
        &["solve", "/dev/zero"],
        &["play", "chess", "--load", "/dev/zero"],
        &["evolve", "othello", "--genome", "sci", "--games", "/dev/zero"],
        &[
            "train",
            "othello",
            "--data",
            "/dev/zero",
            "--net",
            "mlp 65-1",
            "--out",
            "/tmp/never.safetensors",
        ],
    ] {
        let failed = tablero(command);
        let message = stderr(&failed);
        assert!(!failed.status.success(), "{command:?}");
        let expected = "cannot read /dev/zero: it is neither a file nor a pipe";
        assert!(message.contains(expected), "{command:?}: {message}");
    }
}

#[cfg(unix)]
#[test]
fn pipes_are_read() {
    let shown = tablero_with_input(&["show", "/dev/stdin", "--json"], "f5d6c3\n");
    assert!(stdout(&shown).contains("othello"));
}

#[test]
fn errors_quote_little_of_a_genome_file() {
    let folder = directory("genes");
    let genes = format!(
        "format = \"tablero-genomes 1\"\ngame = \"othello\"\nkind = \"sci\"\n[best]\nfitness = 1\n\
         genome = [{}x]\n",
        "1.0, ".repeat(40_000)
    );
    let line = format!("alphabeta depth=1 eval={}", write(&folder, "bad.genes", genes));
    let failed = tablero(&["best", "othello", "start", "--player", &line]);
    let message = stderr(&failed);
    assert!(message.contains("line 6, column 200011"), "{message:.500}");
    assert!(message.len() < 600, "{} bytes", message.len());
}
