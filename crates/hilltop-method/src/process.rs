//! What the methods on Gaussian processes share: a process of the objective, and one of every limit.

use std::sync::Arc;

use hilltop_acquire::{Design, maximiser};
use hilltop_core::{Acquisition, Result};
use hilltop_surrogate::Gp;

use crate::composite::Composite;
use crate::transform::Transform;

/// The composition of an acquisition on processes of this description.
pub(crate) fn on_processes(
    process: Gp,
    design: Design,
    transform: Transform,
    acquisition: impl Acquisition + 'static,
    maximiser: maximiser::Kind,
) -> Result<Composite> {
    process.check()?;
    let process = Arc::new(process);
    let (acquisition, maximiser) = (Arc::new(acquisition), Arc::new(maximiser));
    let composite = Composite::new(design, transform, process.clone(), acquisition, maximiser)?;
    Ok(composite.limiting(process))
}
