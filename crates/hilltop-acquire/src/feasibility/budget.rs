//! A violation budget: limits are kept with the probability that a study asks for, adapted to how it went so far.
//!
//! With a share `α` of trials that may break limits, a point counts where all are kept with probability `1 − α'`. `α'`
//! is `α` while the running share is at most what it should be, and falls when more trials have broken limits. Where
//! nearly a whole violation has been saved, one trial is free, because what lies behind a barrier is only seen by crossing
//! it.
//!
//! Trials count from the first that kept all limits: before, none could be held to it. Where that had to be searched for and
//! the study's budget is known, the search goes on without the violation budget until two fifths are spent: the first
//! results that keep the limits need not lie near the best.

use std::sync::Arc;

use hilltop_core::{Context, Feasibility, History, Limit, Models, Result, Rng, Score};

use super::cut::Cut;
use super::joint::{Formula, Joint, Worth};
use super::odds::Chance;
use super::{Probability, seeks};
use crate::acquisition::middle;

/// A share of trials that may break limits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// `α`, from 0 to 1.
    pub share: f64,
}

/// The least risk that can be asked for: a model's tails are not known beyond.
const LEAST: f64 = 1e-3;
/// The share of a violation that must have been saved for one trial to be free.
const FREE: f64 = 0.7;

impl Budget {
    /// `α'`: the probability with which the next trial may break a limit.
    pub fn risk(&self, history: &History) -> f64 {
        let (violating, counted) = spent(history);
        let saved = self.share * counted as f64 - violating as f64;
        if saved >= FREE || searches(history) {
            return 1.0;
        }
        (self.share * saved.min(0.0).exp()).max(LEAST)
    }
}

/// How many trials broke limits since they count, and how many there were.
pub fn spent(history: &History) -> (usize, usize) {
    let Some(start) = beginning(history) else {
        return (0, 0);
    };
    let later = start..history.len();
    let violating = later.clone().filter(|&index| history.violation(index) > 0.0);
    (violating.count(), later.len())
}

/// The share of a study's budget that a search for results that keep the limits may take.
const SEARCH: f64 = 0.4;
/// Where one of so many first results keeps the limits, nothing had to be searched for.
const AT_ONCE: usize = 3;

/// The first observation that counts.
fn beginning(history: &History) -> Option<usize> {
    let first = (0..history.len()).find(|&index| history.violation(index) <= 0.0)?;
    let Some(budget) = history.budget().filter(|_| first >= AT_ONCE) else {
        return Some(first);
    };
    let searched = SEARCH * budget as f64;
    (first..history.len()).find(|&index| history.trials()[index] as f64 >= searched)
}

/// Whether limits had to be searched for, and still are.
fn searches(history: &History) -> bool {
    let found = (0..history.len()).any(|index| history.violation(index) <= 0.0);
    let begun = history
        .budget()
        .is_some_and(|budget| history.next_trial() as f64 >= SEARCH * budget as f64);
    found && !begun && beginning(history).is_none()
}

impl Feasibility for Budget {
    fn apply(
        &self,
        score: Arc<dyn Score>,
        models: &Models,
        context: &Context<'_>,
        rng: &mut Rng,
    ) -> Result<Arc<dyn Score>> {
        let outputs: Vec<Limit> = models
            .limits
            .iter()
            .filter(|limit| !limit.is_failure())
            .cloned()
            .collect();
        let risk = self.risk(context.history);
        if outputs.is_empty() || seeks(context) || risk >= 1.0 {
            return super::Auto::default().apply(score, models, context, rng);
        }
        let margin = |limits: &[Limit]| Chance::of("max_violation", limits, &middle(context)).map(Arc::new);
        let bar = (-risk).ln_1p();
        if !score.is_logarithmic() {
            let margin = margin(&models.limits)?;
            return Ok(Cut { bar }.apply(score, margin, context, rng));
        }
        Ok(Arc::new(Joint {
            margin: margin(&outputs)?,
            score: Probability::default().apply(score, models, context, rng)?,
            formula: Barrier { bar },
        }))
    }
}

/// What it costs to fall short of the bar by as much as the bar itself.
const STEEP: f64 = 30.0;

/// A logarithmic score falls quickly where the margin is below the bar.
struct Barrier {
    bar: f64,
}

impl Formula for Barrier {
    const LOGARITHMIC: bool = true;

    fn worth(&self, score: f64, margin: f64) -> Worth {
        let short = ((self.bar - margin) / self.bar.abs()).max(0.0);
        // Quadratic where it matters; straight beyond, so that nothing drowns in it.
        let (cost, by_margin) = if short < 10.0 {
            (STEEP * short * short, 2.0 * STEEP * short / self.bar.abs())
        } else {
            (STEEP * (20.0 * short - 100.0), 20.0 * STEEP / self.bar.abs())
        };
        Worth {
            value: score - cost,
            by_score: 1.0,
            by_margin,
        }
    }
}

#[cfg(test)]
mod tests {
    use hilltop_core::{Goal, Output, Space};

    use super::*;

    fn history(values: &[f64]) -> History {
        let outputs = [
            Output {
                name: "f".into(),
                goal: Goal::Minimize,
            },
            Output {
                name: "c".into(),
                goal: Goal::Within {
                    min: None,
                    max: Some(0.0),
                },
            },
        ];
        let mut history = History::new(Arc::new(Space::unit_box(1)), outputs.into(), 1);
        for (trial, value) in values.iter().enumerate() {
            history.observe(trial as u64, &[0.5], &[0.0, *value]);
        }
        history
    }

    #[test]
    fn trials_count_from_the_first_that_keeps_all_limits() {
        assert_eq!(spent(&history(&[1.0, 2.0])), (0, 0));
        assert_eq!(spent(&history(&[1.0, -1.0, 2.0, -1.0])), (1, 3));
    }

    #[test]
    fn risk_falls_with_what_was_spent_and_what_was_saved_frees_a_trial() {
        let budget = Budget { share: 0.1 };
        let at = |values: &[f64]| budget.risk(&history(values));
        assert!((at(&[]) - 0.1).abs() < 1e-12);
        assert!(at(&[-1.0, 1.0, 1.0]) < 0.02);
        assert!((at(&[-1.0; 6]) - 0.1).abs() < 1e-12);
        assert!(at(&[-1.0; 8]) >= 1.0, "nearly a violation is saved: one trial is free");
        assert!((Budget { share: 0.0 }.risk(&history(&[-1.0; 50])) - LEAST).abs() < 1e-12);
    }
}
