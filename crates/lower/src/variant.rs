//! Other definitions of streams, next to their own.
//!
//! All variants of a program are lowered at once: where a stream gets its
//! definition, the variants of the equation are translated too, in the same
//! instance and with the same indices. A variant of the program is the system with
//! some definitions replaced; the memory that it needs is there already.

use std::collections::{BTreeMap, HashMap};

use lang::{BoundId, Expr, InstancePath, NodeId, Program};
use syntax::SourceMap;
use system::{ElementId, Term, Var};

use crate::instance::{Env, InstanceId, constant_indices};
use crate::lowerer::Lowerer;
use crate::partial::Unknowns;
use crate::shape::Shape;
use crate::{ChoiceKey, Lower, LowerOptions, Lowered, Part};

/// Another expression in the place of one that defines a stream: the right-hand
/// side of an equation, or the argument of a call.
#[derive(Clone, Debug)]
pub struct Variant {
    pub part: Part,
    /// `None` if only the streams of the part are wanted.
    pub expr: Option<Expr>,
}

/// The lowered variants of a program.
pub struct Variants {
    pub lowered: Lowered,
    /// By variant: the definitions that replace those of the tagged system, in all
    /// instances. None for what nothing depends on.
    pub definitions: Vec<Vec<(Var, Term)>>,
    /// The streams of the parts that have variants.
    pub streams: Vec<VariedStream>,
    /// The choices, as terms of the tagged system.
    pub choices: BTreeMap<ChoiceKey, Shape>,
    /// Where operations may be outside of their domain, in terms of the tagged system.
    pub unknowns: Unknowns,
}

/// A stream that a part with variants defines.
pub struct VariedStream {
    pub part: Part,
    id: InstanceId,
    env: Vec<(BoundId, Term)>,
    /// The instance that the part stands in.
    pub path: InstancePath,
    /// The values of indices, for an element of an array or a call for each.
    pub indices: Vec<usize>,
    pub shape: Shape,
}

/// Translates the analysis of a node and, with it, variants of definitions.
pub fn lower_variants(
    program: &Program,
    sources: &SourceMap,
    top: NodeId,
    options: &LowerOptions,
    variants: &[Variant],
) -> Lower<Variants> {
    let mut lowerer = Lowerer::new(program, sources, options);
    for (at, variant) in variants.iter().enumerate() {
        let same = lowerer.varied.expressions.entry(variant.part).or_default();
        same.extend(variant.expr.iter().map(|expr| (at, expr)));
    }
    lowerer.varied.definitions = vec![Vec::new(); variants.len()];
    let (inputs, instances) = lowerer.translate(top)?;
    lowerer.translate_variants()?;
    let varied = std::mem::take(&mut lowerer.varied);
    let choices = lowerer.choices.clone();
    let unknowns = lowerer.unknowns.clone();
    Ok(Variants {
        lowered: lowerer.both_forms(inputs, instances),
        definitions: varied.definitions,
        streams: varied.streams,
        choices,
        unknowns,
    })
}

#[derive(Default)]
pub(crate) struct Varied<'p> {
    /// By part: its variants and their positions.
    expressions: HashMap<Part, Vec<(usize, &'p Expr)>>,
    /// What is to be translated once the program itself is, so that the program
    /// has the variables that it would have without variants.
    waiting: Vec<VariedStream>,
    definitions: Vec<Vec<(Var, Term)>>,
    streams: Vec<VariedStream>,
}

impl Lowerer<'_> {
    /// Takes note of a definition that may have variants.
    pub(crate) fn vary(
        &mut self,
        id: InstanceId,
        stream: &Shape,
        env: &Env,
        element: ElementId,
    ) -> Lower<()> {
        let part = self.parts[element.0 as usize];
        if self.varied.expressions.contains_key(&part) {
            self.varied.waiting.push(VariedStream {
                part,
                id,
                env: env.to_vec(),
                path: self.path(id),
                indices: constant_indices(&env.iter().map(|(b, _)| *b).collect::<Vec<_>>(), env)?,
                shape: stream.clone(),
            });
        }
        Ok(())
    }

    /// Translates the variants of all definitions.
    fn translate_variants(&mut self) -> Lower<()> {
        while let Some(stream) = self.varied.waiting.pop() {
            for (at, expr) in self.varied.expressions[&stream.part].clone() {
                let value = self.expr(stream.id, expr, &stream.env)?;
                let mut pairs = Vec::new();
                stream.shape.zip(&value, &mut |stream, value| {
                    if let system::Kind::Var(var) = stream.kind() {
                        pairs.push((*var, value.clone()));
                    }
                    stream.clone()
                })?;
                self.varied.definitions[at].extend(pairs);
            }
            self.varied.streams.push(stream);
            self.finish()?;
        }
        Ok(())
    }
}
