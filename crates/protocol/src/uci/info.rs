//! `info` lines, which report on a running search.

use std::fmt::Write as _;

use tablero_core::{AnyInfo, AnyMove, AnyPosition, ForMover, Pv, Value, WdlModel};

use crate::uci::milliseconds;

/// One line per principal variation of `position`.
pub(crate) fn format_info(info: &AnyInfo, position: &AnyPosition, show_wdl: bool) -> String {
    let mut out = String::new();
    for (index, line) in info.lines.iter().enumerate() {
        // Writing to a string cannot fail.
        let _ = write!(
            out,
            "info depth {} seldepth {} multipv {} score {}",
            info.depth,
            info.seldepth.max(info.depth),
            index + 1,
            format_score(line.value.0)
        );
        if show_wdl {
            let [win, draw, loss] = wdl(position.game().wdl_model(), line.value.0);
            let _ = write!(out, " wdl {win} {draw} {loss}");
        }
        let _ = write!(out, " nodes {} nps {:.0}", info.nodes, info.nodes_per_second());
        if let Some(full) = info.hashfull {
            let _ = write!(out, " hashfull {full}");
        }
        let _ = write!(out, " time {} pv", info.time.as_millis());
        let mut position = position.clone();
        for &m in &line.moves {
            let _ = write!(out, " {}", position.uci_move(m));
            position.play(m);
        }
        out.push('\n');
    }
    out
}

fn format_score(value: Value) -> String {
    match value {
        Value::Centi(n) => format!("cp {n}"),
        Value::WinIn(moves) => format!("mate {moves}"),
        Value::LossIn(0) => "mate 0".into(),
        Value::LossIn(moves) => format!("mate -{moves}"),
    }
}

/// Expected wins, draws and losses per mille (`UCI_ShowWDL`).
fn wdl(chances: WdlModel, value: Value) -> [u32; 3] {
    let [win, _, loss] = chances.wdl(value).map(|chance| (1000.0 * chance).round() as u32);
    [win, 1000 - win - loss, loss]
}

/// Merges an `info` line about `position` into `info`; returns whether it contained a principal variation.
/// Unknown tokens are skipped.
pub(crate) fn parse_info(line: &str, position: &AnyPosition, info: &mut AnyInfo) -> bool {
    let mut words = line.split_whitespace();
    let (mut index, mut value, mut moves) = (1, None, Vec::new());
    if words.next() != Some("info") {
        return false;
    }
    while let Some(word) = words.next() {
        match word {
            "depth" => parse_into(&mut info.depth, words.next()),
            "seldepth" => parse_into(&mut info.seldepth, words.next()),
            "nodes" => parse_into(&mut info.nodes, words.next()),
            "time" => info.time = words.next().and_then(milliseconds).unwrap_or(info.time),
            "hashfull" => info.hashfull = words.next().and_then(|word| word.parse().ok()),
            "multipv" => parse_into(&mut index, words.next()),
            "score" => value = parse_score(words.next(), words.next()),
            "pv" => moves = parse_pv(position, words.by_ref()),
            "string" => break,
            _ => {}
        }
    }
    let slot = usize::wrapping_sub(index, 1);
    let Some(value) = value.filter(|_| !moves.is_empty() && slot <= info.lines.len()) else {
        return false;
    };
    let line = Pv { value: ForMover(value), moves };
    match info.lines.get_mut(slot) {
        Some(old) => *old = line,
        None => info.lines.push(line),
    }
    true
}

fn parse_into<T: std::str::FromStr>(target: &mut T, word: Option<&str>) {
    if let Some(value) = word.and_then(|word| word.parse().ok()) {
        *target = value;
    }
}

fn parse_score(kind: Option<&str>, number: Option<&str>) -> Option<Value> {
    let number: i32 = number?.parse().ok()?;
    match kind? {
        "cp" => Some(Value::Centi(number.max(-i32::MAX))),
        "mate" if number > 0 => Some(Value::WinIn(number.unsigned_abs())),
        "mate" => Some(Value::LossIn(number.unsigned_abs())),
        _ => None,
    }
}

/// The moves up to the first illegal one.
fn parse_pv<'a>(position: &AnyPosition, words: impl Iterator<Item = &'a str>) -> Vec<AnyMove> {
    let mut position = position.clone();
    let mut moves = Vec::new();
    for word in words {
        let Ok(m) = position.parse_uci_move(word) else {
            break;
        };
        position.play(m);
        moves.push(m);
    }
    moves
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tablero_chess::Chess;
    use tablero_core::{AnyGame, conformance};

    use super::*;

    fn start() -> AnyPosition {
        AnyGame::of::<Chess>().start()
    }

    fn sample() -> AnyInfo {
        let e4 = start().parse_move("e4").expect("legal");
        let e5 = start().after(e4).parse_move("e5").expect("legal");
        let line = |value, moves| Pv { value: ForMover(value), moves };
        AnyInfo {
            depth: 7,
            seldepth: 9,
            nodes: 1234,
            time: Duration::from_millis(100),
            hashfull: Some(12),
            exact: false,
            lines: vec![line(Value::Centi(-34), vec![e4, e5]), line(Value::LossIn(3), vec![e4])],
        }
    }

    #[test]
    fn info_lines_follow_the_specification() {
        assert_eq!(
            format_info(&sample(), &start(), true),
            "info depth 7 seldepth 9 multipv 1 score cp -34 wdl 208 451 341 nodes 1234 nps 12340 \
             hashfull 12 time 100 pv e2e4 e7e5\n\
             info depth 7 seldepth 9 multipv 2 score mate -3 wdl 0 0 1000 nodes 1234 nps 12340 \
             hashfull 12 time 100 pv e2e4\n"
        );
    }

    #[test]
    fn formatted_lines_parse_to_the_same_info() {
        let mut info = AnyInfo::default();
        for line in format_info(&sample(), &start(), true).lines() {
            assert!(parse_info(line, &start(), &mut info));
        }
        assert_eq!(info, sample());
    }

    #[test]
    fn info_lines_of_other_engines_are_parsed() {
        let mut info = AnyInfo::default();
        assert!(!parse_info("info depth 3", &start(), &mut info));
        assert!(!parse_info("info string pv e2e4 score cp 3", &start(), &mut info));
        let line = "info depth 12 seldepth 15 score cp 20 upperbound time 5 nodes 77 pv e2e4 e7e9";
        assert!(parse_info(line, &start(), &mut info));
        assert_eq!((info.depth, info.nodes, info.lines[0].moves.len()), (12, 77, 1));
        assert!(!parse_info("info multipv 9 score cp 1 pv e2e4", &start(), &mut info));
        assert!(!parse_info("info multipv 0 score cp 1 pv e2e4", &start(), &mut info));
    }

    #[test]
    fn no_line_panics() {
        let text = format_info(&sample(), &start(), true);
        let samples: Vec<&[u8]> = text.lines().map(str::as_bytes).collect();
        conformance::check_reader(&samples, 20_000, 4, |bytes| {
            let line = String::from_utf8_lossy(bytes);
            let _ = parse_info(&line, &start(), &mut AnyInfo::default());
        });
    }
}
