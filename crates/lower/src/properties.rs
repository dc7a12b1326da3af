//! The properties and the assumptions of instances.

use lang::{Contract, Mode};
use syntax::Span;
use system::{Property, PropertyKind, Sort, Source, Term, and, implies};

use crate::instance::{InstanceId, TOP};
use crate::lowerer::Lowerer;
use crate::{Check, Lower, Origin, Part, View, part};

impl<'p> Lowerer<'p> {
    pub fn top_properties(&mut self) -> Lower<()> {
        let node = self.node_of(TOP);
        if self.options.view == View::Contract {
            if let Some(contract) = &node.contract {
                self.contract_alone(contract)?;
            }
            return Ok(());
        }
        self.body(TOP)?;
        if let Some(contract) = &node.contract {
            self.top_assumptions(contract)?;
            self.promises(TOP, contract)?;
        }
        self.below(TOP)
    }

    /// Assertions, properties and ranges of an instance.
    pub(crate) fn body(&mut self, id: InstanceId) -> Lower<()> {
        self.assertions(id)?;
        let node = self.node_of(id);
        for (at, property) in node.properties.iter().enumerate() {
            self.property(id, at, property)?;
        }
        self.declared_ranges(id)
    }

    fn property(&mut self, id: InstanceId, at: usize, property: &'p lang::Property) -> Lower<()> {
        let term = self.scalar(id, &property.expr, &[])?;
        let place = self.place(property.span);
        let named = |kind: &str| match &property.name {
            Some(name) => name.clone(),
            None => format!("{kind}{place}"),
        };
        match &property.kind {
            lang::PropertyKind::Invariant => {
                let (word, source) = match property.runtime {
                    Some(check) => (check.words(), Source::Generated),
                    None => ("InvProp", Source::Annotation),
                };
                let name = named(word);
                let check = Check::Property(at);
                self.check(id, &name, term, check, source, property.span);
            }
            lang::PropertyKind::Provided(guard) => {
                let guard_span = guard.span;
                let guard = self.scalar(id, guard, &[])?;
                let name = named("ProvProp");
                let term = implies(&guard, &term);
                let check = Check::Property(at);
                self.check(id, &name, term, check, Source::Annotation, property.span);
                let name = format!("Guard of {name}");
                self.reach(id, &name, guard, Check::Guard(at), guard_span);
            }
            lang::PropertyKind::Reachable { from, within } => {
                if self.options.reach {
                    let tick = self.context(id).tick;
                    let name = format!("{}{}", self.prefix(id), named("ReachProp"));
                    let late = match (*from, *within) {
                        (Some(from), None) => self.steps_before(from),
                        _ => system::boolean(true),
                    };
                    self.system.properties.push(Property {
                        name,
                        term: and([tick, term, late]),
                        kind: PropertyKind::Reachable {
                            from: *from,
                            within: *within,
                        },
                        source: Source::Annotation,
                        span: property.span,
                        hidden: false,
                    });
                    self.add_origin(id, Check::Property(at));
                }
            }
        }
        Ok(())
    }

    /// Have there been so many steps before this one? Bounded model checking counts them
    /// itself; for a proof the system must. The count stops there, so that a system with
    /// finitely many states stays one.
    fn steps_before(&mut self, count: u64) -> Term {
        if count == 0 {
            return system::boolean(true);
        }
        let (zero, all) = (system::integer(0), system::integer(count));
        let steps = self.state(&format!("steps up to {count}"), Sort::Int, Some(zero));
        let more = system::add([steps.clone(), system::integer(1)]);
        self.set_next(
            &steps,
            system::ite(&system::lt(&steps, &all), &more, &steps),
        );
        system::le(&all, &steps)
    }

    /// Streams of a subrange must stay within it. Those without a definition do, and are
    /// told of as Kind 2 does.
    fn declared_ranges(&mut self, id: InstanceId) -> Lower<()> {
        let node = self.node_of(id);
        for var_id in node.var_ids() {
            let var = node.var(var_id);
            let shown = matches!(
                var.class,
                lang::VarClass::Output | lang::VarClass::Local | lang::VarClass::Ghost
            );
            if !shown || var.def.is_none() {
                continue;
            }
            // What a node with a contract says of its outputs is a promise.
            let source = match node.contract.is_some() && var.class == lang::VarClass::Output {
                true => Source::Guarantee,
                false => Source::Generated,
            };
            self.range_checks(id, var_id, source)?;
        }
        Ok(())
    }

    /// Guarantees and modes are properties.
    pub(crate) fn promises(&mut self, id: InstanceId, contract: &'p Contract) -> Lower<()> {
        for (at, clause) in contract.guarantees.iter().enumerate() {
            let term = self.scalar(id, &clause.expr, &[])?;
            let name = part::named(clause, "guarantee", self.sources);
            let check = Check::Guarantee(at);
            self.check(id, &name, term, check, Source::Guarantee, clause.span);
        }
        for (number, mode) in contract.modes.iter().enumerate() {
            let active = self.active(id, mode)?;
            for (at, clause) in mode.ensures.iter().enumerate() {
                let term = self.scalar(id, &clause.expr, &[])?;
                let name = part::ensure_name(mode, clause, self.sources);
                let term = implies(&active, &term);
                let check = Check::Ensure(number, at);
                self.check(id, &name, term, check, Source::Ensure, clause.span);
            }
            self.reach_mode(id, number, mode, active);
        }
        Ok(())
    }

    pub(crate) fn active(&mut self, id: InstanceId, mode: &Mode) -> Lower<Term> {
        self.var(id, mode.active)?.leaf().cloned()
    }

    pub(crate) fn reach_mode(&mut self, id: InstanceId, number: usize, mode: &Mode, active: Term) {
        let scope = part::scope(&mode.scope, self.sources);
        let name = format!("{scope}{}{}", mode.name, self.place(mode.span));
        self.reach(id, &name, active, Check::ModeActive(number), mode.span);
    }

    pub(crate) fn assertions(&mut self, id: InstanceId) -> Lower<()> {
        let node = self.instances[id.0].node;
        for (at, assertion) in self.node_of(id).asserts.iter().enumerate() {
            let term = self.scalar(id, &assertion.expr, &[])?;
            self.constrain(id, term, Part::Assertion(node, at))?;
        }
        Ok(())
    }

    /// The assumptions of the top node hold.
    pub(crate) fn top_assumptions(&mut self, contract: &'p Contract) -> Lower<()> {
        let node = self.instances[TOP.0].node;
        for (at, clause) in contract.assumptions.iter().enumerate() {
            let term = self.scalar(TOP, &clause.expr, &[])?;
            self.constrain(TOP, term, Part::Assumption(node, at))?;
        }
        Ok(())
    }

    /// An invariant of an instance: it holds when the instance ticks. One that
    /// is settled may be used.
    pub(crate) fn check(
        &mut self,
        id: InstanceId,
        name: &str,
        term: Term,
        check: Check,
        source: Source,
        span: Span,
    ) {
        let term = implies(&self.context(id).tick, &term);
        let path = self.path(id);
        let origin = Origin { path, check };
        if self.options.settled.contains(&origin) {
            self.restrict(vec![term]);
            return;
        }
        let name = format!("{}{name}", self.prefix(id));
        self.system.properties.push(Property {
            name,
            term,
            kind: PropertyKind::Invariant,
            source,
            span,
            hidden: false,
        });
        self.origins.push(origin);
    }

    pub(crate) fn add_origin(&mut self, id: InstanceId, check: Check) {
        let path = self.path(id);
        self.origins.push(Origin { path, check });
    }

    /// A guard or a mode that should not be vacuous.
    fn reach(&mut self, id: InstanceId, name: &str, term: Term, check: Check, span: Span) {
        if !self.options.reach || !self.options.nonvacuity {
            return;
        }
        let term = and([self.context(id).tick, term]);
        let name = format!("{}{name}", self.prefix(id));
        self.system.properties.push(Property {
            name,
            term,
            kind: PropertyKind::Reachable {
                from: None,
                within: None,
            },
            source: Source::NonVacuity,
            span,
            hidden: false,
        });
        self.add_origin(id, check);
    }

    pub(crate) fn place(&self, span: Span) -> String {
        part::position(span, self.sources)
    }
}

pub(crate) fn has_range(program: &lang::Program, ty: &lang::Type) -> bool {
    match ty {
        lang::Type::Range(_) => true,
        lang::Type::Tuple(parts) => parts.iter().any(|part| has_range(program, part)),
        lang::Type::Record(id) => {
            let fields = &program.record(*id).fields;
            fields.iter().any(|(_, ty)| has_range(program, ty))
        }
        lang::Type::Array(array) => has_range(program, &array.element),
        _ => false,
    }
}
