//! Grids: a table with `grid = { NAME = [VALUES] }` stands for one table per combination of values.
//!
//! In the copies `{NAME}` is replaced by the value, in every string; a string that is nothing else becomes the value
//! itself, so that numbers stay numbers.

use toml::{Table, Value};

use crate::ExperimentError;

/// Tables that one grid may stand for.
const MAX_COMBINATIONS: usize = 64;
/// The key.
const GRID: &str = "grid";

/// Replaces all tables with grids in arrays of tables.
pub(crate) fn expand(value: &mut Value) -> Result<(), ExperimentError> {
    match value {
        Value::Array(items) => {
            let mut expanded = Vec::with_capacity(items.len());
            for mut item in items.drain(..) {
                let grid = item.as_table_mut().and_then(|table| table.remove(GRID));
                let copies = match grid {
                    Some(grid) => copies(&item, &grid)?,
                    None => vec![item],
                };
                for mut copy in copies {
                    expand(&mut copy)?;
                    expanded.push(copy);
                }
            }
            *items = expanded;
        }
        Value::Table(fields) => {
            for (_, field) in fields.iter_mut() {
                expand(field)?;
            }
        }
        _ => {}
    }
    Ok(())
}

/// One copy of `item` per combination, the last name varying fastest.
fn copies(item: &Value, grid: &Value) -> Result<Vec<Value>, ExperimentError> {
    let wrong = |what: &str| ExperimentError::Plan(format!("`grid` {what}"));
    let axes: &Table = grid.as_table().ok_or_else(|| wrong("is a table of lists"))?;
    let mut copies = vec![item.clone()];
    for (name, values) in axes {
        let values = values.as_array().filter(|values| !values.is_empty());
        let values =
            values.ok_or_else(|| wrong(&format!("needs a list of values for `{name}`")))?;
        if copies.len() * values.len() > MAX_COMBINATIONS {
            return Err(wrong(&format!("has more than {MAX_COMBINATIONS} combinations")));
        }
        let mut next = Vec::with_capacity(copies.len() * values.len());
        for copy in &copies {
            for value in values {
                let text = text(value).ok_or_else(|| wrong("takes strings and numbers"))?;
                let mut copy = copy.clone();
                substitute(&mut copy, &format!("{{{name}}}"), value, &text);
                next.push(copy);
            }
        }
        copies = next;
    }
    Ok(copies)
}

fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Float(number) => Some(number.to_string()),
        Value::Boolean(truth) => Some(truth.to_string()),
        _ => None,
    }
}

fn substitute(target: &mut Value, placeholder: &str, value: &Value, text: &str) {
    match target {
        Value::String(string) if string == placeholder => *target = value.clone(),
        Value::String(string) => *string = string.replace(placeholder, text),
        Value::Array(items) => {
            items.iter_mut().for_each(|item| substitute(item, placeholder, value, text));
        }
        Value::Table(fields) => {
            fields.iter_mut().for_each(|(_, item)| substitute(item, placeholder, value, text));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(text: &str) -> Result<Value, String> {
        let mut value: Value = toml::from_str(text).expect("valid TOML");
        expand(&mut value).map_err(|error| error.to_string())?;
        Ok(value)
    }

    #[test]
    fn a_grid_becomes_one_table_per_combination() {
        let value = expanded(
            "[[networks]]\nid = \"n-{size}-{lr}\"\nlr = \"{lr}\"\nother = \"{depth}\"\n\
             grid = { lr = [0.1, 0.01], size = [\"a\", \"b\"] }",
        );
        let value = value.expect("a grid");
        let networks = value["networks"].as_array().expect("a list");
        let ids: Vec<_> = networks.iter().map(|one| one["id"].as_str().unwrap()).collect();
        assert_eq!(ids, ["n-a-0.1", "n-b-0.1", "n-a-0.01", "n-b-0.01"]);
        assert_eq!(networks[3]["lr"].as_float(), Some(0.01));
        assert_eq!(networks[0]["other"].as_str(), Some("{depth}"), "not in the grid");
        assert!(networks[0].get(GRID).is_none());
    }

    #[test]
    fn wrong_grids_are_explained() {
        for (grid, part) in [
            ("3", "table of lists"),
            ("{ a = [] }", "list of values for `a`"),
            ("{ a = [[1]] }", "strings and numbers"),
            ("{ a = [1,2,3,4,5,6,7,8,9], b = [1,2,3,4,5,6,7,8,9] }", "more than 64 combinations"),
        ] {
            let error = expanded(&format!("[[x]]\ngrid = {grid}")).expect_err(grid);
            assert!(error.contains(part), "{grid}: {error}");
        }
    }
}
