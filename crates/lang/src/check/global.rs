//! Declarations outside of nodes: types, constants, and all names.

use std::collections::HashMap;

use syntax::ast::{self, Item, TypeDef, TypeKind};
use syntax::{Code, Diagnostic, Span, Symbol};

use super::elab::Elab;
use super::{Checker, Progress};
use crate::constant;
use crate::program::*;
use crate::types::*;

/// Types that are built from more parts are refused.
const MAX_PARTS: usize = 1 << 16;

impl<'a> Checker<'a> {
    /// Enters every declaration by its name.
    pub(super) fn declare_all(&mut self) {
        for item in &self.ast.items {
            match item {
                Item::Include(_) => {}
                Item::Type(decl) => self.declare_type(decl),
                Item::Const(decl) => {
                    let earlier = self.const_decls.insert(decl.name.name, decl);
                    self.declared("constant", decl.name, earlier.map(|d| d.name.span));
                }
                Item::Node(decl) => {
                    let earlier = self.node_decls.insert(decl.name.name, decl);
                    self.declared("node", decl.name, earlier.map(|d| d.name.span));
                }
                Item::Contract(decl) => {
                    let earlier = self.contract_decls.insert(decl.name.name, decl);
                    self.declared("contract", decl.name, earlier.map(|d| d.name.span));
                }
            }
        }
        self.declare_enum_values();
        self.array_equality = uses_bracketed_arrays(self.ast);
    }

    fn declared(&mut self, what: &str, name: ast::Ident, earlier: Option<Span>) {
        if let Some(earlier) = earlier {
            self.report(
                Diagnostic::error(
                    Code::Redeclared,
                    name.span,
                    format!("the {what} `{}` is declared twice", name.name),
                )
                .related(earlier, "the first declaration is here")
                .help("rename or remove one of the two"),
            );
        }
    }

    fn declare_type(&mut self, decl: &'a ast::TypeDecl) {
        let earlier = self.type_decls.insert(decl.name.name, decl);
        self.declared("type", decl.name, earlier.map(|d| d.name.span));
        if let TypeDef::Enum(_) = decl.def {
            let id = EnumId(self.program.enums.len() as u32);
            self.program.enums.push(EnumDecl {
                name: decl.name.name,
                values: Vec::new(),
            });
            self.enum_ids.insert(decl.name.name, id);
        }
    }

    fn declare_enum_values(&mut self) {
        for item in &self.ast.items {
            let Item::Type(decl) = item else { continue };
            let TypeDef::Enum(values) = &decl.def else {
                continue;
            };
            let id = self.enum_ids[&decl.name.name];
            for (at, value) in values.iter().enumerate() {
                self.program.enums[id.0 as usize].values.push(value.name);
                let entry = (id, at as u32, value.span);
                let earlier = self.enum_values.insert(value.name, entry);
                let earlier = earlier
                    .map(|(_, _, span)| span)
                    .or_else(|| self.const_decls.get(&value.name).map(|d| d.name.span));
                if let Some(earlier) = earlier {
                    self.report(
                        Diagnostic::error(
                            Code::EnumRedeclared,
                            value.span,
                            format!("`{}` is already declared", value.name),
                        )
                        .related(earlier, "the first declaration is here")
                        .help("give every value of every enumeration its own name"),
                    );
                }
            }
        }
    }

    /// Checks every type and constant, used or not.
    pub(super) fn check_globals(&mut self) {
        for item in &self.ast.items {
            match item {
                Item::Type(decl) => {
                    self.named_type(decl.name.name, decl.name.span);
                }
                Item::Const(decl) => {
                    self.global_const(decl.name.name);
                }
                _ => {}
            }
        }
    }

    /// The type of a name.
    pub(super) fn named_type(&mut self, name: Symbol, span: Span) -> Type {
        match self.types.get(&name) {
            Some(Progress::Done(ty)) => return ty.clone(),
            Some(Progress::Started) => {
                self.report(
                    Diagnostic::error(
                        Code::Cycle,
                        span,
                        format!("the type `{name}` is defined by itself"),
                    )
                    .help("break the cycle: types cannot be recursive"),
                );
                return Type::Unknown;
            }
            None => {}
        }
        let Some(decl) = self.type_decls.get(&name).copied() else {
            self.report(
                Diagnostic::error(
                    Code::UnknownType,
                    span,
                    format!("the type `{name}` is not declared"),
                )
                .help(format!("declare it with `type {name} = …;`")),
            );
            return Type::Unknown;
        };
        self.types.insert(name, Progress::Started);
        let ty = self.define_type(decl);
        self.types.insert(name, Progress::Done(ty.clone()));
        ty
    }

    fn define_type(&mut self, decl: &'a ast::TypeDecl) -> Type {
        match &decl.def {
            TypeDef::Abstract => {
                let id = AbstractId(self.program.abstract_types.len() as u32);
                self.program.abstract_types.push(decl.name.name);
                Type::Abstract(id)
            }
            TypeDef::Alias(ty) => Elab::constant(self).type_expr(ty),
            TypeDef::Enum(_) => Type::Enum(self.enum_ids[&decl.name.name]),
            TypeDef::Record(fields) => {
                let mut typed: Vec<(Symbol, Type)> = Vec::new();
                for (field, ty) in fields {
                    if typed.iter().any(|(name, _)| *name == field.name) {
                        self.error(
                            Code::BadRecord,
                            field.span,
                            format!("the field `{}` is declared twice", field.name),
                        );
                        continue;
                    }
                    let ty = Elab::constant(self).type_expr(ty);
                    typed.push((field.name, ty));
                }
                let id = RecordId(self.program.records.len() as u32);
                self.program.records.push(RecordDecl {
                    name: decl.name.name,
                    fields: typed,
                });
                self.limit_parts(Type::Record(id), decl.span)
            }
        }
    }

    /// Types that are built from others may double in size with every line.
    pub(super) fn limit_parts(&mut self, ty: Type, span: Span) -> Type {
        if ty.parts(&self.program.records) <= MAX_PARTS {
            return ty;
        }
        self.report(
            Diagnostic::error(
                Code::TooDeep,
                span,
                format!("this type is built from more than {MAX_PARTS} parts"),
            )
            .help("use arrays for many values of the same type"),
        );
        Type::Unknown
    }

    /// The constant of a name, checked; `None` if there is no such constant or
    /// it is in error.
    pub(super) fn global_const(&mut self, name: Symbol) -> Option<ConstId> {
        let decl = self.const_decls.get(&name).copied()?;
        match self.consts.get(&name) {
            Some(Progress::Done(id)) => return *id,
            Some(Progress::Started) => {
                self.report(
                    Diagnostic::error(
                        Code::Cycle,
                        decl.name.span,
                        format!("the constant `{name}` is defined by itself"),
                    )
                    .help("break the cycle"),
                );
                return None;
            }
            None => {}
        }
        self.consts.insert(name, Progress::Started);
        let id = self.define_const(decl);
        self.consts.insert(name, Progress::Done(id));
        id
    }

    fn define_const(&mut self, decl: &'a ast::ConstDecl) -> Option<ConstId> {
        let declared = decl
            .ty
            .as_ref()
            .map(|ty| Elab::constant(self).type_expr(ty));
        let value = match &decl.value {
            Some(value) => {
                let mut elab = Elab::constant(self);
                let value = elab.const_value(value, declared.as_ref());
                if value.ty.is_unknown() {
                    return None;
                }
                Some(value)
            }
            None => None,
        };
        let ty = match (&declared, &value) {
            (Some(ty), _) => ty.clone(),
            (None, Some(value)) => value.ty.clone(),
            (None, None) => return None,
        };
        if ty.is_unknown() {
            return None;
        }
        if let Some(value) = &value {
            self.check_const_range(&ty, value);
        }
        let id = ConstId(self.program.consts.len() as u32);
        self.program.consts.push(Const {
            name: decl.name.name,
            ty,
            value,
            span: decl.name.span,
        });
        Some(id)
    }

    pub(super) fn check_const_range(&mut self, ty: &Type, value: &Expr) {
        if let Err((span, message)) = constant::check_range(&self.program, ty, value) {
            self.report(
                Diagnostic::error(Code::OutOfRange, span, message)
                    .help("change the value or widen the subrange"),
            );
        }
    }
}

/// Does any declaration write an array type as `t[n]`?
fn uses_bracketed_arrays(program: &ast::Program) -> bool {
    fn bracketed(ty: &ast::TypeExpr) -> bool {
        match &ty.kind {
            TypeKind::Array {
                bracketed: true, ..
            } => true,
            TypeKind::Array { element, .. } => bracketed(element),
            TypeKind::Tuple(parts) => parts.iter().any(bracketed),
            _ => false,
        }
    }
    let params = |params: &[ast::Param]| params.iter().any(|param| bracketed(&param.ty));
    program.items.iter().any(|item| match item {
        Item::Include(_) => false,
        Item::Type(decl) => match &decl.def {
            TypeDef::Alias(ty) => bracketed(ty),
            TypeDef::Record(fields) => fields.iter().any(|(_, ty)| bracketed(ty)),
            TypeDef::Abstract | TypeDef::Enum(_) => false,
        },
        Item::Const(decl) => decl.ty.as_ref().is_some_and(bracketed),
        Item::Contract(decl) => params(&decl.inputs) || params(&decl.outputs),
        Item::Node(decl) => {
            params(&decl.inputs)
                || params(&decl.outputs)
                || decl.locals.iter().any(|local| match local {
                    ast::Local::Var(var) => bracketed(&var.ty),
                    ast::Local::Const(decl) => decl.ty.as_ref().is_some_and(bracketed),
                })
        }
    })
}

/// Names that are told apart by what they stand for.
pub(super) type Names = HashMap<Symbol, super::elab::Name>;
