//! The laws of encoding, decoding and projecting, on random spaces.
#![allow(clippy::unwrap_used, clippy::float_cmp, missing_docs)]

use hilltop_core::{Coordinate, Kind, Parameter, Parameters, Rng, Space, Value};
use proptest::prelude::*;

/// Bounds of all sizes, some of them far from zero and close together.
fn bounds() -> impl Strategy<Value = (f64, f64)> {
    (-6..7_i32, -1.0..1.0_f64, -9..1_i32, 0.1..1.0_f64).prop_map(|(size, place, narrow, width)| {
        let low = place * 10_f64.powi(size);
        (low, low + width * 10_f64.powi(size + narrow))
    })
}

fn kind() -> impl Strategy<Value = Parameter> {
    prop_oneof![
        bounds().prop_map(|(low, high)| Parameter::float("p", low, high)),
        (-300..290_i32, 1e-6..9.0_f64).prop_map(|(low, decades)| Parameter::log_float(
            "p",
            10_f64.powi(low),
            10_f64.powi(low) * 10_f64.powf(decades)
        )),
        (bounds(), 1.0..60.0_f64).prop_map(|((low, high), parts)| {
            let step = (high - low) / parts;
            Parameter::float("p", low, high).step(step)
        }),
        (-1_000_000..1_000_000_i64, 1..2_000_000_i64).prop_map(|(low, range)| Parameter::int("p", low, low + range)),
        (-3..4_i64, 1..9_i64).prop_map(|(low, range)| Parameter::int("p", low, low + range)),
        (1..5000_i64, 1..1_000_000_000_i64).prop_map(|(low, range)| Parameter::log_int("p", low, low + range)),
        (1..6_usize).prop_map(|count| Parameter::choice("p", (0..count).map(|option| format!("o{option}")))),
        (1..40_usize).prop_map(|count| Parameter::ordered("p", (0..count).map(|option| 0.5 * option as f64))),
        Just(Parameter::choice(
            "p",
            [Value::Bool(true), Value::Int(3), Value::from("auto")]
        )),
        (-1e6..1e6_f64).prop_map(|value| Parameter::fixed("p", value)),
    ]
}

/// A few parameters, some of which take part only where a choice or a number says so.
fn space() -> impl Strategy<Value = Space> {
    proptest::collection::vec((kind(), 0..5_u8), 1..8).prop_map(|kinds| {
        let mut parameters = vec![
            Parameter::choice("switch", ["on", "off", "half"]),
            Parameter::float("dial", 0.0, 1.0).when("switch != 'off'").unwrap(),
        ];
        for (place, (mut parameter, condition)) in kinds.into_iter().enumerate() {
            parameter.name = format!("p{place}");
            parameters.push(match condition {
                0 => parameter.when("switch == 'on'").unwrap(),
                1 => parameter.when("dial > 0.5 or switch == 'half'").unwrap(),
                _ => parameter,
            });
        }
        parameters.rotate_left(1);
        Space::new(parameters, Vec::new()).unwrap()
    })
}

fn anywhere(space: &Space, seed: u64) -> Vec<f64> {
    let mut rng = Rng::new(seed);
    (0..space.dim()).map(|_| rng.between(-0.1, 1.1)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn projection_is_idempotent_and_does_not_change_what_is_decoded(space in space(), seed in any::<u64>()) {
        let z = anywhere(&space, seed);
        let mut once = z.clone();
        space.project(&mut once);
        let mut twice = once.clone();
        space.project(&mut twice);
        prop_assert_eq!(&once, &twice);
        prop_assert_eq!(space.decode(&z), space.decode(&once));
        prop_assert!(once.iter().all(|value| (0.0..=1.0).contains(value)));
    }

    #[test]
    fn decoding_and_encoding_undo_each_other(space in space(), seed in any::<u64>()) {
        let z = anywhere(&space, seed);
        let point = space.decode(&z);
        let encoded = space.encode(&point).unwrap();
        prop_assert_eq!(&space.decode(&encoded), &point);
        let mut projected = z;
        space.project(&mut projected);
        prop_assert_eq!(encoded, projected);
    }

    #[test]
    fn json_between_decoding_and_encoding_changes_nothing(space in space(), seed in any::<u64>()) {
        let point = space.decode(&anywhere(&space, seed));
        let read: Parameters = serde_json::from_str(&serde_json::to_string(&point).unwrap()).unwrap();
        prop_assert_eq!(space.decode(&space.encode(&read).unwrap()), point);
    }

    #[test]
    fn inactive_parameters_are_absent_and_encoded_in_the_middle(space in space(), seed in any::<u64>()) {
        let mut z = anywhere(&space, seed);
        space.project(&mut z);
        let point = space.decode(&z);
        let switch = point.get("switch").and_then(Value::text).unwrap();
        prop_assert_eq!(point.get("dial").is_some(), switch != "off");
        let active = space.active(&z);
        for (parameter, active) in space.parameters().iter().zip(&active) {
            prop_assert_eq!(point.get(&parameter.name).is_some(), *active);
            if let Some(when) = &parameter.when {
                let holds = when.evaluate(&|name| point.get(name).cloned());
                let expected = holds.unwrap_or(Value::Bool(false)) == Value::Bool(true);
                prop_assert_eq!(*active, expected, "{} at {}", parameter.name, point);
            }
        }
        for (value, coordinate) in z.iter().zip(space.coordinates()) {
            prop_assert!(active[parameter_of(coordinate)] || *value == 0.5);
        }
    }

    #[test]
    fn values_lie_within_their_bounds(space in space(), seed in any::<u64>()) {
        let point = space.decode(&anywhere(&space, seed));
        for parameter in space.parameters() {
            match (&parameter.kind, point.get(&parameter.name)) {
                (Kind::Float { low, high, .. }, Some(Value::Float(value))) => prop_assert!(low <= value && value <= high),
                (Kind::Int { low, high, .. }, Some(Value::Int(value))) => prop_assert!(low <= value && value <= high),
                (Kind::Choice { options } | Kind::Ordered { options }, Some(value)) => prop_assert!(options.contains(value)),
                (Kind::Fixed { value }, Some(found)) => prop_assert_eq!(value, found),
                (_, None) => prop_assert!(parameter.when.is_some()),
                (kind, found) => prop_assert!(false, "{kind:?} {found:?}"),
            }
        }
    }

    #[test]
    fn points_of_the_unit_cube_become_projected_points(space in space(), seed in any::<u64>()) {
        let mut rng = Rng::new(seed);
        let u: Vec<f64> = (0..space.unit_dim()).map(|_| rng.uniform()).collect();
        let z = space.from_unit(&u);
        let mut projected = z.clone();
        space.project(&mut projected);
        prop_assert_eq!(z, projected);
    }

    #[test]
    fn neighbours_are_projected_and_elsewhere(space in space(), seed in any::<u64>()) {
        let z = space.sample(&mut Rng::new(seed)).unwrap();
        for there in space.neighbours(&z) {
            let mut projected = there.clone();
            space.project(&mut projected);
            prop_assert_eq!(&there, &projected);
            prop_assert_ne!(space.decode(&there), space.decode(&z));
        }
    }

    #[test]
    fn numbers_that_a_person_types_are_kept(digits in 1..1_000_000_000_i64, places in 0..9_i32) {
        let typed = digits as f64 / 10_f64.powi(places);
        let space = Space::new(
            vec![Parameter::float("x", -1e9, 1e9), Parameter::log_float("y", 1e-9, 1e9), Parameter::float("z", 0.0, typed * 1.7)],
            Vec::new(),
        ).unwrap();
        let values = [("x", typed), ("y", typed), ("z", typed)].map(|(name, value)| (name, Value::Float(value)));
        let point = Parameters::from_iter(values);
        let decoded = space.decode(&space.encode(&point).unwrap());
        prop_assert_eq!(decoded.get("y"), point.get("y"));
        prop_assert_eq!(decoded.get("z"), point.get("z"));
        let x = decoded.get("x").and_then(Value::number).unwrap();
        prop_assert!((x - typed).abs() <= 1e-4, "{} {}", x, typed);
    }

    #[test]
    fn any_coordinates_decode(space in space(), bits in proptest::collection::vec(any::<f64>(), 64)) {
        let z: Vec<f64> = bits.iter().copied().cycle().take(space.dim()).collect();
        let mut projected = z.clone();
        space.project(&mut projected);
        prop_assert_eq!(space.encode(&space.decode(&z)).unwrap(), projected);
    }
}

fn parameter_of(coordinate: &Coordinate) -> usize {
    match coordinate {
        Coordinate::Continuous { parameter }
        | Coordinate::Grid { parameter, .. }
        | Coordinate::OneHot { parameter, .. } => *parameter,
    }
}

#[test]
fn both_bounds_are_reached_exactly() {
    let space = Space::new(
        vec![
            Parameter::float("a", 1.0 / 3.0, 2.0 / 3.0),
            Parameter::log_float("b", 0.1, 0.7),
            Parameter::float("c", 0.0, 0.3).step(0.1),
            Parameter::log_int("d", 16, 4096),
            Parameter::int("e", -3, 5),
        ],
        Vec::new(),
    )
    .unwrap();
    let read = |z: f64| {
        space
            .decode(&[z; 5])
            .iter()
            .map(|(_, value)| value.number().unwrap())
            .collect::<Vec<_>>()
    };
    assert_eq!(read(0.0), [1.0 / 3.0, 0.1, 0.0, 16.0, -3.0]);
    assert_eq!(read(1.0), [2.0 / 3.0, 0.7, 0.3, 4096.0, 5.0]);
    assert_eq!(read(f64::NAN)[4], 1.0);
}

#[test]
fn every_level_takes_an_equal_share_of_the_unit_cube() {
    let space = Space::new(
        vec![Parameter::int("n", 1, 5), Parameter::choice("c", ["x", "y"])],
        Vec::new(),
    )
    .unwrap();
    let mut counts = [0; 5];
    for step in 0..1000 {
        let z = space.from_unit(&[(f64::from(step) + 0.5) / 1000.0, 0.99]);
        let point = space.decode(&z);
        assert_eq!(point.get("c"), Some(&Value::from("y")));
        counts[point.get("n").and_then(Value::number).unwrap() as usize - 1] += 1;
    }
    assert_eq!(counts, [200; 5]);
}

#[test]
fn coordinates_say_what_they_stand_for() {
    let space = Space::new(
        vec![
            Parameter::float("x", 0.0, 1.0),
            Parameter::fixed("f", 3.5),
            Parameter::choice("c", ["a", "b"]),
            Parameter::int("n", 0, 6),
        ],
        Vec::new(),
    )
    .unwrap();
    let one_hot = |option| Coordinate::OneHot {
        parameter: 2,
        option,
        first: 1,
        count: 2,
    };
    let expected = [
        Coordinate::Continuous { parameter: 0 },
        one_hot(0),
        one_hot(1),
        Coordinate::Grid {
            parameter: 3,
            levels: 7,
        },
    ];
    assert_eq!(space.coordinates(), expected);
    assert_eq!((space.dim(), space.unit_dim()), (4, 3));
    assert_eq!(
        space.decode(&[0.25, 0.2, 0.9, 0.5]).to_string(),
        "x = 0.25, f = 3.5, c = b, n = 3"
    );
}

#[test]
fn a_space_travels_between_threads() {
    fn travels<T: Send + Sync + Clone>(_: &T) {}
    travels(&Space::unit_box(1));
}
