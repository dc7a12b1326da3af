//! Special cases of a program whose arrays have open sizes.
//!
//! A run for small sizes is a run of the program, and far easier to find: the lowering replaces its
//! arrays by their elements, and unfolds its quantifiers.

use std::collections::HashMap;
use std::sync::Arc;

use engines::{Observation, SpecialCase};
use lang::{NodeId, Program, SizeAtom};
use lower::Lowered;
use num_bigint::BigInt;
use syntax::SourceMap;
use system::{Property, PropertyKind};

use crate::run::AnalysisOptions;
use crate::run_values;

/// The sizes to try.
const SIZES: std::ops::RangeInclusive<u32> = 1..=4;

/// The largest number of special cases.
const MAX_CASES: usize = 16;

pub(crate) struct SizedCase {
    pub lowered: Lowered,
    pub observed: Vec<Observation>,
}

impl From<&SizedCase> for SpecialCase {
    fn from(case: &SizedCase) -> SpecialCase {
        SpecialCase {
            system: Arc::new(case.lowered.system.clone()),
            observed: case.observed.clone(),
        }
    }
}

/// The program with small sizes; none if all its sizes are known.
pub(crate) fn special_cases(
    program: &Program,
    sources: &SourceMap,
    node: NodeId,
    options: &AnalysisOptions,
    whole: &Lowered,
) -> Vec<SizedCase> {
    let mut cases = Vec::new();
    for fixed in sizes(&whole.parameters) {
        let options = lower::LowerOptions {
            fixed,
            ..options.lower.clone()
        };
        if let Ok(mut lowered) = lower::lower(program, sources, node, &options) {
            align(&mut lowered, whole);
            let observed = run_values::observed(&lowered).observed;
            cases.push(SizedCase { lowered, observed });
        }
    }
    cases
}

/// Combinations of small sizes, the smallest first.
fn sizes(parameters: &[SizeAtom]) -> Vec<HashMap<SizeAtom, BigInt>> {
    if parameters.is_empty() {
        return Vec::new();
    }
    let mut all: Vec<Vec<u32>> = vec![Vec::new()];
    for _ in parameters {
        let longer = all.iter().flat_map(|sizes| {
            SIZES.map(|size| sizes.iter().copied().chain([size]).collect::<Vec<u32>>())
        });
        all = longer.collect();
        all.sort_by_key(|sizes| sizes.iter().sum::<u32>());
        all.truncate(MAX_CASES);
    }
    let fixed = |sizes: Vec<u32>| {
        let values = sizes.into_iter().map(BigInt::from);
        parameters.iter().copied().zip(values).collect()
    };
    all.into_iter().map(fixed).collect()
}

/// Puts the properties of the special case into the order of the whole system. A property without
/// counterpart is replaced by one that no run decides.
fn align(case: &mut Lowered, whole: &Lowered) {
    let own: HashMap<String, Property> = case
        .system
        .properties
        .drain(..)
        .map(|property| (property.name.clone(), property))
        .collect();
    let aligned = whole.system.properties.iter().map(|wanted| {
        let found = own.get(&wanted.name).filter(|p| p.kind == wanted.kind);
        found.cloned().unwrap_or_else(|| Property {
            term: system::boolean(wanted.kind == PropertyKind::Invariant),
            ..wanted.clone()
        })
    });
    case.system.properties = aligned.collect();
    case.origins = whole.origins.clone();
}
