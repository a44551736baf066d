//! Gradients, directional derivatives and kernels agree with finite differences and with each other, whatever the
//! architecture.
#![allow(clippy::unwrap_used, missing_docs)]

use faer::{Mat, MatRef};
use hilltop_core::Rng;
use hilltop_nn::{Activation, Architecture, Initial, Network, Parameterisation, Tangent};
use proptest::prelude::*;

const STEP: f64 = 1e-5;

/// Architectures of every kind; the antisymmetric ones with even widths.
fn architectures() -> impl Strategy<Value = Architecture> {
    let parameterisation = prop::sample::select(vec![
        Parameterisation::Standard,
        Parameterisation::Ntk,
        Parameterisation::Antisymmetric,
    ]);
    let hidden = prop::collection::vec(1_usize..5, 0..4);
    let activation = prop::sample::select(Activation::ALL.to_vec());
    (
        1_usize..5,
        hidden,
        activation,
        parameterisation,
        any::<bool>(),
        any::<bool>(),
    )
        .prop_map(|(inputs, mut hidden, activation, parameterisation, bias, zero)| {
            if parameterisation == Parameterisation::Antisymmetric {
                hidden.push(2);
                hidden = hidden.iter().map(|width| 2 * width).collect();
            }
            let plain = Architecture::new(inputs, &hidden, activation, parameterisation);
            let plain = plain.with_initial(if zero { Initial::ZeroLast } else { Initial::Everywhere });
            if bias { plain.with_bias(0.5) } else { plain }
        })
}

/// A network away from its start, so that no sum is zero by construction.
fn network(architecture: &Architecture, rng: &mut Rng) -> Network {
    let mut network = Network::init(architecture, rng).unwrap();
    network
        .weights_mut()
        .iter_mut()
        .for_each(|weight| *weight += 0.3 * rng.normal());
    network
}

fn points(count: usize, inputs: usize, rng: &mut Rng) -> Mat<f64> {
    Mat::from_fn(count, inputs, |_, _| rng.normal())
}

fn direction(network: &Network, rng: &mut Rng) -> Vec<f64> {
    (0..network.parameter_count()).map(|_| rng.normal()).collect()
}

fn close(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * (1.0 + a.abs().max(b.abs()))
}

/// Whether a number changes so abruptly over a step that the rectifier's kink must lie inside it.
fn kink(architecture: &Architecture, low: f64, middle: f64, high: f64) -> bool {
    architecture.activation == Activation::Relu && !close(low + high, 2.0 * middle, 1e-12)
}

fn moved(network: &Network, direction: &[f64], step: f64) -> Network {
    let weights = network
        .weights()
        .iter()
        .zip(direction)
        .map(|(w, v)| w + step * v)
        .collect();
    network.with_weights(weights).unwrap()
}

fn shifted(points: MatRef<'_, f64>, coordinate: usize, step: f64) -> Mat<f64> {
    Mat::from_fn(points.nrows(), points.ncols(), |i, j| {
        points[(i, j)] + if j == coordinate { step } else { 0.0 }
    })
}

/// Compares gradients in the inputs with central differences of `values`, for which kinks show in `h` as well.
fn assert_input_gradients(
    network: &Network,
    points: &Mat<f64>,
    gradients: &Mat<f64>,
    values: impl Fn(MatRef<'_, f64>) -> Vec<f64>,
) {
    let middle = network.forward(points.as_ref());
    for coordinate in 0..points.ncols() {
        let (low, high) = (
            shifted(points.as_ref(), coordinate, -STEP),
            shifted(points.as_ref(), coordinate, STEP),
        );
        let (below, above) = (values(low.as_ref()), values(high.as_ref()));
        let (h_below, h_above) = (network.forward(low.as_ref()), network.forward(high.as_ref()));
        for i in 0..points.nrows() {
            if kink(network.architecture(), h_below[i], middle[i], h_above[i]) {
                continue;
            }
            let slope = (above[i] - below[i]) / (2.0 * STEP);
            assert!(
                close(slope, gradients[(i, coordinate)], 3e-7),
                "{slope} {}",
                gradients[(i, coordinate)]
            );
        }
    }
}

fn assert_equal(a: MatRef<'_, f64>, b: MatRef<'_, f64>, tolerance: f64) {
    assert_eq!((a.nrows(), a.ncols()), (b.nrows(), b.ncols()));
    for j in 0..a.ncols() {
        for i in 0..a.nrows() {
            assert!(
                close(a[(i, j)], b[(i, j)], tolerance),
                "({i}, {j}): {} {}",
                a[(i, j)],
                b[(i, j)]
            );
        }
    }
}

fn explicit_gram(a: &Tangent, b: &Tangent) -> Mat<f64> {
    let product = |x: Vec<f64>, y: Vec<f64>| x.iter().zip(&y).map(|(u, v)| u * v).sum::<f64>();
    Mat::from_fn(a.len(), b.len(), |i, j| {
        product(a.gradient_vector(i), b.gradient_vector(j))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]

    #[test]
    fn directional_derivatives_and_weight_gradients_agree_with_finite_differences(
        architecture in architectures(), seed in any::<u64>()
    ) {
        let mut rng = Rng::new(seed);
        let network = network(&architecture, &mut rng);
        let points = points(4, architecture.inputs, &mut rng);
        let v = direction(&network, &mut rng);
        let derivative = network.jvp(points.as_ref(), &v);
        let middle = network.forward(points.as_ref());
        let below = moved(&network, &v, -STEP).forward(points.as_ref());
        let above = moved(&network, &v, STEP).forward(points.as_ref());
        for i in 0..4 {
            let mut unit = vec![0.0; 4];
            unit[i] = 1.0;
            let gradient = network.weight_gradient(points.as_ref(), &unit);
            let product: f64 = gradient.iter().zip(&v).map(|(g, v)| g * v).sum();
            prop_assert!(close(product, derivative[i], 1e-11), "{} {}", product, derivative[i]);
            // The rectifier's output is smooth along a line in the weights except at kinks, where second
            // differences are of the order of the step instead of its square.
            let second = above[i] + below[i] - 2.0 * middle[i];
            if architecture.activation == Activation::Relu && second.abs() > 1e-7 {
                continue;
            }
            let slope = (above[i] - below[i]) / (2.0 * STEP);
            prop_assert!(close(slope, derivative[i], 1e-5), "{} {}", slope, derivative[i]);
        }
    }

    #[test]
    fn input_gradients_agree_with_finite_differences(architecture in architectures(), seed in any::<u64>()) {
        let mut rng = Rng::new(seed);
        let network = network(&architecture, &mut rng);
        let points = points(5, architecture.inputs, &mut rng);
        let (values, gradients) = network.input_gradients(points.as_ref());
        prop_assert_eq!(&values, &network.forward(points.as_ref()));
        assert_input_gradients(&network, &points, &gradients, |x| network.forward(x));
    }

    #[test]
    fn input_gradients_of_directional_derivatives_agree_with_finite_differences(
        architecture in architectures(), seed in any::<u64>()
    ) {
        let mut rng = Rng::new(seed);
        let network = network(&architecture, &mut rng);
        let points = points(5, architecture.inputs, &mut rng);
        let v = direction(&network, &mut rng);
        let (values, gradients) = network.jvp_input_gradients(points.as_ref(), &v);
        for (a, b) in values.iter().zip(network.jvp(points.as_ref(), &v)) {
            prop_assert!(close(*a, b, 1e-13));
        }
        assert_input_gradients(&network, &points, &gradients, |x| network.jvp(x, &v));
    }

    #[test]
    fn kernels_are_inner_products_of_gradient_vectors(architecture in architectures(), seed in any::<u64>()) {
        let mut rng = Rng::new(seed);
        let network = network(&architecture, &mut rng);
        let (x, y) = (points(6, architecture.inputs, &mut rng), points(3, architecture.inputs, &mut rng));
        let (a, b) = (network.tangent(x.as_ref()), network.tangent(y.as_ref()));
        assert_equal(a.kernel(&b).as_ref(), explicit_gram(&a, &b).as_ref(), 1e-12);
        assert_equal(a.gram().as_ref(), explicit_gram(&a, &a).as_ref(), 1e-12);
        let diagonal = Mat::from_fn(6, 1, |i, _| a.diagonal()[i]);
        assert_equal(diagonal.as_ref(), Mat::from_fn(6, 1, |i, _| a.gram()[(i, i)]).as_ref(), 1e-13);
        for i in 0..6 {
            let mut unit = vec![0.0; 6];
            unit[i] = 1.0;
            let expected = network.weight_gradient(x.as_ref(), &unit);
            prop_assert!(a.gradient_vector(i).iter().zip(&expected).all(|(u, v)| close(*u, *v, 1e-13)));
        }
    }

    #[test]
    fn gradients_of_kernel_combinations_agree_with_the_formed_direction(
        architecture in architectures(), seed in any::<u64>()
    ) {
        let mut rng = Rng::new(seed);
        let network = network(&architecture, &mut rng);
        let (x, data) = (points(4, architecture.inputs, &mut rng), points(7, architecture.inputs, &mut rng));
        let tangent = network.tangent(data.as_ref());
        let coefficients = Mat::from_fn(7, 4, |_, _| rng.normal());
        let (values, gradients) = network.kernel_input_gradients(x.as_ref(), &tangent, coefficients.as_ref());
        for i in 0..4 {
            let c: Vec<f64> = (0..7).map(|k| coefficients[(k, i)]).collect();
            let (formed, formed_gradients) = network.jvp_input_gradients(x.as_ref(), &tangent.combination(&c));
            prop_assert!(close(values[i], formed[i], 1e-11));
            assert_equal(gradients.as_ref().subrows(i, 1), formed_gradients.as_ref().subrows(i, 1), 1e-10);
            let row: Vec<f64> = (0..x.ncols()).map(|k| x[(i, k)]).collect();
            let (value, gradient) = network.kernel_input_gradient(&row, &tangent, &c);
            prop_assert!(close(value, values[i], 1e-12));
            prop_assert!((0..x.ncols()).all(|k| close(gradient[k], gradients[(i, k)], 1e-11)));
        }
        let sums = network.tangent(x.as_ref()).kernel(&tangent) * &coefficients;
        prop_assert!((0..4).all(|i| close(values[i], sums[(i, i)], 1e-11)));
    }

    #[test]
    fn gradients_of_the_diagonal_agree_with_finite_differences(architecture in architectures(), seed in any::<u64>()) {
        let mut rng = Rng::new(seed);
        let network = network(&architecture, &mut rng);
        let points = points(4, architecture.inputs, &mut rng);
        let (values, gradients) = network.diagonal_input_gradients(points.as_ref());
        let diagonal = network.tangent(points.as_ref()).diagonal();
        prop_assert!(values.iter().zip(&diagonal).all(|(a, b)| close(*a, *b, 1e-12)));
        assert_input_gradients(&network, &points, &gradients, |x| network.tangent(x).diagonal());
    }

    #[test]
    fn directional_derivatives_are_linear_in_the_direction(architecture in architectures(), seed in any::<u64>()) {
        let mut rng = Rng::new(seed);
        let network = network(&architecture, &mut rng);
        let points = points(3, architecture.inputs, &mut rng);
        let (u, v) = (direction(&network, &mut rng), direction(&network, &mut rng));
        let sum: Vec<f64> = u.iter().zip(&v).map(|(u, v)| 2.0 * u - 3.0 * v).collect();
        let parts = (network.jvp(points.as_ref(), &u), network.jvp(points.as_ref(), &v));
        for (i, whole) in network.jvp(points.as_ref(), &sum).into_iter().enumerate() {
            prop_assert!(close(whole, 2.0 * parts.0[i] - 3.0 * parts.1[i], 1e-12));
        }
    }

    #[test]
    fn an_antisymmetric_network_starts_at_zero_with_the_whole_kernel(
        architecture in architectures(), seed in any::<u64>()
    ) {
        prop_assume!(architecture.parameterisation == Parameterisation::Antisymmetric);
        let mut rng = Rng::new(seed);
        let network = Network::init(&architecture, &mut rng).unwrap();
        let points = points(5, architecture.inputs, &mut rng);
        prop_assert!(network.forward(points.as_ref()).iter().all(|value| value.abs() < 1e-15));
        let tangent = network.tangent(points.as_ref());
        if architecture.activation != Activation::Relu {
            prop_assert!(tangent.diagonal().iter().all(|&value| value > 0.0));
        }
        assert_equal(tangent.gram().as_ref(), explicit_gram(&tangent, &tangent).as_ref(), 1e-12);
    }

    #[test]
    fn a_rectifier_network_without_biases_is_positively_homogeneous(
        architecture in architectures(), seed in any::<u64>(), factor in 0.1_f64..10.0
    ) {
        let architecture = Architecture { activation: Activation::Relu, bias: false, ..architecture };
        let mut rng = Rng::new(seed);
        let network = network(&architecture, &mut rng);
        let points = points(5, architecture.inputs, &mut rng);
        let scaled = Mat::from_fn(5, points.ncols(), |i, j| factor * points[(i, j)]);
        for (a, b) in network.forward(points.as_ref()).iter().zip(network.forward(scaled.as_ref())) {
            prop_assert!(close(factor * a, b, 1e-12));
        }
    }

    #[test]
    fn selected_and_appended_features_are_those_of_the_points(architecture in architectures(), seed in any::<u64>()) {
        let mut rng = Rng::new(seed);
        let network = network(&architecture, &mut rng);
        let points = points(6, architecture.inputs, &mut rng);
        let whole = network.tangent(points.as_ref());
        let mut grown = whole.select(&[0, 1]);
        grown.append(&whole.select(&[2, 3, 4, 5]));
        prop_assert_eq!(&grown, &whole);
        prop_assert_eq!(whole.select(&[4, 1]).gradient_vector(0), whole.gradient_vector(4));
    }
}

#[test]
fn a_symmetric_kernel_has_no_seams_where_its_tiles_and_strips_meet() {
    let architecture = Architecture::new(3, &[8, 8], Activation::Erf, Parameterisation::Ntk).with_bias(0.5);
    let mut rng = Rng::new(1);
    let network = network(&architecture, &mut rng);
    for count in [1, 47, 48, 49, 191, 192, 193, 241, 384, 385, 433] {
        let tangent = network.tangent(points(count, 3, &mut rng).as_ref());
        assert_equal(tangent.gram().as_ref(), tangent.kernel(&tangent).as_ref(), 1e-13);
    }
}
