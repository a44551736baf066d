//! Candidates whose features are the numbers of an array: images, spectra, fields.

use super::{Candidates, SpaceError};

impl Candidates {
    /// The same table with features that form an array, in the order of the features: `[length]`, `[rows, columns]` or
    /// `[rows, columns, channels]`, the last index running fastest.
    ///
    /// The numbers of a channel are then scaled together, from the smallest to the largest of all places, so that what
    /// looks alike at two places has the same numbers there.
    ///
    /// ```
    /// use hilltop_core::Candidates;
    /// let table = "name,a,b,c,d\nbar,0,8,0,8\ndot,0,0,4,0\n";
    /// let images = Candidates::from_csv(table.as_bytes(), None)?.with_shape(&[2, 2])?;
    /// assert_eq!(images.features(1), [0.0, 0.0, 0.5, 0.0]);
    /// assert_eq!(images.shape(), Some([2, 2].as_slice()));
    /// # Ok::<(), hilltop_core::space::SpaceError>(())
    /// ```
    pub fn with_shape(mut self, shape: &[usize]) -> Result<Self, SpaceError> {
        check_shape(shape, self.dim())?;
        let channels = shape.get(2).copied().unwrap_or(1);
        let shared = channel_bounds(self.bounds(), channels);
        let bounds = (0..self.dim()).map(|feature| shared[feature % channels]).collect();
        self.rescale(bounds);
        self.shape = Some(shape.to_vec());
        Ok(self)
    }

    /// The array that the features form, where it was stated.
    pub fn shape(&self) -> Option<&[usize]> {
        self.shape.as_deref()
    }
}

fn check_shape(shape: &[usize], features: usize) -> Result<(), SpaceError> {
    if !(1..=3).contains(&shape.len()) || shape.contains(&0) {
        return Err(SpaceError::BadShape { shape: shape.to_vec() });
    }
    let product = shape
        .iter()
        .try_fold(1_usize, |product, &extent| product.checked_mul(extent));
    if product == Some(features) {
        return Ok(());
    }
    Err(SpaceError::ShapeMismatch {
        shape: shape.to_vec(),
        features,
    })
}

/// Smallest and largest value of each channel over all places.
fn channel_bounds(bounds: &[(f64, f64)], channels: usize) -> Vec<(f64, f64)> {
    let mut shared = vec![(f64::INFINITY, f64::NEG_INFINITY); channels];
    for (feature, &(low, high)) in bounds.iter().enumerate() {
        let channel = &mut shared[feature % channels];
        *channel = (channel.0.min(low), channel.1.max(high));
    }
    shared
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::{Expression, Space};

    fn table() -> Candidates {
        let table = "a,b,c,d\n0,10,2,10\n4,10,0,30\n1,10,1,20\n";
        Candidates::from_csv(table.as_bytes(), None).unwrap()
    }

    #[test]
    fn channels_are_scaled_each_for_itself_and_places_together() {
        let pairs = table().with_shape(&[1, 2, 2]).unwrap();
        assert_eq!(pairs.bounds(), [(0.0, 4.0), (10.0, 30.0), (0.0, 4.0), (10.0, 30.0)]);
        assert_eq!(pairs.features(0), [0.0, 0.0, 0.5, 0.0]);
        assert_eq!(pairs.features(2), [0.25, 0.0, 0.25, 0.5]);
        let line = table().with_shape(&[4]).unwrap();
        assert_eq!(line.features(1)[3].to_bits(), 1.0_f64.to_bits());
    }

    #[test]
    fn a_point_of_a_shaped_space_decodes_to_its_row() {
        let space = Space::finite(table().with_shape(&[2, 2]).unwrap());
        assert_eq!(space.shape(), Some([2, 2].as_slice()));
        for row in 0..3 {
            let candidates = space.candidates().unwrap();
            assert_eq!(space.encode(&candidates.row(row)).unwrap(), candidates.features(row));
            assert_eq!(space.decode(candidates.features(row)), candidates.row(row));
        }
        assert_eq!(Space::unit_box(4).shape(), None);
    }

    #[test]
    fn constraints_leave_the_shape_and_the_scale() {
        let known = [Expression::parse("a < 4").unwrap()];
        let kept = table().with_shape(&[2, 2]).unwrap().satisfying(&known).unwrap();
        assert_eq!((kept.len(), kept.shape()), (2, Some([2, 2].as_slice())));
        assert_eq!(kept.features(0)[3].to_bits(), (1.0_f64 / 3.0).to_bits());
    }

    #[test]
    fn shapes_that_are_none_are_refused() {
        let message = |shape: &[usize]| table().with_shape(shape).unwrap_err().to_string();
        assert_eq!(
            message(&[2, 3]),
            "the shape [2, 3] has 6 places, the candidates have 4 features; choose the columns with `features`"
        );
        assert!(message(&[usize::MAX, 2]).contains("has too many places"));
        for wrong in [&[] as &[usize], &[2, 0], &[1, 2, 1, 2]] {
            assert!(
                message(wrong).contains("one to three extents of at least 1"),
                "{wrong:?}"
            );
        }
    }
}
