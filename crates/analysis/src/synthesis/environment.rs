//! An environment that beats every component, as a node.
//!
//! At each step the environment plays the inputs of the region from which it wins soonest. It
//! reads the outputs of earlier steps only. A second node plays it against any outputs: with the
//! number of steps after which the component has lost, this is a property that Kindred proves.

use std::collections::{HashMap, HashSet};

use game::{Arena, Lost, Memory};
use lang::{Program, Type};
use lower::{InstanceStreams, Leaf};
use num_bigint::BigInt;
use smt::{Answer, AnySolver, Solver, SolverContext};
use syntax::ast::{
    self, BinaryOp, Call, Equation, Expr, ExprKind, Item, Left, Local, NodeDecl, NodeItem,
    NodeKind, Param, UnaryOp,
};
use syntax::{Span, Symbol, print};
use system::{Kind, Role, Term, Var, and, ite, substitute};

use super::body::{Body, assembled, default, default_of, leaf_type, param, typed_leaves};
use super::component::{declaration, top_instance};
use super::needed::{needed, words};
use super::{Subject, Unwritable};
use crate::invariant_text::build;
use crate::realizability::Unrealizable;

/// An environment as text.
pub struct Environment {
    pub text: String,
    /// It picks values that a Lustre program cannot pick: those of a `pre` at the first step.
    pub picks_open_values: bool,
}

/// The environment that wins the game of a contract.
pub fn environment(
    context: &SolverContext,
    subject: Subject,
    lost: &Unrealizable,
) -> Result<Environment, Unwritable> {
    let strategy = Strategy::new(context, subject, lost)?;
    let program = subject.program;
    let decl = declaration(subject)?;
    let mut taken = words(&print::program(subject.tree));
    let mut name = |suffix: &str| {
        let wanted = format!("{}_{suffix}", decl.name.name);
        let numbered = (2..).map(|n| format!("{wanted}_{n}"));
        let names = std::iter::once(wanted.clone()).chain(numbered);
        let mut names = names.map(|name| Symbol::new(&name));
        let found = names.find(|name| taken.insert(*name));
        found.unwrap_or_else(|| Symbol::new(&wanted))
    };
    let (player, game) = (name("environment"), name("game"));
    let nodes = [
        strategy.player(decl, player, &taken)?,
        strategy.game(decl, player, game, &taken)?,
    ];
    let nodes = nodes.map(Item::Node);
    let roots = words(&print::program(&ast::Program {
        items: nodes.to_vec(),
    }));
    let is_value = |item: &Item| matches!(item, Item::Type(_) | Item::Const(_));
    let mut items = needed(subject.tree, &roots, is_value);
    for item in &mut items {
        if let Item::Const(constant) = item
            && constant.value.is_none()
        {
            constant.value = Some(strategy.constant(program, constant.name.name)?);
        }
    }
    items.extend(nodes);
    let text = print::program(&ast::Program { items });
    let picks_open_values = strategy.picks_open_values();
    let remark = match picks_open_values {
        true => {
            "-- The contract has a value that it does not define, such as a `pre` at the first \
             step: here the\n-- environment has picked it.\n"
        }
        false => "",
    };
    let (steps, node) = (strategy.at_most, decl.name.name);
    let text = format!(
        "-- Inputs that no component with the contract of {node} survives: after at most {steps} \
         steps its\n-- outputs have broken a guarantee.\n{remark}\n{text}"
    );
    Ok(Environment {
        text,
        picks_open_values,
    })
}

struct Strategy<'a> {
    subject: Subject<'a>,
    top: InstanceStreams,
    arena: Arena,
    /// The inputs that are played, as terms over memory.
    played: HashMap<Term, Term>,
    /// Values of constants, and of memory without an initial value.
    fixed: HashMap<Term, Term>,
    /// What no stream is the value of: constant inputs, and values that are not defined.
    hidden: HashMap<Term, Term>,
    undefined: bool,
    at_most: usize,
    /// After how many steps the component has lost, at most, from a state of the memory.
    rank: Term,
}

/// For longer games, a property says how far they are: it helps to prove how they end.
const LONG: usize = 8;

impl<'a> Strategy<'a> {
    fn new(
        context: &SolverContext,
        subject: Subject<'a>,
        lost: &Unrealizable,
    ) -> Result<Strategy<'a>, Unwritable> {
        let arena = lost.game.arena.clone();
        let regions = &lost.refutation.lost;
        let Some(last) = regions.last() else {
            return Err(Unwritable("no states are lost".into()));
        };
        let fixed = start(context, &arena, last)?;
        let mut strategy = Strategy {
            top: top_instance(subject)?,
            subject,
            played: HashMap::new(),
            hidden: HashMap::new(),
            undefined: false,
            at_most: last.steps,
            rank: system::integer(last.steps as u64 + 1),
            arena,
            fixed,
        };
        let leaves = strategy.input_leaves()?;
        let types: HashMap<Term, (Type, Leaf)> = leaves
            .iter()
            .map(|(ty, term, leaf)| (term.clone(), (ty.clone(), *leaf)))
            .collect();
        let known = crate::invariant_text::streams::leaves(&subject.rules.lowered);
        let mut order: Vec<&Lost> = regions.iter().collect();
        order.sort_by_key(|lost| lost.steps);
        strategy.rank = order.iter().rev().fold(strategy.rank, |rank, lost| {
            ite(&lost.states, &system::integer(lost.steps as u64), &rank)
        });
        for (at, input) in strategy.arena.inputs.iter().enumerate() {
            let otherwise = match (types.get(input), input.kind()) {
                (Some((ty, leaf)), _) => default_of(ty, *leaf)?,
                (None, Kind::Var(var)) => match known.get(var) {
                    Some(leaf) => default(*leaf)?,
                    None => return Err(Unwritable("an input has no type".into())),
                },
                _ => return Err(Unwritable("an input is no variable".into())),
            };
            let regions = order.iter().rev();
            let term = regions.fold(otherwise, |otherwise, lost| {
                ite(&lost.states, &lost.inputs[at], &otherwise)
            });
            strategy.played.insert(input.clone(), term);
        }
        let is_stream: HashSet<&Term> = leaves.iter().map(|(_, term, _)| term).collect();
        for input in &strategy.arena.inputs {
            if !is_stream.contains(input) {
                let term = strategy.played[input].clone();
                strategy.hidden.insert(input.clone(), term);
                strategy.undefined = true;
            }
        }
        for (_, term, _) in &leaves {
            if let Some(value) = strategy.fixed.get(term) {
                strategy.hidden.insert(term.clone(), value.clone());
            }
        }
        Ok(strategy)
    }

    /// The leaves of the inputs of the node.
    fn input_leaves(&self) -> Result<Vec<(Type, Term, Leaf)>, Unwritable> {
        let node = self.subject.program.node(self.subject.top);
        let mut leaves = Vec::new();
        for input in &node.inputs {
            let shape = &self.top.values[input.index()];
            let ty = &node.var(*input).ty;
            typed_leaves(self.subject.program, ty, shape, &mut leaves)?;
        }
        Ok(leaves)
    }

    /// Are there values that the contract does not define, and that the strategy relies on?
    fn picks_open_values(&self) -> bool {
        self.undefined
    }

    /// The memory of the contract, with what is hidden as terms.
    fn memory(&self) -> Vec<Memory> {
        let memory = self.arena.memory.iter().map(|memory| Memory {
            var: memory.var.clone(),
            init: memory.init.as_ref().map(|init| self.seen(init)),
            next: self.seen(&memory.next),
        });
        memory.collect()
    }

    fn seen(&self, term: &Term) -> Term {
        // What is hidden may be defined by other hidden values: constant inputs.
        substitute(&substitute(term, &self.hidden), &self.hidden)
    }

    fn body(&self, taken: &HashSet<Symbol>) -> Body<'a> {
        let Subject {
            program,
            sources,
            rules,
            ..
        } = self.subject;
        Body::new(program, sources, &rules.lowered, taken.clone())
    }

    /// The node that plays the inputs.
    fn player(
        &self,
        decl: &NodeDecl,
        name: Symbol,
        taken: &HashSet<Symbol>,
    ) -> Result<NodeDecl, Unwritable> {
        let mut body = self.body(taken);
        let program = self.subject.program;
        let node = program.node(self.subject.top);
        let mut roots = Vec::new();
        for (ty, term, leaf) in self.input_leaves()? {
            let value = match (self.played.get(&term), self.fixed.get(&term)) {
                (Some(played), _) => self.seen(played),
                (None, Some(value)) => value.clone(),
                (None, None) => default_of(&ty, leaf)?,
            };
            roots.push((value, leaf));
        }
        let terms: Vec<Term> = roots.iter().map(|(term, _)| term.clone()).collect();
        body.declare_memory(&self.memory(), &terms)?;
        let mut values = body.write(&roots)?.into_iter();
        for input in &node.inputs {
            let (var, shape) = (node.var(*input), &self.top.values[input.index()]);
            let value = assembled(program, &var.ty, shape, &mut values);
            let value = value.ok_or_else(|| Unwritable("an input has no value".into()))?;
            body.equation(var.name, value);
        }
        body.define_memory(&self.fixed)?;
        let (locals, items) = body.finish();
        let (inputs, outputs) = (plain(&decl.outputs), plain(&decl.inputs));
        Ok(node_of(name, (inputs, outputs), locals, items))
    }

    /// The node that plays the environment against any outputs.
    fn game(
        &self,
        decl: &NodeDecl,
        player: Symbol,
        name: Symbol,
        taken: &HashSet<Symbol>,
    ) -> Result<NodeDecl, Unwritable> {
        let mut body = self.body(taken);
        let arena = &self.arena;
        let [assumptions, guarantees] = [&arena.assumptions, &arena.guarantees].map(|all| {
            let all = all.iter().map(|term| self.seen(term));
            (and(all), Leaf::Bool)
        });
        let has_assumptions = !matches!(assumptions.0.kind(), Kind::Bool(true));
        let mut roots = vec![assumptions, guarantees];
        if self.at_most > LONG {
            roots.push((self.seen(&self.rank), Leaf::Int));
        }
        let terms: Vec<Term> = roots.iter().map(|(term, _)| term.clone()).collect();
        body.declare_memory(&self.memory(), &terms)?;
        let played = decl.inputs.iter().map(|input| Left {
            name: input.name,
            indices: Vec::new(),
        });
        let played: Vec<Left> = played.collect();
        if !played.is_empty() {
            let args = decl.outputs.iter().map(|one| build::name(one.name.name));
            let call = Call {
                node: build::ident(player),
                args: args.collect(),
                every: None,
                defaults: None,
                restart: None,
            };
            body.items.push(NodeItem::Equation(Equation {
                left: played,
                right: build::expr(ExprKind::Call(call)),
                span: Span::default(),
            }));
        }
        let [assumed, kept]: [Symbol; 2] = [
            body.local("assumptions_hold", Leaf::Bool)?,
            body.local("guarantees_hold", Leaf::Bool)?,
        ];
        let mut defined = vec![assumed, kept];
        let rank = match self.at_most > LONG {
            true => Some(body.local("steps_left", Leaf::Int)?),
            false => None,
        };
        defined.extend(rank);
        let values = body.write(&roots)?;
        for (name, value) in defined.into_iter().zip(values) {
            body.equation(name, value);
        }
        body.define_memory(&self.fixed)?;
        let (lost, was_lost) = (body.fresh("lost"), body.local("was_lost", Leaf::Bool)?);
        let before = build::unary(UnaryOp::Pre, build::name(lost));
        let before = build::binary(BinaryOp::Arrow, build::boolean(false), before);
        body.equation(was_lost, before);
        let broken = build::unary(UnaryOp::Not, build::name(kept));
        let now = build::binary(BinaryOp::Or, build::name(was_lost), broken);
        body.equation(lost, now);
        let step = body.local("step", Leaf::Int)?;
        body.equation(step, counted(step, self.at_most));
        let keeps = build::binary(BinaryOp::Or, build::name(was_lost), build::name(assumed));
        let end = build::integer(&BigInt::from(self.at_most));
        let over = build::binary(BinaryOp::Eq, build::name(step), end);
        let beaten = build::binary(BinaryOp::Implies, over, build::name(lost));
        let goes_on = rank.map(|rank| {
            let sum = build::binary(BinaryOp::Add, build::name(step), build::name(rank));
            let most = build::integer(&BigInt::from(self.at_most + 1));
            let in_time = build::binary(BinaryOp::Le, sum, most);
            let in_time = build::binary(BinaryOp::Or, build::name(was_lost), in_time);
            ("the component loses in time", in_time)
        });
        let keeps = ("the environment keeps the assumptions", keeps);
        let keeps = has_assumptions.then_some(keeps);
        let beaten = [("the component has lost in the end", beaten)];
        for (name, expr) in keeps.into_iter().chain(beaten).chain(goes_on) {
            body.property(name, expr);
        }
        body.items.push(NodeItem::Main {
            value: true,
            span: Span::default(),
        });
        let lost = param(lost, leaf_type(self.subject.program, Leaf::Bool)?);
        let inputs = plain(&decl.inputs).into_iter().map(Local::Var);
        let (locals, items) = body.finish();
        let locals = inputs.chain(locals).collect();
        let params = (plain(&decl.outputs), vec![lost]);
        Ok(node_of(name, params, locals, items))
    }

    /// The value that the environment picks for a constant.
    fn constant(&self, program: &Program, name: Symbol) -> Result<Expr, Unwritable> {
        let unknown = || Unwritable(format!("the constant {name} has no value"));
        let lowered = &self.subject.rules.lowered;
        let found = lowered.consts.iter().find(|(id, _)| {
            let constant = &program.consts[id.index()];
            constant.name == name
        });
        let (id, shape) = found.ok_or_else(unknown)?;
        let ty = &program.consts[id.index()].ty;
        let mut leaves = Vec::new();
        typed_leaves(program, ty, shape, &mut leaves)?;
        let mut values = Vec::new();
        for (ty, term, leaf) in leaves {
            let value = match self.fixed.get(&term) {
                Some(value) => value.clone(),
                None => default_of(&ty, leaf)?,
            };
            values.push((value, leaf));
        }
        let mut body = self.body(&HashSet::new());
        let mut values = body.write(&values)?.into_iter();
        assembled(program, ty, shape, &mut values).ok_or_else(unknown)
    }
}

/// The values that the environment picks before the first step.
fn start(
    context: &SolverContext,
    arena: &Arena,
    last: &Lost,
) -> Result<HashMap<Term, Term>, Unwritable> {
    let mut solver = AnySolver::new(context, arena.system.clone());
    solver.assert(&arena.initial(), 0);
    solver.assert(&last.states, 0);
    if solver.check(&[]) != Answer::Sat {
        return Err(Unwritable("the solver finds no first step".into()));
    }
    let constants = arena.system.vars.iter().enumerate();
    let constants = constants.filter(|(_, declared)| declared.role == Role::Constant);
    let constants = constants.map(|(at, var)| system::var(Var(at as u32), var.sort.clone()));
    let undefined = arena.memory.iter().filter(|memory| memory.init.is_none());
    let undefined = undefined.map(|memory| memory.var.clone());
    let mut fixed = HashMap::new();
    for var in constants.chain(undefined) {
        let value = solver.value(&var, 0).and_then(|v| v.term(var.sort()));
        let value = value.ok_or_else(|| Unwritable("it picks a value that is no number".into()))?;
        fixed.insert(var, value);
    }
    Ok(fixed)
}

/// How many steps there were, up to a number.
fn counted(step: Symbol, most: usize) -> Expr {
    let one = || build::integer(&BigInt::from(1));
    let most = build::integer(&BigInt::from(most));
    let before = || build::unary(UnaryOp::Pre, build::name(step));
    let goes_on = build::binary(BinaryOp::Lt, before(), most.clone());
    let next = build::binary(BinaryOp::Add, before(), one());
    let next = build::expr(ExprKind::If(goes_on.into(), next.into(), most.into()));
    build::binary(BinaryOp::Arrow, one(), next)
}

/// Parameters that are no constants.
fn plain(params: &[Param]) -> Vec<Param> {
    let params = params.iter().cloned();
    let params = params.map(|param| Param {
        is_const: false,
        ..param
    });
    params.collect()
}

fn node_of(
    name: Symbol,
    (inputs, outputs): (Vec<Param>, Vec<Param>),
    locals: Vec<Local>,
    items: Vec<NodeItem>,
) -> NodeDecl {
    NodeDecl {
        kind: NodeKind::Node,
        imported: false,
        name: build::ident(name),
        inputs,
        outputs,
        contract: None,
        locals,
        body: Some(items),
        span: Span::default(),
    }
}
