//! The BBOB functions against values of COCO's own Python package, stored with the script that made them.
#![allow(clippy::unwrap_used)]

use hilltop_problem::{Bbob, Problem};

const STORED: &str = include_str!("data/bbob_reference.txt");

/// A line of the stored file.
struct Reference {
    function: usize,
    dim: usize,
    instance: usize,
    least: f64,
    values: Vec<f64>,
    minimiser: Vec<f64>,
}

fn references() -> Vec<Reference> {
    STORED
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(reference)
        .collect()
}

fn reference(line: &str) -> Reference {
    let mut words = line.split(' ');
    let mut count = || words.next().unwrap().parse().unwrap();
    let (function, dim, instance) = (count(), count(), count());
    let numbers: Vec<f64> = words.map(|word| word.parse().unwrap()).collect();
    let (least, values, minimiser) = (numbers[0], numbers[1..8].to_vec(), numbers[8..].to_vec());
    assert_eq!(minimiser.len(), dim);
    Reference {
        function,
        dim,
        instance,
        least,
        values,
        minimiser,
    }
}

impl Reference {
    fn problem(&self) -> Bbob {
        Bbob::new(self.function, self.dim, self.instance).unwrap()
    }

    /// The points of the script: the minimiser, one close to it, four of the box, one of a larger box.
    fn points(&self) -> Vec<Vec<f64>> {
        let mut state = (self.function * 1_000_003 + self.dim * 10_007 + self.instance * 101) as u64;
        let mut uniform = || {
            state = (1_664_525 * state + 1_013_904_223) % (1 << 32);
            state as f64 / (1_u64 << 32) as f64
        };
        let close = self
            .minimiser
            .iter()
            .map(|best| best + 0.02 * (uniform() - 0.5))
            .collect();
        let mut points = vec![self.minimiser.clone(), close];
        for half in [5.0, 5.0, 5.0, 5.0, 8.0] {
            points.push((0..self.dim).map(|_| half * (2.0 * uniform() - 1.0)).collect());
        }
        points
    }
}

fn relative_error(value: f64, expected: f64) -> f64 {
    (value - expected).abs() / expected.abs().max(1.0)
}

#[test]
fn the_stored_file_covers_every_function_in_six_dimensions_and_five_instances() {
    let references = references();
    assert_eq!(references.len(), 24 * 6 * 5);
    for function in 1..=24 {
        for dim in [2, 3, 5, 10, 20, 40] {
            let instances = references.iter().filter(|r| r.function == function && r.dim == dim);
            assert_eq!(instances.map(|r| r.instance).collect::<Vec<_>>(), [1, 2, 3, 4, 5]);
        }
    }
}

#[test]
fn values_agree_with_coco_near_the_minimum_in_the_box_and_outside() {
    let mut worst = vec![0.0_f64; 25];
    for reference in references() {
        let problem = reference.problem();
        for (point, expected) in reference.points().iter().zip(&reference.values) {
            let error = relative_error(problem.evaluate(point).unwrap()[0], *expected);
            worst[reference.function] = worst[reference.function].max(error);
        }
    }
    println!("{worst:?}");
    let beyond: Vec<_> = worst.iter().enumerate().filter(|(_, error)| **error > 1e-10).collect();
    assert!(
        beyond.is_empty(),
        "functions and their largest relative errors: {beyond:?}"
    );
}

#[test]
fn least_values_and_minimisers_are_those_of_coco() {
    for reference in references() {
        let optimum = reference.problem().optimum().unwrap();
        let name = reference.problem().name().to_owned();
        assert!(
            relative_error(optimum.value, reference.least) < 1e-14,
            "{name}: {}",
            optimum.value
        );
        for (own, theirs) in optimum.at.unwrap().iter().zip(&reference.minimiser) {
            assert!((own - theirs).abs() < 1e-13, "{name}: {own} and {theirs}");
        }
    }
}

#[test]
fn the_minimiser_has_the_least_value_and_no_neighbour_is_lower() {
    for reference in references() {
        let problem = reference.problem();
        let optimum = problem.optimum().unwrap();
        let at = optimum.at.unwrap();
        let height = |x: &[f64]| problem.evaluate(x).unwrap()[0] - optimum.value;
        assert!(height(&at).abs() < 1e-9, "{}: {}", problem.name(), height(&at));
        for (i, step) in [
            (0, 1e-3),
            (0, -1e-3),
            (reference.dim - 1, 1e-3),
            (reference.dim - 1, -1e-3),
        ] {
            let mut neighbour = at.clone();
            neighbour[i] += step;
            assert!(
                height(&neighbour) >= -1e-9,
                "{}: {}",
                problem.name(),
                height(&neighbour)
            );
        }
    }
}
