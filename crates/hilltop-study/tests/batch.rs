//! Batches: many points asked for at once are those of asks in a row, whatever comes between.
#![allow(clippy::unwrap_used)]

mod support;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hilltop_core::{Event, History, Journal, Outcome, Parameters, Proposer, Query, Rng};
use hilltop_method::{Recipe, registry};
use hilltop_study::{Error, Method, SqliteJournal, State, Statement, Stop, Store, Study, StudyFile};
use support::{Watched, Witness, cost, outputs, witnessed};

/// What happens while a stretch is proposed.
type Meanwhile = Arc<Mutex<Option<Box<dyn FnMut(&History, usize) + Send>>>>;

/// Gives a stretch of points at once: those that the proposer inside gives one after another, or in its own batches.
struct Stretched {
    inside: Box<dyn Proposer>,
    length: usize,
    meanwhile: Meanwhile,
}

impl Proposer for Stretched {
    fn propose(&mut self, history: &History, count: usize) -> hilltop_core::Result<Vec<Query>> {
        if let Some(happening) = self.meanwhile.lock().unwrap().as_mut() {
            happening(history, count);
        }
        self.inside.propose(history, count)
    }

    fn at_once(&self, _: &History) -> usize {
        self.length
    }
}

/// The witness, in batches.
struct Witnesses;

impl Proposer for Witnesses {
    fn propose(&mut self, history: &History, count: usize) -> hilltop_core::Result<Vec<Query>> {
        let mut growing = history.clone();
        let mut next = || {
            let query = Witness.propose(&growing, 1)?.remove(0);
            growing.ask(growing.next_trial(), query.point.clone());
            Ok(query)
        };
        (0..count).map(|_| next()).collect()
    }
}

fn stretched(length: usize, meanwhile: &Meanwhile) -> Statement {
    let meanwhile = Arc::clone(meanwhile);
    let method = Method::custom("witness", move || {
        Ok(Stretched {
            inside: Box::new(Witnesses),
            length,
            meanwhile: Arc::clone(&meanwhile),
        })
    });
    stated(method)
}

fn stated(method: Method) -> Statement {
    let mut statement = witnessed();
    statement.method = method;
    statement
}

fn at(x: f64) -> Parameters {
    Parameters::from_iter([("x1", x.into()), ("x2", x.into())])
}

/// The sizes of the stretches in which the points of a journal were written cannot be told from it.
fn asked_in(count: usize, statement: Statement) -> Vec<Event> {
    let journal = Watched::default();
    let study = Study::open(statement, Store::new(journal.clone())).unwrap();
    (0..12 / count).for_each(|_| drop(study.ask(count).unwrap()));
    study.tell(3, &Outcome::Outputs(cost(0.5))).unwrap();
    (0..12 / count).for_each(|_| drop(study.ask(count).unwrap()));
    assert_eq!(study.replay().unwrap().difference, None);
    assert_eq!(study.replay().unwrap().checked, 24);
    journal.events()
}

#[test]
fn the_journal_of_a_batch_is_that_of_asks_in_a_row() {
    let in_a_row = asked_in(1, witnessed());
    for (count, length) in [(12, 1), (12, 5), (12, 100), (4, 3), (1, 4)] {
        let events = asked_in(count, stretched(length, &Meanwhile::default()));
        assert_eq!(events, in_a_row, "{count} in stretches of {length}");
    }
}

fn branin(method: &str) -> Statement {
    let physics = match method {
        "pinn-bo" => "[physics]\nequation = \"d(f,x2,x2) = 2\"\npoints = 30\n",
        _ => "",
    };
    let text = format!("budget = 24\nseed = 3\nmethod = \"{method}\"\n{physics}[evaluate]\nproblem = \"branin\"\n");
    StudyFile::new("study.toml", text).check().unwrap()
}

/// A study of a method, as it is or made to propose so many at once, in which twelve results are known.
fn begun(method: &str, length: Option<usize>) -> (Study, Watched) {
    let mut statement = branin(method);
    if let Some(length) = length {
        let (space, outputs) = (Arc::clone(&statement.space), Arc::clone(&statement.outputs));
        let (recipe, known) = (Recipe::parse(&method.into()).unwrap(), statement.knowledge.clone());
        statement.method = Method::custom(method, move || {
            let (inside, meanwhile) = (
                recipe.build_with(&space, &outputs, known.as_ref())?,
                Meanwhile::default(),
            );
            Ok(Stretched {
                inside,
                length,
                meanwhile,
            })
        });
    }
    let journal = Watched::default();
    let study = Study::open(statement, Store::new(journal.clone())).unwrap();
    let mut rng = Rng::new(1);
    for _ in 0..12 {
        let point = [rng.uniform(), rng.uniform()];
        let outputs = [("f".to_owned(), point[0] - point[1])].into();
        study.add(&study.statement().space.decode(&point), &outputs).unwrap();
    }
    (study, journal)
}

#[test]
fn eight_points_at_once_are_eight_asks_in_a_row_for_every_method() {
    for method in registry::methods().iter().map(|entry| entry.name) {
        let (study, in_a_row) = begun(method, None);
        (0..8).for_each(|_| drop(study.ask(1).unwrap()));
        let (study, at_once) = begun(method, Some(3));
        assert_eq!(study.ask(8).unwrap().len(), 8);
        assert_eq!(at_once.events()[1..], in_a_row.events()[1..], "{method}");
        assert_eq!(study.replay().unwrap().difference, None, "{method}");
    }
}

#[test]
fn what_comes_between_is_known_to_the_rest_of_a_batch() {
    let (meanwhile, journal) = (Meanwhile::default(), Watched::default());
    let study = Study::open(stretched(6, &meanwhile), Store::new(journal.clone())).unwrap();
    let other = Study::open(stretched(6, &Meanwhile::default()), Store::new(journal.clone())).unwrap();
    study.ask(2).unwrap();
    let lengths = Arc::new(Mutex::new(Vec::new()));
    let counted = Arc::clone(&lengths);
    *meanwhile.lock().unwrap() = Some(Box::new(move |history, count| {
        counted.lock().unwrap().push(count);
        match history.next_trial() {
            // A result comes back, one from elsewhere appears.
            4 => other.tell(1, &Outcome::Outputs(cost(0.25))).unwrap(),
            5 => drop(other.add(&at(0.75), &cost(2.0)).unwrap()),
            _ => {}
        }
    }));
    study.ask(2).unwrap();
    let asked = study.ask(8).unwrap();
    let numbers: Vec<u64> = asked.iter().map(|asked| asked.trial).collect();
    assert_eq!(numbers, [4, 5, 7, 8, 9, 10, 11, 12]);
    // Six proposed and one kept, one proposed and kept in which a result appears, then as many as go well.
    assert_eq!(*lengths.lock().unwrap(), [2, 6, 1, 2, 4]);
    *meanwhile.lock().unwrap() = None;
    let replay = study.replay().unwrap();
    assert_eq!((replay.checked, replay.difference), (12, None));
}

#[test]
fn a_batch_that_repeats_itself_is_cut_where_it_does() {
    /// Does not look at what it has proposed itself.
    struct Forgetful;
    impl Proposer for Forgetful {
        fn propose(&mut self, history: &History, count: usize) -> hilltop_core::Result<Vec<Query>> {
            let known = history.pending().len();
            let place = |index: usize| Query::from(vec![(known + index / 2) as f64 / 20.0, 0.5]);
            Ok((0..count).map(place).collect())
        }

        fn at_once(&self, _: &History) -> usize {
            6
        }
    }
    let statement = stated(Method::custom("forgetful", || Ok(Forgetful)));
    let study = Study::open(statement, Store::new(Watched::default())).unwrap();
    let points: BTreeSet<String> = study
        .ask(6)
        .unwrap()
        .iter()
        .map(|asked| asked.parameters.to_string())
        .collect();
    assert_eq!(points.len(), 6);
}

#[test]
fn a_stop_is_heeded_between_the_stretches_of_a_batch() {
    let (meanwhile, stop) = (Meanwhile::default(), Stop::new());
    let study = Study::open(stretched(5, &meanwhile), Store::new(Watched::default())).unwrap();
    let heard = stop.clone();
    *meanwhile.lock().unwrap() = Some(Box::new(move |history, _| {
        if history.next_trial() == 10 {
            heard.request();
        }
    }));
    assert!(matches!(study.ask_unless(100, &stop), Err(Error::Stopped)));
    let trials = study.trials().unwrap();
    assert_eq!(trials.len(), 11);
    assert!(trials[..10].iter().all(|trial| trial.state == State::Running));
    assert_eq!(trials[10].state, State::Reserved);
    assert_eq!(study.ask(1).unwrap()[0].trial, 10);
}

#[test]
fn a_finite_space_that_ends_within_a_batch_gives_what_it_has() {
    for method in ["random", "sto-bnts", "neural-bo"] {
        let text = format!(
            "method = \"{method}\"\n[parameters]\nx = {{ int = [1, 7] }}\n[outputs]\ncost = {{ minimize = true }}\n"
        );
        let statement = StudyFile::new("study.toml", text).check().unwrap();
        let study = Study::open(statement, Store::new(Watched::default())).unwrap();
        for asked in study.ask(3).unwrap() {
            let value = cost(asked.trial as f64);
            study.tell(asked.trial, &Outcome::Outputs(value)).unwrap();
        }
        assert!(
            matches!(study.ask(8), Err(Error::TooFewPoints { count: 8, points: 7 })),
            "{method}"
        );
        assert_eq!(study.ask(6).unwrap().len(), 4, "{method}");
        assert!(study.ask(2).is_err_and(|error| error.is_exhausted()), "{method}");
        assert_eq!(study.replay().unwrap().difference, None, "{method}");
    }
}

#[test]
fn batches_asked_for_while_others_tell_never_clash() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.db");
    let open = || Study::open(stretched(4, &Meanwhile::default()), Store::open(&path).unwrap()).unwrap();
    let handles = [open(), open()];
    let seen = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for hand in 0..4 {
            let (study, seen) = (&handles[hand % 2], &seen);
            scope.spawn(move || {
                for _ in 0..8 {
                    for asked in study.ask(5).unwrap() {
                        let value = cost(asked.trial as f64);
                        study.tell(asked.trial, &Outcome::Outputs(value)).unwrap();
                        seen.lock().unwrap().push(asked.trial);
                    }
                }
            });
        }
    });
    let mut seen = seen.into_inner().unwrap();
    seen.sort_unstable();
    assert_eq!(seen, (0..160).collect::<Vec<_>>());
    assert_eq!(handles[1].replay().unwrap().difference, None);
}

/// Names the store to the process that is to be killed.
const STORE: &str = "HILLTOP_TEST_BATCH";
/// How many points it asks for in the end.
const POINTS: usize = 60;

/// Asks for what is missing, in one batch.
fn complete(store: Store) {
    let slow = Meanwhile::default();
    *slow.lock().unwrap() = Some(Box::new(|_, count| {
        std::thread::sleep(Duration::from_millis(count as u64));
    }));
    let study = Study::open(stretched(7, &slow), store).unwrap();
    let known = |trial: &hilltop_study::Trial| trial.state == State::Running;
    let missing = POINTS - study.trials().unwrap().into_iter().filter(known).count();
    drop(study.ask(missing).unwrap());
}

/// Not a test of its own: what the killed process does.
#[test]
fn the_process_that_is_killed_while_it_asks() {
    if let Some(path) = std::env::var_os(STORE) {
        complete(Store::open(path).unwrap());
    }
}

fn process(path: &Path) -> std::process::Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "the_process_that_is_killed_while_it_asks"])
        .env(STORE, path);
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

#[test]
fn a_process_killed_within_a_batch_at_random_moments_loses_no_number_and_no_point() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("study.db");
    let asked = |events: &[Event]| {
        let is_asked = |event: &&Event| matches!(event, Event::Asked { .. });
        events.iter().filter(is_asked).count()
    };
    let read = || SqliteJournal::open(&path).unwrap().read(0).unwrap();
    let (mut rng, mut known) = (Rng::new(8), 0);
    for _ in 0..15 {
        let mut victim = process(&path);
        std::thread::sleep(Duration::from_secs_f64(rng.between(0.005, 0.04)));
        victim.kill().unwrap();
        victim.wait().unwrap();
        let now = asked(&read());
        assert!(now >= known, "points were lost");
        known = now;
    }
    assert!(process(&path).wait().unwrap().success());
    let undisturbed = Watched::default();
    complete(Store::new(undisturbed.clone()));
    let disturbed = Watched::ending(&read());
    assert_eq!(disturbed.suggestions(), undisturbed.suggestions());
    assert_eq!(asked(&disturbed.events()), POINTS, "a point was written twice");
    let study = Study::open(stretched(7, &Meanwhile::default()), Store::new(disturbed)).unwrap();
    assert_eq!(study.replay().unwrap().difference, None);
    assert_eq!(study.statement().outputs, outputs());
}
