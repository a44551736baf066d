//! Conditions and known constraints, bound to the slots of a space.

use std::collections::BTreeSet;

use super::{Parameter, SpaceError, scale};
use crate::expression::{Compiler, Dependence, Expression, ExpressionError, Labels, Scope, Truth, Type, list_of_names};

/// A compiled condition and the conditional parameters that it mentions.
#[derive(Debug, Clone)]
pub(crate) struct Guard {
    /// The condition.
    pub(crate) truth: Truth,
    /// Every parameter mentioned.
    pub(crate) mentions: Vec<usize>,
    /// The parameters of the whole expression that may be inactive.
    conditional: Vec<usize>,
    /// How many operations it has, about.
    pub(crate) size: usize,
    /// Which expression it comes from.
    pub(crate) known: usize,
    /// What its slots depend on, in an order that conditions allow.
    pub(crate) needs: Vec<usize>,
}

impl Guard {
    /// Whether it mentions a parameter that takes no part.
    pub(crate) fn is_vacuous(&self, slots: &[f64]) -> bool {
        self.conditional.iter().any(|&parameter| slots[parameter].is_nan())
    }

    /// As a constraint: holds, or is vacuous.
    pub(crate) fn permits(&self, slots: &[f64]) -> bool {
        self.is_vacuous(slots) || self.truth.holds(slots)
    }

    /// As a condition: holds, and all that it mentions takes part.
    pub(crate) fn activates(&self, slots: &[f64]) -> bool {
        !self.is_vacuous(slots) && self.truth.holds(slots)
    }

    /// How far the constraint is from being permitted.
    pub(crate) fn violation(&self, slots: &[f64]) -> f64 {
        if self.is_vacuous(slots) {
            0.0
        } else {
            self.truth.violation(slots)
        }
    }
}

impl Guard {
    /// Works out what the slots depend on: what is mentioned, what the conditions of that mention, and so on.
    pub(crate) fn trace(&mut self, order: &[usize], conditions: &[Option<Self>]) {
        let mut needed = vec![false; order.len()];
        for &place in self.mentions.iter().chain(&self.conditional) {
            needed[place] = true;
        }
        for &place in order.iter().rev() {
            if let (true, Some(guard)) = (needed[place], &conditions[place]) {
                guard.mentions.iter().for_each(|&other| needed[other] = true);
            }
        }
        self.needs = order.iter().copied().filter(|&place| needed[place]).collect();
    }
}

/// The nodes of an expression.
fn operations(expression: &Expression) -> usize {
    let mut count = 0;
    expression.root().walk(&mut |_| count += 1);
    count
}

/// The parameters of a space as names of expressions.
pub(crate) struct Names<'a>(pub(crate) &'a [Parameter]);

impl Scope for Names<'_> {
    fn slot(&self, name: &str) -> Option<(usize, Type)> {
        let place = self.0.iter().position(|parameter| parameter.name == name)?;
        Some((place, scale::kind_of(&self.0[place])))
    }

    fn names(&self) -> String {
        list_of_names(self.0.iter().map(|parameter| parameter.name.as_str()))
    }
}

impl Names<'_> {
    /// The parameters that an expression mentions.
    fn mentioned(&self, expression: &Expression) -> Vec<usize> {
        let places: BTreeSet<usize> = expression
            .names()
            .into_iter()
            .filter_map(|name| Some(self.slot(name)?.0))
            .collect();
        places.into_iter().collect()
    }

    /// Binds a known constraint to the slots, a guard for every part that must hold.
    pub(crate) fn guards(
        &self,
        expression: &Expression,
        known: usize,
        labels: &mut Labels,
    ) -> Result<Vec<Guard>, ExpressionError> {
        let whole = self.guard(expression, labels)?;
        let parts = whole.truth.clone().conjuncts();
        let size = whole.size / parts.len().max(1);
        let part = |truth: Truth| {
            let depends = |place: &usize| truth.dependence(&|slot| slot == *place) != Dependence::Constant;
            let mentions = whole.mentions.iter().copied().filter(depends).collect();
            let (conditional, needs) = (whole.conditional.clone(), Vec::new());
            Guard {
                truth,
                mentions,
                conditional,
                size,
                known,
                needs,
            }
        };
        Ok(parts.into_iter().map(part).collect())
    }

    /// Binds an expression to the slots.
    pub(crate) fn guard(&self, expression: &Expression, labels: &mut Labels) -> Result<Guard, ExpressionError> {
        let truth = Compiler { scope: self, labels }.truth(expression.root())?;
        let mentions = self.mentioned(expression);
        let conditional = mentions
            .iter()
            .copied()
            .filter(|&place| self.0[place].when.is_some())
            .collect();
        Ok(Guard {
            truth,
            mentions,
            conditional,
            size: operations(expression),
            known: 0,
            needs: Vec::new(),
        })
    }

    /// The parameters ordered so that each comes behind those its condition mentions.
    pub(crate) fn order(&self) -> Result<Vec<usize>, SpaceError> {
        let needs: Vec<Vec<usize>> = self
            .0
            .iter()
            .map(|parameter| {
                parameter
                    .when
                    .as_ref()
                    .map_or_else(Vec::new, |when| self.mentioned(when))
            })
            .collect();
        let mut visit = Visit {
            needs: &needs,
            done: vec![false; needs.len()],
            path: Vec::new(),
            order: Vec::new(),
        };
        for parameter in 0..needs.len() {
            visit.parameter(parameter).map_err(|circle| self.cycle(&circle))?;
        }
        Ok(visit.order)
    }

    fn cycle(&self, circle: &[usize]) -> SpaceError {
        SpaceError::ConditionCycle {
            names: circle.iter().map(|&place| self.0[place].name.clone()).collect(),
        }
    }
}

/// A walk along the conditions, what is needed first.
struct Visit<'a> {
    needs: &'a [Vec<usize>],
    done: Vec<bool>,
    path: Vec<usize>,
    order: Vec<usize>,
}

/// A way from a parameter to what its condition needs next.
struct Step {
    parameter: usize,
    next: usize,
}

impl Visit<'_> {
    /// Puts a parameter behind everything it needs; a circle is given back. A chain of conditions may be long, so this
    /// keeps its own stack.
    fn parameter(&mut self, start: usize) -> Result<(), Vec<usize>> {
        let mut stack = vec![Step {
            parameter: start,
            next: 0,
        }];
        self.path.push(start);
        while let Some(step) = stack.last_mut() {
            let current = step.parameter;
            let next = self.needs[current]
                .get(step.next)
                .copied()
                .filter(|_| !self.done[current]);
            step.next += 1;
            let Some(next) = next else {
                self.finish(current);
                stack.pop();
                continue;
            };
            if let Some(place) = self.path.iter().position(|&on_path| on_path == next) {
                return Err(self.path[place..].iter().copied().chain([next]).collect());
            }
            if !self.done[next] {
                self.path.push(next);
                stack.push(Step {
                    parameter: next,
                    next: 0,
                });
            }
        }
        Ok(())
    }

    fn finish(&mut self, parameter: usize) {
        self.path.pop();
        if !std::mem::replace(&mut self.done[parameter], true) {
            self.order.push(parameter);
        }
    }
}
