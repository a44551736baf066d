//! Numbers and texts as readers see them.

use std::time::Duration;

use serde_json::{Value, json};

/// A text as part of HTML.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
    out
}

/// A text inside a plot, where tags and entities mean something too.
pub fn label(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// A number in six significant digits: `0.397887`, `2964895`, `1.5e-9`.
pub fn short(value: f64) -> String {
    if !value.is_finite() {
        return value.to_string();
    }
    let size = value.abs();
    if size != 0.0 && !(1e-4..1e9).contains(&size) {
        let text = format!("{value:.5e}");
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        return format!("{}e{exponent}", trimmed(digits));
    }
    let magnitude = if size == 0.0 { 0.0 } else { size.log10().floor() };
    let decimals = (5.0 - magnitude).max(0.0) as usize;
    trimmed(&format!("{value:.decimals$}")).to_owned()
}

fn trimmed(digits: &str) -> &str {
    if !digits.contains('.') {
        return digits;
    }
    match digits.trim_end_matches('0').trim_end_matches('.') {
        "-0" => "0",
        other => other,
    }
}

/// A value of a parameter in few digits.
pub fn value(value: &hilltop_core::Value) -> String {
    match value {
        hilltop_core::Value::Float(number) => short(*number),
        other => other.to_string(),
    }
}

/// A number for a plot, in six digits, which is finer than a screen.
pub fn plotted(value: f64) -> Value {
    if !value.is_finite() {
        return Value::Null;
    }
    let rounded: f64 = format!("{value:.5e}").parse().unwrap_or(value);
    if rounded.fract() == 0.0 && rounded.abs() < 1e15 {
        json!(rounded as i64)
    } else {
        json!(rounded)
    }
}

/// A time span: `0.3 s`, `12 s`, `4 min 10 s`, `3 h 5 min`, `2 d 4 h`.
pub fn span(seconds: f64) -> String {
    let whole = Duration::try_from_secs_f64(seconds).unwrap_or_default().as_secs();
    let two = |large: u64, unit: &str, small: u64, rest: &str| match small {
        0 => format!("{large} {unit}"),
        _ => format!("{large} {unit} {small} {rest}"),
    };
    match whole {
        0 => format!("{} s", trimmed(&format!("{seconds:.2}"))),
        1..10 => format!("{seconds:.1} s"),
        10..60 => format!("{whole} s"),
        60..3600 => two(whole / 60, "min", whole % 60, "s"),
        3600..86400 => two(whole / 3600, "h", whole % 3600 / 60, "min"),
        _ => two(whole / 86400, "d", whole % 86400 / 3600, "h"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_keep_what_matters() {
        let cases = [
            (0.0, "0"),
            (-0.0, "0"),
            (1.0, "1"),
            (0.397_887_357_729_738_2, "0.397887"),
            (-12.345_678_9, "-12.3457"),
            (2_964_895.417_3, "2964895"),
            (1.234_567e-4, "0.000123457"),
            (1.5e-9, "1.5e-9"),
            (1e300, "1e300"),
            (123_456_789_012.0, "1.23457e11"),
            (f64::NAN, "NaN"),
        ];
        for (value, text) in cases {
            assert_eq!(short(value), text);
        }
    }

    #[test]
    fn spans_are_told_in_two_units() {
        let told: Vec<String> = [0.0, 0.25, 7.04, 42.0, 250.0, 11_100.0, 187_200.0].map(span).into();
        assert_eq!(
            told,
            ["0 s", "0.25 s", "7.0 s", "42 s", "4 min 10 s", "3 h 5 min", "2 d 4 h"]
        );
    }

    #[test]
    fn plotted_numbers_are_six_digits_and_gaps_are_null() {
        assert_eq!(plotted(1.0 / 3.0).to_string(), "0.333333");
        assert_eq!(plotted(-250.0).to_string(), "-250");
        assert_eq!(plotted(f64::INFINITY), Value::Null);
    }
}
