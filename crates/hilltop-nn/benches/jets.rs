//! What derivatives in the inputs cost, against a forward pass at the same points.
//!
//! `cargo bench -p hilltop-nn --bench jets`. For each equation: its values, the gradient in the weights of a loss of its residuals (values
//! included), and the kernel of 300 of its tangent features. 1000 points, one thread; the fastest of several runs, because what else the machine does only adds.

use faer::Mat;
use hilltop_core::Rng;
use hilltop_core::physics::Partial;
use hilltop_nn::{Activation, Architecture, JetWorkspace, Jets, Network, Parameterisation};
use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

const POINTS: usize = 1000;
const REPEATS: usize = 25;

fn main() -> Result<(), Box<dyn Error>> {
    println!("d-100-100-100-1, tanh, {POINTS} points; in forward passes");
    println!(
        "{:<24} {:>9} {:>8} {:>9} {:>9} {:>10}",
        "equation", "forward", "values", "operator", "gradient", "kernel 300"
    );
    let squares = |inputs: usize| (0..inputs).map(|axis| Partial::of(&[axis, axis])).collect::<Vec<_>>();
    let firsts = |inputs: usize| (0..inputs).map(|axis| Partial::of(&[axis])).collect::<Vec<_>>();
    report("sum of first, d = 2", 2, &firsts(2))?;
    report("sum of first, d = 50", 50, &firsts(50))?;
    report("laplacian, d = 2", 2, &squares(2))?;
    report("laplacian, d = 10", 10, &squares(10))?;
    report(
        "beam: orders 2, 3, 4",
        1,
        &[2, 3, 4].map(|order| Partial::of(&vec![0; order])),
    )?;
    let plate = [Partial::of(&[0; 4]), Partial::of(&[0, 0, 1, 1]), Partial::of(&[1; 4])];
    report("plate: xxxx, xxyy, yyyy", 2, &plate)
}

fn report(name: &str, inputs: usize, partials: &[Partial]) -> Result<(), Box<dyn Error>> {
    let shape = Architecture::new(inputs, &[100; 3], Activation::Tanh, Parameterisation::Ntk).with_bias(1.0);
    let network = Network::init(&shape, &mut Rng::new(1))?;
    let jets = Jets::new(&shape, partials)?;
    let mut rng = Rng::new(2);
    let points = Mat::from_fn(POINTS, inputs, |_, _| rng.between(-1.0, 1.0));
    let coefficients = Mat::full(POINTS, partials.len(), 1.0);
    let (mut workspace, mut gradient) = (JetWorkspace::new(&shape), vec![0.0; network.parameter_count()]);
    let forward = fastest(|| drop(black_box(network.forward(points.as_ref()))));
    let values = fastest(|| drop(black_box(network.jets(points.as_ref(), &jets))));
    let operator = fastest(|| {
        drop(black_box(network.operator(
            points.as_ref(),
            &jets,
            coefficients.as_ref(),
        )));
    });
    let loss = fastest(|| {
        let (points, coefficients) = (points.as_ref(), coefficients.as_ref());
        network.operator_loss(points, &jets, coefficients, &mut workspace, &mut gradient, |_, sum| sum);
    });
    let some = points.as_ref().subrows(0, 300);
    let kernel = fastest(|| {
        let tangent = network.jet_tangent(some, &jets, coefficients.as_ref().subrows(0, 300));
        drop(black_box(tangent.gram()));
    });
    println!(
        "{name:<24} {:>7.2}ms {:>8.1} {:>9.1} {:>9.1} {:>8.1}ms",
        1e3 * forward,
        values / forward,
        operator / forward,
        loss / forward,
        1e3 * kernel
    );
    Ok(())
}

fn fastest(mut run: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..REPEATS)
        .map(|_| {
            let clock = Instant::now();
            run();
            clock.elapsed().as_secs_f64()
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[0]
}
