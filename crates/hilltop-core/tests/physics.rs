//! Equations: what they mean in coordinates, what is linear, and what is refused with which words.
#![allow(clippy::unwrap_used, clippy::float_cmp)]

use hilltop_core::physics::{Equation, Knowledge, Law, Physics};
use hilltop_core::{Goal, Output, Parameter, Rng, Space};

fn output(goal: Goal) -> Output {
    Output {
        name: "cost".into(),
        goal,
    }
}

fn plate() -> Space {
    let parameters = vec![Parameter::float("x", -1.0, 3.0), Parameter::float("y", 0.0, 0.5)];
    Space::new(parameters, vec![]).unwrap()
}

/// Every kind of parameter there is.
fn everything() -> Space {
    let parameters = vec![
        Parameter::float("x", -1.0, 3.0),
        Parameter::log_float("t", 0.01, 10.0),
        Parameter::int("n", 1, 5),
        Parameter::float("s", 0.0, 1.0).step(0.25),
        Parameter::choice("steel", ["s235", "duplex"]),
        Parameter::float("damper", 0.0, 1.0).when("steel == 'duplex'").unwrap(),
        Parameter::fixed("gap", 3.5),
    ];
    Space::new(parameters, vec![]).unwrap()
}

fn bound(physics: &Physics, space: &Space) -> Knowledge {
    physics.bind(space, &output(Goal::Minimize)).unwrap()
}

fn residual(law: &dyn Equation, point: &[f64], jet: &[f64]) -> f64 {
    law.residual(point, jet, &mut vec![0.0; jet.len()])
}

/// The derivatives of `exp(a·z)` in encoded coordinates.
fn exponential(law: &dyn Equation, a: &[f64], z: &[f64]) -> Vec<f64> {
    let value = a.iter().zip(z).map(|(a, z)| a * z).sum::<f64>().exp();
    let factor = |&(axis, times): &(usize, usize)| a[axis].powi(times as i32);
    law.partials()
        .iter()
        .map(|partial| value * partial.axes().iter().map(factor).product::<f64>())
        .collect()
}

#[test]
fn derivatives_are_those_of_physical_units_on_linear_and_logarithmic_scales() {
    // exp(a·z) is exp(c (x + 1)) (t / 0.01)^p in physical units.
    let space = everything();
    let (a, range, span) = ([0.7, -1.3, 0.0, 0.0, 0.0, 0.0, 0.0], 4.0, 1000.0_f64.ln());
    let base = Physics::default()
        .function("c", format!("{}", a[0] / range))
        .function("p", format!("{}", a[1] / span));
    for text in [
        "d(f,x) = c*f",
        "d(f,t) = p/t*f",
        "d(f,x,x,x,x) = c^4*f",
        "d(f,t,t) = p*(p-1)/t^2*f",
        "d(f,t,t,t) = p*(p-1)*(p-2)/t^3*f",
        "d(f,t,t,t,t) = p*(p-1)*(p-2)*(p-3)/t^4*f",
        "d(f,x,t,t) = c*p*(p-1)/t^2*f",
        "d(d(f,t,x),x,t) = c^2*p*(p-1)/t^2*f",
        "d(t^2*d(f,t),t) = p*(p+1)*f",
        "d(f,t)^2*t^2 = p^2*f^2",
    ] {
        for goal in [Goal::Minimize, Goal::Maximize] {
            let physics = base.clone().equation(text);
            let law = physics.bind(&space, &output(goal)).unwrap().equations.remove(0);
            for z in [[0.2; 7], [0.9; 7]] {
                let jet = exponential(&*law, &a, &z);
                let scale = jet.iter().fold(1.0_f64, |most, value| most.max(value.abs()));
                let t: f64 = 0.01 * 1000.0_f64.powf(z[1]);
                let error = residual(&*law, &z, &jet) * t.min(1.0).powi(4);
                assert!(error.abs() < 1e-12 * scale, "{text}: {error}");
            }
        }
    }
}

#[test]
fn slopes_are_those_of_the_residual() {
    let physics = Physics::default()
        .function("k", "1 + x^2*exp(-y)")
        .equation("d(f,x)^2 + sin(f)*d(f,y,y) + f^3/(2 + d(f,x,y)^2) = tanh(x*f)")
        .equation("div(k*grad(f)) + hypot(d(f,x), 1) - max(f, y) = 0")
        .equation("norm(grad(f)) = 1")
        .equation("if(x < y, f^2, d(f,x)) + abs(d(f,y)) + atan2(f, 2) + f % 2 = (1 + f^2)^(d(f,y)/3)")
        .equation(
            "sqrt(1 + f^2) + ln(2 + f^2) + cosh(f)*asin(f/9) - acos(f/9)*atan(f) + tan(f/3) + log2(9+f) = log10(9+f)",
        );
    let knowledge = bound(&physics, &plate());
    let mut rng = Rng::new(3);
    for law in &knowledge.equations {
        assert!(!law.is_linear(), "{}", law.text());
        for _ in 0..20 {
            let point = [rng.uniform(), rng.uniform()];
            let jet: Vec<f64> = law.partials().iter().map(|_| rng.between(-1.0, 1.0)).collect();
            let mut slopes = vec![0.0; jet.len()];
            law.residual(&point, &jet, &mut slopes);
            for (place, slope) in slopes.iter().enumerate() {
                let moved = |by: f64| {
                    let mut jet = jet.clone();
                    jet[place] += by;
                    residual(&**law, &point, &jet)
                };
                let measured = (moved(1e-6) - moved(-1e-6)) / 2e-6;
                assert!(
                    (measured - slope).abs() < 1e-6 * slope.abs().max(1.0),
                    "{}: {measured}, {slope}",
                    law.text()
                );
            }
        }
    }
}

#[test]
fn a_product_with_a_known_coefficient_is_differentiated_as_a_whole() {
    // (EI f'')'' for f = sin x, by its own derivatives and by differences of EI f''.
    let space = Space::new(vec![Parameter::float("x", 0.0, 2.0)], vec![]).unwrap();
    let physics = Physics::new("d(EI*d(f,x,x), x,x) = q")
        .function("EI", "exp(x)/(2 + w)")
        .function("w", "cos(3*x)")
        .function("q", "x");
    let knowledge = bound(&physics, &space);
    let law = &knowledge.equations[0];
    assert!(law.is_linear());
    assert_eq!(knowledge.order(), 4);
    let moment = |x: f64| -x.exp() / (2.0 + (3.0 * x).cos()) * x.sin();
    for z in [0.1, 0.4, 0.83] {
        let x: f64 = 2.0 * z;
        let derivative = [x.sin(), x.cos(), -x.sin(), -x.cos(), x.sin()];
        let jet: Vec<f64> = law
            .partials()
            .iter()
            .map(|one| derivative[one.order()] * 2.0_f64.powi(one.order() as i32))
            .collect();
        let h = 1e-3;
        let second = |h: f64| (moment(x + h) - 2.0 * moment(x) + moment(x - h)) / (h * h);
        let measured = (4.0 * second(h) - second(2.0 * h)) / 3.0 - x;
        assert!((residual(&**law, &[z], &jet) - measured).abs() < 1e-6);
    }
}

#[test]
fn what_is_linear_is_recognised_whatever_its_spelling() {
    let cases = [
        ("d(f,x,x) + d(f,y,y) = 0", true),
        ("x*d(f,y) - y*d(f,x) = 0", true),
        ("laplacian(f)/exp(x) = f*sin(y) - 3", true),
        ("if(x < y, f, d(f,x)) = 1", true),
        ("(f + 1)^2 - f^2 = 0", true),
        ("d(f,x)*d(f,y) - d(f,y)*d(f,x) + f = 0", true),
        ("(d(f,x) - x)*(d(f,x) + x) - d(f,x)^2 = f", true),
        ("d(f^2, x) - 2*f*d(f,x) + d(f,y) = 0", true),
        ("-(2*(3*f - d(f,x)))/4 = pow(x, 2)", true),
        ("dot(grad(f), grad(x*y)) = 0", true),
        ("f*d(f,x) = 1", false),
        ("exp(f) = x", false),
        ("1/f = x", false),
        ("if(x < y, f, f^2) = 1", false),
        ("abs(d(f,x)) = 1", false),
        ("d(f,x)^1.5 = 1", false),
        ("max(f, x) = 1", false),
    ];
    for (text, linear) in cases {
        let knowledge = bound(&Physics::new(text), &plate());
        assert_eq!(knowledge.is_linear(), linear, "{text}");
    }
}

#[test]
fn linear_residuals_are_affine_in_the_derivatives() {
    let mut rng = Rng::new(1);
    for text in [
        "(d(f,x) - x)*(d(f,x) + x) - d(f,x)^2 = f",
        "div(exp(x*y)*grad(f)) = sin(x)*f",
    ] {
        let law = bound(&Physics::new(text), &plate()).equations.remove(0);
        let point = [rng.uniform(), rng.uniform()];
        let jet: Vec<f64> = law.partials().iter().map(|_| rng.normal()).collect();
        let mut slopes = vec![0.0; jet.len()];
        let value = law.residual(&point, &jet, &mut slopes);
        let alone = residual(&*law, &point, &vec![0.0; jet.len()]);
        let sum: f64 = alone + slopes.iter().zip(&jet).map(|(slope, jet)| slope * jet).sum::<f64>();
        assert!((value - sum).abs() < 1e-12 * value.abs().max(1.0), "{text}");
    }
}

#[test]
fn a_sum_of_squares_that_is_zero_says_that_each_of_them_is() {
    let space = Space::of_box(&[(-1.0, 1.0); 50]).unwrap();
    let knowledge = bound(&Physics::new("sum((grad(f) - 2*x + 0.5*pi*sin(5*pi*x))^2) = 0"), &space);
    assert_eq!(knowledge.equations.len(), 50);
    assert!(knowledge.is_linear() && knowledge.order() == 1);
    for law in &knowledge.equations {
        assert_eq!(law.partials().len(), 1);
        let axis = law.partials()[0].axes()[0].0;
        let mut z = [0.3; 50];
        z[axis] = 0.8;
        let slope = 2.0 * (1.2 - 0.5 * std::f64::consts::PI * (3.0 * std::f64::consts::PI).sin());
        assert!(residual(&**law, &z, &[slope]).abs() < 1e-12);
    }
    let count = |text: &str| bound(&Physics::new(text), &plate()).equations.len();
    assert_eq!(count("0 = 2*d(f,x)^2 + exp(x)*(f - y)^4/3"), 2);
    assert_eq!(count("-abs(d(f,x)) - d(f,y)*d(f,y) = 0"), 2);
    assert_eq!(count("d(f,x)^2 + d(f,y)^2 = 1"), 1);
    assert_eq!(count("d(f,x)^2 - d(f,y)^2 = 0"), 1);
    assert_eq!(count("d(f,x)^2 + x*d(f,y)^2 = 0"), 1);
    assert_eq!(count("d(f,x)^2 + x^2 = 0"), 1);
    assert_eq!(count("d(f,x)^2 + 1 = 0"), 1);
}

#[test]
fn vectors_are_numbered_parameters_gradients_and_lists() {
    let space = Space::of_box(&[(0.0, 1.0); 12]).unwrap();
    let value = |physics: &Physics| {
        let law = bound(physics, &space).equations.remove(0);
        let point: Vec<f64> = (1..=12).map(|k| f64::from(k) / 20.0).collect();
        // f = Σ x²/2: its gradient is x.
        let jet: Vec<f64> = law
            .partials()
            .iter()
            .map(|partial| match partial.axes() {
                [] => point.iter().map(|x| x * x / 2.0).sum(),
                [(axis, 1)] => point[*axis],
                [(_, 2)] => 1.0,
                _ => 0.0,
            })
            .collect();
        residual(&*law, &point, &jet)
    };
    // Numbers count, not the order of letters: x10 comes after x9.
    assert!(value(&Physics::new("dot(x, grad(f)) - 2*f = 0")).abs() < 1e-14);
    assert!(value(&Physics::new("laplacian(f) = 12")).abs() < 1e-14);
    assert!(value(&Physics::new("sum(x*grad(f), 1) = 2*f + 1")).abs() < 1e-14);
    assert!(value(&Physics::new("norm(grad(f, x1, x3))^2 = x1^2 + x3^2")).abs() < 1e-14);
    assert!(value(&Physics::new("div(x*grad(f)) = sum(2*x)")).abs() < 1e-14);
    let list = |k: usize| format!("{k}*x{k}");
    let weighted = Physics::new("dot(h, grad(f)) = sum(h*x)").vector("h", (1..=12).map(list).collect());
    assert!(value(&weighted).abs() < 1e-12);
    let all = bound(&Physics::new("grad(f) = x"), &space);
    assert_eq!(all.equations.len(), 12);
}

#[test]
fn coefficients_may_use_any_parameter() {
    let space = everything();
    let physics = Physics::new("d(f,x) = n + s + gap + if(steel == 'duplex', 100, 200)");
    let law = bound(&physics, &space).equations.remove(0);
    let point = space
        .encode(&"{\"x\": 0, \"t\": 1, \"n\": 4, \"s\": 0.75, \"steel\": \"duplex\", \"damper\": 0.5}".parse_point())
        .unwrap();
    assert!((residual(&*law, &point, &[0.0]) + 108.25).abs() < 1e-9);
    let conditional = bound(&Physics::new("d(f,x) = damper"), &space).equations.remove(0);
    assert!((residual(&*conditional, &point, &[0.0]) + 0.5).abs() < 1e-9);
    let without = space
        .encode(&"{\"x\": 0, \"t\": 1, \"n\": 4, \"s\": 0.75, \"steel\": \"s235\"}".parse_point())
        .unwrap();
    assert!(residual(&*conditional, &without, &[0.0]).is_nan());
}

trait ParsePoint {
    fn parse_point(&self) -> hilltop_core::Parameters;
}

impl ParsePoint for str {
    fn parse_point(&self) -> hilltop_core::Parameters {
        serde_json::from_str(self).unwrap()
    }
}

#[test]
fn known_values_move_points_to_where_they_hold() {
    let space = everything();
    let physics = Physics::default()
        .value("x == 1 and t == 10", "3")
        .value("t == exp(x)/2", "x")
        .value("2*gap - 7 == x and steel == 'duplex' and n == 3 and s == 0.5", "1")
        .value("x == 0 and t < 1", "t");
    let knowledge = bound(&physics, &space);
    assert!(knowledge.is_linear() && knowledge.order() == 0);
    let start = [0.9, 0.3, 0.0, 0.0, 1.0, 0.0, 0.5];
    let placed = |law: usize, mut point: [f64; 7]| knowledge.equations[law].place(&mut point).then_some(point);
    let corner = placed(0, start).unwrap();
    assert_eq!((corner[0], corner[1]), (0.5, 1.0));
    // At x = 2.6 the value of t would be 6.7, at x = 3 it would be beyond the bound.
    let curve = placed(1, start).unwrap();
    assert!((0.01 * 1000.0_f64.powf(curve[1]) - 2.6_f64.exp() / 2.0).abs() < 1e-12);
    assert_eq!(placed(1, [1.0; 7]), None);
    assert_eq!(placed(2, start).unwrap(), [0.25, 0.3, 0.5, 0.5, 0.0, 1.0, 0.5]);
    assert!(placed(3, start).is_some() && placed(3, [0.5; 7]).is_some() && placed(3, [0.8; 7]).is_none());
    let value = &knowledge.equations[1];
    assert!(residual(&**value, &[0.5; 7], &[1.0]).abs() < 1e-12);
    let turned = physics.bind(&space, &output(Goal::Maximize)).unwrap();
    assert!(residual(&*turned.equations[1], &[0.5; 7], &[-1.0]).abs() < 1e-12);
}

#[test]
fn an_equation_may_hold_on_an_edge_only_or_a_value_everywhere() {
    use hilltop_core::physics::{Known, What};
    let mut physics = Physics::default();
    physics.values.push(Known {
        at: Some("y == 0".into()),
        what: What::Equation("d(f,y) = 0".into()),
    });
    physics.values.push(Known {
        at: None,
        what: What::Value("x + y".into()),
    });
    let knowledge = bound(&physics, &plate());
    let mut point = [0.4, 0.9];
    assert!(knowledge.equations[0].place(&mut point));
    assert_eq!(point, [0.4, 0.0]);
    assert_eq!(knowledge.equations[0].text(), "d(f,y) = 0 at y == 0");
    assert!(residual(&*knowledge.equations[1], &[0.5, 1.0], &[1.5]).abs() < 1e-15);
}

#[test]
fn the_objective_goes_by_both_of_its_names() {
    let space = plate();
    for text in ["d(cost,x) = f", "d(f,x) = cost"] {
        assert_eq!(bound(&Physics::new(text), &space).equations[0].partials().len(), 2);
    }
    let named = Space::new(vec![Parameter::float("f", 0.0, 1.0)], vec![]).unwrap();
    let law = bound(&Physics::new("d(cost,f) = f"), &named).equations.remove(0);
    assert_eq!(residual(&*law, &[0.25], &[0.25]), 0.0);
}

#[test]
fn a_closure_says_the_same_as_a_text() {
    let space = everything();
    for goal in [Goal::Minimize, Goal::Maximize] {
        let text = Physics::new("t*d(f,t,t) + x*f^2 = 1")
            .bind(&space, &output(goal))
            .unwrap();
        let derivatives: [&[&str]; 2] = [&["t", "t"], &[]];
        let own = Law::closure("mine", &space, &output(goal), &derivatives, false, |at, jet, slopes| {
            (slopes[0], slopes[1]) = (at[1], 2.0 * at[0] * jet[1]);
            at[1] * jet[0] + at[0] * jet[1] * jet[1] - 1.0
        });
        let own = own.unwrap().shared();
        let point = [0.3, 0.7, 0.5, 0.5, 1.0, 0.0, 0.5];
        let by_order = |law: &dyn Equation| {
            law.partials()
                .iter()
                .map(|one| 1.5 - one.order() as f64)
                .collect::<Vec<_>>()
        };
        let measured = |law: &dyn Equation| {
            let mut slopes = vec![0.0; law.partials().len()];
            let value = law.residual(&point, &by_order(law), &mut slopes);
            let weighted: f64 = slopes.iter().zip(by_order(law)).map(|(slope, jet)| slope * jet).sum();
            (value, weighted)
        };
        let (a, b) = (measured(&*text.equations[0]), measured(&*own));
        assert!((a.0 - b.0).abs() < 1e-12 && (a.1 - b.1).abs() < 1e-12, "{a:?} {b:?}");
    }
    let wrong: [&[&str]; 1] = [&["n"]];
    let error = Law::closure("mine", &space, &output(Goal::Minimize), &wrong, true, |_, _, _| 0.0).unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("no derivative can be taken in `n`: it takes whole numbers only")
    );
}

#[test]
fn a_coefficient_without_a_value_gives_nan() {
    let law = bound(&Physics::new("d(f,x)*ln(x) = 1"), &plate()).equations.remove(0);
    assert!(residual(&*law, &[0.1, 0.5], &[1.0]).is_nan());
    assert!(residual(&*law, &[0.9, 0.5], &[1.0]).is_finite());
}

/// Texts that are refused, each with where and why.
const REFUSED: [(&str, &str); 44] = [
    (
        "d(f,x,x) + d(f,y,y)",
        "equation 1, column 20: an equation has one `=`, such as d(f,x,x) + d(f,y,y) = 0; none was found",
    ),
    ("", "column 1: expected a value, found the end"),
    (
        "d(f,x) = 0 = d(f,t)",
        "column 12: an equation has one `=`; here is another: write it as a second equation",
    ),
    (
        "d(f,x) == 0",
        "column 1: an equation is written with one `=`, not with a comparison",
    ),
    (
        "d(f,x) < 0 = 1",
        "column 1: an equation is written with one `=`, not with a comparison",
    ),
    ("d(f,x = 0", "column 7: expected `,` or `)`, found `=`"),
    ("d(f,x) + = 0", "column 10: expected a value, found `=`"),
    ("d(f,x) = 'zero", "column 10: the quote ' opened here is never closed"),
    (
        "d(f,z) = 0",
        "column 5: unknown name `z`; known are f, cost, x, t, n, s, steel, damper, gap",
    ),
    (
        "d(f,x) = alpha*f",
        "column 10: unknown name `alpha`; known are f, cost, x, t",
    ),
    (
        "d(f) = 0",
        "column 1: `d` takes an expression and one parameter or more: d(f, x), found 1",
    ),
    (
        "d() = 0",
        "column 1: `d` takes an expression and one parameter or more: d(f, x), found 0",
    ),
    (
        "f + grad() = 0",
        "column 5: `grad` takes an expression: grad(f), found 0",
    ),
    ("d(f,x) = sin(x, t)", "column 10: `sin` takes 1 argument, found 2"),
    ("d(f,x) = max(x)", "column 10: `max` takes 2 arguments or more, found 1"),
    (
        "dx(f) = 0",
        "column 1: unknown function `dx`; the functions are d, grad, div, laplacian, dot, sum",
    ),
    (
        "d(f,x,x,x,x,x) = 0",
        "column 1: a derivative of order 5; at most 4 is possible",
    ),
    (
        "1 + d(d(f,x,t)*x, x,x,t) = 0",
        "column 5: a derivative of order 5; at most 4 is possible",
    ),
    (
        "d(f,n) = 0",
        "column 5: no derivative can be taken in `n`: it takes whole numbers only",
    ),
    (
        "d(f,s) = 0",
        "column 5: no derivative can be taken in `s`: it moves in steps",
    ),
    (
        "d(f,steel) = 0",
        "column 5: no derivative can be taken in `steel`: it is a choice among options",
    ),
    (
        "d(f,damper) = 0",
        "column 5: no derivative can be taken in `damper`: it takes part only on a condition",
    ),
    (
        "d(f,gap) = 0",
        "column 5: no derivative can be taken in `gap`: it is fixed",
    ),
    (
        "d(f,2) = 0",
        "column 5: `2.0` is no direction: derivatives are taken in parameters, such as x",
    ),
    (
        "d(f,x*t) = 0",
        "column 5: `x * t` is no direction: derivatives are taken in parameters, such as x",
    ),
    (
        "x*t = 1",
        "column 1: the equation says nothing of the objective: `f` or `cost` does not occur in it",
    ),
    (
        "d(f,x) = d(f,x)",
        "column 1: the equation says nothing of the objective: all of `f` or `cost` cancels",
    ),
    ("f - f + x = 0", "column 1: the equation says nothing of the objective"),
    (
        "if(f > 0, f, x) = 0",
        "column 4: the objective cannot stand in a condition",
    ),
    (
        "dot(x, grad(f)) = 0",
        "column 5: `dot` takes vectors such as grad(f), found a number",
    ),
    ("d(f,x) = sin(steel)", "column 14: expected a number, found an option"),
    ("if(x, f, 0) = 0", "column 4: expected a condition, found a number"),
    (
        "if(steel == 'iron', f, x) = 0",
        "column 13: `iron` is no option of `steel`: the options are s235, duplex",
    ),
    (
        "if(steel < 'duplex', f, x) = 0",
        "column 12: expected a number, found an option",
    ),
    ("f*(x < t) = 0", "column 4: expected a number, found a condition"),
    (
        "grad(f) = grad(f, x)",
        "column 11: a vector of 2 does not fit a vector of 1",
    ),
    (
        "div(grad(f, x)) = 0",
        "column 5: a vector of 1 does not fit a vector of 2",
    ),
    (
        "grad(grad(f)) = 0",
        "column 6: expected a number, found a vector of 2: add it up with sum(…), or take dot(…, …)",
    ),
    ("f = 'duplex'", "column 5: expected a number, found a text"),
    (
        "d(f,x) = ln(-1 - x^2)",
        "column 1: the equation has no finite value at any of 64 points",
    ),
    (
        "d(f,x)/(n - n) = 1",
        "column 1: the equation has no finite value at any of 64 points",
    ),
    ("d(f,x) = 1e999", "column 10: the number 1e999 is out of range"),
    (
        "f = loop",
        "function `loop`, column 1: the function `again` is defined by itself",
    ),
    (
        "laplacian(laplacian(laplacian(f))) = 0",
        "column 1: a derivative of order 6; at most 4 is possible",
    ),
];

#[test]
fn an_equation_that_is_wrong_is_refused_where_it_is_wrong() {
    let space = everything();
    for (text, expected) in REFUSED {
        let mut physics = Physics::new(text);
        if text.contains("loop") {
            physics = physics.function("again", "loop + 1").function("loop", "again");
        }
        let error = physics.bind(&space, &output(Goal::Minimize)).unwrap_err().to_string();
        assert!(error.contains(expected), "{text}:\n  {error}\n  {expected}");
    }
}

#[test]
fn vectors_of_numbered_parameters_are_refused_where_one_is_meant() {
    let space = Space::of_box(&[(0.0, 1.0); 3]).unwrap();
    let message = |text: &str| {
        let error = Physics::new(text).bind(&space, &output(Goal::Minimize)).unwrap_err();
        error.to_string()
    };
    assert!(message("d(f,x) = 0").contains("column 5: `x` stands for 3 parameters: write grad(…, x)"));
    assert!(message("f = dot(x, grad(f, x1))").contains("a vector of 3 does not fit a vector of 1"));
    let whole = Space::new(vec![Parameter::int("x", 0, 3)], vec![]).unwrap();
    let error = Physics::new("laplacian(f) = 0")
        .bind(&whole, &output(Goal::Minimize))
        .unwrap_err();
    assert!(
        error
            .to_string()
            .contains("there is no continuous parameter that always takes part")
    );
}

#[test]
fn places_and_values_that_are_wrong_are_refused_where_they_are_wrong() {
    let space = everything();
    let cases = [
        (
            "x = 0",
            "1",
            "`at` of value 1, column 5: a place is stated by comparisons such as x == 0, joined by `and`",
        ),
        ("x", "1", "column 1: a place is stated by comparisons"),
        ("1 == 1", "1", "column 1: a place is stated by comparisons"),
        ("x == 0 or t == 1", "1", "column 1: a place is stated by comparisons"),
        (
            "x + t == 1",
            "1",
            "column 1: an equality of a place gives a parameter: write y == 1 - x instead of x + y == 1",
        ),
        ("x == 9", "1", "column 6: `x` = 9 is outside its bounds, -1 to 3"),
        ("x == 0 and x == 1", "1", "column 12: `x` is given twice"),
        (
            "x == t and t == x",
            "1",
            "`t` is given by `x`, which is given itself: put in what it is",
        ),
        ("x == f", "1", "column 6: the objective cannot stand in a place"),
        ("x == d(f,x)", "1", "column 6: the objective cannot stand in a place"),
        (
            "d(f,x) == 0",
            "1",
            "column 1: the objective cannot stand in a condition",
        ),
        ("z == 0", "1", "column 1: unknown name `z`"),
        (
            "n == 2.5",
            "1",
            "column 6: `n` takes levels: give it one of them as a number",
        ),
        ("n == x", "1", "column 6: expected an option, found a number"),
        ("s == 0.3", "1", "column 6: `s` takes levels"),
        (
            "steel == 'iron'",
            "1",
            "column 10: `iron` is no option of `steel`: the options are s235, duplex",
        ),
        (
            "damper == 0",
            "1",
            "column 1: no derivative can be taken in `damper`: it takes part only on a condition",
        ),
        (
            "x == 0",
            "f + 1",
            "value 1, column 1: the objective cannot stand in its own value",
        ),
        ("x == 0", "t = 1", "value 1, column 5: an equation has one `=`"),
        (
            "x == 0",
            "grad(t)",
            "value 1, column 1: expected a number, found a vector of 2",
        ),
        (
            "x == 0",
            "ln(x - 1)",
            "value 1, column 1: the equation has no finite value",
        ),
    ];
    for (at, value, expected) in cases {
        let error = Physics::default()
            .value(at, value)
            .bind(&space, &output(Goal::Minimize))
            .unwrap_err()
            .to_string();
        assert!(error.contains(expected), "{at}, {value}:\n  {error}\n  {expected}");
    }
}

#[test]
fn function_names_that_are_taken_are_refused() {
    let message = |name: &str| {
        let physics = Physics::new("f = x").function("k", "1").function(name, "1");
        physics.bind(&plate(), &output(Goal::Minimize)).unwrap_err().to_string()
    };
    assert!(message("x").contains("function `x`, column 1: `x` is a parameter already"));
    assert!(message("f").contains("`f` is the objective already"));
    assert!(message("cost").contains("`cost` is the objective already"));
    assert!(message("k").contains("`k` is a function already"));
}

#[test]
fn an_equation_of_thousands_of_parameters_is_read_in_reasonable_time() {
    let space = Space::of_box(&vec![(-1.0, 1.0); 5000]).unwrap();
    let knowledge = bound(&Physics::new("0.5*dot(x, grad(f)) - f = sum(10*cos(2*pi*x))"), &space);
    assert!(knowledge.is_linear());
    assert_eq!(knowledge.equations[0].partials().len(), 5001);
    let squares = bound(&Physics::new("sum((grad(f) - 2*x)^2) = 0"), &space);
    assert_eq!(squares.equations.len(), 5000);
}

#[test]
fn a_small_equation_gives_a_hundred_thousand_residuals_a_second() {
    let law = bound(&Physics::new("d(f,x,x) + d(f,y,y) = 0"), &plate())
        .equations
        .remove(0);
    let (jet, mut slopes) = ([0.5; 2], [0.0; 2]);
    let start = std::time::Instant::now();
    let sum: f64 = (0..100_000).map(|_| law.residual(&[0.3; 2], &jet, &mut slopes)).sum();
    assert!(sum.is_finite() && start.elapsed().as_secs_f64() < 1.0);
}

/// Words of the language and of other languages, to be strung together at random.
const WORDS: [&str; 48] = [
    "f",
    "cost",
    "x",
    "t",
    "n",
    "s",
    "steel",
    "damper",
    "gap",
    "k",
    "v",
    "q",
    "d(",
    "grad(",
    "div(",
    "laplacian(",
    "dot(",
    "sum(",
    "norm(",
    "if(",
    "sin(",
    "tan(",
    "max(",
    "pow(",
    "atan2(",
    "(",
    ")",
    ")",
    ")",
    ",",
    ",",
    "+",
    "-",
    "*",
    "/",
    "^",
    "%",
    "=",
    "==",
    "<",
    "and",
    "not",
    "1",
    "0.5",
    "2",
    "'duplex'",
    "`",
    "\u{e4}",
];

#[test]
fn no_text_brings_the_reader_down() {
    let space = everything();
    let mut rng = Rng::new(11);
    let mut understood = 0;
    for _ in 0..20_000 {
        let mut text = |count: usize| {
            let words = (0..rng.below(count)).map(|_| WORDS[rng.below(WORDS.len())]);
            words.collect::<Vec<_>>().join(" ")
        };
        let physics = Physics::new(text(14)).function("k", text(6)).value(text(8), text(6));
        let alone = Physics::new(format!("d({}, x) = {}", text(8), text(8)));
        understood += usize::from(alone.bind(&space, &output(Goal::Minimize)).is_ok());
        let _ = physics.bind(&space, &output(Goal::Minimize));
        let _ = Physics::default()
            .value(text(8), "1")
            .bind(&space, &output(Goal::Minimize));
    }
    assert!(understood > 0);
}

#[test]
fn what_grows_without_end_is_refused() {
    let space = Space::of_box(&[(-1.0, 1.0); 200]).unwrap();
    let product: Vec<String> = (1..=200).map(|k| format!("x{k}")).collect();
    let physics = Physics::new("f = sum(grad(sum(grad(sum(grad(p))))))").function("p", product.join("*"));
    let error = physics.bind(&space, &output(Goal::Minimize)).unwrap_err();
    assert!(error.to_string().contains("grows beyond 500000 terms"), "{error}");
    // Sums whose parts occur again and again are no trouble.
    let mut nested = "f".to_owned();
    for _ in 0..20 {
        nested = format!("({nested} + x*{nested})");
        if nested.len() > 20_000 {
            break;
        }
    }
    let deep = Physics::new(format!("{nested} = 0"));
    assert!(deep.bind(&plate(), &output(Goal::Minimize)).unwrap().is_linear());
}
