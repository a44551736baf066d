//! Several networks of one architecture, trained together.
//!
//! Members share the points and the order in which they are seen, so a batch is gathered once for all of them and one
//! workspace serves all. Each has its own start, anchor and targets, and ends where it would have ended alone.

use crate::{Architecture, Error, Fit, Network, Result, Trainer, Workspace};
use faer::{Mat, MatRef};
use hilltop_core::Rng;

/// Networks of one architecture.
#[derive(Clone, Debug, PartialEq)]
pub struct Ensemble {
    members: Vec<Network>,
}

impl Ensemble {
    /// Networks that start independently, each from a generator split off the one given.
    pub fn init(architecture: &Architecture, count: usize, rng: &mut Rng) -> Result<Self> {
        let members = (0..count).map(|_| Network::init(architecture, &mut rng.split()));
        Ok(Self {
            members: members.collect::<Result<_>>()?,
        })
    }

    /// An ensemble of given networks, which must have one architecture.
    pub fn new(members: Vec<Network>) -> Result<Self> {
        let mismatch = members
            .windows(2)
            .position(|pair| pair[0].architecture() != pair[1].architecture());
        match mismatch {
            Some(index) => Err(Error::MixedArchitectures { member: index + 1 }),
            None => Ok(Self { members }),
        }
    }

    /// The networks.
    pub fn members(&self) -> &[Network] {
        &self.members
    }

    /// The networks, each on its own.
    pub fn into_members(self) -> Vec<Network> {
        self.members
    }

    /// `h(x)` of every member at every point (a row a point, a column a member).
    ///
    /// # Panics
    /// If the points do not have as many coordinates as the networks have inputs.
    pub fn forward(&self, points: MatRef<'_, f64>) -> Mat<f64> {
        let mut values = Mat::zeros(points.nrows(), self.members.len());
        let Some(first) = self.members.first() else {
            return values;
        };
        let mut workspace = Workspace::new(first.architecture());
        for (column, member) in self.members.iter().enumerate() {
            member.forward_into(points, values.col_as_slice_mut(column), &mut workspace);
        }
        values
    }

    /// Trains every member on its column of targets, from its weights, which also anchor the penalty.
    pub fn train(
        &mut self,
        trainer: &Trainer,
        points: MatRef<'_, f64>,
        targets: MatRef<'_, f64>,
        rng: &mut Rng,
    ) -> Result<Vec<Fit>> {
        let anchors: Vec<Vec<f64>> = self.members.iter().map(|member| member.weights().to_vec()).collect();
        let anchors: Vec<&[f64]> = anchors.iter().map(Vec::as_slice).collect();
        self.train_towards(trainer, &anchors, points, targets, rng)
    }

    /// Trains every member on its column of targets with a penalty on the distance from an anchor each.
    pub fn train_towards(
        &mut self,
        trainer: &Trainer,
        anchors: &[&[f64]],
        points: MatRef<'_, f64>,
        targets: MatRef<'_, f64>,
        rng: &mut Rng,
    ) -> Result<Vec<Fit>> {
        trainer.train_members(&mut self.members, anchors, points, targets, rng)
    }
}
