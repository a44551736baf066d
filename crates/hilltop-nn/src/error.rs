//! What can go wrong with a network.

/// An error of this crate.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// A network needs at least one input.
    #[error("a network needs at least one input")]
    NoInputs,
    /// A hidden layer without units.
    #[error("hidden layer {layer} has no units; give every hidden layer a width of at least 1")]
    ZeroWidth {
        /// Number of the hidden layer, from 1.
        layer: usize,
    },
    /// The antisymmetric parameterisation pairs the units of every hidden layer.
    #[error("hidden layer {layer} has {width} units; the antisymmetric parameterisation needs an even width")]
    OddWidth {
        /// Number of the hidden layer, from 1.
        layer: usize,
        /// Its width.
        width: usize,
    },
    /// The antisymmetric parameterisation has no trained output layer, so it needs a hidden one.
    #[error("the antisymmetric parameterisation needs at least one hidden layer")]
    NoHiddenLayer,
    /// A convolution that has nothing to do.
    #[error("the {setting} of a convolution is 0; it must be at least 1")]
    NoConvolution {
        /// Which setting.
        setting: &'static str,
    },
    /// An array that has not as many numbers as a point.
    #[error(
        "an array of {} × {} × {} does not have the {inputs} numbers of a point",
        image[0], image[1], image[2]
    )]
    ImageInputs {
        /// Rows, columns and channels.
        image: [usize; 3],
        /// Numbers of a point.
        inputs: usize,
    },
    /// A patch that does not fit into the array.
    #[error(
        "a kernel of {} × {} does not fit into an array of {} × {}",
        kernel[0], kernel[1], image[0], image[1]
    )]
    KernelTooLarge {
        /// Rows and columns of a patch.
        kernel: [usize; 2],
        /// Rows and columns of the array.
        image: [usize; 2],
    },
    /// More weights than can be addressed.
    #[error("the network would have more than {limit} weights; make its layers narrower")]
    TooManyWeights {
        /// The most weights a network may have.
        limit: usize,
    },
    /// The deviation of initial biases must be finite and not negative.
    #[error("the deviation of initial biases is {value}; it must be finite and not negative")]
    BiasDeviation {
        /// The value given.
        value: f64,
    },
    /// A number of weights that does not fit the architecture.
    #[error("{found} weights given to a network of {expected}")]
    WeightCount {
        /// What the architecture has.
        expected: usize,
        /// What was given.
        found: usize,
    },
    /// Examples whose parts do not fit together.
    #[error("{what}: expected {expected}, found {found}")]
    Shape {
        /// Which count is wrong.
        what: &'static str,
        /// What it should be.
        expected: usize,
        /// What it is.
        found: usize,
    },
    /// A setting of the training outside its range.
    #[error("training setting `{setting}` is {value}; {allowed}")]
    Setting {
        /// The name of the setting.
        setting: &'static str,
        /// The value given.
        value: f64,
        /// What is allowed.
        allowed: &'static str,
    },
    /// A target or a coordinate of a point that is not finite.
    #[error("example {example} has a {what} that is not finite; leave failed evaluations out of the training")]
    NotFinite {
        /// Number of the example, from 0.
        example: usize,
        /// `target` or `coordinate`.
        what: &'static str,
    },
    /// Members of an ensemble that differ in architecture.
    #[error("member {member} of the ensemble has another architecture than the one before it")]
    MixedArchitectures {
        /// Number of the member, from 0.
        member: usize,
    },
    /// A tangent kernel without a Cholesky factor.
    #[error(
        "the tangent kernel of {examples} examples cannot be factorised with a penalty of {penalty:e}; raise the penalty"
    )]
    Singular {
        /// Number of examples.
        examples: usize,
        /// The penalty on its diagonal.
        penalty: f64,
    },
    /// A derivative of too high an order.
    #[error("a derivative of order {order} in the inputs; at most order {limit} is known")]
    Order {
        /// Its order.
        order: usize,
        /// The highest order.
        limit: usize,
    },
    /// A derivative that the activation does not have.
    #[error(
        "a network of {activation:?} has no derivative of order {order} in its inputs; take a smooth activation such as tanh"
    )]
    NotSmooth {
        /// The activation.
        activation: crate::Activation,
        /// The order of the derivative.
        order: usize,
    },
    /// A derivative in an input that does not exist.
    #[error("a derivative in input {axis} of a network of {inputs} inputs, counted from 0")]
    Axis {
        /// The input.
        axis: usize,
        /// How many there are.
        inputs: usize,
    },
    /// Derivatives in the inputs of a convolution.
    #[error("derivatives in the inputs are known of dense networks alone; leave the convolution out")]
    ConvolvedJets,
    /// Training diverged at every rate tried.
    #[error("training diverged at step {step} even with a rate of {rate:e}; start from a smaller rate")]
    Diverged {
        /// The step of the last attempt at which it was noticed.
        step: usize,
        /// The rate of the last attempt.
        rate: f64,
    },
}

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Error>;
