//! Writes programs that consist of the elements of a core.

use std::collections::HashSet;
use std::io;
use std::path::PathBuf;

use analysis::{Style, minimized, unreached};
use lower::Part;
use system::ElementId;
use traceability::Set;

use super::options::Minimize;
use crate::analysed::Analysed;
use crate::atomic_write;
use crate::elements::{Elements, Selection};

/// Where programs are written; the folder is made when the first file is.
pub struct Programs {
    folder: PathBuf,
    style: Option<Style>,
    count: usize,
}

impl Programs {
    pub fn new(minimize: Minimize, folder: PathBuf) -> Programs {
        Programs {
            folder,
            style: match minimize {
                Minimize::No => None,
                Minimize::ValidLustre => Some(Style::ValidLustre),
                Minimize::Concise => Some(Style::Concise),
            },
            count: 0,
        }
    }

    pub fn are_wanted(&self) -> bool {
        self.style.is_some()
    }

    /// Writes the program of a core; returns the path.
    pub fn write(
        &mut self,
        analysed: &Analysed,
        selection: &Selection,
        elements: &Elements,
        core: &Set,
    ) -> io::Result<Option<PathBuf>> {
        let Some(style) = self.style else {
            return Ok(None);
        };
        let model = analysed.model;
        let removed = removed(analysed, selection, elements, core);
        let text = minimized(&model.tree, &model.program, &removed, style);
        self.count += 1;
        let top = analysed.name();
        let path = self.folder.join(format!("{top}_ivc_{}.lus", self.count));
        atomic_write::write(&path, &text)?;
        Ok(Some(path))
    }
}

/// The parts that a core lacks in all instances.
fn removed(
    analysed: &Analysed,
    selection: &Selection,
    elements: &Elements,
    core: &Set,
) -> Vec<Part> {
    let parts = &elements.model.parts;
    let kept: HashSet<ElementId> = core.iter().map(|at| parts[*at].id).collect();
    let known = &elements.lowered.parts;
    let in_question: HashSet<ElementId> = parts.iter().map(|part| part.id).collect();
    let without = in_question.difference(&kept);
    let mut removed: Vec<Part> = without.map(|id| known[id.0 as usize]).collect();
    let unreached = unreached(analysed.program, analysed.top, known);
    removed.extend(unreached.into_iter().filter(|part| {
        let element = part.describe(analysed.program, analysed.sources());
        element.is_some_and(|element| (selection.wanted)(&element))
    }));
    removed.sort();
    removed
}
