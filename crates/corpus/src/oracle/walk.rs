//! Walks over expressions, and forgets what nothing uses any more.

use super::model::*;

impl Expr {
    /// The expressions right below this one; operands of `pre` are not among them.
    pub fn parts(&mut self) -> Vec<&mut Expr> {
        match self {
            Expr::Literal(..) | Expr::Var(_) | Expr::Pre(_) | Expr::Call(_) | Expr::InMode(_) => {
                Vec::new()
            }
            Expr::Not(a)
            | Expr::Negative(_, a)
            | Expr::Convert(_, a)
            | Expr::Fby(a, _)
            | Expr::Fill(a, _)
            | Expr::Field(_, a, _)
            | Expr::All(a, _)
            | Expr::Any(a, _) => vec![a],
            Expr::Logic(_, a, b)
            | Expr::Compare(_, a, b)
            | Expr::Arithmetic(_, _, a, b)
            | Expr::Arrow(a, b)
            | Expr::Index(a, b)
            | Expr::UpdateField(_, a, _, b) => vec![a, b],
            Expr::If(a, b, c) | Expr::UpdateIndex(a, b, c) => vec![a, b, c],
            Expr::AtMostOne(list) | Expr::Nor(list) | Expr::Array(list) | Expr::Record(_, list) => {
                list.iter_mut().collect()
            }
            Expr::Merge(_, _, branches) => {
                let branches = branches.iter_mut();
                let exprs = branches.filter_map(|branch| match branch {
                    Branch::Plain(e) | Branch::When(e) => Some(e),
                    Branch::Active(_) => None,
                });
                exprs.collect()
            }
        }
    }

    /// Gives memories the numbers that they have in a list.
    pub fn renumber(&mut self, numbers: &[MemoryId]) {
        self.each(&mut |expr| {
            if let Expr::Pre(id) | Expr::Fby(_, id) = expr {
                *id = numbers[*id];
            }
        });
    }

    fn each(&mut self, visit: &mut impl FnMut(&mut Expr)) {
        visit(self);
        for part in self.parts() {
            part.each(visit);
        }
    }
}

impl Node {
    /// All expressions but the operands of `pre`.
    pub fn roots(&mut self) -> Vec<&mut Expr> {
        let mut roots = Vec::new();
        for definition in &mut self.definitions {
            if let Definition::Is(expr) = definition {
                roots.push(expr);
            }
        }
        for call in &mut self.calls {
            roots.extend(&mut call.args);
            roots.extend(&mut call.restart);
            if let Some(Clock::Held(_, clock, defaults)) = &mut call.clock {
                roots.push(clock);
                roots.extend(defaults);
            }
        }
        roots.extend(&mut self.assertions);
        for property in &mut self.properties {
            roots.push(&mut property.expr);
            if let PropertyKind::Provided(guard) = &mut property.kind {
                roots.push(guard);
            }
        }
        if let Some(contract) = &mut self.contract {
            roots.extend(&mut contract.assumptions);
            roots.extend(&mut contract.guarantees);
            for mode in &mut contract.modes {
                roots.extend(&mut mode.requires);
                roots.extend(&mut mode.ensures);
            }
        }
        roots
    }

    /// Forgets the memories that no expression uses.
    pub fn forget_unused_memories(&mut self) {
        let mut memories = std::mem::take(&mut self.memories);
        let mut numbers: Vec<Option<MemoryId>> = vec![None; memories.len()];
        let mut used: Vec<MemoryId> = Vec::new();
        let mut renumber = |expr: &mut Expr, used: &mut Vec<MemoryId>| {
            expr.each(&mut |expr| {
                if let Expr::Pre(id) | Expr::Fby(_, id) = expr {
                    *id = *numbers[*id].get_or_insert_with(|| {
                        used.push(*id);
                        used.len() - 1
                    });
                }
            });
        };
        for root in self.roots() {
            renumber(root, &mut used);
        }
        let mut at = 0;
        while at < used.len() {
            renumber(&mut memories[used[at]].operand, &mut used);
            at += 1;
        }
        self.memories = used.iter().map(|id| memories[*id].clone()).collect();
    }
}
