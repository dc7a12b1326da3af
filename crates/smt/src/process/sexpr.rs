//! What solvers answer: S-expressions.

/// An answer, or a part of one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Sexpr {
    /// A word as it was written, with its bars or quotes.
    Atom(String),
    List(Vec<Sexpr>),
}

impl Sexpr {
    /// The parts of a whole text; `None` if brackets do not match.
    pub fn parse(text: &str) -> Option<Sexpr> {
        let mut open: Vec<Vec<Sexpr>> = vec![Vec::new()];
        let mut rest = text;
        while let Some((token, behind)) = token(rest) {
            rest = behind;
            match token {
                "(" => open.push(Vec::new()),
                ")" => {
                    let list = Sexpr::List(open.pop()?);
                    open.last_mut()?.push(list);
                }
                atom => open.last_mut()?.push(Sexpr::Atom(atom.to_owned())),
            }
        }
        let [all] = <[Vec<Sexpr>; 1]>::try_from(open).ok()?;
        let [one] = <[Sexpr; 1]>::try_from(all).ok()?;
        Some(one)
    }

    pub fn atom(&self) -> Option<&str> {
        match self {
            Sexpr::Atom(word) => Some(word),
            Sexpr::List(_) => None,
        }
    }

    pub fn list(&self) -> Option<&[Sexpr]> {
        match self {
            Sexpr::Atom(_) => None,
            Sexpr::List(parts) => Some(parts),
        }
    }
}

/// The first token of a text, and what is behind it.
fn token(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let first = text.chars().next()?;
    let end = match first {
        '(' | ')' => 1,
        '|' | '"' => closing(text, first)?,
        ';' => return token(text.split_once('\n')?.1),
        _ => text
            .find(|c: char| c.is_whitespace() || c == '(' || c == ')')
            .unwrap_or(text.len()),
    };
    Some(text.split_at(end))
}

/// Where a quoted word ends.
fn closing(text: &str, quote: char) -> Option<usize> {
    Some(text[1..].find(quote)? + 2)
}

/// Finds the ends of answers in a stream of bytes.
#[derive(Default)]
pub struct Splitter {
    text: Vec<u8>,
    depth: usize,
    /// The bar or the quote that a word stands between.
    quote: Option<u8>,
}

impl Splitter {
    /// Takes a byte; gives an answer back when that was its end.
    pub fn push(&mut self, byte: u8) -> Option<String> {
        if let Some(quote) = self.quote {
            self.text.push(byte);
            if byte == quote {
                self.quote = None;
                // A second quote would go on, which changes no bracket.
            }
            return None;
        }
        match byte {
            b'|' | b'"' => self.quote = Some(byte),
            b'(' => self.depth += 1,
            b')' => {
                self.text.push(byte);
                self.depth = self.depth.saturating_sub(1);
                return (self.depth == 0).then(|| self.take());
            }
            b' ' | b'\t' | b'\r' | b'\n' if self.depth == 0 => {
                return (!self.text.is_empty()).then(|| self.take());
            }
            _ => {}
        }
        self.text.push(byte);
        None
    }

    fn take(&mut self) -> String {
        let text = std::mem::take(&mut self.text);
        String::from_utf8_lossy(&text).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<String> {
        let mut splitter = Splitter::default();
        let answers = text.bytes().filter_map(|byte| splitter.push(byte));
        answers.collect()
    }

    #[test]
    fn answers_are_told_apart() {
        let text = "sat\n((x 1) (|a )b| (- 2)))\n(error \"no (such) thing\")\n";
        let found = split(text);
        assert_eq!(found[0], "sat");
        assert_eq!(found[1], "((x 1) (|a )b| (- 2)))");
        assert_eq!(found[2], "(error \"no (such) thing\")");
        assert_eq!(found.len(), 3);
        assert_eq!(split("un"), Vec::<String>::new());
    }

    #[test]
    fn brackets_match_or_there_is_nothing() {
        let found = Sexpr::parse("((x (- 2)))").expect("it is well formed");
        let [pair] = found.list().expect("a list") else {
            panic!("one pair");
        };
        assert_eq!(pair.list().expect("a list")[0].atom(), Some("x"));
        for broken in ["(", ")", "(a", "a b", "(a))", "\"a", "|a", ""] {
            assert_eq!(Sexpr::parse(broken), None, "{broken}");
        }
    }
}
