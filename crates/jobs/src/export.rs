//! The metrics of a job for other programs: CSV, and the event files of TensorBoard.

use std::collections::HashMap;
use std::fmt::Write as _;

use crate::Event;

/// The events as CSV: time, stage, generation, steps, and a column for every metric.
pub fn events_csv(events: &[Event]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for metric in events.iter().flat_map(|event| &event.progress.metrics) {
        if !names.contains(&metric.name.as_str()) {
            names.push(&metric.name);
        }
    }
    let mut csv = String::from("time,stage,generation,done,total,message");
    names.iter().for_each(|name| csv.extend([",", &quoted(name)]));
    csv.push('\n');
    for Event { at, progress } in events {
        let (stage, generation) = progress.stage.as_ref().map_or_else(Default::default, |stage| {
            (quoted(&stage.name), stage.generation.to_string())
        });
        let total = progress.total.map_or_else(String::new, |total| total.to_string());
        let (done, message) = (progress.done, quoted(&progress.message));
        let _ = write!(csv, "{at:.3},{stage},{generation},{done},{total},{message}");
        for name in &names {
            let value = progress.metric(name);
            csv.extend([",", &value.map_or_else(String::new, |value| value.to_string())]);
        }
        csv.push('\n');
    }
    csv
}

/// A CSV field.
fn quoted(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.into(),
    }
}

/// The events as an event file of TensorBoard: a scalar `stage/metric` for every metric, counted from 0.
///
/// Such a file is a sequence of records (length, masked CRC-32C, protocol buffer `Event`, masked CRC-32C).
pub fn tensorboard_events(events: &[Event]) -> Vec<u8> {
    const VERSION: &[u8] = b"brain.Event:2";
    let mut file = Vec::new();
    let started = events.first().map_or(0.0, |event| event.at);
    let mut version = double_field(1, started);
    version.extend(bytes_field(3, VERSION));
    write_record(&mut file, &version);
    let mut steps: HashMap<String, u64> = HashMap::new();
    for Event { at, progress } in events {
        for metric in &progress.metrics {
            let stage = progress.stage.as_ref().map(|stage| format!("{}/", stage.name));
            let tag = format!("{}{}", stage.unwrap_or_default(), metric.name);
            let step = steps.entry(tag.clone()).or_default();
            write_record(&mut file, &scalar_event(*at, *step, &tag, metric.value as f32));
            *step += 1;
        }
    }
    file
}

/// `Event { wall_time, step, summary: Summary { value: [Value { tag, simple_value }] } }`.
fn scalar_event(at: f64, step: u64, tag: &str, value: f32) -> Vec<u8> {
    let mut scalar = bytes_field(1, tag.as_bytes());
    scalar.push(2 << 3 | 5);
    scalar.extend(value.to_le_bytes());
    let mut event = double_field(1, at);
    event.push(2 << 3);
    event.extend(varint(step));
    event.extend(bytes_field(5, &bytes_field(1, &scalar)));
    event
}

/// A protocol-buffer field of type `double`.
fn double_field(number: u8, value: f64) -> Vec<u8> {
    let mut field = vec![number << 3 | 1];
    field.extend(value.to_le_bytes());
    field
}

/// A protocol-buffer field of type `string`, `bytes` or message.
fn bytes_field(number: u8, content: &[u8]) -> Vec<u8> {
    let mut field = vec![number << 3 | 2];
    field.extend(varint(content.len() as u64));
    field.extend(content);
    field
}

fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}

fn write_record(file: &mut Vec<u8>, data: &[u8]) {
    let length = (data.len() as u64).to_le_bytes();
    file.extend(length);
    file.extend(masked_crc(&length).to_le_bytes());
    file.extend(data);
    file.extend(masked_crc(data).to_le_bytes());
}

/// A CRC-32C as TensorFlow stores it, lest the CRC of data with CRCs be weak.
fn masked_crc(data: &[u8]) -> u32 {
    crc32c::crc32c(data).rotate_right(15).wrapping_add(0xa282_ead8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Progress;

    fn events() -> Vec<Event> {
        let start = Progress::new(1, None).with_message("generation 1: \"games\", all");
        let trained = Progress::new(5, Some(9)).with_stage("training", 2).with_metric("loss", 0.25);
        vec![
            Event { at: 1000.5, progress: start },
            Event { at: 1001.25, progress: trained.with_metric("games/h", 12.5) },
        ]
    }

    #[test]
    fn csv_has_a_column_for_every_metric() {
        let expected = "time,stage,generation,done,total,message,loss,games/h\n\
            1000.500,,,1,,\"generation 1: \"\"games\"\", all\",,\n\
            1001.250,training,2,5,9,,0.25,12.5\n";
        assert_eq!(events_csv(&events()), expected);
    }

    /// Bytes that the `tensorboard` package (2.20) writes for a version record and for scalar `elo` of step 300.
    #[test]
    fn event_files_are_those_of_tensorboard() {
        let version =
            "1800000000000000a37f4b22090000000000448f401a0d627261696e2e4576656e743a32aba33345";
        let scalar =
            "1a00000000000000129bd82d0900000000004a8f4010ac022a0c0a0a0a03656c6f1500004841c001c6a6";
        let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        let mut record = Vec::new();
        write_record(&mut record, &scalar_event(1001.25, 300, "elo", 12.5));
        assert_eq!(hex(&record), scalar);
        let file = tensorboard_events(&events());
        assert_eq!(hex(&file[..version.len() / 2]), version);
        let count =
            |text: &str| file.windows(text.len()).filter(|part| *part == text.as_bytes()).count();
        assert_eq!((count("training/loss"), count("training/games/h")), (1, 1));
    }
}
