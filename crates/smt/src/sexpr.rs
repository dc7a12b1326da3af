//! S-expressions, the shape of all SMT-LIB text.

use std::fmt;

/// Deeper lists are refused, so that callers may use recursion.
const MAX_DEPTH: usize = 20_000;

/// A word or a list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Sexpr {
    /// As it is written, but without the bars around a name.
    Atom(String),
    /// A text between quotes.
    Text(String),
    List(Vec<Sexpr>),
}

impl Sexpr {
    pub fn list(&self) -> Option<&[Sexpr]> {
        match self {
            Sexpr::List(parts) => Some(parts),
            _ => None,
        }
    }

    pub fn atom(&self) -> Option<&str> {
        match self {
            Sexpr::Atom(word) => Some(word),
            _ => None,
        }
    }

    /// The first word of a list.
    pub fn head(&self) -> Option<&str> {
        self.list()?.first()?.atom()
    }
}

impl fmt::Display for Sexpr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sexpr::Atom(word) if is_bare(word) => f.write_str(word),
            Sexpr::Atom(name) => write!(f, "|{name}|"),
            Sexpr::Text(text) => write!(f, "\"{text}\""),
            Sexpr::List(parts) => {
                f.write_str("(")?;
                for (at, part) in parts.iter().enumerate() {
                    let space = if at == 0 { "" } else { " " };
                    write!(f, "{space}{part}")?;
                }
                f.write_str(")")
            }
        }
    }
}

/// Is it a word without bars?
fn is_bare(word: &str) -> bool {
    let rest = word.strip_prefix(['#', ':']).unwrap_or(word);
    !rest.is_empty() && rest.chars().all(is_plain)
}

/// May the character stand in a word without bars?
pub(crate) fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || "~!@$%^&*_-+=<>.?/".contains(c)
}

/// All expressions of a text, without its comments; or what is wrong with it.
pub fn parse(text: &str) -> Result<Vec<Sexpr>, String> {
    let mut open: Vec<Vec<Sexpr>> = vec![Vec::new()];
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let (found, length) = match c {
            ';' => (None, rest.find('\n').unwrap_or(rest.len())),
            '(' if open.len() > MAX_DEPTH => return Err("too deep a list".into()),
            '(' => {
                open.push(Vec::new());
                (None, 1)
            }
            ')' => {
                let done = open.pop().filter(|_| !open.is_empty());
                let done = done.ok_or("a parenthesis is closed that was not opened")?;
                (Some(Sexpr::List(done)), 1)
            }
            '|' => {
                let end = rest[1..].find('|').ok_or("a name that does not end")?;
                (Some(Sexpr::Atom(rest[1..=end].to_owned())), end + 2)
            }
            '"' => {
                let end = rest[1..].find('"').ok_or("a text that does not end")?;
                (Some(Sexpr::Text(rest[1..=end].to_owned())), end + 2)
            }
            c if c.is_whitespace() => (None, c.len_utf8()),
            _ => {
                let ends = |c: char| c.is_whitespace() || "();|\"".contains(c);
                let end = rest.find(ends).unwrap_or(rest.len());
                (Some(Sexpr::Atom(rest[..end].to_owned())), end)
            }
        };
        if let (Some(found), Some(last)) = (found, open.last_mut()) {
            last.push(found);
        }
        rest = &rest[length..];
    }
    match (open.pop(), open.is_empty()) {
        (Some(all), true) => Ok(all),
        _ => Err("a parenthesis is not closed".into()),
    }
}

/// The only expression of a text.
pub fn parse_one(text: &str) -> Option<Sexpr> {
    let [one] = <[Sexpr; 1]>::try_from(parse(text).ok()?).ok()?;
    Some(one)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn atom(word: &str) -> Sexpr {
        Sexpr::Atom(word.to_owned())
    }

    #[test]
    fn words_lists_and_comments() {
        let read = parse("(f |a b| x) ; a (comment\n\"some text\"").unwrap();
        let list = Sexpr::List(vec![atom("f"), atom("a b"), atom("x")]);
        assert_eq!(read, [list, Sexpr::Text("some text".into())]);
        assert_eq!(parse("").unwrap(), []);
    }

    #[test]
    fn what_is_written_is_read() {
        let text = "(f |a b| || x#1 #x0f :key |pre (x + 1)| (_ bv1 8) () \"some text\")";
        let read = parse_one(text).unwrap();
        assert_eq!(read.to_string(), text.replace("x#1", "|x#1|"));
        assert_eq!(parse_one(&read.to_string()), Some(read));
    }

    #[test]
    fn depth_is_limited() {
        let nested = |depth: usize| "(".repeat(depth) + &")".repeat(depth);
        assert!(parse(&nested(1000)).is_ok());
        assert!(parse(&nested(1 << 20)).is_err());
    }

    #[test]
    fn what_does_not_end() {
        for text in ["(", ")", "(a))", "|a", "\"a", "((a)"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
