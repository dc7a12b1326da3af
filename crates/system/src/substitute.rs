//! Substitution of terms for terms.

use std::collections::HashMap;

use crate::term::Term;

/// The term with every key of the map replaced, where nothing is bound.
pub fn substitute(root: &Term, map: &HashMap<Term, Term>) -> Term {
    let mut done: HashMap<Term, Term> = map.clone();
    let mut open = vec![(root.clone(), false)];
    while let Some((term, ready)) = open.pop() {
        if done.contains_key(&term) {
            continue;
        }
        if !ready {
            open.push((term.clone(), true));
            term.for_each_part(|part| open.push((part.clone(), false)));
            continue;
        }
        let rebuilt = term.rebuild(|part| done[part].clone());
        done.insert(term, rebuilt);
    }
    done[root].clone()
}
