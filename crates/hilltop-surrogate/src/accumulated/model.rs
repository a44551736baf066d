//! A course as a model: marginals, paths and pending points, in the output's own units.

use std::any::Any;
use std::sync::Arc;

use faer::{Mat, MatMut, MatRef};
use hilltop_core::{Beliefs, Marginals, Model, Paths, Result, Rng, Score, Slopes, SmoothScore};

use super::course::Course;

/// So many points are worked on at once.
const BATCH: usize = 256;
/// Below this a deviation has no direction in which it grows.
const FLAT: f64 = 1e-12;

/// A network with the features gathered so far.
#[derive(Clone)]
pub struct AccumulatedModel {
    course: Arc<Course>,
    pending: bool,
}

impl AccumulatedModel {
    pub(super) fn new(course: Course) -> Self {
        Self {
            course: Arc::new(course),
            pending: false,
        }
    }

    /// The course; `None` where points are believed that were not observed.
    pub(super) fn course(&self) -> Option<&Course> {
        (!self.pending).then_some(&*self.course)
    }

    fn mean(&self, standardised: f64) -> f64 {
        self.course.standard.offset + self.course.standard.scale * standardised
    }
}

impl Model for AccumulatedModel {
    fn marginals(&self) -> Option<&dyn Marginals> {
        Some(self)
    }

    fn paths(&self) -> Option<&dyn Paths> {
        Some(self)
    }

    fn believe(&self, pending: MatRef<'_, f64>) -> Option<Result<Arc<dyn Model>>> {
        let mut course = (*self.course).clone();
        let gathered = (0..pending.nrows()).try_for_each(|row| course.gather(pending.subrows(row, 1)));
        Some(gathered.map(|()| {
            Arc::new(Self {
                course: Arc::new(course),
                pending: true,
            }) as Arc<dyn Model>
        }))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl Marginals for AccumulatedModel {
    fn beliefs(&self, points: MatRef<'_, f64>) -> Beliefs {
        let mut beliefs = Beliefs {
            mean: Vec::with_capacity(points.nrows()),
            deviation: Vec::with_capacity(points.nrows()),
        };
        let Course {
            encoder,
            network,
            gathered,
            standard,
            ..
        } = &*self.course;
        for start in (0..points.nrows()).step_by(BATCH) {
            let inputs = encoder.encode(points.subrows(start, BATCH.min(points.nrows() - start)));
            beliefs
                .mean
                .extend(network.forward(inputs.as_ref()).into_iter().map(|mean| self.mean(mean)));
            let variances = gathered.variances(&network.tangent(inputs.as_ref()));
            beliefs
                .deviation
                .extend(variances.into_iter().map(|variance| standard.scale * variance.sqrt()));
        }
        beliefs
    }

    fn slopes(&self, points: MatRef<'_, f64>) -> Option<Slopes> {
        let beliefs = self.beliefs(points);
        let Course {
            encoder,
            network,
            gathered,
            standard,
            ..
        } = &*self.course;
        let inputs = encoder.encode(points);
        let (_, inner) = network.input_gradients(inputs.as_ref());
        let mean = encoder.outward(&inner, standard.scale);
        let mut deviation = Mat::zeros(points.nrows(), points.ncols());
        for row in 0..points.nrows() {
            let input = inputs.as_ref().subrows(row, 1);
            // σ² = ⟨g, Sg⟩ with a symmetric S, so ∇σ² = 2 ∇⟨g(x), v⟩ at v = Sg.
            let direction = gathered.pulled(&network.tangent(input));
            let (_, inner) = network.jvp_input_gradients(input, &direction);
            let sigma = (beliefs.deviation[row] / standard.scale).max(FLAT);
            deviation
                .as_mut()
                .row_mut(row)
                .copy_from(encoder.outward(&inner, standard.scale / sigma).row(0));
        }
        Some(Slopes {
            beliefs,
            mean,
            deviation,
        })
    }

    fn noise(&self) -> f64 {
        self.course.standard.scale * self.course.noise()
    }
}

impl Paths for AccumulatedModel {
    fn draw(&self, spread: f64, rng: &mut Rng) -> Result<Arc<dyn Score>> {
        let mut direction = self.course.gathered.draw(rng);
        direction.iter_mut().for_each(|part| *part *= spread);
        Ok(Arc::new(Drawn {
            model: self.clone(),
            direction,
        }))
    }
}

/// A drawn function: the network and its derivative in a drawn direction. As a score its negative.
struct Drawn {
    model: AccumulatedModel,
    direction: Vec<f64>,
}

impl Score for Drawn {
    fn values(&self, points: MatRef<'_, f64>, out: &mut [f64]) {
        let Course { encoder, network, .. } = &*self.model.course;
        let inputs = encoder.encode(points);
        let shifts = network.jvp(inputs.as_ref(), &self.direction);
        for ((out, mean), shift) in out.iter_mut().zip(network.forward(inputs.as_ref())).zip(shifts) {
            *out = -self.model.mean(mean + shift);
        }
    }

    fn smooth(&self) -> Option<&dyn SmoothScore> {
        Some(self)
    }
}

impl SmoothScore for Drawn {
    fn values_and_gradients(&self, points: MatRef<'_, f64>, values: &mut [f64], mut gradients: MatMut<'_, f64>) {
        let Course {
            encoder,
            network,
            standard,
            ..
        } = &*self.model.course;
        let inputs = encoder.encode(points);
        let (means, inner) = network.input_gradients(inputs.as_ref());
        let (shifts, moved) = network.jvp_input_gradients(inputs.as_ref(), &self.direction);
        for ((value, mean), shift) in values.iter_mut().zip(means).zip(shifts) {
            *value = -self.model.mean(mean + shift);
        }
        gradients.copy_from(encoder.outward(&(inner + moved), -standard.scale));
    }
}
