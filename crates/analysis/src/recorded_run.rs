//! The values that determine a run, recorded to run it again, for example on the same program with
//! other nodes abstract.

use std::collections::HashMap;

use lang::{ChoiceId, ConstId, NodeId, Program, Type, Value};
use lower::Origin;
use sim::{ChoiceSite, InstancePath, Oracle, SimError, Undefined};

use crate::replay::{self, Claim, Mismatch};

/// The inputs, free constants and choices of a run, and the values of operations outside of their
/// domain.
#[derive(Clone, Debug, Default)]
pub struct RecordedRun {
    pub(crate) consts: HashMap<ConstId, Value>,
    /// By step, in the order of their declaration.
    pub(crate) inputs: Vec<Vec<Value>>,
    choices: HashMap<Site, Value>,
    unknowns: HashMap<Undefined, Value>,
}

/// Where and when a choice is made.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Site {
    path: InstancePath,
    choice: ChoiceId,
    indices: Vec<usize>,
    step: usize,
}

impl From<&ChoiceSite> for Site {
    fn from(site: &ChoiceSite) -> Site {
        Site {
            path: site.path.clone(),
            choice: site.choice,
            indices: site.indices.clone(),
            step: site.step,
        }
    }
}

/// An oracle that records the choices of another one.
pub(crate) struct Recorder<'a> {
    oracle: &'a mut dyn Oracle,
    choices: HashMap<Site, Value>,
    unknowns: HashMap<Undefined, Value>,
}

impl<'a> Recorder<'a> {
    pub fn new(oracle: &'a mut dyn Oracle) -> Recorder<'a> {
        Recorder {
            oracle,
            choices: HashMap::new(),
            unknowns: HashMap::new(),
        }
    }

    /// The recorded run, with the choices that were made.
    pub fn recorded(self, consts: HashMap<ConstId, Value>, inputs: Vec<Vec<Value>>) -> RecordedRun {
        RecordedRun {
            consts,
            inputs,
            choices: self.choices,
            unknowns: self.unknowns,
        }
    }
}

impl Oracle for Recorder<'_> {
    fn choose(&mut self, site: &ChoiceSite) -> Option<Value> {
        let value = self.oracle.choose(site)?;
        self.choices.insert(site.into(), value.clone());
        Some(value)
    }

    fn unknown(
        &mut self,
        undefined: &Undefined,
        name: &str,
        ty: &Type,
    ) -> Result<Option<Value>, SimError> {
        let value = self.oracle.unknown(undefined, name, ty)?;
        let known = value.iter().cloned();
        self.unknowns
            .extend(known.map(|value| (undefined.clone(), value)));
        Ok(value)
    }
}

/// An oracle that repeats recorded choices. A choice that is not recorded gets its default value:
/// any value is allowed.
struct Playback<'s>(&'s RecordedRun);

impl Oracle for Playback<'_> {
    fn choose(&mut self, site: &ChoiceSite) -> Option<Value> {
        self.0.choices.get(&Site::from(site)).cloned()
    }

    fn unknown(
        &mut self,
        undefined: &Undefined,
        _: &str,
        _: &Type,
    ) -> Result<Option<Value>, SimError> {
        Ok(self.0.unknowns.get(undefined).cloned())
    }
}

/// The result of running a recorded run again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Rerun {
    /// It is a run of the program that decides the property as before.
    Same,
    /// It is not.
    Other,
    /// The interpreter cannot decide this.
    Unable,
}

impl RecordedRun {
    /// Runs a node of a program on the recorded values.
    pub(crate) fn rerun(&self, program: &Program, top: NodeId, origin: &Origin) -> Rerun {
        match replay::play(
            program,
            top,
            &self.consts,
            &self.inputs,
            &mut Playback(self),
            Claim::Decides(origin),
        ) {
            Ok(played) if played.gaps.is_empty() => Rerun::Same,
            Ok(_) | Err(Mismatch::Unable(_)) => Rerun::Unable,
            Err(Mismatch::Disagrees(_)) => Rerun::Other,
        }
    }
}
