//! Streams and memory, and their definitions.

use lang::{BoundId, ChoiceId, ConstId, Expr, ExprKind, Node, Type, VarClass, VarId};

use super::calls::bounds;
use super::value::{Val, size};
use super::{
    Bound, Bounds, Indices, Key, Path, PendingDefinition, Simple, Translator, not_covered,
};

impl<'p> Translator<'p> {
    /// Writes definitions until there are no more.
    pub(super) fn definitions(&mut self) -> Simple<()> {
        while let Some(open) = self.open.pop() {
            match open {
                PendingDefinition::Definition(key, path, expr, bounds) => {
                    self.bounds = bounds;
                    let value = self.expr(&path, expr)?;
                    self.bounds.clear();
                    self.define(&key, value);
                }
                PendingDefinition::Elements(key, path, id) => {
                    let var = self.node(&path)?.var(id);
                    let def = var.def.as_ref();
                    let def = def.map_or_else(|| not_covered("no definition"), Ok)?;
                    let value = self.elements(&path, &var.ty, &def.indices, &def.expr)?;
                    self.define(&key, value);
                }
                PendingDefinition::Memory(key, path, expr, bounds) => {
                    self.bounds = bounds;
                    let value = self.expr(&path, expr)?;
                    self.bounds.clear();
                    let tick = self.at(&path)?.tick;
                    let kept = self.known(&key).unwrap_or_else(|| value.clone());
                    let next = value.or_else(&tick, &kept)?;
                    self.set_memory(&key, None, next);
                }
                PendingDefinition::Loop(path, id) => self.looped(&path, id)?,
            }
        }
        Ok(())
    }

    /// `A[i][j] = expr`, for all values of the indices.
    fn elements(
        &mut self,
        path: &Path,
        ty: &Type,
        indices: &[BoundId],
        expr: &'p Expr,
    ) -> Simple<Val> {
        let Some((index, rest)) = indices.split_first() else {
            return self.expr(path, expr);
        };
        let Type::Array(array) = ty else {
            return not_covered("an array of another type");
        };
        let mut all = Vec::new();
        for at in 0..size(ty)? {
            self.bounds.push((*index, Bound::Index(at)));
            all.push(self.elements(path, &array.element, rest, expr)?);
            self.bounds.pop();
        }
        Ok(Val::Fields(all))
    }

    /// Where an instance runs, a stream that is chosen by its own value is what its
    /// definition says.
    fn looped(&mut self, path: &Path, id: VarId) -> Simple<()> {
        let var = self.node(path)?.var(id);
        let def = var.def.as_ref().filter(|def| def.indices.is_empty());
        let def = def.map_or_else(|| not_covered("a choice for each element"), Ok)?;
        let (value, defined) = (self.stream(path, id)?, self.expr(path, &def.expr)?);
        let tick = self.at(path)?.tick;
        let constraint = format!("(=> {tick} {})", value.equals(&defined)?);
        self.system.constraints.push(constraint);
        Ok(())
    }

    pub(super) fn stream(&mut self, path: &Path, id: VarId) -> Simple<Val> {
        let node = self.node(path)?;
        let span = node.var(id).span;
        let stream = self.stream_of(path, node, id);
        stream.map_err(|error| error.at(span))
    }

    fn stream_of(&mut self, path: &Path, node: &'p Node, id: VarId) -> Simple<Val> {
        let var = node.var(id);
        let is_input = matches!(var.class, VarClass::Input { .. });
        if is_input && path.is_empty() {
            return match self.known(&Key::Input(id)) {
                Some(val) => Ok(val),
                None => {
                    let name = self.name(path, var.name.as_str());
                    self.variable(Key::Input(id), &var.ty, &name)
                }
            };
        }
        let key = Key::Stream(path.clone(), id);
        if let Some(val) = self.known(&key) {
            return Ok(val);
        }
        let name = self.name(path, var.name.as_str());
        let val = self.variable(key.clone(), &var.ty, &name)?;
        if is_input {
            let (caller, argument, bounds) = self.argument(path, node, id)?;
            let open = PendingDefinition::Definition(key, caller, argument, bounds);
            self.open.push(open);
            return Ok(val);
        }
        match (&var.def, var.looped) {
            (Some(_), Some(choice)) => {
                let chosen = self.choice(path, choice)?;
                self.define(&key, chosen);
                self.open.push(PendingDefinition::Loop(path.clone(), id));
            }
            (Some(def), None) if def.indices.is_empty() => {
                let open =
                    PendingDefinition::Definition(key, path.clone(), &def.expr, Bounds::new());
                self.open.push(open);
            }
            (Some(_), None) => self
                .open
                .push(PendingDefinition::Elements(key, path.clone(), id)),
            (None, _) => return not_covered("a stream without a definition"),
        }
        Ok(val)
    }

    /// What the caller gives for an input, with the path of the caller and the values of
    /// the indices there.
    fn argument(&self, path: &Path, node: &Node, input: VarId) -> Simple<(Path, &'p Expr, Bounds)> {
        let Some((called, caller)) = path.split_last() else {
            return not_covered("an input without a caller");
        };
        let caller = caller.to_vec();
        let call = self.node(&caller)?.call(called.call);
        let at = node.inputs.iter().position(|id| *id == input);
        let argument = at.and_then(|at| call.args.get(at));
        let argument = argument.map_or_else(|| not_covered("a missing argument"), Ok)?;
        Ok((caller, argument, bounds(call, &called.indices)))
    }

    pub(super) fn choice(&mut self, path: &Path, id: ChoiceId) -> Simple<Val> {
        let choice = self.node(path)?.choice(id);
        let indices = choice.indices.iter().map(|bound| self.index(*bound));
        let indices = indices.collect::<Simple<Indices>>()?;
        let name = self.name(path, &format!("choice!{}{indices:?}", id.0));
        let key = Key::Choice(path.clone(), id, indices);
        if let Some(val) = self.known(&key) {
            return Ok(val);
        }
        self.variable(key, &choice.ty, &name)
    }

    pub(super) fn constant(&mut self, id: ConstId) -> Simple<Val> {
        let constant = self.program.constant(id);
        if let Some(value) = &constant.value {
            return self.expr(&Path::new(), value);
        }
        match self.known(&Key::Constant(id)) {
            Some(val) => Ok(val),
            None => {
                let name = format!("simple:{}", constant.name);
                self.variable(Key::Constant(id), &constant.ty, &name)
            }
        }
    }

    /// `pre e`.
    pub(super) fn previous(&mut self, path: &Path, e: &'p Expr) -> Simple<Val> {
        let (key, name) = match e.kind {
            ExprKind::Var(id) => {
                let name = self.node(path)?.var(id).name;
                (Key::PreStream(path.clone(), id), format!("pre!{name}"))
            }
            _ => {
                let indices = self.bounds.iter().map(|(_, bound)| match bound {
                    Bound::Index(at) => Ok(*at),
                    Bound::Quantified(_) => not_covered("`pre` below a quantifier"),
                });
                let indices = indices.collect::<Simple<Indices>>()?;
                let name = format!("pre!{}.{}{indices:?}", e.span.file.0, e.span.start);
                (Key::Pre(path.clone(), e.span, indices), name)
            }
        };
        if let Some(val) = self.known(&key) {
            return Ok(val);
        }
        let name = self.name(path, &name);
        let val = self.variable(key.clone(), &e.ty, &name)?;
        // A stream means the same whatever the indices are.
        let bounds = match key {
            Key::PreStream(..) => Bounds::new(),
            _ => self.bounds.clone(),
        };
        self.open
            .push(PendingDefinition::Memory(key, path.clone(), e, bounds));
        Ok(val)
    }
}
