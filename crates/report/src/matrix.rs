//! The traceability matrix: which property needs which element of the model.

use std::collections::BTreeMap;
use std::fmt::Write;

use syntax::{Position, Span, printable};

use crate::elements::ElementReport;
use crate::text::Style;

/// What an element is to a property.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Need {
    /// No minimal core has it.
    Irrelevant,
    /// Not decided in time.
    Open,
    /// Some minimal core has it.
    May,
    /// All of them have it: alone, it is a cut set.
    Must,
}

impl Need {
    pub const ALL: [Need; 4] = [Need::Must, Need::May, Need::Open, Need::Irrelevant];

    pub fn name(self) -> &'static str {
        match self {
            Need::Must => "must",
            Need::May => "may",
            Need::Open => "unknown",
            Need::Irrelevant => "irrelevant",
        }
    }

    /// In the cells of a table for people.
    pub fn cell(self) -> &'static str {
        match self {
            Need::Must => "MUST",
            Need::May => "MAY",
            Need::Open => "?",
            Need::Irrelevant => "-",
        }
    }

    fn colour(self) -> &'static str {
        match self {
            Need::Must => "31",
            Need::May => "33",
            Need::Open => "36",
            Need::Irrelevant => "2",
        }
    }
}

#[derive(Clone, Debug)]
pub struct Row {
    pub element: ElementReport,
    pub span: Span,
    /// By property.
    pub needs: Vec<Need>,
}

impl Row {
    /// What it is to the property that needs it most.
    pub fn most(&self) -> Need {
        let most = self.needs.iter().max();
        most.copied().unwrap_or(Need::Irrelevant)
    }
}

#[derive(Clone, Debug)]
pub struct Matrix {
    /// The node that was analysed.
    pub top: String,
    pub properties: Vec<String>,
    /// By node.
    pub rows: Vec<Row>,
}

impl Matrix {
    /// How many elements are of each kind, for the property that needs them most.
    pub fn counts(&self) -> BTreeMap<Need, usize> {
        let mut counts = BTreeMap::new();
        for row in &self.rows {
            *counts.entry(row.most()).or_insert(0) += 1;
        }
        counts
    }

    /// A sentence about [`Matrix::counts`].
    pub fn summary(&self) -> String {
        let counts = self.counts();
        let count = |need| counts.get(&need).copied().unwrap_or(0);
        let mut text = format!(
            "Of {} elements {} are MUST, {} MAY and {} irrelevant to all properties",
            self.rows.len(),
            count(Need::Must),
            count(Need::May),
            count(Need::Irrelevant)
        );
        if count(Need::Open) > 0 {
            let _ = write!(text, ", {} not decided in time", count(Need::Open));
        }
        text
    }

    /// A line for each element, a column for each property.
    pub fn csv(&self) -> String {
        let head = ["node", "category", "element", "file", "line", "column"];
        let head = head
            .into_iter()
            .chain(self.properties.iter().map(String::as_str));
        let mut out = line(head);
        for row in &self.rows {
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
    pub(crate) fn text(&self, style: Style) -> String {
        let mut out = format!("Traceability of {}:\n", self.top);
        for (at, name) in self.properties.iter().enumerate() {
            let _ = writeln!(out, "  P{} = {name}", at + 1);
        }
        let names: Vec<String> = self.rows.iter().map(name).collect();
        let width = names.iter().map(|name| name.chars().count()).max();
        let width = width.unwrap_or(0) + 4;
        let cells = (1..=self.properties.len()).map(|at| format!(" {:>4}", format!("P{at}")));
        let _ = write!(out, "\n{:width$}{}", "", cells.collect::<String>());
        let mut node = None;
        for (row, name) in self.rows.iter().zip(names) {
            if node != Some(&row.element.node) {
                node = Some(&row.element.node);
                let _ = write!(out, "\n  Node {}", row.element.node);
            }
            let cells = row.needs.iter().map(|need| {
                let cell = format!("{:>4}", need.cell());
                format!(" {}", style.paint(need.colour(), &cell))
            });
            let _ = write!(
                out,
                "\n{:width$}{}",
                format!("    {name}"),
                cells.collect::<String>()
            );
        }
        let _ = writeln!(out, "\n\n  {}.\n", self.summary());
        out
    }
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
