//! `hilltop methods`: the table of methods.

use std::io::Write;

use anyhow::Result;
use hilltop_method::registry::{self, Entry};
use serde_json::{Value, json};

use crate::fault::usage;
use crate::table::{Table, broken, terminal};

/// Lists the methods: what each is, works on, comes from and costs.
#[derive(clap::Args)]
#[command(
    after_help = "In a study file: method = \"neural-bo\", or with settings: method = { name = \"neural-bo\", width = 500 }"
)]
pub(crate) struct Methods {
    /// Only those whose name or line contains this text
    #[arg(value_name = "TEXT")]
    text: Option<String>,
}

impl Methods {
    pub(crate) fn execute(&self, json: bool, out: &mut dyn Write) -> Result<()> {
        let wanted = self.text.as_deref().unwrap_or_default().to_lowercase();
        let matches = |entry: &&Entry| {
            [entry.name, entry.about]
                .iter()
                .any(|text| text.to_lowercase().contains(&wanted))
        };
        let entries: Vec<&Entry> = registry::methods().iter().filter(matches).collect();
        if entries.is_empty() {
            return Err(usage(format!(
                "no method has {wanted:?} in its name or line: `hilltop methods` lists all"
            )));
        }
        if json {
            let described: Vec<Value> = entries.into_iter().map(described).collect();
            writeln!(
                out,
                "{}",
                json!({ "methods": described, "measured": registry::MEASURED })
            )?;
            return Ok(());
        }
        let mut table = Table::headed(&[
            "name",
            "seconds",
            "batch",
            "what it is, what it works on, where it comes from",
        ]);
        for entry in entries {
            table.row([entry.name, &seconds(entry), entry.batch, entry.about]);
            table.row(["", "", "", entry.needs]);
            table.row(["", "", "", entry.paper]);
        }
        table.write(out, 0)?;
        let legend = format!("{LEGEND} seconds: a suggestion, {}.", registry::MEASURED);
        let lines = broken(&legend, terminal());
        writeln!(out, "\n{}", lines.join("\n"))?;
        Ok(())
    }
}

const LEGEND: &str = "Arms are given with the ask (contextual bandits), arrays are candidates with a shape. batch: in turn, each point \
                      knows those before it as under way; at once, points do not depend on each other.";

fn described(entry: &Entry) -> Value {
    json!({
        "name": entry.name, "about": entry.about, "paper": entry.paper,
        "needs": entry.needs, "batch": entry.batch, "seconds": entry.seconds,
    })
}

/// Two digits of the cost, or a dash where there is no telling.
fn seconds(entry: &Entry) -> String {
    match entry.seconds {
        None => "–".into(),
        Some(seconds) if seconds < 0.001 => "< 0.001".into(),
        Some(seconds) => {
            let digits = (1.0 - seconds.log10().floor()).clamp(0.0, 4.0) as usize;
            format!("{seconds:.digits$}")
        }
    }
}
