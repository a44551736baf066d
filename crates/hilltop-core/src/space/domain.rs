//! The product of all scales with its conditions and known constraints: everything that happens between coordinates,
//! unit cube and slots.

use super::axis::{Axis, NOWHERE};
use super::guard::{Guard, Names};
use super::rounding::Decimals;
use super::tie::{self, Tie};
use super::{Coordinate, Parameter, SpaceError, scale};
use crate::expression::{Expression, Labels, Value};

/// Slots of up to so many parameters live on the stack.
const INLINE: usize = 48;

/// Scales, conditions and constraints, bound to each other.
#[derive(Debug, Clone)]
pub(crate) struct Domain {
    /// The scale of each parameter.
    pub(crate) axes: Vec<Axis>,
    /// Its first coordinate.
    first: Vec<usize>,
    /// Number of coordinates.
    pub(crate) dim: usize,
    /// The parameters that have something to choose: the coordinates of the unit cube.
    pub(crate) free: Vec<usize>,
    /// The coordinate of the unit cube of each parameter.
    unit: Vec<usize>,
    /// Parameters behind those that their conditions mention.
    pub(crate) order: Vec<usize>,
    /// When each parameter takes part.
    pub(crate) conditions: Vec<Option<Guard>>,
    /// The known constraints.
    pub(crate) constraints: Vec<Guard>,
    /// What the known constraints depend on, in the same order as `order`.
    pub(crate) relevant: Vec<usize>,
    /// The coordinates of the unit cube that they do not depend on.
    pub(crate) loose: Vec<usize>,
    /// The linear equalities among them.
    pub(crate) ties: Vec<Tie>,
    /// Which parameters they tie.
    pub(crate) tied: Vec<bool>,
}

impl Domain {
    /// Checks and binds a description.
    pub(crate) fn new(parameters: &[Parameter], known: &[Expression]) -> Result<Self, SpaceError> {
        if parameters.is_empty() {
            return Err(SpaceError::Empty);
        }
        let mut labels = Labels::default();
        let axes = parameters
            .iter()
            .map(|one| scale::axis(one, &mut labels))
            .collect::<Result<Vec<_>, _>>()?;
        check_distinct(parameters)?;
        let names = Names(parameters);
        let conditions = parameters
            .iter()
            .map(|one| condition(one, &names, &mut labels))
            .collect::<Result<Vec<_>, _>>()?;
        let order = names.order()?;
        let mut constraints = Vec::new();
        for (place, one) in known.iter().enumerate() {
            constraints.extend(constraint(one, place, &names, &mut labels)?);
        }
        let mut domain = Self::bind(axes, order, conditions, constraints);
        domain.ties = tie::ties(&domain, parameters, known)?;
        domain.tied = (0..domain.axes.len())
            .map(|place| domain.ties.iter().any(|tie| tie.binds(place)))
            .collect();
        Ok(domain)
    }

    /// `d` floats between 0 and 1.
    pub(crate) fn unit_box(d: usize) -> Self {
        let axis = Axis::Linear {
            low: 0.0,
            high: 1.0,
            decimals: Decimals::between(0.0, 1.0),
        };
        Self::bind(vec![axis; d], (0..d).collect(), vec![None; d], Vec::new())
    }

    fn bind(axes: Vec<Axis>, order: Vec<usize>, conditions: Vec<Option<Guard>>, mut constraints: Vec<Guard>) -> Self {
        let tied = vec![false; axes.len()];
        let mut needed = vec![false; axes.len()];
        for guard in &mut constraints {
            guard.trace(&order, &conditions);
            guard.needs.iter().for_each(|&place| needed[place] = true);
        }
        let relevant: Vec<usize> = order.iter().copied().filter(|&place| needed[place]).collect();
        let mut first = Vec::with_capacity(axes.len());
        let mut unit = Vec::with_capacity(axes.len());
        let mut free = Vec::new();
        let mut dim = 0;
        for (parameter, axis) in axes.iter().enumerate() {
            first.push(dim);
            unit.push(free.len());
            dim += axis.width();
            if axis.width() > 0 {
                free.push(parameter);
            }
        }
        let loose = (0..free.len()).filter(|&place| !needed[free[place]]).collect();
        Self {
            axes,
            first,
            dim,
            free,
            unit,
            order,
            conditions,
            constraints,
            relevant,
            loose,
            ties: Vec::new(),
            tied,
        }
    }

    /// The coordinates of a parameter.
    pub(crate) fn range(&self, parameter: usize) -> std::ops::Range<usize> {
        self.first[parameter]..self.first[parameter] + self.axes[parameter].width()
    }

    /// What each coordinate is.
    pub(crate) fn coordinates(&self) -> Vec<Coordinate> {
        let each = |parameter: usize| {
            let range = self.range(parameter);
            let (first, count) = (range.start, range.len());
            range.map(
                move |place| match (&self.axes[parameter], self.axes[parameter].levels()) {
                    (Axis::OneHot { .. }, _) => Coordinate::OneHot {
                        parameter,
                        option: place - first,
                        first,
                        count,
                    },
                    (_, Some(levels)) => Coordinate::Grid { parameter, levels },
                    (_, None) => Coordinate::Continuous { parameter },
                },
            )
        };
        (0..self.axes.len()).flat_map(each).collect()
    }

    /// Fills the slots from positions; NaN where a parameter takes no part.
    pub(crate) fn fill(&self, position: impl Fn(usize) -> f64, slots: &mut [f64]) {
        self.fill_some(&self.order, position, slots);
    }

    /// Fills the slots of some parameters, in an order that conditions allow.
    pub(crate) fn fill_some(&self, some: &[usize], position: impl Fn(usize) -> f64, slots: &mut [f64]) {
        for &parameter in some {
            let active = self.conditions[parameter]
                .as_ref()
                .is_none_or(|guard| guard.activates(slots));
            slots[parameter] = if active {
                self.axes[parameter].slot(position(parameter))
            } else {
                f64::NAN
            };
        }
    }

    /// The coordinate of the unit cube of a parameter.
    pub(crate) fn unit_place(&self, parameter: usize) -> usize {
        self.unit[parameter]
    }

    /// The position of a parameter at coordinates.
    pub(crate) fn position(&self, z: &[f64], parameter: usize) -> f64 {
        self.axes[parameter].position(&z[self.range(parameter)])
    }

    /// The position of a parameter at a point of the unit cube.
    pub(crate) fn unit_position(&self, u: &[f64], parameter: usize) -> f64 {
        match &self.axes[parameter] {
            Axis::Fixed { .. } => 0.0,
            axis => axis.position_of_unit(u[self.unit[parameter]]),
        }
    }

    /// Lends the slots of coordinates.
    pub(crate) fn with_slots<R>(&self, z: &[f64], read: impl FnOnce(&[f64]) -> R) -> R {
        self.lend(|slots| {
            self.fill(|parameter| self.position(z, parameter), slots);
            read(slots)
        })
    }

    /// Lends a slice as long as there are parameters, without allocating for ordinary spaces.
    pub(crate) fn lend<R>(&self, use_slots: impl FnOnce(&mut [f64]) -> R) -> R {
        if self.axes.len() <= INLINE {
            use_slots(&mut [f64::NAN; INLINE][..self.axes.len()])
        } else {
            use_slots(&mut vec![f64::NAN; self.axes.len()])
        }
    }

    /// Moves coordinates to the nearest point that decodes exactly.
    pub(crate) fn project(&self, z: &mut [f64]) {
        if self.conditions.iter().all(Option::is_none) {
            return (0..self.axes.len()).for_each(|parameter| self.project_one(z, parameter));
        }
        self.lend(|slots| {
            for &parameter in &self.order {
                let active = self.conditions[parameter]
                    .as_ref()
                    .is_none_or(|guard| guard.activates(slots));
                if active {
                    self.project_one(z, parameter);
                    slots[parameter] = self.axes[parameter].slot(self.position(z, parameter));
                } else {
                    z[self.range(parameter)].fill(NOWHERE);
                }
            }
        });
    }

    fn project_one(&self, z: &mut [f64], parameter: usize) {
        let position = self.position(z, parameter);
        self.axes[parameter].write(position, &mut z[self.range(parameter)]);
    }

    /// The coordinates of a point of the unit cube.
    pub(crate) fn of_unit(&self, u: &[f64]) -> Vec<f64> {
        let mut z = vec![NOWHERE; self.dim];
        for &parameter in &self.free {
            self.axes[parameter].write(self.unit_position(u, parameter), &mut z[self.range(parameter)]);
        }
        self.project(&mut z);
        z
    }

    /// Names and values of the parameters that take part.
    pub(crate) fn values(&self, z: &[f64]) -> Vec<Option<Value>> {
        self.with_slots(z, |slots| {
            (0..self.axes.len())
                .map(|parameter| {
                    let position = self.position(z, parameter);
                    (!slots[parameter].is_nan()).then(|| self.axes[parameter].value(position))
                })
                .collect()
        })
    }

    /// Whether the known constraints hold at coordinates.
    pub(crate) fn satisfies(&self, z: &[f64]) -> bool {
        self.lend(|slots| {
            self.fill_some(&self.relevant, |parameter| self.position(z, parameter), slots);
            self.permits(slots)
        })
    }

    /// Whether the known constraints hold at slots.
    pub(crate) fn permits(&self, slots: &[f64]) -> bool {
        self.constraints.iter().all(|guard| guard.permits(slots))
    }
}

fn check_distinct(parameters: &[Parameter]) -> Result<(), SpaceError> {
    let mut names: Vec<&str> = parameters.iter().map(|parameter| parameter.name.as_str()).collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(SpaceError::DuplicateName {
            name: pair[0].to_owned(),
        }),
        None => Ok(()),
    }
}

fn condition(parameter: &Parameter, names: &Names<'_>, labels: &mut Labels) -> Result<Option<Guard>, SpaceError> {
    let Some(when) = &parameter.when else { return Ok(None) };
    names
        .guard(when, labels)
        .map(Some)
        .map_err(|source| SpaceError::Condition {
            name: parameter.name.clone(),
            condition: when.to_string(),
            source,
        })
}

fn constraint(
    known: &Expression,
    place: usize,
    names: &Names<'_>,
    labels: &mut Labels,
) -> Result<Vec<Guard>, SpaceError> {
    let guards = names.guards(known, place, labels);
    guards.map_err(|source| SpaceError::Known {
        constraint: known.to_string(),
        source,
    })
}
