//! What many runs come to: quartiles of the gap a problem and method, and the share of targets solved on BBOB.

use std::collections::BTreeMap;

use hilltop_problem::solved_fraction;
use hilltop_study::report::short;

use super::contest::Run;
use crate::table::Table;

/// The quartiles of some values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Quartiles {
    pub(crate) lower: f64,
    pub(crate) median: f64,
    pub(crate) upper: f64,
}

impl Quartiles {
    /// Between neighbours the values are interpolated; an infinite one stays infinite.
    pub(crate) fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let mut sorted: Vec<f64> = values.into_iter().collect();
        sorted.sort_by(f64::total_cmp);
        let at = |share: f64| {
            let place = share * sorted.len().saturating_sub(1) as f64;
            let (low, high) = (sorted.get(place.floor() as usize), sorted.get(place.ceil() as usize));
            match (low, high) {
                (Some(&low), Some(&high)) if low.is_finite() && high.is_finite() => low + (high - low) * place.fract(),
                (Some(_), Some(&high)) => high,
                _ => f64::NAN,
            }
        };
        Self {
            lower: at(0.25),
            median: at(0.5),
            upper: at(0.75),
        }
    }
}

/// Something for each of several names.
type By<'k, T> = Vec<(&'k str, T)>;

/// The runs of each problem and method, in the order in which they first occur.
pub(crate) fn grouped(runs: &[Run]) -> By<'_, By<'_, Vec<&Run>>> {
    let mut problems: By<'_, By<'_, Vec<&Run>>> = Vec::new();
    for run in runs {
        let methods = entry(&mut problems, run.problem.as_str());
        entry(methods, run.method.as_str()).push(run);
    }
    problems
}

fn entry<'l, 'k, T: Default>(list: &'l mut By<'k, T>, key: &'k str) -> &'l mut T {
    let index = list.iter().position(|(known, _)| *known == key).unwrap_or_else(|| {
        list.push((key, T::default()));
        list.len() - 1
    });
    &mut list[index].1
}

/// The table of gaps; where there are limits with the papers' sum of regret and violations beside them, scaled.
pub(crate) fn gaps(runs: &[Run]) -> Table {
    let limited = runs.iter().any(|run| run.limited);
    let sum = limited.then_some("scaled sum");
    let columns = ["problem", "method", "median gap", "quartiles"].into_iter().chain(sum);
    let mut table = Table::headed(&columns.chain(["seconds/ask", "runs"]).collect::<Vec<_>>());
    for (problem, methods) in grouped(runs) {
        for (index, (method, runs)) in methods.iter().enumerate() {
            let quartiles = Quartiles::of(runs.iter().map(|run| run.gap()));
            let asks: usize = runs.iter().map(|run| run.gaps.len()).sum();
            let seconds = runs.iter().map(|run| run.seconds).sum::<f64>() / asks.max(1) as f64;
            let failed = runs.iter().filter(|run| run.error.is_some()).count();
            let count = if failed > 0 {
                format!("{} ({failed} failed)", runs.len())
            } else {
                runs.len().to_string()
            };
            let mut cells = vec![
                if index == 0 { problem.to_owned() } else { String::new() },
                (*method).to_owned(),
                compact(quartiles.median),
                spread(quartiles),
            ];
            cells.extend(limited.then(|| compact(Quartiles::of(runs.iter().map(|run| run.sum())).median)));
            cells.extend([compact(seconds), count]);
            table.row(cells);
        }
    }
    table
}

fn spread(quartiles: Quartiles) -> String {
    if quartiles.lower.is_finite() {
        format!("{} to {}", compact(quartiles.lower), compact(quartiles.upper))
    } else {
        "nothing feasible".into()
    }
}

/// Three digits; what was never reached is a dash.
fn compact(value: f64) -> String {
    if !value.is_finite() {
        return "–".into();
    }
    short(format!("{value:.2e}").parse().unwrap_or(value))
}

/// The share of (function, target) pairs solved, by dimension and method.
pub(crate) fn solved(runs: &[Run]) -> Table {
    let mut table = Table::headed(&["suite", "method", "solved", "functions", "runs"]);
    for ((dim, method), runs) in suites(runs) {
        let share = runs.iter().map(|run| solved_fraction(run.gap())).sum::<f64>() / runs.len() as f64;
        let functions: std::collections::BTreeSet<&str> =
            runs.iter().filter_map(|run| run.problem.split('-').nth(1)).collect();
        table.row([
            format!("bbob d={dim}"),
            method,
            format!("{share:.3}"),
            functions.len().to_string(),
            runs.len().to_string(),
        ]);
    }
    table
}

/// The runs on BBOB by dimension and method.
pub(crate) fn suites(runs: &[Run]) -> Vec<((usize, String), Vec<&Run>)> {
    let mut methods: Vec<&str> = Vec::new();
    let mut suites: BTreeMap<(usize, usize), Vec<&Run>> = BTreeMap::new();
    for run in runs.iter().filter(|run| run.problem.starts_with("bbob-")) {
        let place = methods
            .iter()
            .position(|method| *method == run.method)
            .unwrap_or_else(|| {
                methods.push(&run.method);
                methods.len() - 1
            });
        suites.entry((run.dim, place)).or_default().push(run);
    }
    suites
        .into_iter()
        .map(|((dim, place), runs)| ((dim, methods[place].to_owned()), runs))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_are_interpolated_and_infinity_stays() {
        let quartiles = Quartiles::of([4.0, 1.0, 3.0, 2.0]);
        assert_eq!(
            quartiles,
            Quartiles {
                lower: 1.75,
                median: 2.5,
                upper: 3.25
            }
        );
        assert_eq!(Quartiles::of([1.0]).upper.to_bits(), 1.0_f64.to_bits());
        let reached = Quartiles::of([1.0, 2.0, f64::INFINITY]);
        assert!((reached.median - 2.0).abs() < 1e-12 && reached.upper.is_infinite());
        assert!(Quartiles::of([]).median.is_nan());
    }
}
