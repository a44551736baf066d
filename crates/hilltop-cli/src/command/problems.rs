//! `hilltop problems`: the table of built-in test problems.

use std::io::Write;

use anyhow::Result;
use hilltop_problem::registry;
use serde_json::json;

use crate::fault::usage;
use crate::table::Table;

/// Lists the built-in test problems, with a line and the source each.
#[derive(clap::Args)]
#[command(
    after_help = "In a study file: [evaluate] problem = \"ackley-10\"; the parameters are then the problem's own, x1, x2, …"
)]
pub(crate) struct Problems {
    /// Only those whose name or line contains this text
    #[arg(value_name = "TEXT")]
    text: Option<String>,
}

impl Problems {
    pub(crate) fn execute(&self, json: bool, out: &mut dyn Write) -> Result<()> {
        let wanted = self.text.as_deref().unwrap_or_default().to_lowercase();
        let matches = |row: &registry::Row| {
            [row.name.as_str(), row.about]
                .iter()
                .any(|text| text.to_lowercase().contains(&wanted))
        };
        let rows: Vec<registry::Row> = registry::all().into_iter().filter(matches).collect();
        if rows.is_empty() {
            return Err(usage(format!(
                "no problem has {wanted:?} in its name or line: `hilltop problems` lists all"
            )));
        }
        if json {
            writeln!(out, "{}", json!({ "problems": rows }))?;
            return Ok(());
        }
        let mut table = Table::plain();
        for row in rows {
            table.row([row.name.clone(), row.about.to_owned()]);
            let limits = match row.constraints {
                0 => String::new(),
                1 => ", 1 unknown constraint".to_owned(),
                many => format!(", {many} unknown constraints"),
            };
            table.row([
                String::new(),
                format!(
                    "dimension {}{limits}; optimum {}; {}",
                    row.dimensions, row.optimum, row.source
                ),
            ]);
        }
        Ok(table.write(out, 0)?)
    }
}
