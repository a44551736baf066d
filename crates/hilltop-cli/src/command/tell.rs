//! `hilltop tell`: what became of a trial.

use std::collections::BTreeMap;
use std::io::Write;

use anyhow::Result;
use hilltop_core::Outcome;
use serde_json::json;

use crate::fault::usage;
use crate::place::Place;

const EXAMPLES: &str = "\
Examples:
  hilltop tell study.toml 3 cost=1.25 stress=240.1
  hilltop tell study.toml 4 --failed \"mesh did not converge\"";

/// Tells what became of a trial.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Tell {
    #[command(flatten)]
    place: Place,
    /// The trial's number
    trial: u64,
    /// What the evaluation reported
    #[arg(value_name = "OUTPUT=VALUE", value_parser = pair, conflicts_with = "failed", required_unless_present = "failed", allow_negative_numbers = true)]
    outputs: Vec<(String, f64)>,
    /// The evaluation failed, for this reason
    #[arg(long, value_name = "REASON")]
    failed: Option<String>,
    /// How long the evaluation took
    #[arg(long, value_name = "SECONDS")]
    seconds: Option<f64>,
}

impl Tell {
    pub(crate) fn execute(&self, json: bool, out: &mut dyn Write) -> Result<()> {
        let outcome = match &self.failed {
            Some(reason) => Outcome::Failed(reason.clone()),
            None => Outcome::Outputs(self.values()?),
        };
        self.place.existing()?.tell_after(self.trial, &outcome, self.seconds)?;
        if json {
            writeln!(out, "{}", json!({ "told": { "trial": self.trial } }))?;
        } else {
            writeln!(out, "told trial {}", self.trial)?;
        }
        Ok(())
    }

    fn values(&self) -> Result<BTreeMap<String, f64>> {
        let mut values = BTreeMap::new();
        for (name, value) in &self.outputs {
            if values.insert(name.clone(), *value).is_some() {
                return Err(usage(format!("output {name} is given twice")));
            }
        }
        Ok(values)
    }
}

fn pair(text: &str) -> Result<(String, f64), String> {
    let (name, value) = text.split_once('=').ok_or("write OUTPUT=VALUE, such as cost=1.25")?;
    let value = value.trim().parse().map_err(|_| format!("{value:?} is not a number"))?;
    Ok((name.trim().to_owned(), value))
}
