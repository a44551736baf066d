//! Whether one method is better than another on a problem, or was lucky: tests over runs.
//!
//! Mann and Whitney's rank test asks of every run of one method how many of the other it beats; it takes runs that found
//! nothing feasible as the worst there are. One-sided: a small value says that the first method is better. Many tests find
//! something by chance, so their values are corrected after Benjamini and Hochberg.

use hilltop_study::report::short;

use super::contest::Run;
use super::standing::grouped;
use crate::table::Table;

/// The probability of ranks at least as good for the first by chance alone, ties counting half, by the normal
/// approximation with correction for ties.
fn better(first: &[f64], second: &[f64]) -> f64 {
    let (n, m) = (first.len() as f64, second.len() as f64);
    let beats = |a: &f64, b: &f64| match a.total_cmp(b) {
        std::cmp::Ordering::Less => 1.0,
        std::cmp::Ordering::Equal => 0.5,
        std::cmp::Ordering::Greater => 0.0,
    };
    let wins: f64 = first
        .iter()
        .map(|a| second.iter().map(|b| beats(a, b)).sum::<f64>())
        .sum();
    let mut all: Vec<f64> = first.iter().chain(second).copied().collect();
    all.sort_by(f64::total_cmp);
    let ties: f64 = all
        .chunk_by(|a, b| a.total_cmp(b).is_eq())
        .map(|run| (run.len() as f64).powi(3) - run.len() as f64)
        .sum();
    let total = n + m;
    let variance = n * m / 12.0 * (total + 1.0 - ties / (total * (total - 1.0)).max(1.0));
    if variance <= 0.0 {
        return 0.5;
    }
    let z = (wins - 0.5 * n * m - 0.5) / variance.sqrt();
    0.5 * libm::erfc(z / std::f64::consts::SQRT_2)
}

/// Benjamini and Hochberg's correction: the share of false discoveries at which each would be one.
fn corrected(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[b].total_cmp(&values[a]));
    let (mut least, mut out) = (1.0_f64, vec![1.0; values.len()]);
    for (place, &index) in order.iter().enumerate() {
        let rank = (values.len() - place) as f64;
        least = least.min(values[index] * values.len() as f64 / rank);
        out[index] = least;
    }
    out
}

/// The first method of the plan against each of the others, on every problem with limits.
pub(crate) fn tests(runs: &[Run]) -> Table {
    let mut table = Table::headed(&["problem", "better", "than", "p", "corrected"]);
    let mut rows: Vec<[String; 3]> = Vec::new();
    let mut values: Vec<f64> = Vec::new();
    for (problem, methods) in grouped(runs) {
        let limited = methods.iter().flat_map(|(_, runs)| runs).any(|run| run.limited);
        let Some(((name, own), others)) = methods.split_first().filter(|_| limited) else {
            continue;
        };
        let gaps = |runs: &[&Run]| runs.iter().map(|run| run.gap()).collect::<Vec<f64>>();
        for (other, runs) in others {
            values.push(better(&gaps(own), &gaps(runs)));
            rows.push([problem.to_owned(), (*name).to_owned(), (*other).to_owned()]);
        }
    }
    for ([problem, name, other], (value, corrected)) in rows.into_iter().zip(values.iter().zip(corrected(&values))) {
        let digits = |value: f64| short(format!("{value:.1e}").parse().unwrap_or(value));
        table.row([problem, name, other, digits(*value), digits(corrected)]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_method_that_always_wins_is_better_and_one_like_the_other_is_not() {
        let low: Vec<f64> = (0..10).map(f64::from).collect();
        let high: Vec<f64> = (20..30).map(f64::from).collect();
        assert!(better(&low, &high) < 1e-3 && better(&high, &low) > 0.999);
        assert!((better(&low, &low) - 0.5).abs() < 0.05);
        assert!((better(&[1.0; 5], &[1.0; 5]) - 0.5).abs() < 1e-12);
        let nothing = [f64::INFINITY; 10];
        assert!(better(&low, &nothing) < 1e-3);
    }

    #[test]
    fn corrected_values_are_those_of_a_worked_example() {
        let out = corrected(&[0.01, 0.04, 0.03, 0.5]);
        let expected = [0.04, 0.04 * 4.0 / 3.0, 0.04 * 4.0 / 3.0, 0.5];
        assert!(out.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{out:?}");
    }
}
