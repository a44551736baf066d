//! Values with mean zero and deviation one.

/// An affine map from standardised values to the output's own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Standard {
    /// What zero stands for.
    pub offset: f64,
    /// What one more stands for.
    pub scale: f64,
}

impl Standard {
    /// The map that gives these values mean zero and deviation one. Values that are all equal have deviation one.
    pub fn of(values: &[f64]) -> Self {
        // Divided by the largest first, so that neither sums nor squares leave the range of numbers.
        let largest = values.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
        if largest == 0.0 {
            return Self {
                offset: 0.0,
                scale: 1.0,
            };
        }
        let count = values.len() as f64;
        let mean = values.iter().map(|value| value / largest).sum::<f64>() / count;
        let variance = values.iter().map(|value| (value / largest - mean).powi(2)).sum::<f64>() / count;
        let deviation = variance.sqrt();
        let scale = if deviation > 1e-13 * mean.abs() {
            deviation * largest
        } else {
            largest.max(1e-300)
        };
        Self {
            offset: mean * largest,
            scale,
        }
    }

    /// Standardised values.
    pub fn inward(&self, values: &[f64]) -> Vec<f64> {
        values
            .iter()
            .map(|value| value / self.scale - self.offset / self.scale)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standardised_values_have_mean_zero_and_deviation_one() {
        for factor in [1e-300, 1.0, 1e300] {
            let values: Vec<f64> = (0..50).map(|i| factor * (0.7 + f64::from(i % 7))).collect();
            let inner = Standard::of(&values).inward(&values);
            let mean = inner.iter().sum::<f64>() / 50.0;
            let variance = inner.iter().map(|x| x * x).sum::<f64>() / 50.0;
            assert!(
                mean.abs() < 1e-12 && (variance - 1.0).abs() < 1e-12,
                "{factor}: {mean} {variance}"
            );
        }
    }

    #[test]
    fn equal_values_become_zero() {
        for value in [0.0, 3.5, -1e-200, 1e308] {
            let standard = Standard::of(&[value; 3]);
            assert!(standard.scale > 0.0 && standard.inward(&[value; 3]).iter().all(|x| x.abs() < 1e-12));
        }
    }
}
