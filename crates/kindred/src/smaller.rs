//! Programs with what a core has and without the other elements.

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};

use analysis::{Style, minimized, unreached};
use lower::Part;
use system::ElementId;
use traceability::Set;

use crate::args::Args;
use crate::element_args::{IvcArgs, Minimize};
use crate::elements::{Elements, Question};
use crate::whole;

/// The folder of `--ivc_output_dir`; it is made when the first file is written.
pub struct Programs {
    folder: PathBuf,
    style: Option<Style>,
    count: usize,
}

impl Programs {
    pub fn new(args: &Args) -> Programs {
        let IvcArgs {
            minimize,
            output_dir,
            ..
        } = &args.ivc;
        Programs {
            folder: output_dir.clone().unwrap_or_else(|| beside(args)),
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

    /// Writes the program of a core; says where.
    pub fn write(
        &mut self,
        question: &Question,
        elements: &Elements,
        core: &Set,
    ) -> io::Result<Option<PathBuf>> {
        let Some(style) = self.style else {
            return Ok(None);
        };
        let model = question.model;
        let removed = removed(question, elements, core);
        let text = minimized(&model.tree, &model.program, &removed, style);
        self.count += 1;
        let top = question.program.node(question.top).name;
        let path = self.folder.join(format!("{top}_ivc_{}.lus", self.count));
        whole::write(&path, &text)?;
        Ok(Some(path))
    }
}

/// The path of the model without its extension.
fn beside(args: &Args) -> PathBuf {
    let model = args.model_file().unwrap_or(Path::new("stdin.lus"));
    match model.extension() {
        Some(_) => model.with_extension(""),
        None => model.with_extension("ivc"),
    }
}

/// What a core does without in all instances.
fn removed(question: &Question, elements: &Elements, core: &Set) -> Vec<Part> {
    let parts = &elements.model.parts;
    let kept: HashSet<ElementId> = core.iter().map(|at| parts[*at].id).collect();
    let known = &elements.lowered.parts;
    let in_question: HashSet<ElementId> = parts.iter().map(|part| part.id).collect();
    let without = in_question.difference(&kept);
    let mut removed: Vec<Part> = without.map(|id| known[id.0 as usize]).collect();
    let unreached = unreached(question.program, question.top, known);
    removed.extend(unreached.into_iter().filter(|part| {
        let element = part.describe(question.program, question.sources);
        element.is_some_and(|element| (question.wanted)(&element))
    }));
    removed.sort();
    removed
}
