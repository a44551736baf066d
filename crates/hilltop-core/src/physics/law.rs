//! An equation ready for use: a residual in physical units, behind the chain rule to encoded coordinates.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::algebra::{Algebra, Op, Term};
use super::chart::Chart;
use super::input::Inputs;
use super::program::Program;
use super::site::Site;
use super::{Equation, Fault, Partial, PhysicsError, Place};
use crate::{Output, Space};

type Residual = dyn Fn(&[f64], &[f64], &mut [f64]) -> f64 + Send + Sync;

/// An equation in physical units, as methods see it.
pub struct Law {
    text: String,
    linear: bool,
    body: Body,
    inputs: Inputs,
    /// The derivatives in encoded coordinates.
    partials: Vec<Partial>,
    /// How many derivatives in physical units there are.
    physical: usize,
    links: Vec<Link>,
    pub(super) site: Option<Site>,
}

/// What computes a residual and its slopes from physical values and derivatives.
enum Body {
    /// The residual, then its slopes.
    Terms(Program),
    Closure(Box<Residual>),
}

/// A term of a physical derivative.
#[derive(Clone, Debug)]
struct Link {
    physical: usize,
    encoded: usize,
    factor: f64,
    /// Places among the inputs, and powers.
    powers: Vec<(usize, i32)>,
}

impl Link {
    fn weight(&self, inputs: &[f64]) -> f64 {
        let power = |&(place, times): &(usize, i32)| inputs[place].powi(times);
        self.powers.iter().map(power).product::<f64>() * self.factor
    }
}

impl fmt::Debug for Law {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let body = match &self.body {
            Body::Terms(program) => format!("{} outputs", program.outputs()),
            Body::Closure(_) => "a closure".to_owned(),
        };
        f.debug_struct("Law")
            .field("text", &self.text)
            .field("linear", &self.linear)
            .field("partials", &self.partials)
            .field("body", &body)
            .finish_non_exhaustive()
    }
}

impl Law {
    /// An equation of one's own. `derivatives` names the derivatives of the objective that it uses, each by the
    /// parameters it is taken in (none for the value itself); `residual` is given the values of all parameters
    /// in their order, the derivatives in the order they were named, both in the user's units and direction, and
    /// writes its slope in each derivative. What is given for an option that is no number means nothing.
    ///
    /// ```
    /// use hilltop_core::physics::{Equation, Law};
    /// use hilltop_core::{Goal, Output, Parameter, Space};
    /// let space = Space::new(vec![Parameter::float("t", 0.0, 4.0)], vec![])?;
    /// let output = Output { name: "height".into(), goal: Goal::Maximize };
    /// // f'' = -9.81
    /// let fall = Law::closure("free fall", &space, &output, &[&["t", "t"]], true, |_, jet, slopes| {
    ///     slopes[0] = 1.0;
    ///     jet[0] + 9.81
    /// })?;
    /// let mut slopes = [0.0];
    /// // In the coordinate of the unit interval the second derivative is 16 times as large, and the sign is turned.
    /// assert!(fall.residual(&[0.5], &[16.0 * 9.81], &mut slopes).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn closure(
        text: impl Into<String>,
        space: &Space,
        objective: &Output,
        derivatives: &[&[&str]],
        linear: bool,
        residual: impl Fn(&[f64], &[f64], &mut [f64]) -> f64 + Send + Sync + 'static,
    ) -> Result<Self, PhysicsError> {
        let chart = Chart::new(space, objective.goal.inward(1.0));
        let partial = |names: &&[&str]| -> Result<Partial, PhysicsError> {
            let axes = names
                .iter()
                .map(|name| coordinate(&chart, name))
                .collect::<Result<Vec<_>, _>>()?;
            check_order(axes.len())?;
            Ok(Partial::of(&axes))
        };
        let partials = derivatives.iter().map(partial).collect::<Result<Vec<_>, _>>()?;
        let parameters: Vec<usize> = (0..chart.standings.len()).collect();
        Ok(Self::assemble(
            text.into(),
            linear,
            Body::Closure(Box::new(residual)),
            &chart,
            &parameters,
            &partials,
        ))
    }

    /// The law of a residual that has been read.
    pub(super) fn of_terms(text: &str, terms: &mut Algebra, root: Term, chart: &Chart) -> Self {
        let affine = terms.affine(root);
        let linear = affine.is_some();
        let (jets, slopes, residual) = match affine {
            Some(form) => form.parts(terms),
            None => general(terms, root),
        };
        let partials: Vec<Partial> = jets
            .iter()
            .filter_map(|&jet| match terms.op(jet) {
                Op::Jet(partial) => Some(partial.clone()),
                _ => None,
            })
            .collect();
        let outputs: Vec<Term> = std::iter::once(residual).chain(slopes).collect();
        let inputs = with_powers(terms.inputs(&outputs), chart, &partials);
        let program = Program::new(terms, &outputs, &inputs, &partials);
        Self::assemble(text.to_owned(), linear, Body::Terms(program), chart, &inputs, &partials)
    }

    fn assemble(text: String, linear: bool, body: Body, chart: &Chart, inputs: &[usize], physical: &[Partial]) -> Self {
        let mut known: BTreeMap<Partial, usize> = BTreeMap::new();
        let mut partials: Vec<Partial> = Vec::new();
        let mut links = Vec::new();
        for (place, partial) in physical.iter().enumerate() {
            for share in chart.spread(partial) {
                let encoded = share.partial();
                let at = *known.entry(encoded.clone()).or_insert_with(|| {
                    partials.push(encoded);
                    partials.len() - 1
                });
                let place_of =
                    |&(parameter, times): &(usize, i32)| (inputs.binary_search(&parameter).unwrap_or_default(), times);
                links.push(Link {
                    physical: place,
                    encoded: at,
                    factor: share.factor,
                    powers: share.powers.iter().map(place_of).collect(),
                });
            }
        }
        Self {
            text,
            linear,
            body,
            inputs: Inputs::new(chart, inputs),
            partials,
            physical: physical.len(),
            links,
            site: None,
        }
    }

    pub(super) fn rename(&mut self, text: String) {
        self.text = text;
    }

    /// Makes it an equation among others.
    pub fn shared(self) -> Arc<dyn Equation> {
        Arc::new(self)
    }
}

/// The derivatives in a residual, its slopes in them, and the residual itself.
fn general(terms: &mut Algebra, root: Term) -> (Vec<Term>, Vec<Term>, Term) {
    let jets = terms.jets(root);
    let slopes = terms.slopes(root, &jets);
    (jets, slopes, root)
}

/// These inputs and those whose powers the chain rule needs, ascending.
fn with_powers(mut inputs: Vec<usize>, chart: &Chart, partials: &[Partial]) -> Vec<usize> {
    let shares = partials.iter().flat_map(|partial| chart.spread(partial));
    inputs.extend(shares.flat_map(|share| share.powers).map(|(parameter, _)| parameter));
    inputs.sort_unstable();
    inputs.dedup();
    inputs
}

fn coordinate(chart: &Chart, name: &str) -> Result<usize, PhysicsError> {
    let name = name.to_owned();
    let fault = match chart.place(&name) {
        None => Fault::UnknownName {
            name,
            known: crate::expression::list_of_names(chart.space.parameters().iter().map(|one| one.name.as_str())),
        },
        Some(parameter) => match chart.direction(parameter) {
            Ok(direction) => return Ok(direction.coordinate),
            Err(obstacle) => Fault::NotDifferentiable { name, obstacle },
        },
    };
    Err(of_closure(fault))
}

fn check_order(order: usize) -> Result<(), PhysicsError> {
    let limit = super::MOST_ORDER;
    if order <= limit {
        Ok(())
    } else {
        Err(of_closure(Fault::OrderTooHigh { order, limit }))
    }
}

fn of_closure(fault: Fault) -> PhysicsError {
    PhysicsError {
        place: Place::Equation(0),
        column: 1,
        fault: Box::new(fault),
    }
}

impl Equation for Law {
    fn partials(&self) -> &[Partial] {
        &self.partials
    }

    fn is_linear(&self) -> bool {
        self.linear
    }

    fn residual(&self, point: &[f64], jet: &[f64], slopes: &mut [f64]) -> f64 {
        let inputs = self.inputs.read(point);
        let weights: Vec<f64> = self.links.iter().map(|link| link.weight(&inputs)).collect();
        let mut physical = vec![0.0; self.physical];
        for (link, weight) in self.links.iter().zip(&weights) {
            physical[link.physical] += weight * jet[link.encoded];
        }
        let mut own = vec![0.0; self.physical];
        let value = match &self.body {
            Body::Closure(residual) => residual(&inputs, &physical, &mut own),
            Body::Terms(program) => {
                let registers = program.run(&inputs, &physical);
                let slope = |place| program.output(&registers, place + 1);
                own.iter_mut().enumerate().for_each(|(place, own)| *own = slope(place));
                program.output(&registers, 0)
            }
        };
        slopes.fill(0.0);
        for (link, weight) in self.links.iter().zip(&weights) {
            slopes[link.encoded] += weight * own[link.physical];
        }
        value
    }

    fn place(&self, point: &mut [f64]) -> bool {
        self.site.as_ref().is_none_or(|site| site.place(point))
    }

    fn text(&self) -> String {
        self.text.clone()
    }
}
