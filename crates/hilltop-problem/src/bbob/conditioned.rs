//! The unimodal functions of high conditioning, f10 to f14.

use super::Landscape;
use super::generator::Draw;
use super::transform::{bent, difference, ellipsoid, oscillated, rate, squares};

/// f10: an ellipsoid of condition 10⁶, rotated.
pub(super) fn rotated_ellipsoid(draw: Draw) -> Landscape {
    let r = draw.rotation_r();
    Landscape::around(draw.minimiser(), move |x, minimiser| {
        ellipsoid(&oscillated(r.times(&difference(x, minimiser))))
    })
}

/// f11: one direction a thousand times more sensitive than all others.
pub(super) fn discus(draw: Draw) -> Landscape {
    let r = draw.rotation_r();
    Landscape::around(draw.minimiser(), move |x, minimiser| {
        let z = oscillated(r.times(&difference(x, minimiser)));
        1e6 * z[0] * z[0] + squares(&z[1..])
    })
}

/// f12: a narrow bent ridge to follow.
pub(super) fn bent_cigar(draw: Draw) -> Landscape {
    let r = draw.rotation_r();
    Landscape::around(draw.minimiser_of_rotation(), move |x, minimiser| {
        let z = r.times(&bent(r.times(&difference(x, minimiser)), 0.5));
        z[0] * z[0] + 1e6 * squares(&z[1..])
    })
}

/// f13: a ridge with a kink all along it.
pub(super) fn sharp_ridge(draw: Draw) -> Landscape {
    let map = draw.conditioned_map(10.0);
    Landscape::around(draw.minimiser(), move |x, minimiser| {
        let z = map.times(&difference(x, minimiser));
        z[0] * z[0] + 100.0 * squares(&z[1..]).sqrt()
    })
}

/// f14: sensitivities that separate more and more on approaching the minimum.
pub(super) fn different_powers(draw: Draw) -> Landscape {
    let r = draw.rotation_r();
    Landscape::around(draw.minimiser(), move |x, minimiser| {
        let z = r.times(&difference(x, minimiser));
        let power = |(i, z): (usize, &f64)| z.abs().powf(2.0 + 4.0 * rate(i, x.len()));
        z.iter().enumerate().map(power).sum::<f64>().sqrt()
    })
}
