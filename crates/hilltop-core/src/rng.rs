//! Randomness as an argument: one reproducible generator, the same on every platform.
//!
//! A run is a function of its inputs. Nothing in the library asks the system for entropy or the clock; every random
//! choice takes an [`Rng`] that its caller owns. The generator of a round is derived from `(seed, trial)`, so a
//! resumed study continues exactly as if it had not stopped.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng};

/// A portable pseudo-random generator (`ChaCha` with eight rounds).
#[derive(Clone, Debug)]
pub struct Rng(ChaCha8Rng);

impl Rng {
    /// The generator of a seed.
    pub fn new(seed: u64) -> Self {
        Self::keyed(seed, &[])
    }

    /// The generator of a seed and a path of numbers below it: `(seed, trial)`, `(seed, trial, member)`.
    ///
    /// Different paths give independent streams.
    ///
    /// ```
    /// use hilltop_core::Rng;
    /// assert_eq!(Rng::keyed(7, &[3]).uniform(), Rng::keyed(7, &[3]).uniform());
    /// assert_ne!(Rng::keyed(7, &[3]).uniform(), Rng::keyed(7, &[4]).uniform());
    /// ```
    pub fn keyed(seed: u64, path: &[u64]) -> Self {
        let mut state = mix(seed ^ 0x9e37_79b9_7f4a_7c15);
        for &step in path {
            state = mix(state.rotate_left(17) ^ mix(step.wrapping_add(0x632b_e59b_d9b4_e019)));
        }
        let mut key = [0_u8; 32];
        for chunk in key.chunks_exact_mut(8) {
            state = mix(state.wrapping_add(0x9e37_79b9_7f4a_7c15));
            chunk.copy_from_slice(&state.to_le_bytes());
        }
        Self(ChaCha8Rng::from_seed(key))
    }

    /// A generator of its own for a part of the work, taken from this one.
    #[must_use]
    pub fn split(&mut self) -> Self {
        Self::new(self.bits())
    }

    /// Sixty-four random bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Uniform in `[0, 1)`.
    pub fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// Uniform in `[low, high)`.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.uniform()
    }

    /// Uniform in `0..count`; 0 where `count` is 0.
    pub fn below(&mut self, count: usize) -> usize {
        ((u128::from(self.bits()) * count as u128) >> 64) as usize
    }

    /// Standard normal, by the polar method.
    pub fn normal(&mut self) -> f64 {
        loop {
            let (u, v) = (2.0 * self.uniform() - 1.0, 2.0 * self.uniform() - 1.0);
            let square = u * u + v * v;
            if square > 0.0 && square < 1.0 {
                return u * (-2.0 * square.ln() / square).sqrt();
            }
        }
    }

    /// Fills a slice with standard normals.
    pub fn normals(&mut self, out: &mut [f64]) {
        out.iter_mut().for_each(|value| *value = self.normal());
    }

    /// Shuffles in place, every order equally likely.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }
}

/// The finaliser of `SplitMix64`: every input bit reaches every output bit.
fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normals_have_mean_zero_and_variance_one() {
        let mut rng = Rng::new(1);
        let mut sample = vec![0.0; 200_000];
        rng.normals(&mut sample);
        let mean = sample.iter().sum::<f64>() / sample.len() as f64;
        let variance = sample.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / sample.len() as f64;
        assert!(mean.abs() < 0.01 && (variance - 1.0).abs() < 0.02, "{mean} {variance}");
    }

    #[test]
    fn below_reaches_every_number_about_equally_often() {
        let mut rng = Rng::new(2);
        let mut counts = [0_usize; 7];
        (0..70_000).for_each(|_| counts[rng.below(7)] += 1);
        assert!(
            counts.iter().all(|&count| (9_500..10_500).contains(&count)),
            "{counts:?}"
        );
    }

    #[test]
    fn a_stored_sequence_never_changes() {
        let mut rng = Rng::keyed(7, &[3, 1]);
        let drawn: Vec<u64> = (0..3).map(|_| rng.bits()).collect();
        assert_eq!(
            drawn, STORED,
            "studies of released versions would no longer continue as they began"
        );
    }

    const STORED: [u64; 3] = [
        6_688_078_018_303_275_718,
        4_422_772_578_131_917_403,
        16_078_385_620_582_108_868,
    ];
}
