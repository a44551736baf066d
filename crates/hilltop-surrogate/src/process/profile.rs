//! Kernels that see two points through their inner product and their norms.
//!
//! Every kernel of an infinitely wide network, and every stationary one, is `F(q, a, b)` with `q = ⟨x,x'⟩`,
//! `a = ⟨x,x⟩`, `b = ⟨x',x'⟩` of scaled points. A [`Profile`] is `F` with its partial derivatives, over whole matrices:
//! the products come from one matrix multiplication, the derivatives in all scales go back into one.

use std::fmt::Debug;

use faer::{Mat, MatMut, MatRef};

/// What a profile knows of each point by itself.
#[derive(Clone, Debug, Default)]
pub struct Tables {
    /// `F(a, a, a)` of each point.
    pub value: Vec<f64>,
    /// Its derivative in `a`.
    pub slope: Vec<f64>,
    /// What the profile wants to find again of each point, a row of numbers for each of its stages.
    pub factors: Vec<Vec<f64>>,
    /// The derivatives that go with them.
    pub slopes: Vec<Vec<f64>>,
}

/// Which entries of a matrix are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// All.
    Full,
    /// Those on and below the diagonal.
    Lower,
}

impl Part {
    /// The first row wanted of a column.
    #[inline]
    pub fn first(self, column: usize) -> usize {
        match self {
            Self::Full => 0,
            Self::Lower => column,
        }
    }
}

/// A matrix of kernel values and their partial derivatives.
#[derive(Clone, Debug)]
pub struct Partials {
    /// `F(q, a, b)`.
    pub value: Mat<f64>,
    /// In the product `q`.
    pub product: Mat<f64>,
    /// In the norm `a` of the row's point.
    pub row: Mat<f64>,
    /// In the norm `b` of the column's point.
    pub column: Mat<f64>,
}

impl Partials {
    /// A place for so many entries.
    pub fn zeros(rows: usize, columns: usize) -> Self {
        let zeros = || Mat::zeros(rows, columns);
        Self {
            value: zeros(),
            product: zeros(),
            row: zeros(),
            column: zeros(),
        }
    }
}

/// A kernel as a function of the inner product and the norms.
pub trait Profile: Send + Sync + Debug {
    /// What is known of points with these squared norms.
    fn tables(&self, norms: &[f64]) -> Tables;
    /// Replaces inner products by kernel values.
    fn values(&self, rows: &Tables, columns: &Tables, part: Part, products: MatMut<'_, f64>);
    /// Kernel values and partial derivatives at inner products, into a place of the same shape. Entries outside the
    /// part are left as they are.
    fn partials(&self, rows: &Tables, columns: &Tables, part: Part, products: MatRef<'_, f64>, out: &mut Partials);
}
