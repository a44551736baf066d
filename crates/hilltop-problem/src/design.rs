//! Two problems of engineering design with known minima: a gas compressor and a speed reducer.

use crate::formula::Formula;
use crate::problem::Optimum;

/// The cost of a gas transmission compressor.
pub(crate) fn gas_transmission(_dim: usize) -> Formula {
    let law = |x: &[f64]| {
        let pipe = 8.61e5 * x[0].sqrt() * x[1] * x[2].powf(-2.0 / 3.0) / x[3].sqrt() + 3.69e4 * x[2];
        let pressure = (7.72e8 * x[1].powf(0.219) - 765.43e6) / x[0];
        [pipe + pressure, (x[3] + 1.0) / (x[1] * x[1]) - 1.0]
    };
    let at = vec![
        50.0,
        1.178_283_951_844_929,
        24.592_590_114_135_19,
        0.388_353_071_175_303_2,
    ];
    let optimum = Optimum {
        value: 2_964_895.417_339_164,
        at: Some(at),
    };
    Formula::constrained(&[(20.0, 50.0), (1.0, 10.0), (20.0, 50.0), (0.1, 60.0)], law, optimum)
}

const SPEED_REDUCER_BOUNDS: [(f64, f64); 7] = [
    (2.6, 3.6),
    (0.7, 0.8),
    (17.0, 28.0),
    (7.3, 8.3),
    (7.3, 8.3),
    (2.9, 3.9),
    (5.0, 5.5),
];

/// The weight of a speed reducer under eleven constraints.
///
/// The constants are the standard ones (7.4777 and 16.9·10⁶), and c9 bounds the ratio of x1 and x2 from above by 12; the
/// Neural-CBO paper misprints these.
pub(crate) fn speed_reducer(_dim: usize) -> Formula {
    let law = |x: &[f64]| {
        let [x1, x2, x3, x4, x5, x6, x7] = std::array::from_fn(|i| x[i]);
        let stress = |load: f64, length: f64, axle: f64| {
            10.0 * (load + (745.0 * length / (x2 * x3)).powi(2)).sqrt() / axle.powi(3)
        };
        [
            speed_reducer_weight(x),
            27.0 - x1 * x2 * x2 * x3,
            397.5 - x1 * (x2 * x3).powi(2),
            1.93 - x2 * x6.powi(4) * x3 / x4.powi(3),
            1.93 - x2 * x7.powi(4) * x3 / x5.powi(3),
            stress(16.9e6, x4, x6) - 1100.0,
            stress(157.5e6, x5, x7) - 850.0,
            x2 * x3 - 40.0,
            5.0 - x1 / x2,
            x1 / x2 - 12.0,
            1.5 * x6 - x4 + 1.9,
            1.1 * x7 - x5 + 1.9,
        ]
    };
    let at = [
        3.5,
        0.7,
        17.0,
        7.3,
        7.715_319_911_478_244,
        3.350_214_666_096_447_4,
        5.286_654_464_980_222,
    ];
    let optimum = Optimum {
        value: 2_994.471_066_146_82,
        at: Some(at.to_vec()),
    };
    Formula::constrained(&SPEED_REDUCER_BOUNDS, law, optimum)
}

/// A quarter of π in the four digits of the problem's definition.
const QUARTER_PI: f64 = 7854e-4;

fn speed_reducer_weight(x: &[f64]) -> f64 {
    let [x1, x2, x3, x4, x5, x6, x7] = std::array::from_fn(|i| x[i]);
    let gear = QUARTER_PI * x1 * x2 * x2 * (3.3333 * x3 * x3 + 14.9334 * x3 - 43.0934);
    let axles = QUARTER_PI * (x4 * x6 * x6 + x5 * x7 * x7) - 1.508 * x1 * (x6 * x6 + x7 * x7);
    gear + axles + 7.4777 * (x6.powi(3) + x7.powi(3))
}
