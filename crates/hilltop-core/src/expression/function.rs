//! The functions of the language and the constants.

/// What a function does, with what it takes.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Function {
    /// One number.
    One(fn(f64) -> f64),
    /// Two numbers.
    Two(fn(f64, f64) -> f64),
    /// One number or more, taken together from the left.
    Many(fn(f64, f64) -> f64),
    /// One number or more, added up.
    Sum,
    /// A condition and two values.
    If,
}

/// Every function by its name; `log` is the natural logarithm, `round` takes halves away from zero.
const FUNCTIONS: [(&str, Function); 27] = [
    ("abs", Function::One(f64::abs)),
    ("sqrt", Function::One(f64::sqrt)),
    ("exp", Function::One(f64::exp)),
    ("ln", Function::One(f64::ln)),
    ("log", Function::One(f64::ln)),
    ("log10", Function::One(f64::log10)),
    ("log2", Function::One(f64::log2)),
    ("sin", Function::One(f64::sin)),
    ("cos", Function::One(f64::cos)),
    ("tan", Function::One(f64::tan)),
    ("asin", Function::One(f64::asin)),
    ("acos", Function::One(f64::acos)),
    ("atan", Function::One(f64::atan)),
    ("atan2", Function::Two(f64::atan2)),
    ("sinh", Function::One(f64::sinh)),
    ("cosh", Function::One(f64::cosh)),
    ("tanh", Function::One(f64::tanh)),
    ("floor", Function::One(f64::floor)),
    ("ceil", Function::One(f64::ceil)),
    ("round", Function::One(f64::round)),
    ("sign", Function::One(sign)),
    ("min", Function::Many(smaller)),
    ("max", Function::Many(larger)),
    ("sum", Function::Sum),
    ("hypot", Function::Many(f64::hypot)),
    ("pow", Function::Two(power)),
    ("if", Function::If),
];

impl Function {
    /// The function of a name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        FUNCTIONS
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, function)| *function)
    }

    /// All names, for a message.
    pub(crate) fn list() -> String {
        FUNCTIONS.map(|(name, _)| name).join(", ")
    }

    /// Whether it takes so many arguments.
    pub(crate) fn takes(self, count: usize) -> bool {
        match self {
            Self::One(_) => count == 1,
            Self::Two(_) => count == 2,
            Self::Many(_) | Self::Sum => count >= 1,
            Self::If => count == 3,
        }
    }

    /// How many arguments it takes, in words.
    pub(crate) fn arity(self) -> &'static str {
        match self {
            Self::One(_) => "1 argument",
            Self::Two(_) => "2 arguments",
            Self::Many(_) | Self::Sum => "1 argument or more",
            Self::If => "3 arguments",
        }
    }
}

/// The constants `pi` and `e`; a parameter of that name wins.
pub(crate) fn constant(name: &str) -> Option<f64> {
    match name {
        "pi" => Some(std::f64::consts::PI),
        "e" => Some(std::f64::consts::E),
        _ => None,
    }
}

/// -1, 0 or 1.
fn sign(x: f64) -> f64 {
    if x == 0.0 { 0.0 } else { x.signum() }
}

/// The smaller one, or NaN where either is.
fn smaller(a: f64, b: f64) -> f64 {
    if a.is_nan() || a < b { a } else { b }
}

/// The larger one, or NaN where either is.
fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b { a } else { b }
}

/// A power; squares, by far the most frequent, without the logarithm.
#[expect(clippy::float_cmp, reason = "two is exactly two")]
pub(crate) fn power(base: f64, exponent: f64) -> f64 {
    if exponent == 2.0 {
        base * base
    } else {
        base.powf(exponent)
    }
}

/// The remainder with the sign of the divisor.
pub(crate) fn modulo(a: f64, b: f64) -> f64 {
    let rest = a % b;
    if rest != 0.0 && (rest < 0.0) != (b < 0.0) {
        rest + b
    } else {
        rest
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::float_cmp)]
    use super::*;

    #[test]
    fn remainders_take_the_sign_of_the_divisor() {
        assert_eq!(
            [
                modulo(7.0, 3.0),
                modulo(-7.0, 3.0),
                modulo(7.0, -3.0),
                modulo(-7.0, -3.0)
            ],
            [1.0, 2.0, -2.0, -1.0]
        );
        assert!(modulo(1.0, 0.0).is_nan());
    }

    #[test]
    fn extremes_do_not_hide_a_nan() {
        assert!(smaller(f64::NAN, 1.0).is_nan() && smaller(1.0, f64::NAN).is_nan());
        assert!(larger(f64::NAN, 1.0).is_nan() && larger(1.0, f64::NAN).is_nan());
        assert_eq!((smaller(1.0, 2.0), larger(1.0, 2.0)), (1.0, 2.0));
    }
}
