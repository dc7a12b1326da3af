//! Diagnostics with the lines they speak of, at places that are easy to get
//! wrong.

use std::path::Path;

use expect_test::{Expect, expect};
use syntax::{Code, Diagnostic, SourceMap, Span};

/// Renders a diagnostic about the `[…]` of a text, or its end, with the `{…}` as
/// a related place; the brackets are part of the places.
fn assert_rendered(text: &str, expected: Expect) {
    let mut sources = SourceMap::default();
    let file = sources.add("m.lus".to_owned(), Path::new("m.lus"), text.to_owned());
    let place = |open, close| {
        let (start, end) = (text.find(open)?, text.find(close)?);
        Some(Span::new(file, start, end + 1))
    };
    let end = Span::new(file, text.len(), text.len());
    let span = place('[', ']').unwrap_or(end);
    let mut diagnostic = Diagnostic::error(Code::UnknownName, span, "this is wrong");
    if let Some(place) = place('{', '}') {
        diagnostic = diagnostic.related(place, "and this");
    }
    expected.assert_eq(&report::render(&diagnostic, &sources, false));
}

#[test]
fn only_the_lines_of_the_places_are_shown() {
    let lines = "x = 1;\n".repeat(100);
    assert_rendered(
        &format!("{lines}y = [z];\n{lines}z = {{2}};\n{lines}"),
        expect![[r#"
            error[E0201]: this is wrong
               --> m.lus:101:5
                |
            101 | y = [z];
                |     ^^^
            ...
            202 | z = {2};
                |     --- and this"#]],
    );
}

#[test]
fn related_places_may_come_first_and_places_may_span_lines() {
    assert_rendered(
        "a\n{b}\nc\nd [e\nf] g\n",
        expect![[r#"
            error[E0201]: this is wrong
             --> m.lus:4:3
              |
            2 | {b}
              | --- and this
            3 | c
            4 | d [e
              |   ^^"#]],
    );
}

#[test]
fn the_end_of_the_file_is_behind_the_last_line() {
    let expected = expect![[r#"
        error[E0201]: this is wrong
         --> m.lus:2:4
          |
        2 | tel
          |    ^"#]];
    assert_rendered("let\ntel", expected);
    let expected = expect![[r#"
        error[E0201]: this is wrong
         --> m.lus:2:5
          |
        2 | tel
          |    ^"#]];
    assert_rendered("let\ntel\n", expected);
}

#[test]
fn files_may_be_empty() {
    assert_rendered(
        "",
        expect![[r#"
            error[E0201]: this is wrong
             --> m.lus:1:1
              |
            1 |
              | ^"#]],
    );
}

#[test]
fn characters_may_be_wide_and_lines_may_end_in_two() {
    assert_rendered(
        "é = 1;\r\né∀🦀 = [é∀🦀];\r\nx = 1;\r\n",
        expect![[r#"
            error[E0201]: this is wrong
             --> m.lus:2:7
              |
            2 | é∀🦀 = [é∀🦀];
              |        ^^^^^^"#]],
    );
}

#[test]
fn spans_beyond_the_text_do_no_harm() {
    let mut sources = SourceMap::default();
    let file = sources.add("m.lus".to_owned(), Path::new("m.lus"), "é".to_owned());
    for (start, end) in [(0, 100), (100, 200), (1, 1), (2, 1)] {
        let span = Span::new(file, start, end);
        let diagnostic = Diagnostic::error(Code::UnknownName, span, "this is wrong");
        let text = report::render(&diagnostic, &sources, false);
        assert!(text.contains("m.lus:1"), "{text}");
    }
}
