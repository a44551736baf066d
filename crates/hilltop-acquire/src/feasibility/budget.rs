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

use faer::{Mat, MatMut, MatRef};
use hilltop_core::{Context, Feasibility, History, Limit, Models, Result, Rng, Score, SmoothScore};

use super::cut::Cut;
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
        let margin = Chance::of("max_violation", &outputs, &middle(context))?;
        let bar = (-risk).ln_1p();
        if score.is_logarithmic() {
            let score = Probability::default().apply(score, models, context, rng)?;
            return Ok(Arc::new(Barrier { score, margin, bar }));
        }
        let margin: Arc<dyn Score> = Arc::new(Chance::of("max_violation", &models.limits, &middle(context))?);
        Ok(Cut { score, margin, bar }.apply(context, rng))
    }
}

/// What it costs to fall short of the bar by as much as the bar itself.
const STEEP: f64 = 30.0;

/// A logarithmic score that falls quickly where the margin is below the bar.
struct Barrier {
    score: Arc<dyn Score>,
    margin: Chance,
    bar: f64,
}

impl Barrier {
    /// What a margin costs, and by how much more for each unit it falls.
    fn cost(&self, margin: f64) -> (f64, f64) {
        let short = ((self.bar - margin) / self.bar.abs()).max(0.0);
        // Quadratic where it matters; straight beyond, so that nothing drowns in it.
        if short < 10.0 {
            (STEEP * short * short, 2.0 * STEEP * short / self.bar.abs())
        } else {
            (STEEP * (20.0 * short - 100.0), 20.0 * STEEP / self.bar.abs())
        }
    }
}

impl Score for Barrier {
    fn values(&self, points: MatRef<'_, f64>, out: &mut [f64]) {
        self.score.values(points, out);
        let mut margins = vec![0.0; out.len()];
        self.margin.values(points, &mut margins);
        out.iter_mut()
            .zip(margins)
            .for_each(|(out, margin)| *out -= self.cost(margin).0);
    }

    fn smooth(&self) -> Option<&dyn SmoothScore> {
        let both = self.score.smooth().is_some() && self.margin.smooth().is_some();
        both.then_some(self)
    }

    fn is_logarithmic(&self) -> bool {
        true
    }
}

impl SmoothScore for Barrier {
    fn values_and_gradients(&self, points: MatRef<'_, f64>, values: &mut [f64], mut gradients: MatMut<'_, f64>) {
        let Some(score) = self.score.smooth() else {
            return values.fill(f64::NAN);
        };
        score.values_and_gradients(points, values, gradients.as_mut());
        let (mut margins, mut slopes) = (vec![0.0; values.len()], Mat::zeros(points.nrows(), points.ncols()));
        self.margin.values_and_gradients(points, &mut margins, slopes.as_mut());
        for row in 0..points.nrows() {
            let (cost, steepness) = self.cost(margins[row]);
            values[row] -= cost;
            for axis in 0..points.ncols() {
                gradients[(row, axis)] += steepness * slopes[(row, axis)];
            }
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
