//! What is believed of a network's parameters before anything is observed, and how they are fitted.

use std::sync::Arc;

use hilltop_core::{Lbfgs, Space};
use hilltop_nn::Activation;

use super::encoding::grouping;
use super::{Fit, Ntk, erf, relu};
use crate::process::{Prior, Priors, Profile, Refit};

/// The limit that parameters are fitted to; for activations without a closed form here the smooth one of erf.
pub(super) fn profile(ntk: &Ntk) -> Arc<dyn Profile> {
    match ntk.activation {
        Activation::Relu => relu(ntk.depth, ntk.kernel),
        _ => erf(ntk.depth, ntk.kernel),
    }
}

/// How the parameters of a description are fitted in a space.
pub(super) fn refit(ntk: &Ntk, space: &Space) -> Refit {
    let grouping = grouping(space);
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
    }
}

/// Weak priors: each input's share of the inner product shrinks with the number of inputs.
///
/// Chosen by the predictive density of twelve BBOB functions in 2, 5 and 10 dimensions after 6 to 16 observations a
/// dimension. A median noise above what deterministic functions have keeps small samples from being believed to the last digit; the
/// constant's scale is bounded because beyond it the kernel changes no more and its digits are lost.
fn priors(ntk: &Ntk, groups: usize) -> Priors {
    let dim = groups.max(1) as f64;
    let prior = |fit: Fit, median: f64, spread: f64, low: f64, high: f64| match fit {
        Fit::Fitted => Prior {
            median,
            spread,
            low,
            high,
        },
        Fit::Fixed(value) => Prior::fixed(value),
    };
    Priors {
        scales: prior(ntk.scales, 0.4 / dim.sqrt(), 1.2, 1e-3, 1e2),
        constant: prior(ntk.constant, 3.0, 1.0, 1e-2, 1e1),
        signal: prior(ntk.signal, 10.0, 3.0, 1e-4, 1e6),
        noise: prior(ntk.noise, 3e-3, 3.0, 1e-8, 1.0),
    }
}
