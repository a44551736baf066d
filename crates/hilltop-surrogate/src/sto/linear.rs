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
