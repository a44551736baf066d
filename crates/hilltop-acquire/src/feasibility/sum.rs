//! What all limits together make of a point: a sum over them of a formula of mean and deviation.

use faer::{MatMut, MatRef};
use hilltop_core::{Error, Limit, Points, Result, Score, SmoothScore};

/// What one limit adds, with its derivatives in mean and deviation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Term {
    pub(crate) value: f64,
    pub(crate) by_mean: f64,
    pub(crate) by_deviation: f64,
}

/// A formula of the mean and the deviation of a limited quantity.
pub(crate) trait Rule: Send + Sync {
    /// What a limit adds where its quantity is believed to be this.
    fn term(&self, limit: &Limit, mean: f64, deviation: f64) -> Term;
    /// Whether sums are logarithms of something that probabilities multiply.
    fn is_logarithmic(&self) -> bool;
}

/// A sum over limits, each with a rule of its own.
pub(crate) struct Sum<R> {
    terms: Vec<(Limit, R)>,
    smooth: bool,
}

impl<R: Rule> Sum<R> {
    /// Over limits whose models have marginals; `probe` is any point of the space.
    pub(crate) fn new(asker: &'static str, terms: Vec<(Limit, R)>, probe: &Points) -> Result<Self> {
        let mut smooth = true;
        for (limit, _) in &terms {
            let marginals = limit.model.marginals().ok_or(Error::Incapable {
                asker,
                needed: "marginals",
                model: "the model of a limit",
                offered: "none",
            })?;
            smooth &= marginals.slopes(probe.matrix()).is_some();
        }
        Ok(Self { terms, smooth })
    }
}

impl<R: Rule> Score for Sum<R> {
    fn values(&self, points: MatRef<'_, f64>, out: &mut [f64]) {
        out.fill(0.0);
        for (limit, rule) in &self.terms {
            add(limit, rule, points, out);
        }
    }

    fn smooth(&self) -> Option<&dyn SmoothScore> {
        self.smooth.then_some(self)
    }

    fn is_logarithmic(&self) -> bool {
        self.terms.first().is_some_and(|(_, rule)| rule.is_logarithmic())
    }
}

/// Adds what one limit makes of each row; not a number where its model has no marginals.
pub(crate) fn add(limit: &Limit, rule: &impl Rule, points: MatRef<'_, f64>, out: &mut [f64]) {
    let Some(marginals) = limit.model.marginals() else {
        return out.fill(f64::NAN);
    };
    let beliefs = marginals.beliefs(points);
    for ((out, &mean), &deviation) in out.iter_mut().zip(&beliefs.mean).zip(&beliefs.deviation) {
        *out += rule.term(limit, mean, deviation).value;
    }
}

impl<R: Rule> SmoothScore for Sum<R> {
    fn values_and_gradients(&self, points: MatRef<'_, f64>, values: &mut [f64], mut gradients: MatMut<'_, f64>) {
        values.fill(0.0);
        gradients.fill(0.0);
        for (limit, rule) in &self.terms {
            let Some(slopes) = limit.model.marginals().and_then(|marginals| marginals.slopes(points)) else {
                return values.fill(f64::NAN);
            };
            for row in 0..points.nrows() {
                let term = rule.term(limit, slopes.beliefs.mean[row], slopes.beliefs.deviation[row]);
                values[row] += term.value;
                for axis in 0..points.ncols() {
                    gradients[(row, axis)] +=
                        term.by_mean * slopes.mean[(row, axis)] + term.by_deviation * slopes.deviation[(row, axis)];
                }
            }
        }
    }
}
