//! The traceability matrix, as a table for people and for files.

use std::fmt::Write;

use results::{ElementReport, Matrix, Need, Row};
use syntax::{Position, printable};

use crate::text::Style;

fn colour(need: Need) -> &'static str {
    match need {
        Need::Must => "31",
        Need::May => "33",
        Need::Open => "36",
        Need::Irrelevant => "2",
    }
}

/// A line for each element, a column for each property.
pub fn csv(matrix: &Matrix) -> String {
    let head = ["node", "category", "element", "file", "line", "column"];
    let head = head
        .into_iter()
        .chain(matrix.properties.iter().map(String::as_str));
    let mut out = line(head);
    for row in &matrix.rows {
        let element = &row.element;
        let Position { line: at, column } = element.position;
        let (at, column) = (at.to_string(), column.to_string());
        let place = [
            &element.node,
            element.category.name(),
            &element.name,
            &element.file,
            &at,
            &column,
        ];
        let needs = row.needs.iter().map(|need| need.name());
        out += &line(place.into_iter().chain(needs));
    }
    out
}

/// A table for people.
pub(crate) fn text(matrix: &Matrix, style: Style) -> String {
    let mut out = format!("Traceability of {}:\n", matrix.top);
    for (at, name) in matrix.properties.iter().enumerate() {
        let _ = writeln!(out, "  P{} = {name}", at + 1);
    }
    let names: Vec<String> = matrix.rows.iter().map(name).collect();
    let width = names.iter().map(|name| name.chars().count()).max();
    let width = width.unwrap_or(0) + 4;
    let cells = (1..=matrix.properties.len()).map(|at| format!(" {:>4}", format!("P{at}")));
    let _ = write!(out, "\n{:width$}{}", "", cells.collect::<String>());
    let mut node = None;
    for (row, name) in matrix.rows.iter().zip(names) {
        if node != Some(&row.element.node) {
            node = Some(&row.element.node);
            let _ = write!(out, "\n  Node {}", row.element.node);
        }
        let cells = row.needs.iter().map(|need| {
            let cell = format!("{:>4}", need.cell());
            format!(" {}", style.paint(colour(*need), &cell))
        });
        let _ = write!(
            out,
            "\n{:width$}{}",
            format!("    {name}"),
            cells.collect::<String>()
        );
    }
    let _ = writeln!(out, "\n\n  {}.\n", matrix.summary());
    out
}

fn name(row: &Row) -> String {
    let ElementReport {
        category,
        name,
        position,
        ..
    } = &row.element;
    let Position { line, column } = position;
    format!("{} {name} [l{line}c{column}]", category.title())
}

/// A line of a table whose cells are separated by commas.
fn line<'c>(cells: impl Iterator<Item = &'c str>) -> String {
    let cells = cells.map(printable);
    let cells = cells.map(|cell| match cell.contains([',', '"', '\n']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.into_owned(),
    });
    cells.collect::<Vec<_>>().join(",") + "\n"
}
