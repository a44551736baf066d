//! Multi-start gradient ascent: a pool shows where to begin, climbers in lock step find the tops.
//!
//! Discrete coordinates are held while the gradient moves the numbers, and moved by local search between two ascents.
//! With known constraints every trial point of a climber is moved to an allowed one nearby, or its step shortened, and a
//! random local search ends the climb, because a gradient does not follow a curved border.

use hilltop_core::{Context, Error, Maximiser, Result, Rng, Score, SmoothScore};
use serde::{Deserialize, Serialize};

use super::ascent::Ascent;
use super::climber::Start;
use super::local::{MOVES, Search};
use super::pool::{Pool, WIDE};
use super::sweep::swept;
use super::terrain::{Candidate, Terrain, rank};

/// Multi-start projected L-BFGS.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Gradient {
    /// Where the starts come from.
    pub pool: Pool,
    /// How many climbers there are.
    pub starts: usize,
    /// How many batches an ascent takes at most.
    pub iterations: usize,
    /// How often all coordinates are swept, one after another, from the best tops and the best observation; for scores that are
    /// nearly sums.
    pub sweeps: usize,
}

impl Default for Gradient {
    fn default() -> Self {
        Self {
            pool: Pool::default(),
            starts: 6,
            iterations: 50,
            sweeps: 0,
        }
    }
}

/// Starts closer than this in every coordinate are one.
const APART: f64 = 0.05;
/// Scales below this are the incumbent's close neighbourhood.
const CLOSE: f64 = 1e-3;
/// Steps of the discrete search, and of the random one along a border.
const STEPS: usize = 12;
/// Pairs of the limited memory.
const MEMORY: usize = 8;

impl Maximiser for Gradient {
    fn maximise(&self, score: &dyn Score, context: &Context<'_>, rng: &mut Rng) -> Result<Vec<f64>> {
        let smooth = score.smooth().ok_or(Error::Incapable {
            asker: "gradient",
            needed: "gradients",
            model: "the score",
            offered: "values alone",
        })?;
        let terrain = Terrain::new(context);
        let mut found = self.pool.survey(score, context, &terrain, rng)?;
        rank(&mut found);
        let tolerance = tolerance(&found);
        let mut tops = self.ascend(score, smooth, &terrain, starts(&found, self.starts), tolerance, rng);
        if self.sweeps > 0 {
            let swept = self.sweep(score, context, &terrain, &mut tops, rng);
            tops.extend(self.ascend(score, smooth, &terrain, swept, tolerance, rng));
        }
        if terrain.is_discrete() || terrain.is_constrained() {
            rank(&mut tops);
            tops.truncate(self.starts.div_ceil(2));
            let moves = if terrain.is_constrained() && terrain.is_continuous() {
                MOVES
            } else {
                0
            };
            let seen = Search { steps: STEPS, moves }.run(score, &terrain, tops.clone(), rng);
            tops.extend(seen);
            rank(&mut tops);
            let again = starts(&tops, self.starts.div_ceil(2));
            tops.extend(self.ascend(score, smooth, &terrain, again, tolerance, rng));
        }
        found.extend(tops);
        terrain.choose(score, found, rng)
    }

    fn needs_gradients(&self) -> bool {
        true
    }
}

impl Gradient {
    /// Where sweeps from the best tops and the best observation lead.
    fn sweep(
        &self,
        score: &dyn Score,
        context: &Context<'_>,
        terrain: &Terrain<'_>,
        tops: &mut [Candidate],
        rng: &mut Rng,
    ) -> Vec<Candidate> {
        rank(tops);
        let observed = context
            .ranked()
            .first()
            .map(|&best| context.evidence.points.row(best).to_vec());
        let observed = Terrain::candidates(score, observed.into_iter().collect(), &[1.0]);
        let starts = observed.iter().chain(tops.iter().take(1));
        starts
            .map(|start| swept(score, terrain, start, self.sweeps, rng))
            .collect()
    }

    /// The tops above the starts, as points that may be evaluated.
    fn ascend(
        &self,
        score: &dyn Score,
        smooth: &dyn SmoothScore,
        terrain: &Terrain<'_>,
        starts: Vec<Candidate>,
        tolerance: f64,
        rng: &mut Rng,
    ) -> Vec<Candidate> {
        let ascent = Ascent {
            iterations: self.iterations,
            memory: MEMORY,
            tolerance,
        };
        let reach: Vec<f64> = starts.iter().map(|start| start.reach).collect();
        let begin = |start: Candidate| {
            let (low, high) = terrain.limits(&start.point);
            Start {
                point: start.point,
                low,
                high,
                reach: start.reach,
            }
        };
        let constrained = terrain.is_constrained();
        let mut settle = |point: &mut [f64]| !constrained || terrain.admit(point, rng);
        let summits = ascent.climb(smooth, starts.into_iter().map(begin).collect(), &mut settle);
        let mut points: Vec<_> = summits.into_iter().map(|summit| summit.point).collect();
        let sound: Vec<bool> = points.iter_mut().map(|point| terrain.admit(point, rng)).collect();
        let mut tops = Terrain::candidates(score, points, &reach);
        let mut sound = sound.into_iter();
        tops.retain(|_| sound.next().unwrap_or(false));
        tops
    }
}

/// A rise that is not worth another batch: a small share of what tells the best points of the pool apart.
fn tolerance(ranked: &[Candidate]) -> f64 {
    let finite: Vec<f64> = ranked
        .iter()
        .map(|candidate| candidate.value)
        .filter(|value| value.is_finite())
        .collect();
    let last = finite.len().min(25).saturating_sub(1);
    finite.first().map_or(0.0, |best| 1e-7 * (best - finite[last]))
}

/// The best candidates that lie apart, two of them from the neighbourhood of the best observations, at a large and at a
/// small scale: near an optimum the score's peak may be narrower than any spread of points.
fn starts(ranked: &[Candidate], count: usize) -> Vec<Candidate> {
    let wide = ranked
        .iter()
        .find(|candidate| candidate.reach < WIDE && candidate.reach >= CLOSE);
    let close = ranked.iter().find(|candidate| candidate.reach < CLOSE);
    let mut chosen: Vec<Candidate> = wide.into_iter().chain(close).take(count / 2).cloned().collect();
    for candidate in ranked {
        if chosen.len() >= count {
            break;
        }
        if chosen.iter().all(|other| apart(&other.point, &candidate.point)) {
            chosen.push(candidate.clone());
        }
    }
    chosen
}

fn apart(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).any(|(a, b)| (a - b).abs() > APART)
}
