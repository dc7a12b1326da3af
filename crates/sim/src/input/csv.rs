//! CSV: one line for each input, its name and its values, or one column for
//! each input with the names in the first line.

use super::json::Json;
use super::{InputError, is_division};

/// Kind 2's layout has a line for each input: `x, 1, 2, 3`. A file whose first
/// line holds names only has a line for each step.
pub(super) fn rows(text: &str) -> Result<Vec<Vec<(String, Json)>>, InputError> {
    let lines: Vec<Vec<&str>> = text
        .lines()
        .map(|line| line.trim())
        .filter(|line| !line.is_empty() && !line.starts_with('#') && !line.starts_with("--"))
        .map(|line| line.split(',').map(str::trim).collect())
        .collect();
    let Some(first) = lines.first() else {
        return Ok(Vec::new());
    };
    let names_only = first.iter().all(|cell| is_name(cell)) && lines.len() > 1;
    let first_column_names = lines.iter().all(|line| is_name(line[0]));
    if names_only && !first_column_names {
        return by_columns(&lines);
    }
    by_lines(&lines)
}

fn by_lines(lines: &[Vec<&str>]) -> Result<Vec<Vec<(String, Json)>>, InputError> {
    let steps = lines.iter().map(|line| line.len() - 1).max().unwrap_or(0);
    let mut rows = vec![Vec::new(); steps];
    for line in lines {
        let name = line[0];
        if !is_name(name) {
            return Err(InputError::new(format!(
                "each line starts with the name of an input, not with `{name}`"
            )));
        }
        for (step, cell) in line[1..].iter().enumerate() {
            rows[step].push((name.to_owned(), value(cell)));
        }
    }
    Ok(rows)
}

fn by_columns(lines: &[Vec<&str>]) -> Result<Vec<Vec<(String, Json)>>, InputError> {
    let names = &lines[0];
    let mut rows = Vec::new();
    for (step, line) in lines[1..].iter().enumerate() {
        if line.len() != names.len() {
            let message = format!("expected {} values, found {}", names.len(), line.len());
            return Err(InputError::new(message).at_step(step));
        }
        let cells = names.iter().zip(line);
        rows.push(
            cells
                .map(|(name, cell)| ((*name).to_owned(), value(cell)))
                .collect(),
        );
    }
    Ok(rows)
}

fn is_name(cell: &str) -> bool {
    let mut chars = cell.chars();
    let starts = chars
        .next()
        .is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
    (starts && cell != "true" && cell != "false") || is_division(cell)
}

fn value(cell: &str) -> Json {
    match cell {
        "true" => Json::Bool(true),
        "false" => Json::Bool(false),
        text => Json::Text(text.to_owned()),
    }
}
