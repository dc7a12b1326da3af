//! Expressions that build, read and update records, tuples and arrays.

use super::{Parse, Parser};
use crate::ast::*;
use crate::token::Token;

impl Parser<'_> {
    pub(super) fn postfix(&mut self) -> Parse<Expr> {
        let start = self.start();
        let mut base = self.primary()?;
        loop {
            let kind = match self.peek() {
                Token::Dot if self.peek_nth(1) == Token::Ident => {
                    self.bump();
                    ExprKind::Field(Box::new(base), self.ident()?)
                }
                Token::DotPercent => {
                    self.bump();
                    ExprKind::Project(Box::new(base), self.small_number()?)
                }
                Token::LBracket => self.bracket(base)?,
                Token::LBrace
                    if self.peek_nth(1) == Token::Ident && self.peek_nth(2) == Token::Assign =>
                {
                    self.bump();
                    let field = self.ident()?;
                    self.expect(Token::Assign)?;
                    let value = self.expr()?;
                    self.expect(Token::RBrace)?;
                    ExprKind::Update(Box::new(base), vec![Access::Field(field)], Box::new(value))
                }
                _ => return Ok(base),
            };
            base = self.node(start, kind);
            self.heighten()?;
        }
    }

    /// `e[i]`, `e[i..j]`, `e[i..j step k]`, `e[i := v]`
    fn bracket(&mut self, base: Expr) -> Parse<ExprKind> {
        self.expect(Token::LBracket)?;
        let index = self.expr()?;
        let base = Box::new(base);
        let kind = if self.eat(Token::DotDot) {
            let last = self.expr()?;
            let step = if self.eat_word("step") {
                Some(Box::new(self.expr()?))
            } else {
                None
            };
            ExprKind::Slice(base, Box::new(index), Box::new(last), step)
        } else if self.eat(Token::Assign) {
            let value = self.expr()?;
            ExprKind::Update(base, vec![Access::Index(index)], Box::new(value))
        } else {
            ExprKind::Index(base, Box::new(index))
        };
        if matches!(kind, ExprKind::Slice(..)) && self.eat(Token::Comma) {
            // `M[0..1, 1..2]`: read for the sake of the message that follows.
            self.slice_rest()?;
        }
        self.expect(Token::RBracket)?;
        Ok(kind)
    }

    fn slice_rest(&mut self) -> Parse<()> {
        self.separated(Token::Comma, |p| {
            p.expr()?;
            p.expect(Token::DotDot)?;
            p.expr()
        })?;
        Ok(())
    }

    fn small_number(&mut self) -> Parse<u32> {
        let value = match self.peek() {
            Token::Numeral => self.word().parse().ok(),
            _ => None,
        };
        match value {
            Some(value) => {
                self.bump();
                Ok(value)
            }
            None => Err(self.unexpected("a position in a tuple")),
        }
    }

    pub(super) fn record(&mut self, name: Ident) -> Parse<ExprKind> {
        self.expect(Token::LBrace)?;
        let mut fields = Vec::new();
        while self.peek() != Token::RBrace {
            let field = self.ident()?;
            self.expect(Token::Equals)?;
            fields.push((field, self.expr()?));
            if !self.eat(Token::Semicolon) {
                break;
            }
        }
        self.expect(Token::RBrace)?;
        Ok(ExprKind::Record(name, fields))
    }

    /// `… with .f[i].%1 = v`
    pub(super) fn update(&mut self, base: Expr) -> Parse<ExprKind> {
        self.expect(Token::With)?;
        let mut path = Vec::new();
        loop {
            let start = self.start();
            path.push(match self.peek() {
                Token::Dot => {
                    self.bump();
                    Access::Field(self.ident()?)
                }
                Token::DotPercent => {
                    self.bump();
                    let position = self.small_number()?;
                    Access::Project(position, self.since(start))
                }
                Token::LBracket => {
                    self.bump();
                    let index = self.expr()?;
                    self.expect(Token::RBracket)?;
                    Access::Index(index)
                }
                Token::Equals if !path.is_empty() => break,
                _ => return Err(self.unexpected("`.field`, `.%n` or `[index]`")),
            });
        }
        self.expect(Token::Equals)?;
        let value = self.expr()?;
        Ok(ExprKind::Update(Box::new(base), path, Box::new(value)))
    }
}
