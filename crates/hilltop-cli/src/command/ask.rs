//! `hilltop ask`: points to be evaluated by hand.

use std::io::Write;

use anyhow::{Context, Result};
use serde_json::json;

use crate::fault::{usage, whole};
use crate::place::Place;

const EXAMPLES: &str = "\
Examples:
  hilltop ask study.toml              trial 0: length = 31.2, steel = s355
  hilltop ask study.toml -n 4 --json  {\"trials\": [{\"trial\": 1, …}, …]}
  hilltop ask bandit.toml --arms '[[0.1, 0.7], [0.3, -0.2]]'
  hilltop ask bandit.toml --arms - < round.json

Tell what became of them with `hilltop tell`. The budget is a matter of `hilltop run` and not looked at here.";

/// Suggests points, to be evaluated and told by you.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Ask {
    #[command(flatten)]
    place: Place,
    /// How many points
    #[arg(short = 'n', long, value_name = "K", default_value_t = 1, value_parser = whole(1, 10_000), allow_negative_numbers = true)]
    count: u64,
    /// The arms of this round, a JSON list of lists of numbers, where the study has a table of contexts; `-` reads standard input
    #[arg(long, value_name = "JSON", allow_hyphen_values = true)]
    arms: Option<String>,
}

impl Ask {
    pub(crate) fn execute(&self, json: bool, out: &mut dyn Write) -> Result<()> {
        let study = self.place.open()?;
        let asked = match self.given()? {
            Some(arms) => study.ask_among(self.count as usize, &arms)?,
            None => study.ask(self.count as usize)?,
        };
        if json {
            let trials: Vec<_> = asked.iter().map(hilltop_study::Asked::described).collect();
            writeln!(out, "{}", json!({ "trials": trials }))?;
            return Ok(());
        }
        for asked in asked {
            let arm = asked.arm.map(|arm| format!("arm {arm}, ")).unwrap_or_default();
            writeln!(out, "trial {}: {arm}{}", asked.trial, asked.parameters)?;
        }
        Ok(())
    }

    /// The arms as they were typed or piped in.
    fn given(&self) -> Result<Option<Vec<Vec<f64>>>> {
        let Some(typed) = &self.arms else { return Ok(None) };
        let text = match typed.as_str() {
            "-" => std::io::read_to_string(std::io::stdin()).context("the arms on standard input cannot be read")?,
            typed => typed.to_owned(),
        };
        hilltop_study::session::arms(&text)
            .map(Some)
            .map_err(|message| usage(format!("--arms: {message}")))
    }
}
