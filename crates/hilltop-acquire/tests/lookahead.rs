//! What holds for acquisitions that look ahead, and for optimism over weights, on a linear model whose answers are known.
#![allow(clippy::unwrap_used)]

mod toy;

use std::any::Any;
use std::sync::Arc;

use faer::{Mat, MatMut, MatRef};
use hilltop_acquire::{KnowledgeGradient, MaxValueEntropy, Optimism, Radius};
use hilltop_core::{
    Acquisition, Beliefs, Bounds, History, Marginals, Model, Models, Parametric, Paths, Points, Result, Rng, Score,
    Slopes, SmoothScore, Space,
};
use toy::{history, row, value, within};

/// `f(x) = w·(x, 1)` with normal weights: mean, covariance `diag(variances)`, noise.
#[derive(Clone)]
struct Plane {
    mean: Vec<f64>,
    variances: Vec<f64>,
    noise: f64,
}

fn with_one(point: &[f64]) -> Vec<f64> {
    point.iter().copied().chain([1.0]).collect()
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

impl Plane {
    fn covariance(&self, a: &[f64], b: &[f64]) -> f64 {
        with_one(a)
            .iter()
            .zip(with_one(b))
            .zip(&self.variances)
            .map(|((a, b), v)| a * b * v)
            .sum()
    }
}

impl Marginals for Plane {
    fn beliefs(&self, points: MatRef<'_, f64>) -> Beliefs {
        let rows: Vec<_> = (0..points.nrows()).map(|index| row(points, index)).collect();
        Beliefs {
            mean: rows.iter().map(|x| dot(&self.mean, &with_one(x))).collect(),
            deviation: rows.iter().map(|x| self.covariance(x, x).sqrt()).collect(),
        }
    }

    fn slopes(&self, points: MatRef<'_, f64>) -> Option<Slopes> {
        let beliefs = self.beliefs(points);
        let (rows, columns) = (points.nrows(), points.ncols());
        let deviation = |i: usize, j: usize| points[(i, j)] * self.variances[j] / beliefs.deviation[i];
        Some(Slopes {
            mean: Mat::from_fn(rows, columns, |_, j| self.mean[j]),
            deviation: Mat::from_fn(rows, columns, deviation),
            beliefs: beliefs.clone(),
        })
    }

    fn noise(&self) -> f64 {
        self.noise
    }
}

struct Drawn(Vec<f64>);

impl Score for Drawn {
    fn values(&self, points: MatRef<'_, f64>, out: &mut [f64]) {
        (0..points.nrows()).for_each(|index| out[index] = -dot(&self.0, &with_one(&row(points, index))));
    }

    fn smooth(&self) -> Option<&dyn SmoothScore> {
        Some(self)
    }
}

impl SmoothScore for Drawn {
    fn values_and_gradients(&self, points: MatRef<'_, f64>, values: &mut [f64], mut gradients: MatMut<'_, f64>) {
        self.values(points, values);
        for index in 0..points.nrows() {
            (0..points.ncols()).for_each(|axis| gradients[(index, axis)] = -self.0[axis]);
        }
    }
}

impl Paths for Plane {
    fn draw(&self, spread: f64, rng: &mut Rng) -> Result<Arc<dyn Score>> {
        let weights = self
            .mean
            .iter()
            .zip(&self.variances)
            .map(|(m, v)| m + spread * v.sqrt() * rng.normal());
        Ok(Arc::new(Drawn(weights.collect())))
    }
}

/// `Σ` is the inverse of the covariance; the function bends in its weights, `f = w·(x,1) + bend (w·w)`.
struct Bent {
    plane: Plane,
    bend: f64,
    beta: f64,
}

impl Bent {
    fn check(&self, weights: MatRef<'_, f64>) {
        let offsets = Mat::from_fn(weights.nrows(), weights.ncols(), |i, j| {
            weights[(i, j)] - self.plane.mean[i]
        });
        for norm in self.norms(offsets.as_ref()) {
            assert!(
                norm <= self.beta * (1.0 + 1e-9),
                "a searched weight outside the ball: {norm} of {}",
                self.beta
            );
        }
    }
}

impl Parametric for Bent {
    fn centre(&self) -> &[f64] {
        &self.plane.mean
    }

    fn regulariser(&self) -> f64 {
        0.25
    }

    fn rounds(&self) -> u64 {
        4
    }

    fn values(&self, points: MatRef<'_, f64>, weights: MatRef<'_, f64>) -> Vec<f64> {
        self.check(weights);
        let value = |i: usize| {
            let w: Vec<f64> = weights.col(i).iter().copied().collect();
            dot(&w, &with_one(&row(points, i))) + self.bend * dot(&w, &w)
        };
        (0..points.nrows()).map(value).collect()
    }

    fn weight_slopes(&self, points: MatRef<'_, f64>, weights: MatRef<'_, f64>) -> (Vec<f64>, Mat<f64>) {
        let slope = |i: usize, j: usize| with_one(&row(points, j))[i] + 2.0 * self.bend * weights[(i, j)];
        (
            self.values(points, weights),
            Mat::from_fn(weights.nrows(), weights.ncols(), slope),
        )
    }

    fn point_slopes(&self, points: MatRef<'_, f64>, weights: MatRef<'_, f64>) -> (Vec<f64>, Mat<f64>) {
        let slopes = Mat::from_fn(points.nrows(), points.ncols(), |i, j| weights[(j, i)]);
        (self.values(points, weights), slopes)
    }

    fn solve(&self, mut columns: MatMut<'_, f64>) {
        for j in 0..columns.ncols() {
            (0..columns.nrows()).for_each(|i| columns[(i, j)] *= self.plane.variances[i]);
        }
    }

    fn norms(&self, columns: MatRef<'_, f64>) -> Vec<f64> {
        let norm = |j: usize| {
            (0..columns.nrows())
                .map(|i| columns[(i, j)].powi(2) / self.plane.variances[i])
                .sum()
        };
        (0..columns.ncols()).map(norm).collect()
    }
}

/// Either part of a model.
struct Toy {
    plane: Plane,
    bent: Option<Bent>,
}

impl Model for Toy {
    fn marginals(&self) -> Option<&dyn Marginals> {
        Some(&self.plane)
    }

    fn paths(&self) -> Option<&dyn Paths> {
        Some(&self.plane)
    }

    fn parameters(&self) -> Option<&dyn Parametric> {
        self.bent.as_ref().map(|bent| bent as &dyn Parametric)
    }

    fn believe(&self, _pending: MatRef<'_, f64>) -> Option<Result<Arc<dyn Model>>> {
        None
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

fn plane() -> Plane {
    Plane {
        mean: vec![0.4, -0.3, 1.0],
        variances: vec![0.5, 0.2, 0.3],
        noise: 0.3,
    }
}

fn observed() -> History {
    let mut history = history(Space::unit_box(2), 5);
    for (trial, point) in [[0.2, 0.7], [0.9, 0.4], [0.1, 0.1]].iter().enumerate() {
        history.observe(trial as u64, point, &[dot(&plane().mean, &with_one(point))]);
    }
    history
}

fn bind(acquisition: &dyn Acquisition, bent: Option<Bent>, seed: u64) -> Result<Arc<dyn Score>> {
    let model: Arc<dyn Model> = Arc::new(Toy { plane: plane(), bent });
    let models = Models::from(model);
    within(&observed(), &Bounds::unit(2), |context| {
        acquisition.bind(&models, context, &mut Rng::new(seed))
    })
}

fn slopes_hold(score: &dyn Score, point: [f64; 2], tolerance: f64) {
    let (mut values, mut gradients) = ([0.0], Mat::zeros(1, 2));
    let points = Points::from_rows(2, [point.as_slice()]);
    score
        .smooth()
        .unwrap()
        .values_and_gradients(points.matrix(), &mut values, gradients.as_mut());
    assert!((values[0] - value(score, &point)).abs() <= 1e-12 * values[0].abs().max(1e-3));
    for axis in 0..2 {
        let mut moved = [point, point];
        moved[0][axis] += 1e-6;
        moved[1][axis] -= 1e-6;
        let difference = (value(score, &moved[0]) - value(score, &moved[1])) / 2e-6;
        assert!(
            (gradients[(0, axis)] - difference).abs() < tolerance,
            "{axis}: {} {difference}",
            gradients[(0, axis)]
        );
    }
}

#[test]
fn the_minima_of_max_value_entropy_are_those_of_the_models_paths() {
    // Least where little is left to learn about the value of the minimum: far above all minima.
    let score = bind(
        &MaxValueEntropy {
            samples: 200,
            ..MaxValueEntropy::default()
        },
        None,
        1,
    )
    .unwrap();
    slopes_hold(&*score, [0.3, 0.6], 1e-7);
    // By hand: minima of planes over the square are at corners.
    let mut rng = Rng::new(8);
    let plane = plane();
    let least = |w: &[f64]| w[2] + w[0].min(0.0) + w[1].min(0.0);
    let belief = plane.beliefs(Points::from_rows(2, [[0.3, 0.6].as_slice()]).matrix());
    let bar = plane.mean[2] + 0.1 * (plane.mean[0] + plane.mean[1]);
    let bar = bar.min(dot(&plane.mean, &with_one(&[0.2, 0.7])));
    let lost = |rng: &mut Rng| {
        let w: Vec<f64> = plane
            .mean
            .iter()
            .zip(&plane.variances)
            .map(|(m, v)| m + v.sqrt() * rng.normal())
            .collect();
        let gamma = (belief.mean[0] - least(&w).min(bar)) / belief.deviation[0];
        0.5 * gamma * hilltop_acquire::normal::hazard(gamma) - hilltop_acquire::normal::log_cumulative(gamma)
    };
    let expected = (0..20_000).map(|_| lost(&mut rng)).sum::<f64>() / 20_000.0;
    let ours = value(&*score, &[0.3, 0.6]);
    assert!((ours - expected).abs() < 0.25 * expected, "{ours} {expected}");
}

#[test]
fn gumbel_minima_need_no_paths_and_rank_points_alike() {
    let gumbel: MaxValueEntropy = serde_json::from_str(r#"{"samples": 50, "minima": "gumbel"}"#).unwrap();
    let score = bind(&gumbel, None, 1).unwrap();
    assert!(value(&*score, &[0.0, 1.0]) > value(&*score, &[0.9, 0.0]));
    slopes_hold(&*score, [0.3, 0.6], 1e-7);
}

#[test]
fn the_knowledge_gradient_is_what_the_best_mean_gains() {
    let knowledge = KnowledgeGradient {
        paths: 4000,
        alternatives: 80,
    };
    let score = bind(&knowledge, None, 3).unwrap();
    // What the best of the four corners gains, by drawing observations.
    let (plane, mut rng) = (plane(), Rng::new(4));
    let corners = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]];
    let mean = |x: &[f64]| dot(&plane.mean, &with_one(x));
    let now = corners.iter().map(|c| mean(c)).fold(f64::INFINITY, f64::min);
    for x in [[0.9, 0.1], [0.2, 0.9]] {
        let total = (plane.covariance(&x, &x) + plane.noise * plane.noise).sqrt();
        let after = |z: f64| {
            let moved = corners.iter().map(|c| mean(c) + plane.covariance(&x, c) / total * z);
            moved.fold(f64::INFINITY, f64::min)
        };
        let gain = (0..40_000).map(|_| now - after(rng.normal())).sum::<f64>() / 40_000.0;
        let ours = value(&*score, &x);
        assert!((ours - gain).abs() < 0.1 * gain + 0.01, "{x:?}: {ours} {gain}");
    }
}

#[test]
fn the_knowledge_gradients_slopes_are_its_derivatives() {
    let score = bind(&KnowledgeGradient::default(), None, 3).unwrap();
    slopes_hold(&*score, [0.9, 0.12], 1e-6);
    slopes_hold(&*score, [0.35, 0.6], 1e-6);
}

fn bent(bend: f64, beta: f64) -> Bent {
    Bent {
        plane: plane(),
        bend,
        beta,
    }
}

#[test]
fn optimism_on_a_linear_family_is_the_confidence_bound_and_every_weight_lies_in_the_ball() {
    for beta in [0.0, 0.04, 9.0] {
        let optimism = Optimism {
            beta: Radius::Constant { value: beta },
            steps: 3,
        };
        let score = bind(&optimism, Some(bent(0.0, beta)), 1).unwrap();
        let (plane, x) = (plane(), [0.3, 0.8]);
        let expected = beta.sqrt() * plane.covariance(&x, &x).sqrt() - dot(&plane.mean, &with_one(&x));
        assert!((value(&*score, &x) - expected).abs() < 1e-8 * (1.0 + expected.abs()));
        slopes_hold(&*score, x, 1e-6);
    }
}

#[test]
fn optimism_on_a_family_that_bends_finds_the_minimum_within_the_ball() {
    let (beta, bend) = (0.5, 2.0);
    let optimism = Optimism {
        beta: Radius::Constant { value: beta },
        steps: 60,
    };
    let score = bind(&optimism, Some(bent(bend, beta)), 1).unwrap();
    let x = [0.3, 0.8];
    // By random weights on and in the ball.
    let (plane, mut rng) = (plane(), Rng::new(2));
    let mut least = f64::INFINITY;
    for _ in 0..200_000 {
        let u: Vec<f64> = (0..3).map(|_| rng.normal()).collect();
        let length = dot(&u, &u).sqrt() / rng.uniform().cbrt();
        let w: Vec<f64> = (0..3)
            .map(|i| plane.mean[i] + (beta * plane.variances[i]).sqrt() * u[i] / length)
            .collect();
        least = least.min(dot(&w, &with_one(&x)) + bend * dot(&w, &w));
    }
    let ours = -value(&*score, &x);
    assert!(ours <= least + 1e-9 && ours > least - 0.01, "{ours} {least}");
}

#[test]
fn radii_follow_their_formulas_and_negative_ones_are_refused() {
    let model = bent(0.0, 1.0);
    let at = |radius: Radius| radius.value(&model).unwrap();
    assert!((at(Radius::Deviations { value: 2.0 }) - 1.0).abs() < 1e-15);
    assert!(
        (at(Radius::Paper {
            bound: 2.0,
            horizon: 10
        }) - 27.0 * 16.0 * 0.5)
            .abs()
            < 1e-12
    );
    let theory = Radius::Theory {
        noise: 0.1,
        convexity: 3.0,
        horizon: 10,
    };
    assert!((at(theory) - (0.03 + 3.0 + 1.5)).abs() < 1e-12);
    let wrong = Radius::Constant { value: -1.0 }.value(&model).unwrap_err().to_string();
    assert_eq!(wrong, "beta.value = -1 is not allowed: a number of at least 0");
    assert!(Radius::Paper { bound: 1.0, horizon: 0 }.check().is_err());
    assert!(serde_json::from_str::<Radius>(r#"{"name": "deviations", "value": 0.5}"#).is_ok());
}

#[test]
fn optimism_refuses_a_model_without_weights_by_name() {
    let refusal = bind(&Optimism::default(), None, 1).err().unwrap().to_string();
    assert_eq!(refusal, "optimism needs weights; the fitted model has none");
}
