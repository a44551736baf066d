//! Calls: derivatives, gradients and the usual functions.

use super::MOST_ORDER;
use super::algebra::{Algebra, MOST_TERMS, Term};
use super::error::{Fault, PhysicsError};
use super::function::{Pair, Single};
use super::reader::{Form, Outcome, Reader};
use super::slope::Direction;
use crate::expression::{Node, Shape, list_of_names};

/// What may be called besides functions of one number.
const CALLS: [&str; 13] = [
    "d",
    "grad",
    "div",
    "laplacian",
    "dot",
    "sum",
    "if",
    "pow",
    "atan2",
    "hypot",
    "min",
    "max",
    "norm",
];

impl Reader<'_> {
    /// The value of a call.
    pub(super) fn call(&mut self, node: &Node, name: &str, arguments: &[Node]) -> Outcome<Form> {
        if let Some(function) = Single::named(name) {
            let [part] = arguments else {
                return Err(self.count(node, name, "1 argument", arguments));
            };
            let value = self.numeric(part)?;
            return Ok(self.map(value, |terms, a| terms.single(function, a)));
        }
        match (name, arguments) {
            ("d", [part, directions @ ..]) if !directions.is_empty() => self.derivative(node, part, directions),
            ("d", _) => Err(self.count(
                node,
                name,
                "an expression and one parameter or more: d(f, x)",
                arguments,
            )),
            ("grad", [part, directions @ ..]) => self.gradient(node, part, directions),
            ("div", [part, directions @ ..]) => self.divergence(node, part, directions),
            ("laplacian", [part, directions @ ..]) => self.laplacian(node, part, directions),
            ("grad" | "div" | "laplacian", []) => Err(self.count(node, name, "an expression: grad(f)", arguments)),
            ("dot", [a, b]) => self.dot(a, b),
            ("dot", _) => Err(self.count(node, name, "2 vectors", arguments)),
            ("norm", [part]) => {
                let square = self.dot(part, part)?;
                Ok(self.map(square, |terms, a| terms.single(Single::Sqrt, a)))
            }
            ("norm", _) => Err(self.count(node, name, "1 vector", arguments)),
            ("sum", [_, ..]) => self.total(arguments),
            ("sum", []) => Err(self.count(node, name, "1 argument or more", arguments)),
            ("if", [condition, a, b]) => self.branch(condition, a, b),
            ("if", _) => Err(self.count(node, name, "a condition and 2 values", arguments)),
            ("pow", [a, b]) => {
                let (base, exponent) = (self.numeric(a)?, self.numeric(b)?);
                self.zip(b, base, exponent, Algebra::power)
            }
            ("atan2", [_, _]) | ("hypot" | "min" | "max", [_, _, ..]) => self.folded(name, arguments),
            ("atan2" | "pow", _) => Err(self.count(node, name, "2 arguments", arguments)),
            ("hypot" | "min" | "max", _) => Err(self.count(node, name, "2 arguments or more", arguments)),
            _ => Err(self.no_function(node, name)),
        }
    }

    fn no_function(&self, node: &Node, name: &str) -> PhysicsError {
        let all: Vec<&str> = CALLS.into_iter().chain(Single::names()).collect();
        let known = all.join(", ");
        let name = name.to_owned();
        self.fault(node.span.start, Fault::UnknownFunction { name, known })
    }

    fn count(&self, node: &Node, name: &str, expected: &'static str, arguments: &[Node]) -> PhysicsError {
        let fault = Fault::ArgumentCount {
            name: name.to_owned(),
            expected,
            found: arguments.len(),
        };
        self.fault(node.span.start, fault)
    }

    fn folded(&mut self, name: &str, arguments: &[Node]) -> Outcome<Form> {
        let function = Pair::named(name).unwrap_or(Pair::Hypot);
        let mut result = self.numeric(&arguments[0])?;
        for part in &arguments[1..] {
            let value = self.numeric(part)?;
            result = self.zip(part, result, value, |terms, a, b| terms.pair(function, a, b))?;
        }
        Ok(result)
    }

    fn branch(&mut self, condition: &Node, a: &Node, b: &Node) -> Outcome<Form> {
        let condition = self.truth(condition)?;
        let (first, second) = (self.numeric(a)?, self.numeric(b)?);
        self.zip(b, first, second, |terms, a, b| terms.choose(condition, a, b))
    }

    /// Everything added up, vectors component by component into one number.
    fn total(&mut self, arguments: &[Node]) -> Outcome<Form> {
        let mut parts = Vec::new();
        for argument in arguments {
            match self.numeric(argument)? {
                Form::Vector(components) => parts.extend(components),
                other => parts.push(self.scalar(other, argument.span.start + 1)?),
            }
        }
        Ok(Form::Number(self.terms.sum(parts)))
    }

    fn vector(&mut self, name: &str, node: &Node) -> Outcome<Vec<Term>> {
        match self.numeric(node)? {
            Form::Vector(parts) => Ok(parts),
            _ => Err(self.fault(node.span.start, Fault::NoVector { name: name.to_owned() })),
        }
    }

    fn dot(&mut self, a: &Node, b: &Node) -> Outcome<Form> {
        let (left, right) = (self.vector("dot", a)?, self.vector("dot", b)?);
        match self.zip(b, Form::Vector(left), Form::Vector(right), Algebra::multiply)? {
            Form::Vector(products) => Ok(Form::Number(self.terms.sum(products))),
            other => Ok(other),
        }
    }

    fn derivative(&mut self, node: &Node, part: &Node, directions: &[Node]) -> Outcome<Form> {
        let along = directions
            .iter()
            .map(|one| self.direction(one))
            .collect::<Outcome<Vec<_>>>()?;
        let mut value = self.numeric(part)?;
        for direction in along {
            value = self.map(value, |terms, a| terms.derivative(a, direction));
            self.check_order(node, &value)?;
        }
        Ok(value)
    }

    fn gradient(&mut self, node: &Node, part: &Node, directions: &[Node]) -> Outcome<Form> {
        let along = self.directions(node, directions)?;
        let value = self.number(part)?;
        let parts = along
            .into_iter()
            .map(|direction| self.terms.derivative(value, direction));
        let gradient = Form::Vector(parts.collect());
        self.check_order(node, &gradient)?;
        Ok(gradient)
    }

    fn divergence(&mut self, node: &Node, part: &Node, directions: &[Node]) -> Outcome<Form> {
        let along = self.directions(node, directions)?;
        let parts = self.vector("div", part)?;
        if parts.len() != along.len() {
            let (left, right) = (parts.len(), along.len());
            return Err(self.fault(part.span.start, Fault::Lengths { left, right }));
        }
        let slopes: Vec<Term> = parts
            .into_iter()
            .zip(along)
            .map(|(part, direction)| self.terms.derivative(part, direction))
            .collect();
        let divergence = Form::Number(self.terms.sum(slopes));
        self.check_order(node, &divergence)?;
        Ok(divergence)
    }

    fn laplacian(&mut self, node: &Node, part: &Node, directions: &[Node]) -> Outcome<Form> {
        let along = self.directions(node, directions)?;
        let value = self.number(part)?;
        let mut curvatures = Vec::with_capacity(along.len());
        for direction in along {
            let slope = self.terms.derivative(value, direction);
            curvatures.push(self.terms.derivative(slope, direction));
        }
        let laplacian = Form::Number(self.terms.sum(curvatures));
        self.check_order(node, &laplacian)?;
        Ok(laplacian)
    }

    /// Refuses derivatives of the objective that are too many, and expressions that grow without end.
    fn check_order(&self, node: &Node, form: &Form) -> Outcome<()> {
        if self.terms.is_overfull() {
            return Err(self.fault(node.span.start, Fault::TooLarge { limit: MOST_TERMS }));
        }
        let roots = match form {
            Form::Number(term) => std::slice::from_ref(term),
            Form::Vector(parts) => parts,
            _ => &[],
        };
        let order = self.terms.order(roots);
        if order <= MOST_ORDER {
            return Ok(());
        }
        let limit = MOST_ORDER;
        Err(self.fault(node.span.start, Fault::OrderTooHigh { order, limit }))
    }

    /// The directions that were named, vectors one by one; all there are where none was.
    fn directions(&self, node: &Node, named: &[Node]) -> Outcome<Vec<Direction>> {
        if !named.is_empty() {
            let each = named.iter().map(|one| self.named_directions(one));
            return Ok(each.collect::<Outcome<Vec<_>>>()?.concat());
        }
        let all = self.chart.directions();
        if all.is_empty() {
            return Err(self.fault(node.span.start, Fault::NoDirections));
        }
        Ok(all)
    }

    fn named_directions(&self, node: &Node) -> Outcome<Vec<Direction>> {
        if let Shape::Name(name) = &node.shape
            && self.chart.place(name).is_none()
        {
            let vector = self.numbered(name);
            if !vector.is_empty() {
                return vector
                    .into_iter()
                    .map(|parameter| self.along(node, parameter))
                    .collect();
            }
        }
        Ok(vec![self.direction(node)?])
    }

    fn along(&self, node: &Node, parameter: usize) -> Outcome<Direction> {
        self.chart.direction(parameter).map_err(|obstacle| {
            let name = self.chart.name(parameter).to_owned();
            self.fault(node.span.start, Fault::NotDifferentiable { name, obstacle })
        })
    }

    /// The parameter that a direction names.
    fn direction(&self, node: &Node) -> Outcome<Direction> {
        let Shape::Name(name) = &node.shape else {
            let smooth = self.chart.directions();
            let example = list_of_names(smooth.iter().take(1).map(|one| self.chart.name(one.parameter)));
            let found = node.to_string();
            return Err(self.fault(node.span.start, Fault::NoDirection { found, example }));
        };
        if let Some(parameter) = self.chart.place(name) {
            return self.along(node, parameter);
        }
        match self.numbered(name).len() {
            0 => Err(self.unknown(node, name)),
            count => {
                let name = name.clone();
                Err(self.fault(node.span.start, Fault::VectorDirection { name, count }))
            }
        }
    }
}
