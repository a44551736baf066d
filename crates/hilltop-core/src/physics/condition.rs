//! Conditions of an equation: comparisons of what is known, and options of choices.

use super::algebra::{Algebra, Term};
use super::chart::Standing;
use super::error::Fault;
use super::reader::{Form, Outcome, Reader};
use crate::expression::{Node, Relation, Value, list_of_names};

impl Reader<'_> {
    /// Conditions taken together.
    pub(super) fn joined(&mut self, parts: &[Node], join: impl Fn(&mut Algebra, Term, Term) -> Term) -> Outcome<Form> {
        let truths = parts.iter().map(|part| self.truth(part)).collect::<Outcome<Vec<_>>>()?;
        let joined = truths.into_iter().reduce(|a, b| join(&mut self.terms, a, b));
        Ok(Form::Truth(joined.unwrap_or_else(|| self.terms.constant(1.0))))
    }

    /// A condition, in which the objective has no place.
    pub(super) fn truth(&mut self, node: &Node) -> Outcome<Term> {
        let truth = match self.form(node)? {
            Form::Truth(term) => term,
            Form::Option(parameter) if self.is_flag(parameter) => {
                self.is_option(node, parameter, &Value::Bool(true))?
            }
            other => return Err(self.mismatch(node.span.start, "a condition", &other)),
        };
        if self.terms.jets(truth).is_empty() {
            return Ok(truth);
        }
        let place = "a condition";
        Err(self.fault(node.span.start, Fault::ObjectiveInside { place }))
    }

    fn is_flag(&self, parameter: usize) -> bool {
        match &self.chart.standings[parameter] {
            Standing::Options(options) => options.iter().all(|(value, _)| matches!(value, Value::Bool(_))),
            _ => false,
        }
    }

    /// `a < b < c` is `a < b and b < c`.
    pub(super) fn chain(&mut self, first: &Node, rest: &[(Relation, Node)]) -> Outcome<Form> {
        let mut left = first;
        let mut all = self.terms.constant(1.0);
        for (relation, right) in rest {
            let link = self.compared(left, *relation, right)?;
            all = self.terms.multiply(all, link);
            left = right;
        }
        Ok(Form::Truth(all))
    }

    fn compared(&mut self, left: &Node, relation: Relation, right: &Node) -> Outcome<Term> {
        let equality = matches!(relation, Relation::Equal | Relation::Unequal);
        let (a, b) = (self.form(left)?, self.form(right)?);
        let same = match (a, b) {
            (Form::Number(a), Form::Number(b)) => return Ok(self.terms.test(relation, a, b)),
            (Form::Option(parameter), other) | (other, Form::Option(parameter)) if equality => {
                let value = self.literal(right, other)?;
                self.is_option(right, parameter, &value)?
            }
            (Form::Truth(a), Form::Truth(b)) if equality => self.terms.test(Relation::Equal, a, b),
            (Form::Text(a), Form::Text(b)) if equality => self.terms.constant(f64::from(u8::from(a == b))),
            (Form::Number(_), other) | (other, _) => {
                return Err(self.mismatch(right.span.start, "a number", &other));
            }
        };
        let one = self.terms.constant(1.0);
        Ok(if relation == Relation::Equal {
            same
        } else {
            self.terms.subtract(one, same)
        })
    }

    /// The value that a literal is.
    pub(super) fn literal(&self, node: &Node, form: Form) -> Outcome<Value> {
        let constant = |term| self.terms.value(term);
        match form {
            Form::Text(text) => Ok(Value::Text(text)),
            Form::Truth(term) if constant(term).is_some() => Ok(Value::Bool(constant(term) != Some(0.0))),
            Form::Number(term) if constant(term).is_some() => Ok(constant(term).unwrap_or_default().into()),
            other => Err(self.mismatch(node.span.start, "an option", &other)),
        }
    }

    /// Whether a parameter has an option as its value.
    fn is_option(&mut self, node: &Node, parameter: usize, value: &Value) -> Outcome<Term> {
        let Standing::Options(options) = &self.chart.standings[parameter] else {
            return Ok(self.terms.constant(0.0));
        };
        let Some((_, slot)) = options.iter().find(|(option, _)| option.same(value)) else {
            return Err(self.fault(node.span.start, self.unknown_option(parameter, value)));
        };
        let (chosen, slot) = (self.terms.input(parameter), self.terms.constant(*slot));
        Ok(self.terms.test(Relation::Equal, chosen, slot))
    }

    pub(super) fn unknown_option(&self, parameter: usize, value: &Value) -> Fault {
        let texts: Vec<String> = match &self.chart.standings[parameter] {
            Standing::Options(options) => options.iter().map(|(option, _)| option.to_string()).collect(),
            _ => Vec::new(),
        };
        Fault::UnknownOption {
            name: self.chart.name(parameter).to_owned(),
            value: value.clone(),
            options: list_of_names(texts.iter().map(String::as_str)),
        }
    }
}
