//! Finite spaces: tables of candidates.
#![allow(clippy::unwrap_used, clippy::float_cmp, missing_docs)]

use std::collections::BTreeSet;

use hilltop_core::{Candidates, Expression, Rng, Space, Value};

const TABLE: &str = "id,mass,charge,colour,constant\nu,2.2,0.667,red,1\nd,4.7,-0.333,red,1\ns,96,-0.333,blue,1\nc,1280,0.667,blue,1\ntwin,96,-0.333,red,1\n";

fn table() -> Candidates {
    Candidates::from_csv(TABLE.as_bytes(), None).unwrap()
}

#[test]
fn numeric_columns_are_features_and_the_others_labels() {
    let candidates = table();
    assert_eq!(candidates.feature_names(), ["mass", "charge", "constant"]);
    assert_eq!((candidates.len(), candidates.dim()), (5, 3));
    assert_eq!(candidates.features(0), [0.0, 1.0, 0.5]);
    assert_eq!(candidates.features(3), [1.0, 1.0, 0.5]);
    assert_eq!(
        candidates.row(1).to_string(),
        "id = d, mass = 4.7, charge = -0.333, colour = red, constant = 1"
    );
    let chosen = Candidates::from_csv(TABLE.as_bytes(), Some(&["charge".to_owned()])).unwrap();
    assert_eq!(chosen.feature_names(), ["charge"]);
    assert_eq!(chosen.row(0).len(), 5);
}

#[test]
fn rows_are_found_by_their_columns_or_by_the_nearest_point() {
    let candidates = table();
    assert_eq!(candidates.index_of(&candidates.row(2)), Some(2));
    assert_eq!(candidates.index_of(&candidates.row(4)), Some(4));
    let by_mass = [("mass", Value::Int(1280))].into_iter().collect();
    assert_eq!(candidates.index_of(&by_mass), Some(3));
    let unknown = [("mass", Value::Int(1281))].into_iter().collect();
    assert_eq!(candidates.index_of(&unknown), None);
    assert_eq!(candidates.index_of_point(&[0.9, 0.8, 0.5]), 3);
    assert_eq!(candidates.index_of_point(&[f64::NAN, 0.1, 7.0]), 1);
}

#[test]
fn a_finite_space_has_only_its_rows() {
    let space = Space::finite(table());
    assert_eq!((space.dim(), space.unit_dim(), space.cardinality()), (3, 3, Some(4)));
    let all = space.enumerate(10).unwrap();
    assert_eq!(all.len(), 4, "rows that look alike count once");
    assert!(space.enumerate(3).is_none());
    let mut rng = Rng::new(1);
    let mut seen = BTreeSet::new();
    for _ in 0..100 {
        let z = space.sample(&mut rng).unwrap();
        assert!(all.contains(&z) && space.satisfies(&z));
        seen.insert(space.decode(&z).to_string());
        let neighbours = space.neighbours(&z);
        assert_eq!(neighbours.len(), 3);
        assert!(!neighbours.contains(&z));
        let mut near: Vec<f64> = z.iter().map(|value| value + 0.3 * rng.normal()).collect();
        assert!(space.repair(&mut near, &mut rng) && all.contains(&near));
        assert!(all.contains(&space.from_unit(&[rng.uniform(), rng.uniform(), rng.uniform()])));
    }
    assert_eq!(seen.len(), 4);
}

#[test]
fn rows_are_encoded_and_decoded() {
    let space = Space::finite(table());
    for row in 0..4 {
        let point = space.candidates().unwrap().row(row);
        let z = space.encode(&point).unwrap();
        assert_eq!(space.decode(&z), point);
        let mut projected = z.clone();
        space.project(&mut projected);
        assert_eq!(projected, z);
    }
    let error = space
        .encode(&[("mass", Value::Int(5))].into_iter().collect())
        .unwrap_err();
    assert_eq!(error.to_string(), "no candidate has mass = 5");
}

#[test]
fn known_constraints_choose_among_the_rows() {
    let keep = |text: &str| table().satisfying(&[Expression::parse(text).unwrap()]);
    let light = keep("mass < 100 and colour == 'red'").unwrap();
    assert_eq!(light.len(), 3);
    assert_eq!(light.features(0), table().features(0), "scales stay as they are");
    assert_eq!(
        keep("mass < 0").unwrap_err().to_string(),
        "none of the 5 candidates satisfies the known constraints"
    );
    let message = "the known constraint `weight < 3`: column 1: unknown name `weight`; known are id, mass, charge, colour, constant";
    assert_eq!(keep("weight < 3").unwrap_err().to_string(), message);
    let message = "the known constraint `mass + 1`: column 1: expected a condition, found a number";
    assert_eq!(keep("mass + 1").unwrap_err().to_string(), message);
}

#[test]
fn rows_from_memory_are_the_same_as_from_a_table() {
    let rows = vec![
        vec![Value::from("a"), Value::Int(1)],
        vec![Value::from("b"), Value::Float(2.5)],
    ];
    let candidates = Candidates::from_rows(["name", "size"], rows).unwrap();
    let read = Candidates::from_csv("name,size\na,1\nb,2.5\n".as_bytes(), None).unwrap();
    assert_eq!(candidates.row(1), read.row(1));
    assert_eq!(candidates.features(1), read.features(1));
}

#[test]
fn the_nearest_rows_come_first() {
    let rows = (0..1000)
        .map(|row| vec![Value::Float(f64::from(row)), Value::Float(f64::from(row % 7))])
        .collect();
    let candidates = Candidates::from_rows(["x", "y"], rows).unwrap();
    let point = candidates.features(500).to_vec();
    let nearest = candidates.nearest(&point, 20);
    assert_eq!((nearest.len(), nearest[0]), (20, 500));
    let distance = |row: usize| {
        candidates
            .features(row)
            .iter()
            .zip(&point)
            .map(|(a, b)| (a - b) * (a - b))
            .sum::<f64>()
    };
    assert!(nearest.windows(2).all(|pair| distance(pair[0]) <= distance(pair[1])));
    let others = (0..1000)
        .filter(|row| !nearest.contains(row))
        .map(distance)
        .fold(f64::INFINITY, f64::min);
    assert!(distance(nearest[19]) <= others);
}
