//! A square matrix stored by rows: all that the BBOB functions need of linear algebra.

/// A square matrix, rows one after the other.
#[derive(Clone, Debug)]
pub(super) struct Matrix {
    dim: usize,
    entries: Vec<f64>,
}

impl Matrix {
    pub(super) fn from_columns(columns: &[Vec<f64>]) -> Self {
        let dim = columns.len();
        let entries = (0..dim * dim).map(|at| columns[at % dim][at / dim]).collect();
        Self { dim, entries }
    }

    pub(super) fn dim(&self) -> usize {
        self.dim
    }

    pub(super) fn row(&self, i: usize) -> &[f64] {
        &self.entries[i * self.dim..(i + 1) * self.dim]
    }

    pub(super) fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.entries[i * self.dim..(i + 1) * self.dim]
    }

    /// The matrix times a vector.
    pub(super) fn times(&self, x: &[f64]) -> Vec<f64> {
        let dot = |row: &[f64]| row.iter().zip(x).map(|(a, b)| a * b).sum();
        self.entries.chunks_exact(self.dim).map(dot).collect()
    }

    /// The transposed matrix times a vector.
    pub(super) fn transposed_times(&self, x: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.dim];
        for (i, &factor) in x.iter().enumerate() {
            out.iter_mut()
                .zip(self.row(i))
                .for_each(|(sum, entry)| *sum += factor * entry);
        }
        out
    }

    /// The matrix times another.
    pub(super) fn product(&self, other: &Self) -> Self {
        let rows = (0..self.dim).flat_map(|i| other.transposed_times(self.row(i)));
        Self {
            dim: self.dim,
            entries: rows.collect(),
        }
    }
}
