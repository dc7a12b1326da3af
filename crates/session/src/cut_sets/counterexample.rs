//! Counterexamples that confirm a cut set.
//!
//! Each is searched again in the program without the elements of the set, and replayed in the
//! interpreter, where the streams of these elements are choices. So both semantics confirm a cut
//! set.

use std::collections::BTreeMap;
use std::time::Duration;

use analysis::{Counterexample, NoCounterexample, Removal, Subject};
use lower::Place;
use system::PropertyId;
use traceability::{Granularity, Part, Set};

use crate::analysed::Analysed;
use crate::elements::Elements;

/// The search for a run of given length whose last step violates one of the properties, without the
/// elements of a set.
pub struct CounterexampleSearch<'w> {
    pub set: &'w Set,
    pub properties: &'w [PropertyId],
    pub steps: usize,
    /// The timeout of the search.
    pub time: Duration,
}

/// Looks for such a run.
pub fn find(
    elements: &Elements,
    analysed: &Analysed,
    granularity: Granularity,
    wanted: &CounterexampleSearch,
) -> Result<Counterexample, NoCounterexample> {
    let Some(removals) = removals(elements, granularity, wanted.set) else {
        let why = "only parts of a structured stream fail";
        return Err(NoCounterexample::Unable(why.to_owned()));
    };
    let subject = Subject {
        program: analysed.program,
        sources: analysed.sources(),
        top: analysed.top,
        options: &elements.options.lower,
        context: &elements.options.settings.context(),
    };
    let mut reason = NoCounterexample::None;
    for property in wanted.properties {
        let origin = &elements.lowered.origins[property.0];
        match subject.counterexample(&removals, origin, wanted.steps, Some(wanted.time)) {
            Err(NoCounterexample::None) => {}
            Err(NoCounterexample::Unable(why)) => reason = NoCounterexample::Unable(why),
            answer => return answer,
        }
    }
    Err(reason)
}

/// The parts to remove from the program; `None` if that is not possible: the parts of a flat model
/// may be single scalars of a stream.
fn removals(elements: &Elements, granularity: Granularity, set: &Set) -> Option<Vec<Removal>> {
    let parts = &elements.model.parts;
    let in_program = |part: &Part| elements.lowered.parts[part.id.0 as usize];
    if granularity == Granularity::Stateful {
        let parts = set.iter().map(|at| in_program(&parts[*at]));
        return Some(parts.map(Removal::everywhere).collect());
    }
    let mut counts: BTreeMap<Removal, (usize, usize)> = BTreeMap::new();
    for (at, part) in parts.iter().enumerate() {
        let removal = Removal {
            part: in_program(part),
            place: place(elements, part).cloned(),
        };
        let (all, failed) = counts.entry(removal).or_default();
        *all += 1;
        *failed += usize::from(set.contains(&at));
    }
    let mut removals = Vec::new();
    for (removal, (all, failed)) in counts {
        match failed {
            0 => {}
            _ if failed == all => removals.push(removal),
            _ => return None,
        }
    }
    Some(removals)
}

/// The instance that a part of a flat model belongs to.
fn place<'e>(elements: &'e Elements, part: &Part) -> Option<&'e Place> {
    let places = &elements.lowered.places;
    let mut streams = part.streams.iter();
    let mut constraints = part.constraints.iter();
    streams
        .find_map(|var| places.stream(*var))
        .or_else(|| constraints.find_map(|at| places.constraint(*at)))
}
