//! Evidence and coordinates as the encoder takes them.

use faer::Mat;
use hilltop_core::{Coordinate, Error, Evidence, Result, Space};

use crate::process::Grouping;

/// The points of evidence as a matrix, also where they have no coordinates.
pub(crate) fn matrix(evidence: &Evidence<'_>) -> Result<Mat<f64>> {
    let (count, points) = (evidence.values.len(), evidence.points);
    if points.dim() > 0 && points.len() != count {
        let detail = format!("{count} values of {} points", points.len());
        return Err(Error::Numerical {
            what: "the evidence of a surrogate",
            detail,
        });
    }
    if let Some(index) = evidence.values.iter().position(|value| !value.is_finite()) {
        let detail = format!("value {index} is {}", evidence.values[index]);
        return Err(Error::Numerical {
            what: "the evidence of a surrogate",
            detail,
        });
    }
    if let Some(index) = evidence
        .shares
        .iter()
        .position(|share| !(share.is_finite() && *share > 0.0))
    {
        let detail = format!("value {index} has {} of the noise", evidence.shares[index]);
        return Err(Error::Numerical {
            what: "the evidence of a surrogate",
            detail,
        });
    }
    Ok(if points.dim() == 0 {
        Mat::zeros(count, 0)
    } else {
        points.matrix().to_owned()
    })
}

/// Each value's share of the noise.
pub(crate) fn shares(evidence: &Evidence<'_>) -> Vec<f64> {
    (0..evidence.values.len()).map(|index| evidence.share(index)).collect()
}

/// Coordinates of one parameter share a scale. One-hot coordinates are weighed so that another option is as far away as
/// half a range of a number.
pub(crate) fn grouping(space: &Space) -> Grouping {
    let group = space.groups();
    let base = |coordinate: &Coordinate| match coordinate {
        // Two coordinates change by 2 of [-1,1] each: a distance of √8.
        Coordinate::OneHot { .. } => 1.0 / 8_f64.sqrt(),
        _ => 1.0,
    };
    Grouping {
        count: group.last().map_or(0, |last| last + 1),
        base: space.coordinates().iter().map(base).collect(),
        group,
    }
}
