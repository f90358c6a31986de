//! Data sets as tables for other programs: Otelo's layout, and one for any game.

use std::fmt::Write as _;

use tablero_core::{ForFirst, ForMover, Game, Outcome, Side};
use tablero_othello::Othello;

use crate::data::PARTS;
use crate::{GameData, Learnable, Lesson, Lessons};

/// The first line of Otelo's tables: 64 squares, who is to move, who won.
fn otelo_head() -> String {
    let squares = (0..64).map(|square| format!("\"({}, {})\"", square / 8, square % 8));
    squares.chain(["turno".into(), "ganador".into()]).collect::<Vec<_>>().join(",")
}

/// A table as Otelo has it: a row for every position with a move, `0` empty, `1` black, `2` white; then
/// whose turn it is and who won (`0` nobody).
pub fn otelo_table<'a>(games: impl IntoIterator<Item = &'a GameData>) -> Result<String, String> {
    let mut text = otelo_head();
    text.push('\n');
    for data in games {
        let game = data.replay::<Othello>()?;
        let winner = match Outcome::by_margin(ForFirst(data.margin)).winner() {
            None => 0,
            Some(Side::First) => 1,
            Some(Side::Second) => 2,
        };
        for position in game.positions().take(game.plies()) {
            let [black, white] = Side::BOTH.map(|side| position.discs(side));
            for square in 0..64 {
                // Writing to a string cannot fail.
                let _ = write!(text, "{},", (black >> square & 1) + 2 * (white >> square & 1));
            }
            let _ = writeln!(text, "{},{winner}", 1 + position.side().index());
        }
    }
    Ok(text)
}

/// The positions of a table as Otelo has it. A row with four discs begins a new game.
pub fn read_otelo_table(text: &str) -> Result<Lessons<Othello>, String> {
    let mut lines = text.lines().enumerate();
    let is_head = |head: &str| head.replace(['"', ' '], "") == otelo_head().replace(['"', ' '], "");
    if !lines.next().is_some_and(|(_, head)| is_head(head)) {
        return Err(
            "line 1: the columns \"(0, 0)\" to \"(7, 7)\", turno, ganador are expected".into()
        );
    }
    let (mut lessons, mut game) = (Lessons::default(), 0);
    for (number, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
        let (position, winner) =
            read_row(line).map_err(|problem| format!("line {}: {problem}", number + 1))?;
        if position.empties().count_ones() == 60 || lessons.is_empty() {
            game = lessons.next_game();
        }
        let value = match winner {
            None => 0.0,
            Some(side) if side == position.side() => 1.0,
            Some(_) => -1.0,
        };
        let (policy, value) = (Box::default(), ForMover(value));
        lessons.push(Lesson { position, seen: 0, value, policy, weight: 1.0, game, last: None });
    }
    Ok(lessons)
}

fn read_row(line: &str) -> Result<(Othello, Option<Side>), String> {
    let cells: Vec<&str> = line.split(',').map(str::trim).collect();
    let [squares @ .., turn, winner] = &cells[..] else { return Err("it is empty".into()) };
    if squares.len() != 64 {
        return Err(format!("{} columns, not 66", cells.len()));
    }
    // Other programs write numbers as 1 or as 1.0.
    let number = |text: &str| match text.strip_suffix(".0").unwrap_or(text) {
        "0" => Ok(0),
        "1" => Ok(1),
        "2" => Ok(2),
        _ => Err(format!("`{text}` is not 0, 1 or 2")),
    };
    let mut discs = [0u64; 3];
    for (square, text) in squares.iter().enumerate() {
        discs[number(text)?] |= 1 << square;
    }
    let side = |code: usize| (code > 0).then(|| Side::BOTH[code - 1]);
    let mover = side(number(turn)?).ok_or("turno is 1 or 2")?;
    let position = Othello::from_discs(discs[1], discs[2], mover).ok_or("no position")?;
    Ok((position, side(number(winner)?)))
}

/// The first line of tables of any game.
pub const TABLE_HEAD: &str = "game,ply,position,side,move,value,policy,result,margin,ending,first_median_s,second_median_s,rating";

/// A game as rows of a table: the number of the game, the ply, the position, who is to move, the move that
/// was played, what the search thought (value for the mover from -1 to 1; moves with shares), and how the
/// game came out for the mover.
pub fn table_rows<G: Learnable>(number: usize, data: &GameData) -> Result<String, String> {
    let game = data.replay::<G>()?;
    let outcome = Outcome::by_margin(ForFirst(data.margin));
    let mut text = String::new();
    let medians = data.median_micros.map(|both| both.map(|time| time as f64 / 1e6));
    let median =
        |side: usize| medians.map_or_else(String::new, |times| format!("{:.6}", times[side]));
    let rating = data.rating.map_or_else(String::new, |rating| rating.to_string());
    for (ply, (position, m)) in game.positions().zip(game.played()).enumerate() {
        let note = data.notes.iter().find(|note| usize::from(note.ply) == ply);
        let value = note.map_or_else(String::new, |n| format!("{:.4}", f64::from(n.value) / PARTS));
        let policy = note.map_or_else(String::new, |note| {
            let moves = crate::data::distinct_moves(position);
            let shares = note.policy.iter().filter_map(|&(number, share)| {
                let m = moves.get(usize::from(number))?;
                Some(format!("{}:{:.4}", position.move_text(*m), f64::from(share) / PARTS))
            });
            shares.collect::<Vec<_>>().join(" ")
        });
        let result = outcome.wdl(position.side()) as i32 - 1;
        let _ = writeln!(
            text,
            "{number},{ply},{},{},{},{value},{},{result},{},{},{},{},{rating}",
            quoted(&position.position_text()),
            G::SIDES[position.side().index()],
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
    use super::*;

    fn game() -> GameData {
        GameData {
            rules: String::new(),
            moves: ["f5", "d6", "c3"].map(String::from).to_vec(),
            margin: -4,
            ending: "normal".into(),
            notes: vec![crate::Note {
                ply: 1,
                value: -2500,
                surprise: 0,
                policy: vec![(0, 10_000)],
            }],
            others: Vec::new(),
            replies: Vec::new(),
            hopeless_was_lost: None,
            median_micros: Some([1500, 2500]),
            rating: Some(-40),
        }
    }

    #[test]
    fn otelo_has_its_layout() {
        let text = otelo_table([&game()]).expect("a table");
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

        let lessons = read_otelo_table(&text).expect("read back");
        assert_eq!((lessons.len(), lessons.games()), (3, 1));
        assert_eq!(lessons.all()[1].value, ForMover(1.0));
        let with_points = text.replace(",0", ",0.0");
        assert_eq!(read_otelo_table(&with_points).expect("read back").len(), 3);
    }

    #[test]
    fn wrong_tables_are_explained() {
        let head = otelo_head();
        for (text, part) in [
            (String::new(), "line 1"),
            ("a,b\n1,2\n".into(), "turno"),
            (format!("{head}\n1,2,0\n"), "line 2: 3 columns"),
            (format!("{head}\n{}3,1,0\n", "0,".repeat(63)), "`3` is not"),
            (format!("{head}\n{}0,0,0\n", "0,".repeat(63)), "turno is 1 or 2"),
        ] {
            let error = read_otelo_table(&text).expect_err(part);
            assert!(error.contains(part), "{error}");
        }
    }

    #[test]
    fn any_game_has_rows() {
        let rows = table_rows::<Othello>(7, &game()).expect("rows");
        let second = rows.lines().nth(1).expect("a row");
        assert!(second.starts_with("7,1,") && second.contains(",white,d6,-0.2500,"), "{second}");
        assert!(second.contains(",1,-4,normal,0.001500,0.002500,-40"), "{second}");
        assert_eq!(TABLE_HEAD.split(',').count(), 13);
    }
}
