//! The multi-modal functions with adequate global structure, f15 to f19.

use std::f64::consts::TAU;

use super::Landscape;
use super::generator::Draw;
use super::moderate::Banana;
use super::transform::{bent, conditioned, difference, oscillated, outside, rastrigin, rosenbrock_terms};

/// f15: Rastrigin's function, rotated and asymmetric.
pub(super) fn rotated_rastrigin(draw: Draw) -> Landscape {
    let (r, map) = (draw.rotation_r(), draw.conditioned_map(10.0));
    Landscape::around(draw.minimiser(), move |x, minimiser| {
        rastrigin(&map.times(&bent(oscillated(r.times(&difference(x, minimiser))), 0.2)))
    })
}

/// f16: Weierstrass' rugged function, with many global minima.
pub(super) fn weierstrass(draw: Draw) -> Landscape {
    let (r, map) = (draw.rotation_r(), draw.conditioned_map(0.01));
    let floor = weierstrass_series(0.0);
    Landscape::around(draw.minimiser(), move |x, minimiser| {
        let z = map.times(&oscillated(r.times(&difference(x, minimiser))));
        let mean = z.iter().map(|z| weierstrass_series(*z)).sum::<f64>() / x.len() as f64;
        10.0 * (mean - floor).powi(3) + 10.0 / x.len() as f64 * outside(x)
    })
}

/// Twelve terms of Weierstrass' series.
fn weierstrass_series(z: f64) -> f64 {
    (0..12)
        .map(|k| 0.5_f64.powi(k) * (TAU * 3_f64.powi(k) * (z + 0.5)).cos())
        .sum()
}

/// f17: Schaffer's function F7, condition 10.
pub(super) fn schaffer(draw: Draw) -> Landscape {
    schaffer_of_condition(draw, 10.0)
}

/// f18: Schaffer's function F7, condition 1000.
pub(super) fn ill_conditioned_schaffer(draw: Draw) -> Landscape {
    schaffer_of_condition(draw, 1000.0)
}

fn schaffer_of_condition(draw: Draw, condition: f64) -> Landscape {
    let (r, q) = (draw.rotation_r(), draw.rotation_q());
    Landscape::around(draw.minimiser(), move |x, minimiser| {
        let bent = bent(r.times(&difference(x, minimiser)), 0.5);
        let z = conditioned(q.times(&bent), condition);
        let wave = |pair: &[f64]| {
            let s = pair[0].hypot(pair[1]);
            s.sqrt() * (1.0 + (50.0 * s.powf(0.2)).sin().powi(2))
        };
        let mean = z.windows(2).map(wave).sum::<f64>() / (x.len() - 1) as f64;
        mean * mean + 10.0 * outside(x)
    })
}

/// f19: Griewank's ripples on Rosenbrock's valley.
pub(super) fn griewank_rosenbrock(draw: Draw) -> Landscape {
    let banana = Banana::new(draw);
    Landscape::around(banana.minimiser(), move |x, _| {
        let z = banana.coordinates(x);
        let ripples: f64 = rosenbrock_terms(&z).map(|s| s / 4000.0 - s.cos()).sum();
        10.0 * ripples / (x.len() - 1) as f64 + 10.0
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_series_is_least_at_whole_numbers() {
        let floor = weierstrass_series(0.0);
        assert!((weierstrass_series(1.0) - floor).abs() < 1e-9);
        assert!((1..50).all(|k| weierstrass_series(f64::from(k) / 64.0) >= floor - 1e-9));
    }
}
