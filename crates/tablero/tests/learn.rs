//! `tablero learn`, `selfplay`, `train` and `data`: resuming, files, error messages.

mod common;

use std::fs;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use common::{directory, json, stderr, stdout, tablero};

#[test]
fn a_run_stops_after_its_hours_and_says_how_to_resume() {
    let folder = directory("learn");
    let dir = folder.join("run").to_string_lossy().into_owned();
    let arguments = ["learn", "othello", "--net", "patterns", "--dir", &dir, "--quick"];
    let output = tablero(&[&arguments[..], &["--hours", "0.0001"]].concat());
    stdout(&output);
    assert!(stderr(&output).contains(&format!("--dir '{dir}'")), "{}", stderr(&output));
    assert!(stderr(&output).contains("generation 1: games"), "progress in a log file");
    let games = std::fs::read_to_string(folder.join("run/games-1.jsonl")).expect("games");
    assert!(games.contains("\"moves\""), "{games}");

    let other = tablero(&[&arguments[..], &["--seed", "7"]].concat());
    assert_eq!(other.status.code(), Some(2));
    assert!(stderr(&other).contains("holds a run with seed 1, not 7"), "{}", stderr(&other));
}

#[test]
fn errors_are_explained() {
    for (arguments, help) in [
        (&["learn", "chess", "--net", "patterns"][..], "othello only"),
        (&["learn", "othello", "--net", "nothing"], "resnet 6x64"),
        (&["learn", "othello", "--net", "mlp 64-1"], "65 or 256 inputs"),
        (&["learn", "othello", "--hours", "0"], "hours above 0"),
        (&["learn", "chess", "--teacher", "nobody"], "nobody"),
        (&["learn", "chess", "--teacher-games", "5"], "--teacher"),
        (&["learn", "shobu", "--rules", "none"], "no rules `none`"),
        (&["learn", "tictactoe", "--full-search-prob", "2"], "0 to 1"),
        (&["train", "othello", "--data", "x", "--out", "y", "--held-out", "2"], "0 to 0.9"),
        (
            &["train", "othello", "--data", "x", "--out", "y", "--lr", "-1"],
            "lr is -1; expected a number above 0",
        ),
        (&["learn", "tictactoe", "--init", "nowhere.safetensors"], "nowhere.safetensors"),
        (&["selfplay", "chess", "--player", "random", "--games", "0", "--out", "x.csv"], "0"),
        (&["selfplay", "chess", "--player", "nobody", "--games", "1", "--out", "x.csv"], "nobody"),
        (
            &["selfplay", "chess", "--player", "random", "--games", "1", "--out", "x.txt"],
            ".jsonl or .csv",
        ),
        (
            &[
                "selfplay", "chess", "--player", "random", "--games", "1", "--out", "x.csv",
                "--layout", "otelo",
            ],
            "pieces of chess; use --layout rows",
        ),
        (&["train", "chess", "--data", "x.csv", "--out", "x.onnx"], "pieces of chess"),
        (
            &["train", "othello", "--data", "x.csv", "--out", "x"],
            ".safetensors, .keras, .h5, .onnx",
        ),
        (
            &[
                "train",
                "othello",
                "--data",
                "x",
                "--out",
                "x.h5",
                "--held-out",
                "0",
                "--keep",
                "best",
            ],
            "need a validation set",
        ),
        (
            &["train", "othello", "--data", "x.csv", "--data", "y.jsonl", "--out", "x.h5"],
            "must all be recorded games",
        ),
        (&["match", "othello", "puct net=othello-9x9 sims=4", "random"], "othello-2x32"),
        (&["data", "chess", "x", "x.txt"], ".csv or .positions"),
        (&["data", "chess", "x", "x.positions", "--layout", "rows"], "for .csv files"),
        (&["learn", "tictactoe", "--backend", "nobody"], "native, burn"),
    ] {
        let output = tablero(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(stderr(&output).contains(help), "{}", stderr(&output));
    }
}

/// A device that is not there, or that the backend has not, leaves no trace.
#[test]
fn a_missing_device_creates_nothing() {
    let folder = directory("learn-device");
    let (dir, out) = (folder.join("run"), folder.join("x.safetensors"));
    let (dir_text, out_text) = (dir.to_string_lossy(), out.to_string_lossy());
    let missing = if cfg!(feature = "burn") { "device gpu:99" } else { "--features burn" };
    let learn = ["learn", "tictactoe", "--quick", "--dir", &dir_text];
    let train = ["train", "tictactoe", "--data", "no-such.jsonl", "--out", &out_text];
    for (device, help) in [
        (&["--device", "cuda"][..], "expected cpu, gpu or gpu:N"),
        (&["--device", "gpu:-1"], "expected cpu, gpu or gpu:N"),
        (&["--device", "cpu"], "device cpu: the native backend trains on the processor"),
        (&["--device", "gpu:1"], "use backend burn"),
        (&["--backend", "burn", "--device", "gpu:99"], missing),
    ] {
        for command in [&learn[..], &train] {
            let output = tablero(&[command, device].concat());
            assert_eq!(output.status.code(), Some(2), "{command:?} {device:?}");
            assert!(stderr(&output).contains(help), "{}", stderr(&output));
        }
        assert!(!dir.exists() && !out.exists(), "{device:?}");
    }
    let nnue = tablero(&[&learn[..], &["--net", "nnue 8", "--device", "cpu"]].concat());
    assert_eq!(nnue.status.code(), Some(2));
    assert!(stderr(&nnue).contains("leave the device out") && !dir.exists(), "{}", stderr(&nnue));
}

#[test]
fn options_of_other_kinds_of_runs_are_refused() {
    let dir = directory("learn-foreign").join("run");
    let dir_text = dir.to_string_lossy();
    for (game, options, problem) in [
        ("tictactoe", &["--nodes", "100"][..], "nodes does not apply to networks"),
        ("tictactoe", &["--net", "nnue 16", "--async"], "asynchronous does not apply to an NNUE"),
        ("othello", &["--net", "patterns", "--lr", "0.1"], "lr does not apply to net `patterns`"),
        ("othello", &["--net", "bill", "--no-symmetries"], "does not apply to net `bill`"),
    ] {
        let output = tablero(&[&["learn", game, "--quick", "--dir", &dir_text], options].concat());
        assert_eq!(output.status.code(), Some(2), "{options:?}");
        assert!(stderr(&output).contains(problem) && !dir.exists(), "{}", stderr(&output));
    }
}

/// A run that is killed several times produces the same networks as an undisturbed one.
#[test]
fn a_killed_run_resumes_to_the_same_networks() {
    let folder = directory("learn-killed");
    let (whole, killed) = (folder.join("whole"), folder.join("killed"));
    let arguments = |dir: &std::path::Path| -> Vec<String> {
        let dir = dir.to_string_lossy();
        let words = [
            "learn",
            "tictactoe",
            "--quick",
            "--games",
            "80",
            "--threads",
            "2",
            "--json",
            "--dir",
            &dir,
        ];
        words.map(String::from).to_vec()
    };
    let words = arguments(&whole);
    let learned = json(&words.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(learned["generations"].as_array().map(Vec::len), Some(3), "{learned}");
    for pause in [40, 80, 160, 320] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tablero"))
            .args(arguments(&killed))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        thread::sleep(Duration::from_millis(pause));
        // It may have finished already.
        let _ = child.kill();
        child.wait().expect("an end");
    }
    let words = arguments(&killed);
    let again = json(&words.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(again["meetings"], learned["meetings"]);
    for file in ["generation-3.safetensors", "games-3.jsonl"] {
        let read = |dir: &std::path::Path| fs::read(dir.join(file)).expect("a file");
        assert!(read(&whole) == read(&killed), "{file} differs");
    }
    let report = fs::read_to_string(whole.join("report.md")).expect("a report");
    assert!(report.contains("learn tictactoe --quick --games 80"), "{report}");
    let dir = whole.to_string_lossy();
    let checked = json(&["data", "tictactoe", &dir, "--json"]);
    assert_eq!(checked["games"], 240);
    let line = format!("puct net={dir}/best.safetensors sims=8");
    let result = json(&["match", "tictactoe", &line, "random", "--games", "4", "--json"]);
    assert_eq!((&result["games"], &result["illegal"]), (&4.into(), &0.into()));
}

/// A run in the jobs directory, where the server starts runs, is a job.
#[test]
fn training_runs_are_resumed_as_jobs() {
    let folder = directory("learn-job");
    let data = folder.to_string_lossy().into_owned();
    let dir = folder.join("jobs/learn-1").to_string_lossy().into_owned();
    let begin = ["learn", "tictactoe", "--quick", "--dir", &dir, "--hours", "0.00001"];
    stdout(&tablero(&begin));
    let learned = json(&["jobs", "resume", "learn-1", "--data", &data, "--json"]);
    assert_eq!(learned["generations"].as_array().map(Vec::len), Some(3), "{learned}");
}

/// The pipeline of Otelo: MCTS self-play games as a table, a network trained on it, a match with it.
#[test]
fn networks_are_trained_on_recorded_games() {
    let folder = directory("learn-otelo");
    let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let (table, net, other) =
        (path("games.csv"), path("net.safetensors"), path("other.safetensors"));
    let play = [
        "selfplay",
        "othello",
        "--player",
        "mcts iterations=20",
        "--out",
        &table,
        "--json",
        "--games",
    ];
    let played = json(&[&play[..], &["3"]].concat());
    assert_eq!((&played["games"], &played["existing"]), (&3.into(), &0.into()), "{played}");
    let refused = tablero(&[&play[..], &["5"]].concat());
    assert!(stderr(&refused).contains("finished with 3 games"), "{}", stderr(&refused));
    let text = fs::read_to_string(&table).expect("a table");
    assert!(text.lines().next().expect("a head").ends_with("\"(7, 7)\",turno,ganador"));
    assert!(text.lines().count() > 150, "{}", text.lines().count());

    let train = |out: &str, more: &[&str]| {
        let words = [
            "train",
            "othello",
            "--data",
            &table,
            "--net",
            "mlp 65-16-1",
            "--epochs",
            "3",
            "--json",
            "--force",
            "--out",
            out,
        ];
        json(&[&words[..], more].concat())
    };
    let report = path("report");
    let trained = train(&net, &["--report", &report, "--held-out", "0.4"]);
    assert!(
        trained["last"]["training"]["value_error"].as_f64().is_some_and(|mae| mae < 2.0),
        "{trained}"
    );
    assert!(
        fs::read_to_string(folder.join("report/report.md")).expect("a report").contains("mae.svg")
    );
    train(&other, &["--threads", "1", "--held-out", "0.4"]);
    assert!(fs::read(&net).expect("a net") == fs::read(&other).expect("a net"), "the same seed");
    train(&other, &["--split", "position", "--patience", "1"]);
    if cfg!(feature = "burn") {
        train(&other, &["--backend", "burn"]);
        let written = fs::read(&other).expect("a net");
        assert!(String::from_utf8_lossy(&written).contains("by burn"));
    } else {
        let words =
            ["train", "othello", "--data", &table, "--out", &path("x"), "--backend", "burn"];
        let refused = tablero(&words);
        assert_eq!(refused.status.code(), Some(2));
        assert!(stderr(&refused).contains("--features burn"), "{}", stderr(&refused));
    }

    let line = format!("mcts net={net} iterations=10");
    let result = json(&["match", "othello", &line, "random", "--games", "2", "--json"]);
    assert_eq!(result["illegal"], 0);

    let (record, rows) = (path("chess.jsonl"), path("chess.csv"));
    let play = ["selfplay", "chess", "--player", "random", "--max-plies", "30", "--times"];
    let play = [&play[..], &["--rating", "-7", "--out"]].concat();
    stdout(&tablero(&[&play[..], &[&record, "--games", "2"]].concat()));
    fs::write(&record, fs::read_to_string(&record).expect("a record") + "{\"index\":1")
        .expect("written");
    let again = tablero(&[&play[..], &[&record, "--games", "4"]].concat());
    assert!(stderr(&again).contains("truncated line of 10 bytes"), "{}", stderr(&again));
    stdout(&again);
    stdout(&tablero(&["data", "chess", &record, &rows]));
    let rows = fs::read_to_string(&rows).expect("a table");
    assert_eq!(rows.lines().count(), 1 + 4 * 30);
    assert!(rows.lines().skip(1).all(|row| row.contains(",-7,0.")), "{rows}");
    assert!(rows.contains("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"), "{rows}");
    let chess = path("chess.safetensors");
    let words = [
        "train",
        "chess",
        "--data",
        &record,
        "--net",
        "resnet 1x4",
        "--epochs",
        "1",
        "--json",
        "--force",
        "--out",
        &chess,
    ];
    assert!(json(&words)["last"]["held_out"]["policy"].as_f64().is_some());
    // The provenance names the players of all training files.
    let other = path("other.jsonl");
    let play = ["selfplay", "chess", "--player", "greedy", "--random-plies", "4", "--games", "2"];
    let play =
        [&play[..], &["--max-plies", "20", "--resign-threshold", "0.9", "--out", &other]].concat();
    stdout(&tablero(&play));
    json(&[&words[..], &["--data", &other, "--q-ratio", "0.5"]].concat());
    let bytes = fs::read(&chess).expect("a network");
    let provenance = String::from_utf8_lossy(&bytes);
    for part in [
        "4 games of `random`: max 30 plies, seed 1",
        "2 games of `greedy`: up to 4 random opening plies, resign threshold 0.9, playthrough 0.1, max 20",
        "steps of 128, lr 0.0001, seed 1, q_ratio 0.5",
    ] {
        assert!(provenance.contains(part), "{part}");
    }
    // Packed positions train the same network, with the same provenance.
    json(&words);
    let alone = fs::read(&chess).expect("a network");
    let packed = path("chess.positions");
    stdout(&tablero(&["data", "chess", &record, &packed]));
    let words = words.map(|word| if word == record { packed.as_str() } else { word });
    json(&words);
    assert!(fs::read(&chess).expect("a network") == alone, "packed");
    let damaged =
        fs::read_to_string(&record).expect("a record").replace("\"margin\":0", "\"margin\":1");
    fs::write(&record, damaged).expect("written");
    let output = tablero(&["data", "chess", &record]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("checksum"), "{}", stderr(&output));
}

/// Otelo's recipe: its table, its inputs, the last epoch, a file for Keras, which then plays.
#[test]
fn the_recipe_of_otelo_is_followed_to_the_letter() {
    let folder = directory("learn-otelo-letter");
    let path = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let table = path("partidas.csv");
    let player = "mcts iterations=15 final=uct reuse=off";
    let play = ["selfplay", "othello", "--player", player, "--games", "5", "--out", &table];
    stdout(&tablero(&play));
    let text = fs::read_to_string(&table).expect("a table");
    let discs = |row: &str| row.split(',').take(64).filter(|&cell| cell != "0").count();
    let first = text.lines().nth(1).expect("a row");
    assert_eq!((discs(first), first.split(',').nth(64)), (5, Some("1")), "after Black's move");
    assert_eq!(text.lines().skip(1).filter(|row| discs(row) == 5).count(), 5);

    let train = |data: &str, out: &str, more: &[&str]| {
        let words = ["train", "othello", "--data", data, "--net", "mlp 65-8-4-1 absolute"];
        let words = [&words[..], &["--epochs", "4", "--json", "--out", out]].concat();
        [&words[..], more].concat().iter().map(|&word| word.to_owned()).collect::<Vec<_>>()
    };
    let run = |words: &[String]| json(&words.iter().map(String::as_str).collect::<Vec<_>>());
    let file = path("red_otelo.h5");
    let trained = run(&train(&table, &file, &["--keep", "last"]));
    let rows = text.lines().count() as u64 - 1;
    let [training, held_out] =
        ["positions", "held_out_positions"].map(|key| trained[key].as_u64().expect("a number"));
    assert_eq!(training + held_out, rows);
    assert!((40..90).contains(&held_out), "one game of five: {trained}");

    // Another file format keeps everything; another epoch is another network.
    let (last, best) = (path("last.safetensors"), path("best.safetensors"));
    stdout(&tablero(&["convert", &file, &last, "--game", "othello"]));
    run(&train(&table, &best, &["--keep", "best"]));
    let is_same = fs::read(&best).expect("a file") == fs::read(&last).expect("a file");
    assert_eq!(is_same, trained["best"]["epoch"] == trained["last"]["epoch"], "{trained}");
    let unvalidated = run(&train(&table, &path("all.keras"), &["--held-out", "0"]));
    assert!(unvalidated["best"].is_null() && unvalidated["last"]["held_out"].is_null());

    // One game cannot be held out: an error instead of a loss on the training set.
    let one = path("one.csv");
    let end = text.lines().skip(2).position(|row| discs(row) == 5).expect("a second game") + 2;
    let game: Vec<&str> = text.lines().take(end).collect();
    fs::write(&one, game.join("\n")).expect("written");
    let words = train(&one, &path("one.h5"), &[]);
    let refused = tablero(&words.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr(&refused).contains("--split position"), "{}", stderr(&refused));
    run(&train(&one, &path("one.h5"), &["--split", "position"]));

    let line = format!("mcts net={file} iterations=10 final=uct reuse=off");
    let result = json(&["match", "othello", &line, "random", "--games", "2", "--json"]);
    assert_eq!((&result["games"], &result["illegal"]), (&2.into(), &0.into()));
    let shown = json(&["show", "f5", "--game", "othello", "--net", &file, "--json"]);
    let input = shown["net"]["input"].as_array().expect("inputs");
    assert_eq!((input.len(), input[64].as_f64()), (65, Some(1.0)), "Black moved");
    assert_eq!(shown["net"]["value"], shown["net"]["value_output"], "White is to move");
    for to in ["red.keras", "red.onnx"] {
        stdout(&tablero(&["convert", &last, &path(to)]));
    }
    let again = path("again.safetensors");
    stdout(&tablero(&["convert", &path("red.keras"), &again, "--game", "othello"]));
    assert!(fs::read(&again).expect("a file") == fs::read(&last).expect("a file"));
}

/// Hatchet1's records: the agent's colour, its rating after every game, the median processor time.
#[test]
fn games_against_an_opponent_are_rated_one_by_one() {
    let folder = directory("learn-opponent");
    let (table, record) = (folder.join("games.csv"), folder.join("games.jsonl"));
    let out = table.to_string_lossy().into_owned();
    let play = ["selfplay", "tictactoe", "--player", "alphabeta depth=9", "--opponent", "random"];
    let play =
        [&play[..], &["--times", "--layout", "rows", "--out", &out, "--games", "6"]].concat();
    stdout(&tablero(&play));
    let rows = fs::read_to_string(&table).expect("rows");
    let header: Vec<&str> = rows.lines().next().expect("a header").split(',').collect();
    let column = |name: &str| header.iter().position(|&column| column == name).expect(name);
    let (game, rating, side) = (column("game"), column("rating"), column("player_side"));
    let mut games: Vec<(String, i32, String)> = rows
        .lines()
        .skip(1)
        .map(|row| {
            // From the end, since positions and policies hold commas.
            let cells: Vec<&str> = row.split(',').collect();
            let at = |index: usize| cells[cells.len() + index - header.len()].to_owned();
            assert!(at(column("first_median_cpu_s")).parse::<f64>().is_ok(), "{row}");
            (cells[game].to_owned(), at(rating).parse().expect("a rating"), at(side))
        })
        .collect();
    games.dedup();
    assert_eq!(games.len(), 6, "{games:?}");
    let sides: Vec<&str> = games.iter().map(|game| &*game.2).collect();
    assert_eq!(sides, ["x", "o", "x", "o", "x", "o"]);
    assert!(games[5].1 > 400 && games[0].1 >= 400, "perfect play never loses: {games:?}");
    // Going on with the record goes on with the rating.
    let words = [&play[..play.len() - 1], &["8"]].concat();
    stdout(&tablero(&words));
    assert!(fs::read_to_string(&record).expect("a record").contains("\"player_side\":1"));
}
