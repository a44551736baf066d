//! What ends a command early: how it is told, and by which exit code.

use std::fmt;
use std::io::{ErrorKind, Write};
use std::process::ExitCode;

/// The command line asks for something that cannot be.
#[derive(Debug)]
pub(crate) struct Usage(pub(crate) String);

impl fmt::Display for Usage {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// An error of the command line.
pub(crate) fn usage(message: impl Into<String>) -> anyhow::Error {
    Usage(message.into()).into()
}

/// A reader of whole numbers within these bounds, which says what it wants.
pub(crate) fn whole(least: u64, most: u64) -> impl Fn(&str) -> Result<u64, String> + Clone {
    move |text| {
        let number = text.parse().ok().filter(|number| (least..=most).contains(number));
        number.ok_or_else(|| match most {
            u64::MAX => format!("a whole number from {least} on"),
            _ => format!("a whole number from {least} to {most}"),
        })
    }
}

/// Tells an error on standard error, one line first, causes below, and gives the exit code.
///
/// Whoever closes the pipe we print to has read enough: that is no error.
pub(crate) fn report(error: &anyhow::Error) -> ExitCode {
    if is_closed_pipe(error) {
        return ExitCode::SUCCESS;
    }
    let mut text = format!("error: {error}\n");
    let mut told = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        // Many errors end with what their cause says.
        if !told.contains(&cause) {
            text.extend(["  because ", &cause, "\n"]);
        }
        told = cause;
    }
    // There is nobody left to tell when this fails.
    let _ = std::io::stderr().write_all(text.as_bytes());
    ExitCode::from(if is_usage(error) { 2 } else { 1 })
}

fn is_usage(error: &anyhow::Error) -> bool {
    use hilltop_study::Error;
    let study = error.downcast_ref::<Error>();
    let named_wrongly = |error: &Error| {
        matches!(
            error,
            Error::MissingOutput { .. }
                | Error::UnknownOutput { .. }
                | Error::NotFinite { .. }
                | Error::TooFewPoints { .. }
                | Error::ArmsMissing
                | Error::ArmsUnexpected
                | Error::TooFewArms { .. }
                | Error::ArmLength { .. }
                | Error::Arm { .. }
        )
    };
    error.is::<Usage>() || study.is_some_and(|error| error.is_usage() || named_wrongly(error))
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let closed = |cause: &(dyn std::error::Error + 'static)| {
        cause
            .downcast_ref::<std::io::Error>()
            .is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
    };
    error.chain().any(closed)
}
