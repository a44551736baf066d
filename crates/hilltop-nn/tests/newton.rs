//! Gauss–Newton training: ends where the objective ends, in few steps.
#![allow(clippy::unwrap_used)]

use faer::{Mat, MatRef};
use hilltop_core::Rng;
use hilltop_nn::{
    Activation, Architecture, Error, Memory, Network, Newton, Optimiser, Parameterisation, Tilt, Trainer,
};

fn network(hidden: &[usize], bias: bool) -> Network {
    let mut architecture = Architecture::new(3, hidden, Activation::Erf, Parameterisation::Ntk);
    if bias {
        architecture = architecture.with_bias(0.3);
    }
    Network::init(&architecture, &mut Rng::new(1)).unwrap()
}

fn examples(count: usize) -> (Mat<f64>, Vec<f64>) {
    let mut rng = Rng::new(2);
    let points = Mat::from_fn(count, 3, |_, _| rng.between(-1.5, 1.5));
    let targets = (0..count).map(|i| (2.0 * points[(i, 0)]).sin() + points[(i, 1)]);
    let targets = targets.collect();
    (points, targets)
}

/// The gradient of the penalised objective.
fn slope(network: &Network, anchor: &[f64], points: MatRef<'_, f64>, targets: &[f64], penalty: f64) -> f64 {
    let (_, mut gradient) = network.squared_loss(points, targets);
    for ((g, w), a) in gradient.iter_mut().zip(network.weights()).zip(anchor) {
        *g += penalty * (w - a);
    }
    gradient.iter().map(|g| g * g).sum::<f64>().sqrt()
}

#[test]
fn the_derivative_along_a_direction_is_that_of_the_forward_pass() {
    let (points, _) = examples(17);
    for bias in [false, true] {
        let network = network(&[12, 9], bias);
        let mut direction = vec![0.0; network.parameter_count()];
        Rng::new(5).normals(&mut direction);
        let forward = network.jvp(points.as_ref(), &direction);
        let ours = network.tangent(points.as_ref()).along(&direction);
        for (a, b) in ours.iter().zip(&forward) {
            assert!((a - b).abs() < 1e-12 * (1.0 + b.abs()), "{a} {b}");
        }
    }
}

#[test]
fn a_linear_model_is_done_after_one_step() {
    let (points, targets) = examples(20);
    let mut model = network(&[], false);
    let anchor = model.weights().to_vec();
    let settled = Newton::default()
        .train(&mut model, points.as_ref(), &targets, 0.1)
        .unwrap();
    assert!(settled.steps <= 2 && settled.converged, "{settled:?}");
    assert!(slope(&model, &anchor, points.as_ref(), &targets, 0.1) < 1e-10);
}

#[test]
fn at_the_end_the_gradient_is_gone() {
    let (points, mut targets) = examples(30);
    targets.iter_mut().for_each(|y| *y *= 0.25);
    for penalty in [1e-4, 1e-2, 1.0] {
        let mut model = network(&[100, 100], true);
        let anchor = model.weights().to_vec();
        let before = slope(&model, &anchor, points.as_ref(), &targets, penalty);
        let newton = Newton {
            tolerance: 1e-12,
            steps: 200,
        };
        let settled = newton.train(&mut model, points.as_ref(), &targets, penalty).unwrap();
        let after = slope(&model, &anchor, points.as_ref(), &targets, penalty);
        assert!(settled.converged && settled.steps < 150, "{penalty}: {settled:?}");
        assert!(after < 1e-4 * before, "{penalty}: {before} became {after}");
    }
}

#[test]
fn fifty_steps_end_where_gradient_descent_ends_after_thousands() {
    let (points, targets) = examples(12);
    let (mut quick, mut slow) = (network(&[32], false), network(&[32], false));
    let newton = Newton {
        tolerance: 1e-10,
        steps: 50,
    };
    let settled = newton.train(&mut quick, points.as_ref(), &targets, 0.1).unwrap();
    let descent = Trainer::new(Optimiser::gradient_descent(0.02, 20_000)).with_penalty(0.1);
    let fit = descent
        .train(&mut slow, points.as_ref(), &targets, &mut Rng::new(1))
        .unwrap();
    assert!(
        (settled.objective - fit.loss - fit.penalty).abs() < 1e-6 * settled.objective,
        "{settled:?} {fit:?}"
    );
    for (a, b) in quick.forward(points.as_ref()).iter().zip(slow.forward(points.as_ref())) {
        assert!((a - b).abs() < 1e-4, "{a} {b}");
    }
}

#[test]
fn what_cannot_be_trained_is_refused_with_its_number() {
    let (points, mut targets) = examples(5);
    let mut model = network(&[8], false);
    let newton = Newton::default();
    let none = newton.train(&mut model, points.as_ref(), &targets, 0.0);
    assert!(matches!(none, Err(Error::Setting { setting: "penalty", .. })));
    let few = newton.train(&mut model, points.as_ref(), &targets[..3], 1.0);
    assert!(matches!(
        few,
        Err(Error::Shape {
            expected: 5,
            found: 3,
            ..
        })
    ));
    targets[2] = f64::NAN;
    let broken = newton.train(&mut model, points.as_ref(), &targets, 1.0);
    assert!(matches!(broken, Err(Error::NotFinite { example: 2, .. })));
}

#[test]
fn members_trained_together_end_where_each_ends_alone() {
    let (points, targets) = examples(30);
    let columns = Mat::from_fn(30, 4, |i, k| targets[i] * (1.0 + k as f64));
    let architecture = network(&[10, 8], true).architecture().clone();
    let mut rng = Rng::new(9);
    let starts: Vec<Network> = (0..4)
        .map(|_| Network::init(&architecture, &mut rng).unwrap())
        .collect();
    let mut together = starts.clone();
    let (newton, mut memory) = (Newton::default(), Memory::default());
    let settled = newton
        .train_members(&mut together, points.as_ref(), columns.as_ref(), 0.01, &[], &mut memory)
        .unwrap();
    for (k, mut alone) in starts.into_iter().enumerate() {
        let column = columns.col_as_slice(k);
        let own = newton.train(&mut alone, points.as_ref(), column, 0.01).unwrap();
        assert_eq!(own, settled[k]);
        assert_eq!(alone, together[k]);
        assert!(own.converged && own.steps > 1, "{own:?}");
    }
    let none = Mat::zeros(30, 0);
    let settled = newton.train_members(&mut [], points.as_ref(), none.as_ref(), 0.01, &[], &mut memory);
    assert_eq!(settled, Ok(Vec::new()));
}

#[test]
fn memory_that_served_other_trainings_changes_nothing() {
    let (newton, mut memory) = (Newton::default(), Memory::default());
    let unmoved = Newton { steps: 0, ..newton };
    for (count, hidden) in [(30, &[10, 8][..]), (12, &[10, 8]), (40, &[10, 8]), (40, &[6])] {
        let (points, targets) = examples(count);
        let start = network(hidden, true);
        let direction = vec![0.1; start.parameter_count()];
        let tilt = Tilt {
            direction: &direction,
            factor: 0.5,
        };
        let (mut kept, mut fresh) = (vec![start.clone(); 2], start);
        let columns = Mat::from_fn(count, 2, |i, _| targets[i]);
        // Members that were tilted and never trained leave the points behind.
        let (points, columns) = (points.as_ref(), columns.as_ref());
        let idle = unmoved.train_members(&mut kept, points, columns, 0.01, &[tilt; 2], &mut memory);
        assert_eq!(idle.unwrap()[1].steps, 0);
        let settled = newton.train_members(&mut kept, points, columns, 0.01, &[], &mut memory);
        let own = newton.train(&mut fresh, points, &targets, 0.01).unwrap();
        assert_eq!(settled.unwrap(), [own, own]);
        assert_eq!(kept, [fresh.clone(), fresh]);
    }
}

#[test]
fn a_network_that_hardly_bends_settles_with_two_kernels_where_many_steps_would() {
    let (points, mut targets) = examples(60);
    let start = network(&[100, 100], false);
    let initial = start.forward(points.as_ref());
    let near = |(y, h): (&mut f64, &f64)| *y = h + 0.02 * *y;
    targets.iter_mut().zip(&initial).for_each(near);
    let (mut quick, mut slow) = (start.clone(), start);
    let anchor = quick.weights().to_vec();
    let before = slope(&quick, &anchor, points.as_ref(), &targets, 1e-7);
    let settled = Newton::default()
        .train(&mut quick, points.as_ref(), &targets, 1e-7)
        .unwrap();
    let exact = Newton {
        tolerance: 1e-9,
        steps: 200,
    };
    let end = exact.train(&mut slow, points.as_ref(), &targets, 1e-7).unwrap();
    assert!(
        settled.converged && settled.kernels <= 2 && settled.trials > settled.kernels,
        "{settled:?}"
    );
    assert!(settled.objective < 1.01 * end.objective, "{settled:?} {end:?}");
    assert!(slope(&quick, &anchor, points.as_ref(), &targets, 1e-7) < 1e-4 * before);
}

#[test]
fn a_tilted_network_is_one_with_the_derivative_taken_off_its_targets() {
    let (points, targets) = examples(25);
    let start = network(&[20, 20], true);
    let mut direction = vec![0.0; start.parameter_count()];
    Rng::new(5).normals(&mut direction);
    let column = MatRef::from_column_major_slice(&targets, 25, 1);
    let tilt = Tilt {
        direction: &direction,
        factor: 0.5,
    };
    let (mut tilted, mut plain) = (start.clone(), start.clone());
    let newton = Newton {
        tolerance: 1e-8,
        steps: 100,
    };
    let members = std::slice::from_mut(&mut tilted);
    let settled = newton
        .train_members(members, points.as_ref(), column, 0.1, &[tilt], &mut Memory::default())
        .unwrap();
    let derivative = start.jvp(points.as_ref(), &direction);
    let own: Vec<f64> = targets.iter().zip(&derivative).map(|(y, d)| y - 0.5 * d).collect();
    let alone = newton.train(&mut plain, points.as_ref(), &own, 0.1).unwrap();
    assert!((settled[0].objective - alone.objective).abs() < 1e-9 * alone.objective);
    for (a, b) in tilted
        .forward(points.as_ref())
        .iter()
        .zip(plain.forward(points.as_ref()))
    {
        assert!((a - b).abs() < 1e-7, "{a} {b}");
    }
    let short = Tilt {
        direction: &direction[1..],
        factor: 0.5,
    };
    let members = std::slice::from_mut(&mut plain);
    let refused = newton.train_members(members, points.as_ref(), column, 0.1, &[short], &mut Memory::default());
    assert!(matches!(refused, Err(Error::Shape { .. })));
}
