//! Dependencies between the streams of a node within one step.
//!
//! Streams must not depend on themselves, neither directly nor through calls,
//! whose outputs depend on those inputs that the callee really reads. An array
//! that is defined element by element may depend on itself if the definition
//! is well founded: along every cycle of references `A[i]` to `B[i + c]`, the
//! sum of the offsets must be negative, at the first position where it is not
//! zero.
//!
//! A stream may choose between its branches by its own value, as models for
//! JKind do: `x = if x > 0 then a else b`. There may be no solution, or
//! several, so that the definition is a constraint on a choice. A warning says
//! so, and `analysis` refuses the loop unless a solver shows that there always is a solution.

use std::collections::{HashMap, HashSet, VecDeque};

use num_traits::ToPrimitive;
use syntax::ast::NodeKind;
use syntax::{Code, Diagnostic, Span};

use crate::constant;
use crate::program::*;

/// An offset that is not a constant: it never lets a cycle be accepted.
const ANY: i64 = 1 << 40;

/// A reference from the definition of one stream to another.
#[derive(Clone, Debug)]
struct Ref {
    to: VarId,
    /// For each index of the definition, how far away the element is.
    offsets: Vec<i64>,
    /// Only in the condition of an `if`.
    condition: bool,
    span: Span,
}

/// How the outputs of imported nodes depend on their inputs.
#[derive(Clone, Copy, PartialEq)]
enum Imported {
    DependsOnNothing,
    DependsOnAll,
}

/// Checks the dependencies of a node and records those of its outputs. With congruence,
/// the outputs of an imported function are determined by its inputs.
pub fn check(program: &Program, node: &mut Node, congruence: bool) -> Vec<Diagnostic> {
    let graph = Graph::new(program, node, Imported::DependsOnNothing);
    let (mut diagnostics, loops) = graph.cycles();
    let output_deps = graph.output_deps(congruence, |_| true);
    let data_deps = graph.output_deps(congruence, |r| !r.condition);
    let possible = Graph::new(program, node, Imported::DependsOnAll);
    diagnostics.extend(possible.assumptions());
    let possible_deps = possible.output_deps(congruence, |_| true);
    node.output_deps = output_deps;
    node.data_deps = data_deps;
    node.possible_deps = possible_deps;
    for id in loops {
        let var = &mut node.vars[id.index()];
        let choice = ChoiceId(node.choices.len() as u32);
        node.choices.push(Choice {
            kind: ChoiceKind::Loop(id),
            ty: var.ty.clone(),
            indices: Vec::new(),
            span: var.span,
        });
        var.looped = Some(choice);
    }
    diagnostics
}

struct Graph<'p> {
    program: &'p Program,
    node: &'p Node,
    imported: Imported,
    /// By stream: what its definition refers to.
    refs: Vec<Vec<Ref>>,
}

impl<'p> Graph<'p> {
    fn new(program: &'p Program, node: &'p Node, imported: Imported) -> Graph<'p> {
        let mut graph = Graph {
            program,
            node,
            imported,
            refs: Vec::new(),
        };
        graph.refs = node
            .vars
            .iter()
            .map(|var| match &var.def {
                Some(def) => graph.references(&def.expr, &def.indices),
                None => Vec::new(),
            })
            .collect();
        graph
    }

    fn references(&self, expr: &Expr, indices: &[BoundId]) -> Vec<Ref> {
        let mut collector = Collector {
            graph: self,
            indices,
            seen: HashSet::new(),
            condition: false,
            refs: Vec::new(),
        };
        collector.expr(expr);
        collector.refs
    }

    /// Everything that can be reached from some streams along some references.
    /// Nothing is looked for behind a stream where `stop` holds.
    fn reachable(
        &self,
        from: impl IntoIterator<Item = VarId>,
        follow: impl Fn(&Ref) -> bool,
        stop: impl Fn(VarId) -> bool,
    ) -> Vec<bool> {
        let mut reached = vec![false; self.node.vars.len()];
        let mut open: Vec<VarId> = from.into_iter().collect();
        while let Some(id) = open.pop() {
            if !std::mem::replace(&mut reached[id.index()], true) && !stop(id) {
                let refs = self.refs[id.index()].iter();
                open.extend(refs.filter(|r| follow(r)).map(|r| r.to));
            }
        }
        reached
    }

    fn output_deps(&self, congruence: bool, follow: impl Fn(&Ref) -> bool) -> Vec<Vec<VarId>> {
        let (node, inputs) = (self.node, &self.node.inputs);
        if !node.has_body {
            // As in JKind, a function that is only declared is always congruent.
            let determined = node.kind == NodeKind::Function && (congruence || !node.imported);
            let deps = match self.imported {
                Imported::DependsOnNothing if !determined => Vec::new(),
                _ => inputs.clone(),
            };
            return vec![deps; self.node.outputs.len()];
        }
        let outputs = self.node.outputs.iter();
        outputs
            .map(|output| {
                let reached = self.reachable([*output], &follow, |_| false);
                inputs
                    .iter()
                    .copied()
                    .filter(|id| reached[id.index()])
                    .collect()
            })
            .collect()
    }

    /// Assumptions and arguments of imports must not depend on the outputs.
    fn assumptions(&self) -> Vec<Diagnostic> {
        let mut diagnostics = Vec::new();
        let contract = self.node.contract.iter();
        let assumed = contract.flat_map(|contract| &contract.assumptions);
        for clause in assumed {
            self.refuse_outputs(&clause.expr, "this assumption", &mut diagnostics);
        }
        for var in &self.node.vars {
            if let (VarClass::ContractInput, Some(def)) = (var.class, &var.def) {
                self.refuse_outputs(&def.expr, "this argument of an import", &mut diagnostics);
            }
        }
        diagnostics
    }

    fn refuse_outputs(&self, expr: &Expr, what: &str, diagnostics: &mut Vec<Diagnostic>) {
        let refs = self.references(expr, &[]);
        // The search stops at outputs: what they depend on does not matter.
        let is_output = |id: VarId| self.node.outputs.contains(&id);
        let reached = self.reachable(refs.iter().map(|r| r.to), |_| true, is_output);
        let output = self.node.outputs.iter().find(|id| reached[id.index()]);
        if let Some(output) = output {
            let name = self.node.var(*output).name;
            diagnostics.push(
                Diagnostic::error(
                    Code::AssumeOutput,
                    expr.span,
                    format!("{what} depends on the current value of the output `{name}`"),
                )
                .help(format!("refer to its previous value, `pre {name}`")),
            );
        }
    }

    /// The diagnostics for cycles, and the streams at which loops are cut.
    fn cycles(&self) -> (Vec<Diagnostic>, Vec<VarId>) {
        let mut diagnostics = Vec::new();
        let mut loops = Vec::new();
        for component in self.components(|_| true) {
            diagnostics.extend(self.check_component(&component, &mut loops));
        }
        (diagnostics, loops)
    }

    fn check_component(&self, component: &[VarId], loops: &mut Vec<VarId>) -> Option<Diagnostic> {
        let first = *component.first()?;
        let cycle = self.shortest_cycle(component);
        let back = cycle.first()?.1;
        let var = |id: VarId| self.node.var(id);
        let indexed = |id: &VarId| var(*id).def.as_ref().is_some_and(|d| !d.indices.is_empty());
        let names: Vec<String> = component
            .iter()
            .map(|id| format!("`{}`", var(*id).name))
            .collect();
        if !component.iter().any(indexed) {
            let what = match names.as_slice() {
                [name] => format!("{name} depends on itself"),
                names => format!("{} depend on each other", shortened(names)),
            };
            let message = format!("{what} within a step: {}", self.shown(&cycle));
            let cut = self.condition_targets(component);
            let diagnostic = match cut.is_empty() {
                true => Diagnostic::error(Code::Cycle, var(first).span, message)
                    .help("break the cycle, for instance with `pre`"),
                false => Diagnostic::warning(Code::WarnLoop, var(first).span, message)
                    .help("there always is a solution, but there may be several; refer to `pre` if that is not meant"),
            };
            loops.extend(cut);
            return Some(self.related(diagnostic, &cycle));
        }
        if self.well_founded(component) {
            return None;
        }
        let message = match names.as_slice() {
            [name] => format!("the definition of {name} is not well founded"),
            names => format!(
                "the definitions of {} are not well founded",
                shortened(names)
            ),
        };
        Some(
            Diagnostic::error(Code::IllFoundedArray, var(first).span, message)
                .related(back, "this reference does not go to a smaller index")
                .help(
                    "an element may depend on elements with smaller indices only, as in `A[i - 1]`",
                ),
        )
    }

    /// A cycle of a component that is as short as any: each stream with the reference that
    /// leads to the next.
    fn shortest_cycle(&self, component: &[VarId]) -> Vec<(VarId, Span)> {
        let cycles = component
            .iter()
            .filter_map(|id| self.cycle_at(*id, component));
        cycles.min_by_key(Vec::len).unwrap_or_default()
    }

    /// A shortest way from a stream back to it, breadth first.
    fn cycle_at(&self, start: VarId, component: &[VarId]) -> Option<Vec<(VarId, Span)>> {
        let mut came_from: HashMap<VarId, (VarId, Span)> = HashMap::new();
        let mut open = VecDeque::from([start]);
        while let Some(at) = open.pop_front() {
            let refs = self.refs[at.index()].iter();
            for next in refs.filter(|r| component.contains(&r.to)) {
                if came_from.contains_key(&next.to) {
                    continue;
                }
                came_from.insert(next.to, (at, next.span));
                open.push_back(next.to);
            }
            if came_from.contains_key(&start) {
                break;
            }
        }
        let mut cycle = vec![*came_from.get(&start)?];
        while let Some((at, _)) = cycle.last().filter(|(at, _)| *at != start) {
            cycle.push(*came_from.get(at)?);
        }
        cycle.reverse();
        Some(cycle)
    }

    /// `x → y → x`
    fn shown(&self, cycle: &[(VarId, Span)]) -> String {
        let back = cycle.first();
        let ids = cycle.iter().chain(back).map(|(id, _)| *id);
        let names: Vec<&str> = ids.map(|id| self.node.var(id).name.as_str()).collect();
        match names.as_slice() {
            [first, second, .., last] if names.len() > 8 => {
                format!("{first} → {second} → … → {last}")
            }
            names => names.join(" → "),
        }
    }

    /// Points at the references of a cycle.
    fn related(&self, mut diagnostic: Diagnostic, cycle: &[(VarId, Span)]) -> Diagnostic {
        for (at, (from, span)) in cycle.iter().enumerate() {
            let (to, _) = cycle[(at + 1) % cycle.len()];
            let name = |id: VarId| self.node.var(id).name;
            let words = format!("`{}` refers to `{}` here", name(*from), name(to));
            diagnostic = diagnostic.related(*span, words);
        }
        diagnostic
    }

    /// If every cycle of the component goes through a condition: the streams
    /// that conditions refer to.
    fn condition_targets(&self, component: &[VarId]) -> Vec<VarId> {
        let without = self.components(|r| !r.condition);
        let remains = |cycle: &Vec<VarId>| cycle.iter().any(|id| component.contains(id));
        if without.iter().any(remains) {
            return Vec::new();
        }
        let targets = component.iter().filter(|id| {
            let mut sources = component.iter().flat_map(|from| &self.refs[from.index()]);
            sources.any(|r| r.condition && r.to == **id)
        });
        targets.copied().collect()
    }

    /// No cycle whose offsets sum up to zero or more: Bellman and Ford's search
    /// for a longest path, with one more position that counts the references so
    /// that a sum of zero counts as positive.
    fn well_founded(&self, component: &[VarId]) -> bool {
        let dimensions = component
            .iter()
            .filter_map(|id| self.node.var(*id).def.as_ref())
            .map(|def| def.indices.len())
            .max()
            .unwrap_or(0);
        let position = |id: VarId| component.iter().position(|other| *other == id);
        let mut edges = Vec::new();
        for (from, id) in component.iter().enumerate() {
            for reference in &self.refs[id.index()] {
                if let Some(to) = position(reference.to) {
                    let mut weight = reference.offsets.clone();
                    weight.resize(dimensions, ANY);
                    weight.push(1);
                    edges.push((from, to, weight));
                }
            }
        }
        let mut longest = vec![vec![0i64; dimensions + 1]; component.len()];
        for _ in 0..=component.len() {
            let mut changed = false;
            for (from, to, weight) in &edges {
                let sum: Vec<i64> = longest[*from]
                    .iter()
                    .zip(weight)
                    .map(|(a, b)| a.saturating_add(*b))
                    .collect();
                if sum > longest[*to] {
                    longest[*to] = sum;
                    changed = true;
                }
            }
            if !changed {
                return true;
            }
        }
        false
    }

    /// The strongly connected components that hold a cycle (Tarjan, without
    /// recursion), each in the order of declaration.
    fn components(&self, follow: impl Fn(&Ref) -> bool) -> Vec<Vec<VarId>> {
        let count = self.node.vars.len();
        const NEW: usize = usize::MAX;
        let mut index = vec![NEW; count];
        let mut low = vec![0; count];
        let mut on_stack = vec![false; count];
        let mut stack = Vec::new();
        let mut next = 0;
        let mut components = Vec::new();
        for root in 0..count {
            if index[root] != NEW {
                continue;
            }
            let mut work = vec![(root, 0)];
            while let Some((at, edge)) = work.pop() {
                if edge == 0 {
                    index[at] = next;
                    low[at] = next;
                    next += 1;
                    stack.push(at);
                    on_stack[at] = true;
                }
                if let Some(reference) = self.refs[at].get(edge) {
                    work.push((at, edge + 1));
                    if !follow(reference) {
                        continue;
                    }
                    let to = reference.to.index();
                    if index[to] == NEW {
                        work.push((to, 0));
                    } else if on_stack[to] {
                        low[at] = low[at].min(index[to]);
                    }
                    continue;
                }
                if low[at] == index[at] {
                    let mut component = Vec::new();
                    while let Some(top) = stack.pop() {
                        on_stack[top] = false;
                        component.push(VarId(top as u32));
                        if top == at {
                            break;
                        }
                    }
                    component.sort();
                    let mut refs = self.refs[at].iter();
                    let looping = refs.any(|r| r.to.index() == at && follow(r));
                    if component.len() > 1 || looping {
                        components.push(component);
                    }
                }
                if let Some((parent, _)) = work.last() {
                    low[*parent] = low[*parent].min(low[at]);
                }
            }
        }
        components
    }
}

/// A list of names, without those in the middle if there are more than six.
fn shortened(names: &[String]) -> String {
    match names {
        [one] => one.clone(),
        [first, .., last] if names.len() > 6 => {
            format!("{first}, … ({} more), {last}", names.len() - 2)
        }
        [all @ .., last] => format!("{} and {last}", all.join(", ")),
        [] => String::new(),
    }
}

struct Collector<'g, 'p> {
    graph: &'g Graph<'p>,
    indices: &'g [BoundId],
    seen: HashSet<(CallId, usize, bool)>,
    condition: bool,
    refs: Vec<Ref>,
}

impl Collector<'_, '_> {
    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Pre(..) => {}
            ExprKind::Var(id) => self.refs.push(Ref {
                to: *id,
                offsets: Vec::new(),
                condition: self.condition,
                span: expr.span,
            }),
            ExprKind::Index(..) => self.element(expr),
            ExprKind::If(condition, yes, no) => {
                let outer = std::mem::replace(&mut self.condition, true);
                self.expr(condition);
                self.condition = outer;
                self.expr(yes);
                self.expr(no);
            }
            ExprKind::Call(id, output) => self.call(*id, *output),
            _ => expr.for_each_part(|part| self.expr(part)),
        }
    }

    /// `A[e1][e2]`
    fn element(&mut self, expr: &Expr) {
        let mut path = Vec::new();
        let mut base = expr;
        while let ExprKind::Index(inner, index) = &base.kind {
            self.expr(index);
            path.push(&**index);
            base = inner;
        }
        path.reverse();
        let ExprKind::Var(to) = base.kind else {
            self.expr(base);
            return;
        };
        let offset = |(index, bound): (&&Expr, &BoundId)| {
            let graph = self.graph;
            constant::offset(graph.program, graph.node, index, *bound)
                .and_then(|offset| offset.to_i64())
                .filter(|offset| offset.abs() < ANY)
                .unwrap_or(ANY)
        };
        self.refs.push(Ref {
            to,
            offsets: path.iter().zip(self.indices).map(offset).collect(),
            condition: self.condition,
            span: expr.span,
        });
    }

    fn call(&mut self, id: CallId, output: usize) {
        if !self.seen.insert((id, output, self.condition)) {
            return;
        }
        let call = self.graph.node.call(id);
        let callee = self.graph.program.node(call.node);
        let deps = match self.graph.imported {
            Imported::DependsOnNothing => &callee.output_deps,
            Imported::DependsOnAll => &callee.possible_deps,
        };
        for (arg, input) in call.args.iter().zip(&callee.inputs) {
            if deps[output].contains(input) {
                let outer = self.condition;
                self.condition |= !callee.data_deps[output].contains(input);
                self.expr(arg);
                self.condition = outer;
            }
        }
        let clocks = call.clock.iter().chain(&call.restart);
        for part in clocks.chain(call.defaults.iter().flatten()) {
            self.expr(part);
        }
    }
}
