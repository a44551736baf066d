//! Comparing methods: problems and methods by name, runs in threads, quartiles, plots; and timing one suggestion.

pub(crate) mod contest;
pub(crate) mod plan;
pub(crate) mod plot;
pub(crate) mod significance;
pub(crate) mod speed;
pub(crate) mod standing;
