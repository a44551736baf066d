//! A method that sees wide ranges in their logarithms.
//!
//! A positive number that may be a hundred times as large as it may be small is mostly a scale, whether or not whoever stated the
//! problem said so: where equal ratios matter, nearly all points that are spread evenly lie in its last decade. So a proposer
//! can be given the study as if such ranges had been stated as logarithmic, and what it says is taken back. Ranges in known
//! constraints stay as they are, because those may hold along straight lines, and so do ranges under a condition, which have a
//! place of their own where they take no part.

use std::collections::BTreeSet;
use std::sync::Arc;

use hilltop_core::{
    Coordinate, History, Kind, Limit, Model, Parameter, Proposer, Query, Recommendation, Result, Space,
};
use hilltop_surrogate::bent::Bends;

/// A range is wide where its upper bound is so many times its lower one.
const WIDE: f64 = 100.0;

/// A proposer in charted coordinates.
pub(crate) struct Charted {
    inner: Box<dyn Proposer>,
    /// The space with wide ranges in their logarithms.
    space: Arc<Space>,
    /// What takes the study's points there.
    chart: Bends,
}

impl Charted {
    /// The proposer with wide ranges in their logarithms; the proposer itself where none is wide.
    pub(crate) fn where_wide(space: &Space, inner: Box<dyn Proposer>) -> Result<Box<dyn Proposer>> {
        let bound: BTreeSet<&str> = space.known().iter().flat_map(|known| known.names()).collect();
        let free = |parameter: &&Parameter| parameter.when.is_none() && !bound.contains(parameter.name.as_str());
        let mut chart = Bends::straight(space.dim());
        let mut parameters = space.parameters().to_vec();
        for (axis, coordinate) in space.coordinates().iter().enumerate() {
            let Coordinate::Continuous { parameter } = *coordinate else {
                continue;
            };
            let stated = &space.parameters()[parameter];
            if let Some(ratio) = Some(stated)
                .filter(free)
                .and_then(ratio)
                .filter(|ratio| (WIDE..f64::INFINITY).contains(ratio))
            {
                chart = chart.with(axis, ratio - 1.0);
                logarithmic(&mut parameters[parameter]);
            }
        }
        if chart.is_straight() || space.candidates().is_some() {
            return Ok(inner);
        }
        let space = Arc::new(Space::new(parameters, space.known().to_vec())?);
        Ok(Box::new(Self { inner, space, chart }))
    }

    fn seen(&self, history: &History) -> History {
        history.taken_to(Arc::clone(&self.space), |point| self.chart.inward(point))
    }

    /// A point as the study has it.
    fn back(&self, history: &History, point: &[f64]) -> Vec<f64> {
        let mut point = self.chart.outward(point);
        history.space().project(&mut point);
        point
    }
}

/// How many times its lower bound the upper bound of a positive, evenly searched range is.
fn ratio(parameter: &Parameter) -> Option<f64> {
    match parameter.kind {
        Kind::Float {
            low,
            high,
            log: false,
            step: None,
        } if low > 0.0 => Some(high / low),
        _ => None,
    }
}

fn logarithmic(parameter: &mut Parameter) {
    if let Kind::Float { log, .. } = &mut parameter.kind {
        *log = true;
    }
}

impl Proposer for Charted {
    fn propose(&mut self, history: &History, count: usize) -> Result<Vec<Query>> {
        // An arm is taken as it is offered.
        if history.is_among_arms() {
            return self.inner.propose(history, count);
        }
        // Each knows those before it as the study has them, to the last digit.
        let (mut queries, mut growing) = (Vec::with_capacity(count), history.clone());
        while queries.len() < count
            && let Some(mut query) = self.inner.propose(&self.seen(&growing), 1)?.pop()
        {
            query.point = self.back(history, &query.point);
            growing.ask(growing.next_trial(), query.point.clone());
            query.memory.iter().for_each(|memory| growing.remember(memory.clone()));
            queries.push(query);
        }
        Ok(queries)
    }

    fn at_once(&self, history: &History) -> usize {
        self.inner.at_once(history)
    }

    fn recommend(&mut self, history: &History) -> Result<Option<Recommendation>> {
        if history.is_among_arms() {
            return self.inner.recommend(history);
        }
        let recommended = self.inner.recommend(&self.seen(history))?;
        Ok(recommended.map(|recommended| Recommendation {
            point: self.back(history, &recommended.point),
            ..recommended
        }))
    }

    fn chooses(&self) -> bool {
        self.inner.chooses()
    }

    fn model(&mut self, history: &History) -> Result<Option<Arc<dyn Model>>> {
        if history.is_among_arms() {
            return self.inner.model(history);
        }
        let model = self.inner.model(&self.seen(history))?;
        Ok(model.map(|model| self.chart.seen_through(model)))
    }

    fn limits(&mut self, history: &History) -> Result<Vec<Limit>> {
        if history.is_among_arms() {
            return self.inner.limits(history);
        }
        let mut limits = self.inner.limits(&self.seen(history))?;
        for limit in &mut limits {
            limit.model = self.chart.seen_through(Arc::clone(&limit.model));
        }
        Ok(limits)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use hilltop_core::{Expression, Goal, Output, Points};

    use super::*;
    use crate::Auto;

    fn outputs() -> Arc<[Output]> {
        let goal = Goal::Minimize;
        [Output {
            name: "cost".into(),
            goal,
        }]
        .into()
    }

    /// Least where the rate is 0.01 and the other 0.3.
    fn cost(space: &Space, point: &[f64]) -> f64 {
        let named = space.decode(point);
        let value = |name: &str| named.get(name).and_then(hilltop_core::Value::number).unwrap();
        (value("rate") / 0.01).ln().powi(2) + (value("share") - 0.3).powi(2)
    }

    fn run(parameters: Vec<Parameter>, known: &[&str], settings: &Auto, trials: u64) -> (History, Box<dyn Proposer>) {
        let known = known.iter().map(|text| Expression::parse(text).unwrap()).collect();
        let space = Arc::new(Space::new(parameters, known).unwrap());
        let mut proposer = settings.build(&space).unwrap();
        let mut history = History::new(space, outputs(), 3).with_budget(Some(30));
        for trial in 0..trials {
            let query = proposer.propose(&history, 1).unwrap().remove(0);
            let value = cost(history.space(), &query.point);
            history.observe(trial, &query.point, &[value]);
        }
        (history, proposer)
    }

    fn stated(low: f64) -> Vec<Parameter> {
        vec![Parameter::float("rate", low, 1.0), Parameter::float("share", 0.0, 1.0)]
    }

    fn rates(history: &History) -> Vec<f64> {
        let rate = |row: &[f64]| history.space().decode(row).get("rate").unwrap().number().unwrap();
        history.points().rows().map(rate).collect()
    }

    #[test]
    fn the_first_points_of_a_wide_range_are_spread_over_its_decades() {
        let (history, _) = run(stated(1e-4), &[], &Auto::default(), 8);
        let low = rates(&history).iter().filter(|rate| **rate < 1e-2).count();
        assert!((3..=5).contains(&low), "{:?}", rates(&history));
        for row in history.points().rows() {
            let mut projected = row.to_vec();
            history.space().project(&mut projected);
            assert_eq!(projected, row);
        }
    }

    #[test]
    fn what_is_narrow_known_or_not_to_be_warped_stays_as_stated() {
        let few = |history: &History| rates(history).iter().filter(|rate| **rate < 1e-1).count() <= 2;
        let unwarped = Auto {
            warp: false,
            ..Auto::default()
        };
        assert!(few(&run(stated(1e-4), &[], &unwarped, 8).0));
        assert!(few(&run(stated(0.011), &[], &Auto::default(), 8).0));
        assert!(few(&run(stated(1e-4), &["rate + share <= 2"], &Auto::default(), 8).0));
        let mut conditional = stated(1e-4);
        conditional[0] = conditional[0].clone().when("share >= 0").unwrap();
        assert!(few(&run(conditional, &[], &Auto::default(), 8).0));
    }

    #[test]
    fn the_optimum_of_a_scale_is_found_and_told_in_the_study_s_coordinates() {
        let (history, mut proposer) = run(stated(1e-4), &[], &Auto::default(), 30);
        let best = history.best().unwrap();
        assert!(history.objective()[best] < 1e-6, "{}", history.objective()[best]);
        let told = proposer.recommend(&history).unwrap().unwrap().point;
        assert_eq!(
            history.space().decode(&told),
            history.space().decode(history.points().row(best))
        );
        let model = proposer.model(&history).unwrap().unwrap();
        let point = Points::from_rows(2, [history.points().row(best)]);
        let mean = model.marginals().unwrap().beliefs(point.matrix()).mean[0];
        assert!(mean.abs() < 0.1, "{mean}");
    }

    #[test]
    fn a_batch_is_what_asking_one_after_another_gives() {
        let (history, mut proposer) = run(stated(1e-4), &[], &Auto::default(), 14);
        let batch = proposer.propose(&history, 3).unwrap();
        let mut growing = history.clone();
        for (trial, query) in (14..).zip(&batch) {
            let alone = proposer.propose(&growing, 1).unwrap().remove(0);
            assert_eq!(
                growing.space().decode(&alone.point),
                growing.space().decode(&query.point)
            );
            growing.ask(trial, alone.point);
        }
    }
}
