//! Expressions, by precedence climbing over the levels of [`crate::operator`].

use super::call::plain_call;
use super::{Parse, Parser};
use crate::ast::*;
use crate::diag::{Code, Diagnostic};
use crate::number::{MAX_DIGITS, parse_integer, parse_real};
use crate::operator::{Grouping, Level};
use crate::print::excerpt;
use crate::token::Token;

impl Parser<'_> {
    pub(super) fn expr(&mut self) -> Parse<Expr> {
        let outer = std::mem::replace(&mut self.in_size, false);
        let result = self.expr_at(Level::OPEN);
        self.in_size = outer;
        result
    }

    /// The size in a type: `^` and `when` that follow belong to the type.
    pub(super) fn size_expr(&mut self) -> Parse<Expr> {
        let outer = std::mem::replace(&mut self.in_size, true);
        let result = self.expr_at(Level::SUM);
        self.in_size = outer;
        result
    }

    /// An expression whose operators are all of level `least` or tighter.
    fn expr_at(&mut self, least: Level) -> Parse<Expr> {
        self.nested(|p| p.climb(least))
    }

    fn climb(&mut self, least: Level) -> Parse<Expr> {
        let start = self.start();
        let mut left = self.prefix()?;
        // The level of the operator before, if it does not chain.
        let mut unchained = None;
        loop {
            if self.peek() == Token::When && Level::WHEN >= least && !self.in_size {
                self.bump();
                self.heighten()?;
                let clock = self.clock_expr()?;
                left = self.node(start, ExprKind::When(Box::new(left), clock));
            } else if self.peek() == Token::Caret && Level::CARET >= least && !self.in_size {
                self.bump();
                self.heighten()?;
                let size = self.expr_at(Level::POSTFIX)?;
                left = self.node(start, ExprKind::Fill(Box::new(left), Box::new(size)));
            } else if let Some(op) = BinaryOp::of(self.peek()) {
                let row = op.row();
                if row.level < least {
                    return Ok(left);
                }
                if unchained == Some(row.level) {
                    return Err(self.unexpected("parentheses around one of the shifts"));
                }
                unchained = (row.grouping == Grouping::None).then_some(row.level);
                self.bump();
                self.heighten()?;
                let right = self.expr_at(row.right())?;
                let kind = ExprKind::Binary(op, Box::new(left), Box::new(right));
                left = self.node(start, kind);
            } else {
                return Ok(left);
            }
        }
    }

    pub(super) fn node(&self, start: u32, kind: ExprKind) -> Expr {
        Expr {
            kind,
            span: self.since(start),
        }
    }

    fn prefix(&mut self) -> Parse<Expr> {
        let start = self.start();
        let Some(op) = UnaryOp::of(self.peek()) else {
            return self.postfix();
        };
        self.bump();
        let operand = self.expr_at(op.row().operand)?;
        Ok(self.node(start, ExprKind::Unary(op, Box::new(operand))))
    }

    pub(super) fn primary(&mut self) -> Parse<Expr> {
        let start = self.start();
        let kind = match self.peek() {
            Token::Ident => self.name_or_call()?,
            Token::True => self.take(ExprKind::Bool(true)),
            Token::False => self.take(ExprKind::Bool(false)),
            Token::Numeral => match parse_integer(self.word()) {
                Some(value) => self.take(ExprKind::Int(value)),
                None => return Err(self.bad_number()),
            },
            Token::Decimal => match parse_real(self.word()) {
                Some(value) => self.take(ExprKind::Real(value)),
                None => return Err(self.bad_number()),
            },
            Token::ColonColon => self.mode_ref()?,
            Token::LParen => return self.paren(),
            Token::LBrace => self.listed(Token::LBrace, Token::RBrace, ExprKind::Tuple)?,
            Token::LBracket => self.listed(Token::LBracket, Token::RBracket, ExprKind::Array)?,
            Token::If => {
                let (condition, yes, no) = self.conditional()?;
                ExprKind::If(condition, yes, no)
            }
            Token::With => {
                let (condition, yes, no) = self.conditional()?;
                ExprKind::With(condition, yes, no)
            }
            Token::Hash => {
                self.bump();
                self.listed(Token::LParen, Token::RParen, ExprKind::AtMostOne)?
            }
            Token::Nor => {
                self.bump();
                self.listed(Token::LParen, Token::RParen, ExprKind::Nor)?
            }
            Token::Forall => self.quantified(Quantifier::Forall)?,
            Token::Exists => self.quantified(Quantifier::Exists)?,
            Token::Current => {
                self.bump();
                ExprKind::Current(Box::new(self.expr_at(Level::WHEN.tighter())?))
            }
            Token::Merge => self.merge()?,
            Token::Condact => self.condact()?,
            Token::Fby => self.delay()?,
            _ => return Err(self.unexpected("an expression")),
        };
        Ok(self.node(start, kind))
    }

    fn take(&mut self, kind: ExprKind) -> ExprKind {
        self.bump();
        kind
    }

    fn bad_number(&mut self) -> super::Failed {
        let diagnostic = Diagnostic::error(
            Code::BadNumber,
            self.here(),
            format!(
                "`{}` is not a number that can be held",
                excerpt(self.word())
            ),
        )
        .help(format!("numbers may have up to {MAX_DIGITS} digits"));
        self.error(diagnostic);
        super::Failed
    }

    fn listed(
        &mut self,
        opening: Token,
        closing: Token,
        make: impl FnOnce(Vec<Expr>) -> ExprKind,
    ) -> Parse<ExprKind> {
        self.expect(opening)?;
        let all = self.separated(Token::Comma, Self::expr)?;
        self.expect(closing)?;
        Ok(make(all))
    }

    fn name_or_call(&mut self) -> Parse<ExprKind> {
        let name = self.ident()?;
        match self.peek() {
            Token::LParen => {
                let args = self.arguments()?;
                Ok(ExprKind::Call(plain_call(name, args)))
            }
            Token::LBrace if self.peek_nth(2) != Token::Assign => self.record(name),
            _ => Ok(ExprKind::Name(name.name)),
        }
    }

    pub(super) fn arguments(&mut self) -> Parse<Vec<Expr>> {
        self.expect(Token::LParen)?;
        let args = self.separated_or_none(Token::Comma, Token::RParen, Self::expr)?;
        self.expect(Token::RParen)?;
        Ok(args)
    }

    fn mode_ref(&mut self) -> Parse<ExprKind> {
        let mut path = Vec::new();
        while self.eat(Token::ColonColon) {
            path.push(self.ident()?);
        }
        Ok(ExprKind::ModeRef(path))
    }

    /// All that starts with `(`: a group, a list, an update, a clocked call.
    fn paren(&mut self) -> Parse<Expr> {
        let start = self.start();
        match self.peek_nth(1) {
            Token::Activate => {
                let call = self.activate()?;
                return Ok(self.node(start, ExprKind::Call(call)));
            }
            Token::Restart => {
                let call = self.restart()?;
                return Ok(self.node(start, ExprKind::Call(call)));
            }
            _ => {}
        }
        self.expect(Token::LParen)?;
        let first = self.expr()?;
        let kind = match self.peek() {
            Token::With => self.update(first)?,
            Token::Comma => {
                let mut all = vec![first];
                while self.eat(Token::Comma) {
                    all.push(self.expr()?);
                }
                ExprKind::List(all)
            }
            _ => {
                self.expect(Token::RParen)?;
                return Ok(first);
            }
        };
        self.expect(Token::RParen)?;
        Ok(self.node(start, kind))
    }

    fn conditional(&mut self) -> Parse<(Box<Expr>, Box<Expr>, Box<Expr>)> {
        self.bump();
        let condition = self.expr()?;
        self.expect(Token::Then)?;
        let yes = self.expr()?;
        self.expect(Token::Else)?;
        let no = self.expr_at(Level::ELSE.tighter())?;
        Ok((Box::new(condition), Box::new(yes), Box::new(no)))
    }

    fn quantified(&mut self, quantifier: Quantifier) -> Parse<ExprKind> {
        self.bump();
        let vars = self.params()?;
        let body = self.expr_at(Level::QUANTIFIER.tighter())?;
        Ok(ExprKind::Quantified(quantifier, vars, Box::new(body)))
    }

    /// A number of steps.
    pub(super) fn steps(&mut self) -> Parse<u64> {
        if self.peek() == Token::Numeral {
            if let Ok(steps) = self.word().parse() {
                self.bump();
                return Ok(steps);
            }
            return Err(self.bad_number());
        }
        Err(self.unexpected("a number of steps"))
    }
}
