//! The lessons of the page (`web/src/lessons`): every position and move is legal, and what they state holds by
//! the rules or an engine. The accepted answers of a task are computed here again from its `why`.

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use common::Site;
use serde_json::{Value, json};

const CORNERS: [&str; 4] = ["a1", "a8", "h1", "h8"];

/// A position of a lesson.
struct Place<'a> {
    site: &'a Site,
    game: &'a str,
    position: &'a str,
    moves: Vec<String>,
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("text instead of {value}"))
}

fn texts(value: &Value) -> BTreeSet<String> {
    value.as_array().into_iter().flatten().map(|one| text(one).to_owned()).collect()
}

impl Place<'_> {
    /// The position after more moves.
    fn after(&self, more: &[&str]) -> Value {
        let moves: Vec<&str> =
            self.moves.iter().map(String::as_str).chain(more.iter().copied()).collect();
        let mut body = json!({ "moves": moves });
        if self.position != "start" {
            body["position"] = json!(self.position);
        }
        self.site.post(&format!("/api/catalog/{}/line", self.game), &body)
    }

    fn here(&self) -> Value {
        self.after(&[])
    }

    fn legal(&self, more: &[&str]) -> Vec<String> {
        let after = self.after(more);
        let moves = after["moves"].as_array().expect("moves");
        moves.iter().map(|one| text(&one["move"]).to_owned()).collect()
    }

    /// The moves after which their mover has won.
    fn wins(&self, more: &[&str]) -> BTreeSet<String> {
        let turn = self.after(more)["node"]["turn"].clone();
        let is_win = |name: &String| {
            let line: Vec<&str> = more.iter().copied().chain([name.as_str()]).collect();
            self.after(&line)["node"]["end"]["winner"] == turn
        };
        self.legal(more).into_iter().filter(is_win).collect()
    }

    /// The legal moves that satisfy a condition on the position after them.
    fn moves_with(&self, is_right: impl Fn(&str, &Value) -> bool) -> BTreeSet<String> {
        let legal = self.legal(&[]).into_iter();
        legal.filter(|name| is_right(name, &self.after(&[name]))).collect()
    }

    /// The legal moves with the least or greatest measure.
    fn extreme(&self, measure: impl Fn(&Value) -> i64) -> BTreeSet<String> {
        let measured =
            self.legal(&[]).into_iter().map(|name| (measure(&self.after(&[&name])), name));
        let measured: Vec<(i64, String)> = measured.collect();
        let best = measured.iter().map(|(value, _)| *value).min().expect("a move");
        measured.into_iter().filter(|(value, _)| *value == best).map(|(_, name)| name).collect()
    }

    fn opponent(&self) -> usize {
        usize::from(self.here()["node"]["turn"] == "first")
    }

    fn labelled(&self, wanted: &BTreeSet<String>) -> BTreeSet<String> {
        let here = self.here();
        let moves = here["moves"].as_array().expect("moves").iter();
        let found = moves.filter(|one| wanted.contains(text(&one["label"])));
        found.map(|one| text(&one["move"]).to_owned()).collect()
    }

    /// The opponent's pieces, square by square.
    fn opposing(&self, after: &Value) -> String {
        let letters = if self.opponent() == 1 { "wO" } else { "bX" };
        text(&after["node"]["cells"])
            .chars()
            .map(|c| if letters.contains(c) { c } else { '.' })
            .collect()
    }

    /// The scores of all moves, for the mover, by the game's analyst: exact, or after `depth` plies.
    fn scores(&self, depth: u64) -> Vec<(f64, String)> {
        let mut socket = self.site.socket();
        let mut target = json!({"kind": "position", "game": self.game, "moves": self.moves});
        if self.position != "start" {
            target["position"] = json!(self.position);
        }
        socket.send(&json!({"type": "analyse", "request": 1, "target": target, "multipv": 64}));
        let mut last = Value::Null;
        loop {
            let message = socket.next();
            match text(&message["type"]) {
                "analysis" => last = message["report"].clone(),
                "done" => break,
                "error" => panic!("{message}"),
                _ => {}
            }
            let all = last["pvs"].as_array().map_or(0, Vec::len) == self.legal(&[]).len();
            if all && (last["exact"] == true || last["depth"].as_u64() >= Some(depth)) {
                break;
            }
        }
        let sign = if self.here()["node"]["turn"] == "first" { 1.0 } else { -1.0 };
        let pvs = last["pvs"].as_array().expect("variations").iter();
        let score = |pv: &Value| {
            (
                sign * pv["score"]["points"].as_f64().expect("a score"),
                text(&pv["moves"][0]).to_owned(),
            )
        };
        pvs.map(score).collect()
    }

    /// The best moves; the next one must be worse by `margin`.
    fn best(&self, margin: f64, depth: u64) -> BTreeSet<String> {
        let mut scores = self.scores(depth);
        scores.sort_by(|a, b| b.0.total_cmp(&a.0));
        let best = scores[0].0;
        scores
            .into_iter()
            .filter(|(score, _)| *score > best - margin)
            .map(|(_, name)| name)
            .collect()
    }

    /// The accepted answers of a task, from its reason.
    fn accepted(&self, why: &Value) -> BTreeSet<String> {
        let opponent = self.opponent();
        let here = self.here();
        match text(&why["kind"]) {
            "legal" => self.legal(&[]).into_iter().collect(),
            "wins" => self.wins(&[]),
            "safe" => self.moves_with(|name, _| self.wins(&[name]).is_empty()),
            "pushes" => self.moves_with(|_, after| self.opposing(after) != self.opposing(&here)),
            "removes" => self.moves_with(|_, after| {
                after["node"]["pieces"][opponent].as_u64()
                    < here["node"]["pieces"][opponent].as_u64()
            }),
            "to" => self.labelled(&texts(&why["squares"])),
            "named" => self.labelled(&texts(&why["labels"])),
            "most_flips" => {
                self.extreme(|after| after["node"]["pieces"][opponent].as_i64().expect("a count"))
            }
            "fewest_replies" => {
                self.extreme(|after| after["moves"].as_array().expect("moves").len() as i64)
            }
            "gives_no_corner" => self.moves_with(|_, after| !has_corner(after)),
            "forces_win" => self.moves_with(|name, after| {
                let replies = after["moves"].as_array().expect("moves").iter();
                let mut replies = replies.map(|one| text(&one["move"]));
                self.wins(&[name]).is_empty()
                    && replies.all(|reply| !self.wins(&[name, reply]).is_empty())
            }),
            "best" => self.best(0.5, 99),
            "clearly_best" => self.best(why["by"].as_f64().expect("a margin"), 6),
            other => panic!("unknown reason {other}"),
        }
    }

    fn check_fact(&self, fact: &Value) {
        let here = self.here();
        let after = || self.after(&[text(&fact["move"])]);
        let region = || empty_region(text(&here["node"]["cells"]), &texts(&fact["squares"]));
        let holds = match text(&fact["kind"]) {
            "pieces" => here["node"]["pieces"] == json!([fact["first"], fact["second"]]),
            "side" => here["node"]["turn"] == fact["side"],
            "illegal" => !self.legal(&[]).contains(&text(&fact["move"]).to_owned()),
            "must_pass" => self.legal(&[]) == ["pass"],
            "in_check" => !here["node"]["check"].is_null(),
            "draws" => {
                let end = &after()["node"]["end"];
                !end.is_null() && end["winner"].is_null()
            }
            "flips" => {
                let count = |view: &Value| view["node"]["pieces"][self.opponent()].as_u64();
                count(&here).expect("a count") - count(&after()).expect("a count")
                    == fact["count"].as_u64().expect("a count")
            }
            "replies" => {
                after()["moves"].as_array().expect("moves").len() as u64
                    == fact["count"].as_u64().expect("a count")
            }
            "gives_corner" => has_corner(&after()) && !can_take_corner_now(self),
            // Whatever harmless move is made, the other side would win.
            "threat" => {
                let legal = self.legal(&[]);
                legal.iter().any(|name| !self.wins(&[name]).is_empty())
            }
            "odd_region" => region() % 2 == 1,
            "even_region" => region() % 2 == 0,
            "rows_cross_middle" => (0..=3).all(|first| (first..first + 4).contains(&3)),
            other => panic!("unknown fact {other}"),
        };
        assert!(holds, "{}: {fact} does not hold in {}", self.game, self.position);
    }
}

fn has_corner(view: &Value) -> bool {
    let moves = view["moves"].as_array().expect("moves");
    moves.iter().any(|one| CORNERS.contains(&text(&one["label"])))
}

/// Whether the opponent could take a corner if it were its turn.
fn can_take_corner_now(place: &Place<'_>) -> bool {
    let (board, side) = place.position.split_once(' ').expect("a board and a side");
    let other = if side == "X" { "O" } else { "X" };
    let turned = format!("{board} {other}");
    has_corner(&Place { position: &turned, moves: Vec::new(), ..*place }.here())
}

/// The size of the region of empty squares that consists of exactly `squares`.
fn empty_region(cells: &str, squares: &BTreeSet<String>) -> usize {
    let index = |name: &String| {
        let bytes = name.as_bytes();
        (usize::from(bytes[0] - b'a'), usize::from(bytes[1] - b'1'))
    };
    let cells: Vec<char> = cells.chars().collect();
    let region: BTreeSet<(usize, usize)> = squares.iter().map(index).collect();
    for &(x, y) in &region {
        assert_eq!(cells[8 * y + x], '.', "empty");
        for (dx, dy) in (0..9).map(|i| (i % 3, i / 3)).filter(|step| *step != (1, 1)) {
            let (nx, ny) = ((x + dx).wrapping_sub(1), (y + dy).wrapping_sub(1));
            if nx < 8 && ny < 8 && cells[8 * ny + nx] == '.' {
                assert!(region.contains(&(nx, ny)), "the region goes on");
            }
        }
    }
    region.len()
}

/// The squares of a task: targets of moves (from a square), or where moves begin.
fn squares_of(place: &Place<'_>, task: &Value, names: &[String]) -> BTreeSet<String> {
    let here = place.here();
    let moves = here["moves"].as_array().expect("moves").iter();
    let square = |cell: &Value| names[cell.as_u64().expect("a cell") as usize].clone();
    moves
        .map(|one| &one["shape"])
        .filter(|shape| task["from"].is_null() || square(&shape["from"]) == text(&task["from"]))
        .map(|shape| match text(&task["what"]) {
            "targets" => square(&shape["to"]),
            "first_clicks" => square(&shape["passive"]["from"]),
            other => panic!("unknown squares {other}"),
        })
        .collect()
}

fn square_names(site: &Site, game: &str) -> Vec<String> {
    let catalog = site.get("/api/catalog").ok();
    let kinds = catalog.as_array().expect("games");
    let kind = kinds.iter().find(|kind| kind["name"] == game).expect("the game");
    let list = |name: &str| {
        let names = kind["board"][name].as_array().expect("names");
        names.iter().map(|one| text(one).to_owned()).collect::<Vec<_>>()
    };
    let columns = list("columns");
    let of_row =
        |row: &String| columns.iter().map(|column| format!("{column}{row}")).collect::<Vec<_>>();
    list("rows").iter().flat_map(of_row).collect()
}

fn check_localized(value: &Value, is_optional: bool) {
    for language in ["en", "es"] {
        let words = text(&value[language]);
        assert!(is_optional || words.len() > 3, "{value}");
        assert_eq!(words, words.trim(), "{value}");
    }
}

fn check_lesson(site: &Site, lesson: &Value) {
    let game = text(&lesson["game"]);
    let names = square_names(site, game);
    check_localized(&lesson["title"], false);
    check_localized(&lesson["lead"], false);
    for step in lesson["steps"].as_array().expect("steps") {
        check_localized(&step["text"], false);
        let moves = step["moves"].as_array().into_iter().flatten();
        let moves = moves.map(|one| text(one).to_owned()).collect();
        let place = Place { site, game, position: text(&step["position"]), moves };
        place.here();
        let marks = texts(&step["marks"]);
        assert!(marks.iter().all(|square| names.contains(square)), "{marks:?}");
        step["facts"].as_array().into_iter().flatten().for_each(|fact| place.check_fact(fact));
        let task = &step["task"];
        match task["kind"].as_str() {
            None => {}
            Some("squares") => {
                check_localized(&task["right"], false);
                assert_eq!(squares_of(&place, task, &names), texts(&task["squares"]), "{game}");
            }
            Some("move") => {
                check_localized(&task["right"], false);
                let is_any = task["why"]["kind"] == "legal";
                check_localized(&task["wrong"], is_any);
                let accepted = place.accepted(&task["why"]);
                assert!(!accepted.is_empty(), "{game}: no answer to {}", task["why"]);
                assert_eq!(task["accept"].is_null(), is_any, "{game}: {}", task["why"]);
                if !is_any {
                    assert_eq!(accepted, texts(&task["accept"]), "{game}: {}", task["why"]);
                    // Otherwise there would be nothing to find.
                    assert!(accepted.len() < place.legal(&[]).len(), "{game}");
                }
            }
            Some(other) => panic!("unknown task {other}"),
        }
    }
}

fn lesson(game: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/src/lessons");
    let bytes = fs::read(path.join(format!("{game}.json"))).expect("a lesson");
    let lesson: Value = serde_json::from_slice(&bytes).expect("JSON");
    assert_eq!(lesson["game"], game);
    check_lesson(&Site::new(&format!("lesson-{game}")), &lesson);
}

#[test]
fn shobu() {
    lesson("shobu");
}

#[test]
fn othello() {
    lesson("othello");
}

#[test]
fn chess() {
    lesson("chess");
}

#[test]
fn connectfour() {
    lesson("connectfour");
}
