//! File coupling: drivers as they are written for Dakota, run unmodified.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use hilltop_core::{Outcome, Parameters, Value};
use hilltop_study::{Stop, StudyFile};
use tempfile::TempDir;

/// Rosenbrock's function with a constraint, read by label and written in Fortran's way.
const DRIVER: &str = r#"#!/bin/sh
awk '$2 == "x1" { x = $1 } $2 == "x2" { y = $1 }
     END { printf "%.10e f\n", 100 * (y - x * x)^2 + (1 - x)^2; printf "%.6fD+00 g\n", x + y - 1 }' "$1" > "$2"
"#;

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    folder
}

/// What a trial at (0.5, 0.25) comes to; what `[evaluate]` says is given.
fn outcome(folder: &Path, evaluate: &str) -> Outcome {
    let text = format!(
        "budget = 1\n[parameters]\nx1 = {{ float = [-2, 2] }}\nx2 = {{ float = [-2, 2] }}\n\
         [outputs]\nf = {{ minimize = true }}\ng = {{ max = 0 }}\n[evaluate]\n{evaluate}\n"
    );
    let statement = StudyFile::new(folder.join("study.toml"), text).check().unwrap();
    let point = Parameters::from_iter([("x1", Value::Float(0.5)), ("x2", Value::Float(0.25))]);
    let evaluator = statement.evaluator().unwrap();
    evaluator.ready().unwrap();
    evaluator.evaluate(3, &point, &Stop::new()).unwrap().outcome
}

fn reason(outcome: Outcome) -> String {
    match outcome {
        Outcome::Failed(reason) => reason,
        Outcome::Outputs(values) => panic!("{values:?}"),
    }
}

fn expect(outcome: Outcome, f: f64, g: f64) {
    let Outcome::Outputs(values) = outcome else {
        panic!("{outcome:?}")
    };
    assert!(
        (values["f"] - f).abs() < 1e-9 && (values["g"] - g).abs() < 1e-6,
        "{values:?}"
    );
}

#[test]
fn a_driver_runs_in_a_directory_of_its_own_and_the_directory_goes() {
    let folder = folder(&[("driver.sh", DRIVER)]);
    for command in ["[\"./driver.sh\"]", "[\"driver.sh\"]", "[\"sh\", \"driver.sh\"]"] {
        let evaluate = format!("command = {command}\ncoupling = \"dakota\"");
        expect(outcome(folder.path(), &evaluate), 0.25, -0.25);
        assert!(!folder.path().join("work/trial-3").exists());
    }
}

#[test]
fn directories_are_kept_when_asked_and_after_failures() {
    let folder = folder(&[
        ("driver.sh", DRIVER),
        ("fails.sh", "#!/bin/sh\necho 'FAIL: mesh' > \"$2\"\n"),
    ]);
    let keep = "command = [\"./driver.sh\"]\ncoupling = { name = \"dakota\", keep = \"all\", work = \"kept/{trial}\" }";
    expect(outcome(folder.path(), keep), 0.25, -0.25);
    let sheet = fs::read_to_string(folder.path().join("kept/3/params.in")).unwrap();
    assert!(
        sheet.contains("5.0000000000000000e-01 x1") && sheet.contains("3 eval_id"),
        "{sheet}"
    );
    let fails = "command = [\"./fails.sh\"]\ncoupling = \"dakota\"";
    assert!(reason(outcome(folder.path(), fails)).contains("FAIL: mesh"));
    assert!(folder.path().join("work/trial-3/results.out").exists());
    let none = "command = [\"./fails.sh\"]\ncoupling = { name = \"dakota\", keep = \"none\" }";
    reason(outcome(folder.path(), none));
    assert!(!folder.path().join("work/trial-3").exists());
}

#[test]
fn stale_results_are_not_taken_for_new_ones_and_others_files_stay() {
    let folder = folder(&[("idle.sh", "#!/bin/sh\nexit 0\n")]);
    fs::create_dir_all(folder.path().join("work/trial-3")).unwrap();
    fs::write(folder.path().join("work/trial-3/results.out"), "1 f\n2 g\n").unwrap();
    fs::write(folder.path().join("work/trial-3/notes"), "mine").unwrap();
    let idle = "command = [\"./idle.sh\"]\ncoupling = { name = \"dakota\", keep = \"none\" }";
    assert!(reason(outcome(folder.path(), idle)).contains("results.out could not be read"));
    assert!(folder.path().join("work/trial-3/notes").exists());
}

#[test]
fn templates_are_filled_and_files_are_copied() {
    let driver = "#!/bin/sh\ncat mesh.dat input.dat > \"$2\"\n";
    let folder = folder(&[
        ("driver.sh", driver),
        ("mesh.dat", "1.5 f\n"),
        ("template.in", "{x1*1000 + trial} g\n"),
    ]);
    let evaluate = "command = [\"./driver.sh\"]\ncoupling = { name = \"dakota\", copy = [\"mesh.dat\"], \
                    templates = { \"input.dat\" = \"template.in\" } }";
    expect(outcome(folder.path(), evaluate), 1.5, 503.0);
}

#[test]
fn aprepro_and_json_have_the_same_content() {
    let aprepro =
        "#!/bin/sh\nsed -n 's/.*{ x1 = \\(.*\\) }.*/\\1 f/p; s/.*{ x2 = \\(.*\\) }.*/\\1 g/p' \"$1\" > \"$2\"\n";
    let json =
        "#!/bin/sh\ngrep -q '\"label\": \"x1\"' \"$1\" && echo '{\"functions\": {\"f\": 0.5, \"g\": 0.25}}' > \"$2\"\n";
    let folder = folder(&[("aprepro.sh", aprepro), ("json.sh", json)]);
    for format in ["aprepro", "json"] {
        let evaluate =
            format!("command = [\"./{format}.sh\"]\ncoupling = {{ name = \"dakota\", format = \"{format}\" }}");
        expect(outcome(folder.path(), &evaluate), 0.5, 0.25);
    }
}

#[test]
fn a_template_that_is_missing_or_names_nothing_is_told_before_any_evaluation() {
    let folder = folder(&[("driver.sh", DRIVER), ("template.in", "{x1} {lenght}")]);
    let ready = |template: &str| {
        let text = format!(
            "budget = 1\n[parameters]\nx1 = {{ float = [-2, 2] }}\n[outputs]\nf = {{ minimize = true }}\n[evaluate]\n\
             command = [\"./driver.sh\"]\ncoupling = {{ name = \"dakota\", templates = {{ \"input.dat\" = \"{template}\" }} }}"
        );
        let statement = StudyFile::new(folder.path().join("study.toml"), text).check().unwrap();
        statement.evaluator().unwrap().ready().unwrap_err().to_string()
    };
    assert!(ready("template.in").contains("lenght is no parameter"));
    assert!(ready("absent.in").contains("absent.in could not be read"));
}
