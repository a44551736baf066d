//! What is believed of a network's parameters before anything is observed, and how they are fitted.

use std::sync::Arc;

use hilltop_core::Lbfgs;
use hilltop_nn::Activation;

use super::{Fit, Ntk, erf, relu};
use crate::process::{Grouping, Prior, Priors, Profile, Refit};

/// The limit that parameters are fitted to; for activations without a closed form here the smooth one of erf.
pub(super) fn profile(ntk: &Ntk) -> Arc<dyn Profile> {
    match ntk.activation {
        Activation::Relu => relu(ntk.depth, ntk.kernel),
        _ => erf(ntk.depth, ntk.kernel),
    }
}

/// How the parameters of a description are fitted.
pub(crate) fn refit(ntk: &Ntk, grouping: Grouping) -> Refit {
    let search = Lbfgs {
        iterations: 40,
        progress: 1e-6,
        gradient: 1e-3,
        ..Lbfgs::default()
    };
    let priors = priors(ntk, grouping.count);
    Refit {
        profile: profile(ntk),
        grouping,
        priors,
        schedule: ntk.schedule,
        limit: ntk.fit_limit,
        search,
        sparse: ntk.sparse,
    }
}

/// Amid noise a scale below its median is so improbable. Noise hides curvature, and a scale that is fitted to it takes the function for
/// a straight line: a search then ends on a bound, sure of it. Not so where scales that noise alone asks for are left out.
const STRAIGHT: f64 = 0.35;

/// Weak priors: each input's share of the inner product shrinks with the number of inputs.
///
/// Chosen by what optimisation reaches with them, on BBOB and hartmann-6. Those that predict best there do not optimise best: a
/// median noise of 3e-3 has the better predictive density and leaves the minimum of hartmann-6 0.25 away where 1e-6 leaves 3e-4, because a search
/// lives on the last digits. Noise may exceed the values' variance where most of them have a small share of it. The constant's scale is
/// bounded because beyond it the kernel changes no more and its digits are lost.
fn priors(ntk: &Ntk, groups: usize) -> Priors {
    let dim = groups.max(1) as f64;
    let prior = |fit: Fit, median: f64, spread: f64, low: f64, high: f64| match fit {
        Fit::Fitted => Prior {
            median,
            spread,
            below: spread,
            low,
            high,
        },
        Fit::Fixed(value) => Prior::fixed(value),
    };
    let noise = if ntk.noisy {
        prior(ntk.noise, 3e-3, 1.5, 1e-6, 10.0)
    } else {
        prior(ntk.noise, 1e-6, 3.0, 1e-9, 1.0)
    };
    let scales = prior(ntk.scales, 1.0 / dim.sqrt(), 1.5, 1e-3, 1e2);
    let below = if ntk.noisy && !ntk.sparse {
        STRAIGHT
    } else {
        scales.below
    };
    Priors {
        scales: Prior { below, ..scales },
        constant: prior(ntk.constant, 1.0, 1.0, 1e-2, 1e1),
        signal: prior(ntk.signal, 1.0, 2.0, 1e-4, 1e6),
        noise,
    }
}
