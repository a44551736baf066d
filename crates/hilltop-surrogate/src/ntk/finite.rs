//! The empirical tangent kernel of a network of finite width: `k(x,x') = v·⟨g(x), g(x')⟩` at fixed weights.

use std::ops::Range;
use std::sync::Arc;

use faer::{Mat, MatMut, MatRef, Scale};
use hilltop_core::{Result, Rng};
use hilltop_nn::Tangent;

use super::network::{Directional, Encoded};
use crate::process::{Anchors, Crossing, Field, Kernel, Variance};

/// Points whose features are kept at once.
const PART: usize = 384;

/// A network's own kernel times a factor.
#[derive(Clone)]
pub(super) struct Finite {
    pub(super) encoded: Encoded,
    pub(super) factor: f64,
}

impl Finite {
    fn tangent(&self, points: MatRef<'_, f64>) -> Tangent {
        self.encoded.network.tangent(self.encoded.inputs(points).as_ref())
    }
}

impl Variance for Finite {
    fn diagonal(&self, points: MatRef<'_, f64>) -> Vec<f64> {
        let parts = parts(points.nrows());
        let variances = parts.flat_map(|part| self.tangent(points.subrows(part.start, part.len())).diagonal());
        variances.map(|value| self.factor * value).collect()
    }

    fn diagonal_slopes(&self, points: MatRef<'_, f64>) -> (Vec<f64>, Mat<f64>) {
        let inputs = self.encoded.inputs(points);
        let (values, slopes) = self.encoded.network.diagonal_input_gradients(inputs.as_ref());
        let values = values.iter().map(|value| self.factor * value).collect();
        (values, self.encoded.outward(&slopes, self.factor))
    }
}

impl Kernel for Finite {
    fn anchors(&self, points: MatRef<'_, f64>) -> Arc<dyn Anchors> {
        Arc::new(FiniteAnchors {
            kernel: self.clone(),
            tangent: Arc::new(self.tangent(points)),
        })
    }

    fn gram(&self, points: MatRef<'_, f64>) -> Mat<f64> {
        Scale(self.factor) * self.tangent(points).gram()
    }

    fn draw(&self, rng: &mut Rng) -> Result<Arc<dyn Field>> {
        let mut direction = vec![0.0; self.encoded.network.parameter_count()];
        rng.normals(&mut direction);
        for part in &mut direction {
            *part *= self.factor.sqrt();
        }
        Ok(Arc::new(Directional {
            encoded: self.encoded.clone(),
            direction,
        }))
    }
}

/// Points in parts, because the features of many points of a large network fill the memory.
fn parts(count: usize) -> impl Iterator<Item = Range<usize>> {
    (0..count)
        .step_by(PART)
        .map(move |start| start..(start + PART).min(count))
}

/// Points of a network's kernel.
struct FiniteAnchors {
    kernel: Finite,
    tangent: Arc<Tangent>,
}

impl Anchors for FiniteAnchors {
    fn count(&self) -> usize {
        self.tangent.len()
    }

    fn cross_into(&self, queries: MatRef<'_, f64>, mut out: MatMut<'_, f64>) {
        for part in parts(queries.nrows()) {
            let (start, count) = (part.start, part.len());
            let tangent = self.kernel.tangent(queries.subrows(start, count));
            let columns = out.as_mut().subcols_mut(start, count);
            { columns }.copy_from(Scale(self.kernel.factor) * self.tangent.kernel(&tangent));
        }
    }

    fn crossing(&self, queries: MatRef<'_, f64>) -> Box<dyn Crossing> {
        let inputs = self.kernel.encoded.inputs(queries);
        let values = self.cross(queries);
        Box::new(FiniteCrossing {
            kernel: self.kernel.clone(),
            tangent: self.tangent.clone(),
            inputs,
            values,
        })
    }
}

/// Covariances of a network's kernel with what gradients need.
struct FiniteCrossing {
    kernel: Finite,
    tangent: Arc<Tangent>,
    inputs: Mat<f64>,
    values: Mat<f64>,
}

impl Crossing for FiniteCrossing {
    fn values(&self) -> MatRef<'_, f64> {
        self.values.as_ref()
    }

    fn gradients(&self, coefficients: MatRef<'_, f64>) -> Mat<f64> {
        let encoded = &self.kernel.encoded;
        let (_, slopes) = encoded
            .network
            .kernel_input_gradients(self.inputs.as_ref(), &self.tangent, coefficients);
        encoded.outward(&slopes, self.kernel.factor)
    }
}
