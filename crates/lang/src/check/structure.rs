//! Tuples, records and arrays: how they are built, read and updated.

use syntax::ast::{self, Access};
use syntax::{Code, Diagnostic, Span, Symbol};

use super::elab::{Elab, Name};
use super::expr::{join, make, unknown};
use super::name::dotted_name;
use crate::constant;
use crate::program::*;
use crate::types::*;
use crate::value::Value;

impl Elab<'_, '_> {
    pub(super) fn tuple(&mut self, all: &[ast::Expr], span: Span) -> Expr {
        let all: Vec<Expr> = all.iter().map(|e| self.one(e)).collect();
        if all.iter().any(|e| e.ty.is_unknown()) {
            return unknown(span);
        }
        let ty = Type::Tuple(all.iter().map(|e| e.ty.clone()).collect());
        let ty = self.cx.limit_parts(ty, span);
        make(ExprKind::Fields(all), ty, span)
    }

    pub(super) fn array(&mut self, all: &[ast::Expr], span: Span) -> Expr {
        let all: Vec<Expr> = all.iter().map(|e| self.one(e)).collect();
        let mut element = all[0].ty.clone();
        for part in &all {
            self.expect(part, &element);
            element = match part.ty.fits(&element) {
                true => join(&element, &part.ty),
                false => Type::Unknown,
            };
        }
        if element.is_unknown() {
            return unknown(span);
        }
        let ty = Type::array(element, Size::constant(all.len()));
        make(ExprKind::Array(all), ty, span)
    }

    /// `element ^ size`
    pub(super) fn fill(&mut self, element: &ast::Expr, size: &ast::Expr, span: Span) -> Expr {
        let element = self.one(element);
        match self.size(size) {
            Some(size) if !element.ty.is_unknown() => {
                let ty = Type::array(element.ty.clone(), size);
                make(ExprKind::Fill(element.into()), ty, span)
            }
            _ => unknown(span),
        }
    }

    pub(super) fn record(
        &mut self,
        name: &ast::Ident,
        fields: &[(ast::Ident, ast::Expr)],
        span: Span,
    ) -> Expr {
        let ty = self.cx.named_type(name.name, name.span);
        let Type::Record(id) = ty else {
            if !ty.is_unknown() {
                self.error(
                    Code::BadRecord,
                    name.span,
                    format!("`{}` is not a record type", name.name),
                );
            }
            return unknown(span);
        };
        let Some(values) = self.record_fields(id, name.name, fields, span) else {
            return unknown(span);
        };
        make(ExprKind::Fields(values), Type::Record(id), span)
    }

    /// The values of all fields, in the order of the type; `None` if some are missing.
    fn record_fields(
        &mut self,
        id: RecordId,
        name: Symbol,
        fields: &[(ast::Ident, ast::Expr)],
        span: Span,
    ) -> Option<Vec<Expr>> {
        let declared = self.cx.program.record(id).fields.clone();
        let mut values: Vec<Option<Expr>> = vec![None; declared.len()];
        let mut failed = false;
        for (field, value) in fields {
            let value = self.one(value);
            match declared.iter().position(|(name, _)| *name == field.name) {
                Some(at) if values[at].is_none() => {
                    self.expect(&value, &declared[at].1);
                    values[at] = Some(value);
                }
                found => {
                    let problem = match found {
                        Some(_) => format!("the field `{}` is given twice", field.name),
                        None => format!("`{name}` has no field `{}`", field.name),
                    };
                    self.error(Code::BadRecord, field.span, problem);
                    failed = true;
                }
            }
        }
        let mut pairs = values.iter().zip(&declared);
        let missing = pairs.find(|(value, _)| value.is_none());
        if let Some((_, (field, _))) = missing
            && !failed
        {
            self.report(
                Diagnostic::error(
                    Code::BadRecord,
                    span,
                    format!("the field `{field}` of `{name}` has no value"),
                )
                .help(format!("add `{field} = …`")),
            );
        }
        values.into_iter().collect()
    }

    pub(super) fn field(
        &mut self,
        whole: &ast::Expr,
        base: &ast::Expr,
        field: &ast::Ident,
    ) -> Expr {
        if self.dotted
            && let Some(id) = dotted_name(whole).and_then(|name| self.names.get(&name))
        {
            return match *id {
                Name::Var(id) => self.var(id, whole.span),
                Name::Const(id) => self.const_ref(id, whole.span),
            };
        }
        let base = self.one(base);
        match self.field_of(&base.ty, field) {
            Some((at, ty)) => make(ExprKind::Field(base.into(), at), ty, whole.span),
            None => unknown(whole.span),
        }
    }

    fn field_of(&mut self, ty: &Type, field: &ast::Ident) -> Option<(usize, Type)> {
        let Type::Record(id) = ty else {
            if !ty.is_unknown() {
                let found = self.type_name(ty);
                self.error(
                    Code::NoSuchField,
                    field.span,
                    format!("a value of type `{found}` has no fields"),
                );
            }
            return None;
        };
        let fields = &self.cx.program.record(*id).fields;
        if let Some(at) = fields.iter().position(|(name, _)| *name == field.name) {
            return Some((at, fields[at].1.clone()));
        }
        let known: Vec<String> = fields.iter().map(|(name, _)| format!("`{name}`")).collect();
        let found = self.type_name(ty);
        self.report(
            Diagnostic::error(
                Code::NoSuchField,
                field.span,
                format!("`{found}` has no field `{}`", field.name),
            )
            .help(format!("its fields are {}", known.join(", "))),
        );
        None
    }

    pub(super) fn project(&mut self, base: &ast::Expr, at: usize, span: Span) -> Expr {
        let base = self.one(base);
        match self.part_of(&base.ty, at, span) {
            Some(ty) => make(ExprKind::Field(base.into(), at), ty, span),
            None => unknown(span),
        }
    }

    fn part_of(&mut self, ty: &Type, at: usize, span: Span) -> Option<Type> {
        match ty {
            Type::Unknown => None,
            Type::Tuple(parts) if at < parts.len() => Some(parts[at].clone()),
            other => {
                let found = self.type_name(other);
                self.error(
                    Code::NoSuchField,
                    span,
                    format!("a value of type `{found}` has no part number {at}"),
                );
                None
            }
        }
    }

    pub(super) fn index(&mut self, base: &ast::Expr, index: &ast::Expr, span: Span) -> Expr {
        let base = self.one(base);
        let index = self.one(index);
        let Some(ty) = self.element_of(&base.ty, &index, base.span) else {
            return unknown(span);
        };
        make(ExprKind::Index(base.into(), index.into()), ty, span)
    }

    fn element_of(&mut self, ty: &Type, index: &Expr, span: Span) -> Option<Type> {
        let Type::Array(array) = ty else {
            if !ty.is_unknown() {
                let found = self.type_name(ty);
                self.error(
                    Code::TypeMismatch,
                    span,
                    format!("a value of type `{found}` cannot be indexed"),
                );
            }
            return None;
        };
        self.expect(index, &Type::Int);
        if self.constant {
            let value = constant::eval(&self.cx.program, Some(&self.node), index);
            if let (Some(Value::Int(value)), Some(size)) = (value, array.size.value())
                && (value < 0.into() || value >= size)
            {
                self.report(
                    Diagnostic::error(
                        Code::OutOfBounds,
                        index.span,
                        format!("the index {value} is outside of the array of size {size}"),
                    )
                    .help("indices go from 0 to the size minus one"),
                );
                return None;
            }
        }
        Some(array.element.clone())
    }

    pub(super) fn update(
        &mut self,
        base: &ast::Expr,
        path: &[Access],
        value: &ast::Expr,
        span: Span,
    ) -> Expr {
        let base = self.one(base);
        let mut ty = base.ty.clone();
        let mut steps = Vec::new();
        for access in path {
            let next = match access {
                Access::Field(field) => self
                    .field_of(&ty, field)
                    .map(|(at, ty)| (Step::Field(at), ty)),
                Access::Project(at, span) => self
                    .part_of(&ty, *at as usize, *span)
                    .map(|ty| (Step::Field(*at as usize), ty)),
                Access::Index(index) => {
                    let index = self.one(index);
                    self.element_of(&ty, &index, span)
                        .map(|ty| (Step::Index(index), ty))
                }
            };
            let Some((step, inner)) = next else {
                return unknown(span);
            };
            steps.push(step);
            ty = inner;
        }
        let value = self.one(value);
        self.expect(&value, &ty);
        let ty = base.ty.clone();
        make(ExprKind::Update(base.into(), steps, value.into()), ty, span)
    }
}
