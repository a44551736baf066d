//! What a fit of a physics-informed network costs and how well it obeys: `cargo bench -p hilltop-surrogate --bench pinn`.
//!
//! For each problem: a whole training and the shorter one that takes in one more observation, one thread; the chosen reach and how much the
//! observations speak for the equation; what is left of the observations and of the equation, and the error at other points, in units of the
//! deviation of the values, with the equation and without.

use faer::Mat;
use hilltop_core::physics::{Collocation, Equation, Knowledge, Partial};
use hilltop_core::{Evidence, Model, Points, Previous, Rng, Space, Surrogate};
use hilltop_surrogate::pinn::{Pinn, PinnModel};
use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

const SEED: u64 = 1;

/// A linear equation whose coefficients are a function of the point: those of the derivatives, then what is added.
struct Linear {
    name: &'static str,
    partials: Vec<Partial>,
    coefficients: fn(&[f64], &mut [f64]) -> f64,
}

impl std::fmt::Debug for Linear {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.name)
    }
}

impl Equation for Linear {
    fn partials(&self) -> &[Partial] {
        &self.partials
    }

    fn is_linear(&self) -> bool {
        true
    }

    fn residual(&self, point: &[f64], jet: &[f64], slopes: &mut [f64]) -> f64 {
        let constant = (self.coefficients)(point, slopes);
        constant
            + jet
                .iter()
                .zip(slopes.iter())
                .map(|(value, slope)| value * slope)
                .sum::<f64>()
    }

    fn text(&self) -> String {
        self.name.to_owned()
    }
}

struct Case {
    equation: Arc<Linear>,
    dim: usize,
    function: fn(&[f64]) -> f64,
    observations: usize,
    points: usize,
}

fn main() -> Result<(), Box<dyn Error>> {
    println!(
        "{:<22} {:>7} {:>5} {:>9} {:>9} {:>6} {:>8} {:>9} {:>9} {:>9} {:>9}",
        "equation", "points", "seen", "whole", "shorter", "reach", "support", "misfit", "residual", "error", "without"
    );
    for case in cases() {
        case.report()?;
    }
    Ok(())
}

impl Case {
    fn report(&self) -> Result<(), Box<dyn Error>> {
        let mut rng = Rng::new(SEED);
        let points = Mat::from_fn(self.observations + 1, self.dim, |_, _| rng.uniform());
        let start = Instant::now();
        let whole = self.fit(&points, self.observations, self.points, None)?;
        let first = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let later = self.fit(&points, self.observations + 1, self.points, Some(whole.as_ref()))?;
        let second = start.elapsed().as_secs_f64();
        let without = self.fit(&points, self.observations, 0, None)?;
        let model: &PinnModel = later.as_any().downcast_ref().ok_or("another model")?;
        println!(
            "{:<22} {:>7} {:>5} {first:>8.2}s {second:>8.2}s {:>6.1} {:>8.1} {:>9.4} {:>9.4} {:>9.4} {:>9.4}",
            self.equation.name,
            self.points,
            self.observations,
            model.reach(),
            model.support().unwrap_or(f64::NAN),
            model.rest(),
            model.disobedience()[0],
            self.error(whole.as_ref()),
            self.error(without.as_ref()),
        );
        Ok(())
    }

    fn fit(
        &self,
        points: &Mat<f64>,
        count: usize,
        collocation: usize,
        older: Option<&dyn Model>,
    ) -> Result<Arc<dyn Model>, Box<dyn Error>> {
        let equations: Vec<Arc<dyn Equation>> = if collocation > 0 {
            vec![self.equation.clone()]
        } else {
            Vec::new()
        };
        let mut pinn = Pinn::new(Arc::new(Knowledge {
            equations,
            points: collocation,
            collocation: Collocation::Fixed,
        }));
        // The first training takes all observations, as the last of a long chain would.
        pinn.training.every = self.observations;
        let mut table = Points::new(self.dim);
        let mut values = Vec::new();
        for i in 0..count {
            let row: Vec<f64> = points.row(i).iter().copied().collect();
            values.push((self.function)(&row));
            table.push(&row);
        }
        let evidence = Evidence {
            space: &Space::unit_box(self.dim),
            points: &table,
            values: &values,
            seed: SEED,
            shares: &[],
        };
        let memory = None;
        Ok(pinn.fit(&evidence, Previous { model: older, memory })?)
    }

    /// The root mean square error at other points in units of the deviation there.
    fn error(&self, model: &dyn Model) -> f64 {
        let mut rng = Rng::new(2);
        let grid = Mat::from_fn(500, self.dim, |_, _| rng.uniform());
        let mut values = vec![0.0; 500];
        if let Some(Ok(score)) = model.paths().map(|paths| paths.draw(0.0, &mut rng)) {
            score.values(grid.as_ref(), &mut values);
        }
        let exact: Vec<f64> = (0..500)
            .map(|i| (self.function)(&grid.row(i).iter().copied().collect::<Vec<f64>>()))
            .collect();
        let mean = exact.iter().sum::<f64>() / 500.0;
        let away: f64 = exact
            .iter()
            .zip(&values)
            .map(|(exact, value)| (exact + value).powi(2))
            .sum();
        let spread: f64 = exact.iter().map(|exact| (exact - mean).powi(2)).sum();
        (away / spread).sqrt()
    }
}

fn cases() -> Vec<Case> {
    let first = |dim: usize| (0..dim).map(|axis| Partial::of(&[axis])).collect::<Vec<_>>();
    let radial = Arc::new(Linear {
        name: "drop-wave",
        partials: first(2),
        coefficients: |z, slopes| {
            slopes.copy_from_slice(&[0.5 - z[1], z[0] - 0.5]);
            0.0
        },
    });
    let drop_wave: fn(&[f64]) -> f64 = |z| {
        let square: f64 = z.iter().map(|z| (10.24 * z - 5.12).powi(2)).sum();
        -(1.0 + (12.0 * square.sqrt()).cos()) / (0.5 * square + 2.0)
    };
    let radial_case = |points| Case {
        equation: radial.clone(),
        dim: 2,
        function: drop_wave,
        observations: 50,
        points,
    };
    vec![radial_case(1000), radial_case(40_000), beam(), laplace(), rastrigin()]
}

fn beam() -> Case {
    // (EI w'')'' = q with EI w'' = e^z: the bending moment is known, and EI follows from it.
    let deflection: fn(&[f64]) -> f64 = |z| (2.0 * z[0]).exp() * (20.0 * z[0]).sin() + 0.4 * z[0].powi(3) + 6.0;
    Case {
        equation: Arc::new(Linear {
            name: "beam",
            partials: [2, 3, 4].map(|order| Partial::of(&vec![0; order])).to_vec(),
            coefficients: |z, slopes| {
                // w'' of e^{2z} sin 20z is w'' = e^{2z}(−396 sin + 80 cos); w'''' − 4 w''' + 404 w'' is zero for it.
                slopes.copy_from_slice(&[404.0, -4.0, 1.0]);
                -404.0 * 2.4 * z[0] + 4.0 * 2.4
            },
        }),
        dim: 1,
        function: deflection,
        observations: 10,
        points: 2000,
    }
}

fn laplace() -> Case {
    Case {
        equation: Arc::new(Linear {
            name: "laplace",
            partials: vec![Partial::of(&[0, 0]), Partial::of(&[1, 1])],
            coefficients: |_, slopes| {
                slopes.fill(1.0);
                0.0
            },
        }),
        dim: 2,
        function: |z| {
            let (x, y) = (3.0 * z[0], 3.0 * z[1]);
            5.0 * x.exp() * y.sin() + 10.0 * (x * x - y * y)
        },
        observations: 20,
        points: 1000,
    }
}

fn rastrigin() -> Case {
    // ½ xᵀ∇f − f = 10 Σ(cos 2πx + πx sin 2πx) − 10 d, with x = 10.24 z − 5.12.
    let mut partials: Vec<Partial> = (0..20).map(|axis| Partial::of(&[axis])).collect();
    partials.push(Partial::value());
    Case {
        equation: Arc::new(Linear {
            name: "rastrigin 20",
            partials,
            coefficients: |z, slopes| {
                let (mut source, dim) = (0.0, z.len());
                for i in 0..dim {
                    let x = 10.24 * z[i] - 5.12;
                    let angle = std::f64::consts::TAU * x;
                    slopes[i] = 0.5 * x / 10.24;
                    source += 10.0 * (angle.cos() + 0.5 * angle * angle.sin());
                }
                slopes[dim] = -1.0;
                10.0 * dim as f64 - source
            },
        }),
        dim: 20,
        function: |z| {
            let term = |z: &f64| {
                let x = 10.24 * z - 5.12;
                x * x - 10.0 * (std::f64::consts::TAU * x).cos() + 10.0
            };
            z.iter().map(term).sum()
        },
        observations: 100,
        points: 1000,
    }
}
