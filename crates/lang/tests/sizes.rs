//! Sizes of arrays that depend on constant inputs of nodes.

use lang::CheckOptions;
use syntax::Code;

fn errors(caller: &str) -> Vec<Code> {
    let text = format!(
        "node make (const n: int; x: int) returns (y: int^n); let y = x^n; tel
         node first (const n: int; a: int^n) returns (y: int); let y = a[0]; tel
         {caller}"
    );
    let parsed = syntax::parse_without_positions(&text);
    assert!(parsed.errors.is_empty(), "{:?}", parsed.errors[0]);
    let checked = lang::check(&parsed.program, &CheckOptions::default());
    let errors = checked.diagnostics.iter().filter(|d| d.is_error());
    errors.map(|error| error.code).collect()
}

#[test]
fn sums_and_products_are_sizes() {
    let caller = "node m (const k: int; x: int) returns (y: int);
         let y = first(k * k + 1, make(1 + k * k, x)); tel";
    assert_eq!(errors(caller), []);
}

#[test]
fn other_constants_are_refused_as_sizes() {
    let makes = "node m (const k: int; x: int) returns (y: int);
         let y = make(k div 2, x)[0]; tel";
    assert_eq!(errors(makes), [Code::BadSize]);
    let takes = "node m (const k: int; a: int^5) returns (y: int);
         let y = first(k div 2, a); tel";
    assert_eq!(errors(takes), [Code::BadSize]);
}

#[test]
fn streams_are_refused_as_sizes() {
    let caller = "node m (c: bool; k, x: int) returns (y: int);
         let y = condact(c, make(k, x), 0^3)[0]; tel";
    assert_eq!(errors(caller), [Code::BadSize]);
}

#[test]
fn sizes_of_calls_are_positive() {
    for size in ["0", "-2", "1 - 1"] {
        let caller = format!("node m (x: int) returns (y: int); let y = make({size}, x)[0]; tel");
        assert_eq!(errors(&caller), [Code::BadSize], "{size}");
    }
    let open = "node m (const k: int; x: int) returns (y: int); let y = make(k - 1, x)[0]; tel";
    assert_eq!(errors(open), []);
}

/// Constant arguments of an imported contract may stand in a list.
#[test]
fn lists_of_arguments_have_constants() {
    let caller = "contract c (const n: int; x: int) returns (y: int);
         let var a: int^n = x^n; guarantee a[0] = y; tel
         node m (x: int) returns (y: int); (*@contract import c((3, x)) returns (y); *)
         let y = x; tel";
    assert_eq!(errors(caller), []);
}
