//! PGN round trips: rules, start positions, comments, variations.

use std::time::Duration;

use tablero_core::{
    AnyGame, Ending, ForFirst, Game, GameEnd, GameHistory, Notation, Outcome, Ply, ReadError,
    Record, Rng, Side, Value, conformance, pgn,
};
use tablero_shobu::{Shobu, ShobuRules};

fn read_one(text: &str) -> Result<Record<Shobu>, ReadError> {
    pgn::read_one(AnyGame::of::<Shobu>(), text).map(|record| record.downcast().expect("Shōbu"))
}

fn write(record: &Record<Shobu>) -> String {
    pgn::write(&record.clone().erase())
}

/// A few random plies, every second one fully annotated.
fn annotated(start: Shobu, seed: u64) -> Record<Shobu> {
    let mut rng = Rng::seeded(seed);
    let mut record = Record::new(start);
    let mut position = start;
    for number in 0..12 {
        let Some(turn) = position.random_move(&mut rng) else { break };
        let mut ply = Ply::new(turn);
        if number % 2 == 0 {
            ply.comment = format!("comment {number}");
            ply.time = Some(Duration::from_millis(1250));
            ply.value = Some(ForFirst(Value::Centi(-35)));
            ply.glyphs = vec![1];
            ply.variations = vec![line(position, 3, &mut rng), line(position, 1, &mut rng)];
        }
        record.plies.push(ply);
        position.play(turn);
    }
    record.players = ["Ana".into(), "Bo \"the rope\"".into()];
    record.comment = "before the first turn".into();
    record.set_tag("Event", "A test");
    record.end = Some(GameEnd { outcome: Outcome::win(Side::Second), ending: Ending::Resigned });
    record
}

fn line(mut position: Shobu, plies: usize, rng: &mut Rng) -> Vec<Ply<Shobu>> {
    let mut line = Vec::new();
    for _ in 0..plies {
        let Some(turn) = position.random_move(rng) else { break };
        line.push(Ply::new(turn));
        position.play(turn);
    }
    line
}

/// The start and a position with White to move, under both rule sets.
fn starts() -> Vec<Shobu> {
    let text = "w w....b.ww...bbbw ..w.www..b.bbb.. wwwwb...bb.b.... .w..b.wwbbb...w.";
    [ShobuRules::Official, ShobuRules::Across]
        .into_iter()
        .flat_map(|rules| {
            [Shobu::start(rules), Shobu::parse_position(text, rules).expect("readable")]
        })
        .collect()
}

#[test]
fn annotated_records_round_trip() {
    for (seed, start) in (0..).zip(starts()) {
        let record = annotated(start, seed);
        let text = write(&record);
        let read = read_one(&text).unwrap_or_else(|error| panic!("{error} in\n{text}"));
        assert_eq!(read, record, "{text}");
        assert_eq!(text.contains("[Variant \"across\"]"), start.rules() == ShobuRules::Across);
        assert_eq!(text.contains("[SetUp \"1\"]"), start != Shobu::start(start.rules()));
    }
}

#[test]
fn finished_games_round_trip_with_their_result() {
    for rules in [ShobuRules::Official, ShobuRules::Across] {
        for seed in 0..10 {
            let mut rng = Rng::seeded(seed);
            let mut game = GameHistory::new(Shobu::start(rules));
            while let Some(turn) = game.position().random_move(&mut rng) {
                if game.play(turn).is_err() {
                    break;
                }
            }
            let record = Record::from_history(&game);
            let read = read_one(&write(&record)).expect("readable");
            assert_eq!(read.end, game.end());
            assert_eq!(read, record);
        }
    }
}

#[test]
fn illegal_turns_are_located_in_the_file() {
    let text = "[Game \"shobu\"]\n[Variant \"across\"]\n\n1. a1f5NE2 a8f8S\n";
    let error = read_one(text).expect_err("illegal");
    assert_eq!(
        error.to_string(),
        "line 4, column 14: found `a8f8S`, which is illegal because f8 is on white's own side of the \
         rope; the rules `across` require aggressive moves on the other, expected a legal turn"
    );
}

#[test]
fn parser_does_not_panic_on_corrupt_input() {
    let texts: Vec<String> =
        (0..).zip(starts()).map(|(seed, start)| write(&annotated(start, seed))).collect();
    let samples: Vec<&[u8]> = texts.iter().map(String::as_bytes).collect();
    conformance::check_reader(&samples, 5_000, 2, |bytes| {
        pgn::read(AnyGame::of::<Shobu>(), &String::from_utf8_lossy(bytes)).take(5).for_each(drop);
    });
}
