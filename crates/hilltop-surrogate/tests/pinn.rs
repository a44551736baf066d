//! Physics-informed networks: what equations add, and the laws every model keeps.
#![allow(clippy::unwrap_used, missing_docs)]

use faer::Mat;
use hilltop_core::physics::{Collocation, Equation, Knowledge, Partial};
use hilltop_core::{Evidence, Model, Previous, Rng, Space, Surrogate};
use hilltop_surrogate::pinn::{Draw, Pinn, PinnModel, Training};
use std::sync::Arc;
use support::{table, uniform};

mod support;

/// `Δf = 0`.
#[derive(Debug)]
struct Laplace([Partial; 2]);

impl Laplace {
    fn new() -> Self {
        Self([Partial::of(&[0, 0]), Partial::of(&[1, 1])])
    }
}

impl Equation for Laplace {
    fn partials(&self) -> &[Partial] {
        &self.0
    }

    fn is_linear(&self) -> bool {
        true
    }

    fn residual(&self, _: &[f64], jet: &[f64], slopes: &mut [f64]) -> f64 {
        slopes.fill(1.0);
        jet[0] + jet[1]
    }

    fn text(&self) -> String {
        "d(f,x,x) + d(f,y,y) = 0".to_owned()
    }
}

/// `f' = rate f (1 − f)`, not a number where `z` is beyond `end`.
#[derive(Debug)]
struct Growth {
    partials: [Partial; 2],
    end: f64,
}

const RATE: f64 = 6.0;

impl Growth {
    fn new(end: f64) -> Self {
        let partials = [Partial::of(&[0]), Partial::value()];
        Self { partials, end }
    }

    fn exact(z: f64) -> f64 {
        1.0 / (1.0 + (-RATE * (z - 0.4)).exp())
    }
}

impl Equation for Growth {
    fn partials(&self) -> &[Partial] {
        &self.partials
    }

    fn is_linear(&self) -> bool {
        false
    }

    fn residual(&self, point: &[f64], jet: &[f64], slopes: &mut [f64]) -> f64 {
        slopes[0] = 1.0;
        slopes[1] = -RATE * (1.0 - 2.0 * jet[1]);
        if point[0] > self.end {
            return f64::NAN;
        }
        jet[0] - RATE * jet[1] * (1.0 - jet[1])
    }

    fn text(&self) -> String {
        format!("d(f,z) = {RATE} f (1 - f) up to {}", self.end)
    }
}

fn known(equation: impl Equation + 'static, points: usize) -> Knowledge {
    Knowledge {
        equations: vec![Arc::new(equation)],
        points,
        collocation: Collocation::Fixed,
    }
}

fn nothing() -> Knowledge {
    Knowledge {
        equations: Vec::new(),
        points: 0,
        collocation: Collocation::Fixed,
    }
}

fn small(knowledge: Knowledge) -> Pinn {
    Pinn {
        knowledge: Arc::new(knowledge),
        training: Training {
            width: 32,
            ..Training::default()
        },
    }
}

/// A model of values at points, from where an older one left off.
fn fitted(pinn: &Pinn, points: &Mat<f64>, values: &[f64], seed: u64, older: Option<&dyn Model>) -> Arc<dyn Model> {
    let (space, points) = (Space::unit_box(points.ncols()), table(points.as_ref()));
    let evidence = Evidence {
        space: &space,
        points: &points,
        values,
        seed,
        shares: &[],
    };
    let previous = Previous {
        model: older,
        memory: None,
    };
    pinn.fit(&evidence, previous).unwrap()
}

fn pinn_model(model: &Arc<dyn Model>) -> &PinnModel {
    model.as_any().downcast_ref().unwrap()
}

fn means(model: &Arc<dyn Model>, points: &Mat<f64>) -> Vec<f64> {
    model.marginals().unwrap().beliefs(points.as_ref()).mean
}

fn error(model: &Arc<dyn Model>, points: &Mat<f64>, exact: &[f64]) -> f64 {
    let squares = means(model, points)
        .iter()
        .zip(exact)
        .map(|(mean, exact)| (mean - exact).powi(2))
        .sum::<f64>();
    (squares / exact.len() as f64).sqrt()
}

fn harmonic(points: &Mat<f64>) -> Vec<f64> {
    let at = |i: usize| {
        let (x, y) = (3.0 * points[(i, 0)], 3.0 * points[(i, 1)]);
        100.0 + 5.0 * x.exp() * y.sin() + 10.0 * (x * x - y * y)
    };
    (0..points.nrows()).map(at).collect()
}

/// The errors of one network over those of another on harmonic functions, sorted.
fn harmonic_ratios(one: &Pinn, other: &Pinn) -> Vec<f64> {
    let grid = uniform(200, 2, 99);
    let exact = harmonic(&grid);
    let ratio = |seed: u64| {
        let points = uniform(20, 2, seed);
        let values = harmonic(&points);
        let of = |pinn: &Pinn| error(&fitted(pinn, &points, &values, seed, None), &grid, &exact);
        of(one) / of(other)
    };
    let mut ratios: Vec<f64> = (0..3).map(ratio).collect();
    ratios.sort_by(f64::total_cmp);
    ratios
}

#[test]
fn a_harmonic_function_is_learnt_better_with_its_equation() {
    let ratios = harmonic_ratios(&small(known(Laplace::new(), 300)), &small(nothing()));
    assert!(ratios[2] < 0.3, "{ratios:?}");
}

#[test]
fn a_nonlinear_equation_extends_what_was_observed() {
    let points = Mat::from_fn(3, 1, |i, _| 0.1 + 0.15 * i as f64);
    let values: Vec<f64> = (0..3).map(|i| Growth::exact(points[(i, 0)])).collect();
    let grid = Mat::from_fn(40, 1, |i, _| 0.5 + 0.5 * i as f64 / 39.0);
    let exact: Vec<f64> = (0..40).map(|i| Growth::exact(grid[(i, 0)])).collect();
    let with = fitted(&small(known(Growth::new(2.0), 100)), &points, &values, 5, None);
    let without = fitted(&small(nothing()), &points, &values, 5, None);
    let (with, without) = (error(&with, &grid, &exact), error(&without, &grid, &exact));
    assert!(with < 0.03 && with < 0.2 * without, "{with} {without}");
}

#[test]
fn points_where_a_coefficient_is_not_a_number_are_dropped_and_counted() {
    let points = uniform(6, 1, 3);
    let values: Vec<f64> = (0..6).map(|i| Growth::exact(points[(i, 0)])).collect();
    let model = fitted(&small(known(Growth::new(0.75), 100)), &points, &values, 5, None);
    assert_eq!(pinn_model(&model).dropped(), [25]);
    assert!(means(&model, &points).iter().all(|mean| mean.is_finite()));
    assert_eq!(pinn_model(&model).residuals()[0].1.len(), 75);
}

/// `∂f/∂x = 0`, which is wrong.
#[derive(Debug)]
struct Flat([Partial; 1]);

impl Equation for Flat {
    fn partials(&self) -> &[Partial] {
        &self.0
    }

    fn is_linear(&self) -> bool {
        true
    }

    fn residual(&self, _: &[f64], jet: &[f64], slopes: &mut [f64]) -> f64 {
        slopes[0] = 1.0;
        jet[0]
    }

    fn text(&self) -> String {
        "d(f,x) = 0".to_owned()
    }
}

#[test]
fn a_wrong_equation_is_left_out_and_a_right_one_kept() {
    for seed in 0..5 {
        let points = uniform(20, 2, seed);
        let values = harmonic(&points);
        let wrong = small(known(Flat([Partial::of(&[0])]), 200));
        let (wrong, right) = (
            fitted(&wrong, &points, &values, seed, None),
            fitted(&small(known(Laplace::new(), 200)), &points, &values, seed, None),
        );
        let (wrong, right) = (pinn_model(&wrong), pinn_model(&right));
        assert!(!wrong.is_trusting() && wrong.support().unwrap() < -5.0);
        assert!(right.is_trusting() && right.support() > wrong.support().map(|support| support + 20.0));
    }
}

#[test]
fn noise_is_recognised_and_not_learnt() {
    let points = uniform(80, 2, 5);
    let (exact, mut rng) = (harmonic(&points), Rng::new(9));
    let deviation = 15.0;
    let values: Vec<f64> = exact.iter().map(|value| value + deviation * rng.normal()).collect();
    let model = fitted(&small(known(Laplace::new(), 300)), &points, &values, 5, None);
    let (far, noise) = (error(&model, &points, &exact), model.marginals().unwrap().noise());
    assert!(far < 0.6 * deviation, "{far}");
    assert!(noise > 0.3 * deviation && noise < 3.0 * deviation, "{noise}");
    let exactly = fitted(&small(known(Laplace::new(), 300)), &points, &exact, 5, None);
    assert!(pinn_model(&exactly).noise_ratio() < pinn_model(&model).noise_ratio());
}

#[test]
fn adam_followed_by_l_bfgs_goes_the_same_way() {
    let slow = |knowledge| {
        let mut pinn = small(knowledge);
        let training = &mut pinn.training;
        (training.newton, training.steps, training.polish) = (0, 300, 100);
        pinn
    };
    let ratios = harmonic_ratios(&slow(known(Laplace::new(), 300)), &slow(nothing()));
    assert!(ratios[1] < 0.7, "{ratios:?}");
}

#[test]
fn a_model_is_a_function_of_its_observations() {
    let pinn = small(Knowledge {
        collocation: Collocation::Adaptive,
        ..known(Laplace::new(), 40)
    });
    let pinn = Pinn {
        training: Training {
            width: 8,
            steps: 10,
            newton: 4,
            polish: 4,
            every: 5,
            ..pinn.training
        },
        ..pinn
    };
    let points = uniform(13, 2, 1);
    let values = harmonic(&points);
    let mut older: Option<Arc<dyn Model>> = None;
    for count in [3, 5, 6, 9, 11, 13] {
        let part = points.as_ref().subrows(0, count).to_owned();
        let grown = fitted(&pinn, &part, &values[..count], 4, older.as_deref());
        let afresh = fitted(&pinn, &part, &values[..count], 4, None);
        assert_eq!(means(&grown, &points), means(&afresh, &points), "{count}");
        older = Some(grown);
    }
    let mut other = values.clone();
    other[0] += 1.0;
    let changed = fitted(&pinn, &points, &other, 4, older.as_deref());
    assert_eq!(
        means(&changed, &points),
        means(&fitted(&pinn, &points, &other, 4, None), &points)
    );
}

#[test]
fn deviations_shrink_where_values_are_and_where_equations_hold() {
    let points = uniform(10, 2, 2);
    let values = harmonic(&points);
    let grid = uniform(50, 2, 7);
    let with = fitted(&small(known(Laplace::new(), 200)), &points, &values, 1, None);
    let without = fitted(&small(nothing()), &points, &values, 1, None);
    let mean = |model: &Arc<dyn Model>| {
        model
            .marginals()
            .unwrap()
            .beliefs(grid.as_ref())
            .deviation
            .iter()
            .sum::<f64>()
            / 50.0
    };
    assert!(mean(&with) < 0.7 * mean(&without), "{} {}", mean(&with), mean(&without));
    let marginals = with.marginals().unwrap();
    let at = marginals.beliefs(points.as_ref());
    assert!(at.deviation.iter().all(|deviation| *deviation < 0.2 * mean(&without)));
    let pending = grid.as_ref().subrows(3, 1);
    let believed = with.believe(pending).unwrap().unwrap();
    let (before, after) = (
        marginals.beliefs(pending),
        believed.marginals().unwrap().beliefs(pending),
    );
    assert!(after.deviation[0] < 0.5 * before.deviation[0]);
    assert!((after.mean[0] - before.mean[0]).abs() < 1e-12);
    let information = pinn_model(&with).information();
    assert!(information.interaction > 0.0 && information.interaction <= information.gain);
    let alone = pinn_model(&without).information();
    assert!(alone.interaction < 1e-9 && alone.gain > 0.0);
}

#[test]
fn gradients_of_beliefs_and_draws_agree_with_differences() {
    let points = uniform(8, 2, 2);
    let values = harmonic(&points);
    for draw in [Draw::Greedy, Draw::Posterior] {
        let mut pinn = small(known(Laplace::new(), 60));
        pinn.training.draw = draw;
        let model = fitted(&pinn, &points, &values, 1, None);
        let at = uniform(5, 2, 11);
        let slopes = model.marginals().unwrap().slopes(at.as_ref()).unwrap();
        let score = model.paths().unwrap().draw(1.0, &mut Rng::new(3)).unwrap();
        let (mut drawn, mut gradients) = (vec![0.0; 5], Mat::zeros(5, 2));
        score
            .smooth()
            .unwrap()
            .values_and_gradients(at.as_ref(), &mut drawn, gradients.as_mut());
        let shifted =
            |axis: usize, step: f64| Mat::from_fn(5, 2, |i, j| at[(i, j)] + if j == axis { step } else { 0.0 });
        for axis in 0..2 {
            let (low, high) = (shifted(axis, -1e-5), shifted(axis, 1e-5));
            let (below, above) = (
                model.marginals().unwrap().beliefs(low.as_ref()),
                model.marginals().unwrap().beliefs(high.as_ref()),
            );
            let (mut less, mut more) = (vec![0.0; 5], vec![0.0; 5]);
            score.values(low.as_ref(), &mut less);
            score.values(high.as_ref(), &mut more);
            for i in 0..5 {
                let close =
                    |a: f64, b: f64, what: &str| assert!((a - b).abs() < 1e-4 * (1.0 + a.abs()), "{what} {a} {b}");
                close((above.mean[i] - below.mean[i]) / 2e-5, slopes.mean[(i, axis)], "mean");
                close(
                    (above.deviation[i] - below.deviation[i]) / 2e-5,
                    slopes.deviation[(i, axis)],
                    "deviation",
                );
                close((more[i] - less[i]) / 2e-5, gradients[(i, axis)], "draw");
            }
        }
    }
}

#[test]
fn draws_have_the_moments_of_the_beliefs() {
    let points = uniform(8, 2, 2);
    let values = harmonic(&points);
    let mut pinn = small(known(Laplace::new(), 60));
    pinn.training.draw = Draw::Posterior;
    let model = fitted(&pinn, &points, &values, 1, None);
    let at = uniform(4, 2, 12);
    let beliefs = model.marginals().unwrap().beliefs(at.as_ref());
    let mut rng = Rng::new(6);
    let (mut sums, mut squares, draws) = ([0.0; 4], [0.0; 4], 2000);
    for _ in 0..draws {
        let mut values = [0.0; 4];
        model
            .paths()
            .unwrap()
            .draw(1.0, &mut rng)
            .unwrap()
            .values(at.as_ref(), &mut values);
        for i in 0..4 {
            let away = -values[i] - beliefs.mean[i];
            sums[i] += away;
            squares[i] += away * away;
        }
    }
    for i in 0..4 {
        let (mean, deviation) = (sums[i] / f64::from(draws), (squares[i] / f64::from(draws)).sqrt());
        assert!(
            mean.abs() < 0.1 * beliefs.deviation[i],
            "{mean} {}",
            beliefs.deviation[i]
        );
        assert!(
            (deviation / beliefs.deviation[i] - 1.0).abs() < 0.1,
            "{deviation} {}",
            beliefs.deviation[i]
        );
    }
}

#[test]
fn impossible_settings_and_equations_are_refused() {
    let refused = |change: fn(&mut Training)| {
        let mut pinn = small(known(Laplace::new(), 10));
        change(&mut pinn.training);
        pinn.check(2).unwrap_err().to_string()
    };
    assert!(refused(|training| training.depth = 0).contains("depth"));
    assert!(refused(|training| training.noise = vec![0.0]).contains("noise"));
    assert!(refused(|training| training.weight = f64::NAN).contains("weight"));
    assert!(refused(|training| training.activation = hilltop_nn::Activation::Relu).contains("smooth"));
    assert!(small(known(Laplace::new(), 10)).check(2).is_ok());
}
