//! Text from a model or a file name, as it may be shown.
//!
//! Strings in a model and names of files hold any character, and some of them do
//! something: a terminal obeys escape sequences, an editor turns text around at a
//! bidirectional control, and XML 1.0 has no way to write most of them. They are shown
//! as JSON writes them, `\u001b`, in every format.

use std::borrow::Cow;
use std::fmt::Write;

/// Is this a character that acts instead of being seen? Line breaks and tabs are not
/// among them.
pub fn is_control(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        // Marks and overrides of direction, other separators of lines, and what is
        // invisible and only formats.
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' => true,
        '\u{2066}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' => true,
        // No characters at all, and not in XML.
        '\u{fffe}' | '\u{ffff}' => true,
        // C0, DEL and C1.
        c => c.is_control(),
    }
}

/// A text of several lines without control characters.
pub fn printable(text: &str) -> Cow<'_, str> {
    escaped(text, is_control)
}

/// A name without control characters and in one line.
pub fn printable_name(name: &str) -> Cow<'_, str> {
    escaped(name, |c| is_control(c) || matches!(c, '\n' | '\t'))
}

fn escaped(text: &str, is_escaped: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match is_escaped(c) {
            true => {
                // All of them are in the first plane: four digits do.
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            false => out.push(c),
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_shown_by_their_numbers() {
        assert_eq!(
            printable("a\u{1b}[31m\u{7f}\u{9b}"),
            "a\\u001b[31m\\u007f\\u009b"
        );
        assert_eq!(
            printable("\u{202e}x\u{2066}\u{61c}"),
            "\\u202ex\\u2066\\u061c"
        );
        assert_eq!(printable("a\r\n\tb"), "a\\u000d\n\tb");
        assert_eq!(printable_name("a\n\tb"), "a\\u000a\\u0009b");
    }

    #[test]
    fn other_text_stays_as_it_is() {
        for text in ["", "Überlauf ≤ 3", "日本", "a\\u001b", "\u{10ffff}"] {
            assert!(matches!(printable_name(text), Cow::Borrowed(same) if same == text));
        }
    }
}
