//! Matches are reproducible for any number of threads, after cancellation and after crashes.

mod common;

use common::{Folder, Notes, config, factory, threads};
use tablero_arena::{
    ArenaError, FinishedGame, MatchConfig, MatchEnd, MatchResult, MatchSummary, Openings,
    TimeControl, Watcher, run_match, run_match_job,
};
use tablero_chess::Chess;
use tablero_core::{AnyGame, Outcome, Playable, Side};
use tablero_jobs::{CancellationToken, Progress, Runner, Status, Store};
use tablero_othello::Othello;
use tablero_shobu::Shobu;
use tablero_tictactoe::TicTacToe;

const RANDOM: Openings = Openings::Random { plies: 2 };

fn default_openings<G: Playable>() -> Openings {
    Openings::default_for(AnyGame::of::<G>())
}

fn play<G: Playable>(config: &MatchConfig, count: usize) -> (MatchResult, Notes) {
    let (executor, stop, mut notes) =
        (threads(count), CancellationToken::default(), Notes::default());
    let mut runner = Runner::new(&executor, &stop);
    let result = run_match(config, factory::<G>(), &mut runner, &mut notes).unwrap();
    (result, notes)
}

/// The result without wall-clock measurements.
fn timeless(mut result: MatchResult) -> MatchResult {
    result.summary.nps = [0.0; 2];
    result
}

#[test]
fn the_perfect_player_never_loses() {
    let config = config::<TicTacToe>(["perfect", "random"], 60, Openings::Start);
    let (result, notes) = play::<TicTacToe>(&config, 2);
    let summary = &result.summary;
    assert_eq!((summary.games, summary.losses, summary.illegal), (60, 0, 0));
    assert!(summary.wins > 40 && summary.elo.is_none_or(|elo| elo > 150.0), "{summary:?}");
    assert!(summary.los > 0.999);
    assert_eq!(result.end, MatchEnd::AllGames);
    assert_eq!(summary.first_margin_mean, None, "tic-tac-toe has no margins");
    assert_eq!(summary.pentanomial.pairs(), 30);
    // Colours are swapped from game to game.
    assert_eq!(notes.players[..4], [[0, 1], [1, 0], [0, 1], [1, 0]]);
    assert!(
        notes.games[0].contains("[X \"perfect\"]") && notes.games[1].contains("[O \"perfect\"]")
    );
    assert!(notes.games[3].contains("[Round \"2.2\"]"), "{}", notes.games[3]);
    let wins = notes.outcomes.iter().zip(&notes.players).filter(|(outcome, players)| {
        outcome.winner().is_some_and(|winner| players[winner.index()] == 0)
    });
    assert_eq!(wins.count() as u64, summary.wins);
    let last = notes.progress.last().unwrap();
    assert_eq!((last.done, last.total), (60, Some(60)));
    assert_eq!(last.metric("score"), summary.score);
    assert!(last.metric("games/s").unwrap() > 0.0);
}

fn is_reproducible<G: Playable>(players: [&str; 2], games: usize, openings: Openings) {
    let config = config::<G>(players, games, openings);
    let (result, notes) = play::<G>(&config, 1);
    for count in [2, 5] {
        let (other, others) = play::<G>(&config, count);
        assert_eq!(others.games, notes.games);
        assert_eq!(timeless(other), timeless(result.clone()));
    }
    let mut other = config;
    other.settings.seed += 1;
    assert_ne!(play::<G>(&other, 2).1.games, notes.games);
}

#[test]
fn games_are_the_same_for_any_number_of_threads() {
    is_reproducible::<TicTacToe>(["random", "perfect"], 40, RANDOM);
    is_reproducible::<Othello>(["random", "first"], 20, default_openings::<Othello>());
    is_reproducible::<Chess>(["random", "first"], 8, default_openings::<Chess>());
    is_reproducible::<Shobu>(["random", "random"], 6, default_openings::<Shobu>());
}

#[test]
fn deterministic_players_never_repeat_a_game() {
    fn check<G: Playable>(games: usize) {
        let (_, notes) =
            play::<G>(&config::<G>(["first", "first"], games, default_openings::<G>()), 2);
        let moves = |game: &String| game.split("\n\n").nth(1).unwrap().to_owned();
        // Both players are the same, hence the two games of a pair.
        let mut games: Vec<_> = notes.games.iter().step_by(2).map(moves).collect();
        let count = games.len();
        games.sort_unstable();
        games.dedup();
        assert_eq!(games.len(), count);
    }
    check::<Othello>(100);
    check::<Chess>(100);
    check::<Shobu>(20);
    check::<TicTacToe>(24);
}

#[test]
fn results_are_counted_by_side() {
    let config = config::<TicTacToe>(["first", "random"], 60, Openings::Start);
    let (result, notes) = play::<TicTacToe>(&config, 2);
    let mut expected = [[0; 3]; 2];
    for (outcome, players) in notes.outcomes.iter().zip(&notes.players) {
        let side = Side::BOTH[players[0]];
        expected[side.index()][2 - outcome.wdl(side) as usize] += 1;
    }
    let MatchSummary { wins, draws, losses, as_first, as_second, by_side, .. } = result.summary;
    let won_by = |side| notes.outcomes.iter().filter(|o| o.winner() == side).count() as u64;
    assert_eq!(by_side, [Some(Side::First), None, Some(Side::Second)].map(won_by));
    assert_eq!([as_first, as_second], expected);
    assert_eq!([0, 1, 2].map(|index| as_first[index] + as_second[index]), [wins, draws, losses]);
    assert!(as_first[0] > as_second[0], "the first move is an advantage: {expected:?}");
}

#[test]
fn results_by_side_are_optional_in_summaries() {
    let config = config::<TicTacToe>(["first", "random"], 2, Openings::Start);
    let summary = play::<TicTacToe>(&config, 1).0.summary;
    let mut json = serde_json::to_value(&summary).unwrap();
    for key in ["as_first", "as_second", "by_side"] {
        json.as_object_mut().unwrap().remove(key);
    }
    let old: MatchSummary = serde_json::from_value(json).unwrap();
    let unknown = [0; 3];
    let expected =
        MatchSummary { as_first: unknown, as_second: unknown, by_side: unknown, ..summary };
    assert_eq!(old, expected);
}

#[test]
fn othello_margins_are_averaged() {
    let (result, notes) = play::<Othello>(&config::<Othello>(["random", "first"], 10, RANDOM), 2);
    let margins = notes.outcomes.iter().zip(Side::BOTH.into_iter().cycle());
    let sum: i32 =
        margins.map(|(outcome, side)| i32::from(outcome.margin().for_mover(side).0)).sum();
    let mean = result.summary.first_margin_mean.unwrap();
    assert!((mean - f64::from(sum) / 10.0).abs() < 1e-9);
}

/// Cancels the match after `patience` games.
struct Impatient {
    notes: Notes,
    stop: CancellationToken,
    patience: usize,
}

impl Watcher for Impatient {
    fn game(&mut self, game: &FinishedGame) -> Result<(), String> {
        if self.notes.games.len() + 1 >= self.patience {
            self.stop.cancel();
        }
        self.notes.game(game)
    }

    fn progress(&mut self, progress: &Progress) {
        self.notes.progress(progress);
    }
}

#[test]
fn a_cancelled_and_resumed_match_has_the_same_result() {
    let folder = Folder::new("resume");
    let store = Store::in_folder(folder.path());
    let config = config::<Othello>(["random", "first"], 200, RANDOM);
    let (expected, games) = play::<Othello>(&config, 2);
    config.create_job(&store).unwrap();
    let executor = threads(2);
    let mut cancellations = 0;
    let result = loop {
        let stop = CancellationToken::default();
        let patience = 12 * (cancellations + 1);
        let mut watcher = Impatient { notes: Notes::default(), stop: stop.clone(), patience };
        let job = store.open("match-1").unwrap();
        let result =
            run_match_job(job, factory::<Othello>(), &executor, &stop, &mut watcher).unwrap();
        let seen = &watcher.notes.games;
        assert_eq!(seen[..], games.games[..seen.len()], "all games so far are reported");
        let job = store.open("match-1").unwrap();
        if result.end != MatchEnd::Cancelled {
            assert_eq!(seen.len(), 200);
            assert_eq!(job.state().unwrap().status, Status::Finished);
            break result;
        }
        assert_eq!(job.state().unwrap().status, Status::Stopped);
        assert!(seen.len() >= patience && seen.len() < 200, "games in progress were finished");
        // As if the process was killed during a write.
        let log = job.folder().join("games.jsonl");
        let mut bytes = std::fs::read(&log).unwrap();
        bytes.truncate(bytes.len() - 100);
        std::fs::write(&log, bytes).unwrap();
        cancellations += 1;
    };
    assert!(cancellations >= 3);
    assert_eq!(timeless(result.clone()), timeless(expected));
    let job = store.open("match-1").unwrap();
    assert_eq!(job.result::<MatchResult>().unwrap(), Some(result));
    let events = job.events().unwrap();
    assert!(events.iter().any(|event| event.progress.message.contains("truncated")));
    assert_eq!(events.last().unwrap().progress.done, 200);
}

#[test]
fn broken_players_forfeit_and_the_match_continues() {
    for (habit, reason) in [
        ("panics", "panicked: out of ideas"),
        ("fails", "dummy ended"),
        ("cheats", "chose an illegal move"),
    ] {
        let config = config::<Othello>(["random", habit], 8, RANDOM);
        let (result, notes) = play::<Othello>(&config, 2);
        assert_eq!((result.summary.wins, result.summary.illegal), (8, 8), "{habit}");
        let games: u64 = result.faults.iter().map(|fault| fault.games).sum();
        assert_eq!(games, 8);
        assert!(
            result.faults.iter().all(|fault| fault.player == 1 && fault.reason.contains(reason))
        );
        assert!(notes.ends.iter().all(|end| end == "rules infraction"));
        assert!(notes.games[0].replace('\n', " ").contains(reason), "{}", notes.games[0]);
        assert_eq!(result.summary.first_margin_mean, None, "no game was completed");
    }
    let (result, notes) = play::<Othello>(&config::<Othello>(["resigns", "random"], 4, RANDOM), 1);
    assert_eq!((result.summary.losses, result.summary.illegal), (4, 0));
    assert!(notes.ends.iter().all(|end| end == "resignation"));
}

#[test]
fn exceeding_the_time_loses() {
    let clock = TimeControl { base_ms: 400, increment_ms: 0 };
    for (move_time_ms, clock) in [(Some(400), None), (None, Some(clock))] {
        let mut config = config::<Othello>(["hangs", "hangs"], 2, RANDOM);
        config.settings.conditions.move_time_ms = move_time_ms;
        config.settings.conditions.clock = clock;
        config.settings.conditions.time_margin_ms = 10;
        let (result, notes) = play::<Othello>(&config, 1);
        assert_eq!((result.summary.timeouts, result.summary.games), (2, 2));
        assert_eq!(result.timeouts, [1, 1]);
        // The side to move after the fourth ply is the first.
        assert_eq!(notes.outcomes, [Outcome::win(Side::Second); 2]);
        assert!(notes.ends.iter().all(|end| end == "time forfeit"));
    }
}

#[test]
fn an_sprt_ends_the_match_at_the_same_game_for_any_number_of_threads() {
    let mut config = config::<TicTacToe>(["perfect", "random"], 400, RANDOM);
    config.sprt = Some("0,30".parse().unwrap());
    let (result, notes) = play::<TicTacToe>(&config, 1);
    assert_eq!(result.end, MatchEnd::AcceptedH1);
    assert!(result.summary.llr.unwrap() >= 2.94 && result.summary.games < 200);
    assert_eq!(notes.games.len() as u64, result.summary.games);
    for count in [2, 4] {
        let (other, others) = play::<TicTacToe>(&config, count);
        assert_eq!(timeless(other), timeless(result.clone()));
        assert_eq!(others.games, notes.games);
    }
    config.players.reverse();
    config.sprt = Some("-30,0".parse().unwrap());
    assert_eq!(play::<TicTacToe>(&config, 2).0.end, MatchEnd::AcceptedH0);
}

/// Fails on every game.
struct FullDisk;

impl Watcher for FullDisk {
    fn game(&mut self, _: &FinishedGame) -> Result<(), String> {
        Err("the disk is full".into())
    }
}

#[test]
fn invalid_configurations_are_rejected() {
    let (executor, stop) = (threads(2), CancellationToken::default());
    let run = |config: &MatchConfig, watcher: &mut dyn Watcher| {
        let mut runner = Runner::new(&executor, &stop);
        run_match(config, factory::<TicTacToe>(), &mut runner, watcher).unwrap_err()
    };
    let good = config::<TicTacToe>(["random", "first"], 4, RANDOM);
    assert!(matches!(run(&good, &mut FullDisk), ArenaError::Watcher(_)));
    let bad = config::<TicTacToe>(["random", "strange"], 4, RANDOM);
    assert_eq!(run(&bad, &mut ()).to_string(), "player `strange`: no player `strange`");
    let mut bad = good.clone();
    bad.settings.rules = Some("odd".into());
    assert_eq!(run(&bad, &mut ()).to_string(), "tictactoe has no rules `odd`; there are standard");
    let mut bad = good.clone();
    bad.settings.game = "chess".into();
    assert_eq!(run(&bad, &mut ()).to_string(), "the match is one of chess, not tictactoe");
    let mut bad = good;
    bad.sprt = Some(tablero_arena::stats::Sprt::new(5.0, 0.0));
    assert!(run(&bad, &mut ()).to_string().contains("E0 must be below E1"));
}

#[test]
fn the_summary_has_the_documented_json_keys() {
    let (result, _) = play::<Othello>(&config::<Othello>(["random", "first"], 4, RANDOM), 2);
    let json = serde_json::to_value(&result.summary).unwrap();
    let mut keys: Vec<_> = json.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    let mut expected = [
        "games",
        "wins",
        "draws",
        "losses",
        "as_first",
        "as_second",
        "by_side",
        "score",
        "elo",
        "elo_error",
        "los",
        "llr",
        "pentanomial",
        "first_margin_mean",
        "nps",
        "illegal",
        "timeouts",
    ];
    expected.sort_unstable();
    assert_eq!(keys, expected);
    assert_eq!(json["pentanomial"].as_array().unwrap().len(), 5);
    assert_eq!(json["nps"].as_array().unwrap().len(), 2);
    assert!(json["llr"].is_null() && json["first_margin_mean"].is_number());
}
