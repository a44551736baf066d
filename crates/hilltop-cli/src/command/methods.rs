//! `hilltop methods`: the table of methods.

use std::io::Write;

use anyhow::Result;
use hilltop_method::registry::{self, Entry};
use serde_json::json;

use crate::fault::usage;
use crate::table::Table;

/// Lists the methods, with a line and the paper each.
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
            let described = |entry: &&Entry| json!({ "name": entry.name, "about": entry.about, "paper": entry.paper });
            writeln!(
                out,
                "{}",
                json!({ "methods": entries.iter().map(described).collect::<Vec<_>>() })
            )?;
            return Ok(());
        }
        let mut table = Table::plain();
        for entry in entries {
            table.row([entry.name, entry.about]);
            table.row(["", entry.paper]);
        }
        Ok(table.write(out, 0)?)
    }
}
