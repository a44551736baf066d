//! `[physics]`: what is known of the objective besides its values.

use std::sync::Arc;

use hilltop_core::physics::{Collocation, Definition, Known, Place, What};
use hilltop_core::{Knowledge, Output, Physics, PhysicsError, Space};

use super::Source;
use super::section::{Field, Section};

const KEYS: [&str; 7] = [
    "equation",
    "equations",
    "functions",
    "values",
    "points",
    "collocation",
    "problem",
];

const EQUATION: &str = "a text such as \"d(f,x,x) + d(f,y,y) = 0\"";
const VALUES: &str = "a list of tables such as { at = \"x == 0\", f = \"sin(y)\" }";

/// The most points that an equation is asked for at.
const MOST_POINTS: u64 = 1_000_000;

/// The texts of a section, each with the key it stands at.
#[derive(Default)]
struct Draft<'s> {
    physics: Physics,
    equations: Vec<Field<'s>>,
    /// A list has a field for each of its components.
    functions: Vec<Vec<Field<'s>>>,
    values: Vec<Entry<'s>>,
}

/// A known value as it was typed.
struct Entry<'s> {
    at: Option<Field<'s>>,
    what: Field<'s>,
}

/// What the section says of the objective among the outputs, as texts and as knowledge.
pub(super) fn physics(
    section: &Section<'_>,
    space: &Space,
    outputs: &[Output],
    source: Source<'_>,
) -> Option<(Physics, Arc<Knowledge>)> {
    let objective = outputs.iter().find(|output| output.goal.is_objective())?;
    section.allow(&KEYS);
    let mut draft = Draft::default();
    let complete = [
        draft.numbers(section),
        draft.equations(section, source),
        draft.functions(section),
        draft.values(section, &objective.name),
    ];
    if complete.contains(&None) {
        return None;
    }
    if draft.physics.equations.is_empty() && draft.physics.values.is_empty() {
        section.refuse(format!("[physics] has nothing to say: add equation = {EQUATION}"));
        return None;
    }
    match draft.physics.bind(space, objective) {
        Ok(knowledge) => Some((draft.physics, Arc::new(knowledge))),
        Err(error) => {
            draft.blame(&error, section);
            None
        }
    }
}

impl<'s> Draft<'s> {
    fn numbers(&mut self, section: &Section<'s>) -> Option<()> {
        if let Some(field) = section.field("points") {
            let points = field.count(1)?;
            if points > MOST_POINTS {
                field.refuse(&format!("a whole number from 1 to {MOST_POINTS}"));
                return None;
            }
            self.physics.points = points as usize;
        }
        if let Some(field) = section.field("collocation") {
            let allowed = "\"fixed\", \"redrawn\" or \"adaptive\"";
            let Some(meant) = Collocation::parse(field.text(allowed)?) else {
                field.refuse(allowed);
                return None;
            };
            self.physics.collocation = meant;
        }
        Some(())
    }

    fn equations(&mut self, section: &Section<'s>, source: Source<'_>) -> Option<()> {
        let typed = section.typed(&["equation", "equations", "problem"]);
        if typed.len() > 1 {
            section.refuse(format!("[physics] has {}: one of them is allowed", typed.join(" and ")));
            return None;
        }
        if let Some(field) = section.field("equation") {
            self.physics.equations.push(field.text(EQUATION)?.to_owned());
            self.equations.push(field);
        }
        if let Some(field) = section.field("equations") {
            for (item, text) in field.texts(&format!("a list of equations, each {EQUATION}"))? {
                self.physics.equations.push(text.to_owned());
                self.equations.push(item);
            }
        }
        match section.field("problem") {
            Some(field) if field.flag()? => self.of_problem(&field, source),
            _ => Some(()),
        }
    }

    /// The equation that a built-in problem is known to obey.
    fn of_problem(&mut self, field: &Field<'s>, source: Source<'_>) -> Option<()> {
        let own = match source {
            Source::Problem(problem) => problem.physics(),
            Source::File | Source::Unknown => None,
        };
        let Some(own) = own else {
            field.refuse("only where [evaluate] names a built-in problem with an equation, see `hilltop problems`");
            return None;
        };
        self.equations = vec![field.clone(); own.equations.len()];
        let components = |definition: &Definition| match definition {
            Definition::One(_) => 1,
            Definition::Many(texts) => texts.len(),
        };
        let fields = own
            .functions
            .iter()
            .map(|(_, one)| vec![field.clone(); components(one)]);
        self.functions = fields.collect();
        self.physics.equations = own.equations;
        self.physics.functions = own.functions;
        Some(())
    }

    fn functions(&mut self, section: &Section<'s>) -> Option<()> {
        let Some(field) = section.field("functions") else {
            return Some(());
        };
        let table = field.table("a section of functions such as EI = \"exp(x)\"")?;
        let mut complete = Some(());
        for function in table.fields() {
            match definition(function) {
                Some((definition, fields)) => {
                    self.physics.functions.push((function.key.to_owned(), definition));
                    self.functions.push(fields);
                }
                None => complete = None,
            }
        }
        complete
    }

    fn values(&mut self, section: &Section<'s>, objective: &str) -> Option<()> {
        let Some(field) = section.field("values") else {
            return Some(());
        };
        let mut complete = Some(());
        for item in field.list(VALUES)? {
            match item.table(VALUES).and_then(|table| known(&table, objective)) {
                Some((known, entry)) => {
                    self.physics.values.push(known);
                    self.values.push(entry);
                }
                None => complete = None,
            }
        }
        complete
    }

    /// Reports an error in the text that it is about.
    fn blame(&self, error: &PhysicsError, section: &Section<'_>) {
        let field = match &error.place {
            Place::Equation(place) => self.equations.get(*place),
            Place::Function { index, component, .. } => self
                .functions
                .get(*index)
                .and_then(|fields| fields.get(component.unwrap_or(0))),
            Place::At(place) => self.values.get(*place).and_then(|entry| entry.at.as_ref()),
            Place::Value(place) => self.values.get(*place).map(|entry| &entry.what),
        };
        match field {
            Some(field) => field.point(error.column, &error.fault.to_string()),
            None => section.refuse(error.to_string()),
        }
    }
}

fn definition<'s>(field: &Field<'s>) -> Option<(Definition, Vec<Field<'s>>)> {
    const ALLOWED: &str = "an expression such as \"exp(x)\", a number, or a list of them";
    if !field.is_list() {
        return Some((Definition::One(field.expression(ALLOWED)?), vec![field.clone()]));
    }
    let items = field.list(ALLOWED)?;
    let texts: Option<Vec<String>> = items.iter().map(|item| item.expression(ALLOWED)).collect();
    let texts = texts?;
    if texts.is_empty() {
        field.refuse(ALLOWED);
        return None;
    }
    Some((Definition::Many(texts), items))
}

fn known<'s>(table: &Section<'s>, objective: &str) -> Option<(Known, Entry<'s>)> {
    const VALUE: &str = "an expression such as \"sin(y)\", or a number";
    table.allow(&["at", "f", objective, "equation"]);
    let at = table.field("at");
    let place = match &at {
        Some(field) => Some(field.text("a place such as \"x == 0\"")?.to_owned()),
        None => None,
    };
    let value = table.field("f").or_else(|| table.field(objective));
    let (what, field) = match (value, table.field("equation")) {
        (Some(field), None) => (What::Value(field.expression(VALUE)?), field),
        (None, Some(field)) => (What::Equation(field.text(EQUATION)?.to_owned()), field),
        (Some(_), Some(field)) => {
            field.remark("a value and an equation exclude each other: write two entries");
            return None;
        }
        (None, None) => {
            table.refuse(format!("what is known there is missing: add f = {VALUE}"));
            return None;
        }
    };
    let entry = Entry { at, what: field };
    Some((Known { at: place, what }, entry))
}
