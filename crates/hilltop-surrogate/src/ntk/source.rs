//! Functions drawn from the process of an infinitely wide network.
//!
//! A fresh network of many units and a random direction in the space of its weights: the derivative in that direction. Given the network its
//! covariance is the network's own tangent kernel, and over networks that is on average the kernel of the limit: exactly
//! for one hidden layer, up to a difference of the order of one over the width for more.

use std::sync::Arc;

use hilltop_core::{Error, Result, Rng};
use hilltop_nn::{Activation, Architecture, Network, Parameterisation};

use super::infinite::Limit;
use super::network::{Directional, Encoded};
use crate::process::{Field, Source};

/// Where functions of an infinitely wide network come from.
pub(super) struct WideNetworks {
    pub(super) activation: Activation,
    pub(super) depth: usize,
    pub(super) limit: Limit,
}

impl WideNetworks {
    /// Deep layers cost the square of their width.
    fn width(&self) -> usize {
        if self.depth == 1 { 1024 } else { 256 }
    }
}

impl Source for WideNetworks {
    fn draw(&self, weights: &[f64], rng: &mut Rng) -> Result<Arc<dyn Field>> {
        let width = self.width();
        let hidden = vec![width; self.depth];
        let architecture = Architecture::new(weights.len(), &hidden, self.activation, Parameterisation::Ntk);
        let network = Network::init(&architecture, rng).map_err(unusable)?;
        let mut direction = vec![0.0; network.parameter_count()];
        rng.normals(&mut direction);
        let (inner, outer) = self.limit.shares();
        let last = direction.len() - width;
        direction[..last].iter_mut().for_each(|part| *part *= inner.sqrt());
        direction[last..].iter_mut().for_each(|part| *part *= outer.sqrt());
        Ok(Arc::new(Directional {
            encoded: Encoded::new(Arc::new(network), weights),
            direction,
        }))
    }
}

/// A network that cannot be built or trained.
pub(crate) fn unusable(error: impl std::fmt::Display) -> Error {
    Error::Numerical {
        what: "a network of the tangent-kernel surrogate",
        detail: error.to_string(),
    }
}
