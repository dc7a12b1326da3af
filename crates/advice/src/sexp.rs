//! S-expressions: words, names between bars, and lists.

use std::fmt;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Sexp {
    /// An operator, a number, or a reference.
    Word(String),
    /// A name of the model, whatever it is made of.
    Name(String),
    List(Vec<Sexp>),
}

/// Deeper lists are not read: whoever walks them may do so by recursion.
pub const MAX_DEPTH: usize = 1000;

impl Sexp {
    pub fn word(text: impl Into<String>) -> Sexp {
        Sexp::Word(text.into())
    }

    pub fn name(text: impl Into<String>) -> Sexp {
        Sexp::Name(text.into())
    }

    /// The word that a list begins with, and the rest of it.
    pub fn form(&self) -> Option<(&str, &[Sexp])> {
        let Sexp::List(parts) = self else {
            return None;
        };
        match parts.split_first()? {
            (Sexp::Word(head), rest) => Some((head, rest)),
            _ => None,
        }
    }

    /// A list that begins with a word.
    pub fn list(head: &str, rest: impl IntoIterator<Item = Sexp>) -> Sexp {
        let head = [Sexp::word(head)].into_iter();
        Sexp::List(head.chain(rest).collect())
    }
}

impl fmt::Display for Sexp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sexp::Word(text) => f.write_str(text),
            Sexp::Name(text) => {
                f.write_str("|")?;
                for c in text.chars() {
                    match c {
                        '|' => f.write_str("\\|")?,
                        '\\' => f.write_str("\\\\")?,
                        '\n' => f.write_str("\\n")?,
                        c => write!(f, "{c}")?,
                    }
                }
                f.write_str("|")
            }
            Sexp::List(parts) => {
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

/// Reads the expressions of a text; or says what is wrong with it, and in which line.
pub fn read(text: &str) -> Result<Vec<Sexp>, String> {
    let mut reader = Reader {
        rest: text.chars().peekable(),
        line: 1,
    };
    // The lists that are open, the outermost first.
    let mut open: Vec<Vec<Sexp>> = vec![Vec::new()];
    while let Some(token) = reader.token()? {
        let complete = match token {
            Token::Open if open.len() > MAX_DEPTH => return Err(reader.error("too deep a list")),
            Token::Open => {
                open.push(Vec::new());
                continue;
            }
            Token::Close => match (open.pop(), open.is_empty()) {
                (Some(list), false) => Sexp::List(list),
                _ => return Err(reader.error("a `)` without its `(`")),
            },
            Token::Word(text) => Sexp::Word(text),
            Token::Name(text) => Sexp::Name(text),
        };
        if let Some(list) = open.last_mut() {
            list.push(complete);
        }
    }
    match (open.pop(), open.is_empty()) {
        (Some(all), true) => Ok(all),
        _ => Err(reader.error("a `(` without its `)`")),
    }
}

enum Token {
    Open,
    Close,
    Word(String),
    Name(String),
}

struct Reader<'t> {
    rest: std::iter::Peekable<std::str::Chars<'t>>,
    line: usize,
}

impl Reader<'_> {
    fn error(&self, what: &str) -> String {
        format!("line {}: {what}", self.line)
    }

    fn char(&mut self) -> Option<char> {
        let next = self.rest.next();
        self.line += usize::from(next == Some('\n'));
        next
    }

    fn token(&mut self) -> Result<Option<Token>, String> {
        while let Some(c) = self.char() {
            match c {
                ';' => while self.char().is_some_and(|c| c != '\n') {},
                c if c.is_whitespace() => {}
                '(' => return Ok(Some(Token::Open)),
                ')' => return Ok(Some(Token::Close)),
                '|' => return self.name().map(Some),
                c => return Ok(Some(self.word(c))),
            }
        }
        Ok(None)
    }

    fn word(&mut self, first: char) -> Token {
        let ends = |c: &char| c.is_whitespace() || "()|;".contains(*c);
        let mut text = String::from(first);
        while let Some(c) = self.rest.next_if(|c| !ends(c)) {
            text.push(c);
        }
        Token::Word(text)
    }

    fn name(&mut self) -> Result<Token, String> {
        let mut text = String::new();
        while let Some(c) = self.char() {
            match c {
                '|' => return Ok(Token::Name(text)),
                '\\' => match self.char() {
                    Some('n') => text.push('\n'),
                    Some(c) => text.push(c),
                    None => break,
                },
                c => text.push(c),
            }
        }
        Err(self.error("a name without its second bar"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let text = "(a |b \\| c\\n| (-1 ()) d)";
        let read = read(text).expect("well formed");
        assert_eq!(read.len(), 1);
        assert_eq!(read[0].to_string(), text);
    }

    #[test]
    fn garbage_is_an_error() {
        for text in ["(", ")", "(a))", "|a", "(a |b\\"] {
            assert!(read(text).is_err(), "{text}");
        }
        assert!(read(&"(".repeat(1 << 20)).is_err());
        assert_eq!(read("; (\n a").map(|all| all.len()), Ok(1));
    }
}
