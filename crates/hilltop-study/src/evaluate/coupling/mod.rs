//! File coupling as Dakota has it: a work directory for each trial with a parameters file, a program that is called with the names
//! of two files, and the results file that it leaves.

mod form;
mod results;
mod sheet;

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use hilltop_core::{Output, Parameters};

use super::Template;
use super::mishap::{Attempt, Mishap};
use form::Form;

/// How a program is given its parameters and gives back its outputs in files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coupling {
    /// How the parameters file is written.
    pub format: Format,
    /// The name of the parameters file, the program's first further argument.
    pub parameters: String,
    /// The name of the results file, the second.
    pub results: String,
    /// The work directory of a trial, relative to the study file's folder.
    pub work: Template,
    /// Which work directories stay.
    pub keep: Keep,
    /// Files beside the study file that are copied into every work directory.
    pub copy: Vec<String>,
    /// Files that are written into every work directory from a template beside the study file: their names, and the templates'.
    pub templates: Vec<(String, String)>,
}

/// How a parameters file is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// A value and its name a line.
    #[default]
    Standard,
    /// `{ name = value }`, for APREPRO.
    Aprepro,
    /// One JSON object.
    Json,
}

/// Which work directories stay after their trial.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keep {
    /// Every one.
    All,
    /// Those of trials that failed.
    #[default]
    Failed,
    /// None.
    None,
}

impl Format {
    /// Every format with its name.
    pub const NAMED: [(&'static str, Self); 3] = [
        ("standard", Self::Standard),
        ("aprepro", Self::Aprepro),
        ("json", Self::Json),
    ];
}

impl Keep {
    /// Every choice with its name.
    pub const NAMED: [(&'static str, Self); 3] = [("all", Self::All), ("failed", Self::Failed), ("none", Self::None)];
}

impl Default for Coupling {
    fn default() -> Self {
        Self {
            format: Format::default(),
            parameters: "params.in".to_owned(),
            results: "results.out".to_owned(),
            work: Template::trial("work/trial-"),
            keep: Keep::default(),
            copy: Vec::new(),
            templates: Vec::new(),
        }
    }
}

/// The work directory of an attempt.
pub(super) struct Workplace {
    folder: PathBuf,
    /// Whether nobody but this study has put anything there.
    own: bool,
}

impl Workplace {
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }
}

impl Coupling {
    /// What the study says of it, in the words of the study file.
    pub(crate) fn described(&self) -> serde_json::Value {
        let name = |named: &[(&'static str, Format)]| {
            named
                .iter()
                .find(|(_, format)| *format == self.format)
                .map(|(name, _)| *name)
        };
        let keep = Keep::NAMED
            .iter()
            .find(|(_, keep)| *keep == self.keep)
            .map(|(name, _)| *name);
        serde_json::json!({
            "name": "dakota",
            "format": name(&Format::NAMED),
            "parameters": self.parameters,
            "results": self.results,
            "work": self.work.to_string(),
            "keep": keep,
            "copy": self.copy,
            "templates": self.templates.iter().cloned().collect::<BTreeMap<_, _>>(),
        })
    }

    /// Whether every file that it needs is there and can be understood, where these are the names of parameters.
    pub(super) fn ready(&self, folder: &Path, names: &[&str]) -> Result<(), String> {
        for file in &self.copy {
            let path = folder.join(file);
            if !path.is_file() {
                return Err(format!("the file {} to be copied is not there", path.display()));
            }
        }
        for (_, from) in &self.templates {
            let form = form_of(folder, from)?;
            if let Some(unknown) = form.unknown(names) {
                return Err(format!(
                    "{from}: {unknown} is no parameter; {{{{ and }}}} are braces of their own"
                ));
            }
        }
        Ok(())
    }

    /// Makes the work directory with everything that the program finds in it, and nothing that an earlier attempt left as its results.
    pub(super) fn prepare(
        &self,
        folder: &Path,
        trial: u64,
        parameters: &Parameters,
        outputs: &[Output],
    ) -> Attempt<Workplace> {
        let work = folder.join(self.work.fill(trial, parameters));
        let unmade = |error: io::Error| Mishap::transient(format!("{} could not be prepared: {error}", work.display()));
        let own = !work.exists() || work.join(&self.parameters).is_file();
        fs::create_dir_all(&work).map_err(unmade)?;
        // A file that is not there is what is wanted; one that stays is reported when it is read or overwritten.
        let _ = fs::remove_file(work.join(&self.results));
        for file in &self.copy {
            let name = Path::new(file).file_name().unwrap_or_default();
            fs::copy(folder.join(file), work.join(name)).map_err(unmade)?;
        }
        for (to, from) in &self.templates {
            let text = form_of(folder, from).and_then(|form| form.fill(trial, parameters));
            fs::write(work.join(to), text.map_err(Mishap::lasting)?).map_err(unmade)?;
        }
        let sheet = sheet::written(self.format, trial, parameters, outputs);
        fs::write(work.join(&self.parameters), sheet).map_err(unmade)?;
        let folder = fs::canonicalize(&work).map_err(unmade)?;
        Ok(Workplace { folder, own })
    }

    /// What the program left.
    pub(super) fn collect(&self, workplace: &Workplace, outputs: &[Output]) -> Attempt<BTreeMap<String, f64>> {
        let path = workplace.folder.join(&self.results);
        let unread = |error| Mishap::lasting(format!("{} could not be read: {error}", self.results));
        let bytes = fs::read(&path).map_err(unread)?;
        results::parse(&String::from_utf8_lossy(&bytes), outputs).map_err(Mishap::lasting)
    }

    /// Removes what need not stay.
    pub(super) fn leave(&self, workplace: &Workplace, succeeded: bool) {
        let stays = match self.keep {
            Keep::All => true,
            Keep::Failed => !succeeded,
            Keep::None => false,
        };
        if !stays && workplace.own {
            // What cannot be removed is in nobody's way: the next trial has a directory of its own.
            let _ = fs::remove_dir_all(&workplace.folder);
        }
    }
}

fn form_of(folder: &Path, from: &str) -> Result<Form, String> {
    let text = fs::read_to_string(folder.join(from)).map_err(|error| format!("{from} could not be read: {error}"))?;
    Form::parse(&text).map_err(|reason| format!("{from}: {reason}"))
}
