//! The fold over a journal: the trials of a study as of a position.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hilltop_core::{Event, FORMAT, Outcome, Output, Parameters, Space};

use crate::trial::{State, Trial};
use crate::{Error, Result};

/// How many memories of proposers are kept. Only the latest is ever wanted; a trial that is proposed again after a
/// crash wants one of those shortly before it.
const MEMORIES: usize = 64;

/// Everything that the events so far say.
#[derive(Clone, Debug)]
pub(crate) struct Ledger {
    space: Arc<Space>,
    outputs: Arc<[Output]>,
    position: u64,
    description: Option<serde_json::Value>,
    trials: Vec<Trial>,
    pointed: Vec<u64>,
    settled: Vec<u64>,
    open: BTreeSet<u64>,
    reserved: BTreeSet<u64>,
    begun: u64,
    memories: BTreeMap<u64, serde_json::Value>,
}

impl Ledger {
    pub(crate) fn new(space: Arc<Space>, outputs: Arc<[Output]>) -> Self {
        Self {
            space,
            outputs,
            position: 0,
            description: None,
            trials: Vec::new(),
            pointed: Vec::new(),
            settled: Vec::new(),
            open: BTreeSet::new(),
            reserved: BTreeSet::new(),
            begun: 0,
            memories: BTreeMap::new(),
        }
    }

    /// How many events have been folded.
    pub(crate) fn position(&self) -> u64 {
        self.position
    }

    /// The study as its first event describes it.
    pub(crate) fn description(&self) -> Option<&serde_json::Value> {
        self.description.as_ref()
    }

    pub(crate) fn trials(&self) -> &[Trial] {
        &self.trials
    }

    pub(crate) fn trial(&self, number: u64) -> Result<&Trial> {
        let unknown = Error::UnknownTrial {
            trial: number,
            begun: self.trials.len() as u64,
        };
        usize::try_from(number)
            .ok()
            .and_then(|index| self.trials.get(index))
            .ok_or(unknown)
    }

    /// The number that the next trial will have.
    pub(crate) fn next(&self) -> u64 {
        self.trials.len() as u64
    }

    /// How many trials have begun, those from elsewhere not counted.
    pub(crate) fn begun(&self) -> u64 {
        self.begun
    }

    /// The trials with a point, in the order in which they got it.
    pub(crate) fn pointed(&self) -> &[u64] {
        &self.pointed
    }

    /// The trials that ended, in the order in which they did.
    pub(crate) fn settled(&self) -> &[u64] {
        &self.settled
    }

    /// The trials that have begun and not ended, by number.
    pub(crate) fn open(&self) -> impl Iterator<Item = &Trial> {
        self.open.iter().map(|number| &self.trials[*number as usize])
    }

    /// The trials whose point has not been found, by number.
    pub(crate) fn reserved(&self) -> impl Iterator<Item = &Trial> {
        self.reserved.iter().map(|number| &self.trials[*number as usize])
    }

    /// What the proposer of the latest trial before this one left.
    pub(crate) fn memory_before(&self, trial: u64) -> Option<&serde_json::Value> {
        self.memories.range(..trial).next_back().map(|(_, memory)| memory)
    }

    /// The values of a complete trial in the order of the outputs; none where an output was not wanted.
    pub(crate) fn values(&self, trial: &Trial) -> Vec<Option<f64>> {
        let value = |output: &Output| {
            trial
                .outputs
                .as_ref()
                .and_then(|values| values.get(&output.name))
                .copied()
        };
        self.outputs.iter().map(value).collect()
    }

    /// Folds the next event. An event that cannot follow changes nothing.
    pub(crate) fn apply(&mut self, event: Event) -> Result<()> {
        match event {
            Event::Created { format, study } => self.create(format, study)?,
            _ if self.description.is_none() => return Err(self.contradiction("the first event must create the study")),
            Event::Reserved { trial, worker } => self.reserve(trial, worker)?,
            Event::Asked {
                trial,
                parameters,
                horizon,
                memory,
                choice,
                outputs,
            } => {
                self.ask(trial, parameters, horizon, memory)?;
                let asked = &mut self.trials[trial as usize];
                asked.arm = choice.map(|choice| choice.arm);
                asked.wanted = outputs;
            }
            Event::Adopted { trial, worker } => self.adopt(trial, worker)?,
            Event::Told {
                trial,
                outcome,
                seconds,
                accidental,
            } => {
                self.tell(trial, outcome, seconds)?;
                self.trials[trial as usize].accidental = accidental;
            }
            Event::Added {
                trial,
                parameters,
                outcome,
            } => self.add(trial, parameters, outcome)?,
        }
        self.position += 1;
        Ok(())
    }

    fn create(&mut self, format: u32, study: serde_json::Value) -> Result<()> {
        if format > FORMAT {
            return Err(Error::Newer {
                found: format,
                supported: FORMAT,
            });
        }
        if self.description.is_some() {
            return Err(self.contradiction("the study is created twice"));
        }
        self.description = Some(study);
        Ok(())
    }

    /// Takes the next number, or a number again whose point has not been found.
    fn reserve(&mut self, number: u64, worker: Option<String>) -> Result<()> {
        if number == self.next() {
            self.trials.push(Trial::reserved(number, worker));
            self.open.insert(number);
            self.reserved.insert(number);
            self.begun += 1;
            return Ok(());
        }
        let state = self.trial(number).map(|trial| trial.state);
        match state {
            Ok(State::Reserved) => self.trials[number as usize].worker = worker,
            _ => return Err(self.contradiction(format!("trial {number} cannot be reserved"))),
        }
        Ok(())
    }

    fn ask(
        &mut self,
        number: u64,
        parameters: Parameters,
        horizon: Option<u64>,
        memory: Option<serde_json::Value>,
    ) -> Result<()> {
        self.expect(number, State::Reserved, "got a point")?;
        let point = self.point(&parameters)?;
        let trial = &mut self.trials[number as usize];
        trial.state = State::Running;
        trial.parameters = Some(parameters);
        trial.horizon = horizon;
        trial.point = point;
        self.reserved.remove(&number);
        self.pointed.push(number);
        self.remember(number, memory);
        Ok(())
    }

    fn remember(&mut self, number: u64, memory: Option<serde_json::Value>) {
        self.memories.extend(memory.map(|memory| (number, memory)));
        if self.memories.len() > MEMORIES {
            self.memories.pop_first();
        }
    }

    fn adopt(&mut self, number: u64, worker: String) -> Result<()> {
        if !self.open.contains(&number) {
            return Err(self.contradiction(format!("trial {number} is adopted and is not open")));
        }
        self.trials[number as usize].worker = Some(worker);
        Ok(())
    }

    fn tell(&mut self, number: u64, outcome: Outcome, seconds: Option<f64>) -> Result<()> {
        self.expect(number, State::Running, "was told")?;
        self.complete(&outcome, &self.trials[number as usize].wanted)?;
        self.trials[number as usize].seconds = seconds;
        self.settle(number, outcome);
        Ok(())
    }

    fn add(&mut self, number: u64, parameters: Parameters, outcome: Outcome) -> Result<()> {
        if number != self.next() {
            return Err(self.contradiction(format!("trial {number} is added where {} is next", self.next())));
        }
        self.complete(&outcome, &[])?;
        let point = self.point(&parameters)?;
        self.trials.push(Trial {
            added: true,
            point,
            parameters: Some(parameters),
            ..Trial::reserved(number, None)
        });
        self.pointed.push(number);
        self.settle(number, outcome);
        Ok(())
    }

    fn settle(&mut self, number: u64, outcome: Outcome) {
        self.trials[number as usize].settle(outcome);
        self.open.remove(&number);
        self.settled.push(number);
    }

    fn expect(&self, number: u64, state: State, happened: &str) -> Result<()> {
        match self.trial(number) {
            Ok(trial) if trial.state == state => Ok(()),
            Ok(trial) => Err(self.contradiction(format!("trial {number} {happened} and is {}", trial.state.word()))),
            Err(_) => Err(self.contradiction(format!("trial {number} {happened} and has not begun"))),
        }
    }

    fn complete(&self, outcome: &Outcome, wanted: &[String]) -> Result<()> {
        let Outcome::Outputs(values) = outcome else {
            return Ok(());
        };
        let due = self.outputs.iter().filter(|output| is_due(&output.name, wanted));
        let mut missing = due.filter(|output| !values.get(&output.name).is_some_and(|value| value.is_finite()));
        match missing.next() {
            Some(output) => Err(self.contradiction(format!("output {} is missing", output.name))),
            None => Ok(()),
        }
    }

    fn point(&self, parameters: &Parameters) -> Result<Vec<f64>> {
        self.space
            .encode(parameters)
            .map_err(|error| self.contradiction(error.to_string()))
    }

    fn contradiction(&self, message: impl Into<String>) -> Error {
        Error::Contradiction {
            position: self.position,
            message: message.into(),
        }
    }
}

/// Whether a trial that wants these outputs must give one; all where it names none.
pub(crate) fn is_due(output: &str, wanted: &[String]) -> bool {
    wanted.is_empty() || wanted.iter().any(|name| name == output)
}
