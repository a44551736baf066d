//! Programs as evaluators: what they print, how they end, and what they leave behind.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hilltop_core::{Goal, Outcome, Output, Parameters, Value};
use hilltop_study::evaluate::{Program, Results, Template};
use hilltop_study::{Error, Evaluator, Stop};

fn program(folder: &Path, script: &str) -> Program {
    let words = ["sh", "-c", script, "script", "{length}", "{steel}"];
    Program {
        command: words.map(|word| Template::parse(word).unwrap()).to_vec(),
        timeout: Some(Duration::from_secs(20)),
        start_timeout: None,
        retries: 0,
        results: Results::LastLine,
        parameters: Arc::new([]),
        folder: folder.to_owned(),
        outputs: Arc::new([Output {
            name: "cost".into(),
            goal: Goal::Minimize,
        }]),
    }
}

fn point() -> Parameters {
    Parameters::from_iter([
        ("length", Value::Float(2.5)),
        ("steel", Value::Text("s 235; exit 9".into())),
    ])
}

fn outcome(program: &Program) -> Outcome {
    program.evaluate(3, &point(), &Stop::new()).unwrap().outcome
}

fn of(script: &str) -> Outcome {
    let folder = tempfile::tempdir().unwrap();
    outcome(&program(folder.path(), script))
}

fn cost(value: f64) -> Outcome {
    Outcome::Outputs([("cost".to_owned(), value)].into())
}

fn reason(outcome: Outcome) -> String {
    match outcome {
        Outcome::Failed(reason) => reason,
        Outcome::Outputs(values) => panic!("it gave {values:?}"),
    }
}

#[test]
fn the_last_line_that_is_not_blank_is_the_result() {
    assert_eq!(of("echo starting; echo 1.5; echo; echo"), cost(1.5));
    assert_eq!(of("echo '{{\"cost\": 2, \"more\": [1]}}'; echo noise >&2"), cost(2.0));
    assert_eq!(of("echo 7; exec 1>&-; sleep 0.05"), cost(7.0));
}

#[test]
fn parameters_arrive_as_arguments_and_in_the_environment() {
    assert_eq!(of("test \"$2\" = 's 235; exit 9' && echo $1"), cost(2.5));
    assert_eq!(of("echo $HILLTOP_TRIAL"), cost(3.0));
    let folder = tempfile::tempdir().unwrap();
    let written = program(folder.path(), "printf %s \"$HILLTOP_PARAMETERS\" > seen.json; echo 0");
    assert_eq!(outcome(&written), cost(0.0));
    let seen = std::fs::read_to_string(folder.path().join("seen.json")).unwrap();
    assert_eq!(seen, r#"{"length":2.5,"steel":"s 235; exit 9"}"#);
}

#[test]
fn what_gives_no_result_is_a_failure_that_says_why() {
    for (script, words) in [
        ("exit 3", "exit code 3"),
        (
            "echo 1.0; echo the mesh is broken >&2; exit 1",
            "exit code 1: the mesh is broken",
        ),
        ("true", "nothing was printed"),
        ("echo done", "neither a number nor a JSON object of outputs: done"),
        ("echo nan", "output cost is NaN"),
        ("echo inf", "output cost is inf"),
        ("echo '{{\"heat\": 1}}'", "output cost is missing"),
        ("echo '{{\"cost\": \"1\"}}'", "not a number"),
        ("echo '{{\"cost\": 1'", "neither"),
        ("printf '\\377\\376\\n'", "neither"),
        ("kill -SEGV $$", "killed by signal 11"),
        ("echo no licence >&2; exit 75", "exit code 75: no licence"),
    ] {
        let reason = reason(of(script));
        assert!(reason.contains(words), "{script}: {reason}");
    }
}

#[test]
fn a_timeout_ends_the_program_with_everything_it_started() {
    let folder = tempfile::tempdir().unwrap();
    let script = "(trap '' TERM; while :; do date +%N > alive; sleep 0.02; done) & sleep 60";
    let slow = Program {
        timeout: Some(Duration::from_millis(300)),
        ..program(folder.path(), script)
    };
    let start = Instant::now();
    assert_eq!(reason(outcome(&slow)), "timed out after 0.3 s");
    assert!(start.elapsed() < Duration::from_secs(10));
    let alive = || std::fs::read_to_string(folder.path().join("alive")).unwrap();
    let before = alive();
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!(alive(), before, "what the program started is still running");
}

#[test]
fn a_stop_ends_the_program_and_gives_no_result() {
    let folder = tempfile::tempdir().unwrap();
    let (slow, stop) = (program(folder.path(), "sleep 60"), Stop::new());
    let start = Instant::now();
    let given = std::thread::scope(|scope| {
        let evaluation = scope.spawn(|| slow.evaluate(0, &point(), &stop));
        std::thread::sleep(Duration::from_millis(100));
        stop.request();
        evaluation.join().unwrap()
    });
    assert_eq!(given, None);
    assert!(start.elapsed() < Duration::from_secs(10));
}

#[test]
fn what_a_program_leaves_running_does_not_hold_up_the_study() {
    let folder = tempfile::tempdir().unwrap();
    let start = Instant::now();
    assert_eq!(outcome(&program(folder.path(), "sleep 60 & echo 4")), cost(4.0));
    assert!(start.elapsed() < Duration::from_secs(10));
}

#[test]
fn only_failures_that_do_not_depend_on_the_point_are_tried_again() {
    let tried = |script: &str| {
        let folder = tempfile::tempdir().unwrap();
        let script = format!("echo x >> tries; test $(wc -l < tries) -ge 3 && echo 5 && exit; {script}");
        let patient = Program {
            retries: 2,
            ..program(folder.path(), &script)
        };
        let outcome = outcome(&patient);
        (
            outcome,
            std::fs::read_to_string(folder.path().join("tries"))
                .unwrap()
                .lines()
                .count(),
        )
    };
    assert_eq!(tried("exit 75"), (cost(5.0), 3));
    assert_eq!(tried("kill -KILL $$"), (cost(5.0), 3));
    let (failed, count) = tried("exit 2");
    assert_eq!((reason(failed), count), ("exit code 2".into(), 1));
}

#[test]
fn results_may_come_from_a_file_and_an_old_one_is_never_taken_for_new() {
    let folder = tempfile::tempdir().unwrap();
    let results = || Results::File(Template::parse("out-{trial}.json").unwrap());
    let script = "echo '{{\"cost\": 8}}' > out-$HILLTOP_TRIAL.json; echo chatter";
    let writing = Program {
        results: results(),
        ..program(folder.path(), script)
    };
    assert_eq!(outcome(&writing), cost(8.0));
    let silent = Program {
        results: results(),
        ..program(folder.path(), "true")
    };
    assert!(reason(outcome(&silent)).contains("out-3.json could not be read"));
}

#[test]
fn megabytes_of_output_are_no_trouble() {
    let chatty = "i=0; while [ $i -lt 300 ]; do printf '%010000d\\n' $i; i=$((i+1)); done; echo; echo 6";
    assert_eq!(of(chatty), cost(6.0));
    assert_eq!(of("head -c 5000000 /dev/zero >&2; echo 6"), cost(6.0));
}

#[test]
fn a_program_that_is_not_there_is_known_before_anything_is_spent() {
    let folder = tempfile::tempdir().unwrap();
    for (name, place) in [("no-such-program-here", "on the search path"), ("./simulate", "at ")] {
        let command = vec![Template::parse(name).unwrap()];
        let missing = Program {
            command,
            ..program(folder.path(), "")
        };
        let Err(Error::Program { program, place: found }) = missing.ready() else {
            panic!("{name} was found")
        };
        assert_eq!(program, name);
        assert!(found.starts_with(place), "{found}");
        assert!(reason(outcome(&missing)).contains("could not be started"));
    }
    assert!(program(folder.path(), "true").ready().is_ok());
}
