//! Any program as the black box: started anew for every trial, with a timeout, retries and captured output.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use hilltop_core::{Output, Parameters};

use super::coupling::{Coupling, Workplace};
use super::mishap::{Attempt, Mishap, exited};
use super::tail::{Tail, last_line};
use super::{Evaluation, Evaluator, Stop, Template, answer, signal};
use crate::{Error, Result};

/// How much of each stream is kept.
const KEPT: usize = 1 << 20;
/// How long a program may take to end when asked to, and its streams to end after it.
const GRACE: Duration = Duration::from_secs(2);
/// A program that evaluates trials.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    /// The program and its arguments.
    pub command: Vec<Template>,
    /// How long one attempt may take.
    pub timeout: Option<Duration>,
    /// How often an attempt is repeated that failed for a reason other than the point.
    pub retries: u64,
    /// Where the outputs are found.
    pub results: Results,
    /// The working directory.
    pub folder: PathBuf,
    /// The names of all parameters.
    pub parameters: Arc<[String]>,
    /// What the program reports.
    pub outputs: Arc<[Output]>,
}

/// Where a program leaves its outputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Results {
    /// On the last line of its standard output.
    LastLine,
    /// In a file, relative to the working directory; removed before each attempt.
    File(Template),
    /// In a file of a work directory that each trial has for itself.
    Coupled(Coupling),
}

/// Where an attempt runs.
enum Place<'p> {
    /// In the folder of the study file.
    Shared(&'p Path),
    /// In a work directory.
    Own(&'p Coupling, Workplace),
}

impl Place<'_> {
    fn folder(&self) -> &Path {
        match self {
            Self::Shared(folder) => folder,
            Self::Own(_, workplace) => workplace.folder(),
        }
    }

    /// What the program is told beyond its own arguments: the names of its files.
    fn files(&self) -> impl Iterator<Item = &str> {
        let files = match self {
            Self::Shared(_) => None,
            Self::Own(coupling, _) => Some([coupling.parameters.as_str(), coupling.results.as_str()]),
        };
        files.into_iter().flatten()
    }

    fn leave(&self, succeeded: bool) {
        if let Self::Own(coupling, workplace) = self {
            coupling.leave(workplace, succeeded);
        }
    }
}

/// How a program that was waited for ended.
enum Ending {
    Exited(ExitStatus),
    TimedOut,
    Stopped,
}

impl Evaluator for Program {
    fn evaluate(&self, trial: u64, parameters: &Parameters, stop: &Stop) -> Option<Evaluation> {
        let start = Instant::now();
        let mut pause = Duration::from_millis(200);
        for attempt in 0..=self.retries {
            let outcome = self.attempt(trial, parameters, stop)?;
            let seconds = start.elapsed().as_secs_f64();
            match outcome {
                Ok(values) => return Some(Evaluation::of(&values, &self.outputs, seconds)),
                Err(mishap) if mishap.transient && attempt < self.retries => rest(&mut pause, stop)?,
                Err(mishap) if mishap.transient => return Some(Evaluation::accident(mishap.reason, seconds)),
                Err(mishap) => return Some(Evaluation::failed(mishap.reason, seconds)),
            }
        }
        None
    }

    fn ready(&self) -> Result<()> {
        self.locate()?;
        if let Results::Coupled(coupling) = &self.results {
            let names: Vec<&str> = self.parameters.iter().map(String::as_str).collect();
            coupling.ready(&self.folder, &names).map_err(Error::statement)?;
        }
        Ok(())
    }
}

/// Waits before the next attempt, a little longer each time.
fn rest(pause: &mut Duration, stop: &Stop) -> Option<()> {
    let until = Instant::now() + *pause;
    while Instant::now() < until {
        if stop.is_requested() {
            return None;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    *pause = (*pause * 2).min(Duration::from_secs(10));
    Some(())
}

impl Program {
    /// Where the program is: beside the study file when its name has a folder in it, else on the search path.
    pub fn locate(&self) -> Result<PathBuf> {
        let name = self.command.first().map(ToString::to_string).unwrap_or_default();
        if self
            .command
            .first()
            .is_some_and(|first| first.placeholders().next().is_some())
        {
            return Ok(name.into());
        }
        let missing = |place: String| Error::Program {
            program: name.clone(),
            place,
        };
        if let Some(path) = self.beside(&name) {
            return Ok(path);
        }
        if Path::new(&name).components().count() > 1 {
            let path = self.folder.join(&name);
            return if path.is_file() {
                Ok(path)
            } else {
                Err(missing(format!("at {}", path.display())))
            };
        }
        searched(&name).ok_or_else(|| missing("on the search path".to_owned()))
    }

    /// A coupled program or a file that it is given, which may stand beside the study file: it runs elsewhere.
    fn beside(&self, word: &str) -> Option<PathBuf> {
        let coupled = matches!(self.results, Results::Coupled(_)) && !word.is_empty();
        let path = coupled.then(|| self.folder.join(word)).filter(|path| path.is_file())?;
        std::path::absolute(path).ok()
    }

    fn place(&self, trial: u64, parameters: &Parameters) -> Attempt<Place<'_>> {
        match &self.results {
            Results::LastLine => {}
            Results::File(file) => {
                // A file that is not there is what is wanted; one that stays is overwritten or reported when read.
                let _ = std::fs::remove_file(self.folder.join(file.fill(trial, parameters)));
            }
            Results::Coupled(coupling) => {
                let workplace = coupling.prepare(&self.folder, trial, parameters, &self.outputs)?;
                return Ok(Place::Own(coupling, workplace));
            }
        }
        Ok(Place::Shared(&self.folder))
    }

    fn attempt(&self, trial: u64, parameters: &Parameters, stop: &Stop) -> Option<Attempt<BTreeMap<String, f64>>> {
        let place = match self.place(trial, parameters) {
            Ok(place) => place,
            Err(mishap) => return Some(Err(mishap)),
        };
        let outcome = self.attempt_at(&place, trial, parameters, stop)?;
        let succeeded = outcome
            .as_ref()
            .is_ok_and(|values| super::complete(values, &self.outputs).is_ok());
        place.leave(succeeded);
        Some(outcome)
    }

    fn attempt_at(
        &self,
        place: &Place<'_>,
        trial: u64,
        parameters: &Parameters,
        stop: &Stop,
    ) -> Option<Attempt<BTreeMap<String, f64>>> {
        let mut child = match self.start(place, trial, parameters) {
            Ok(child) => child,
            Err(mishap) => return Some(Err(mishap)),
        };
        let streams = child.stdout.take().zip(child.stderr.take());
        let (printed, complained) = streams.map(|(out, err)| (Tail::of(out, KEPT), Tail::of(err, KEPT)))?;
        let ending = self.wait(&mut child, stop);
        finish(&mut child, [&printed, &complained], &ending);
        let outcome = match ending {
            Ending::Stopped => return None,
            Ending::TimedOut => Err(self.timed_out()),
            Ending::Exited(status) => exited(status, &complained),
        };
        Some(outcome.and_then(|()| self.collect(place, trial, parameters, &printed)))
    }

    fn start(&self, place: &Place<'_>, trial: u64, parameters: &Parameters) -> Attempt<Child> {
        let mut words = self.command.iter().map(|word| word.fill(trial, parameters));
        let named = words.next().unwrap_or_default();
        let located = match self.beside(&named) {
            Some(path) => path,
            None if Path::new(&named).components().count() > 1 => self.folder.join(&named),
            None => named.into(),
        };
        let mut command = Command::new(&located);
        let argument = |word: String| self.beside(&word).map_or(word.into(), PathBuf::into_os_string);
        command.args(words.map(argument)).args(place.files());
        command.current_dir(place.folder());
        command.env("HILLTOP_TRIAL", trial.to_string());
        command.env(
            "HILLTOP_PARAMETERS",
            serde_json::to_string(parameters).unwrap_or_default(),
        );
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        signal::lead_group(&mut command);
        let failed = |error| Mishap::transient(format!("{} could not be started: {error}", located.display()));
        command.spawn().map_err(failed)
    }

    /// Looks again and again, at first often, because a program's end and a stop must both be noticed.
    fn wait(&self, child: &mut Child, stop: &Stop) -> Ending {
        let deadline = self.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let mut pause = Duration::from_micros(500);
        loop {
            if let Ok(Some(status)) = child.try_wait() {
                return Ending::Exited(status);
            }
            if stop.is_requested() {
                return Ending::Stopped;
            }
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                return Ending::TimedOut;
            }
            std::thread::sleep(pause);
            pause = (pause * 3 / 2).min(Duration::from_millis(20));
        }
    }

    fn timed_out(&self) -> Mishap {
        let limit = self.timeout.unwrap_or_default().as_secs_f64();
        Mishap::lasting(format!("timed out after {limit} s"))
    }

    fn collect(
        &self,
        place: &Place<'_>,
        trial: u64,
        parameters: &Parameters,
        printed: &Tail,
    ) -> Attempt<BTreeMap<String, f64>> {
        let text = match (place, &self.results) {
            (Place::Own(coupling, workplace), _) => return coupling.collect(workplace, &self.outputs),
            (Place::Shared(folder), Results::File(file)) => {
                let path = folder.join(file.fill(trial, parameters));
                let unread = |error| Mishap::lasting(format!("{} could not be read: {error}", path.display()));
                std::fs::read_to_string(&path).map_err(unread)?
            }
            (Place::Shared(_), _) => {
                let text = printed.text();
                let line = last_line(&text).ok_or_else(|| Mishap::lasting("nothing was printed on standard output"))?;
                line.to_owned()
            }
        };
        answer::parse(&text, &self.outputs).map_err(Mishap::lasting)
    }
}

/// Leaves nothing behind: what was stopped is ended, and so is what keeps the streams of an ended program open.
fn finish(child: &mut Child, streams: [&Tail; 2], ending: &Ending) {
    if !matches!(ending, Ending::Exited(_)) {
        signal::terminate(child);
        let until = Instant::now() + GRACE;
        while matches!(child.try_wait(), Ok(None)) && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(5));
        }
        signal::kill(child);
        // The group has been killed; this only takes the dead program off the system's list.
        let _ = child.wait();
    }
    let patient = Instant::now() + GRACE;
    if !streams.iter().all(|stream| stream.ends_by(patient)) {
        signal::kill(child);
        let brief = Instant::now() + Duration::from_millis(200);
        for stream in streams {
            stream.ends_by(brief);
        }
    }
}

/// A program on the search path; on Windows also under the usual extensions.
fn searched(name: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    let endings: &[&str] = if cfg!(windows) {
        &["", ".exe", ".cmd", ".bat", ".com"]
    } else {
        &[""]
    };
    let found = |folder: PathBuf| endings.iter().map(move |ending| folder.join(format!("{name}{ending}")));
    std::env::split_paths(&folders)
        .flat_map(found)
        .find(|path| path.is_file())
}
