//! How many trials a second can be asked and told on an `SQLite` file, every one of them on the disk before the next, and
//! what a suggestion costs beside the proposer when twenty thousand trials are known.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use hilltop_core::{Goal, History, MemoryJournal, Outcome, Output, Parameters, Proposer, Query, Space, Value};
use hilltop_study::evaluate::Closure;
use hilltop_study::{Error, Method, Statement, Stop, Store, Study, run};

/// Proposes at once, so that only the study is measured.
struct Immediate;

impl Proposer for Immediate {
    fn propose(&mut self, history: &History, count: usize) -> hilltop_core::Result<Vec<Query>> {
        let mut rng = history.rng(history.next_trial());
        Ok((0..count)
            .map(|_| Query::from((0..10).map(|_| rng.uniform()).collect::<Vec<f64>>()))
            .collect())
    }
}

fn statement() -> Result<Statement, Error> {
    let outputs: Arc<[Output]> = [Output {
        name: "cost".into(),
        goal: Goal::Minimize,
    }]
    .into();
    Statement::new(
        Arc::new(Space::unit_box(10)),
        outputs,
        Method::custom("immediate", || Ok(Immediate)),
    )
}

fn cost(value: f64) -> BTreeMap<String, f64> {
    BTreeMap::from([("cost".to_owned(), value)])
}

fn durable(folder: &std::path::Path) -> Result<(), Error> {
    let study = Study::open(statement()?, Store::open(folder.join("durable.db"))?)?;
    let asked = study.ask(1000)?;
    let start = Instant::now();
    for trial in &asked {
        study.tell(trial.trial, &Outcome::Outputs(cost(1.0)))?;
    }
    let rate = asked.len() as f64 / start.elapsed().as_secs_f64();
    println!("durable tells a second, SQLite: {rate:.0}");
    Ok(())
}

fn long() -> Result<(), Error> {
    let study = Study::open(statement()?.with_budget(100).with_parallel(4), MemoryJournal::default())?;
    for trial in 0..20_000 {
        let names = (0..10).map(|k| {
            (
                format!("x{}", k + 1),
                Value::Float(f64::from(trial * 10 + k) / 200_000.0),
            )
        });
        study.add(&names.collect::<Parameters>(), &cost(f64::from(trial)))?;
    }
    let evaluator = Closure::new(Arc::clone(&study.statement().outputs), |_| Ok(cost(1.0)));
    let start = Instant::now();
    run(&study, &evaluator, 1, &|_| {}, &Stop::new())?;
    println!(
        "a trial of a run with 20,000 known, beside the proposer: {:?}",
        start.elapsed() / 100
    );
    let start = Instant::now();
    for _ in 0..100 {
        let asked = study.ask(1)?;
        study.tell(asked[0].trial, &Outcome::Outputs(cost(1.0)))?;
    }
    println!(
        "ask and tell by hand with 20,000 known, beside the proposer: {:?}",
        start.elapsed() / 100
    );
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    durable(folder.path())?;
    Ok(long()?)
}
