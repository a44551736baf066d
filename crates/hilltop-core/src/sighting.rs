//! Trials that gave some outputs only: where outputs cost apart, a method may ask for one of them.

use std::borrow::Cow;

use crate::history::Points;

/// Some outputs of a point.
#[derive(Clone, Debug, PartialEq)]
pub struct Sighting {
    /// Its trial.
    pub trial: u64,
    /// Where.
    pub point: Vec<f64>,
    /// What was seen, in the order of the outputs, objectives to be minimised.
    pub values: Vec<Option<f64>>,
}

/// An output everywhere it has been seen, in the order of trials.
#[derive(Clone, Debug)]
pub struct Seen<'h> {
    /// The trials.
    pub trials: Cow<'h, [u64]>,
    /// The points.
    pub points: Cow<'h, Points>,
    /// The values, objectives to be minimised.
    pub values: Cow<'h, [f64]>,
}

impl Seen<'_> {
    /// Whether it has been seen at exactly the points of which everything has.
    pub fn is_whole(&self) -> bool {
        matches!(self.points, Cow::Borrowed(_))
    }
}

/// All sightings of a history, and which observations were put together from them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sightings {
    all: Vec<Sighting>,
    merged: Vec<usize>,
}

impl Sightings {
    pub(crate) fn all(&self) -> &[Sighting] {
        &self.all
    }

    /// The same with each point elsewhere.
    pub(crate) fn taken(&self, chart: impl Fn(&[f64]) -> Vec<f64>) -> Self {
        let mut taken = self.clone();
        for sighting in &mut taken.all {
            sighting.point = chart(&sighting.point);
        }
        taken
    }

    /// Adds a sighting. Where its point has now been seen whole these are the values, each the mean of what was seen, and
    /// the observation they make has this index.
    pub(crate) fn push(&mut self, sighting: Sighting, index: usize) -> Option<Vec<f64>> {
        let known = self.whole(&sighting.point).is_some();
        self.all.push(sighting);
        let whole = self.whole(&self.all.last()?.point).filter(|_| !known)?;
        self.merged.push(index);
        Some(whole)
    }

    /// The values of a point all of whose outputs have been seen.
    fn whole(&self, point: &[f64]) -> Option<Vec<f64>> {
        let here = || self.all.iter().filter(|sighting| sighting.point == point);
        let value = |output: usize| {
            let seen: Vec<f64> = here().filter_map(|sighting| sighting.values[output]).collect();
            (!seen.is_empty()).then(|| seen.iter().sum::<f64>() / seen.len() as f64)
        };
        (0..here().next()?.values.len()).map(value).collect()
    }

    /// An output among observations, given with their trials and points, and sightings.
    pub(crate) fn seen<'h>(&self, output: usize, own: (&'h [u64], &'h Points, &'h [f64])) -> Seen<'h> {
        let (trials, points, values) = own;
        if self.all.is_empty() {
            return Seen {
                trials: trials.into(),
                points: Cow::Borrowed(points),
                values: values.into(),
            };
        }
        let observed = (0..trials.len()).filter(|index| !self.merged.contains(index));
        let observed = observed.map(|index| (trials[index], points.row(index), values[index]));
        let seen = self
            .all
            .iter()
            .filter_map(|sighting| Some((sighting.trial, sighting.point.as_slice(), sighting.values[output]?)));
        let mut rows: Vec<(u64, &[f64], f64)> = observed.chain(seen).collect();
        rows.sort_by_key(|row| row.0);
        Seen {
            trials: rows.iter().map(|row| row.0).collect(),
            points: Cow::Owned(Points::from_rows(points.dim(), rows.iter().map(|row| row.1))),
            values: rows.iter().map(|row| row.2).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::{Goal, History, Output, Space};

    fn history() -> History {
        let output = |name: &str, goal| Output {
            name: name.into(),
            goal,
        };
        let limit = Goal::Within {
            min: None,
            max: Some(0.0),
        };
        let outputs = [output("gain", Goal::Maximize), output("stress", limit)];
        History::new(Arc::new(Space::unit_box(1)), outputs.into(), 1)
    }

    #[test]
    fn an_output_is_seen_wherever_a_trial_gave_it() {
        let mut history = history();
        history.observe(0, &[0.1], &[1.0, -1.0]);
        assert!(history.seen(1).is_whole());
        history.observe_some(1, &[0.2], &[None, Some(2.0)]);
        let (gain, stress) = (history.seen(0), history.seen(1));
        assert_eq!(
            (gain.trials.as_ref(), gain.values.as_ref()),
            ([0].as_slice(), [-1.0].as_slice())
        );
        assert_eq!(
            (stress.trials.as_ref(), stress.values.as_ref()),
            ([0, 1].as_slice(), [-1.0, 2.0].as_slice())
        );
        assert_eq!(stress.points.row(1), [0.2]);
        assert_eq!((history.len(), history.next_trial()), (1, 2));
    }

    #[test]
    fn a_point_of_which_everything_has_been_seen_is_an_observation_and_counts_once() {
        let mut history = history();
        history.observe_some(0, &[0.2], &[None, Some(-2.0)]);
        history.observe_some(1, &[0.2], &[Some(3.0), None]);
        assert_eq!(
            (history.trials(), history.objective()),
            ([1].as_slice(), [-3.0].as_slice())
        );
        assert_eq!(history.best(), Some(0));
        for output in 0..2 {
            assert_eq!(history.seen(output).values.len(), 1);
        }
        history.observe_some(2, &[0.2], &[Some(5.0), None]);
        assert_eq!(history.len(), 1);
        history.fail(3, vec![0.9], "crashed");
        let labels = history.verdicts().map(|verdicts| verdicts.1);
        assert_eq!(labels, Some(vec![-1.0, -1.0, -1.0, 1.0]));
    }

    #[test]
    fn a_history_taken_elsewhere_is_the_same_at_other_points() {
        let mut history = history();
        history.observe(0, &[0.1], &[1.0, -1.0]);
        history.observe_some(1, &[0.2], &[None, Some(2.0)]);
        history.fail(2, vec![0.3], "crashed");
        history.ask(3, vec![0.4]);
        let taken = history.taken_to(Arc::new(Space::unit_box(1)), |point| vec![2.0 * point[0]]);
        let points: Vec<f64> = taken.known_points().map(|point| point[0]).collect();
        assert_eq!(points, [0.2, 0.4, 0.6, 0.8]);
        assert_eq!(
            (taken.objective(), taken.settled(), taken.next_trial()),
            (history.objective(), history.settled(), 4)
        );
    }
}
