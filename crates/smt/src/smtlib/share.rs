//! A term written with `let` for the parts that occur more than once.
//!
//! A part is bound as far out as its meaning is the same: at the top, or below
//! the innermost quantifier whose variables are in it. A quantifier opens a
//! scope; the same variable may be bound again inside of it, so what a part
//! means depends on where it stands. First the parts of every scope are
//! counted, then they are written. Both go without recursion: terms can be deep.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use system::{Function, Kind, Term};

use super::node::{Piece, pieces, uses_of_parts};
use super::{Names, is_leaf};

/// The term as SMT-LIB.
pub fn term(term: &Term, names: Names) -> String {
    term_with(term, names, &|_| None)
}

/// The same, where some terms without free quantified variables are written by
/// names that a script has defined for them.
pub(crate) fn term_with(
    term: &Term,
    names: Names,
    defined: &dyn Fn(&Term) -> Option<String>,
) -> String {
    let mut sharing = Sharing {
        scopes: Vec::new(),
        free: HashMap::new(),
        defined,
    };
    sharing.find_free(term);
    sharing.count(term);
    sharing.name();
    sharing.write(term, &names)
}

/// The functions in the term, each once.
pub fn functions(term: &Term) -> Vec<Function> {
    let mut functions = Vec::new();
    for term in term.subterms() {
        match term.kind() {
            Kind::Apply(function, _) if !functions.contains(function) => {
                functions.push(function.clone());
            }
            _ => {}
        }
    }
    functions
}

/// The terms below one quantifier, or at the top.
#[derive(Default)]
struct Scope {
    parent: usize,
    vars: Vec<u32>,
    /// How often each part is written.
    uses: HashMap<u64, usize>,
    /// The parts, each behind those that are in it.
    order: Vec<Term>,
    /// The scopes of the quantifiers here.
    inner: HashMap<u64, usize>,
    /// The names of parts with several uses.
    names: HashMap<u64, String>,
    /// Such parts, where each group needs only those before.
    groups: Vec<Vec<Term>>,
}

struct Sharing<'d> {
    scopes: Vec<Scope>,
    /// The quantified variables that are free in a part; nothing for a part
    /// without.
    free: HashMap<u64, Rc<BTreeSet<u32>>>,
    /// The names of terms that the script has defined.
    defined: &'d dyn Fn(&Term) -> Option<String>,
}

/// The variables that a quantifier binds.
fn binds(term: &Term) -> Vec<u32> {
    match term.kind() {
        Kind::Lambda(id, _) => vec![*id],
        Kind::Quantified(_, vars, _) => vars.iter().map(|(id, _)| *id).collect(),
        _ => Vec::new(),
    }
}

impl Sharing<'_> {
    fn find_free(&mut self, root: &Term) {
        if !root.is_quantified() {
            return;
        }
        let mut done = HashSet::new();
        let mut open = vec![(root.clone(), false)];
        while let Some((term, ready)) = open.pop() {
            if done.contains(&term.id()) {
                continue;
            }
            if !ready {
                open.push((term.clone(), true));
                term.for_each_part(|part| open.push((part.clone(), false)));
                continue;
            }
            done.insert(term.id());
            let mut free = BTreeSet::new();
            if let Kind::Bound(id) = term.kind() {
                free.insert(*id);
            }
            term.for_each_part(|part| {
                free.extend(
                    self.free
                        .get(&part.id())
                        .into_iter()
                        .flat_map(|free| free.iter().copied()),
                )
            });
            for id in binds(&term) {
                free.remove(&id);
            }
            if !free.is_empty() {
                self.free.insert(term.id(), Rc::new(free));
            }
        }
    }

    /// The outermost scope where a part means the same as in this one.
    fn owner(&self, mut scope: usize, term: &Term) -> usize {
        let Some(free) = self.free.get(&term.id()) else {
            return 0;
        };
        while scope != 0 && !self.scopes[scope].vars.iter().any(|id| free.contains(id)) {
            scope = self.scopes[scope].parent;
        }
        scope
    }

    fn count(&mut self, root: &Term) {
        self.scopes.push(Scope::default());
        let mut open = vec![(0, root.clone(), false)];
        while let Some((scope, term, ready)) = open.pop() {
            let owner = self.owner(scope, &term);
            if ready {
                self.scopes[owner].order.push(term);
                continue;
            }
            let uses = self.scopes[owner].uses.entry(term.id()).or_default();
            *uses += 1;
            if *uses > 1 {
                continue;
            }
            if owner == 0
                && let Some(name) = (self.defined)(&term)
            {
                self.scopes[0].names.insert(term.id(), name);
                continue;
            }
            let inside = self.enter(owner, &term);
            open.push((owner, term.clone(), true));
            for _ in 0..uses_of_parts(&term) {
                term.for_each_part(|part| open.push((inside, part.clone(), false)));
            }
        }
    }

    /// The scope of the parts of a term.
    fn enter(&mut self, owner: usize, term: &Term) -> usize {
        let vars = binds(term);
        if vars.is_empty() {
            return owner;
        }
        let inside = self.scopes.len();
        self.scopes.push(Scope {
            parent: owner,
            vars,
            ..Scope::default()
        });
        self.scopes[owner].inner.insert(term.id(), inside);
        inside
    }

    /// Names the parts that several others use, and groups them.
    fn name(&mut self) {
        let mut count = 0;
        for at in 0..self.scopes.len() {
            let order = std::mem::take(&mut self.scopes[at].order);
            let mut levels: HashMap<u64, usize> = HashMap::new();
            for term in &order {
                let level = self.level(at, term, &levels);
                levels.insert(term.id(), level);
                let scope = &mut self.scopes[at];
                if scope.uses[&term.id()] < 2 || is_leaf(term) {
                    continue;
                }
                scope.names.insert(term.id(), format!("${count}"));
                count += 1;
                scope
                    .groups
                    .resize_with(scope.groups.len().max(level + 1), Vec::new);
                scope.groups[level].push(term.clone());
            }
            // Parts that the script defines elsewhere leave empty groups.
            self.scopes[at].groups.retain(|group| !group.is_empty());
        }
    }

    /// The group of a part: behind those of all that it needs.
    fn level(&self, scope: usize, term: &Term, levels: &HashMap<u64, usize>) -> usize {
        let here = &self.scopes[scope];
        // Below a quantifier, any of what is bound so far may be in use.
        if here.inner.contains_key(&term.id()) {
            return here.groups.len();
        }
        let mut level = 0;
        term.for_each_part(|part| {
            let named = here.names.contains_key(&part.id());
            let below = levels.get(&part.id()).copied().unwrap_or(0);
            level = level.max(below + usize::from(named));
        });
        level
    }

    fn write(&self, root: &Term, names: &Names) -> String {
        let mut text = String::new();
        let mut open = Vec::new();
        self.open_scope(0, root, &mut open);
        while let Some(item) = open.pop() {
            match item {
                Item::Text(piece) => text.push_str(&piece),
                Item::Part(scope, term) => {
                    let owner = self.owner(scope, &term);
                    match self.scopes[owner].names.get(&term.id()) {
                        Some(name) => text.push_str(name),
                        None => self.open_term(owner, &term, names, &mut open),
                    }
                }
                Item::Whole(scope, term) => self.open_term(scope, &term, names, &mut open),
            }
        }
        text
    }

    /// Puts the pieces of a term on the stack.
    fn open_term(&self, scope: usize, term: &Term, names: &Names, open: &mut Vec<Item>) {
        for piece in pieces(term, names).into_iter().rev() {
            match piece {
                Piece::Text(text) => open.push(Item::Text(text)),
                Piece::Part(part) => open.push(Item::Part(scope, part)),
                Piece::Body(body) => {
                    self.open_scope(self.scopes[scope].inner[&term.id()], &body, open);
                }
            }
        }
    }

    /// Puts a term behind what is bound in its scope on the stack.
    fn open_scope(&self, scope: usize, body: &Term, open: &mut Vec<Item>) {
        let here = &self.scopes[scope];
        open.push(Item::Text(")".repeat(here.groups.len())));
        open.push(Item::Part(scope, body.clone()));
        for group in here.groups.iter().rev() {
            open.push(Item::Text(") ".into()));
            for term in group.iter().rev() {
                open.push(Item::Text(")".into()));
                open.push(Item::Whole(scope, term.clone()));
                open.push(Item::Text(format!("({} ", here.names[&term.id()])));
            }
            open.push(Item::Text("(let (".into()));
        }
    }
}

enum Item {
    Text(String),
    Part(usize, Term),
    /// Written out, though it has a name.
    Whole(usize, Term),
}
