//! A finite set of points: the rows of a table, with numeric features and labels that are carried along.

use std::io::Read;

use super::{Parameters, SpaceError, scale};
use crate::expression::{Compiler, Entries, Expression, Labels, Truth, Type, Value, list_of_names};

/// A table whose rows are the points of a finite space.
///
/// Features are numeric columns, scaled to `[0, 1]` (a constant column to 0.5); all other columns are labels. Where
/// several rows have the same features no model can tell them apart, and the first of them stands for all.
///
/// ```
/// use hilltop_core::Candidates;
/// let table = "name,mass,charge\nalpha,4,2\nbeta,0,-1\nmuon,0.1,-1\n";
/// let candidates = Candidates::from_csv(table.as_bytes(), None)?;
/// assert_eq!(candidates.len(), 3);
/// assert_eq!(candidates.feature_names(), ["mass", "charge"]);
/// assert_eq!(candidates.features(0), [1.0, 1.0]);
/// assert_eq!(candidates.row(2).to_string(), "name = muon, mass = 0.1, charge = -1");
/// # Ok::<(), hilltop_core::space::SpaceError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Candidates {
    columns: Vec<String>,
    feature_names: Vec<String>,
    /// The cells, row by row.
    cells: Vec<Value>,
    /// The scaled features, row by row.
    features: Vec<f64>,
    /// Smallest and largest value of each feature.
    bounds: Vec<(f64, f64)>,
    /// Rows in the order of their features, the first of equal ones only.
    order: Vec<usize>,
    /// The array that the features form, where that was stated.
    pub(super) shape: Option<Vec<usize>>,
}

impl Candidates {
    /// Reads a CSV table with a header. Without `features` every column that is numeric in all rows is one.
    pub fn from_csv(reader: impl Read, features: Option<&[String]>) -> Result<Self, SpaceError> {
        let unreadable = |error: csv::Error| SpaceError::CandidatesUnreadable {
            problem: error.to_string(),
        };
        let mut table = csv::ReaderBuilder::new()
            .flexible(true)
            .trim(csv::Trim::All)
            .from_reader(reader);
        let columns: Vec<String> = table.headers().map_err(unreadable)?.iter().map(str::to_owned).collect();
        let mut rows = Vec::new();
        for record in table.records() {
            rows.push(record.map_err(unreadable)?.iter().map(cell).collect());
        }
        Self::build(columns, rows, features)
    }

    /// Takes rows from memory; every column that is numeric in all rows is a feature.
    pub fn from_rows<N: Into<String>>(
        names: impl IntoIterator<Item = N>,
        rows: Vec<Vec<Value>>,
    ) -> Result<Self, SpaceError> {
        Self::build(names.into_iter().map(Into::into).collect(), rows, None)
    }

    fn build(columns: Vec<String>, rows: Vec<Vec<Value>>, wanted: Option<&[String]>) -> Result<Self, SpaceError> {
        check_shape(&columns, &rows)?;
        let chosen = match wanted {
            Some(names) => named_features(&columns, &rows, names)?,
            None => (0..columns.len())
                .filter(|&column| first_unusable(&rows, column).is_none())
                .collect(),
        };
        if chosen.is_empty() {
            return Err(SpaceError::NoFeatures {
                columns: list_of_names(columns.iter().map(String::as_str)),
            });
        }
        let bounds: Vec<(f64, f64)> = chosen.iter().map(|&column| column_bounds(&rows, column)).collect();
        let features = rows.iter().flat_map(|row| scaled(row, &chosen, &bounds)).collect();
        let feature_names = chosen.iter().map(|&column| columns[column].clone()).collect();
        let cells = rows.into_iter().flatten().collect();
        let mut built = Self {
            columns,
            feature_names,
            cells,
            features,
            bounds,
            order: Vec::new(),
            shape: None,
        };
        built.order = built.distinct();
        Ok(built)
    }

    /// Scales the features anew.
    pub(super) fn rescale(&mut self, bounds: Vec<(f64, f64)>) {
        let place = |name: &String| self.columns.iter().position(|column| column == name);
        let chosen: Vec<usize> = self.feature_names.iter().filter_map(place).collect();
        let rows = self.cells.chunks_exact(self.columns.len());
        self.features = rows.flat_map(|row| scaled(row, &chosen, &bounds)).collect();
        self.bounds = bounds;
        self.order = self.distinct();
    }

    /// The rows that satisfy known constraints on their columns; scales stay as they are.
    pub fn satisfying(&self, known: &[Expression]) -> Result<Self, SpaceError> {
        let width = self.columns.len();
        let mut labels = Labels::default();
        let kinds: Vec<Type> = (0..width)
            .map(|column| scale::common_type(self.cells.iter().skip(column).step_by(width)))
            .collect();
        let constraints = self.compiled(known, &kinds, &mut labels)?;
        let mut kept = Self {
            cells: Vec::new(),
            features: Vec::new(),
            order: Vec::new(),
            ..self.clone()
        };
        for (row, cells) in self.cells.chunks_exact(width).enumerate() {
            let slots: Vec<f64> = cells
                .iter()
                .zip(&kinds)
                .map(|(cell, kind)| scale::slot(cell, *kind, &mut labels))
                .collect();
            if constraints.iter().all(|constraint| constraint.holds(&slots)) {
                kept.cells.extend_from_slice(cells);
                kept.features.extend_from_slice(self.features(row));
            }
        }
        if kept.cells.is_empty() {
            return Err(SpaceError::NoCandidateSatisfies { rows: self.len() });
        }
        kept.order = kept.distinct();
        Ok(kept)
    }

    fn compiled(&self, known: &[Expression], kinds: &[Type], labels: &mut Labels) -> Result<Vec<Truth>, SpaceError> {
        let columns = self.columns.iter().map(String::as_str).zip(kinds.iter().copied());
        let scope = Entries(columns.collect());
        let compile = |constraint: &Expression| {
            let compiled = Compiler { scope: &scope, labels }.truth(constraint.root());
            compiled.map_err(|source| SpaceError::Known {
                constraint: constraint.to_string(),
                source,
            })
        };
        known.iter().map(compile).collect()
    }

    /// Rows sorted by their features, without repetitions.
    fn distinct(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.len()).collect();
        order.sort_by(|&a, &b| compare(self.features(a), self.features(b)).then(a.cmp(&b)));
        order.dedup_by(|later, earlier| self.features(*later) == self.features(*earlier));
        order
    }

    /// How many rows.
    pub fn len(&self) -> usize {
        self.cells.len() / self.columns.len()
    }

    /// Whether there is none; never, a table without rows is refused.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// How many features.
    pub fn dim(&self) -> usize {
        self.feature_names.len()
    }

    /// The names of the features.
    pub fn feature_names(&self) -> &[String] {
        &self.feature_names
    }

    /// The names of all columns.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// Smallest and largest value of each feature.
    pub fn bounds(&self) -> &[(f64, f64)] {
        &self.bounds
    }

    /// The scaled features of a row.
    pub fn features(&self, row: usize) -> &[f64] {
        &self.features[row * self.dim()..(row + 1) * self.dim()]
    }

    /// All columns of a row.
    pub fn row(&self, row: usize) -> Parameters {
        let width = self.columns.len();
        let cells = &self.cells[row * width..(row + 1) * width];
        self.columns
            .iter()
            .map(String::as_str)
            .zip(cells.iter().cloned())
            .collect()
    }

    /// Rows with different features, in the order of the table.
    pub fn distinct_rows(&self) -> Vec<usize> {
        let mut rows = self.order.clone();
        rows.sort_unstable();
        rows
    }

    /// The first row that has the given values; columns that are not given do not matter.
    pub fn index_of(&self, point: &Parameters) -> Option<usize> {
        let width = self.columns.len();
        let wanted: Option<Vec<(usize, &Value)>> = point
            .iter()
            .map(|(name, value)| Some((self.columns.iter().position(|column| column == name)?, value)))
            .collect();
        let wanted = wanted.filter(|wanted| !wanted.is_empty())?;
        (0..self.len()).find(|row| {
            wanted
                .iter()
                .all(|(column, value)| self.cells[row * width + column].same(value))
        })
    }

    /// The row whose features are nearest to a point.
    pub fn index_of_point(&self, point: &[f64]) -> usize {
        match self.order.binary_search_by(|&row| compare(self.features(row), point)) {
            Ok(place) => self.order[place],
            Err(_) => self.nearest(point, 1).first().copied().unwrap_or(0),
        }
    }

    /// The rows nearest to a point, nearest first; at most `count`, all with different features.
    pub fn nearest(&self, point: &[f64], count: usize) -> Vec<usize> {
        let mut ranked: Vec<(f64, usize)> = self
            .order
            .iter()
            .map(|&row| (squared_distance(self.features(row), point), row))
            .collect();
        let by_distance = |a: &(f64, usize), b: &(f64, usize)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
        if count < ranked.len() {
            ranked.select_nth_unstable_by(count, by_distance);
            ranked.truncate(count);
        }
        ranked.sort_by(by_distance);
        ranked.into_iter().map(|(_, row)| row).collect()
    }
}

/// A whole number, a number or a text.
fn cell(text: &str) -> Value {
    if let Ok(whole) = text.parse::<i64>() {
        return Value::Int(whole);
    }
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() => Value::Float(number),
        _ => Value::from(text),
    }
}

fn check_shape(columns: &[String], rows: &[Vec<Value>]) -> Result<(), SpaceError> {
    for (place, name) in columns.iter().enumerate() {
        if columns[..place].contains(name) {
            return Err(SpaceError::DuplicateName { name: name.clone() });
        }
    }
    if rows.is_empty() || columns.is_empty() {
        return Err(SpaceError::NoCandidates);
    }
    match rows.iter().position(|row| row.len() != columns.len()) {
        Some(row) => Err(SpaceError::RaggedRow {
            row: row + 1,
            found: rows[row].len(),
            expected: columns.len(),
        }),
        None => Ok(()),
    }
}

/// The first row whose cell in a column is not a finite number.
fn first_unusable(rows: &[Vec<Value>], column: usize) -> Option<usize> {
    rows.iter()
        .position(|row| !row[column].number().is_some_and(f64::is_finite))
}

fn named_features(columns: &[String], rows: &[Vec<Value>], names: &[String]) -> Result<Vec<usize>, SpaceError> {
    let place = |name: &String| {
        let unknown = || SpaceError::UnknownColumn {
            name: name.clone(),
            columns: list_of_names(columns.iter().map(String::as_str)),
        };
        let column = columns.iter().position(|column| column == name).ok_or_else(unknown)?;
        match first_unusable(rows, column) {
            None => Ok(column),
            Some(row) => Err(SpaceError::FeatureNotNumeric {
                row: row + 1,
                name: name.clone(),
                value: rows[row][column].to_string(),
            }),
        }
    };
    names.iter().map(place).collect()
}

fn column_bounds(rows: &[Vec<Value>], column: usize) -> (f64, f64) {
    let numbers = rows.iter().filter_map(|row| row[column].number());
    numbers.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), number| {
        (low.min(number), high.max(number))
    })
}

fn scaled<'a>(row: &'a [Value], chosen: &'a [usize], bounds: &'a [(f64, f64)]) -> impl Iterator<Item = f64> + 'a {
    chosen.iter().zip(bounds).map(|(&column, &(low, high))| {
        let number = row[column].number().unwrap_or(low);
        if low < high {
            (number / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0)
        } else {
            0.5
        }
    })
}

fn compare(a: &[f64], b: &[f64]) -> std::cmp::Ordering {
    let differing = a
        .iter()
        .zip(b)
        .map(|(x, y)| x.total_cmp(y))
        .find(|ordering| ordering.is_ne());
    differing.unwrap_or(std::cmp::Ordering::Equal)
}

fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    let square = |(x, y): (&f64, &f64)| {
        let difference = if y.is_nan() { 0.0 } else { (x - y).clamp(-1e9, 1e9) };
        difference * difference
    };
    a.iter().zip(b).map(square).sum()
}
