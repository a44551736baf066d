//! How soon methods find one of the best handwritten digits.
//!
//! The candidates are the 1797 images of `examples/images/digits.csv`. A hidden network scores them, another one for every seed: it
//! was trained for a while on a random liking for each of the ten digits. The best 1 % are the 18 lowest scores. The table shows
//! after how many evaluations the first of these is found: the median over seeds, and the quartiles.
//!
//! ```text
//! cargo run --release -p hilltop-method --example digits -- [hidden=convolution|dense] [first=0] [seeds=10] [budget=200] [each=false] [METHOD ...]
//! ```
//!
//! A method is a name or a table in JSON. A hidden network of `convolution` has 16 filters of 4 × 4 and 32 dense units, one of
//! `dense` two layers of 32 units; both have rectified units.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs::File;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use faer::Mat;
use hilltop_core::{Candidates, Goal, History, Output, Rng, Space};
use hilltop_method::{Recipe, registry};
use hilltop_nn::{Activation, Architecture, Convolution, Network, Optimiser, Parameterisation, Trainer};
use serde_json::{Value, json};

type Fallible<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// A seed, the evaluations until one of the best was found, and their seconds.
type Found = (u64, (u64, f64));

/// Tells the hidden network's random numbers from others of the same seed.
const HIDDEN: u64 = 0x4449_4749;

/// What is run, as it was typed.
struct Plan {
    hidden: String,
    /// The first of the seeds.
    first: u64,
    seeds: u64,
    budget: u64,
    /// Whether the evaluations of every seed are shown too.
    each: bool,
    methods: Vec<Value>,
}

fn main() -> Fallible<()> {
    let plan = Plan::read(std::env::args().skip(1))?;
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/images/digits.csv");
    let images = Candidates::from_csv(File::open(path)?, None)?.with_shape(&[8, 8])?;
    let space = Arc::new(Space::finite(images));
    println!(
        "hidden network: {}, {} seeds, at most {} evaluations",
        plan.hidden, plan.seeds, plan.budget
    );
    println!("evaluations to the best 1 %: median [quartiles]; mean; seconds a suggestion; method");
    for method in &plan.methods {
        let recipe = Recipe::parse(method)?;
        let (mut counts, seconds) = plan.counts(&recipe, &space)?;
        let each = counts.iter().map(u64::to_string).collect::<Vec<_>>().join(" ");
        let mean = counts.iter().sum::<u64>() as f64 / counts.len() as f64;
        counts.sort_unstable();
        let at = |share: f64| {
            shown(
                counts[((counts.len() - 1) as f64 * share).round() as usize],
                plan.budget,
            )
        };
        let median = shown(middle(&counts), plan.budget);
        let (low, high) = (at(0.25), at(0.75));
        println!("{median} [{low}, {high}]; {mean:.1}; {seconds:.3}; {method}");
        if plan.each {
            println!("    {each}");
        }
    }
    Ok(())
}

impl Plan {
    fn read(arguments: impl Iterator<Item = String>) -> Fallible<Self> {
        let mut plan = Self {
            hidden: "convolution".into(),
            first: 0,
            seeds: 10,
            budget: 200,
            each: false,
            methods: Vec::new(),
        };
        for argument in arguments {
            match argument.split_once('=') {
                Some(("hidden", kind)) => kind.clone_into(&mut plan.hidden),
                Some(("first", seed)) => plan.first = seed.parse()?,
                Some(("seeds", count)) => plan.seeds = count.parse::<u64>()?.max(1),
                Some(("budget", count)) => plan.budget = count.parse()?,
                Some(("each", shown)) => plan.each = shown.parse()?,
                _ if argument.starts_with('{') => plan.methods.push(serde_json::from_str(&argument)?),
                _ => plan.methods.push(argument.into()),
            }
        }
        if plan.methods.is_empty() {
            let named = ["neural-bo", "sto-bnts"]
                .into_iter()
                .filter(|name| registry::lookup(name).is_some());
            let both = named.flat_map(|name| [json!({ "name": name }), json!({ "name": name, "convolution": false })]);
            plan.methods = both.chain([json!("random")]).collect();
        }
        Ok(plan)
    }

    /// The evaluations of every seed in their order, on all cores, and the mean time of a suggestion.
    fn counts(&self, recipe: &Recipe, space: &Arc<Space>) -> Fallible<(Vec<u64>, f64)> {
        let next = AtomicUsize::new(0);
        let work = || {
            let mut done = Vec::new();
            loop {
                let seed = next.fetch_add(1, Ordering::Relaxed) as u64;
                if seed >= self.seeds {
                    return Ok(done);
                }
                done.push((seed, self.search(recipe, space, self.first + seed)?));
            }
        };
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let parts: Vec<Fallible<Vec<Found>>> = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
            let ended = |worker: std::thread::ScopedJoinHandle<'_, _>| worker.join();
            workers
                .into_iter()
                .map(|worker| ended(worker).unwrap_or_else(|_| Err("a search panicked".into())))
                .collect()
        });
        let mut all = parts.into_iter().collect::<Fallible<Vec<_>>>()?.concat();
        all.sort_by_key(|(seed, _)| *seed);
        let spent = all.iter().map(|(_, (_, time))| time).sum::<f64>();
        let counts: Vec<u64> = all.into_iter().map(|(_, (count, _))| count).collect();
        let total = counts.iter().sum::<u64>();
        Ok((counts, spent / total as f64))
    }

    /// Evaluations until one of the best is found (one more than the budget where none was), and the time they took.
    fn search(&self, recipe: &Recipe, space: &Arc<Space>, seed: u64) -> Fallible<(u64, f64)> {
        let outputs: Arc<[Output]> = [Output {
            name: "score".into(),
            goal: Goal::Minimize,
        }]
        .into();
        let candidates = space.candidates().ok_or("the space is a table")?;
        let scores = scores(&self.hidden, candidates, seed)?;
        let mut sorted = scores.clone();
        sorted.sort_by(f64::total_cmp);
        let good = sorted[scores.len().div_ceil(100) - 1];
        let mut proposer = recipe.build(space, &outputs)?;
        let mut history = History::new(Arc::clone(space), outputs, seed).with_budget(Some(self.budget));
        let start = Instant::now();
        for trial in 0..self.budget {
            let query = proposer.propose(&history, 1)?.remove(0);
            let score = scores[candidates.index_of_point(&query.point)];
            if score <= good {
                return Ok((trial + 1, start.elapsed().as_secs_f64()));
            }
            query.memory.into_iter().for_each(|memory| history.remember(memory));
            history.observe(trial, &query.point, &[score]);
        }
        Ok((self.budget + 1, start.elapsed().as_secs_f64()))
    }
}

/// The scores of all images, to be minimised.
fn scores(hidden: &str, candidates: &Candidates, seed: u64) -> Fallible<Vec<f64>> {
    let mut rng = Rng::keyed(seed, &[HIDDEN]);
    let mut network = Network::init(&architecture(hidden)?, &mut rng)?;
    let images = Mat::from_fn(candidates.len(), 64, |i, j| 2.0 * candidates.features(i)[j] - 1.0);
    let likings = likings(candidates, &mut rng);
    let trainer = Trainer::new(Optimiser::adam(0.01, 50, 20));
    trainer.train(&mut network, images.as_ref(), &likings, &mut rng)?;
    Ok(network.forward(images.as_ref()))
}

fn architecture(hidden: &str) -> Fallible<Architecture> {
    let dense =
        |widths: &[usize]| Architecture::new(64, widths, Activation::Relu, Parameterisation::Ntk).with_bias(0.1);
    let convolution = Convolution {
        image: [8, 8, 1],
        kernel: [4, 4],
        stride: 1,
        filters: 16,
    };
    match hidden {
        "convolution" => Ok(dense(&[32]).with_convolution(convolution)),
        "dense" => Ok(dense(&[32, 32])),
        other => Err(format!("hidden = {other}: convolution or dense").into()),
    }
}

/// A random number for every digit; the name of an image begins with its digit.
fn likings(candidates: &Candidates, rng: &mut Rng) -> Vec<f64> {
    let mut known = BTreeMap::new();
    let liking = |row: usize| {
        let name = candidates.row(row).get("image").map(ToString::to_string);
        let digit = name.unwrap_or_default().split('-').next().map(str::to_owned);
        *known.entry(digit).or_insert_with(|| rng.normal())
    };
    (0..candidates.len()).map(liking).collect()
}

/// The median of sorted counts, the upper one of two.
fn middle(counts: &[u64]) -> u64 {
    counts[counts.len() / 2]
}

fn shown(count: u64, budget: u64) -> String {
    if count > budget {
        format!("> {budget}")
    } else {
        count.to_string()
    }
}
