//! Recursive descent over the tokens, with recovery.
//!
//! A rule that meets a token it cannot use reports it and gives up with
//! [`Failed`]; the loops over statements, contract items and declarations skip
//! to the next place where one may start and go on, so that several errors of
//! a file are found at once.

mod call;
mod decl;
mod expr;
mod item;
mod structure;

use logos::Logos;

use crate::ast::{Ident, Program, Text};
use crate::diag::{Code, Diagnostic};
use crate::source::{FileId, Span};
use crate::symbol::Symbol;
use crate::token::{LexError, Token};

/// How deep expressions, types and blocks may nest.
pub const MAX_DEPTH: u32 = 10_000;

/// The tree of what was understood of a text, and the errors.
#[derive(Debug)]
pub struct Parsed {
    pub program: Program,
    pub errors: Vec<Diagnostic>,
}

/// Parses one file.
pub fn parse(file: FileId, text: &str) -> Parsed {
    Parser::new(file, text, true).run()
}

/// As [`parse`], with every span empty: trees of different texts can be
/// compared.
pub fn parse_without_positions(text: &str) -> Parsed {
    Parser::new(FileId::default(), text, false).run()
}

/// The rule has reported an error.
struct Failed;

type Parse<T> = Result<T, Failed>;

struct Parser<'t> {
    file: FileId,
    text: &'t str,
    tokens: Vec<(Token, u32, u32)>,
    at: usize,
    /// How many rules are open that make the tree deeper.
    depth: u32,
    /// The depth of the deepest part of the rule that is open.
    deepest: u32,
    positions: bool,
    /// Inside a type's size, `^` and `when` belong to the type.
    in_size: bool,
    /// The node that is open has a stream of that name.
    declares_check: bool,
    errors: Vec<Diagnostic>,
}

impl<'t> Parser<'t> {
    fn new(file: FileId, text: &'t str, positions: bool) -> Parser<'t> {
        let mut parser = Parser {
            file,
            text,
            tokens: Vec::with_capacity(text.len() / 4),
            at: 0,
            depth: 0,
            deepest: 0,
            positions,
            in_size: false,
            declares_check: false,
            errors: Vec::new(),
        };
        parser.lex();
        parser
    }

    fn lex(&mut self) {
        for (token, range) in Token::lexer(self.text).spanned() {
            match token {
                Ok(token) => self
                    .tokens
                    .push((token, range.start as u32, range.end as u32)),
                Err(error) => self.report_lex_error(error, range),
            }
        }
        // Behind the last line with something on it: there it can be shown.
        let end = self.text.trim_end().len() as u32;
        self.tokens.push((Token::EndOfFile, end, end));
    }

    fn report_lex_error(&mut self, error: LexError, range: std::ops::Range<usize>) {
        let span = Span::new(self.file, range.start, range.end);
        let opening = Span::new(self.file, range.start, range.start + 1);
        let diagnostic = match error {
            LexError::BadCharacter => {
                let shown = self.text[range].escape_debug().to_string();
                Diagnostic::error(
                    Code::BadCharacter,
                    span,
                    format!("`{shown}` does not start any token"),
                )
                .help("remove it; names are made of letters, digits and `_`")
            }
            LexError::OpenComment => {
                Diagnostic::error(Code::OpenComment, opening, "this comment never ends")
                    .help("close it with `*)` or `*/`, whichever matches its start")
            }
            LexError::OpenString => {
                Diagnostic::error(Code::OpenComment, opening, "this string never ends")
                    .help("close it with `\"`")
            }
        };
        self.errors.push(diagnostic);
    }

    fn run(mut self) -> Parsed {
        let items = self.items();
        self.errors.sort_by_key(|error| error.span);
        Parsed {
            program: Program { items },
            errors: self.errors,
        }
    }

    fn peek(&self) -> Token {
        self.tokens[self.at].0
    }

    fn peek_nth(&self, n: usize) -> Token {
        let last = self.tokens.len() - 1;
        self.tokens[(self.at + n).min(last)].0
    }

    fn bump(&mut self) {
        if self.peek() != Token::EndOfFile {
            self.at += 1;
        }
    }

    fn eat(&mut self, token: Token) -> bool {
        let found = self.peek() == token;
        if found {
            self.bump();
        }
        found
    }

    fn expect(&mut self, token: Token) -> Parse<()> {
        if self.eat(token) {
            return Ok(());
        }
        Err(self.unexpected(token.describe()))
    }

    /// The span of the token ahead, real even when positions are off.
    fn here(&self) -> Span {
        let (_, start, end) = self.tokens[self.at];
        Span::new(self.file, start as usize, end as usize)
    }

    /// Where the token ahead starts, to be closed with [`Parser::since`].
    fn start(&self) -> u32 {
        self.tokens[self.at].1
    }

    /// From `start` to the end of the last token taken.
    fn since(&self, start: u32) -> Span {
        if !self.positions {
            return Span::default();
        }
        let end = match self.at {
            0 => start,
            at => self.tokens[at - 1].2.max(start),
        };
        Span::new(self.file, start as usize, end as usize)
    }

    /// The text of the token ahead.
    fn word(&self) -> &'t str {
        let (_, start, end) = self.tokens[self.at];
        &self.text[start as usize..end as usize]
    }

    /// Is the token ahead this word, which is a keyword only where it is
    /// looked for?
    fn at_word(&self, word: &str) -> bool {
        self.peek() == Token::Ident && self.word() == word
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.at_word(word);
        if found {
            self.bump();
        }
        found
    }

    fn expect_word(&mut self, word: &str) -> Parse<()> {
        if self.eat_word(word) {
            return Ok(());
        }
        Err(self.unexpected(&format!("`{word}`")))
    }

    fn ident(&mut self) -> Parse<Ident> {
        if self.peek() != Token::Ident {
            let failed = self.unexpected("a name");
            return Err(failed);
        }
        let start = self.start();
        let name = Symbol::new(self.word());
        self.bump();
        Ok(Ident {
            name,
            span: self.since(start),
        })
    }

    /// A name that is declared or defined. JKind writes the fields of records
    /// that it has flattened as streams with dots in their names.
    fn declared_ident(&mut self) -> Parse<Ident> {
        let mut ident = self.ident()?;
        if self.peek() != Token::Dot {
            self.declares_check |= ident.name.as_str() == "check";
            return Ok(ident);
        }
        let start = self.tokens[self.at - 1].1;
        let mut text = ident.name.as_str().to_owned();
        while self.eat(Token::Dot) {
            text.push('.');
            text.push_str(self.ident()?.name.as_str());
        }
        ident.name = Symbol::new(&text);
        ident.span = self.since(start);
        Ok(ident)
    }

    fn string(&mut self) -> Option<Text> {
        if self.peek() != Token::String {
            return None;
        }
        let start = self.start();
        let word = self.word();
        let text = word[1..word.len() - 1].to_owned();
        self.bump();
        Some(Text {
            text,
            span: self.since(start),
        })
    }

    /// Reports the token ahead as one that cannot stand here.
    fn unexpected(&mut self, expected: &str) -> Failed {
        let found = match self.peek() {
            Token::Ident => format!("`{}`", self.word()),
            token => token.describe().to_owned(),
        };
        let mut diagnostic = Diagnostic::error(
            Code::UnexpectedToken,
            self.here(),
            format!("expected {expected}, found {found}"),
        );
        if expected == "a name" && self.word().starts_with(|c: char| c.is_ascii_alphabetic()) {
            diagnostic = diagnostic.help(format!(
                "`{}` is a keyword; choose another name",
                self.word()
            ));
        }
        if self.peek() == Token::At && expected == Token::Let.describe() {
            diagnostic = diagnostic.help("a contract is written in a comment: `(*@contract … *)`");
        }
        self.errors.push(diagnostic);
        Failed
    }

    fn error(&mut self, diagnostic: Diagnostic) {
        self.errors.push(diagnostic);
    }

    /// Runs a rule one level deeper, unless that is too deep.
    fn nested<T>(&mut self, rule: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        self.depth += 1;
        let outer = std::mem::replace(&mut self.deepest, self.depth);
        let result = self.limit_depth().and_then(|()| rule(self));
        self.deepest = self.deepest.max(outer);
        self.depth -= 1;
        result
    }

    /// What the open rule has read so far becomes a part of something larger:
    /// a chain `a + b + c` is as deep a tree as nested parentheses.
    fn heighten(&mut self) -> Parse<()> {
        self.deepest += 1;
        self.limit_depth()
    }

    fn limit_depth(&mut self) -> Parse<()> {
        if self.deepest <= MAX_DEPTH {
            return Ok(());
        }
        let diagnostic = Diagnostic::error(
            Code::TooDeep,
            self.here(),
            format!("this is nested more than {MAX_DEPTH} levels deep"),
        )
        .help("split the expression: define parts of it as local variables");
        self.error(diagnostic);
        Err(Failed)
    }

    /// `rule separator rule separator …`
    fn separated<T>(
        &mut self,
        separator: Token,
        mut rule: impl FnMut(&mut Self) -> Parse<T>,
    ) -> Parse<Vec<T>> {
        let mut all = vec![rule(self)?];
        while self.eat(separator) {
            all.push(rule(self)?);
        }
        Ok(all)
    }

    /// As [`Parser::separated`], empty when the token ahead closes the list.
    fn separated_or_none<T>(
        &mut self,
        separator: Token,
        closing: Token,
        rule: impl FnMut(&mut Self) -> Parse<T>,
    ) -> Parse<Vec<T>> {
        if self.peek() == closing {
            return Ok(Vec::new());
        }
        self.separated(separator, rule)
    }
}
