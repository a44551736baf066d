//! `[contexts]`: what the arms of a round look like, where they are given with each ask.

use hilltop_core::{Parameter, Space};

use super::section::{Field, Section};

/// The most features an arm may have.
const MOST: u64 = 100_000;

/// The space of the arms.
pub(super) fn space(root: &Section<'_>) -> Option<Space> {
    let section = root.field("contexts")?.table("a section with features")?;
    section.allow(&["features", "bounds"]);
    for other in ["evaluate", "constraints"] {
        if let Some(field) = root.field(other) {
            field.remark(format!(
                "[contexts] and [{other}] exclude each other: arms are given with each ask"
            ));
        }
    }
    if let Some(field) = root.field("noisy").filter(|field| field.flag() == Some(false)) {
        field.refuse("with [contexts] an arm may come again");
    }
    let Some(field) = section.field("features") else {
        section.refuse("contexts.features is missing: the number of features of an arm, or a list of their names");
        return None;
    };
    let names = names(&field)?;
    let bounds = match section.field("bounds") {
        Some(field) => bounds(&field, names.len())?,
        None => vec![(-1.0, 1.0); names.len()],
    };
    let floats = names
        .iter()
        .zip(bounds)
        .map(|(name, (low, high))| Parameter::float(name, low, high));
    Space::new(floats.collect(), Vec::new())
        .map_err(|error| section.refuse(error.to_string()))
        .ok()
}

/// `20`, which names them `x1` to `x20`, or a list of names.
fn names(field: &Field<'_>) -> Option<Vec<String>> {
    if field.is_list() {
        let texts = field.texts("a number of features, or a list of their names")?;
        return Some(texts.into_iter().map(|(_, text)| text.to_owned()).collect());
    }
    let count = field.count(1)?;
    if count > MOST {
        field.refuse(&format!("a whole number from 1 to {MOST}"));
        return None;
    }
    Some((1..=count).map(|k| format!("x{k}")).collect())
}

/// `[low, high]` of all features, or a list of such pairs, one a feature.
fn bounds(field: &Field<'_>, count: usize) -> Option<Vec<(f64, f64)>> {
    let allowed = "[low, high] of all features, or a list of such pairs, one a feature";
    let items = field.list(allowed)?;
    if items.first().is_some_and(Field::is_list) {
        let pairs: Option<Vec<_>> = items.iter().map(|item| pair(item, allowed)).collect();
        let pairs = pairs?;
        if pairs.len() != count {
            field.refuse(&format!("a pair for each of the {count} features"));
            return None;
        }
        return Some(pairs);
    }
    pair(field, allowed).map(|pair| vec![pair; count])
}

fn pair(field: &Field<'_>, allowed: &str) -> Option<(f64, f64)> {
    let items = field.list(allowed)?;
    let [low, high] = &items[..] else {
        field.refuse(allowed);
        return None;
    };
    let (low, high) = (low.number()?, high.number()?);
    if low >= high {
        field.refuse("the lower bound first, below the upper one");
        return None;
    }
    Some((low, high))
}
