//! A loaded beam and a damped oscillator: one parameter each, and an equation from mechanics.

use std::f64::consts::PI;

use hilltop_core::Physics;

use crate::formula::Formula;
use crate::problem::Optimum;

/// The deflection of a beam whose stiffness varies along it, after the PINN-BO thesis: `(EI w'')'' = q`.
///
/// The stiffness `e^x / w''` is made for the deflection, and has poles where the beam is straight.
pub(crate) fn beam(_dim: usize) -> Formula {
    let value = |x: &[f64]| {
        let (x, grown) = (x[0], (2.0 * x[0]).exp());
        grown * (20.0 * x).sin() + (4.0 * PI * grown).sin() + 0.4 * x.powi(3) + 0.2 * x * x + 6.0
    };
    let at = vec![BEAM_POINT];
    let optimum = Optimum {
        value: value(&at),
        at: Some(at),
    };
    let physics = Physics::new("d(EI*d(f,x1,x1), x1, x1) = q")
        .function(
            "w",
            "exp(2*x1)*sin(20*x1) + sin(4*pi*exp(2*x1)) + 0.4*x1^3 + 0.2*x1^2 + 6",
        )
        .function("EI", "exp(x1)/d(w,x1,x1)")
        .function("q", "exp(x1)");
    Formula::unconstrained(vec![(0.0, 1.0)], value, optimum).obeying(physics)
}

const BEAM_POINT: f64 = 0.883_697_129_924_275_5;

/// Mass, damping and stiffness of the oscillator.
const MASS: f64 = 1.0;
const DAMPING: f64 = 0.5;
const STIFFNESS: f64 = 9.0;

/// The displacement of a mass on a spring that is struck once: `m f'' + c f' + k f = 0`.
pub(crate) fn oscillator(_dim: usize) -> Formula {
    let decay = DAMPING / (2.0 * MASS);
    let frequency = (STIFFNESS / MASS - decay * decay).sqrt();
    let value = move |x: &[f64]| (-decay * x[0]).exp() * (frequency * x[0]).sin();
    // The first time the velocity is zero on the far side.
    let at = vec![((frequency / decay).atan() + PI) / frequency];
    let optimum = Optimum {
        value: value(&at),
        at: Some(at),
    };
    let physics = Physics::new("m*d(f,x1,x1) + c*d(f,x1) + k*f = 0")
        .function("m", MASS.to_string())
        .function("c", DAMPING.to_string())
        .function("k", STIFFNESS.to_string());
    Formula::unconstrained(vec![(0.0, 12.0)], value, optimum).obeying(physics)
}
