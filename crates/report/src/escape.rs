//! Escapes control characters in output.
//!
//! Names in the model are without them from the start (`lang`). All other text (names of files,
//! messages, lines of the source) is escaped here: as `\u001b`, which JSON reads as the character
//! itself. XML 1.0 cannot represent it in any form, so XML has these six characters.

use std::borrow::Cow;

use quick_xml::escape::escape;
use syntax::{is_control, printable};

/// For the content of an XML or HTML element, and for attributes: there, line breaks and
/// tabs would become spaces.
pub(crate) fn xml(text: &str) -> Cow<'_, str> {
    match printable(text) {
        Cow::Borrowed(text) => escape(text),
        Cow::Owned(text) => Cow::Owned(escape(text).into_owned()),
    }
}

pub(crate) fn xml_attribute(text: &str) -> String {
    let escaped = xml(text);
    escaped.replace('\n', "&#10;").replace('\t', "&#9;")
}

/// For a document in JSON: what `serde_json` leaves as it is can only stand in a string.
pub(crate) fn json(document: &str) -> Cow<'_, str> {
    printable(document)
}

/// For a terminal, in text that may be coloured: sequences that choose a colour stay.
pub(crate) fn coloured(text: &str) -> Cow<'_, str> {
    if !text.contains(is_control) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\u{1b}') {
        out += &printable(&rest[..at]);
        let sequence = &rest[at..];
        let length = colour_length(sequence).unwrap_or(0);
        out += &sequence[..length];
        if length == 0 {
            out += &printable("\u{1b}");
        }
        rest = &sequence[length.max(1)..];
    }
    Cow::Owned(out + &printable(rest))
}

/// The length of `ESC [ digits and semicolons m`.
fn colour_length(text: &str) -> Option<usize> {
    let codes = text.strip_prefix("\u{1b}[")?;
    let end = codes.find(|c: char| !c.is_ascii_digit() && c != ';')?;
    codes[end..].starts_with('m').then_some(2 + end + 1)
}

/// For lines of the source, in which places are counted in bytes: characters that the
/// renderer would let through become visible ones of the same length.
pub(crate) fn source_line(text: &str) -> Cow<'_, str> {
    // The renderer replaces these itself.
    let is_shown = |c: char| c.is_ascii();
    let passes = |c: char| is_control(c) && !is_shown(c);
    if !text.contains(passes) {
        return Cow::Borrowed(text);
    }
    let visible = |c: char| match passes(c) {
        true if c.len_utf8() == 2 => '\u{b7}',
        true => '\u{fffd}',
        false => c,
    };
    Cow::Owned(text.chars().map(visible).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn xml_has_no_control_characters() {
        assert_eq!(xml("<a\u{1b}\n\u{ffff}>"), "&lt;a\\u001b\n\\uffff&gt;");
        assert_eq!(xml_attribute("a\n\t\"\r"), "a&#10;&#9;&quot;\\u000d");
    }

    #[test]
    fn json_reads_back_as_it_was() {
        let text = "a\u{7f}\u{9b}\u{202e}\u{1b}é";
        let document = serde_json::Value::from(text).to_string();
        let document = json(&document);
        assert_eq!(document, "\"a\\u007f\\u009b\\u202e\\u001bé\"");
        assert_eq!(
            serde_json::from_str::<String>(&document).ok().as_deref(),
            Some(text)
        );
    }

    #[test]
    fn colours_stay() {
        let painted = "\u{1b}[1;31mred\u{1b}[0m";
        assert_eq!(coloured(painted), painted);
        let other = "\u{1b}]0;title\u{7}\u{1b}[2J\u{1b}[31";
        let shown = "\\u001b]0;title\\u0007\\u001b[2J\\u001b[31";
        assert_eq!(coloured(other), shown);
        assert_eq!(coloured("\u{1b}"), "\\u001b");
    }

    #[test]
    fn lines_keep_their_length() {
        let line = "é\u{9b}\u{61c}\u{202e}\u{2069}\u{feff}x";
        let shown = source_line(line);
        assert_eq!(shown.len(), line.len());
        assert!(!shown.contains(is_control), "{shown}");
    }
}
