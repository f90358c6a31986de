//! The referee, the openings and the tournament.

mod common;

use common::{Folder, Notes, config, factory, make, threads};
use tablero_arena::{
    Balance, ClockRules, Conditions, DrawRule, Openings, Series, TournamentConfig,
    TournamentResult, play_game, run_tournament, run_tournament_job,
};
use tablero_chess::Chess;
use tablero_core::{
    AnyChoice, AnyControl, AnyGame, AnyInfo, AnyMatch, AnyPosition, AnyRules, DrawReason, Ending,
    ForMover, Limits, Outcome, Playable, Player, PlayerError, Side,
};
use tablero_jobs::{Runner, Stop, Store};
use tablero_othello::Othello;
use tablero_tictactoe::TicTacToe;

/// Plays a list of moves over and over, and keeps what limits it was given.
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
        game: &AnyMatch,
        limits: &Limits,
        _: &mut AnyControl<'_>,
    ) -> Result<AnyChoice, PlayerError> {
        self.limits.push(*limits);
        let text = self.moves[self.next % self.moves.len()];
        self.next += 1;
        std::thread::sleep(std::time::Duration::from_millis(2));
        Ok(AnyChoice { m: game.position().parse_move(text).unwrap(), info: AnyInfo::default() })
    }

    fn new_game(&mut self, _: u64) {}
}

#[test]
fn the_arbiter_claims_draws() {
    let knights = [&["Nf3", "Ng1"][..], &["Nf6", "Ng8"][..]];
    let start = || AnyMatch::new(AnyGame::of::<Chess>().start());
    let play = |conditions: &Conditions| {
        let [mut white, mut black] = knights.map(Script::new);
        play_game(start(), [&mut white, &mut black], conditions).record
    };
    let claimed = play(&Conditions::default());
    assert_eq!(claimed.plies.len(), 8, "the third time");
    assert_eq!(claimed.end.unwrap().ending, Ending::Drawn(DrawReason::Repetition));
    let forced = play(&Conditions { claim_draws: false, ..Conditions::default() });
    assert_eq!(forced.plies.len(), 16, "the fifth time");
    assert_eq!(forced.end.unwrap().outcome, Outcome::DRAW);
}

#[test]
fn clocks_run() {
    let clock = ClockRules { main_ms: 60_000, increment_ms: 1 };
    let conditions = Conditions {
        depth: Some(3),
        nodes: Some(5),
        move_time_ms: Some(9_000),
        clock: Some(clock),
        ..Conditions::default()
    };
    let [mut white, mut black] = [&["Nf3", "Ng1"][..], &["Nf6", "Ng8"][..]].map(Script::new);
    let start = AnyMatch::new(AnyGame::of::<Chess>().start());
    let played = play_game(start, [&mut white, &mut black], &conditions);
    assert_eq!(played.record.end.unwrap().ending, Ending::Drawn(DrawReason::Repetition));
    for script in [&white, &black] {
        let limits = script.limits[0];
        assert_eq!((limits.depth, limits.nodes), (Some(3), Some(5)));
        assert_eq!(limits.time.unwrap().as_millis(), 9_000);
        let left: Vec<_> = script.limits.iter().map(|limits| limits.clock.unwrap().left).collect();
        assert_eq!(left[0].as_millis(), 60_000);
        // Each move takes two milliseconds at least and gives one back.
        assert!(left.windows(2).all(|pair| pair[1] < pair[0]), "{left:?}");
    }
    assert!(played.record.plies.iter().all(|ply| ply.time.unwrap().as_millis() >= 2));
    assert!(played.time.iter().all(|time| time.as_millis() >= 8));
}

#[test]
fn values_are_kept_and_end_games() {
    let rule = DrawRule { from_ply: 0, plies: 4, within: 0 };
    let conditions = Conditions { draw: Some(rule), ..Conditions::default() };
    let [mut first, mut second] = [(); 2].map(|()| make::<TicTacToe>("perfect").unwrap());
    let start = || AnyMatch::new(AnyGame::of::<TicTacToe>().start());
    let played = play_game(start(), [&mut *first, &mut *second], &conditions);
    assert_eq!(played.record.plies.len(), 4, "both know that it is a draw");
    assert_eq!(played.record.end.unwrap().ending, Ending::Adjudicated);
    assert_eq!(played.record.plies[0].value.unwrap().0.to_string(), "+0.00");
    assert_eq!(played.nodes, [200, 200]);
    let whole = play_game(start(), [&mut *first, &mut *second], &Conditions::default());
    assert_eq!(whole.record.plies.len(), 9);
    assert_eq!(whole.record.end.unwrap().outcome, Outcome::DRAW);
}

/// A value is kept from the first player's point of view: after a blunder of the second, it is good.
#[test]
fn values_are_seen_from_the_first_side() {
    let mut game = AnyMatch::new(AnyGame::of::<TicTacToe>().start());
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
fn the_chess_book_is_sound() {
    let openings = Openings::usual(AnyGame::of::<Chess>());
    assert_eq!(openings, Openings::Book { plies: 0 });
    let lines = openings.make(rules::<Chess>(), 68, 1, None).unwrap();
    let mut names: Vec<_> = lines.iter().map(|line| line.tag("Opening").unwrap()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), 68, "each line comes once, and no two end in one position");
    assert!(lines.iter().all(|line| (7..=14).contains(&line.plies.len())));
    let more = openings.make(rules::<Chess>(), 200, 1, None).unwrap();
    assert_eq!(more[..68], lines);
    assert!(more.iter().zip(lines.iter().cycle()).skip(68).all(|(longer, line)| {
        longer.plies.len() == line.plies.len() + 1 && longer.plies.starts_with(&line.plies)
    }));
}

#[test]
fn othello_openings_are_random_and_fair_if_asked() {
    let openings = Openings::usual(AnyGame::of::<Othello>());
    assert_eq!(openings, Openings::Random { plies: 8 });
    // Fair: about as many moves for the mover as discs difference allows; any rule will do here.
    let evaluate = |position: &AnyPosition| ForMover(position.count_moves() as i32 - 8);
    let balance = Balance { evaluate: &evaluate, within: 1 };
    let made = openings.make(rules::<Othello>(), 50, 3, Some(&balance)).unwrap();
    assert_eq!(made.len(), 50);
    for opening in &made {
        assert_eq!(opening.plies.len(), 8);
        assert!(evaluate(opening.replay().unwrap().position()).0.abs() <= 1);
    }
    // What was made can be given to a match as it is.
    let given = Openings::given(&made, 8).make(rules::<Othello>(), 50, 9, None).unwrap();
    assert_eq!(given, made);
}

fn tournament(players: &[&str], games: usize) -> TournamentConfig {
    let series =
        config::<Othello>(["", ""], games, Openings::usual(AnyGame::of::<Othello>())).series;
    TournamentConfig { players: players.iter().map(|line| (*line).into()).collect(), series }
}

fn play(config: &TournamentConfig, count: usize) -> (TournamentResult, Notes) {
    let (executor, stop, mut notes) = (threads(count), Stop::default(), Notes::default());
    let mut runner = Runner::new(&executor, &stop);
    let result = run_tournament(config, factory::<Othello>(), &mut runner, &mut notes).unwrap();
    (result, notes)
}

#[test]
fn everyone_plays_everyone() {
    let config = tournament(&["random", "first", "resigns"], 6);
    let (result, notes) = play(&config, 2);
    assert_eq!(notes.games.len(), 18);
    assert_eq!(play(&config, 1).0, result, "with any number of threads");
    assert_eq!(play(&config, 5).1.games, notes.games);
    // All three pairings of a round start from the same opening.
    assert_eq!(notes.seats[..6], [[0, 1], [1, 0], [0, 2], [2, 0], [1, 2], [2, 1]]);

    let summary = result.summary();
    assert_eq!(summary.players[2].games, 12);
    assert_eq!(summary.players[2].score, Some(0.0), "who resigns always, loses always");
    assert_eq!(summary.table[0][2], Some(1.0));
    assert_eq!(summary.table[1][1], None);
    let sum = summary.table[0][1].unwrap() + summary.table[1][0].unwrap();
    assert!((sum - 1.0).abs() < 1e-12);
    assert_eq!(result.ranking()[2], 2);
    assert!(summary.players.iter().map(|player| player.elo).sum::<f64>().abs() < 1e-6);
    assert!(summary.players.iter().all(|player| player.elo_error > 0.0));
    let points: f64 = result.running.iter().map(|rating| rating.rating).sum();
    assert!((points - 1200.0).abs() < 1e-6, "what one gains the other loses");
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
fn tables_show_who_did_what() {
    let mut config = tournament(&["random", "first", "resigns"], 2);
    config.series.openings = Openings::Start;
    let (result, notes) = play(&config, 2);
    let text = result.score_table(64).to_string();
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines[0].split_whitespace().collect::<Vec<_>>(), ["first/second", "1", "2", "3"]);
    // One game from the start each way, as in Othello7's table: 64 points in each cell.
    let margin = i32::from(notes.outcomes[0].margin().0);
    let cell = format!("{}/{}", (64 + margin) / 2, (64 - margin) / 2);
    assert_eq!(lines[1].split_whitespace().collect::<Vec<_>>(), ["1", "random", "-", &cell]);
    assert!(lines[2].starts_with("2  first"), "{text}");

    let text = result.crosstable().to_string();
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), 4);
    assert!(lines[3].starts_with("3  resigns") && lines[3].ends_with('-'), "{text}");
    assert!(lines[3].contains("0/4") && lines[3].contains("0-0-2"), "{text}");
}

#[test]
fn a_tournament_is_a_job_too() {
    let folder = Folder::new("tournament");
    let store = Store::in_folder(folder.path());
    let config = tournament(&["random", "first"], 10);
    let (executor, stop) = (threads(2), Stop::default());
    stop.request();
    let job = config.create_job(&store).unwrap();
    let run = |stop: &Stop| {
        let job = store.open(job.id()).unwrap();
        run_tournament_job(job, factory::<Othello>(), &executor, stop, &mut ()).unwrap()
    };
    assert!(run(&stop).is_stopped);
    let result = run(&Stop::default());
    assert_eq!(result, play(&config, 1).0);
    assert_eq!(run(&Stop::default()), result, "a finished one can be looked at again");
    let kept = store.open(job.id()).unwrap().result::<TournamentResult>().unwrap();
    assert_eq!(kept, Some(result));
}

#[test]
fn a_tournament_needs_two() {
    let (executor, stop) = (threads(1), Stop::default());
    let mut runner = Runner::new(&executor, &stop);
    let config = TournamentConfig {
        players: vec!["random".into()],
        series: Series::usual(factory::<Othello>().game, 1),
    };
    let error = run_tournament(&config, factory::<Othello>(), &mut runner, &mut ()).unwrap_err();
    assert!(error.to_string().contains("two players"));
}
