//! Max-value entropy search: how much an evaluation tells about the value of the minimum (Wang and Jegelka, 2017).
//!
//! Given the minimum `y*`, what is believed at a point is a normal cut off below `y*`. With `γ = (mean − y*) / deviation` the entropy
//! lost is `γφ(γ)/(2Φ(γ)) − ln Φ(γ)`, averaged over minima that are drawn.

use std::f64::consts::LN_2;
use std::sync::Arc;

use hilltop_core::{Acquisition, Beliefs, Capabilities, Context, Models, Points, Result, Rng, Score};
use serde::{Deserialize, Serialize};

use super::incumbent::Incumbent;
use super::marginal::{self, marginals};
use super::minimum::{Drawn, paths};
use super::{lowest, require};
use crate::normal;

/// Max-value entropy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct MaxValueEntropy {
    /// How many minima are drawn.
    pub samples: usize,
    /// How.
    pub minima: Minima,
}

/// How the value of the minimum is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Minima {
    /// As the minima of functions drawn from the model.
    #[default]
    Paths,
    /// From the extreme-value distribution that the marginals at many points have where they are independent.
    Gumbel,
}

impl Default for MaxValueEntropy {
    fn default() -> Self {
        Self {
            samples: 10,
            minima: Minima::default(),
        }
    }
}

const NAME: &str = "max-value-entropy";
/// Points at which the marginals of the extreme-value distribution are taken, observed ones aside.
const SPREAD: usize = 1000;

impl Acquisition for MaxValueEntropy {
    fn bind(&self, models: &Models, context: &Context<'_>, rng: &mut Rng) -> Result<Arc<dyn Score>> {
        let model = &*models.objective;
        let bar = Incumbent::BestMean.bar(NAME, 0.0, model, context)?;
        let minima = match self.minima {
            Minima::Paths => {
                let paths = paths(NAME, model)?;
                let draw = |_| Drawn::new(paths, context, rng).map(|drawn| drawn.value);
                (0..self.samples).map(draw).collect::<Result<Vec<f64>>>()?
            }
            Minima::Gumbel => gumbel(
                &marginals(NAME, model)?.beliefs(scattered(context, rng)?.matrix()),
                self.samples,
                rng,
            ),
        };
        // The minimum is not above what is believed at an observed point.
        let minima = minima.into_iter().map(|value| value.min(bar.height)).collect();
        marginal::bind(
            NAME,
            Loss {
                minima,
                floor: bar.floor,
            },
            models,
            context,
        )
    }

    fn check(&self, capabilities: Capabilities) -> Result<()> {
        if self.samples == 0 {
            return Err(super::refused("samples", 0, "at least 1"));
        }
        let (marginals, paths) = (capabilities.marginals, capabilities.paths);
        match self.minima {
            Minima::Paths => require(NAME, "marginals and paths", marginals && paths, capabilities),
            Minima::Gumbel => require(NAME, "marginals", marginals, capabilities),
        }
    }

    fn is_smooth(&self) -> bool {
        true
    }
}

/// Points over the space, and the best observed ones.
fn scattered(context: &Context<'_>, rng: &mut Rng) -> Result<Points> {
    let (space, points) = (context.history.space(), context.evidence.points);
    let mut places = Points::new(space.dim());
    for _ in 0..SPREAD {
        places.push(&space.sample(rng)?);
    }
    for index in lowest(context.evidence.values, SPREAD) {
        places.push(points.row(index));
    }
    Ok(places)
}

/// Draws from the Gumbel distribution whose quartiles are those of the least of independent normals.
fn gumbel(beliefs: &Beliefs, samples: usize, rng: &mut Rng) -> Vec<f64> {
    let pairs = || beliefs.mean.iter().zip(&beliefs.deviation);
    // The logarithm of the probability that the minimum is above a value.
    let above = |value: f64| -> f64 {
        pairs()
            .map(|(mean, deviation)| normal::log_cumulative((mean - value) / deviation.max(1e-300)))
            .sum()
    };
    let quantile = |share: f64| {
        let low = pairs()
            .map(|(mean, deviation)| mean - 8.0 * deviation)
            .fold(f64::INFINITY, f64::min);
        let high = pairs()
            .map(|(mean, deviation)| mean + 8.0 * deviation)
            .fold(f64::INFINITY, f64::min);
        let (mut low, mut high) = (low, high);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if above(middle) > (1.0 - share).ln() {
                low = middle;
            } else {
                high = middle;
            }
        }
        0.5 * (low + high)
    };
    // P(min > y) = exp(−exp((y − a)/b)).
    let double_log = |share: f64| (-(1.0 - share).ln()).ln();
    let (lower, upper) = (quantile(0.25), quantile(0.75));
    let scale = (upper - lower) / (double_log(0.75) - double_log(0.25));
    let middle = quantile(0.5) - scale * LN_2.ln();
    (0..samples)
        .map(|_| middle + scale * (-(1.0 - rng.uniform()).ln()).max(f64::MIN_POSITIVE).ln())
        .collect()
}

/// The entropy lost on average over the minima.
struct Loss {
    minima: Vec<f64>,
    floor: f64,
}

impl marginal::Rule for Loss {
    fn value(&self, mean: f64, deviation: f64) -> f64 {
        let deviation = deviation.max(self.floor);
        let lost = |minimum: &f64| {
            let gamma = (mean - minimum) / deviation;
            0.5 * gamma * normal::hazard(gamma) - normal::log_cumulative(gamma)
        };
        self.minima.iter().map(lost).sum::<f64>() / self.minima.len() as f64
    }

    fn slopes(&self, mean: f64, deviation: f64) -> (f64, f64) {
        let held = deviation < self.floor;
        let deviation = deviation.max(self.floor);
        let share = 1.0 / (deviation * self.minima.len() as f64);
        let mut slopes = (0.0, 0.0);
        for minimum in &self.minima {
            let gamma = (mean - minimum) / deviation;
            let hazard = normal::hazard(gamma);
            let slope = -0.5 * hazard * (1.0 + gamma * (gamma + hazard)) * share;
            slopes.0 += slope;
            slopes.1 -= if held { 0.0 } else { slope * gamma };
        }
        slopes
    }
}

#[cfg(test)]
mod tests {
    use super::marginal::Rule;
    use super::*;

    #[test]
    fn what_is_lost_is_the_difference_of_the_entropies() {
        // Entropy of a standard normal less that of one cut off below, by quadrature.
        for cut in [-2.5, -0.3, 0.8] {
            let mass = 1.0 - normal::cumulative(cut);
            let step = 1e-4;
            let terms = (0..120_000).map(|k| {
                let density = normal::density(cut + (f64::from(k) + 0.5) * step) / mass;
                if density > 0.0 {
                    -density * density.ln() * step
                } else {
                    0.0
                }
            });
            let before = 0.5 * (2.0 * std::f64::consts::PI * std::f64::consts::E).ln();
            let expected = before - terms.sum::<f64>();
            let ours = Loss {
                minima: vec![cut],
                floor: 1e-12,
            }
            .value(0.0, 1.0);
            assert!((ours - expected).abs() < 1e-6, "{cut}: {ours} {expected}");
        }
    }

    #[test]
    fn the_gumbel_minima_lie_where_those_of_independent_normals_do() {
        let beliefs = Beliefs {
            mean: vec![1.0; 500],
            deviation: vec![2.0; 500],
        };
        let mut rng = Rng::new(4);
        let mut drawn = gumbel(&beliefs, 4000, &mut rng);
        let least = |rng: &mut Rng| (0..500).map(|_| 1.0 + 2.0 * rng.normal()).fold(f64::INFINITY, f64::min);
        let mut true_minima: Vec<f64> = (0..4000).map(|_| least(&mut rng)).collect();
        drawn.sort_by(f64::total_cmp);
        true_minima.sort_by(f64::total_cmp);
        for share in [800, 2000, 3200] {
            assert!(
                (drawn[share] - true_minima[share]).abs() < 0.1,
                "{} {}",
                drawn[share],
                true_minima[share]
            );
        }
    }
}
