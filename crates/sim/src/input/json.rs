//! JSON, with tuples in parentheses as Kind 2's input files have them.
//!
//! Numbers keep their text: they are exact whatever their size.

use super::InputError;

#[derive(Clone, PartialEq, Debug)]
pub enum Json {
    Null,
    Bool(bool),
    Number(String),
    Text(String),
    Array(Vec<Json>),
    /// `(a, b)`
    Tuple(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    pub fn describe(&self) -> &'static str {
        match self {
            Json::Null => "null",
            Json::Bool(_) => "a Boolean",
            Json::Number(_) => "a number",
            Json::Text(_) => "a string",
            Json::Array(_) => "an array",
            Json::Tuple(_) => "a tuple",
            Json::Object(_) => "an object",
        }
    }
}

/// Where and why the text is not JSON.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JsonError {
    pub line: usize,
    pub column: usize,
    pub message: String,
}

/// Deeper nesting is refused.
const MAX_DEPTH: usize = 200;

pub fn parse(text: &str) -> Result<Json, JsonError> {
    let mut reader = Reader {
        text,
        at: 0,
        depth: 0,
    };
    let value = reader.value()?;
    reader.space();
    if reader.at < text.len() {
        return reader.error("nothing may follow the end of the value");
    }
    Ok(value)
}

/// The steps of a file: an array of objects.
pub(super) fn rows(text: &str) -> Result<Vec<Vec<(String, Json)>>, InputError> {
    let json = parse(text).map_err(|error| {
        InputError::new(format!(
            "line {}, column {}: {}",
            error.line, error.column, error.message
        ))
    })?;
    let Json::Array(steps) = json else {
        return Err(InputError::new(format!(
            "expected an array with one object for each step, found {}",
            json.describe()
        )));
    };
    let row = |(step, json): (usize, Json)| match json {
        Json::Object(fields) => Ok(fields),
        other => Err(InputError::new(format!(
            "expected an object with the values of the inputs, found {}",
            other.describe()
        ))
        .at_step(step)),
    };
    steps.into_iter().enumerate().map(row).collect()
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
}

impl Reader<'_> {
    fn error<T>(&self, message: &str) -> Result<T, JsonError> {
        let before = &self.text.as_bytes()[..self.at.min(self.text.len())];
        let line_start = before
            .iter()
            .rposition(|b| *b == b'\n')
            .map_or(0, |at| at + 1);
        Err(JsonError {
            line: before.iter().filter(|b| **b == b'\n').count() + 1,
            column: before.len() - line_start + 1,
            message: message.to_owned(),
        })
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    fn value(&mut self) -> Result<Json, JsonError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.error("the values are nested too deeply");
        }
        self.space();
        let value = match self.peek() {
            Some(b'{') => self.object(),
            Some(b'[') => self.list(b']').map(Json::Array),
            Some(b'(') => self.list(b')').map(Json::Tuple),
            Some(b'"') => self.string().map(Json::Text),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word("true", Json::Bool(true)),
            Some(b'f') => self.word("false", Json::Bool(false)),
            Some(b'n') => self.word("null", Json::Null),
            Some(_) => self.error("expected a value"),
            None => self.error("the file ends where a value is expected; is it truncated?"),
        };
        self.depth -= 1;
        value
    }

    fn word(&mut self, word: &str, value: Json) -> Result<Json, JsonError> {
        if self.text[self.at..].starts_with(word) {
            self.at += word.len();
            return Ok(value);
        }
        self.error("expected a value; names of enumerations stand in quotes")
    }

    fn number(&mut self) -> Result<Json, JsonError> {
        let start = self.at;
        while matches!(
            self.peek(),
            Some(b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9')
        ) {
            self.at += 1;
        }
        Ok(Json::Number(self.text[start..self.at].to_owned()))
    }

    fn string(&mut self) -> Result<String, JsonError> {
        self.at += 1;
        let mut text = String::new();
        loop {
            let rest = &self.text[self.at..];
            let Some(c) = rest.chars().next() else {
                return self.error("this string never ends; is the file truncated?");
            };
            self.at += c.len_utf8();
            match c {
                '"' => return Ok(text),
                '\\' => text.push(self.escape()?),
                c => text.push(c),
            }
        }
    }

    fn escape(&mut self) -> Result<char, JsonError> {
        let c = self.peek();
        self.at += 1;
        Ok(match c {
            Some(b'n') => '\n',
            Some(b't') => '\t',
            Some(b'r') => '\r',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(c @ (b'"' | b'\\' | b'/')) => char::from(c),
            Some(b'u') => {
                let digits = self.text.get(self.at..self.at + 4);
                let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
                match code {
                    Some(code) => {
                        self.at += 4;
                        char::from_u32(code).unwrap_or('\u{fffd}')
                    }
                    None => return self.error("expected four hexadecimal digits"),
                }
            }
            _ => {
                self.at -= 1;
                return self.error("this escape is not known");
            }
        })
    }

    fn list(&mut self, closing: u8) -> Result<Vec<Json>, JsonError> {
        self.at += 1;
        let mut all = Vec::new();
        self.space();
        if self.peek() == Some(closing) {
            self.at += 1;
            return Ok(all);
        }
        loop {
            all.push(self.value()?);
            self.space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(c) if c == closing => {
                    self.at += 1;
                    return Ok(all);
                }
                Some(_) => return self.error("expected `,` or the end of the list"),
                None => return self.error("the file ends within a list; is it truncated?"),
            }
        }
    }

    fn object(&mut self) -> Result<Json, JsonError> {
        self.at += 1;
        let mut fields = Vec::new();
        self.space();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(Json::Object(fields));
        }
        loop {
            self.space();
            if self.peek() != Some(b'"') {
                return self.error("expected a name in quotes");
            }
            let name = self.string()?;
            self.space();
            if self.peek() != Some(b':') {
                return self.error("expected `:`");
            }
            self.at += 1;
            fields.push((name, self.value()?));
            self.space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => {
                    self.at += 1;
                    return Ok(Json::Object(fields));
                }
                Some(_) => return self.error("expected `,` or `}`"),
                None => return self.error("the file ends within an object; is it truncated?"),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tuples_stand_in_parentheses() {
        let json = parse(r#"[{"t": ("36", false, 5)}]"#).unwrap();
        let Json::Array(steps) = json else { panic!() };
        let Json::Object(fields) = &steps[0] else {
            panic!()
        };
        let tuple = vec![
            Json::Text("36".into()),
            Json::Bool(false),
            Json::Number("5".into()),
        ];
        assert_eq!(fields[0], ("t".to_owned(), Json::Tuple(tuple)));
    }

    #[test]
    fn truncated_text_is_told_where() {
        let error = parse("[{\"x\": 1},\n {\"x\": ").unwrap_err();
        assert_eq!((error.line, error.column), (2, 8));
    }
}
