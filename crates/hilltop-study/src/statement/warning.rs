//! What a study may say and yet hardly means.

use std::collections::BTreeSet;

use hilltop_core::{Goal, Kind, Output};
use hilltop_method::{Recipe, registry};

use super::{Command, Evaluate, Statement};
use crate::evaluate::{Evaluator, Results, Template};

impl Statement {
    /// What is allowed and yet may surprise.
    pub fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        let limited = |output: &&Output| matches!(output.goal, Goal::Within { .. });
        let names: Vec<&str> = self
            .outputs
            .iter()
            .filter(limited)
            .map(|output| output.name.as_str())
            .collect();
        let method = self.method.name();
        if !names.is_empty() && ["random", "sobol", "cma-es"].contains(&method) {
            warnings.push(format!(
                "the method {method} does not learn the limits of {}: results are ranked by them, suggestions are not kept within them",
                names.join(", ")
            ));
        }
        if self.knowledge.is_some() && !self.method.takes_physics() {
            let able: Vec<String> = methods_with_physics().map(|name| format!(", {name} does")).collect();
            warnings.push(format!(
                "the method {method} makes no use of [physics]{}",
                able.concat()
            ));
        }
        if let Some(Evaluate::Command(command)) = &self.evaluate {
            warnings.extend(self.program(command).ready().err().map(|error| error.to_string()));
            warnings.extend(self.shared_file(command));
            warnings.extend(self.left_out(command));
        }
        warnings
    }

    /// Parameters that a command does not name although it names others: more often forgotten than meant.
    fn left_out(&self, command: &Command) -> Option<String> {
        let named: BTreeSet<&str> = command.command.iter().flat_map(Template::placeholders).collect();
        let free = self.space.parameters().iter();
        let free = free.filter(|parameter| !matches!(parameter.kind, Kind::Fixed { .. }));
        let (given, missing): (Vec<&str>, Vec<&str>) = free
            .map(|parameter| parameter.name.as_str())
            .partition(|name| named.contains(name));
        let meant =
            given.is_empty() || self.space.candidates().is_some() || matches!(command.results, Results::Coupled(_));
        (!meant && !missing.is_empty()).then(|| {
            format!(
                "evaluate.command names {} but not {}: the program finds all of them in HILLTOP_PARAMETERS",
                given.join(", "),
                missing.join(", ")
            )
        })
    }

    fn shared_file(&self, command: &Command) -> Option<String> {
        match &command.results {
            Results::File(file) if self.parallel > 1 && file.placeholders().next().is_none() => Some(format!(
                "evaluate.results.file = {file} is the same for {} evaluations at once: put {{trial}} into its name",
                self.parallel
            )),
            _ => None,
        }
    }
}

/// The methods that make use of physics.
fn methods_with_physics() -> impl Iterator<Item = &'static str> {
    let takes = |name: &&str| Recipe::parse(&(*name).into()).is_ok_and(|recipe| recipe.takes_physics());
    registry::methods().iter().map(|entry| entry.name).filter(takes)
}
