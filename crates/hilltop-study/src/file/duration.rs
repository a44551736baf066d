//! Durations as users type them: `"250ms"`, `"10m"`, `"1.5h"`, or a number of seconds.

use std::time::Duration;

/// What is allowed, for messages.
pub(crate) const ALLOWED: &str =
    "a duration above 0 such as \"250ms\", \"30s\", \"10m\", \"2h\", \"1d\", or a number of seconds";

/// The duration of a text.
pub(crate) fn parse(text: &str) -> Option<Duration> {
    let text = text.trim();
    let split = text.find(|letter: char| letter.is_ascii_alphabetic() && !matches!(letter, 'e' | 'E'));
    let (number, unit) = text.split_at(split.unwrap_or(text.len()));
    let factor = match unit.trim() {
        "ms" => 1e-3,
        "s" | "" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        "d" => 86400.0,
        _ => return None,
    };
    seconds(number.trim().parse::<f64>().ok()? * factor)
}

/// The duration of a number of seconds.
pub(crate) fn seconds(seconds: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(seconds)
        .ok()
        .filter(|duration| !duration.is_zero())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unit_is_understood() {
        let millis = |text| parse(text).map(|duration| duration.as_millis());
        assert_eq!(millis("250ms"), Some(250));
        assert_eq!(millis("10m"), Some(600_000));
        assert_eq!(millis("1.5h"), Some(5_400_000));
        assert_eq!(millis(" 2 d "), Some(172_800_000));
        assert_eq!(millis("1e1"), Some(10_000));
    }

    #[test]
    fn what_is_no_duration_is_refused() {
        for text in [
            "",
            "m",
            "ten minutes",
            "-3s",
            "0s",
            "nan",
            "inf",
            "1e300d",
            "5 weeks",
            "1m30s",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
