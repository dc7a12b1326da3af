//! Calls of nodes.

use std::collections::HashSet;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use num_bigint::BigInt;
use num_traits::Signed;
use syntax::ast::{self, ContractItem, NodeKind};
use syntax::{Code, Diagnostic, Span, Symbol};

use super::elab::{Case, Elab};
use super::expr::{make, unknown};
use super::{Checker, elab::Name};
use crate::constant;
use crate::program::*;
use crate::types::*;

impl Checker<'_> {
    /// Can an analysis replace the node by its contract, and so change what a
    /// contract that calls it means?
    fn is_refinable(&self, node: &ast::NodeDecl) -> bool {
        node.body.is_some() && node.contract.as_ref().is_some_and(|c| self.promises(c))
    }

    /// Does the contract have a guarantee or a mode, its own or imported?
    fn promises(&self, contract: &ast::Contract) -> bool {
        let mut seen = HashSet::new();
        let mut open = vec![contract];
        while let Some(contract) = open.pop() {
            for item in &contract.items {
                match item {
                    ContractItem::Guarantee(_) | ContractItem::Mode { .. } => return true,
                    ContractItem::Import { contract, .. } if seen.insert(contract.name) => {
                        let imported = self.contract_decls.get(&contract.name);
                        open.extend(imported.map(|decl| &decl.contract));
                    }
                    _ => {}
                }
            }
        }
        false
    }
}

impl Elab<'_, '_> {
    pub(super) fn call(&mut self, call: &ast::Call, span: Span) -> Vec<Expr> {
        self.call_on(call, None, span)
    }

    /// A call that runs on a clock of its surroundings, if there is one.
    pub(super) fn call_on(
        &mut self,
        call: &ast::Call,
        surrounding: Option<Expr>,
        span: Span,
    ) -> Vec<Expr> {
        if self.constant {
            self.refuse_state("a call", span);
            return vec![unknown(span)];
        }
        let Some(decl) = self.cx.node_decls.get(&call.node.name).copied() else {
            self.unknown_node(call.node);
            return vec![unknown(span)];
        };
        let failed = vec![unknown(span); decl.outputs.len()];
        if !self.call_allowed(call, decl, span) {
            return failed;
        }
        let args = self.arguments(&call.args);
        let own = call.every.as_ref().map(|e| self.condition(e));
        let clock = own.or(surrounding);
        let restart = call.restart.as_ref().map(|e| self.condition(e));
        let defaults = call.defaults.as_ref().map(|all| self.arguments(all));
        let Some(id) = self.cx.node_ids.get(&call.node.name).copied() else {
            return failed;
        };
        if args
            .iter()
            .chain(&clock)
            .chain(&restart)
            .any(|e| e.ty.is_unknown())
        {
            return failed;
        }
        let typed = Call {
            node: id,
            args,
            clock,
            defaults,
            inactive: Vec::new(),
            restart,
            indices: Vec::new(),
            output_types: Vec::new(),
            span,
            sites: vec![span],
            in_contract: self.in_contract,
        };
        match self.finish_call(typed) {
            Some(id) => {
                let types = self.node.call(id).output_types.clone();
                let outputs = types.into_iter().enumerate();
                outputs
                    .map(|(at, ty)| make(ExprKind::Call(id, at), ty, span))
                    .collect()
            }
            None => failed,
        }
    }

    fn unknown_node(&mut self, name: ast::Ident) {
        let names = self.cx.node_decls.keys();
        let similar = names
            .filter(|other| other.as_str().eq_ignore_ascii_case(name.name.as_str()))
            .min();
        let help = match similar {
            Some(other) => format!("did you mean `{other}`?"),
            None => format!("declare it: `node {} (…) returns (…);`", name.name),
        };
        self.report(
            Diagnostic::error(
                Code::UnknownNode,
                name.span,
                format!("the node `{}` is not declared", name.name),
            )
            .help(help),
        );
    }

    /// Where calls of this kind may stand.
    fn call_allowed(&mut self, call: &ast::Call, decl: &ast::NodeDecl, span: Span) -> bool {
        if self.is_function() {
            if decl.kind == NodeKind::Node {
                let (name, callee) = (self.node.name, decl.name.name);
                self.report(
                    Diagnostic::error(
                        Code::StatefulFunction,
                        span,
                        format!("the function `{name}` calls the node `{callee}`"),
                    )
                    .help("functions may call functions only; declare it as a `node`"),
                );
                return false;
            }
            let clocked = call.every.is_some() || call.restart.is_some();
            if clocked && self.refuse_state("a clocked call", span) {
                return false;
            }
        }
        if self.in_contract && self.cx.is_refinable(decl) {
            let callee = decl.name.name;
            self.report(
                Diagnostic::error(
                    Code::RefinedNodeInContract,
                    span,
                    format!("this contract calls `{callee}`, which has a contract of its own"),
                )
                .help(format!(
                    "what the contract means would depend on whether `{callee}` is abstracted; \
                     call a node without guarantees and modes"
                )),
            );
            return false;
        }
        if let (Some(every), None) = (&call.every, &call.defaults) {
            return self.clock_allowed(every, span);
        }
        true
    }

    /// `activate` without defaults: in a branch of a merge on the same clock.
    fn clock_allowed(&mut self, every: &ast::Expr, span: Span) -> bool {
        let Some((clock, case)) = self.merge else {
            self.report(
                Diagnostic::error(
                    Code::MisplacedClock,
                    span,
                    "`activate` may only stand in a branch of `merge`",
                )
                .help("put it into a merge, or give `initial default` values"),
            );
            return false;
        };
        let name = |e: &ast::Expr| match e.kind {
            ast::ExprKind::Name(name) => Some(name),
            _ => None,
        };
        let fits = match (&every.kind, case) {
            (ast::ExprKind::Name(name), Case::True) => *name == clock,
            (ast::ExprKind::Unary(ast::UnaryOp::Not, e), Case::False) => name(e) == Some(clock),
            (ast::ExprKind::Binary(ast::BinaryOp::Eq, a, b), Case::Value(value)) => {
                let pair = (name(a), name(b));
                pair == (Some(clock), Some(value)) || pair == (Some(value), Some(clock))
            }
            (ast::ExprKind::Call(call), Case::Value(value)) => {
                call.node.name == value
                    && call.args.len() == 1
                    && name(&call.args[0]) == Some(clock)
            }
            _ => false,
        };
        if !fits {
            self.clock_mismatch(span);
        }
        fits
    }

    /// Arguments are computed at every step, whatever stands around the call.
    fn arguments(&mut self, args: &[ast::Expr]) -> Vec<Expr> {
        self.outside(|e| args.iter().flat_map(|arg| e.list(arg)).collect())
    }

    fn condition(&mut self, condition: &ast::Expr) -> Expr {
        // `A(c)` as a condition says `c = A`.
        if let ast::ExprKind::Call(call) = &condition.kind {
            let is_value = self.cx.enum_values.contains_key(&call.node.name);
            let is_node = self.cx.node_decls.contains_key(&call.node.name);
            if let (true, false, [clock]) = (is_value, is_node, call.args.as_slice()) {
                let value = ast::Expr {
                    kind: ast::ExprKind::Name(call.node.name),
                    span: call.node.span,
                };
                let kind = ast::ExprKind::Binary(
                    ast::BinaryOp::Eq,
                    Box::new(clock.clone()),
                    Box::new(value),
                );
                let span = condition.span;
                return self.outside(|e| e.boolean(&ast::Expr { kind, span }));
            }
        }
        self.outside(|e| e.boolean(condition))
    }

    fn outside<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        self.with(
            |e| {
                e.guarded = false;
                e.spec = false;
                e.merge = None;
            },
            run,
        )
    }

    /// Checks a call against the callee's interface and enters it.
    fn finish_call(&mut self, mut call: Call) -> Option<CallId> {
        let callee = self.cx.program.node(call.node).clone_interface();
        if call.args.len() != callee.inputs.len() {
            self.report(
                Diagnostic::error(
                    Code::WrongArity,
                    call.span,
                    format!(
                        "`{}` takes {}, found {}",
                        callee.name,
                        arguments(callee.inputs.len()),
                        call.args.len()
                    ),
                )
                .related(callee.span, "it is declared here"),
            );
            return None;
        }
        let constants = self.constant_arguments(&call, &callee)?;
        let substitution = |atom: SizeAtom| match atom {
            SizeAtom::Const(_) => Some(Size::atom(atom)),
            SizeAtom::Var(id) => {
                let at = callee.inputs.iter().position(|(input, ..)| *input == id)?;
                constants[at].clone()
            }
        };
        let inputs = callee.inputs.iter().map(|(_, ty, _)| ty);
        let inputs: Vec<Type> = inputs.map(|ty| ty.substitute(&substitution)).collect();
        let outputs = callee.outputs.iter();
        call.output_types = outputs.map(|ty| ty.substitute(&substitution)).collect();
        if inputs
            .iter()
            .chain(&call.output_types)
            .any(Type::has_unknown)
        {
            self.unknown_size(&call, callee.name);
            return None;
        }
        let mut interface = inputs.iter().chain(&call.output_types);
        if let Some(size) = interface.find_map(empty_size) {
            self.no_elements(&call, callee.name, &size);
            return None;
        }
        let mut fits = true;
        for (arg, ty) in call.args.iter().zip(&inputs) {
            fits &= arg.ty.fits(ty);
            self.expect(arg, ty);
        }
        self.check_defaults(&call, callee.name)?;
        call.indices = self.call_indices(&call)?;
        if !fits {
            return None;
        }
        match self.shared(&call, !callee.open_pre) {
            Some(shared) => Some(shared),
            None => Some(self.enter_call(call)),
        }
    }

    /// Adds a call to the node, with choices for the defaults that it does not have.
    fn enter_call(&mut self, mut call: Call) -> CallId {
        let id = CallId(self.node.calls.len() as u32);
        if call.clock.is_some() && call.defaults.is_none() {
            for (at, ty) in call.output_types.clone().into_iter().enumerate() {
                let kind = ChoiceKind::Inactive(id, at as u32);
                let indices = call.indices.clone();
                call.inactive
                    .push(self.add_choice(kind, ty, indices, call.span));
            }
        }
        self.node.calls.push(call);
        id
    }

    fn unknown_size(&mut self, call: &Call, callee: Symbol) {
        self.report(
            Diagnostic::error(
                Code::BadSize,
                call.span,
                format!("the size of an input or output of `{callee}` is not known here"),
            )
            .help("pass a sum or product of constants as its size"),
        );
    }

    fn no_elements(&mut self, call: &Call, callee: Symbol, size: &BigInt) {
        self.report(
            Diagnostic::error(
                Code::BadSize,
                call.span,
                format!("this call gives an array of `{callee}` the size {size}"),
            )
            .help("sizes are positive: pass a constant for which they are"),
        );
    }

    /// The sizes that the constant arguments stand for; a stream for a
    /// constant input is an error.
    fn constant_arguments(&mut self, call: &Call, callee: &Interface) -> Option<Vec<Option<Size>>> {
        let mut sizes = Vec::new();
        for (arg, (_, _, is_const)) in call.args.iter().zip(&callee.inputs) {
            if *is_const && !self.is_constant(arg) {
                let message = format!("this input of `{}` is a constant", callee.name);
                let help = "pass a number, a constant or a `const` input";
                // Kind 2 lets clocked calls pass.
                if call.clock.is_none() {
                    self.report(Diagnostic::error(Code::NotConstant, arg.span, message).help(help));
                    return None;
                }
                self.report(
                    Diagnostic::warning(Code::WarnConstParameter, arg.span, message)
                        .help("the argument is read at every activation, like any other input"),
                );
            }
            let size = match is_const {
                true => constant::size(&self.cx.program, Some(&self.node), arg),
                false => None,
            };
            sizes.push(size);
        }
        Some(sizes)
    }

    /// Built from constants and operators without memory only?
    pub(super) fn is_constant(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Var(id) => matches!(
                self.node.var(*id).class,
                VarClass::Const | VarClass::Input { is_const: true }
            ),
            ExprKind::Bound(_)
            | ExprKind::Choice(_)
            | ExprKind::Arrow(..)
            | ExprKind::Pre(..)
            | ExprKind::Call(..) => false,
            ExprKind::Value(_)
            | ExprKind::Const(_)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::If(..)
            | ExprKind::Merge(..)
            | ExprKind::Convert(_)
            | ExprKind::AtMostOne(_)
            | ExprKind::Fields(_)
            | ExprKind::Array(_)
            | ExprKind::Fill(_)
            | ExprKind::Field(..)
            | ExprKind::Index(..)
            | ExprKind::Update(..)
            | ExprKind::Quantified(..) => {
                let mut constant = true;
                expr.for_each_part(|part| constant &= self.is_constant(part));
                constant
            }
        }
    }

    fn check_defaults(&mut self, call: &Call, callee: Symbol) -> Option<()> {
        let Some(defaults) = &call.defaults else {
            return Some(());
        };
        if defaults.iter().any(|e| e.ty.is_unknown()) {
            return None;
        }
        if defaults.len() != call.output_types.len() {
            self.error(
                Code::WrongArity,
                call.span,
                format!(
                    "`{callee}` has {} outputs, found {} default values",
                    call.output_types.len(),
                    defaults.len()
                ),
            );
            return None;
        }
        for (default, ty) in defaults.iter().zip(&call.output_types) {
            self.expect(default, ty);
        }
        Some(())
    }

    /// The array indices that the call depends on. Each stands for an instance of its
    /// own, so their number is known, unless there is nothing in an instance but its
    /// outputs.
    fn call_indices(&mut self, call: &Call) -> Option<Vec<BoundId>> {
        let mut indices = Vec::new();
        let parts = call.args.iter().chain(&call.clock).chain(&call.restart);
        for part in parts.chain(call.defaults.iter().flatten()) {
            self.bounds_in(part, &mut indices);
        }
        let callee = self.cx.program.node(call.node);
        let only_outputs = !callee.has_body && callee.contract.is_none() && call.clock.is_none();
        for id in &indices {
            let bound = self.node.bound(*id);
            let (name, problem) = (
                bound.name,
                match &bound.kind {
                    BoundKind::Quantified(_) => "a quantified variable",
                    BoundKind::Index(size) if size.known().is_none() && !only_outputs => {
                        "an index of an array whose size is not known"
                    }
                    BoundKind::Index(_) => continue,
                },
            );
            self.report(
                Diagnostic::error(
                    Code::BoundVariableInCall,
                    call.span,
                    format!("an argument of this call depends on `{name}`, {problem}"),
                )
                .help(
                    "give the array a fixed size, or pass whole arrays to the node; a call for \
                     each element of an array of any size must have no body, contract or clock",
                ),
            );
            return None;
        }
        Some(indices)
    }

    /// An earlier call with the same arguments and clocks is the same call,
    /// unless each call makes up values of its own for `pre`.
    fn shared(&mut self, call: &Call, shareable: bool) -> Option<CallId> {
        let mut state = DefaultHasher::new();
        call.node.hash(&mut state);
        call.args.iter().for_each(|arg| arg.hash_shape(&mut state));
        let same_all = |a: &[Expr], b: &[Expr]| {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same_as(b))
        };
        let same_one = |a: &Option<Expr>, b: &Option<Expr>| match (a, b) {
            (None, None) => true,
            (Some(a), Some(b)) => a.same_as(b),
            _ => false,
        };
        let same = |other: &Call| {
            other.node == call.node
                && same_all(&other.args, &call.args)
                && same_one(&other.clock, &call.clock)
                && same_one(&other.restart, &call.restart)
                && match (&other.defaults, &call.defaults) {
                    (None, None) => true,
                    (Some(a), Some(b)) => same_all(a, b),
                    _ => false,
                }
        };
        let next = CallId(self.node.calls.len() as u32);
        let candidates = self.shared_calls.entry(state.finish()).or_default();
        let found = candidates
            .iter()
            .copied()
            .find(|id| shareable && same(self.node.call(*id)));
        match found {
            Some(id) => {
                let shared = &mut self.node.calls[id.index()];
                shared.sites.push(call.span);
                shared.in_contract |= call.in_contract;
                // Kind 2 names a call after its last place in the contract.
                if call.in_contract {
                    shared.span = call.span;
                }
            }
            None => candidates.push(next),
        }
        found
    }

    /// The stream of a name on the left-hand side, if it is one.
    pub(super) fn stream_named(&self, name: Symbol) -> Option<VarId> {
        match self.names.get(&name) {
            Some(Name::Var(id)) => Some(*id),
            _ => None,
        }
    }
}

/// What a caller sees of a node.
struct Interface {
    name: Symbol,
    span: Span,
    /// Id in the callee, type, and whether it is constant.
    inputs: Vec<(VarId, Type, bool)>,
    outputs: Vec<Type>,
    /// Each call chooses values for `pre` at its first step.
    open_pre: bool,
}

impl Node {
    fn clone_interface(&self) -> Interface {
        let input = |id: &VarId| {
            let var = self.var(*id);
            let is_const = var.class == VarClass::Input { is_const: true };
            (*id, var.ty.clone(), is_const)
        };
        Interface {
            name: self.name,
            span: self.span,
            inputs: self.inputs.iter().map(input).collect(),
            outputs: self
                .outputs
                .iter()
                .map(|id| self.var(*id).ty.clone())
                .collect(),
            open_pre: self.open_pre,
        }
    }
}

/// How messages count arguments.
pub(super) fn arguments(count: usize) -> String {
    match count {
        0 => "no arguments".to_owned(),
        1 => "1 argument".to_owned(),
        _ => format!("{count} arguments"),
    }
}

/// A size in the type that is known and not positive.
fn empty_size(ty: &Type) -> Option<BigInt> {
    match ty {
        Type::Tuple(parts) => parts.iter().find_map(empty_size),
        Type::Array(array) => {
            let own = array.size.value().filter(|size| !size.is_positive());
            own.or_else(|| empty_size(&array.element))
        }
        _ => None,
    }
}
