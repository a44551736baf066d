//! What a network is before it has weights: widths, activation, parameterisation.
//!
//! Layer `l` computes `z = s · W a + b` and passes on `a' = φ(z)`; the last one gives the output `h` itself. The
//! parameterisations differ in the factor `s` and in the initial weights alone:
//!
//! | | first `s` | hidden `s` | last `s` | initial weights |
//! |---|---|---|---|---|
//! | standard | 1 | 1 | `√m` | hidden `N(0, 2/m)`, last 0; or `N(0, 1/m)` everywhere |
//! | ntk | `1/√d` | `√(c/m_in)` | `√(c/m_in)` | `N(0, 1)` |
//! | antisymmetric | 1 | `1/√m_in` | `1/√m_in`, with fixed signs in place of weights | `N(0, 1)`, mirrored |
//!
//! `m` is the width a layer leads to, or for the last layer the one it comes from (with equal widths, as in the
//! papers, there is no difference). In the ntk form `c` (2 for relu, otherwise 1) makes up for the activation before
//! the layer. The first layer has none before it, so that the wide limit is exactly the recursion that starts from
//! `⟨x, x'⟩/d`. A convolution is a first layer whose inputs are those of a patch and whose outputs are its filters; what it
//! gives at all sites is the width that the next layer comes from.

use crate::{Activation, Convolution, Error, Result};
use serde::{Deserialize, Serialize};

/// Which factors stand before the weights and how these start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Parameterisation {
    /// `h = √m · W_L φ(⋯ φ(W_1 x))`, as in `NeuralBO` and `NeuralUCB`.
    Standard,
    /// Every layer divided by the square root of its inputs, weights of variance one, as in STO-BNTS and PINN-BO.
    Ntk,
    /// Two mirrored halves with opposite fixed signs at the output: zero at the start, with the whole kernel, as in
    /// Neural-CBO.
    Antisymmetric,
}

/// The initial weights of the standard parameterisation; the others have one initialisation each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Initial {
    /// `N(0, 1/m)` in every layer: the experiments of `NeuralBO`.
    #[default]
    Everywhere,
    /// Hidden layers `N(0, 2/m)`, last layer zero: the theory. The tangent kernel at the start is then that of the
    /// last layer alone, because no signal comes back through a layer of zeros.
    ZeroLast,
}

/// The shape of a fully connected network with one output.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Architecture {
    /// Number of inputs.
    pub inputs: usize,
    /// A convolution as the first layer, before the hidden ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub convolution: Option<Convolution>,
    /// Widths of the hidden layers, from the input on; empty for a linear model.
    pub hidden: Vec<usize>,
    /// The function between layers.
    pub activation: Activation,
    /// Factors and initial weights.
    pub parameterisation: Parameterisation,
    /// Whether every trained layer has biases.
    #[serde(default)]
    pub bias: bool,
    /// Standard deviation of the initial biases.
    #[serde(default)]
    pub bias_deviation: f64,
    /// Initial weights of the standard parameterisation.
    #[serde(default)]
    pub initial: Initial,
}

impl Architecture {
    /// The most weights a network may have.
    pub const WEIGHT_LIMIT: usize = 1 << 31;

    /// A network without biases.
    pub fn new(inputs: usize, hidden: &[usize], activation: Activation, parameterisation: Parameterisation) -> Self {
        Self {
            inputs,
            convolution: None,
            hidden: hidden.to_vec(),
            activation,
            parameterisation,
            bias: false,
            bias_deviation: 0.0,
            initial: Initial::default(),
        }
    }

    /// The same network with biases that start as `N(0, deviation²)`.
    #[must_use]
    pub fn with_bias(mut self, deviation: f64) -> Self {
        self.bias = true;
        self.bias_deviation = deviation;
        self
    }

    /// The same network with a convolution before its hidden layers.
    #[must_use]
    pub fn with_convolution(mut self, convolution: Convolution) -> Self {
        self.convolution = Some(convolution);
        self
    }

    /// The same network with other initial weights of the standard parameterisation.
    #[must_use]
    pub fn with_initial(mut self, initial: Initial) -> Self {
        self.initial = initial;
        self
    }

    /// Whether such a network can be built.
    pub fn check(&self) -> Result<()> {
        if self.inputs == 0 {
            return Err(Error::NoInputs);
        }
        if let Some(convolution) = &self.convolution {
            convolution.check(self.inputs)?;
        }
        let filters = self.convolution.map(|convolution| convolution.filters);
        for (layer, width) in (1..).zip(filters.into_iter().chain(self.hidden.iter().copied())) {
            self.check_width(layer, width)?;
        }
        if self.parameterisation == Parameterisation::Antisymmetric && self.hidden_count() == 0 {
            return Err(Error::NoHiddenLayer);
        }
        if !self.bias_deviation.is_finite() || self.bias_deviation < 0.0 {
            return Err(Error::BiasDeviation {
                value: self.bias_deviation,
            });
        }
        self.checked_count().map(drop)
    }

    fn check_width(&self, layer: usize, width: usize) -> Result<()> {
        match width {
            0 => Err(Error::ZeroWidth { layer }),
            _ if self.parameterisation == Parameterisation::Antisymmetric && width % 2 == 1 => {
                Err(Error::OddWidth { layer, width })
            }
            _ => Ok(()),
        }
    }

    fn checked_count(&self) -> Result<usize> {
        let sizes = self.trained_shapes();
        let weights = sizes.iter().try_fold(0_usize, |sum, &(inputs, outputs)| {
            let per_unit = inputs.checked_add(usize::from(self.bias))?;
            sum.checked_add(per_unit.checked_mul(outputs)?)
        });
        weights
            .filter(|&count| count <= Self::WEIGHT_LIMIT)
            .ok_or(Error::TooManyWeights {
                limit: Self::WEIGHT_LIMIT,
            })
    }

    /// Number of weights, biases included; the fixed signs of the antisymmetric form are none.
    ///
    /// # Panics
    /// Where [`check`](Self::check) reports too many weights.
    pub fn parameter_count(&self) -> usize {
        self.layers().last().map_or(0, |layer| layer.end)
    }

    /// `m`, the width of the last hidden layer (the inputs where there is none); of a convolution the values at all sites.
    pub fn width(&self) -> usize {
        self.heights().last().unwrap_or(self.inputs)
    }

    /// Number of hidden layers, a convolution among them.
    pub(crate) fn hidden_count(&self) -> usize {
        usize::from(self.convolution.is_some()) + self.hidden.len()
    }

    /// Values of every hidden layer at one point, a convolution's at all sites.
    pub(crate) fn heights(&self) -> impl Iterator<Item = usize> {
        let outputs = self.convolution.map(|convolution| convolution.outputs());
        outputs.into_iter().chain(self.hidden.iter().copied())
    }

    /// Units of the last hidden layer that belong together: the filters of a site, or all.
    pub(crate) fn top_units(&self) -> usize {
        match &self.convolution {
            Some(convolution) if self.hidden.is_empty() => convolution.filters,
            _ => self.width(),
        }
    }

    /// What the papers of each form divide `⟨g, g'⟩` by: `m` in the standard form, 1 in the others.
    ///
    /// [`Tangent::kernel`](crate::Tangent::kernel) is `⟨g, g'⟩` itself.
    pub fn kernel_divisor(&self) -> f64 {
        if self.parameterisation == Parameterisation::Standard {
            self.width() as f64
        } else {
            1.0
        }
    }

    /// `(inputs, outputs)` of every layer with trained weights.
    fn trained_shapes(&self) -> Vec<(usize, usize)> {
        let fixed_output = self.parameterisation == Parameterisation::Antisymmetric;
        let first = self.convolution.map_or(self.inputs, |convolution| convolution.patch());
        let filters = self.convolution.map(|convolution| convolution.filters);
        let ins = std::iter::once(first).chain(self.heights());
        let outs = filters.into_iter().chain(self.hidden.iter().copied());
        ins.zip(outs.chain((!fixed_output).then_some(1))).collect()
    }

    /// The layers with trained weights, from the input on.
    pub(crate) fn layers(&self) -> Vec<Layer> {
        let mut start = 0;
        let shapes = self.trained_shapes();
        let layers = shapes.iter().enumerate().map(|(index, &(inputs, outputs))| {
            let mut layer = Layer::new(start, inputs, outputs, self.bias, self.scale(index, inputs));
            if let Some(convolution) = self.convolution.filter(|_| index == 0) {
                layer.sites = convolution.sites();
            }
            start = layer.end;
            layer
        });
        layers.collect()
    }

    /// The factor before the weights of a layer of so many inputs, counted from 0.
    fn scale(&self, index: usize, inputs: usize) -> f64 {
        let inputs = inputs as f64;
        match self.parameterisation {
            Parameterisation::Standard if index == self.hidden_count() => inputs.sqrt(),
            Parameterisation::Standard => 1.0,
            Parameterisation::Ntk if index == 0 => inputs.sqrt().recip(),
            Parameterisation::Ntk => (self.activation.gain() / inputs).sqrt(),
            Parameterisation::Antisymmetric if index == 0 => 1.0,
            Parameterisation::Antisymmetric => inputs.sqrt().recip(),
        }
    }

    /// The factor before the output's sum: of the last layer's weights, or of the fixed signs.
    pub(crate) fn output_scale(&self) -> f64 {
        self.scale(self.hidden_count(), self.width())
    }
}

/// Where a layer's weights stand in the flat vector, and its factor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Layer {
    pub(crate) inputs: usize,
    pub(crate) outputs: usize,
    pub(crate) start: usize,
    /// End of the weights, start of the biases.
    pub(crate) middle: usize,
    pub(crate) end: usize,
    pub(crate) scale: f64,
    /// Columns for every point: the sites of a convolution, one of a dense layer.
    pub(crate) sites: usize,
}

impl Layer {
    fn new(start: usize, inputs: usize, outputs: usize, bias: bool, scale: f64) -> Self {
        let middle = start + inputs * outputs;
        let end = middle + if bias { outputs } else { 0 };
        Self {
            inputs,
            outputs,
            start,
            middle,
            end,
            scale,
            sites: 1,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn plain(hidden: &[usize], parameterisation: Parameterisation) -> Architecture {
        Architecture::new(3, hidden, Activation::Relu, parameterisation)
    }

    #[test]
    fn impossible_shapes_are_refused_with_their_numbers() {
        assert_eq!(
            plain(&[4, 0], Parameterisation::Ntk).check(),
            Err(Error::ZeroWidth { layer: 2 })
        );
        assert_eq!(
            plain(&[4, 5], Parameterisation::Antisymmetric).check(),
            Err(Error::OddWidth { layer: 2, width: 5 })
        );
        assert_eq!(
            plain(&[], Parameterisation::Antisymmetric).check(),
            Err(Error::NoHiddenLayer)
        );
        let huge = plain(&[usize::MAX / 2, 8], Parameterisation::Ntk).check();
        assert!(matches!(huge, Err(Error::TooManyWeights { .. })));
        let mut none = plain(&[4], Parameterisation::Ntk);
        none.inputs = 0;
        assert_eq!(none.check(), Err(Error::NoInputs));
        let wild = plain(&[4], Parameterisation::Ntk).with_bias(f64::NAN).check();
        assert!(matches!(wild, Err(Error::BiasDeviation { .. })));
    }

    #[test]
    fn weights_are_counted_with_biases_and_without_fixed_signs() {
        assert_eq!(plain(&[4, 6], Parameterisation::Ntk).parameter_count(), 12 + 24 + 6);
        assert_eq!(
            plain(&[4, 6], Parameterisation::Ntk).with_bias(0.0).parameter_count(),
            12 + 24 + 6 + 11
        );
        assert_eq!(
            plain(&[4, 6], Parameterisation::Antisymmetric).parameter_count(),
            12 + 24
        );
        assert_eq!(plain(&[], Parameterisation::Standard).parameter_count(), 3);
    }

    #[test]
    fn a_description_survives_being_written_and_read() {
        let architecture = plain(&[4], Parameterisation::Antisymmetric).with_bias(0.5);
        let text = serde_json::to_string(&architecture).unwrap();
        assert_eq!(serde_json::from_str::<Architecture>(&text).unwrap(), architecture);
        let short = r#"{"inputs": 2, "hidden": [8], "activation": "erf", "parameterisation": "ntk"}"#;
        assert!(!serde_json::from_str::<Architecture>(short).unwrap().bias);
    }
}
