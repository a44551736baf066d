//! Hartmann's function of six variables.

use crate::formula::Formula;
use crate::problem::Optimum;

const HEIGHTS: [f64; 4] = [1.0, 1.2, 3.0, 3.2];
const SLOPES: [[f64; 6]; 4] = [
    [10.0, 3.0, 17.0, 3.5, 1.7, 8.0],
    [0.05, 10.0, 17.0, 0.1, 8.0, 14.0],
    [3.0, 3.5, 1.7, 10.0, 17.0, 8.0],
    [17.0, 8.0, 0.05, 10.0, 0.1, 14.0],
];
const CENTRES: [[f64; 6]; 4] = [
    [0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886],
    [0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991],
    [0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.6650],
    [0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381],
];

/// The unit cube of six dimensions.
pub(crate) const BOUNDS: [(f64, f64); 6] = [(0.0, 1.0); 6];

pub(crate) fn hartmann(_dim: usize) -> Formula {
    Formula::unconstrained(BOUNDS.to_vec(), value, optimum())
}

pub(crate) fn value(x: &[f64]) -> f64 {
    -(0..4).map(|k| HEIGHTS[k] * (-distance(k, x)).exp()).sum::<f64>()
}

fn distance(k: usize, x: &[f64]) -> f64 {
    let terms = SLOPES[k].iter().zip(&CENTRES[k]).zip(x);
    terms.map(|((slope, centre), x)| slope * (x - centre).powi(2)).sum()
}

/// The minimum, by Newton's method on the gradient in forty digits.
pub(crate) fn optimum() -> Optimum {
    let at = [
        0.201_689_511_006_705_42,
        0.150_010_691_823_457_97,
        0.476_873_974_221_897,
        0.275_332_430_494_056_1,
        0.311_651_616_600_113_24,
        0.657_300_534_065_620_3,
    ];
    Optimum {
        value: -3.322_368_011_415_515,
        at: Some(at.to_vec()),
    }
}
