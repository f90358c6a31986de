//! Data sets as CSV: boards with a column per square, as in Otelo, and a layout for any game.

use std::fmt::Write as _;

use tablero_core::{AnyGame, AnyPosition, BoardSetup, Diagram, ForFirst, ForMover, Outcome, Side};

use crate::data::FIXED_POINT_ONE;
use crate::{GameData, LabeledPosition, Learnable, TrainingSet};

/// A table of boards: a row per move with the cells (`0` empty, `1` first side, `2` second side), a side and the
/// winner (`0` for a draw).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BoardTable {
    /// Otelo's: the board after the move, and the side that made it. A pass has no row.
    AfterMove,
    /// The board before the move, and the side to move.
    BeforeMove,
}

impl BoardTable {
    /// Pieces on the board in the first row of a game.
    fn first_pieces(self, start: &Diagram) -> usize {
        let added = match self {
            Self::AfterMove => 1,
            Self::BeforeMove => 0,
        };
        pieces(start) + added
    }

    /// The side in the row of a position.
    fn side(self, to_move: Side) -> Side {
        match self {
            Self::AfterMove => !to_move,
            Self::BeforeMove => to_move,
        }
    }
}

/// The number of pieces on a board.
fn pieces(diagram: &Diagram) -> usize {
    diagram.cells.iter().filter(|cell| cell.piece.is_some()).count()
}

/// The header: the cells, the side, the winner.
fn board_header(diagram: &Diagram) -> String {
    let columns = diagram.columns.len();
    let cells = (0..diagram.cells.len())
        .map(|cell| format!("\"({}, {})\"", cell / columns, cell % columns));
    cells.chain(["turno".into(), "ganador".into()]).collect::<Vec<_>>().join(",")
}

/// A table of boards has one number per side, so each side must have one kind of piece.
fn check_board_table(game: AnyGame) -> Result<(), String> {
    let has_one_kind = game.presentation().pieces.len() == 2;
    let problem = || format!("a table of boards cannot represent the pieces of {game}");
    if has_one_kind { Ok(()) } else { Err(problem()) }
}

/// Whether games can be written as a [`BoardTable`]: each side has one kind of piece.
pub fn supports_board_table(game: AnyGame) -> bool {
    check_board_table(game).is_ok()
}

/// The number of a side: 1 for the first, 2 for the second, 0 for neither.
fn side_number(side: Option<Side>) -> usize {
    side.map_or(0, |side| 1 + side.index())
}

/// Games as a table of boards.
pub fn board_csv<'a>(
    game: AnyGame,
    games: impl IntoIterator<Item = &'a GameData>,
    table: BoardTable,
) -> Result<String, String> {
    check_board_table(game)?;
    let mut text = board_header(&game.start().diagram());
    text.push('\n');
    for data in games {
        let played = data.replay(game)?;
        let winner = side_number(Outcome::by_margin(ForFirst(data.margin)).winner());
        let positions: Vec<&AnyPosition> = played.positions().collect();
        for pair in positions.windows(2) {
            let (before, after) = (pair[0].diagram(), pair[1].diagram());
            let cells = match table {
                BoardTable::AfterMove if before.cells == after.cells => continue,
                BoardTable::AfterMove => after.cells,
                BoardTable::BeforeMove => before.cells,
            };
            for cell in cells {
                // Writing to a string cannot fail.
                let _ = write!(text, "{},", side_number(cell.piece.map(|piece| piece.side)));
            }
            let _ = writeln!(text, "{},{winner}", side_number(Some(pair[0].side())));
        }
    }
    Ok(text)
}

/// Adds the rows of a table of boards. Its first row tells which table it is.
pub(crate) fn read_board_csv<G: Learnable>(
    set: &mut TrainingSet<G>,
    text: &str,
) -> Result<BoardTable, String> {
    let game = AnyGame::of::<G>();
    check_board_table(game)?;
    let start = game.start().diagram();
    let header = board_header(&start);
    let mut lines = text.lines().enumerate();
    let is_header = |found: &str| found.replace(['"', ' '], "") == header.replace(['"', ' '], "");
    if !lines.next().is_some_and(|(_, found)| is_header(found)) {
        return Err(format!("line 1: expected these columns: {header}"));
    }
    let mut lines = lines.filter(|(_, line)| !line.trim().is_empty()).peekable();
    let first = lines.peek().map(|(line, row)| Ok((*line, Row::read(game, row)?.pieces())));
    let first = first.transpose().map_err(|problem: String| format!("line 2: {problem}"))?;
    let Some((line, first)) = first else { return Err("there are no rows".into()) };
    let kinds = [BoardTable::AfterMove, BoardTable::BeforeMove];
    let table = kinds.into_iter().find(|table| table.first_pieces(&start) == first);
    let table = table.ok_or_else(|| game_start_error(line, first, &start))?;
    let (mut game_index, mut pieces) = (0, usize::MAX);
    for (line, row) in lines {
        let row =
            Row::read(game, row).map_err(|problem| format!("line {}: {problem}", line + 1))?;
        // Every move adds a piece.
        let is_first = row.pieces() == table.first_pieces(&start);
        if !is_first && row.pieces() < pieces {
            return Err(game_start_error(line, row.pieces(), &start));
        }
        if is_first {
            game_index = set.next_game();
        }
        pieces = row.pieces();
        let labeled = row.label(game, table, game_index);
        set.push(labeled.map_err(|problem| format!("line {}: {problem}", line + 1))?);
    }
    Ok(table)
}

fn game_start_error(line: usize, pieces: usize, start: &Diagram) -> String {
    let [after, before] =
        [BoardTable::AfterMove, BoardTable::BeforeMove].map(|table| table.first_pieces(start));
    format!(
        "line {}: a game begins with {pieces} pieces on the board, not with {before} or {after}: \
         the rows of a game must be complete and in the order of play",
        line + 1
    )
}

/// A row of a table of boards.
struct Row {
    cells: Vec<Option<Side>>,
    side: Side,
    winner: Option<Side>,
}

impl Row {
    fn read(game: AnyGame, line: &str) -> Result<Self, String> {
        let columns: Vec<&str> = line.split(',').map(str::trim).collect();
        let [cells @ .., turn, winner] = &columns[..] else { return Err("empty row".into()) };
        let count = game.start().diagram().cells.len();
        if cells.len() != count {
            return Err(format!("{} columns, expected {}", columns.len(), count + 2));
        }
        // Some programs write 1 as 1.0.
        let side = |text: &&str| match text.strip_suffix(".0").unwrap_or(text) {
            "0" => Ok(None),
            "1" => Ok(Some(Side::First)),
            "2" => Ok(Some(Side::Second)),
            _ => Err(format!("`{text}` is not 0, 1 or 2")),
        };
        Ok(Self {
            cells: cells.iter().map(side).collect::<Result<_, _>>()?,
            side: side(turn)?.ok_or("turno must be 1 or 2")?,
            winner: side(winner)?,
        })
    }

    fn pieces(&self) -> usize {
        self.cells.iter().flatten().count()
    }

    fn label<G: Learnable>(
        &self,
        game: AnyGame,
        table: BoardTable,
        index: u32,
    ) -> Result<LabeledPosition<G>, String> {
        let letter =
            |owner: &Option<Side>| owner.map_or('.', |side| game.presentation().emblem(side));
        let cells: String = self.cells.iter().map(letter).collect();
        // The conversion between the row's side and the side to move goes both ways.
        let turn = table.side(self.side);
        let setup = BoardSetup { cells: &cells, turn, castling: None, en_passant: None };
        let text = game.position_text_of(&setup);
        let position = game.default_rules().parse_position(&text).map_err(|e| e.to_string())?;
        let position: G =
            position.downcast_ref::<G>().cloned().ok_or("position of another game")?;
        let value = match self.winner {
            None => 0.0,
            Some(side) if side == position.side() => 1.0,
            Some(_) => -1.0,
        };
        Ok(LabeledPosition {
            position,
            seen: 0,
            value: ForMover(value),
            policy: Box::default(),
            weight: 1.0,
            game: index,
            last: None,
        })
    }
}

/// The header of [`csv_rows`].
pub const CSV_HEADER: &str = "game,ply,position,side,move,value,policy,result,margin,ending,first_median_s,second_median_s,\
    rating,first_median_cpu_s,second_median_cpu_s,player_side";

/// A game as CSV rows: game number, ply, position, side to move, move played, search value for the side to move
/// (-1 to 1), policy target, and the result for the side to move, among others.
pub fn csv_rows(game: AnyGame, number: usize, data: &GameData) -> Result<String, String> {
    let sides = game.info().sides;
    let game = data.replay(game)?;
    let outcome = Outcome::by_margin(ForFirst(data.margin));
    let mut text = String::new();
    let median = |times: Option<[u64; 2]>, side: usize| {
        times.map_or_else(String::new, |times| format!("{:.6}", times[side] as f64 / 1e6))
    };
    let player_side =
        data.player_side.and_then(|side| sides.get(side)).copied().unwrap_or_default();
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
            "{number},{ply},{},{},{},{value},{},{result},{},{},{},{},{rating},{},{},{player_side}",
            quoted(&position.position_text()),
            sides[position.side().index()],
            quoted(&position.move_text(m)),
            quoted(&policy),
            data.margin,
            quoted(&data.ending),
            median(data.median_micros, 0),
            median(data.median_micros, 1),
            median(data.median_cpu_micros, 0),
            median(data.median_cpu_micros, 1),
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
    use tablero_core::{Game, Rng};
    use tablero_othello::Othello;

    use super::*;

    fn othello() -> AnyGame {
        AnyGame::of::<Othello>()
    }

    fn read(text: &str) -> Result<TrainingSet<Othello>, String> {
        let mut set = TrainingSet::default();
        read_board_csv(&mut set, text).map(|_| set)
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
            median_cpu_micros: Some([1400, 2400]),
            player_side: Some(1),
            rating: Some(-40),
        }
    }

    /// The rows that fig. 10 of Otelo writes for 1. f5 d6 2. c3: after `poner_ficha`, before `turno = 3 - turno`.
    #[test]
    fn otelo_rows_are_boards_after_the_move() {
        let text = board_csv(othello(), [&game()], BoardTable::AfterMove).expect("a table");
        let lines: Vec<&str> = text.lines().collect();
        assert!(
            lines[0].starts_with("\"(0, 0)\",\"(0, 1)\"")
                && lines[0].ends_with("\"(7, 7)\",turno,ganador")
        );
        let board = |rows: [&str; 8], turn: &str| {
            let cells: Vec<String> = rows.concat().chars().map(String::from).collect();
            format!("{},{turn},2", cells.join(","))
        };
        let (empty, f5) = ("00000000", "00011100");
        let after_f5 = [empty, empty, empty, "00021000", f5, empty, empty, empty];
        let after_d6 = [empty, empty, empty, "00021000", "00021100", "00020000", empty, empty];
        let after_c3 = [empty, empty, "00100000", "00011000", "00021100", "00020000", empty, empty];
        assert_eq!(lines[1], board(after_f5, "1"));
        assert_eq!(lines[2], board(after_d6, "2"));
        assert_eq!(lines[3], board(after_c3, "1"));
        assert_eq!(lines.len(), 4);
    }

    /// A random game, and the number of discs placed in it.
    fn random_game(seed: u64) -> (GameData, usize) {
        let (mut rng, mut position, mut moves) = (Rng::seeded(seed), othello().start(), Vec::new());
        while let Some(&m) = rng.pick(&position.moves()) {
            moves.push(position.move_text(m));
            position = position.after(m);
        }
        let placed = pieces(&position.diagram()) - 4;
        (GameData { targets: Vec::new(), moves, ..game() }, placed)
    }

    #[test]
    fn both_tables_round_trip() {
        for table in [BoardTable::AfterMove, BoardTable::BeforeMove] {
            let games = [game(), GameData { margin: 0, ..game() }];
            let text = board_csv(othello(), &games, table).expect("a table");
            let mut set = TrainingSet::<Othello>::default();
            assert_eq!(read_board_csv(&mut set, &text), Ok(table));
            assert_eq!((set.len(), set.games()), (6, 2));
            let games: Vec<u32> = set.positions().iter().map(|position| position.game).collect();
            assert_eq!(games, [0, 0, 0, 1, 1, 1]);
            let first = &set.positions()[0];
            let (side, value) = match table {
                BoardTable::AfterMove => (Side::Second, 1.0),
                BoardTable::BeforeMove => (Side::First, -1.0),
            };
            assert_eq!((first.position.side(), first.value), (side, ForMover(value)));
            assert_eq!(set.positions()[3].value, ForMover(0.0));
            let with_points = text.replace(",0", ",0.0");
            assert_eq!(read(&with_points).expect("read back").len(), 6);
        }
    }

    /// Otelo's file has about 60 rows per game, the first with 5 discs, and 20 % of it are held out.
    #[test]
    fn games_of_an_otelo_file_are_found_and_held_out_whole() {
        let moves = |texts: &[&str]| texts.iter().map(|&text| text.into()).collect();
        let games: Vec<GameData> = (1..=10)
            .map(|number| GameData {
                moves: moves(&["f5", "d6", "c3", "d3", "c4"][..1 + number % 5]),
                targets: Vec::new(),
                ..game()
            })
            .collect();
        let text = board_csv(othello(), &games, BoardTable::AfterMove).expect("a table");
        let set = read(&text).expect("a data set");
        assert_eq!(set.games(), 10);
        let (training, held_out) = set.split_games(0.2, 1);
        let numbers = |set: &TrainingSet<Othello>| {
            let mut games: Vec<u32> = set.positions().iter().map(|at| at.game).collect();
            games.dedup();
            games
        };
        assert_eq!((numbers(&training).len(), numbers(&held_out).len()), (8, 2));
        assert!(numbers(&held_out).iter().all(|game| !numbers(&training).contains(game)));
    }

    /// As the work's own program writes it: fig. 6 starts with black on d4 and e5, the mirror image of our start.
    #[test]
    fn files_of_otelos_own_program_are_read() {
        let mut text = board_header(&othello().start().diagram());
        // 1. e3 d3 and 1. e3, won by White and drawn.
        let rows = [(&[(20, 1), (28, 1)][..], 1, 2), (&[(20, 1), (28, 1), (19, 2), (27, 2)], 2, 2)];
        for (discs, side, winner) in rows.into_iter().chain([(&[(20, 1), (28, 1)][..], 1, 0)]) {
            let mut cells = [0; 64];
            (cells[27], cells[36], cells[28], cells[35]) = (1, 1, 2, 2);
            discs.iter().for_each(|&(cell, owner)| cells[cell] = owner);
            let cells: Vec<String> = cells.iter().map(ToString::to_string).collect();
            text += &format!("\n{},{side},{winner}", cells.join(","));
        }
        let set = read(&text).expect("a data set");
        assert_eq!((set.len(), set.games()), (3, 2));
        let values: Vec<f32> = set.positions().iter().map(|position| position.value.0).collect();
        assert_eq!(values, [1.0, -1.0, 0.0], "for White, Black and White to move");
    }

    /// A pass places no disc: fig. 10 has no row for it.
    #[test]
    fn passes_have_no_row_in_otelos_table() {
        let (data, placed) = (1..)
            .map(random_game)
            .find(|(data, placed)| data.moves.len() > *placed)
            .expect("a pass");
        let text = board_csv(othello(), [&data], BoardTable::AfterMove).expect("a table");
        assert_eq!(text.lines().count(), 1 + placed);
        read(&text).expect("read back");
    }

    #[test]
    fn invalid_tables_are_reported() {
        let header = board_header(&othello().start().diagram());
        for (text, part) in [
            (String::new(), "line 1"),
            ("a,b\n1,2\n".into(), "turno"),
            (format!("{header}\n1,2,0\n"), "line 2: 3 columns"),
            (format!("{header}\n{}3,1,0\n", "0,".repeat(63)), "`3` is not"),
            (format!("{header}\n{}0,0,0\n", "0,".repeat(63)), "turno must be 1 or 2"),
            (format!("{header}\n"), "there are no rows"),
            (
                format!("{header}\n{}1,1,0\n", "0,".repeat(63)),
                "line 2: a game begins with 1 pieces",
            ),
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
        let end = ",1,-4,normal,0.001500,0.002500,-40,0.001400,0.002400,white";
        assert!(second.ends_with(end), "{second}");
        assert_eq!(CSV_HEADER.split(',').count(), 16);
    }
}
