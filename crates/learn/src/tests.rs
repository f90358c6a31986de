//! The loop as a whole.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use tablero_catalog::players::{Setup, build};
use tablero_catalog::{Catalogued, GameName, for_game};
use tablero_core::{Control, Game, Limits, Match, Player, Side, StandardRules, Wdl};
use tablero_jobs::{Progress, Stop, Threads};
use tablero_nets::{GameNet, Weights};
use tablero_othello::Othello;
use tablero_search::puct::{Puct, PuctOptions};
use tablero_tictactoe::TicTacToe;

use super::*;

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("tablero-learn-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn make_player<G: Catalogued>(line: &str) -> Result<Box<dyn Player<G>>, String> {
    build::<G>(line, &Setup::default()).map_err(|error| error.to_string())
}

/// Runs until the end, or until `tell` asks to stop.
fn run<G: Catalogued>(
    folder: &Path,
    config: &LearnConfig,
    threads: usize,
    tell: &mut dyn FnMut(&Progress, &Stop),
) -> Learned {
    let job = open_run::<G>(folder, config, None).expect("a run");
    let (executor, stop) = (Threads::new(threads.try_into().expect("threads")), Stop::default());
    let mut tell = |progress: &Progress| tell(progress, &stop);
    run_learning::<G>(job, &make_player::<G>, &executor, threads, &stop, &mut tell)
        .expect("learned")
}

/// Games that `player` loses on `side`, whatever the other side plays.
fn losses(
    player: &mut Puct<TicTacToe, GameNet<TicTacToe>>,
    game: &Match<TicTacToe>,
    side: Side,
) -> u32 {
    if let Some(end) = game.end() {
        return u32::from(end.outcome.wdl(side) == Wdl::Loss);
    }
    let moves = if game.position().side() == side {
        let (stop, mut ignore) = (AtomicBool::new(false), |_: &_| {});
        let mut control = Control::new(&stop, &mut ignore);
        player.new_game(1);
        vec![player.choose(game, &Limits::default(), &mut control).expect("a move").m]
    } else {
        game.moves()
    };
    let after = |m| {
        let mut next = game.clone();
        next.play(m).expect("legal");
        next
    };
    moves.into_iter().map(after).map(|next| losses(player, &next, side)).sum()
}

/// From nothing to perfect play: no reply of the other side beats it, with either colour.
#[test]
fn tictactoe_from_nothing_to_perfect_play() {
    let folder = Folder::new("perfect");
    let mut config = LearnConfig::usual::<TicTacToe>("test");
    config.generations = Some(20);
    config.measure.every = 0;
    let learned = run::<TicTacToe>(&folder.0, &config, 2, &mut |_, _| {});
    assert_eq!(learned.generations.len(), 20);
    let net = GameNet::read(&folder.0.join(BEST)).expect("a network");
    // Too few simulations to look to the end: what it knows, it has learned.
    let limits = Limits { nodes: Some(10), ..Limits::default() };
    let mut player = Puct::new(PuctOptions { limits, ..PuctOptions::default() }, net);
    let start = Match::new(TicTacToe::start(StandardRules));
    for side in Side::BOTH {
        assert_eq!(losses(&mut player, &start, side), 0, "{side:?}");
    }
    let untaught = GameNet::read(&generation_file(&folder.0, 0)).expect("a network");
    let mut player = Puct::new(PuctOptions { limits, ..PuctOptions::default() }, untaught);
    assert!(Side::BOTH.iter().map(|&side| losses(&mut player, &start, side)).sum::<u32>() > 0);
}

/// All that a run leaves behind and that does not tell times.
fn remains(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<_> = fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| {
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            name.ends_with(".safetensors")
                || name.starts_with("games")
                || name.starts_with("state-")
        })
        .map(|path| {
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            (name, fs::read(&path).expect("a file"))
        })
        .collect();
    files.sort();
    files
}

fn small<G: Catalogued>() -> LearnConfig {
    let mut config = LearnConfig::quick::<G>("test");
    config.net = "resnet 1x4".into();
    (config.games, config.generations) = (8, Some(2));
    config.held_out = 4;
    config.pace.batch = 16;
    config
}

/// Stopped at every chance, with another number of threads and a torn log, it comes out the same.
fn interruptions_change_nothing(trainer: TrainerName) {
    let folder = |name: &str| Folder::new(&format!("{name}-{trainer:?}"));
    let (through, torn) = (folder("through"), folder("torn"));
    let mut config = small::<TicTacToe>();
    config.pace.trainer = trainer;
    let whole = run::<TicTacToe>(&through.0, &config, 2, &mut |_, _| {});
    let mut runs = 0;
    loop {
        runs += 1;
        assert!(runs < 200, "it never ends");
        let mut told = 0;
        let learned = run::<TicTacToe>(&torn.0, &config, 1 + runs % 2, &mut |_, stop| {
            told += 1;
            if told > runs % 7 {
                stop.request();
            }
        });
        if learned.generations.len() == 2 {
            assert_eq!(learned.meetings, whole.meetings);
            break;
        }
        let log = torn.0.join(format!("games-{}.jsonl", learned.generations.len() + 1));
        let mut text = fs::read(&log).unwrap_or_default();
        text.extend(b"{\"index\":0,\"output\":{\"games\":[{\"mov");
        fs::write(&log, text).expect("written");
    }
    assert!(runs > 3, "{runs}");
    for ((name, a), (other, b)) in remains(&through.0).iter().zip(&remains(&torn.0)) {
        assert_eq!(name, other);
        // burn writes its memory in any order.
        let is_memory = trainer == TrainerName::Burn && name.starts_with("state-");
        assert!(a == b || is_memory, "{name} differs");
    }
    let best = Weights::read(&through.0.join(BEST)).expect("a network");
    let by_burn = best.past.iter().any(|line| line.contains("by burn"));
    assert_eq!(by_burn, trainer == TrainerName::Burn, "{:?}", best.past);
}

#[test]
fn interruptions_change_nothing_by_our_own_trainer() {
    interruptions_change_nothing(TrainerName::Own);
}

#[cfg(feature = "burn")]
#[test]
fn interruptions_change_nothing_by_burn() {
    interruptions_change_nothing(TrainerName::Burn);
}

/// Runs that were made before there was a choice go on as they were.
#[test]
fn the_trainer_is_our_own_unless_said() {
    let config = LearnConfig::usual::<TicTacToe>("test");
    let mut written = serde_json::to_value(&config).expect("a configuration");
    assert_eq!(written["pace"]["trainer"], "own");
    written["pace"].as_object_mut().expect("a pace").remove("trainer");
    let read: LearnConfig = serde_json::from_value(written).expect("a configuration");
    assert_eq!(read, config);
}

#[cfg(not(feature = "burn"))]
#[test]
fn without_burn_it_is_said_how_to_get_it() {
    let mut config = small::<TicTacToe>();
    config.pace.trainer = TrainerName::Burn;
    let error = config.check::<TicTacToe>().expect_err("no burn");
    assert!(error.contains("--features burn"), "{error}");
}

fn quick_run<G: Catalogued>() {
    let folder = Folder::new(&format!("quick-{}", G::NAME));
    let mut config = small::<G>().with_teacher::<G>("alphabeta depth=1");
    (config.games, config.style.longest) = (4, 60);
    if let Some(teacher) = &mut config.teacher {
        (teacher.games, teacher.style.longest) = (8, 60);
    }
    config.measure.games = 2;
    config.measure.anchors = vec!["random".into()];
    config.measure.anchor_games = 2;
    config.measure.gate = Some(0.0);
    let learned = run::<G>(&folder.0, &config, 2, &mut |_, _| {});
    let [first, second] = &learned.generations[..] else { panic!("{learned:?}") };
    assert_eq!((&*first.player, &*second.player), ("alphabeta depth=1", "generation 1"));
    assert!(first.new_positions > 30 && second.elo.is_some(), "{learned:?}");
    let best = Weights::read(&folder.0.join(BEST)).expect("a network");
    assert!(best.past[2].contains("4 games by generation 1"), "{:?}", best.past);
    let report = fs::read_to_string(folder.0.join("report.md")).expect("a report");
    assert!(report.contains("alphabeta depth=1") && report.contains("elo.svg"), "{report}");
}

#[test]
fn every_game_is_learned() {
    for &game in GameName::ALL {
        for_game!(game, G => quick_run::<G>());
    }
}

#[test]
fn damage_is_told() {
    let folder = Folder::new("damage");
    let config = small::<TicTacToe>();
    run::<TicTacToe>(&folder.0, &config, 1, &mut |progress, stop| {
        if progress.message.contains("training") {
            stop.request();
        }
    });
    let log = folder.0.join("games-1.jsonl");
    let text = fs::read_to_string(&log).expect("games");
    fs::write(&log, text.replacen("\"margin\":", "\"margin\":-", 1).replacen("--", "", 1))
        .expect("written");
    let job = open_run::<TicTacToe>(&folder.0, &config, None).expect("a run");
    let (executor, stop) = (Threads::all_cores(), Stop::default());
    let ended = run_learning::<TicTacToe>(job, &make_player, &executor, 1, &stop, &mut |_| {});
    let error = ended.expect_err("a wrong game").to_string();
    assert!(error.contains("games-1.jsonl") && error.contains("check sum"), "{error}");
}

#[test]
fn what_cannot_be_is_said() {
    let wrong = |change: &dyn Fn(&mut LearnConfig), part: &str| {
        let mut config = LearnConfig::usual::<TicTacToe>("test");
        change(&mut config);
        let error = config.check::<TicTacToe>().expect_err(part);
        assert!(error.contains(part), "{error}");
    };
    wrong(&|c| c.game = "chess".into(), "chess");
    wrong(&|c| c.net = "resnet".into(), "resnet 6x64");
    wrong(&|c| c.net = "mlp 5-1".into(), "27 inputs");
    wrong(&|c| c.games = 0, "at least 1 game");
    wrong(&|c| c.style.sims = 0, "simulation");
    wrong(&|c| c.style.full_share = 1.5, "0 to 1");
    wrong(&|c| c.pace.rate = f64::NAN, "learning rate");
    wrong(&|c| c.pace.batch = 1, "positions");
    wrong(&|c| c.held_out = 1, "second game");
    wrong(&|c| (c.measure.gate, c.measure.games) = (Some(0.55), 0), "gate");
    wrong(&|c| c.rules = "none".into(), "rules");
    let folder = Folder::new("other");
    let config = small::<TicTacToe>();
    open_run::<TicTacToe>(&folder.0, &config, Some(3)).expect("a run");
    let error = open_run::<TicTacToe>(&folder.0, &config, Some(4)).expect_err("seed").to_string();
    assert!(error.contains("seed 3, not 4"), "{error}");
    let chess = LearnConfig::usual::<tablero_chess::Chess>("test");
    let error = open_run::<tablero_chess::Chess>(&folder.0, &chess, None).expect_err("game");
    assert!(error.to_string().contains("game tictactoe, not chess"), "{error}");
}

/// A position seen through a symmetry has the same legal moves with the same targets.
fn symmetric_lessons<G: Catalogued>() {
    let (games, task) = some_games::<G>("random");
    let mut lessons = Lessons::<G>::default();
    for game in &games {
        lessons.add(game, &Targets { trust: 0.0, surprise: 0.5 }).expect("a game");
    }
    assert!(lessons.len() > 10 && lessons.games() == 3);
    let kind = "resnet 1x4".parse().expect("a kind");
    for lesson in lessons.all() {
        for symmetry in 0..G::SYMMETRIES {
            let sample = lesson.sample(&kind, symmetry);
            let position = lesson.position.transform(symmetry);
            let sum: f32 = sample.moves.iter().map(|(_, share)| share).sum();
            assert!((sum - 1.0).abs() < 1e-3);
            for (outputs, _) in &sample.moves {
                assert!(position.move_of(*outputs).is_some(), "{position:?}");
            }
        }
    }
    let same = tablero_jobs::Work::run(
        &GamesWork::<G>::new(&make_player),
        &GamesTask { first: 2, count: 1, ..task },
    );
    assert_eq!(same.expect("a game").games()[0], games[2], "games do not depend on others");
}

#[test]
fn lessons_are_symmetric() {
    for &game in GameName::ALL {
        for_game!(game, G => symmetric_lessons::<G>());
    }
}

/// A search that reckons in results says what it expects, also of moves that it does not play.
#[test]
fn expected_results_are_learned_as_they_are() {
    let task = GamesTask {
        game: TicTacToe::NAME.into(),
        rules: String::new(),
        source: Source::Teacher("mcts iterations=2000".into()),
        style: Style {
            full_share: 1.0,
            random_plies: 0,
            random_share: 0.0,
            ..Style::usual::<TicTacToe>()
        },
        seed: 4,
        first: 0,
        count: 1,
        keep_times: false,
        rating: None,
    };
    let work = GamesWork::<TicTacToe>::new(&make_player);
    let block = tablero_jobs::Work::run(&work, &task).expect("games");
    let game = &block.games()[0];
    // About half a point; taken for an evaluation's hundredths it would be a tenth.
    let first = &game.notes[0];
    assert!((3000..8000).contains(&first.value), "{first:?}");
    assert_eq!(game.others.iter().filter(|(ply, ..)| *ply == 0).count(), 8);
    let lessons = |trust| {
        let mut lessons = Lessons::<TicTacToe>::default();
        lessons.add(game, &Targets { trust, surprise: 0.0 }).expect("a game");
        lessons
    };
    assert_eq!(lessons(0.0).len(), game.notes.len());
    let all = lessons(1.0);
    assert!(all.len() <= game.notes.len() + game.others.len() + game.replies.len());
    // What one side would gain the other would lose.
    let other = &all.all()[game.notes.len()];
    assert_eq!(other.value.0, -f32::from(game.others[0].2) / 10_000.0);
    assert_eq!(other.position.side(), Side::Second);
    assert!(game.replies.iter().filter(|(ply, ..)| *ply == 0).count() > 40, "of 72");
    assert!(all.len() > game.notes.len() + game.others.len(), "replies too");
    let mut broken = game.clone();
    broken.others[0].1 = 99;
    let error =
        Lessons::<TicTacToe>::default().add(&broken, &Targets { trust: 1.0, surprise: 0.0 });
    assert!(error.expect_err("no such move").contains("no move"));
    let mut broken = game.clone();
    broken.replies[0].2 = 99;
    let error =
        Lessons::<TicTacToe>::default().add(&broken, &Targets { trust: 1.0, surprise: 0.0 });
    assert!(error.expect_err("no such reply").contains("no move"));
}

/// Games of any player, with all that they say.
fn some_games<G: Catalogued>(line: &str) -> (Vec<GameData>, GamesTask) {
    let task = GamesTask {
        game: G::NAME.into(),
        rules: String::new(),
        source: Source::Teacher(line.into()),
        style: Style { full_share: 1.0, longest: 70, ..Style::usual::<G>() },
        seed: 4,
        first: 0,
        count: 3,
        keep_times: false,
        rating: Some(25),
    };
    let block = tablero_jobs::Work::run(&GamesWork::<G>::new(&make_player), &task).expect("games");
    (block.games().to_vec(), task)
}

/// The head for owners of squares learns from how games ended.
#[test]
fn owners_are_learned() {
    let (games, _) = some_games::<TicTacToe>("random");
    let mut lessons = Lessons::<TicTacToe>::default();
    for game in &games {
        lessons.add(game, &Targets { trust: 0.0, surprise: 0.0 }).expect("a game");
    }
    let kind = "resnet 1x8 ownership".parse().expect("a kind");
    let sample = lessons.all()[0].sample(&kind, 0);
    let last = lessons.all()[0].last.as_ref().expect("the game ended");
    let owners: Vec<f32> = (0..9)
        .map(|square| match last.owner(square) {
            None => 0.0,
            Some(owner) if owner == lessons.all()[0].position.side() => 1.0,
            Some(_) => -1.0,
        })
        .collect();
    assert_eq!(sample.ownership, owners);
    let plain = "resnet 1x8".parse().expect("a kind");
    assert!(lessons.all()[0].sample(&plain, 0).ownership.is_empty());
    let plan = FitPlan {
        rate: 0.01,
        schedule: Schedule::Constant,
        steps: 150,
        batch: 16,
        sgd: false,
        decay: 0.0,
        in_turn: true,
        symmetries: true,
        seed: 1,
        trainer: TrainerName::default(),
    };
    let weights = Weights::random(kind, &tablero_nets::Dims::of::<TicTacToe>(), 1).expect("fits");
    let mut fit = Fit::new(&lessons, plan, weights, 1).expect("fits");
    let first = fit.step().ownership;
    while fit.done() < 149 {
        fit.step();
    }
    let last = fit.step().ownership;
    assert!(last < 0.5 * first, "{first} {last}");
}

/// Owners are seen through symmetries as the discs are.
fn owners_are_symmetric<G: Catalogued>() {
    let (games, _) = some_games::<G>("random");
    let mut lessons = Lessons::<G>::default();
    lessons.add(&games[0], &Targets { trust: 0.0, surprise: 0.0 }).expect("a game");
    let mut lesson = lessons.all()[0].clone();
    lesson.position = lesson.last.as_deref().expect("the game ended").clone();
    let (kind, squares) = ("resnet 1x8 ownership".parse().expect("a kind"), G::SIDE * G::SIDE);
    for symmetry in 0..G::SYMMETRIES {
        let sample = lesson.sample(&kind, symmetry);
        let discs = (0..squares).map(|at| sample.input[at] - sample.input[squares + at]);
        assert_eq!(sample.ownership, discs.collect::<Vec<_>>());
    }
}

#[test]
fn owners_are_those_of_the_discs() {
    owners_are_symmetric::<TicTacToe>();
    owners_are_symmetric::<Othello>();
}

/// Packed positions teach what the games themselves do.
fn packing_loses_nothing<G: Catalogued>() {
    let folder = Folder::new(&format!("packed-{}", G::NAME));
    std::fs::create_dir_all(&folder.0).expect("a folder");
    let file = folder.0.join("games.positions");
    let (games, task) = some_games::<G>("mcts iterations=40");
    // More than a block.
    let copies = if G::OWNED { 80 } else { 1 };
    let games = vec![games; copies].concat();
    let bytes = packed::<G>(&games, vec![task.past()]).expect("whole games");
    fs::write(&file, bytes).expect("written");
    for trust in [0.0, 0.75] {
        let targets = Targets { trust, surprise: 0.5 };
        let (mut expected, mut packed) = (Lessons::<G>::default(), Lessons::<G>::default());
        for game in &games {
            expected.add(game, &targets).expect("a game");
        }
        assert_eq!(packed.add_packed(&file, &targets).expect("whole"), [task.past()]);
        assert_eq!(packed, expected);
        packed.add_packed(&file, &targets).expect("whole");
        assert_eq!((packed.len(), packed.games()), (2 * expected.len(), 2 * expected.games()));
    }
}

#[test]
fn packed_positions_are_those_of_the_games() {
    for &game in GameName::ALL {
        for_game!(game, G => packing_loses_nothing::<G>());
    }
}

#[test]
fn damaged_positions_are_refused() {
    let folder = Folder::new("damaged");
    std::fs::create_dir_all(&folder.0).expect("a folder");
    let file = folder.0.join("games.positions");
    let (games, _) = some_games::<TicTacToe>("random");
    let whole = packed::<TicTacToe>(&games, Vec::new()).expect("whole games");
    let targets = Targets { trust: 0.0, surprise: 0.0 };
    let read = |bytes: &[u8]| {
        fs::write(&file, bytes).expect("written");
        Lessons::<TicTacToe>::default().add_packed(&file, &targets)
    };
    assert!(read(&whole).is_ok());
    for end in 0..whole.len() {
        assert!(read(&whole[..end]).is_err(), "{end}");
    }
    for at in 0..whole.len() {
        let mut broken = whole.clone();
        broken[at] ^= 1;
        assert!(read(&broken).is_err(), "{at}");
    }
    fs::write(&file, &whole).expect("written");
    let error = Lessons::<Othello>::default().add_packed(&file, &targets).expect_err("game");
    assert!(error.to_string().contains("of tictactoe, not of othello"), "{error}");
}
