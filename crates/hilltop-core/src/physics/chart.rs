//! Between encoded points and physical ones: the values of parameters, and derivatives in their units.
//!
//! A float has the coordinate `z = (x - low) / (high - low)`, so `d/dx = 1/(high - low) d/dz`; one that is searched in the
//! logarithm has `x = exp(a + s z)`, so `x d/dx = 1/s d/dz`, and powers of it give
//! `dⁿ/dxⁿ = x⁻ⁿ Σ_k S(n,k) s⁻ᵏ dᵏ/dzᵏ` with Stirling's numbers of the first kind.

use std::collections::BTreeMap;

use super::Partial;
use super::error::Obstacle;
use super::slope::Direction;
use crate::expression::Value;
use crate::space::{Axis, Space};

/// How a continuous parameter follows from its coordinate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Scale {
    /// `low + z range`.
    Linear { low: f64, range: f64 },
    /// `exp(low + z range)`.
    Log { low: f64, range: f64 },
}

impl Scale {
    pub(super) fn value(self, z: f64) -> f64 {
        match self {
            Self::Linear { low, range } => low + z * range,
            Self::Log { low, range } => (low + z * range).exp(),
        }
    }

    /// The coordinate of a value, beyond 0 and 1 where it is out of bounds.
    pub(super) fn coordinate(self, value: f64) -> f64 {
        match self {
            Self::Linear { low, range } => (value - low) / range,
            Self::Log { low, range } => (value.ln() - low) / range,
        }
    }
}

/// What a parameter is to an equation.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Standing {
    /// A number that can be differentiated in.
    Smooth { coordinate: usize, scale: Scale },
    /// A number that cannot.
    Level,
    /// An option that is no number, each with what stands for it.
    Options(Vec<(Value, f64)>),
    /// Always the same.
    Fixed(Value),
}

/// The parameters as equations see them.
#[derive(Clone, Debug)]
pub(super) struct Chart {
    pub(super) space: Space,
    pub(super) standings: Vec<Standing>,
    places: BTreeMap<String, usize>,
    /// The parameter of each coordinate that derivatives are taken in.
    smooth: BTreeMap<usize, usize>,
    /// Changes the sign of an objective that is maximised.
    pub(super) sign: f64,
}

impl Chart {
    pub(super) fn new(space: &Space, sign: f64) -> Self {
        let parameters = space.parameters().iter().enumerate();
        let standings: Vec<Standing> = parameters.clone().map(|(place, _)| standing(space, place)).collect();
        let smooth = |(place, standing): (usize, &Standing)| match standing {
            Standing::Smooth { coordinate, .. } => Some((*coordinate, place)),
            _ => None,
        };
        Self {
            space: space.clone(),
            places: parameters.map(|(place, one)| (one.name.clone(), place)).collect(),
            smooth: standings.iter().enumerate().filter_map(smooth).collect(),
            standings,
            sign,
        }
    }

    pub(super) fn name(&self, parameter: usize) -> &str {
        &self.space.parameters()[parameter].name
    }

    pub(super) fn place(&self, name: &str) -> Option<usize> {
        self.places.get(name).copied()
    }

    /// The direction of a parameter, or why there is none.
    pub(super) fn direction(&self, parameter: usize) -> Result<Direction, Obstacle> {
        use crate::Kind;
        let described = &self.space.parameters()[parameter];
        match (&self.standings[parameter], &described.kind) {
            _ if described.when.is_some() => Err(Obstacle::Conditional),
            (Standing::Smooth { coordinate, .. }, _) => Ok(Direction {
                parameter,
                coordinate: *coordinate,
            }),
            (Standing::Fixed(_), _) => Err(Obstacle::Fixed),
            (_, Kind::Int { .. }) => Err(Obstacle::Whole),
            (_, Kind::Float { .. }) => Err(Obstacle::Stepped),
            _ => Err(Obstacle::Option),
        }
    }

    /// Every parameter that can be differentiated in.
    pub(super) fn directions(&self) -> Vec<Direction> {
        let all = 0..self.standings.len();
        all.filter_map(|parameter| self.direction(parameter).ok()).collect()
    }

    /// The scale and the parameter of a coordinate that derivatives are taken in.
    fn scale(&self, coordinate: usize) -> Option<(usize, Scale)> {
        let parameter = *self.smooth.get(&coordinate)?;
        match self.standings[parameter] {
            Standing::Smooth { scale, .. } => Some((parameter, scale)),
            _ => None,
        }
    }

    /// A derivative in physical units as a sum of derivatives in coordinates.
    pub(super) fn spread(&self, physical: &Partial) -> Vec<Share> {
        let whole = Share {
            factor: self.sign,
            powers: Vec::new(),
            axes: Vec::new(),
        };
        physical
            .axes()
            .iter()
            .fold(vec![whole], |shares, &(coordinate, order)| {
                let Some((parameter, scale)) = self.scale(coordinate) else {
                    return shares;
                };
                let parts = one_axis(parameter, scale, order);
                let joined = shares
                    .iter()
                    .flat_map(|share| parts.iter().map(move |part| share.times(part, coordinate)));
                joined.collect()
            })
    }
}

/// One term of a physical derivative: a factor, powers of parameters, and a derivative in coordinates.
#[derive(Clone, Debug)]
pub(super) struct Share {
    pub(super) factor: f64,
    pub(super) powers: Vec<(usize, i32)>,
    axes: Vec<usize>,
}

/// A term of a derivative in one parameter.
struct Part {
    factor: f64,
    power: Option<(usize, i32)>,
    times: usize,
}

impl Share {
    fn times(&self, part: &Part, coordinate: usize) -> Self {
        let again = std::iter::repeat_n(coordinate, part.times);
        Self {
            factor: self.factor * part.factor,
            powers: self.powers.iter().copied().chain(part.power).collect(),
            axes: self.axes.iter().copied().chain(again).collect(),
        }
    }

    pub(super) fn partial(&self) -> Partial {
        Partial::of(&self.axes)
    }
}

/// Stirling's numbers of the first kind with their signs, `S(n, k)` for k from 1 to n.
const STIRLING: [&[f64]; 4] = [&[1.0], &[-1.0, 1.0], &[2.0, -3.0, 1.0], &[-6.0, 11.0, -6.0, 1.0]];

fn one_axis(parameter: usize, scale: Scale, order: usize) -> Vec<Part> {
    match scale {
        Scale::Linear { range, .. } => vec![Part {
            factor: range.powi(-(order as i32)),
            power: None,
            times: order,
        }],
        Scale::Log { range, .. } => STIRLING[order - 1]
            .iter()
            .zip(1..)
            .map(|(stirling, times)| Part {
                factor: stirling * range.powi(-(times as i32)),
                power: Some((parameter, -(order as i32))),
                times,
            })
            .collect(),
    }
}

fn standing(space: &Space, place: usize) -> Standing {
    let Some(domain) = space.domain() else {
        let bounds = space
            .candidates()
            .map_or((0.0, 0.0), |candidates| candidates.bounds()[place]);
        return if bounds.0 < bounds.1 {
            linear(place, bounds.0, bounds.1)
        } else {
            Standing::Fixed(bounds.0.into())
        };
    };
    let coordinate = domain.range(place).start;
    match &domain.axes[place] {
        Axis::Linear { low, high, .. } => linear(coordinate, *low, *high),
        Axis::Log { ln, .. } => Standing::Smooth {
            coordinate,
            scale: Scale::Log {
                low: ln.0,
                range: ln.1 - ln.0,
            },
        },
        Axis::Step { .. } | Axis::Whole { .. } | Axis::LogWhole { .. } => Standing::Level,
        Axis::Ordered { options, slots } | Axis::OneHot { options, slots } => {
            if options.iter().all(|option| option.number().is_some()) {
                Standing::Level
            } else {
                Standing::Options(options.iter().cloned().zip(slots.iter().copied()).collect())
            }
        }
        Axis::Fixed { value, .. } => Standing::Fixed(value.clone()),
    }
}

fn linear(coordinate: usize, low: f64, high: f64) -> Standing {
    let range = high - low;
    Standing::Smooth {
        coordinate,
        scale: Scale::Linear { low, range },
    }
}
