//! The axis on which values of the objective are shown.

use serde_json::{Value, json};

use super::text::{label, plotted};

/// How far the largest value may lie above the bulk before the axis leaves it out at first.
const TAIL: f64 = 8.0;
/// The ratio from which positive values are shown in the logarithm.
const DECADES: f64 = 300.0;

/// An axis of values: logarithmic where they span decades, and at first without a far tail, which a double click shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// The decades between ticks, where the axis is logarithmic.
    log: Option<f64>,
    range: Option<(f64, f64)>,
}

impl Scale {
    /// The axis for these values.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let mut sorted: Vec<f64> = values.into_iter().filter(|value| value.is_finite()).collect();
        sorted.sort_by(f64::total_cmp);
        let (Some(&low), Some(&high)) = (sorted.first(), sorted.last()) else {
            return Self { log: None, range: None };
        };
        let at = |share: f64| sorted[(share * (sorted.len() - 1) as f64) as usize];
        if low > 0.0 && high / low > DECADES {
            let decades = ((high / low).log10() / 7.0).ceil();
            return Self {
                log: Some(decades),
                range: None,
            };
        }
        let (lower, upper) = (at(0.05), at(0.95));
        let bulk = upper - lower;
        let long_above = high - upper > TAIL * bulk && bulk > 0.0;
        let long_below = lower - low > TAIL * bulk && bulk > 0.0;
        let range = (long_above != long_below).then(|| {
            let (from, to) = if long_above { (low, upper) } else { (lower, high) };
            (from - 0.08 * (to - from), to + 0.08 * (to - from))
        });
        Self { log: None, range }
    }

    /// The same with a value that is always in sight.
    #[must_use]
    pub fn showing(self, value: f64) -> Self {
        let range = self.range.map(|(low, high)| (low.min(value), high.max(value)));
        Self { range, ..self }
    }

    /// The axis as plotly understands it.
    pub fn axis(self, title: &str) -> Value {
        let mut axis = json!({ "title": { "text": label(title) } });
        if let Some(decades) = self.log {
            axis["type"] = json!("log");
            axis["exponentformat"] = json!("power");
            axis["dtick"] = json!(decades);
        }
        if let Some((low, high)) = self.range {
            axis["range"] = json!([plotted(low), plotted(high)]);
        }
        axis
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_over_decades_are_shown_in_the_logarithm() {
        assert_eq!(Scale::of([1e-6, 1.0, 10.0]).log, Some(1.0));
        assert_eq!(Scale::of([1e-20, 1.0]).log, Some(3.0));
        assert_eq!(Scale::of([-1.0, 1.0, 1000.0]).log, None);
        assert_eq!(Scale::of([1.0, 2.0, 3.0]).log, None);
    }

    #[test]
    fn a_far_tail_is_left_out_at_first() {
        let tailed = (0..100).map(f64::from).chain([1e5, -1.0]);
        let (low, high) = Scale::of(tailed).range.unwrap_or_default();
        assert!(low < -1.0 && high < 200.0, "{low} {high}");
        assert_eq!(Scale::of((0..100).map(f64::from)).showing(1e6).range, None);
        let (low, high) = Scale::of((0..100).map(f64::from).chain([1e5]))
            .showing(-50.0)
            .range
            .unwrap_or_default();
        assert!((-50.0..-49.9).contains(&low) && high < 200.0, "{low} {high}");
        assert_eq!(Scale::of([]).range, None);
    }
}
