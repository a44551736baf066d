//! `auto`: the configuration that measured best, the default.
//!
//! Asks for one objective on any space. A tangent-kernel model of an infinitely wide network with a smooth activation,
//! input scales fitted by marginal likelihood, log expected improvement; and a local descent around the best point for
//! the last digits. docs/methods/auto.md has the table that decided it.

use std::sync::Arc;

use hilltop_acquire::maximiser::Known;
use hilltop_acquire::{Design, LogEi, acquisition, maximiser};
use hilltop_core::{Error, History, Limit, Model, Points, Proposer, Query, Recommendation, Result, Rng, Space};
use hilltop_surrogate::{Bent, Ntk};
use serde::{Deserialize, Serialize};

use crate::charted::Charted;
use crate::composite::{Composite, one_by_one};
use crate::descent::Descent;
use crate::limits::limited;
use crate::sampled::Leader;
use crate::transform::Transform;

/// The settings of `auto`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Auto {
    /// The first points.
    pub design: Design,
    /// What is done to the objective's values before the global model sees them.
    pub transform: Transform,
    /// The model of the whole space.
    pub surrogate: Ntk,
    /// Whether that model learns in which coordinates the function is smooth: a parameter that ranges over orders of magnitude is
    /// then seen in something like its logarithm, where the observations say so; a positive float whose upper bound is a hundred
    /// times its lower one or more is searched in its logarithm from the beginning.
    pub warp: bool,
    /// The local search.
    pub descent: Descent,
    /// The share of a known budget that is kept for the local search at the end: half as much where outputs are limited, up to
    /// twice as much where observations are noisy; 0 turns it off. Without a budget every second round is the local search's.
    pub endgame: f64,
}

impl Default for Auto {
    fn default() -> Self {
        Self {
            design: Design::default(),
            transform: Transform::default(),
            surrogate: Ntk::default(),
            warp: true,
            descent: Descent::default(),
            endgame: 0.4,
        }
    }
}

impl Auto {
    fn check(&self) -> Result<()> {
        if !(0.0..=1.0).contains(&self.endgame) {
            let (setting, value) = ("endgame".to_owned(), self.endgame.to_string());
            return Err(Error::Setting {
                setting,
                value,
                allowed: "0 to 1, a share of the budget".into(),
            });
        }
        self.descent.check()?;
        self.surrogate.check()
    }

    pub(crate) fn build(&self, space: &Space) -> Result<Box<dyn Proposer>> {
        let search = self.straight()?;
        if self.warp {
            Charted::where_wide(space, search)
        } else {
            Ok(search)
        }
    }

    /// The proposer in the coordinates of the space as they are.
    pub(crate) fn straight(&self) -> Result<Box<dyn Proposer>> {
        self.check()?;
        Ok(Box::new(Search {
            settings: self.clone(),
            quiet: self.global(false)?,
            noisy: self.global(true)?,
        }))
    }

    /// The search of the whole space where observations are noisy or not.
    fn global(&self, noisy: bool) -> Result<Composite> {
        let composite = Composite::new(
            self.design,
            self.transform(noisy),
            Bent::where_wanted(self.warp, self.amid(noisy)),
            Arc::new(acquisition::Kind::LogEi(LogEi::default())),
            Arc::new(maximiser::Kind::default()),
        )?;
        Ok(if self.warp { composite.bending() } else { composite })
    }

    /// What the values undergo. Amid noise the high ones alone: a steep flank bends the model of everything, and the valley's
    /// floor is to be told from noise in it.
    pub(crate) fn transform(&self, noisy: bool) -> Transform {
        match self.transform {
            Transform::Auto if noisy => Transform::Winsorise,
            stated => stated.amid(noisy),
        }
    }

    /// The model where observations are noisy or not.
    fn amid(&self, noisy: bool) -> Ntk {
        Ntk {
            noisy: noisy || self.surrogate.noisy,
            ..self.surrogate.clone()
        }
    }
}

/// Amid noise the local search, which compares valleys too, begins earlier, but not before so many evaluations a parameter
/// and one more: with fewer it settles in the wrong valley.
const SURVEY: f64 = 12.0;

/// Where outputs are limited so much of the local search's share is left to it: the limits cut the space into valleys, the wrong one
/// is easily entered, and models of the whole space that keep to the limits come close to the last digits by themselves.
const CONFINED: f64 = 0.5;

struct Search {
    settings: Auto,
    quiet: Composite,
    noisy: Composite,
}

impl Search {
    fn global(&mut self, history: &History) -> &mut Composite {
        if history.is_noisy() {
            &mut self.noisy
        } else {
            &mut self.quiet
        }
    }

    fn propose_one(&mut self, history: &History) -> Result<Query> {
        if let Some(query) = self.global(history).designed(history)? {
            return Ok(query);
        }
        if history.arms().is_none()
            && self.descends(history)
            && let Some(point) = self.descend(history)?
        {
            return Ok(Query::from(point));
        }
        self.global(history).propose_one(history)
    }

    /// Whether this round is the local search's.
    fn descends(&self, history: &History) -> bool {
        let (trial, share) = (history.next_trial(), self.settings.endgame);
        let Some(budget) = history.budget() else {
            return share > 0.0 && trial % 2 == 1;
        };
        let left = |share: f64| (1.0 - share).max(0.0) * budget as f64;
        let mut first = left(share);
        if history.is_noisy() {
            let known = SURVEY * (history.space().dim() + 1) as f64;
            first = first.min(left(2.0 * share).max(known));
        } else if !limited(history).is_empty() {
            first = left(CONFINED * share);
        }
        trial as f64 >= first
    }

    /// The local search's point, where it has one that may be evaluated.
    fn descend(&mut self, history: &History) -> Result<Option<Vec<f64>>> {
        let Auto {
            design,
            descent,
            surrogate,
            ..
        } = &self.settings;
        if history.is_noisy() {
            let values = self.noisy.transformed(history);
            let models = self.noisy.models(history, &values)?;
            let mut rng = history.rng(history.next_trial());
            let surrogate = &self.settings.amid(true);
            let point = descent.sampled(history, &models, surrogate, &mut rng)?;
            return Ok(point.and_then(|point| admitted(history, point, &mut rng)));
        }
        let initial = design.count(history.space());
        if history.verdicts().is_some() || !limited(history).is_empty() {
            let mut rng = history.rng(history.next_trial());
            let point = descent.confined(history, initial, surrogate, &mut rng)?;
            return Ok(point.and_then(|point| admitted(history, point, &mut rng)));
        }
        let Some(region) = descent.region(history.points(), history.objective(), initial) else {
            return Ok(None);
        };
        let mut rng = history.rng(history.next_trial());
        let point = descent.step(history, region, surrogate, &mut rng)?;
        Ok(point.and_then(|point| admitted(history, point, &mut rng)))
    }
}

/// A point of the local search as one that may be evaluated, or nothing where it is known already.
fn admitted(history: &History, mut point: Vec<f64>, rng: &mut Rng) -> Option<Vec<f64>> {
    history.space().project(&mut point);
    let sound = history.space().satisfies(&point) || history.space().repair(&mut point, rng);
    let known = Known::new(history.known_points());
    (sound && (history.is_noisy() || !known.contains(&point))).then_some(point)
}

impl Proposer for Search {
    fn propose(&mut self, history: &History, count: usize) -> Result<Vec<Query>> {
        one_by_one(history, count, |history| self.propose_one(history))
    }

    fn at_once(&self, history: &History) -> usize {
        let global = if history.is_noisy() { &self.noisy } else { &self.quiet };
        global.at_once(history)
    }

    fn model(&mut self, history: &History) -> Result<Option<Arc<dyn Model>>> {
        self.global(history).model(history)
    }

    fn limits(&mut self, history: &History) -> Result<Vec<Limit>> {
        self.global(history).limits(history)
    }

    /// Amid noise not the best observation, which is mostly a lucky one, but the one that is believed best.
    fn recommend(&mut self, history: &History) -> Result<Option<Recommendation>> {
        let Some(best) = history.best() else { return Ok(None) };
        let (mut index, mut believed) = (best, None);
        if history.is_noisy() && history.len() > 1 {
            let models = self.noisy.models(history, history.objective())?;
            index = Leader::of(history, &models).map_or(best, |leader| leader.observation);
            let point = Points::from_rows(history.space().dim(), [history.points().row(index)]);
            let beliefs = models.objective.marginals().map(|known| known.beliefs(point.matrix()));
            believed = beliefs.map(|beliefs| (beliefs.mean[0], beliefs.deviation[0]));
        }
        let point = history.points().row(index).to_vec();
        Ok(Some(Recommendation { point, believed }))
    }

    fn chooses(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use hilltop_core::{Goal, Output};

    use super::*;

    fn first_descent(outputs: Vec<Output>, noisy: bool) -> u64 {
        let space = Arc::new(Space::unit_box(2));
        let auto = Auto::default();
        let search = Search {
            quiet: auto.global(false).unwrap(),
            noisy: auto.global(true).unwrap(),
            settings: auto,
        };
        let mut history = History::new(space, outputs.into(), 1)
            .with_budget(Some(100))
            .with_noise(noisy);
        let count = history.outputs().len();
        for trial in 0..100 {
            if search.descends(&history) {
                return trial;
            }
            history.observe(trial, &[0.5, 0.5], &vec![0.0; count]);
        }
        100
    }

    #[test]
    fn the_local_search_has_its_share_of_the_budget_and_half_of_it_where_outputs_are_limited() {
        let output = |name: &str, goal| Output {
            name: name.into(),
            goal,
        };
        let objective = output("f", Goal::Minimize);
        let (min, max) = (None, Some(0.0));
        let limit = output("c", Goal::Within { min, max });
        assert_eq!(first_descent(vec![objective.clone()], false), 60);
        assert_eq!(first_descent(vec![objective.clone(), limit.clone()], false), 80);
        assert_eq!(first_descent(vec![objective.clone()], true), 36);
        assert_eq!(first_descent(vec![objective, limit], true), 36);
    }
}
