//! A trust region: how far from the best observation a model is believed, folded out of the history.
//!
//! It begins with a share of every parameter's range. An evaluation that does not improve on the best halves it, one that does doubles it, and a
//! region that has become too small to matter begins again, in the neighbourhood of the best. Nothing is stored.

use hilltop_core::{Bounds, Coordinate, Error, History, Result};
use serde::{Deserialize, Serialize};

/// How a trust region changes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Trust {
    /// Half its first width, as a share of a parameter's range; 1 is the whole space.
    pub width: f64,
    /// Below this width it begins again.
    pub smallest: f64,
    /// With this width.
    pub again: f64,
}

impl Default for Trust {
    fn default() -> Self {
        Self {
            width: 0.25,
            smallest: 0.005,
            again: 0.06,
        }
    }
}

impl Trust {
    /// Refuses a region that cannot be.
    pub(crate) fn check(&self) -> Result<()> {
        let Self { width, smallest, again } = *self;
        let sound = smallest > 0.0 && smallest < again && again <= width && width <= 1.0;
        let value = format!("{{ width = {width}, smallest = {smallest}, again = {again} }}");
        let allowed = "0 < smallest < again <= width <= 1".to_owned();
        if sound {
            Ok(())
        } else {
            Err(Error::Setting {
                setting: "region".into(),
                value,
                allowed,
            })
        }
    }

    /// Where to look after these observations, the first `initial` of which only say where the best is.
    pub(crate) fn bounds(&self, history: &History, initial: usize) -> Bounds {
        let space = history.space();
        let mut bounds = Bounds::unit(space.dim());
        let (Some(centre), width) = self.fold(history.objective(), initial) else {
            return bounds;
        };
        let row = history.points().row(centre);
        for (axis, coordinate) in space.coordinates().iter().enumerate() {
            if matches!(coordinate, Coordinate::Continuous { .. }) {
                bounds.low[axis] = (row[axis] - width).max(0.0);
                bounds.high[axis] = (row[axis] + width).min(1.0);
            }
        }
        bounds
    }

    /// The best observation, and how far from it the region reaches.
    fn fold(&self, values: &[f64], initial: usize) -> (Option<usize>, f64) {
        let (mut centre, mut width) = (None, self.width);
        for (index, value) in values.iter().enumerate() {
            let better = centre.is_none_or(|best: usize| *value < values[best]);
            if better {
                centre = Some(index);
            }
            if index >= initial {
                width = if better { (2.0 * width).min(1.0) } else { 0.5 * width };
                width = if width < self.smallest { self.again } else { width };
            }
        }
        (centre, width)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn success_widens_failure_narrows_and_the_end_is_a_new_beginning() {
        let trust = Trust {
            width: 1.0,
            smallest: 0.2,
            again: 0.5,
        };
        assert_eq!(trust.fold(&[], 0), (None, 1.0));
        assert_eq!(trust.fold(&[3.0, 2.0, 5.0], 3), (Some(1), 1.0));
        assert_eq!(trust.fold(&[3.0, 2.0, 5.0, 4.0], 2), (Some(1), 0.25));
        assert_eq!(trust.fold(&[3.0, 2.0, 5.0, 4.0, 1.0], 2), (Some(4), 0.5));
        assert_eq!(trust.fold(&[3.0, 2.0, 5.0, 4.0, 4.0], 2), (Some(1), 0.5));
    }

    #[test]
    fn a_region_that_cannot_be_is_refused() {
        assert!(
            Trust {
                width: 0.1,
                smallest: 0.2,
                again: 0.1
            }
            .check()
            .is_err()
        );
        assert!(
            Trust {
                width: f64::NAN,
                ..Trust::default()
            }
            .check()
            .is_err()
        );
        assert!(Trust::default().check().is_ok());
    }
}
