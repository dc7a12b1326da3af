//! Texts that are made to be too much: they are refused, and soon.

use syntax::{Code, MAX_DEPTH, STACK_SIZE, parse_without_positions, print};

/// The codes of the errors of a text, parsed on a stack for deep trees.
fn codes(text: String) -> Vec<Code> {
    let parse = move || {
        let parsed = parse_without_positions(&text);
        parsed.errors.iter().map(|error| error.code).collect()
    };
    let thread = std::thread::Builder::new().stack_size(STACK_SIZE);
    thread.spawn(parse).unwrap().join().unwrap()
}

fn constant(value: &str) -> Vec<Code> {
    codes(format!("const c = {value};"))
}

#[test]
fn nesting_has_a_limit_wherever_it_stands() {
    let many = 200_000;
    for (open, inner, close) in [
        ("const c = ", "(", ""),
        ("const c = ", "not ", ""),
        ("const c = ", "f(", ""),
        ("const c = ", "[", ""),
        ("const c = ", "if a then b else ", ""),
        ("const c = ", "a -> ", ""),
        ("type t = ", "[", ""),
        ("node n", "(", ""),
        ("node n() returns (); let ", "if a then ", ""),
        ("node n() returns (); let ", "frame (x) let ", ""),
        (
            "node n() returns (); let if a then ",
            "elsif a then ",
            "fi tel",
        ),
        ("const c = a", " + a", ";"),
        ("const c = a", "[0]", ";"),
        ("const c = a", " when b", ";"),
        ("type t = int", "^2", ";"),
    ] {
        let text = format!("{open}{}{close}", inner.repeat(many));
        let codes = codes(text);
        assert!(codes.contains(&Code::TooDeep), "{open}{inner}: {codes:?}");
    }
}

#[test]
fn chains_inside_of_chains_add_up() {
    let chain = "+ 1".repeat(MAX_DEPTH as usize / 2 + 10);
    assert_eq!(constant(&format!("1 {chain}")), []);
    assert_eq!(constant(&format!("(1 {chain}) + 1")), []);
    assert_eq!(constant(&format!("(1 {chain}) {chain}")), [Code::TooDeep]);
    let indices = "[0]".repeat(MAX_DEPTH as usize / 2 + 10);
    let both = constant(&format!("(a {indices}) {indices}"));
    assert_eq!(both, [Code::TooDeep]);
}

#[test]
fn a_deep_tree_leaves_room_for_the_next_one() {
    let deep = "(".repeat(MAX_DEPTH as usize - 10) + "1" + &")".repeat(MAX_DEPTH as usize - 10);
    assert_eq!(constant(&format!("[{deep}, {deep}]; const d = {deep}")), []);
}

#[test]
fn numbers_have_a_limit() {
    assert_eq!(constant("1e19999"), []);
    for number in ["1e20000", "1e-20001", "0x1p-99999", "1e99999999999999"] {
        assert_eq!(constant(number), [Code::BadNumber], "{number}");
    }
    assert_eq!(constant(&"1".repeat(1_000_000)), [Code::BadNumber]);
}

#[test]
fn messages_quote_the_beginning_of_long_texts() {
    let text = format!("const c = {};", "1".repeat(1_000_000));
    let parsed = parse_without_positions(&text);
    assert!(parsed.errors[0].message.len() < 200);
}

#[test]
fn an_excerpt_of_an_expression_is_short() {
    let text = format!("const c = {}x;", "pre ".repeat(1000));
    let parsed = parse_without_positions(&text);
    let [syntax::ast::Item::Const(decl)] = parsed.program.items.as_slice() else {
        panic!("{parsed:?}");
    };
    let shown = print::short_expr(decl.value.as_ref().unwrap());
    assert!(shown.starts_with("pre pre ") && shown.ends_with('…'));
    assert_eq!(shown.chars().count(), 61);
}

#[test]
fn odd_texts_end_in_errors() {
    for text in [
        "\0",
        "\u{feff}",
        "é",
        "node é",
        "\"",
        "\"\\",
        "include \"",
        "(*",
        "/*",
        "(*@contract",
        "--%PROPERTY",
        "--%MAIN",
        "node",
        "const c = 0x",
        "\r",
        "const c = 1\u{2028};",
    ] {
        let parsed = parse_without_positions(text);
        let fine = text == "\r";
        assert_eq!(parsed.errors.is_empty(), fine, "{text:?}");
    }
    assert!(parse_without_positions("").errors.is_empty());
    assert!(parse_without_positions("--").errors.is_empty());
    assert!(
        parse_without_positions("const\r\nc = 1;\r\n")
            .errors
            .is_empty()
    );
}

/// What printing once got wrong.
#[test]
fn words_that_are_keywords_at_some_places_are_printed_well() {
    let node = |body: &str| format!("node n () returns ();\nlet\n{body}\ntel\n");
    for body in [
        "(check[i]) = a;",
        "(check.f, y) = a;",
        "(fi.x) = a;",
        "(elsif[i]) = a;",
        "if a then x = 1; elsif ([b]) = [c] then x = 2; fi",
        "if a then x = 1; elsif [b, b][1] then x = 2; fi",
    ] {
        let parsed = parse_without_positions(&node(body));
        assert!(parsed.errors.is_empty(), "{body}: {:?}", parsed.errors);
        let again = parse_without_positions(&print::program(&parsed.program));
        assert!(again.errors.is_empty(), "{body}: {:?}", again.errors);
        assert_eq!(again.program, parsed.program, "{body}");
    }
}

/// Whether an element of a stream is defined depends on what is declared.
#[test]
fn streams_may_be_called_check() {
    let items = |locals: &str| {
        let text = format!("node n () returns ();\n{locals}\nlet\ncheck[i] = [e];\ntel\n");
        let parsed = parse_without_positions(&text);
        assert!(parsed.errors.is_empty(), "{:?}", parsed.errors);
        print::program(&parsed.program)
    };
    assert!(items("var check: int^1^2;").contains("(check[i]) = [e]"));
    assert!(!items("var checked: int;").contains("(check[i])"));
}

#[test]
fn local_variables_are_not_constants() {
    let text = "node n () returns (); var (const x: int) when true; let tel";
    assert_eq!(codes(text.to_owned()), [Code::UnexpectedToken]);
}
