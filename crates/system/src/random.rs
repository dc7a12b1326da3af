//! Random numbers that are the same on every machine: SplitMix64
//! (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014).

/// A sequence of numbers, by its state.
pub struct Random(pub u64);

impl Random {
    /// A separate sequence for each index of each seed.
    pub fn new(seed: u64, index: u64) -> Random {
        let mut outer = Random(seed);
        let start = outer.number() ^ index.wrapping_mul(0xd134_2543_de82_ef95);
        Random(start)
    }

    /// The next number, uniformly distributed.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `count`, or 0 if that is 0.
    pub fn below(&mut self, count: usize) -> usize {
        (self.number() % count.max(1) as u64) as usize
    }

    /// True once in `times`.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub fn shuffle<T>(&mut self, all: &mut [T]) {
        for at in 1..all.len() {
            all.swap(at, self.below(at + 1));
        }
    }

    /// One of them, if there are any.
    pub fn pick<'t, T: ?Sized>(&mut self, all: &[&'t T]) -> Option<&'t T> {
        all.get(self.below(all.len())).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_is_that_of_the_paper() {
        let mut random = Random(1234567);
        let expected = [6457827717110365317, 3203168211198807973];
        assert_eq!([random.number(), random.number()], expected);
    }

    #[test]
    fn sequences_differ_by_seed_and_index() {
        let first = |seed, index| Random::new(seed, index).number();
        assert_eq!(first(1, 2), first(1, 2));
        assert_ne!(first(1, 2), first(1, 3));
        assert_ne!(first(1, 2), first(2, 2));
    }
}
