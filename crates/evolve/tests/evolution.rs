//! Evolutions as jobs: the same result with any number of threads and however often they are stopped;
//! what comes out is better than what went in; what makes no sense is refused.

mod common;

use std::fs;
use std::path::Path;

use tablero_arena::{Conditions, Openings, play_game};
use tablero_chess::Chess;
use tablero_core::{AnyGame, AnyMatch, AnyPlayer, pgn};
use tablero_evolve::{
    Contestant, EvolutionConfig, EvolutionGame, EvolveError, GENERATIONS, Games, Generation,
    MeetingTask, MeetingWork, run_evolution_job, usual_scheme,
};
use tablero_genomes::{Genomes, evl, read_file};
use tablero_jobs::{Progress, Status, Stop, Work, read_log};
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
    let evolved = run_evolution_job(job, game, &threads(count), &Stop::default(), &mut |_| {});
    timeless(evolved.expect("no error").expect("not stopped"))
}

/// Times differ from run to run.
fn timeless(mut genomes: Genomes) -> Genomes {
    genomes.past.seconds = 0.0;
    genomes
}

#[test]
fn every_game_has_its_own_defaults() {
    let usual = |game: AnyGame, kind: &str| {
        let config = EvolutionConfig::usual(game, kind, usual_scheme(game, kind));
        (config.player, config.openings, config.max_plies, config.scheme)
    };
    let expected = |player: &str, openings: &str, max_plies: Option<usize>, scheme: &str| {
        (player.to_owned(), openings.to_owned(), max_plies, scheme.to_owned())
    };
    let othello = OTHELLO.game();
    assert_eq!(usual(othello, "sci"), expected("minimax depth=4", "random=8", None, "othello7"));
    assert_eq!(usual(othello, "net"), expected("minimax depth=4", "random=8", None, "modern"));
    assert_eq!(
        usual(TICTACTOE.game(), "lines"),
        expected("minimax depth=1", "random=2", None, "modern")
    );
    assert_eq!(
        usual(AnyGame::of::<Chess>(), "classic"),
        expected("alphabeta depth=2", "book=4", Some(200), "modern")
    );
    assert_eq!(
        usual(AnyGame::of::<Shobu>(), "pressure"),
        expected("alphabeta depth=2", "random=6", Some(200), "modern")
    );
}

/// Small evolutions by each scheme, of each sort of genome.
fn small() -> Vec<EvolutionConfig> {
    let lines = [
        ("sci", "othello7 population=3 opponents=2"),
        ("growing", "othello7 population=2 opponents=1"),
        ("sci", "modern parents=2 children=3 opponents=2 pairs=1 playoff=1 from=random"),
        ("growing", "modern parents=2 children=2 opponents=2 pairs=1 playoff=1"),
        ("sci", "cmaes population=3 opponents=2 pairs=1"),
        ("net", "cmaes population=3 opponents=1 pairs=1"),
    ];
    let config = |(genome, scheme): (&str, &str)| EvolutionConfig {
        generations: 4,
        player: "minimax depth=1".into(),
        ..EvolutionConfig::usual(OTHELLO.game(), genome, scheme)
    };
    lines.into_iter().map(config).collect()
}

#[test]
fn any_number_of_threads_gives_the_same_result() {
    let folder = Folder::new("threads");
    for config in small() {
        let one = evolve(OTHELLO, &config, &folder, 1);
        let three = evolve(OTHELLO, &config, &folder, 3);
        assert_eq!(one, three, "{}", config.scheme);
        assert_eq!(one.past.generations, 4);
    }
}

/// So that they are played side by side, however many threads or workers there are.
#[test]
fn all_games_of_a_generation_are_one_list() {
    let folder = Folder::new("list");
    for scheme in ["modern parents=2 children=2", "cmaes population=4"] {
        let mut config =
            EvolutionConfig::usual(OTHELLO.game(), "sci", &format!("{scheme} opponents=2 pairs=2"));
        (config.generations, config.player) = (1, "minimax depth=1".into());
        let job = config.create_job(OTHELLO, &folder.store(), 7).expect("a job");
        let mut messages = Vec::new();
        let mut tell = |progress: &Progress| messages.push(progress.message.clone());
        let run = run_evolution_job(job, OTHELLO, &threads(2), &Stop::default(), &mut tell);
        assert!(run.expect("no error").is_some());
        assert!(messages.contains(&"generation 1: 16 of 16".into()), "{scheme}: {messages:?}");
    }
}

/// Stopped after every generation and before each, with nothing left but the folder.
#[test]
fn stopped_and_resumed_gives_the_same_result() {
    let folder = Folder::new("resume");
    for mut config in small() {
        let whole = evolve(OTHELLO, &config, &folder, 2);
        config.out = Some(folder.path().join("evolved.genes"));
        let store = folder.store();
        let id = config.create_job(OTHELLO, &store, 7).expect("a job").id().to_owned();
        let mut evolved = None;
        for round in 0..40 {
            // At the end of a generation, or at once.
            let stop = Stop::default();
            let mut tell = |progress: &Progress| {
                if progress.message.is_empty() {
                    stop.request();
                }
            };
            if round % 2 == 1 {
                stop.request();
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
        let evolved = timeless(evolved.expect("comes to an end"));
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

/// The file holds all that matters: two evolutions of two generations, the second from the first one's
/// file, are one of four.
#[test]
fn a_file_goes_on_as_if_it_had_never_ended() {
    let folder = Folder::new("continue");
    let mut config = small().swap_remove(0);
    config.scheme = "othello7 opponents=1".into();
    let whole = evolve(OTHELLO, &config, &folder, 2);
    config.generations = 2;
    config.out = Some(folder.path().join("half.evl"));
    evolve(OTHELLO, &config, &folder, 2);
    config.start = Some(read_file(&folder.path().join("half.evl")).expect("a right file"));
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

/// The share of the points that a genome of `lines` gets against the other.
fn score(a: &[f64], b: &[f64]) -> f64 {
    let work = MeetingWork { game: TICTACTOE };
    let task = |opening: String| MeetingTask {
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
    let openings = openings.make(TICTACTOE.game().default_rules(), 40, 3, None).expect("openings");
    let points: f64 = openings
        .iter()
        .map(|opening| work.run(&task(pgn::write(opening))).expect("games").points())
        .sum();
    points / 80.0
}

/// Whoever starts from nothing ends well above it.
#[test]
fn evolution_improves() {
    let folder = Folder::new("improves");
    let useless = [0.0, 0.0, 0.0];
    for scheme in ["modern from=random", "cmaes from=random", "othello7"] {
        let config = EvolutionConfig {
            generations: 15,
            ..EvolutionConfig::usual(TICTACTOE.game(), "lines", scheme)
        };
        let best = evolve(TICTACTOE, &config, &folder, 2).best.genome;
        let found = score(&best, &useless);
        assert!(found > 0.6, "{scheme}: {found} with {best:?}");
    }
}

/// Games between a good player and a bad one, for genomes to predict the results of.
fn games(path: &Path) {
    let iago = OTHELLO.genome_kind("iago").expect("a kind").by_hand().expect("hand-set");
    let mut text = String::new();
    for seed in 0..30 {
        let mut players = [
            OTHELLO.genome_player("iago", &iago, "greedy").expect("a player"),
            OTHELLO.player("random").expect("a player"),
        ];
        players.rotate_left(seed as usize % 2);
        players.iter_mut().for_each(|player| player.new_game(seed));
        let [first, second] = &mut players;
        let start = AnyMatch::new(OTHELLO.game().start());
        let seats: [&mut AnyPlayer; 2] = [&mut **first, &mut **second];
        text += &pgn::write(&play_game(start, seats, &Conditions::default()).record);
    }
    fs::write(path, text).expect("a file");
}

/// Without games of their own and without chance, the best only gets better; and what was measured
/// against is not to change meanwhile.
#[test]
fn results_can_be_predicted() {
    let folder = Folder::new("texel");
    let path = folder.path().join("games.pgn");
    games(&path);
    for scheme in ["modern from=random parents=3 children=6", "cmaes from=random population=6"] {
        let mut config = EvolutionConfig::usual(OTHELLO.game(), "positional", scheme);
        config.games = Some(Games::in_file(&path).expect("a file"));
        config.generations = 1;
        let first = evolve(OTHELLO, &config, &folder, 1).best.fitness;
        config.generations = 12;
        let last = evolve(OTHELLO, &config, &folder, 2).best.fitness;
        assert!(last > first && (-250.0..0.0).contains(&last), "{scheme}: {first} to {last}");
        let job = config.create_job(OTHELLO, &folder.store(), 7).expect("a job");
        fs::write(&path, "[Event \"x\"]\n\n*\n").expect("a file");
        let run = run_evolution_job(job, OTHELLO, &threads(1), &Stop::default(), &mut |_| {});
        assert!(run.expect_err("another file").to_string().contains("no longer"));
        config.games = Some(Games::in_file(&path).expect("a file"));
        let job = config.create_job(OTHELLO, &folder.store(), 7).expect("a job");
        let run = run_evolution_job(job, OTHELLO, &threads(1), &Stop::default(), &mut |_| {});
        assert!(run.is_err(), "no game with a result");
        games(&path);
    }
    assert!(Games::in_file(&folder.path().join("nothing")).is_err());
}

#[test]
fn what_makes_no_sense_is_refused() {
    let folder = Folder::new("refused");
    let usual = EvolutionConfig::usual(OTHELLO.game(), "sci", "othello7");
    let error = |config: EvolutionConfig| {
        config.create_job(OTHELLO, &folder.store(), 1).expect_err("wrong").to_string()
    };
    assert!(error(EvolutionConfig { generations: 0, ..usual.clone() }).contains("at least 1"));
    assert!(error(EvolutionConfig { genome: "x".into(), ..usual.clone() }).contains("sci"));
    assert!(error(EvolutionConfig { game: "chess".into(), ..usual.clone() }).contains("chess"));
    assert!(error(EvolutionConfig { player: "mcts".into(), ..usual.clone() }).contains("minimax"));
    assert!(error(EvolutionConfig { openings: "x".into(), ..usual.clone() }).contains("random="));
    let against = vec!["level 99".into()];
    assert!(error(EvolutionConfig { against, ..usual.clone() }).contains("level"));
    let growing = EvolutionConfig::usual(OTHELLO.game(), "growing", "cmaes");
    assert!(error(growing).contains("one length"));
    let out = Some(folder.path().join("no/such/folder.evl"));
    assert!(error(EvolutionConfig { out, ..usual.clone() }).contains("no folder"));
    let out = Some(folder.path().join("net.evl"));
    let net = EvolutionConfig { out, ..EvolutionConfig::usual(OTHELLO.game(), "net", "modern") };
    assert!(error(net).contains("sci or jma"));
    let mut small = small().swap_remove(0);
    small.generations = 1;
    let start = Some(evolve(OTHELLO, &small, &folder, 1));
    let jma = EvolutionConfig { start, ..EvolutionConfig::usual(OTHELLO.game(), "jma", "modern") };
    assert!(error(jma.clone()).contains("kind `sci`, not `jma`"));
    let lines = EvolutionConfig {
        start: jma.start,
        ..EvolutionConfig::usual(TICTACTOE.game(), "lines", "modern")
    };
    let error = lines.create_job(TICTACTOE, &folder.store(), 1).expect_err("another game");
    assert!(matches!(error, EvolveError::Genome(_)) && error.to_string().contains("othello"));
}
