//! A process that runs a study is killed again and again, and nothing is lost.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

mod support;

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use hilltop_core::{Event, Journal, Parameters, Rng};
use hilltop_study::evaluate::Closure;
use hilltop_study::{SqliteJournal, Statement, Stop, Store, Study, run};
use support::{Watched, bowl, outputs, witnessed};

/// Names the store to the process that is to be killed.
const STORE: &str = "HILLTOP_TEST_STORE";

fn statement() -> Statement {
    witnessed().with_budget(40).with_parallel(3)
}

fn finish(store: Store) {
    let slow = |parameters: &Parameters| {
        std::thread::sleep(Duration::from_millis(4));
        bowl(parameters)
    };
    let study = Study::open(statement(), store).unwrap();
    run(&study, &Closure::new(outputs(), slow), 3, &|_| {}, &Stop::new()).unwrap();
}

/// Not a test of its own: what the killed process does.
#[test]
fn the_process_that_is_killed() {
    if let Some(path) = std::env::var_os(STORE) {
        finish(Store::open(path).unwrap());
    }
}

fn process(path: &Path) -> std::process::Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "the_process_that_is_killed"]).env(STORE, path);
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

#[test]
fn a_process_killed_at_twenty_random_moments_continues_as_if_it_had_not_been() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("study.db");
    let mut rng = Rng::new(5);
    let mut told = 0;
    for _ in 0..20 {
        let mut victim = process(&path);
        std::thread::sleep(Duration::from_secs_f64(rng.between(0.002, 0.06)));
        victim.kill().unwrap();
        victim.wait().unwrap();
        let known = SqliteJournal::open(&path)
            .unwrap()
            .read(0)
            .unwrap()
            .iter()
            .filter(|event| is_told(event))
            .count();
        assert!(known >= told, "results were lost");
        told = known;
    }
    assert!(process(&path).wait().unwrap().success());
    let undisturbed = Watched::default();
    finish(Store::new(undisturbed.clone()));
    let disturbed = Watched::ending(&SqliteJournal::open(&path).unwrap().read(0).unwrap());
    assert_eq!(disturbed.suggestions(), undisturbed.suggestions());
    assert_eq!(disturbed.events().iter().filter(|event| is_told(event)).count(), 40);
    let asked = disturbed
        .events()
        .iter()
        .filter(|event| matches!(event, Event::Asked { .. }))
        .count();
    assert_eq!(asked, 40, "a point was written twice");
    let workers = std::fs::read_dir(folder.path().join("study.db.workers")).unwrap();
    assert_eq!(workers.count(), 0, "files of dead workers stayed behind");
}

fn is_told(event: &Event) -> bool {
    matches!(event, Event::Told { .. })
}
