//! Training: least squares with a penalty on the distance from where the weights started.
//!
//! A step that makes the loss explode (not finite, or a million times the scale of the first step) ends the attempt; the network starts
//! again from where it was with half the rate, on the same order of examples. So a rate that is too large costs time and not
//! the study, and the result is still a function of the inputs alone.

use crate::course::{Course, Member};
use crate::{Error, Network, Optimiser, Result};
use faer::MatRef;
use hilltop_core::Rng;
use serde::{Deserialize, Serialize};

/// How often a diverging attempt is repeated with half the rate.
const HALVINGS: usize = 30;

/// Minimises `½ Σ (h(x_i) − y_i)² + ½ penalty ‖θ − θ_0‖²`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trainer {
    /// The way down.
    pub optimiser: Optimiser,
    /// The penalty on the squared distance from the anchor `θ_0`.
    #[serde(default)]
    pub penalty: f64,
}

/// What a training came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fit {
    /// `½ Σ (h(x_i) − y_i)²` at the final weights.
    pub loss: f64,
    /// `½ penalty ‖θ − θ_0‖²` at the final weights.
    pub penalty: f64,
    /// The rate it succeeded with: the optimiser's, or half of it several times.
    pub rate: f64,
    /// Steps taken with that rate.
    pub steps: usize,
}

impl Trainer {
    /// A training with an optimiser and without penalty.
    pub fn new(optimiser: Optimiser) -> Self {
        Self {
            optimiser,
            penalty: 0.0,
        }
    }

    /// The same training with a penalty.
    #[must_use]
    pub fn with_penalty(mut self, penalty: f64) -> Self {
        self.penalty = penalty;
        self
    }

    /// Whether the settings are in their ranges.
    pub fn check(&self) -> Result<()> {
        if !self.penalty.is_finite() || self.penalty < 0.0 {
            let allowed = "it must be finite and not negative";
            return Err(Error::Setting {
                setting: "penalty",
                value: self.penalty,
                allowed,
            });
        }
        self.optimiser.check()
    }

    /// Trains a network from its weights, which are also the anchor of the penalty. On an error the network is as
    /// it was.
    pub fn train(&self, network: &mut Network, points: MatRef<'_, f64>, targets: &[f64], rng: &mut Rng) -> Result<Fit> {
        let anchor = network.weights().to_vec();
        self.train_towards(network, &anchor, points, targets, rng)
    }

    /// Trains a network from its weights with a penalty on the distance from other ones.
    pub fn train_towards(
        &self,
        network: &mut Network,
        anchor: &[f64],
        points: MatRef<'_, f64>,
        targets: &[f64],
        rng: &mut Rng,
    ) -> Result<Fit> {
        let targets = MatRef::from_column_major_slice(targets, targets.len(), 1);
        let fits = self.train_members(std::slice::from_mut(network), &[anchor], points, targets, rng)?;
        fits.first().copied().ok_or(Error::Shape {
            what: "networks to train",
            expected: 1,
            found: 0,
        })
    }

    /// Trains several networks of one architecture on the same points in the same order; a column of targets each.
    pub(crate) fn train_members(
        &self,
        networks: &mut [Network],
        anchors: &[&[f64]],
        points: MatRef<'_, f64>,
        targets: MatRef<'_, f64>,
        rng: &mut Rng,
    ) -> Result<Vec<Fit>> {
        self.check()?;
        check_examples(networks, anchors, points, targets)?;
        let order = rng.split();
        let Some(first) = networks.first() else {
            return Ok(Vec::new());
        };
        let mut course = Course::new(
            first.architecture(),
            points,
            self.penalty,
            self.optimiser.schedule(points.nrows()),
        );
        let starts: Vec<Vec<f64>> = networks.iter().map(|network| network.weights().to_vec()).collect();
        let members = networks.iter_mut().zip(anchors).enumerate();
        let mut members: Vec<Member<'_>> = members
            .map(|(column, (network, anchor))| {
                Member::new(network, anchor, targets.col(column).iter().copied().collect())
            })
            .collect();
        let outcome = attempts(&mut course, &mut members, &starts, &order);
        if let Err(error) = outcome {
            members
                .iter_mut()
                .zip(&starts)
                .for_each(|(member, start)| member.restart(start));
            return Err(error);
        }
        Ok(members.iter().map(|member| course.fit(member)).collect())
    }
}

/// Runs the course; members that diverged run it again with half the rate, and so on.
fn attempts(course: &mut Course, members: &mut [Member<'_>], starts: &[Vec<f64>], order: &Rng) -> Result<()> {
    course.run(members, &mut order.clone());
    for _ in 0..HALVINGS {
        if members.iter().all(|member| member.diverged.is_none()) {
            return Ok(());
        }
        course.halve();
        for (member, start) in members.iter_mut().zip(starts) {
            if member.diverged.is_some() {
                member.restart(start);
            } else {
                member.finished = true;
            }
        }
        course.run(members, &mut order.clone());
    }
    match members.iter().find_map(|member| member.diverged) {
        Some(step) => Err(Error::Diverged {
            step,
            rate: course.rate(),
        }),
        None => Ok(()),
    }
}

pub(crate) fn check_examples(
    networks: &[Network],
    anchors: &[&[f64]],
    points: MatRef<'_, f64>,
    targets: MatRef<'_, f64>,
) -> Result<()> {
    let agree = |what, expected, found| {
        if expected == found {
            Ok(())
        } else {
            Err(Error::Shape { what, expected, found })
        }
    };
    agree("targets of each network", points.nrows(), targets.nrows())?;
    agree("columns of targets", networks.len(), targets.ncols())?;
    agree("anchors", networks.len(), anchors.len())?;
    for (network, anchor) in networks.iter().zip(anchors) {
        agree("coordinates of a point", network.architecture().inputs, points.ncols())?;
        agree("weights of an anchor", network.parameter_count(), anchor.len())?;
    }
    for example in 0..points.nrows() {
        finite("coordinate", example, points)?;
        finite("target", example, targets)?;
    }
    Ok(())
}

fn finite(what: &'static str, example: usize, values: MatRef<'_, f64>) -> Result<()> {
    if values.row(example).iter().all(|value| value.is_finite()) {
        return Ok(());
    }
    Err(Error::NotFinite { example, what })
}
