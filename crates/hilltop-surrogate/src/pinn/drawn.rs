//! Functions around a trained network, and as scores their negatives.

use std::sync::Arc;

use faer::{Mat, MatMut, MatRef};
use hilltop_core::{Score, SmoothScore};

use super::chain::Trained;

/// The trained network and what a direction in the space of weights adds to first order.
#[derive(Clone, Debug)]
pub(super) struct Drawn {
    pub(super) trained: Arc<Trained>,
    pub(super) direction: Option<Vec<f64>>,
}

impl Drawn {
    /// In the network's units, at its inputs.
    fn outputs(&self, inputs: MatRef<'_, f64>) -> Vec<f64> {
        let network = &self.trained.network;
        let mut outputs = network.forward(inputs);
        if let Some(direction) = &self.direction {
            add(&mut outputs, &network.jvp(inputs, direction));
        }
        outputs
    }

    /// The same with gradients in the inputs.
    fn outputs_and_gradients(&self, inputs: MatRef<'_, f64>) -> (Vec<f64>, Mat<f64>) {
        let network = &self.trained.network;
        let (mut outputs, mut gradients) = network.input_gradients(inputs);
        if let Some(direction) = &self.direction {
            let (values, slopes) = network.jvp_input_gradients(inputs, direction);
            add(&mut outputs, &values);
            gradients += slopes;
        }
        (outputs, gradients)
    }
}

fn add(sum: &mut [f64], more: &[f64]) {
    sum.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
}

impl Score for Drawn {
    fn values(&self, points: MatRef<'_, f64>, out: &mut [f64]) {
        let frame = &self.trained.frame;
        let outputs = self.outputs(frame.inputs(points).as_ref());
        let scores = out.iter_mut().zip(outputs);
        scores.for_each(|(out, output)| *out = -frame.outward(output));
    }

    fn smooth(&self) -> Option<&dyn SmoothScore> {
        let activation = self.trained.network.architecture().activation;
        activation.is_smooth().then_some(self)
    }
}

impl SmoothScore for Drawn {
    fn values_and_gradients(&self, points: MatRef<'_, f64>, values: &mut [f64], mut gradients: MatMut<'_, f64>) {
        let frame = &self.trained.frame;
        let (outputs, inner) = self.outputs_and_gradients(frame.inputs(points).as_ref());
        let scores = values.iter_mut().zip(outputs);
        scores.for_each(|(out, output)| *out = -frame.outward(output));
        gradients.copy_from(frame.gradients(&inner, -frame.unit()));
    }
}
