//! A node that honours a realizable contract.
//!
//! The outputs are the terms of the first reply that keeps the guarantees and leads to a viable
//! state.

use std::collections::{HashMap, HashSet};

use game::{Arena, Realization, Reply};
use lang::VarId;
use lower::{InstanceStreams, Leaf};
use proof::qe::normal;
use smt::{Answer, AnySolver, Literal, Solver, SolverContext};
use syntax::ast::{Item, NodeDecl, NodeKind};
use syntax::print;
use system::{Kind, Term, and, ite, not, substitute};

use super::body::{Body, assembled, default_of, needed_memory, typed_leaves};
use super::needed::{needed, words};
use super::open_values::OpenValues;
use super::{Subject, Unwritable};
use crate::realizability::{Realizable, Rules};

/// The text of a model in which the node has a body that honours its contract.
pub fn component(
    context: &SolverContext,
    subject: Subject,
    won: &Realizable,
) -> Result<String, Unwritable> {
    let Subject {
        program,
        sources,
        rules,
        ..
    } = subject;
    let node = program.node(subject.top);
    let mut decl = declaration(subject)?.clone();
    let own = HashSet::from([decl.name.name]);
    let mut items = needed(subject.tree, &own, |_| true);
    let taken = words(&print::program(subject.tree));
    let mut body = Body::new(program, sources, &rules.lowered, taken);
    let open = OpenValues::new(rules);
    let mut defaults = HashMap::new();
    for choice in open.choices() {
        for var in choice.vars() {
            let value = super::body::default(body.leaf_of(var)?)?;
            defaults.insert(choice.clone(), value);
        }
    }
    for memory in rules.arena.memory.iter().filter(|m| m.init.is_none()) {
        for var in memory.var.vars() {
            // A value that nothing reads needs no default.
            if let Ok(value) = body.leaf_of(var).and_then(super::body::default) {
                defaults.insert(memory.var.clone(), value);
            }
        }
    }
    let outputs = strategy(context, won);
    open.check(context, won, &outputs, &defaults)?;
    let choices: HashMap<Term, Term> = open
        .choices()
        .filter_map(|choice| Some((choice.clone(), defaults.get(choice)?.clone())))
        .collect();
    let top = top_instance(subject)?;
    let shape = |var: &VarId| &top.values[var.index()];
    let mut roots = Vec::new();
    let mut played: HashSet<Term> = HashSet::new();
    for output in &node.outputs {
        let mut leaves = Vec::new();
        typed_leaves(program, &node.var(*output).ty, shape(output), &mut leaves)?;
        for (ty, term, leaf) in leaves {
            if !matches!(term.kind(), Kind::Var(_)) {
                return Err(Unwritable("an output is no variable of the game".into()));
            }
            played.insert(term.clone());
            let value = match outputs.get(&term) {
                Some(value) => substitute(value, &choices),
                None => default_of(&ty, leaf)?,
            };
            roots.push((value, leaf));
        }
    }
    if outputs.keys().any(|output| !played.contains(output)) {
        return Err(Unwritable("the game picks more than outputs".into()));
    }
    // The states that the strategy stays in: with them, the guarantees are inductive.
    let viable = won.viable();
    let is_told = open.is_known(&viable) && reads_only(rules, &viable, &roots);
    if is_told {
        roots.push((viable, Leaf::Bool));
    }
    let terms: Vec<Term> = roots.iter().map(|(term, _)| term.clone()).collect();
    body.declare_memory(&rules.arena.memory, &terms)?;
    if decl.kind == NodeKind::Function && body.remembers() {
        return Err(Unwritable("a function has no memory".into()));
    }
    let mut values = body.write(&roots)?.into_iter();
    for output in &node.outputs {
        let var = node.var(*output);
        let value = assembled(program, &var.ty, shape(output), &mut values);
        let value = value.ok_or_else(|| Unwritable("an output has no value".into()))?;
        body.equation(var.name, value);
    }
    if is_told && let Some(viable) = values.next() {
        body.property("the contract can be honoured", viable);
    }
    body.define_memory(&defaults)?;
    decl.imported = false;
    let (locals, equations) = body.finish();
    decl.locals = locals;
    decl.body = Some(equations);
    for item in &mut items {
        if let Item::Node(one) = item
            && one.name == decl.name
        {
            *one = decl.clone();
        }
    }
    let text = print::program(&syntax::ast::Program { items });
    let name = node.name;
    Ok(format!(
        "-- The body of {name} is made from its contract, which it honours.\n\n{text}"
    ))
}

/// Is all memory in a term such that other terms depend on it too?
fn reads_only(rules: &Rules, term: &Term, others: &[(Term, Leaf)]) -> bool {
    let others: Vec<Term> = others.iter().map(|(term, _)| term.clone()).collect();
    let known = needed_memory(&rules.arena.memory, &others);
    let read = needed_memory(&rules.arena.memory, std::slice::from_ref(term));
    let mut read = read.iter();
    read.all(|one| known.iter().any(|other| other.var == one.var))
}

/// The declaration of the node.
pub(super) fn declaration(subject: Subject<'_>) -> Result<&NodeDecl, Unwritable> {
    let name = subject.program.node(subject.top).name;
    let decl = subject.tree.items.iter().find_map(|item| match item {
        Item::Node(decl) if decl.name.name == name => Some(decl),
        _ => None,
    });
    let decl = decl.ok_or_else(|| Unwritable("its declaration is not in the text".into()))?;
    if subject.program.node(subject.top).has_body {
        return Err(Unwritable("the node has a body".into()));
    }
    let mut params = decl.inputs.iter().chain(&decl.outputs);
    match params.any(|param| param.clock.is_some()) {
        true => Err(Unwritable("it has clocks".into())),
        false => Ok(decl),
    }
}

/// The streams of the node.
pub(super) fn top_instance(subject: Subject) -> Result<InstanceStreams, Unwritable> {
    let mut instances = subject.rules.lowered.reduced_instances().into_iter();
    let top = instances.find(|instance| instance.path.is_empty());
    top.ok_or_else(|| Unwritable("its streams are not known".into()))
}

/// For each output the term that the strategy gives it.
fn strategy(context: &SolverContext, won: &Realizable) -> HashMap<Term, Term> {
    let mut outputs = HashMap::new();
    for (game, realization) in &won.games {
        let replies = needed_replies(context, &game.arena, realization);
        let Some(((last, _), others)) = replies.split_last() else {
            continue;
        };
        for (at, output) in game.arena.outputs.iter().enumerate() {
            let guarded = others.iter().rev();
            let term = guarded.fold(last.outputs[at].clone(), |otherwise, (reply, region)| {
                ite(region, &reply.outputs[at], &otherwise)
            });
            outputs.insert(output.clone(), term);
        }
    }
    outputs
}

/// For so many conditions of replies, a solver is asked whether they always hold.
const MANY: usize = 300;

/// Replies that are enough for all states and inputs, with the regions where they fit. The one
/// with the largest region comes last: it needs no condition.
fn needed_replies(
    context: &SolverContext,
    arena: &Arena,
    realization: &Realization,
) -> Vec<(Reply, Term)> {
    let mut solver = AnySolver::new(context, arena.system.clone());
    solver.assert(&realization.viable(), 0);
    solver.assert(&arena.assumed(), 0);
    let mut needed: Vec<(Literal, Reply, Term)> = Vec::new();
    let mut known: HashMap<Term, bool> = HashMap::new();
    for reply in &realization.replies {
        let mut conditions = normal(&realization.region(arena, reply)).conjuncts();
        conditions.retain(|condition| {
            if known.len() >= MANY {
                return true;
            }
            let is_given = known.entry(condition.clone()).or_insert_with(|| {
                let denied = solver.literal();
                solver.assert_if(denied, &not(condition), 0);
                solver.check(&[denied]) == Answer::Unsat
            });
            !*is_given
        });
        let region = and(conditions);
        let guard = solver.literal();
        solver.assert_if(guard, &not(&region), 0);
        needed.push((guard, reply.clone(), region));
    }
    // The later replies are the more special ones.
    let mut at = needed.len();
    while at > 0 && needed.len() > 1 {
        at -= 1;
        let others = needed.iter().enumerate().filter(|(other, _)| *other != at);
        let others: Vec<Literal> = others.map(|(_, (guard, ..))| *guard).collect();
        if solver.check(&others) == Answer::Unsat {
            let core = solver.core();
            needed.retain(|(guard, ..)| core.contains(guard));
            at = at.min(needed.len());
        }
    }
    let largest = needed.iter().enumerate();
    let largest = largest.max_by_key(|(_, (_, _, region))| region.subterms().count());
    if let Some((at, _)) = largest {
        let last = needed.remove(at);
        needed.push(last);
    }
    let needed = needed.into_iter();
    needed.map(|(_, reply, region)| (reply, region)).collect()
}
