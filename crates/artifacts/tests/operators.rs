//! Every row of the table of operators, through the whole front end.
//!
//! For each operator and all types of operands: the parser reads it, the printer writes it
//! so that it is read again, the checker takes the types that the row names and no others,
//! and the interpreter, the lowering and the second translation agree on what it computes.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use artifacts::certificate::{Query, difference};
use artifacts::frontend::front_end;
use artifacts::run::{Answer, Checker, check};
use lang::{Program, Value};
use lower::{Lowered, Shape};
use num_bigint::BigInt;
use sim::{NoChoices, Simulator};
use smt::sexpr::{Sexpr, parse};
use smt::{Solver, SolverContext, Z3};
use syntax::SourceMap;
use syntax::ast::{BinaryOp, ExprKind, Item, Machine, NodeItem, UnaryOp};
use syntax::operator::{Gives, Operands};
use system::Role;

/// The types that operands are tried with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ty {
    Bool,
    Int,
    Real,
    Machine(Machine),
}

const TYPES: [Ty; 7] = [
    Ty::Bool,
    Ty::Int,
    Ty::Real,
    machine(true, 8),
    machine(false, 8),
    machine(true, 16),
    machine(false, 16),
];

const fn machine(signed: bool, width: u8) -> Ty {
    Ty::Machine(Machine { signed, width })
}

impl Ty {
    fn text(self) -> String {
        match self {
            Ty::Bool => "bool".to_owned(),
            Ty::Int => "int".to_owned(),
            Ty::Real => "real".to_owned(),
            Ty::Machine(machine) => machine.to_string(),
        }
    }

    fn samples(self) -> Vec<Value> {
        match self {
            Ty::Bool => vec![Value::Bool(false), Value::Bool(true)],
            Ty::Int => [-700, -7, -1, 0, 1, 2, 300].map(Value::int).into(),
            Ty::Real => [(-7, 2), (-1, 1), (0, 1), (1, 3), (5, 2)]
                .map(|(n, d): (i32, i32)| {
                    let (n, d) = (BigInt::from(n), BigInt::from(d));
                    Value::Real(num_rational::BigRational::new(n, d))
                })
                .into(),
            Ty::Machine(machine) => {
                let all = 1i128 << machine.width;
                let numbers = match machine.signed {
                    true => vec![-all / 2, -7, -1, 0, 1, 3, all / 2 - 1],
                    false => vec![0, 1, 3, 7, machine.width.into(), all - 1],
                };
                let values = numbers.into_iter();
                values.map(|value| Value::Machine(machine, value)).collect()
            }
        }
    }
}

/// Does a row with these operands take two values of the types?
fn takes(operands: Operands, a: Ty, b: Ty) -> bool {
    let machine = |ty: Ty| matches!(ty, Ty::Machine(_));
    match operands {
        Operands::Streams | Operands::Values => a == b,
        Operands::Bools => a == b && a == Ty::Bool,
        Operands::Numbers => a == b && a != Ty::Bool,
        Operands::Integers => a == b && (a == Ty::Int || machine(a)),
        Operands::Machines => a == b && machine(a),
        Operands::Shift => match (a, b) {
            (Ty::Machine(a), Ty::Machine(b)) => a.width == b.width && !b.signed,
            _ => false,
        },
        Operands::Convertible => panic!("an operator with two operands that converts"),
        // Parsed, and refused.
        Operands::Arrays => false,
    }
}

/// What an operator on a value of the type gives; `None` if it does not take it.
fn given(op: UnaryOp, ty: Ty) -> Option<Ty> {
    match (op, ty) {
        (UnaryOp::ToInt, ty) => (ty != Ty::Bool).then_some(Ty::Int),
        (UnaryOp::ToReal, ty) => matches!(ty, Ty::Int | Ty::Real).then_some(Ty::Real),
        (UnaryOp::ToMachine(to), Ty::Machine(from)) => {
            (to.signed == from.signed).then_some(Ty::Machine(to))
        }
        (UnaryOp::ToMachine(to), ty) => (ty == Ty::Int).then_some(Ty::Machine(to)),
        (op, ty) => takes(op.row().operands, ty, ty).then_some(ty),
    }
}

/// A node whose output `z` is an expression over inputs; the property needs it.
fn node(inputs: &[Ty], output: Ty, expr: &str) -> String {
    let inputs = ["x", "y"].iter().zip(inputs);
    let inputs = inputs.map(|(name, ty)| format!("{name}: {}; ", ty.text()));
    let (inputs, output) = (inputs.collect::<String>(), output.text());
    format!(
        "node main({inputs}w: {output}) returns (z: {output});\n\
         let z = {expr}; check (z = w); tel\n"
    )
}

/// The expression that the node defines its output with.
fn defined(text: &str) -> ExprKind {
    let parsed = syntax::parse_without_positions(text);
    assert!(parsed.errors.is_empty(), "{text}{:?}", parsed.errors);
    let printed = syntax::print::program(&parsed.program);
    let again = syntax::parse_without_positions(&printed);
    assert_eq!(parsed.program, again.program, "{text}{printed}");
    let Some(Item::Node(node)) = parsed.program.items.into_iter().next() else {
        panic!("no node in {text}");
    };
    match node.body.and_then(|items| items.into_iter().next()) {
        Some(NodeItem::Equation(equation)) => equation.right.kind,
        other => panic!("no equation in {text}{other:?}"),
    }
}

fn checked(text: &str) -> Option<(Program, SourceMap)> {
    let loaded = syntax::load(
        "operators.lus",
        Path::new("operators.lus"),
        text.into(),
        &[],
    );
    let checked = lang::check(&loaded.program, &lang::CheckOptions::default());
    checked.program.map(|program| (program, loaded.sources))
}

/// Runs a node on all combinations of sample values, and compares.
fn compare(text: &str, inputs: &[Ty], output: Ty) {
    let (program, sources) = checked(text).unwrap_or_else(|| panic!("refused:\n{text}"));
    let top = program.top_nodes()[0];
    let options = lower::LowerOptions {
        all_streams: true,
        ..lower::LowerOptions::default()
    };
    let lowered = lower::lower(&program, &sources, top, &options).expect(text);
    let mut steps: Vec<Vec<Value>> = vec![Vec::new()];
    for ty in inputs {
        let longer = |step: &Vec<Value>| {
            let samples = ty.samples().into_iter();
            let step = step.clone();
            samples.map(move |value| step.iter().cloned().chain([value]).collect())
        };
        steps = steps.iter().flat_map(longer).collect();
    }
    let unused = output.samples().remove(0);
    for step in &mut steps {
        step.push(unused.clone());
    }
    same_runs(text, &program, &lowered, &steps);
    same_translations(text, &program, &lowered);
}

/// The output of the interpreter is the only one that the lowered system allows, and any
/// is allowed where an operation has no value of its own.
fn same_runs(text: &str, program: &Program, lowered: &Lowered, steps: &[Vec<Value>]) {
    let top = program.top_nodes()[0];
    let node = program.node(top);
    let z = node.outputs[0];
    let instances = lowered.reduced_instances();
    let stream = instances[0].values[z.index()].leaf().expect("a scalar");
    let mut simulator = Simulator::new(program, top, HashMap::new());
    let mut solver = Z3::new(&SolverContext::default(), Arc::new(lowered.system.clone()));
    start(&mut solver, lowered);
    for (at, inputs) in steps.iter().enumerate() {
        let met = simulator.trace().unknowns.len();
        simulator.step(inputs, &mut NoChoices).expect(text);
        let trace = simulator.trace();
        let unknown = trace.unknowns.iter().any(|u| u.steps.contains(&at));
        assert!(unknown || trace.unknowns.len() == met);
        let computed = simulator.last(z).expect("a value").clone();
        for (input, value) in lowered.inputs.iter().zip(inputs) {
            let equal = equal(input.leaf().expect("a scalar"), value);
            solver.assert(&equal, at);
        }
        let equal = equal(stream, &computed);
        let mut allows = |term: &system::Term| {
            solver.push();
            solver.assert(term, at);
            let answer = solver.check(&[]);
            solver.pop();
            answer
        };
        let place = format!("{text}for {inputs:?} the interpreter computes {computed:?}");
        assert_eq!(allows(&equal), Answer::Sat, "{place}");
        let others = if unknown { Answer::Sat } else { Answer::Unsat };
        assert_eq!(allows(&system::not(&equal)), others, "{place}");
        next(&mut solver, lowered, at);
    }
}

fn equal(term: &system::Term, value: &Value) -> system::Term {
    let value = Shape::constant(value);
    system::eq(term, value.leaf().expect("a scalar"))
}

/// Memory has its initial values.
fn start(solver: &mut Z3, lowered: &Lowered) {
    for (at, var) in lowered.system.vars.iter().enumerate() {
        if let (Role::State, Some(init)) = (var.role, &var.init) {
            let state = system::var(system::Var(at as u32), var.sort.clone());
            solver.assert(&system::eq(&state, init), 0);
        }
    }
}

fn next(solver: &mut Z3, lowered: &Lowered, step: usize) {
    for (at, var) in lowered.system.vars.iter().enumerate() {
        if let (Role::State, Some(next)) = (var.role, &var.next) {
            let state = system::var(system::Var(at as u32), var.sort.clone());
            solver.assert_next(&state, next, step);
        }
    }
}

/// The second translation is the same as the first, on all values.
fn same_translations(text: &str, program: &Program, lowered: &Lowered) {
    let top = program.top_nodes()[0];
    let options = lower::LowerOptions::default();
    let script = match front_end(program, top, &options, lowered) {
        Ok(front_end) => front_end.script,
        Err(error) => panic!("not covered: {error:?}\n{text}"),
    };
    for query in Query::ALL {
        let answer = check(&Checker::Embedded, &script.query(query), None);
        assert_eq!(
            answer.expect("a solver"),
            Answer::Unsat,
            "{query:?} of\n{text}"
        );
    }
    let written = script.certificate();
    let swapped = parse(&written).expect(text).into_iter();
    let swapped = swapped.map(|command| match command.head() {
        Some("define-fun") => swap(command),
        _ => command,
    });
    let swapped: Vec<String> = swapped.map(|command| command.to_string()).collect();
    assert_eq!(difference(&written, &swapped.concat()), None, "{text}");
}

/// The definition with the sides of all equations swapped: they depend on the order in which terms
/// were created.
fn swap(definition: Sexpr) -> Sexpr {
    match definition {
        Sexpr::List(parts) => {
            let mut parts: Vec<Sexpr> = parts.into_iter().map(swap).collect();
            if let [Sexpr::Atom(word), a, b] = parts.as_mut_slice()
                && word == "="
            {
                std::mem::swap(a, b);
            }
            Sexpr::List(parts)
        }
        other => other,
    }
}

#[test]
fn binary_operators_mean_the_same_everywhere() {
    for op in BinaryOp::ALL {
        let row = op.row();
        let expr = format!("x {} y", row.text);
        for a in TYPES {
            for b in TYPES {
                let output = match row.gives {
                    Gives::Bool => Ty::Bool,
                    Gives::Operand => a,
                };
                let text = node(&[a, b], output, &expr);
                let kind = defined(&text);
                assert!(
                    matches!(kind, ExprKind::Binary(found, ..) if found == *op),
                    "{text}"
                );
                match takes(row.operands, a, b) {
                    true => compare(&text, &[a, b], output),
                    false => assert!(checked(&text).is_none(), "not refused:\n{text}"),
                }
            }
        }
    }
}

#[test]
fn unary_operators_mean_the_same_everywhere() {
    for op in UnaryOp::all() {
        for ty in TYPES {
            let output = given(op, ty).unwrap_or(ty);
            let text = node(&[ty], output, &format!("{op} x"));
            let kind = defined(&text);
            assert!(
                matches!(kind, ExprKind::Unary(found, _) if found == op),
                "{text}"
            );
            if given(op, ty).is_none() {
                assert!(checked(&text).is_none(), "not refused:\n{text}");
                continue;
            }
            // `pre x` alone is open at the first step.
            let guarded = match op.row().operands {
                Operands::Streams => node(&[ty], output, &format!("x -> {op} x")),
                _ => text,
            };
            compare(&guarded, &[ty], output);
        }
    }
}
