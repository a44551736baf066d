//! Numbers as programs print them, those of Fortran included.

/// A number: as everywhere, or with Fortran's exponents, `1.0D+05` and `1.0-100`.
pub(super) fn number(text: &str) -> Option<f64> {
    text.parse().ok().or_else(|| fortran(text))
}

fn fortran(text: &str) -> Option<f64> {
    let written = |byte: u8| byte.is_ascii_digit() || b"+-.dD".contains(&byte);
    if !text.bytes().all(written) {
        return None;
    }
    if let Some((mantissa, exponent)) = text.split_once(['d', 'D']) {
        return format!("{mantissa}e{exponent}").parse().ok();
    }
    // Three digits of an exponent leave no room for the letter.
    let sign = text.bytes().skip(1).position(|byte| byte == b'+' || byte == b'-')? + 1;
    let (mantissa, exponent) = text.split_at(sign);
    format!("{mantissa}e{exponent}").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fortrans_exponents_are_read_and_other_words_are_not() {
        for (text, value) in [
            ("1.0D+05", 1e5),
            ("-2.5d-3", -2.5e-3),
            ("1.5-100", 1.5e-100),
            ("-1.+101", -1e101),
            ("3", 3.0),
            ("1e3", 1e3),
        ] {
            assert_eq!(number(text), Some(value), "{text}");
        }
        for text in ["", "D", "1D", "+", "1.0DD5", "dd", "1+", "x1", "*****", "1.0 2.0"] {
            assert_eq!(number(text), None, "{text}");
        }
    }
}
