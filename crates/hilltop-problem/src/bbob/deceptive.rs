//! The multi-modal functions with weak global structure, f20, f23 and f24; f21 and f22 are Gallagher's.

use super::Landscape;
use super::generator::{Draw, normals, uniforms};
use super::transform::{conditioned, difference, outside, ripples, squares};

/// Twice the absolute value of every coordinate of the minimiser of f20, as the suite states it.
const SCHWEFEL_STATED: f64 = 4.209_687_463_3;
/// The same inside the function, where the suite has another last digit; the least value is not touched by it.
const SCHWEFEL_DEPTH: f64 = 4.209_687_463_7;
/// `−f` of the one-dimensional function at its minimum, which brings the least value of f20 to zero.
const SCHWEFEL_LEVEL: f64 = 4.189_828_872_724_339;

/// f20: Schwefel's function, its best minima near the corners of the box.
pub(super) fn schwefel(draw: Draw) -> Landscape {
    let side = |u: &f64| if *u < 0.5 { -0.5 } else { 0.5 };
    let minimiser = uniforms(draw.dim, draw.seed)
        .iter()
        .map(|u| side(u) * SCHWEFEL_STATED)
        .collect();
    Landscape::around(minimiser, |x, minimiser| {
        let folded: Vec<f64> = x
            .iter()
            .zip(minimiser)
            .map(|(x, m)| 2.0 * m.signum() * x - SCHWEFEL_DEPTH)
            .collect();
        let coupled = |i: usize| folded[i] + if i == 0 { 0.0 } else { 0.25 * folded[i - 1] };
        let z: Vec<f64> = conditioned((0..x.len()).map(coupled).collect(), 10.0);
        let hundreds: Vec<f64> = z.iter().map(|z| z + SCHWEFEL_DEPTH).collect();
        let wave = |h: &f64| h * (100.0 * h).abs().sqrt().sin();
        SCHWEFEL_LEVEL - hundreds.iter().map(wave).sum::<f64>() / x.len() as f64 + 100.0 * outside(&hundreds)
    })
}

/// f23: Katsuura's function, rugged and repetitive, with more than 10^d global minima.
pub(super) fn katsuura(draw: Draw) -> Landscape {
    let map = draw.conditioned_map(100.0);
    let dim = draw.dim as f64;
    Landscape::around(draw.minimiser(), move |x, minimiser| {
        let z = map.times(&difference(x, minimiser));
        let factor = |(i, z): (usize, &f64)| (1.0 + (i + 1) as f64 * raggedness(*z)).powf(10.0 / dim.powf(1.2));
        10.0 / (dim * dim) * (z.iter().enumerate().map(factor).product::<f64>() - 1.0) + outside(x)
    })
}

/// The distances from whole numbers of `2z, 4z, …, 2³² z`, each scaled back.
fn raggedness(z: f64) -> f64 {
    let distance = |k| {
        let scaled = z * 2_f64.powi(k);
        (scaled - (scaled + 0.5).floor()).abs() / 2_f64.powi(k)
    };
    (1..=32).map(distance).sum()
}

/// f24: Lunacek's function of two funnels, the wider one leading astray.
pub(super) fn lunacek(draw: Draw) -> Landscape {
    let (map, dim) = (draw.conditioned_map(100.0), draw.dim as f64);
    let shrink = 1.0 - 0.5 / ((dim + 20.0).sqrt() - 4.1);
    let (centre, decoy) = (2.5_f64, -((2.5_f64 * 2.5 - 1.0) / shrink).sqrt());
    let side = |g: &f64| if *g < 0.0 { -0.5 } else { 0.5 };
    let minimiser = normals(draw.dim, draw.seed).iter().map(|g| side(g) * centre).collect();
    Landscape::around(minimiser, move |x, minimiser| {
        let folded = x.iter().zip(minimiser).map(|(x, m)| 2.0 * m.signum() * x);
        let inner: Vec<f64> = folded.clone().map(|h| h - centre).collect();
        let outer: Vec<f64> = folded.map(|h| h - decoy).collect();
        let funnels = squares(&inner).min(dim + shrink * squares(&outer));
        funnels + ripples(&map.times(&inner)) + 1e4 * outside(x)
    })
}
