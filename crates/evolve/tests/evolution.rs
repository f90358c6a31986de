//! Evolutions are reproducible for any number of threads and after cancellation, they improve fitness, and
//! invalid configurations are rejected.

mod common;

use std::fs;
use std::path::Path;

use tablero_arena::{Conditions, Openings, play_game};
use tablero_chess::Chess;
use tablero_core::{AnyGame, AnyGameHistory, AnyPlayer, pgn};
use tablero_evolve::{
    Contestant, EvolutionConfig, EvolutionGame, EvolveError, FitnessTask, FitnessWork, GENERATIONS,
    GamesFile, Generation, default_scheme, run_evolution_job,
};
use tablero_genomes::{Genomes, evl, read_file};
use tablero_jobs::{CancellationToken, Progress, Status, Work, read_log};
use tablero_othello::Othello;
use tablero_shobu::Shobu;
use tablero_tictactoe::TicTacToe;

use crate::common::{Folder, TestGame, threads};

const OTHELLO: &TestGame<Othello> = &TestGame::NEW;
const TICTACTOE: &TestGame<TicTacToe> = &TestGame::NEW;

fn evolve(
    game: &dyn EvolutionGame,
    config: &EvolutionConfig,
    folder: &Folder,
    count: usize,
) -> Genomes {
    let job = config.create_job(game, &folder.store(), 7).expect("a job");
    let evolved =
        run_evolution_job(job, game, &threads(count), &CancellationToken::default(), &mut |_| {});
    timeless(evolved.expect("no error").expect("not cancelled"))
}

/// Without the run time.
fn timeless(mut genomes: Genomes) -> Genomes {
    genomes.provenance.seconds = 0.0;
    genomes
}

#[test]
fn games_have_their_own_defaults() {
    let defaults = |game: AnyGame, kind: &str| {
        let config = EvolutionConfig::default_for(game, kind, default_scheme(game, kind));
        (config.player, config.openings, config.max_plies, config.scheme)
    };
    let expected = |player: &str, openings: &str, max_plies: Option<usize>, scheme: &str| {
        (player.to_owned(), openings.to_owned(), max_plies, scheme.to_owned())
    };
    let othello = OTHELLO.game();
    assert_eq!(defaults(othello, "sci"), expected("minimax depth=4", "random=8", None, "othello7"));
    assert_eq!(defaults(othello, "net"), expected("minimax depth=4", "random=8", None, "es"));
    assert_eq!(
        defaults(TICTACTOE.game(), "lines"),
        expected("minimax depth=1", "random=2", None, "es")
    );
    assert_eq!(
        defaults(AnyGame::of::<Chess>(), "classic"),
        expected("alphabeta depth=2", "book=4", Some(200), "es")
    );
    assert_eq!(
        defaults(AnyGame::of::<Shobu>(), "pressure"),
        expected("alphabeta depth=2", "random=6", Some(200), "es")
    );
}

/// Small evolutions of every scheme with fixed and variable genomes.
fn small() -> Vec<EvolutionConfig> {
    let lines = [
        ("sci", "othello7 population=3 opponents=2"),
        ("growing", "othello7 population=2 opponents=1"),
        ("sci", "es mu=2 lambda=3 opponents=2 pairs=1 playoff=1 from=random"),
        ("growing", "es mu=2 lambda=2 opponents=2 pairs=1 playoff=1"),
        ("sci", "cmaes lambda=3 opponents=2 pairs=1"),
        ("net", "cmaes lambda=3 opponents=1 pairs=1"),
    ];
    let config = |(genome, scheme): (&str, &str)| EvolutionConfig {
        generations: 4,
        player: "minimax depth=1".into(),
        ..EvolutionConfig::default_for(OTHELLO.game(), genome, scheme)
    };
    lines.into_iter().map(config).collect()
}

#[test]
fn the_result_is_the_same_for_any_number_of_threads() {
    let folder = Folder::new("threads");
    for config in small() {
        let one = evolve(OTHELLO, &config, &folder, 1);
        let three = evolve(OTHELLO, &config, &folder, 3);
        assert_eq!(one, three, "{}", config.scheme);
        assert_eq!(one.provenance.generations, 4);
    }
}

/// One batch keeps any number of threads or workers busy.
#[test]
fn all_games_of_a_generation_are_one_batch() {
    let folder = Folder::new("list");
    for scheme in ["es mu=2 lambda=2", "cmaes lambda=4"] {
        let mut config = EvolutionConfig::default_for(
            OTHELLO.game(),
            "sci",
            &format!("{scheme} opponents=2 pairs=2"),
        );
        (config.generations, config.player) = (1, "minimax depth=1".into());
        let job = config.create_job(OTHELLO, &folder.store(), 7).expect("a job");
        let mut messages = Vec::new();
        let mut tell = |progress: &Progress| messages.push(progress.message.clone());
        let run =
            run_evolution_job(job, OTHELLO, &threads(2), &CancellationToken::default(), &mut tell);
        assert!(run.expect("no error").is_some());
        assert!(messages.contains(&"generation 1: 16 of 16".into()), "{scheme}: {messages:?}");
    }
}

/// Cancelled after every generation and before each.
#[test]
fn a_cancelled_and_resumed_evolution_has_the_same_result() {
    let folder = Folder::new("resume");
    for mut config in small() {
        let whole = evolve(OTHELLO, &config, &folder, 2);
        config.out = Some(folder.path().join("evolved.genes"));
        let store = folder.store();
        let id = config.create_job(OTHELLO, &store, 7).expect("a job").id().to_owned();
        let mut evolved = None;
        for round in 0..40 {
            // Cancel at the end of a generation, or immediately.
            let stop = CancellationToken::default();
            let mut tell = |progress: &Progress| {
                if progress.message.is_empty() {
                    stop.cancel();
                }
            };
            if round % 2 == 1 {
                stop.cancel();
            }
            let job = store.open(&id).expect("kept");
            evolved =
                run_evolution_job(job, OTHELLO, &threads(2), &stop, &mut tell).expect("no error");
            if evolved.is_some() {
                break;
            }
            let job = store.open(&id).expect("kept");
            assert_eq!(job.state().expect("a state").status, Status::Stopped);
        }
        let evolved = timeless(evolved.expect("it ends"));
        assert_eq!(evolved, whole, "{}", config.scheme);
        let file = read_file(config.out.as_ref().expect("set")).expect("a right file");
        assert_eq!(timeless(file), whole);
        let job = store.open(&id).expect("kept");
        let log = job.folder().join(format!("{GENERATIONS}.jsonl"));
        let generations: Vec<Generation> =
            read_log(&log).expect("a log").collect::<Result<_, _>>().expect("right lines");
        assert_eq!(generations.iter().map(|g| g.generation).collect::<Vec<_>>(), [1, 2, 3, 4]);
        let last = &generations[3];
        assert!(last.games > 0 && last.nodes > last.games && last.best >= last.mean);
        assert!(last.mean >= last.worst && last.diversity >= 0.0);
    }
}

/// Two evolutions of two generations, the second from the file of the first, equal one of four.
#[test]
fn an_evolution_continues_exactly_from_its_file() {
    let folder = Folder::new("continue");
    let mut config = small().swap_remove(0);
    config.scheme = "othello7 opponents=1".into();
    let whole = evolve(OTHELLO, &config, &folder, 2);
    config.generations = 2;
    config.out = Some(folder.path().join("half.evl"));
    evolve(OTHELLO, &config, &folder, 2);
    config.initial = Some(read_file(&folder.path().join("half.evl")).expect("a right file"));
    config.out = Some(folder.path().join("whole.evl"));
    evolve(OTHELLO, &config, &folder, 2);
    let mut text = fs::read_to_string(folder.path().join("whole.evl")).expect("a file");
    assert_eq!(text.lines().count(), 34);
    let mut expected = evl::text(&whole).expect("sci");
    for text in [&mut text, &mut expected] {
        text.truncate(text.find("Tiempo").expect("a last line"));
    }
    assert_eq!(text, expected);
}

/// The score of a genome of `lines` against another.
fn score(a: &[f64], b: &[f64]) -> f64 {
    let work = FitnessWork { game: TICTACTOE };
    let task = |opening: String| FitnessTask {
        game: "tictactoe".into(),
        rules: None,
        kind: "lines".into(),
        player: "minimax depth=1".into(),
        contestants: [Contestant::Genome(a.to_vec()), Contestant::Genome(b.to_vec())],
        opening,
        both_colours: true,
        max_plies: None,
        seed: 1,
    };
    let openings = "random=2".parse::<Openings>().expect("openings");
    let openings =
        openings.generate(TICTACTOE.game().default_rules(), 40, 3, None).expect("openings");
    let points: f64 = openings
        .iter()
        .map(|opening| work.run(&task(pgn::write(opening))).expect("games").points())
        .sum();
    points / 80.0
}

/// Evolved from random genomes, the best beats the zero genome.
#[test]
fn evolution_improves() {
    let folder = Folder::new("improves");
    let zero = [0.0, 0.0, 0.0];
    for scheme in ["es from=random", "cmaes from=random", "othello7"] {
        let config = EvolutionConfig {
            generations: 15,
            ..EvolutionConfig::default_for(TICTACTOE.game(), "lines", scheme)
        };
        let best = evolve(TICTACTOE, &config, &folder, 2).best.genome;
        let found = score(&best, &zero);
        assert!(found > 0.6, "{scheme}: {found} with {best:?}");
    }
}

/// Writes games between a strong and a weak player.
fn games(path: &Path) {
    let iago = OTHELLO.genome_kind("iago").expect("a kind").hand_tuned().expect("hand-tuned");
    let mut text = String::new();
    for seed in 0..30 {
        let mut players = [
            OTHELLO.genome_player("iago", &iago, "greedy").expect("a player"),
            OTHELLO.player("random").expect("a player"),
        ];
        players.rotate_left(seed as usize % 2);
        players.iter_mut().for_each(|player| player.new_game(seed));
        let [first, second] = &mut players;
        let start = AnyGameHistory::new(OTHELLO.game().start());
        let players: [&mut AnyPlayer; 2] = [&mut **first, &mut **second];
        let never = CancellationToken::default();
        let played = play_game(start, players, &Conditions::default(), &never);
        text += &pgn::write(&played.expect("not cancelled").record);
    }
    fs::write(path, text).expect("a file");
}

/// The fitness is deterministic, so the best only improves; the file of games must not change.
#[test]
fn fitness_can_be_the_prediction_of_results() {
    let folder = Folder::new("texel");
    let path = folder.path().join("games.pgn");
    games(&path);
    for scheme in ["es from=random mu=3 lambda=6", "cmaes from=random lambda=6"] {
        let mut config = EvolutionConfig::default_for(OTHELLO.game(), "positional", scheme);
        config.games = Some(GamesFile::open(&path).expect("a file"));
        config.generations = 1;
        let first = evolve(OTHELLO, &config, &folder, 1).best.fitness;
        config.generations = 12;
        let last = evolve(OTHELLO, &config, &folder, 2).best.fitness;
        assert!(last > first && (-250.0..0.0).contains(&last), "{scheme}: {first} to {last}");
        let job = config.create_job(OTHELLO, &folder.store(), 7).expect("a job");
        fs::write(&path, "[Event \"x\"]\n\n*\n").expect("a file");
        let run = run_evolution_job(
            job,
            OTHELLO,
            &threads(1),
            &CancellationToken::default(),
            &mut |_| {},
        );
        assert!(run.expect_err("another file").to_string().contains("has changed"));
        config.games = Some(GamesFile::open(&path).expect("a file"));
        let job = config.create_job(OTHELLO, &folder.store(), 7).expect("a job");
        let run = run_evolution_job(
            job,
            OTHELLO,
            &threads(1),
            &CancellationToken::default(),
            &mut |_| {},
        );
        assert!(run.is_err(), "no game with a result");
        games(&path);
    }
    assert!(GamesFile::open(&folder.path().join("nothing")).is_err());
}

#[test]
fn invalid_configurations_are_rejected() {
    let folder = Folder::new("refused");
    let default = EvolutionConfig::default_for(OTHELLO.game(), "sci", "othello7");
    let error = |config: EvolutionConfig| {
        config.create_job(OTHELLO, &folder.store(), 1).expect_err("wrong").to_string()
    };
    assert!(error(EvolutionConfig { generations: 0, ..default.clone() }).contains("at least 1"));
    assert!(error(EvolutionConfig { genome: "x".into(), ..default.clone() }).contains("sci"));
    assert!(error(EvolutionConfig { game: "chess".into(), ..default.clone() }).contains("chess"));
    assert!(
        error(EvolutionConfig { player: "mcts".into(), ..default.clone() }).contains("minimax")
    );
    assert!(error(EvolutionConfig { openings: "x".into(), ..default.clone() }).contains("random="));
    let opponents = vec!["level 99".into()];
    assert!(error(EvolutionConfig { opponents, ..default.clone() }).contains("level"));
    let growing = EvolutionConfig::default_for(OTHELLO.game(), "growing", "cmaes");
    assert!(error(growing).contains("fixed length"));
    let out = Some(folder.path().join("no/such/folder.evl"));
    assert!(error(EvolutionConfig { out, ..default.clone() }).contains("no folder"));
    let out = Some(folder.path().join("net.evl"));
    let net = EvolutionConfig { out, ..EvolutionConfig::default_for(OTHELLO.game(), "net", "es") };
    assert!(error(net).contains("sci or jma"));
    let mut small = small().swap_remove(0);
    small.generations = 1;
    let initial = Some(evolve(OTHELLO, &small, &folder, 1));
    let jma =
        EvolutionConfig { initial, ..EvolutionConfig::default_for(OTHELLO.game(), "jma", "es") };
    assert!(error(jma.clone()).contains("kind `sci`, not `jma`"));
    let lines = EvolutionConfig {
        initial: jma.initial,
        ..EvolutionConfig::default_for(TICTACTOE.game(), "lines", "es")
    };
    let error = lines.create_job(TICTACTOE, &folder.store(), 1).expect_err("another game");
    assert!(matches!(error, EvolveError::Genome(_)) && error.to_string().contains("othello"));
}
