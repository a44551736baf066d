//! One equation at its collocation points, in terms of the network's derivatives.
//!
//! Each residual is divided by what the network's prior would make of it (the norm of its tangent features, as if derivatives were
//! independent), so that it weighs as much as an observation does. Points at which the residual is not a number are
//! dropped.

use std::sync::Arc;

use faer::{Mat, MatRef};
use hilltop_core::physics::Equation;
use hilltop_nn::{Architecture, JetWorkspace, Jets, Network, Result};

use super::frame::Frame;
use super::prior::Prior;
use super::site::Site;

/// No residual is divided by less than this share of the median.
const LEAST: f64 = 1e-3;

/// An equation at points.
#[derive(Clone, Debug)]
pub(super) struct Collocated {
    equation: Arc<dyn Equation>,
    points: Mat<f64>,
    inputs: Mat<f64>,
    jets: Jets,
    /// For every derivative what the network's is multiplied by and what is added.
    chain: Vec<(f64, f64)>,
    /// What every residual is multiplied by.
    weights: Vec<f64>,
    /// Of a linear equation the weighted coefficients of the network's derivatives and what is added to their sum.
    linear: Option<(Mat<f64>, Vec<f64>)>,
    /// How many points were dropped.
    pub(super) dropped: usize,
}

impl Collocated {
    /// An equation at points of the space.
    pub(super) fn new(site: &Site, frame: &Frame, prior: &Prior<'_>) -> Result<Self> {
        let partials = site.equation.partials();
        let mut own = Self {
            equation: site.equation.clone(),
            inputs: frame.inputs(site.points.as_ref()),
            points: site.points.clone(),
            jets: Jets::new(prior.network.architecture(), partials)?,
            chain: partials.iter().map(|partial| frame.chain(partial)).collect(),
            weights: Vec::new(),
            linear: None,
            dropped: site.dropped,
        };
        if let Some((coefficients, constants)) = &site.plain {
            own.state_linear(coefficients, constants, frame, prior)?;
            return Ok(own);
        }
        let (slopes, residuals) = own.linearised(prior.network);
        let is_sound = |i: &usize| residuals[*i].is_finite() && slopes.row(*i).iter().all(|slope| slope.is_finite());
        let sound: Vec<usize> = (0..own.len()).filter(is_sound).collect();
        own.dropped += own.len() - sound.len();
        own.keep(&sound);
        own.weigh(rows(slopes.as_ref(), &sound).as_ref(), frame, prior)?;
        Ok(own)
    }

    fn state_linear(&mut self, plain: &Mat<f64>, constants: &[f64], frame: &Frame, prior: &Prior<'_>) -> Result<()> {
        let (count, size) = (plain.nrows(), plain.ncols());
        let slopes = Mat::from_fn(count, size, |i, j| plain[(i, j)] * self.chain[j].0);
        self.weigh(slopes.as_ref(), frame, prior)?;
        let coefficients = Mat::from_fn(count, size, |i, j| self.weights[i] * slopes[(i, j)]);
        let shifted = |i: usize| {
            let offsets = (0..size).map(|j| plain[(i, j)] * self.chain[j].1).sum::<f64>();
            self.weights[i] * (constants[i] + offsets)
        };
        let sources = (0..count).map(shifted).collect();
        self.linear = Some((coefficients, sources));
        Ok(())
    }

    fn keep(&mut self, sound: &[usize]) {
        self.points = rows(self.points.as_ref(), sound);
        self.inputs = rows(self.inputs.as_ref(), sound);
    }

    fn weigh(&mut self, slopes: MatRef<'_, f64>, frame: &Frame, prior: &Prior<'_>) -> Result<()> {
        let deviations: Result<Vec<f64>> = self
            .jets
            .partials()
            .iter()
            .map(|partial| prior.deviation(partial, self.inputs.as_ref()))
            .collect();
        let deviations = deviations?;
        let norm = |i: usize| {
            deviations
                .iter()
                .enumerate()
                .map(|(k, deviation)| (slopes[(i, k)] * deviation).powi(2))
                .sum::<f64>()
                .sqrt()
        };
        let norms: Vec<f64> = (0..slopes.nrows()).map(norm).collect();
        let middle = median(&norms);
        let target = frame.spread * prior.value;
        let weight = |norm: f64| target / norm.max(LEAST * middle).max(f64::MIN_POSITIVE);
        // The slopes of a nonlinear equation are those of one function among many: only their size is used.
        let each = |norm: &f64| weight(if self.equation.is_linear() { *norm } else { middle });
        self.weights = norms.iter().map(each).collect();
        Ok(())
    }

    /// The points, those dropped left out.
    pub(super) fn points(&self) -> &Mat<f64> {
        &self.points
    }

    /// Of a linear equation the weighted residuals of the function that is zero in the network's units.
    pub(super) fn sources(&self) -> Option<&[f64]> {
        self.linear.as_ref().map(|(_, constants)| constants.as_slice())
    }

    /// Number of points.
    pub(super) fn len(&self) -> usize {
        self.points.nrows()
    }

    /// The slopes of every residual in the network's derivatives, and the residual.
    fn linearised(&self, network: &Network) -> (Mat<f64>, Vec<f64>) {
        let count = self.len();
        let jets = network.jets(self.inputs.as_ref(), &self.jets);
        let mut slopes = Mat::zeros(count, self.chain.len());
        let mut residuals = vec![0.0; count];
        let (mut row, mut own) = (vec![0.0; self.chain.len()], vec![0.0; self.chain.len()]);
        for i in 0..count {
            (0..row.len()).for_each(|k| row[k] = jets[(i, k)]);
            residuals[i] = self.residual(i, &row, &mut own);
            (0..own.len()).for_each(|k| slopes[(i, k)] = own[k]);
        }
        (slopes, residuals)
    }

    /// The residual of a point where the network has these derivatives, and its slopes in them.
    fn residual(&self, point: usize, jet: &[f64], slopes: &mut [f64]) -> f64 {
        let outer: Vec<f64> = jet
            .iter()
            .zip(&self.chain)
            .map(|(value, (factor, offset))| offset + factor * value)
            .collect();
        let place: Vec<f64> = self.points.row(point).iter().copied().collect();
        let residual = self.equation.residual(&place, &outer, slopes);
        slopes
            .iter_mut()
            .zip(&self.chain)
            .for_each(|(slope, (factor, _))| *slope *= factor);
        residual
    }

    /// Weighted residuals of a network at all points.
    pub(super) fn residuals(&self, network: &Network) -> Vec<f64> {
        if let Some((coefficients, constants)) = &self.linear {
            let sums = network.operator(self.inputs.as_ref(), &self.jets, coefficients.as_ref());
            return sums
                .iter()
                .zip(constants)
                .map(|(sum, constant)| sum + constant)
                .collect();
        }
        let (_, residuals) = self.linearised(network);
        residuals
            .iter()
            .zip(&self.weights)
            .map(|(residual, weight)| residual * weight)
            .collect()
    }

    /// The residuals in the equation's own units.
    pub(super) fn raw(&self, network: &Network) -> Vec<f64> {
        let weighted = self.residuals(network);
        weighted
            .iter()
            .zip(&self.weights)
            .map(|(residual, weight)| residual / weight)
            .collect()
    }

    /// Weighted residuals of a network at some of the points.
    pub(super) fn some_residuals(&self, network: &Network, chosen: &[usize]) -> Vec<f64> {
        if let Some((coefficients, constants)) = &self.linear {
            let (inputs, coefficients) = (rows(self.inputs.as_ref(), chosen), rows(coefficients.as_ref(), chosen));
            let sums = network.operator(inputs.as_ref(), &self.jets, coefficients.as_ref());
            return sums.iter().zip(chosen).map(|(sum, &i)| sum + constants[i]).collect();
        }
        self.part(chosen).residuals(network)
    }

    /// The same equation at some of the points.
    fn part(&self, chosen: &[usize]) -> Self {
        Self {
            equation: self.equation.clone(),
            points: rows(self.points.as_ref(), chosen),
            inputs: rows(self.inputs.as_ref(), chosen),
            jets: self.jets.clone(),
            chain: self.chain.clone(),
            weights: chosen.iter().map(|&i| self.weights[i]).collect(),
            linear: None,
            dropped: 0,
        }
    }

    /// Some of the points: inputs and weighted coefficients of the network's derivatives around what it is.
    pub(super) fn features(&self, network: &Network, chosen: &[usize]) -> (Mat<f64>, Mat<f64>) {
        let inputs = rows(self.inputs.as_ref(), chosen);
        if let Some((coefficients, _)) = &self.linear {
            return (inputs, rows(coefficients.as_ref(), chosen));
        }
        let part = self.part(chosen);
        let (mut slopes, _) = part.linearised(network);
        for i in 0..slopes.nrows() {
            let sound = slopes.row(i).iter().all(|slope| slope.is_finite());
            for k in 0..slopes.ncols() {
                slopes[(i, k)] = if sound { part.weights[i] * slopes[(i, k)] } else { 0.0 };
            }
        }
        (inputs, slopes)
    }

    /// The derivatives that occur.
    pub(super) fn jets(&self) -> &Jets {
        &self.jets
    }

    /// Adds the gradient of `½ share Σ r²` over some points and returns the sum. What is not a number does not count.
    pub(super) fn loss(
        &self,
        network: &Network,
        chosen: &[usize],
        share: f64,
        workspace: &mut JetWorkspace,
        gradient: &mut [f64],
    ) -> f64 {
        let inputs = rows(self.inputs.as_ref(), chosen);
        let mut loss = 0.0;
        if let Some((coefficients, constants)) = &self.linear {
            let coefficients = rows(coefficients.as_ref(), chosen);
            network.operator_loss(
                inputs.as_ref(),
                &self.jets,
                coefficients.as_ref(),
                workspace,
                gradient,
                |i, sum| {
                    let residual = sum + constants[chosen[i]];
                    loss += 0.5 * share * residual * residual;
                    share * residual
                },
            );
            return loss;
        }
        network.jets_loss(inputs.as_ref(), &self.jets, workspace, gradient, |i, jet, slopes| {
            let weight = self.weights[chosen[i]];
            let residual = weight * self.residual(chosen[i], jet, slopes);
            if !(residual.is_finite() && slopes.iter().all(|slope| slope.is_finite())) {
                slopes.fill(0.0);
                return;
            }
            loss += 0.5 * share * residual * residual;
            slopes.iter_mut().for_each(|slope| *slope *= share * residual * weight);
        });
        loss
    }
}

fn rows(matrix: MatRef<'_, f64>, chosen: &[usize]) -> Mat<f64> {
    Mat::from_fn(chosen.len(), matrix.ncols(), |i, j| matrix[(chosen[i], j)])
}

fn median(values: &[f64]) -> f64 {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|value| *value > 0.0).collect();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(1.0)
}

/// Whether networks of an architecture have the derivatives of an equation.
pub(super) fn check(architecture: &Architecture, equation: &dyn Equation) -> Result<()> {
    Jets::new(architecture, equation.partials()).map(drop)
}
