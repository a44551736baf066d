//! A method as the user writes it: a name, or a table of a name and settings.

use std::sync::Arc;

use hilltop_core::{Error, Knowledge, Output, Proposer, Result, Space};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::admmbo::Admmbo;
use crate::auto::Auto;
use crate::c_ei::CEi;
use crate::cma_es::CmaEs;
use crate::compose::Compose;
use crate::config_opt::ConfigOpt;
use crate::deep_ensemble::DeepEnsemble;
use crate::designed::Designed;
use crate::dngo::Dngo;
use crate::go_ucb::GoUcb;
use crate::gp_ei::GpEi;
use crate::gp_pi::GpPi;
use crate::gp_ts::GpTs;
use crate::gp_ucb::GpUcb;
use crate::lin_ts::LinTs;
use crate::lin_ucb::LinUcb;
use crate::neural_bo::NeuralBo;
use crate::neural_cbo::NeuralCbo;
use crate::neural_greedy::NeuralGreedy;
use crate::neural_ts::NeuralTs;
use crate::neural_ucb::NeuralUcb;
use crate::pinn_bo::PinnBo;
use crate::random::{self, Random};
use crate::registry;
use crate::sobol::{self, Sobol};
use crate::sto_bnts::StoBnts;
use crate::sto_bnts_linear::StoBntsLinear;
use crate::ucb_c::UcbC;

/// A method and its settings: plain data that becomes a [`Proposer`] by building it.
///
/// ```
/// use hilltop_method::Recipe;
/// let recipe = Recipe::parse(&serde_json::json!({ "name": "neural-bo", "width": 500, "draw": "path" }))?;
/// assert_eq!(recipe.name(), "neural-bo");
/// # Ok::<(), hilltop_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "name", rename_all = "kebab-case")]
pub enum Recipe {
    /// The default.
    Auto(Auto),
    /// Thompson sampling with the neural tangent kernel.
    NeuralBo(NeuralBo),
    /// Optimism with a network whose features move.
    NeuralUcb(NeuralUcb),
    /// Thompson sampling with a network whose features move.
    NeuralTs(NeuralTs),
    /// Optimism with a linear model.
    LinUcb(LinUcb),
    /// Thompson sampling with a linear model.
    LinTs(LinTs),
    /// Batches of trained networks with an added tangent term.
    StoBnts(StoBnts),
    /// Batches of trained linear models of tangent features.
    StoBntsLinear(StoBntsLinear),
    /// Batches of trained networks.
    DeepEnsemble(DeepEnsemble),
    /// Optimism over the weights of a network.
    GoUcb(GoUcb),
    /// The minimum of a network on perturbed targets.
    NeuralGreedy(NeuralGreedy),
    /// Expected improvement on a network with a Bayesian head.
    Dngo(Dngo),
    /// Expected improvement under optimistic cuts, on networks.
    NeuralCbo(NeuralCbo),
    /// Expected improvement weighed with the probability of keeping limits.
    CEi(CEi),
    /// Optimism under optimistic cuts; may declare a study infeasible.
    ConfigOpt(ConfigOpt),
    /// Optimism under optimistic cuts, of single outputs where that pays.
    UcbC(UcbC),
    /// Objective and limits in turn, made to agree.
    Admmbo(Admmbo),
    /// Expected improvement on a Gaussian process.
    GpEi(GpEi),
    /// Probability of improvement on a Gaussian process.
    GpPi(GpPi),
    /// The confidence bound of a Gaussian process.
    GpUcb(GpUcb),
    /// Thompson sampling on a Gaussian process.
    GpTs(GpTs),
    /// An equation as prior knowledge.
    PinnBo(PinnBo),
    /// A composition of roles.
    Compose(Compose),
    /// Uniform sampling.
    Random(Random),
    /// A scrambled Sobol sequence.
    Sobol(Sobol),
    /// Covariance matrix adaptation.
    CmaEs(CmaEs),
}

impl Default for Recipe {
    fn default() -> Self {
        Self::Auto(Auto::default())
    }
}

impl Recipe {
    /// Reads a name or a table. Unknown names and settings are errors that say what there is.
    pub fn parse(value: &Value) -> Result<Self> {
        let table = match value {
            Value::String(name) => serde_json::json!({ "name": name }),
            Value::Object(_) => value.clone(),
            other => return Err(refused("method", other, "a name, or a table with a name and settings")),
        };
        let Some(Value::String(name)) = table.get("name") else {
            return Err(refused(
                "method",
                value,
                "a table with a name, such as { name = \"neural-bo\" }",
            ));
        };
        if registry::lookup(name).is_none() {
            return Err(registry::unknown(name));
        }
        let setting = format!("method {name}");
        let wrong = |error: serde_json::Error| refused(&setting, value, &explained(name, &error.to_string()));
        serde_json::from_value(table.clone()).map_err(wrong)
    }

    /// The method's name, as users type it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Auto(_) => "auto",
            Self::NeuralBo(_) => "neural-bo",
            Self::NeuralUcb(_) => "neural-ucb",
            Self::NeuralTs(_) => "neural-ts",
            Self::LinUcb(_) => "lin-ucb",
            Self::LinTs(_) => "lin-ts",
            Self::StoBnts(_) => "sto-bnts",
            Self::StoBntsLinear(_) => "sto-bnts-linear",
            Self::DeepEnsemble(_) => "deep-ensemble",
            Self::GoUcb(_) => "go-ucb",
            Self::NeuralGreedy(_) => "neural-greedy",
            Self::Dngo(_) => "dngo",
            Self::NeuralCbo(_) => "neural-cbo",
            Self::CEi(_) => "c-ei",
            Self::ConfigOpt(_) => "config-opt",
            Self::UcbC(_) => "ucb-c",
            Self::Admmbo(_) => "admmbo",
            Self::GpEi(_) => "gp-ei",
            Self::GpPi(_) => "gp-pi",
            Self::GpUcb(_) => "gp-ucb",
            Self::GpTs(_) => "gp-ts",
            Self::PinnBo(_) => "pinn-bo",
            Self::Compose(_) => "compose",
            Self::Random(_) => "random",
            Self::Sobol(_) => "sobol",
            Self::CmaEs(_) => "cma-es",
        }
    }

    /// Whether it makes use of what is known of the objective besides its values.
    pub fn takes_physics(&self) -> bool {
        matches!(self, Self::Auto(_) | Self::PinnBo(_))
    }

    /// Refuses what cannot work, before any data exist.
    pub fn check(&self, space: &Arc<Space>, outputs: &Arc<[Output]>, knowledge: Option<&Arc<Knowledge>>) -> Result<()> {
        self.build_with(space, outputs, knowledge).map(drop)
    }

    /// The proposer of this recipe for a space and its outputs.
    pub fn build(&self, space: &Arc<Space>, outputs: &Arc<[Output]>) -> Result<Box<dyn Proposer>> {
        self.build_with(space, outputs, None)
    }

    /// The same for an objective of which something is known; a method that has no use for that leaves it aside.
    pub fn build_with(
        &self,
        space: &Arc<Space>,
        outputs: &Arc<[Output]>,
        knowledge: Option<&Arc<Knowledge>>,
    ) -> Result<Box<dyn Proposer>> {
        if !outputs.iter().any(|output| output.goal.is_objective()) {
            return Err(Error::Setting {
                setting: "outputs".into(),
                value: format!("{} outputs", outputs.len()),
                allowed: "exactly one of them has minimize = true or maximize = true".into(),
            });
        }
        match self {
            Self::Auto(settings) => match knowledge {
                Some(known) => PinnBo::default().beside(settings, known),
                None => settings.build(space),
            },
            Self::PinnBo(settings) => settings.build(space, knowledge),
            Self::NeuralBo(settings) => settings.build(space),
            Self::NeuralUcb(settings) => settings.build(),
            Self::NeuralTs(settings) => settings.build(),
            Self::LinUcb(settings) => settings.build(),
            Self::LinTs(settings) => settings.build(),
            Self::StoBnts(settings) => settings.build(space),
            Self::StoBntsLinear(settings) => settings.build(space),
            Self::DeepEnsemble(settings) => settings.build(space),
            Self::GoUcb(settings) => settings.build(space),
            Self::NeuralGreedy(settings) => settings.build(),
            Self::Dngo(settings) => settings.build(),
            Self::NeuralCbo(settings) => settings.build(outputs),
            Self::CEi(settings) => settings.build(),
            Self::ConfigOpt(settings) => settings.build(),
            Self::UcbC(settings) => settings.build(),
            Self::Admmbo(settings) => settings.build(),
            Self::GpEi(settings) => settings.build(),
            Self::GpPi(settings) => settings.build(),
            Self::GpUcb(settings) => settings.build(),
            Self::GpTs(settings) => settings.build(),
            Self::Compose(settings) => settings.build(),
            Self::Random(_) => Ok(Box::new(Designed(random::DESIGN))),
            Self::Sobol(_) => Ok(Box::new(Designed(sobol::DESIGN))),
            Self::CmaEs(settings) => settings.build(),
        }
    }
}

/// What was wrong, with the settings there are where the reader of a flat table left them out.
fn explained(name: &str, message: &str) -> String {
    let defaults = serde_json::from_value::<Recipe>(serde_json::json!({ "name": name })).ok();
    let table = defaults.and_then(|recipe| serde_json::to_value(recipe).ok());
    match table.as_ref().and_then(Value::as_object) {
        Some(table) if message.starts_with("unknown field") && !message.contains("expected") => {
            let known = table.keys().filter(|key| *key != "name").map(|key| format!("`{key}`"));
            format!("{message}, expected one of {}", known.collect::<Vec<_>>().join(", "))
        }
        _ => message.to_owned(),
    }
}

/// Refuses a number below the least that makes sense.
pub(crate) fn at_least(setting: &str, value: f64, least: f64, allowed: &str) -> Result<()> {
    if value >= least && value.is_finite() {
        return Ok(());
    }
    Err(Error::Setting {
        setting: setting.to_owned(),
        value: value.to_string(),
        allowed: allowed.to_owned(),
    })
}

fn refused(setting: &str, value: &Value, allowed: &str) -> Error {
    Error::Setting {
        setting: setting.to_owned(),
        value: value.to_string(),
        allowed: allowed.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::json;

    use super::*;

    fn message(value: &Value) -> String {
        Recipe::parse(value).unwrap_err().to_string()
    }

    #[test]
    fn a_name_alone_is_the_method_with_its_defaults() {
        for entry in registry::methods() {
            assert_eq!(Recipe::parse(&json!(entry.name)).unwrap().name(), entry.name);
        }
    }

    #[test]
    fn a_recipe_survives_being_written_and_read() {
        for entry in registry::methods() {
            let recipe = Recipe::parse(&json!(entry.name)).unwrap();
            let again = Recipe::parse(&serde_json::to_value(&recipe).unwrap()).unwrap();
            assert_eq!(recipe, again);
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        assert!(message(&json!("neuralbo")).contains("neural-bo"));
        assert!(message(&json!(7)).contains("a name"));
        assert!(message(&json!({ "width": 5 })).contains("a table with a name"));
        assert!(message(&json!({ "name": "random", "widht": 5 })).contains("widht"));
        assert!(message(&json!({ "name": "neural-bo", "width": "wide" })).contains("wide"));
        for (name, setting) in [
            ("neural-ucb", "`width`"),
            ("neural-ts", "`width`"),
            ("dngo", "`width`"),
            ("neural-greedy", "`width`"),
            ("gp-pi", "`margin`"),
            ("ucb-c", "`queries`"),
        ] {
            let unknown = message(&json!({ "name": name, "widht": 5 }));
            assert!(unknown.contains("unknown field `widht`, expected one of"), "{unknown}");
            assert!(
                unknown.contains(setting) && unknown.contains("`maximiser`"),
                "{unknown}"
            );
        }
    }
}
