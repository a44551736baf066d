//! `hilltop session`: the line protocol on standard input and output.

use std::io::Write;

use anyhow::Result;

use crate::place::Place;

const EXAMPLES: &str = "\
One JSON object a line, both ways:
  > {\"ask\": 2}
  < {\"trials\": [{\"trial\": 0, \"parameters\": {…}}, {\"trial\": 1, …}]}
  > {\"tell\": {\"trial\": 0, \"outputs\": {\"cost\": 1.25}}}
  < {\"told\": {\"trial\": 0}}
  > {\"tell\": {\"trial\": 1, \"failed\": \"mesh did not converge\"}}
  > {\"add\": {\"parameters\": {…}, \"outputs\": {…}}}
  > {\"best\": true}
  > {\"ask\": 1, \"arms\": [[0.1, 0.7], [0.3, -0.2]]}    in a study with [contexts]

What is wrong is answered by {\"error\": {\"code\": …, \"message\": …}} and the session goes on.";

/// Serves the line protocol on standard input and output.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Session {
    #[command(flatten)]
    place: Place,
}

impl Session {
    pub(crate) fn execute(&self, out: &mut dyn Write) -> Result<()> {
        let study = self.place.open()?;
        Ok(hilltop_study::session::serve(&study, std::io::stdin().lock(), out)?)
    }
}
