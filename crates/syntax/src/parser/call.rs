//! Calls with their clocks, merges and delays.

use super::{Parse, Parser};
use crate::ast::*;
use crate::token::Token;

impl Parser<'_> {
    pub(super) fn clock_expr(&mut self) -> Parse<ClockExpr> {
        if self.eat(Token::True) {
            return Ok(ClockExpr::True);
        }
        if self.eat(Token::Not) {
            let parens = self.eat(Token::LParen);
            let clock = self.ident()?;
            if parens {
                self.expect(Token::RParen)?;
            }
            return Ok(ClockExpr::OnNot(clock));
        }
        let first = self.ident()?;
        if self.eat(Token::LParen) {
            let clock = self.ident()?;
            self.expect(Token::RParen)?;
            return Ok(ClockExpr::OnValue(first, clock));
        }
        Ok(ClockExpr::On(first))
    }

    pub(super) fn merge(&mut self) -> Parse<ExprKind> {
        self.bump();
        if self.eat(Token::LParen) {
            let clock = self.ident()?;
            self.expect(Token::Semicolon)?;
            let yes = self.expr()?;
            self.expect(Token::Semicolon)?;
            let no = self.expr()?;
            self.expect(Token::RParen)?;
            // The branches may come in either order; their clocks tell.
            let swapped = on_clock(&yes, clock, false) && on_clock(&no, clock, true);
            let (yes, no) = if swapped { (no, yes) } else { (yes, no) };
            let (on, off) = (MergeCase::True(yes.span), MergeCase::False(no.span));
            return Ok(ExprKind::Merge(clock, vec![(on, yes), (off, no)]));
        }
        let clock = self.ident()?;
        let mut cases = Vec::new();
        while self.peek() == Token::LParen || cases.is_empty() {
            self.expect(Token::LParen)?;
            let start = self.start();
            let case = if self.eat(Token::True) {
                MergeCase::True(self.since(start))
            } else if self.eat(Token::False) {
                MergeCase::False(self.since(start))
            } else {
                MergeCase::Value(self.ident()?)
            };
            self.expect(Token::Arrow)?;
            let value = self.expr()?;
            self.expect(Token::RParen)?;
            cases.push((case, value));
        }
        Ok(ExprKind::Merge(clock, cases))
    }

    /// `condact(c, N(args), defaults)`, with `(restart N every r)` for `N`.
    pub(super) fn condact(&mut self) -> Parse<ExprKind> {
        self.bump();
        self.expect(Token::LParen)?;
        let every = self.expr()?;
        self.expect(Token::Comma)?;
        let mut call = if self.peek() == Token::LParen {
            self.restart()?
        } else {
            let node = self.ident()?;
            plain_call(node, self.arguments()?)
        };
        let mut defaults = Vec::new();
        while self.eat(Token::Comma) {
            defaults.push(self.expr()?);
        }
        self.expect(Token::RParen)?;
        call.every = Some(Box::new(every));
        call.defaults = Some(defaults);
        Ok(ExprKind::Call(call))
    }

    /// `(restart N every r)(args)`
    pub(super) fn restart(&mut self) -> Parse<Call> {
        let (node, condition) = self.restart_head()?;
        let mut call = plain_call(node, self.arguments()?);
        call.restart = Some(Box::new(condition));
        Ok(call)
    }

    fn restart_head(&mut self) -> Parse<(Ident, Expr)> {
        self.expect(Token::LParen)?;
        self.expect(Token::Restart)?;
        let node = self.ident()?;
        self.expect(Token::Every)?;
        let condition = self.expr()?;
        self.expect(Token::RParen)?;
        Ok((node, condition))
    }

    /// `(activate N every c initial default d restart every r)(args)`
    pub(super) fn activate(&mut self) -> Parse<Call> {
        self.expect(Token::LParen)?;
        self.expect(Token::Activate)?;
        let (node, mut restart) = if self.peek() == Token::LParen {
            let (node, condition) = self.restart_head()?;
            (node, Some(condition))
        } else {
            (self.ident()?, None)
        };
        self.expect(Token::Every)?;
        let every = self.expr()?;
        let mut defaults = None;
        if self.eat_word("initial") {
            self.expect_word("default")?;
            let closes = self.peek() == Token::RParen || self.peek() == Token::Restart;
            defaults = Some(if closes {
                Vec::new()
            } else {
                self.separated(Token::Comma, Self::expr)?
            });
        }
        if restart.is_none() && self.eat(Token::Restart) {
            self.expect(Token::Every)?;
            restart = Some(self.expr()?);
        }
        self.expect(Token::RParen)?;
        let mut call = plain_call(node, self.arguments()?);
        call.every = Some(Box::new(every));
        call.defaults = defaults;
        call.restart = restart.map(Box::new);
        Ok(call)
    }

    /// `fby(e, n, d)`
    pub(super) fn delay(&mut self) -> Parse<ExprKind> {
        self.bump();
        self.expect(Token::LParen)?;
        let delayed = self.expr()?;
        self.expect(Token::Comma)?;
        let steps = self.steps()?;
        self.expect(Token::Comma)?;
        let initial = self.expr()?;
        self.expect(Token::RParen)?;
        Ok(ExprKind::Delay(Box::new(delayed), steps, Box::new(initial)))
    }
}

/// Is the branch of a merge sampled by the clock, or by its negation?
fn on_clock(branch: &Expr, clock: Ident, positive: bool) -> bool {
    let named = |expr: &Expr| matches!(expr.kind, ExprKind::Name(name) if name == clock.name);
    match &branch.kind {
        ExprKind::When(_, ClockExpr::On(on)) => positive && on.name == clock.name,
        ExprKind::When(_, ClockExpr::OnNot(on)) => !positive && on.name == clock.name,
        ExprKind::Call(Call {
            every: Some(every), ..
        }) => match &every.kind {
            ExprKind::Unary(UnaryOp::Not, inner) => !positive && named(inner),
            _ => positive && named(every),
        },
        _ => false,
    }
}

pub(super) fn plain_call(node: Ident, args: Vec<Expr>) -> Call {
    Call {
        node,
        args,
        every: None,
        defaults: None,
        restart: None,
    }
}
