//! A run that is killed at any moment goes on as if it had never stopped; several runs share a store.

#![allow(clippy::unwrap_used)]
#![cfg(unix)]

mod support;

use std::collections::BTreeMap;
use std::io::Read;
use std::process::Child;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use hilltop_core::Rng;
use serde_json::Value;
use support::Desk;

const KILLS: u32 = 20;

/// A program that takes some milliseconds; every end of an evaluation leaves a mark.
const PROGRAM: &str = r#"
budget = 60
parallel = 2
[parameters]
x = { float = [-2, 2] }
y = { float = [1e-3, 10], log = true }
kind = { choice = ["a", "b"] }
[outputs]
cost = { minimize = true }
[evaluate]
command = ["sh", "-c", "sleep 0.02; echo {trial} >> marks; awk 'BEGIN {{ if ({x} > 1.8) exit 3; print ({x} - 0.5) ^ 2 + log({y}) ^ 2 + (\"{kind}\" == \"a\") }}'"]
"#;

const PROBLEM: &str = "budget = 40\n[evaluate]\nproblem = \"hartmann-6\"\n";

/// The study under another seed.
fn seeded(study: &str, seed: u64) -> Desk {
    Desk::with(&format!("seed = {seed}\n{study}"))
}

/// State, point and result of every trial; how long it took is nobody's promise.
fn course(desk: &Desk) -> Vec<(Value, Value, Value, Value)> {
    let told = |trial: &Value| {
        (
            trial["state"].clone(),
            trial["parameters"].clone(),
            trial["outputs"].clone(),
            trial["reason"].clone(),
        )
    };
    desk.trials().iter().map(told).collect()
}

/// Kills the process after a while; the trials whose end it had announced, or nothing when it had ended by itself.
fn killed(mut child: Child, after: Duration) -> Option<Vec<u64>> {
    std::thread::sleep(after);
    if child.try_wait().unwrap().is_some() {
        return None;
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let mut lines = String::new();
    child.stderr.take().unwrap().read_to_string(&mut lines).unwrap();
    let number = |line: &str| line.strip_prefix("trial ")?.split([':', ' ']).next()?.parse().ok();
    // What is announced is durable; a line that was cut off announces nothing.
    Some(
        lines
            .lines()
            .filter(|line| line.contains(": ") || line.contains(" failed"))
            .filter_map(number)
            .collect(),
    )
}

/// Settled trials with their results.
fn settled(desk: &Desk) -> BTreeMap<u64, Value> {
    if !desk.path("study.db").exists() {
        return BTreeMap::new();
    }
    let ended = |trial: &Value| trial["state"] == "complete" || trial["state"] == "failed";
    let exported = desk.hilltop(&["export", "study.toml", "--format", "json"]).json();
    let trials = exported["trials"].as_array().unwrap().clone();
    trials
        .into_iter()
        .filter(ended)
        .map(|trial| (trial["trial"].as_u64().unwrap(), trial))
        .collect()
}

/// Runs a study to its end, killing it again and again; gives the number of kills.
fn disturbed(desk: &Desk, rng: &mut Rng, longest: f64, wanted: u32) -> u32 {
    let (mut kills, mut before) = (0, BTreeMap::new());
    while kills < wanted {
        let child = desk.command(&["run", "study.toml"]).spawn().unwrap();
        let after = Duration::from_secs_f64(rng.between(0.0, longest));
        let Some(announced) = killed(child, after) else { break };
        kills += 1;
        let now = settled(desk);
        assert!(
            before.iter().all(|(trial, result)| now.get(trial) == Some(result)),
            "a result was lost"
        );
        assert!(
            announced.iter().all(|trial| now.contains_key(trial)),
            "an announced result was lost"
        );
        before = now;
    }
    desk.hilltop(&["run", "study.toml", "--quiet"]).ok();
    kills
}

/// As many studies as it takes to have been killed twenty times; each compared with an undisturbed run.
fn survives(study: &str, longest: f64, check: impl Fn(&Desk, u32)) {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().subsec_nanos();
    let mut rng = Rng::new(now.into());
    let (mut kills, mut seed) = (0, 0);
    while kills < KILLS {
        let (calm, hunted) = (seeded(study, seed), seeded(study, seed));
        calm.hilltop(&["run", "study.toml", "--quiet"]).ok();
        let here = disturbed(&hunted, &mut rng, longest, KILLS - kills);
        assert_eq!(
            course(&hunted),
            course(&calm),
            "seed {seed}, killed {here} times, moments of {now}"
        );
        check(&hunted, here);
        kills += here;
        seed += 1;
    }
}

#[test]
fn a_run_of_a_program_that_is_killed_goes_on_as_if_it_had_not_been() {
    survives(PROGRAM, 0.25, |desk, kills| {
        // A kill may cost the two evaluations under way, and nothing else.
        let marks = desk.read("marks").lines().count();
        assert!(
            (60..=60 + 2 * kills as usize).contains(&marks),
            "{marks} evaluations after {kills} kills"
        );
    });
}

#[test]
fn a_run_of_a_problem_that_is_killed_goes_on_as_if_it_had_not_been() {
    survives(PROBLEM, 0.15, |_, _| ());
}

#[test]
fn two_processes_on_one_store_do_not_clash() {
    for study in [PROGRAM, PROBLEM] {
        let (calm, shared) = (seeded(study, 7), seeded(study, 7));
        calm.hilltop(&["run", "study.toml", "--quiet"]).ok();
        let both = [0, 1].map(|_| shared.command(&["run", "study.toml", "--json"]).spawn().unwrap());
        let evaluated: Vec<u64> = both
            .into_iter()
            .map(|child| {
                let output = child.wait_with_output().unwrap();
                let text = String::from_utf8_lossy(&output.stdout).into_owned();
                assert!(
                    output.status.success(),
                    "{text} {}",
                    String::from_utf8_lossy(&output.stderr)
                );
                serde_json::from_str::<Value>(&text).unwrap()["evaluated"]
                    .as_u64()
                    .unwrap()
            })
            .collect();
        let trials = shared.trials();
        assert!(
            trials
                .iter()
                .enumerate()
                .all(|(number, trial)| trial["trial"] == number as u64)
        );
        assert_eq!(evaluated.iter().sum::<u64>(), trials.len() as u64);
        assert_eq!(course(&shared), course(&calm));
    }
}
