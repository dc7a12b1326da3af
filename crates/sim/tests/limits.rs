//! Programs that ask for more than a machine can do: their runs end in an
//! error, and soon. Where a limit is missing, a test here does not end, takes
//! all memory or overflows the stack.

use std::collections::HashMap;

use lang::{CheckOptions, Program, Value};
use sim::{NoChoices, SimError, Simulator};
use syntax::{STACK_SIZE, Symbol};

/// Runs the node `n` for some steps with zero for each input.
fn run(text: &str, steps: usize) -> Result<(), SimError> {
    with_program(text, |program| {
        let mut simulator = start(program);
        let top = program.node(node_n(program));
        let inputs = vec![Value::int(0); top.inputs.len()];
        (0..steps).try_for_each(|_| simulator.step(&inputs, &mut NoChoices))
    })
}

/// The value of the property of the node `n` after one step.
fn property(text: &str) -> Result<Value, SimError> {
    with_program(text, |program| {
        let mut simulator = start(program);
        simulator.step(&[Value::int(0)], &mut NoChoices)?;
        let property = &program.node(node_n(program)).properties[0];
        simulator.eval_last(&property.expr, &mut NoChoices)
    })
}

fn with_program<T: Send>(text: &str, run: impl FnOnce(&Program) -> T + Send) -> T {
    let check_and_run = || {
        let parsed = syntax::parse_without_positions(text);
        assert!(parsed.errors.is_empty(), "{:?}", parsed.errors[0]);
        let checked = lang::check(&parsed.program, &CheckOptions::default());
        run(&checked.program.expect("the program is accepted"))
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_SIZE);
        let thread = thread.spawn_scoped(scope, check_and_run);
        thread.expect("a thread").join().expect("no panic")
    })
}

fn node_n(program: &Program) -> lang::NodeId {
    program.node_named(Symbol::new("n")).expect("a node `n`")
}

fn start(program: &Program) -> Simulator<'_> {
    Simulator::new(program, node_n(program), HashMap::new())
}

fn node(output: &str, value: &str) -> String {
    format!("node n (x: int) returns (y: {output}); let y = {value}; tel\n")
}

fn assert_too_large<T: std::fmt::Debug>(result: Result<T, SimError>) {
    assert!(
        matches!(result, Err(SimError::TooLarge { .. })),
        "{result:?}"
    );
}

#[test]
fn large_arrays() {
    assert_too_large(run(&node("int^1000000000", "x^1000000000"), 1));
    let size = "2000^2000^2000^2000";
    assert_too_large(run(&node(&format!("int^{size}"), &format!("x^{size}")), 1));
    let undefined = "node n (x: int) returns (y: int^2000^2000); let tel";
    assert_too_large(run(undefined, 1));
    let elements = "node n (x: int) returns (y: int^2000^2000); let y[i][j] = i + j; tel";
    assert_too_large(run(elements, 1));
}

#[test]
fn arrays_that_double() {
    let vars: String = (1..60)
        .map(|at| format!("v{at}: int{};\n", "^2".repeat(at)))
        .collect();
    let equations: String = (2..60)
        .map(|at| format!("v{at} = [v{0}, v{0}];\n", at - 1))
        .collect();
    let text = format!(
        "node n (x: int) returns (y: int); var {vars} let y = x; v1 = [x, x]; {equations} tel"
    );
    assert_too_large(run(&text, 1));
}

#[test]
fn many_arrays() {
    let vars: String = (0..60).map(|at| format!("v{at}: int^1000000;\n")).collect();
    let equations: String = (0..60)
        .map(|at| format!("v{at} = (x + {at})^1000000;\n"))
        .collect();
    let text = format!("node n (x: int) returns (y: int); var {vars} let y = x; {equations} tel");
    assert_too_large(run(&text, 1));
}

#[test]
fn numbers_that_are_squared() {
    let squares = node("int", "3 -> pre y * pre y");
    assert_eq!(run(&squares, 10), Ok(()));
    assert_too_large(run(&squares, 60));
    assert_too_large(run(&node("real", "1.1 -> pre y * pre y"), 60));
}

#[test]
fn numbers_that_take_long() {
    let reals = vec!["(1e9999 + 1e-9999)"; 1000].join(" - ");
    assert_too_large(run(&node("real", &reals), 1));
}

#[test]
fn calls_that_double() {
    let mut text = "node n0 (x: int) returns (y: int); let y = 0 -> pre x; tel\n".to_owned();
    for at in 1..40 {
        let below = at - 1;
        text += &format!(
            "node n{at} (x: int) returns (y: int); let y = n{below}(x) + n{below}(x + 1); tel\n"
        );
    }
    assert_too_large(run(&(text + &node("int", "n39(x)")), 1));
}

#[test]
fn calls_for_every_element() {
    let delayed = "node d (x: int) returns (y: int); let y = 0 -> pre x; tel\n";
    let output = "int^1000000^1000000";
    let called =
        format!("{delayed} node n (x: int) returns (y: {output}); let y[i][j] = d(x + i + j); tel");
    assert_too_large(run(&called, 1));
}

#[test]
fn quantifiers_over_much() {
    let claim = |claim: &str| {
        property(&format!(
            "node n (x: int) returns (y: int); let y = x; check {claim}; tel"
        ))
    };
    assert_eq!(claim("forall (a: int16) a = a"), Ok(Value::Bool(true)));
    assert_too_large(claim("forall (a, b, c: int16) a = a"));
    assert_too_large(claim(
        "exists (a: int) 0 <= a and a < 1000000000000 and a * a < x",
    ));
    let nested = "forall (a: int) 0 <= a and a < 100000 =>
        (forall (b: int) 0 <= b and b < 100000 => a + b >= 0)";
    assert_too_large(claim(nested));
}

/// A value that is given up in one step does not spoil the budget of the next.
#[test]
fn every_step_has_a_budget_of_its_own() {
    let text = node("int^1000000", "x^1000000");
    assert_eq!(run(&text, 8), Ok(()));
}

#[test]
fn chains_of_definitions() {
    let chain = |length: usize| {
        let vars: String = (0..=length).map(|at| format!("v{at}: int;")).collect();
        let equations: String = (0..length)
            .map(|at| format!("v{at} = v{} + 1;", at + 1))
            .collect();
        format!(
            "node n (x: int) returns (y: int); var {vars} let {equations} v{length} = x; y = v0; tel"
        )
    };
    assert_eq!(run(&chain(50_000), 2), Ok(()));
    assert_too_large(run(&chain(200_000), 1));
}

#[test]
fn chains_of_elements() {
    let text = "node n (x: int) returns (y: int); var a: int^50000;
        let y = a[49999]; a[i] = if i = 0 then x else a[i - 1] + 1; tel";
    assert_eq!(run(text, 1), Ok(()));
}
