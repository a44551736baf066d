//! What a query asks for: everything, or one output where outputs cost apart.

use hilltop_core::History;
use serde::{Deserialize, Serialize};

/// Which outputs a query wants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Queries {
    /// All of them, every time.
    #[default]
    All,
    /// The one that decides, where an evaluation can give outputs apart.
    Single,
}

/// The outputs of a point that have not been seen in trials of some outputs, by their place.
pub(crate) fn unseen(history: &History, point: &[f64]) -> Vec<usize> {
    let here = history.sightings().iter().filter(|sighting| sighting.point == point);
    let here: Vec<_> = here.collect();
    let missing = |output: &usize| here.iter().all(|sighting| sighting.values[*output].is_none());
    (0..history.outputs().len()).filter(missing).collect()
}

/// The points that have been seen in part only and are not under way, the latest first.
pub(crate) fn begun(history: &History) -> Vec<&[f64]> {
    let mut points: Vec<&[f64]> = Vec::new();
    for sighting in history.sightings().iter().rev() {
        let point = sighting.point.as_slice();
        let away = history.pending().iter().any(|pending| pending.point == point);
        if !away && !points.contains(&point) && !unseen(history, point).is_empty() {
            points.push(point);
        }
    }
    points
}
