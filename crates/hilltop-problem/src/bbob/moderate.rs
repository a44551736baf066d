//! The functions of low or moderate conditioning, f6 to f9.

use super::Landscape;
use super::generator::Draw;
use super::matrix::Matrix;
use super::transform::{conditioned, difference, oscillation, outside, rate, rosenbrock_terms};

/// f6: a hundred times steeper everywhere but in one sector, which points to the minimum.
pub(super) fn attractive_sector(draw: Draw) -> Landscape {
    let map = draw.conditioned_map(10.0);
    Landscape::around(draw.minimiser(), move |x, minimiser| {
        let z = map.times(&difference(x, minimiser));
        let steep = |(z, optimal): (&f64, &f64)| if z * optimal > 0.0 { 100.0 * z } else { *z };
        oscillation(z.iter().zip(minimiser).map(steep).map(|s| s * s).sum()).powf(0.9)
    })
}

/// f7: an ellipsoid of plateaus.
pub(super) fn step_ellipsoid(draw: Draw) -> Landscape {
    let (r, q) = (draw.rotation_r(), draw.rotation_q());
    Landscape::around(draw.minimiser(), move |x, minimiser| {
        let slopes = conditioned(q.times(&difference(x, minimiser)), 10.0);
        let steps: Vec<f64> = slopes.iter().map(|&s| step(s)).collect();
        let z = r.times(&steps);
        let ellipsoid: f64 = z
            .iter()
            .enumerate()
            .map(|(i, z)| 100_f64.powf(rate(i, x.len())) * z * z)
            .sum();
        0.1 * ellipsoid.max(slopes[0].abs() / 1e4) + outside(x)
    })
}

/// Rounds to whole numbers away from zero's neighbourhood, to tenths in it.
fn step(value: f64) -> f64 {
    if value.abs() > 0.5 {
        (value + 0.5).floor()
    } else {
        (10.0 * value + 0.5).floor() / 10.0
    }
}

/// f8: Rosenbrock's function along the axes.
pub(super) fn rosenbrock(draw: Draw) -> Landscape {
    let minimiser = draw.minimiser().iter().map(|x| 0.75 * x).collect();
    let scale = banana_scale(draw.dim);
    Landscape::around(minimiser, move |x, minimiser| {
        let z: Vec<f64> = difference(x, minimiser).iter().map(|z| scale * z + 1.0).collect();
        rosenbrock_terms(&z).sum()
    })
}

/// f9: Rosenbrock's function, rotated.
pub(super) fn rotated_rosenbrock(draw: Draw) -> Landscape {
    let banana = Banana::new(draw);
    Landscape::around(banana.minimiser(), move |x, _| {
        rosenbrock_terms(&banana.coordinates(x)).sum()
    })
}

/// The factor that keeps the valley of Rosenbrock's function inside the box in many dimensions.
fn banana_scale(dim: usize) -> f64 {
    ((dim as f64).sqrt() / 8.0).max(1.0)
}

/// The rotated coordinates `z = s Q x + ½` in which f9 and f19 have their minimum at `z = 1`.
pub(super) struct Banana {
    rotation: Matrix,
    scale: f64,
}

impl Banana {
    pub(super) fn new(draw: Draw) -> Self {
        Self {
            rotation: draw.rotation_q(),
            scale: banana_scale(draw.dim),
        }
    }

    pub(super) fn coordinates(&self, x: &[f64]) -> Vec<f64> {
        self.rotation.times(x).iter().map(|z| self.scale * z + 0.5).collect()
    }

    pub(super) fn minimiser(&self) -> Vec<f64> {
        let ones = vec![0.5 / self.scale; self.rotation.dim()];
        self.rotation.transposed_times(&ones)
    }
}
