//! When parameters are fitted again, and to which observations.

use hilltop_core::Rng;
use serde::{Deserialize, Serialize};

/// The counts of observations at which parameters are fitted.
///
/// They are fixed numbers, so that a model depends on its observations and not on how often it was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Schedule {
    /// The first fit.
    pub first: usize,
    /// Up to so many observations each new one is followed by a fit.
    pub each_until: usize,
    /// Afterwards there is a fit when there are so many times as many observations as at the last.
    pub growth: f64,
}

impl Default for Schedule {
    fn default() -> Self {
        Self {
            first: 4,
            each_until: 20,
            growth: 1.12,
        }
    }
}

impl Schedule {
    /// The fit after the one at `count`.
    fn after(&self, count: usize) -> usize {
        if count < self.each_until {
            count + 1
        } else {
            (count + 1).max((count as f64 * self.growth).ceil() as usize)
        }
    }

    /// The counts above `done` and up to `count`.
    pub fn between(&self, done: Option<usize>, count: usize) -> Vec<usize> {
        let mut at = done.map_or(self.first.max(2), |done| self.after(done));
        let mut counts = Vec::new();
        while at <= count {
            counts.push(at);
            at = self.after(at);
        }
        counts
    }

    /// Whether there is a fit at this count.
    pub fn contains(&self, count: usize) -> bool {
        self.between(None, count).last() == Some(&count)
    }
}

/// At most `limit` observations to fit to: the best quarter, the latest quarter, and of the rest a spread that is the
/// same whenever it is drawn. In their order.
pub fn subset(values: &[f64], limit: usize) -> Vec<usize> {
    let count = values.len();
    if count <= limit {
        return (0..count).collect();
    }
    let mut best: Vec<usize> = (0..count).collect();
    best.sort_by(|a, b| values[*a].total_cmp(&values[*b]).then(a.cmp(b)));
    let mut chosen = vec![false; count];
    best.iter()
        .take(limit / 4)
        .chain(&(count - limit / 4..count).collect::<Vec<_>>())
        .for_each(|i| chosen[*i] = true);
    let mut rest: Vec<usize> = (0..count).filter(|i| !chosen[*i]).collect();
    let missing = limit - (count - rest.len());
    Rng::keyed(count as u64, &[limit as u64]).shuffle(&mut rest);
    rest.iter().take(missing).for_each(|i| chosen[*i] = true);
    (0..count).filter(|i| chosen[*i]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn continuing_gives_the_same_counts_as_starting() {
        let schedule = Schedule::default();
        let all = schedule.between(None, 5000);
        for (index, count) in all.iter().enumerate() {
            assert_eq!(schedule.between(Some(*count), 5000), all[index + 1..]);
            assert!(schedule.contains(*count));
        }
        assert!(!schedule.contains(all[40] + 1));
    }

    #[test]
    fn a_subset_holds_the_best_and_the_latest() {
        let values: Vec<f64> = (0..1000).map(|i| f64::from((i * 617) % 1000)).collect();
        let chosen = subset(&values, 100);
        assert_eq!(chosen.len(), 100);
        assert!((975..1000).all(|latest| chosen.contains(&latest)));
        assert!(
            (0..1000)
                .filter(|i| values[*i] < 25.0)
                .all(|best| chosen.contains(&best))
        );
        assert!(chosen.windows(2).all(|pair| pair[0] < pair[1]));
    }
}
