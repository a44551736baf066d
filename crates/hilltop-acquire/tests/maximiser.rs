//! What holds for every maximiser: where it may stand, what it finds, and what it says when nothing is left.
#![allow(clippy::unwrap_used)]

mod toy;

use hilltop_acquire::maximiser::Kind;
use hilltop_acquire::{Auto, Finite, Gradient, Local, Pool};
use hilltop_core::{
    Bounds, Candidates, Coordinate, Error, Expression, History, Maximiser, Parameter, Rng, Space, Value,
};
use proptest::prelude::*;
use toy::{Hill, history, within};

const SMALL: Pool = Pool { points: 60, near: 40 };

fn maximisers() -> [Kind; 4] {
    let gradient = Gradient {
        pool: SMALL,
        starts: 4,
        iterations: 15,
        ..Gradient::default()
    };
    let local = Local {
        pool: SMALL,
        starts: 3,
        steps: 6,
    };
    [
        Kind::Pool(SMALL),
        Kind::Gradient(gradient),
        Kind::Local(local),
        Kind::Auto(Auto {
            limit: 50,
            gradient,
            local,
        }),
    ]
}

fn known(texts: &[&str]) -> Vec<Expression> {
    texts.iter().map(|text| Expression::parse(text).unwrap()).collect()
}

/// Spaces of every kind of parameter, with conditions and known constraints.
fn spaces() -> Vec<Space> {
    let mixed = || {
        vec![
            Parameter::float("x", -5.0, 5.0),
            Parameter::log_float("r", 1e-4, 1.0),
            Parameter::int("n", 3, 12),
            Parameter::choice("steel", ["s235", "s355", "duplex"]),
            Parameter::float("damper", 0.0, 1.0).when("steel == 'duplex'").unwrap(),
            Parameter::fixed("gap", 3.5),
        ]
    };
    let discrete = vec![
        Parameter::int("a", 0, 5),
        Parameter::ordered("grade", ["low", "mid", "high"]),
        Parameter::choice("kind", ["p", "q"]),
        Parameter::float("angle", 0.0, 90.0).step(0.5),
    ];
    let conditional = vec![
        Parameter::float("x", 0.0, 1.0),
        Parameter::float("w", 0.0, 2.0).when("x > 0.5").unwrap(),
        Parameter::int("n", 1, 3).when("x > 0.5").unwrap(),
    ];
    let floats = |d: usize| {
        (0..d)
            .map(|k| Parameter::float(format!("x{k}"), 0.0, 1.0))
            .collect::<Vec<_>>()
    };
    vec![
        Space::unit_box(4),
        Space::new(mixed(), vec![]).unwrap(),
        Space::new(mixed(), known(&["x + n <= 8", "x * r <= 1"])).unwrap(),
        Space::new(discrete, known(&["a * angle <= 200"])).unwrap(),
        Space::new(floats(3), known(&["x0 + x1 + x2 <= 1", "x0 < x1"])).unwrap(),
        Space::new(
            vec![Parameter::log_int("cells", 16, 4096), Parameter::int("k", 0, 3)],
            vec![],
        )
        .unwrap(),
        Space::new(floats(4), known(&["x0 + x1 + x2 == 1", "x3 <= x0 * x1"])).unwrap(),
        Space::new(conditional, known(&["w + x <= 1.5", "n > 1 or x < 0.2"])).unwrap(),
    ]
}

/// A hill somewhere in a space.
fn hill(space: &Space, smooth: bool, rng: &mut Rng) -> Hill {
    Hill {
        centre: (0..space.dim()).map(|_| rng.between(-0.2, 1.2)).collect(),
        ripples: 0.02,
        smooth,
    }
}

/// A box that leaves out part of the cube.
fn part(space: &Space, rng: &mut Rng) -> Bounds {
    let low: Vec<f64> = (0..space.dim()).map(|_| rng.between(-0.1, 0.4)).collect();
    let high = low.iter().map(|low| low + rng.between(0.3, 0.7)).collect();
    Bounds { low, high }
}

fn assert_admissible(point: &[f64], history: &History, bounds: &Bounds) {
    let space = history.space();
    let mut projected = point.to_vec();
    space.project(&mut projected);
    assert_eq!(projected, point, "projected");
    assert!(space.satisfies(point), "feasible: {point:?}");
    let same = |other: &[f64]| other.iter().zip(point).all(|(a, b)| (a - b).abs() <= 1e-12);
    assert!(!history.known_points().any(same), "known: {point:?}");
    let active = space.active(point);
    for (axis, coordinate) in space.coordinates().iter().enumerate() {
        if let Coordinate::Continuous { parameter } = coordinate
            && active[*parameter]
        {
            let x = point[axis];
            assert!(
                x >= bounds.low[axis] - 1e-9 && x <= bounds.high[axis] + 1e-9,
                "axis {axis} of {point:?}"
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_proposal_is_projected_in_bounds_feasible_and_new(which in 0_usize..8, whole: bool, seed in 0_u64..1000) {
        let mut rng = Rng::new(seed);
        let space = spaces().swap_remove(which);
        let bounds = if whole { Bounds::unit(space.dim()) } else { part(&space, &mut rng) };
        // Known constraints need not hold anywhere in a random box; then a point outside it is taken.
        let expected = if space.known().is_empty() { bounds.clone() } else { Bounds::unit(space.dim()) };
        for maximiser in maximisers() {
            let mut history = history(space.clone(), seed);
            for trial in 0..4 {
                let score = hill(&space, trial % 2 == 0 || matches!(maximiser, Kind::Gradient(_)), &mut rng);
                let point = within(&history, &bounds, |context| maximiser.maximise(&score, context, &mut rng)).unwrap();
                assert_admissible(&point, &history, &expected);
                history.observe(trial, &point, &[-score.value(&point)]);
            }
        }
    }
}

#[test]
fn the_same_generator_gives_the_same_point() {
    for space in spaces() {
        let mut history = history(space.clone(), 1);
        history.observe(0, &space.sample(&mut Rng::new(4)).unwrap(), &[1.0]);
        let score = hill(&space, true, &mut Rng::new(2));
        for maximiser in maximisers() {
            let run = || {
                within(&history, &Bounds::unit(space.dim()), |context| {
                    maximiser.maximise(&score, context, &mut Rng::new(3)).unwrap()
                })
            };
            assert_eq!(run(), run());
        }
    }
}

/// Asks until nothing is left: every feasible point once, then the number of points.
fn exhaust(maximiser: &dyn Maximiser, space: &Space) {
    let count = space.enumerate(1000).unwrap().len() as u64;
    let mut history = history(space.clone(), 3);
    let (bounds, mut rng) = (Bounds::unit(space.dim()), Rng::new(8));
    let score = hill(space, true, &mut rng);
    for trial in 0..count {
        let point = within(&history, &bounds, |context| {
            maximiser.maximise(&score, context, &mut rng)
        })
        .unwrap();
        assert_admissible(&point, &history, &bounds);
        match trial % 3 {
            0 => history.observe(trial, &point, &[-score.value(&point)]),
            1 => history.fail(trial, point, "crashed"),
            _ => history.ask(trial, point),
        }
    }
    let left = within(&history, &bounds, |context| {
        maximiser.maximise(&score, context, &mut rng)
    });
    assert!(
        matches!(left, Err(Error::Exhausted { points }) if points == count),
        "{left:?}"
    );
}

#[test]
fn an_exhausted_space_says_so_after_every_point_was_proposed_once() {
    let parameters = vec![
        Parameter::int("a", 0, 4),
        Parameter::choice("kind", ["p", "q", "r"]),
        Parameter::ordered("grade", ["low", "high"])
            .when("kind == 'q'")
            .unwrap(),
    ];
    let space = Space::new(parameters, known(&["a != 2"])).unwrap();
    let rows = (0..17_i32)
        .map(|k| vec![Value::Float(f64::from(k * k)), Value::Float(f64::from(k % 5))])
        .collect();
    let table = Space::finite(Candidates::from_rows(vec!["u", "v"], rows).unwrap());
    for maximiser in maximisers() {
        exhaust(&maximiser, &space);
        exhaust(&maximiser, &table);
    }
    exhaust(&Finite::default(), &space);
    exhaust(&Finite::default(), &table);
}

#[test]
fn where_there_is_noise_the_best_point_may_be_repeated() {
    let space = Space::new(vec![Parameter::int("a", 0, 9)], vec![]).unwrap();
    let score = Hill {
        centre: vec![0.34],
        ripples: 0.0,
        smooth: true,
    };
    let mut history = history(space.clone(), 1).with_noise(true);
    history.observe(0, &[3.0 / 9.0], &[0.0]);
    for maximiser in maximisers() {
        let point = within(&history, &Bounds::unit(1), |context| {
            maximiser.maximise(&score, context, &mut Rng::new(1))
        });
        assert_eq!(point.unwrap(), vec![3.0 / 9.0]);
    }
}

#[test]
fn enumeration_of_an_infinite_space_is_refused() {
    let history = history(Space::unit_box(2), 1);
    let score = Hill {
        centre: vec![0.3; 2],
        ripples: 0.0,
        smooth: true,
    };
    let refused = within(&history, &Bounds::unit(2), |context| {
        Finite::default()
            .maximise(&score, context, &mut Rng::new(1))
            .unwrap_err()
            .to_string()
    });
    assert!(
        refused.contains("the space must be finite, with at most 100000 points"),
        "{refused}"
    );
}

#[test]
fn a_score_without_gradients_is_refused_by_gradient_ascent_and_taken_by_auto() {
    let history = history(Space::unit_box(2), 1);
    let score = Hill {
        centre: vec![0.3; 2],
        ripples: 0.0,
        smooth: false,
    };
    within(&history, &Bounds::unit(2), |context| {
        let refused = Gradient::default()
            .maximise(&score, context, &mut Rng::new(1))
            .unwrap_err();
        assert_eq!(
            refused.to_string(),
            "gradient needs gradients; the score has values alone"
        );
        let found = Auto::default().maximise(&score, context, &mut Rng::new(1)).unwrap();
        assert!(found.iter().all(|x| (x - 0.3).abs() < 1e-3), "{found:?}");
    });
}

#[test]
fn maximisers_are_known_by_name_and_refuse_unknown_settings() {
    for name in ["auto", "pool", "gradient", "local", "finite"] {
        let kind: Kind = serde_json::from_str(&format!("\"{name}\"")).unwrap();
        assert_eq!(
            serde_json::from_str::<Kind>(&serde_json::to_string(&kind).unwrap()).unwrap(),
            kind
        );
    }
    let wrong = serde_json::from_str::<Kind>(r#"{"name": "pool", "size": 3}"#)
        .unwrap_err()
        .to_string();
    assert!(wrong.contains("size") && wrong.contains("points"), "{wrong}");
}
