//! Files of games as a fitness function: their format is detected, games of another game are rejected. (Core
//! has no games to test this with.)

use tablero_core::{
    AnyGame, AnyRecord, Ending, Game, GameEnd, GameHistory, Input, OpenError, Outcome, Record, Rng,
    Side, StandardRules, Tactics, Value, open, open_as,
};
use tablero_evolve::{GradientTuner, PredictionTarget, ResultPredictor, TexelPredictor, Tuner};
use tablero_othello::Othello;
use tablero_tictactoe::TicTacToe;

const GAMES: [AnyGame; 2] = [AnyGame::of::<Othello>(), AnyGame::of::<TicTacToe>()];
const LINE: &str = "[Game \"tictactoe\"]\n\n1. b2 a1 2. c3 *\n";

#[test]
fn game_and_format_are_detected() {
    let (records, format) = open(&GAMES, &Input::text(LINE), None, None).expect("a game");
    assert_eq!((records[0].start.game(), format), (GAMES[1], "pgn"));
    let as_game = open(&GAMES, &Input::text(LINE), Some(GAMES[1]), Some("pgn"));
    assert_eq!(as_game, Ok((records, "pgn")));
}

#[test]
fn errors_list_the_known_formats() {
    let error = |text: &str, format| open(&GAMES, &Input::text(text), None, format).unwrap_err();
    assert_eq!(error(" \n", None), OpenError::Empty);
    let unknown = error("?", None).to_string();
    assert!(unknown.contains("othello (") && unknown.contains("tictactoe (pgn"), "{unknown}");
    let no_format = error("?", Some("x"));
    assert!(matches!(&no_format, OpenError::UnknownFormat { requested, .. } if requested == "x"));
    let damaged = error("[Game \"tictactoe\"]\n\n1. b2 b2 *\n", None);
    assert!(matches!(damaged, OpenError::Malformed { game: "tictactoe", .. }), "{damaged}");
    let known = open_as(GAMES[1], &Input::text("?"), Some("x")).unwrap_err().to_string();
    assert!(!known.contains("othello"), "{known}");
}

#[test]
fn only_finished_games_of_the_same_game_are_accepted() {
    let (records, _) = open_as(GAMES[1], &Input::text(LINE), None).expect("a game");
    let error = |kind: &str, records: &[AnyRecord]| {
        TexelPredictor::<Othello>::new(kind, records, PredictionTarget::Results)
            .err()
            .expect("wrong")
            .to_string()
    };
    assert!(error("sci", &records).contains("tictactoe"));
    assert!(error("sci", &[]).contains("no game with a result"));
    assert!(error("x", &[]).contains("sci"));
}

#[test]
fn the_zero_genome_predicts_even_chances() {
    let moves = "f5 d6 c3 d3 c4 f4 c5 b3 c2 b4 e3 e6 1-0";
    let text = format!("[Game \"othello\"]\n\n{moves}\n");
    let (records, _) = open_as(GAMES[0], &Input::text(&text), None).expect("a game");
    let predictor = TexelPredictor::<Othello>::new("sci", &records, PredictionTarget::Results)
        .expect("positions");
    assert_eq!(predictor.score(&[0.0; 3]), -250.0);
}

/// Values are those of the searches: the ninth move was worth two discs to black, who made it.
#[test]
fn search_values_are_predicted_instead_of_results() {
    let predictor = |moves: &str| {
        let text = format!("[Game \"othello\"]\n\n{moves} 0-1\n");
        let (records, _) = open_as(GAMES[0], &Input::text(&text), None).expect("a game");
        TexelPredictor::<Othello>::new("sci", &records, PredictionTarget::Values)
    };
    let opening = "f5 d6 c3 d3 c4 f4 c5 b3";
    let error = predictor(&format!("{opening} c2 b4")).err().expect("no values").to_string();
    assert!(error.contains("search values"), "{error}");
    let predictor = predictor(&format!("{opening} c2 {{[%eval +2.00]}} b4")).expect("a value");
    let expected = Othello::WDL_MODEL.expected_score(Value::Centi(200));
    let error = -1000.0 * (expected - 0.5).powi(2);
    assert!((predictor.score(&[0.0; 3]) - error).abs() < 1e-9);
}

/// Random games won by whoever has more corners when they stop: tuning finds that corners count, discs do not.
#[test]
fn tuning_by_gradient_finds_what_decides() {
    const CORNERS: u64 = 0x8100_0000_0000_0081;
    let game = |seed: u64| {
        let (mut rng, mut game) =
            (Rng::for_stream(5, seed), GameHistory::new(Othello::start(StandardRules)));
        while game.plies() < 50 && game.end().is_none() {
            let m = game.position().random_move(&mut rng).expect("a move");
            game.play(m).expect("legal");
        }
        let corners = |side: Side| (game.position().discs(side) & CORNERS).count_ones();
        let margin = corners(Side::First) as i32 - corners(Side::Second) as i32;
        let outcome = match margin {
            0 => Outcome::DRAW,
            _ => Outcome::win(if margin > 0 { Side::First } else { Side::Second }),
        };
        let mut record = Record::from_history(&game);
        record.end = Some(GameEnd { outcome, ending: Ending::Adjudicated });
        record.erase()
    };
    let records: Vec<AnyRecord> = (0..300).map(game).collect();
    let mut tuner = GradientTuner::<Othello>::new("sci", &records, 0.0).expect("positions");
    let before = tuner.errors();
    tuner.round();
    let after = tuner.errors();
    assert!(after[0] < before[0] && after[1] < before[1], "{before:?} {after:?}");
    let [corner, _, disc] = *tuner.genome() else { panic!("three weights") };
    assert!(corner > 10.0 * disc.abs(), "{:?}", tuner.genome());
    let error = GradientTuner::<Othello>::new("net", &records, 0.0).err().expect("no weights");
    assert!(error.to_string().contains("hand-tuned"), "{error}");
}
