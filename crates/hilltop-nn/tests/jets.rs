//! Derivatives in the inputs and their gradients in the weights: numbers of JAX, differences to eighty digits, and laws.
#![allow(clippy::unwrap_used, missing_docs)]

use faer::{Mat, MatRef};
use hilltop_core::Rng;
use hilltop_core::physics::Partial;
use hilltop_nn::{Activation, Architecture, JetTangent, JetWorkspace, Jets, Network, Parameterisation};
use proptest::prelude::*;
use serde_json::Value;

fn items(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

fn vector(value: &Value) -> Vec<f64> {
    items(value).iter().map(|number| number.as_f64().unwrap()).collect()
}

fn matrix(value: &Value) -> Mat<f64> {
    let rows: Vec<Vec<f64>> = items(value).iter().map(vector).collect();
    Mat::from_fn(rows.len(), rows[0].len(), |i, j| rows[i][j])
}

fn stored() -> (Vec<Partial>, Value) {
    let path = format!("{}/tests/data/jets.json", env!("CARGO_MANIFEST_DIR"));
    let stored: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let axes = |value: &Value| vector(value).iter().map(|axis| *axis as usize).collect::<Vec<usize>>();
    let partials = items(&stored["partials"]).iter().map(|value| Partial::of(&axes(value)));
    (partials.collect(), stored["cases"].clone())
}

fn network(case: &Value) -> Network {
    let architecture: Architecture = serde_json::from_value(case["architecture"].clone()).unwrap();
    Network::from_parts(&architecture, vector(&case["weights"]), vector(&case["signs"])).unwrap()
}

/// Relative to the larger of a number and a thousandth of the largest of its kind.
fn assert_close(found: f64, expected: f64, largest: f64, tolerance: f64, what: &str) {
    let scale = expected.abs().max(1e-3 * largest);
    assert!(
        (found - expected).abs() <= tolerance * scale,
        "{what}: {found:e} {expected:e}"
    );
}

#[test]
fn derivatives_up_to_the_fourth_are_those_of_jax() {
    let (partials, cases) = stored();
    assert_eq!((partials.len(), items(&cases).len()), (35, 20));
    for case in items(&cases) {
        let (network, points) = (network(case), matrix(&case["points"]));
        let what = format!("{:?}", network.architecture());
        let jets = Jets::new(network.architecture(), &partials).unwrap();
        let (expected, along) = (matrix(&case["values"]), matrix(&case["along"]));
        let found = network.jets(points.as_ref(), &jets);
        let direction = vector(&case["direction"]);
        for which in 0..partials.len() {
            let alone = Jets::new(network.architecture(), &partials[which..=which]).unwrap();
            let one = Mat::full(2, 1, 1.0);
            let moved = network
                .jet_tangent(points.as_ref(), &alone, one.as_ref())
                .along(&direction);
            let single = network.jets(points.as_ref(), &alone);
            for point in 0..2 {
                let what = format!("{:?} of {what}", partials[which]);
                let largest = |matrix: &Mat<f64>| matrix.row(point).norm_max();
                assert_close(
                    found[(point, which)],
                    expected[(point, which)],
                    largest(&expected),
                    1e-9,
                    &what,
                );
                assert_close(
                    single[(point, 0)],
                    expected[(point, which)],
                    largest(&expected),
                    1e-9,
                    &what,
                );
                assert_close(moved[point], along[(point, which)], largest(&along), 1e-9, &what);
            }
        }
    }
}

#[test]
fn gradients_in_the_weights_are_those_of_jax() {
    let (partials, cases) = stored();
    for case in items(&cases) {
        let (network, points) = (network(case), matrix(&case["points"]));
        let what = format!("{:?}", network.architecture());
        let jets = Jets::new(network.architecture(), &partials).unwrap();
        let coefficients = matrix(&case["coefficients"]);
        let found = network.jets_weight_gradient(points.as_ref(), &jets, coefficients.as_ref());
        let expected = vector(&case["weight_gradient"]);
        let largest = expected.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(&expected) {
            assert_close(*found, *expected, largest, 1e-9, &what);
        }
    }
}

#[test]
fn derivatives_are_the_limits_of_differences_to_eighty_digits() {
    let (partials, cases) = stored();
    for case in items(&cases) {
        let (network, points) = (network(case), matrix(&case["points"]));
        for row in items(&case["differences"]) {
            let row = vector(row);
            let (point, which) = (row[0] as usize, row[1] as usize);
            let alone = Jets::new(network.architecture(), &partials[which..=which]).unwrap();
            let here = points.as_ref().subrows(point, 1);
            let moved = network.jet_tangent(here, &alone, Mat::full(1, 1, 1.0).as_ref());
            let what = format!("{:?} of {:?}", partials[which], network.architecture());
            assert_close(network.jets(here, &alone)[(0, 0)], row[2], 0.0, 1e-8, &what);
            assert_close(moved.along(&vector(&case["direction"]))[0], row[3], 0.0, 1e-8, &what);
        }
    }
}

/// Architectures of every kind, the antisymmetric ones with even widths.
fn architectures() -> impl Strategy<Value = Architecture> {
    let smooth = Activation::ALL.into_iter().filter(|activation| activation.is_smooth());
    let forms = vec![
        Parameterisation::Standard,
        Parameterisation::Ntk,
        Parameterisation::Antisymmetric,
    ];
    (
        1_usize..6,
        prop::collection::vec(1_usize..5, 0..4),
        prop::sample::select(smooth.collect::<Vec<_>>()),
        prop::sample::select(forms),
        any::<bool>(),
    )
        .prop_map(|(inputs, mut hidden, activation, form, bias)| {
            if form == Parameterisation::Antisymmetric {
                hidden.push(2);
                hidden = hidden.iter().map(|width| 2 * width).collect();
            }
            let plain = Architecture::new(inputs, &hidden, activation, form);
            if bias { plain.with_bias(0.5) } else { plain }
        })
}

fn random_network(architecture: &Architecture, rng: &mut Rng) -> Network {
    let mut network = Network::init(architecture, rng).unwrap();
    network
        .weights_mut()
        .iter_mut()
        .for_each(|weight| *weight += 0.3 * rng.normal());
    network
}

/// Some derivatives without repetition, sometimes all first ones.
fn random_partials(inputs: usize, rng: &mut Rng) -> Vec<Partial> {
    let mut partials: Vec<Partial> = (0..4)
        .map(|_| {
            let order = rng.below(5);
            let axes: Vec<usize> = (0..order).map(|_| rng.below(inputs)).collect();
            Partial::of(&axes)
        })
        .collect();
    match rng.below(3) {
        0 => partials.extend((0..inputs).map(|axis| Partial::of(&[axis]))),
        1 => {
            partials = (0..inputs)
                .map(|axis| Partial::of(&[axis]))
                .chain([Partial::value()])
                .collect();
        }
        _ => {}
    }
    partials.sort();
    partials.dedup();
    rng.shuffle(&mut partials);
    partials
}

fn random_matrix(rows: usize, columns: usize, rng: &mut Rng) -> Mat<f64> {
    Mat::from_fn(rows, columns, |_, _| rng.normal())
}

fn near(a: f64, b: f64, scale: f64) -> bool {
    (a - b).abs() <= 1e-10 * (1.0 + scale)
}

fn unit_rows(count: usize, row: usize, coefficients: MatRef<'_, f64>) -> Mat<f64> {
    Mat::from_fn(count, coefficients.ncols(), |i, j| {
        if i == row { coefficients[(i, j)] } else { 0.0 }
    })
}

fn inner(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn lower_derivatives_are_those_of_the_plain_passes(architecture in architectures(), seed in any::<u64>()) {
        let mut rng = Rng::new(seed);
        let network = random_network(&architecture, &mut rng);
        let points = random_matrix(7, architecture.inputs, &mut rng);
        let partials: Vec<Partial> =
            std::iter::once(Partial::value()).chain((0..architecture.inputs).map(|axis| Partial::of(&[axis]))).collect();
        let found = network.jets(points.as_ref(), &Jets::new(&architecture, &partials).unwrap());
        let (values, gradients) = network.input_gradients(points.as_ref());
        for i in 0..7 {
            prop_assert!(near(found[(i, 0)], values[i], values[i].abs()));
            for k in 0..architecture.inputs {
                prop_assert!(near(found[(i, 1 + k)], gradients[(i, k)], gradients[(i, k)].abs()));
            }
        }
    }

    #[test]
    fn an_operator_is_the_sum_of_its_derivatives(architecture in architectures(), seed in any::<u64>()) {
        let mut rng = Rng::new(seed);
        let network = random_network(&architecture, &mut rng);
        let partials = random_partials(architecture.inputs, &mut rng);
        let jets = Jets::new(&architecture, &partials).unwrap();
        let points = random_matrix(5, architecture.inputs, &mut rng);
        let coefficients = random_matrix(5, partials.len(), &mut rng);
        let (values, sums) = (network.jets(points.as_ref(), &jets), network.operator(points.as_ref(), &jets, coefficients.as_ref()));
        for i in 0..5 {
            let terms: Vec<f64> = (0..partials.len()).map(|k| coefficients[(i, k)] * values[(i, k)]).collect();
            let scale: f64 = terms.iter().map(|term| term.abs()).sum();
            prop_assert!(near(sums[i], terms.iter().sum(), scale), "{:?}", partials);
        }
    }

    #[test]
    fn the_gradients_of_all_ways_agree(architecture in architectures(), seed in any::<u64>()) {
        let mut rng = Rng::new(seed);
        let network = random_network(&architecture, &mut rng);
        let partials = random_partials(architecture.inputs, &mut rng);
        let jets = Jets::new(&architecture, &partials).unwrap();
        let points = random_matrix(5, architecture.inputs, &mut rng);
        let c = random_matrix(5, partials.len(), &mut rng);
        let gradient = network.jets_weight_gradient(points.as_ref(), &jets, c.as_ref());
        let scale = gradient.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
        let mut other = vec![0.0; gradient.len()];
        let mut workspace = JetWorkspace::new(&architecture);
        network.jets_loss(points.as_ref(), &jets, &mut workspace, &mut other, |point, _, slopes| {
            slopes.iter_mut().enumerate().for_each(|(k, slope)| *slope = c[(point, k)]);
        });
        let tangent = network.jet_tangent(points.as_ref(), &jets, c.as_ref());
        let third = tangent.combination(&[1.0; 5]);
        for k in 0..gradient.len() {
            prop_assert!(near(gradient[k], other[k], scale) && near(gradient[k], third[k], scale), "{:?}", partials);
        }
        // Differences of the operator along a direction.
        let direction: Vec<f64> = (0..gradient.len()).map(|_| rng.normal()).collect();
        let sum = |step: f64| {
            let weights = network.weights().iter().zip(&direction).map(|(w, v)| w + step * v).collect();
            network.with_weights(weights).unwrap().operator(points.as_ref(), &jets, c.as_ref()).iter().sum::<f64>()
        };
        let slope = (8.0 * (sum(1e-4) - sum(-1e-4)) - (sum(2e-4) - sum(-2e-4))) / 12e-4;
        prop_assert!((inner(&gradient, &direction) - slope).abs() < 1e-5 * (1.0 + slope.abs() + scale));
    }

    #[test]
    fn kernels_are_inner_products_of_gradients(architecture in architectures(), seed in any::<u64>()) {
        let mut rng = Rng::new(seed);
        let network = random_network(&architecture, &mut rng);
        let partials = random_partials(architecture.inputs, &mut rng);
        let jets = Jets::new(&architecture, &partials).unwrap();
        let points = random_matrix(4, architecture.inputs, &mut rng);
        let c = random_matrix(4, partials.len(), &mut rng);
        let data = random_matrix(3, architecture.inputs, &mut rng);
        let (residuals, values) = (network.jet_tangent(points.as_ref(), &jets, c.as_ref()), network.value_tangent(data.as_ref()));
        let explicit: Vec<Vec<f64>> = (0..4)
            .map(|i| network.jets_weight_gradient(points.as_ref(), &jets, unit_rows(4, i, c.as_ref()).as_ref()))
            .collect();
        let plain = network.tangent(data.as_ref());
        let (gram, cross, diagonal) = (residuals.gram(), residuals.kernel(&values), residuals.diagonal());
        for i in 0..4 {
            prop_assert!(near(diagonal[i], gram[(i, i)], gram[(i, i)]));
            for j in 0..4 {
                let scale = (gram[(i, i)] * gram[(j, j)]).sqrt();
                prop_assert!(near(gram[(i, j)], inner(&explicit[i], &explicit[j]), scale));
            }
            for j in 0..3 {
                let expected = inner(&explicit[i], &plain.gradient_vector(j));
                prop_assert!(near(cross[(i, j)], expected, expected.abs() + gram[(i, i)].sqrt()));
            }
        }
        prop_assert!((values.gram() - plain.gram()).norm_max() <= 1e-10 * (1.0 + plain.gram().norm_max()));
        let picked = residuals.select(&[2, 0]);
        prop_assert!(near(picked.gram()[(0, 1)], gram[(2, 0)], gram.norm_max()));
        let direction: Vec<f64> = (0..network.parameter_count()).map(|_| rng.normal()).collect();
        for (i, value) in residuals.along(&direction).into_iter().enumerate() {
            prop_assert!(near(value, inner(&explicit[i], &direction), gram[(i, i)].sqrt()));
        }
    }
}

#[test]
fn gradients_in_the_points_of_kernels_with_operators_agree_with_the_formed_direction() {
    let mut rng = Rng::new(8);
    for activation in [Activation::Tanh, Activation::Sin] {
        let architecture = Architecture::new(3, &[5, 4], activation, Parameterisation::Ntk).with_bias(1.0);
        let network = random_network(&architecture, &mut rng);
        let partials = random_partials(3, &mut rng);
        let jets = Jets::new(&architecture, &partials).unwrap();
        let (data, points) = (random_matrix(6, 3, &mut rng), random_matrix(4, 3, &mut rng));
        let c = random_matrix(6, partials.len(), &mut rng);
        let tangent = network.jet_tangent(data.as_ref(), &jets, c.as_ref());
        let weights = random_matrix(6, 4, &mut rng);
        let (values, gradients) = network.operator_input_gradients(points.as_ref(), &tangent, weights.as_ref());
        for i in 0..4 {
            let own: Vec<f64> = (0..6).map(|k| weights[(k, i)]).collect();
            let formed = network.jvp_input_gradients(points.as_ref().subrows(i, 1), &tangent.combination(&own));
            assert!(near(values[i], formed.0[0], values[i].abs()));
            assert!((0..3).all(|k| near(gradients[(i, k)], formed.1[(0, k)], gradients[(i, k)].abs())));
        }
    }
}

#[test]
fn many_points_are_worked_on_in_parts_with_the_same_result() {
    let mut rng = Rng::new(5);
    let architecture = Architecture::new(2, &[6, 6], Activation::Tanh, Parameterisation::Ntk).with_bias(1.0);
    let network = random_network(&architecture, &mut rng);
    let jets = Jets::new(&architecture, &[Partial::of(&[0, 0]), Partial::of(&[1, 1])]).unwrap();
    let points = random_matrix(700, 2, &mut rng);
    let (all, ones) = (network.jets(points.as_ref(), &jets), Mat::full(700, 2, 1.0));
    let tangent: JetTangent = network.jet_tangent(points.as_ref(), &jets, ones.as_ref());
    assert_eq!(tangent.len(), 700);
    for i in [0, 101, 102, 699] {
        let alone = points.as_ref().subrows(i, 1);
        assert!((network.jets(alone, &jets) - all.as_ref().subrows(i, 1)).norm_max() < 1e-13);
        let own = network.jet_tangent(alone, &jets, ones.as_ref().subrows(0, 1));
        assert!((own.diagonal()[0] / tangent.diagonal()[i] - 1.0).abs() < 1e-12);
    }
}
