//! The sample-then-optimise methods: batches, workers, regressions.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::sync::Arc;

use hilltop_core::{Goal, History, Output, Proposer, Space};
use hilltop_method::Recipe;
use serde_json::{Value, json};

const NAMES: [&str; 3] = ["sto-bnts", "sto-bnts-linear", "deep-ensemble"];

fn outputs() -> Arc<[Output]> {
    [Output {
        name: "f".into(),
        goal: Goal::Minimize,
    }]
    .into()
}

fn proposer(recipe: &Value, space: &Arc<Space>) -> Box<dyn Proposer> {
    Recipe::parse(recipe).unwrap().build(space, &outputs()).unwrap()
}

fn small(name: &str) -> Value {
    json!({ "name": name, "width": 24, "design": { "count": 6 } })
}

/// A valley with its bottom, 0, inside the cube.
fn valley(z: &[f64]) -> f64 {
    let (x, y) = (3.0 * z[0] - 1.0, 3.0 * z[1] - 1.2);
    x * x + (y - 0.5 * x * x).powi(2) + 0.1 * (6.0 * x).sin().powi(2)
}

/// A history of so many trials of a recipe, one at a time.
fn played(recipe: &Value, space: &Arc<Space>, trials: u64, seed: u64) -> History {
    let mut history = History::new(space.clone(), outputs(), seed);
    let mut proposer = proposer(recipe, space);
    for trial in 0..trials {
        let query = proposer.propose(&history, 1).unwrap().remove(0);
        query.memory.into_iter().for_each(|memory| history.remember(memory));
        history.observe(trial, &query.point, &[valley(&query.point)]);
    }
    history
}

fn best(history: &History) -> f64 {
    history.objective().iter().copied().fold(f64::INFINITY, f64::min)
}

#[test]
fn a_batch_is_the_same_points_as_asks_in_a_row() {
    let space = Arc::new(Space::unit_box(2));
    for name in NAMES {
        let mut history = played(&small(name), &space, 9, 5);
        let batch = proposer(&small(name), &space).propose(&history, 4).unwrap();
        let mut asking = proposer(&small(name), &space);
        for (trial, query) in (9..).zip(&batch) {
            let alone = asking.propose(&history, 1).unwrap().remove(0);
            assert_eq!(&alone, query, "{name}: trial {trial}");
            alone.memory.iter().for_each(|memory| history.remember(memory.clone()));
            history.ask(trial, alone.point);
        }
    }
}

#[test]
fn sixty_four_workers_never_get_equal_points() {
    let cell = |x: f64| hilltop_core::Value::Float(x);
    let grid: Vec<f64> = (0..10).map(f64::from).collect();
    let rows: Vec<Vec<_>> = grid
        .iter()
        .flat_map(|x| grid.iter().map(move |y| vec![cell(*x), cell(*y)]))
        .collect();
    let table = hilltop_core::Candidates::from_rows(vec!["x", "y"], rows).unwrap();
    for space in [Space::unit_box(2), Space::finite(table)].map(Arc::new) {
        let recipe = json!({ "name": "sto-bnts-linear", "width": 16, "depth": 1, "design": { "count": 4 } });
        let mut history = played(&recipe, &space, 6, 2);
        let mut proposer = proposer(&recipe, &space);
        let mut seen = BTreeSet::new();
        for trial in 6..38 {
            let query = proposer.propose(&history, 1).unwrap().remove(0);
            assert!(seen.insert(query.point.iter().map(|x| x.to_bits()).collect::<Vec<_>>()));
            history.ask(trial, query.point);
        }
        for query in proposer.propose(&history, 32).unwrap() {
            assert!(seen.insert(query.point.iter().map(|x| x.to_bits()).collect::<Vec<_>>()));
        }
        assert_eq!(seen.len(), 64);
    }
}

#[test]
fn the_twelfth_point_of_a_seed_never_changes() {
    let space = Arc::new(Space::unit_box(2));
    let histories = NAMES.map(|name| played(&small(name), &space, 12, 3));
    let points = histories.each_ref().map(|history| history.points().row(11));
    let same = |(point, stored): (&&[f64], [f64; 2])| point.iter().zip(stored).all(|(x, y)| (x - y).abs() < 1e-6);
    assert!(points.iter().zip(STORED).all(same), "{points:?}");
}

const STORED: [[f64; 2]; 3] = [
    [0.227_471_674_064_21, 0.420_513_810_161_99],
    [0.228_405_499_274_41, 0.573_819_723_766_69],
    [0.305_930_230_088_70, 0.358_666_104_374_13],
];

#[test]
fn a_valley_is_descended_within_twenty_five_evaluations() {
    let space = Arc::new(Space::unit_box(2));
    for name in NAMES {
        let mut found: Vec<f64> = (0..3)
            .map(|seed| best(&played(&small(name), &space, 25, seed)))
            .collect();
        found.sort_by(f64::total_cmp);
        println!("{name} {found:?}");
        assert!(found[1] < 1e-3, "{name}: {found:?}");
    }
}

#[test]
fn uncertainty_sampling_spreads_the_first_points() {
    let space = Arc::new(Space::unit_box(2));
    let recipe = json!({ "name": "sto-bnts-linear", "width": 16, "opening": "uncertainty", "design": { "count": 9 } });
    let history = played(&recipe, &space, 9, 4);
    let rows: Vec<&[f64]> = history.points().rows().collect();
    let apart = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
    for (index, row) in rows.iter().enumerate() {
        let nearest = rows[..index]
            .iter()
            .map(|other| apart(row, other))
            .fold(f64::INFINITY, f64::min);
        assert!(nearest > 0.15, "{index}: {rows:?}");
    }
    let batch = proposer(&recipe, &space)
        .propose(&History::new(space, outputs(), 4), 9)
        .unwrap();
    assert_eq!(batch[0].point, rows[0]);
}

#[test]
fn what_cannot_work_is_refused_by_name() {
    let space = Arc::new(Space::unit_box(2));
    let refused = |recipe: Value| match Recipe::parse(&recipe) {
        Ok(recipe) => recipe.check(&space, &outputs(), None).unwrap_err().to_string(),
        Err(error) => error.to_string(),
    };
    assert!(refused(json!({ "name": "sto-bnts", "width": 0 })).contains("width = 0"));
    assert!(refused(json!({ "name": "sto-bnts", "depth": 0 })).contains("depth = 0"));
    assert!(refused(json!({ "name": "deep-ensemble", "spread": -1.0 })).contains("spread = -1"));
    assert!(refused(json!({ "name": "sto-bnts", "laziness": 0.0 })).contains("laziness = 0"));
    assert!(refused(json!({ "name": "sto-bnts", "noise": -2.0 })).contains("a number above 0"));
    let adam = json!({ "descent": { "name": "adam", "rate": 0.01, "batch": 10, "epochs": 5 } });
    assert!(refused(json!({ "name": "sto-bnts-linear", "training": adam })).contains("gradient-descent"));
    let rate = json!({ "descent": { "name": "gradient-descent", "rate": -1.0, "steps": 5 } });
    assert!(refused(json!({ "name": "sto-bnts", "training": rate })).contains("rate"));
}
