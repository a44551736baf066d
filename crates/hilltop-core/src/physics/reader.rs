//! From the tree of a text to terms: what names stand for, and arithmetic with numbers, vectors and conditions.

use super::algebra::{Algebra, MOST_TERMS, Term};
use super::chart::{Chart, Standing};
use super::error::{Fault, PhysicsError, Place, column_of};
use super::function::Pair;
use super::{Definition, Partial};
use crate::expression::{Expression, ExpressionError, Factor, Node, Shape, Sign, Value, constant, list_of_names};

pub(super) type Outcome<T> = Result<T, PhysicsError>;

/// What a part of a text has as its value.
#[derive(Clone, Debug)]
pub(super) enum Form {
    Number(Term),
    Vector(Vec<Term>),
    /// 1 or 0.
    Truth(Term),
    /// A parameter whose values are options.
    Option(usize),
    Text(String),
}

impl Form {
    /// What it is, in words.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Number(_) => "a number",
            Self::Vector(_) => "a vector",
            Self::Truth(_) => "a condition",
            Self::Option(_) => "an option",
            Self::Text(_) => "a text",
        }
    }
}

/// Reads texts in one language: the parameters, the objective, and functions.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    pub(super) terms: Algebra,
    pub(super) chart: &'a Chart,
    objective: &'a str,
    functions: &'a [(String, Definition)],
    read: Vec<Option<Form>>,
    open: Vec<usize>,
    pub(super) place: Place,
}

impl<'a> Reader<'a> {
    /// A reader that knows its functions, all of them checked.
    pub(super) fn new(chart: &'a Chart, objective: &'a str, functions: &'a [(String, Definition)]) -> Outcome<Self> {
        let mut reader = Self {
            terms: Algebra::default(),
            chart,
            objective,
            functions,
            read: vec![None; functions.len()],
            open: Vec::new(),
            place: Place::Equation(0),
        };
        for index in 0..functions.len() {
            reader.check_name(index)?;
        }
        for index in 0..functions.len() {
            reader.function(index)?;
        }
        Ok(reader)
    }

    /// How messages call the objective.
    pub(super) fn objective(&self) -> String {
        if self.objective == "f" || self.chart.place("f").is_some() {
            self.objective.to_owned()
        } else {
            format!("f` or `{}", self.objective)
        }
    }

    fn check_name(&self, index: usize) -> Outcome<()> {
        let name = &self.functions[index].0;
        let taken = if self.chart.place(name).is_some() {
            "a parameter"
        } else if *name == self.objective || name == "f" {
            "the objective"
        } else if self.functions[..index].iter().any(|(earlier, _)| earlier == name) {
            "a function"
        } else {
            return Ok(());
        };
        Err(PhysicsError {
            place: self.place_of(index, None),
            column: 1,
            fault: Box::new(Fault::NameTaken {
                name: name.clone(),
                taken,
            }),
        })
    }

    fn place_of(&self, index: usize, component: Option<usize>) -> Place {
        Place::Function {
            index,
            name: self.functions[index].0.clone(),
            component,
        }
    }

    /// What a function stands for.
    fn function(&mut self, index: usize) -> Outcome<Form> {
        if let Some(form) = &self.read[index] {
            return Ok(form.clone());
        }
        let before = self.place.clone();
        self.open.push(index);
        let functions = self.functions;
        let form = match &functions[index].1 {
            Definition::One(text) => {
                self.place = self.place_of(index, None);
                self.whole(text)?
            }
            Definition::Many(texts) => {
                let mut parts = Vec::with_capacity(texts.len());
                for (component, text) in texts.iter().enumerate() {
                    self.place = self.place_of(index, Some(component));
                    let form = self.whole(text)?;
                    parts.push(self.scalar(form, 1)?);
                }
                Form::Vector(parts)
            }
        };
        self.open.pop();
        self.place = before;
        self.read[index] = Some(form.clone());
        Ok(form)
    }

    /// A text that is one expression.
    fn whole(&mut self, text: &str) -> Outcome<Form> {
        match &self.sides(text)?[..] {
            [node] => self.form(node),
            sides => Err(self.fault(sides[1].span.start, Fault::SecondEquals)),
        }
    }

    /// The trees of a text between its `=`.
    pub(super) fn sides(&self, text: &str) -> Outcome<Vec<Node>> {
        Expression::sides(text).map_err(|error| self.syntax(error))
    }

    pub(super) fn syntax(&self, error: ExpressionError) -> PhysicsError {
        self.fault(column_of(&error) - 1, Fault::Syntax(error))
    }

    /// Something wrong at a byte of the text that is being read.
    pub(super) fn fault(&self, at: usize, fault: Fault) -> PhysicsError {
        PhysicsError {
            place: self.place.clone(),
            column: at + 1,
            fault: Box::new(fault),
        }
    }

    /// The value of a tree.
    pub(super) fn form(&mut self, node: &Node) -> Outcome<Form> {
        if self.terms.is_overfull() {
            return Err(self.fault(node.span.start, Fault::TooLarge { limit: MOST_TERMS }));
        }
        Ok(match &node.shape {
            Shape::Number(value) => Form::Number(self.terms.constant(*value)),
            Shape::Text(text) => Form::Text(text.clone()),
            Shape::Truth(truth) => Form::Truth(self.terms.constant(f64::from(u8::from(*truth)))),
            Shape::Name(name) => self.name(node, name)?,
            Shape::Negate(part) => {
                let inner = self.numeric(part)?;
                self.map(inner, Algebra::negate)
            }
            Shape::Sum(parts) => self.sum(parts)?,
            Shape::Product(parts) => self.product(parts)?,
            Shape::Power(base, exponent) => {
                let (a, b) = (self.numeric(base)?, self.numeric(exponent)?);
                self.zip(exponent, a, b, Algebra::power)?
            }
            Shape::Compare(first, rest) => self.chain(first, rest)?,
            Shape::Not(part) => {
                let truth = self.truth(part)?;
                let one = self.terms.constant(1.0);
                Form::Truth(self.terms.subtract(one, truth))
            }
            Shape::All(parts) => self.joined(parts, Algebra::multiply)?,
            Shape::Any(parts) => self.joined(parts, |terms, a, b| terms.pair(Pair::Max, a, b))?,
            Shape::Call(name, arguments) => self.call(node, name, arguments)?,
        })
    }

    fn name(&mut self, node: &Node, name: &str) -> Outcome<Form> {
        if let Some(parameter) = self.chart.place(name) {
            return Ok(self.parameter(parameter));
        }
        if let Some(index) = self.functions.iter().position(|(known, _)| known == name) {
            if self.open.contains(&index) {
                return Err(self.fault(node.span.start, Fault::Circular { name: name.to_owned() }));
            }
            return self.function(index);
        }
        if name == self.objective || name == "f" {
            return Ok(Form::Number(self.terms.jet(Partial::value())));
        }
        let vector = self.numbered(name);
        if !vector.is_empty() {
            let parts: Vec<Form> = vector.into_iter().map(|parameter| self.parameter(parameter)).collect();
            let numbers = parts.into_iter().map(|part| self.scalar(part, node.span.start + 1));
            return Ok(Form::Vector(numbers.collect::<Outcome<_>>()?));
        }
        if let Some(value) = constant(name) {
            return Ok(Form::Number(self.terms.constant(value)));
        }
        Err(self.unknown(node, name))
    }

    pub(super) fn unknown(&self, node: &Node, name: &str) -> PhysicsError {
        let parameters = self.chart.space.parameters().iter().map(|one| one.name.as_str());
        let functions = self.functions.iter().map(|(name, _)| name.as_str());
        let own = Some(self.objective).filter(|own| *own != "f");
        let known = list_of_names(functions.chain(["f"]).chain(own).chain(parameters));
        let name = name.to_owned();
        self.fault(node.span.start, Fault::UnknownName { name, known })
    }

    /// The parameters `x1`, `x2`, … of a vector `x`, by their numbers.
    pub(super) fn numbered(&self, name: &str) -> Vec<usize> {
        let number = |(place, parameter): (usize, &crate::Parameter)| {
            let digits = parameter.name.strip_prefix(name)?;
            let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            Some((digits.parse::<u64>().ok().filter(|_| plain)?, place))
        };
        let parameters = self.chart.space.parameters().iter().enumerate();
        let mut found: Vec<(u64, usize)> = parameters.filter_map(number).collect();
        found.sort_unstable();
        found.into_iter().map(|(_, place)| place).collect()
    }

    fn parameter(&mut self, parameter: usize) -> Form {
        match &self.chart.standings[parameter] {
            Standing::Smooth { .. } | Standing::Level => Form::Number(self.terms.input(parameter)),
            Standing::Options(_) => Form::Option(parameter),
            Standing::Fixed(Value::Text(text)) => Form::Text(text.clone()),
            Standing::Fixed(Value::Bool(truth)) => Form::Truth(self.terms.constant(f64::from(u8::from(*truth)))),
            Standing::Fixed(value) => Form::Number(self.terms.constant(value.number().unwrap_or(f64::NAN))),
        }
    }

    /// A number or a vector.
    pub(super) fn numeric(&mut self, node: &Node) -> Outcome<Form> {
        match self.form(node)? {
            form @ (Form::Number(_) | Form::Vector(_)) => Ok(form),
            other => Err(self.mismatch(node.span.start, "a number", &other)),
        }
    }

    pub(super) fn mismatch(&self, at: usize, expected: &'static str, found: &Form) -> PhysicsError {
        let found = found.kind();
        self.fault(at, Fault::Mismatch { expected, found })
    }

    /// The number that a value is, or what is wrong with it at a column.
    pub(super) fn scalar(&self, form: Form, column: usize) -> Outcome<Term> {
        match form {
            Form::Number(term) => Ok(term),
            Form::Vector(parts) => Err(self.fault(column - 1, Fault::Vector { count: parts.len() })),
            other => Err(self.mismatch(column - 1, "a number", &other)),
        }
    }

    /// A number.
    pub(super) fn number(&mut self, node: &Node) -> Outcome<Term> {
        let form = self.form(node)?;
        self.scalar(form, node.span.start + 1)
    }

    pub(super) fn map(&mut self, form: Form, apply: impl Fn(&mut Algebra, Term) -> Term) -> Form {
        match form {
            Form::Number(term) => Form::Number(apply(&mut self.terms, term)),
            Form::Vector(parts) => Form::Vector(parts.into_iter().map(|part| apply(&mut self.terms, part)).collect()),
            other => other,
        }
    }

    /// Two values, component by component; a number goes with every component.
    pub(super) fn zip(
        &mut self,
        node: &Node,
        a: Form,
        b: Form,
        apply: impl Fn(&mut Algebra, Term, Term) -> Term,
    ) -> Outcome<Form> {
        Ok(match (a, b) {
            (Form::Number(a), b) => self.map(b, |terms, b| apply(terms, a, b)),
            (a, Form::Number(b)) => self.map(a, |terms, a| apply(terms, a, b)),
            (Form::Vector(a), Form::Vector(b)) if a.len() == b.len() => {
                let pairs = a.into_iter().zip(b);
                Form::Vector(pairs.map(|(a, b)| apply(&mut self.terms, a, b)).collect())
            }
            (Form::Vector(a), Form::Vector(b)) => {
                let (left, right) = (a.len(), b.len());
                return Err(self.fault(node.span.start, Fault::Lengths { left, right }));
            }
            (a, _) => return Err(self.mismatch(node.span.start, "a number", &a)),
        })
    }

    fn sum(&mut self, parts: &[(Sign, Node)]) -> Outcome<Form> {
        let mut sum = Form::Number(self.terms.constant(0.0));
        for (sign, part) in parts {
            let value = self.numeric(part)?;
            sum = match sign {
                Sign::Plus => self.zip(part, sum, value, Algebra::add)?,
                Sign::Minus => self.zip(part, sum, value, Algebra::subtract)?,
            };
        }
        Ok(sum)
    }

    fn product(&mut self, parts: &[(Factor, Node)]) -> Outcome<Form> {
        let mut product = Form::Number(self.terms.constant(1.0));
        for (factor, part) in parts {
            let value = self.numeric(part)?;
            product = match factor {
                Factor::Times => self.zip(part, product, value, Algebra::multiply)?,
                Factor::Over => self.zip(part, product, value, Algebra::divide)?,
                Factor::Modulo => self.zip(part, product, value, |terms, a, b| terms.pair(Pair::Modulo, a, b))?,
            };
        }
        Ok(product)
    }
}
