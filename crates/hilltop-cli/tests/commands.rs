//! Every command as a user types it: what it prints, and with which code it ends.

#![allow(clippy::unwrap_used)]

mod support;

use std::io::Read;

use serde_json::{Value, json};
use support::{Desk, PLAIN};

const BRANIN: &str = "budget = 12\nseed = 4\n[evaluate]\nproblem = \"branin\"\n";

#[test]
fn a_new_file_checks_and_runs_and_is_not_overwritten() {
    let desk = Desk::new();
    assert!(desk.hilltop(&["init"]).ok().starts_with("wrote study.toml"));
    let checked = desk.hilltop(&["check", "study.toml"]).ok();
    for line in [
        "evaluation  built-in problem branin",
        "  x1  float  -5 to 10",
        "  f  as small as possible",
        "method auto",
    ] {
        assert!(checked.contains(line), "{line}: {checked}");
    }
    assert!(
        desk.hilltop(&["run", "study.toml", "--budget", "8"])
            .ok()
            .contains("best: trial")
    );
    let again = desk.hilltop(&["init"]);
    assert_eq!(
        (again.code, again.err.as_str()),
        (
            1,
            "error: study.toml exists already and is left as it is: name another file\n"
        )
    );
}

#[test]
fn check_evaluates_nothing_and_creates_nothing() {
    let desk = Desk::with(BRANIN);
    let checked = desk.hilltop(&["check", "study.toml", "--json"]).json();
    assert_eq!(checked["study"]["budget"], 12);
    assert_eq!(checked["settings"]["name"], "auto");
    assert_eq!(
        (checked["exists"].clone(), checked["warnings"].clone()),
        (json!(false), json!([]))
    );
    assert!(!desk.path("study.db").exists());
}

#[test]
fn check_writes_settings_as_a_study_file_does_and_breaks_them_over_lines() {
    let desk = Desk::with(BRANIN);
    let checked = desk.hilltop(&["check", "study.toml"]).ok();
    assert!(checked.contains("  descent    { width = 0.2, smallest = "), "{checked}");
    assert!(
        checked.contains("{ width = \"infinite\", activation = \"erf\""),
        "{checked}"
    );
    assert!(checked.lines().all(|line| line.chars().count() <= 100), "{checked}");
}

#[test]
fn check_warns_of_parameters_that_a_command_forgets() {
    let study = |command: &str| {
        format!(
            "budget = 3\n[parameters]\nx = {{ float = [0, 1] }}\nn = {{ int = [1, 3] }}\n[outputs]\ncost = {{ minimize = true }}\n\
             [evaluate]\ncommand = [\"echo\", {command}]\n"
        )
    };
    let warnings = |command: &str| {
        let checked = Desk::with(&study(command)).hilltop(&["check", "study.toml", "--json"]);
        checked.json()["warnings"].clone()
    };
    let forgotten = "evaluate.command names x but not n: the program finds all of them in HILLTOP_PARAMETERS";
    assert_eq!(warnings("\"{x}\""), json!([forgotten]));
    assert_eq!(warnings("\"{x}\", \"--n={n}\""), json!([]));
    assert_eq!(warnings("\"--from-environment\""), json!([]));
}

#[test]
fn check_shows_every_kind_of_parameter() {
    let desk = Desk::with(
        "parallel = 2\n[parameters]\nlength = { float = [20, 50] }\nratio = { float = [1e-4, 1], log = true }\n\
         angle = { float = [0, 90], step = 0.5 }\nblades = { int = [3, 12] }\nsteel = { choice = [\"s235\", \"duplex\"] }\n\
         grade = { ordered = [\"low\", \"high\"] }\ndamper = { float = [0, 1], when = \"steel == 'duplex'\" }\n\
         gap = { value = 3.5 }\n[outputs]\ncost = { maximize = true }\nstress = { max = 250 }\ntemp = { min = 20, max = 90 }\n\
         [constraints]\nknown = [\"length * ratio <= 32\"]\n",
    );
    let checked = desk.hilltop(&["check", "study.toml"]).ok();
    for line in [
        "evaluation  by you: ask and tell",
        "  ratio   float    0.0001 to 1, logarithmic",
        "  angle   float    0 to 90, in steps of 0.5",
        "  steel   choice   s235, duplex",
        "  damper  float    0 to 1, when steel == 'duplex'",
        "  gap     fixed    3.5",
        "  length * ratio <= 32",
        "  cost    as large as possible",
        "  stress  at most 250",
        "  temp    20 to 90",
    ] {
        assert!(checked.contains(line), "{line}: {checked}");
    }
}

#[test]
fn a_run_tells_every_trial_and_ends_with_the_answer() {
    let desk = Desk::with(BRANIN);
    let run = desk.hilltop(&["run", "study.toml"]);
    assert_eq!(run.err.lines().count(), 12, "{}", run.err);
    assert!(run.err.starts_with("trial 0: f = "), "{}", run.err);
    let out = run.ok();
    assert!(out.starts_with("the budget is spent: 12 evaluations in "), "{out}");
    assert!(out.contains("hilltop report study.toml -o report.html"), "{out}");
    let again = desk.hilltop(&["run", "study.toml"]).ok();
    assert!(
        again.starts_with("the budget is spent already: 0 evaluations"),
        "{again}"
    );
}

#[test]
fn a_run_says_which_limits_a_trial_breaks() {
    let desk = Desk::with(
        "budget = 3\nmethod = \"random\"\n[parameters]\nx = { float = [0, 1] }\n[outputs]\ncost = { minimize = true }\n\
         stress = { max = 2 }\n[evaluate]\ncommand = [\"sh\", \"-c\", \"echo '{{\\\"cost\\\": 1, \\\"stress\\\": '$((3 - {trial}))'}}'\"]\n",
    );
    let run = desk.hilltop(&["run", "study.toml"]);
    let told: Vec<&str> = run
        .err
        .lines()
        .filter_map(|line| line.rsplit_once(", "))
        .map(|(told, _)| told)
        .collect();
    let expected = [
        "trial 0: cost = 1 (beyond: stress = 3), none feasible yet",
        "trial 1: cost = 1, best 1 (trial 1)",
        "trial 2: cost = 1, best 1 (trial 1)",
    ];
    assert_eq!(told, expected, "{run:?}");
}

#[test]
fn amid_noise_the_point_that_the_model_believes_best_is_named_beside_the_best_result() {
    let desk = Desk::with(&format!("noisy = true\n{BRANIN}noise = 0.2\n"));
    desk.hilltop(&["run", "study.toml", "--quiet"]);
    let told = desk.hilltop(&["best", "study.toml", "--json"]).json();
    let recommended = &told["recommended"];
    assert!(recommended["predicted"]["f"]["sd"].is_number(), "{told}");
    let text = desk.hilltop(&["best", "study.toml"]).out;
    let differs = recommended["parameters"] != told["best"]["parameters"];
    let chosen = "the model's choice amid noise";
    assert_eq!(text.contains(chosen), differs, "{told}\n{text}");
    desk.hilltop(&["report", "study.toml", "-o", "report.html"]);
    let page = desk.read("report.html");
    assert_eq!(page.contains("choice amid noise, "), differs, "{told}");
    let exact = Desk::with(BRANIN);
    exact.hilltop(&["run", "study.toml", "--quiet"]);
    let told = exact.hilltop(&["best", "study.toml", "--json"]).json();
    assert!(told["recommended"].is_null(), "{told}");
}

#[test]
fn a_run_in_json_is_one_object_and_quiet_says_nothing_else() {
    let desk = Desk::with(BRANIN);
    let run = desk.hilltop(&["run", "study.toml", "--json", "--quiet"]);
    assert_eq!(run.err, "");
    let told = run.json();
    assert_eq!(
        (told["ended"].clone(), told["evaluated"].clone(), told["failed"].clone()),
        (json!("budget"), json!(12), json!(0))
    );
    assert_eq!(
        told["best"],
        desk.hilltop(&["best", "study.toml", "--json"]).json()["best"]
    );
    assert!(told["best"]["predicted"]["f"]["sd"].is_number());
}

#[test]
fn the_same_file_and_seed_give_the_same_suggestions() {
    let points = |workers: &str| {
        let desk = Desk::with(BRANIN);
        desk.hilltop(&["run", "study.toml", "--parallel", workers]).ok();
        desk.trials()
            .iter()
            .map(|trial| trial["parameters"].clone())
            .collect::<Vec<Value>>()
    };
    assert_eq!(points("1"), points("1"));
    assert_eq!(points("3"), points("3"));
}

#[test]
fn asking_and_telling_by_hand() {
    let desk = Desk::with(PLAIN);
    assert!(desk.hilltop(&["ask", "study.toml"]).ok().starts_with("trial 0: x = 0."));
    let asked = desk.hilltop(&["ask", "study.toml", "-n", "2", "--json"]).json();
    assert_eq!(
        (asked["trials"][0]["trial"].clone(), asked["trials"][1]["trial"].clone()),
        (json!(1), json!(2))
    );
    assert_eq!(
        desk.hilltop(&["tell", "study.toml", "0", "cost=-1.5e3"]).ok(),
        "told trial 0\n"
    );
    let told = desk
        .hilltop(&[
            "tell",
            "study.toml",
            "1",
            "--failed",
            "no mesh",
            "--seconds",
            "2",
            "--json",
        ])
        .json();
    assert_eq!(told, json!({ "told": { "trial": 1 } }));
    let trials = desk.trials();
    assert_eq!(
        (trials[0]["state"].clone(), trials[0]["outputs"].clone()),
        (json!("complete"), json!({ "cost": -1500.0 }))
    );
    assert_eq!(
        (trials[1]["state"].clone(), trials[1]["reason"].clone()),
        (json!("failed"), json!("no mesh"))
    );
    assert_eq!(trials[2]["state"], "running");
    assert!(
        desk.hilltop(&["best", "study.toml"])
            .ok()
            .starts_with("best: trial 0\n  cost  -1500")
    );
}

#[test]
fn a_session_is_the_line_protocol() {
    let desk = Desk::with(PLAIN);
    let input = "{\"ask\": 2}\n\n{\"tell\": {\"trial\": 0, \"outputs\": {\"cost\": 1.25}}}\nnonsense\n\
                 {\"tell\": {\"trial\": 1, \"failed\": \"mesh\"}}\n{\"add\": {\"parameters\": {\"x\": 0.5}, \"outputs\": {\"cost\": 1}}}\n{\"best\": true}\n";
    let out = desk.feed(&["session", "study.toml"], input).ok();
    let answers: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers[0]["trials"][1]["trial"], 1);
    assert_eq!(answers[1], json!({ "told": { "trial": 0 } }));
    assert_eq!(answers[2]["error"]["code"], "malformed");
    assert_eq!(answers[4], json!({ "told": { "trial": 2 } }));
    assert_eq!(answers[5]["best"]["parameters"], json!({ "x": 0.5 }));
}

#[test]
fn show_counts_feasible_trials_broken_limits_and_reasons_of_failures() {
    let limits =
        "[outputs]\nf = { minimize = true }\nc = { max = 0 }\nd = { min = 1 }\n[constraints]\nmax_violation = 0.1\n";
    let desk = Desk::with(&format!("budget = 9\n[parameters]\nx = {{ float = [0, 1] }}\n{limits}"));
    desk.hilltop(&["ask", "study.toml", "-n", "5"]).ok();
    let tell = |trial: &str, result: &[&str]| {
        let line = [&["tell", "study.toml", trial], result].concat();
        desk.hilltop(&line).ok();
    };
    let shown = || desk.hilltop(&["show", "study.toml", "--last", "0"]).ok();
    assert_eq!(shown(), "study: 5 of 9 trials, 0 complete, 0 failed, 5 under way\n");
    tell("0", &["f=1", "c=2", "d=0"]);
    tell("1", &["--failed", "no mesh"]);
    assert_eq!(
        shown(),
        "study: 5 of 9 trials, 1 complete, 1 failed, 3 under way\n\
         0 % feasible, 100 % of the results beyond limits of 10 % granted: c in 1, d in 1\n\
         1 failed: no mesh\n\
         none feasible yet; closest to it: f 1, trial 0\n"
    );
    tell("2", &["f=3", "c=-1", "d=2"]);
    tell("3", &["--failed", "too hot"]);
    tell("4", &["--failed", "too hot"]);
    assert_eq!(
        shown(),
        "study: 5 of 9 trials, 2 complete, 3 failed, 0 under way\n\
         20 % feasible, 50 % of the results beyond limits of 10 % granted: c in 1, d in 1\n\
         2 failed: too hot\n1 failed: no mesh\n\
         best feasible f 3, trial 2\n"
    );
    let stands = desk.hilltop(&["show", "study.toml", "--json"]).json();
    assert_eq!(
        (stands["feasible"].clone(), stands["violating"].clone()),
        (json!(1), json!(1))
    );
    assert_eq!(stands["violations"], json!({ "c": 1, "d": 1 }));
    assert_eq!(stands["reasons"], json!({ "no mesh": 1, "too hot": 2 }));
}

#[test]
fn show_lists_the_latest_trials_and_export_all() {
    let desk = Desk::with(BRANIN);
    desk.hilltop(&["run", "study.toml"]).ok();
    let shown = desk.hilltop(&["show", "study.toml", "--last", "3"]).ok();
    assert!(
        shown.starts_with("study: 12 of 12 trials, 12 complete, 0 failed, 0 under way\nbest f "),
        "{shown}"
    );
    assert_eq!(shown.lines().filter(|line| line.contains("complete  ")).count(), 3);
    assert!(shown.lines().all(|line| line.chars().count() <= 80));
    let stands = desk.hilltop(&["show", "study.toml", "--all", "--json"]).json();
    assert_eq!(
        (stands["complete"].clone(), stands["trials"].as_array().map(Vec::len)),
        (json!(12), Some(12))
    );
    let table = desk.hilltop(&["export", "study.toml"]).ok();
    assert!(
        table.starts_with("trial,state,x1,x2,f,seconds,reason\n0,complete,"),
        "{table}"
    );
    assert_eq!(table.lines().count(), 13);
    desk.hilltop(&["export", "study.toml", "--format", "csv", "-o", "trials.csv"])
        .ok();
    assert_eq!(desk.read("trials.csv"), table);
}

#[test]
fn a_report_is_written_also_of_a_study_without_results() {
    let desk = Desk::with(PLAIN);
    desk.hilltop(&["ask", "study.toml"]).ok();
    assert!(
        desk.hilltop(&["report", "study.toml"])
            .ok()
            .starts_with("wrote report.html")
    );
    assert!(desk.read("report.html").contains("No trial has been evaluated yet."));
}

#[test]
fn methods_and_problems_are_listed_with_their_sources() {
    let desk = Desk::new();
    let methods = desk.hilltop(&["methods"]).ok();
    assert!(methods.starts_with("name") && methods.contains("NeuralBO"), "{methods}");
    assert!(methods.lines().all(|line| line.chars().count() <= 80), "{methods}");
    let listed = desk.hilltop(&["methods", "--json"]).json();
    assert_eq!(listed["methods"][0]["name"], "auto");
    for method in listed["methods"].as_array().unwrap() {
        let name = method["name"].as_str().unwrap();
        assert!(methods.contains(&format!("\n{name} ")), "{name}");
        let texts = ["about", "paper", "needs", "batch"];
        assert!(
            texts.iter().all(|key| !method[key].as_str().unwrap().is_empty()),
            "{method}"
        );
        let stated = !["compose", "pinn-bo"].contains(&name);
        assert_eq!(method["seconds"].as_f64().is_some(), stated, "{method}");
    }
    let problems = desk.hilltop(&["problems"]).ok();
    assert!(
        problems.contains("bbob-f24-d<dim>-i<instance>") && problems.contains("Ackley 1987"),
        "{problems}"
    );
    assert!(problems.lines().all(|line| line.chars().count() <= 80));
    assert_eq!(
        desk.hilltop(&["problems", "branin", "--json"]).json()["problems"][0]["example"],
        "branin"
    );
}

#[test]
fn the_store_may_be_elsewhere() {
    let desk = Desk::with(PLAIN);
    desk.hilltop(&["ask", "study.toml", "--store", "other.db"]).ok();
    assert!(desk.path("other.db").exists() && !desk.path("study.db").exists());
    let shown = desk.hilltop(&["show", "study.toml", "--store", "sqlite:other.db"]).ok();
    assert!(shown.starts_with("study: 1 of 5 trials"), "{shown}");
}

#[test]
fn every_command_explains_itself() {
    let desk = Desk::new();
    let commands = [
        "run", "check", "init", "ask", "tell", "session", "best", "show", "export", "report", "methods", "problems",
        "bench",
    ];
    for command in commands {
        let help = desk.hilltop(&[command, "--help"]).ok();
        assert!(help.contains("Usage: hilltop ") && help.contains("hilltop"), "{help}");
        assert!(
            help.to_lowercase().contains("example") || help.contains("study file") || help.contains("One JSON"),
            "{help}"
        );
        let typed = |line: &&str| {
            ["  hilltop ", "  > ", "  < "]
                .iter()
                .any(|start| line.starts_with(start))
        };
        for line in help.lines().filter(typed) {
            assert!(line.chars().count() <= 80, "too wide for a terminal: {line}");
        }
    }
}

#[test]
fn a_reader_that_stops_reading_is_no_error() {
    let desk = Desk::with(PLAIN);
    desk.hilltop(&["ask", "study.toml"]).ok();
    for arguments in [
        &["problems"][..],
        &["export", "study.toml"],
        &["export", "study.toml", "--json"],
        &["show", "study.toml"],
    ] {
        let mut child = desk.command(arguments).spawn().unwrap();
        drop(child.stdout.take());
        let mut complaints = String::new();
        child.stderr.take().unwrap().read_to_string(&mut complaints).unwrap();
        assert_eq!(
            (child.wait().unwrap().code(), complaints.as_str()),
            (Some(0), ""),
            "{arguments:?}"
        );
    }
}

#[test]
fn check_says_how_the_physics_was_understood() {
    let physics = "[physics]\nequations = [\"d(f,x,x) = k*f\", \"grad(f)^2 = 1\"]\npoints = 50\nfunctions = { k = 2 }\n\
                   values = [{ at = \"x == 0\", f = 1 }]\n";
    let desk = Desk::with(&format!("{PLAIN}{physics}"));
    let checked = desk.hilltop(&["check", "study.toml"]).ok();
    for words in [
        "physics, 50 fixed points for each equation",
        "d(f,x,x) = k*f   linear, order 2",
        "grad(f)^2 = 1    not linear, order 1",
        "f = 1 at x == 0  linear, no derivative",
        "warning: the method random makes no use of [physics]",
    ] {
        assert!(checked.contains(words), "{words}\n{checked}");
    }
    let json = desk.hilltop(&["check", "study.toml", "--json"]).json();
    assert_eq!(json["study"]["physics"]["points"], 50);
}

#[test]
fn every_example_checks_and_runs() {
    let examples = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    for name in ["first", "program", "candidates", "heat", "beam"] {
        let desk = Desk::new();
        let study = examples.join(name).join("study.toml");
        let study = study.to_str().unwrap();
        desk.hilltop(&["check", study, "--store", "a.db"]).ok();
        let run = desk
            .hilltop(&["run", study, "--store", "a.db", "--json", "--quiet"])
            .json();
        assert_eq!(run["ended"], "budget", "{name}");
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_says_how_to_continue_and_does() {
    let desk = Desk::with(&format!(
        "{}[evaluate]\ncommand = [\"sh\", \"-c\", \"sleep 0.1; echo {{x}}\"]\n",
        PLAIN.replace("budget = 5", "budget = 30")
    ));
    let child = desk.command(&["run", "study.toml"]).spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(700));
    let id = child.id().to_string();
    assert!(
        std::process::Command::new("kill")
            .args(["-INT", &id])
            .status()
            .unwrap()
            .success()
    );
    let output = child.wait_with_output().unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{complaint}");
    assert!(
        complaint.ends_with("nothing is lost\n  continue with: hilltop run study.toml\n"),
        "{complaint}"
    );
    let told = desk
        .trials()
        .iter()
        .filter(|trial| trial["state"] == "complete")
        .count();
    assert!((1..29).contains(&told), "{told}");
    let rest = desk.hilltop(&["run", "study.toml", "--json", "--quiet"]).json();
    assert_eq!(rest["evaluated"], json!(30 - told));
}

#[test]
fn the_study_of_the_documentation_checks() {
    let page = include_str!("../../../docs/study-file.md");
    let study = page.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
    let desk = Desk::with(study);
    let checked = desk.hilltop(&["check", "study.toml"]).ok();
    assert!(
        checked.contains("study       compressor") && checked.contains("200 evaluations, 4 at once"),
        "{checked}"
    );
}
