//! The expected maximum of lines `a_i + b_i Z` in a standard normal `Z`: what one more observation is worth.

use crate::normal;

/// A line of the upper envelope, and from which `z` on it is the highest.
#[derive(Clone, Copy, Debug)]
struct Edge {
    line: usize,
    from: f64,
}

/// The upper envelope of lines.
#[derive(Clone, Debug)]
pub(crate) struct Envelope {
    edges: Vec<Edge>,
}

/// How the gain changes with each line's height and slope.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Change {
    pub(crate) heights: Vec<f64>,
    pub(crate) slopes: Vec<f64>,
}

impl Envelope {
    /// The envelope of lines of these heights at zero and slopes.
    pub(crate) fn new(heights: &[f64], slopes: &[f64]) -> Self {
        let mut order: Vec<usize> = (0..heights.len()).collect();
        order.sort_by(|&i, &j| slopes[i].total_cmp(&slopes[j]).then(heights[i].total_cmp(&heights[j])));
        let mut edges: Vec<Edge> = Vec::with_capacity(order.len());
        for line in order {
            let crossing = |below: usize| (heights[below] - heights[line]) / (slopes[line] - slopes[below]);
            while let Some(last) = edges.last() {
                let parallel = slopes[line] <= slopes[last.line];
                if parallel || crossing(last.line) <= last.from {
                    edges.pop()
                } else {
                    break;
                };
            }
            let from = edges.last().map_or(f64::NEG_INFINITY, |last| crossing(last.line));
            edges.push(Edge { line, from });
        }
        Self { edges }
    }

    /// `E max_i(a_i + b_i Z) − max_i a_i`: a sum of positive terms (Frazier, Powell and Dayanik, 2009).
    pub(crate) fn gain(&self, slopes: &[f64]) -> f64 {
        let pairs = self.edges.windows(2);
        pairs
            .map(|pair| (slopes[pair[1].line] - slopes[pair[0].line]) * normal::improvement(-pair[1].from.abs()))
            .sum()
    }

    /// The gain's derivatives.
    pub(crate) fn change(&self, count: usize) -> Change {
        let mut change = Change {
            heights: vec![0.0; count],
            slopes: vec![0.0; count],
        };
        for (index, edge) in self.edges.iter().enumerate() {
            let to = self.edges.get(index + 1).map_or(f64::INFINITY, |next| next.from);
            let highest_now = edge.from < 0.0 && to >= 0.0;
            let probability = normal::cumulative(to) - normal::cumulative(edge.from);
            change.heights[edge.line] = probability - if highest_now { 1.0 } else { 0.0 };
            change.slopes[edge.line] = normal::density(edge.from) - normal::density(to);
        }
        change
    }
}

#[cfg(test)]
mod tests {
    use hilltop_core::Rng;

    use super::*;

    fn lines(count: usize, seed: u64) -> (Vec<f64>, Vec<f64>) {
        let mut rng = Rng::new(seed);
        (0..count).map(|_| (rng.normal(), 0.7 * rng.normal())).unzip()
    }

    #[test]
    fn the_gain_is_the_expected_maximum_less_the_maximum() {
        for (count, seed) in [(1, 1), (2, 2), (7, 3), (30, 4)] {
            let (heights, slopes) = lines(count, seed);
            let most = |z: f64| {
                (0..count)
                    .map(|i| heights[i] + slopes[i] * z)
                    .fold(f64::NEG_INFINITY, f64::max)
            };
            let step = 1e-3;
            let grid = (-10_000..10_000).map(|k| (f64::from(k) + 0.5) * step);
            let expected = grid.map(|z| most(z) * normal::density(z) * step).sum::<f64>() - most(0.0);
            let gain = Envelope::new(&heights, &slopes).gain(&slopes);
            assert!((gain - expected).abs() < 1e-6, "{count}: {gain} {expected}");
        }
    }

    #[test]
    fn the_changes_are_the_derivatives() {
        let (heights, slopes) = lines(8, 5);
        let change = Envelope::new(&heights, &slopes).change(8);
        let gain = |heights: &[f64], slopes: &[f64]| Envelope::new(heights, slopes).gain(slopes);
        for i in 0..8 {
            let moved = |by: f64, values: &[f64]| {
                let mut moved = values.to_vec();
                moved[i] += by;
                moved
            };
            let by_height = (gain(&moved(1e-6, &heights), &slopes) - gain(&moved(-1e-6, &heights), &slopes)) / 2e-6;
            let by_slope = (gain(&heights, &moved(1e-6, &slopes)) - gain(&heights, &moved(-1e-6, &slopes))) / 2e-6;
            assert!((change.heights[i] - by_height).abs() < 1e-6 && (change.slopes[i] - by_slope).abs() < 1e-6);
        }
    }

    #[test]
    fn equal_lines_gain_nothing() {
        assert!(
            Envelope::new(&[1.0, 1.0, 1.0], &[0.3, 0.3, 0.3])
                .gain(&[0.3, 0.3, 0.3])
                .abs()
                <= 0.0
        );
    }
}
