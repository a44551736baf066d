//! A fault: an error as Python raises it, by the name of its class, with its fields.

use hilltop_core::{Error as MethodError, JournalError, SpaceError, Value};
use hilltop_study::Error;

/// An error on its way to Python.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// The class in `hilltop.errors`.
    pub class: &'static str,
    /// What, where, what to do.
    pub message: String,
    /// What a program may want to know.
    pub fields: Vec<(&'static str, Field)>,
}

/// A field of an error.
#[derive(Clone, Debug, PartialEq)]
pub enum Field {
    /// A text.
    Text(String),
    /// A count or a number of a trial.
    Count(u64),
    /// A number.
    Number(f64),
    /// Several texts.
    Texts(Vec<String>),
}

impl Fault {
    /// A panic: always a bug of ours.
    pub fn panic(message: &str) -> Self {
        Self {
            class: "InternalError",
            message: format!("hilltop failed inside, which is a bug worth reporting: {message}"),
            fields: Vec::new(),
        }
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        let message = error.to_string();
        let (class, fields) = classified(error);
        Self { class, message, fields }
    }
}

type Classified = (&'static str, Vec<(&'static str, Field)>);

fn classified(error: Error) -> Classified {
    let text = |text: String| Field::Text(text);
    match error {
        Error::File { path, findings } => {
            let messages = findings.iter().map(ToString::to_string).collect();
            let fields = vec![
                ("path", text(path.display().to_string())),
                ("findings", Field::Texts(messages)),
            ];
            ("StatementError", fields)
        }
        Error::Mismatch { differences } => ("MismatchError", vec![("differences", Field::Texts(differences))]),
        Error::Access { path, .. } | Error::NoStore { path } => {
            ("StoreError", vec![("store", text(path.display().to_string()))])
        }
        Error::UnknownTrial { trial, .. } | Error::NoPoint { trial } | Error::AlreadyTold { trial, .. } => {
            ("TrialError", vec![("trial", Field::Count(trial))])
        }
        Error::MissingOutput { output, .. } | Error::UnknownOutput { output, .. } => {
            ("OutputError", vec![("output", text(output))])
        }
        Error::NotFinite { output, value } => (
            "OutputError",
            vec![("output", text(output)), ("value", Field::Number(value))],
        ),
        Error::Point(source) | Error::Arm { source, .. } => ("PointError", of_space(source)),
        Error::ArmsMissing | Error::ArmsUnexpected | Error::TooFewArms { .. } | Error::ArmLength { .. } => {
            ("PointError", Vec::new())
        }
        Error::Journal(journal) => ("StoreError", of_journal(journal)),
        Error::Newer { .. } | Error::Contradiction { .. } => ("StoreError", Vec::new()),
        Error::Method(method) => of_method(method),
        _ => ("StatementError", Vec::new()),
    }
}

fn of_journal(error: JournalError) -> Vec<(&'static str, Field)> {
    match error {
        JournalError::Conflict { found, .. } => vec![("position", Field::Count(found))],
        JournalError::Store { store, .. } => vec![("store", Field::Text(store))],
        JournalError::Corrupt { store, position, .. } => {
            vec![("store", Field::Text(store)), ("position", Field::Count(position))]
        }
    }
}

fn of_space(error: SpaceError) -> Vec<(&'static str, Field)> {
    let value = |value: &Value| Field::Text(value.to_string());
    match error {
        SpaceError::OutOfBounds {
            name,
            value: given,
            low,
            high,
        } => vec![
            ("parameter", Field::Text(name)),
            ("value", value(&given)),
            ("low", value(&low)),
            ("high", value(&high)),
        ],
        SpaceError::WrongType { name, value: given, .. } => {
            vec![("parameter", Field::Text(name)), ("value", value(&given))]
        }
        SpaceError::Missing { name }
        | SpaceError::UnknownParameter { name, .. }
        | SpaceError::Inactive { name, .. } => {
            vec![("parameter", Field::Text(name))]
        }
        SpaceError::Violated { constraint } => vec![("constraint", Field::Text(constraint))],
        _ => Vec::new(),
    }
}

#[allow(clippy::match_wildcard_for_single_variants, reason = "however else a method fails")]
fn of_method(error: MethodError) -> Classified {
    match error {
        MethodError::Exhausted { points } => ("ExhaustedError", vec![("points", Field::Count(points))]),
        MethodError::Setting {
            setting,
            value,
            allowed,
        } => {
            let fields = [("setting", setting), ("value", value), ("allowed", allowed)];
            (
                "SettingError",
                fields.map(|(name, value)| (name, Field::Text(value))).into(),
            )
        }
        MethodError::Incapable { .. } => ("SettingError", Vec::new()),
        MethodError::Space(space) => ("PointError", of_space(space)),
        MethodError::Expression(_) => ("StatementError", Vec::new()),
        MethodError::Journal(journal) => ("StoreError", of_journal(journal)),
        _ => ("MethodError", Vec::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_has_the_class_the_words_and_the_fields_of_its_error() {
        let fault = Fault::from(Error::UnknownTrial { trial: 9, begun: 2 });
        assert_eq!(
            (fault.class, fault.fields),
            ("TrialError", vec![("trial", Field::Count(9))])
        );
        assert_eq!(fault.message, "there is no trial 9: 2 have begun");
        let fault = Fault::from(Error::Method(MethodError::Exhausted { points: 64 }));
        assert_eq!(fault.class, "ExhaustedError");
        let fault = Fault::from(Error::NotFinite {
            output: "cost".into(),
            value: f64::INFINITY,
        });
        assert_eq!(fault.fields[1], ("value", Field::Number(f64::INFINITY)));
        assert!(Fault::panic("no pivot").message.contains("no pivot"));
    }
}
