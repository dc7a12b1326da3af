//! Declarations: types, constants, nodes, contracts.

use super::{Failed, Parse, Parser};
use crate::ast::*;
use crate::diag::{Code, Diagnostic};
use crate::token::{Annotation, Token};

impl Parser<'_> {
    pub(super) fn items(&mut self) -> Vec<Item> {
        let mut items = Vec::new();
        while self.peek() != Token::EndOfFile {
            let at = self.at;
            if self.item(&mut items).is_err() {
                self.skip_to_item(at);
            }
        }
        items
    }

    /// Skips to where a declaration may start, at least one token on.
    fn skip_to_item(&mut self, failed_at: usize) {
        if self.at == failed_at {
            self.bump();
        }
        loop {
            match self.peek() {
                Token::EndOfFile | Token::Node | Token::Function | Token::Type => return,
                Token::Contract => return,
                Token::Const if self.after_declaration() => return,
                Token::Tel => {
                    self.bump();
                    self.node_separator();
                    return;
                }
                _ => self.bump(),
            }
        }
    }

    /// `const` also stands among parameters: a declaration follows `;` or `tel`.
    fn after_declaration(&self) -> bool {
        self.at == 0 || matches!(self.tokens[self.at - 1].0, Token::Semicolon | Token::Tel)
    }

    fn item(&mut self, items: &mut Vec<Item>) -> Parse<()> {
        match self.peek() {
            Token::Type => {
                let decls = self.type_decls()?;
                items.extend(decls.into_iter().map(Item::Type));
            }
            Token::Const | Token::Param => {
                self.bump();
                while self.peek() == Token::Ident && !self.at_include() {
                    let decls = self.const_decls()?;
                    items.extend(decls.into_iter().map(Item::Const));
                }
            }
            Token::Node => {
                let node = self.node_decl(NodeKind::Node)?;
                items.push(Item::Node(node));
            }
            Token::Function => {
                let node = self.node_decl(NodeKind::Function)?;
                items.push(Item::Node(node));
            }
            Token::Contract => {
                let contract = self.contract_decl()?;
                items.push(Item::Contract(contract));
            }
            Token::Ident if self.at_include() => {
                self.bump();
                if let Some(path) = self.string() {
                    items.push(Item::Include(path));
                }
                self.eat(Token::Semicolon);
            }
            _ => {
                return Err(self.unexpected(
                    "a declaration (`node`, `function`, `contract`, `type`, `const` or `include`)",
                ));
            }
        }
        Ok(())
    }

    fn at_include(&self) -> bool {
        self.at_word("include") && self.peek_nth(1) == Token::String
    }

    fn type_decls(&mut self) -> Parse<Vec<TypeDecl>> {
        let start = self.start();
        self.bump();
        let names = self.separated(Token::Comma, Self::ident)?;
        let def = if self.eat(Token::Equals) {
            self.type_def()?
        } else {
            TypeDef::Abstract
        };
        self.expect(Token::Semicolon)?;
        let span = self.since(start);
        let decl = |name| TypeDecl {
            name,
            def: def.clone(),
            span,
        };
        Ok(names.into_iter().map(decl).collect())
    }

    fn type_def(&mut self) -> Parse<TypeDef> {
        match self.peek() {
            Token::Enum => {
                self.bump();
                self.expect(Token::LBrace)?;
                let values = self.separated(Token::Comma, Self::ident)?;
                self.expect(Token::RBrace)?;
                Ok(TypeDef::Enum(values))
            }
            Token::Struct | Token::LBrace => {
                self.eat(Token::Struct);
                Ok(TypeDef::Record(self.record_fields()?))
            }
            _ => Ok(TypeDef::Alias(self.type_expr()?)),
        }
    }

    fn record_fields(&mut self) -> Parse<Vec<(Ident, TypeExpr)>> {
        self.expect(Token::LBrace)?;
        let mut fields = Vec::new();
        while self.peek() != Token::RBrace {
            let names = self.separated(Token::Comma, Self::ident)?;
            self.expect(Token::Colon)?;
            let ty = self.type_expr()?;
            fields.extend(names.into_iter().map(|name| (name, ty.clone())));
            if !self.eat(Token::Semicolon) {
                break;
            }
        }
        self.expect(Token::RBrace)?;
        Ok(fields)
    }

    pub(super) fn type_expr(&mut self) -> Parse<TypeExpr> {
        self.nested(|p| p.type_suffixes())
    }

    fn type_suffixes(&mut self) -> Parse<TypeExpr> {
        let start = self.start();
        let mut ty = self.simple_type()?;
        loop {
            let bracketed = self.peek() == Token::LBracket;
            let size = if bracketed {
                self.bump();
                let size = self.expr()?;
                self.expect(Token::RBracket)?;
                size
            } else if self.eat(Token::Caret) {
                self.size_expr()?
            } else {
                return Ok(ty);
            };
            let kind = TypeKind::Array {
                element: Box::new(ty),
                size: Box::new(size),
                bracketed,
            };
            ty = TypeExpr {
                kind,
                span: self.since(start),
            };
            self.heighten()?;
        }
    }

    fn simple_type(&mut self) -> Parse<TypeExpr> {
        let start = self.start();
        let token = self.peek();
        let kind = match token {
            Token::Bool => TypeKind::Bool,
            Token::Int => TypeKind::Int,
            Token::Real => TypeKind::Real,
            Token::Subrange => return self.subrange(),
            Token::LBracket => {
                self.bump();
                let parts = self.separated(Token::Comma, Self::type_expr)?;
                self.expect(Token::RBracket)?;
                return Ok(TypeExpr {
                    kind: TypeKind::Tuple(parts),
                    span: self.since(start),
                });
            }
            Token::Ident => TypeKind::Named(self.word().into()),
            _ => match Machine::of(token) {
                Some(machine) => TypeKind::Machine(machine),
                None => return Err(self.unexpected("a type")),
            },
        };
        self.bump();
        Ok(TypeExpr {
            kind,
            span: self.since(start),
        })
    }

    fn subrange(&mut self) -> Parse<TypeExpr> {
        let start = self.start();
        self.bump();
        self.expect(Token::LBracket)?;
        let low = self.bound()?;
        self.expect(Token::Comma)?;
        let high = self.bound()?;
        self.expect(Token::RBracket)?;
        self.expect(Token::Of)?;
        self.expect(Token::Int)?;
        Ok(TypeExpr {
            kind: TypeKind::Range(low, high),
            span: self.since(start),
        })
    }

    fn bound(&mut self) -> Parse<Option<Box<Expr>>> {
        if self.eat(Token::Star) {
            return Ok(None);
        }
        Ok(Some(Box::new(self.expr()?)))
    }

    /// `a, b: t;`, `a: t = e;` or `a = e;`
    fn const_decls(&mut self) -> Parse<Vec<ConstDecl>> {
        let start = self.start();
        let names = self.separated(Token::Comma, Self::ident)?;
        let ty = if self.eat(Token::Colon) {
            Some(self.type_expr()?)
        } else {
            None
        };
        let value = match (names.len(), &ty) {
            (1, None) => {
                self.expect(Token::Equals)?;
                Some(self.expr()?)
            }
            (1, Some(_)) if self.eat(Token::Equals) => Some(self.expr()?),
            (_, None) => return Err(self.unexpected("`:` and a type")),
            _ => None,
        };
        self.expect(Token::Semicolon)?;
        let span = self.since(start);
        let decl = |name| ConstDecl {
            name,
            ty: ty.clone(),
            value: value.clone(),
            span,
        };
        Ok(names.into_iter().map(decl).collect())
    }

    /// `(const a, b: t; c: u when k)`, with an optional semicolon at the end.
    pub(super) fn params(&mut self) -> Parse<Vec<Param>> {
        self.expect(Token::LParen)?;
        let mut params = Vec::new();
        while self.peek() != Token::RParen {
            self.param_group(&mut params)?;
            if !self.eat(Token::Semicolon) {
                break;
            }
        }
        self.expect(Token::RParen)?;
        Ok(params)
    }

    fn param_group(&mut self, params: &mut Vec<Param>) -> Parse<()> {
        if self.peek() == Token::LParen {
            let mut group = self.nested(|p| p.params())?;
            self.expect(Token::When)?;
            let clock = self.clock_expr()?;
            for param in &mut group {
                param.clock = Some(clock.clone());
            }
            params.append(&mut group);
            return Ok(());
        }
        let is_const = self.eat(Token::Const);
        let names = self.separated(Token::Comma, Self::declared_ident)?;
        self.expect(Token::Colon)?;
        let ty = self.type_expr()?;
        let clock = if self.eat(Token::When) {
            Some(self.clock_expr()?)
        } else {
            None
        };
        params.extend(names.into_iter().map(|name| Param {
            name,
            ty: ty.clone(),
            is_const,
            clock: clock.clone(),
        }));
        Ok(())
    }

    fn node_decl(&mut self, kind: NodeKind) -> Parse<NodeDecl> {
        let start = self.start();
        self.bump();
        let imported = self.eat(Token::Imported);
        let name = self.ident()?;
        self.declares_check = false;
        let inputs = self.params()?;
        self.expect(Token::Returns)?;
        let outputs = self.params()?;
        let ended = self.eat(Token::Semicolon);
        let contract = self.inline_contract()?;
        let mut node = NodeDecl {
            kind,
            imported,
            name,
            inputs,
            outputs,
            contract,
            locals: Vec::new(),
            body: None,
            span: self.since(start),
        };
        let no_body = kind == NodeKind::Function && ended && !self.at_body();
        if imported || no_body {
            return Ok(node);
        }
        node.locals = self.locals()?;
        self.expect(Token::Let)?;
        node.body = Some(self.node_items());
        self.expect(Token::Tel)?;
        self.node_separator();
        node.span = self.since(start);
        Ok(node)
    }

    fn at_body(&self) -> bool {
        // Local constants look like global ones: they are followed by a body
        // sooner or later, but a function without a body is followed by none.
        match self.peek() {
            Token::Let | Token::Var => true,
            Token::Const | Token::Param => self.tokens[self.at..]
                .iter()
                .find_map(|(token, ..)| match token {
                    Token::Let | Token::Var => Some(true),
                    Token::Node | Token::Function | Token::Contract | Token::Type => Some(false),
                    Token::EndOfFile => Some(false),
                    _ => None,
                })
                .unwrap_or(false),
            _ => false,
        }
    }

    fn node_separator(&mut self) {
        if !self.eat(Token::Semicolon) {
            self.eat(Token::Dot);
        }
    }

    fn locals(&mut self) -> Parse<Vec<Local>> {
        let mut locals = Vec::new();
        loop {
            match self.peek() {
                Token::Var => {
                    self.bump();
                    while matches!(self.peek(), Token::Ident | Token::LParen) {
                        let mut vars = Vec::new();
                        self.param_group(&mut vars)?;
                        self.refuse_const(&vars);
                        self.expect(Token::Semicolon)?;
                        locals.extend(vars.into_iter().map(Local::Var));
                    }
                }
                Token::Const | Token::Param => {
                    self.bump();
                    while self.peek() == Token::Ident {
                        let decls = self.const_decls()?;
                        locals.extend(decls.into_iter().map(Local::Const));
                    }
                }
                _ => return Ok(locals),
            }
        }
    }

    fn refuse_const(&mut self, vars: &[Param]) {
        if let Some(var) = vars.iter().find(|var| var.is_const) {
            let name = var.name.name;
            let message = format!("the local variable `{name}` is declared as a constant");
            let diagnostic = Diagnostic::error(Code::UnexpectedToken, var.name.span, message)
                .help("declare it outside of `var`, as in `const c = 1;`");
            self.error(diagnostic);
        }
    }

    fn contract_decl(&mut self) -> Parse<ContractDecl> {
        let start = self.start();
        self.bump();
        let name = self.ident()?;
        let inputs = self.params()?;
        self.expect(Token::Returns)?;
        let outputs = self.params()?;
        self.expect(Token::Semicolon)?;
        self.expect(Token::Let)?;
        let body = self.start();
        let items = self.contract_items(Token::Tel);
        let contract = Contract {
            items,
            span: self.since(body),
        };
        self.expect(Token::Tel)?;
        self.node_separator();
        Ok(ContractDecl {
            name,
            inputs,
            outputs,
            contract,
            span: self.since(start),
        })
    }

    /// `(*@contract … *)` or `/*@contract … */`
    fn inline_contract(&mut self) -> Parse<Option<Contract>> {
        let start = self.start();
        let closing = match self.peek() {
            Token::ParenAnnotation(Annotation::Contract) => Token::ParenEnd,
            Token::SlashAnnotation(Annotation::Contract) => Token::SlashEnd,
            _ => return Ok(None),
        };
        self.bump();
        let items = self.contract_items(closing);
        self.expect(closing)?;
        Ok(Some(Contract {
            items,
            span: self.since(start),
        }))
    }

    fn contract_items(&mut self, closing: Token) -> Vec<ContractItem> {
        let mut items = Vec::new();
        loop {
            match self.peek() {
                token if token == closing => return items,
                Token::EndOfFile | Token::Node | Token::Function | Token::Type => return items,
                _ => {}
            }
            let at = self.at;
            match self.contract_item(&mut items) {
                Ok(()) => {}
                Err(_) => self.skip_statement(at, closing),
            }
        }
    }

    fn contract_item(&mut self, items: &mut Vec<ContractItem>) -> Parse<()> {
        let start = self.start();
        match self.peek() {
            Token::Const => {
                self.bump();
                let decls = self.const_decls()?;
                items.extend(decls.into_iter().map(ContractItem::Const));
                return Ok(());
            }
            Token::Var => {
                self.bump();
                let vars = self.ghost_vars()?;
                self.expect(Token::Equals)?;
                let value = self.expr()?;
                self.expect(Token::Semicolon)?;
                let span = self.since(start);
                items.push(ContractItem::Vars { vars, value, span });
                return Ok(());
            }
            Token::Import => {
                let import = self.contract_import()?;
                items.push(import);
                return Ok(());
            }
            _ => {}
        }
        let weak = self.eat_word("weakly");
        if self.at_word("assume") {
            items.push(ContractItem::Assume(self.clause(start, weak)?));
        } else if self.at_word("guarantee") {
            items.push(ContractItem::Guarantee(self.clause(start, weak)?));
        } else if self.at_word("mode") && !weak {
            items.push(self.mode()?);
        } else {
            return Err(self.unexpected(
                "a contract item (`assume`, `guarantee`, `mode`, `import`, `var` or `const`)",
            ));
        }
        Ok(())
    }

    /// `a, b: t, c: u`
    fn ghost_vars(&mut self) -> Parse<Vec<Param>> {
        let mut vars = Vec::new();
        loop {
            self.param_group(&mut vars)?;
            if !self.eat(Token::Comma) {
                return Ok(vars);
            }
        }
    }

    /// `assume "name" e;`, from its keyword on.
    fn clause(&mut self, start: u32, weak: bool) -> Parse<Clause> {
        self.bump();
        let name = self.string();
        let expr = self.expr()?;
        self.expect(Token::Semicolon)?;
        Ok(Clause {
            weak,
            name,
            expr,
            span: self.since(start),
        })
    }

    fn mode(&mut self) -> Parse<ContractItem> {
        let start = self.start();
        self.bump();
        let name = self.ident()?;
        self.expect(Token::LParen)?;
        let mut requires = Vec::new();
        let mut ensures = Vec::new();
        loop {
            let start = self.start();
            if self.at_word("require") {
                requires.push(self.clause(start, false)?);
            } else if self.at_word("ensure") {
                ensures.push(self.clause(start, false)?);
            } else if self.eat(Token::RParen) {
                break;
            } else {
                let failed = self.unexpected("`require`, `ensure` or `)`");
                self.skip_clause(failed)?;
            }
        }
        self.expect(Token::Semicolon)?;
        Ok(ContractItem::Mode {
            name,
            requires,
            ensures,
            span: self.since(start),
        })
    }

    /// Goes on behind a part of a mode that cannot be read, if the mode does.
    fn skip_clause(&mut self, failed: Failed) -> Parse<()> {
        let ends = [
            Token::Semicolon,
            Token::ParenEnd,
            Token::SlashEnd,
            Token::Tel,
            Token::EndOfFile,
        ];
        while !ends.contains(&self.peek()) {
            self.bump();
        }
        let ended = self.eat(Token::Semicolon);
        let goes_on = self.at_word("require") || self.at_word("ensure");
        match ended && (goes_on || self.peek() == Token::RParen) {
            true => Ok(()),
            false => Err(failed),
        }
    }

    fn contract_import(&mut self) -> Parse<ContractItem> {
        let start = self.start();
        self.bump();
        let contract = self.ident()?;
        self.expect(Token::LParen)?;
        let args = self.separated_or_none(Token::Comma, Token::RParen, Self::expr)?;
        self.expect(Token::RParen)?;
        self.expect(Token::Returns)?;
        self.expect(Token::LParen)?;
        let outputs = self.separated_or_none(Token::Comma, Token::RParen, Self::ident)?;
        self.expect(Token::RParen)?;
        self.expect(Token::Semicolon)?;
        Ok(ContractItem::Import {
            contract,
            args,
            outputs,
            span: self.since(start),
        })
    }
}
