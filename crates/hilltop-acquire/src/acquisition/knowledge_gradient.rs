//! Knowledge gradient: how much lower the best mean is expected to be after one more evaluation (Frazier et al., 2009).
//!
//! An evaluation at `x` moves the mean at `x'` along a line in one standard normal, with slope
//! `cov(f(x), f(x')) / √(var f(x) + noise)`. The covariances are those of functions drawn from the model, so that any model with
//! marginals and paths will do; a correlation that so few draws have by chance is taken off. The alternatives `x'` are
//! minima of drawn functions, the best observed points, and `x` itself.

use std::sync::Arc;

use hilltop_core::{Acquisition, Capabilities, Context, Models, Points, Result, Rng, Score};
use serde::{Deserialize, Serialize};

use super::knowledge::{Alternatives, Knowledge};
use super::marginal::{marginals, middle};
use super::minimum::{Drawn, paths};
use super::{lowest, refused, require};

/// Knowledge gradient.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct KnowledgeGradient {
    /// How many functions are drawn.
    pub paths: usize,
    /// How many points may turn out best, beside the one evaluated: half of them minima, half observed.
    pub alternatives: usize,
}

impl Default for KnowledgeGradient {
    fn default() -> Self {
        Self {
            paths: 32,
            alternatives: 16,
        }
    }
}

const NAME: &str = "knowledge-gradient";

impl Acquisition for KnowledgeGradient {
    fn bind(&self, models: &Models, context: &Context<'_>, rng: &mut Rng) -> Result<Arc<dyn Score>> {
        let model = Arc::clone(&models.objective);
        let (marginals, drawing) = (marginals(NAME, &*model)?, paths(NAME, &*model)?);
        let (observed, count) = (context.evidence.points, self.alternatives.div_ceil(2).min(self.paths));
        let mut places = Points::new(context.history.space().dim());
        let mut paths = Vec::with_capacity(self.paths);
        for _ in 0..count {
            let drawn = Drawn::new(drawing, context, rng)?;
            places.push(&drawn.point);
            paths.push(drawn.path);
        }
        for _ in count..self.paths {
            paths.push(drawing.draw(1.0, rng)?);
        }
        for index in lowest(context.evidence.values, self.alternatives / 2) {
            places.push(observed.row(index));
        }
        let smooth = marginals.slopes(middle(context).matrix()).is_some();
        let smooth = smooth && paths.iter().all(|path| path.smooth().is_some());
        let alternatives = Alternatives::new(marginals, &paths, places.matrix());
        Ok(Arc::new(Knowledge {
            model,
            paths,
            alternatives,
            smooth,
        }))
    }

    fn check(&self, capabilities: Capabilities) -> Result<()> {
        if self.paths < 4 {
            return Err(refused("paths", self.paths, "at least 4"));
        }
        if self.alternatives == 0 {
            return Err(refused("alternatives", 0, "at least 1"));
        }
        let met = capabilities.marginals && capabilities.paths;
        require(NAME, "marginals and paths", met, capabilities)
    }

    fn is_smooth(&self) -> bool {
        true
    }
}
