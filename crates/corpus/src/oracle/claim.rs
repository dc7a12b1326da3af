//! What is claimed of an instance of a node: properties, promises, ranges.

use super::model::*;

/// Something that is checked of an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Claim {
    Property(usize),
    /// The condition of a `provided` can hold.
    Guard(usize),
    /// A stream stays within its declared range.
    Range(VarId),
    Guarantee(usize),
    Ensure(usize, usize),
    /// A mode can be active.
    ModeReachable(usize),
    /// Some mode is always active; of a contract alone.
    OneModeActive,
    /// The caller sees to what a callee assumes.
    Assumption(usize),
    /// An argument lies within the range of the input.
    ArgumentRange(VarId),
}

impl Claim {
    /// Is it to be reached, or to hold always?
    pub fn is_reachability(self, node: &Node) -> bool {
        match self {
            Claim::Guard(_) | Claim::ModeReachable(_) => true,
            Claim::Property(at) => {
                matches!(node.properties[at].kind, PropertyKind::Reachable { .. })
            }
            _ => false,
        }
    }
}

/// What an instance is to the analysis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Top,
    /// The contract of the top node, without its body.
    ContractAlone,
    Callee,
}

/// All claims of an instance, in a fixed order.
pub fn claims(node: &Node, role: Role) -> Vec<Claim> {
    let mut claims = Vec::new();
    let contract = node.contract.as_ref();
    let modes = contract.map_or(&[][..], |contract| &contract.modes);
    if role == Role::ContractAlone {
        claims.push(Claim::OneModeActive);
        claims.extend((0..modes.len()).map(Claim::ModeReachable));
        return claims;
    }
    if role == Role::Callee {
        let assumptions = contract.map_or(0, |contract| contract.assumptions.len());
        claims.extend((0..assumptions).map(Claim::Assumption));
        let inputs = node.of_class(Class::Input);
        let ranged = inputs.filter(|id| matches!(node.vars[*id].ty, Type::Range(..)));
        claims.extend(ranged.map(Claim::ArgumentRange));
    }
    if !node.has_body() {
        return claims;
    }
    for (at, property) in node.properties.iter().enumerate() {
        claims.push(Claim::Property(at));
        if matches!(property.kind, PropertyKind::Provided(_)) {
            claims.push(Claim::Guard(at));
        }
    }
    for (id, var) in node.vars.iter().enumerate() {
        let own = !matches!(node.definitions[id], Definition::Input);
        if own && matches!(var.ty, Type::Range(..)) {
            claims.push(Claim::Range(id));
        }
    }
    if let Some(contract) = contract {
        claims.extend((0..contract.guarantees.len()).map(Claim::Guarantee));
    }
    for (number, mode) in modes.iter().enumerate() {
        claims.extend((0..mode.ensures.len()).map(|at| Claim::Ensure(number, at)));
        claims.push(Claim::ModeReachable(number));
    }
    claims
}
