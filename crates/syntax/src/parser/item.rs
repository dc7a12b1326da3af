//! The items of a node, between `let` and `tel`.

use super::{Parse, Parser};
use crate::ast::*;
use crate::token::{Annotation, Token};

impl Parser<'_> {
    pub(super) fn node_items(&mut self) -> Vec<NodeItem> {
        let mut items = Vec::new();
        loop {
            match self.peek() {
                Token::Tel | Token::Else | Token::EndOfFile => return items,
                Token::Node | Token::Function | Token::Contract => return items,
                Token::Ident if self.at_block_end() => return items,
                _ => {}
            }
            let at = self.at;
            match self.nested(|p| p.node_item()) {
                Ok(item) => items.push(item),
                Err(_) => self.skip_statement(at, Token::Tel),
            }
        }
    }

    /// `fi` or `elsif`, unless it is the left side of an equation.
    fn at_block_end(&self) -> bool {
        if !matches!(self.word(), "fi" | "elsif") {
            return false;
        }
        let mut next = 1;
        while let (Token::LBracket, Token::Ident, Token::RBracket) = (
            self.peek_nth(next),
            self.peek_nth(next + 1),
            self.peek_nth(next + 2),
        ) {
            next += 3;
        }
        !matches!(self.peek_nth(next), Token::Equals | Token::Comma)
    }

    /// Skips behind the semicolon that ends the statement in error.
    pub(super) fn skip_statement(&mut self, failed_at: usize, closing: Token) {
        if self.at == failed_at && self.peek() != closing {
            if self.eat(Token::Semicolon) {
                return;
            }
            self.bump();
        }
        loop {
            match self.peek() {
                Token::Semicolon => {
                    self.bump();
                    return;
                }
                token if token == closing => return,
                Token::EndOfFile | Token::Tel | Token::Node | Token::Function => return,
                Token::Contract => return,
                Token::LineAnnotation(_) => return,
                _ => self.bump(),
            }
        }
    }

    fn node_item(&mut self) -> Parse<NodeItem> {
        let start = self.start();
        match self.peek() {
            Token::If => return Ok(NodeItem::If(self.if_block()?)),
            Token::Assert => {
                self.bump();
                let expr = self.expr()?;
                self.expect(Token::Semicolon)?;
                let span = self.since(start);
                return Ok(NodeItem::Assert { expr, span });
            }
            Token::LineAnnotation(annotation) => return self.annotation(annotation, None),
            Token::ParenAnnotation(annotation) => {
                return self.annotation(annotation, Some(Token::ParenEnd));
            }
            Token::SlashAnnotation(annotation) => {
                return self.annotation(annotation, Some(Token::SlashEnd));
            }
            _ => {}
        }
        let defines = matches!(
            self.peek_nth(1),
            Token::Equals | Token::Comma | Token::RParen
        ) || (self.peek_nth(1) == Token::LBracket
            && self.peek_nth(2) == Token::Ident
            && self.declares_check);
        if self.at_word("check") && !defines {
            self.bump();
            let property = self.property(start)?;
            self.expect(Token::Semicolon)?;
            return Ok(self.finish_property(property, start));
        }
        if self.at_word("frame") && self.peek_nth(1) == Token::LParen {
            return Ok(NodeItem::Frame(self.frame_block()?));
        }
        Ok(NodeItem::Equation(self.equation()?))
    }

    /// `--%PROPERTY e;`, `(*%PROPERTY e; *)`, `--%MAIN;`, `--!MAIN : true;`, `--%IVC x;`
    fn annotation(&mut self, annotation: Annotation, closing: Option<Token>) -> Parse<NodeItem> {
        let start = self.start();
        let item = match annotation {
            Annotation::Contract => {
                return Err(self.unexpected("a statement (a contract stands before `let`)"));
            }
            Annotation::Main => {
                self.bump();
                let value = if self.eat(Token::Colon) {
                    let value = self.peek() == Token::True;
                    if !value && self.peek() != Token::False {
                        return Err(self.unexpected("`true` or `false`"));
                    }
                    self.bump();
                    value
                } else {
                    true
                };
                self.eat(Token::Semicolon);
                let span = self.since(start);
                NodeItem::Main { value, span }
            }
            Annotation::Property => {
                self.bump();
                let property = self.property(start)?;
                self.end_of_annotation(closing.is_none())?;
                self.finish_property(property, start)
            }
            Annotation::Ivc => {
                let names = self.annotated_names(closing.is_none())?;
                let span = self.since(start);
                NodeItem::Ivc { names, span }
            }
            Annotation::Realizable => {
                // A component may have no inputs.
                let names = match self.peek_nth(1) {
                    Token::Semicolon => {
                        self.bump();
                        self.end_of_annotation(closing.is_none())?;
                        Vec::new()
                    }
                    _ => self.annotated_names(closing.is_none())?,
                };
                let span = self.since(start);
                NodeItem::Realizable { names, span }
            }
            Annotation::Fault => self.fault(start, closing.is_none())?,
        };
        if let Some(closing) = closing {
            self.expect(closing)?;
        }
        Ok(item)
    }

    /// `--%IVC x, y;`, `--%REALIZABLE x, y;`
    fn annotated_names(&mut self, on_line: bool) -> Parse<Vec<Ident>> {
        self.bump();
        let mut names = vec![self.ident()?];
        while self.eat(Token::Comma) {
            names.push(self.ident()?);
        }
        self.end_of_annotation(on_line)?;
        Ok(names)
    }

    /// `--%FAULT stuck cost 3 : level = pre level;`
    fn fault(&mut self, start: u32, on_line: bool) -> Parse<NodeItem> {
        self.bump();
        let name = self.ident()?;
        let cost = match self.eat_word("cost") {
            true => Some(self.cost()?),
            false => None,
        };
        self.expect(Token::Colon)?;
        let stream = self.ident()?;
        let value = match self.eat(Token::Equals) {
            true => Some(self.expr()?),
            false => None,
        };
        self.end_of_annotation(on_line)?;
        Ok(NodeItem::Fault(Fault {
            name,
            cost,
            stream,
            value,
            span: self.since(start),
        }))
    }

    fn cost(&mut self) -> Parse<u32> {
        let cost = self.word().parse().ok().filter(|cost| *cost > 0);
        match (self.peek(), cost) {
            (Token::Numeral, Some(cost)) => {
                self.bump();
                Ok(cost)
            }
            _ => Err(self.unexpected("a cost: an integer from 1 to 4294967295")),
        }
    }

    /// A semicolon; where the comment ends otherwise, it may be left out.
    fn end_of_annotation(&mut self, on_line: bool) -> Parse<()> {
        match on_line {
            true => self.expect(Token::Semicolon),
            false => {
                self.eat(Token::Semicolon);
                Ok(())
            }
        }
    }

    fn finish_property(&mut self, mut property: Property, start: u32) -> NodeItem {
        property.span = self.since(start);
        NodeItem::Property(property)
    }

    /// `reachable "name" e from m within n`, from behind its keyword on.
    fn property(&mut self, start: u32) -> Parse<Property> {
        let reachable = self.at_word("reachable") && begins_expr(self.peek_nth(1));
        if reachable || (self.at_word("invariant") && begins_expr(self.peek_nth(1))) {
            self.bump();
        }
        let name = self.string();
        self.eat(Token::Colon);
        let expr = self.expr()?;
        let kind = if reachable {
            self.reach_bounds()?
        } else if self.eat_word("provided") {
            PropertyKind::Provided(self.expr()?)
        } else {
            PropertyKind::Invariant
        };
        Ok(Property {
            name,
            kind,
            expr,
            span: self.since(start),
        })
    }

    fn reach_bounds(&mut self) -> Parse<PropertyKind> {
        if self.eat_word("at") {
            let at = Some(self.steps()?);
            return Ok(PropertyKind::Reachable {
                from: at,
                within: at,
            });
        }
        let from = if self.eat_word("from") {
            Some(self.steps()?)
        } else {
            None
        };
        let within = if self.eat_word("within") {
            Some(self.steps()?)
        } else {
            None
        };
        Ok(PropertyKind::Reachable { from, within })
    }

    fn equation(&mut self) -> Parse<Equation> {
        let start = self.start();
        let left = if self.eat(Token::LParen) {
            let left = self.separated_or_none(Token::Comma, Token::RParen, Self::left)?;
            self.expect(Token::RParen)?;
            left
        } else if self.peek() == Token::Ident {
            self.separated(Token::Comma, Self::left)?
        } else {
            return Err(self.unexpected("a statement or `tel`"));
        };
        self.expect(Token::Equals)?;
        let right = self.expr()?;
        self.expect(Token::Semicolon)?;
        Ok(Equation {
            left,
            right,
            span: self.since(start),
        })
    }

    fn left(&mut self) -> Parse<Left> {
        let name = self.declared_ident()?;
        let mut indices = Vec::new();
        while self.eat(Token::LBracket) {
            indices.push(self.ident()?);
            self.expect(Token::RBracket)?;
        }
        Ok(Left { name, indices })
    }

    fn if_block(&mut self) -> Parse<IfBlock> {
        let depth = self.depth;
        let block = self.branches();
        self.depth = depth;
        block
    }

    fn branches(&mut self) -> Parse<IfBlock> {
        let start = self.start();
        self.bump();
        let mut branches = vec![self.if_branch()?];
        while self.eat_word("elsif") {
            // As deep as `else if … fi`.
            self.depth += 1;
            branches.push(self.if_branch()?);
        }
        let otherwise = if self.eat(Token::Else) {
            self.node_items()
        } else {
            Vec::new()
        };
        self.expect_word("fi")?;
        self.eat(Token::Semicolon);
        Ok(IfBlock {
            branches,
            otherwise,
            span: self.since(start),
        })
    }

    fn if_branch(&mut self) -> Parse<(Expr, Vec<NodeItem>)> {
        let condition = self.expr()?;
        self.expect(Token::Then)?;
        Ok((condition, self.node_items()))
    }

    fn frame_block(&mut self) -> Parse<FrameBlock> {
        let start = self.start();
        self.bump();
        self.expect(Token::LParen)?;
        let vars = self.separated(Token::Comma, Self::ident)?;
        self.expect(Token::RParen)?;
        let mut inits = Vec::new();
        while self.peek() != Token::Let {
            inits.push(self.equation()?);
        }
        self.expect(Token::Let)?;
        let body = self.node_items();
        self.expect(Token::Tel)?;
        self.eat(Token::Semicolon);
        Ok(FrameBlock {
            vars,
            inits,
            body,
            span: self.since(start),
        })
    }
}

/// Can an expression begin with the token, while none can go on with it? Then
/// the word before it is a keyword and not a stream's name. (`-`, `[`, `{` and `fby`
/// can do both.)
fn begins_expr(token: Token) -> bool {
    let value = matches!(
        token,
        Token::Ident
            | Token::String
            | Token::True
            | Token::False
            | Token::Numeral
            | Token::Decimal
            | Token::LParen
            | Token::If
            | Token::With
            | Token::Forall
            | Token::Exists
            | Token::ColonColon
            | Token::Merge
            | Token::Condact
            | Token::Current
            | Token::Hash
            | Token::Nor
    );
    value || (UnaryOp::of(token).is_some() && BinaryOp::of(token).is_none())
}
