//! Which derivatives in the inputs are wanted, and by which series they are found.
//!
//! Every input that is differentiated is a variable of a truncated power series, and a derivative is a coefficient of it times factorials. Inputs
//! that occur in first derivatives alone need less: their values come back from the output all at once, as a gradient does, and where only
//! their sum with known coefficients is wanted, it is one derivative along a direction of each point's own. So an equation of first
//! order costs the same in fifty dimensions as in one.

use crate::downset::Downset;
use crate::{Activation, Architecture, Error, Result};
use hilltop_core::physics::Partial;

/// From so many first derivatives on their values are taken from a backward pass.
const BY_GRADIENT: usize = 3;
/// From so many first derivatives on a sum of them is taken along one direction.
const BY_DIRECTION: usize = 2;

/// Derivatives of a network in its inputs, and how they are computed.
///
/// ```
/// use hilltop_core::physics::Partial;
/// use hilltop_core::Rng;
/// use hilltop_nn::{Activation, Architecture, Jets, Network, Parameterisation};
///
/// let shape = Architecture::new(2, &[32, 32], Activation::Tanh, Parameterisation::Ntk).with_bias(1.0);
/// let network = Network::init(&shape, &mut Rng::new(1))?;
/// let second = Jets::new(&shape, &[Partial::of(&[0, 0]), Partial::of(&[1, 1])])?;
/// let points = faer::Mat::from_fn(5, 2, |i, j| 0.1 * (i + j) as f64);
///
/// let laplacian = network.operator(points.as_ref(), &second, faer::Mat::full(5, 2, 1.0).as_ref());
/// let both = network.jets(points.as_ref(), &second);
/// assert!((both[(3, 0)] + both[(3, 1)] - laplacian[3]).abs() < 1e-12);
/// # Ok::<(), hilltop_nn::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Jets {
    partials: Vec<Partial>,
    /// For the values of all of them.
    pub(crate) values: Plan,
    /// For their sums with known coefficients.
    pub(crate) sums: Plan,
}

/// A series, and what of it the derivatives are.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Plan {
    /// The inputs that are variables, in the order of the series.
    pub(crate) axes: Vec<usize>,
    /// Whether one more variable follows them: a direction of every point's own.
    pub(crate) directed: bool,
    pub(crate) set: Downset,
    /// Where each derivative is found.
    pub(crate) places: Vec<Place>,
}

/// Where a derivative is found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Place {
    /// A term of the series, times a factor.
    Term(usize, f64),
    /// The slope in an input, outside the series.
    Slope(usize),
}

impl Jets {
    /// The highest total order of a derivative.
    pub const ORDER: usize = 4;

    /// A plan for these derivatives of networks of an architecture.
    pub fn new(architecture: &Architecture, partials: &[Partial]) -> Result<Self> {
        partials.iter().try_for_each(|partial| check(architecture, partial))?;
        let flat = flat_axes(partials);
        Ok(Self {
            values: Plan::new(partials, if flat.len() >= BY_GRADIENT { &flat } else { &[] }, false),
            sums: if flat.len() >= BY_DIRECTION {
                Plan::new(partials, &flat, true)
            } else {
                Plan::new(partials, &[], false)
            },
            partials: partials.to_vec(),
        })
    }

    /// The function itself and nothing else.
    pub fn value() -> Self {
        let partials = [Partial::value()];
        let plan = Plan::new(&partials, &[], false);
        Self {
            partials: partials.to_vec(),
            values: plan.clone(),
            sums: plan,
        }
    }

    /// The derivatives, in the order in which their values are given.
    pub fn partials(&self) -> &[Partial] {
        &self.partials
    }

    /// The highest order among them.
    pub fn order(&self) -> usize {
        self.values.set.order().max(self.sums.set.order())
    }
}

impl Plan {
    fn new(partials: &[Partial], outside: &[usize], directed: bool) -> Self {
        let mut axes: Vec<usize> = partials
            .iter()
            .flat_map(|partial| partial.axes().iter().map(|(axis, _)| *axis))
            .filter(|axis| !outside.contains(axis))
            .collect();
        axes.sort_unstable();
        axes.dedup();
        let inside = |partial: &&Partial| !partial.axes().iter().any(|(axis, _)| outside.contains(axis));
        let variables = axes.len() + usize::from(directed);
        let inner: Vec<Vec<u8>> = partials
            .iter()
            .filter(inside)
            .map(|partial| exponents(partial, &axes, variables))
            .collect();
        let set = Downset::new(variables, &inner);
        let place = |partial: &Partial| match partial.axes() {
            [(axis, 1)] if outside.contains(axis) => Place::Slope(*axis),
            _ => {
                let term = set.index(&exponents(partial, &axes, variables));
                Place::Term(term.unwrap_or(0), factorials(partial))
            }
        };
        Self {
            places: partials.iter().map(place).collect(),
            axes,
            directed,
            set,
        }
    }

    /// Number of terms of the inputs' series: the constant and the variables.
    pub(crate) fn leading(&self) -> usize {
        1 + self.axes.len() + usize::from(self.directed)
    }

    /// Whether some derivatives are found outside the series.
    pub(crate) fn has_slopes(&self) -> bool {
        self.places.iter().any(|place| matches!(place, Place::Slope(_)))
    }
}

fn exponents(partial: &Partial, axes: &[usize], variables: usize) -> Vec<u8> {
    let mut out = vec![0; variables];
    for &(axis, times) in partial.axes() {
        if let Ok(variable) = axes.binary_search(&axis) {
            out[variable] = times as u8;
        }
    }
    out
}

/// What a coefficient is multiplied by to be a derivative.
fn factorials(partial: &Partial) -> f64 {
    let factorial = |times: usize| (1..=times).map(|k| k as f64).product::<f64>();
    partial.axes().iter().map(|&(_, times)| factorial(times)).product()
}

/// Inputs that are differentiated once and alone.
fn flat_axes(partials: &[Partial]) -> Vec<usize> {
    let curved: Vec<usize> = partials
        .iter()
        .filter(|partial| partial.order() > 1)
        .flat_map(|partial| partial.axes().iter().map(|(axis, _)| *axis))
        .collect();
    let first = partials.iter().filter(|partial| partial.order() == 1);
    let mut flat: Vec<usize> = first.map(|partial| partial.axes()[0].0).collect();
    flat.retain(|axis| !curved.contains(axis));
    flat.sort_unstable();
    flat.dedup();
    flat
}

fn check(architecture: &Architecture, partial: &Partial) -> Result<()> {
    let order = partial.order();
    if architecture.convolution.is_some() {
        return Err(Error::ConvolvedJets);
    }
    if order > Jets::ORDER {
        return Err(Error::Order {
            order,
            limit: Jets::ORDER,
        });
    }
    if architecture.activation == Activation::Relu && order > 1 {
        return Err(Error::NotSmooth {
            activation: architecture.activation,
            order,
        });
    }
    let axis = partial.axes().last().map_or(0, |(axis, _)| *axis);
    if axis >= architecture.inputs {
        return Err(Error::Axis {
            axis,
            inputs: architecture.inputs,
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::Parameterisation;

    fn shape(inputs: usize, activation: Activation) -> Architecture {
        Architecture::new(inputs, &[8], activation, Parameterisation::Ntk)
    }

    fn terms(inputs: usize, partials: &[Partial]) -> (usize, usize) {
        let jets = Jets::new(&shape(inputs, Activation::Tanh), partials).unwrap();
        (jets.values.set.len(), jets.sums.set.len())
    }

    #[test]
    fn derivatives_that_share_a_direction_are_grouped() {
        let of = |axes: &[usize]| Partial::of(axes);
        // A Laplacian: two directions of two terms each, and the value.
        assert_eq!(terms(2, &[of(&[0, 0]), of(&[1, 1])]), (5, 5));
        // The fourth derivative of a beam with all lower ones.
        assert_eq!(terms(1, &[of(&[0; 4]), of(&[0; 3]), of(&[0, 0])]), (5, 5));
        // First derivatives: their values from a gradient, a sum of them along one direction.
        let first: Vec<Partial> = (0..50).map(|axis| of(&[axis])).collect();
        assert_eq!(terms(50, &first), (1, 2));
        assert_eq!(terms(2, &first[..2]), (3, 2));
        // Convection and diffusion: the curved input keeps its own variable.
        assert_eq!(terms(4, &[of(&[0, 0]), of(&[0]), of(&[1]), of(&[2]), of(&[3])]), (3, 4));
    }

    #[test]
    fn impossible_derivatives_are_refused_with_their_numbers() {
        let refused = |activation, axes: &[usize]| Jets::new(&shape(2, activation), &[Partial::of(axes)]).unwrap_err();
        assert_eq!(refused(Activation::Tanh, &[0; 5]), Error::Order { order: 5, limit: 4 });
        assert_eq!(refused(Activation::Tanh, &[0, 2]), Error::Axis { axis: 2, inputs: 2 });
        let activation = Activation::Relu;
        assert_eq!(refused(activation, &[0, 1]), Error::NotSmooth { activation, order: 2 });
        assert!(Jets::new(&shape(2, activation), &[Partial::of(&[1])]).is_ok());
    }
}
