//! A matrix whose columns are examples, stored without gaps so that columns can be appended and swept as one slice.

use faer::{MatMut, MatRef};
use std::ops::Range;

/// Columns of equal height, one after the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Columns {
    rows: usize,
    count: usize,
    values: Vec<f64>,
}

impl Columns {
    /// No columns yet, of a given height.
    pub(crate) fn new(rows: usize) -> Self {
        Self {
            rows,
            count: 0,
            values: Vec::new(),
        }
    }

    /// Columns of one number.
    pub(crate) fn filled(rows: usize, count: usize, value: f64) -> Self {
        Self {
            rows,
            count,
            values: vec![value; rows * count],
        }
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Changes the number of columns, keeping the memory; the contents are then whatever they were.
    pub(crate) fn resize(&mut self, count: usize) {
        self.count = count;
        self.values.resize(self.rows * count, 0.0);
    }

    /// Changes height and number of columns.
    pub(crate) fn reshape(&mut self, rows: usize, count: usize) {
        self.rows = rows;
        self.resize(count);
    }

    pub(crate) fn as_slice(&self) -> &[f64] {
        &self.values
    }

    pub(crate) fn as_mut_slice(&mut self) -> &mut [f64] {
        &mut self.values
    }

    pub(crate) fn column(&self, index: usize) -> &[f64] {
        &self.values[index * self.rows..(index + 1) * self.rows]
    }

    pub(crate) fn column_mut(&mut self, index: usize) -> &mut [f64] {
        &mut self.values[index * self.rows..(index + 1) * self.rows]
    }

    pub(crate) fn view(&self) -> MatRef<'_, f64> {
        MatRef::from_column_major_slice(&self.values, self.rows, self.count)
    }

    /// The columns cut into several each: what a layer sees that is applied at so many sites of every example.
    pub(crate) fn view_at(&self, sites: usize) -> MatRef<'_, f64> {
        MatRef::from_column_major_slice(&self.values, self.rows / sites, self.count * sites)
    }

    /// The same, to be written to.
    pub(crate) fn view_at_mut(&mut self, sites: usize) -> MatMut<'_, f64> {
        MatMut::from_column_major_slice_mut(&mut self.values, self.rows / sites, self.count * sites)
    }

    pub(crate) fn view_of(&self, range: Range<usize>) -> MatRef<'_, f64> {
        let (start, end) = (range.start * self.rows, range.end * self.rows);
        MatRef::from_column_major_slice(&self.values[start..end], self.rows, range.len())
    }

    pub(crate) fn view_mut(&mut self) -> MatMut<'_, f64> {
        MatMut::from_column_major_slice_mut(&mut self.values, self.rows, self.count)
    }

    /// Takes rows of a matrix of points (a row a point) as columns.
    pub(crate) fn load(&mut self, points: MatRef<'_, f64>, range: Range<usize>) {
        self.reshape(points.ncols(), range.len());
        for (column, row) in range.enumerate() {
            let target = self.column_mut(column);
            for (k, value) in target.iter_mut().enumerate() {
                *value = points[(row, k)];
            }
        }
    }

    /// Takes some columns of another matrix.
    pub(crate) fn gather(&mut self, source: &Self, indices: &[usize]) {
        self.reshape(source.rows, indices.len());
        for (column, &index) in indices.iter().enumerate() {
            self.column_mut(column).copy_from_slice(source.column(index));
        }
    }

    /// Takes a range of columns of another matrix.
    pub(crate) fn copy(&mut self, source: &Self, range: Range<usize>) {
        self.reshape(source.rows, range.len());
        let (start, end) = (range.start * source.rows, range.end * source.rows);
        self.values.copy_from_slice(&source.values[start..end]);
    }

    /// Appends the columns of another matrix of the same height.
    pub(crate) fn append(&mut self, other: &Self) {
        assert_eq!(self.rows, other.rows, "columns of the same height");
        self.values.extend_from_slice(&other.values);
        self.count += other.count;
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::float_cmp)]
    use super::*;
    use faer::Mat;

    #[test]
    fn rows_of_points_become_columns() {
        let points = Mat::from_fn(4, 2, |i, j| (10 * i + j) as f64);
        let mut columns = Columns::default();
        columns.load(points.as_ref(), 1..3);
        assert_eq!(columns.as_slice(), [10.0, 11.0, 20.0, 21.0]);
        let mut picked = Columns::default();
        picked.gather(&columns, &[1, 0, 1]);
        picked.append(&columns);
        assert_eq!(picked.count(), 5);
        assert_eq!(picked.column(2), [20.0, 21.0]);
        assert_eq!(picked.view_of(3..5)[(1, 1)], 21.0);
    }
}
