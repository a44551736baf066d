//! The shortest way from a closure to an answer.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use hilltop_core::{Goal, MemoryJournal, Output, Parameters, Space};
use hilltop_study::evaluate::Closure;
use hilltop_study::{Best, Method, Result, Statement, Stop, Store, Study, Summary, run};

/// What the objective is called in the journal.
const OBJECTIVE: &str = "value";

/// The search for the least value of a closure, about to begin: see [`minimize`].
#[derive(Clone, Debug)]
pub struct Minimize {
    space: Space,
    goal: Goal,
    budget: u64,
    seed: u64,
    parallel: usize,
    noisy: bool,
    method: Method,
    store: Option<PathBuf>,
}

/// Begins the search for the least value of a closure over a space: a hundred evaluations of `auto`, one at a time, in
/// memory, unless told otherwise.
pub fn minimize(space: Space) -> Minimize {
    Minimize {
        space,
        goal: Goal::Minimize,
        budget: 100,
        seed: 0,
        parallel: 1,
        noisy: false,
        method: Method::default(),
        store: None,
    }
}

/// The same for the largest value.
pub fn maximize(space: Space) -> Minimize {
    Minimize {
        goal: Goal::Maximize,
        ..minimize(space)
    }
}

impl Minimize {
    /// How many evaluations may be spent, failed ones included.
    #[must_use]
    pub fn budget(mut self, evaluations: u64) -> Self {
        self.budget = evaluations;
        self
    }

    /// The seed of everything random.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// How many evaluations run at once, each on a thread of its own.
    #[must_use]
    pub fn parallel(mut self, evaluations: usize) -> Self {
        self.parallel = evaluations;
        self
    }

    /// Says that the closure answers differently when asked twice, so that repeating a point makes sense.
    #[must_use]
    pub fn noisy(mut self) -> Self {
        self.noisy = true;
        self
    }

    /// How points are proposed.
    #[must_use]
    pub fn method(mut self, method: impl Into<Method>) -> Self {
        self.method = method.into();
        self
    }

    /// Keeps the study in a file. When it exists, the search goes on where it stopped.
    #[must_use]
    pub fn store(mut self, path: impl Into<PathBuf>) -> Self {
        self.store = Some(path.into());
        self
    }

    /// Spends the budget. An error of the closure, a panic, NaN or infinity is a failed evaluation: recorded, and the
    /// search goes on.
    pub fn run(self, objective: impl Fn(&Parameters) -> Result<f64, String> + Send + Sync) -> Result<Found> {
        let outputs: Arc<[Output]> = [Output {
            name: OBJECTIVE.into(),
            goal: self.goal,
        }]
        .into();
        let statement = Statement::new(Arc::new(self.space), Arc::clone(&outputs), self.method)?;
        let mut statement = statement
            .with_seed(self.seed)
            .with_budget(self.budget)
            .with_parallel(self.parallel);
        statement.noisy = self.noisy;
        let store = match self.store {
            Some(path) => Store::open(path)?,
            None => Store::from(MemoryJournal::default()),
        };
        let study = Study::open(statement, store)?;
        let black_box = Closure::new(outputs, |parameters: &Parameters| {
            objective(parameters).map(|value| BTreeMap::from([(OBJECTIVE.to_owned(), value)]))
        });
        let summary = run(&study, &black_box, self.parallel, &|_| {}, &Stop::new())?;
        let best = study.best()?;
        Ok(Found { best, summary, study })
    }
}

/// What a search found: the study itself, with its answer.
pub struct Found {
    /// The best trial; `None` where every evaluation failed.
    pub best: Option<Best>,
    /// What was spent.
    pub summary: Summary,
    /// Every trial, the model, the report.
    pub study: Study,
}

impl Found {
    /// The best value; `None` where every evaluation failed.
    pub fn value(&self) -> Option<f64> {
        self.best.as_ref().and_then(|best| best.outputs.get(OBJECTIVE).copied())
    }
}
