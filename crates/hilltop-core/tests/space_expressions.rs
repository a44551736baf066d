//! The expression language: what it means, what it refuses and how, and that nothing makes it panic.
#![allow(clippy::unwrap_used, missing_docs)]

use hilltop_core::Value;
use hilltop_core::expression::{Expression, ExpressionError, Type};
use proptest::prelude::*;

fn named(name: &str) -> Option<Value> {
    Some(match name {
        "x" => Value::Float(2.0),
        "y" => Value::Float(-3.0),
        "n" => Value::Int(7),
        "steel" => Value::from("duplex"),
        "flag" => Value::Bool(true),
        "learning rate" => Value::Float(0.5),
        "model.depth" => Value::Int(4),
        _ => return None,
    })
}

fn value(text: &str) -> Value {
    Expression::parse(text).unwrap().evaluate(&named).unwrap()
}

#[track_caller]
fn is_number(text: &str, expected: f64) {
    let Value::Float(found) = value(text) else {
        panic!("{text} is not a number")
    };
    assert!(
        (found - expected).abs() <= 1e-12 * expected.abs().max(1.0),
        "{text} = {found}, not {expected}"
    );
}

#[track_caller]
fn holds(text: &str) {
    assert_eq!(value(text), Value::Bool(true), "{text}");
}

#[track_caller]
fn fails(text: &str) {
    assert_eq!(value(text), Value::Bool(false), "{text}");
}

#[test]
fn arithmetic_follows_the_usual_precedence() {
    is_number("1 + 2 * 3", 7.0);
    is_number("(1 + 2) * 3", 9.0);
    is_number("10 - 4 - 3", 3.0);
    is_number("24 / 4 / 2", 3.0);
    is_number("2 ^ 3 ^ 2", 512.0);
    is_number("2 ** -1", 0.5);
    is_number("-x ^ 2", -4.0);
    is_number("(-x) ^ 2", 4.0);
    is_number("- - x + +x", 4.0);
    is_number("-7 % 3", -1.0 + 3.0);
    is_number("1.5e-3 * .5e3 + 2.", 2.75);
}

#[test]
fn every_function_is_what_its_name_says() {
    is_number(
        "abs(y) + sqrt(16) + exp(0) + ln(e) + log(e) + log10(1000) + log2(8)",
        3.0 + 4.0 + 1.0 + 1.0 + 1.0 + 3.0 + 3.0,
    );
    is_number(
        "sin(pi / 2) + cos(0) + tan(0) + asin(1) + acos(1) + atan(1)",
        2.0 + 0.75 * std::f64::consts::PI,
    );
    is_number(
        "atan2(1, -1) + sinh(0) + cosh(0) + tanh(0)",
        0.75 * std::f64::consts::PI + 1.0,
    );
    is_number(
        "floor(2.7) + ceil(2.1) + round(2.5) + sign(y) + sign(0)",
        2.0 + 3.0 + 3.0 - 1.0,
    );
    is_number(
        "min(x, y, 5) + max(1, x) + sum(1, 2, 3) + hypot(3, 4) + pow(2, 5)",
        -3.0 + 2.0 + 6.0 + 5.0 + 32.0,
    );
    is_number("if(x > 1, 10, 20) + if(x > 2, 10, 20)", 30.0);
}

#[test]
fn conditions_combine_and_chain() {
    holds("0 <= x < 3");
    fails("0 <= x < 2");
    holds("1 < x and y < 0 or false");
    holds("not (x < 1) && !(y > 0) || false");
    holds("not x < 1");
    holds("steel == 'duplex' and steel != \"s235\"");
    holds("flag and flag == true and flag != (x < 0)");
    holds("if(flag, steel, 'none') == 'duplex'");
    holds("x ≤ 2 and x ≥ 2 and x ≠ 3");
    holds("`learning rate` == 0.5 and model.depth == 4");
    holds("'it''s' != \"it\"");
}

#[test]
fn what_is_no_number_satisfies_nothing_and_a_division_by_zero_is_infinite() {
    for text in [
        "sqrt(y) < 1",
        "sqrt(y) >= 1",
        "sqrt(y) == sqrt(y)",
        "ln(y) != 0",
        "0 / 0 <= 1",
    ] {
        fails(text);
    }
    holds("1 / 0 > 1e300");
    fails("1 / 0 <= 5");
    holds("-1 / 0 < 5");
}

#[test]
fn equality_allows_for_rounding_but_not_between_whole_numbers() {
    holds("0.1 + 0.2 == 0.3");
    fails("0.1 + 0.2 != 0.3");
    holds("1e6 + 0.1 - 1e6 == 0.1");
    fails("1000000000001 == 1000000000000");
    fails("1e-12 == 2e-12");
}

#[test]
fn a_name_wins_over_a_constant() {
    let area = Expression::parse("pi * x").unwrap();
    let own = area
        .evaluate(&|name| Some(Value::Float(if name == "pi" { 3.0 } else { 2.0 })))
        .unwrap();
    assert_eq!(own, Value::Float(6.0));
    assert_eq!(area.names().into_iter().collect::<Vec<_>>(), ["pi", "x"]);
}

#[test]
fn types_are_checked_before_any_value_exists() {
    let types = |name: &str| match name {
        "steel" => Some(Type::Text),
        "flag" => Some(Type::Truth),
        "rung" => Some(Type::Mixed),
        "x" => Some(Type::Number),
        _ => None,
    };
    let check = |text: &str| Expression::parse(text).unwrap().check(&types);
    assert_eq!(check("x + 1"), Ok(Type::Number));
    assert_eq!(check("steel == 'a' or flag"), Ok(Type::Truth));
    assert_eq!(
        check("rung == 'auto' or rung == 3 or rung == -1 or rung != true"),
        Ok(Type::Truth)
    );
    assert_eq!(check("if(flag, 'a', steel)"), Ok(Type::Text));
    assert!(matches!(
        check("rung + 1"),
        Err(ExpressionError::Mismatch { column: 1, .. })
    ));
    assert!(matches!(
        check("rung == x"),
        Err(ExpressionError::Incomparable { column: 9, .. })
    ));
}

#[test]
fn json_is_the_text() {
    let expression = Expression::parse("length * ratio <= 32").unwrap();
    let json = serde_json::to_string(&expression).unwrap();
    assert_eq!(json, "\"length * ratio <= 32\"");
    assert_eq!(serde_json::from_str::<Expression>(&json).unwrap(), expression);
    let error = serde_json::from_str::<Expression>("\"1 +\"").unwrap_err().to_string();
    assert!(
        error.starts_with("column 4: expected a value, found the end"),
        "{error}"
    );
}

/// Malformed expressions and what a user reads.
const MALFORMED: [(&str, &str); 24] = [
    ("", "column 1: expected a value, found the end"),
    ("   ", "column 4: expected a value, found the end"),
    ("1 +", "column 4: expected a value, found the end"),
    ("1 + * 2", "column 5: expected a value, found `*`"),
    ("(1 + 2", "column 7: expected `)` or an operator, found the end"),
    ("1 + 2)", "column 6: expected an operator or the end, found `)`"),
    ("x = 3", "column 3: expected `==` (equality has two signs), found `=`"),
    ("2x", "column 2: expected an operator or the end, found `x`"),
    ("x y", "column 3: expected an operator or the end, found `y`"),
    ("'open", "column 1: the quote ' opened here is never closed"),
    ("steel == \"open", "column 10: the quote \" opened here is never closed"),
    ("1e999 < x", "column 1: the number 1e999 is out of range"),
    (
        "x < 3 # comment",
        "column 7: expected a value, a name or an operator, found `#`",
    ),
    ("x << 3", "column 4: expected a value, found `<`"),
    ("min(1, )", "column 8: expected a value, found `)`"),
    ("min(1 2)", "column 7: expected `,` or `)`, found `2`"),
    ("sqrt(1, 2)", "column 1: `sqrt` takes 1 argument, found 2"),
    ("x + atan2(1)", "column 5: `atan2` takes 2 arguments, found 1"),
    ("max()", "column 1: `max` takes 1 argument or more, found 0"),
    ("if(x > 1, 2)", "column 1: `if` takes 3 arguments, found 2"),
    (
        "sqr(2)",
        "column 1: unknown function `sqr`; the functions are abs, sqrt, exp, ln, log, log10, log2, sin, cos, tan, asin, acos, \
         atan, atan2, sinh, cosh, tanh, floor, ceil, round, sign, min, max, sum, hypot, pow, if",
    ),
    ("and x", "column 1: expected a value, found `and`"),
    ("x == not y", "column 6: expected a value, found `not`"),
    ("x & y", "column 3: expected a value, a name or an operator, found `&`"),
];

/// Expressions that do not fit the names, and what a user reads.
const MISFITS: [(&str, &str); 10] = [
    ("z > 1", "column 1: unknown name `z`; known are none"),
    ("x + z > 1", "column 5: unknown name `z`; known are x"),
    ("x + 'a'", "column 5: expected a number, found a text"),
    ("flag + 1", "column 1: expected a number, found a condition"),
    ("x and flag", "column 1: expected a condition, found a number"),
    ("not steel", "column 5: expected a condition, found a text"),
    ("steel == 3", "column 10: a text cannot be compared with a number"),
    (
        "steel < 'a'",
        "column 9: a text has no order; only == and != apply to it",
    ),
    ("if(flag, 1, 'a')", "column 13: expected a number, found a text"),
    ("(x < 1) < 2", "column 11: a condition cannot be compared with a number"),
];

#[test]
fn malformed_expressions_say_where_and_what_was_expected() {
    for (text, message) in MALFORMED {
        let error = Expression::parse(text).expect_err(text);
        assert_eq!(error.to_string(), message, "{text}");
    }
}

#[test]
fn misfits_say_where_and_what_was_expected() {
    for (text, message) in MISFITS {
        let error = Expression::parse(text).unwrap().evaluate(&named).expect_err(text);
        assert_eq!(error.to_string(), message, "{text}");
    }
}

#[test]
fn deep_nesting_is_refused_and_long_chains_are_not() {
    for (open, close) in [
        ("(", ")"),
        ("-", ""),
        ("not ", ""),
        ("abs(", ")"),
        ("2^", ""),
        ("!", ""),
        ("if(true,1,", ")"),
    ] {
        let text = format!("{}1{}", open.repeat(100_000), close.repeat(100_000));
        let error = Expression::parse(&text).unwrap_err();
        assert!(
            matches!(error, ExpressionError::TooDeep { limit: 64, .. }),
            "{open} {error}"
        );
    }
    let sum = vec!["x"; 100_000].join(" + ");
    is_number(&sum, 200_000.0);
    holds(&vec!["x > 1"; 50_000].join(" and "));
    holds(&vec!["x"; 50_000].join(" <= "));
    is_number(&format!("{}x{}", "abs(".repeat(60), ")".repeat(60)), 2.0);
}

fn one_of(words: &'static [&'static str]) -> impl Strategy<Value = String> {
    prop::sample::select(words).prop_map(str::to_owned)
}

fn tree() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        (0.0..1e6_f64).prop_map(|number| format!("{number:?}")),
        (0..9_u32).prop_map(|number| number.to_string()),
        one_of(&[
            "x",
            "y",
            "steel",
            "flag",
            "pi",
            "`learning rate`",
            "'duplex'",
            "\"it''s\"",
            "true",
            "false"
        ]),
    ];
    leaf.prop_recursive(6, 60, 4, |inner| {
        let pair = (inner.clone(), inner.clone());
        prop_oneof![
            (pair.clone(), one_of(&["+", "-", "*", "/", "%", "^", "**"]))
                .prop_map(|((a, b), op)| format!("{a} {op} {b}")),
            (pair.clone(), one_of(&["<", "<=", ">", ">=", "==", "!="]))
                .prop_map(|((a, b), op)| format!("{a} {op} {b}")),
            (pair.clone(), one_of(&["and", "or", "&&", "||"])).prop_map(|((a, b), op)| format!("{a} {op} {b}")),
            inner.clone().prop_map(|a| format!("({a})")),
            inner.clone().prop_map(|a| format!("-{a}")),
            inner.clone().prop_map(|a| format!("not {a}")),
            pair.prop_map(|(a, b)| format!("min({a}, {b})")),
            (inner.clone(), inner.clone(), inner).prop_map(|(a, b, c)| format!("if({a}, {b}, {c})")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_bytes_make_the_parser_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = Expression::parse(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn no_words_make_the_parser_panic(words in proptest::collection::vec(
        one_of(&["(", ")", "-", "not ", "x", "1", "1e", ".", "..", "'", "`", "\"", "<", "=", "^", "**", ",", "min(", "and ", "é", "≤", "\u{0}", "if("]),
        0..120,
    )) {
        let _ = Expression::parse(&words.concat());
    }

    #[test]
    fn a_tree_printed_and_read_again_is_the_same(text in tree()) {
        if let Ok(expression) = Expression::parse(&text) {
            let again = Expression::parse(&expression.to_string()).unwrap();
            prop_assert_eq!(&again, &expression);
            let canonical = expression.root().to_string();
            let again = Expression::parse(&canonical);
            prop_assert_eq!(again.as_ref().ok(), Some(&expression), "{} -> {}", text, canonical);
        }
    }

    #[test]
    fn mutated_expressions_neither_panic_nor_change_their_meaning_by_printing(
        text in tree(),
        edits in proptest::collection::vec((any::<prop::sample::Index>(), any::<char>(), 0..3_u8), 1..5),
    ) {
        let mut letters: Vec<char> = text.chars().collect();
        for (place, letter, edit) in edits {
            let at = place.index(letters.len() + 1);
            match edit {
                0 => letters.insert(at, letter),
                1 if at < letters.len() => { letters.remove(at); }
                _ if at < letters.len() => letters[at] = letter,
                _ => {}
            }
        }
        let text: String = letters.into_iter().collect();
        if let Ok(expression) = Expression::parse(&text) {
            let _ = expression.evaluate(&named);
            let canonical = expression.root().to_string();
            prop_assert_eq!(Expression::parse(&canonical).ok(), Some(expression), "{} -> {}", text, canonical);
        }
    }

    #[test]
    fn spans_point_at_the_text_of_each_part(text in tree()) {
        if let Ok(expression) = Expression::parse(&text) {
            let mut parts = Vec::new();
            expression.root().walk(&mut |node| parts.push(node));
            for node in parts {
                let part = &text[node.span.start..node.span.end];
                if let Ok(alone) = Expression::parse(part) {
                    prop_assert_eq!(alone.root(), node, "{}", part);
                }
            }
        }
    }
}
