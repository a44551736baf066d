//! The table of methods: what `hilltop methods` prints.

use hilltop_core::Error;
use hilltop_core::word::nearest;

/// A method as a reader meets it.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// What users type.
    pub name: &'static str,
    /// What it does, in a line.
    pub about: &'static str,
    /// Where it comes from.
    pub paper: &'static str,
    /// What it works on.
    pub needs: &'static str,
    /// How the points of a batch come about.
    pub batch: &'static str,
    /// Seconds a suggestion takes, as [`MEASURED`] says; none where it depends on the settings alone, or has not been measured.
    pub seconds: Option<f64>,
}

/// How [`Entry::seconds`] was measured.
pub const MEASURED: &str = "processor time on one core, the mean of eleven after 200 evaluations of 10 parameters, the first two from a cold start \
                            (the process of hilltop bench --speed --dims 10 --sizes 200, a release build)";

const ANY: &str = "any space, arms";
const SPACE: &str = "any space";
const ARRAYS: &str = "any space, arms, arrays";
/// One after another, each knowing those before it as under way.
const TURN: &str = "in turn";
/// Independent draws on all cores.
const DRAWN: &str = "at once";

const METHODS: &[Entry] = &[
    Entry {
        name: "auto",
        about: "tangent-kernel model of a smooth network, log expected improvement, local descent",
        paper: "the configuration that measured best; docs/methods/auto.md",
        needs: ANY,
        batch: TURN,
        seconds: Some(0.024),
    },
    Entry {
        name: "neural-bo",
        about: "Thompson sampling with the neural tangent kernel",
        paper: "Phan-Trong, Tran-The, Gupta: NeuralBO, Neurocomputing 2023",
        needs: ARRAYS,
        batch: TURN,
        seconds: Some(0.068),
    },
    Entry {
        name: "neural-ucb",
        about: "optimism with a trained network and the gradients of every round; contextual bandits",
        paper: "Zhou, Li, Gu: Neural Contextual Bandits with UCB-based Exploration, ICML 2020",
        needs: ANY,
        batch: TURN,
        seconds: Some(0.022),
    },
    Entry {
        name: "neural-ts",
        about: "Thompson sampling with a trained network and the gradients of every round; contextual bandits",
        paper: "Zhang, Zhou, Li, Gu: Neural Thompson Sampling, ICLR 2021",
        needs: ANY,
        batch: TURN,
        seconds: Some(0.0095),
    },
    Entry {
        name: "lin-ucb",
        about: "optimism with a linear model; contextual bandits",
        paper: "Li, Chu, Langford, Schapire: A Contextual-Bandit Approach, WWW 2010",
        needs: ANY,
        batch: TURN,
        seconds: Some(0.0012),
    },
    Entry {
        name: "lin-ts",
        about: "Thompson sampling with a linear model; contextual bandits",
        paper: "Agrawal, Goyal: Thompson Sampling for Contextual Bandits with Linear Payoffs, ICML 2013",
        needs: ANY,
        batch: TURN,
        seconds: Some(0.0011),
    },
    Entry {
        name: "sto-bnts",
        about: "batch Thompson sampling: each point trains a network of its own",
        paper: "Dai, Shu, Low, Jaillet: Sample-Then-Optimize Batch Neural Thompson Sampling, NeurIPS 2022",
        needs: SPACE,
        batch: DRAWN,
        seconds: Some(0.23),
    },
    Entry {
        name: "sto-bnts-linear",
        about: "batch Thompson sampling: each point trains a linear model of its own tangent features",
        paper: "Dai, Shu, Low, Jaillet: Sample-Then-Optimize Batch Neural Thompson Sampling, NeurIPS 2022",
        needs: SPACE,
        batch: DRAWN,
        seconds: Some(0.063),
    },
    Entry {
        name: "deep-ensemble",
        about: "each point trains a network of its own, without the tangent term of sto-bnts",
        paper: "Lakshminarayanan, Pritzel, Blundell: NIPS 2017; Dai et al., NeurIPS 2022",
        needs: SPACE,
        batch: DRAWN,
        seconds: Some(0.082),
    },
    Entry {
        name: "go-ucb",
        about: "optimism over the weights of a small network, few evaluations of many parameters",
        paper: "Liu, Wang: Global Optimization with Parametric Function Approximation, ICML 2023",
        needs: ANY,
        batch: TURN,
        seconds: Some(0.087),
    },
    Entry {
        name: "neural-greedy",
        about: "the minimum of a network trained on perturbed values",
        paper: "Paria, Póczos, Ravikumar, Schneider, Suggala: Be Greedy, ICML workshop 2022",
        needs: ANY,
        batch: TURN,
        seconds: Some(0.2),
    },
    Entry {
        name: "dngo",
        about: "expected improvement on a network with a Bayesian linear head",
        paper: "Snoek et al.: Scalable Bayesian Optimization Using Deep Neural Networks, ICML 2015",
        needs: ANY,
        batch: TURN,
        seconds: Some(0.26),
    },
    Entry {
        name: "neural-cbo",
        about: "expected improvement among points that may keep the limits, on tangent kernels",
        paper: "Phan-Trong, The Tran, Gupta: Black-box Optimization with Unknown Constraints",
        needs: ANY,
        batch: TURN,
        seconds: Some(0.023),
    },
    Entry {
        name: "c-ei",
        about: "expected improvement times the probability of keeping the limits, on Gaussian processes",
        paper: "Gardner et al.: Bayesian Optimization with Inequality Constraints, ICML 2014",
        needs: ANY,
        batch: TURN,
        seconds: Some(0.028),
    },
    Entry {
        name: "config-opt",
        about: "optimism among points that may keep the limits; declares a study infeasible",
        paper: "Xu, Jiang, Svetozarevic, Jones: CONFIG, ICML 2023",
        needs: ANY,
        batch: TURN,
        seconds: Some(0.028),
    },
    Entry {
        name: "ucb-c",
        about: "optimism among points that may keep the limits; single outputs where they cost apart",
        paper: "Nguyen, Chew, Song, Low, Jaillet: Optimistic Bayesian Optimization, ICLR 2024",
        needs: ANY,
        batch: TURN,
        seconds: Some(0.03),
    },
    Entry {
        name: "admmbo",
        about: "the objective and each limit in turn, made to agree by multipliers",
        paper: "Ariafar, Coll-Font, Brooks, Dy: ADMMBO, JMLR 2019",
        needs: SPACE,
        batch: TURN,
        seconds: Some(0.019),
    },
    Entry {
        name: "gp-ei",
        about: "expected improvement on a Gaussian process",
        paper: "Jones, Schonlau, Welch: Efficient Global Optimization, 1998",
        needs: ANY,
        batch: TURN,
        seconds: Some(0.027),
    },
    Entry {
        name: "gp-pi",
        about: "probability of improvement on a Gaussian process",
        paper: "Kushner: A New Method of Locating the Maximum Point, 1964",
        needs: ANY,
        batch: TURN,
        seconds: Some(0.031),
    },
    Entry {
        name: "gp-ucb",
        about: "optimism on a Gaussian process",
        paper: "Srinivas, Krause, Kakade, Seeger: Gaussian Process Optimization, ICML 2010",
        needs: ANY,
        batch: TURN,
        seconds: Some(0.028),
    },
    Entry {
        name: "gp-ts",
        about: "Thompson sampling on a Gaussian process",
        paper: "Chowdhury, Gopalan: On Kernelized Multi-armed Bandits, ICML 2017",
        needs: ANY,
        batch: TURN,
        seconds: Some(0.092),
    },
    Entry {
        name: "pinn-bo",
        about: "expected improvement on a process that obeys the equations of [physics]",
        paper: "Phan-Trong: Bayesian Optimization with Neural Networks (thesis), chapter 5: PINN-BO",
        needs: "any space, an equation",
        batch: TURN,
        seconds: None,
    },
    Entry {
        name: "compose",
        about: "a surrogate, an acquisition and a maximiser of your choice",
        paper: "docs/methods/compose.md",
        needs: ANY,
        batch: TURN,
        seconds: None,
    },
    Entry {
        name: "random",
        about: "uniform sampling of the feasible set",
        paper: "Bergstra, Bengio: JMLR 2012",
        needs: ANY,
        batch: DRAWN,
        seconds: Some(0.0002),
    },
    Entry {
        name: "sobol",
        about: "scrambled Sobol sequence, low discrepancy",
        paper: "Sobol 1967; Owen 1998",
        needs: ANY,
        batch: DRAWN,
        seconds: Some(0.0002),
    },
    Entry {
        name: "cma-es",
        about: "covariance matrix adaptation, evolutionary",
        paper: "Hansen: The CMA Evolution Strategy, a tutorial, 2016",
        needs: SPACE,
        batch: TURN,
        seconds: Some(0.0002),
    },
];

/// Every method, the default first.
pub fn methods() -> &'static [Entry] {
    METHODS
}

/// The method of a name.
pub fn lookup(name: &str) -> Option<&'static Entry> {
    METHODS.iter().find(|entry| entry.name == name)
}

/// The error for a name that no method has.
pub(crate) fn unknown(name: &str) -> Error {
    let names: Vec<&str> = METHODS.iter().map(|entry| entry.name).collect();
    let allowed = match nearest(name, names.iter().copied()) {
        Some(near) => format!("did you mean {near}?"),
        None => format!("one of {}", names.join(", ")),
    };
    Error::Setting {
        setting: "method".into(),
        value: format!("{name:?}"),
        allowed,
    }
}
