//! A problem given by a formula: the form of everything that is not BBOB.

use hilltop_core::Physics;

use crate::problem::{Failure, Optimum, Output, Problem, admit};

/// Objective and constraint values as a function of the point.
type Law = Box<dyn Fn(&[f64]) -> Result<Vec<f64>, Failure> + Send + Sync>;

/// A problem given by a formula on a box.
pub(crate) struct Formula {
    name: String,
    about: &'static str,
    bounds: Vec<(f64, f64)>,
    constraints: usize,
    law: Law,
    optimum: Optimum,
    physics: Option<Physics>,
}

impl Formula {
    /// An objective without constraints.
    pub(crate) fn unconstrained(
        bounds: Vec<(f64, f64)>,
        law: impl Fn(&[f64]) -> f64 + Send + Sync + 'static,
        optimum: Optimum,
    ) -> Self {
        Self::failing(bounds, 0, move |x| Ok(vec![law(x)]), optimum)
    }

    /// An objective and `N − 1` constraints.
    pub(crate) fn constrained<const N: usize>(
        bounds: &[(f64, f64)],
        law: fn(&[f64]) -> [f64; N],
        optimum: Optimum,
    ) -> Self {
        Self::failing(bounds.to_vec(), N - 1, move |x| Ok(law(x).to_vec()), optimum)
    }

    /// Values that some points do not have.
    pub(crate) fn failing(
        bounds: Vec<(f64, f64)>,
        constraints: usize,
        law: impl Fn(&[f64]) -> Result<Vec<f64>, Failure> + Send + Sync + 'static,
        optimum: Optimum,
    ) -> Self {
        let law = Box::new(law);
        Self {
            name: String::new(),
            about: "",
            bounds,
            constraints,
            law,
            optimum,
            physics: None,
        }
    }

    /// The same, whose objective is known to obey this.
    pub(crate) fn obeying(self, physics: Physics) -> Self {
        let physics = Some(physics);
        Self { physics, ..self }
    }

    /// The same under the name it was looked up by.
    pub(crate) fn named(self, name: String, about: &'static str) -> Self {
        Self { name, about, ..self }
    }
}

impl Problem for Formula {
    fn name(&self) -> &str {
        &self.name
    }

    fn bounds(&self) -> Vec<(f64, f64)> {
        self.bounds.clone()
    }

    fn dim(&self) -> usize {
        self.bounds.len()
    }

    fn outputs(&self) -> Vec<Output> {
        Output::with_constraints(self.constraints)
    }

    fn evaluate(&self, x: &[f64]) -> Result<Vec<f64>, Failure> {
        admit(&self.name, self.dim(), x)?;
        let values = (self.law)(x)?;
        let undefined = |value: &f64| !value.is_finite();
        match values.iter().position(undefined) {
            Some(k) => Err(Failure::new(format!(
                "output {} of {} has no value here",
                self.outputs()[k].name,
                self.name
            ))),
            None => Ok(values),
        }
    }

    fn optimum(&self) -> Option<Optimum> {
        Some(self.optimum.clone())
    }

    fn about(&self) -> &str {
        self.about
    }

    fn physics(&self) -> Option<Physics> {
        self.physics.clone()
    }
}
