//! The rate of training against the rate of the matrix product alone, measured in the same run.
//!
//! `cargo bench -p hilltop-nn --bench training`. For each network: 1000 examples of 20 inputs, 50 epochs in batches of 50. The product's rate
//! is that of the same products (forward, back, weights), in the same shapes, and nothing else; so the ratio says what share of the
//! time is spent where a network must spend it. Then the training of `sto-bnts` at 34, 500 and 1000 examples: the operations that it cannot
//! do without, a second, against the product's rate.

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatRef, Par};
use hilltop_core::Rng;
use hilltop_nn::{
    Activation, Architecture, Ensemble, Memory, Network, Newton, Optimiser, Parameterisation, Settled, Trainer,
};
use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

const INPUTS: usize = 20;
const EXAMPLES: usize = 1000;
const EPOCHS: usize = 50;
const BATCH: usize = 50;
const REPEATS: usize = 5;

fn main() -> Result<(), Box<dyn Error>> {
    let networks: [&[usize]; 3] = [&[500], &[64, 64], &[256, 256]];
    println!("n={EXAMPLES}, {EPOCHS} epochs of batch {BATCH}, one thread; median ratio of {REPEATS}");
    println!(
        "{:<14} {:<9} {:<6} {:>9} {:>9} {:>9} {:>7}",
        "network", "function", "way", "time", "GFlop/s", "product", "ratio"
    );
    for hidden in networks {
        for activation in Activation::ALL {
            report(hidden, activation, "sgd", Optimiser::sgd(1e-3, BATCH, EPOCHS))?;
        }
        report(hidden, Activation::Relu, "adam", Optimiser::adam(1e-3, BATCH, EPOCHS))?;
    }
    println!(
        "sample then optimise: 7-256-256-1, erf, training to convergence by Gauss-Newton steps; median of {REPEATS}"
    );
    println!(
        "{:<8} {:>7} {:>6} {:>9} {:>9} {:>9} {:>7}",
        "examples", "kernels", "trials", "time", "GFlop/s", "product", "ratio"
    );
    for examples in [34, 500, 1000] {
        settling(examples)?;
    }
    ensembles()?;
    kernels()?;
    activations();
    Ok(())
}

/// One line: training and the products alone take turns, so that what else the machine does meets both.
fn report(hidden: &[usize], activation: Activation, way: &str, optimiser: Optimiser) -> Result<(), Box<dyn Error>> {
    let architecture = Architecture::new(INPUTS, hidden, activation, Parameterisation::Ntk);
    let start = Network::init(&architecture, &mut Rng::new(1))?;
    let (points, targets) = examples();
    let trainer = Trainer::new(optimiser).with_penalty(0.01);
    let mut runs = Vec::new();
    for _ in 0..REPEATS {
        let (floor, work) = products(hidden);
        let mut network = start.clone();
        let clock = Instant::now();
        trainer.train(&mut network, points.as_ref(), &targets, &mut Rng::new(2))?;
        let seconds = clock.elapsed().as_secs_f64();
        runs.push([floor / seconds, seconds, work / seconds * 1e-9, work / floor * 1e-9]);
    }
    runs.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let [ratio, seconds, rate, product] = runs[REPEATS / 2];
    let widths = std::iter::once(INPUTS).chain(hidden.iter().copied()).chain([1]);
    let name = widths.map(|width| width.to_string()).collect::<Vec<_>>().join("-");
    let activation = format!("{activation:?}").to_lowercase();
    println!("{name:<14} {activation:<9} {way:<6} {seconds:>8.3}s {rate:>9.1} {product:>9.1} {ratio:>7.2}");
    Ok(())
}

fn examples() -> (Mat<f64>, Vec<f64>) {
    let mut rng = Rng::new(3);
    let points = Mat::from_fn(EXAMPLES, INPUTS, |_, _| rng.between(-1.0, 1.0));
    let targets = (0..EXAMPLES).map(|i| (3.0 * points[(i, 0)]).sin()).collect();
    (points, targets)
}

/// Seconds for the matrix products of the whole training alone, and their floating-point operations.
fn products(hidden: &[usize]) -> (f64, f64) {
    let widths: Vec<usize> = std::iter::once(INPUTS).chain(hidden.iter().copied()).collect();
    let mut layers: Vec<[Mat<f64>; 3]> = (1..widths.len())
        .map(|l| {
            let mat = |rows, columns| Mat::from_fn(rows, columns, |i, j| ((i + 3 * j) % 7) as f64 * 1e-3);
            [
                mat(widths[l], widths[l - 1]),
                mat(widths[l - 1], BATCH),
                mat(widths[l], BATCH),
            ]
        })
        .collect();
    let steps = EXAMPLES / BATCH * EPOCHS;
    let clock = Instant::now();
    for _ in 0..steps {
        step(&mut layers);
    }
    let seconds = clock.elapsed().as_secs_f64();
    let sizes = widths
        .windows(2)
        .enumerate()
        .map(|(l, pair)| (pair[0] * pair[1] * if l == 0 { 2 } else { 3 }) as f64);
    (seconds, 2.0 * sizes.sum::<f64>() * (BATCH * steps) as f64)
}

/// Forward, back (not below the first layer) and weights.
fn step(layers: &mut [[Mat<f64>; 3]]) {
    for (index, [weights, inputs, outputs]) in layers.iter_mut().enumerate() {
        matmul(
            outputs.as_mut(),
            Accum::Replace,
            weights.as_ref(),
            inputs.as_ref(),
            1.0,
            Par::Seq,
        );
        if index > 0 {
            matmul(
                inputs.as_mut(),
                Accum::Replace,
                weights.transpose(),
                outputs.as_ref(),
                1.0,
                Par::Seq,
            );
        }
        matmul(
            weights.as_mut(),
            Accum::Add,
            outputs.as_ref(),
            inputs.transpose(),
            1e-9,
            Par::Seq,
        );
        black_box(&weights);
    }
}

/// One line: Gauss–Newton training in the shape of `sto-bnts` against the matrix product's rate in its shapes. As there, memory is kept from one
/// training to the next up to 256 examples.
fn settling(examples: usize) -> Result<(), Box<dyn Error>> {
    const WIDTH: usize = 256;
    let architecture = Architecture::new(7, &[WIDTH, WIDTH], Activation::Erf, Parameterisation::Ntk);
    let start = Network::init(&architecture, &mut Rng::new(1))?;
    let mut rng = Rng::new(3);
    let points = Mat::from_fn(examples, 7, |_, j| if j < 6 { rng.between(-1.5, 1.5) } else { 2.0 });
    let initial = start.forward(points.as_ref());
    let targets: Vec<f64> = (0..examples)
        .map(|i| initial[i] + 0.02 * (3.0 * points[(i, 0)]).sin())
        .collect();
    let column = MatRef::from_column_major_slice(&targets, examples, 1);
    let (mut runs, mut memory) = (Vec::new(), Memory::default());
    for _ in 0..REPEATS {
        let product = product_rate(examples, WIDTH);
        let mut network = start.clone();
        if examples > 256 {
            memory = Memory::default();
        }
        let clock = Instant::now();
        let members = std::slice::from_mut(&mut network);
        let settled = Newton::default().train_members(members, points.as_ref(), column, 1e-4, &[], &mut memory)?[0];
        let seconds = clock.elapsed().as_secs_f64();
        let rate = settling_work(examples, WIDTH, &settled) / seconds;
        runs.push((rate / product, settled, seconds, rate * 1e-9, product * 1e-9));
    }
    runs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (ratio, settled, seconds, rate, product) = runs[REPEATS / 2];
    let Settled { kernels, trials, .. } = settled;
    println!("{examples:<8} {kernels:>7} {trials:>6} {seconds:>8.3}s {rate:>9.1} {product:>9.1} {ratio:>7.2}");
    Ok(())
}

/// The operations that a training cannot do without. Through the two large layers: forward at all weights that are tried, to the weights of all but the first,
/// back for every step. For every kernel its four products, half of each, because it is symmetric, and its factor; for all kernels but the first the
/// derivative along what the weights have moved.
fn settling_work(examples: usize, width: usize, settled: &Settled) -> f64 {
    let (n, m) = (examples as f64, width as f64);
    let layers = 2 * settled.trials - 1 + settled.steps + settled.kernels.saturating_sub(1);
    let kernel = 4.0 * n * n * m + n * n * n / 3.0;
    2.0 * n * m * m * layers as f64 + kernel * settled.kernels as f64
}

/// Operations a second of the matrix product: once through a layer and once for a kernel, in the shapes of a step.
fn product_rate(examples: usize, width: usize) -> f64 {
    let mat = |rows, columns| Mat::from_fn(rows, columns, |i, j| ((i + 3 * j) % 7) as f64 * 1e-3);
    let (weights, columns) = (mat(width, width), mat(width, examples));
    let (mut out, mut kernel) = (Mat::zeros(width, examples), Mat::zeros(examples, examples));
    let repeats = (2_000_000_000 / (2 * examples * width * (width + examples))).max(1);
    let clock = Instant::now();
    for _ in 0..repeats {
        matmul(
            out.as_mut(),
            Accum::Replace,
            weights.as_ref(),
            columns.as_ref(),
            1.0,
            Par::Seq,
        );
        matmul(
            kernel.as_mut(),
            Accum::Replace,
            columns.transpose(),
            columns.as_ref(),
            1.0,
            Par::Seq,
        );
        black_box((&out, &kernel));
    }
    2.0 * (examples * width * (width + examples) * repeats) as f64 / clock.elapsed().as_secs_f64()
}

/// Ten members together against ten times one.
fn ensembles() -> Result<(), Box<dyn Error>> {
    let (points, targets) = examples();
    let columns = Mat::from_fn(EXAMPLES, 10, |i, _| targets[i]);
    let trainer = Trainer::new(Optimiser::sgd(1e-3, BATCH, 10));
    for hidden in [[16, 16], [64, 64]] {
        let architecture = Architecture::new(INPUTS, &hidden, Activation::Relu, Parameterisation::Ntk);
        let mut ensemble = Ensemble::init(&architecture, 10, &mut Rng::new(1))?;
        let mut members = ensemble.members().to_vec();
        let clock = Instant::now();
        ensemble.train(&trainer, points.as_ref(), columns.as_ref(), &mut Rng::new(2))?;
        let together = clock.elapsed().as_secs_f64();
        let clock = Instant::now();
        for member in &mut members {
            trainer.train(member, points.as_ref(), &targets, &mut Rng::new(2))?;
        }
        let alone = clock.elapsed().as_secs_f64();
        println!("ten members of {hidden:?}, 10 epochs: together {together:.3}s, one after the other {alone:.3}s");
    }
    Ok(())
}

/// Seconds for the tangent kernel of a thousand points, and for gradients of posterior quantities at a hundred.
fn kernels() -> Result<(), Box<dyn Error>> {
    let (points, _) = examples();
    for hidden in [&[500][..], &[256, 256]] {
        let architecture = Architecture::new(INPUTS, hidden, Activation::Erf, Parameterisation::Antisymmetric);
        let network = Network::init(&architecture, &mut Rng::new(1))?;
        let clock = Instant::now();
        let tangent = network.tangent(points.as_ref());
        let features = clock.elapsed().as_secs_f64();
        let clock = Instant::now();
        black_box(tangent.gram());
        let gram = clock.elapsed().as_secs_f64();
        let few = points.as_ref().subrows(0, 100);
        let coefficients = Mat::from_fn(EXAMPLES, 100, |i, j| ((i + j) % 5) as f64);
        let clock = Instant::now();
        black_box(network.kernel_input_gradients(few, &tangent, coefficients.as_ref()));
        black_box(network.diagonal_input_gradients(few));
        let gradients = clock.elapsed().as_secs_f64();
        println!("{hidden:?}: features {features:.4}s, kernel of {EXAMPLES} {gram:.4}s, 100 gradients {gradients:.4}s");
    }
    Ok(())
}

/// Nanoseconds an element of each activation with its slope.
fn activations() {
    let start: Vec<f64> = (0..4096).map(|i| f64::from(i) / 512.0 - 4.0).collect();
    for activation in Activation::ALL {
        let (mut values, mut slopes) = (start.clone(), start.clone());
        let clock = Instant::now();
        for _ in 0..500 {
            values.copy_from_slice(&start);
            activation.slope(black_box(&mut values), &mut slopes);
        }
        let nanoseconds = clock.elapsed().as_secs_f64() * 1e9 / (500.0 * 4096.0);
        println!("{activation:?} with slope: {nanoseconds:.2} ns an element");
    }
}
