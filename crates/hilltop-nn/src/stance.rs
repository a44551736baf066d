//! Where a Gauss–Newton step starts from: the points at these weights, their tangent, a kernel and its factor.
//!
//! One such place serves all members of a training, one after another, and all memory of a step is here.

use crate::forward::Workspace;
use crate::tangent::Tangent;
use crate::{Architecture, Error, Network, Result, lanes};
use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::linalg::cholesky::llt::{self, factor::LltRegularization};
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{Mat, MatMut, MatRef, Par, Spec};

/// What is added to the kernel's diagonal, relative to its mean, where it has no factor without.
const JITTERS: [f64; 5] = [0.0, 1e-14, 1e-12, 1e-10, 1e-8];

/// What all members of a training share: the points, and memory for a step.
pub(crate) struct Stance {
    /// The points at the weights that a step starts from; their columns are with the tangent meanwhile.
    here: Workspace,
    /// The points at the weights that are tried.
    pub(crate) there: Workspace,
    tangent: Tangent,
    gram: Mat<f64>,
    factor: Mat<f64>,
    scratch: MemBuffer,
    /// `θ_0`.
    pub(crate) anchor: Vec<f64>,
    /// `θ − θ_0` where a step starts; of no meaning at the anchor itself.
    away: Vec<f64>,
    at_anchor: bool,
    /// `θ − θ_0` where a step leads.
    pub(crate) goal: Vec<f64>,
    /// `J(θ − θ_0)` where a step starts.
    moved: Vec<f64>,
    /// `y − h` there, and at the weights that are tried.
    pub(crate) residuals: [Vec<f64>; 2],
    pub(crate) duals: Vec<f64>,
    /// What the last correction added to the duals.
    correction: Vec<f64>,
}

impl Stance {
    /// No points yet.
    pub(crate) fn new(architecture: &Architecture) -> Self {
        let weights = vec![0.0; architecture.parameter_count()];
        Self {
            there: Workspace::new(architecture),
            here: Workspace::new(architecture),
            tangent: Tangent::default(),
            gram: Mat::new(),
            factor: Mat::new(),
            scratch: MemBuffer::new(StackReq::EMPTY),
            anchor: weights.clone(),
            away: weights.clone(),
            at_anchor: true,
            goal: weights,
            moved: Vec::new(),
            residuals: Default::default(),
            duals: Vec::new(),
            correction: Vec::new(),
        }
    }

    /// Takes points in the place of those before.
    pub(crate) fn load(&mut self, points: MatRef<'_, f64>) {
        let count = points.nrows();
        self.here.load(points, 0..count);
        self.there.load(points, 0..count);
        let [here, there] = &mut self.residuals;
        for values in [&mut self.moved, here, there, &mut self.duals, &mut self.correction] {
            values.resize(count, 0.0);
        }
        if self.gram.nrows() != count {
            let scratch = llt::factor::cholesky_in_place_scratch::<f64>(count, Par::Seq, Spec::default());
            self.scratch = MemBuffer::new(scratch);
            self.gram = Mat::zeros(count, count);
            self.factor = Mat::zeros(count, count);
        }
    }

    /// Takes the tangent at the weights that were looked at last.
    pub(crate) fn take(&mut self, network: &Network, at_anchor: bool) {
        std::mem::swap(&mut self.here, &mut self.there);
        self.residuals.swap(0, 1);
        self.tangent = network.tangent_in(&mut self.here);
        self.at_anchor = at_anchor;
        if !at_anchor {
            lanes::subtract(&mut self.away, network.weights(), &self.anchor);
        }
    }

    /// `θ − θ_0` where the step starts; `None` where that is nothing.
    pub(crate) fn away(&self) -> Option<&[f64]> {
        (!self.at_anchor).then_some(self.away.as_slice())
    }

    /// Gives back what the tangent was made of.
    pub(crate) fn leave(&mut self) {
        self.here.take_back(std::mem::take(&mut self.tangent));
    }

    /// The kernel of the tangent, and `J(θ − θ_0)`.
    pub(crate) fn form(&mut self) {
        self.tangent.gram_into(&mut self.gram);
        if self.at_anchor {
            self.moved.fill(0.0);
        } else {
            let (pushed, values) = (&mut self.here.back, &mut self.moved);
            self.tangent.along_into(&self.away, pushed, values);
        }
    }

    /// The mean variance of the kernel.
    pub(crate) fn mean(&self) -> f64 {
        let count = self.gram.nrows();
        (0..count).map(|i| self.gram[(i, i)]).sum::<f64>() / count as f64
    }

    /// Makes the goal `Jᵀα`.
    pub(crate) fn combine(&mut self) {
        let weighted = &mut self.here.back;
        self.tangent.combination_into(&self.duals, weighted, &mut self.goal);
    }

    /// Adds a share of `θ − θ_0` to the goal: what damping leaves of it.
    pub(crate) fn lag(&mut self, share: f64) {
        if share > 0.0 && !self.at_anchor {
            lanes::add_scaled(&mut self.goal, share, &self.away);
        }
    }

    /// The duals of a step: `(K + ridge I)⁻¹ (r + share · J(θ − θ_0))`; returns what was added to the diagonal in the end.
    pub(crate) fn solve(&mut self, ridge: f64, share: f64) -> Result<f64> {
        let mean = self.mean();
        for jitter in JITTERS {
            self.duals.copy_from_slice(&self.residuals[0]);
            lanes::add_scaled(&mut self.duals, share, &self.moved);
            if self.factorise(ridge + jitter * mean) {
                substitute(&self.factor, &mut self.duals);
                if self.duals.iter().all(|value| value.is_finite()) {
                    return Ok(ridge + jitter * mean);
                }
            }
        }
        let (examples, penalty) = (self.gram.nrows(), ridge);
        Err(Error::Singular { examples, penalty })
    }

    /// Corrects the duals by what they miss at the weights that are tried: `α += (K + ridge I)⁻¹ (r − λα)`.
    pub(crate) fn correct(&mut self, penalty: f64) {
        self.correction.copy_from_slice(&self.residuals[1]);
        lanes::add_scaled(&mut self.correction, -penalty, &self.duals);
        substitute(&self.factor, &mut self.correction);
        lanes::add_scaled(&mut self.duals, 1.0, &self.correction);
    }

    /// `‖θ − θ_0 − Jᵀα‖²`.
    pub(crate) fn apart(&mut self) -> f64 {
        self.combine();
        match self.away() {
            Some(away) => lanes::squared_distance(away, &self.goal),
            None => lanes::dot(&self.goal, &self.goal),
        }
    }

    /// `⟨g(x_i), v⟩` for every point.
    pub(crate) fn along(&mut self, direction: &[f64]) -> &[f64] {
        let (pushed, values) = (&mut self.here.back, &mut self.moved);
        self.tangent.along_into(direction, pushed, values);
        values
    }

    /// Takes the last correction back.
    pub(crate) fn undo(&mut self) {
        lanes::add_scaled(&mut self.duals, -1.0, &self.correction);
    }

    /// The factor of the kernel with so much added to its diagonal; `false` where there is none.
    fn factorise(&mut self, added: f64) -> bool {
        for column in 0..self.gram.nrows() {
            let lower = &self.gram.col_as_slice(column)[column..];
            self.factor.col_as_slice_mut(column)[column..].copy_from_slice(lower);
            self.factor[(column, column)] += added;
        }
        let (stack, regular) = (MemStack::new(&mut self.scratch), LltRegularization::default());
        llt::factor::cholesky_in_place(self.factor.as_mut(), regular, Par::Seq, stack, Spec::default()).is_ok()
    }
}

/// Solves in place with a factor's lower triangle.
fn substitute(factor: &Mat<f64>, values: &mut [f64]) {
    let mut values = MatMut::from_column_major_slice_mut(values, factor.nrows(), 1);
    solve_lower_triangular_in_place(factor.as_ref(), values.as_mut(), Par::Seq);
    solve_upper_triangular_in_place(factor.transpose(), values.as_mut(), Par::Seq);
}
