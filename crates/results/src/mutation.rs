//! Mutants and their verdicts.
//!
//! Two scores are shown: of the mutants that are not equivalent to the original, and of all. A
//! mutant that could not be decided, or was not reached before the timeout, counts as not killed.
//! Without mutants there is no score.

use std::collections::BTreeMap;

use syntax::{Position, Span};

use crate::trace::Block;

/// The mutants of one analysis.
#[derive(Clone, Debug, Default)]
pub struct MutationReport {
    /// The node that was analysed.
    pub top: String,
    /// The properties that mutants are judged by.
    pub properties: Vec<String>,
    /// All of them, in the order of the source.
    pub mutants: Vec<MutantReport>,
    /// How many of them were undecided when the search was stopped.
    pub left: usize,
    /// The equations that no property depends on, which are not mutated: node and
    /// stream.
    pub independent: Vec<String>,
    pub seconds: f64,
}

#[derive(Clone, Debug)]
pub struct MutantReport {
    pub file: String,
    pub node: String,
    pub position: Position,
    /// What is changed, in the source.
    pub span: Span,
    /// The mutator, by the name that options use.
    pub mutator: &'static str,
    /// The change.
    pub name: String,
    pub equation: EquationReport,
    pub verdict: MutantVerdict,
    /// The search is done with it, decided or not.
    pub is_settled: bool,
    /// The properties that the mutant violates.
    pub killed_by: Vec<String>,
    /// Those that could not be decided.
    pub undecided: Vec<String>,
    /// The length of the shortest run that violates a property.
    pub steps: Option<usize>,
    /// That run, if it is to be shown, and the property that it violates.
    pub counterexample: Option<(String, Block)>,
    pub seconds: f64,
}

/// The equation that a mutant is in, or the argument that is like one.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct EquationReport {
    pub name: String,
    pub span: Span,
    pub line: usize,
    pub column: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum MutantVerdict {
    Killed,
    Survived,
    /// Survived, since it is equivalent to the original.
    Equivalent,
    Unknown,
}

impl MutantVerdict {
    pub fn name(self) -> &'static str {
        match self {
            MutantVerdict::Killed => "KILLED",
            MutantVerdict::Survived | MutantVerdict::Equivalent => "SURVIVED",
            MutantVerdict::Unknown => "UNKNOWN",
        }
    }
}

/// How many mutants there are of each kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Score {
    pub killed: usize,
    pub survived: usize,
    pub equivalent: usize,
    pub unknown: usize,
}

impl Score {
    pub fn of<'m>(mutants: impl IntoIterator<Item = &'m MutantReport>) -> Score {
        let mut score = Score::default();
        for mutant in mutants {
            match mutant.verdict {
                MutantVerdict::Killed => score.killed += 1,
                MutantVerdict::Survived => score.survived += 1,
                MutantVerdict::Equivalent => score.equivalent += 1,
                MutantVerdict::Unknown => score.unknown += 1,
            }
        }
        score
    }

    pub fn total(self) -> usize {
        self.different() + self.equivalent
    }

    /// Those that are not equivalent.
    pub fn different(self) -> usize {
        self.killed + self.survived + self.unknown
    }

    /// Per cent of the mutants that are not equivalent, if there are any.
    pub fn percent(self) -> Option<f64> {
        percent(self.killed, self.different())
    }

    /// Per cent of all mutants, if there are any.
    pub fn percent_of_all(self) -> Option<f64> {
        percent(self.killed, self.total())
    }
}

fn percent(part: usize, all: usize) -> Option<f64> {
    (all > 0).then(|| 100.0 * part as f64 / all as f64)
}

impl MutationReport {
    pub fn score(&self) -> Score {
        Score::of(&self.mutants)
    }

    /// How many mutants each property kills.
    pub fn kills(&self) -> Vec<(&str, usize)> {
        let kills = |name: &String| {
            let mutants = self.mutants.iter();
            mutants.filter(|m| m.killed_by.contains(name)).count()
        };
        let all = self.properties.iter();
        all.map(|name| (name.as_str(), kills(name))).collect()
    }

    /// A sentence about those that were left when the search was stopped, if any were.
    pub fn unsettled(&self) -> Option<String> {
        let (left, all, top) = (self.left, self.mutants.len(), &self.top);
        (left > 0).then(|| {
            format!(
                "{left} of {all} mutants of {top} were not settled in time: they count as not \
                 killed"
            )
        })
    }

    /// The scores of nodes and of their equations.
    pub fn by_node(&self) -> BTreeMap<&str, Vec<&MutantReport>> {
        let mut nodes: BTreeMap<&str, Vec<&MutantReport>> = BTreeMap::new();
        for mutant in &self.mutants {
            nodes.entry(&mutant.node).or_default().push(mutant);
        }
        nodes
    }
}

/// The mutants of each equation, in the order of the source.
pub fn by_equation<'m>(
    mutants: &[&'m MutantReport],
) -> Vec<(&'m EquationReport, Vec<&'m MutantReport>)> {
    let mut equations: BTreeMap<(Span, &str), Vec<&MutantReport>> = BTreeMap::new();
    for mutant in mutants {
        let key = (mutant.equation.span, mutant.equation.name.as_str());
        equations.entry(key).or_default().push(mutant);
    }
    let equations = equations.into_values();
    equations
        .map(|mutants| (&mutants[0].equation, mutants))
        .collect()
}
