//! `hilltop methods`: the table of methods.

use std::io::Write;

use anyhow::Result;
use hilltop_method::registry;
use serde_json::json;

use crate::table::Table;

/// Lists the methods, with a line and the paper each.
#[derive(clap::Args)]
#[command(
    after_help = "In a study file: method = \"neural-bo\", or with settings: method = { name = \"neural-bo\", width = 500 }"
)]
pub(crate) struct Methods {}

impl Methods {
    pub(crate) fn execute(&self, json: bool, out: &mut dyn Write) -> Result<()> {
        if json {
            let methods: Vec<_> = registry::methods()
                .iter()
                .map(|entry| json!({ "name": entry.name, "about": entry.about, "paper": entry.paper }))
                .collect();
            writeln!(out, "{}", json!({ "methods": methods }))?;
            return Ok(());
        }
        let mut table = Table::plain();
        for entry in registry::methods() {
            table.row([entry.name, entry.about]);
            table.row(["", entry.paper]);
        }
        Ok(table.write(out, 0)?)
    }
}
