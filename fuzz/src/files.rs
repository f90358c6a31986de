//! Targets that read files.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use tablero_champion::eval::Weights as PatternWeights;
use tablero_core::{AnyGame, AnyGameHistory, AnyRecord, Game as _, Input, Rng, open};
use tablero_experiments::Experiment;
use tablero_jobs::{Event, Job, read_log};
use tablero_learn::{BoardTable, GameData, TargetConfig, board_csv, read_games};
use tablero_nets::nnue::{NnueTrainer, NnueWeights};
use tablero_nets::{NetFormat, Weights};
use tablero_registry::games;

use crate::Target;

/// Every format of every game, and the detection of formats.
pub(crate) fn game_files() -> Vec<Target> {
    let mut all = Vec::new();
    let mut targets = Vec::new();
    for game in games().iter().map(|entry| entry.game()) {
        let records: Vec<AnyRecord> = (1..=3).map(|seed| random_record(game, seed)).collect();
        for format in game.formats() {
            // Some formats hold only one position.
            let files = (format.write)(&records).or_else(|_| (format.write)(&records[..1]));
            let files = files.unwrap_or_default();
            let samples: Vec<Vec<u8>> = files.into_iter().map(|file| file.bytes).collect();
            all.extend_from_slice(&samples);
            let name = format!("formats/{game}-{}", format.name);
            targets.push(Target::new(name, samples, 300, move |bytes| {
                let Ok(records) = format.read(&Input { bytes, path: None }) else { return };
                // What was read can be written.
                for record in records.iter().take(5) {
                    let _ = (format.write)(std::slice::from_ref(record));
                }
            }));
        }
    }
    all.extend(TEXTS.map(Vec::from));
    let known: Vec<AnyGame> = games().iter().map(|entry| entry.game()).collect();
    targets.push(Target::new("formats/detection", all, 600, move |bytes| {
        let _ = open(&known, &Input { bytes, path: None }, None, None);
    }));
    targets
}

/// Samples with comments, variations, names, passes and set-up positions.
const TEXTS: [&[u8]; 6] = [
    include_bytes!("../../crates/tablero/tests/data/across.pgn"),
    include_bytes!("../../crates/tablero/tests/data/game.pgn"),
    include_bytes!("../../crates/tablero/tests/data/games.txt"),
    include_bytes!("../../crates/tablero/tests/data/ffo.obf"),
    include_bytes!("../../crates/tablero/tests/data/suite.epd"),
    include_bytes!("../../crates/tablero/tests/data/two.ggf"),
];

fn random_record(game: AnyGame, seed: u64) -> AnyRecord {
    let mut rng = Rng::seeded(seed);
    let mut history = AnyGameHistory::new(game.start());
    while history.end().is_none() && history.plies() < 200 {
        let Some(m) = history.position().random_move(&mut rng) else { break };
        if history.play(m).is_err() {
            break;
        }
    }
    let mut record = AnyRecord::from_history(&history);
    record.players = ["Ana".into(), "Bo \"b\" \\ c".into()];
    record.set_tag("Event", "a [test]; {of} (tags)");
    record
}

/// Blocks of the archive's index, and the solutions of test suites.
pub(crate) fn archive() -> Vec<Target> {
    let block: Vec<u8> = (0..400u32).flat_map(|n| [(n % 50) as u8, (n % 7) as u8, 1]).collect();
    let known: Vec<AnyGame> = games().iter().map(|entry| entry.game()).collect();
    vec![
        Target::new("archive/block", vec![block], 2000, |bytes| {
            let _ = tablero_archive::check_block(bytes);
        }),
        Target::new(
            "training/suite",
            TEXTS[3..5].iter().map(|text| text.to_vec()).collect(),
            600,
            move |bytes| {
                let Ok((records, _)) = open(&known, &Input { bytes, path: None }, None, None)
                else {
                    return;
                };
                for record in records.iter() {
                    let _ = tablero_training::suite::solutions(record);
                }
            },
        ),
    ]
}

/// Networks, patterns and genomes.
pub(crate) fn weights() -> Vec<Target> {
    let mut targets = Vec::new();
    for entry in games() {
        let (game, spec) = (entry.game(), entry.learning().spec().encoding);
        let small = "resnet 1x4".parse().map(|kind| Weights::random(kind, &spec, 3));
        if let Ok(Ok(weights)) = small {
            let name = format!("weights/{game}-safetensors");
            targets.push(Target::new(name, vec![weights.to_bytes()], 100, move |bytes| {
                if let Ok(weights) = Weights::from_bytes(bytes) {
                    let _ = weights.check(&spec);
                }
            }));
        }
    }
    for entry in games() {
        let (game, spec) = (entry.game(), entry.learning().nnue_spec());
        if let Ok(trainer) = NnueTrainer::new(spec, 16, 3) {
            let file = trainer.quantize(vec!["random".into()]).to_bytes();
            targets.push(Target::new(
                format!("weights/{game}-nnue"),
                vec![file],
                20,
                move |bytes| {
                    if let Ok(weights) = NnueWeights::from_bytes(bytes) {
                        let _ = weights.check(&spec);
                    }
                },
            ));
        }
    }
    targets.extend(exchanged());
    let genomes: Vec<Vec<u8>> = games()
        .iter()
        .flat_map(|entry| entry.game().shipped_genomes())
        .map(|file| file.bytes.to_vec())
        .chain([include_bytes!("../../weights/othello7-sci.evl").to_vec()])
        .collect();
    targets.push(Target::new("weights/genes-evl", genomes, 500, |bytes| {
        let Ok(genomes) = tablero_genomes::read_bytes(bytes.to_vec()) else { return };
        for entry in games() {
            for kind in entry.evolution().genome_kinds() {
                let _ = genomes.clone().validated_as(&*kind);
            }
        }
    }));
    let patterns = include_bytes!("../../weights/othello-patterns.weights").to_vec();
    targets.push(Target::new("weights/patterns", vec![patterns], 5, |bytes| {
        let _ = PatternWeights::read(bytes);
    }));
    targets
}

/// Files of a small network for other programs: HDF5 of Keras, alone and in a ZIP archive, and ONNX.
fn exchanged() -> Option<Target> {
    let entry = games().iter().find(|entry| entry.learning().spec().encoding.flat_size > 0)?;
    let spec = entry.learning().spec().encoding;
    let kind = format!("mlp {}-4-1", spec.flat_size).parse().ok()?;
    let weights = Weights::random(kind, &spec, 3).ok()?;
    let formats = [NetFormat::Keras, NetFormat::H5, NetFormat::Onnx].into_iter();
    let files = formats.filter_map(|format| weights.to_format(format, &spec).ok()).collect();
    Some(Target::new("weights/exchanged", files, 300, move |bytes| {
        let _ = Weights::from_any_bytes(bytes, &spec);
    }))
}

/// Records of self-play, jobs and plans.
pub(crate) fn records() -> Vec<Target> {
    let mut targets =
        vec![Target::new("records/plan-toml", PLANS.map(Vec::from).to_vec(), 300, |bytes| {
            let _ = toml::from_str::<Experiment>(&String::from_utf8_lossy(bytes));
        })];
    for &entry in games() {
        let (game, data) = (entry.game(), random_data(entry.game()));
        let line = format!("{{\"index\":0,\"output\":{{\"games\":[{}]}}}}\n", json(&data));
        targets.push(Target::new(
            format!("records/{game}-jsonl"),
            vec![line.into_bytes()],
            100,
            move |bytes| {
                with_file(bytes, |path| {
                    let mut games = Vec::new();
                    let _ = read_games(path, |game| {
                        games.push(game);
                        Ok(())
                    });
                    games.iter().for_each(|data| drop(data.replay(game)));
                    let targets = TargetConfig { q_ratio: 0.5, policy_surprise_weight: 0.5 };
                    let _ = entry.learning().training_set().add_log(path, &targets);
                });
            },
        ));
        let packed = entry.learning().pack(std::slice::from_ref(&data), vec!["a".into()]);
        targets.push(Target::new(
            format!("records/{game}-positions"),
            packed.into_iter().collect(),
            100,
            move |bytes| {
                with_file(bytes, |path| {
                    let targets = TargetConfig { q_ratio: 0.0, policy_surprise_weight: 0.0 };
                    let _ = entry.learning().training_set().add_packed(path, &targets);
                });
            },
        ));
        let tables = [BoardTable::AfterMove, BoardTable::BeforeMove]
            .into_iter()
            .filter_map(|table| board_csv(game, [&data], table).ok())
            .map(String::into_bytes);
        let tables: Vec<Vec<u8>> = tables.collect();
        if !tables.is_empty() {
            targets.push(Target::new(format!("records/{game}-csv"), tables, 100, move |bytes| {
                let text = String::from_utf8_lossy(bytes);
                let _ = entry.learning().training_set().add_board_csv(&text);
            }));
        }
    }
    targets.push(Target::new("records/job", vec![JOB.to_vec()], 200, |bytes| {
        with_file(bytes, |path| {
            let _ = read_log::<Event>(path).map(|events| events.map(drop).count());
            let folder = path.with_extension("job");
            if fs::create_dir(&folder).is_ok() {
                let _ = fs::copy(path, folder.join("job.json"));
                if let Ok(Some(job)) = Job::in_folder(&folder) {
                    let _ = (job.state(), job.events(), job.last_event());
                }
                let _ = fs::remove_dir_all(&folder);
            }
        });
    }));
    targets
}

const PLANS: [&[u8]; 2] = [
    include_bytes!("../../experiments/shobu-minimax.toml"),
    include_bytes!("../../experiments/othello7.toml"),
];

/// The header of a job.
const JOB: &[u8] = br#"{"id":"match-1","kind":"match","seed":1,"created":1700000000,"version":"0.1.0","config":{"players":["random","greedy"]}}
"#;

fn random_data(game: AnyGame) -> GameData {
    let record = random_record(game, 4);
    let mut position = record.start.clone();
    let mut moves = Vec::new();
    for ply in &record.plies {
        moves.push(position.move_text(ply.m));
        position.play(ply.m);
    }
    let margin = record.end.map_or(0, |end| end.outcome.margin().0);
    GameData {
        rules: String::new(),
        moves,
        margin,
        ending: record.end.map_or_else(|| "unknown".into(), |end| end.ending.to_string()),
        targets: Vec::new(),
        alternatives: vec![(0, 0, 100)],
        replies: Vec::new(),
        resignation_was_right: None,
        median_micros: Some([10, 20]),
        median_cpu_micros: None,
        player_side: None,
        rating: Some(1000),
    }
}

fn json(data: &GameData) -> String {
    serde_json::to_string(data).unwrap_or_default()
}

/// Calls `read` with the path of a file that has this content.
fn with_file(bytes: &[u8], read: impl FnOnce(&std::path::Path)) {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let name = format!("tablero-fuzz-{}-{number}", std::process::id());
    let path: PathBuf = std::env::temp_dir().join(name);
    if fs::write(&path, bytes).is_ok() {
        read(&path);
        let _ = fs::remove_file(&path);
    }
}
