//! `hilltop ask`: points to be evaluated by hand.

use std::io::Write;

use anyhow::Result;
use serde_json::json;

use crate::place::Place;

const EXAMPLES: &str = "\
Examples:
  hilltop ask study.toml              trial 0: length = 31.2, steel = s355
  hilltop ask study.toml -n 4 --json  {\"trials\": [{\"trial\": 1, \"parameters\": {…}}, …]}

Tell what became of them with `hilltop tell`. The budget is a matter of `hilltop run` and not looked at here.";

/// Suggests points, to be evaluated and told by you.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Ask {
    #[command(flatten)]
    place: Place,
    /// How many points
    #[arg(short = 'n', long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    count: u64,
}

impl Ask {
    pub(crate) fn execute(&self, json: bool, out: &mut dyn Write) -> Result<()> {
        let asked = self.place.open()?.ask(self.count as usize)?;
        if json {
            let trials: Vec<_> = asked
                .iter()
                .map(|asked| json!({ "trial": asked.trial, "parameters": asked.parameters }))
                .collect();
            writeln!(out, "{}", json!({ "trials": trials }))?;
            return Ok(());
        }
        for asked in asked {
            writeln!(out, "trial {}: {}", asked.trial, asked.parameters)?;
        }
        Ok(())
    }
}
