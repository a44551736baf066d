//! Passes over numbers, compiled for several instruction sets and chosen when the program runs.
#![allow(
    clippy::inline_always,
    reason = "the body must be inside the function compiled for the instruction set"
)]

use pulp::{Arch, Simd, WithSimd};

/// A pass over numbers, written once for machines with fused multiplication and once for those without.
pub(crate) trait Pass {
    /// The pass; to be inlined, or it would be compiled for the oldest machine.
    fn run<const FUSED: bool>(self);
}

/// Carries a pass out with the widest instructions of the machine.
pub(crate) fn widest(pass: impl Pass) {
    Arch::new().dispatch(Widest(pass));
}

struct Widest<P>(P);

impl<P: Pass> WithSimd for Widest<P> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        // Every instruction set with vectors has fused multiplication; without vectors it would be a call.
        if S::IS_SCALAR {
            self.0.run::<false>();
        } else {
            self.0.run::<true>();
        }
    }
}
