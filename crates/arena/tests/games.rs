//! Single games, openings and tournaments.

mod common;

use common::{Folder, Notes, config, factory, make, threads};
use tablero_arena::{
    ArenaError, BalanceFilter, Conditions, DrawAdjudication, MatchSettings, Openings, PlayedGame,
    TimeControl, TournamentConfig, TournamentResult, run_tournament, run_tournament_job,
};
use tablero_chess::Chess;
use tablero_core::{
    AnyControl, AnyGame, AnyGameHistory, AnyInfo, AnyPlayer, AnyPosition, AnyRules,
    AnySearchResult, DrawReason, Ending, ForMover, Limits, Outcome, Playable, Player, PlayerError,
    Side,
};
use tablero_jobs::{CancellationToken, Runner, Store};
use tablero_othello::Othello;
use tablero_tictactoe::TicTacToe;

fn play_game(
    game: AnyGameHistory,
    players: [&mut AnyPlayer; 2],
    conditions: &Conditions,
) -> PlayedGame {
    let never = CancellationToken::default();
    tablero_arena::play_game(game, players, conditions, &never).expect("not cancelled")
}

/// Repeats a list of moves and records the limits it gets.
struct Script {
    moves: &'static [&'static str],
    next: usize,
    limits: Vec<Limits>,
}

impl Script {
    fn new(moves: &'static [&'static str]) -> Self {
        Self { moves, next: 0, limits: Vec::new() }
    }
}

impl Player<AnyPosition> for Script {
    fn choose(
        &mut self,
        game: &AnyGameHistory,
        limits: &Limits,
        _: &mut AnyControl<'_>,
    ) -> Result<AnySearchResult, PlayerError> {
        self.limits.push(*limits);
        let text = self.moves[self.next % self.moves.len()];
        self.next += 1;
        std::thread::sleep(std::time::Duration::from_millis(2));
        Ok(AnySearchResult {
            m: game.position().parse_move(text).unwrap(),
            info: AnyInfo::default(),
        })
    }

    fn new_game(&mut self, _: u64) {}
}

#[test]
fn claimable_draws_are_claimed() {
    let knights = [&["Nf3", "Ng1"][..], &["Nf6", "Ng8"][..]];
    let start = || AnyGameHistory::new(AnyGame::of::<Chess>().start());
    let play = |conditions: &Conditions| {
        let [mut white, mut black] = knights.map(Script::new);
        play_game(start(), [&mut white, &mut black], conditions).record
    };
    let claimed = play(&Conditions::default());
    assert_eq!(claimed.plies.len(), 8, "threefold repetition");
    assert_eq!(claimed.end.unwrap().ending, Ending::Drawn(DrawReason::Repetition));
    let forced = play(&Conditions { claim_draws: false, ..Conditions::default() });
    assert_eq!(forced.plies.len(), 16, "fivefold repetition");
    assert_eq!(forced.end.unwrap().outcome, Outcome::DRAW);
}

#[test]
fn clocks_count_down_and_add_the_increment() {
    let clock = TimeControl { base_ms: 60_000, increment_ms: 1 };
    let conditions = Conditions {
        depth: Some(3),
        nodes: Some(5),
        move_time_ms: Some(9_000),
        clock: Some(clock),
        ..Conditions::default()
    };
    let [mut white, mut black] = [&["Nf3", "Ng1"][..], &["Nf6", "Ng8"][..]].map(Script::new);
    let start = AnyGameHistory::new(AnyGame::of::<Chess>().start());
    let played = play_game(start, [&mut white, &mut black], &conditions);
    assert_eq!(played.record.end.unwrap().ending, Ending::Drawn(DrawReason::Repetition));
    for script in [&white, &black] {
        let limits = script.limits[0];
        assert_eq!((limits.depth, limits.nodes), (Some(3), Some(5)));
        assert_eq!(limits.time.unwrap().as_millis(), 9_000);
        let left: Vec<_> = script.limits.iter().map(|limits| limits.clock.unwrap().left).collect();
        assert_eq!(left[0].as_millis(), 60_000);
        // Each move takes at least two milliseconds and adds one.
        assert!(left.windows(2).all(|pair| pair[1] < pair[0]), "{left:?}");
    }
    assert!(played.record.plies.iter().all(|ply| ply.time.unwrap().as_millis() >= 2));
    assert!(played.time.iter().all(|time| time.as_millis() >= 8));
}

#[test]
fn scores_are_recorded_and_adjudicated() {
    let rule = DrawAdjudication { from_ply: 0, plies: 4, score: 0 };
    let conditions = Conditions { draw: Some(rule), ..Conditions::default() };
    let [mut first, mut second] = [(); 2].map(|()| make::<TicTacToe>("perfect").unwrap());
    let start = || AnyGameHistory::new(AnyGame::of::<TicTacToe>().start());
    let played = play_game(start(), [&mut *first, &mut *second], &conditions);
    assert_eq!(played.record.plies.len(), 4, "both players score it a draw");
    assert_eq!(played.record.end.unwrap().ending, Ending::Adjudicated);
    assert_eq!(played.record.plies[0].value.unwrap().0.to_string(), "+0.00");
    assert_eq!(played.nodes, [200, 200]);
    let whole = play_game(start(), [&mut *first, &mut *second], &Conditions::default());
    assert_eq!(whole.record.plies.len(), 9);
    assert_eq!(whole.record.end.unwrap().outcome, Outcome::DRAW);
}

/// After a blunder of the second side, both sides' scores are recorded as good for the first.
#[test]
fn scores_are_recorded_from_the_first_sides_view() {
    let mut game = AnyGameHistory::new(AnyGame::of::<TicTacToe>().start());
    for text in ["a1", "b1"] {
        let m = game.position().parse_move(text).unwrap();
        game.play(m).unwrap();
    }
    let [mut first, mut second] = [(); 2].map(|()| make::<TicTacToe>("perfect").unwrap());
    let played = play_game(game, [&mut *first, &mut *second], &Conditions::default());
    assert_eq!(played.record.end.unwrap().outcome.winner(), Some(Side::First));
    let values: Vec<_> =
        played.record.plies.iter().map(|ply| ply.value.map(|value| value.0.to_string())).collect();
    assert_eq!(values[..2], [None, None], "the opening has none");
    assert!(values[2..].iter().all(|value| value.as_deref() == Some("#1")), "{values:?}");
}

fn rules<G: Playable>() -> AnyRules {
    AnyGame::of::<G>().default_rules()
}

#[test]
fn the_chess_book_has_distinct_lines() {
    let openings = Openings::default_for(AnyGame::of::<Chess>());
    assert_eq!(openings, Openings::Book { plies: 0 });
    let lines = openings.generate(rules::<Chess>(), 68, 1, None).unwrap();
    let mut names: Vec<_> = lines.iter().map(|line| line.tag("Opening").unwrap()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), 68, "each line once, no two with the same position");
    assert!(lines.iter().all(|line| (7..=14).contains(&line.plies.len())));
    let more = openings.generate(rules::<Chess>(), 200, 1, None).unwrap();
    assert_eq!(more[..68], lines);
    assert!(more.iter().zip(lines.iter().cycle()).skip(68).all(|(longer, line)| {
        longer.plies.len() == line.plies.len() + 1 && longer.plies.starts_with(&line.plies)
    }));
}

#[test]
fn othello_openings_are_random_and_can_be_balanced() {
    let openings = Openings::default_for(AnyGame::of::<Othello>());
    assert_eq!(openings, Openings::Random { plies: 8 });
    // Any evaluation will do.
    let evaluate = |position: &AnyPosition| ForMover(position.count_moves() as i32 - 8);
    let balance = BalanceFilter { evaluate: &evaluate, max_advantage: 1 };
    let made = openings.generate(rules::<Othello>(), 50, 3, Some(&balance)).unwrap();
    assert_eq!(made.len(), 50);
    for opening in &made {
        assert_eq!(opening.plies.len(), 8);
        assert!(evaluate(opening.replay().unwrap().position()).0.abs() <= 1);
    }
    // Generated openings can be given to a match.
    let given = Openings::from_records(&made, 8).generate(rules::<Othello>(), 50, 9, None).unwrap();
    assert_eq!(given, made);
}

fn tournament(players: &[&str], games: usize) -> TournamentConfig {
    let settings =
        config::<Othello>(["", ""], games, Openings::default_for(AnyGame::of::<Othello>()))
            .settings;
    TournamentConfig { players: players.iter().map(|line| (*line).into()).collect(), settings }
}

fn play(config: &TournamentConfig, count: usize) -> (TournamentResult, Notes) {
    let (executor, stop, mut notes) =
        (threads(count), CancellationToken::default(), Notes::default());
    let mut runner = Runner::new(&executor, &stop);
    let result = run_tournament(config, factory::<Othello>(), &mut runner, &mut notes).unwrap();
    (result, notes)
}

#[test]
fn round_robin_results_and_ratings() {
    let config = tournament(&["random", "first", "resigns"], 6);
    let (result, notes) = play(&config, 2);
    assert_eq!(notes.games.len(), 18);
    assert_eq!(play(&config, 1).0, result, "with any number of threads");
    assert_eq!(play(&config, 5).1.games, notes.games);
    // All three pairings of a round start from the same opening.
    assert_eq!(notes.players[..6], [[0, 1], [1, 0], [0, 2], [2, 0], [1, 2], [2, 1]]);

    let summary = result.summary();
    assert_eq!(summary.players[2].games, 12);
    assert_eq!(summary.players[2].score, Some(0.0), "always resigns");
    assert_eq!(summary.table[0][2], Some(1.0));
    assert_eq!(summary.table[1][1], None);
    let sum = summary.table[0][1].unwrap() + summary.table[1][0].unwrap();
    assert!((sum - 1.0).abs() < 1e-12);
    assert_eq!(result.ranking()[2], 2);
    assert!(summary.players.iter().map(|player| player.elo).sum::<f64>().abs() < 1e-6);
    assert!(summary.players.iter().all(|player| player.elo_error > 0.0));
    let points: f64 = result.running.iter().map(|rating| rating.rating).sum();
    assert!((points - 1200.0).abs() < 1e-6, "incremental Elo is zero-sum");
    assert!(result.running[2].rating < 400.0 && result.running[2].games == 12);

    let json = serde_json::to_value(&summary).unwrap();
    let mut keys: Vec<_> = json.as_object().unwrap().keys().collect();
    keys.sort_unstable();
    assert_eq!(keys, ["players", "table"]);
    let mut keys: Vec<_> = json["players"][0].as_object().unwrap().keys().collect();
    keys.sort_unstable();
    assert_eq!(keys, ["elo", "elo_error", "games", "player", "running_elo", "score"]);
}

#[test]
fn tables_show_results_of_all_pairings() {
    let mut config = tournament(&["random", "first", "resigns"], 2);
    config.settings.openings = Openings::Start;
    let (result, notes) = play(&config, 2);
    let text = result.score_table(Some(64)).to_string();
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines[0].split_whitespace().collect::<Vec<_>>(), ["first/second", "1", "2", "3"]);
    // One game per side from the start position, as in Othello7's table: 64 points per cell.
    let margin = i32::from(notes.outcomes[0].margin().0);
    let cell = format!("{}/{}", (64 + margin) / 2, (64 - margin) / 2);
    assert_eq!(lines[1].split_whitespace().collect::<Vec<_>>(), ["1", "random", "-", &cell]);
    assert!(lines[2].starts_with("2  first"), "{text}");
    let discs = result.games[0][1].pieces;
    let cell = format!("{}/{}", discs[0], discs[1]);
    let text = result.score_table(None).to_string();
    assert!(text.lines().nth(1).is_some_and(|line| line.ends_with(&cell)), "{text}");

    let text = result.crosstable().to_string();
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), 4);
    assert!(lines[3].starts_with("3  resigns") && lines[3].ends_with('-'), "{text}");
    assert!(lines[3].contains("0/4") && lines[3].contains("0-0-2"), "{text}");
}

#[test]
fn tournament_jobs_are_resumable() {
    let folder = Folder::new("tournament");
    let store = Store::in_folder(folder.path());
    let config = tournament(&["random", "first"], 10);
    let (executor, stop) = (threads(2), CancellationToken::default());
    stop.cancel();
    let job = config.create_job(&store).unwrap();
    let run = |stop: &CancellationToken| {
        let job = store.open(job.id()).unwrap();
        run_tournament_job(job, factory::<Othello>(), &executor, stop, &mut ()).unwrap()
    };
    assert!(run(&stop).is_cancelled);
    let result = run(&CancellationToken::default());
    assert_eq!(result, play(&config, 1).0);
    assert_eq!(run(&CancellationToken::default()), result, "a finished job returns its result");
    let kept = store.open(job.id()).unwrap().result::<TournamentResult>().unwrap();
    assert_eq!(kept, Some(result));
}

#[test]
fn a_tournament_needs_two_players() {
    let (executor, stop) = (threads(1), CancellationToken::default());
    let mut runner = Runner::new(&executor, &stop);
    let config = TournamentConfig {
        players: vec!["random".into()],
        settings: MatchSettings::default_for(factory::<Othello>().game, 1),
    };
    let error = run_tournament(&config, factory::<Othello>(), &mut runner, &mut ()).unwrap_err();
    assert!(matches!(error, ArenaError::TooFewPlayers { found: 1 }), "{error}");
}
