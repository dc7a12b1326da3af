//! Files with the strategies of contract games (`--synthesize`).

use std::io;

use analysis::realizability::{Realizable, Rules, Unrealizable};
use analysis::synthesis::{self, Unwritable};
use lang::NodeId;
use results::Level;
use smt::SolverContext;

use super::{Checks, SOURCE, Subject};
use crate::atomic_write;

impl Checks<'_> {
    fn game_of<'a>(&'a self, id: NodeId, rules: &'a Rules) -> synthesis::Subject<'a> {
        synthesis::Subject {
            tree: &self.model.tree,
            program: &self.model.program,
            sources: &self.model.sources,
            top: id,
            rules,
        }
    }

    /// Writes a node that honours a contract, if that is wanted.
    pub(super) fn write_component(
        &mut self,
        id: NodeId,
        subject: &Subject,
        (rules, won): (&Rules, &Realizable),
        context: &SolverContext,
    ) -> io::Result<()> {
        if self.request.post.contract_checks.synthesize.is_none() {
            return Ok(());
        }
        let text = synthesis::component(context, self.game_of(id, rules), won);
        self.write_strategy(
            &subject.top,
            &format!("a node that honours {}", subject.inside),
            text,
        )
    }

    /// Writes an environment that beats every component with a contract, if that is wanted.
    pub(super) fn write_environment(
        &mut self,
        id: NodeId,
        subject: &Subject,
        (rules, lost): (&Rules, &Unrealizable),
        context: &SolverContext,
    ) -> io::Result<()> {
        if self.request.post.contract_checks.synthesize.is_none() {
            return Ok(());
        }
        let found = synthesis::environment(context, self.game_of(id, rules), lost);
        let what = format!(
            "an environment that no component with {} survives",
            subject.inside
        );
        if let Ok(found) = &found
            && found.picks_open_values
        {
            let message = format!(
                "{what} picks values that the contract does not define; no Lustre program can"
            );
            self.out.log(Level::Warn, SOURCE, message)?;
        }
        let stem = format!("{}_environment", subject.top);
        self.write_strategy(&stem, &what, found.map(|found| found.text))
    }

    fn write_strategy(
        &mut self,
        stem: &str,
        what: &str,
        text: Result<String, Unwritable>,
    ) -> io::Result<()> {
        let folder = self.request.post.contract_checks.synthesize.as_ref();
        let path = folder.map(|folder| folder.join(format!("{stem}.lus")));
        let (Some(path), text) = (path, text) else {
            return Ok(());
        };
        let text = match text {
            Ok(text) => text,
            Err(Unwritable(why)) => {
                let message = format!("{what} cannot be written: {why}");
                return self.out.log(Level::Warn, SOURCE, message);
            }
        };
        match atomic_write::write(&path, &text) {
            Ok(()) => {
                let message = format!("{what} is in {}", path.display());
                self.out.log(Level::Note, SOURCE, message)
            }
            Err(error) => {
                self.tally.errors += 1;
                self.out.log(Level::Error, SOURCE, error.to_string())
            }
        }
    }
}
