//! Game boundaries for error recovery: reading resumes at the next tags that follow an empty line.

use super::is_tag_char;

/// The offset in `text` of the next game: a tag that follows an empty line.
pub(super) fn next_game(before: &str, text: &str) -> Option<usize> {
    let mut offset = 0;
    let mut after_empty = after_empty_line(before);
    for line in text.split_inclusive('\n') {
        if after_empty && tag_name(line).is_some() {
            return Some(offset);
        }
        after_empty = line.trim().is_empty();
        offset += line.len();
    }
    None
}

/// The length of a comment up to its `}`; `None` if the next game comes first.
pub(super) fn comment_len(text: &str) -> Option<usize> {
    let mut offset = 0;
    let mut after_empty = false;
    for line in text.split_inclusive('\n') {
        if after_empty && tag_name(line).is_some() {
            return None;
        }
        if let Some(end) = line.find('}') {
            return Some(offset + end);
        }
        after_empty = line.trim().is_empty();
        offset += line.len();
    }
    None
}

/// Whether a game starts between `before` and `after`.
pub(super) fn starts_game(before: &str, after: &str) -> bool {
    tag_name(after).is_some() && after_empty_line(before)
}

/// Whether the last line before the current one is empty.
pub(super) fn after_empty_line(before: &str) -> bool {
    let is_blank = |c: char| c.is_whitespace() && c != '\n';
    let line_end = before.trim_end_matches(is_blank).strip_suffix('\n');
    line_end.is_some_and(|line_end| {
        let previous = line_end.trim_end_matches(is_blank);
        previous.is_empty() || previous.ends_with('\n')
    })
}

/// The name of the tag with which `text` starts: `[Event "`.
pub(super) fn tag_name(text: &str) -> Option<&str> {
    let text = text.strip_prefix('[')?.trim_start();
    let (name, value) = text.split_at(text.find(|c| !is_tag_char(c))?);
    (!name.is_empty() && value.trim_start().starts_with('"')).then_some(name)
}
