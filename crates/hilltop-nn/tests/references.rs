//! Numbers of `PyTorch`, of JAX neural-tangents and of arithmetic to fifty digits, stored with the script that made them.
#![allow(clippy::unwrap_used, missing_docs)]

use faer::{Mat, MatRef};
use hilltop_core::Rng;
use hilltop_nn::{Activation, Architecture, Network, Optimiser, Parameterisation, Trainer};
use serde_json::Value;

fn read(name: &str) -> Value {
    let path = format!("{}/tests/data/{name}.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

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

fn network(case: &Value) -> Network {
    let architecture: Architecture = serde_json::from_value(case["architecture"].clone()).unwrap();
    Network::from_parts(&architecture, vector(&case["weights"]), vector(&case["signs"])).unwrap()
}

fn assert_vectors(found: &[f64], expected: &[f64], tolerance: f64, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (i, (a, b)) in found.iter().zip(expected).enumerate() {
        assert!((a - b).abs() <= tolerance * (1.0 + b.abs()), "{what} {i}: {a} {b}");
    }
}

fn assert_matrices(found: MatRef<'_, f64>, expected: &Mat<f64>, tolerance: f64, what: &str) {
    assert_eq!(
        (found.nrows(), found.ncols()),
        (expected.nrows(), expected.ncols()),
        "{what}"
    );
    for i in 0..found.nrows() {
        let row = |matrix: MatRef<'_, f64>| matrix.row(i).iter().copied().collect::<Vec<f64>>();
        assert_vectors(&row(found), &row(expected.as_ref()), tolerance, what);
    }
}

#[test]
fn values_gradients_and_kernels_are_those_of_pytorch() {
    let stored = read("torch");
    assert_eq!(items(&stored["cases"]).len(), 18);
    for case in items(&stored["cases"]) {
        let (network, points) = (network(case), matrix(&case["points"]));
        let what = format!("{:?}", network.architecture());
        let points = points.as_ref();
        let check =
            |found: &[f64], key: &str| assert_vectors(found, &vector(&case[key]), 2e-14, &format!("{key} of {what}"));
        let check_matrix = |found: MatRef<'_, f64>, key: &str| {
            assert_matrices(found, &matrix(&case[key]), 2e-14, &format!("{key} of {what}"));
        };
        check(&network.forward(points), "values");
        check(
            &network.weight_gradient(points, &vector(&case["coefficients"])),
            "weight_gradient",
        );
        check_matrix(network.input_gradients(points).1.as_ref(), "input_gradients");
        check_matrix(network.tangent(points).gram().as_ref(), "kernel");
        let direction = vector(&case["direction"]);
        check(&network.jvp(points, &direction), "directional");
        check_matrix(
            network.jvp_input_gradients(points, &direction).1.as_ref(),
            "directional_gradients",
        );
        check_matrix(
            network.diagonal_input_gradients(points).1.as_ref(),
            "diagonal_gradients",
        );
    }
}

#[test]
fn training_ends_at_the_weights_of_pytorch() {
    let stored = read("torch");
    for run in items(&stored["training"]) {
        let architecture: Architecture = serde_json::from_value(run["architecture"].clone()).unwrap();
        let optimiser: Optimiser = serde_json::from_value(run["optimiser"].clone()).unwrap();
        let trainer = Trainer::new(optimiser).with_penalty(run["penalty"].as_f64().unwrap());
        let mut network = Network::from_parts(&architecture, vector(&run["start"]), Vec::new()).unwrap();
        let (points, targets) = (matrix(&run["points"]), vector(&run["targets"]));
        trainer
            .train(&mut network, points.as_ref(), &targets, &mut Rng::new(0))
            .unwrap();
        assert_vectors(
            network.weights(),
            &vector(&run["end"]),
            1e-12,
            &format!("{optimiser:?}"),
        );
    }
}

#[test]
fn empirical_kernels_are_those_of_neural_tangents() {
    let stored = read("jax");
    assert_eq!(items(&stored["cases"]).len(), 18);
    for case in items(&stored["cases"]) {
        let (network, points) = (network(case), matrix(&case["points"]));
        let what = format!("{:?}", network.architecture());
        assert_vectors(
            &network.forward(points.as_ref()),
            &vector(&case["values"]),
            2e-14,
            &what,
        );
        let tangent = network.tangent(points.as_ref());
        let kernel = tangent.kernel(&tangent.select(&[0, 1]));
        assert_matrices(kernel.as_ref(), &matrix(&case["kernel"]), 2e-14, &what);
    }
}

#[test]
fn activations_are_exact_to_the_last_places() {
    let stored = read("activations");
    let points = vector(&stored["points"]);
    for activation in Activation::ALL.into_iter().filter(|activation| activation.is_smooth()) {
        let name = serde_json::to_value(activation).unwrap();
        let rows = items(&stored["functions"][name.as_str().unwrap()]);
        for (&z, row) in points.iter().zip(rows) {
            let (jet, expected) = (activation.jet(z), vector(row));
            for (found, expected) in [jet.value, jet.slope, jet.curvature].into_iter().zip(expected) {
                // Relative in the tails; near a zero of the derivative the rounding of its terms remains.
                let tolerance = 2e-15 * expected.abs() + 1e-16 * f64::from(u8::from(z.abs() < 10.0));
                assert!(
                    (found - expected).abs() <= tolerance,
                    "{activation:?} at {z}: {found:e} {expected:e}"
                );
            }
        }
    }
}

/// The median over a few seeds of the relative distance of the empirical from the analytic kernel.
fn distance(kernel: &Value, points: &Mat<f64>, width: usize) -> f64 {
    let activation: Activation = serde_json::from_value(kernel["activation"].clone()).unwrap();
    let hidden = vec![width; usize::try_from(kernel["depth"].as_u64().unwrap()).unwrap()];
    let architecture = Architecture::new(points.ncols(), &hidden, activation, Parameterisation::Ntk);
    let analytic = matrix(&kernel["ntk"]);
    let mut distances: Vec<f64> = (0..25)
        .map(|seed| {
            let network = Network::init(&architecture, &mut Rng::new(seed)).unwrap();
            (network.tangent(points.as_ref()).gram() - &analytic).norm_l2() / analytic.norm_l2()
        })
        .collect();
    distances.sort_by(f64::total_cmp);
    distances[distances.len() / 2]
}

#[test]
fn the_empirical_kernel_approaches_the_analytic_one_as_one_over_the_root_of_the_width() {
    let stored = read("infinite");
    let points = matrix(&stored["points"]);
    assert_eq!(items(&stored["kernels"]).len(), 6);
    for kernel in items(&stored["kernels"]) {
        let (narrow, wide) = (distance(kernel, &points, 64), distance(kernel, &points, 1024));
        let what = format!("{} {}: {narrow} {wide}", kernel["activation"], kernel["depth"]);
        assert!(wide < 0.08, "{what}");
        // Sixteen times the width is a quarter of the distance, up to chance.
        assert!(narrow / wide > 2.4 && narrow / wide < 6.7, "{what}");
    }
}
