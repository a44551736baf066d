//! The part of the space where a value is known: `x == 0 and y < 1`.

use super::algebra::Term;
use super::chart::{Chart, Scale, Standing};
use super::error::Fault;
use super::input::Inputs;
use super::program::Program;
use super::reader::{Form, Outcome, Reader};
use crate::expression::{Node, Relation, Shape};
use crate::space::Axis;

/// Values this far beyond a bound, as a share of its range, are on it.
const ROUNDING: f64 = 1e-9;

/// A part of the space, and how points are moved there.
#[derive(Clone, Debug)]
pub(super) struct Site {
    given: Vec<Given>,
    targets: (Inputs, Program),
    conditions: (Inputs, Program),
}

/// A parameter that is given there.
#[derive(Clone, Debug)]
enum Given {
    /// By a term, whose place among the targets this is.
    Smooth {
        coordinate: usize,
        scale: Scale,
        target: usize,
    },
    /// By the coordinates of a level.
    Level { first: usize, coordinates: Vec<f64> },
}

impl Site {
    /// Moves a point; false where the place is out of bounds or its conditions do not hold.
    pub(super) fn place(&self, point: &mut [f64]) -> bool {
        let registers = self.targets.1.run(&self.targets.0.read(point), &[]);
        for given in &self.given {
            match given {
                Given::Level { first, coordinates } => {
                    point[*first..first + coordinates.len()].copy_from_slice(coordinates);
                }
                Given::Smooth {
                    coordinate,
                    scale,
                    target,
                } => {
                    let z = scale.coordinate(self.targets.1.output(&registers, *target));
                    if !(-ROUNDING..=1.0 + ROUNDING).contains(&z) {
                        return false;
                    }
                    point[*coordinate] = z.clamp(0.0, 1.0);
                }
            }
        }
        let registers = self.conditions.1.run(&self.conditions.0.read(point), &[]);
        (0..self.conditions.1.outputs()).all(|place| self.conditions.1.output(&registers, place) != 0.0)
    }
}

/// What has been read of a site.
#[derive(Default)]
struct Draft {
    given: Vec<Given>,
    names: Vec<usize>,
    targets: Vec<Term>,
    conditions: Vec<Term>,
}

impl Reader<'_> {
    /// The part of the space that a text describes.
    pub(super) fn site(&mut self, text: &str) -> Outcome<Site> {
        let sides = self.sides(text)?;
        if sides.len() > 1 {
            return Err(self.fault(sides[1].span.start, Fault::NoPlace));
        }
        let mut draft = Draft::default();
        self.part(&sides[0], &mut draft)?;
        self.check_given(&sides[0], &draft)?;
        let program = |terms: &[Term]| {
            let inputs = self.terms.inputs(terms);
            let program = Program::new(&self.terms, terms, &inputs, &[]);
            (Inputs::new(self.chart, &inputs), program)
        };
        Ok(Site {
            targets: program(&draft.targets),
            conditions: program(&draft.conditions),
            given: draft.given,
        })
    }

    fn part(&mut self, node: &Node, draft: &mut Draft) -> Outcome<()> {
        match &node.shape {
            Shape::All(parts) => parts.iter().try_for_each(|part| self.part(part, draft)),
            Shape::Compare(first, rest) => match &rest[..] {
                [(Relation::Equal, second)] => self.equality(node, first, second, draft),
                _ => self.condition(node, draft),
            },
            _ => Err(self.fault(node.span.start, Fault::NoPlace)),
        }
    }

    fn condition(&mut self, node: &Node, draft: &mut Draft) -> Outcome<()> {
        draft.conditions.push(self.truth(node)?);
        Ok(())
    }

    /// An equality gives the parameter that stands alone on one of its sides.
    fn equality(&mut self, node: &Node, first: &Node, second: &Node, draft: &mut Draft) -> Outcome<()> {
        let free = |node: &Node| match &node.shape {
            Shape::Name(name) => self
                .chart
                .place(name)
                .filter(|&place| !matches!(self.chart.standings[place], Standing::Fixed(_))),
            _ => None,
        };
        let (parameter, name, by) = match (free(first), free(second)) {
            (Some(parameter), _) => (parameter, first, second),
            (None, Some(parameter)) => (parameter, second, first),
            (None, None) => {
                let truth = self.truth(node)?;
                return Err(match self.terms.value(truth) {
                    Some(_) => self.fault(node.span.start, Fault::NoPlace),
                    None => self.fault(node.span.start, Fault::Implicit),
                });
            }
        };
        self.give(parameter, name, by, draft)
    }

    fn give(&mut self, parameter: usize, name: &Node, by: &Node, draft: &mut Draft) -> Outcome<()> {
        let own = || self.chart.name(parameter).to_owned();
        if draft.names.contains(&parameter) {
            return Err(self.fault(name.span.start, Fault::GivenTwice { name: own() }));
        }
        if self.chart.space.parameters()[parameter].when.is_some() {
            let obstacle = super::Obstacle::Conditional;
            return Err(self.fault(name.span.start, Fault::NotDifferentiable { name: own(), obstacle }));
        }
        draft.names.push(parameter);
        let form = self.form(by)?;
        let given = match self.chart.standings[parameter] {
            Standing::Smooth { coordinate, scale } => {
                let target = self.scalar(form, by.span.start + 1)?;
                self.check_known(by, target)?;
                self.check_bounds(parameter, by, target, scale)?;
                draft.targets.push(target);
                let target = draft.targets.len() - 1;
                Given::Smooth {
                    coordinate,
                    scale,
                    target,
                }
            }
            _ => self.level(parameter, by, form)?,
        };
        draft.given.push(given);
        Ok(())
    }

    fn check_known(&self, node: &Node, term: Term) -> Outcome<()> {
        if self.terms.jets(term).is_empty() {
            return Ok(());
        }
        let place = "a place";
        Err(self.fault(node.span.start, Fault::ObjectiveInside { place }))
    }

    fn check_bounds(&self, parameter: usize, node: &Node, target: Term, scale: Scale) -> Outcome<()> {
        let Some(value) = self.terms.value(target) else {
            return Ok(());
        };
        if (-ROUNDING..=1.0 + ROUNDING).contains(&scale.coordinate(value)) {
            return Ok(());
        }
        let fault = Fault::Outside {
            name: self.chart.name(parameter).to_owned(),
            value,
            low: scale.value(0.0),
            high: scale.value(1.0),
        };
        Err(self.fault(node.span.start, fault))
    }

    fn level(&mut self, parameter: usize, by: &Node, form: Form) -> Outcome<Given> {
        let value = self.literal(by, form)?;
        if let Some((first, coordinates)) = level(self.chart, parameter, &value) {
            return Ok(Given::Level { first, coordinates });
        }
        let name = self.chart.name(parameter).to_owned();
        let fault = match self.chart.standings[parameter] {
            Standing::Options(_) => self.unknown_option(parameter, &value),
            _ => Fault::NoLevel { name },
        };
        Err(self.fault(by.span.start, fault))
    }

    /// Refuses what is given by something that is given itself.
    fn check_given(&self, node: &Node, draft: &Draft) -> Outcome<()> {
        let used = self.terms.inputs(&draft.targets);
        let Some(by) = draft.names.iter().find(|name| used.binary_search(name).is_ok()) else {
            return Ok(());
        };
        let smooth = draft
            .names
            .iter()
            .filter(|&&place| matches!(self.chart.standings[place], Standing::Smooth { .. }));
        let uses = |target: &Term| self.terms.inputs(&[*target]).contains(by);
        let blamed = smooth
            .zip(&draft.targets)
            .find(|(_, target)| uses(target))
            .map_or(by, |(name, _)| name);
        let fault = Fault::GivenByGiven {
            name: self.chart.name(*blamed).to_owned(),
            by: self.chart.name(*by).to_owned(),
        };
        Err(self.fault(node.span.start, fault))
    }
}

/// The coordinates of a level, where the value is one.
fn level(chart: &Chart, parameter: usize, value: &crate::Value) -> Option<(usize, Vec<f64>)> {
    let domain = chart.space.domain()?;
    let axis = &domain.axes[parameter];
    let position = match axis {
        Axis::Ordered { options, .. } | Axis::OneHot { options, .. } => {
            options.iter().position(|option| option.same(value))? as f64
        }
        _ => {
            let levels = axis.levels()?;
            let number = value.number()?;
            let (first, second) = (axis.slot(0.0), axis.slot(1.0));
            let position = ((number - first) / (second - first)).round();
            let inside = position >= 0.0 && position < levels as f64;
            let exact = inside && (axis.slot(position) - number).abs() <= ROUNDING * number.abs().max(1.0);
            exact.then_some(position)?
        }
    };
    let range = domain.range(parameter);
    let mut coordinates = vec![0.0; range.len()];
    axis.write(position, &mut coordinates);
    Some((range.start, coordinates))
}
