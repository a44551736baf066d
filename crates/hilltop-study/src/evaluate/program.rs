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
    /// How long it may take until the program prints something; one that has not is taken not to have started, whatever
    /// the point.
    pub start_timeout: Option<Duration>,
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

/// What an attempt is about.
#[derive(Clone, Copy)]
struct Errand<'e> {
    trial: u64,
    parameters: &'e Parameters,
    /// The outputs that are wanted; all where there are none.
    wanted: &'e [String],
}

impl Errand<'_> {
    fn fill(&self, template: &Template) -> String {
        template.fill(self.trial, self.parameters)
    }
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
    /// It gave no sign of life in time.
    Mute,
    Stopped,
}

impl Evaluator for Program {
    fn evaluate(&self, trial: u64, parameters: &Parameters, stop: &Stop) -> Option<Evaluation> {
        self.evaluate_some(trial, parameters, &[], stop)
    }

    fn evaluate_some(&self, trial: u64, parameters: &Parameters, wanted: &[String], stop: &Stop) -> Option<Evaluation> {
        let errand = Errand {
            trial,
            parameters,
            wanted,
        };
        let start = Instant::now();
        let mut pause = Duration::from_millis(200);
        for attempt in 0..=self.retries {
            let outcome = self.attempt(errand, stop)?;
            let seconds = start.elapsed().as_secs_f64();
            match outcome {
                Ok(values) => return Some(Evaluation::of_some(&values, &self.outputs, wanted, seconds)),
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

    fn place(&self, errand: Errand<'_>) -> Attempt<Place<'_>> {
        match &self.results {
            Results::LastLine => {}
            Results::File(file) => {
                // A file that is not there is what is wanted; one that stays is overwritten or reported when read.
                let _ = std::fs::remove_file(self.folder.join(errand.fill(file)));
            }
            Results::Coupled(coupling) => {
                let Errand { trial, parameters, .. } = errand;
                let workplace = coupling.prepare(&self.folder, trial, parameters, &self.outputs)?;
                return Ok(Place::Own(coupling, workplace));
            }
        }
        Ok(Place::Shared(&self.folder))
    }

    fn attempt(&self, errand: Errand<'_>, stop: &Stop) -> Option<Attempt<BTreeMap<String, f64>>> {
        let place = match self.place(errand) {
            Ok(place) => place,
            Err(mishap) => return Some(Err(mishap)),
        };
        let outcome = self.attempt_at(&place, errand, stop)?;
        let succeeded = outcome
            .as_ref()
            .is_ok_and(|values| super::complete(values, &self.outputs, errand.wanted).is_ok());
        place.leave(succeeded);
        Some(outcome)
    }

    fn attempt_at(&self, place: &Place<'_>, errand: Errand<'_>, stop: &Stop) -> Option<Attempt<BTreeMap<String, f64>>> {
        let mut child = match self.start(place, errand) {
            Ok(child) => child,
            Err(mishap) => return Some(Err(mishap)),
        };
        let streams = child.stdout.take().zip(child.stderr.take());
        let (printed, complained) = streams.map(|(out, err)| (Tail::of(out, KEPT), Tail::of(err, KEPT)))?;
        let ending = self.wait(&mut child, [&printed, &complained], stop);
        finish(&mut child, [&printed, &complained], &ending);
        let outcome = match ending {
            Ending::Stopped => return None,
            Ending::TimedOut => Err(self.timed_out()),
            Ending::Mute => Err(self.mute()),
            Ending::Exited(status) => exited(status, &complained),
        };
        Some(outcome.and_then(|()| self.collect(place, errand, &printed)))
    }

    fn start(&self, place: &Place<'_>, errand: Errand<'_>) -> Attempt<Child> {
        let mut words = self.command.iter().map(|word| errand.fill(word));
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
        command.env("HILLTOP_TRIAL", errand.trial.to_string());
        command.env(
            "HILLTOP_PARAMETERS",
            serde_json::to_string(errand.parameters).unwrap_or_default(),
        );
        if !errand.wanted.is_empty() {
            command.env("HILLTOP_OUTPUTS", errand.wanted.join(","));
        }
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        signal::lead_group(&mut command);
        let failed = |error| Mishap::transient(format!("{} could not be started: {error}", located.display()));
        command.spawn().map_err(failed)
    }

    /// Looks again and again, at first often, because a program's end and a stop must both be noticed.
    fn wait(&self, child: &mut Child, streams: [&Tail; 2], stop: &Stop) -> Ending {
        let after = |limit: Option<Duration>| limit.and_then(|limit| Instant::now().checked_add(limit));
        let (deadline, mut start) = (after(self.timeout), after(self.start_timeout));
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
            if streams.iter().any(|stream| stream.has_begun()) {
                start = None;
            }
            if start.is_some_and(|start| Instant::now() >= start) {
                return Ending::Mute;
            }
            std::thread::sleep(pause);
            pause = (pause * 3 / 2).min(Duration::from_millis(20));
        }
    }

    fn timed_out(&self) -> Mishap {
        let limit = self.timeout.unwrap_or_default().as_secs_f64();
        Mishap::lasting(format!("timed out after {limit} s"))
    }

    fn mute(&self) -> Mishap {
        let limit = self.start_timeout.unwrap_or_default().as_secs_f64();
        Mishap::transient(format!("did not start: nothing was printed within {limit} s"))
    }

    fn collect(&self, place: &Place<'_>, errand: Errand<'_>, printed: &Tail) -> Attempt<BTreeMap<String, f64>> {
        let text = match (place, &self.results) {
            (Place::Own(coupling, workplace), _) => return coupling.collect(workplace, &self.outputs),
            (Place::Shared(folder), Results::File(file)) => {
                let path = folder.join(errand.fill(file));
                let unread = |error| Mishap::lasting(format!("{} could not be read: {error}", path.display()));
                std::fs::read_to_string(&path).map_err(unread)?
            }
            (Place::Shared(_), _) => {
                let text = printed.text();
                let line = last_line(&text).ok_or_else(|| Mishap::lasting("nothing was printed on standard output"))?;
                line.to_owned()
            }
        };
        answer::parse(&text, &self.outputs, errand.wanted).map_err(Mishap::lasting)
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
