//! Initial weights are those of the papers.
#![allow(clippy::unwrap_used, clippy::float_cmp, missing_docs)]

use faer::{Mat, MatRef};
use hilltop_core::Rng;
use hilltop_nn::{Activation, Architecture, Error, Initial, Network, Parameterisation};

const INPUTS: usize = 40;

fn network(parameterisation: Parameterisation, initial: Initial) -> Network {
    let architecture = Architecture::new(INPUTS, &[200, 300], Activation::Relu, parameterisation);
    Network::init(&architecture.with_bias(0.5).with_initial(initial), &mut Rng::new(3)).unwrap()
}

fn variance<'a>(values: impl Iterator<Item = &'a f64>) -> f64 {
    let values: Vec<f64> = values.copied().collect();
    values.iter().map(|value| value * value).sum::<f64>() / values.len() as f64
}

fn layer_variance(network: &Network, layer: usize) -> f64 {
    let weights = network.layer_weights(layer);
    variance((0..weights.ncols()).flat_map(|j| weights.col(j).iter()))
}

fn about(found: f64, expected: f64) -> bool {
    (found / expected - 1.0).abs() < 0.25
}

#[test]
fn the_standard_form_has_one_over_the_width_everywhere_or_two_and_a_last_layer_of_zeros() {
    let everywhere = network(Parameterisation::Standard, Initial::Everywhere);
    let expected = [1.0 / 200.0, 1.0 / 300.0, 1.0 / 300.0];
    assert!((0..3).all(|layer| about(layer_variance(&everywhere, layer), expected[layer])));
    let theory = network(Parameterisation::Standard, Initial::ZeroLast);
    assert!((0..2).all(|layer| about(layer_variance(&theory, layer), 2.0 * expected[layer])));
    assert_eq!(layer_variance(&theory, 2), 0.0);
}

#[test]
fn the_ntk_form_has_weights_of_variance_one_and_biases_of_the_deviation_asked_for() {
    let network = network(Parameterisation::Ntk, Initial::Everywhere);
    assert!((0..3).all(|layer| about(layer_variance(&network, layer), 1.0)));
    assert!(about(variance(network.layer_biases(1).iter()), 0.25));
    assert_eq!(network.layer_count(), 3);
}

#[test]
fn the_antisymmetric_form_is_two_mirrored_halves_with_opposite_signs() {
    let network = network(Parameterisation::Antisymmetric, Initial::Everywhere);
    assert_eq!(network.layer_count(), 2);
    let (first, second) = (network.layer_weights(0), network.layer_weights(1));
    assert_eq!(first.subrows(0, 100), first.subrows(100, 100));
    let block = |rows, columns| second.submatrix(rows, columns, 150, 100);
    assert_eq!(block(0, 0), block(150, 100));
    let zero = Mat::<f64>::zeros(150, 100);
    assert_eq!((block(150, 0), block(0, 100)), (zero.as_ref(), zero.as_ref()));
    assert!(about(
        variance((0..100).flat_map(|j| second.col(j).iter().take(150))),
        1.0
    ));
    let signs = network.output_weights();
    assert!((0..150).all(|i| signs[i].abs() == 1.0 && signs[i] == -signs[150 + i]));
    assert!(signs[..150].contains(&1.0) && signs[..150].contains(&-1.0));
    assert_eq!(network.layer_biases(1)[..150], network.layer_biases(1)[150..]);
}

#[test]
fn a_last_layer_of_zeros_leaves_only_its_own_part_of_the_kernel() {
    let architecture = Architecture::new(3, &[50, 50], Activation::Relu, Parameterisation::Standard);
    let network = Network::init(&architecture.with_initial(Initial::ZeroLast), &mut Rng::new(1)).unwrap();
    let point = [0.3, -0.2, 0.9];
    let point = MatRef::from_row_major_slice(&point, 1, 3);
    assert_eq!(network.forward(point), [0.0]);
    let gradient = network.tangent(point).gradient_vector(0);
    let hidden = 3 * 50 + 50 * 50;
    assert!(gradient[..hidden].iter().all(|&value| value == 0.0));
    assert!(gradient[hidden..].iter().any(|&value| value != 0.0));
}

#[test]
fn the_same_seed_gives_the_same_network() {
    let build = |seed| {
        let architecture = Architecture::new(3, &[8], Activation::Erf, Parameterisation::Antisymmetric);
        Network::init(&architecture, &mut Rng::new(seed)).unwrap()
    };
    assert_eq!(build(1), build(1));
    assert_ne!(build(1), build(2));
}

#[test]
fn parts_that_do_not_fit_are_refused() {
    let architecture = Architecture::new(2, &[4], Activation::Erf, Parameterisation::Antisymmetric);
    let weights = vec![0.1; 8];
    assert!(Network::from_parts(&architecture, weights.clone(), vec![1.0; 4]).is_ok());
    let signs = Network::from_parts(&architecture, weights, vec![1.0; 3]);
    assert_eq!(
        signs,
        Err(Error::Shape {
            what: "fixed signs of the output",
            expected: 4,
            found: 3
        })
    );
    let few = Network::from_parts(&architecture, vec![0.1; 7], vec![1.0; 4]);
    assert_eq!(few, Err(Error::WeightCount { expected: 8, found: 7 }));
    let empty = Architecture::new(2, &[0], Activation::Erf, Parameterisation::Ntk);
    assert_eq!(
        Network::init(&empty, &mut Rng::new(0)),
        Err(Error::ZeroWidth { layer: 1 })
    );
}
