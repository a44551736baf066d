//! The separable functions, f1 to f5.

use super::Landscape;
use super::generator::Draw;
use super::transform::{bent, conditioned, difference, ellipsoid, oscillated, outside, rastrigin, rate, squares};

/// f1: `‖x − x_opt‖²`.
pub(super) fn sphere(draw: Draw) -> Landscape {
    Landscape::around(draw.minimiser(), move |x, minimiser| squares(&difference(x, minimiser)))
}

/// f2: an ellipsoid of condition 10⁶ along the axes, with local irregularities.
pub(super) fn separable_ellipsoid(draw: Draw) -> Landscape {
    Landscape::around(draw.minimiser(), |x, minimiser| {
        ellipsoid(&oscillated(difference(x, minimiser)))
    })
}

/// f3: Rastrigin's function, asymmetric, along the axes.
pub(super) fn separable_rastrigin(draw: Draw) -> Landscape {
    Landscape::around(draw.minimiser(), |x, minimiser| {
        rastrigin(&conditioned(bent(oscillated(difference(x, minimiser)), 0.2), 10.0))
    })
}

/// f4: Büche and Rastrigin's function, ten times steeper on one side of every other axis.
pub(super) fn bueche_rastrigin(draw: Draw) -> Landscape {
    let mut minimiser = draw.minimiser();
    minimiser
        .iter_mut()
        .step_by(2)
        .for_each(|coordinate| *coordinate = coordinate.abs());
    Landscape::around(minimiser, |x, minimiser| {
        let mut z = conditioned(oscillated(difference(x, minimiser)), 10.0);
        z.iter_mut().step_by(2).filter(|z| **z > 0.0).for_each(|z| *z *= 10.0);
        rastrigin(&z) + 100.0 * outside(x)
    })
}

/// f5: a linear slope to a corner of the box, flat beyond it.
pub(super) fn linear_slope(draw: Draw) -> Landscape {
    let corner: Vec<f64> = draw.minimiser().iter().map(|x| 5.0 * x.signum()).collect();
    Landscape::around(corner, |x, corner| {
        let slope = |i| 10_f64.powf(rate(i, x.len()));
        let short_of_corner = |i: usize| (5.0 - x[i] * corner[i].signum()).max(0.0);
        (0..x.len()).map(|i| slope(i) * short_of_corner(i)).sum()
    })
}
