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
    }
}

/// Weak priors: each input's share of the inner product shrinks with the number of inputs.
///
/// Chosen by what optimisation reaches with them, on BBOB and hartmann-6. Those that predict best there do not optimise best: a
/// median noise of 3e-3 has the better predictive density and leaves the minimum of hartmann-6 0.25 away where 1e-6 leaves 3e-4, because a search
/// lives on the last digits. The constant's scale is bounded because beyond it the kernel changes no more and its digits are lost.
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
    let (noise, spread, least) = if ntk.noisy {
        (3e-3, 1.5, 1e-6)
    } else {
        (1e-6, 3.0, 1e-9)
    };
    Priors {
        scales: prior(ntk.scales, 1.0 / dim.sqrt(), 1.5, 1e-3, 1e2),
        constant: prior(ntk.constant, 1.0, 1.0, 1e-2, 1e1),
        signal: prior(ntk.signal, 1.0, 2.0, 1e-4, 1e6),
        noise: prior(ntk.noise, noise, spread, least, 1.0),
    }
}
