//! STO-BNTS-Linear: `f(x;θ) = ⟨∇h(x;θ'_0), θ⟩`, trained from `θ_0`, in closed form or by gradient descent.
//!
//! Training moves `θ` within the span of the features, `θ = θ_0 + Jᵀc`, so both ways are carried out in `c`, which has a number an
//! observation: the closed form is `c = (K + λI)⁻¹ (y − Jθ_0)`, and a step of gradient descent with rate `η` is
//! `c ← c + η (y − Jθ_0 − Kc − λc)`, weight for weight the step of eq. (1).

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatRef, Par};
use hilltop_core::{Error, Result, Rng};
use hilltop_nn::{Optimiser, Tangent};

use super::Training;
use super::member::Member;
use super::model::StoModel;
use crate::ntk::{Directional, Encoded};
use crate::process::Factor;

/// How often a diverging descent is repeated with half the rate.
const HALVINGS: usize = 30;

/// Samples features and weights and optimises the weights: Algorithm 2, lines 4 to 6.
pub(super) fn drawn(model: &StoModel, spread: f64, rng: &mut Rng) -> Result<Member> {
    let features = model.network(rng)?;
    drawn_with(model, features, spread, rng)
}

/// The same with features that are given.
pub(super) fn drawn_with(model: &StoModel, features: Encoded, spread: f64, rng: &mut Rng) -> Result<Member> {
    let mut weights = vec![0.0; features.network.parameter_count()];
    rng.normals(&mut weights);
    let mut wanted = model.targets(spread, rng);
    let tangent = features.network.tangent(features.inputs(model.points()).as_ref());
    let drawn = tangent.along(&weights);
    wanted.iter_mut().zip(&drawn).for_each(|(y, f)| *y -= f);
    let duals = duals(model, &tangent, &wanted)?;
    let moved = tangent.combination(&duals);
    weights.iter_mut().zip(&moved).for_each(|(w, m)| *w += m);
    Ok(Member {
        network: None,
        tangent: Some(Directional {
            encoded: features,
            direction: weights,
        }),
        amplitude: model.amplitude(spread),
        standard: model.standard,
    })
}

fn duals(model: &StoModel, tangent: &Tangent, wanted: &[f64]) -> Result<Vec<f64>> {
    let (gram, penalty) = (tangent.gram(), model.penalty());
    match model.sto.training {
        Training::Descent(Optimiser::GradientDescent { rate, steps }) => {
            descended(gram.as_ref(), penalty, wanted, rate, steps)
        }
        _ => Factor::nearly(&gram, penalty).map(|(factor, _)| factor.solve(wanted)),
    }
}

/// Gradient descent; a rate that diverges is halved.
fn descended(gram: MatRef<'_, f64>, penalty: f64, wanted: &[f64], mut rate: f64, steps: usize) -> Result<Vec<f64>> {
    let limit = 1e6 * wanted.iter().map(|y| y * y).sum::<f64>();
    for _ in 0..HALVINGS {
        if let Some(duals) = attempt(gram, penalty, wanted, rate, steps, limit) {
            return Ok(duals);
        }
        rate *= 0.5;
    }
    let detail = format!("gradient descent diverges even with a rate of {rate:e}");
    let what = "the training of a linear model";
    Err(Error::Numerical { what, detail })
}

fn attempt(
    gram: MatRef<'_, f64>,
    penalty: f64,
    wanted: &[f64],
    rate: f64,
    steps: usize,
    limit: f64,
) -> Option<Vec<f64>> {
    let target = Mat::from_fn(wanted.len(), 1, |i, _| wanted[i]);
    let mut duals = Mat::<f64>::zeros(wanted.len(), 1);
    for _ in 0..steps {
        let mut residual = &target - faer::Scale(penalty) * &duals;
        matmul(residual.as_mut(), Accum::Add, gram, duals.as_ref(), -1.0, Par::Seq);
        let size = residual.squared_norm_l2();
        if size.is_nan() || size > limit {
            return None;
        }
        duals += faer::Scale(rate) * &residual;
    }
    Some(duals.col_as_slice(0).to_vec())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use hilltop_core::{Evidence, Points, Score, Space};

    use super::*;
    use crate::ntk::{Fit, Fitting};
    use crate::sto::{Kind, Sto};

    const DRAWS: usize = 10_000;

    fn model(training: Training) -> StoModel {
        let sto = Sto {
            kind: Kind::Linear,
            width: 24,
            training,
            scales: Fit::Fixed(0.8),
            constant: Fit::Fixed(0.6),
            signal: Fit::Fixed(1.5),
            noise: Fit::Fixed(0.05),
            ..Sto::default()
        };
        let mut rng = Rng::new(4);
        let rows: Vec<[f64; 2]> = (0..8).map(|_| [rng.uniform(), rng.uniform()]).collect();
        let points = Points::from_rows(2, rows.iter().map(<[f64; 2]>::as_slice));
        let values: Vec<f64> = rows.iter().map(|x| 3.0 + (4.0 * x[0]).sin() + x[1]).collect();
        let space = Space::unit_box(2);
        let (prior, seed) = (sto.prior(), 1);
        let evidence = Evidence {
            space: &space,
            points: &points,
            values: &values,
            seed,
            shares: &[],
        };
        let prepared = Fitting::new(&prior, &evidence, hilltop_core::Previous::default())
            .unwrap()
            .prepared()
            .unwrap();
        StoModel::new(sto, prepared, &values)
    }

    /// Mean and covariance at queries of the posterior with the features' own kernel.
    fn posterior(model: &StoModel, features: &Encoded, queries: MatRef<'_, f64>) -> (Mat<f64>, Mat<f64>) {
        let tangent = |points| features.network.tangent(features.inputs(points).as_ref());
        let (data, asked) = (tangent(model.points()), tangent(queries));
        let signal = faer::Scale(model.fitted.parameters.signal);
        let factor = Factor::exactly(signal * data.gram(), model.fitted.parameters.noise).unwrap();
        let mut half = signal * data.kernel(&asked);
        factor.forward(half.as_mut());
        let mut values = Mat::from_fn(model.values.len(), 1, |i, _| model.values[i]);
        factor.forward(values.as_mut());
        let standard = model.standard;
        let mean = half.transpose() * &values;
        let mean = Mat::from_fn(mean.nrows(), 1, |i, _| standard.offset + standard.scale * mean[(i, 0)]);
        let covariance = faer::Scale(standard.scale.powi(2)) * (signal * asked.gram() - half.transpose() * &half);
        (mean, covariance)
    }

    #[test]
    fn ten_thousand_draws_have_the_mean_and_covariance_of_the_posterior() {
        let model = model(Training::default());
        let features = model.network(&mut Rng::new(9)).unwrap();
        let queries = Mat::from_fn(5, 2, |i, j| [0.1, 0.9, 0.35, 0.6, 0.2][(i + 2 * j) % 5]);
        let (mean, covariance) = posterior(&model, &features, queries.as_ref());
        let mut rng = Rng::new(11);
        let mut drawn = Mat::<f64>::zeros(5, DRAWS);
        for mut column in drawn.col_iter_mut() {
            let member = drawn_with(&model, features.clone(), 1.0, &mut rng).unwrap();
            let mut values = [0.0; 5];
            member.values(queries.as_ref(), &mut values);
            (0..5).for_each(|i| column[i] = -values[i] - mean[(i, 0)]);
        }
        let count = DRAWS as f64;
        for i in 0..5 {
            let off = drawn.row(i).iter().sum::<f64>() / count;
            assert!(off.abs() < 4.0 * (covariance[(i, i)] / count).sqrt(), "mean {i}: {off}");
            for j in 0..=i {
                let found = drawn
                    .row(i)
                    .iter()
                    .zip(drawn.row(j).iter())
                    .map(|(a, b)| a * b)
                    .sum::<f64>()
                    / count;
                let square = covariance[(i, i)] * covariance[(j, j)] + covariance[(i, j)].powi(2);
                let off = found - covariance[(i, j)];
                assert!(off.abs() < 4.0 * (square / count).sqrt(), "covariance {i} {j}: {off}");
            }
        }
    }

    #[test]
    fn gradient_descent_ends_in_the_closed_form() {
        let closed = model(Training::default());
        let descent = model(Training::Descent(Optimiser::gradient_descent(10.0, 20_000)));
        let queries = Mat::from_fn(4, 2, |i, j| 0.2 * (i + j) as f64);
        let values = |model: &StoModel| {
            let mut values = [0.0; 4];
            let member = drawn(model, 1.0, &mut Rng::new(3)).unwrap();
            member.values(queries.as_ref(), &mut values);
            values
        };
        for (a, b) in values(&closed).iter().zip(values(&descent)) {
            assert!((a - b).abs() < 1e-6, "{a} {b}");
        }
    }
}
