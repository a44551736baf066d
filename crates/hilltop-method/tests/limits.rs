//! What holds of methods where there are limits and failures.

#![allow(clippy::unwrap_used)]

use std::cell::RefCell;
use std::sync::Arc;

use hilltop_core::{Expression, Goal, History, Output, Parameter, Proposer, Rng, Space};
use hilltop_method::Recipe;
use hilltop_problem::{Noisy, Problem, registry as problems};
use serde_json::{Value, json};

/// What becomes of an encoded point; `None` is a failure.
type BlackBox<'a> = &'a dyn Fn(&[f64]) -> Option<Vec<f64>>;

fn within(name: &str, min: Option<f64>, max: Option<f64>) -> Output {
    Output {
        name: name.into(),
        goal: Goal::Within { min, max },
    }
}

fn objective() -> Output {
    Output {
        name: "f".into(),
        goal: Goal::Minimize,
    }
}

fn begin(method: &Value, space: &Arc<Space>, outputs: &[Output], seed: u64) -> (Box<dyn Proposer>, History) {
    let outputs: Arc<[Output]> = outputs.into();
    let proposer = Recipe::parse(method).unwrap().build(space, &outputs).unwrap();
    (proposer, History::new(Arc::clone(space), outputs, seed))
}

/// Proposes and settles so many points.
fn run(proposer: &mut dyn Proposer, history: &mut History, count: usize, f: BlackBox<'_>) -> Vec<Vec<f64>> {
    let mut points = Vec::new();
    for _ in 0..count {
        let trial = history.next_trial();
        let query = proposer.propose(history, 1).unwrap().remove(0);
        query.memory.into_iter().for_each(|memory| history.remember(memory));
        match f(&query.point) {
            Some(values) => {
                let wanted = |k: usize| query.outputs.is_empty() || query.outputs.contains(&k);
                let seen = values.iter().enumerate().map(|(k, value)| wanted(k).then_some(*value));
                history.observe_some(trial, &query.point, &seen.collect::<Vec<_>>());
            }
            None => history.fail(trial, query.point.clone(), "crashed"),
        }
        points.push(query.point);
    }
    points
}

/// The best objective among results that keep the limits, and the number of failures.
fn reached(name: &str, method: &Value, budget: u64, seed: u64) -> (f64, usize) {
    let problem = problems::lookup(name).unwrap();
    let bounds = problem.bounds();
    let space = Arc::new(Space::of_box(&bounds).unwrap());
    let outputs: Vec<Output> = problem
        .outputs()
        .into_iter()
        .map(|output| {
            output
                .max
                .map_or_else(objective, |max| within(&output.name, None, Some(max)))
        })
        .collect();
    let (mut proposer, history) = begin(method, &space, &outputs, seed);
    let mut history = history.with_budget(Some(budget));
    let f = |point: &[f64]| {
        let x: Vec<f64> = point
            .iter()
            .zip(&bounds)
            .map(|(u, (low, high))| low + u * (high - low))
            .collect();
        problem.evaluate(&x).ok()
    };
    run(proposer.as_mut(), &mut history, budget as usize, &f);
    let kept = (0..history.len()).filter(|&index| history.violation(index) <= 0.0);
    let best = kept
        .map(|index| history.objective()[index])
        .fold(f64::INFINITY, f64::min);
    (best, history.failures().len())
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

#[test]
fn auto_finds_the_optimum_beside_a_crash_and_wastes_little() {
    let runs: Vec<(f64, usize)> = (0..5)
        .map(|seed| reached("crash-corner", &json!("auto"), 60, seed))
        .collect();
    assert!(median(runs.iter().map(|run| run.0).collect()) < 0.72, "{runs:?}");
    assert!(
        median(runs.iter().map(|run| run.1 as f64).collect()) <= 27.0,
        "{runs:?}"
    );
}

#[test]
fn auto_finds_the_small_island_of_gardner() {
    let found: Vec<f64> = (0..3)
        .map(|seed| reached("gardner", &json!("auto"), 60, seed).0)
        .collect();
    assert!(median(found.clone()) < 0.26, "{found:?}");
}

#[test]
fn every_method_for_limits_finds_the_minimum_of_branin_within_a_circle() {
    for method in ["neural-cbo", "c-ei", "config-opt", "ucb-c"] {
        let found: Vec<f64> = (0..3)
            .map(|seed| reached("branin-constrained", &json!(method), 45, seed).0)
            .collect();
        assert!(median(found.clone()) < 0.41, "{method}: {found:?}");
    }
}

#[test]
fn the_alternation_of_multipliers_finds_the_minimum_of_branin_within_a_circle() {
    let found: Vec<f64> = (0..5)
        .map(|seed| reached("branin-constrained", &json!("admmbo"), 50, seed).0)
        .collect();
    assert!(median(found.clone()) < 0.45, "{found:?}");
}

#[test]
fn with_single_queries_few_outputs_are_asked_for_and_the_answer_is_whole() {
    for (method, bound) in [("ucb-c", 0.42), ("admmbo", 0.6)] {
        let method = json!({ "name": method, "queries": "single" });
        let found: Vec<f64> = (0..3)
            .map(|seed| reached("branin-constrained", &method, 60, seed).0)
            .collect();
        assert!(median(found.clone()) < bound, "{method}: {found:?}");
    }
}

#[test]
fn a_single_query_asks_for_the_output_that_decides() {
    let space = Arc::new(Space::unit_box(1));
    let method = json!({ "name": "ucb-c", "queries": "single", "design": { "count": 6 } });
    let outputs = [
        objective(),
        within("flat", None, Some(1.0)),
        within("edge", None, Some(0.0)),
    ];
    let (mut proposer, mut history) = begin(&method, &space, &outputs, 5);
    let mut asked = [0_usize; 3];
    for _ in 0..30 {
        let trial = history.next_trial();
        let query = proposer.propose(&history, 1).unwrap().remove(0);
        let x = query.point[0];
        let values = [x, 0.001 * x, 0.6 - x - 0.2 * (12.0 * x).sin()];
        assert_eq!(
            query.outputs.len(),
            usize::from(trial >= 6),
            "after the design one output at a time"
        );
        let seen = [0, 1, 2].map(|k| (query.outputs.is_empty() || query.outputs.contains(&k)).then_some(values[k]));
        query.outputs.iter().for_each(|&output| asked[output] += 1);
        history.observe_some(trial, &query.point, &seen);
    }
    assert!(
        asked[2] > asked[1],
        "a limit that is nowhere near is asked for least: {asked:?}"
    );
    let best = history.best().unwrap();
    assert!(
        history.violation(best) <= 0.0,
        "the answer was seen whole and keeps its limits"
    );
}

#[test]
fn where_no_point_can_keep_the_limits_the_worst_is_asked_for_alone() {
    let space = Arc::new(Space::unit_box(1));
    let method = json!({ "name": "ucb-c", "queries": "single", "design": { "count": 8 } });
    let outputs = [
        objective(),
        within("near", None, Some(0.0)),
        within("far", None, Some(0.0)),
    ];
    let (mut proposer, mut history) = begin(&method, &space, &outputs, 5);
    for trial in 0..8 {
        let x = (trial as f64 + 0.5) / 8.0;
        history.observe(trial, &[x], &[x, 0.3 + 0.2 * (3.0 * x).sin(), 50.0 + (4.0 * x).cos()]);
    }
    assert_eq!(proposer.propose(&history, 1).unwrap()[0].outputs, [2]);
}

#[test]
fn settings_that_make_no_sense_are_refused_by_name() {
    let outputs: Arc<[Output]> = [objective(), within("c", None, Some(0.0))].into();
    let refusal = |method: Value| {
        let checked =
            Recipe::parse(&method).and_then(|recipe| recipe.check(&Arc::new(Space::unit_box(2)), &outputs, None));
        checked.unwrap_err().to_string()
    };
    for (method, expected) in [
        (
            json!({ "name": "admmbo", "penalty": 0.0 }),
            "penalty = 0 is not allowed",
        ),
        (
            json!({ "name": "admmbo", "barrier": -3 }),
            "barrier = -3 is not allowed",
        ),
        (json!({ "name": "admmbo", "objective-steps": 0 }), "objective-steps = 0"),
        (json!({ "name": "admmbo", "limit-steps": 0 }), "limit-steps = 0"),
        (json!({ "name": "ucb-c", "queries": "some" }), "unknown variant `some`"),
        (
            json!({ "name": "ucb-c", "queries": "single", "transform": "rank" }),
            "transform = \"rank\"",
        ),
        (
            json!({ "name": "ucb-c", "beta": { "name": "constant", "value": -1.0 } }),
            "beta.value = -1",
        ),
        (
            json!({ "name": "lin-ucb", "beta": "paper" }),
            "beta = paper needs information",
        ),
        (
            json!({ "name": "neural-cbo", "training": "one-pass" }),
            "mean = \"kernel\" is not allowed",
        ),
        (
            json!({ "name": "neural-cbo", "training": "one-pass", "mean": "trained" }),
            "width = infinite is not allowed",
        ),
        (
            json!({ "name": "neural-cbo", "training": { "name": "one-pass", "rate": -1.0 }, "mean": "trained", "width": 64 }),
            "rate",
        ),
        (json!({ "name": "neural-cbo", "training": "twice" }), "twice"),
    ] {
        let found = refusal(method);
        assert!(found.contains(expected), "{found}");
    }
}

#[test]
fn the_papers_networks_search_and_count_every_observation_once() {
    let space = Arc::new(Space::unit_box(2));
    let recipe = serde_json::to_value(Recipe::NeuralCbo(hilltop_method::NeuralCbo::paper(40))).unwrap();
    let outputs = [objective(), within("c", None, Some(0.0))];
    let f = |x: &[f64]| Some(vec![(x[0] - 0.7).powi(2) + x[1], 0.3 - x[1]]);
    let (mut proposer, mut history) = begin(&recipe, &space, &outputs, 1);
    run(proposer.as_mut(), &mut history, 25, &f);
    let (mut fresh, mut again) = begin(&recipe, &space, &outputs, 1);
    run(fresh.as_mut(), &mut again, 25, &f);
    assert_eq!(history.points().matrix(), again.points().matrix());
    assert!(history.best().is_some_and(|best| history.violation(best) <= 0.0));
}

#[test]
fn the_alternation_goes_on_where_it_stopped() {
    let space = Arc::new(Space::unit_box(2));
    let outputs = [objective(), within("c", None, Some(0.0)), within("d", Some(0.1), None)];
    let f = |x: &[f64]| Some(vec![x[0] + x[1], 0.6 - x[0] - x[1] * x[1], x[1]]);
    for queries in ["all", "single"] {
        let method = json!({ "name": "admmbo", "queries": queries });
        let (mut proposer, mut history) = begin(&method, &space, &outputs, 2);
        run(proposer.as_mut(), &mut history, 30, &f);
        let next = proposer.propose(&history, 1).unwrap().remove(0);
        let (mut fresh, _) = begin(&method, &space, &outputs, 2);
        assert_eq!(
            next,
            fresh.propose(&history, 1).unwrap().remove(0),
            "all there is to know is in the history"
        );
        assert!(
            history
                .memory()
                .is_some_and(|memory| memory["admm"]["penalty"].is_number())
        );
    }
}

#[test]
fn auto_reaches_the_edge_of_several_limits_to_many_digits() {
    let found: Vec<f64> = (0..3)
        .map(|seed| reached("branin-constrained", &json!("auto"), 50, seed).0)
        .collect();
    assert!(median(found.clone()) < 0.397_887_36 + 1e-6, "{found:?}");
}

#[test]
fn coordinates_that_are_learnt_bring_a_function_over_orders_of_magnitude_closer() {
    let [learnt, given] = [true, false].map(|warp| {
        let method = json!({ "name": "auto", "warp": warp });
        let found = (0..5).map(|seed| reached("gas-transmission", &method, 50, seed).0);
        median(found.collect()) - 2_964_895.4
    });
    assert!(learnt < 1.2e5 && learnt < 0.6 * given, "{learnt} {given}");
}

#[test]
fn amid_noise_auto_finds_the_valley_and_does_not_settle_on_a_lucky_point() {
    let problem = Noisy::new(problems::lookup("branin-constrained").unwrap(), 0.05).unwrap();
    let bounds = problem.bounds();
    let space = Arc::new(Space::of_box(&bounds).unwrap());
    let outputs = [objective(), within("c", None, Some(0.0))];
    let physical = |point: &[f64]| -> Vec<f64> {
        let place = point.iter().zip(&bounds);
        place.map(|(u, (low, high))| low + u * (high - low)).collect()
    };
    let mut gaps = Vec::new();
    for seed in 0..3 {
        let (mut proposer, history) = begin(&json!("auto"), &space, &outputs, seed);
        let mut history = history.with_budget(Some(50)).with_noise(true);
        let errors = RefCell::new(Rng::new(seed));
        let f = |point: &[f64]| problem.observe(&physical(point), &mut errors.borrow_mut()).ok();
        let points = run(proposer.as_mut(), &mut history, 50, &f);
        let mut late: Vec<&[f64]> = points[30..].iter().map(Vec::as_slice).collect();
        late.sort_by(|a, b| a[0].total_cmp(&b[0]));
        late.dedup_by(|a, b| a.iter().zip(b.iter()).all(|(a, b)| (a - b).abs() < 1e-6));
        assert!(late.len() > 10, "{} of the last 20 points differ", late.len());
        let truths = points.iter().map(|point| problem.evaluate(&physical(point)).unwrap());
        let kept = truths.filter(|truth| truth[1] <= 0.0).map(|truth| truth[0]);
        gaps.push(kept.fold(f64::INFINITY, f64::min) - 0.397_887_36);
    }
    assert!(median(gaps.clone()) < 0.5, "{gaps:?}");
}

#[test]
fn amid_noise_auto_compares_options_to_the_end() {
    let parameters = vec![
        Parameter::float("x", 0.5, 8.0),
        Parameter::float("y", 0.5, 8.0),
        Parameter::choice("kind", ["a", "b"]),
    ];
    let space = Arc::new(Space::new(parameters, Vec::new()).unwrap());
    let outputs = [objective(), within("stress", None, Some(0.0))];
    let is_dear = |point: &[f64]| space.decode(point).text("kind").unwrap() == "b";
    for seed in 0..3 {
        let (mut proposer, history) = begin(&json!("auto"), &space, &outputs, seed);
        let mut history = history.with_budget(Some(50)).with_noise(true);
        let errors = RefCell::new(Rng::new(seed));
        let f = |point: &[f64]| {
            let given = space.decode(point);
            let (x, y) = (given.number("x").unwrap(), given.number("y").unwrap());
            let dear = if is_dear(point) { 0.5 } else { 0.0 };
            let mut errors = errors.borrow_mut();
            let cost = (x - 4.0).powi(2) + (y - 2.0).powi(2) + dear + 0.3 * errors.normal();
            (x + y <= 11.0).then(|| vec![cost, x * y - 6.0 + 0.2 * errors.normal()])
        };
        let points = run(proposer.as_mut(), &mut history, 50, &f);
        let dear = points[30..].iter().filter(|point| is_dear(point)).count();
        assert!(dear < 20, "seed {seed}: the last twenty are all of the dear kind");
    }
}

#[test]
fn amid_noise_what_is_recommended_is_not_the_lucky_observation() {
    let space = Arc::new(Space::unit_box(1));
    let (mut proposer, history) = begin(&json!("auto"), &space, &[objective()], 1);
    let mut history = history.with_noise(true);
    let mut errors = Rng::new(4);
    for trial in 0..40_u32 {
        let x = f64::from(trial % 20) / 19.0;
        let lucky = if trial == 38 { 1.2 } else { 0.0 };
        let value = 4.0 * (x - 0.4).powi(2) + 0.2 * errors.normal() - lucky;
        history.observe(trial.into(), &[x], &[value]);
    }
    assert_eq!(history.best(), Some(38));
    let chosen = proposer.recommend(&history).unwrap().unwrap();
    let (mean, deviation) = chosen.believed.unwrap();
    assert!((chosen.point[0] - 0.4).abs() < 0.2, "{chosen:?}");
    assert!(mean.abs() < 0.2 && deviation < 0.2, "{chosen:?}");
}

#[test]
fn a_region_of_failures_beside_the_minimum_is_left_alone_by_every_composed_method() {
    let space = Arc::new(Space::unit_box(2));
    let f = |x: &[f64]| (x[0] > 0.4).then(|| vec![(x[0] - 0.55).powi(2) + (x[1] - 0.3).powi(2)]);
    for method in ["auto", "neural-bo", "gp-ei", "gp-ucb", "gp-ts"] {
        let (mut proposer, mut history) = begin(&json!(method), &space, &[objective()], 2);
        run(proposer.as_mut(), &mut history, 40, &f);
        let late = history.failures().iter().filter(|failure| failure.trial >= 20).count();
        assert!(late <= 8, "{method}: {late} of the last 20 fail");
    }
}

#[test]
fn failures_that_say_nothing_of_the_point_are_not_learnt() {
    let space = Arc::new(Space::unit_box(2));
    let (mut proposer, mut history) = begin(&json!("gp-ei"), &space, &[objective()], 2);
    run(proposer.as_mut(), &mut history, 12, &|x| Some(vec![x[0] + x[1]]));
    let mut lost = history.clone();
    let before = proposer.propose(&history, 1).unwrap().remove(0).point;
    lost.lose(12, vec![0.9, 0.9], "killed by signal 9");
    assert!(lost.verdicts().is_none());
    history.fail(12, before.clone(), "exit code 1");
    let after = proposer.propose(&history, 1).unwrap().remove(0).point;
    assert!(history.verdicts().is_some() && after != before);
}

#[test]
fn where_nothing_succeeds_the_design_goes_on() {
    let space = Arc::new(Space::unit_box(2));
    let (mut proposer, mut history) = begin(&json!("auto"), &space, &[objective()], 3);
    let points = run(proposer.as_mut(), &mut history, 40, &|_| None);
    let apart = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    let closest = (0..40)
        .flat_map(|i| (0..i).map(move |j| (i, j)))
        .map(|(i, j)| apart(&points[i], &points[j]));
    assert!(closest.fold(f64::INFINITY, f64::min) > 0.01);
}

#[test]
fn no_feasible_point_anywhere_leads_to_the_least_violation_or_to_a_declaration() {
    let space = Arc::new(Space::unit_box(2));
    let outputs = [objective(), within("c", None, Some(-1.0))];
    let f = |x: &[f64]| Some(vec![x[0], (x[0] - 0.3).powi(2) + (x[1] - 0.6).powi(2)]);
    let (mut proposer, history) = begin(&json!("auto"), &space, &outputs, 3);
    let mut history = history.with_budget(Some(40));
    run(proposer.as_mut(), &mut history, 40, &f);
    let best = history.points().row(history.best().unwrap()).to_vec();
    assert!((best[0] - 0.3).abs() < 0.05 && (best[1] - 0.6).abs() < 0.05, "{best:?}");
    let (mut declaring, mut history) = begin(&json!("config-opt"), &space, &outputs, 3);
    let error = loop {
        let trial = history.next_trial();
        assert!(trial < 60, "nothing is declared");
        match declaring.propose(&history, 1) {
            Ok(mut queries) => {
                let point = queries.remove(0).point;
                let values = f(&point).unwrap();
                history.observe(trial, &point, &values);
            }
            Err(error) => break error.to_string(),
        }
    };
    assert!(error.contains("declared infeasible: c"), "{error}");
}

#[test]
fn odd_limits_have_a_defined_behaviour() {
    let space = Arc::new(Space::unit_box(2));
    let f = |x: &[f64]| (x[0] - 0.7).powi(2) + (x[1] - 0.2).powi(2);
    let constant = |x: &[f64]| Some(vec![f(x), 0.5]);
    let equal = |x: &[f64]| Some(vec![f(x), f(x)]);
    // A constant that breaks its limit, one that keeps it, the objective itself below and above a level, and limits that
    // exclude each other.
    let cases: [(Option<f64>, Option<f64>, BlackBox<'_>); 5] = [
        (None, Some(0.0), &constant),
        (None, Some(1.0), &constant),
        (None, Some(0.01), &equal),
        (Some(0.2), None, &equal),
        (Some(1.0), Some(0.0), &equal),
    ];
    for (min, max, black_box) in cases {
        let (mut proposer, history) = begin(&json!("auto"), &space, &[objective(), within("c", min, max)], 1);
        let mut history = history.with_budget(Some(24));
        run(proposer.as_mut(), &mut history, 24, black_box);
        let best = history.best().unwrap();
        if (min, max) == (Some(0.2), None) {
            assert!(history.violation(best) <= 0.0 && history.objective()[best] < 0.25);
        }
    }
}

/// A study with a limit and failures over a space with known constraints: a thousand suggestions keep them all.
fn keeps(parameters: Vec<Parameter>, known: &[&str], check: &dyn Fn(&[f64]) -> bool) {
    let known = known.iter().map(|text| Expression::parse(text).unwrap()).collect();
    let space = Arc::new(Space::new(parameters, known).unwrap());
    let outputs = [objective(), within("c", None, Some(0.5))];
    let method = json!({ "name": "compose", "maximiser": { "name": "pool", "points": 40, "near": 20 } });
    let (mut proposer, mut history) = begin(&method, &space, &outputs, 4);
    let settle = |x: &[f64]| (x[0] < 0.8).then(|| vec![x.iter().sum(), x[0]]);
    run(proposer.as_mut(), &mut history, 30, &settle);
    for _ in 0..10 {
        for query in proposer.propose(&history, 97).unwrap() {
            let values = space.decode(&query.point);
            let numbers: Vec<f64> = values.iter().filter_map(|(_, value)| value.number()).collect();
            assert!(check(&numbers), "{numbers:?}");
            assert!(space.satisfies(&query.point));
        }
        run(proposer.as_mut(), &mut history, 1, &settle);
    }
}

fn floats(count: usize, low: f64, high: f64) -> Vec<Parameter> {
    (1..=count)
        .map(|k| Parameter::float(format!("x{k}"), low, high))
        .collect()
}

#[test]
fn known_constraints_hold_for_a_thousand_suggestions_among_limits_and_failures() {
    let ordered = |x: &[f64]| x.windows(2).all(|pair| pair[0] <= pair[1]);
    keeps(
        floats(5, 0.0, 1.0),
        &["x1 <= x2", "x2 <= x3", "x3 <= x4", "x4 <= x5"],
        &ordered,
    );
    let simplex = |x: &[f64]| (x.iter().sum::<f64>() - 1.0).abs() <= 1e-9;
    keeps(floats(4, 0.0, 1.0), &["x1 + x2 + x3 + x4 == 1"], &simplex);
    keeps(floats(2, 0.0, 10.0), &["x1 * x2 <= 3"], &|x| x[0] * x[1] <= 3.0 + 1e-9);
    let radius = |x: &[f64]| x[0].hypot(x[1]);
    let annulus = ["x1^2 + x2^2 <= 1", "x1^2 + x2^2 >= 0.81"];
    keeps(floats(2, -1.0, 1.0), &annulus, &|x| {
        (0.9 - 1e-9..=1.0 + 1e-9).contains(&radius(x))
    });
    let squares: Vec<String> = (1..=10).map(|k| format!("x{k}^2")).collect();
    let ball = format!("{} <= 0.36", squares.join(" + "));
    let inside = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>() <= 0.36 + 1e-9;
    keeps(floats(10, -1.0, 1.0), &[&ball], &inside);
}
