//! Evolutions as jobs: the same result with any number of threads and however often they are stopped;
//! what comes out is better than what went in; what makes no sense is refused.

use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use tablero_arena::{Conditions, play_game};
use tablero_catalog::Catalogued;
use tablero_catalog::players::{Setup, build};
use tablero_core::{Game, Match, Player, StandardRules, pgn};
use tablero_evolve::{
    Contestant, EvolutionConfig, EvolveError, GENERATIONS, Games, Generation, MeetingTask,
    MeetingWork, run_evolution_job,
};
use tablero_genomes::{Genomes, evl, read_file};
use tablero_jobs::{Progress, Status, Stop, Store, Threads, Work, read_log};
use tablero_othello::Othello;
use tablero_tictactoe::TicTacToe;

/// A folder that goes away with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("tablero-evolve-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).expect("a folder");
        Self(path)
    }

    fn path(&self) -> &Path {
        &self.0
    }

    fn store(&self) -> Store {
        Store::in_folder(&self.0)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

const fn threads(count: usize) -> Threads {
    Threads::new(NonZeroUsize::new(count).expect("not none"))
}

fn evolve<G: Catalogued>(config: &EvolutionConfig, folder: &Folder, count: usize) -> Genomes {
    let job = config.create_job::<G>(&folder.store(), 7).expect("a job");
    let evolved = run_evolution_job::<G>(job, &threads(count), &Stop::default(), &mut |_| {});
    timeless(evolved.expect("no error").expect("not stopped"))
}

/// Times differ from run to run.
fn timeless(mut genomes: Genomes) -> Genomes {
    genomes.past.seconds = 0.0;
    genomes
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
        ..EvolutionConfig::usual::<Othello>(genome, scheme)
    };
    lines.into_iter().map(config).collect()
}

#[test]
fn any_number_of_threads_gives_the_same_result() {
    let folder = Folder::new("threads");
    for config in small() {
        let one = evolve::<Othello>(&config, &folder, 1);
        let three = evolve::<Othello>(&config, &folder, 3);
        assert_eq!(one, three, "{}", config.scheme);
        assert_eq!(one.past.generations, 4);
    }
}

/// Stopped after every generation and before each, with nothing left but the folder.
#[test]
fn stopped_and_resumed_gives_the_same_result() {
    let folder = Folder::new("resume");
    for mut config in small() {
        let whole = evolve::<Othello>(&config, &folder, 2);
        config.out = Some(folder.path().join("evolved.genes"));
        let store = folder.store();
        let id = config.create_job::<Othello>(&store, 7).expect("a job").id().to_owned();
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
                run_evolution_job::<Othello>(job, &threads(2), &stop, &mut tell).expect("no error");
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
    let whole = evolve::<Othello>(&config, &folder, 2);
    config.generations = 2;
    config.out = Some(folder.path().join("half.evl"));
    evolve::<Othello>(&config, &folder, 2);
    config.start = Some(read_file(&folder.path().join("half.evl")).expect("a right file"));
    config.out = Some(folder.path().join("whole.evl"));
    evolve::<Othello>(&config, &folder, 2);
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
    let work = MeetingWork::<TicTacToe>::default();
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
    let openings = "random=2".parse::<tablero_arena::Openings>().expect("openings");
    let openings = openings.make::<TicTacToe>(StandardRules, 40, 3, None).expect("openings");
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
            ..EvolutionConfig::usual::<TicTacToe>("lines", scheme)
        };
        let best = evolve::<TicTacToe>(&config, &folder, 2).best.genome;
        let found = score(&best, &useless);
        assert!(found > 0.6, "{scheme}: {found} with {best:?}");
    }
}

/// Games between a good player and a bad one, for genomes to foretell.
fn games(path: &Path) {
    let mut text = String::new();
    for seed in 0..30 {
        let mut players = [
            build::<Othello>("greedy eval=iago", &Setup::default()).expect("a player"),
            build::<Othello>("random", &Setup::default()).expect("a player"),
        ];
        players.rotate_left(seed as usize % 2);
        players.iter_mut().for_each(|player| player.new_game(seed));
        let [first, second] = &mut players;
        let start = Match::new(Othello::start(StandardRules));
        let seats: [&mut dyn Player<Othello>; 2] = [&mut **first, &mut **second];
        text += &pgn::write(&play_game(start, seats, &Conditions::default()).record);
    }
    fs::write(path, text).expect("a file");
}

/// Without games of their own and without chance, the best only gets better; and what was measured
/// against is not to change meanwhile.
#[test]
fn games_can_be_foretold() {
    let folder = Folder::new("foretell");
    let path = folder.path().join("games.pgn");
    games(&path);
    for scheme in ["modern from=random parents=3 children=6", "cmaes from=random population=6"] {
        let mut config = EvolutionConfig::usual::<Othello>("positional", scheme);
        config.games = Some(Games::in_file(&path).expect("a file"));
        config.generations = 1;
        let first = evolve::<Othello>(&config, &folder, 1).best.fitness;
        config.generations = 12;
        let last = evolve::<Othello>(&config, &folder, 2).best.fitness;
        assert!(last > first && (-250.0..0.0).contains(&last), "{scheme}: {first} to {last}");
        let job = config.create_job::<Othello>(&folder.store(), 7).expect("a job");
        fs::write(&path, "[Event \"x\"]\n\n*\n").expect("a file");
        let run = run_evolution_job::<Othello>(job, &threads(1), &Stop::default(), &mut |_| {});
        assert!(run.expect_err("another file").to_string().contains("no longer"));
        config.games = Some(Games::in_file(&path).expect("a file"));
        let job = config.create_job::<Othello>(&folder.store(), 7).expect("a job");
        let run = run_evolution_job::<Othello>(job, &threads(1), &Stop::default(), &mut |_| {});
        assert!(run.is_err(), "no game with a result");
        games(&path);
    }
    assert!(Games::in_file(&folder.path().join("nothing")).is_err());
}

#[test]
fn what_makes_no_sense_is_refused() {
    let folder = Folder::new("refused");
    let usual = EvolutionConfig::usual::<Othello>("sci", "othello7");
    let error = |config: EvolutionConfig| {
        config.create_job::<Othello>(&folder.store(), 1).expect_err("wrong").to_string()
    };
    assert!(error(EvolutionConfig { generations: 0, ..usual.clone() }).contains("at least 1"));
    assert!(error(EvolutionConfig { genome: "x".into(), ..usual.clone() }).contains("sci"));
    assert!(error(EvolutionConfig { game: "chess".into(), ..usual.clone() }).contains("chess"));
    assert!(error(EvolutionConfig { player: "mcts".into(), ..usual.clone() }).contains("minimax"));
    assert!(error(EvolutionConfig { openings: "x".into(), ..usual.clone() }).contains("random="));
    let against = vec!["level 99".into()];
    assert!(error(EvolutionConfig { against, ..usual.clone() }).contains("level"));
    let growing = EvolutionConfig::usual::<Othello>("growing", "cmaes");
    assert!(error(growing).contains("one length"));
    let out = Some(folder.path().join("no/such/folder.evl"));
    assert!(error(EvolutionConfig { out, ..usual.clone() }).contains("no folder"));
    let out = Some(folder.path().join("net.evl"));
    let net = EvolutionConfig { out, ..EvolutionConfig::usual::<Othello>("net", "modern") };
    assert!(error(net).contains("sci or jma"));
    let mut small = small().swap_remove(0);
    small.generations = 1;
    let start = Some(evolve::<Othello>(&small, &folder, 1));
    let jma = EvolutionConfig { start, ..EvolutionConfig::usual::<Othello>("jma", "modern") };
    assert!(error(jma.clone()).contains("kind `sci`, not `jma`"));
    let lines = EvolutionConfig {
        start: jma.start,
        ..EvolutionConfig::usual::<TicTacToe>("lines", "modern")
    };
    let error = lines.create_job::<TicTacToe>(&folder.store(), 1).expect_err("another game");
    assert!(matches!(error, EvolveError::Genome(_)) && error.to_string().contains("othello"));
}
