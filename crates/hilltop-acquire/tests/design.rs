//! What holds for initial designs.
#![allow(clippy::unwrap_used)]

mod toy;

use hilltop_acquire::{Design, Layout};
use hilltop_core::{Error, Expression, Parameter, Space};
use toy::history;

const LAYOUTS: [Layout; 3] = [Layout::Sobol, Layout::LatinHypercube, Layout::Uniform];

fn mixed() -> Space {
    let parameters = vec![
        Parameter::float("x", 0.0, 1.0),
        Parameter::int("n", 0, 9),
        Parameter::choice("c", ["a", "b"]),
        Parameter::float("y", 0.0, 1.0).when("c == 'b'").unwrap(),
    ];
    Space::new(parameters, vec![Expression::parse("x + n <= 6").unwrap()]).unwrap()
}

fn small() -> Space {
    let parameters = vec![Parameter::int("n", 0, 6), Parameter::choice("c", ["a", "b", "c"])];
    Space::new(parameters, vec![Expression::parse("n != 3").unwrap()]).unwrap()
}

fn design(kind: Layout) -> Design {
    Design { kind, count: Some(18) }
}

#[test]
fn points_are_projected_feasible_and_distinct() {
    for kind in LAYOUTS {
        for space in [Space::unit_box(7), mixed(), small(), Space::unit_box(300)] {
            let points = design(kind).points(&space, 7, 18).unwrap();
            for (index, point) in points.iter().enumerate() {
                let mut projected = point.clone();
                space.project(&mut projected);
                assert_eq!(&projected, point);
                assert!(space.satisfies(point));
                assert!(!points[..index].contains(point), "{kind:?} {index}");
            }
        }
    }
}

#[test]
fn a_point_is_a_function_of_seed_and_index() {
    for kind in LAYOUTS {
        for space in [Space::unit_box(3), mixed(), small()] {
            let points = design(kind).points(&space, 11, 15).unwrap();
            for index in [0, 3, 14] {
                assert_eq!(
                    design(kind).point(&space, 11, index as u64).unwrap(),
                    points[index],
                    "{kind:?}"
                );
            }
            assert_ne!(design(kind).points(&space, 12, 15).unwrap(), points);
        }
    }
}

#[test]
fn a_finite_space_is_covered_once_and_then_exhausted() {
    for kind in LAYOUTS {
        let points = design(kind).points(&small(), 1, 18).unwrap();
        assert_eq!(points.len(), small().enumerate(100).unwrap().len());
        let left = design(kind).point(&small(), 1, 18);
        assert!(matches!(left, Err(Error::Exhausted { points: 18 })), "{left:?}");
    }
}

#[test]
fn a_study_gets_the_designs_point_unless_it_is_known_already() {
    let design = Design::default();
    let mut history = history(Space::unit_box(3), 4);
    let point = design.propose(&history, 5).unwrap();
    assert_eq!(point, design.point(history.space(), 4, 5).unwrap());
    history.observe(0, &point, &[1.0]);
    assert_ne!(design.propose(&history, 5).unwrap(), point);
    assert_eq!(design.propose(&history.with_noise(true), 5).unwrap(), point);
}

#[test]
fn the_number_of_points_follows_the_number_of_parameters_unless_given() {
    assert_eq!(Design::default().count(&Space::unit_box(1)), 9);
    assert_eq!(Design::default().count(&Space::unit_box(10)), 18);
    assert_eq!(Design::default().count(&Space::unit_box(200)), 50);
    let given: Design = serde_json::from_str(r#"{"kind": "latin-hypercube", "count": 12}"#).unwrap();
    assert_eq!(
        (given.kind, given.count(&Space::unit_box(10))),
        (Layout::LatinHypercube, 12)
    );
    assert!(serde_json::from_str::<Design>(r#"{"size": 12}"#).is_err());
}

#[test]
fn a_sobol_design_is_spread_more_evenly_than_a_random_one() {
    // The largest share of 64 boxes of a 2-d grid that 64 points leave empty.
    let empty = |kind| {
        let points = Design { kind, count: Some(64) }
            .points(&Space::unit_box(2), 3, 64)
            .unwrap();
        let cell = |point: &Vec<f64>| ((point[0] * 8.0) as usize).min(7) * 8 + ((point[1] * 8.0) as usize).min(7);
        let filled: std::collections::BTreeSet<usize> = points.iter().map(cell).collect();
        64 - filled.len()
    };
    assert_eq!(empty(Layout::Sobol), 0);
    assert!(empty(Layout::Uniform) > 10);
}
