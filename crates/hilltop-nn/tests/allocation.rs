//! Training and repeated evaluation allocate nothing a step.
#![allow(clippy::unwrap_used, missing_docs)]
#![allow(unsafe_code, reason = "an allocator that counts has to be an allocator")]

use faer::Mat;
use hilltop_core::Rng;
use hilltop_nn::{Activation, Architecture, Network, Optimiser, Parameterisation, Trainer, Workspace};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller's promises are those the system's allocator asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the pointer came from `alloc` above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations(work: impl FnOnce()) -> usize {
    let before = COUNT.with(Cell::get);
    work();
    COUNT.with(Cell::get) - before
}

#[test]
fn a_longer_training_allocates_no_more_than_a_short_one() {
    let mut rng = Rng::new(1);
    let points = Mat::from_fn(200, 6, |_, _| rng.normal());
    let targets: Vec<f64> = (0..200).map(|_| rng.normal()).collect();
    for parameterisation in [Parameterisation::Ntk, Parameterisation::Antisymmetric] {
        let architecture = Architecture::new(6, &[64, 32], Activation::Gelu, parameterisation).with_bias(0.1);
        let start = Network::init(&architecture, &mut rng).unwrap();
        let count = |optimiser: Optimiser| {
            let mut network = start.clone();
            let trainer = Trainer::new(optimiser).with_penalty(0.1);
            allocations(|| {
                let fit = trainer.train(&mut network, points.as_ref(), &targets, &mut Rng::new(2));
                assert!(fit.unwrap().loss.is_finite());
            })
        };
        for kind in [Optimiser::sgd, Optimiser::adam] {
            count(kind(1e-3, 20, 1));
            assert_eq!(count(kind(1e-3, 20, 2)), count(kind(1e-3, 20, 20)));
        }
    }
}

#[test]
fn a_used_workspace_serves_further_evaluations_without_allocation() {
    let mut rng = Rng::new(1);
    let architecture = Architecture::new(6, &[64, 32], Activation::Erf, Parameterisation::Antisymmetric);
    let network = Network::init(&architecture, &mut rng).unwrap();
    let points = Mat::from_fn(700, 6, |_, _| rng.normal());
    let (mut values, mut workspace) = (vec![0.0; 700], Workspace::new(&architecture));
    network.forward_into(points.as_ref(), &mut values, &mut workspace);
    assert_eq!(
        allocations(|| network.forward_into(points.as_ref(), &mut values, &mut workspace)),
        0
    );
}
