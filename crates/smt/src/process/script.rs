//! Writes terms at steps as SMT-LIB commands.
//!
//! A variable is declared when it is first needed, and so is a function. A term that is needed
//! again, at the same step, gets a name by `define-fun`: what many assertions have in common is
//! written a few times at most. All commands are kept, by the levels of `push`, so that a new
//! process can get them again.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use system::{Function, Role, Sort, System, Term, Var};

use crate::smtlib::{self, Names, Theories, declaration, symbol, term_with};
use crate::solver::Literal;

pub(crate) struct Script {
    system: Arc<System>,
    /// Variables are called by numbers, not by the names of the model.
    short_names: bool,
    /// The theories of all assertions.
    pub theories: Theories,
    /// The commands, by level.
    levels: Vec<Vec<String>>,
    /// The declared variables and functions, with their levels.
    declared: HashMap<Key, usize>,
    /// Terms that are written in full somewhere.
    seen: HashSet<(u64, usize)>,
    /// Names of terms that were needed again.
    defined: HashMap<(u64, usize), (String, usize)>,
    definitions: usize,
    literals: u32,
    /// Commands that are not sent yet.
    fresh: Vec<String>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
enum Key {
    Var(Var, Option<usize>),
    Function(Function),
    Literal(Literal),
}

/// Smaller terms need no names.
const SMALL: usize = 4;

impl Script {
    pub fn new(system: Arc<System>, short_names: bool) -> Script {
        Script {
            system,
            short_names,
            theories: Theories::default(),
            levels: vec![Vec::new()],
            declared: HashMap::new(),
            seen: HashSet::new(),
            defined: HashMap::new(),
            definitions: 0,
            literals: 0,
            fresh: Vec::new(),
        }
    }

    /// The commands since the last call.
    pub fn take_fresh(&mut self) -> Vec<String> {
        std::mem::take(&mut self.fresh)
    }

    /// All commands of the current levels, for a new process.
    pub fn all(&mut self) -> Vec<String> {
        self.fresh.clear();
        let mut all = Vec::new();
        for (level, commands) in self.levels.iter().enumerate() {
            if level > 0 {
                all.push("(push 1)".to_owned());
            }
            all.extend(commands.iter().cloned());
        }
        all
    }

    fn command(&mut self, command: String) {
        self.fresh.push(command.clone());
        if let Some(level) = self.levels.last_mut() {
            level.push(command);
        }
    }

    pub fn push(&mut self) {
        self.levels.push(Vec::new());
        self.fresh.push("(push 1)".to_owned());
    }

    pub fn pop(&mut self) {
        if self.levels.len() < 2 {
            return;
        }
        self.levels.pop();
        let level = self.level();
        self.declared.retain(|_, at| *at <= level);
        self.defined.retain(|_, (_, at)| *at <= level);
        self.fresh.push("(pop 1)".to_owned());
    }

    fn level(&self) -> usize {
        self.levels.len() - 1
    }

    pub fn assert(&mut self, formula: &str) {
        self.command(format!("(assert {formula})"));
    }

    pub fn literal(&mut self) -> Literal {
        let literal = Literal(self.literals);
        self.literals += 1;
        literal
    }

    /// The name of a literal, declared.
    pub fn literal_name(&mut self, literal: Literal) -> String {
        let name = format!("l!{}", literal.0);
        self.declare(Key::Literal(literal), &name, &[], &Sort::Bool);
        name
    }

    fn declare(&mut self, key: Key, name: &str, args: &[Sort], result: &Sort) {
        if self.declared.contains_key(&key) {
            return;
        }
        let level = self.level();
        self.declared.insert(key, level);
        self.command(declaration(name, args, result));
    }

    fn key(&self, var: Var, step: usize) -> Key {
        match self.system.var(var).role {
            Role::Constant => Key::Var(var, None),
            _ => Key::Var(var, Some(step)),
        }
    }

    pub fn var_name(&self, var: Var, step: usize) -> String {
        let declared = self.system.var(var);
        let own = match self.short_names {
            true => format!("v{}", var.0),
            false => format!("{}!{}", declared.name, var.0),
        };
        symbol(&match declared.role {
            Role::Constant => own,
            _ => format!("{own}@{step}"),
        })
    }

    /// The term at a step, for an assertion.
    pub fn text(&mut self, term: &Term, step: usize) -> String {
        self.prepare(term, step, step);
        self.define_repeated(term, step);
        self.written(term, step)
    }

    /// The term with its state at one step, and its inputs at another.
    pub fn text_between(&mut self, term: &Term, state: usize, inputs: usize) -> String {
        self.prepare(term, state, inputs);
        self.unprepared_between(term, state, inputs)
    }

    /// The term for a query about the model of the last answer. Nothing may be declared at this
    /// point, so a variable in no assertion gets some value of its sort.
    pub fn text_of_value(&self, term: &Term, state: usize, inputs: usize) -> Option<String> {
        let known = |function: &Function| {
            let key = Key::Function(function.clone());
            self.declared.contains_key(&key)
        };
        if !smtlib::functions(term).iter().all(known) {
            return None;
        }
        for var in term.vars() {
            let declared = self.system.var(var);
            let at = self.step_of(var, state, inputs);
            if matches!(declared.sort, Sort::Array(_))
                && !self.declared.contains_key(&self.key(var, at))
            {
                return None;
            }
        }
        Some(match state == inputs {
            true => self.written(term, state),
            false => self.unprepared_between(term, state, inputs),
        })
    }

    /// The state variable has, one step later, the value of the term.
    pub fn text_next(&mut self, state: &Term, next: &Term, step: usize) -> String {
        let next = self.text(next, step);
        let state = self.text(state, step + 1);
        format!("(= {state} {next})")
    }

    /// Some of the terms differ between two steps.
    pub fn text_different(&mut self, terms: &[Term], i: usize, j: usize) -> String {
        let different = terms.iter().map(|term| {
            let (a, b) = (self.text(term, i), self.text(term, j));
            format!("(not (= {a} {b}))")
        });
        disjunction(different.collect())
    }

    /// See [`Solver::assert_no_shortcut`](crate::Solver::assert_no_shortcut).
    pub fn text_no_shortcut(
        &mut self,
        condition: &Term,
        states: &[(Term, Term)],
        i: usize,
        j: usize,
    ) -> String {
        let condition = self.text_between(condition, i, j);
        let mut escapes = vec![format!("(not {condition})")];
        for (state, next) in states {
            let next = self.text_between(next, i, j);
            let state = self.text(state, j + 1);
            escapes.push(format!("(not (= {state} {next}))"));
        }
        disjunction(escapes)
    }

    fn step_of(&self, var: Var, state: usize, inputs: usize) -> usize {
        match self.system.var(var).role {
            Role::Input => inputs,
            _ => state,
        }
    }

    /// Declares the variables and functions of the term.
    fn prepare(&mut self, term: &Term, state: usize, inputs: usize) {
        self.theories.add(term);
        for var in term.vars() {
            let step = self.step_of(var, state, inputs);
            let (key, name) = (self.key(var, step), self.var_name(var, step));
            let sort = self.system.var(var).sort.clone();
            self.declare(key, &name, &[], &sort);
        }
        for function in smtlib::functions(term) {
            let name = function_name(&function);
            let key = Key::Function(function.clone());
            self.declare(key, &name, &function.args, &function.result);
        }
    }

    /// Gives names to parts that were written before.
    fn define_repeated(&mut self, term: &Term, step: usize) {
        // In a term with quantifiers no part gets a name: it might have bound variables.
        if term.is_quantified() {
            return;
        }
        let mut again = Vec::new();
        let mut open = vec![term.clone()];
        let mut here = HashSet::new();
        while let Some(part) = open.pop() {
            let key = (part.id(), step);
            if is_small(&part) || self.defined.contains_key(&key) || !here.insert(part.id()) {
                continue;
            }
            if !self.seen.insert(key) {
                again.push(part);
                continue;
            }
            part.for_each_part(|inner| open.push(inner.clone()));
        }
        // By id: a part is created before the terms that contain it.
        again.sort_by_key(Term::id);
        for part in again {
            let text = self.written(&part, step);
            let name = format!("d!{}", self.definitions);
            self.definitions += 1;
            let sort = smtlib::sort(part.sort());
            self.command(format!("(define-fun {name} () {sort} {text})"));
            let level = self.level();
            self.defined.insert((part.id(), step), (name, level));
        }
    }

    fn written(&self, term: &Term, step: usize) -> String {
        let var = |var: Var| self.name_or_value(var, step);
        let names = Names {
            var: &var,
            function: &function_name,
        };
        let defined = |part: &Term| {
            let known = self.defined.get(&(part.id(), step))?;
            Some(known.0.clone())
        };
        term_with(term, names, &defined)
    }

    fn unprepared_between(&self, term: &Term, state: usize, inputs: usize) -> String {
        let var = |var: Var| self.name_or_value(var, self.step_of(var, state, inputs));
        let names = Names {
            var: &var,
            function: &function_name,
        };
        smtlib::term(term, names)
    }

    /// The name of a variable that is declared, else some value of its sort.
    fn name_or_value(&self, var: Var, step: usize) -> String {
        if self.declared.contains_key(&self.key(var, step)) {
            return self.var_name(var, step);
        }
        match &self.system.var(var).sort {
            Sort::Bool => "false".into(),
            Sort::Int => "0".into(),
            Sort::Real => "0.0".into(),
            Sort::BitVec(width) => format!("(_ bv0 {width})"),
            Sort::Array(_) => self.var_name(var, step),
        }
    }
}

fn disjunction(mut parts: Vec<String>) -> String {
    match parts.len() {
        0 => "false".to_owned(),
        1 => parts.remove(0),
        _ => format!("(or {})", parts.join(" ")),
    }
}

fn function_name(function: &Function) -> String {
    symbol(&format!("f!{}", function.name))
}

fn is_small(term: &Term) -> bool {
    let mut parts = 0;
    let mut leaves = true;
    term.for_each_part(|part| {
        parts += 1;
        part.for_each_part(|_| leaves = false);
    });
    leaves && parts < SMALL
}
