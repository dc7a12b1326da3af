//! Functions without a body: uninterpreted functions of their inputs.
//!
//! Equal inputs give equal outputs, at all calls and at all steps. An array of known
//! size is passed element by element. One of open size is passed as an array of the
//! solver; since that has values outside of the bounds too, what is passed is a copy
//! that is the same there for all. A size that depends on an input may be known at one
//! call and open at another: where some size is open, such arrays are passed as arrays
//! of the solver at every call, so that calls of both kinds can agree.
//!
//! A call for each element of an array of open size is no instance for each, but an
//! array of results (`Lowerer::each_output`).

use lang::{
    BoundId, BoundKind, Call, CallId, ChoiceId, ChoiceKind, ConstId, Node, NodeId, PathStep,
    Program, Size, SizeAtom, Type, VarId,
};
use system::{Function, Role, Sort, Term, and, boolean};

use crate::expr::unsupported;
use crate::instance::{Env, InstanceId, TOP, value_of};
use crate::lowerer::Lowerer;
use crate::memory::within;
use crate::properties::has_range;
use crate::shape::{Extent, Layout, Shape};
use crate::{ChoiceKey, Lower, Part, Unsupported};

/// Indices of arrays around a value: bound variables, and that they are inside.
#[derive(Clone)]
struct Indices {
    bounds: Vec<(u32, Term)>,
    inside: Term,
}

impl Indices {
    fn none() -> Indices {
        Indices {
            bounds: Vec::new(),
            inside: boolean(true),
        }
    }

    /// That something holds at all indices.
    fn for_all(&self, term: &Term) -> Term {
        let numbers = self.bounds.iter().map(|(number, _)| (*number, Sort::Int));
        let body = system::implies(&self.inside, term);
        system::quantified(system::Quantifier::Forall, numbers.collect(), &body)
    }
}

impl<'p> Lowerer<'p> {
    /// Is a function without a body the same at every call? In JKind's style,
    /// without the keyword `imported`, it always is.
    pub fn is_congruent(&self, node: &Node) -> bool {
        let function = node.kind == syntax::ast::NodeKind::Function;
        let always = !node.imported && !node.abstracted;
        function && !node.has_body && (self.options.congruence || always)
    }

    /// The output of a function as an uninterpreted function of its inputs.
    pub fn application(&mut self, id: InstanceId, output: VarId, ty: &Type) -> Lower<Shape> {
        let node = self.node_of(id);
        let args = self.arguments(id)?;
        let shape = self.applied(id, node, output, ty, args)?;
        let tick = self.context(id).tick;
        let ranges = self.ranges(ty, &shape, !node.abstracted).into_iter();
        let ranges = ranges.map(|term| system::implies(&tick, &term)).collect();
        self.restrict(ranges);
        Ok(shape)
    }

    /// The terms that stand for the inputs of an instance, the same for all outputs.
    fn arguments(&mut self, id: InstanceId) -> Lower<Vec<Term>> {
        if let Some(args) = self.arguments.get(&id) {
            return Ok(args.clone());
        }
        let node = self.node_of(id);
        let none = Indices::none();
        let mut args = Vec::new();
        for input in &node.inputs {
            let shape = self.var(id, *input)?;
            let own = &node.var(*input).ty;
            self.pass(own, &shape, &none, &none, &mut args)?;
        }
        self.tell_apart(self.instances[id.0].node, &args);
        self.arguments.insert(id, args.clone());
        Ok(args)
    }

    /// The terms that stand for an argument. It may depend on the outer indices; the
    /// inner ones lead to it from the array that is passed.
    fn pass(
        &mut self,
        own: &Type,
        shape: &Shape,
        outer: &Indices,
        inner: &Indices,
        args: &mut Vec<Term>,
    ) -> Lower<()> {
        match (own, shape) {
            (_, Shape::Leaf(term, _)) => {
                let arg = self.passed(term, outer, inner);
                args.push(arg);
            }
            (Type::Tuple(types), Shape::Fields(parts)) => {
                for (own, part) in types.iter().zip(parts.iter()) {
                    self.pass(own, part, outer, inner, args)?;
                }
            }
            (Type::Record(record), Shape::Fields(parts)) => {
                let fields = &self.program.record(*record).fields;
                for ((_, own), part) in fields.iter().zip(parts.iter()) {
                    self.pass(own, part, outer, inner, args)?;
                }
            }
            (Type::Array(array), Shape::Array(parts)) if !self.is_lifted(own) => {
                for part in parts.iter() {
                    self.pass(&array.element, part, outer, inner, args)?;
                }
            }
            (Type::Array(array), _) => {
                let (number, index) = self.new_bound();
                let (element, inside) = self.entry(shape, &index)?;
                let mut inner = inner.clone();
                inner.bounds.push((number, index));
                inner.inside = and([inner.inside, inside]);
                self.pass(&array.element, &element, outer, &inner, args)?;
            }
            _ => return unsupported("an argument of another type"),
        }
        Ok(())
    }

    /// The element at an index, and that there is one.
    fn entry(&mut self, shape: &Shape, index: &Term) -> Lower<(Shape, Term)> {
        match shape {
            Shape::Many(size, element) => Ok((element.at(index), within(index, size))),
            Shape::Array(parts) => {
                let Some((last, rest)) = parts.split_last() else {
                    return unsupported(
                        "an array without elements as argument of a function without a body, \
                         which is called with arrays of open size too",
                    );
                };
                let mut chosen = last.clone();
                for (at, part) in rest.iter().enumerate().rev() {
                    let here = system::eq(index, &system::integer(at));
                    chosen = part.zip(&chosen, &mut |a, b| system::ite(&here, a, b))?;
                }
                Ok((chosen, within(index, &system::integer(parts.len()))))
            }
            _ => unsupported("an element of something that is not an array"),
        }
    }

    /// A scalar is passed as it is; one in an array, as an array that has the same
    /// elements, and outside of the bounds always the same.
    fn passed(&mut self, term: &Term, outer: &Indices, inner: &Indices) -> Term {
        if inner.bounds.is_empty() {
            return term.clone();
        }
        let bounds = || outer.bounds.iter().chain(&inner.bounds);
        let lifted = |sort: Sort, _| Sort::Array(sort.into());
        let sort = bounds().fold(term.sort().clone(), lifted);
        let name = format!("argument{}", self.system.vars.len());
        let array = self.new_var(&name, sort, Role::Stream, None);
        let at = |array: Term, (_, index): &(u32, Term)| system::select(&array, index);
        let inside = and([outer.inside.clone(), inner.inside.clone()]);
        let value = system::ite(&inside, term, &nothing(term.sort()));
        let equal = system::eq(&bounds().fold(array.clone(), at), &value);
        let all = bounds().map(|(number, _)| (*number, Sort::Int)).collect();
        let equal = system::quantified(system::Quantifier::Forall, all, &equal);
        self.restrict(vec![equal]);
        outer.bounds.iter().fold(array, at)
    }

    /// Asserts extensionality for the arguments of two calls: arrays that are not equal
    /// differ at some index. Solvers seldom instantiate the axiom for arguments of functions.
    fn tell_apart(&mut self, callee: NodeId, args: &[Term]) {
        let arrays = args.iter().enumerate();
        let arrays = arrays.filter(|(_, arg)| matches!(arg.sort(), Sort::Array(_)));
        for (at, array) in arrays {
            let others = self.passed_arrays.entry((callee, at)).or_default();
            let earlier = others.iter().filter(|other| *other != array);
            let earlier: Vec<Term> = earlier.cloned().collect();
            others.push(array.clone());
            for other in earlier.iter().filter(|other| other.sort() == array.sort()) {
                let name = format!("difference{}", self.system.vars.len());
                let place = self.new_var(&name, Sort::Int, Role::Stream, None);
                let same_there = system::eq(
                    &system::select(array, &place),
                    &system::select(other, &place),
                );
                let apart = system::not(&same_there);
                self.restrict(vec![system::or([system::eq(array, other), apart])]);
            }
        }
    }

    /// An output of a function of the arguments, of a type as an instance sees it.
    fn applied(
        &mut self,
        id: InstanceId,
        node: &Node,
        output: VarId,
        ty: &Type,
        args: Vec<Term>,
    ) -> Lower<Shape> {
        let name = format!("{}.{}", node.name, node.var(output).name);
        let layout = self.layout(id, ty)?;
        let lifting = Layout {
            lift: self.has_open_parameters(),
            ..layout.clone()
        };
        let shape = self.uninterpreted(ty, &name, &lifting, args)?;
        self.settled(ty, &shape, &layout)
    }

    /// A value of a type, each scalar of which is an uninterpreted function of the arguments.
    pub fn uninterpreted(
        &mut self,
        ty: &Type,
        name: &str,
        layout: &Layout,
        args: Vec<Term>,
    ) -> Lower<Shape> {
        let program = self.program;
        self.room.for_value(layout.leaves(program, ty)?)?;
        let sorts: Vec<Sort> = args.iter().map(|arg| arg.sort().clone()).collect();
        Shape::build(program, ty, name, layout, 0, &mut |name, _, sort| {
            let function = Function {
                name: name.into(),
                args: sorts.clone().into(),
                result: sort,
            };
            system::apply(function, args.clone())
        })
    }

    /// A result as its type says: arrays of known size element by element.
    fn settled(&self, ty: &Type, shape: &Shape, layout: &Layout) -> Lower<Shape> {
        Ok(match (ty, shape) {
            (Type::Tuple(types), Shape::Fields(parts)) => {
                let parts = types.iter().zip(parts.iter());
                let parts: Lower<Vec<Shape>> =
                    parts.map(|(ty, p)| self.settled(ty, p, layout)).collect();
                Shape::Fields(parts?.into())
            }
            (Type::Record(id), Shape::Fields(parts)) => {
                let fields = &self.program.record(*id).fields;
                let parts = fields.iter().zip(parts.iter());
                let parts: Lower<Vec<Shape>> = parts
                    .map(|((_, ty), p)| self.settled(ty, p, layout))
                    .collect();
                Shape::Fields(parts?.into())
            }
            (Type::Array(array), Shape::Array(parts)) => {
                let parts = parts.iter();
                let parts: Lower<Vec<Shape>> = parts
                    .map(|p| self.settled(&array.element, p, layout))
                    .collect();
                Shape::Array(parts?.into())
            }
            (Type::Array(array), Shape::Many(size, element)) => {
                let element = self.settled(&array.element, element, layout)?;
                match layout.extent(&array.size)? {
                    Extent::Inlined(count) => {
                        let at = |at| element.at(&system::integer(at));
                        Shape::Array((0..count).map(at).collect())
                    }
                    Extent::Solver(_) => Shape::Many(size.clone(), element.into()),
                }
            }
            _ => shape.clone(),
        })
    }

    /// Is an array passed as one of the solver, whatever its size at a call?
    fn is_lifted(&self, own: &Type) -> bool {
        let Type::Array(array) = own else {
            return false;
        };
        array.size.depends_on_input() && self.has_open_parameters()
    }

    /// Does the program have constants that no one defines, so that sizes may be
    /// open?
    fn has_open_parameters(&self) -> bool {
        let fixed = &self.options.fixed;
        let is_open = |ty: &Type, atom: SizeAtom| {
            matches!(ty, Type::Int | Type::Range(_)) && !fixed.contains_key(&atom)
        };
        let top = self.node_of(TOP);
        let mut inputs = top.inputs.iter().filter(|id| {
            let class = top.var(**id).class;
            class == lang::VarClass::Input { is_const: true }
        });
        let mut consts = self
            .program
            .consts
            .iter()
            .zip(0..)
            .filter(|(declared, at)| {
                declared.value.is_none() && is_open(&declared.ty, SizeAtom::Const(ConstId(*at)))
            });
        consts.next().is_some() || inputs.any(|id| is_open(&top.var(*id).ty, SizeAtom::Var(*id)))
    }

    /// Is this a call for each element of an array of open size?
    pub fn is_for_each(&self, id: InstanceId, call: CallId, env: &Env) -> bool {
        let is_open = |term: &Term| !matches!(term.kind(), system::Kind::Int(_));
        let indices = self.node_of(id).call(call).indices.iter();
        let mut values = indices.filter_map(|bound| value_of(*bound, env));
        values.any(is_open)
    }

    /// The same, whatever the index.
    pub fn has_open_index(&mut self, id: InstanceId, call: CallId) -> Lower<bool> {
        let node = self.node_of(id);
        for bound in &node.call(call).indices {
            let (size, _) = self.index_size(id, *bound)?;
            if matches!(self.extent(id, &size)?, Extent::Solver(_)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Can a call be made for each element of an array of open size? What happens in
    /// an instance would have to happen as often as there are elements: there must be
    /// nothing but its outputs.
    pub fn can_be_for_each(&self, id: InstanceId, call: CallId) -> Lower<()> {
        let call = self.node_of(id).call(call);
        let node = self.program.node(call.node);
        let why = match () {
            _ if node.has_body => "has a body, which would run as often",
            _ if node.contract.is_some() || node.abstracted => {
                "has a contract, which would have to be kept as often"
            }
            _ if self.has_ranged_input(node) => {
                "has an input with a range, which would have to be checked as often"
            }
            _ if call.clock.is_some() => "runs on a clock, and would remember as many values",
            _ => return Ok(()),
        };
        Err(Unsupported(format!(
            "a call of `{0}` for each element of an array of open size, or of one that is not \
             inlined: `{0}` {why} as there are elements (give the array a size, or define its \
             elements without the call)",
            node.name
        )))
    }

    fn has_ranged_input(&self, node: &Node) -> bool {
        let mut inputs = node.inputs.iter().map(|id| &node.var(*id).ty);
        inputs.any(|ty| has_range(self.program, ty))
    }

    /// An output of a call for each element of an array of open size, at one of
    /// them.
    pub fn each_output(
        &mut self,
        id: InstanceId,
        call: CallId,
        output: usize,
        env: &Env,
    ) -> Lower<Shape> {
        self.can_be_for_each(id, call)?;
        let declared = self.node_of(id).call(call);
        let outputs = match self.instances[id.0]
            .outputs
            .get(&(call, Vec::new(), output))
        {
            Some(outputs) => outputs.clone(),
            None => self.each_result(id, call, output)?,
        };
        self.chosen_at(outputs, &declared.indices, env)
    }

    /// All results of a call, as its caller sees them.
    fn each_result(&mut self, id: InstanceId, call: CallId, output: usize) -> Lower<Shape> {
        let declared = self.node_of(id).call(call);
        let callee = self.program.node(declared.node);
        let var = callee.outputs[output];
        let ty = &declared.output_types[output];
        let name = format!("{}each{}.{}", self.prefix(id), call.0, callee.var(var).name);
        let results = match self.is_congruent(callee) {
            true => self.each_application(id, call, output, &name)?,
            false => self.each(id, declared, ty, &name, Role::Input)?,
        };
        let ranges = self.ranges(&results.0, &results.1, true);
        self.restrict(ranges);
        let results = results.1;
        let mut path = self.path(id);
        let indices = Vec::new();
        path.push(PathStep { call, indices });
        let key = ChoiceKey {
            path,
            choice: choice_of(callee, var)?,
            indices: Vec::new(),
        };
        self.choices.insert(key, results.clone());
        let (_, outputs) = self.each(id, declared, ty, &name, Role::Stream)?;
        let key = (call, Vec::new(), output);
        self.instances[id.0].outputs.insert(key, outputs.clone());
        let equal = self.equal(&outputs, &results)?;
        let element = self.element(Part::Call(self.instances[id.0].node, call))?;
        self.constrain_always(id, equal, element, None);
        Ok(outputs)
    }

    /// Results of a function of the arguments at each index.
    fn each_application(
        &mut self,
        id: InstanceId,
        call: CallId,
        output: usize,
        name: &str,
    ) -> Lower<(Type, Shape)> {
        let declared = self.node_of(id).call(call);
        let callee = self.program.node(declared.node);
        let var = callee.outputs[output];
        if depends_on_input(self.program, &callee.var(var).ty) {
            return unsupported(
                "a function without a body for each element of an array of unknown size, with \
                 results whose size depends on its arguments (give the array a size)",
            );
        }
        let (outer, env) = self.outer(id, declared)?;
        let none = Indices::none();
        let mut args = Vec::new();
        for (at, (input, arg)) in callee.inputs.iter().zip(&declared.args).enumerate() {
            let name = format!("{name}.{}", callee.var(*input).name);
            let (_, all) = self.each(id, declared, &arg.ty, &name, Role::Stream)?;
            let passed = self.chosen_at(all, &declared.indices, &env)?;
            let value = self.expr(id, arg, &env)?;
            let equal = self.equal(&passed, &value)?;
            let element = self.element(Part::Binding(self.instances[id.0].node, call, at))?;
            self.constrain_always(id, outer.for_all(&equal), element, None);
            let own = &callee.var(*input).ty;
            self.pass(own, &passed, &outer, &none, &mut args)?;
        }
        let ty = &declared.output_types[output];
        let value = self.applied(id, callee, var, ty, args)?;
        let (ty, results) = self.each(id, declared, ty, name, Role::Stream)?;
        let result = self.chosen_at(results.clone(), &declared.indices, &env)?;
        let equal = self.equal(&result, &value)?;
        self.restrict(vec![outer.for_all(&equal)]);
        Ok((ty, results))
    }

    /// The indices of a call, for all their values.
    fn outer(&mut self, id: InstanceId, call: &Call) -> Lower<(Indices, Vec<(BoundId, Term)>)> {
        let mut outer = Indices::none();
        let mut env = Vec::new();
        for bound in &call.indices {
            let size = self.index_size(id, *bound)?;
            let (number, index) = self.new_bound();
            env.push((*bound, index.clone()));
            outer.inside = and([outer.inside, within(&index, &size.1)]);
            outer.bounds.push((number, index));
        }
        Ok((outer, env))
    }

    /// Variables of a type for each index of a call, and the type of all of them.
    fn each(
        &mut self,
        id: InstanceId,
        call: &Call,
        ty: &Type,
        name: &str,
        role: Role,
    ) -> Lower<(Type, Shape)> {
        let mut shape = self.new_vars(id, ty, name, role, call.indices.len())?;
        let mut ty = ty.clone();
        for bound in call.indices.iter().rev() {
            let (size, term) = self.index_size(id, *bound)?;
            shape = Shape::Many(term, shape.into());
            ty = Type::array(ty, size);
        }
        Ok((ty, shape))
    }

    fn index_size(&mut self, id: InstanceId, bound: BoundId) -> Lower<(Size, Term)> {
        let BoundKind::Index(size) = &self.node_of(id).bound(bound).kind else {
            return unsupported("a call that depends on a quantified variable");
        };
        Ok((size.clone(), self.size_term(id, size)?))
    }
}

/// The choice that stands for an output.
fn choice_of(node: &Node, output: VarId) -> Lower<ChoiceId> {
    let imported = ChoiceKind::Imported(output);
    match node
        .choices
        .iter()
        .position(|choice| choice.kind == imported)
    {
        Some(at) => Ok(ChoiceId(at as u32)),
        None => unsupported("an output that no one chooses"),
    }
}

/// Does the size of some array in a type depend on an input?
fn depends_on_input(program: &Program, ty: &Type) -> bool {
    match ty {
        Type::Array(array) => {
            array.size.depends_on_input() || depends_on_input(program, &array.element)
        }
        Type::Tuple(types) => types.iter().any(|ty| depends_on_input(program, ty)),
        Type::Record(id) => {
            let mut fields = program.record(*id).fields.iter();
            fields.any(|(_, ty)| depends_on_input(program, ty))
        }
        _ => false,
    }
}

/// What an argument has outside of the bounds of its arrays.
fn nothing(sort: &Sort) -> Term {
    match sort {
        Sort::Bool => boolean(false),
        Sort::Int => system::integer(0),
        Sort::Real => system::real(num_rational::BigRational::from_integer(0.into())),
        Sort::BitVec(width) => system::bitvec(*width, &0.into()),
        Sort::Array(element) => system::const_array(&nothing(element)),
    }
}
