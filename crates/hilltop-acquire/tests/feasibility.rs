//! What limits do to scores.
#![allow(clippy::unwrap_used)]

mod toy;

use std::sync::Arc;

use faer::{Mat, MatRef};
use hilltop_acquire::feasibility::{Kind, chance};
use hilltop_acquire::{Likely, LogEi, Mean, Optimistic, Probability, Schedule};
use hilltop_core::{
    Acquisition, Beliefs, Bounds, Context, Feasibility, Goal, History, Limit, Marginals, Model, Models, Output, Paths,
    Points, Result, Rng, Score, Slopes, Space,
};

/// A plane with a constant deviation.
#[derive(Clone)]
struct Plane {
    offset: f64,
    slope: [f64; 2],
    deviation: f64,
}

impl Model for Plane {
    fn marginals(&self) -> Option<&dyn Marginals> {
        Some(self)
    }

    fn paths(&self) -> Option<&dyn Paths> {
        None
    }

    fn believe(&self, _pending: MatRef<'_, f64>) -> Option<Result<Arc<dyn Model>>> {
        None
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

impl Marginals for Plane {
    fn beliefs(&self, points: MatRef<'_, f64>) -> Beliefs {
        let mean = |row: usize| self.offset + self.slope[0] * points[(row, 0)] + self.slope[1] * points[(row, 1)];
        Beliefs {
            mean: (0..points.nrows()).map(mean).collect(),
            deviation: vec![self.deviation; points.nrows()],
        }
    }

    fn slopes(&self, points: MatRef<'_, f64>) -> Option<Slopes> {
        Some(Slopes {
            beliefs: self.beliefs(points),
            mean: Mat::from_fn(points.nrows(), 2, |_, axis| self.slope[axis]),
            deviation: Mat::zeros(points.nrows(), 2),
        })
    }

    fn noise(&self) -> f64 {
        0.0
    }
}

fn plane(offset: f64, slope: [f64; 2], deviation: f64) -> Arc<dyn Model> {
    Arc::new(Plane {
        offset,
        slope,
        deviation,
    })
}

fn limit(name: &str, model: Arc<dyn Model>, low: Option<f64>, high: Option<f64>) -> Limit {
    Limit {
        name: name.into(),
        model,
        low,
        high,
        scale: 1.0,
        stretch: 1.0,
    }
}

fn history() -> History {
    let outputs = [
        Output {
            name: "cost".into(),
            goal: Goal::Minimize,
        },
        Output {
            name: "stress".into(),
            goal: Goal::Within {
                min: None,
                max: Some(0.0),
            },
        },
    ];
    let mut history = History::new(Arc::new(Space::unit_box(2)), outputs.into(), 1);
    for (trial, (x, y)) in [(0.2, 0.3), (0.9, 0.8), (0.4, 0.6)].into_iter().enumerate() {
        history.observe(trial as u64, &[x, y], &[x + y, 0.5 - x]);
    }
    history
}

/// The score of an acquisition under limits; `violations` are those of the three observations.
fn bound(
    role: &dyn Feasibility,
    acquisition: &dyn Acquisition,
    limits: Vec<Limit>,
    violations: [f64; 3],
) -> Result<Arc<dyn Score>> {
    let history = history();
    let models = Models {
        objective: plane(0.0, [1.0, 1.0], 0.2),
        limits,
    };
    let bounds = Bounds::unit(2);
    toy::within(&history, &bounds, |context| {
        let context = Context {
            violations: &violations,
            ..*context
        };
        let mut rng = Rng::new(4);
        let score = acquisition.bind(&models, &context, &mut rng)?;
        role.apply(score, &models, &context, &mut rng)
    })
}

fn value(score: &dyn Score, point: [f64; 2]) -> f64 {
    let mut out = [0.0];
    score.values(Points::from_rows(2, [point.as_slice()]).matrix(), &mut out);
    out[0]
}

fn slopes_hold(score: &dyn Score, point: [f64; 2]) {
    let (mut values, mut gradients) = ([0.0], Mat::zeros(1, 2));
    let points = Points::from_rows(2, [point.as_slice()]);
    score
        .smooth()
        .unwrap()
        .values_and_gradients(points.matrix(), &mut values, gradients.as_mut());
    assert!((values[0] - value(score, point)).abs() < 1e-9 * (1.0 + values[0].abs()));
    for axis in 0..2 {
        let step = 1e-6;
        let (mut more, mut less) = (point, point);
        more[axis] += step;
        less[axis] -= step;
        let slope = (value(score, more) - value(score, less)) / (2.0 * step);
        let ours = gradients[(0, axis)];
        assert!((slope - ours).abs() < 1e-4 * (1.0 + slope.abs()), "{slope} {ours}");
    }
}

#[test]
fn without_limits_every_role_leaves_the_score_as_it_is() {
    let plain = value(
        bound(&Kind::default(), &LogEi::default(), vec![], [0.0; 3])
            .unwrap()
            .as_ref(),
        [0.3, 0.3],
    );
    for name in ["auto", "probability", "likely", "optimistic"] {
        let role: Kind = serde_json::from_str(&format!("\"{name}\"")).unwrap();
        let score = bound(&role, &LogEi::default(), vec![], [0.0; 3]).unwrap();
        assert!((value(score.as_ref(), [0.3, 0.3]) - plain).abs() < 1e-12, "{name}");
    }
}

#[test]
fn weighing_adds_the_logarithm_of_the_probability() {
    // P(stress <= 0) with mean 0.5 - x and deviation 0.1: at x = 0.5 it is one half.
    let stress = || limit("stress", plane(0.5, [-1.0, 0.0], 0.1), None, Some(0.0));
    let plain = bound(&Probability::default(), &LogEi::default(), vec![], [0.0; 3]).unwrap();
    let weighed = bound(&Probability::default(), &LogEi::default(), vec![stress()], [0.0; 3]).unwrap();
    let weight = |point| value(weighed.as_ref(), point) - value(plain.as_ref(), point);
    assert!((weight([0.5, 0.2]) - 0.5_f64.ln()).abs() < 1e-9);
    assert!(weight([0.9, 0.2]) > -1e-4 && weight([0.1, 0.2]) < -8.0);
    slopes_hold(weighed.as_ref(), [0.45, 0.3]);
}

#[test]
fn two_limits_of_one_output_are_kept_together() {
    let between = limit("temp", plane(0.0, [1.0, 0.0], 0.05), Some(0.4), Some(0.6));
    let score = bound(&Probability::default(), &LogEi::default(), vec![between], [1.0; 3]).unwrap();
    assert!(value(score.as_ref(), [0.5, 0.5]) > -0.1);
    for x in [0.01, 0.3, 0.7, 0.99] {
        assert!(value(score.as_ref(), [x, 0.5]) < -2.0, "{x}");
    }
    for x in [0.05, 0.39, 0.5, 0.62, 0.95] {
        slopes_hold(score.as_ref(), [x, 0.5]);
    }
}

#[test]
fn while_nothing_keeps_the_limits_their_probability_alone_counts() {
    let stress = limit("stress", plane(0.5, [-1.0, 0.0], 0.1), None, Some(0.0));
    let score = bound(
        &Probability::default(),
        &LogEi::default(),
        vec![stress],
        [0.1, 0.2, 0.3],
    )
    .unwrap();
    assert!((value(score.as_ref(), [0.5, 0.1]) - value(score.as_ref(), [0.5, 0.9])).abs() < 1e-12);
}

#[test]
fn weighing_refuses_a_score_that_is_no_logarithm_and_auto_cuts_it() {
    let stress = || limit("stress", plane(0.5, [-1.0, 0.0], 0.1), None, Some(0.0));
    let refused = bound(&Probability::default(), &Mean::default(), vec![stress()], [0.0; 3])
        .err()
        .unwrap();
    assert!(refused.to_string().contains("log-ei"), "{refused}");
    let cut = bound(&Kind::default(), &Mean::default(), vec![stress()], [0.0; 3]).unwrap();
    assert!(value(cut.as_ref(), [0.51, 0.9]) > value(cut.as_ref(), [0.49, 0.0]));
    assert!(
        value(cut.as_ref(), [0.4, 0.5]) > value(cut.as_ref(), [0.2, 0.5]),
        "the cut leads back"
    );
}

#[test]
fn a_point_that_keeps_limits_in_the_most_hopeful_view_passes_the_optimistic_cut() {
    let stress = limit("stress", plane(0.5, [-1.0, 0.0], 0.1), None, Some(0.0));
    let role = Optimistic {
        beta: Schedule::Constant { value: 4.0 },
        declares: false,
    };
    let score = bound(&role, &Mean::default(), vec![stress], [0.0; 3]).unwrap();
    // 0.5 - x - 2 * 0.1 <= 0 from x = 0.3 on.
    assert!(value(score.as_ref(), [0.31, 0.0]) > -1.0);
    assert!(value(score.as_ref(), [0.29, 0.0]) < -1e20);
    slopes_hold(score.as_ref(), [0.4, 0.3]);
}

#[test]
fn an_empty_optimistic_set_is_answered_as_the_method_says() {
    let stress = || limit("stress", plane(2.0, [-1.0, 0.0], 0.1), None, Some(0.0));
    let mut role = Optimistic::default();
    let score = bound(&role, &Mean::default(), vec![stress()], [1.0; 3]).unwrap();
    assert!(
        value(score.as_ref(), [0.9, 0.9]) > value(score.as_ref(), [0.1, 0.1]),
        "the least violation is aimed at"
    );
    role.declares = true;
    let declared = bound(&role, &Mean::default(), vec![stress()], [1.0; 3])
        .err()
        .unwrap()
        .to_string();
    assert!(declared.contains("declared infeasible: stress"), "{declared}");
}

#[test]
fn a_level_that_is_no_probability_is_refused() {
    let stress = limit("stress", plane(0.5, [-1.0, 0.0], 0.1), None, Some(0.0));
    let role = Likely { level: 1.5 };
    let error = bound(&role, &Mean::default(), vec![stress], [0.0; 3]).err().unwrap();
    assert!(error.to_string().contains("level = 1.5"));
}

#[test]
fn the_chance_of_independent_limits_is_the_product_of_theirs_and_a_failure_counts_once() {
    let limits = [
        limit("stress", plane(0.0, [1.0, 0.0], 0.5), None, Some(0.5)),
        limit(Limit::FAILURE, plane(-1.0, [0.0, 1.0], 1.0), None, Some(0.0)),
    ];
    let points = Points::from_rows(2, [[0.5, 1.0].as_slice(), &[0.0, 0.0]]);
    let chances = chance(&limits, points.matrix());
    // Φ(0)² at the first point, Φ(1)² at the second.
    let expected = [0.25, 0.841_344_746_068_542_9_f64.powi(2)];
    assert!(
        chances.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12),
        "{chances:?}"
    );
    assert_eq!(chance(&[], points.matrix()), [1.0, 1.0]);
}
