//! `[parameters]` and `[constraints]`: what was typed becomes a space.

use hilltop_core::word::nearest;
use hilltop_core::{Expression, Kind, Parameter, Value};

use super::section::{Field, Section};

const KINDS: [&str; 5] = ["float", "int", "choice", "ordered", "value"];
const SHAPE: &str = "a table such as { float = [0, 1] }, { int = [1, 9] }, { choice = [\"a\", \"b\"] }, \
                     { ordered = [\"low\", \"high\"] } or { value = 3.5 }";

/// The parameters in the order in which they were written.
pub(super) fn parameters(section: &Section<'_>) -> Vec<Parameter> {
    if section.fields().is_empty() {
        section.refuse("[parameters] is empty: name at least one parameter");
    }
    section.fields().iter().filter_map(parameter).collect()
}

fn parameter(field: &Field<'_>) -> Option<Parameter> {
    let table = field.table(SHAPE)?;
    let kind = match table.typed(&KINDS)[..] {
        ["float"] => float(&table),
        ["int"] => int(&table),
        ["choice"] => choice(&table),
        ["ordered"] => ordered(&table),
        ["value"] => fixed(&table),
        [] => {
            let keys = ["float", "int", "choice", "ordered", "value", "log", "step", "when"];
            table.allow(&keys);
            // A kind that was mistyped has been pointed out.
            if table.fields().iter().all(|typed| keys.contains(&typed.key)) {
                field.remark(format!("{} says nothing about its values: {SHAPE}", field.path()));
            }
            None
        }
        ref several => {
            field.remark(format!(
                "{} has {}: one of them is allowed",
                field.path(),
                several.join(" and ")
            ));
            None
        }
    };
    let when = table.field("when").and_then(|when| condition(&when));
    Some(Parameter {
        name: field.key.to_owned(),
        kind: kind?,
        when,
    })
}

fn float(table: &Section<'_>) -> Option<Kind> {
    table.allow(&["float", "log", "step", "when"]);
    let bounds = table.field("float")?;
    let [low, high] = pair(&bounds)?;
    let (low, high) = (low.number()?, high.number()?);
    let log = flag(table, "log");
    ordered_bounds(&bounds, low, high, log)?;
    let step = match table.field("step") {
        None => None,
        Some(typed) => Some(step(&typed, high - low, log)?),
    };
    Some(Kind::Float { low, high, log, step })
}

fn int(table: &Section<'_>) -> Option<Kind> {
    table.allow(&["int", "log", "when"]);
    let bounds = table.field("int")?;
    let [low, high] = pair(&bounds)?;
    let (low, high) = (low.integer()?, high.integer()?);
    let log = flag(table, "log");
    ordered_bounds(&bounds, low as f64, high as f64, log)?;
    Some(Kind::Int { low, high, log })
}

fn choice(table: &Section<'_>) -> Option<Kind> {
    table.allow(&["choice", "when"]);
    Some(Kind::Choice {
        options: options(&table.field("choice")?)?,
    })
}

fn ordered(table: &Section<'_>) -> Option<Kind> {
    table.allow(&["ordered", "when"]);
    Some(Kind::Ordered {
        options: options(&table.field("ordered")?)?,
    })
}

fn fixed(table: &Section<'_>) -> Option<Kind> {
    table.allow(&["value", "when"]);
    Some(Kind::Fixed {
        value: table.field("value")?.scalar()?,
    })
}

fn flag(table: &Section<'_>, key: &str) -> bool {
    table.field(key).and_then(|field| field.flag()).unwrap_or(false)
}

fn pair<'s>(field: &Field<'s>) -> Option<[Field<'s>; 2]> {
    let allowed = "two numbers, [low, high]";
    let items = field.list(allowed)?;
    let pair = items.try_into().ok();
    if pair.is_none() {
        field.refuse(allowed);
    }
    pair
}

fn ordered_bounds(field: &Field<'_>, low: f64, high: f64, log: bool) -> Option<()> {
    if low >= high {
        field.refuse("the low end must be below the high one; for a fixed parameter write { value = … }");
        return None;
    }
    if log && low <= 0.0 {
        field.refuse("with log = true the low end must be above 0");
        return None;
    }
    Some(())
}

fn step(field: &Field<'_>, range: f64, log: bool) -> Option<f64> {
    let step = field.number()?;
    if step <= 0.0 || step > range {
        field.refuse(&format!("a number above 0 and at most {range}, the range"));
        return None;
    }
    if log {
        field.refuse("log = true and step exclude each other");
        return None;
    }
    Some(step)
}

fn options(field: &Field<'_>) -> Option<Vec<Value>> {
    let items = field.list("a list of at least two options")?;
    let mut options: Vec<Value> = Vec::new();
    for item in &items {
        let option = item.scalar()?;
        if options.iter().any(|known| known.same(&option)) {
            item.refuse("this option is listed twice");
            return None;
        }
        options.push(option);
    }
    if options.len() < 2 {
        field.refuse("a list of at least two options; for a fixed parameter write { value = … }");
        return None;
    }
    Some(options)
}

fn condition(field: &Field<'_>) -> Option<Expression> {
    let text = field.text("a condition such as \"steel == 'duplex'\"")?;
    Expression::parse(text)
        .map_err(|error| field.refuse(&error.to_string()))
        .ok()
}

/// The known constraints, each naming parameters that exist.
pub(super) fn known(section: &Section<'_>, names: &[&str]) -> Vec<Expression> {
    section.allow(&["known", "max_violation"]);
    let Some(field) = section.field("known") else {
        return Vec::new();
    };
    let texts = field
        .texts("a list of relations of the parameters such as [\"a + b <= 1\"]")
        .unwrap_or_default();
    texts.iter().filter_map(|(item, _)| relation(item, names)).collect()
}

fn relation(item: &Field<'_>, names: &[&str]) -> Option<Expression> {
    let expression = condition(item)?;
    let unknown = expression
        .names()
        .into_iter()
        .find(|name| !names.contains(name) && !constant(name));
    if let Some(unknown) = unknown {
        let hint = match nearest(unknown, names.iter().copied()) {
            Some(near) => format!("did you mean {near}?"),
            None => format!("the parameters are {}", names.join(", ")),
        };
        item.refuse(&format!("there is no parameter {unknown}: {hint}"));
        return None;
    }
    Some(expression)
}

fn constant(name: &str) -> bool {
    matches!(name, "pi" | "e")
}
