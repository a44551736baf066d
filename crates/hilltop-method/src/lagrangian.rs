//! A small non-linear program on models: the lowest mean within a box where other means keep their limits; or the same on
//! functions drawn from the models.

use std::sync::Arc;

use faer::{Mat, MatRef};
use hilltop_core::{Beliefs, Bounds, Lbfgs, Model, Rng, Score, SmoothScore};

/// A quantity as the program sees it: a model's mean and deviation, or one function drawn from the model.
#[derive(Clone)]
pub(crate) enum Quantity<'a> {
    /// What is believed.
    Believed(&'a dyn Model),
    /// A function that is as probable as any, without deviation; as a score its negative.
    Drawn(Arc<dyn Score>),
}

impl<'a> Quantity<'a> {
    /// A function drawn from the model; what is believed where it draws none with a slope.
    pub(crate) fn drawn(model: &'a dyn Model, rng: &mut Rng) -> Self {
        let path = model.paths().and_then(|paths| paths.draw(1.0, rng).ok());
        match path.filter(|path| path.smooth().is_some()) {
            Some(path) => Self::Drawn(path),
            None => Self::Believed(model),
        }
    }

    fn beliefs(&self, points: MatRef<'_, f64>) -> Option<Beliefs> {
        match self {
            Self::Believed(model) => Some(model.marginals()?.beliefs(points)),
            Self::Drawn(path) => {
                let mut mean = vec![0.0; points.nrows()];
                path.values(points, &mut mean);
                mean.iter_mut().for_each(|value| *value = -*value);
                let deviation = vec![0.0; mean.len()];
                Some(Beliefs { mean, deviation })
            }
        }
    }

    /// Mean and deviation at a point with their gradients.
    fn at(&self, x: &[f64]) -> Option<(Slope, Slope)> {
        let point = MatRef::from_row_major_slice(x, 1, x.len());
        match self {
            Self::Believed(model) => believed(*model, point),
            Self::Drawn(path) => drawn(path.smooth()?, point),
        }
    }
}

/// One side of a limit: `sign·(mean − bound) + caution·deviation <= 0`.
pub(crate) struct Side<'a> {
    pub(crate) quantity: Quantity<'a>,
    pub(crate) bound: f64,
    /// `1` for an upper limit, `-1` for a lower one.
    pub(crate) sign: f64,
    pub(crate) caution: f64,
    pub(crate) scale: f64,
}

impl Side<'_> {
    /// How far the limit is broken, in deviations of its output; below zero where it is kept.
    fn excess(&self, mean: f64, deviation: f64) -> f64 {
        (self.sign * (mean - self.bound) + self.caution * deviation) / self.scale
    }
}

/// What is minimised, and what must be kept.
pub(crate) struct Program<'a> {
    /// The objective; where there is none the violations themselves are minimised.
    pub(crate) objective: Option<Quantity<'a>>,
    pub(crate) sides: Vec<Side<'a>>,
}

/// A value with its gradient.
struct Slope {
    value: f64,
    gradient: Vec<f64>,
}

/// Points that are looked at before descending from the best of them.
const LOOKED: usize = 200;
/// How many are descended from, the centre among them.
const STARTS: usize = 4;
/// How many steps a stray point is away from the best, and how often one is shortened before it is given up.
const STEPS: usize = 60;
const SHORTENED: usize = 12;

/// How widely and how exactly a program is searched.
struct Patience {
    /// How far starts lie apart at least where there are limits.
    apart: f64,
    /// Rounds of multipliers.
    rounds: usize,
    /// The progress below which each ends.
    progress: f64,
    /// A limit that is broken by less, in deviations of its output, is kept.
    kept: f64,
}

const BELIEVED: Patience = Patience {
    apart: 0.0,
    rounds: 8,
    progress: 1e-12,
    kept: 1e-7,
};

/// A drawn function is one of many, so its last digits say nothing, but among limits it matters which of its valleys is lowest: the best
/// of many points would all lie in the one around the centre, which keeps them.
const DRAWN: Patience = Patience {
    apart: 0.2,
    rounds: 4,
    progress: 1e-6,
    kept: 1e-3,
};

/// What a broken limit costs when points are compared before any descent.
const PENALTY: f64 = 100.0;

impl Program<'_> {
    /// The best point within bounds that descent from the centre and from the best of some random points leads to.
    pub(crate) fn solve(&self, centre: &[f64], bounds: &Bounds, rng: &mut Rng) -> Option<Vec<f64>> {
        let starts = self.starts(centre, bounds, rng).into_iter();
        self.best(starts.filter_map(|start| self.descend(start, bounds)))
    }

    /// The best of some points: of those that break the limits least, the lowest.
    pub(crate) fn best(&self, points: impl Iterator<Item = Vec<f64>>) -> Option<Vec<f64>> {
        let worth = |point: &Vec<f64>| self.worth(point);
        let ranked: Vec<((f64, f64), Vec<f64>)> = points.filter_map(|point| Some((worth(&point)?, point))).collect();
        let better = |a: &(f64, f64), b: &(f64, f64)| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1));
        ranked
            .into_iter()
            .min_by(|a, b| better(&a.0, &b.0))
            .map(|(_, point)| point)
    }

    /// How far a point breaks the limits, zero where hardly, and its objective.
    fn worth(&self, point: &[f64]) -> Option<(f64, f64)> {
        self.worths(MatRef::from_row_major_slice(point, 1, point.len()))?.pop()
    }

    /// The same of many points.
    fn worths(&self, points: MatRef<'_, f64>) -> Option<Vec<(f64, f64)>> {
        let violations = self.violations(points)?;
        let values = match &self.objective {
            Some(objective) => objective.beliefs(points)?.mean,
            None => vec![0.0; points.nrows()],
        };
        let kept = self.patience().kept;
        let known = violations.into_iter().zip(values);
        Some(
            known
                .map(|(broken, value)| (if broken <= kept { 0.0 } else { broken }, value))
                .collect(),
        )
    }

    /// How far points break the limits, all together.
    fn violations(&self, points: MatRef<'_, f64>) -> Option<Vec<f64>> {
        let mut violations = vec![0.0; points.nrows()];
        for side in &self.sides {
            let beliefs = side.quantity.beliefs(points)?;
            for (k, violation) in violations.iter_mut().enumerate() {
                *violation += side.excess(beliefs.mean[k], beliefs.deviation[k]).max(0.0);
            }
        }
        Some(violations)
    }

    /// How much higher the best of some points is than this one; infinite where none of them keeps the limits.
    pub(crate) fn regret(&self, points: MatRef<'_, f64>, best: &[f64]) -> Option<f64> {
        let worths = self.worths(points)?.into_iter();
        let values = worths
            .filter(|(violation, _)| *violation <= 0.0)
            .map(|(_, value)| value);
        Some(values.fold(f64::INFINITY, f64::min) - self.worth(best)?.1)
    }

    /// Another point that is about as good: where a walk ends that begins at the best one and goes, in random directions, anywhere
    /// within bounds that keeps the limits and costs at most so much more (Smith, 1984, steps as in Neal, 2003).
    pub(crate) fn stray(&self, best: Vec<f64>, bounds: &Bounds, more: f64, rng: &mut Rng) -> Vec<f64> {
        let kept = |point: &[f64]| self.worth(point).filter(|(violation, _)| *violation <= 0.0);
        let Some((_, lowest)) = kept(&best).filter(|_| self.objective.is_some()) else {
            return best;
        };
        let allowed =
            |point: &[f64]| bounds.contains(point) && kept(point).is_some_and(|(_, value)| value <= lowest + more);
        let mut point = best;
        for _ in 0..STEPS {
            let way = direction(bounds, rng);
            let (mut back, mut forth) = (-1.0, 1.0);
            for _ in 0..SHORTENED {
                let length = rng.between(back, forth);
                let tried: Vec<f64> = point.iter().zip(&way).map(|(x, way)| x + length * way).collect();
                if allowed(&tried) {
                    point = tried;
                    break;
                }
                *(if length < 0.0 { &mut back } else { &mut forth }) = length;
            }
        }
        point
    }

    fn starts(&self, centre: &[f64], bounds: &Bounds, rng: &mut Rng) -> Vec<Vec<f64>> {
        let Bounds { low, high } = bounds;
        let draw = |rng: &mut Rng| -> Vec<f64> {
            let near = rng.uniform();
            let ends = low.iter().zip(high).zip(centre);
            ends.map(|((low, high), centre)| {
                let far = rng.between(*low, *high);
                (centre + near * (far - centre)).clamp(*low, *high)
            })
            .collect()
        };
        let points: Vec<Vec<f64>> = (0..LOOKED).map(|_| draw(rng)).collect();
        let costs = self.costs(&points);
        let mut order: Vec<usize> = (0..points.len()).collect();
        order.sort_by(|&a, &b| costs[a].total_cmp(&costs[b]));
        let mut start = centre.to_vec();
        bounds.clamp(&mut start);
        let apart = if self.sides.is_empty() {
            0.0
        } else {
            self.patience().apart
        };
        let mut starts = vec![start];
        for point in order.into_iter().map(|index| &points[index]) {
            let is_new = |start: &Vec<f64>| distance(start, point) >= apart;
            if starts.len() < STARTS && starts.iter().all(is_new) {
                starts.push(point.clone());
            }
        }
        starts
    }

    /// Objective and penalty at many points.
    fn costs(&self, points: &[Vec<f64>]) -> Vec<f64> {
        let rows = points.concat();
        let matrix = MatRef::from_row_major_slice(&rows, points.len(), rows.len() / points.len().max(1));
        let beliefs = self.objective.as_ref().and_then(|objective| objective.beliefs(matrix));
        let mut costs = beliefs.map_or_else(|| vec![0.0; points.len()], |beliefs| beliefs.mean);
        let spread = spread(&costs);
        for (cost, violation) in costs.iter_mut().zip(self.violations(matrix).unwrap_or_default()) {
            *cost += PENALTY * spread * violation;
        }
        costs
    }

    fn descend(&self, start: Vec<f64>, bounds: &Bounds) -> Option<Vec<f64>> {
        let Patience { rounds, progress, .. } = self.patience();
        let search = Lbfgs {
            iterations: 40,
            progress,
            gradient: 1e-9,
            ..Lbfgs::default()
        };
        let Bounds { low, high } = bounds;
        let unit = self.unit(&start)?;
        let mut multipliers = vec![0.0; self.sides.len()];
        let (mut weight, mut point, mut before) = (10.0, start, f64::INFINITY);
        for _ in 0..rounds {
            let cost = |x: &[f64], slopes: &mut [f64]| self.lagrangian(x, slopes, unit, &multipliers, weight);
            point = search.minimise(&point, low, high, cost).point;
            let sides = self.sides(&point)?;
            let violation = sides.iter().map(|side| side.value.max(0.0)).fold(0.0, f64::max);
            for (multiplier, side) in multipliers.iter_mut().zip(&sides) {
                *multiplier = (*multiplier + weight * side.value).max(0.0);
            }
            if violation > 0.3 * before {
                weight *= 5.0;
            }
            before = violation;
            if violation <= 0.0 && multipliers.iter().all(|multiplier| *multiplier <= 0.0) || self.objective.is_none() {
                break;
            }
        }
        Some(point)
    }

    fn patience(&self) -> Patience {
        let sides = self.sides.iter().map(|side| &side.quantity);
        let drawn = |quantity| matches!(quantity, &Quantity::Drawn(_));
        if self.objective.iter().chain(sides).any(drawn) {
            DRAWN
        } else {
            BELIEVED
        }
    }

    /// What the objective is divided by, so that it and the limits are of one size: its slope at the start.
    fn unit(&self, start: &[f64]) -> Option<f64> {
        let slopes = self.objective(start)?.gradient;
        let steepest = slopes.iter().fold(0.0_f64, |most, slope| most.max(slope.abs()));
        Some(if steepest > 0.0 && steepest.is_finite() {
            steepest
        } else {
            1.0
        })
    }

    /// `f + Σ (max(0, λ + ρg)² − λ²)/2ρ` with its gradient; infinite where a model says nothing.
    fn lagrangian(&self, x: &[f64], slopes: &mut [f64], unit: f64, multipliers: &[f64], weight: f64) -> f64 {
        slopes.fill(0.0);
        let (Some(objective), Some(sides)) = (self.objective(x), self.sides(x)) else {
            return f64::INFINITY;
        };
        let mut sum = objective.value / unit;
        add(slopes, &objective.gradient, 1.0 / unit);
        for (side, multiplier) in sides.iter().zip(multipliers) {
            let pull = (multiplier + weight * side.value).max(0.0);
            sum += (pull * pull - multiplier * multiplier) / (2.0 * weight);
            add(slopes, &side.gradient, pull);
        }
        sum
    }

    /// The objective's mean; zero where the violations themselves are minimised.
    fn objective(&self, x: &[f64]) -> Option<Slope> {
        match &self.objective {
            Some(quantity) => quantity.at(x).map(|(mean, _)| mean),
            None => Some(Slope::none(x.len())),
        }
    }

    /// Every side in deviations of its output, at most zero where it is kept.
    fn sides(&self, x: &[f64]) -> Option<Vec<Slope>> {
        let slope = |side: &Side<'_>| {
            let (mean, deviation) = side.quantity.at(x)?;
            let (sign, caution) = (side.sign / side.scale, side.caution / side.scale);
            let gradient = mean.gradient.iter().zip(&deviation.gradient);
            Some(Slope {
                value: side.excess(mean.value, deviation.value),
                gradient: gradient
                    .map(|(mean, deviation)| sign * mean + caution * deviation)
                    .collect(),
            })
        };
        self.sides.iter().map(slope).collect()
    }
}

impl Slope {
    fn none(dim: usize) -> Self {
        let gradient = vec![0.0; dim];
        Self { value: 0.0, gradient }
    }

    fn of(value: f64, gradients: &Mat<f64>) -> Self {
        let gradient = (0..gradients.ncols()).map(|axis| gradients[(0, axis)]).collect();
        Self { value, gradient }
    }
}

fn believed(model: &dyn Model, point: MatRef<'_, f64>) -> Option<(Slope, Slope)> {
    let slopes = model.marginals()?.slopes(point)?;
    let mean = Slope::of(slopes.beliefs.mean[0], &slopes.mean);
    Some((mean, Slope::of(slopes.beliefs.deviation[0], &slopes.deviation)))
}

fn drawn(path: &dyn SmoothScore, point: MatRef<'_, f64>) -> Option<(Slope, Slope)> {
    let (mut value, mut gradient) = ([0.0], Mat::zeros(1, point.ncols()));
    path.values_and_gradients(point, &mut value, gradient.as_mut());
    let mean = Slope::of(-value[0], &(-gradient));
    value[0].is_finite().then(|| (mean, Slope::none(point.ncols())))
}

/// A direction in some of the coordinates that may move, as long as the box at most.
fn direction(bounds: &Bounds, rng: &mut Rng) -> Vec<f64> {
    let sides = bounds.low.iter().zip(&bounds.high);
    let part = |(low, high): (&f64, &f64)| {
        let (goes, length) = (rng.uniform() < 0.5, rng.normal());
        if goes { (high - low) * length } else { 0.0 }
    };
    let mut way: Vec<f64> = sides.map(part).collect();
    let longest = way.iter().fold(0.0_f64, |most, part| most.max(part.abs()));
    way.iter_mut().for_each(|part| *part /= longest.max(f64::MIN_POSITIVE));
    way
}

/// In the coordinate in which they differ most.
fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |most, (a, b)| most.max((a - b).abs()))
}

fn add(sum: &mut [f64], vector: &[f64], factor: f64) {
    sum.iter_mut().zip(vector).for_each(|(sum, x)| *sum += factor * x);
}

fn spread(values: &[f64]) -> f64 {
    let (low, high) = values
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
            (low.min(*value), high.max(*value))
        });
    if high > low { high - low } else { 1.0 }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::sync::Arc;

    use hilltop_core::{Evidence, Points, Previous, Space, Surrogate};
    use hilltop_surrogate::Ntk;

    use super::*;

    fn fitted(f: impl Fn(&[f64]) -> f64) -> Arc<dyn Model> {
        let space = Space::unit_box(2);
        let mut rng = Rng::new(8);
        let rows: Vec<[f64; 2]> = (0..40).map(|_| [rng.uniform(), rng.uniform()]).collect();
        let points = Points::from_rows(2, rows.iter().map(<[f64; 2]>::as_slice));
        let values: Vec<f64> = rows.iter().map(|row| f(row)).collect();
        let evidence = Evidence {
            space: &space,
            points: &points,
            values: &values,
            seed: 1,
            shares: &[],
        };
        Ntk::default().fit(&evidence, Previous::default()).unwrap()
    }

    fn side(model: &dyn Model, bound: f64, sign: f64) -> Side<'_> {
        Side {
            quantity: Quantity::Believed(model),
            bound,
            sign,
            caution: 0.0,
            scale: 1.0,
        }
    }

    #[test]
    fn the_lowest_mean_on_the_edge_of_a_limit_is_found() {
        let (objective, ring) = (fitted(|x| x[0] + x[1]), fitted(|x| x[0] * x[0] + x[1] * x[1]));
        let bounds = Bounds::unit(2);
        let program = Program {
            objective: Some(Quantity::Believed(objective.as_ref())),
            sides: vec![side(ring.as_ref(), 0.5, -1.0)],
        };
        let found = program.solve(&[0.8, 0.8], &bounds, &mut Rng::new(2)).unwrap();
        // x + y is least on the circle where one of them is zero.
        assert!(
            (found[0] * found[0] + found[1] * found[1] - 0.5).abs() < 1e-3,
            "{found:?}"
        );
        assert!((found[0] + found[1] - 0.5_f64.sqrt()).abs() < 2e-3, "{found:?}");
    }

    #[test]
    fn a_stray_point_is_anywhere_that_is_about_as_good() {
        let (objective, ring) = (fitted(|x| (x[0] - 0.5).powi(2)), fitted(|x| x[0] + x[1]));
        let program = Program {
            objective: Some(Quantity::Believed(objective.as_ref())),
            sides: vec![side(ring.as_ref(), 1.2, 1.0)],
        };
        let (mut bounds, mut rng) = (Bounds::unit(2), Rng::new(4));
        let strays: Vec<Vec<f64>> = (0..40)
            .map(|_| program.stray(vec![0.5, 0.1], &bounds, 0.01, &mut rng))
            .collect();
        // The objective says nothing of the second coordinate and lets the first move by a tenth.
        for point in &strays {
            assert!((point[0] - 0.5).abs() < 0.11 && point[0] + point[1] < 1.21, "{point:?}");
        }
        let high = strays.iter().filter(|point| point[1] > 0.35).count();
        let right = strays.iter().filter(|point| point[0] > 0.5).count();
        assert!((10..=30).contains(&high) && (10..=30).contains(&right), "{strays:?}");
        // What may not move stays, and what is not allowed to cost more as well.
        (bounds.low[1], bounds.high[1]) = (0.1, 0.1);
        assert!((program.stray(vec![0.5, 0.1], &bounds, 0.01, &mut rng)[1] - 0.1).abs() < 1e-15);
        let nowhere = program.stray(vec![0.5, 0.1], &bounds, 0.0, &mut rng);
        assert!((nowhere[0] - 0.5).abs() < 0.02, "{nowhere:?}");
        assert_eq!(program.stray(vec![0.9, 0.9], &bounds, 0.01, &mut rng), [0.9, 0.9]);
    }

    #[test]
    fn among_limits_a_drawn_function_is_lowest_where_it_is_lowest_and_not_where_the_search_begins() {
        // Two valleys of which the far one is narrow and a little deeper.
        let well =
            |x: &[f64], at: f64, width: f64| (-((x[0] - at).powi(2) + (x[1] - at).powi(2)) / (width * width)).exp();
        let valleys = fitted(move |x| -well(x, 0.2, 0.3) - 1.3 * well(x, 0.8, 0.2));
        let (kept, mut rng) = (fitted(|x| x[0]), Rng::new(3));
        let far = (0..20).filter(|_| {
            let program = Program {
                objective: Some(Quantity::drawn(valleys.as_ref(), &mut rng)),
                sides: vec![side(kept.as_ref(), 2.0, 1.0)],
            };
            program.solve(&[0.2, 0.2], &Bounds::unit(2), &mut rng).unwrap()[0] > 0.5
        });
        assert_eq!(far.count(), 20);
    }

    #[test]
    fn regret_is_what_the_best_point_that_keeps_the_limits_lacks() {
        let (objective, ring) = (fitted(|x| x[0]), fitted(|x| x[1]));
        let program = Program {
            objective: Some(Quantity::Believed(objective.as_ref())),
            sides: vec![side(ring.as_ref(), 0.5, 1.0)],
        };
        // The second is lower but breaks the limit.
        let points = [0.6, 0.2, 0.1, 0.9, 0.8, 0.3];
        let regret = |points: &[f64]| {
            let points = MatRef::from_row_major_slice(points, points.len() / 2, 2);
            program.regret(points, &[0.2, 0.1]).unwrap()
        };
        assert!((regret(&points) - 0.4).abs() < 1e-3, "{}", regret(&points));
        assert!(regret(&points[2..4]).is_infinite());
    }

    #[test]
    fn without_an_objective_the_violations_are_minimised() {
        let (a, b) = (fitted(|x| x[0] - 0.3), fitted(|x| 0.8 - x[1]));
        let bounds = Bounds::unit(2);
        let program = Program {
            objective: None,
            sides: vec![side(a.as_ref(), 0.0, 1.0), side(b.as_ref(), 0.0, 1.0)],
        };
        let found = program.solve(&[0.9, 0.1], &bounds, &mut Rng::new(2)).unwrap();
        assert!(found[0] < 0.301 && found[1] > 0.799, "{found:?}");
    }
}
