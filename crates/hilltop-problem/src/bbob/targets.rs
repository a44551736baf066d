//! The targets of a BBOB run: how much of a function an optimiser has solved.

const COUNT: usize = 51;

/// The 51 gaps to the least value from 10² to 10⁻⁸, evenly spaced in the logarithm, the largest first.
pub fn targets() -> [f64; COUNT] {
    std::array::from_fn(|k| 10_f64.powf(2.0 - 0.2 * k as f64))
}

/// The share of the targets that a gap `f_best − f_opt` reaches.
///
/// ```
/// use hilltop_problem::bbob::solved_fraction;
/// assert_eq!(solved_fraction(1e3), 0.0);
/// assert_eq!(solved_fraction(0.0), 1.0);
/// ```
pub fn solved_fraction(best_gap: f64) -> f64 {
    let reached = targets().iter().filter(|&&target| best_gap <= target).count();
    reached as f64 / COUNT as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_targets_fall_from_a_hundred_to_a_hundred_millionth() {
        let targets = targets();
        assert!((targets[0] - 1e2).abs() < 1e-12 && (targets[50] - 1e-8).abs() < 1e-20);
        assert!(
            targets
                .windows(2)
                .all(|pair| (pair[0] / pair[1] - 10_f64.powf(0.2)).abs() < 1e-9)
        );
    }

    #[test]
    fn a_gap_of_one_solves_eleven_targets_and_no_gap_at_all_solves_none() {
        assert!((solved_fraction(1.0) - 11.0 / 51.0).abs() < 1e-12);
        assert!(solved_fraction(f64::NAN).abs() < 1e-12 && solved_fraction(f64::INFINITY).abs() < 1e-12);
    }
}
