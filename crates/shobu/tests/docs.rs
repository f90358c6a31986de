//! Checks every example of `docs/reference/shobu-notation.md`.

use tablero_core::{AnyGame, Ending, Game, Notation, Outcome, Side, pgn};
use tablero_shobu::{Shobu, ShobuRules};

const PAGE: &str = include_str!("../../../docs/reference/shobu-notation.md");

/// The contents of the document's only block of this kind.
fn block(kind: &str) -> &'static str {
    let open = format!("```{kind}\n");
    let (_, rest) = PAGE.split_once(&open).unwrap_or_else(|| panic!("a block of {kind}"));
    rest.split_once("```").expect("the block's end").0
}

fn start() -> Shobu {
    Shobu::start(ShobuRules::Official)
}

#[test]
fn the_diagram_shows_the_start() {
    let diagram = start().diagram();
    let split = diagram.split.expect("boards");
    let join = |cells: Vec<String>| {
        cells.chunks(split).map(|board| board.join(" ")).collect::<Vec<_>>().join("   ")
    };
    let mut picture = String::new();
    for (index, row) in diagram.rows.iter().enumerate() {
        let cells = diagram.cells.iter().skip(8 * index).take(8);
        let symbols = cells.map(|cell| cell.piece.map_or('·', |piece| piece.symbol).to_string());
        picture += &format!("{row}  {}\n", join(symbols.collect()));
        if (index + 1) % split == 0 {
            picture += "\n";
        }
    }
    picture += &format!("   {}\n", join(diagram.columns));
    assert_eq!(block("picture"), picture);
}

#[test]
fn turns_are_legal_at_the_start() {
    for line in block("turns").lines() {
        let text = line.split_whitespace().next().expect("a turn");
        let turn = start().parse_move(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(start().move_text(turn), text);
    }
    let after = |text| start().after(start().parse_move(text).expect("legal"));
    assert_eq!(after("d1h1NW"), after("h1d1NW"));
}

#[test]
fn positions_round_trip() {
    let read = |line| Shobu::parse_position(line, ShobuRules::Official).expect("readable");
    let positions: Vec<Shobu> = block("positions").lines().map(read).collect();
    assert_eq!(positions.len(), 2);
    assert_eq!(positions[0], start());
    assert_eq!(positions[1].outcome(), Some(Outcome::win(Side::First)));
    for (line, position) in block("positions").lines().zip(positions) {
        assert_eq!(position.position_text(), line);
    }
    assert_eq!(read(block("tolerant")), start());
}

#[test]
fn lenient_spellings_are_parsed() {
    for (text, meant) in [("A1F5ne2", "a1f5NE2"), ("a1-f5 NE 2", "a1f5NE2"), ("g1,b5,N1", "g1b5N")]
    {
        assert!(PAGE.contains(text));
        assert_eq!(start().parse_move(text), start().parse_move(meant));
    }
}

#[test]
fn the_game_is_complete() {
    let record = pgn::read_one(AnyGame::of::<Shobu>(), block("pgn"))
        .unwrap_or_else(|error| panic!("{error}"));
    let end = record.end.expect("an end");
    assert_eq!((end.outcome, end.ending), (Outcome::win(Side::First), Ending::Played));
    let last = record.replay().expect("legal").position().clone();
    assert!(block("positions").contains(&last.position_text()), "the final position is documented");
    let words = |text: &str| text.split_whitespace().map(String::from).collect::<Vec<_>>();
    assert_eq!(words(&pgn::write(&record)), words(block("pgn")), "the game round-trips");
}
