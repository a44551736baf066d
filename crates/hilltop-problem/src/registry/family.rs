//! The table of families: every problem that is not BBOB, with what the user reads about it.

use super::{Fault, Row};
use crate::formula::Formula;
use crate::problem::Problem;
use crate::{classic, constrained, design, hartmann, heat, mechanics, michalewicz};

/// The largest dimension of a family that has many.
const MOST: usize = 10_000;

/// The dimensions a family exists in.
#[derive(Clone, Copy)]
enum Dimensions {
    /// One only; the name carries none.
    Only(usize),
    /// From this one on, with the one that a bare name means.
    From { least: usize, bare: Option<usize> },
}
use Dimensions::{From, Only};

/// A family of problems under one name.
pub(super) struct Family {
    pub(super) name: &'static str,
    dimensions: Dimensions,
    build: fn(usize) -> Formula,
    bounds: &'static str,
    optimum: &'static str,
    about: &'static str,
    source: &'static str,
}

impl Family {
    /// The problem of a dimension, checked.
    pub(super) fn problem(&self, dim: Option<usize>) -> Result<Box<dyn Problem>, Fault> {
        let dim = self.admitted(dim)?;
        Ok(Box::new((self.build)(dim).named(self.full_name(dim), self.about)))
    }

    fn admitted(&self, dim: Option<usize>) -> Result<usize, Fault> {
        match (self.dimensions, dim) {
            (Only(only), Some(dim)) if dim != only => Err(Fault::FixedDimension { dim, only }),
            (Only(only), _) => Ok(only),
            (From { least, .. }, Some(dim)) if !(least..=MOST).contains(&dim) => {
                Err(Fault::Dimension { dim, least, most: MOST })
            }
            (From { least, bare }, dim) => dim.or(bare).ok_or(Fault::DimensionMissing { least, most: MOST }),
        }
    }

    fn full_name(&self, dim: usize) -> String {
        match self.dimensions {
            Only(_) => self.name.into(),
            From { .. } => format!("{}-{dim}", self.name),
        }
    }

    /// A name of this family, in the given dimension where it exists.
    pub(super) fn example(&self, dim: Option<usize>) -> String {
        let usual = match self.dimensions {
            Only(dim) => dim,
            From { bare, .. } => bare.unwrap_or(10),
        };
        self.full_name(self.admitted(dim).unwrap_or(usual))
    }

    pub(super) fn row(&self) -> Row {
        let (name, dimensions) = match self.dimensions {
            Only(dim) => (self.name.into(), dim.to_string()),
            From { least, .. } => (format!("{}-<dim>", self.name), format!("{least} to {MOST}")),
        };
        let example = self.example(None);
        let constraints = self
            .problem(None)
            .or_else(|_| self.problem(Some(10)))
            .map_or(0, |p| p.outputs().len() - 1);
        let Self {
            bounds,
            optimum,
            about,
            source,
            ..
        } = *self;
        Row {
            name,
            example,
            dimensions,
            bounds,
            constraints,
            optimum,
            about,
            source,
        }
    }
}

const FREE: Dimensions = From { least: 1, bare: None };

/// Every family, unconstrained first.
pub(super) const FAMILIES: &[Family] = &[
    Family {
        name: "ackley",
        dimensions: FREE,
        build: classic::ackley,
        bounds: "[-32.768, 32.768]",
        optimum: "0 at 0",
        about: "a narrow funnel in a rippled, almost flat plain",
        source: "Ackley 1987; NeuralBO",
    },
    Family {
        name: "levy",
        dimensions: FREE,
        build: classic::levy,
        bounds: "[-10, 10]",
        optimum: "0 at 1",
        about: "waves of growing size around a shallow bowl",
        source: "Levy and Montalvo 1985; NeuralBO",
    },
    Family {
        name: "michalewicz",
        dimensions: FREE,
        build: michalewicz::michalewicz,
        bounds: "[0, pi]",
        optimum: "-1.801303 (2), -4.687658 (5), -9.660152 (10)",
        about: "steep narrow valleys between plateaus, m = 10",
        source: "Michalewicz 1992; NeuralBO",
    },
    Family {
        name: "rastrigin",
        dimensions: FREE,
        build: classic::rastrigin,
        bounds: "[-5.12, 5.12]",
        optimum: "0 at 0",
        about: "a bowl with a regular grid of local minima",
        source: "Rastrigin 1974; GO-UCB",
    },
    Family {
        name: "styblinski-tang",
        dimensions: FREE,
        build: classic::styblinski_tang,
        bounds: "[-5, 5]",
        optimum: "-39.166166 d at -2.903534",
        about: "a quartic with two wells along every axis",
        source: "Styblinski and Tang 1990; GO-UCB",
    },
    Family {
        name: "drop-wave",
        dimensions: Only(2),
        build: classic::drop_wave,
        bounds: "[-5.12, 5.12]",
        optimum: "-1 at 0",
        about: "circular waves, lowest in the centre",
        source: "Surjanovic and Bingham; PINN-BO",
    },
    Family {
        name: "cosine-mixture",
        dimensions: FREE,
        build: classic::cosine_mixture,
        bounds: "[-1, 1]",
        optimum: "-0.063012 d at +-0.184873",
        about: "a bowl with a cosine along every axis, 2^d global minima",
        source: "Breiman and Cutler 1993; PINN-BO",
    },
    Family {
        name: "hartmann-6",
        dimensions: Only(6),
        build: hartmann::hartmann,
        bounds: "[0, 1]",
        optimum: "-3.322368 at (0.202, 0.150, 0.477, 0.275, 0.312, 0.657)",
        about: "four bumps, six local minima",
        source: "Hartman 1973; STO-BNTS",
    },
    Family {
        name: "branin",
        dimensions: Only(2),
        build: classic::branin,
        bounds: "[-5, 10] x [0, 15]",
        optimum: "0.397887 at (pi, 2.275), (-pi, 12.275), (3 pi, 2.475)",
        about: "a curved valley with three global minima",
        source: "Branin 1972",
    },
    Family {
        name: "go-ucb-f1",
        dimensions: From {
            least: 1,
            bare: Some(20),
        },
        build: classic::go_ucb_network,
        bounds: "[-5, 5]",
        optimum: "-26 (d = 20), flat over most of the better half",
        about: "a network of 25 sigmoid units with all weights 1, negated",
        source: "GO-UCB, f1 (20 dimensions)",
    },
    Family {
        name: "heat-1",
        dimensions: Only(2),
        build: heat::heat_1,
        bounds: "[2 pi/250, 2 pi 249/250]",
        optimum: "-2486.943410 at (6.161334, 0.025133)",
        about: "the negative temperature of a plate, one edge of which is hot; with an equation",
        source: "PINN-BO, boundary conditions 1",
    },
    Family {
        name: "heat-2",
        dimensions: Only(2),
        build: heat::heat_2,
        bounds: "[2 pi/250, 2 pi 249/250]",
        optimum: "-719.789283 at (6.258053, 6.108907)",
        about: "the negative temperature of a plate with a hot corner; with an equation",
        source: "PINN-BO, boundary conditions 2",
    },
    Family {
        name: "heat-3",
        dimensions: Only(2),
        build: heat::heat_3,
        bounds: "[2 pi/250, 2 pi 249/250]",
        optimum: "-689.466682 at (0.025133, 6.139230)",
        about: "the negative temperature of a plate with waves along its edges; with an equation",
        source: "PINN-BO, boundary conditions 3",
    },
    Family {
        name: "beam",
        dimensions: Only(1),
        build: mechanics::beam,
        bounds: "[0, 1]",
        optimum: "0.057604 at 0.883697",
        about: "the deflection of a beam of varying stiffness; with an equation of fourth order",
        source: "PINN-BO",
    },
    Family {
        name: "oscillator",
        dimensions: Only(1),
        build: mechanics::oscillator,
        bounds: "[0, 12]",
        optimum: "-0.676666 at 1.548372",
        about: "the displacement of a damped mass on a spring over time; with an equation",
        source: "PINN-BO, the example of its introduction",
    },
    Family {
        name: "branin-constrained",
        dimensions: Only(2),
        build: constrained::branin,
        bounds: "[-5, 10] x [0, 15]",
        optimum: "0.397887 at (pi, 2.275)",
        about: "branin inside a circle",
        source: "Letham et al. 2019; Neural-CBO",
    },
    Family {
        name: "simionescu",
        dimensions: Only(2),
        build: constrained::simionescu,
        bounds: "[-1.25, 1.25]",
        optimum: "-0.072 at +-(0.848528, -0.848528)",
        about: "a saddle inside a flower of eight petals",
        source: "Simionescu 2014; Neural-CBO",
    },
    Family {
        name: "ackley-constrained",
        dimensions: Only(5),
        build: constrained::ackley,
        bounds: "[-5, 3]",
        optimum: "0 at 0",
        about: "ackley off a spherical shell and inside a cube",
        source: "Zhang et al. 2023; Neural-CBO",
    },
    Family {
        name: "hartmann-constrained",
        dimensions: Only(6),
        build: constrained::hartmann,
        bounds: "[0, 1]",
        optimum: "-3.322368, where hartmann-6 has it",
        about: "hartmann-6 inside the unit ball",
        source: "Letham et al. 2019; Neural-CBO",
    },
    Family {
        name: "gas-transmission",
        dimensions: Only(4),
        build: design::gas_transmission,
        bounds: "[20, 50] x [1, 10] x [20, 50] x [0.1, 60]",
        optimum: "2964895.4 at (50, 1.178284, 24.59259, 0.388353)",
        about: "the cost of a gas transmission compressor",
        source: "Kumar et al. 2020; Neural-CBO",
    },
    Family {
        name: "speed-reducer",
        dimensions: Only(7),
        build: design::speed_reducer,
        bounds: "[2.6, 3.6] x [0.7, 0.8] x [17, 28] x [7.3, 8.3]^2 x [2.9, 3.9] x [5, 5.5]",
        optimum: "2994.471066 at (3.5, 0.7, 17, 7.3, 7.71532, 3.350215, 5.286654)",
        about: "the weight of a speed reducer, feasible in 0.2 % of the box",
        source: "Kumar et al. 2020; Neural-CBO",
    },
    Family {
        name: "gomez-levy",
        dimensions: Only(2),
        build: constrained::gomez_levy,
        bounds: "[-1, 0.75] x [-1, 1]",
        optimum: "-1.031628 at (0.089842, -0.712656)",
        about: "the six-hump camel with a grid of holes",
        source: "Gomez and Levy 1982",
    },
    Family {
        name: "gardner",
        dimensions: Only(2),
        build: constrained::gardner,
        bounds: "[0, 6]",
        optimum: "0.253236 at (4.712389, 1.253236)",
        about: "two small feasible islands",
        source: "Gardner et al. 2014",
    },
    Family {
        name: "gramacy",
        dimensions: Only(2),
        build: constrained::gramacy,
        bounds: "[0, 1]",
        optimum: "0.599788 at (0.195123, 0.404665)",
        about: "a linear objective behind a winding edge",
        source: "Gramacy et al. 2016",
    },
    Family {
        name: "crash-corner",
        dimensions: Only(2),
        build: constrained::crash_corner,
        bounds: "[0, 1]",
        optimum: "0.7 at (0.35, 0.35)",
        about: "the evaluation fails in the corner where x1 + x2 < 0.7",
        source: "Hilltop",
    },
];
