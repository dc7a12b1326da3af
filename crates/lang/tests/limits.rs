//! Programs of a few lines that stand for very large ones: each is accepted or
//! refused in a moment. Where a limit is missing, a test here does not end or
//! takes all memory.

use lang::CheckOptions;
use syntax::{Code, Diagnostic, STACK_SIZE};

/// Checks a program on a stack for deep trees.
fn check(text: String) -> Vec<Diagnostic> {
    let check = move || {
        let parsed = syntax::parse_without_positions(&text);
        assert!(parsed.errors.is_empty(), "{:?}", parsed.errors[0]);
        lang::check(&parsed.program, &CheckOptions::default()).diagnostics
    };
    let thread = std::thread::Builder::new().stack_size(STACK_SIZE);
    thread.spawn(check).unwrap().join().unwrap()
}

/// The codes of all errors of a program.
fn errors(text: String) -> Vec<Code> {
    let diagnostics = check(text);
    let errors = diagnostics.iter().filter(|d| d.is_error());
    errors.map(|error| error.code).collect()
}

fn node(output: &str, value: &str) -> String {
    format!("node n (x: int) returns (y: {output}); let y = {value}; tel\n")
}

/// `first`, then lines that each use the one before: `@` stands for the number
/// of the line, `$` for that of the line before.
fn growing(first: &str, line: &str, count: usize) -> String {
    let line = |at: usize| {
        line.replace('@', &at.to_string())
            .replace('$', &(at - 1).to_string())
    };
    first.to_owned() + &(1..=count).map(line).collect::<String>()
}

/// `value`, with `$` replaced by itself again and again.
fn nested(value: &str, innermost: &str, count: usize) -> String {
    (0..count).fold(innermost.to_owned(), |inner, _| value.replace('$', &inner))
}

#[test]
fn types_that_double_are_refused() {
    let tuples = growing("type t0 = int;\n", "type t@ = [t$, t$];\n", 60);
    assert_eq!(errors(tuples), [Code::TooDeep]);
    let record = "type t@ = struct { a: t$; b: t$ };\n";
    let records = growing("type t0 = int;\n", record, 60);
    assert_eq!(errors(records), [Code::TooDeep]);
    let empty = growing("type t0 = struct { };\n", record, 60);
    assert_eq!(errors(empty), [Code::TooDeep]);
}

#[test]
fn tuples_that_double_are_refused() {
    let locals = "node n (x: int) returns (y: int);\nvar v: [int, int];\nlet y = x; v = ";
    let text = format!("{locals}{}; tel", nested("{$, $}", "x", 17));
    assert!(errors(text).contains(&Code::TooDeep));
}

#[test]
fn sizes_of_constants_that_double_are_found() {
    let consts = growing("const c0: int;\n", "const c@: int = c$ + c$;\n", 60);
    assert_eq!(errors(consts + &node("int^c60", "x^c60")), []);
}

#[test]
fn ranges_of_constants_that_double_are_found() {
    let consts = growing(
        "const c0: subrange [0, 1] of int;\n",
        "const c@: int = c$ + c$;\n",
        60,
    );
    let range = "const d: subrange [0, *] of int = c60;\n";
    assert_eq!(errors(consts + range), []);
}

#[test]
fn ranges_of_constants_that_are_squared_are_given_up() {
    let consts = growing(
        "const c0: subrange [2, 3] of int;\n",
        "const c@: int = c$ * c$;\n",
        60,
    );
    let range = "const d: subrange [0, *] of int = c60;\n";
    assert_eq!(errors(consts + range), [Code::OutOfRange]);
}

#[test]
fn numbers_that_are_squared_are_refused() {
    let integers = growing("const c0 = 3;\n", "const c@ = c$ * c$;\n", 60);
    assert_eq!(errors(integers), [Code::HugeConstant]);
    let reals = growing("const c0 = 1.1;\n", "const c@ = c$ * c$;\n", 60);
    assert_eq!(errors(reals), [Code::HugeConstant]);
}

#[test]
fn sizes_that_are_squared_are_refused() {
    let consts = growing("const c0: int;\n", "const c@: int = c$ * c$;\n", 60);
    assert_eq!(errors(consts + &node("int^c60", "x^c60")), [Code::BadSize]);
}

#[test]
fn products_of_large_sums_are_refused() {
    let consts: String = (0..30).map(|at| format!("const c{at}: int;\n")).collect();
    let names: Vec<String> = (0..30).map(|at| format!("c{at}")).collect();
    let size = vec![format!("({})", names.join(" + ")); 12].join(" * ");
    let ty = format!("int^({size})");
    assert_eq!(errors(consts + &node(&ty, "x^3")), [Code::BadSize]);
}

#[test]
fn large_arrays_of_arrays_are_not_compared_as_constants() {
    let array = "(1^1000^1000^1000^1000)";
    let text = format!("type jkind = int[3];\nconst c = {array} = {array};\n");
    assert_eq!(errors(text), []);
}

#[test]
fn long_chains_of_constants_are_accepted_in_order() {
    let folded = growing("const c0 = 1;\n", "const c@ = c$ + 1;\n", 50_000);
    assert_eq!(errors(folded), []);
    let free = growing("const c0: int;\n", "const c@: int = c$ + 1;\n", 50_000);
    assert_eq!(errors(free), []);
}

#[test]
fn constants_and_types_that_wait_for_too_many_others_are_refused() {
    let backwards = |line: &str, last: &str| -> String {
        let lines = (0..50_000).map(|at| {
            line.replace('@', &at.to_string())
                .replace('$', &(at + 1).to_string())
        });
        lines.collect::<String>() + last
    };
    let consts = backwards("const c@ = c$ + 1;\n", "const c50000 = 1;");
    assert!(errors(consts).contains(&Code::TooDeep));
    let types = backwards("type t@ = t$;\n", "type t50000 = int;");
    assert!(errors(types).contains(&Code::TooDeep));
}

#[test]
fn conditions_over_lists_are_not_copied_without_end() {
    let equal = nested("(if $ then (x, 1) else (2, 3)) = (x, x)", "x > 0", 40);
    assert!(errors(node("bool", &equal)).contains(&Code::TooDeep));
    let nested = nested("(if $ > 0 then 1 else 2)", "x", 3000);
    assert_eq!(errors(node("int", &nested)), []);
}

#[test]
fn nested_delays_add_up() {
    assert_eq!(errors(node("int", "fby(fby(x, 500, 0), 500, 0)")), []);
    let deep = nested("fby($, 1000, 0)", "x", 3000);
    assert!(errors(node("int", &deep)).contains(&Code::Unsupported));
    let copied = nested("fby(x, 100, $)", "x", 5);
    assert!(errors(node("int", &copied)).contains(&Code::TooDeep));
}

#[test]
fn many_operands_make_flat_trees() {
    let many = vec!["x > 0"; 300_000].join(", ");
    assert_eq!(errors(node("bool", &format!("nor({many})"))), []);
}

#[test]
fn nested_blocks_are_read_in_one_go() {
    let blocks = nested("if x > 0 then $ fi", "y = 1;", 9000);
    let text = format!("node n (x: int) returns (y: int); let {blocks} tel");
    assert_eq!(errors(text), []);
}

const CONTRACT: &str = "contract c@ (x: int) returns (y: int);
let import c$(x) returns (y); import c$(x + 1) returns (y); tel\n";

#[test]
fn imports_that_double_are_refused() {
    let first = "contract c0 (x: int) returns (y: int); let assume true; tel\n";
    let nodes = "node m (x: int) returns (y: int);
        (*@contract import c40(x) returns (y); *) let y = x; tel
        node n (x: int) returns (y: int); (*@contract guarantee m(x) > 0; *) let y = x; tel\n";
    let errors = errors(growing(first, CONTRACT, 40) + nodes);
    assert!(errors.contains(&Code::TooDeep));
}

#[test]
fn deep_imports_are_refused() {
    let first = "contract c0 (x: int) returns (y: int); let assume true; tel\n";
    let line = "contract c@ (x: int) returns (y: int); let import c$(x) returns (y); tel\n";
    assert_eq!(errors(growing(first, line, 100)), []);
    assert_eq!(errors(growing(first, line, 101)), [Code::TooDeep]);
}

#[test]
fn warnings_do_not_repeat_the_program() {
    let warnings = check(node("int", &format!("{}x", "pre ".repeat(3000))));
    let longest = warnings.iter().map(|warning| warning.message.len()).max();
    assert!(longest.is_some_and(|longest| longest < 200));
}
