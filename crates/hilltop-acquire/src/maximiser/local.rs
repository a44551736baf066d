//! Local search: from the best points of a pool to better ones beside them, until there is none.
//!
//! Discrete coordinates move to their neighbours, numbers by random steps whose size adapts. All searches advance
//! together, so that each step is one batch; nothing is asked of the score but its value.

use hilltop_core::{Context, Maximiser, Result, Rng, Score};
use serde::{Deserialize, Serialize};

use super::perturbation;
use super::pool::Pool;
use super::terrain::{Candidate, Terrain, rank};

/// Local search over neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Local {
    /// Where the starts come from.
    pub pool: Pool,
    /// How many searches there are.
    pub starts: usize,
    /// How many steps each takes at most.
    pub steps: usize,
}

impl Default for Local {
    fn default() -> Self {
        Self {
            pool: Pool::default(),
            starts: 4,
            steps: 30,
        }
    }
}

impl Maximiser for Local {
    fn maximise(&self, score: &dyn Score, context: &Context<'_>, rng: &mut Rng) -> Result<Vec<f64>> {
        let terrain = Terrain::new(context);
        let mut found = self.pool.survey(score, context, &terrain, rng)?;
        rank(&mut found);
        let starts = found.iter().take(self.starts).cloned().collect();
        let search = Search {
            steps: self.steps,
            moves: if terrain.is_continuous() { MOVES } else { 0 },
        };
        found.extend(search.run(score, &terrain, starts, rng));
        terrain.choose(score, found, rng)
    }
}

/// Random steps of the numbers that are tried at once.
pub(crate) const MOVES: usize = 16;
/// Neighbours that are tried at once.
const NEIGHBOURS: usize = 64;
/// A search whose steps are shorter is done.
const SHORTEST: f64 = 1e-7;

/// How a search runs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Search {
    /// At most so many steps.
    pub(crate) steps: usize,
    /// Random steps of the numbers that are tried at once.
    pub(crate) moves: usize,
}

impl Search {
    /// Searches from all starts together; everything that was looked at.
    pub(crate) fn run(
        &self,
        score: &dyn Score,
        terrain: &Terrain<'_>,
        mut active: Vec<Candidate>,
        rng: &mut Rng,
    ) -> Vec<Candidate> {
        let mut seen = Vec::new();
        for _ in 0..self.steps {
            let around: Vec<_> = active.iter().map(|at| self.around(at, terrain, rng)).collect();
            let sizes: Vec<usize> = around.iter().map(Vec::len).collect();
            let reach: Vec<f64> = active
                .iter()
                .zip(&sizes)
                .flat_map(|(at, &size)| vec![at.reach; size])
                .collect();
            let looked = Terrain::candidates(score, around.concat(), &reach);
            active = self.advance(active, &sizes, &looked);
            seen.extend(looked);
            if active.is_empty() {
                break;
            }
        }
        seen
    }

    /// The points that are tried from a point.
    fn around(&self, at: &Candidate, terrain: &Terrain<'_>, rng: &mut Rng) -> Vec<Vec<f64>> {
        let mut points = terrain.space.neighbours(&at.point);
        points.retain(|point| terrain.contains(point));
        rng.shuffle(&mut points);
        points.truncate(NEIGHBOURS);
        for _ in 0..self.moves {
            let mut point = perturbation::beside(terrain.space, &at.point, at.reach, rng);
            if terrain.admit(&mut point, rng) {
                points.push(point);
            }
        }
        points
    }

    /// Moves each search to the best point around it; those that stand still take shorter steps or end.
    fn advance(&self, active: Vec<Candidate>, sizes: &[usize], looked: &[Candidate]) -> Vec<Candidate> {
        let mut rest = looked;
        let mut next = Vec::new();
        for (mut at, &size) in active.into_iter().zip(sizes) {
            let (around, others) = rest.split_at(size);
            rest = others;
            let best = around
                .iter()
                .reduce(|best, other| if other.value > best.value { other } else { best });
            if let Some(best) = best.filter(|best| best.value > at.value) {
                next.push(Candidate {
                    reach: (1.5 * at.reach).min(0.3),
                    ..best.clone()
                });
            } else if self.moves > 0 && at.reach > SHORTEST {
                at.reach *= 0.3;
                next.push(at);
            }
        }
        next
    }
}
