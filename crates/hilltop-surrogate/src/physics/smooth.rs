//! A smooth covariance with all its derivatives: that of an infinitely wide network of sines, and of one whose units see
//! one input each.
//!
//! A layer of sines with normal weights and random phases has the covariance `∏_a g((z_a − z'_a)/ℓ_a)`, `g(s) = exp(−s²/2)`, when
//! its width grows; if every unit sees one input it has `Σ_a g((z_a − z'_a)/ℓ)/D`. The kernel is a weighted sum of
//! both. Differentiating is multiplying with Hermite polynomials: with `t = z − z'`,
//! `∂_z^m ∂_z'^n g = (−1)^n h_{m+n}(t) g(t)`, `h_0 = 1`, `h_{k+1} = −(t h_k + k h_{k−1})/ℓ²`.

use faer::{Mat, MatMut, MatRef};
use hilltop_core::physics::Partial;

use super::rows::Rows;
use hilltop_nn::exponentials;

/// The kernel's parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Smooth {
    /// The length scale of each coordinate in the product.
    pub lengths: Vec<f64>,
    /// The length scale of each coordinate in the sum.
    pub alone: Vec<f64>,
    /// The variance of the product.
    pub product: f64,
    /// The variance of the sum.
    pub sum: f64,
}

/// A coordinate, and how often a derivative is taken in it.
type Place = (usize, usize);

/// Functionals of two kinds of rows side by side: which of their derivatives share a coordinate.
///
/// Derivatives in different coordinates multiply, `h_{α+β} = h_α h_β`; the others are listed.
#[derive(Clone, Debug)]
pub struct Plan {
    other: Vec<Partial>,
    /// Pairs that share a coordinate: places in both lists, and the coordinates of both together.
    shared: Vec<(usize, usize, Vec<Place>)>,
    /// Pairs that are seen by the sum, with the coordinate; none where both are values.
    alone: Vec<(usize, usize, Option<Place>)>,
    /// The highest derivative of each coordinate.
    orders: Vec<usize>,
}

impl Plan {
    /// The plan for rows of some derivatives and functionals of others.
    pub fn new(dim: usize, own: &[Partial], other: &[Partial]) -> Self {
        let (mut shared, mut alone) = (Vec::new(), Vec::new());
        for (a, row) in own.iter().enumerate() {
            for (b, functional) in other.iter().enumerate() {
                let places = merged(row, functional);
                match places[..] {
                    [] => alone.push((a, b, None)),
                    [place] => alone.push((a, b, Some(place))),
                    _ => {}
                }
                if places.len() < row.axes().len() + functional.axes().len() {
                    shared.push((a, b, places));
                }
            }
        }
        let highest = |partials: &[Partial], axis: usize| {
            let axes = partials.iter().flat_map(Partial::axes);
            axes.filter(|place| place.0 == axis)
                .map(|place| place.1)
                .max()
                .unwrap_or(0)
        };
        Self {
            other: other.to_vec(),
            shared,
            alone,
            orders: (0..dim).map(|axis| highest(own, axis) + highest(other, axis)).collect(),
        }
    }
}

/// What the covariances of some rows with functionals at one point are made of.
struct Tables<'a> {
    kernel: &'a Smooth,
    rows: &'a Rows,
    /// `g` of the product at every row.
    together: Vec<f64>,
    /// `h_k` of the product for each coordinate.
    joint: Vec<Vec<Vec<f64>>>,
    /// `h_k g` of the sum for each coordinate.
    single: Vec<Vec<Vec<f64>>>,
    /// `Σ_α c_α h_α` of every row.
    own: Vec<f64>,
}

impl Smooth {
    /// The number of coordinates.
    pub fn dim(&self) -> usize {
        self.lengths.len()
    }

    /// Covariances of rows with functionals at a point, a column a functional: a plan and its coefficients each.
    pub fn columns(&self, rows: &Rows, point: &[f64], functionals: &[(&Plan, &[f64])], mut out: MatMut<'_, f64>) {
        let mut orders = vec![0; self.dim()];
        for (plan, _) in functionals {
            orders
                .iter_mut()
                .zip(&plan.orders)
                .for_each(|(most, order)| *most = (*most).max(*order));
        }
        let tables = Tables::new(self, rows, point, &orders);
        for (j, (plan, coefficients)) in functionals.iter().enumerate() {
            if let Some(column) = out.as_mut().col_mut(j).try_as_col_major_mut() {
                tables.fill(plan, coefficients, column.as_slice_mut());
            }
        }
    }

    /// The variance of a functional: the same wherever it is taken.
    pub fn variance(&self, partials: &[Partial], coefficients: &[f64]) -> f64 {
        let plan = Plan::new(self.dim(), partials, partials);
        let rows = Rows {
            points: Mat::zeros(1, self.dim()),
            partials: partials.to_vec(),
            coefficients: Mat::from_fn(1, partials.len(), |_, j| coefficients[j]),
        };
        let mut out = Mat::zeros(1, 1);
        self.columns(&rows, &vec![0.0; self.dim()], &[(&plan, coefficients)], out.as_mut());
        out[(0, 0)]
    }

    /// Covariances of rows with values at points, a column a point.
    pub fn cross(&self, rows: &Rows, points: MatRef<'_, f64>, mut out: MatMut<'_, f64>) {
        let plan = Plan::new(self.dim(), &rows.partials, &[Partial::value()]);
        for q in 0..points.nrows() {
            let point: Vec<f64> = points.row(q).iter().copied().collect();
            self.columns(rows, &point, &[(&plan, &[1.0])], out.as_mut().subcols_mut(q, 1));
        }
    }

    /// The covariance matrix of all rows of some blocks, on and below the diagonal.
    pub fn gram(&self, blocks: &[&Rows]) -> Mat<f64> {
        let count = blocks.iter().map(|rows| rows.count()).sum();
        let mut gram = Mat::zeros(count, count);
        let mut first = 0;
        for (b, block) in blocks.iter().enumerate() {
            let mut start = first;
            for below in &blocks[b..] {
                let plan = Plan::new(self.dim(), &below.partials, &block.partials);
                for i in 0..block.count() {
                    let point: Vec<f64> = block.points.row(i).iter().copied().collect();
                    let place = gram.as_mut().submatrix_mut(start, first + i, below.count(), 1);
                    self.columns(below, &point, &[(&plan, &block.row(i))], place);
                }
                start += below.count();
            }
            first += block.count();
        }
        gram
    }
}

impl<'a> Tables<'a> {
    fn new(kernel: &'a Smooth, rows: &'a Rows, point: &[f64], orders: &[usize]) -> Self {
        let (mut joint, mut single) = (Vec::new(), Vec::new());
        let mut together = vec![0.0; rows.count()];
        for (axis, &order) in orders.iter().enumerate() {
            let coordinates = rows.points.col_as_slice(axis);
            let steps: Vec<f64> = coordinates.iter().map(|z| z - point[axis]).collect();
            if kernel.product > 0.0 {
                let inverse = kernel.lengths[axis].powi(-2);
                let halved = -0.5 * inverse;
                together
                    .iter_mut()
                    .zip(&steps)
                    .for_each(|(sum, t)| *sum += halved * t * t);
                joint.push(polynomials(&steps, inverse, order, vec![1.0; steps.len()]));
            }
            if kernel.sum > 0.0 {
                let inverse = kernel.alone[axis].powi(-2);
                let halved = -0.5 * inverse;
                let mut bells: Vec<f64> = steps.iter().map(|t| halved * t * t).collect();
                exponentials(&mut bells);
                single.push(polynomials(&steps, inverse, order, bells));
            }
        }
        exponentials(&mut together);
        let mut tables = Self {
            kernel,
            rows,
            together,
            joint,
            single,
            own: Vec::new(),
        };
        if kernel.product > 0.0 {
            tables.own = tables.weighted();
        }
        tables
    }

    /// `Σ_α c_α h_α` of every row.
    fn weighted(&self) -> Vec<f64> {
        let mut sum = vec![0.0; self.rows.count()];
        for (a, partial) in self.rows.partials.iter().enumerate() {
            let mut term = self.rows.coefficients.col_as_slice(a).to_vec();
            self.multiply(partial.axes(), &mut term);
            add(&mut sum, &term);
        }
        sum
    }

    fn multiply(&self, places: &[Place], term: &mut [f64]) {
        for &(axis, order) in places {
            let values = &self.joint[axis][order];
            term.iter_mut().zip(values).for_each(|(slot, h)| *slot *= h);
        }
    }

    fn fill(&self, plan: &Plan, coefficients: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        if self.kernel.product > 0.0 {
            self.add_product(plan, coefficients, out);
        }
        if self.kernel.sum > 0.0 {
            self.add_sum(plan, coefficients, out);
        }
    }

    /// `g·(Σ_α c_α h_α · Σ_β d_β h_β + Σ_shared c_α d_β (h_{α+β} − h_α h_β))`.
    fn add_product(&self, plan: &Plan, coefficients: &[f64], out: &mut [f64]) {
        let mut term = vec![0.0; out.len()];
        for (partial, coefficient) in plan.other.iter().zip(coefficients) {
            term.fill(sign(partial) * coefficient);
            self.multiply(partial.axes(), &mut term);
            add(out, &term);
        }
        out.iter_mut().zip(&self.own).for_each(|(slot, own)| *slot *= own);
        for (a, b, places) in &plan.shared {
            let factor = sign(&plan.other[*b]) * coefficients[*b];
            let own = self.rows.coefficients.col_as_slice(*a);
            let scaled =
                |factor: f64, term: &mut [f64]| term.iter_mut().zip(own).for_each(|(slot, c)| *slot = factor * c);
            scaled(factor, &mut term);
            self.multiply(places, &mut term);
            add(out, &term);
            scaled(-factor, &mut term);
            self.multiply(self.rows.partials[*a].axes(), &mut term);
            self.multiply(plan.other[*b].axes(), &mut term);
            add(out, &term);
        }
        let variance = self.kernel.product;
        out.iter_mut()
            .zip(&self.together)
            .for_each(|(slot, bell)| *slot *= variance * bell);
    }

    fn add_sum(&self, plan: &Plan, coefficients: &[f64], out: &mut [f64]) {
        let share = self.kernel.sum / self.kernel.dim() as f64;
        for &(a, b, place) in &plan.alone {
            let factor = share * sign(&plan.other[b]) * coefficients[b];
            let own = self.rows.coefficients.col_as_slice(a);
            let mut add = |values: &[f64]| {
                let terms = own.iter().zip(values);
                out.iter_mut()
                    .zip(terms)
                    .for_each(|(slot, (c, h))| *slot += factor * c * h);
            };
            match place {
                None => self.single.iter().for_each(|orders| add(&orders[0])),
                Some((axis, order)) => add(&self.single[axis][order]),
            }
        }
    }
}

fn add(sum: &mut [f64], term: &[f64]) {
    sum.iter_mut().zip(term).for_each(|(slot, value)| *slot += value);
}

/// `(−1)^order`: derivatives in the second point.
fn sign(partial: &Partial) -> f64 {
    if partial.order().is_multiple_of(2) { 1.0 } else { -1.0 }
}

/// The coordinates of two derivatives together, and how often each.
fn merged(a: &Partial, b: &Partial) -> Vec<Place> {
    let mut places = a.axes().to_vec();
    for &(axis, order) in b.axes() {
        match places.iter_mut().find(|(known, _)| *known == axis) {
            Some((_, sum)) => *sum += order,
            None => places.push((axis, order)),
        }
    }
    places
}

/// `h_0 … h_order` times a first factor.
fn polynomials(steps: &[f64], inverse: f64, order: usize, first: Vec<f64>) -> Vec<Vec<f64>> {
    let mut all = vec![first];
    for k in 0..order {
        let last = &all[k];
        let next = steps.iter().enumerate().map(|(i, t)| {
            let before = if k > 0 { k as f64 * all[k - 1][i] } else { 0.0 };
            -inverse * (t * last[i] + before)
        });
        let next = next.collect();
        all.push(next);
    }
    all
}
