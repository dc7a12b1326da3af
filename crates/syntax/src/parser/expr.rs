//! Expressions, by precedence climbing over the levels of [`crate::operator`].

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

    fn node(&self, start: u32, kind: ExprKind) -> Expr {
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

    fn postfix(&mut self) -> Parse<Expr> {
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

    fn primary(&mut self) -> Parse<Expr> {
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

    fn arguments(&mut self) -> Parse<Vec<Expr>> {
        self.expect(Token::LParen)?;
        let args = self.separated_or_none(Token::Comma, Token::RParen, Self::expr)?;
        self.expect(Token::RParen)?;
        Ok(args)
    }

    fn record(&mut self, name: Ident) -> Parse<ExprKind> {
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

    /// `… with .f[i].%1 = v`
    fn update(&mut self, base: Expr) -> Parse<ExprKind> {
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

    fn merge(&mut self) -> Parse<ExprKind> {
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
    fn condact(&mut self) -> Parse<ExprKind> {
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
    fn restart(&mut self) -> Parse<Call> {
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
    fn activate(&mut self) -> Parse<Call> {
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
    fn delay(&mut self) -> Parse<ExprKind> {
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

fn plain_call(node: Ident, args: Vec<Expr>) -> Call {
    Call {
        node,
        args,
        every: None,
        defaults: None,
        restart: None,
    }
}
