//! Figures about a part of the tool.

/// The figures of one part of the tool, under a title.
#[derive(Clone, Debug)]
pub struct Statistics {
    /// The name of the part for tools.
    pub source: &'static str,
    /// The name of the part for people.
    pub title: String,
    pub items: Vec<(&'static str, Amount)>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Amount {
    Count(usize),
    Seconds(f64),
}

impl std::fmt::Display for Amount {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Amount::Count(count) => write!(f, "{count}"),
            Amount::Seconds(time) => write!(f, "{time:.3}s"),
        }
    }
}
