//! Numbers from a seed: the same seed gives the same numbers on every machine.

/// A source of numbers.
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// From a seed.
    pub fn new(seed: u64) -> Dice {
        let mut dice = Dice(seed ^ 0x9e37_79b9_7f4a_7c15);
        // Seeds that differ little are to give numbers that differ much.
        dice.below(2);
        dice.below(2);
        dice
    }

    /// One of the numbers below `end`, which is not 0.
    pub fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        let mixed = (self.0 ^ (self.0 >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (mixed >> 32) % end
    }

    /// Whether one case out of so many comes.
    pub fn one_of(&mut self, cases: u64) -> bool {
        self.below(cases) == 0
    }
}
