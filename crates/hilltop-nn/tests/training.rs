//! Training descends, is reproducible, survives rates that are too large, and treats members as if they were alone.
#![allow(clippy::unwrap_used, missing_docs)]

use faer::Mat;
use hilltop_core::Rng;
use hilltop_nn::{Activation, Architecture, Ensemble, Error, Network, Optimiser, Parameterisation, Trainer};

fn examples(count: usize, inputs: usize, seed: u64) -> (Mat<f64>, Vec<f64>) {
    let mut rng = Rng::new(seed);
    let points = Mat::from_fn(count, inputs, |_, _| rng.between(-1.0, 1.0));
    let targets = (0..count)
        .map(|i| (3.0 * points[(i, 0)]).sin() + points[(i, inputs - 1)])
        .collect();
    (points, targets)
}

fn architecture(activation: Activation, parameterisation: Parameterisation) -> Architecture {
    Architecture::new(3, &[16, 16], activation, parameterisation).with_bias(0.1)
}

fn optimisers() -> [Optimiser; 3] {
    [
        Optimiser::sgd(0.05, 10, 30),
        Optimiser::adam(0.01, 10, 30),
        Optimiser::gradient_descent(0.0003, 300),
    ]
}

fn loss(network: &Network, points: &Mat<f64>, targets: &[f64]) -> f64 {
    network.squared_loss(points.as_ref(), targets).0
}

#[test]
fn one_pass_is_a_stream_of_steps_down_the_loss_of_one_example() {
    let (points, targets) = examples(20, 3, 4);
    let start = Network::init(
        &architecture(Activation::Relu, Parameterisation::Antisymmetric),
        &mut Rng::new(5),
    )
    .unwrap();
    let (rate, trainer) = (0.01, Trainer::new(Optimiser::one_pass(0.01)));
    let part = |from: usize, to: usize| points.as_ref().subrows(from, to - from);
    let mut whole = start.clone();
    trainer
        .train(&mut whole, part(0, 20), &targets, &mut Rng::new(1))
        .unwrap();
    let mut parted = start.clone();
    for (from, to) in [(0, 7), (7, 8), (8, 20)] {
        let values = &targets[from..to];
        trainer
            .train(&mut parted, part(from, to), values, &mut Rng::new(2))
            .unwrap();
    }
    // W ← W + α (y − a(x; W)) ∂a/∂W, eq. 2 of Neural-CBO.
    let mut stepped = start.clone();
    for (i, target) in targets.iter().enumerate() {
        let error = target - stepped.forward(part(i, i + 1))[0];
        let step = stepped.weight_gradient(part(i, i + 1), &[rate * error]);
        stepped
            .weights_mut()
            .iter_mut()
            .zip(step)
            .for_each(|(weight, step)| *weight += step);
    }
    for other in [parted, stepped] {
        let away = whole.weights().iter().zip(other.weights()).map(|(a, b)| (a - b).abs());
        assert!(away.fold(0.0, f64::max) < 1e-12);
    }
    assert!(whole.weights() != start.weights());
}

#[test]
fn every_optimiser_descends_with_every_activation() {
    let (points, targets) = examples(60, 3, 1);
    for activation in Activation::ALL {
        for parameterisation in [
            Parameterisation::Standard,
            Parameterisation::Ntk,
            Parameterisation::Antisymmetric,
        ] {
            for optimiser in optimisers() {
                let mut network = Network::init(&architecture(activation, parameterisation), &mut Rng::new(2)).unwrap();
                let before = loss(&network, &points, &targets);
                let trainer = Trainer::new(optimiser);
                let fit = trainer
                    .train(&mut network, points.as_ref(), &targets, &mut Rng::new(3))
                    .unwrap();
                let after = loss(&network, &points, &targets);
                // The slope of a sigmoid is at most a quarter, so that the same rates lead down more slowly.
                let share = if activation == Activation::Sigmoid { 0.99 } else { 0.9 };
                assert!(
                    after < share * before,
                    "{activation:?} {parameterisation:?} {optimiser:?}: {before} {after}"
                );
                assert!((fit.loss - after).abs() < 1e-10 * after);
            }
        }
    }
}

#[test]
fn gradient_descent_takes_the_steps_of_its_formula() {
    let (points, targets) = examples(20, 3, 4);
    let start = Network::init(&architecture(Activation::Erf, Parameterisation::Ntk), &mut Rng::new(5)).unwrap();
    let (rate, penalty) = (0.01, 0.3);
    let anchor: Vec<f64> = start.weights().iter().map(|w| 0.9 * w).collect();
    let mut expected = start.clone();
    for _ in 0..7 {
        let (_, gradient) = expected.squared_loss(points.as_ref(), &targets);
        let moved = expected.weights().iter().zip(&gradient).zip(&anchor);
        let moved = moved.map(|((w, g), a)| w - rate * (g + penalty * (w - a))).collect();
        expected = expected.with_weights(moved).unwrap();
    }
    let mut network = start;
    let trainer = Trainer::new(Optimiser::gradient_descent(rate, 7)).with_penalty(penalty);
    let fit = trainer
        .train_towards(&mut network, &anchor, points.as_ref(), &targets, &mut Rng::new(0))
        .unwrap();
    assert!(
        network
            .weights()
            .iter()
            .zip(expected.weights())
            .all(|(a, b)| (a - b).abs() < 1e-12)
    );
    let distance: f64 = network
        .weights()
        .iter()
        .zip(&anchor)
        .map(|(w, a)| (w - a).powi(2))
        .sum();
    assert!((fit.penalty - 0.5 * penalty * distance).abs() < 1e-12);
    assert_eq!(fit.steps, 7);
}

#[test]
fn one_pass_over_a_stream_takes_the_examples_in_their_order() {
    let (points, targets) = examples(9, 3, 6);
    let start = Network::init(
        &architecture(Activation::Relu, Parameterisation::Antisymmetric),
        &mut Rng::new(7),
    )
    .unwrap();
    let mut expected = start.clone();
    for i in 0..9 {
        let (_, gradient) = expected.squared_loss(points.as_ref().subrows(i, 1), &targets[i..=i]);
        let moved = expected
            .weights()
            .iter()
            .zip(&gradient)
            .map(|(w, g)| w - 0.05 * g)
            .collect();
        expected = expected.with_weights(moved).unwrap();
    }
    let stream = Optimiser::Sgd {
        rate: 0.05,
        batch: 1,
        epochs: 1,
        decay: 1.0,
        shuffle: false,
    };
    let mut network = start;
    Trainer::new(stream)
        .train(&mut network, points.as_ref(), &targets, &mut Rng::new(0))
        .unwrap();
    assert!(
        network
            .weights()
            .iter()
            .zip(expected.weights())
            .all(|(a, b)| (a - b).abs() < 1e-13)
    );
}

#[test]
fn a_decayed_rate_shrinks_from_pass_to_pass() {
    let (points, targets) = examples(8, 3, 6);
    let start = Network::init(&architecture(Activation::Tanh, Parameterisation::Ntk), &mut Rng::new(7)).unwrap();
    let run = |optimisers: &[Optimiser]| {
        let mut network = start.clone();
        for &optimiser in optimisers {
            Trainer::new(optimiser)
                .train(&mut network, points.as_ref(), &targets, &mut Rng::new(0))
                .unwrap();
        }
        network
    };
    let pass = |rate, epochs, decay| Optimiser::Sgd {
        rate,
        batch: 3,
        epochs,
        decay,
        shuffle: false,
    };
    let decayed = run(&[pass(0.1, 3, 0.5)]);
    let by_hand = run(&[pass(0.1, 1, 1.0), pass(0.05, 1, 1.0), pass(0.025, 1, 1.0)]);
    assert_eq!(decayed.weights(), by_hand.weights());
}

#[test]
fn the_same_seed_gives_the_same_weights_and_another_seed_others() {
    let (points, targets) = examples(40, 3, 8);
    let run = |seed| {
        let mut network =
            Network::init(&architecture(Activation::Gelu, Parameterisation::Ntk), &mut Rng::new(9)).unwrap();
        Trainer::new(Optimiser::sgd(0.05, 7, 5))
            .train(&mut network, points.as_ref(), &targets, &mut Rng::new(seed))
            .unwrap();
        network
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
}

#[test]
fn a_rate_that_is_too_large_is_halved_until_training_succeeds() {
    let (points, targets) = examples(60, 3, 1);
    for activation in [Activation::Relu, Activation::Softplus, Activation::Tanh] {
        let start = Network::init(&architecture(activation, Parameterisation::Ntk), &mut Rng::new(2)).unwrap();
        for optimiser in [Optimiser::gradient_descent(3.0, 400), Optimiser::sgd(200.0, 10, 30)] {
            let mut network = start.clone();
            let fit = Trainer::new(optimiser)
                .with_penalty(0.1)
                .train(&mut network, points.as_ref(), &targets, &mut Rng::new(3))
                .unwrap();
            assert!(fit.loss.is_finite() && network.weights().iter().all(|w| w.is_finite()));
            if activation != Activation::Tanh {
                assert!(fit.rate < 3.0, "{activation:?}: {fit:?}");
            }
        }
    }
}

#[test]
fn examples_that_do_not_fit_are_refused_and_leave_the_network_alone() {
    let (points, mut targets) = examples(10, 3, 1);
    let start = Network::init(&architecture(Activation::Relu, Parameterisation::Ntk), &mut Rng::new(2)).unwrap();
    let mut network = start.clone();
    let trainer = Trainer::new(Optimiser::sgd(0.01, 4, 2));
    let mut train =
        |points: &Mat<f64>, targets: &[f64]| trainer.train(&mut network, points.as_ref(), targets, &mut Rng::new(0));
    assert!(matches!(
        train(&points, &targets[1..]),
        Err(Error::Shape {
            expected: 10,
            found: 9,
            ..
        })
    ));
    assert!(matches!(
        train(&examples(10, 2, 1).0, &targets),
        Err(Error::Shape { .. })
    ));
    targets[4] = f64::INFINITY;
    assert_eq!(
        train(&points, &targets),
        Err(Error::NotFinite {
            example: 4,
            what: "target"
        })
    );
    assert_eq!(network, start);
    let negative = Trainer::new(Optimiser::sgd(0.01, 4, 2)).with_penalty(-1.0);
    assert!(matches!(
        negative.check(),
        Err(Error::Setting { setting: "penalty", .. })
    ));
}

#[test]
fn training_on_no_examples_changes_nothing() {
    let start = Network::init(&architecture(Activation::Relu, Parameterisation::Ntk), &mut Rng::new(2)).unwrap();
    for optimiser in optimisers() {
        let mut network = start.clone();
        let none = Mat::<f64>::zeros(0, 3);
        let fit = Trainer::new(optimiser)
            .train(&mut network, none.as_ref(), &[], &mut Rng::new(0))
            .unwrap();
        assert_eq!((fit.steps, &network), (0, &start));
    }
}

#[test]
fn a_member_of_an_ensemble_equals_the_network_trained_alone() {
    let (points, _) = examples(50, 3, 1);
    let mut rng = Rng::new(11);
    // The second member's targets are so large that its rate has to be halved; the others must not notice.
    let targets = Mat::from_fn(50, 4, |_, j| if j == 1 { 1e4 } else { 1.0 } * rng.normal());
    let shape = architecture(Activation::Softplus, Parameterisation::Ntk);
    for optimiser in [
        Optimiser::sgd(1.0, 10, 20),
        Optimiser::adam(0.01, 10, 20),
        Optimiser::gradient_descent(0.02, 50),
    ] {
        let trainer = Trainer::new(optimiser).with_penalty(0.05);
        let mut ensemble = Ensemble::init(&shape, 4, &mut Rng::new(12)).unwrap();
        let alone = ensemble.clone().into_members();
        let fits = ensemble
            .train(&trainer, points.as_ref(), targets.as_ref(), &mut Rng::new(13))
            .unwrap();
        for (j, mut network) in alone.into_iter().enumerate() {
            let own: Vec<f64> = targets.col(j).iter().copied().collect();
            let fit = trainer
                .train(&mut network, points.as_ref(), &own, &mut Rng::new(13))
                .unwrap();
            let member = &ensemble.members()[j];
            assert!(
                member
                    .weights()
                    .iter()
                    .zip(network.weights())
                    .all(|(a, b)| (a - b).abs() <= 1e-12 * (1.0 + b.abs()))
            );
            assert_eq!((fit.rate, fit.steps), (fits[j].rate, fits[j].steps));
            let values = ensemble.forward(points.as_ref());
            assert!(
                network
                    .forward(points.as_ref())
                    .iter()
                    .enumerate()
                    .all(|(i, v)| (v - values[(i, j)]).abs() <= 1e-12 * (1.0 + v.abs()))
            );
        }
    }
}

#[test]
fn networks_of_different_shapes_are_no_ensemble() {
    let one = Network::init(&architecture(Activation::Relu, Parameterisation::Ntk), &mut Rng::new(1)).unwrap();
    let other = Network::init(&architecture(Activation::Erf, Parameterisation::Ntk), &mut Rng::new(1)).unwrap();
    assert_eq!(
        Ensemble::new(vec![one.clone(), one.clone(), other]),
        Err(Error::MixedArchitectures { member: 2 })
    );
    assert_eq!(Ensemble::new(vec![one.clone(), one]).unwrap().members().len(), 2);
}
