//! Traces as tables: a line for each stream, a column for each step.

use lang::Program;
use syntax::ast::NodeKind;

use crate::trace::{Block, StreamClass, value_text};

/// What stands for a value at a step where the instance is not active.
const ABSENT: &str = "_";

/// The block and all below it, each with its path from the top node.
pub fn trace(program: &Program, top: &Block) -> String {
    let mut out = String::new();
    let mut open = vec![(top, String::new())];
    while let Some((block, path)) = open.pop() {
        table(program, block, &path, &mut out);
        for child in block.children.iter().rev() {
            let mut below = match path.is_empty() {
                true => block.name.clone(),
                false => format!("{path} / {}", block.name),
            };
            if let Some((_, position)) = &child.site {
                below.push_str(&format!("[l{}c{}]", position.line, position.column));
            }
            open.push((child, below));
        }
    }
    out
}

fn table(program: &Program, block: &Block, path: &str, out: &mut String) {
    let kind = match block.kind {
        NodeKind::Node => "Node",
        NodeKind::Function => "Function",
    };
    out.push_str(&format!("{kind} {} ({path})\n", block.name));
    let cells: Vec<Vec<String>> = block
        .streams
        .iter()
        .map(|stream| {
            let values = stream.values.iter();
            values
                .map(|value| match value {
                    Some(value) => value_text(program, value),
                    None => ABSENT.to_owned(),
                })
                .collect()
        })
        .collect();
    let names = block
        .streams
        .iter()
        .map(|stream| stream.name.len())
        .max()
        .unwrap_or(0);
    let width = cells.iter().flatten().map(String::len).max().unwrap_or(0);
    for class in StreamClass::ALL {
        let mut titled = false;
        for (stream, cells) in block.streams.iter().zip(&cells) {
            if stream.class != class {
                continue;
            }
            if !std::mem::replace(&mut titled, true) {
                let title = match class {
                    StreamClass::Input => "Inputs",
                    StreamClass::Output => "Outputs",
                    StreamClass::Ghost => "Ghosts",
                    StreamClass::Local => "Locals",
                };
                out.push_str(&format!("  == {title} ==\n"));
            }
            out.push_str(&format!("  {}", stream.name));
            pad(out, stream.name.len(), names);
            for cell in cells {
                out.push(' ');
                pad(out, cell.len(), width);
                out.push_str(cell);
            }
            out.push('\n');
        }
    }
    out.push('\n');
}

/// Fills up a cell. Numbers may be wider than the 65535 that format strings
/// can fill up to.
fn pad(out: &mut String, length: usize, width: usize) {
    out.extend(std::iter::repeat_n(' ', width.saturating_sub(length)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_may_be_very_wide() {
        let mut out = String::new();
        pad(&mut out, 3, 100_000);
        assert_eq!(out.len(), 99_997);
        pad(&mut out, 3, 2);
        assert_eq!(out.len(), 99_997);
    }
}
