//! What is remembered saves time and never changes a model.
#![allow(clippy::unwrap_used)]

mod support;

use std::sync::Arc;

use hilltop_core::{Evidence, Model, Points, Previous, Space, Surrogate};
use hilltop_nn::Activation;
use hilltop_surrogate::Ntk;
use hilltop_surrogate::ntk::{Expectation, Features, Fit, Width};
use hilltop_surrogate::process::{ProcessModel, Schedule};
use support::{table, uniform, wavy};

struct Growing {
    space: Space,
    points: Points,
    values: Vec<f64>,
}

impl Growing {
    fn new(count: usize, dim: usize) -> Self {
        let points = uniform(count, dim, 21);
        Self {
            space: Space::unit_box(dim),
            values: wavy(points.as_ref()),
            points: table(points.as_ref()),
        }
    }

    fn fit(&self, surrogate: &Ntk, count: usize, previous: Previous<'_>) -> Arc<dyn Model> {
        let points = self.points.head(count);
        let evidence = Evidence {
            space: &self.space,
            points: &points,
            values: &self.values[..count],
            seed: 3,
            shares: &[],
        };
        surrogate.fit(&evidence, previous).unwrap()
    }
}

/// Everything a model says at some points, bit for bit.
fn answers(model: &dyn Model, dim: usize) -> Vec<u64> {
    let queries = uniform(7, dim, 22);
    let slopes = model.marginals().unwrap().slopes(queries.as_ref()).unwrap();
    let matrices = [&slopes.mean, &slopes.deviation].into_iter();
    let entries = matrices.flat_map(|matrix| (0..dim).flat_map(|j| matrix.col(j).iter().copied().collect::<Vec<_>>()));
    let all = slopes
        .beliefs
        .mean
        .iter()
        .chain(&slopes.beliefs.deviation)
        .copied()
        .chain(entries);
    all.map(f64::to_bits).collect()
}

fn kinds() -> Vec<(&'static str, Ntk, usize)> {
    let landmarks = Ntk {
        exact_limit: 30,
        landmarks: 25,
        noise: Fit::Fixed(1e-2),
        ..Ntk::default()
    };
    let seldom = Schedule {
        growth: 3.0,
        ..Schedule::default()
    };
    let selection = Ntk {
        exact_limit: 30,
        noise: Fit::Fixed(1e-6),
        schedule: seldom,
        ..Ntk::default()
    };
    let finite = Ntk {
        width: Width::Finite(32),
        activation: Activation::Erf,
        ..Ntk::default()
    };
    let trained = Ntk {
        mean: Expectation::Trained,
        ..finite.clone()
    };
    let current = Ntk {
        features: Features::Current,
        ..trained.clone()
    };
    vec![
        ("infinite", Ntk::default(), 75),
        (
            "deep",
            Ntk {
                depth: 2,
                ..Ntk::default()
            },
            40,
        ),
        ("landmarks", landmarks, 75),
        ("selection", selection, 320),
        ("finite", finite, 45),
        ("trained", trained, 30),
        ("current", current, 30),
    ]
}

#[test]
fn a_resumed_model_equals_an_undisturbed_one_bit_for_bit() {
    for (name, surrogate, count) in kinds() {
        let study = Growing::new(count, 3);
        let mut undisturbed: Option<Arc<dyn Model>> = None;
        for n in 1..=count {
            let memory = undisturbed.as_ref().and_then(|model| model.memory());
            let previous = Previous {
                model: undisturbed.as_deref(),
                memory: memory.as_ref(),
            };
            undisturbed = Some(study.fit(&surrogate, n, previous));
        }
        let undisturbed = undisturbed.unwrap();
        let without = Previous {
            model: Some(undisturbed.as_ref()),
            memory: None,
        };
        let same = study.fit(&surrogate, count, without);
        assert_eq!(
            answers(undisturbed.as_ref(), 3),
            answers(same.as_ref(), 3),
            "{name}: from a model"
        );
        let alone = study.fit(&surrogate, count, Previous::default());
        assert_eq!(
            answers(undisturbed.as_ref(), 3),
            answers(alone.as_ref(), 3),
            "{name}: without a memory"
        );
        // The memory goes through text, as in a journal.
        let text = undisturbed.memory().unwrap().to_string();
        let memory = serde_json::from_str(&text).unwrap();
        let resumed = study.fit(
            &surrogate,
            count,
            Previous {
                model: None,
                memory: Some(&memory),
            },
        );
        assert_eq!(
            answers(undisturbed.as_ref(), 3),
            answers(resumed.as_ref(), 3),
            "{name}: with a memory"
        );
        assert_eq!(resumed.memory(), undisturbed.memory());
    }
}

#[test]
fn an_older_memory_is_continued_and_a_foreign_one_ignored() {
    let study = Growing::new(40, 2);
    let surrogate = Ntk::default();
    let expected = answers(study.fit(&surrogate, 40, Previous::default()).as_ref(), 2);
    let older = study.fit(&surrogate, 17, Previous::default()).memory().unwrap();
    let younger = study.fit(&surrogate, 40, Previous::default()).memory().unwrap();
    let of_memory = |count, memory: &serde_json::Value| {
        answers(
            study
                .fit(
                    &surrogate,
                    count,
                    Previous {
                        model: None,
                        memory: Some(memory),
                    },
                )
                .as_ref(),
            2,
        )
    };
    assert_eq!(of_memory(40, &older), expected);
    assert_eq!(
        of_memory(17, &younger),
        answers(study.fit(&surrogate, 17, Previous::default()).as_ref(), 2)
    );
    for foreign in [
        serde_json::json!(null),
        serde_json::json!({"count": 17}),
        serde_json::json!([1, 2]),
    ] {
        assert_eq!(of_memory(40, &foreign), expected);
    }
}

#[test]
fn models_of_other_points_or_with_pending_ones_are_not_grown() {
    let (study, other) = (Growing::new(30, 2), Growing::new(30, 2));
    let surrogate = Ntk::default();
    let expected = answers(study.fit(&surrogate, 30, Previous::default()).as_ref(), 2);
    let mut shuffled = Points::new(2);
    other
        .points
        .rows()
        .collect::<Vec<_>>()
        .into_iter()
        .rev()
        .for_each(|row| shuffled.push(row));
    let other = Growing {
        points: shuffled,
        ..other
    };
    let memory = study.fit(&surrogate, 30, Previous::default()).memory();
    let foreign = other.fit(
        &surrogate,
        29,
        Previous {
            model: None,
            memory: memory.as_ref(),
        },
    );
    let model = study.fit(
        &surrogate,
        29,
        Previous {
            model: Some(foreign.as_ref()),
            memory: memory.as_ref(),
        },
    );
    assert_eq!(
        answers(model.as_ref(), 2),
        answers(study.fit(&surrogate, 29, Previous::default()).as_ref(), 2)
    );
    let pending = model.believe(uniform(2, 2, 5).as_ref()).unwrap().unwrap();
    assert!(
        pending
            .as_any()
            .downcast_ref::<ProcessModel>()
            .unwrap()
            .origin()
            .is_none()
    );
    let grown = study.fit(
        &surrogate,
        30,
        Previous {
            model: Some(pending.as_ref()),
            memory: None,
        },
    );
    assert_eq!(answers(grown.as_ref(), 2), expected);
}

#[test]
fn a_description_survives_its_text() {
    for (_, surrogate, _) in kinds() {
        let text = serde_json::to_string(&surrogate).unwrap();
        assert_eq!(serde_json::from_str::<Ntk>(&text).unwrap(), surrogate);
    }
    let typed: Ntk =
        serde_json::from_str(r#"{"width": 500, "scales": 1, "noise": 0.01, "activation": "relu"}"#).unwrap();
    assert_eq!(typed.width, Width::Finite(500));
    for wrong in [
        r#"{"width": 0}"#,
        r#"{"width": "wide"}"#,
        r#"{"noise": -1}"#,
        r#"{"wdth": 5}"#,
        r#"{"scales": "free"}"#,
    ] {
        assert!(serde_json::from_str::<Ntk>(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn compositions_that_cannot_work_are_refused_by_name() {
    let refused = |surrogate: Ntk| surrogate.check().unwrap_err().to_string();
    assert!(
        refused(Ntk {
            activation: Activation::Gelu,
            ..Ntk::default()
        })
        .starts_with("activation = gelu is not allowed")
    );
    assert!(
        refused(Ntk {
            depth: 0,
            ..Ntk::default()
        })
        .contains("depth = 0")
    );
    assert!(
        refused(Ntk {
            mean: Expectation::Trained,
            ..Ntk::default()
        })
        .contains("width = infinite")
    );
    assert!(
        Ntk {
            width: Width::Finite(8),
            activation: Activation::Gelu,
            ..Ntk::default()
        }
        .check()
        .is_ok()
    );
}
