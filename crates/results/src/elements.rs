//! Sets of model elements: cores, MUST sets and cut sets.

use syntax::Position;

use crate::trace::Block;

/// The kind of a set.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SetClass {
    Must,
    MustComplement,
    Ivc,
    IvcComplement,
    Mcs,
    McsComplement,
    /// Clauses of a contract that no outputs keep.
    Conflict,
}

impl SetClass {
    /// The name in the schemas.
    pub fn name(self) -> &'static str {
        match self {
            SetClass::Must => "must",
            SetClass::MustComplement => "must complement",
            SetClass::Ivc => "ivc",
            SetClass::IvcComplement => "ivc complement",
            SetClass::Mcs => "mcs",
            SetClass::McsComplement => "mcs complement",
            SetClass::Conflict => "conflicting constraints",
        }
    }

    pub fn title(self) -> &'static str {
        match self {
            SetClass::Must => "MUST",
            SetClass::MustComplement => "MUST complement",
            SetClass::Ivc => "IVC",
            SetClass::IvcComplement => "IVC complement",
            SetClass::Mcs => "MCS",
            SetClass::McsComplement => "MCS complement",
            SetClass::Conflict => "CONFLICTING CONSTRAINTS",
        }
    }
}

/// The kind of an element, for people and for the schemas.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ElementCategory {
    NodeCall,
    Assumption,
    Guarantee,
    Require,
    Ensure,
    Equation,
    /// The schemas do not have faults: a fault is an equation there.
    Fault,
    Assertion,
}

impl ElementCategory {
    /// The name in the JSON schema.
    pub fn name(self) -> &'static str {
        match self {
            ElementCategory::NodeCall => "nodeCall",
            ElementCategory::Assumption => "assumption",
            ElementCategory::Guarantee => "guarantee",
            ElementCategory::Require => "require",
            ElementCategory::Ensure => "ensure",
            ElementCategory::Equation | ElementCategory::Fault => "equation",
            ElementCategory::Assertion => "assertion",
        }
    }

    pub fn title(self) -> &'static str {
        match self {
            ElementCategory::NodeCall => "Node call",
            ElementCategory::Assumption => "Assumption",
            ElementCategory::Guarantee => "Guarantee",
            ElementCategory::Require => "Require",
            ElementCategory::Ensure => "Ensure",
            ElementCategory::Equation => "Equation",
            ElementCategory::Fault => "Fault",
            ElementCategory::Assertion => "Assertion",
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ElementReport {
    pub category: ElementCategory,
    pub name: String,
    pub node: String,
    pub file: String,
    pub position: Position,
}

#[derive(Clone, Debug)]
pub struct ElementSet {
    pub class: SetClass,
    /// By node.
    pub elements: Vec<ElementReport>,
    /// The property it belongs to, if not to all.
    pub property: Option<String>,
    pub approximate: bool,
    pub seconds: f64,
    pub counterexample: Option<Block>,
}

/// Why there is no set.
#[derive(Clone, Debug)]
pub struct NoElementSet {
    pub class: SetClass,
    pub property: Option<String>,
    /// There is none, or none was found in time.
    pub unknown: bool,
    pub seconds: f64,
}

impl ElementSet {
    /// The elements of each node.
    pub fn nodes(&self) -> Vec<(&str, &[ElementReport])> {
        let by_node = self.elements.chunk_by(|a, b| a.node == b.node);
        by_node.map(|all| (all[0].node.as_str(), all)).collect()
    }
}
