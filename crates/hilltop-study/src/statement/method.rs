//! How a study makes its suggestions: a method by name, or a proposer of the user's own.

use std::fmt;
use std::sync::Arc;

use hilltop_core::{Knowledge, Output, Proposer, Space};
use hilltop_method::Recipe;

use crate::Result;

type Build = dyn Fn() -> hilltop_core::Result<Box<dyn Proposer>> + Send + Sync;

/// How suggestions are made.
#[derive(Clone)]
pub enum Method {
    /// A method of the registry.
    Recipe {
        /// As the user wrote it: a name or a table.
        typed: serde_json::Value,
        /// What it means.
        recipe: Box<Recipe>,
    },
    /// A proposer made in code.
    Custom {
        /// What it is called in the store.
        name: String,
        /// Makes a fresh one.
        build: Arc<Build>,
    },
}

impl Default for Method {
    fn default() -> Self {
        Self::Recipe {
            typed: "auto".into(),
            recipe: Box::default(),
        }
    }
}

impl Method {
    /// The method of a name such as `auto`, or of a table with a name and settings.
    pub fn parse(typed: impl Into<serde_json::Value>) -> Result<Self> {
        let typed = typed.into();
        let recipe = Box::new(Recipe::parse(&typed)?);
        Ok(Self::Recipe { typed, recipe })
    }

    /// A method of the user's own: a name, and what makes a fresh proposer.
    pub fn custom<P: Proposer + 'static>(
        name: impl Into<String>,
        build: impl Fn() -> hilltop_core::Result<P> + Send + Sync + 'static,
    ) -> Self {
        Self::Custom {
            name: name.into(),
            build: Arc::new(move || Ok(Box::new(build()?))),
        }
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        match self {
            Self::Recipe { recipe, .. } => recipe.name(),
            Self::Custom { name, .. } => name,
        }
    }

    /// Whether it makes use of what is known of the objective besides its values, as far as anybody can tell.
    pub(crate) fn takes_physics(&self) -> bool {
        match self {
            Self::Recipe { recipe, .. } => recipe.takes_physics(),
            Self::Custom { .. } => true,
        }
    }

    /// Refuses what cannot work on this space.
    pub(crate) fn check(
        &self,
        space: &Arc<Space>,
        outputs: &Arc<[Output]>,
        knowledge: Option<&Arc<Knowledge>>,
    ) -> Result<()> {
        match self {
            Self::Recipe { recipe, .. } => Ok(recipe.build_with(space, outputs, knowledge).map(drop)?),
            Self::Custom { .. } => Ok(()),
        }
    }

    /// A fresh proposer for an objective of which this is known.
    pub fn build(
        &self,
        space: &Arc<Space>,
        outputs: &Arc<[Output]>,
        knowledge: Option<&Arc<Knowledge>>,
    ) -> Result<Box<dyn Proposer>> {
        match self {
            Self::Recipe { recipe, .. } => Ok(recipe.build_with(space, outputs, knowledge)?),
            Self::Custom { build, .. } => Ok(build()?),
        }
    }

    /// As the store keeps it: always a table with a name.
    pub(crate) fn description(&self) -> serde_json::Value {
        match self {
            Self::Recipe {
                typed: table @ serde_json::Value::Object(_),
                ..
            } => table.clone(),
            _ => serde_json::json!({ "name": self.name() }),
        }
    }
}

impl From<Recipe> for Method {
    fn from(recipe: Recipe) -> Self {
        let typed = serde_json::to_value(&recipe).unwrap_or_else(|_| recipe.name().into());
        Self::Recipe {
            typed,
            recipe: Box::new(recipe),
        }
    }
}

impl fmt::Debug for Method {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Method({})", self.description())
    }
}
