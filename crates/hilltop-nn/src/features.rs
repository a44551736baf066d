//! What enters the output: the values of the last hidden layer as features of a point, and their gradients.

use crate::forward::{Order, Workspace};
use crate::lanes;
use crate::network::Network;
use faer::{Mat, MatRef};

impl Network {
    /// The values of the last hidden layer (a row a point); the points themselves where there is none.
    ///
    /// # Panics
    /// If the points do not have as many coordinates as the network has inputs.
    pub fn features(&self, points: MatRef<'_, f64>) -> Mat<f64> {
        let mut workspace = Workspace::new(self.architecture());
        self.load(points, 0..points.nrows(), &mut workspace);
        self.propagate(&mut workspace, Order::Value);
        workspace.top().view().transpose().to_owned()
    }

    /// The gradient in every point of its features' sum with coefficients of its own (a row a point).
    ///
    /// # Panics
    /// If the points do not have as many coordinates as the network has inputs, or there is not a coefficient for
    /// every feature of every point.
    pub fn feature_gradients(&self, points: MatRef<'_, f64>, coefficients: MatRef<'_, f64>) -> Mat<f64> {
        assert_eq!(
            coefficients.nrows(),
            points.nrows(),
            "a row of coefficients for every point"
        );
        assert_eq!(
            coefficients.ncols(),
            self.architecture().width(),
            "a coefficient for every feature"
        );
        let mut workspace = Workspace::new(self.architecture());
        self.load(points, 0..points.nrows(), &mut workspace);
        self.propagate(&mut workspace, Order::Slope);
        let Some(top) = workspace.slopes.last_mut() else {
            return coefficients.to_owned();
        };
        for point in 0..points.nrows() {
            let row: Vec<f64> = coefficients.row(point).iter().copied().collect();
            lanes::multiply(top.column_mut(point), &row);
        }
        self.lower_signals(&mut workspace);
        let mut gradients = Mat::zeros(points.nrows(), points.ncols());
        self.input_signal(&mut workspace, gradients.as_mut().transpose_mut());
        gradients
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::{Activation, Architecture, Parameterisation};
    use hilltop_core::Rng;

    #[test]
    fn features_and_their_gradients_are_those_of_the_output() {
        let mut rng = Rng::new(3);
        for hidden in [vec![], vec![6], vec![5, 4, 7]] {
            let shape = Architecture::new(3, &hidden, Activation::Tanh, Parameterisation::Ntk).with_bias(0.5);
            let network = Network::init(&shape, &mut rng).unwrap();
            let points = Mat::from_fn(4, 3, |_, _| rng.between(-1.0, 1.0));
            let features = network.features(points.as_ref());
            let (values, gradients) = network.input_gradients(points.as_ref());
            let (scale, width) = (shape.output_scale(), shape.width());
            let weights = network.output_weights();
            let bias = network.layer_biases(hidden.len())[0];
            for point in 0..4 {
                let sum: f64 = (0..width).map(|k| weights[k] * features[(point, k)]).sum();
                assert!((scale * sum + bias - values[point]).abs() < 1e-13);
            }
            let coefficients = Mat::from_fn(4, width, |_, k| scale * weights[k]);
            let ours = network.feature_gradients(points.as_ref(), coefficients.as_ref());
            assert!((ours - gradients).norm_max() < 1e-13);
        }
    }
}
