//! Mutations of requests and messages, from a seed.

use serde_json::{Map, Value, json};
use tablero_core::Rng;

/// Texts that parsers tend to get wrong.
const TEXTS: [&str; 24] = [
    "",
    " ",
    "0",
    "-1",
    "1e999",
    "null",
    "human",
    "level",
    "level 99",
    "alphabeta depth=",
    "alphabeta depth=0 hash=99999999999",
    "uci /bin/sh",
    "random random",
    "'",
    "\"\\",
    "\0",
    "\u{feff}",
    "\u{202e}é\u{1f3b2}",
    "../../etc/passwd",
    "%2e%2e%2f",
    "job:evolution-1/1/1",
    "a1 a1 a1",
    "start moves -",
    "8/8/8/8/8/8/8/8 w - - 0 1",
];

fn text(rng: &mut Rng) -> String {
    match rng.below(8) {
        0 => "x".repeat(1 << rng.below(16)),
        1 => (0..rng.below(20)).map(|_| char::from(rng.below(128) as u8)).collect(),
        _ => (*rng.pick(&TEXTS).expect("a text")).to_owned(),
    }
}

/// A value out of nowhere.
fn value(rng: &mut Rng) -> Value {
    match rng.below(12) {
        0 => Value::Null,
        1 => json!(rng.below(2) == 1),
        2 => json!(rng.below(4)),
        3 => json!(-1),
        4 => json!(u64::MAX - rng.below(2)),
        5 => json!(i64::MIN),
        6 => json!(1e308),
        7 => json!([]),
        8 => (0..rng.below(200)).fold(json!({}), |inner, _| json!([inner])),
        9 => json!(vec![text(rng); rng.below(300) as usize]),
        _ => json!(text(rng)),
    }
}

/// Changes a part of a value.
pub(crate) fn mutate_value(rng: &mut Rng, target: &mut Value) {
    let is_leaf = match &*target {
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => true,
    };
    if is_leaf || rng.below(12) == 0 {
        *target = value(rng);
        return;
    }
    match target {
        Value::Array(items) => {
            let index = rng.below(items.len() as u64) as usize;
            match rng.below(6) {
                0 => drop(items.remove(index)),
                1 => items.push(items[index].clone()),
                _ => mutate_value(rng, &mut items[index]),
            }
        }
        Value::Object(fields) => mutate_fields(rng, fields),
        _ => {}
    }
}

fn mutate_fields(rng: &mut Rng, fields: &mut Map<String, Value>) {
    let keys: Vec<String> = fields.keys().cloned().collect();
    let Some(key) = rng.pick(&keys).cloned() else { return };
    match rng.below(8) {
        0 => drop(fields.remove(&key)),
        1 => drop(fields.insert(text(rng), value(rng))),
        _ => mutate_value(rng, fields.get_mut(&key).expect("a field")),
    }
}

/// Flips, inserts, repeats and removes bytes.
pub(crate) fn mutate_bytes(rng: &mut Rng, bytes: &mut Vec<u8>) {
    for _ in 0..=rng.below(4) {
        let at = rng.below(bytes.len() as u64 + 1) as usize;
        match rng.below(5) {
            0 if at < bytes.len() => bytes[at] ^= 1 << rng.below(8),
            1 => bytes.insert(at, rng.below(256) as u8),
            2 => bytes.truncate(at),
            3 => drop(bytes.splice(at..at, text(rng).into_bytes())),
            _ => {
                let part = bytes[at..].iter().copied().take(40).collect::<Vec<u8>>();
                bytes.splice(at..at, part);
            }
        }
    }
}

/// A segment of a path or the value of a query.
pub(crate) fn url_part(rng: &mut Rng) -> String {
    let raw = text(rng);
    match rng.below(3) {
        0 => {
            ["%", "%ff", "%00", "..", "-1", "4294967296", "+", "%2F"][rng.below(8) as usize].into()
        }
        _ => raw.bytes().map(|byte| format!("%{byte:02x}")).collect(),
    }
}
