//! Networks on encoded points: the encoder in front, signal and divisor behind.

use std::sync::Arc;

use faer::{Mat, MatRef};
use hilltop_nn::{Network, Parameterisation};

use crate::process::Field;

/// A network that sees points through an encoder.
#[derive(Clone)]
pub(crate) struct Encoded {
    pub(crate) network: Arc<Network>,
    /// The weight of each coordinate, the constant's last where there is one, with the factor that makes up for the first layer's.
    factors: Vec<f64>,
    /// Coordinates of a point.
    dim: usize,
}

impl Encoded {
    /// A network behind these weights. Its ntk form divides by the number of inputs, which the weights carry here. Arrays have
    /// no constant, its weight is that of the biases; a patch is divided by the root of its size in every form.
    pub(crate) fn new(network: Arc<Network>, weights: &[f64]) -> Self {
        let architecture = network.architecture();
        let ntk = architecture.parameterisation == Parameterisation::Ntk;
        let factor = match &architecture.convolution {
            None if ntk => (weights.len() as f64).sqrt(),
            Some(convolution) if !ntk => (convolution.patch() as f64).sqrt().recip(),
            _ => 1.0,
        };
        let inputs = &weights[..architecture.inputs];
        Self {
            factors: inputs.iter().map(|weight| factor * weight).collect(),
            dim: weights.len() - 1,
            network,
        }
    }

    /// The same encoder before other weights of the network.
    pub(crate) fn with(&self, network: Network) -> Self {
        Self {
            network: Arc::new(network),
            factors: self.factors.clone(),
            dim: self.dim,
        }
    }

    /// Points as the network sees them.
    pub(crate) fn inputs(&self, points: MatRef<'_, f64>) -> Mat<f64> {
        Mat::from_fn(points.nrows(), self.factors.len(), |i, j| {
            if j == self.dim {
                self.factors[j]
            } else {
                self.factors[j] * (2.0 * points[(i, j)] - 1.0)
            }
        })
    }

    /// Gradients in the network's inputs as gradients in the points, times a factor.
    pub(crate) fn outward(&self, inner: &Mat<f64>, factor: f64) -> Mat<f64> {
        Mat::from_fn(inner.nrows(), self.dim, |i, j| {
            factor * 2.0 * self.factors[j] * inner[(i, j)]
        })
    }
}

/// The directional derivative `⟨g(x), v⟩` as a function of points.
pub(crate) struct Directional {
    pub(crate) encoded: Encoded,
    pub(crate) direction: Vec<f64>,
}

impl Field for Directional {
    fn values(&self, points: MatRef<'_, f64>) -> Vec<f64> {
        self.encoded
            .network
            .jvp(self.encoded.inputs(points).as_ref(), &self.direction)
    }

    fn slopes(&self, points: MatRef<'_, f64>) -> (Vec<f64>, Mat<f64>) {
        let inputs = self.encoded.inputs(points);
        let (values, inner) = self
            .encoded
            .network
            .jvp_input_gradients(inputs.as_ref(), &self.direction);
        (values, self.encoded.outward(&inner, 1.0))
    }
}
