//! Tables of values separated by commas.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::files;

/// The records of a table whose fields may be quoted and have many lines.
pub(crate) fn records(csv: &str) -> Vec<Vec<String>> {
    let mut records = Vec::new();
    let mut record = vec![String::new()];
    let mut quoted = false;
    let mut rest = csv.chars().peekable();
    while let Some(next) = rest.next() {
        let last = record.len() - 1;
        match next {
            '"' if quoted && rest.peek() == Some(&'"') => {
                rest.next();
                record[last].push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => record.push(String::new()),
            '\n' if !quoted => records.push(std::mem::replace(&mut record, vec![String::new()])),
            '\r' if !quoted => {}
            _ => record[last].push(next),
        }
    }
    records
}

/// The rows of a table, by the names of its columns.
pub(crate) fn rows(path: &Path) -> Vec<BTreeMap<String, String>> {
    let mut records = records(&files::read(path)).into_iter();
    let heads = records.next().unwrap_or_default();
    let row = |cells: Vec<String>| heads.iter().cloned().zip(cells).collect();
    records.map(row).collect()
}

/// The names in a cell.
pub(crate) fn listed(cell: &str) -> BTreeSet<String> {
    let names = cell.split(';').filter(|name| !name.is_empty());
    names.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_may_have_commas_and_lines() {
        let read = records("a,\"b,\n\"\"c\"\"\",d\r\ne,f,g\n");
        let first = ["a", "b,\n\"c\"", "d"].map(String::from).to_vec();
        let second = ["e", "f", "g"].map(String::from).to_vec();
        assert_eq!(read, vec![first, second]);
    }
}
