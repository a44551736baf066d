//! Arms: the points of a round, given with the ask.

use hilltop_core::{Choice, Parameters, Points, Value};

use crate::statement::Statement;
use crate::{Error, Result};

/// The arms of one ask, checked, and those that have been chosen.
#[derive(Clone, Debug)]
pub(crate) struct Offer {
    names: Vec<String>,
    arms: Vec<Vec<f64>>,
    points: Points,
    taken: Vec<usize>,
}

impl Offer {
    /// Checks arms against what the study says of them.
    pub(crate) fn new(statement: &Statement, arms: &[Vec<f64>]) -> Result<Self> {
        if !statement.contexts {
            return Err(Error::ArmsUnexpected);
        }
        let parameters = statement.space.parameters();
        let mut offer = Self {
            names: parameters.iter().map(|parameter| parameter.name.clone()).collect(),
            arms: arms.to_vec(),
            points: Points::new(statement.space.dim()),
            taken: Vec::new(),
        };
        for (arm, features) in arms.iter().enumerate() {
            offer.check(arm, features)?;
            let encoded = statement.space.encode(&offer.parameters(arm));
            offer
                .points
                .push(&encoded.map_err(|source| Error::Arm { arm, source })?);
        }
        Ok(offer)
    }

    /// The offer of a round that the journal tells of.
    pub(crate) fn again(statement: &Statement, choice: &Choice) -> Result<Self> {
        let taken = choice.taken.clone();
        Ok(Self {
            taken,
            ..Self::new(statement, &choice.arms)?
        })
    }

    fn check(&self, arm: usize, features: &[f64]) -> Result<()> {
        let (found, expected) = (features.len(), self.names.len());
        if found == expected {
            return Ok(());
        }
        Err(Error::ArmLength { arm, found, expected })
    }

    /// Whether so many of the arms can be chosen.
    pub(crate) fn suffices(&self, count: usize) -> Result<()> {
        let arms = self.arms.len();
        if arms == 0 || count > arms {
            return Err(Error::TooFewArms { count, arms });
        }
        Ok(())
    }

    fn left(&self) -> impl Iterator<Item = usize> {
        (0..self.arms.len()).filter(|arm| !self.taken.contains(arm))
    }

    /// The arms that are left, as a proposer sees them.
    pub(crate) fn points(&self) -> Points {
        Points::from_rows(self.points.dim(), self.left().map(|arm| self.points.row(arm)))
    }

    /// The arm of a proposal, the first of equal ones.
    pub(crate) fn chosen(&self, point: &[f64]) -> Result<usize> {
        let arm = self.left().find(|arm| self.points.row(*arm) == point);
        arm.ok_or_else(|| {
            Error::Method(hilltop_core::Error::Numerical {
                what: "the choice among arms",
                detail: "the method proposed a point that is none of them".to_owned(),
            })
        })
    }

    /// The features of an arm by name, as they were given.
    pub(crate) fn parameters(&self, arm: usize) -> Parameters {
        let values = self.arms[arm].iter().copied().map(Value::Float);
        self.names.iter().cloned().zip(values).collect()
    }

    /// What the journal keeps of the choice.
    pub(crate) fn choice(&self, arm: usize) -> Choice {
        Choice {
            arms: self.arms.clone(),
            arm,
            taken: self.taken.clone(),
        }
    }

    /// An arm that is chosen is not offered to the rest of the same ask.
    pub(crate) fn take(&mut self, arm: usize) {
        self.taken.push(arm);
    }
}
