//! Interned names: an identifier is compared and copied as a number.

use std::collections::HashMap;
use std::fmt;
use std::sync::{LazyLock, RwLock};

/// A name. Two symbols are equal exactly when their text is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(u32);

#[derive(Default)]
struct Interner {
    ids: HashMap<&'static str, u32>,
    texts: Vec<&'static str>,
}

/// One table for the process. Its strings live as long as the process: the
/// number of distinct names in a run is small, and a `Symbol` can then lend
/// its text without a table at hand.
static INTERNER: LazyLock<RwLock<Interner>> = LazyLock::new(Default::default);

impl Symbol {
    pub fn new(text: &str) -> Symbol {
        let read = INTERNER.read().unwrap_or_else(|e| e.into_inner());
        if let Some(&id) = read.ids.get(text) {
            return Symbol(id);
        }
        drop(read);
        let mut table = INTERNER.write().unwrap_or_else(|e| e.into_inner());
        if let Some(&id) = table.ids.get(text) {
            return Symbol(id);
        }
        let id = table.texts.len() as u32;
        let text: &'static str = Box::leak(text.to_owned().into_boxed_str());
        table.texts.push(text);
        table.ids.insert(text, id);
        Symbol(id)
    }

    pub fn as_str(self) -> &'static str {
        let table = INTERNER.read().unwrap_or_else(|e| e.into_inner());
        table.texts[self.0 as usize]
    }
}

impl From<&str> for Symbol {
    fn from(text: &str) -> Symbol {
        Symbol::new(text)
    }
}

impl fmt::Display for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.as_str())
    }
}
