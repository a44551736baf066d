//! What a study means: everything of a study file, checked, or the same composed in code.

mod describe;
mod evaluate;
mod method;
mod table;
mod warning;

use std::path::Path;
use std::sync::Arc;

use hilltop_core::{Knowledge, Output, Physics, Proposer, Space};

pub use evaluate::{Command, Evaluate, OnFailure};
pub use method::Method;
pub use table::Table;

use crate::evaluate::{BuiltIn, Evaluator, Program};
use crate::file::StudyFile;
use crate::{Error, Result};

/// A study as it is meant.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Statement {
    /// What it is called.
    pub name: String,
    /// The seed of everything random.
    pub seed: u64,
    /// How many evaluations `run` may spend, failed ones included.
    pub budget: Option<u64>,
    /// How many evaluations are under way at once.
    pub parallel: usize,
    /// Whether the black box answers differently when asked twice, so that repeating a point makes sense.
    pub noisy: bool,
    /// Whether a suggestion of `run` uses every result there is, instead of exactly those that make it reproducible.
    pub asynchronous: bool,
    /// How suggestions are made.
    pub method: Method,
    /// Where points come from.
    pub space: Arc<Space>,
    /// What an evaluation reports.
    pub outputs: Arc<[Output]>,
    /// The share of trials that may break the limits of outputs; the method's own rule where there is none.
    pub max_violation: Option<f64>,
    /// What becomes of a study when an evaluation fails and the point is to blame.
    pub on_failure: OnFailure,
    /// How trials are evaluated; `None` where another program asks and tells.
    pub evaluate: Option<Evaluate>,
    /// The file of a finite space, where it comes from one.
    pub candidates: Option<Table>,
    /// Whether the points of each round are given with the ask: the study is a contextual bandit.
    pub contexts: bool,
    /// What is known of the objective besides its values, as it was written.
    pub physics: Option<Physics>,
    /// The same as methods see it.
    pub knowledge: Option<Arc<Knowledge>>,
}

impl Statement {
    /// Reads and checks a study file.
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        StudyFile::read(path.as_ref())?.check()
    }

    /// A study composed in code: this space, these outputs (exactly one objective), this method; everything else as in
    /// a study file that does not mention it.
    pub fn new(space: Arc<Space>, outputs: Arc<[Output]>, method: Method) -> Result<Self> {
        let objectives = outputs.iter().filter(|output| output.goal.is_objective()).count();
        if objectives != 1 {
            return Err(Error::statement(format!(
                "it has {objectives} objectives among its outputs; exactly one is allowed"
            )));
        }
        // What a method makes of physics is seen when the physics is there.
        if !method.takes_physics() {
            method.check(&space, &outputs, None)?;
        }
        Ok(Self::draft(space, outputs, method))
    }

    /// The same with an objective that obeys these equations.
    pub fn with_physics(mut self, physics: Physics) -> Result<Self> {
        let knowledge = physics
            .bind(&self.space, self.objective())
            .map_err(hilltop_core::Error::from)?;
        self.physics = Some(physics);
        self.with_knowledge(knowledge.into())
    }

    /// The same with an objective of which this is known; equations may be closures. The store keeps their texts.
    pub fn with_knowledge(mut self, knowledge: Arc<Knowledge>) -> Result<Self> {
        self.knowledge = Some(knowledge);
        self.check_method()?;
        Ok(self)
    }

    /// A fresh proposer.
    pub fn proposer(&self) -> Result<Box<dyn Proposer>> {
        self.method.build(&self.space, &self.outputs, self.knowledge.as_ref())
    }

    pub(crate) fn draft(space: Arc<Space>, outputs: Arc<[Output]>, method: Method) -> Self {
        Self {
            name: "study".to_owned(),
            seed: 0,
            budget: None,
            parallel: 1,
            noisy: false,
            asynchronous: false,
            method,
            space,
            outputs,
            max_violation: None,
            on_failure: OnFailure::default(),
            evaluate: None,
            candidates: None,
            contexts: false,
            physics: None,
            knowledge: None,
        }
    }

    /// The same as a contextual bandit: each ask brings its own arms, points of the space of which one is chosen. Arms
    /// may come again, so the study is noisy. A method that cannot choose among arms is refused.
    pub fn with_contexts(mut self) -> Result<Self> {
        if self.space.candidates().is_some() {
            return Err(Error::statement(
                "a finite space has its points already: arms cannot be given with the ask",
            ));
        }
        self.noisy = true;
        self.contexts = true;
        self.check_method()?;
        Ok(self)
    }

    /// Whether the method can work on this space, and among arms where they are given.
    pub(crate) fn check_method(&self) -> Result<()> {
        self.method.check(&self.space, &self.outputs, self.knowledge.as_ref())?;
        if !self.contexts || self.proposer()?.chooses() {
            return Ok(());
        }
        Err(Error::statement(format!(
            "the method {} cannot choose among arms: take neural-ucb, neural-ts, lin-ucb or lin-ts",
            self.method.name()
        )))
    }

    /// The same with this seed.
    #[must_use]
    pub fn with_seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// The same with this many evaluations to spend.
    #[must_use]
    pub fn with_budget(mut self, budget: u64) -> Self {
        self.budget = Some(budget);
        self
    }

    /// The same with this many evaluations at once.
    #[must_use]
    pub fn with_parallel(mut self, parallel: usize) -> Self {
        self.parallel = parallel.max(1);
        self
    }

    /// The objective.
    pub fn objective(&self) -> &Output {
        self.outputs
            .iter()
            .find(|output| output.goal.is_objective())
            .unwrap_or(&self.outputs[0])
    }

    /// The evaluator that the study names.
    pub fn evaluator(&self) -> Result<Box<dyn Evaluator>> {
        match self.evaluate.as_ref().ok_or(Error::NoEvaluator)? {
            Evaluate::Command(command) => Ok(Box::new(self.program(command))),
            Evaluate::Problem { name, noise } => {
                let problem = hilltop_problem::registry::lookup(name);
                let problem = problem.map_err(|fault| Error::statement(fault.to_string()))?;
                Ok(Box::new(BuiltIn::new(
                    problem,
                    Arc::clone(&self.outputs),
                    *noise,
                    self.seed,
                )?))
            }
        }
    }

    fn program(&self, command: &Command) -> Program {
        Program {
            command: command.command.clone(),
            timeout: command.timeout,
            start_timeout: command.start_timeout,
            retries: command.retries,
            results: command.results.clone(),
            folder: command.folder.clone(),
            parameters: names(&self.space).into(),
            outputs: Arc::clone(&self.outputs),
        }
    }

    /// Whether the parameters are those of a built-in problem.
    pub(crate) fn fits(&self, problem: &str) -> Result<(), String> {
        let Ok(problem) = hilltop_problem::registry::lookup(problem) else {
            return Ok(());
        };
        let names = names(&self.space);
        let missing = (1..=problem.dim())
            .map(|k| format!("x{k}"))
            .find(|name| !names.contains(name));
        match missing {
            Some(missing) => Err(format!(
                "the problem {} takes x1 to x{}, and {missing} is missing: leave [parameters] out to take the problem's own",
                problem.name(),
                problem.dim()
            )),
            None => Ok(()),
        }
    }
}

/// The names of the parameters, or of the columns of a finite space.
pub(crate) fn names(space: &Space) -> Vec<String> {
    match space.candidates() {
        Some(candidates) => candidates.columns().to_vec(),
        None => space
            .parameters()
            .iter()
            .map(|parameter| parameter.name.clone())
            .collect(),
    }
}
