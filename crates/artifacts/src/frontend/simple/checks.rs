//! Properties and constraints.

use lang::{Contract, Expr, Node, PropertyKind, Type, VarClass, VarId};
use syntax::ast::NodeKind;

use super::value::{Val, conjunction, in_type, parts};
use super::{Check, Key, Path, Simple, Translator, Variable, not_covered};

impl<'p> Translator<'p> {
    /// Adds the properties and constraints of an instance and of those below it.
    pub(super) fn instance(&mut self, path: &Path) -> Simple<()> {
        let node = self.node(path)?;
        if path.is_empty() && !node.has_body {
            let what = format!("`{}`, which has no body, as the top node", node.name);
            return not_covered(what).map_err(|error| error.at(node.span));
        }
        let own = node.has_body && (path.is_empty() || self.subproperties);
        for assertion in node.asserts.iter().filter(|_| node.has_body) {
            let constraint = self.when_it_runs(path, &assertion.expr, None)?;
            self.system.constraints.push(constraint);
        }
        if own {
            self.own_properties(path, node)?;
        }
        if !path.is_empty() {
            self.argument_ranges(path, node)?;
        }
        if let Some(contract) = &node.contract {
            self.assumptions(path, contract)?;
            match node.has_body {
                true if own => self.promises(path, contract)?,
                true => {}
                false => self.granted(path, node, contract)?,
            }
        }
        for call in node.live_calls() {
            for below in self.instances_of(path, call)? {
                self.instance(&below)?;
            }
        }
        Ok(())
    }

    fn own_properties(&mut self, path: &Path, node: &'p Node) -> Simple<()> {
        for (at, property) in node.properties.iter().enumerate() {
            let guard = match &property.kind {
                PropertyKind::Invariant => None,
                PropertyKind::Provided(guard) => Some(guard),
                PropertyKind::Reachable { .. } => continue,
            };
            let text = self.when_it_runs(path, &property.expr, guard)?;
            self.owe(path, Check::Property(at), text);
        }
        for id in node.var_ids() {
            let var = node.var(id);
            let shown = matches!(
                var.class,
                VarClass::Output | VarClass::Local | VarClass::Ghost
            );
            if shown && var.def.is_some() && self.has_range(&var.ty)? {
                self.owe_ranges(path, id)?;
            }
        }
        Ok(())
    }

    /// Adds the properties that the inputs of callees are in their ranges.
    fn argument_ranges(&mut self, path: &Path, node: &'p Node) -> Simple<()> {
        for input in &node.inputs {
            if self.has_range(&node.var(*input).ty)? {
                self.owe_ranges(path, *input)?;
            }
        }
        Ok(())
    }

    /// Adds the property that a stream is in the ranges of its type.
    fn owe_ranges(&mut self, path: &Path, id: VarId) -> Simple<()> {
        let tick = self.at(path)?.tick;
        for (at, range) in self.ranges(path, id, false)?.into_iter().enumerate() {
            self.owe(path, Check::Range(id, at), format!("(=> {tick} {range})"));
        }
        Ok(())
    }

    /// The range conditions of the scalars of a stream.
    fn ranges(&mut self, path: &Path, id: VarId, enumerations: bool) -> Simple<Vec<String>> {
        self.stream(path, id)?;
        let key = Key::Stream(path.clone(), id);
        let Some(Variable { scalars, types, .. }) = self.system.variables.get(&key) else {
            return not_covered("a range of an input");
        };
        let names = scalars.iter().map(|(name, _)| name).zip(types);
        let ranges = names.filter(|(_, ty)| match ty {
            Type::Enum(_) => enumerations,
            ty => matches!(ty, Type::Range(_)),
        });
        let ranges = ranges.filter_map(|(name, ty)| in_type(self.program, ty, name));
        Ok(ranges.collect())
    }

    fn has_range(&self, ty: &Type) -> Simple<bool> {
        Ok(match parts(self.program, ty)? {
            Some(parts) => {
                let mut found = false;
                for (_, ty) in &parts {
                    found |= self.has_range(ty)?;
                }
                found
            }
            None => matches!(ty, Type::Range(_)),
        })
    }

    fn owe(&mut self, path: &Path, check: Check, text: String) {
        let key = (path.clone(), check);
        self.system.properties.insert(key, text);
    }

    /// Assumptions of the top node are constraints, those of other nodes properties.
    fn assumptions(&mut self, path: &Path, contract: &'p Contract) -> Simple<()> {
        for (at, clause) in contract.assumptions.iter().enumerate() {
            let text = self.when_it_runs(path, &clause.expr, None)?;
            match path.is_empty() {
                true => self.system.constraints.push(text),
                false => self.owe(path, Check::Assumption(at), text),
            }
        }
        Ok(())
    }

    /// The guarantees of a contract are properties.
    fn promises(&mut self, path: &Path, contract: &'p Contract) -> Simple<()> {
        for (check, promise) in self.promised(path, contract)? {
            let tick = self.at(path)?.tick;
            self.owe(path, check, format!("(=> {tick} {promise})"));
        }
        Ok(())
    }

    /// The guarantees of a contract, and the ensured conditions of its modes.
    fn promised(&mut self, path: &Path, contract: &'p Contract) -> Simple<Vec<(Check, String)>> {
        let mut all = Vec::new();
        for (at, clause) in contract.guarantees.iter().enumerate() {
            let text = self.expr(path, &clause.expr)?.scalar()?.to_owned();
            all.push((Check::Guarantee(at), text));
        }
        for (number, mode) in contract.modes.iter().enumerate() {
            for (at, clause) in mode.ensures.iter().enumerate() {
                let active = self.stream(path, mode.active)?;
                let ensured = self.expr(path, &clause.expr)?;
                let text = format!("(=> {} {})", active.scalar()?, ensured.scalar()?);
                all.push((Check::Ensure(number, at), text));
            }
        }
        Ok(all)
    }

    /// The guarantees of a node without a body are constraints. The ranges of the outputs of an
    /// imported node always hold; where a contract stands for a body, they are guarantees.
    fn granted(&mut self, path: &Path, node: &'p Node, contract: &'p Contract) -> Simple<()> {
        let owed = self.owed(path, node, contract)?;
        let promised = self.promised(path, contract)?;
        let mut promised: Vec<String> = promised.into_iter().map(|(_, text)| text).collect();
        for output in node.outputs.iter().filter(|_| node.abstracted) {
            if self.has_range(&node.var(*output).ty)? {
                promised.extend(self.ranges(path, *output, true)?);
            }
        }
        let tick = self.at(path)?.tick;
        let granted = promised.iter();
        let granted = granted.map(|promise| format!("(=> (and {tick} {owed}) {promise})"));
        self.system.constraints.extend(granted);
        Ok(())
    }

    /// The condition under which the guarantees of an instance hold: its assumptions and the ranges
    /// of its inputs hold and, except for functions, have held since it was started.
    fn owed(&mut self, path: &Path, node: &'p Node, contract: &'p Contract) -> Simple<String> {
        let mut assumed = Vec::new();
        for clause in &contract.assumptions {
            assumed.push(self.expr(path, &clause.expr)?.scalar()?.to_owned());
        }
        for input in &node.inputs {
            if self.has_range(&node.var(*input).ty)? {
                assumed.extend(self.ranges(path, *input, true)?);
            }
        }
        let now = conjunction(&assumed);
        if assumed.is_empty() || node.kind == NodeKind::Function {
            return Ok(now);
        }
        let key = Key::Assumptions(path.clone());
        let name = self.name(path, "!assumptions");
        let before = self.variable(key.clone(), &Type::Bool, &name)?;
        let (before, instance) = (before.scalar()?.to_owned(), self.at(path)?);
        let so_far = format!("(and {now} (or {} {before}))", instance.first);
        let next = format!("(ite {} {so_far} {before})", instance.tick);
        self.set_memory(&key, None, Val::Scalar(next));
        Ok(so_far)
    }

    /// The formula that an expression holds whenever the instance runs and a guard holds.
    fn when_it_runs(
        &mut self,
        path: &Path,
        expr: &'p Expr,
        guard: Option<&'p Expr>,
    ) -> Simple<String> {
        let mut text = self.expr(path, expr)?.scalar()?.to_owned();
        if let Some(guard) = guard {
            text = format!("(=> {} {text})", self.expr(path, guard)?.scalar()?);
        }
        Ok(format!("(=> {} {text})", self.at(path)?.tick))
    }
}
