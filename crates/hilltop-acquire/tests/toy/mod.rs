//! Small things that the tests share: a history, a score, a model whose beliefs are formulas.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used)]

use std::any::Any;
use std::sync::Arc;

use faer::{Mat, MatMut, MatRef};
use hilltop_core::{
    Beliefs, Bounds, Context, Evidence, Goal, History, Marginals, Model, Output, Paths, Points, Result, Rng, Score,
    Slopes, SmoothScore, Space,
};

/// The history of an empty study.
pub fn history(space: Space, seed: u64) -> History {
    let output = Output {
        name: "cost".to_owned(),
        goal: Goal::Minimize,
    };
    History::new(Arc::new(space), Arc::from([output]), seed)
}

/// Calls with the context of a history.
pub fn within<T>(history: &History, bounds: &Bounds, call: impl FnOnce(&Context<'_>) -> T) -> T {
    let evidence = Evidence {
        space: history.space(),
        points: history.points(),
        values: history.objective(),
        seed: history.seed(),
        shares: &[],
    };
    call(&Context::new(history, evidence, bounds))
}

pub fn row(points: MatRef<'_, f64>, index: usize) -> Vec<f64> {
    points.row(index).iter().copied().collect()
}

/// A hill around a centre with ripples, smooth or pretending not to be.
pub struct Hill {
    pub centre: Vec<f64>,
    pub ripples: f64,
    pub smooth: bool,
}

impl Hill {
    pub fn value(&self, point: &[f64]) -> f64 {
        let term = |(x, c): (&f64, &f64)| -(x - c).powi(2) + self.ripples * (20.0 * (x - c)).cos();
        point.iter().zip(&self.centre).map(term).sum()
    }
}

impl Score for Hill {
    fn values(&self, points: MatRef<'_, f64>, out: &mut [f64]) {
        (0..points.nrows()).for_each(|index| out[index] = self.value(&row(points, index)));
    }

    fn smooth(&self) -> Option<&dyn SmoothScore> {
        self.smooth.then_some(self)
    }
}

impl SmoothScore for Hill {
    fn values_and_gradients(&self, points: MatRef<'_, f64>, values: &mut [f64], mut gradients: MatMut<'_, f64>) {
        self.values(points, values);
        for index in 0..points.nrows() {
            for (axis, centre) in self.centre.iter().enumerate() {
                let away = points[(index, axis)] - centre;
                gradients[(index, axis)] = -2.0 * away - 20.0 * self.ripples * (20.0 * away).sin();
            }
        }
    }
}

/// A model whose mean is `offset + a·x + (b·x)²` and whose deviation is `exp(c·x) / 3`.
pub struct Formula {
    pub offset: f64,
    pub smooth: bool,
}

impl Formula {
    fn weights(axis: usize) -> (f64, f64, f64) {
        let k = axis as f64;
        ((0.7 + k).sin(), (1.3 * k + 0.2).cos(), (2.1 * k).sin())
    }

    fn parts(point: &[f64]) -> (f64, f64, f64) {
        let add = |sums: (f64, f64, f64), (axis, x): (usize, &f64)| {
            let (a, b, c) = Self::weights(axis);
            (sums.0 + a * x, sums.1 + b * x, sums.2 + c * x)
        };
        point.iter().enumerate().fold((0.0, 0.0, 0.0), add)
    }

    pub fn mean(&self, point: &[f64]) -> f64 {
        let (a, b, _) = Self::parts(point);
        self.offset + a + b * b
    }

    pub fn deviation(point: &[f64]) -> f64 {
        Self::parts(point).2.exp() / 3.0
    }
}

impl Marginals for Formula {
    fn beliefs(&self, points: MatRef<'_, f64>) -> Beliefs {
        let rows: Vec<_> = (0..points.nrows()).map(|index| row(points, index)).collect();
        Beliefs {
            mean: rows.iter().map(|point| self.mean(point)).collect(),
            deviation: rows.iter().map(|point| Self::deviation(point)).collect(),
        }
    }

    fn slopes(&self, points: MatRef<'_, f64>) -> Option<Slopes> {
        let beliefs = self.beliefs(points);
        let part = |index: usize| Self::parts(&row(points, index)).1;
        let mean = |index: usize, axis: usize| {
            let (a, b, _) = Self::weights(axis);
            a + 2.0 * part(index) * b
        };
        let deviation = |index: usize, axis: usize| Self::weights(axis).2 * beliefs.deviation[index];
        let (rows, columns) = (points.nrows(), points.ncols());
        let slopes = Slopes {
            mean: Mat::from_fn(rows, columns, mean),
            deviation: Mat::from_fn(rows, columns, deviation),
            beliefs: beliefs.clone(),
        };
        self.smooth.then_some(slopes)
    }

    fn noise(&self) -> f64 {
        0.0
    }
}

impl Paths for Formula {
    fn draw(&self, spread: f64, rng: &mut Rng) -> Result<Arc<dyn Score>> {
        Ok(Arc::new(Hill {
            centre: vec![spread, rng.uniform()],
            ripples: 0.0,
            smooth: true,
        }))
    }
}

impl Model for Formula {
    fn marginals(&self) -> Option<&dyn Marginals> {
        Some(self)
    }

    fn information(&self) -> Option<f64> {
        Some(7.0)
    }

    fn paths(&self) -> Option<&dyn Paths> {
        Some(self)
    }

    fn believe(&self, _pending: MatRef<'_, f64>) -> Option<Result<Arc<dyn Model>>> {
        None
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// The value of a score at one point.
pub fn value(score: &dyn Score, point: &[f64]) -> f64 {
    let mut out = [0.0];
    score.values(Points::from_rows(point.len(), [point]).matrix(), &mut out);
    out[0]
}
