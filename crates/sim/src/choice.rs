//! Choices: values that the program leaves open, which the [`Oracle`] makes or the default
//! of the type.
//!
//! [`Oracle`]: crate::Oracle

use lang::{ChoiceId, ChoiceKind, Value};

use crate::eval::{Cursor, Eval, index_values};
use crate::simulator::ChoiceSite;

impl Cursor<'_, '_> {
    /// The value of a choice at the tick.
    pub fn choice(&mut self, choice: ChoiceId) -> Eval<Value> {
        let declared = self.node().choice(choice);
        let key = (choice, index_values(self.env, &declared.indices)?);
        let every_step = declared.kind.every_step();
        let (instance, back) = (self.instance(), self.back);
        let known = match (every_step, back) {
            (true, 0) => instance.present.choices.get(&key),
            (true, _) => instance
                .history
                .get(back - 1)
                .and_then(|past| past.choices.get(&key)),
            (false, 0) => instance.present.first_choices.get(&key),
            (false, _) => instance.first_choices.get(&key),
        };
        if let Some(value) = known {
            return Ok(value.clone());
        }
        let value = match self.ask(choice, &key.1) {
            Some(value) => value,
            None => {
                self.note_defaulted(choice);
                self.default(&declared.ty)?
            }
        };
        let instance = self.instance_mut();
        match (every_step, back) {
            (true, 0) => instance.present.choices.insert(key, value.clone()),
            (true, _) => match instance.history.get_mut(back - 1) {
                Some(past) => past.choices.insert(key, value.clone()),
                None => None,
            },
            (false, 0) => instance.present.first_choices.insert(key, value.clone()),
            (false, _) => instance.first_choices.insert(key, value.clone()),
        };
        Ok(value)
    }

    /// What the oracle says.
    pub fn ask(&mut self, choice: ChoiceId, indices: &[usize]) -> Option<Value> {
        let site = ChoiceSite {
            path: self.sim.path(self.id),
            node: self.instance().node,
            choice,
            indices: indices.to_vec(),
            step: self.step(),
        };
        self.oracle.choose(&site)
    }

    fn note_defaulted(&mut self, choice: ChoiceId) {
        let node = self.node();
        let name = |var| node.var(var).name;
        let callee = |call| self.sim.program.node(node.call(call).node).name;
        let what = match node.choice(choice).kind {
            ChoiceKind::Pre => "a `pre` without initial value".to_owned(),
            ChoiceKind::Undefined(var) | ChoiceKind::Loop(var) => {
                format!("the output `{}` without definition", name(var))
            }
            ChoiceKind::Imported(var) => {
                format!("the output `{}` of an imported node", name(var))
            }
            ChoiceKind::Hole(var) => format!("`{}` where no branch defines it", name(var)),
            ChoiceKind::Fault(var) => format!("`{}` while it fails", name(var)),
            ChoiceKind::Inactive(call, _) => {
                format!("`{}` before its first activation", callee(call))
            }
            ChoiceKind::Cut(call) => format!("what passes to or from `{}`", callee(call)),
        };
        let what = format!("{what}, in node `{}`", node.name);
        self.sim.note_default(what);
    }
}
