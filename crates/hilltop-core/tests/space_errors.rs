//! What a user reads when a space or a point is wrong.
#![allow(clippy::unwrap_used, missing_docs)]

use hilltop_core::{Candidates, Expression, Parameter, Parameters, Space, SpaceError, Value};

fn x() -> Parameter {
    Parameter::float("x", 0.0, 1.0)
}

fn steel() -> Parameter {
    Parameter::choice("steel", ["s235", "duplex"])
}

fn when(parameter: Parameter, condition: &str) -> Parameter {
    parameter.when(condition).unwrap()
}

/// A malformed space and the message about it.
#[track_caller]
fn refused(parameters: Vec<Parameter>, known: &[&str], message: &str) {
    let known = known.iter().map(|text| Expression::parse(text).unwrap()).collect();
    assert_eq!(Space::new(parameters, known).unwrap_err().to_string(), message);
}

#[test]
fn names_must_be_usable_and_differ() {
    refused(vec![], &[], "the space has no parameters; give at least one");
    refused(
        vec![Parameter::int("", 0, 1)],
        &[],
        "the parameter name `` is not usable: it is empty",
    );
    refused(
        vec![Parameter::int(" x", 0, 1)],
        &[],
        "the parameter name ` x` is not usable: it starts or ends with a blank",
    );
    refused(
        vec![Parameter::int("a{b}", 0, 1)],
        &[],
        "the parameter name `a{b}` is not usable: it has a backquote or a brace in it",
    );
    refused(
        vec![Parameter::int("a\tb", 0, 1)],
        &[],
        "the parameter name `a\\tb` is not usable: it has a control character in it",
    );
    refused(
        vec![x(), steel(), x()],
        &[],
        "there are two parameters named `x`; names must differ",
    );
}

#[test]
fn bounds_must_make_sense() {
    refused(
        vec![Parameter::float("x", 1.0, 1.0)],
        &[],
        "the bounds of `x` are empty: low 1.0 must be below high 1.0 (a constant is written as a fixed value)",
    );
    refused(
        vec![Parameter::int("n", 5, 3)],
        &[],
        "the bounds of `n` are empty: low 5 must be below high 3 (a constant is written as a fixed value)",
    );
    refused(
        vec![Parameter::float("x", f64::NAN, 1.0)],
        &[],
        "the bounds of `x` must be finite numbers, and so must their difference: found [NaN, 1.0]",
    );
    refused(
        vec![Parameter::float("x", 0.0, f64::INFINITY)],
        &[],
        "the bounds of `x` must be finite numbers, and so must their difference: found [0.0, inf]",
    );
    refused(
        vec![Parameter::float("x", -1e308, 1e308)],
        &[],
        "the bounds of `x` must be finite numbers, and so must their difference: found [-1e308, 1e308]",
    );
    refused(
        vec![Parameter::int("n", 0, 1 << 50)],
        &[],
        "the bounds of `n` are too large: [0, 1125899906842624] must stay within ±1099511627776",
    );
    refused(
        vec![Parameter::log_float("x", 0.0, 1.0)],
        &[],
        "`x` is searched in the logarithm, so low must be above 0, found 0.0",
    );
    refused(
        vec![Parameter::log_int("n", -1, 4)],
        &[],
        "`n` is searched in the logarithm, so low must be above 0, found -1",
    );
}

#[test]
fn steps_must_fit() {
    refused(
        vec![x().step(0.0)],
        &[],
        "the step of `x` must be above 0 and at most the range 1, found 0",
    );
    refused(
        vec![x().step(-0.1)],
        &[],
        "the step of `x` must be above 0 and at most the range 1, found -0.1",
    );
    refused(
        vec![x().step(1.5)],
        &[],
        "the step of `x` must be above 0 and at most the range 1, found 1.5",
    );
    refused(
        vec![x().step(f64::NAN)],
        &[],
        "the step of `x` must be above 0 and at most the range 1, found NaN",
    );
    refused(
        vec![x().step(1e-15)],
        &[],
        "the step 0.000000000000001 of `x` makes more than 1000000000000 values; make it larger or leave it out",
    );
    refused(
        vec![Parameter::log_float("x", 1.0, 2.0).step(0.5)],
        &[],
        "`x` has both log and a step; leave one of them out",
    );
}

#[test]
fn options_must_differ() {
    refused(
        vec![Parameter::choice("c", Vec::<Value>::new())],
        &[],
        "`c` has no options; give at least one",
    );
    refused(
        vec![Parameter::ordered("c", ["a", "b", "a"])],
        &[],
        "the option a of `c` stands there twice",
    );
    refused(
        vec![Parameter::choice("c", [Value::Int(1), Value::Float(1.0)])],
        &[],
        "the option 1.0 of `c` stands there twice",
    );
    refused(
        vec![Parameter::choice("c", [1.0, f64::NAN])],
        &[],
        "the value NaN of `c` is not a finite number",
    );
    refused(
        vec![Parameter::fixed("f", f64::INFINITY)],
        &[],
        "the value inf of `f` is not a finite number",
    );
}

#[test]
fn conditions_must_be_conditions_on_other_parameters() {
    refused(
        vec![steel(), when(x(), "stel == 'duplex'")],
        &[],
        "the condition `stel == 'duplex'` of `x`: column 1: unknown name `stel`; known are steel, x",
    );
    refused(
        vec![steel(), when(x(), "steel")],
        &[],
        "the condition `steel` of `x`: column 1: expected a condition, found a text",
    );
    refused(
        vec![steel(), when(x(), "steel > 3")],
        &[],
        "the condition `steel > 3` of `x`: column 9: a text cannot be compared with a number",
    );
    refused(
        vec![when(x(), "x > 0.5")],
        &[],
        "the conditions of x -> x depend on each other in a circle",
    );
    let circle = vec![
        when(Parameter::int("a", 0, 1), "c == 1"),
        when(Parameter::int("b", 0, 1), "a == 1"),
        when(Parameter::int("c", 0, 1), "b == 1"),
    ];
    refused(
        circle,
        &[],
        "the conditions of a -> c -> b -> a depend on each other in a circle",
    );
}

#[test]
fn known_constraints_must_be_conditions_on_the_parameters() {
    refused(
        vec![x()],
        &["x + y <= 1"],
        "the known constraint `x + y <= 1`: column 5: unknown name `y`; known are x",
    );
    refused(
        vec![x()],
        &["x + 1"],
        "the known constraint `x + 1`: column 1: expected a condition, found a number",
    );
    refused(
        vec![steel()],
        &["steel <= 'a'"],
        "the known constraint `steel <= 'a'`: column 10: a text has no order; only == and != apply to it",
    );
    let y = Parameter::float("y", 0.0, 1.0);
    refused(
        vec![x(), y],
        &["x * y == 0.5"],
        "the known constraint `x * y == 0.5` is an equality that is not linear in x, y: such a set has no inside to search; solve it \
         for one parameter and leave that parameter out, or allow a tolerance (abs(a - b) <= 0.01)",
    );
}

fn study() -> Space {
    let parameters = vec![
        Parameter::float("length", 20.0, 50.0),
        Parameter::log_float("ratio", 1e-4, 1.0),
        Parameter::float("angle", 0.0, 90.0).step(0.5),
        Parameter::int("blades", 3, 12),
        steel(),
        when(Parameter::float("damper", 0.0, 1.0), "steel == 'duplex'"),
        Parameter::fixed("gap", 3.5),
    ];
    Space::new(parameters, vec![Expression::parse("length * ratio <= 32").unwrap()]).unwrap()
}

fn point() -> Parameters {
    let values: [(&str, Value); 5] = [
        ("length", 31.2.into()),
        ("ratio", 0.5.into()),
        ("angle", 45.5.into()),
        ("blades", 7.into()),
        ("steel", "s235".into()),
    ];
    Parameters::from_iter(values)
}

/// A point with one value changed and the message about it.
#[track_caller]
fn misses(name: &str, value: impl Into<Value>, message: &str) {
    let mut changed = point();
    changed.insert(name, value.into());
    assert_eq!(study().encode(&changed).unwrap_err().to_string(), message);
}

#[test]
fn every_problem_of_a_point_is_named() {
    assert!(study().encode(&point()).is_ok());
    misses(
        "lenght",
        3.0,
        "there is no parameter `lenght`; the parameters are length, ratio, angle, blades, steel, damper, gap",
    );
    misses("length", 51.0, "`length` = 51.0 is out of bounds [20.0, 50.0]");
    misses("length", "long", "`length` = long is not a number");
    misses("length", f64::NAN, "`length` = NaN is not a number");
    misses("length", true, "`length` = true is not a number");
    misses("ratio", 0.0, "`ratio` = 0.0 is out of bounds [0.0001, 1.0]");
    misses(
        "angle",
        45.3,
        "`angle` = 45.3 is not on the grid; the nearest value is 45.5",
    );
    misses("angle", -0.5, "`angle` = -0.5 is out of bounds [0.0, 90.0]");
    misses("blades", 7.5, "`blades` = 7.5 is not a whole number");
    misses("blades", 13, "`blades` = 13 is out of bounds [3, 12]");
    misses("steel", "s999", "`steel` = s999 is none of the options s235, duplex");
    misses(
        "damper",
        0.5,
        "`damper` is given, but its condition `steel == 'duplex'` does not hold; leave it out",
    );
    misses("steel", "duplex", "the parameter `damper` is missing");
    misses("gap", 3.0, "`gap` is fixed at 3.5, found 3.0");
}

#[test]
fn a_violated_known_constraint_is_an_error_of_its_own() {
    let mut violating = point();
    violating.insert("length", 50.0.into());
    violating.insert("ratio", 0.9.into());
    let error = study().encode(&violating).unwrap_err();
    assert_eq!(
        error,
        SpaceError::Violated {
            constraint: "length * ratio <= 32".to_owned()
        }
    );
    assert_eq!(
        error.to_string(),
        "the point violates the known constraint `length * ratio <= 32`"
    );
}

#[test]
fn numbers_of_either_kind_and_rounding_errors_are_understood() {
    let mut typed = point();
    typed.insert("length", 31.into());
    typed.insert("blades", 7.0.into());
    typed.insert("angle", (45.5 + 1e-11).into());
    let decoded = study().decode(&study().encode(&typed).unwrap());
    assert_eq!(
        decoded.to_string(),
        "length = 31.0, ratio = 0.5, angle = 45.5, blades = 7, steel = s235, gap = 3.5"
    );
}

#[track_caller]
fn table_refused(table: &str, features: Option<&[&str]>, message: &str) {
    let features: Option<Vec<String>> = features.map(|names| names.iter().map(ToString::to_string).collect());
    let error = Candidates::from_csv(table.as_bytes(), features.as_deref()).unwrap_err();
    assert_eq!(error.to_string(), message);
}

#[test]
fn tables_must_have_rows_and_numbers() {
    table_refused("", None, "the candidates have no rows; give at least one");
    table_refused("a,b\n", None, "the candidates have no rows; give at least one");
    table_refused(
        "a,b\nx,y\n",
        None,
        "no column of the candidates is numeric in every row; the columns are a, b",
    );
    table_refused(
        "a,b\n1,2\n3\n",
        None,
        "row 2 of the candidates has 1 cells, the header has 2",
    );
    table_refused(
        "a,a\n1,2\n",
        None,
        "there are two parameters named `a`; names must differ",
    );
    table_refused(
        "a,b\n1,2\n",
        Some(&["c"]),
        "there is no column `c` in the candidates; the columns are a, b",
    );
    table_refused(
        "a,b\n1,2\n3,\n",
        Some(&["b"]),
        "row 2 of the candidates has \"\" in the feature `b`, which is not a finite number",
    );
    table_refused(
        "a\n1\nNaN\n",
        Some(&["a"]),
        "row 2 of the candidates has \"NaN\" in the feature `a`, which is not a finite number",
    );
    let bytes: &[u8] = b"a,b\n1,\xff\n";
    let error = Candidates::from_csv(bytes, None).unwrap_err().to_string();
    assert!(error.starts_with("the candidates cannot be read: "), "{error}");
}
