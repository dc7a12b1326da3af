//! From (k, φ) and a system to a script.
//!
//! The formulas of a step are written out for each step of a path, as definitions without
//! parameters: many solvers are slow on functions with hundreds of parameters.

use std::fmt::Write;

use smt::smtlib::{self, Theories};
use system::{ElementKind, Sort, System, Term, Var};

use super::script::{Query, Script, first_line, prelude};
use super::{Certificate, certified};
use crate::names::{At, Names};
use crate::text::{declared_functions, term_at};

/// The names of the definitions at a step; `TRANS` is about a step and the next.
const STEP: &str = "step";
const INIT: &str = "init";
const TRANS: &str = "trans";
const PROP: &str = "prop";
const PHI: &str = "phi";

/// The name of a definition. No variable has it: their names have an `@` in them.
fn defined(name: &str, step: usize) -> String {
    format!("{name}.{step}")
}

/// The definition of φ at the first step of a path.
pub(super) fn first_phi() -> String {
    defined(PHI, 0)
}

impl Certificate<'_> {
    pub fn script(&self) -> Script {
        let writer = Writer {
            certificate: self,
            system: &self.system,
            names: Names::of(&self.system),
        };
        Script {
            prelude: writer.prelude(),
            head: writer.head(),
            definitions: writer.definitions(),
            queries: writer.queries(),
        }
    }
}

struct Writer<'w> {
    certificate: &'w Certificate<'w>,
    system: &'w System,
    names: Names,
}

/// A conjunct, and the comment that says where it comes from.
type Conjunct = (String, String);

impl Writer<'_> {
    fn prelude(&self) -> String {
        let mut theories = Theories::of_system(self.system);
        let invariant = self.certificate.invariant.iter();
        invariant.for_each(|term| theories.add(term));
        prelude(&theories)
    }

    fn head(&self) -> String {
        let subject = &self.certificate.subject;
        let mut text = first_line(&format!("the properties of `{}` hold", subject.node));
        let _ = write!(
            text,
            ";\n\
             ; A run is a sequence of steps: `step` holds of each of them, `init` of the first,\n\
             ; and `trans` of one and the next. `prop` are the properties, and `phi` is an\n\
             ; invariant that implies them and is {}-inductive. All speak of the values of the\n\
             ; streams of the model, of its memory and of what it leaves open. They are written\n\
             ; out for each step of a path, with its number behind their names, and say the same\n\
             ; of each.\n",
            self.certificate.k
        );
        for name in &subject.abstracted {
            let _ = writeln!(
                text,
                "; `{name}` is known by its contract only: this rests on a proof that its body \
                 respects it."
            );
        }
        let info = |text: &str| text.replace('"', "'");
        let _ = write!(
            text,
            "\n(set-info :kindred-node \"{}\")\n(set-info :kindred-abstract \"{}\")\n\
             (set-info :kindred-k {})\n",
            info(&subject.node),
            info(&subject.abstracted.join(" ")),
            self.certificate.k
        );
        text
    }

    fn vars(&self) -> impl Iterator<Item = (Var, &Sort)> {
        let vars = self.system.vars.iter().enumerate();
        let vars = vars.map(|(at, var)| (Var(at as u32), &var.sort));
        vars.filter(|(var, _)| !self.names.is_constant(*var))
    }

    fn text(&self, term: &Term, step: usize) -> String {
        term_at(&self.names, term, At::Step(step))
    }

    /// The definitions of the steps of a path, one step after the other.
    fn definitions(&self) -> String {
        let mut text = String::from("; What is the same at all steps.\n");
        text += &self.declarations();
        for step in 0..=self.certificate.k {
            let _ = writeln!(text, "\n; The values at step {step}.");
            for (var, sort) in self.vars() {
                let name = self.names.at(var, At::Step(step));
                let _ = writeln!(text, "{}", smtlib::declaration(&name, &[], sort));
            }
            if step > 0 {
                let title = format!("Step {step} is the one after step {}.", step - 1);
                text += &definition(&title, TRANS, step - 1, self.trans(step - 1));
            }
            let title = format!("What the model says of step {step}.");
            text += &definition(&title, STEP, step, self.step(step));
            let title = format!("The invariant at step {step}.");
            text += &definition(&title, PHI, step, self.phi(step));
            if step == 0 {
                let title = "Step 0 is the first one of a run.";
                text += &definition(title, INIT, step, self.init());
                text += &definition("The properties at step 0.", PROP, step, self.prop());
            }
        }
        text
    }

    fn declarations(&self) -> String {
        let mut text = declared_functions(self.system);
        for (at, var) in self.system.vars.iter().enumerate() {
            let at = Var(at as u32);
            if self.names.is_constant(at) {
                let name = self.names.at(at, At::Now);
                let _ = writeln!(text, "{}", smtlib::declaration(&name, &[], &var.sort));
            }
        }
        text
    }

    fn step(&self, step: usize) -> Vec<Conjunct> {
        let mut all = Vec::new();
        for (at, var) in self.system.vars.iter().enumerate() {
            let Some(definition) = &var.def else {
                continue;
            };
            let name = self.names.at(Var(at as u32), At::Step(step));
            let value = self.text(&definition.term, step);
            let comment = self.origin(Some(definition.element));
            all.push((format!("(= {name} {value})"), comment));
        }
        for constraint in &self.system.constraints {
            let comment = self.origin(constraint.element);
            all.push((self.text(&constraint.term, step), comment));
        }
        all
    }

    /// The part of the model that something comes from.
    fn origin(&self, element: Option<system::ElementId>) -> String {
        let Some(element) = element else {
            return "the values of a type".to_owned();
        };
        let element = self.system.element(element);
        let kind = match element.kind {
            ElementKind::Equation => "equation",
            ElementKind::Fault => "fault",
            ElementKind::Call => "call of",
            ElementKind::Binding => "argument",
            ElementKind::Assumption => "assumption",
            ElementKind::Guarantee => "guarantee",
            ElementKind::Require => "require",
            ElementKind::Ensure => "ensure",
            ElementKind::Assertion => "assertion",
            ElementKind::Ghost => "contract variable",
        };
        let sources = self.certificate.sources;
        let place = sources.position(element.span);
        let file = &sources.file(element.span.file).name;
        format!(
            "{kind} {} in {}, {file}:{}:{}",
            element.name, element.node, place.line, place.column
        )
    }

    fn init(&self) -> Vec<Conjunct> {
        let mut all = Vec::new();
        for (var, declared) in self.system.state_vars() {
            if let Some(init) = &declared.init {
                let name = self.names.at(var, At::Step(0));
                all.push((format!("(= {name} {})", self.text(init, 0)), String::new()));
            }
        }
        all
    }

    fn trans(&self, step: usize) -> Vec<Conjunct> {
        let mut all = Vec::new();
        for (var, declared) in self.system.state_vars() {
            if let Some(next) = &declared.next {
                let name = self.names.at(var, At::Step(step + 1));
                let value = self.text(next, step);
                all.push((format!("(= {name} {value})"), String::new()));
            }
        }
        all
    }

    fn prop(&self) -> Vec<Conjunct> {
        let properties = certified(self.system).into_iter();
        let properties = properties.map(|at| &self.system.properties[at]);
        let named = properties.map(|p| (self.text(&p.term, 0), format!("property {}", p.name)));
        named.collect()
    }

    fn phi(&self, step: usize) -> Vec<Conjunct> {
        let conjuncts = self.certificate.invariant.iter();
        let conjuncts = conjuncts.map(|term| (self.text(term, step), String::new()));
        conjuncts.collect()
    }

    fn queries(&self) -> Vec<(Query, String, String)> {
        let k = self.certificate.k;
        let all = Query::ALL.into_iter();
        let all = all.map(|query| match query {
            Query::Base => (query, "Checking base case".to_owned(), self.base()),
            Query::Step => (
                query,
                format!("Checking {k}-inductive case"),
                self.inductive(),
            ),
            Query::Subsumption => (
                query,
                "Checking property subsumption".to_owned(),
                self.subsumption(),
            ),
        });
        all.collect()
    }

    /// A run may have fewer than k steps, so the base case has one disjunct for each length.
    fn base(&self) -> String {
        let k = self.certificate.k;
        let mut violated = format!("(not {})", defined(PHI, k - 1));
        for step in (1..k).rev() {
            let here = defined(PHI, step - 1);
            let reached = defined(TRANS, step - 1);
            let next = defined(STEP, step);
            violated = format!("(or (not {here}) (and {reached} {next}\n  {violated}))");
        }
        let (init, step) = (defined(INIT, 0), defined(STEP, 0));
        format!("(assert {init})\n(assert {step})\n(assert {violated})\n")
    }

    fn inductive(&self) -> String {
        let k = self.certificate.k;
        let mut all = Vec::new();
        for step in 0..k {
            all.extend([STEP, PHI, TRANS].map(|name| defined(name, step)));
        }
        all.push(defined(STEP, k));
        all.push(format!("(not {})", defined(PHI, k)));
        let asserted = all.iter().map(|term| format!("(assert {term})\n"));
        asserted.collect()
    }

    fn subsumption(&self) -> String {
        let (phi, prop) = (defined(PHI, 0), defined(PROP, 0));
        format!("(assert {phi})\n(assert (not {prop}))\n")
    }
}

/// A conjunction with a name. Comments at the first step name the elements of its parts.
fn definition(title: &str, name: &str, step: usize, conjuncts: Vec<Conjunct>) -> String {
    let name = defined(name, step);
    let mut text = format!("\n; {title}\n(define-fun {name} () Bool (and true\n");
    for (conjunct, comment) in &conjuncts {
        if step == 0 && !comment.is_empty() {
            let _ = writeln!(text, "  ; {}", comment.replace(char::is_control, " "));
        }
        let _ = writeln!(text, "  {conjunct}");
    }
    if conjuncts.is_empty() {
        text += "  true\n";
    }
    text + "))\n"
}
