//! Limits and failures from the study file to the answer: violation budgets, failures, and limits that nobody can keep.

#![allow(clippy::unwrap_used)]

mod support;

use serde_json::{Value, json};
use support::Desk;

/// A study of two parameters in the unit square, evaluated by a shell script with `x` and `y` as arguments.
fn study(head: &str, outputs: &str, constraints: &str, evaluate: &str, script: &str) -> Desk {
    let desk = Desk::with(&format!(
        "{head}\n[parameters]\nx = {{ float = [0, 1] }}\ny = {{ float = [0, 1] }}\n[outputs]\n{outputs}\n\
         [constraints]\n{constraints}\n[evaluate]\ncommand = [\"awk\", \"-f\", \"f.awk\", \"{{x}}\", \"{{y}}\"]\n{evaluate}\n"
    ));
    desk.write("f.awk", format!("BEGIN {{ x = ARGV[1]; y = ARGV[2]; {script} }}\n"));
    desk
}

fn outputs(trial: &Value, name: &str) -> Option<f64> {
    trial["outputs"][name].as_f64()
}

const LIMITED: &str = "f = { minimize = true }\nc = { max = 0 }";

/// The minimum lies at the edge of the limit.
const EDGE: &str =
    r#"printf "{\"f\": %.12g, \"c\": %.12g}\n", (x - 0.9) ^ 2 + (y - 0.5) ^ 2, x + 0.2 * sin(6 * y) - 0.6"#;

#[test]
fn the_share_of_violations_keeps_to_the_budget_over_a_run() {
    for method in ["auto", "neural-cbo"] {
        let head = format!("budget = 50\nmethod = \"{method}\"\nseed = 3");
        let desk = study(&head, LIMITED, "max_violation = 0.1", "", EDGE);
        desk.hilltop(&["run", "study.toml", "--quiet"]).ok();
        let trials = desk.trials();
        let beyond = |trials: &[Value]| {
            let values = trials.iter().filter_map(|trial| outputs(trial, "c"));
            values.filter(|value| *value > 0.0).count()
        };
        let (design, later) = (beyond(&trials[..10]), beyond(&trials[10..]));
        assert!(
            later <= 4,
            "{method}: {later} of 40, after {design} of 10 in the design"
        );
        let shown = desk.hilltop(&["show", "study.toml", "--last", "0"]).ok();
        assert!(shown.contains("of 10 % granted"), "{shown}");
        let best = desk.hilltop(&["best", "study.toml", "--json"]).json();
        assert!(outputs(&best["best"], "f").unwrap() < 0.06, "{method}: {best}");
    }
}

#[test]
fn without_any_allowance_and_with_a_feasible_start_the_search_stays_safe() {
    let head = "budget = 30\nmethod = { name = \"auto\", design = { count = 2 } }\nseed = 1";
    let desk = study(head, LIMITED, "max_violation = 0", "", EDGE);
    let lines: Vec<String> = [
        (0.1, 0.2),
        (0.2, 0.8),
        (0.3, 0.5),
        (0.05, 0.6),
        (0.15, 0.95),
        (0.25, 0.05),
    ]
    .iter()
    .map(|(x, y): &(f64, f64)| {
        let (f, c) = ((x - 0.9).powi(2) + (y - 0.5).powi(2), x + 0.2 * (6.0 * y).sin() - 0.6);
        json!({ "add": { "parameters": { "x": x, "y": y }, "outputs": { "f": f, "c": c } } }).to_string()
    })
    .collect();
    desk.feed(&["session", "study.toml"], lines.join("\n")).ok();
    desk.hilltop(&["run", "study.toml", "--quiet"]).ok();
    let trials = desk.trials();
    let searched: Vec<&Value> = trials.iter().filter(|trial| trial["added"].is_null()).skip(2).collect();
    let beyond = searched
        .iter()
        .filter(|trial| outputs(trial, "c").unwrap() > 0.0)
        .count();
    assert!(beyond <= 1, "{beyond} of {} beyond the limit", searched.len());
    let best = desk.hilltop(&["best", "study.toml", "--json"]).json();
    assert!(
        outputs(&best["best"], "f").unwrap() < 0.36,
        "safe, and still better than the start: {best}"
    );
}

/// Half of the square crashes.
const CRASH: &str = r#"if (x > 0.5) { print "no mesh" > "/dev/stderr"; exit 3 } print (x - 0.6) ^ 2 + (y - 0.3) ^ 2"#;

#[test]
fn failures_are_learnt_ignored_or_the_end() {
    let cost = "f = { minimize = true }";
    let failures = |word: &str| {
        let desk = study(
            "budget = 40\nseed = 2",
            cost,
            "",
            &format!("on_failure = \"{word}\""),
            CRASH,
        );
        let said = desk.hilltop(&["run", "study.toml", "--quiet"]);
        (said, desk.trials())
    };
    let late = |trials: &[Value]| trials[15..].iter().filter(|trial| trial["state"] == "failed").count();
    let (learnt, ignored) = (failures("learn").1, failures("ignore").1);
    assert!(late(&learnt) <= 12, "learnt: {} of the last 25 fail", late(&learnt));
    assert!(
        late(&ignored) > late(&learnt),
        "nothing is concluded: {} against {}",
        late(&ignored),
        late(&learnt)
    );
    let (said, trials) = failures("abort");
    assert_eq!(said.code, 1);
    assert!(
        said.err.contains("exit code 3") && said.err.contains("no mesh"),
        "{said:?}"
    );
    let failed = trials.iter().position(|trial| trial["state"] == "failed");
    assert_eq!(failed, Some(trials.len() - 1), "the first failure is the last trial");
}

#[test]
fn a_search_that_starts_without_a_feasible_point_finds_one() {
    let small = r#"printf "{\"f\": %.12g, \"c\": %.12g}\n", x, (x - 0.8) ^ 2 + (y - 0.75) ^ 2 - 0.004"#;
    for method in ["auto", "neural-cbo", "c-ei", "config-opt", "ucb-c", "admmbo"] {
        let head = format!("budget = 40\nmethod = \"{method}\"\nseed = 5");
        let desk = study(&head, LIMITED, "", "", small);
        desk.hilltop(&["run", "study.toml", "--quiet"]).ok();
        let trials = desk.trials();
        assert!(
            trials[..5].iter().all(|trial| outputs(trial, "c").unwrap() > 0.0),
            "{method}"
        );
        let best = desk.hilltop(&["best", "study.toml", "--json"]).json();
        // Optimism may stop a rounding outside.
        assert!(outputs(&best["best"], "c").unwrap() <= 1e-6, "{method}: {best}");
    }
}

#[test]
fn where_nothing_can_be_feasible_the_answer_says_so_and_which_limit() {
    let never = r#"printf "{\"f\": %.12g, \"c\": %.12g}\n", x, 1 + (x - 0.3) ^ 2 + (y - 0.6) ^ 2"#;
    let desk = study("budget = 25", LIMITED, "", "", never);
    let said = desk.hilltop(&["run", "study.toml"]).ok();
    assert!(
        said.contains("no trial keeps every limit; this one breaks them least"),
        "{said}"
    );
    assert!(
        said.contains("c: kept by no trial; the limit may be out of reach"),
        "{said}"
    );
    let desk = study("budget = 40\nmethod = \"config-opt\"", LIMITED, "", "", never);
    let said = desk.hilltop(&["run", "study.toml"]);
    assert_eq!(said.code, 1);
    assert!(
        said.err
            .contains("declared infeasible: c lies above its limit by at least"),
        "{said:?}"
    );
}

#[test]
fn two_outputs_that_contradict_each_other_are_named_in_the_end() {
    let outputs = "f = { minimize = true }\nlow = { max = 0.3 }\nhigh = { min = 0.6 }";
    let same = r#"printf "{\"f\": %.12g, \"low\": %.12g, \"high\": %.12g}\n", y, x, x"#;
    let desk = study("budget = 25", outputs, "", "", same);
    let said = desk.hilltop(&["run", "study.toml"]).ok();
    assert!(
        said.contains("low and high: each kept by some trial, both by none"),
        "{said}"
    );
    let crossed = desk.path("crossed.toml");
    let text = desk
        .read("study.toml")
        .replace("low = { max = 0.3 }", "low = { min = 2, max = 1 }");
    std::fs::write(crossed, text).unwrap();
    let said = desk.hilltop(&["check", "crossed.toml"]);
    assert_eq!(said.code, 2);
    assert!(
        said.err.contains("min = 2 is above max = 1: no value can keep both"),
        "{said:?}"
    );
}

#[test]
fn odd_limited_outputs_do_not_stop_a_run() {
    let constant = r#"printf "{\"f\": %.12g, \"c\": -1}\n", (x - 0.3) ^ 2 + y"#;
    let equal = r#"f = (x - 0.3) ^ 2 + y; printf "{\"f\": %.12g, \"c\": %.12g}\n", f, 0.2 - f"#;
    for method in ["auto", "neural-cbo", "c-ei", "config-opt", "ucb-c", "admmbo"] {
        let head = format!("budget = 25\nmethod = \"{method}\"");
        for (script, bound) in [(constant, 0.1), (equal, 0.35)] {
            let desk = study(&head, LIMITED, "", "", script);
            desk.hilltop(&["run", "study.toml", "--quiet"]).ok();
            let best = desk.hilltop(&["best", "study.toml", "--json"]).json();
            let best = &best["best"];
            assert!(outputs(best, "c").unwrap() <= 0.0, "{method}: {best}");
            assert!(outputs(best, "f").unwrap() < bound, "{method}: {best}");
        }
    }
}

#[test]
fn an_output_that_is_sometimes_missing_is_a_failure_that_is_learnt() {
    let missing =
        r#"if (x < 0.4) printf "{\"f\": %.12g}\n", x + y; else printf "{\"f\": %.12g, \"c\": %.12g}\n", x + y, -y"#;
    let desk = study("budget = 40", LIMITED, "", "", missing);
    desk.hilltop(&["run", "study.toml", "--quiet"]).ok();
    let trials = desk.trials();
    let failed: Vec<&Value> = trials.iter().filter(|trial| trial["state"] == "failed").collect();
    assert!(
        failed.iter().all(|trial| trial["reason"] == "output c is missing"),
        "{failed:?}"
    );
    let late = trials[15..].iter().filter(|trial| trial["state"] == "failed").count();
    assert!(!failed.is_empty() && late <= 12, "{late} of the last 25");
}

#[test]
fn single_outputs_are_asked_for_and_told() {
    let head = "budget = 30\nseed = 4\nmethod = { name = \"ucb-c\", queries = \"single\" }";
    let alone = r#"split(ENVIRON["HILLTOP_OUTPUTS"], w, ","); f = x + y; c = 0.5 - x * y * 2;
        if (w[1] == "f") print f; else if (w[1] == "c") printf "{\"c\": %.12g}\n", c; else printf "{\"f\": %.12g, \"c\": %.12g}\n", f, c"#;
    let desk = study(head, LIMITED, "", "", alone);
    let said = desk.hilltop(&["run", "study.toml"]).ok();
    let trials = desk.trials();
    let partial = trials
        .iter()
        .filter(|trial| trial["outputs"].as_object().unwrap().len() == 1)
        .count();
    assert!(partial >= 10, "{partial} of {} asked for one output", trials.len());
    assert!(!said.contains("no trial keeps"), "{said}");
    let best = desk.hilltop(&["best", "study.toml", "--json"]).json();
    assert_eq!(
        best["best"]["outputs"].as_object().unwrap().len(),
        2,
        "an answer is whole: {best}"
    );
    let report = desk.hilltop(&["report", "study.toml", "-o", "report.html"]);
    assert_eq!(report.code, 0, "{report:?}");
    let asked = desk.hilltop(&["ask", "study.toml", "--json"]).json();
    let asked = asked["trials"][0].clone();
    let wanted = asked["outputs"][0].as_str().unwrap();
    let other = if wanted == "f" { "c" } else { "f" };
    let trial = asked["trial"].to_string();
    let refused = desk.hilltop(&["tell", "study.toml", &trial, &format!("{other}=1")]);
    assert!(refused.code != 0 && refused.err.contains(wanted), "{refused:?}");
    desk.hilltop(&["tell", "study.toml", &trial, &format!("{wanted}=1")])
        .ok();
}

#[test]
fn a_program_that_never_starts_is_tried_again_and_not_learnt() {
    let cost = "f = { minimize = true }";
    let evaluate = "timeout = \"20s\"\nstart_timeout = \"200ms\"\nretries = 1";
    let mute = r#"while (1) system("sleep 1")"#;
    let desk = study("budget = 2", cost, "", evaluate, mute);
    let checked = desk.hilltop(&["check", "study.toml"]).ok();
    assert!(checked.contains("starts within"), "{checked}");
    let said = desk.hilltop(&["run", "study.toml", "--quiet"]);
    assert!(
        said.err.contains("did not start: nothing was printed within 0.2 s"),
        "{said:?}"
    );
    // The first attempt hangs, the second prints at once.
    let hesitant = r#"if (system("test -e tried") != 0) { system("touch tried; sleep 30") } print x"#;
    let desk = study("budget = 3", cost, "", evaluate, hesitant);
    desk.hilltop(&["run", "study.toml", "--quiet"]).ok();
    assert!(desk.trials().iter().all(|trial| trial["state"] == "complete"));
}
