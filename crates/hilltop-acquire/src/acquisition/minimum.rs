//! Where functions drawn from a model have their minima: what max-value entropy and knowledge gradient look ahead to.

use std::sync::Arc;

use hilltop_core::{Context, Error, Maximiser, Model, Paths, Points, Result, Rng, Score};

use super::incumbent::lowest;
use crate::maximiser::{Auto, Gradient, Local, Pool};

/// Observations at which a drawn function's minimum is looked for besides.
const OBSERVED: usize = 50;

/// The paths of a model, or the error that names who asked.
pub(crate) fn paths<'a>(asker: &'static str, model: &'a dyn Model) -> Result<&'a dyn Paths> {
    let lacking = Error::Incapable {
        asker,
        needed: "paths",
        model: "the fitted model",
        offered: "none",
    };
    model.paths().ok_or(lacking)
}

/// A drawn function with its minimum.
pub(crate) struct Drawn {
    pub(crate) path: Arc<dyn Score>,
    pub(crate) point: Vec<f64>,
    pub(crate) value: f64,
}

impl Drawn {
    /// Draws a function and finds its minimum.
    pub(crate) fn new(paths: &dyn Paths, context: &Context<'_>, rng: &mut Rng) -> Result<Self> {
        let path = paths.draw(1.0, rng)?;
        let found = search().maximise(path.as_ref(), context, rng)?;
        let points = context.evidence.points;
        let observed = lowest(context.evidence.values, OBSERVED)
            .into_iter()
            .map(|index| points.row(index));
        let places = Points::from_rows(found.len(), std::iter::once(found.as_slice()).chain(observed));
        let mut scores = vec![0.0; places.len()];
        path.values(places.matrix(), &mut scores);
        let best = (0..scores.len())
            .max_by(|&a, &b| scores[a].total_cmp(&scores[b]))
            .unwrap_or(0);
        let (point, value) = (places.row(best).to_vec(), -scores[best]);
        Ok(Self { path, point, value })
    }
}

/// A search that a round can afford several times.
fn search() -> Auto {
    let pool = Pool { points: 300, near: 100 };
    Auto {
        gradient: Gradient {
            pool,
            starts: 3,
            iterations: 25,
            ..Gradient::default()
        },
        local: Local {
            pool,
            ..Local::default()
        },
        ..Auto::default()
    }
}
