//! The search space: what the inputs are, which of their combinations are allowed, and one coordinate system for all.
//!
//! Below the border everything is an *encoded point* `z` of `[0,1]^D`. A float, int or ordered parameter has one
//! coordinate, a choice one per option (one-hot), a fixed parameter none. Parameters searched in the logarithm are encoded in
//! it. A conditional parameter that takes no part is encoded at 0.5 in every coordinate of its own.
//!
//! Known constraints are relations of the inputs that no suggestion violates. One that mentions a parameter that takes
//! no part is vacuous: it holds. A condition (`when`) that mentions such a parameter does not hold.

mod axis;
mod candidates;
mod domain;
mod encode;
mod enumerate;
mod error;
mod feasible;
mod guard;
mod interior;
mod mend;
mod neighbours;
mod parameter;
mod parameters;
mod rounding;
mod scale;
mod seek;
mod shape;
mod sweep;
mod terrain;
mod tie;
mod walk;

use std::sync::Arc;

pub use candidates::Candidates;
pub use error::SpaceError;
pub use parameter::{Kind, Parameter};
pub use parameters::Parameters;

pub(crate) use axis::Axis;

use crate::expression::Expression;
use domain::Domain;
use interior::Interior;

/// What a coordinate of an encoded point stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coordinate {
    /// A number.
    Continuous {
        /// Its parameter.
        parameter: usize,
    },
    /// One of several levels; evenly spaced in `[0,1]`, but for ints searched in the logarithm.
    Grid {
        /// Its parameter.
        parameter: usize,
        /// How many levels.
        levels: u64,
    },
    /// One option of a choice: 1 where it is chosen, 0 otherwise.
    OneHot {
        /// Its parameter.
        parameter: usize,
        /// The option.
        option: usize,
        /// The coordinate of the first option.
        first: usize,
        /// How many options.
        count: usize,
    },
}

/// A checked search space. Cheap to clone.
///
/// ```
/// use hilltop_core::{Expression, Parameter, Rng, Space};
/// let space = Space::new(
///     vec![
///         Parameter::float("length", 20.0, 50.0),
///         Parameter::log_float("ratio", 1e-4, 1.0),
///         Parameter::choice("steel", ["s235", "s355", "duplex"]),
///         Parameter::float("damper", 0.0, 1.0).when("steel == 'duplex'")?,
///     ],
///     vec![Expression::parse("length * ratio <= 32")?],
/// )?;
/// let z = space.sample(&mut Rng::new(1))?;
/// let point = space.decode(&z);
/// assert_eq!(space.encode(&point)?, z);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Space(Arc<Description>);

#[derive(Debug)]
struct Description {
    parameters: Vec<Parameter>,
    known: Vec<Expression>,
    coordinates: Vec<Coordinate>,
    form: Form,
}

/// The two forms a space has.
#[derive(Debug)]
enum Form {
    /// All combinations that the constraints allow.
    Product(Domain, Option<Interior>),
    /// The rows of a table.
    Finite(Candidates),
}

impl Space {
    /// Checks a description.
    pub fn new(parameters: Vec<Parameter>, known: Vec<Expression>) -> Result<Self, SpaceError> {
        let domain = Domain::new(&parameters, &known)?;
        let interior = Interior::explore(&domain, &parameters, &known)?;
        let coordinates = domain.coordinates();
        let form = Form::Product(domain, interior);
        Ok(Self(Arc::new(Description {
            parameters,
            known,
            coordinates,
            form,
        })))
    }

    /// `x1` to `xd` between 0 and 1; there is always an `x1`.
    pub fn unit_box(d: usize) -> Self {
        let domain = Domain::unit_box(d.max(1));
        let parameters = numbered(&vec![(0.0, 1.0); d.max(1)]);
        let coordinates = domain.coordinates();
        let form = Form::Product(domain, None);
        Self(Arc::new(Description {
            parameters,
            known: Vec::new(),
            coordinates,
            form,
        }))
    }

    /// `x1`, `x2`, … between the given bounds.
    pub fn of_box(bounds: &[(f64, f64)]) -> Result<Self, SpaceError> {
        Self::new(numbered(bounds), Vec::new())
    }

    /// The rows of a table. Its parameters are the features.
    pub fn finite(candidates: Candidates) -> Self {
        let feature = |(name, &(low, high)): (&String, &(f64, f64))| {
            if low < high {
                Parameter::float(name, low, high)
            } else {
                Parameter::fixed(name, low)
            }
        };
        let parameters: Vec<_> = candidates
            .feature_names()
            .iter()
            .zip(candidates.bounds())
            .map(feature)
            .collect();
        let coordinates = (0..parameters.len())
            .map(|parameter| Coordinate::Continuous { parameter })
            .collect();
        let form = Form::Finite(candidates);
        Self(Arc::new(Description {
            parameters,
            known: Vec::new(),
            coordinates,
            form,
        }))
    }

    /// The parameters, in the order they were given.
    pub fn parameters(&self) -> &[Parameter] {
        &self.0.parameters
    }

    /// The known constraints.
    pub fn known(&self) -> &[Expression] {
        &self.0.known
    }

    /// The number of coordinates.
    pub fn dim(&self) -> usize {
        self.0.coordinates.len()
    }

    /// What each coordinate stands for.
    pub fn coordinates(&self) -> &[Coordinate] {
        &self.0.coordinates
    }

    /// Which coordinates belong together: the options of a choice share a number, every other coordinate has its own; counted
    /// from zero.
    pub fn groups(&self) -> Vec<usize> {
        let follows = |coordinate: &Coordinate| matches!(coordinate, Coordinate::OneHot { option, .. } if *option > 0);
        let numbered = self.coordinates().iter().scan(0_usize, |next, coordinate| {
            *next += usize::from(!follows(coordinate));
            Some(next.saturating_sub(1))
        });
        numbered.collect()
    }

    /// The scales behind the coordinates; none for a finite space.
    pub(crate) fn domain(&self) -> Option<&Domain> {
        match &self.0.form {
            Form::Product(domain, _) => Some(domain),
            Form::Finite(_) => None,
        }
    }

    /// The table of a finite space.
    pub fn candidates(&self) -> Option<&Candidates> {
        match &self.0.form {
            Form::Finite(candidates) => Some(candidates),
            Form::Product(..) => None,
        }
    }

    /// The array that the coordinates form, where the candidates of a finite space have a shape.
    pub fn shape(&self) -> Option<&[usize]> {
        self.candidates().and_then(Candidates::shape)
    }

    /// The coordinates of named values, or what is wrong with them.
    pub fn encode(&self, point: &Parameters) -> Result<Vec<f64>, SpaceError> {
        match &self.0.form {
            Form::Product(domain, _) => encode::encode(domain, &self.0.parameters, &self.0.known, point),
            Form::Finite(candidates) => match candidates.index_of(point) {
                Some(row) => Ok(candidates.features(row).to_vec()),
                None => Err(SpaceError::NotACandidate {
                    parameters: point.to_string(),
                }),
            },
        }
    }

    /// The named values of the point nearest to the coordinates, without parameters that take no part; for a finite
    /// space the nearest row with all its columns.
    pub fn decode(&self, z: &[f64]) -> Parameters {
        match &self.0.form {
            Form::Finite(candidates) => candidates.row(candidates.index_of_point(z)),
            Form::Product(domain, _) => {
                let mut point = Parameters::new();
                for (parameter, value) in self.0.parameters.iter().zip(domain.values(z)) {
                    if let Some(value) = value {
                        point.push(&parameter.name, value);
                    }
                }
                point
            }
        }
    }

    /// Moves coordinates to the nearest point that decodes exactly; known constraints are left aside.
    pub fn project(&self, z: &mut [f64]) {
        match &self.0.form {
            Form::Product(domain, _) => domain.project(z),
            Form::Finite(candidates) => z.copy_from_slice(candidates.features(candidates.index_of_point(z))),
        }
    }

    /// Whether the known constraints hold where the coordinates decode to.
    pub fn satisfies(&self, z: &[f64]) -> bool {
        match &self.0.form {
            Form::Product(domain, _) if domain.constraints.is_empty() => true,
            Form::Product(domain, _) => domain.satisfies(z),
            Form::Finite(_) => true,
        }
    }

    /// Which parameters take part at the coordinates.
    pub fn active(&self, z: &[f64]) -> Vec<bool> {
        match &self.0.form {
            Form::Product(domain, _) => domain.with_slots(z, |slots| slots.iter().map(|slot| !slot.is_nan()).collect()),
            Form::Finite(_) => vec![true; self.dim()],
        }
    }

    /// The number of coordinates of the unit cube that [`from_unit`](Self::from_unit) reads: one a parameter that is not
    /// fixed, or one a feature.
    pub fn unit_dim(&self) -> usize {
        match &self.0.form {
            Form::Product(domain, _) => domain.free.len(),
            Form::Finite(candidates) => candidates.dim(),
        }
    }

    /// The encoded, projected point of a point of the unit cube, where a design has been made: every value of a discrete
    /// parameter takes an equal share of its coordinate. Known constraints are left aside.
    pub fn from_unit(&self, u: &[f64]) -> Vec<f64> {
        match &self.0.form {
            Form::Product(domain, _) => domain.of_unit(u),
            Form::Finite(candidates) => candidates.features(candidates.index_of_point(u)).to_vec(),
        }
    }
}

/// Floats `x1`, `x2`, … of the given bounds.
fn numbered(bounds: &[(f64, f64)]) -> Vec<Parameter> {
    let parameter =
        |(place, &(low, high)): (usize, &(f64, f64))| Parameter::float(format!("x{}", place + 1), low, high);
    bounds.iter().enumerate().map(parameter).collect()
}
