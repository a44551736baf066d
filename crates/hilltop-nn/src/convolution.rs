//! A convolution in front of the dense layers: one small matrix of weights that looks at every patch of an array.
//!
//! An array of rows × columns × channels stands in a point row by row, the channels of a place together. The patches of a point
//! are the columns of a matrix (unfolded), so that a convolution is the product of a dense layer with as many columns for every
//! point as there are *sites*. Its values, filter by filter for one site after the other, are in memory what the next layer
//! takes as one column. There is no padding: a kernel of `k` leaves `⌊(n − k)/stride⌋ + 1` sites of `n`.

use crate::columns::Columns;
use crate::{Error, Result};
use faer::MatRef;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// A convolution over points that are arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Convolution {
    /// Rows, columns and channels of a point.
    pub image: [usize; 3],
    /// Rows and columns of a patch.
    pub kernel: [usize; 2],
    /// The distance from a patch to the next.
    pub stride: usize,
    /// Values at every site: the layer's width.
    pub filters: usize,
}

impl Convolution {
    /// Whether there is such a convolution on points of so many inputs.
    pub(crate) fn check(&self, inputs: usize) -> Result<()> {
        let positive = [
            ("kernel", self.kernel[0].min(self.kernel[1])),
            ("stride", self.stride),
            ("number of filters", self.filters),
        ];
        if let Some((setting, _)) = positive.into_iter().find(|(_, value)| *value == 0) {
            return Err(Error::NoConvolution { setting });
        }
        if self.area() != Some(inputs) {
            return Err(Error::ImageInputs {
                image: self.image,
                inputs,
            });
        }
        if self.kernel[0] > self.image[0] || self.kernel[1] > self.image[1] {
            return Err(Error::KernelTooLarge {
                kernel: self.kernel,
                image: [self.image[0], self.image[1]],
            });
        }
        match self.sites().checked_mul(self.filters) {
            Some(_) => Ok(()),
            None => Err(Error::TooManyWeights {
                limit: crate::Architecture::WEIGHT_LIMIT,
            }),
        }
    }

    /// Numbers of a point.
    fn area(&self) -> Option<usize> {
        self.image
            .iter()
            .try_fold(1_usize, |product, &extent| product.checked_mul(extent))
    }

    /// Patches of a point.
    pub fn sites(&self) -> usize {
        self.steps(0) * self.steps(1)
    }

    fn steps(&self, axis: usize) -> usize {
        (self.image[axis] - self.kernel[axis]) / self.stride + 1
    }

    /// Numbers of a patch.
    pub fn patch(&self) -> usize {
        self.kernel[0] * self.kernel[1] * self.image[2]
    }

    /// The layer's values at one point: filters times sites.
    pub(crate) fn outputs(&self) -> usize {
        self.filters * self.sites()
    }

    /// The input that stands at every place of every patch, patch by patch.
    pub(crate) fn places(&self) -> Vec<usize> {
        let [_, columns, channels] = self.image;
        let mut places = Vec::with_capacity(self.sites() * self.patch());
        for (top, left) in pairs(self.steps(0), self.steps(1)) {
            for (row, column) in pairs(self.kernel[0], self.kernel[1]) {
                let place = (top * self.stride + row) * columns + left * self.stride + column;
                places.extend(place * channels..(place + 1) * channels);
            }
        }
        places
    }
}

fn pairs(rows: usize, columns: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..rows).flat_map(move |row| (0..columns).map(move |column| (row, column)))
}

/// Takes rows of a matrix of points as columns of patches.
pub(crate) fn unfold(places: &[usize], points: MatRef<'_, f64>, range: Range<usize>, out: &mut Columns) {
    out.reshape(places.len(), range.len());
    for (column, row) in range.enumerate() {
        for (value, &place) in out.column_mut(column).iter_mut().zip(places) {
            *value = points[(row, place)];
        }
    }
}

/// Adds what came back to every place of every patch to the inputs: the transpose of [`unfold`].
pub(crate) fn fold(places: &[usize], inputs: usize, patches: &Columns) -> Columns {
    let mut out = Columns::filled(inputs, patches.count(), 0.0);
    for column in 0..patches.count() {
        let target = out.column_mut(column);
        for (value, &place) in patches.column(column).iter().zip(places) {
            target[place] += value;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small() -> Convolution {
        Convolution {
            image: [3, 4, 2],
            kernel: [2, 3],
            stride: 1,
            filters: 5,
        }
    }

    #[test]
    fn patches_are_read_row_by_row_with_their_channels_together() {
        let places = small().places();
        assert_eq!((small().sites(), small().patch(), places.len()), (4, 12, 48));
        assert_eq!(places[..12], [0, 1, 2, 3, 4, 5, 8, 9, 10, 11, 12, 13]);
        assert_eq!(places[36..], [10, 11, 12, 13, 14, 15, 18, 19, 20, 21, 22, 23]);
        let strided = Convolution { stride: 2, ..small() };
        assert_eq!(strided.sites(), 1);
    }

    #[test]
    fn impossible_convolutions_are_refused_with_their_numbers() {
        assert_eq!(small().check(24), Ok(()));
        let wrong = small().check(25);
        assert_eq!(
            wrong,
            Err(Error::ImageInputs {
                image: [3, 4, 2],
                inputs: 25
            })
        );
        let large = Convolution {
            kernel: [4, 1],
            ..small()
        };
        assert_eq!(
            large.check(24),
            Err(Error::KernelTooLarge {
                kernel: [4, 1],
                image: [3, 4]
            })
        );
        for (setting, zero) in [
            (
                "kernel",
                Convolution {
                    kernel: [0, 1],
                    ..small()
                },
            ),
            ("stride", Convolution { stride: 0, ..small() }),
            ("number of filters", Convolution { filters: 0, ..small() }),
        ] {
            assert_eq!(zero.check(24), Err(Error::NoConvolution { setting }));
        }
        let empty = Convolution {
            image: [0, 4, 2],
            ..small()
        };
        assert!(empty.check(0).is_err());
    }
}
