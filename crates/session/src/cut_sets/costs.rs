//! The costs of the failure of elements, from a file.
//!
//! A line is `node,element,cost`; the element may be in quotes, as its name may
//! have commas. A first line with these three words is skipped.

use std::path::Path;

use traceability::Part;

/// A line of the file.
#[derive(Debug)]
struct Entry {
    number: usize,
    node: String,
    element: String,
    cost: u32,
}

#[derive(Debug, Default)]
pub struct Costs {
    file: String,
    entries: Vec<Entry>,
}

impl Costs {
    /// Reads a file; the error says what is wrong with it.
    pub fn read(path: &Path) -> Result<Costs, String> {
        let file = path.display().to_string();
        let text = std::fs::read_to_string(path);
        let text = text.map_err(|error| format!("cannot read {file}: {error}"))?;
        let mut entries = Vec::new();
        for (at, line) in text.lines().enumerate() {
            let line = line.trim();
            let head = at == 0 && line.replace(' ', "") == "node,element,cost";
            if line.is_empty() || head {
                continue;
            }
            let number = at + 1;
            let entry = entry(number, line).ok_or_else(|| {
                format!("{file}:{number}: expected `node,element,cost` with a cost from 1 on")
            });
            entries.push(entry?);
        }
        Ok(Costs { file, entries })
    }

    /// Sets the costs of parts; returns messages about lines that fit no part.
    pub fn apply(&self, parts: &mut [Part]) -> Vec<String> {
        let mut unknown = Vec::new();
        for entry in &self.entries {
            let is_meant = |part: &&mut Part| {
                part.element.node == entry.node && part.element.name == entry.element
            };
            let mut found = false;
            for part in parts.iter_mut().filter(is_meant) {
                part.cost = entry.cost;
                found = true;
            }
            if !found {
                let Entry {
                    number,
                    node,
                    element,
                    ..
                } = entry;
                unknown.push(format!(
                    "{}:{number}: no element `{element}` of {node} is looked at",
                    self.file
                ));
            }
        }
        unknown
    }
}

fn entry(number: usize, line: &str) -> Option<Entry> {
    let (node, rest) = line.split_once(',')?;
    let (element, cost) = rest.rsplit_once(',')?;
    let element = element.trim();
    let quoted = element
        .strip_prefix('"')
        .and_then(|inner| inner.strip_suffix('"'));
    let element = quoted.map_or(element.to_owned(), |inner| inner.replace("\"\"", "\""));
    let cost = cost.trim().parse().ok().filter(|cost| *cost > 0)?;
    Some(Entry {
        number,
        node: node.trim().to_owned(),
        element,
        cost,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read() {
        let entry = |line| entry(1, line).map(|e| (e.node, e.element, e.cost));
        let expected = |name: &str, cost| Some(("f".to_owned(), name.to_owned(), cost));
        assert_eq!(entry("f, x ,3"), expected("x", 3));
        assert_eq!(entry("f,\"a, \"\"b\"\"\",12"), expected("a, \"b\"", 12));
        assert_eq!(entry("f,a, b,2"), expected("a, b", 2));
        for wrong in ["f,x", "f,x,0", "f,x,-1", "f,x,much", "x"] {
            assert_eq!(entry(wrong), None, "{wrong}");
        }
    }
}
