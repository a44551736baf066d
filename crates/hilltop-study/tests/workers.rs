//! Many workers at once: no two get the same point, and nobody waits for the others.
#![allow(clippy::unwrap_used)]

mod support;

use std::collections::BTreeSet;
use std::sync::{Condvar, Mutex};
use std::time::Duration;

use hilltop_core::{Outcome, Parameters};
use hilltop_study::evaluate::Closure;
use hilltop_study::{Statement, Stop, Store, Study, StudyFile, run};
use support::{Watched, bowl, cost, outputs};

const WORKERS: usize = 64;

/// Every method that trains a network, with a small search.
fn methods() -> impl Iterator<Item = String> {
    let search = "maximiser = { name = \"gradient\", starts = 2, iterations = 10, pool = { points = 60, near = 20 } }";
    let small =
        |name: &str, settings: &str| format!("{{ name = \"{name}\", {settings}design = {{ count = 8 }}, {search} }}");
    let training = "training = { name = \"adam\", rate = 0.01, batch = 10, epochs = 20 }, width = 20, ";
    [
        small("neural-bo", ""),
        small("neural-ucb", ""),
        small("neural-ts", ""),
        small("sto-bnts", "width = 32, "),
        small("sto-bnts-linear", "width = 32, "),
        small("deep-ensemble", "width = 32, "),
        small("go-ucb", "width = 10, restarts = 1, "),
        small("neural-greedy", training),
        small("dngo", training),
    ]
    .into_iter()
}

fn statement(method: &str) -> Statement {
    let text = format!(
        "asynchronous = true\nparallel = {WORKERS}\nbudget = 90\nmethod = {method}\n[parameters]\n\
         x1 = {{ float = [0, 1] }}\nx2 = {{ float = [0, 1] }}\n[outputs]\ncost = {{ minimize = true }}\n"
    );
    StudyFile::new("workers.toml", text).check().unwrap()
}

fn opened(method: &str) -> Study {
    let study = Study::open(statement(method), Store::new(Watched::default())).unwrap();
    for k in 0..10_u32 {
        let at = Parameters::from_iter([
            ("x1", (f64::from(k % 4) / 3.0).into()),
            ("x2", (f64::from(k) / 9.0).into()),
        ]);
        study.add(&at, &cost((f64::from(k) - 4.0).powi(2))).unwrap();
    }
    study
}

#[test]
fn sixty_four_workers_never_get_equal_points_and_who_comes_back_gets_the_next_at_once() {
    for method in methods() {
        let study = opened(&method);
        let mut points: BTreeSet<String> = study
            .trials()
            .unwrap()
            .iter()
            .map(|trial| trial.parameters.as_ref().unwrap().to_string())
            .collect();
        let asked = study.ask(WORKERS).unwrap();
        for (turn, asked) in asked.iter().enumerate() {
            assert!(
                points.insert(asked.parameters.to_string()),
                "{method}: point {turn} is known"
            );
        }
        // The others are still at work.
        let back = &asked[WORKERS / 2];
        study.tell(back.trial, &Outcome::Outputs(cost(0.5))).unwrap();
        let next = study.ask(1).unwrap().remove(0);
        assert!(points.insert(next.parameters.to_string()), "{method}");
        assert_eq!(points.len(), 10 + WORKERS + 1, "{method}");
    }
}

#[test]
fn one_worker_goes_on_while_sixty_three_have_not_come_back() {
    /// How many trials one worker ends while the others wait for it.
    const ALONE: usize = 8;
    let (ended, changed) = (Mutex::new(0), Condvar::new());
    let slow = Mutex::new(WORKERS - 1);
    let evaluate = |parameters: &Parameters| {
        let waits = {
            let mut left = slow.lock().unwrap();
            let waits = *left > 0;
            *left -= usize::from(waits);
            waits
        };
        if waits {
            let all = ended.lock().unwrap();
            let limit = Duration::from_secs(60);
            let (_all, late) = changed.wait_timeout_while(all, limit, |ended| *ended < ALONE).unwrap();
            assert!(!late.timed_out(), "nobody went on");
        } else {
            *ended.lock().unwrap() += 1;
            changed.notify_all();
        }
        bowl(parameters)
    };
    let method = methods().find(|method| method.contains("neural-ucb")).unwrap();
    let study = opened(&method);
    run(
        &study,
        &Closure::new(outputs(), evaluate),
        WORKERS,
        &|_| {},
        &Stop::new(),
    )
    .unwrap();
    let trials = study.trials().unwrap();
    let points: BTreeSet<String> = trials
        .iter()
        .map(|trial| trial.parameters.as_ref().unwrap().to_string())
        .collect();
    // The ten that were known before do not count.
    assert_eq!((points.len(), trials.len()), (100, 100));
    assert_eq!(study.replay().unwrap().difference, None);
}
