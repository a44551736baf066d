//! Gallagher's functions of many random peaks, f21 and f22.

use super::Landscape;
use super::generator::{Draw, uniforms};
use super::matrix::Matrix;
use super::transform::{oscillation, outside, rate};

/// f21: 101 peaks of moderate condition.
pub(super) fn hundred_peaks(draw: Draw) -> Landscape {
    Field {
        count: 101,
        condition: 1000_f64.sqrt(),
        half_width: 5.0,
    }
    .landscape(draw)
}

/// f22: 21 peaks, the highest one a thousand times as ill-conditioned.
pub(super) fn twenty_peaks(draw: Draw) -> Landscape {
    Field {
        count: 21,
        condition: 1000.0,
        half_width: 4.9,
    }
    .landscape(draw)
}

/// What distinguishes the two functions.
struct Field {
    count: usize,
    /// The root of the condition number of the highest peak.
    condition: f64,
    /// Peaks lie in a box of this half-width.
    half_width: f64,
}

/// One peak in rotated coordinates.
struct Peak {
    height: f64,
    centre: Vec<f64>,
    scales: Vec<f64>,
}

impl Field {
    fn landscape(&self, draw: Draw) -> Landscape {
        let rotation = draw.rotation_q();
        let places = self.places(draw);
        let peaks = self.peaks(draw, &rotation, &places);
        Landscape::around(places[0].clone(), move |x, _| {
            let z = rotation.times(x);
            let highest = peaks.iter().map(|peak| peak.value(&z)).fold(0.0, f64::max);
            oscillation(10.0 - highest).powi(2) + outside(x)
        })
    }

    /// Where the peaks are; the global one keeps clear of the edge.
    fn places(&self, draw: Draw) -> Vec<Vec<f64>> {
        let reach = |k: usize| self.half_width * if k == 0 { 0.8 } else { 1.0 };
        let uniforms = uniforms(draw.dim * self.count, draw.seed);
        let place = |(k, u): (usize, &[f64])| u.iter().map(|u| reach(k) * (2.0 * u - 1.0)).collect();
        uniforms.chunks_exact(draw.dim).enumerate().map(place).collect()
    }

    fn peaks(&self, draw: Draw, rotation: &Matrix, places: &[Vec<f64>]) -> Vec<Peak> {
        let conditions = self.conditions(draw);
        let peak = |k: usize| Peak {
            height: self.height(k),
            centre: rotation.times(&places[k]),
            scales: scales(draw, k, conditions[k]),
        };
        (0..self.count).map(peak).collect()
    }

    /// 10 for the global peak, 1.1 to 9.1 in even steps for the others.
    fn height(&self, k: usize) -> f64 {
        if k == 0 {
            10.0
        } else {
            1.1 + 8.0 * (k - 1) as f64 / (self.count - 2) as f64
        }
    }

    /// The condition of every peak: fixed for the global one, powers of a thousand in random order for the others.
    fn conditions(&self, draw: Draw) -> Vec<f64> {
        let order = ranks(&uniforms(self.count - 1, draw.seed));
        let others = order
            .into_iter()
            .map(|rank| 1000_f64.powf(rank as f64 / (self.count - 2) as f64));
        std::iter::once(self.condition).chain(others).collect()
    }
}

impl Peak {
    fn value(&self, z: &[f64]) -> f64 {
        let offsets = z.iter().zip(&self.centre).map(|(z, centre)| (z - centre).powi(2));
        let distance: f64 = offsets.zip(&self.scales).map(|(square, scale)| scale * square).sum();
        self.height * (-0.5 / z.len() as f64 * distance).exp()
    }
}

/// The diagonal of a peak's quadratic form, its powers in an order of the peak's own.
fn scales(draw: Draw, k: usize, condition: f64) -> Vec<f64> {
    let order = ranks(&uniforms(draw.dim, draw.seed + 1000 * k as i64));
    order
        .into_iter()
        .map(|rank| condition.powf(rate(rank, draw.dim) - 0.5))
        .collect()
}

/// The indices that sort the values.
fn ranks(values: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    order
}
