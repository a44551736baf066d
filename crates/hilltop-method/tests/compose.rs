//! Compositions by name: what has what it needs works, what has not is refused by name.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use hilltop_core::{Goal, History, Output, Space};
use hilltop_method::{Compose, Recipe};
use hilltop_surrogate::{Kind, Ntk};
use serde_json::{Value, json};

const SURROGATES: [&str; 9] = [
    "ntk",
    "sto-bnts",
    "sto-bnts-linear",
    "deep-ensemble",
    "accumulated",
    "parametric",
    "dngo",
    "perturbed",
    "linear",
];

/// Those without mean and deviation.
const DRAWN: [&str; 4] = ["sto-bnts", "sto-bnts-linear", "deep-ensemble", "perturbed"];

fn outputs() -> Arc<[Output]> {
    [Output {
        name: "f".into(),
        goal: Goal::Minimize,
    }]
    .into()
}

fn composed(surrogate: &Value, acquisition: &Value) -> Recipe {
    let maximiser = json!({ "name": "gradient", "pool": { "points": 60, "near": 20 }, "starts": 2, "iterations": 10 });
    let mut table = json!({ "name": "compose", "design": { "count": 8 }, "maximiser": maximiser });
    table["surrogate"] = surrogate.clone();
    table["acquisition"] = acquisition.clone();
    Recipe::parse(&table).unwrap()
}

fn refusal(recipe: &Recipe) -> String {
    let space = Arc::new(Space::unit_box(2));
    recipe.check(&space, &outputs(), None).unwrap_err().to_string()
}

/// A point after eight observations of a bowl, with two under way.
fn proposal(recipe: &Recipe) -> Vec<f64> {
    let space = Arc::new(Space::unit_box(2));
    let mut history = History::new(Arc::clone(&space), outputs(), 4);
    for trial in 0..8_u32 {
        let x = [f64::from(trial % 3) / 2.0, f64::from(trial) / 8.0];
        history.observe(u64::from(trial), &x, &[(x[0] - 0.3).powi(2) + x[1]]);
    }
    history.ask(8, vec![0.3, 0.1]);
    let mut proposer = recipe.build(&space, &outputs()).unwrap();
    proposer.propose(&history, 1).unwrap().remove(0).point
}

#[test]
fn every_surrogate_proposes_with_every_acquisition_that_finds_what_it_needs() {
    let entropy = json!({ "name": "max-value-entropy", "samples": 3 });
    let knowledge = json!({ "name": "knowledge-gradient", "paths": 6, "alternatives": 3 });
    for name in SURROGATES {
        let drawn = DRAWN.contains(&name);
        for acquisition in [json!("path"), json!("ei"), entropy.clone(), knowledge.clone()] {
            let recipe = composed(&json!(name), &acquisition);
            if drawn && acquisition != "path" {
                let message = refusal(&recipe);
                assert!(message.ends_with(&format!("; {name} has paths")), "{message}");
            } else {
                let point = proposal(&recipe);
                assert!(
                    point.iter().all(|x| (0.0..=1.0).contains(x)),
                    "{name}, {acquisition}: {point:?}"
                );
            }
        }
    }
}

#[test]
fn what_is_missing_is_named() {
    let message = |surrogate: &str, acquisition: &str| refusal(&composed(&json!(surrogate), &json!(acquisition)));
    assert_eq!(message("sto-bnts", "ei"), "ei needs marginals; sto-bnts has paths");
    assert_eq!(
        message("perturbed", "knowledge-gradient"),
        "knowledge-gradient needs marginals and paths; perturbed has paths"
    );
    assert_eq!(
        message("ntk", "optimism"),
        "optimism needs weights; ntk has marginals and paths"
    );
    assert_eq!(
        message("dngo", "pointwise"),
        "the maximiser needs gradients; the acquisition has values alone"
    );
    let rectified = json!({ "name": "dngo", "activation": "relu" });
    assert_eq!(
        refusal(&composed(&rectified, &json!("ei"))),
        "the maximiser needs gradients; dngo has values alone"
    );
    assert!(refusal(&composed(&json!({ "name": "sto-bnts", "width": 0 }), &json!("path"))).starts_with("width = 0"));
}

#[test]
fn optimism_over_weights_is_a_composition_too() {
    let point = proposal(&composed(
        &json!({ "name": "parametric", "first": 5 }),
        &json!("optimism"),
    ));
    assert_eq!(point.len(), 2);
}

#[test]
fn a_surrogate_without_a_name_is_the_tangent_kernel_as_it_always_was() {
    let table = json!({ "name": "compose", "surrogate": { "width": "infinite", "activation": "erf", "depth": 2 } });
    let Recipe::Compose(Compose { surrogate, .. }) = Recipe::parse(&table).unwrap() else {
        panic!("another method");
    };
    let expected = Ntk {
        depth: 2,
        ..Ntk::default()
    };
    assert_eq!(surrogate, Kind::Ntk(expected));
    let unknown = json!({ "name": "compose", "surrogate": "gpt" });
    let message = Recipe::parse(&unknown).unwrap_err().to_string();
    assert!(SURROGATES.iter().all(|name| message.contains(name)), "{message}");
}
