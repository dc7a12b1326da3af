//! The observer: both translations on the same inputs.
//!
//! Both systems get the same inputs, free constants and choices. `same` is the formula that all
//! streams and all memory that both have are equal. The answer to three queries must be `unsat`:
//!
//! - *base case*: can the two differ at the first step? Memory that neither system
//!   initialises is assumed equal there: it is written before it is read.
//! - *inductive step*: can they differ at a step if they did not at the one before?
//! - *property subsumption*: where they do not differ, can one allow a step that the
//!   other does not, or have another value for a property?
//!
//! The first two queries do not assume the constraints: definitions are total, so that every run of
//! one system has a counterpart in the other.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write;

use lang::{NodeId, PathStep, Program};
use lower::{ChoiceKey, InstanceSlots, Lowered, Shape, Slot};
use smt::smtlib::{self, Theories};
use system::{Kind, Role, System, Term, Var};

use super::simple::{Called, Check, Key, Path, SimpleSystem, Variable, translate};
use super::{NotCovered, Simple, not_covered};
use crate::certificate::script::{first_line, prelude};
use crate::certificate::{Query, Script, certified};
use crate::names::{At, Names};
use crate::text::{declared_functions, function_symbol, functions_of, term_at};

/// Makes the certificate from both translations of a program.
pub fn front_end(
    program: &Program,
    top: NodeId,
    options: &lower::LowerOptions,
    lowered: &Lowered,
) -> Result<FrontEnd, NotCovered> {
    if options.congruence {
        return not_covered("functions without a body that are functions all the same");
    }
    let simple = translate(program, top, options.subproperties)?;
    let observer = Observer {
        lowered,
        system: &lowered.tagged,
        names: Names::of(&lowered.tagged),
        simple: &simple,
        instances: instances(&lowered.slots),
    };
    observer.front_end()
}

/// The instances of the system, by their calls.
fn instances(slots: &[InstanceSlots]) -> HashMap<Path, &InstanceSlots> {
    let slots = slots.iter();
    slots.map(|slots| (called(&slots.path), slots)).collect()
}

/// The same path in terms of the second translation.
fn called(path: &[PathStep]) -> Path {
    let steps = path.iter();
    let steps = steps.map(|step| Called {
        call: step.call,
        indices: step.indices.clone(),
    });
    steps.collect()
}

struct Observer<'o> {
    lowered: &'o Lowered,
    system: &'o System,
    names: Names,
    simple: &'o SimpleSystem,
    instances: HashMap<Path, &'o InstanceSlots>,
}

/// Equations between the scalars of both systems.
#[derive(Default)]
struct Related {
    given: Vec<String>,
    same: Vec<String>,
    /// Equations of memory that neither system initialises.
    unset: Vec<String>,
    /// Some memory that only the second system has.
    unmatched: Option<NotCovered>,
}

fn unmatched(key: &Key) -> NotCovered {
    let what = "memory that the first translation can do without".to_owned();
    let span = match key {
        Key::Pre(_, span, _) => Some(*span),
        _ => None,
    };
    NotCovered { what, span }
}

/// The certificate that a system is that of a program.
pub struct FrontEnd {
    pub script: Script,
    /// If the two cannot be shown to be equal, this may be why: some memory that only the
    /// second system has.
    pub unmatched: Option<NotCovered>,
}

impl Observer<'_> {
    fn front_end(&self) -> Simple<FrontEnd> {
        let related = self.related()?;
        let properties = self.properties()?;
        let definitions = self.definitions(&related, &properties);
        let script = Script {
            prelude: prelude(&self.theories(&definitions)),
            head: first_line("a transition system is that of a model") + HEAD,
            definitions,
            queries: queries(),
        };
        Ok(FrontEnd {
            script,
            unmatched: related.unmatched,
        })
    }

    fn text(&self, term: &Term) -> String {
        term_at(&self.names, term, At::Now)
    }

    /// The theories of the text, or more: the second translation keeps operations that the lowering
    /// folds.
    fn theories(&self, text: &str) -> Theories {
        let mut theories = Theories::of_system(self.system);
        theories.functions |= !self.simple.functions.is_empty();
        let words = text.split(|c: char| c.is_whitespace() || "()".contains(c));
        for word in words {
            match word {
                "Int" => theories.integers = true,
                "Real" => theories.reals = true,
                "to_real" | "to_int" => (theories.integers, theories.reals) = (true, true),
                "*" | "div" | "mod" | "d!" => theories.nonlinear = true,
                "BitVec" => theories.bit_vectors = true,
                "bv2nat" | "int2bv" => theories.conversions = true,
                "forall" | "exists" => theories.quantifiers = true,
                number if number.starts_with(|c: char| c.is_ascii_digit()) => {
                    let real = number.contains('.');
                    theories.reals |= real;
                    theories.integers |= !real;
                }
                _ => {}
            }
        }
        theories
    }

    /// The value in the lowered system that corresponds to a variable of the second translation.
    fn counterpart(&self, key: &Key) -> Option<Shape> {
        let slot = |path: &Path, slot: Slot| self.instances.get(path)?.slots.get(&slot).cloned();
        match key {
            Key::Input(id) => slot(&Path::new(), Slot::Input(*id)),
            Key::Constant(id) => {
                let mut all = self.lowered.consts.iter();
                all.find(|(own, _)| own == id)
                    .map(|(_, shape)| shape.clone())
            }
            Key::Choice(path, choice, indices) => {
                let path = self.instances.get(path)?.path.clone();
                let key = ChoiceKey {
                    path,
                    choice: *choice,
                    indices: indices.clone(),
                };
                self.lowered.choices.get(&key).cloned()
            }
            Key::Stream(path, id) => self.instances.get(path)?.streams.get(id).cloned(),
            Key::Output(path, called, at) => {
                let outputs = &self.instances.get(path)?.outputs;
                let output = outputs.get(&(called.call, *at)).cloned();
                output.filter(|_| called.indices.is_empty())
            }
            Key::Started => {
                let top = self.instances.get(&Path::new())?;
                Some(Shape::Leaf(top.first.clone(), lower::Leaf::Bool))
            }
            Key::Idle(path, Called { call, indices }) => {
                slot(path, Slot::Idle(*call, indices.clone()))
            }
            Key::Held(path, Called { call, indices }, at) => {
                slot(path, Slot::Held(*call, indices.clone(), *at))
            }
            Key::PreStream(path, id) => slot(path, Slot::Stream(*id)),
            Key::Pre(path, span, indices) => slot(path, Slot::Expression(*span, indices.clone())),
            Key::Assumptions(path) => slot(path, Slot::Assumptions),
            Key::Outside(path, var) => {
                let path = self.instances.get(path)?.path.clone();
                let token = self.lowered.tokens.get(&(path, *var))?;
                Some(Shape::Leaf(token.clone(), lower::Leaf::Int))
            }
        }
    }

    fn related(&self) -> Simple<Related> {
        let mut related = Related::default();
        let mut taken: HashSet<Term> = HashSet::new();
        for (key, variable) in &self.simple.variables {
            let Some(shape) = self.counterpart(key) else {
                if key.is_memory() {
                    related.unmatched.get_or_insert(unmatched(key));
                }
                continue;
            };
            let leaves = shape.leaves();
            if shape.is_symbolic() || leaves.len() != variable.scalars.len() {
                return not_covered("arrays of the solver");
            }
            for ((leaf, _), (name, _)) in leaves.iter().zip(&variable.scalars) {
                let equation = format!("(= {} {name})", self.text(leaf));
                if key.is_given() {
                    // A variable that is used twice would force two variables of the second
                    // translation to be equal.
                    if !matches!(leaf.kind(), Kind::Var(_)) || !taken.insert(leaf.clone()) {
                        return not_covered("an input that is another input too");
                    }
                    related.given.push(equation);
                    continue;
                }
                if self.is_unset(leaf) && variable.next.is_some() && variable.init.is_none() {
                    related.unset.push(equation.clone());
                }
                related.same.push(equation);
            }
        }
        Ok(related)
    }

    /// Is it memory without an initial value?
    fn is_unset(&self, term: &Term) -> bool {
        match term.kind() {
            Kind::Var(var) => {
                let var = self.system.var(*var);
                var.role == Role::State && var.init.is_none()
            }
            _ => false,
        }
    }

    /// Each property of the lowered system, with its counterpart in the second translation.
    fn properties(&self) -> Simple<Vec<(String, String)>> {
        let mut others: BTreeMap<(Path, Check), String> = self.simple.properties.clone();
        let mut all = Vec::new();
        let mut ranges: HashMap<(Path, lang::VarId), usize> = HashMap::new();
        for at in certified(self.system) {
            let origin = &self.lowered.origins[at];
            let check = match origin.check {
                lower::Check::Property(at) => Some(Check::Property(at)),
                lower::Check::Guarantee(at) => Some(Check::Guarantee(at)),
                lower::Check::Assumption(at) => Some(Check::Assumption(at)),
                lower::Check::Ensure(mode, at) => Some(Check::Ensure(mode, at)),
                lower::Check::Range(var, _) => {
                    let count = ranges.entry((called(&origin.path), var)).or_default();
                    *count += 1;
                    Some(Check::Range(var, *count - 1))
                }
                _ => None,
            };
            let key = check.map(|check| (called(&origin.path), check));
            let Some(other) = key.and_then(|key| others.remove(&key)) else {
                let name = &self.system.properties[at].name;
                return not_covered(format!("the property {name}"));
            };
            all.push((self.text(&self.system.properties[at].term), other));
        }
        match others.is_empty() {
            true => Ok(all),
            false => not_covered("a property that the system does not have"),
        }
    }

    fn definitions(&self, related: &Related, properties: &[(String, String)]) -> String {
        let mut text = self.declarations();
        let (lowered, simple) = (self.lowered_parts(), self.simple_parts());
        for (name, parts) in [("lowered", &lowered), ("simple", &simple)] {
            let _ = writeln!(text, "\n; The {name} system.");
            for (part, conjuncts) in parts {
                text += &definition(&format!("{name}.{part}"), conjuncts);
            }
            text += &definition(&format!("{name}.step@next"), &next(&parts[0].1));
        }
        text += "\n; What both have.\n";
        text += &definition("given", &related.given);
        text += &definition("given@next", &next(&related.given));
        text += &definition("unset", &related.unset);
        text += &definition("same", &related.same);
        text += &definition("same@next", &next(&related.same));
        let equal = properties.iter().map(|(a, b)| format!("(= {a} {b})"));
        text += &definition("agree", &equal.collect::<Vec<_>>());
        text
    }

    fn declarations(&self) -> String {
        let mut text = declared_functions(self.system);
        let own: HashSet<String> = functions_of(self.system)
            .iter()
            .map(|function| function_symbol(function.name.as_str()))
            .collect();
        for (name, (args, result)) in &self.simple.functions {
            if !own.contains(name) {
                let _ = writeln!(text, "(declare-fun {name} ({}) {result})", args.join(" "));
            }
        }
        for (at, var) in self.system.vars.iter().enumerate() {
            let at = Var(at as u32);
            let now = smtlib::declaration(&self.names.at(at, At::Now), &[], &var.sort);
            let _ = writeln!(text, "{now}");
            if !self.names.is_constant(at) {
                let next = smtlib::declaration(&self.names.at(at, At::Next), &[], &var.sort);
                let _ = writeln!(text, "{next}");
            }
        }
        for (name, sort) in self.simple.variables.values().flat_map(|v| &v.scalars) {
            let now = format!("(declare-fun {name} () {sort})");
            let _ = writeln!(text, "{now}\n{}", later(&now));
        }
        text
    }

    /// The definitions, initial values, next values and constraints of the lowered system.
    fn lowered_parts(&self) -> Vec<(&'static str, Vec<String>)> {
        let mut parts = [const { Vec::new() }; 4];
        for (at, var) in self.system.vars.iter().enumerate() {
            let name = self.names.at(Var(at as u32), At::Now);
            let equation = |term: &Term| format!("(= {name} {})", self.text(term));
            parts[0].extend(var.def.as_ref().map(|def| equation(&def.term)));
            parts[1].extend(var.init.as_ref().map(equation));
            let next = |term: &Term| format!("(= {} {})", later(&name), self.text(term));
            parts[2].extend(var.next.as_ref().map(next));
        }
        let constraints = self.system.constraints.iter();
        parts[3].extend(constraints.map(|constraint| self.text(&constraint.term)));
        PARTS.into_iter().zip(parts).collect()
    }

    fn simple_parts(&self) -> Vec<(&'static str, Vec<String>)> {
        let mut parts = [const { Vec::new() }; 4];
        for variable in self.simple.variables.values() {
            let Variable {
                scalars,
                init,
                next,
                definition,
                ..
            } = variable;
            let values = [definition, init, next];
            for (at, value) in values.into_iter().enumerate() {
                let Some(value) = value else {
                    continue;
                };
                for ((name, _), text) in scalars.iter().zip(value.scalars()) {
                    let name = if at == 2 { later(name) } else { name.clone() };
                    parts[at].push(format!("(= {name} {text})"));
                }
            }
        }
        parts[3].extend(self.simple.constraints.iter().cloned());
        PARTS.into_iter().zip(parts).collect()
    }
}

const PARTS: [&str; 4] = ["step", "init", "trans", "allowed"];

const HEAD: &str = "\
;
; `lowered` is the system in which the properties are proved. `simple` is the
; model, translated a second time, by another and simpler translation. Both are
; given the same inputs, free constants and choices. `step` are the definitions of
; streams, `init` and `trans` what memory holds at the first step and at the next,
; `allowed` what assertions, assumptions and types say. `same`: all streams and
; memory that both have are equal. `agree`: so are their properties.
";

/// One step later.
fn later(text: &str) -> String {
    text.replace("@now", "@next")
}

fn next(conjuncts: &[String]) -> Vec<String> {
    conjuncts.iter().map(|text| later(text)).collect()
}

fn definition(name: &str, conjuncts: &[String]) -> String {
    let mut text = format!("(define-fun {name} () Bool (and true true\n");
    for conjunct in conjuncts {
        let _ = writeln!(text, "  {conjunct}");
    }
    text + "))\n"
}

fn queries() -> Vec<(Query, String, String)> {
    let asserted = |all: &[&str]| -> String {
        all.iter()
            .map(|term| format!("(assert {term})\n"))
            .collect()
    };
    let now = ["given", "lowered.step", "simple.step"];
    let base = ["lowered.init", "simple.init", "unset", "(not same)"];
    let step = [
        "same",
        "lowered.trans",
        "simple.trans",
        "given@next",
        "lowered.step@next",
        "simple.step@next",
        "(not same@next)",
    ];
    let last = [
        "same",
        "(not (and (= lowered.allowed simple.allowed) agree))",
    ];
    let query = |query, text: &str, rest: &[&str]| {
        let all = [&now, rest].concat();
        (query, format!("Checking {text}"), asserted(&all))
    };
    vec![
        query(Query::Base, "base case", &base),
        query(Query::Step, "1-inductive case", &step),
        query(Query::Subsumption, "property subsumption", &last),
    ]
}
