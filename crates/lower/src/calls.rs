//! Contracts at calls: what the caller has to prove, and what it may assume.
//!
//! The assumptions of a callee are properties at the call. While they have held
//! so far, since the callee started or was restarted, and its inputs were in their
//! ranges, the caller may rely on what the contract promises, if there is no body,
//! and on what was proved of the callee before.

use lang::{Contract, Expr, ExprKind, Mode, Node, PropertyKind as Kind, VarClass, VarId};
use syntax::ast::NodeKind;
use system::{Property, PropertyKind, Source, Term, and, boolean, implies, or};

use crate::instance::{InstanceId, TOP};
use crate::lowerer::Lowerer;
use crate::properties::has_range;
use crate::{Check, Lower, Part};

impl<'p> Lowerer<'p> {
    /// The callees: their assumptions are owed, and what they promise is
    /// checked, or taken for granted where there is no body.
    pub(crate) fn below(&mut self, id: InstanceId) -> Lower<()> {
        for child in self.all_children(id)? {
            let node = self.node_of(child);
            let assumed = self.assumptions(child)?;
            self.argument_ranges(child)?;
            if node.has_body && self.options.subproperties {
                if let Some(contract) = &node.contract {
                    self.promises(child, contract)?;
                }
                self.body(child)?;
            } else if node.has_body {
                self.assertions(child)?;
            }
            self.rely(child, &assumed)?;
            self.below(child)?;
        }
        Ok(())
    }

    /// The assumptions of a callee are properties; gives back that all hold.
    fn assumptions(&mut self, id: InstanceId) -> Lower<Term> {
        let mut assumed = Vec::new();
        let contract = self.node_of(id).contract.iter();
        let clauses = contract.flat_map(|contract| &contract.assumptions);
        for (at, clause) in clauses.enumerate() {
            let term = self.scalar(id, &clause.expr, &[])?;
            // As Kind 2 names it: without the imports that lead to it.
            let name = match &clause.name {
                Some(name) => name.clone(),
                None => format!("assume{}", self.place(clause.span)),
            };
            let (check, source) = (Check::Assumption(at), Source::Assumption);
            self.check(id, &name, term.clone(), check, source, clause.span);
            assumed.push(term);
        }
        Ok(and(assumed))
    }

    /// The declared range of an input is an assumption like others: a node that is
    /// analysed by itself takes it for granted, and each call owes it, whatever the type
    /// of the argument. Inside the callee nothing is assumed.
    fn argument_ranges(&mut self, id: InstanceId) -> Lower<()> {
        for input in &self.node_of(id).inputs {
            self.range_checks(id, *input, Source::Assumption)?;
        }
        Ok(())
    }

    /// That a stream stays within its ranges is a property, one for each scalar.
    pub(crate) fn range_checks(&mut self, id: InstanceId, var: VarId, by: Source) -> Lower<()> {
        let declared = self.node_of(id).var(var);
        if !has_range(self.program, &declared.ty) {
            return Ok(());
        }
        let shape = self.var(id, var)?;
        let ranges = self.ranges_of(&declared.ty, &shape);
        for range in ranges.into_iter().filter(|range| !range.is_enum()) {
            let (name, check) = (range.name(declared.name), Check::Range(var, range.place));
            self.check(id, &name, range.term, check, by, declared.span);
        }
        Ok(())
    }

    /// What holds of a callee while its assumptions have held so far.
    fn rely(&mut self, id: InstanceId, assumed: &Term) -> Lower<()> {
        let node = self.node_of(id);
        let options = self.options;
        let proved = options.proved.get(&self.instances[id.0].node);
        let proved = proved.map_or(&[][..], Vec::as_slice);
        let contract = node.contract.as_ref().filter(|_| !node.has_body);
        if proved.is_empty() && contract.is_none() {
            return Ok(());
        }
        let mut assumed = vec![assumed.clone()];
        assumed.extend(self.input_ranges(id)?);
        let owed = self.owed(id, &and(assumed));
        if let Some(contract) = contract {
            self.grant(id, contract, &owed)?;
        }
        for check in proved {
            if let Some(term) = self.proved(id, *check)? {
                let tick = self.context(id).tick;
                self.restrict(vec![implies(&and([tick, owed.clone()]), &term)]);
            }
        }
        Ok(())
    }

    /// That the inputs lie in their declared ranges. Whoever analyses the node
    /// takes it for granted; an argument may lie outside of them.
    fn input_ranges(&mut self, id: InstanceId) -> Lower<Vec<Term>> {
        let node = self.node_of(id);
        let mut found = Vec::new();
        for input in &node.inputs {
            let ty = &node.var(*input).ty;
            if has_range(self.program, ty) {
                let shape = self.var(id, *input)?;
                found.extend(self.ranges(ty, &shape, true));
            }
        }
        Ok(found)
    }

    /// When an instance owes its promises. A function forgets at once.
    fn owed(&mut self, id: InstanceId, assumed: &Term) -> Term {
        let stateless = self.node_of(id).kind == NodeKind::Function;
        if stateless || *assumed == boolean(true) {
            return assumed.clone();
        }
        let (now, kept) = self.so_far(id, assumed, "assumptions");
        // Where all assumptions hold, they have held so far: a lemma that proofs
        // about the caller need.
        self.system.properties.push(Property {
            name: format!("{}assumptions", self.prefix(id)),
            term: kept,
            kind: PropertyKind::Invariant,
            source: Source::Generated,
            span: self.node_of(id).span,
            hidden: true,
        });
        self.add_origin(id, Check::Hidden);
        self.instances[id.0].owed = Some(now.clone());
        now
    }

    /// Something that was proved of the node of an instance, in its terms;
    /// nothing if it speaks of what is not there.
    fn proved(&mut self, id: InstanceId, check: Check) -> Lower<Option<Term>> {
        let node = self.node_of(id);
        let contract = node.contract.as_ref();
        let known = |expr: &Expr| node.has_body || speaks_of_contract(node, expr);
        Ok(match (check, contract) {
            (Check::Property(at), _) => {
                let Some(property) = node.properties.get(at) else {
                    return Ok(None);
                };
                let guard = match &property.kind {
                    Kind::Invariant => None,
                    Kind::Provided(guard) => Some(guard),
                    Kind::Reachable { .. } => return Ok(None),
                };
                if !known(&property.expr) || !guard.is_none_or(known) {
                    return Ok(None);
                }
                let term = self.scalar(id, &property.expr, &[])?;
                Some(match guard {
                    Some(guard) => implies(&self.scalar(id, guard, &[])?, &term),
                    None => term,
                })
            }
            // Without a body, the contract was granted already.
            (Check::Guarantee(at), Some(contract)) if node.has_body => {
                let clause = &contract.guarantees[at];
                Some(self.scalar(id, &clause.expr, &[])?)
            }
            (Check::Ensure(mode, at), Some(contract)) if node.has_body => {
                let mode = &contract.modes[mode];
                let active = self.active(id, mode)?;
                let term = self.scalar(id, &mode.ensures[at].expr, &[])?;
                Some(implies(&active, &term))
            }
            (Check::Range(var, place), _) if node.has_body => {
                let shape = self.var(id, var)?;
                let ranges = self.ranges_of(&node.var(var).ty, &shape).into_iter();
                let proved = ranges.filter(|range| !range.is_enum() && range.is_at(place));
                Some(and(proved.map(|range| range.term)))
            }
            _ => None,
        })
    }

    /// What an abstract node promises holds while its assumptions have held.
    fn grant(&mut self, id: InstanceId, contract: &'p Contract, owed: &Term) -> Lower<()> {
        let node = self.instances[id.0].node;
        for (at, clause) in contract.guarantees.iter().enumerate() {
            let term = self.scalar(id, &clause.expr, &[])?;
            self.constrain(id, implies(owed, &term), Part::Guarantee(node, at))?;
        }
        for (number, mode) in contract.modes.iter().enumerate() {
            let active = self.active(id, mode)?;
            for (at, clause) in mode.ensures.iter().enumerate() {
                let term = self.scalar(id, &clause.expr, &[])?;
                let term = implies(&and([owed.clone(), active.clone()]), &term);
                self.constrain(id, term, Part::Ensure(node, number, at))?;
            }
        }
        self.grant_ranges(id, owed)
    }

    /// The outputs of an abstracted node are within their ranges. (Those of an
    /// imported node always are.)
    fn grant_ranges(&mut self, id: InstanceId, owed: &Term) -> Lower<()> {
        let node = self.node_of(id);
        let outputs = node.outputs.iter();
        for output in outputs.filter(|_| node.abstracted) {
            let ty = &node.var(*output).ty;
            if !has_range(self.program, ty) {
                continue;
            }
            let shape = self.var(id, *output)?;
            let tick = self.context(id).tick;
            let ranges = self.ranges(ty, &shape, true).into_iter();
            let owed = and([tick, owed.clone()]);
            let ranges = ranges.map(|range| implies(&owed, &range)).collect();
            self.restrict(ranges);
        }
        Ok(())
    }

    /// Modes must account for all that the contract allows.
    pub(crate) fn contract_alone(&mut self, contract: &'p Contract) -> Lower<()> {
        self.top_assumptions(contract)?;
        self.grant(TOP, contract, &boolean(true))?;
        let mut active = Vec::new();
        for mode in &contract.modes {
            active.push(self.active(TOP, mode)?);
        }
        let modes: Vec<&Mode> = contract.modes.iter().collect();
        if let Some(first) = reported_mode(&modes, 0) {
            let scope: String = first
                .scope
                .iter()
                .map(|i| format!("{}.", i.contract))
                .collect();
            let name = format!("{scope}_one_mode_active");
            let term = or(active.clone());
            let check = Check::OneModeActive;
            self.check(TOP, &name, term, check, Source::OneModeActive, first.span);
        }
        for (number, (mode, active)) in contract.modes.iter().zip(active).enumerate() {
            self.reach_mode(TOP, number, mode, active);
        }
        self.below(TOP)
    }
}

/// The mode whose contract and position are reported with the property that the modes
/// are exhaustive: the first mode of the contract that is imported last, as in Kind 2.
fn reported_mode<'p>(modes: &[&'p Mode], depth: usize) -> Option<&'p Mode> {
    let imports = modes.iter().filter_map(|mode| mode.scope.get(depth));
    match imports.max_by_key(|import| (import.span.file, import.span.start)) {
        None => modes.first().copied(),
        Some(last) => {
            let inner = modes.iter().filter(|m| m.scope.get(depth) == Some(last));
            reported_mode(&inner.copied().collect::<Vec<_>>(), depth + 1)
        }
    }
}

/// Does an expression depend on nothing but the contract of the node?
fn speaks_of_contract(node: &Node, expr: &Expr) -> bool {
    let mut known = match &expr.kind {
        ExprKind::Var(var) => node.var(*var).class != VarClass::Local,
        ExprKind::Call(call, _) => node.call(*call).in_contract,
        ExprKind::Choice(_) | ExprKind::Pre(_, Some(_)) => false,
        _ => true,
    };
    expr.for_each_part(|part| known &= speaks_of_contract(node, part));
    known
}
