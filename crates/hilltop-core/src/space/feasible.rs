//! Drawing, repairing, listing and neighbouring points of a space.

use super::{Form, Space, SpaceError, enumerate, mend, neighbours};
use crate::Rng;

/// How many rows of a table count as neighbours of one.
const NEAREST_ROWS: usize = 8;

impl Space {
    /// A random projected point that satisfies the known constraints, spread over all that do.
    pub fn sample(&self, rng: &mut Rng) -> Result<Vec<f64>, SpaceError> {
        Ok(match &self.0.form {
            Form::Product(domain, Some(interior)) => interior.sample(domain, rng),
            Form::Product(domain, None) => domain.encoded_anyway(&domain.anywhere(rng)),
            Form::Finite(candidates) => candidates.features(rng.below(candidates.len())).to_vec(),
        })
    }

    /// Projects a point and, where known constraints are violated, moves it to a nearby point that satisfies them; false
    /// where none is found.
    pub fn repair(&self, z: &mut [f64], rng: &mut Rng) -> bool {
        self.project(z);
        let Form::Product(domain, Some(interior)) = &self.0.form else {
            return true;
        };
        if self.satisfies(z) {
            return true;
        }
        match mend::mended(domain, interior, z, rng) {
            Some(feasible) => {
                z.copy_from_slice(&feasible);
                true
            }
            None => false,
        }
    }

    /// How many distinct points there are, known constraints left aside; none where a parameter is continuous.
    ///
    /// Exact unless the parameters that conditions mention have more than two million combinations; then it is the
    /// number without conditions, which is larger.
    pub fn cardinality(&self) -> Option<u64> {
        match &self.0.form {
            Form::Product(domain, _) => enumerate::cardinality(domain),
            Form::Finite(candidates) => Some(candidates.distinct_rows().len() as u64),
        }
    }

    /// All points that satisfy the known constraints, where there are at most `limit`; none where there are more, or so
    /// many combinations that they cannot be looked through.
    pub fn enumerate(&self, limit: usize) -> Option<Vec<Vec<f64>>> {
        match &self.0.form {
            Form::Product(domain, _) => enumerate::enumerate(domain, limit, enumerate::PATIENCE),
            Form::Finite(candidates) => {
                let rows = candidates.distinct_rows();
                let points = || rows.iter().map(|&row| candidates.features(row).to_vec()).collect();
                (rows.len() <= limit).then(points)
            }
        }
    }

    /// Points that differ from `z` in one discrete parameter, projected, and satisfying the known constraints: other
    /// options, next values of grids and some further away; of a finite space the nearest rows. Never `z` itself.
    ///
    /// Where a change violates a known constraint, floats move out of its way if they can; where no single change is
    /// possible, grids change in pairs.
    pub fn neighbours(&self, z: &[f64]) -> Vec<Vec<f64>> {
        match &self.0.form {
            Form::Product(domain, _) => neighbours::neighbours(domain, z),
            Form::Finite(candidates) => {
                let here = candidates.index_of_point(z);
                let rows = candidates
                    .nearest(candidates.features(here), NEAREST_ROWS + 1)
                    .into_iter();
                rows.filter(|&row| row != here)
                    .map(|row| candidates.features(row).to_vec())
                    .collect()
            }
        }
    }
}
