//! The 24 noise-free functions of BBOB, the suite of the COCO platform, in any dimension from two and any instance.
//!
//! Written from the definitions (Finck, Hansen, Ros and Auger, *Real-parameter black-box optimization benchmarking 2009:
//! noiseless functions definitions*, INRIA report RR-6829, version of 2019) with the suite's own generator, and
//! compared with stored values of COCO's Python package: an instance here is the same function as there.

mod conditioned;
mod deceptive;
mod gallagher;
mod generator;
mod matrix;
mod moderate;
mod separable;
mod structured;
mod targets;
mod transform;

pub use targets::{solved_fraction, targets};

use crate::problem::{Failure, Optimum, Output, Problem, admit};
use crate::registry::Fault;
use generator::Draw;

/// The value above the least one, as a function of the point and the minimiser.
type Height = Box<dyn Fn(&[f64], &[f64]) -> f64 + Send + Sync>;

/// A function with its minimiser; its least value is zero.
struct Landscape {
    minimiser: Vec<f64>,
    height: Height,
}

impl Landscape {
    fn around(minimiser: Vec<f64>, height: impl Fn(&[f64], &[f64]) -> f64 + Send + Sync + 'static) -> Self {
        Self {
            minimiser,
            height: Box::new(height),
        }
    }
}

/// One of the 24 kinds of function: what it is called, and how an instance of it is made.
struct Kind {
    about: &'static str,
    landscape: fn(Draw) -> Landscape,
}

const fn kind(about: &'static str, landscape: fn(Draw) -> Landscape) -> Kind {
    Kind { about, landscape }
}

const KINDS: [Kind; 24] = [
    kind("sphere", separable::sphere),
    kind("ellipsoid, separable", separable::separable_ellipsoid),
    kind("Rastrigin, separable", separable::separable_rastrigin),
    kind("Büche-Rastrigin", separable::bueche_rastrigin),
    kind("linear slope", separable::linear_slope),
    kind("attractive sector", moderate::attractive_sector),
    kind("step ellipsoid", moderate::step_ellipsoid),
    kind("Rosenbrock", moderate::rosenbrock),
    kind("Rosenbrock, rotated", moderate::rotated_rosenbrock),
    kind("ellipsoid, rotated", conditioned::rotated_ellipsoid),
    kind("discus", conditioned::discus),
    kind("bent cigar", conditioned::bent_cigar),
    kind("sharp ridge", conditioned::sharp_ridge),
    kind("sum of different powers", conditioned::different_powers),
    kind("Rastrigin, rotated", structured::rotated_rastrigin),
    kind("Weierstrass", structured::weierstrass),
    kind("Schaffer F7, condition 10", structured::schaffer),
    kind("Schaffer F7, condition 1000", structured::ill_conditioned_schaffer),
    kind("Griewank-Rosenbrock F8F2", structured::griewank_rosenbrock),
    kind("Schwefel x sin x", deceptive::schwefel),
    kind("Gallagher, 101 peaks", gallagher::hundred_peaks),
    kind("Gallagher, 21 peaks", gallagher::twenty_peaks),
    kind("Katsuura", deceptive::katsuura),
    kind("Lunacek bi-Rastrigin", deceptive::lunacek),
];

/// The number of functions of the suite.
pub const FUNCTIONS: usize = KINDS.len();
/// The largest dimension offered: a function stores two rotations of its dimension squared.
pub const MAX_DIM: usize = 1000;
/// The largest instance number.
pub const MAX_INSTANCE: usize = 100_000;

/// What a function is called; empty where there is no such function.
pub(crate) fn about(function: usize) -> &'static str {
    function
        .checked_sub(1)
        .and_then(|index| KINDS.get(index))
        .map_or("", |kind| kind.about)
}

/// An instance of a BBOB function, on `[-5, 5]^d`.
pub struct Bbob {
    name: String,
    about: &'static str,
    least_value: f64,
    landscape: Landscape,
}

impl Bbob {
    /// Function 1 to 24, dimension 2 to [`MAX_DIM`], instance 1 to [`MAX_INSTANCE`].
    pub fn new(function: usize, dim: usize, instance: usize) -> Result<Self, Fault> {
        let kind = function
            .checked_sub(1)
            .and_then(|index| KINDS.get(index))
            .ok_or(Fault::Function { function })?;
        if !(2..=MAX_DIM).contains(&dim) {
            return Err(Fault::Dimension {
                dim,
                least: 2,
                most: MAX_DIM,
            });
        }
        if !(1..=MAX_INSTANCE).contains(&instance) {
            return Err(Fault::Instance { instance });
        }
        let draw = Draw::new(function, instance, dim);
        Ok(Self {
            name: format!("bbob-f{function}-d{dim}-i{instance}"),
            about: kind.about,
            least_value: draw.least_value(),
            landscape: (kind.landscape)(draw),
        })
    }

    /// The value above the least one; zero at the minimiser.
    fn height(&self, x: &[f64]) -> f64 {
        (self.landscape.height)(x, &self.landscape.minimiser)
    }
}

impl Problem for Bbob {
    fn name(&self) -> &str {
        &self.name
    }

    fn bounds(&self) -> Vec<(f64, f64)> {
        vec![(-5.0, 5.0); self.dim()]
    }

    fn dim(&self) -> usize {
        self.landscape.minimiser.len()
    }

    fn outputs(&self) -> Vec<Output> {
        Output::with_constraints(0)
    }

    fn evaluate(&self, x: &[f64]) -> Result<Vec<f64>, Failure> {
        admit(&self.name, self.dim(), x)?;
        Ok(vec![self.height(x) + self.least_value])
    }

    fn optimum(&self) -> Option<Optimum> {
        Some(Optimum {
            value: self.least_value,
            at: Some(self.landscape.minimiser.clone()),
        })
    }

    fn about(&self) -> &str {
        self.about
    }
}
