//! Choosing among arms: the points that are given with the ask.

use hilltop_core::{Error, Points, Query, Result, Rng, Score};

/// An arm by chance.
pub(crate) fn any_arm(arms: &Points, rng: &mut Rng) -> Result<Query> {
    if arms.is_empty() {
        return Err(no_arms());
    }
    Ok(Query::from(arms.row(rng.below(arms.len())).to_vec()))
}

/// The arm with the best score, the first of equal ones.
pub(crate) fn best_arm(arms: &Points, score: &dyn Score) -> Result<Vec<f64>> {
    let mut scores = vec![0.0; arms.len()];
    score.values(arms.matrix(), &mut scores);
    let better = |best: usize, next: usize| {
        if scores[next] > scores[best] || scores[best].is_nan() {
            next
        } else {
            best
        }
    };
    let best = (0..arms.len()).reduce(better).ok_or_else(no_arms)?;
    if scores[best].is_nan() {
        let detail = format!("all {} arms score NaN", arms.len());
        return Err(Error::Numerical {
            what: "the choice among arms",
            detail,
        });
    }
    Ok(arms.row(best).to_vec())
}

fn no_arms() -> Error {
    Error::Setting {
        setting: "arms".into(),
        value: "[]".into(),
        allowed: "at least one arm".into(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::float_cmp, clippy::unwrap_used)]
    use faer::MatRef;

    use super::*;

    struct Listed(Vec<f64>);

    impl Score for Listed {
        fn values(&self, _points: MatRef<'_, f64>, out: &mut [f64]) {
            out.copy_from_slice(&self.0);
        }
    }

    fn arms(count: usize) -> Points {
        let rows: Vec<[f64; 1]> = (0..count).map(|k| [k as f64]).collect();
        Points::from_rows(1, rows.iter().map(<[f64; 1]>::as_slice))
    }

    #[test]
    fn the_best_arm_is_the_first_of_the_highest_score_and_never_one_without_a_score() {
        let best = |scores: &[f64]| best_arm(&arms(scores.len()), &Listed(scores.to_vec())).unwrap()[0];
        assert_eq!(best(&[1.0, 3.0, 3.0, 2.0]), 1.0);
        assert_eq!(best(&[f64::NAN, -1.0, f64::NAN]), 1.0);
        assert_eq!(best(&[f64::NEG_INFINITY, f64::NAN]), 0.0);
    }

    #[test]
    fn no_arms_and_arms_without_a_score_are_errors() {
        let message = |scores: &[f64]| {
            best_arm(&arms(scores.len()), &Listed(scores.to_vec()))
                .unwrap_err()
                .to_string()
        };
        assert!(message(&[]).contains("at least one arm"));
        assert!(message(&[f64::NAN]).contains("NaN"));
        assert!(any_arm(&arms(0), &mut Rng::new(1)).is_err());
    }
}
