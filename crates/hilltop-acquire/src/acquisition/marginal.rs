//! Scores that are a formula of mean and deviation at a point.

use std::sync::Arc;

use faer::{MatMut, MatRef};
use hilltop_core::{Context, Error, Marginals, Model, Models, Points, Result, Score, SmoothScore};

/// A formula of mean and deviation, to be maximised.
pub(crate) trait Rule: Send + Sync {
    /// The value.
    fn value(&self, mean: f64, deviation: f64) -> f64;
    /// Its derivatives in the mean and in the deviation.
    fn slopes(&self, mean: f64, deviation: f64) -> (f64, f64);
    /// Whether it is the logarithm of something that probabilities multiply.
    fn is_logarithmic(&self) -> bool {
        false
    }
}

/// A rule bound to a model.
struct Marginal<R> {
    model: Arc<dyn Model>,
    rule: R,
    smooth: bool,
}

/// The score of a rule on the objective's model; smooth where the model is.
pub(crate) fn bind<R: Rule + 'static>(
    asker: &'static str,
    rule: R,
    models: &Models,
    context: &Context<'_>,
) -> Result<Arc<dyn Score>> {
    let model = Arc::clone(&models.objective);
    let smooth = marginals(asker, &*model)?.slopes(middle(context).matrix()).is_some();
    Ok(Arc::new(Marginal { model, rule, smooth }))
}

/// The marginals of a model, or the error that names who asked.
pub(crate) fn marginals<'a>(asker: &'static str, model: &'a dyn Model) -> Result<&'a dyn Marginals> {
    let lacking = Error::Incapable {
        asker,
        needed: "marginals",
        model: "the fitted model",
        offered: "none",
    };
    model.marginals().ok_or(lacking)
}

/// The middle of where to look.
pub(crate) fn middle(context: &Context<'_>) -> Points {
    let bounds = context.bounds;
    let point: Vec<f64> = bounds
        .low
        .iter()
        .zip(&bounds.high)
        .map(|(low, high)| 0.5 * (low + high))
        .collect();
    Points::from_rows(point.len(), [point.as_slice()])
}

impl<R: Rule> Score for Marginal<R> {
    fn values(&self, points: MatRef<'_, f64>, out: &mut [f64]) {
        let Some(marginals) = self.model.marginals() else {
            return out.fill(f64::NAN);
        };
        let beliefs = marginals.beliefs(points);
        for ((out, &mean), &deviation) in out.iter_mut().zip(&beliefs.mean).zip(&beliefs.deviation) {
            *out = self.rule.value(mean, deviation);
        }
    }

    fn smooth(&self) -> Option<&dyn SmoothScore> {
        self.smooth.then_some(self)
    }

    fn is_logarithmic(&self) -> bool {
        self.rule.is_logarithmic()
    }
}

impl<R: Rule> SmoothScore for Marginal<R> {
    fn values_and_gradients(&self, points: MatRef<'_, f64>, values: &mut [f64], mut gradients: MatMut<'_, f64>) {
        let Some(slopes) = self.model.marginals().and_then(|marginals| marginals.slopes(points)) else {
            return values.fill(f64::NAN);
        };
        for row in 0..points.nrows() {
            let (mean, deviation) = (slopes.beliefs.mean[row], slopes.beliefs.deviation[row]);
            let (by_mean, by_deviation) = self.rule.slopes(mean, deviation);
            values[row] = self.rule.value(mean, deviation);
            for axis in 0..points.ncols() {
                gradients[(row, axis)] =
                    by_mean * slopes.mean[(row, axis)] + by_deviation * slopes.deviation[(row, axis)];
            }
        }
    }
}
