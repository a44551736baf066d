//! The closed forms of infinite width: against known numbers, against wide networks, and as covariances.
#![allow(clippy::unwrap_used)]

mod support;

use std::f64::consts::PI;
use std::sync::Arc;

use faer::Mat;
use hilltop_core::Rng;
use hilltop_nn::{Activation, Architecture, Network, Parameterisation};
use hilltop_surrogate::ntk::{Limit, erf, relu};
use hilltop_surrogate::process::{Embedded, Part, Profile};
use support::uniform;

/// The kernel matrix of points whose inner products a profile sees as they are.
fn gram(profile: &dyn Profile, features: &Mat<f64>) -> Mat<f64> {
    let embedded = Embedded::of_features(profile, features.clone());
    let mut products = embedded.products(&embedded);
    profile.values(&embedded.tables, &embedded.tables, Part::Full, products.as_mut());
    products
}

/// A limit of so many layers.
type Closed = fn(usize, Limit) -> Arc<dyn Profile>;

fn pairs() -> [(Activation, Closed); 2] {
    [(Activation::Erf, erf), (Activation::Relu, relu)]
}

#[test]
fn one_layer_has_the_values_of_the_formulas() {
    // Two points with q = 0.3, a = 0.5, b = 0.8.
    let (q, a, b) = (0.3_f64, 0.5_f64, 0.8_f64);
    let (x, y) = (a.sqrt(), q / a.sqrt());
    let points = Mat::from_fn(2, 2, |i, j| [[x, 0.0], [y, (b - y * y).sqrt()]][i][j]);
    let wide = (1.0 + 2.0 * a) * (1.0 + 2.0 * b);
    let sigma = 2.0 / PI * (2.0 * q / wide.sqrt()).asin();
    let rate = 4.0 / PI / (wide - 4.0 * q * q).sqrt();
    let close = |ours: f64, theirs: f64| assert!((ours - theirs).abs() < 1e-14, "{ours} {theirs}");
    close(gram(erf(1, Limit::Conjugate).as_ref(), &points)[(1, 0)], sigma);
    close(gram(erf(1, Limit::Tangent).as_ref(), &points)[(1, 0)], q * rate + sigma);
    let rho = q / (a * b).sqrt();
    let flat = (PI - rho.acos()) / PI;
    let bent = ((1.0 - rho * rho).sqrt() + rho * (PI - rho.acos())) / PI * (a * b).sqrt();
    close(gram(relu(1, Limit::Tangent).as_ref(), &points)[(1, 0)], q * flat + bent);
    close(
        gram(relu(1, Limit::Average).as_ref(), &points)[(1, 0)],
        0.5 * q * flat + bent,
    );
}

#[test]
fn limits_agree_with_neural_tangents() {
    let text = include_str!("../../hilltop-nn/tests/data/infinite.json");
    let stored: serde_json::Value = serde_json::from_str(text).unwrap();
    let number = |value: &serde_json::Value| value.as_f64().unwrap();
    let rows = stored["points"].as_array().unwrap();
    // The stored kernels start from ⟨x,x'⟩/4.
    let features = Mat::from_fn(rows.len(), 4, |i, j| 0.5 * number(&rows[i][j]));
    let kernels = stored["kernels"].as_array().unwrap();
    for kernel in kernels {
        let depth = usize::try_from(kernel["depth"].as_u64().unwrap()).unwrap();
        let limit = if kernel["activation"] == "relu" { relu } else { erf };
        for (name, kind) in [("ntk", Limit::Tangent), ("nngp", Limit::Conjugate)] {
            let ours = gram(limit(depth, kind).as_ref(), &features);
            let theirs = Mat::from_fn(rows.len(), rows.len(), |i, j| number(&kernel[name][i][j]));
            let error = (&ours - &theirs).norm_max() / theirs.norm_max();
            // The rectifier's kernels have a kink where points coincide: half of the digits.
            let tolerance = if kernel["activation"] == "relu" { 2e-8 } else { 1e-13 };
            assert!(error < tolerance, "{} {depth} {name}: {error}", kernel["activation"]);
        }
    }
    assert_eq!(kernels.len(), 6);
}

#[test]
fn the_kernel_of_a_network_approaches_the_limit_as_its_width_grows() {
    let points = uniform(6, 3, 41);
    let features = Mat::from_fn(6, 4, |i, j| if j == 3 { 1.0 } else { 2.0 * points[(i, j)] - 1.0 });
    let inputs = faer::Scale(2.0) * &features; // The network divides by √4.
    for (activation, limit) in pairs() {
        for depth in [1, 2] {
            let expected = gram(limit(depth, Limit::Tangent).as_ref(), &features);
            let error = |width: usize| {
                let shape = Architecture::new(4, &vec![width; depth], activation, Parameterisation::Ntk);
                let squares = (0..50).map(|seed| {
                    let network = Network::init(&shape, &mut Rng::new(seed)).unwrap();
                    let kernel = network.tangent(inputs.as_ref()).gram();
                    (&kernel - &expected).squared_norm_l2()
                });
                (squares.sum::<f64>() / 50.0).sqrt() / expected.norm_l2()
            };
            let (narrow, wide) = (error(32), error(512));
            // Sixteen times as wide: four times as close.
            assert!(
                (3.0..5.3).contains(&(narrow / wide)),
                "{activation:?} {depth}: {narrow} {wide}"
            );
            assert!(wide < 0.12, "{activation:?} {depth}: {wide}");
        }
    }
}

#[test]
fn limits_are_covariances() {
    let points = uniform(60, 2, 42);
    let features = Mat::from_fn(60, 3, |i, j| {
        if j == 2 {
            0.7
        } else {
            3.0 * (2.0 * points[(i, j)] - 1.0)
        }
    });
    for (activation, limit) in pairs() {
        for depth in 1..=4 {
            for kind in [Limit::Tangent, Limit::Average, Limit::Conjugate] {
                let kernel = gram(limit(depth, kind).as_ref(), &features);
                let smallest = kernel.self_adjoint_eigenvalues(faer::Side::Lower).unwrap()[0];
                assert!(
                    smallest > -1e-7 * kernel.norm_max(),
                    "{activation:?} {depth} {kind:?}: {smallest}"
                );
            }
        }
    }
}

#[test]
fn a_point_with_itself_has_the_variance_of_the_tables() {
    let features = Mat::from_fn(40, 2, |i, j| if j == 0 { 0.1 * i as f64 } else { 0.5 });
    for (activation, limit) in pairs() {
        for depth in 1..=3 {
            let profile = limit(depth, Limit::Tangent);
            let embedded = Embedded::of_features(profile.as_ref(), features.clone());
            let kernel = gram(profile.as_ref(), &features);
            for i in 0..40 {
                let error = (kernel[(i, i)] / embedded.tables.value[i] - 1.0).abs();
                // The rectifier's kernel has a kink there: half of the digits.
                let tolerance = if activation == Activation::Relu { 1e-6 } else { 1e-11 };
                assert!(error < tolerance, "{activation:?} {depth} {i}: {error}");
            }
        }
    }
}
