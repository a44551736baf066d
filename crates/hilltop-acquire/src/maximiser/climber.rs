//! One start of the ascent: a projected quasi-Newton climber that asks for one evaluation at a time.
//!
//! A climber never evaluates. It says where it wants to look ([`Climber::aim`]) and learns what was found there
//! ([`Climber::judge`]), so that many of them can share one batch.

use super::curvature::Curvature;

/// Where a climber begins.
#[derive(Clone, Debug)]
pub(crate) struct Start {
    /// The point.
    pub(crate) point: Vec<f64>,
    /// Lower limits; a coordinate with equal limits stays where it is.
    pub(crate) low: Vec<f64>,
    /// Upper limits.
    pub(crate) high: Vec<f64>,
    /// How far the first step goes.
    pub(crate) reach: f64,
}

/// Moves a trial point to where it may stand; `false` refuses it.
pub(crate) type Settle<'a> = dyn FnMut(&mut [f64]) -> bool + 'a;

/// The share of the promised rise that a step must keep.
const ARMIJO: f64 = 1e-4;
/// How often a step is shortened before its direction is given up.
const SHORTENINGS: u32 = 15;
/// The longest move of a coordinate in one step.
const STRIDE: f64 = 0.5;
/// Moves below this are none.
const STILL: f64 = 1e-12;

/// A start on its way up.
#[derive(Clone, Debug)]
pub(crate) struct Climber {
    start: Start,
    /// The best value so far, at the start's point.
    pub(crate) value: f64,
    gradient: Vec<f64>,
    curvature: Curvature,
    direction: Vec<f64>,
    trial: Vec<f64>,
    rise: f64,
    step: f64,
    shortened: u32,
    idle: u32,
}

impl Climber {
    /// A climber at its start, where nothing has been evaluated yet.
    pub(crate) fn new(start: Start, memory: usize) -> Self {
        let dim = start.point.len();
        Self {
            trial: start.point.clone(),
            start,
            value: f64::NEG_INFINITY,
            gradient: vec![0.0; dim],
            curvature: Curvature::new(memory),
            direction: vec![0.0; dim],
            rise: 0.0,
            step: 0.0,
            shortened: 0,
            idle: 0,
        }
    }

    /// The best point so far.
    pub(crate) fn point(&self) -> &[f64] {
        &self.start.point
    }

    /// Where to evaluate next.
    pub(crate) fn trial(&self) -> &[f64] {
        &self.trial
    }

    /// Begins at an evaluated start; `false` where the score is not a number there.
    pub(crate) fn begin(&mut self, value: f64, gradient: Vec<f64>) -> bool {
        self.value = value;
        self.gradient = gradient;
        let sound = value.is_finite() && self.gradient.iter().all(|g| g.is_finite());
        if sound {
            self.turn();
        }
        sound
    }

    /// Learns the value and gradient at the trial point; `false` when the climb is over.
    pub(crate) fn judge(&mut self, value: f64, gradient: Vec<f64>, tolerance: f64) -> bool {
        let sound = value.is_finite() && gradient.iter().all(|g| g.is_finite());
        if sound && value >= self.value + ARMIJO * self.rise {
            self.idle = if value - self.value > tolerance {
                0
            } else {
                self.idle + 1
            };
            self.accept(value, gradient);
            return self.idle < 2;
        }
        self.shorten(value);
        self.shortened <= SHORTENINGS || self.restart()
    }

    fn accept(&mut self, value: f64, gradient: Vec<f64>) {
        let step: Vec<f64> = self
            .trial
            .iter()
            .zip(&self.start.point)
            .map(|(new, old)| new - old)
            .collect();
        let fall = self
            .gradient
            .iter()
            .zip(&gradient)
            .map(|(old, new)| old - new)
            .collect();
        let moved = largest(&step);
        if !self.curvature.learn(step, fall) {
            self.curvature.clear();
            self.start.reach = (2.0 * moved).min(STRIDE);
        }
        self.start.point.copy_from_slice(&self.trial);
        self.value = value;
        self.gradient = gradient;
        self.turn();
    }

    /// Shortens the step to the top of the parabola through what is known of it.
    fn shorten(&mut self, value: f64) {
        let short = 2.0 * (self.rise - (value - self.value));
        let factor = if short.is_finite() {
            (self.rise / short).clamp(0.1, 0.5)
        } else {
            0.1
        };
        self.step *= factor;
        self.shortened += 1;
    }

    /// Gives the direction up for the steepest one; `false` where it was that already.
    fn restart(&mut self) -> bool {
        let again = !self.curvature.is_empty();
        self.curvature.clear();
        self.start.reach = (self.step * largest(&self.direction)).max(10.0 * STILL);
        self.turn();
        again
    }

    /// Chooses the direction from the gradient and the curvature.
    fn turn(&mut self) {
        let free = self.free();
        let ascent = |g: &f64, free: &bool| if *free { *g } else { 0.0 };
        let steepest: Vec<f64> = self
            .gradient
            .iter()
            .zip(&free)
            .map(|(g, free)| ascent(g, free))
            .collect();
        self.direction.clone_from(&steepest);
        self.curvature.precondition(&mut self.direction, &free);
        let rise: f64 = self.direction.iter().zip(&steepest).map(|(d, g)| d * g).sum();
        if self.curvature.is_empty() || !rise.is_finite() || rise <= 0.0 {
            self.curvature.clear();
            let scale = self.start.reach / largest(&steepest).max(f64::MIN_POSITIVE);
            self.direction = steepest.iter().map(|g| g * scale).collect();
        }
        self.step = (STRIDE / largest(&self.direction).max(f64::MIN_POSITIVE)).min(1.0);
        self.shortened = 0;
    }

    /// The coordinates that neither stand still nor push against a limit.
    fn free(&self) -> Vec<bool> {
        let Start { point, low, high, .. } = &self.start;
        let may_move = |axis: usize| {
            let (x, g) = (point[axis], self.gradient[axis]);
            low[axis] < high[axis] && !(x <= low[axis] && g <= 0.0) && !(x >= high[axis] && g >= 0.0)
        };
        (0..point.len()).map(may_move).collect()
    }

    /// Sets the trial point; `false` when there is nowhere left to go.
    pub(crate) fn aim(&mut self, settle: &mut Settle<'_>) -> bool {
        loop {
            while self.shortened <= SHORTENINGS {
                if self.place(settle) {
                    return true;
                }
                self.step *= 0.3;
                self.shortened += 1;
            }
            if !self.restart() {
                return false;
            }
        }
    }

    /// Places the trial point at the present step; `false` where that is no step upwards.
    fn place(&mut self, settle: &mut Settle<'_>) -> bool {
        let Start { point, low, high, .. } = &self.start;
        for axis in 0..point.len() {
            self.trial[axis] = (point[axis] + self.step * self.direction[axis]).clamp(low[axis], high[axis]);
        }
        let wanted = distance(&self.trial, point);
        if wanted < STILL || !settle(&mut self.trial) || distance(&self.trial, point) > 3.0 * wanted {
            return false;
        }
        let gain = |axis: usize| self.gradient[axis] * (self.trial[axis] - point[axis]);
        self.rise = (0..point.len()).map(gain).sum();
        self.rise > 0.0
    }
}

fn largest(v: &[f64]) -> f64 {
    v.iter().fold(0.0, |largest, x| x.abs().max(largest))
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |largest, (a, b)| (a - b).abs().max(largest))
}
