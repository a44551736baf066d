//! Networks that begin with a convolution: numbers of `PyTorch`, stored with the script that made them, and laws.
#![allow(clippy::unwrap_used, missing_docs)]

use faer::{Mat, MatRef};
use hilltop_core::Rng;
use hilltop_nn::{
    Activation, Architecture, Convolution, Ensemble, Error, Network, Optimiser, Parameterisation, Trainer,
};
use serde_json::Value;

fn stored() -> Value {
    let path = format!("{}/tests/data/convolution.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn vector(value: &Value) -> Vec<f64> {
    let numbers = value.as_array().unwrap().iter();
    numbers.map(|number| number.as_f64().unwrap()).collect()
}

fn matrix(value: &Value) -> Mat<f64> {
    let rows: Vec<Vec<f64>> = value.as_array().unwrap().iter().map(vector).collect();
    Mat::from_fn(rows.len(), rows[0].len(), |i, j| rows[i][j])
}

fn assert_close(found: MatRef<'_, f64>, expected: &Mat<f64>, what: &str) {
    assert_eq!((found.nrows(), found.ncols()), (expected.nrows(), expected.ncols()));
    for j in 0..found.ncols() {
        for i in 0..found.nrows() {
            let (a, b) = (found[(i, j)], expected[(i, j)]);
            assert!((a - b).abs() <= 2e-13 * (1.0 + b.abs()), "{what} ({i}, {j}): {a} {b}");
        }
    }
}

fn column(values: &[f64]) -> Mat<f64> {
    Mat::from_fn(values.len(), 1, |i, _| values[i])
}

fn network(case: &Value) -> Network {
    let architecture: Architecture = serde_json::from_value(case["architecture"].clone()).unwrap();
    Network::from_parts(&architecture, vector(&case["weights"]), vector(&case["signs"])).unwrap()
}

#[test]
fn values_gradients_and_kernels_are_those_of_pytorch() {
    let stored = stored();
    let cases = stored["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 8);
    for case in cases {
        let (network, points) = (network(case), matrix(&case["points"]));
        let points = points.as_ref();
        let check = |found: MatRef<'_, f64>, key: &str| {
            let what = format!("{key} of {:?}", network.architecture());
            assert_close(found, &matrix(&case[key]), &what);
        };
        let check_vector = |found: &[f64], key: &str| {
            let what = format!("{key} of {:?}", network.architecture());
            assert_close(column(found).as_ref(), &column(&vector(&case[key])), &what);
        };
        let (coefficients, direction) = (vector(&case["coefficients"]), vector(&case["direction"]));
        check_vector(&network.forward(points), "values");
        check_vector(&network.weight_gradient(points, &coefficients), "weight_gradient");
        check(network.input_gradients(points).1.as_ref(), "input_gradients");
        let tangent = network.tangent(points);
        check(tangent.gram().as_ref(), "kernel");
        check(tangent.kernel(&tangent).as_ref(), "kernel");
        check_vector(&tangent.combination(&coefficients), "weight_gradient");
        check_vector(&network.jvp(points, &direction), "directional");
        let along = network.jvp_input_gradients(points, &direction);
        check_vector(&along.0, "directional");
        check(along.1.as_ref(), "directional_gradients");
        let same = Mat::from_fn(points.nrows(), points.nrows(), |i, _| coefficients[i]);
        let mixed = network.kernel_input_gradients(points, &tangent, same.as_ref());
        check(mixed.1.as_ref(), "kernel_gradients");
        check(
            network.diagonal_input_gradients(points).1.as_ref(),
            "diagonal_gradients",
        );
        let diagonal = Mat::from_fn(points.nrows(), 1, |i, _| matrix(&case["kernel"])[(i, i)]);
        assert_close(column(&tangent.diagonal()).as_ref(), &diagonal, "diagonal");
    }
}

#[test]
fn training_ends_at_the_weights_of_pytorch() {
    let stored = stored();
    let (case, run) = (&stored["cases"][0], &stored["training"]);
    let optimiser: Optimiser = serde_json::from_value(run["optimiser"].clone()).unwrap();
    let trainer = Trainer::new(optimiser).with_penalty(run["penalty"].as_f64().unwrap());
    let mut network = network(case);
    let (points, targets) = (matrix(&case["points"]), vector(&run["targets"]));
    let fit = trainer
        .train(&mut network, points.as_ref(), &targets, &mut Rng::new(0))
        .unwrap();
    assert_close(
        column(network.weights()).as_ref(),
        &column(&vector(&run["end"])),
        "weights",
    );
    let (loss, _) = network.squared_loss(points.as_ref(), &targets);
    assert!((fit.loss - loss).abs() < 1e-12);
}

fn digits(parameterisation: Parameterisation) -> Architecture {
    let convolution = Convolution {
        image: [8, 8, 1],
        kernel: [3, 3],
        stride: 1,
        filters: 6,
    };
    Architecture::new(64, &[10], Activation::Erf, parameterisation)
        .with_bias(0.1)
        .with_convolution(convolution)
}

fn noise(count: usize, seed: u64) -> Mat<f64> {
    let mut rng = Rng::new(seed);
    Mat::from_fn(count, 64, |_, _| rng.between(-1.0, 1.0))
}

#[test]
fn the_mirrored_halves_of_a_convolution_cancel_at_the_start() {
    let points = noise(20, 1);
    for hidden in [vec![10], vec![], vec![8, 4]] {
        let mut architecture = digits(Parameterisation::Antisymmetric);
        architecture.hidden = hidden;
        let network = Network::init(&architecture, &mut Rng::new(3)).unwrap();
        let largest = network
            .forward(points.as_ref())
            .iter()
            .fold(0.0_f64, |m, v| m.max(v.abs()));
        assert!(largest < 1e-13, "{largest}");
        assert!(network.tangent(points.as_ref()).diagonal().iter().all(|k| *k > 0.01));
    }
}

#[test]
fn features_are_selected_appended_and_combined_as_those_of_dense_layers() {
    let network = Network::init(&digits(Parameterisation::Ntk), &mut Rng::new(3)).unwrap();
    let points = noise(9, 2);
    let whole = network.tangent(points.as_ref());
    let mut parts = network.tangent(points.as_ref().subrows(0, 4));
    parts.append(&network.tangent(points.as_ref().subrows(4, 5)));
    assert_close(parts.gram().as_ref(), &whole.gram(), "appended");
    let vectors: Vec<Vec<f64>> = (0..9).map(|i| whole.gradient_vector(i)).collect();
    let inner = |i: usize, j: usize| vectors[i].iter().zip(&vectors[j]).map(|(a, b)| a * b).sum();
    assert_close(whole.gram().as_ref(), &Mat::from_fn(9, 9, inner), "gradient vectors");
    assert_eq!(vectors[0].len(), network.parameter_count());
}

#[test]
fn an_ensemble_of_convolutions_learns_what_its_members_learn_alone() {
    let points = noise(40, 5);
    let value = |i: usize, k: usize| points[(i, k)] * points[(i, k + 1)] + points[(i, 20)];
    let targets = Mat::from_fn(40, 2, value);
    let trainer = Trainer::new(Optimiser::adam(0.01, 10, 60)).with_penalty(1e-3);
    let start = Ensemble::init(&digits(Parameterisation::Ntk), 2, &mut Rng::new(9)).unwrap();
    let mut together = start.clone();
    let fits = together
        .train(&trainer, points.as_ref(), targets.as_ref(), &mut Rng::new(4))
        .unwrap();
    for (index, member) in start.into_members().into_iter().enumerate() {
        let mut alone = member;
        let column: Vec<f64> = targets.col(index).iter().copied().collect();
        let fit = trainer
            .train(&mut alone, points.as_ref(), &column, &mut Rng::new(4))
            .unwrap();
        assert_eq!(alone, together.members()[index]);
        assert_eq!(fit, fits[index]);
        assert!(
            fit.loss < 0.05 * column.iter().map(|y| 0.5 * y * y).sum::<f64>(),
            "{}",
            fit.loss
        );
    }
}

#[test]
fn convolutions_that_do_not_fit_are_refused() {
    let refused = |change: &dyn Fn(&mut Convolution)| {
        let mut architecture = digits(Parameterisation::Antisymmetric);
        change(architecture.convolution.as_mut().unwrap());
        Network::init(&architecture, &mut Rng::new(0)).unwrap_err()
    };
    assert_eq!(
        refused(&|c| c.image = [8, 7, 1]).to_string(),
        "an array of 8 × 7 × 1 does not have the 64 numbers of a point"
    );
    assert_eq!(
        refused(&|c| c.kernel = [9, 3]).to_string(),
        "a kernel of 9 × 3 does not fit into an array of 8 × 8"
    );
    assert_eq!(
        refused(&|c| c.filters = 0).to_string(),
        "the number of filters of a convolution is 0; it must be at least 1"
    );
    assert_eq!(refused(&|c| c.filters = 5), Error::OddWidth { layer: 1, width: 5 });
    assert!(matches!(
        refused(&|c| c.filters = usize::MAX - 1),
        Error::TooManyWeights { .. }
    ));
}
