//! What is known of an objective as a user writes it, and how it becomes knowledge.

use std::sync::Arc;

use super::algebra::{MOST_TERMS, Term};
use super::chart::Chart;
use super::error::{Fault, PhysicsError, Place};
use super::law::Law;
use super::reader::{Form, Outcome, Reader};
use super::{Collocation, Equation, Knowledge};
use crate::expression::Shape;
use crate::{Output, Rng, Space};

/// Equations, functions and known values, as texts.
///
/// ```
/// use hilltop_core::physics::{Equation, Physics};
/// use hilltop_core::{Goal, Output, Parameter, Space};
/// let space = Space::new(vec![Parameter::float("x", 0.0, 2.0), Parameter::float("y", 0.0, 1.0)], vec![])?;
/// let output = Output { name: "temperature".into(), goal: Goal::Maximize };
/// let heat = Physics::new("d(f,x,x) + d(f,y,y) = 0").value("x == 0", "sin(pi*y)");
/// let knowledge = heat.bind(&space, &output)?;
/// assert!(knowledge.is_linear() && knowledge.order() == 2);
/// let mut point = [0.3, 0.5];
/// assert!(knowledge.equations[1].place(&mut point));
/// assert_eq!(point, [0.0, 0.5]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Physics {
    /// What the objective obeys.
    pub equations: Vec<String>,
    /// Names for known expressions, or for lists of them.
    pub functions: Vec<(String, Definition)>,
    /// What is known on parts of the space.
    pub values: Vec<Known>,
    /// At how many points each equation is asked for.
    pub points: usize,
    /// How these points are chosen.
    pub collocation: Collocation,
}

/// What a name stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Definition {
    /// An expression.
    One(String),
    /// A vector, component by component.
    Many(Vec<String>),
}

/// Something known on a part of the space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// Where: comparisons joined by `and`; everywhere where nothing is said.
    pub at: Option<String>,
    /// What.
    pub what: What,
}

/// What is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// The value of the objective.
    Value(String),
    /// An equation, such as that of an insulated edge.
    Equation(String),
}

/// At how many points an equation is asked for unless somebody says otherwise.
pub const POINTS: usize = 500;

/// At how many points an equation is tried when it is checked.
const TRIED: usize = 64;

impl Default for Physics {
    fn default() -> Self {
        Self {
            equations: Vec::new(),
            functions: Vec::new(),
            values: Vec::new(),
            points: POINTS,
            collocation: Collocation::default(),
        }
    }
}

impl Physics {
    /// One equation.
    pub fn new(equation: impl Into<String>) -> Self {
        Self {
            equations: vec![equation.into()],
            ..Self::default()
        }
    }

    /// The same with another equation.
    #[must_use]
    pub fn equation(mut self, equation: impl Into<String>) -> Self {
        self.equations.push(equation.into());
        self
    }

    /// The same with a name for an expression.
    #[must_use]
    pub fn function(mut self, name: impl Into<String>, expression: impl Into<String>) -> Self {
        self.functions.push((name.into(), Definition::One(expression.into())));
        self
    }

    /// The same with a name for a vector.
    #[must_use]
    pub fn vector(mut self, name: impl Into<String>, components: Vec<String>) -> Self {
        self.functions.push((name.into(), Definition::Many(components)));
        self
    }

    /// The same with a value that the objective has somewhere.
    #[must_use]
    pub fn value(mut self, at: impl Into<String>, value: impl Into<String>) -> Self {
        self.values.push(Known {
            at: Some(at.into()),
            what: What::Value(value.into()),
        });
        self
    }

    /// The same with this many points for each equation.
    #[must_use]
    pub fn points(mut self, points: usize) -> Self {
        self.points = points;
        self
    }

    /// What it means for an objective on a space, or what is wrong with it.
    ///
    /// A vector equation is one for each component. An equation that says a sum of squares is zero says that each of them
    /// is, and becomes one for each.
    pub fn bind(&self, space: &Space, objective: &Output) -> Result<Knowledge, PhysicsError> {
        let chart = Chart::new(space, objective.goal.inward(1.0));
        let mut reader = Reader::new(&chart, &objective.name, &self.functions)?;
        let mut equations: Vec<Arc<dyn Equation>> = Vec::new();
        for (place, text) in self.equations.iter().enumerate() {
            reader.place = Place::Equation(place);
            let laws = reader.equation(text)?;
            reader.check_values(&laws)?;
            equations.extend(laws.into_iter().map(Law::shared));
        }
        for (place, known) in self.values.iter().enumerate() {
            let laws = reader.known(place, known)?;
            reader.check_values(&laws)?;
            equations.extend(laws.into_iter().map(Law::shared));
        }
        Ok(Knowledge {
            equations,
            points: self.points,
            collocation: self.collocation,
        })
    }
}

impl Reader<'_> {
    fn equation(&mut self, text: &str) -> Outcome<Vec<Law>> {
        let sides = self.sides(text)?;
        if let Some(side) = sides.iter().find(|side| matches!(side.shape, Shape::Compare(..))) {
            return Err(self.fault(side.span.start, Fault::Comparison));
        }
        let [left, right] = &sides[..] else {
            return Err(match sides.get(2) {
                Some(third) => {
                    let sign = text[..third.span.start].rfind('=').unwrap_or(third.span.start);
                    self.fault(sign, Fault::SecondEquals)
                }
                None => self.fault(text.trim_end().len(), Fault::NoEquals),
            });
        };
        let (a, b) = (self.numeric(left)?, self.numeric(right)?);
        let mentioned = self.speaks(&a) || self.speaks(&b);
        let residual = self.zip(right, a, b, super::algebra::Algebra::subtract)?;
        self.laws(text, residual, mentioned)
    }

    /// Whether a value has the objective in it.
    fn speaks(&self, form: &Form) -> bool {
        match form {
            Form::Number(term) => !self.terms.jets(*term).is_empty(),
            Form::Vector(parts) => parts.iter().any(|&part| !self.terms.jets(part).is_empty()),
            _ => false,
        }
    }

    fn known(&mut self, place: usize, known: &Known) -> Outcome<Vec<Law>> {
        let site = match &known.at {
            None => None,
            Some(at) => {
                self.place = Place::At(place);
                Some(self.site(at)?)
            }
        };
        self.place = Place::Value(place);
        let (mut laws, text) = match &known.what {
            What::Equation(text) => (self.equation(text)?, text.clone()),
            What::Value(text) => (self.value(text)?, format!("f = {text}")),
        };
        for law in &mut laws {
            law.rename(match &known.at {
                Some(at) => format!("{text} at {at}"),
                None => text.clone(),
            });
            law.site.clone_from(&site);
        }
        Ok(laws)
    }

    fn value(&mut self, text: &str) -> Outcome<Vec<Law>> {
        let sides = self.sides(text)?;
        if let Some(second) = sides.get(1) {
            return Err(self.fault(second.span.start, Fault::SecondEquals));
        }
        let value = self.number(&sides[0])?;
        if !self.terms.jets(value).is_empty() {
            let place = "its own value";
            return Err(self.fault(sides[0].span.start, Fault::ObjectiveInside { place }));
        }
        let objective = self.terms.jet(super::Partial::value());
        let residual = self.terms.subtract(objective, value);
        self.laws(text, Form::Number(residual), true)
    }

    /// The laws of a residual: one for each component, and for each square of a sum of them.
    fn laws(&mut self, text: &str, residual: Form, mentioned: bool) -> Outcome<Vec<Law>> {
        let components = match residual {
            Form::Vector(parts) => parts,
            other => vec![self.scalar(other, 1)?],
        };
        let mut laws = Vec::new();
        for component in components {
            let zeros = self.terms.zeros(component).filter(|zeros| self.all_speak(zeros));
            for root in zeros.unwrap_or_else(|| vec![component]) {
                laws.push(self.law(text, root, mentioned)?);
            }
        }
        if self.terms.is_overfull() {
            return Err(self.fault(0, Fault::TooLarge { limit: MOST_TERMS }));
        }
        Ok(laws)
    }

    /// Refuses laws that have no value anywhere.
    fn check_values(&self, laws: &[Law]) -> Outcome<()> {
        if laws.iter().all(|law| undefined(law, self.chart)) {
            return Err(self.fault(0, Fault::Undefined { tried: TRIED }));
        }
        Ok(())
    }

    fn all_speak(&self, roots: &[Term]) -> bool {
        roots.iter().all(|&root| !self.terms.jets(root).is_empty())
    }

    fn law(&mut self, text: &str, root: Term, mentioned: bool) -> Outcome<Law> {
        let objective = self.objective();
        if !mentioned {
            return Err(self.fault(0, Fault::NoObjective { objective }));
        }
        let law = Law::of_terms(text, &mut self.terms, root, self.chart);
        if law.partials().is_empty() {
            return Err(self.fault(0, Fault::Cancels { objective }));
        }
        Ok(law)
    }
}

/// Whether a law has no finite value wherever it is tried.
fn undefined(law: &Law, chart: &Chart) -> bool {
    let mut rng = Rng::new(0);
    let mut slopes = vec![0.0; law.partials().len()];
    let jet = vec![0.5; slopes.len()];
    (0..TRIED).all(|_| {
        let mut point: Vec<f64> = (0..chart.space.dim()).map(|_| rng.uniform()).collect();
        law.place(&mut point) && !law.residual(&point, &jet, &mut slopes).is_finite()
    })
}
