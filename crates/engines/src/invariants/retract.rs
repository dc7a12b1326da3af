//! Terms of the present step as terms of the memory that will hold them.
//!
//! A system is inlined: a stream is a term over memory and inputs. If the
//! system remembers the stream, the stream's term is the next value of a state
//! variable m, and what is said of the stream now can be said of m one step
//! later. That turns `x > 3`, with all that defines x, into `m > 3`: a small
//! term over the state alone.

use std::collections::HashMap;

use system::{Kind, Role, System, Term, Var};

/// Larger terms are not worth the trouble.
const MAX_SIZE: usize = 24;

/// What a term speaks of once streams are replaced by their memory.
#[derive(Clone)]
struct Retracted {
    term: Term,
    size: usize,
    /// State variables as they stand: values of the step before.
    before: bool,
    /// Streams that were replaced.
    now: bool,
}

pub(crate) struct Retraction<'a> {
    system: &'a System,
    memory: HashMap<u64, Term>,
    known: HashMap<u64, Option<Retracted>>,
}

impl<'a> Retraction<'a> {
    pub fn new(system: &'a System, states: impl Iterator<Item = (Var, Term)>) -> Retraction<'a> {
        let mut memory = HashMap::new();
        for (var, next) in states {
            let own = system::var(var, system.var(var).sort.clone());
            // A clocked instance remembers the stream at its ticks.
            if let Kind::Ite(_, a, b) = next.kind() {
                for (kept, stream) in [(a, b), (b, a)] {
                    if *kept == own && worth(stream) {
                        memory.entry(stream.id()).or_insert_with(|| own.clone());
                    }
                }
            }
            if worth(&next) {
                memory.insert(next.id(), own);
            }
        }
        Retraction {
            system,
            memory,
            known: HashMap::new(),
        }
    }

    /// The term over the state alone; nothing for terms that speak of inputs,
    /// of two steps, or of no state at all.
    pub fn of(&mut self, term: &Term) -> Option<Term> {
        let mut open = vec![(term.clone(), false)];
        while let Some((term, ready)) = open.pop() {
            if self.known.contains_key(&term.id()) {
                continue;
            }
            if !ready && !self.memory.contains_key(&term.id()) {
                open.push((term.clone(), true));
                term.for_each_part(|part| open.push((part.clone(), false)));
                continue;
            }
            let retracted = self.node(&term);
            self.known.insert(term.id(), retracted);
        }
        let retracted = self.known[&term.id()].as_ref()?;
        (retracted.before || retracted.now).then(|| retracted.term.clone())
    }

    fn node(&self, term: &Term) -> Option<Retracted> {
        let leaf = |term: &Term, before, now| {
            Some(Retracted {
                term: term.clone(),
                size: 1,
                before,
                now,
            })
        };
        if let Some(memory) = self.memory.get(&term.id()) {
            return leaf(memory, false, true);
        }
        match term.kind() {
            Kind::Var(var) => match self.system.var(*var).role {
                Role::State => leaf(term, true, false),
                Role::Constant => leaf(term, false, false),
                Role::Input | Role::Stream => None,
            },
            Kind::Bool(_) | Kind::Int(_) | Kind::Real(_) | Kind::BitVec(..) => {
                leaf(term, false, false)
            }
            _ => self.inner(term),
        }
    }

    fn inner(&self, term: &Term) -> Option<Retracted> {
        let mut parts = Vec::new();
        let (mut size, mut before, mut now, mut known) = (1, false, false, true);
        term.for_each_part(|part| match &self.known[&part.id()] {
            Some(part) => {
                size += part.size;
                before |= part.before;
                now |= part.now;
                parts.push(part.term.clone());
            }
            None => known = false,
        });
        if !known || size > MAX_SIZE || (before && now) || term.is_quantified() {
            return None;
        }
        let term = match now {
            true => {
                let mut parts = parts.into_iter();
                term.rebuild(|part| parts.next().unwrap_or_else(|| part.clone()))
            }
            false => term.clone(),
        };
        Some(Retracted {
            term,
            size,
            before,
            now,
        })
    }
}

/// Literals and variables are no streams of their own.
fn worth(term: &Term) -> bool {
    !matches!(
        term.kind(),
        Kind::Bool(_) | Kind::Int(_) | Kind::Real(_) | Kind::BitVec(..) | Kind::Var(_)
    )
}
