//! Data sets as CSV: the layout of Otelo, and one for any game.

use std::fmt::Write as _;

use tablero_core::{AnyGame, AnyPosition, BoardSetup, Diagram, ForFirst, ForMover, Outcome, Side};

use crate::data::FIXED_POINT_ONE;
use crate::{GameData, LabeledPosition, Learnable, TrainingSet};

/// Otelo's header: the cells, the side to move, the winner.
fn otelo_header(diagram: &Diagram) -> String {
    let columns = diagram.columns.len();
    let cells = (0..diagram.cells.len())
        .map(|cell| format!("\"({}, {})\"", cell / columns, cell % columns));
    cells.chain(["turno".into(), "ganador".into()]).collect::<Vec<_>>().join(",")
}

/// Otelo's layout has one number per side, so each side must have one kind of piece.
fn check_otelo(game: AnyGame) -> Result<(), String> {
    let has_one_kind = game.presentation().pieces.len() == 2;
    let problem = || format!("Otelo's layout cannot represent the pieces of {game}");
    if has_one_kind { Ok(()) } else { Err(problem()) }
}

/// Whether games can be written in Otelo's layout: each side has one kind of piece.
pub fn supports_otelo_csv(game: AnyGame) -> bool {
    check_otelo(game).is_ok()
}

/// A side in Otelo's layout: 1 for the first, 2 for the second, 0 for neither.
fn otelo_number(side: Option<Side>) -> usize {
    side.map_or(0, |side| 1 + side.index())
}

/// Otelo's layout: a row per played position with its cells (`0` empty, `1` black, `2` white), the side to move and
/// the winner (`0` for a draw).
pub fn otelo_csv<'a>(
    game: AnyGame,
    games: impl IntoIterator<Item = &'a GameData>,
) -> Result<String, String> {
    check_otelo(game)?;
    let mut text = otelo_header(&game.start().diagram());
    text.push('\n');
    for data in games {
        let played = data.replay(game)?;
        let winner = otelo_number(Outcome::by_margin(ForFirst(data.margin)).winner());
        for position in played.positions().take(played.plies()) {
            for cell in position.diagram().cells {
                // Writing to a string cannot fail.
                let _ = write!(text, "{},", otelo_number(cell.piece.map(|piece| piece.side)));
            }
            let _ = writeln!(text, "{},{winner}", otelo_number(Some(position.side())));
        }
    }
    Ok(text)
}

/// Adds the rows of a file in Otelo's layout. The starting position starts a new game.
pub(crate) fn read_otelo_csv<G: Learnable>(
    set: &mut TrainingSet<G>,
    text: &str,
) -> Result<(), String> {
    let game = AnyGame::of::<G>();
    check_otelo(game)?;
    let start = game.start();
    let header = otelo_header(&start.diagram());
    let mut lines = text.lines().enumerate();
    let is_header = |found: &str| found.replace(['"', ' '], "") == header.replace(['"', ' '], "");
    if !lines.next().is_some_and(|(_, found)| is_header(found)) {
        return Err(format!("line 1: expected these columns: {header}"));
    }
    let mut game_index = 0;
    for (line, row) in lines.filter(|(_, line)| !line.trim().is_empty()) {
        let read = read_row(game, row).and_then(|(position, winner)| {
            let typed = position.downcast_ref::<G>().cloned().ok_or("position of another game")?;
            Ok((typed, position == start, winner))
        });
        let (position, is_start, winner) =
            read.map_err(|problem| format!("line {}: {problem}", line + 1))?;
        if is_start || set.is_empty() {
            game_index = set.next_game();
        }
        let value = match winner {
            None => 0.0,
            Some(side) if side == position.side() => 1.0,
            Some(_) => -1.0,
        };
        let (policy, value) = (Box::default(), ForMover(value));
        let labeled = LabeledPosition {
            position,
            seen: 0,
            value,
            policy,
            weight: 1.0,
            game: game_index,
            last: None,
        };
        set.push(labeled);
    }
    Ok(())
}

fn read_row(game: AnyGame, line: &str) -> Result<(AnyPosition, Option<Side>), String> {
    let columns: Vec<&str> = line.split(',').map(str::trim).collect();
    let [cells @ .., turn, winner] = &columns[..] else { return Err("empty row".into()) };
    let count = game.start().diagram().cells.len();
    if cells.len() != count {
        return Err(format!("{} columns, expected {}", columns.len(), count + 2));
    }
    // Some programs write 1 as 1.0.
    let side = |text: &str| match text.strip_suffix(".0").unwrap_or(text) {
        "0" => Ok(None),
        "1" => Ok(Some(Side::First)),
        "2" => Ok(Some(Side::Second)),
        _ => Err(format!("`{text}` is not 0, 1 or 2")),
    };
    let letter = |owner: Option<Side>| owner.map_or('.', |side| game.presentation().emblem(side));
    let cells = cells.iter().map(|text| side(text).map(letter)).collect::<Result<String, _>>()?;
    let turn = side(turn)?.ok_or("turno must be 1 or 2")?;
    let setup = BoardSetup { cells: &cells, turn, castling: None, en_passant: None };
    let text = game.position_text_of(&setup);
    let position = game.default_rules().parse_position(&text);
    Ok((position.map_err(|error| error.to_string())?, side(winner)?))
}

/// The header of [`csv_rows`].
pub const CSV_HEADER: &str = "game,ply,position,side,move,value,policy,result,margin,ending,first_median_s,second_median_s,rating";

/// A game as CSV rows: game number, ply, position, side to move, move played, search value for the side to move
/// (-1 to 1), policy target, and the result for the side to move, among others.
pub fn csv_rows(game: AnyGame, number: usize, data: &GameData) -> Result<String, String> {
    let sides = game.info().sides;
    let game = data.replay(game)?;
    let outcome = Outcome::by_margin(ForFirst(data.margin));
    let mut text = String::new();
    let medians = data.median_micros.map(|both| both.map(|time| time as f64 / 1e6));
    let median =
        |side: usize| medians.map_or_else(String::new, |times| format!("{:.6}", times[side]));
    let rating = data.rating.map_or_else(String::new, |rating| rating.to_string());
    for (ply, (position, m)) in game.positions().zip(game.played()).enumerate() {
        let target = data.targets.iter().find(|target| usize::from(target.ply) == ply);
        let value = target
            .map_or_else(String::new, |n| format!("{:.4}", f64::from(n.value) / FIXED_POINT_ONE));
        let policy = target.map_or_else(String::new, |target| {
            let moves = crate::data::distinct_moves(position);
            let probs = target.policy.iter().filter_map(|&(index, prob)| {
                let m = moves.get(usize::from(index))?;
                Some(format!("{}:{:.4}", position.move_text(*m), f64::from(prob) / FIXED_POINT_ONE))
            });
            probs.collect::<Vec<_>>().join(" ")
        });
        let result = outcome.wdl(position.side()) as i32 - 1;
        let _ = writeln!(
            text,
            "{number},{ply},{},{},{},{value},{},{result},{},{},{},{},{rating}",
            quoted(&position.position_text()),
            sides[position.side().index()],
            quoted(&position.move_text(m)),
            quoted(&policy),
            data.margin,
            quoted(&data.ending),
            median(0),
            median(1),
        );
    }
    Ok(text)
}

fn quoted(text: &str) -> String {
    match text.contains([',', '"', ' ']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use tablero_othello::Othello;

    use super::*;

    fn othello() -> AnyGame {
        AnyGame::of::<Othello>()
    }

    fn read(text: &str) -> Result<TrainingSet<Othello>, String> {
        let mut set = TrainingSet::default();
        read_otelo_csv(&mut set, text).map(|()| set)
    }

    fn game() -> GameData {
        GameData {
            rules: String::new(),
            moves: ["f5", "d6", "c3"].map(String::from).to_vec(),
            margin: -4,
            ending: "normal".into(),
            targets: vec![crate::SearchTarget {
                ply: 1,
                value: -2500,
                surprise: 0,
                policy: vec![(0, 10_000)],
            }],
            alternatives: Vec::new(),
            replies: Vec::new(),
            resignation_was_right: None,
            median_micros: Some([1500, 2500]),
            rating: Some(-40),
        }
    }

    #[test]
    fn otelo_csv_round_trips() {
        let text = otelo_csv(othello(), [&game()]).expect("a table");
        let lines: Vec<&str> = text.lines().collect();
        assert!(
            lines[0].starts_with("\"(0, 0)\",\"(0, 1)\"")
                && lines[0].ends_with("\"(7, 7)\",turno,ganador")
        );
        // d4 and e5 are white, e4 and d5 black; Black is to move, White wins.
        let start: Vec<&str> = lines[1].split(',').collect();
        assert_eq!(start.len(), 66);
        assert_eq!([start[27], start[28], start[35], start[36]], ["2", "1", "1", "2"]);
        assert_eq!(start[64..], ["1", "2"]);
        assert_eq!(lines.len(), 4);

        let set = read(&text).expect("read back");
        assert_eq!((set.len(), set.games()), (3, 1));
        assert_eq!(set.positions()[1].value, ForMover(1.0));
        let with_points = text.replace(",0", ",0.0");
        assert_eq!(read(&with_points).expect("read back").len(), 3);
    }

    #[test]
    fn invalid_otelo_csv_is_reported() {
        let header = otelo_header(&othello().start().diagram());
        for (text, part) in [
            (String::new(), "line 1"),
            ("a,b\n1,2\n".into(), "turno"),
            (format!("{header}\n1,2,0\n"), "line 2: 3 columns"),
            (format!("{header}\n{}3,1,0\n", "0,".repeat(63)), "`3` is not"),
            (format!("{header}\n{}0,0,0\n", "0,".repeat(63)), "turno must be 1 or 2"),
        ] {
            let error = read(&text).expect_err(part);
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn any_game_has_csv_rows() {
        let rows = csv_rows(othello(), 7, &game()).expect("rows");
        let second = rows.lines().nth(1).expect("a row");
        assert!(second.starts_with("7,1,") && second.contains(",white,d6,-0.2500,"), "{second}");
        assert!(second.contains(",1,-4,normal,0.001500,0.002500,-40"), "{second}");
        assert_eq!(CSV_HEADER.split(',').count(), 13);
    }
}
