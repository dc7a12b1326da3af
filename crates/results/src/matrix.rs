//! The traceability matrix: which property needs which element of the model.

use std::collections::BTreeMap;
use std::fmt::Write;

use syntax::Span;

use crate::elements::ElementReport;

/// Whether the proofs of a property need an element.
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

    /// The text in a table cell.
    pub fn cell(self) -> &'static str {
        match self {
            Need::Must => "MUST",
            Need::May => "MAY",
            Need::Open => "?",
            Need::Irrelevant => "-",
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
    /// The strongest need among all properties.
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
}
