//! Splits the output of a solver into answers.

/// Finds the ends of answers in a stream of bytes.
#[derive(Default)]
pub struct Splitter {
    text: Vec<u8>,
    depth: usize,
    /// The bar or the quote that a word stands between.
    quote: Option<u8>,
}

impl Splitter {
    /// Adds a byte; returns an answer if it ends with that byte.
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
}
