//! Seeded choices for experiments that make up rows and requests of many kinds.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use crate::users::mix;

/// Choices that are the same for the same seed and path.
#[derive(Debug, Clone)]
pub struct Dice(SmallRng);

impl Dice {
    /// Choices of a seed for one purpose; `path` tells purposes apart.
    pub fn new(seed: u64, path: &[u64]) -> Dice {
        let mixed = path.iter().fold(mix(seed), |so_far, step| mix(so_far ^ mix(*step)));
        Dice(SmallRng::seed_from_u64(mixed))
    }

    /// A number from `least` to `most`, both included.
    pub fn between(&mut self, least: i64, most: i64) -> i64 {
        self.0.random_range(least..=most)
    }

    /// True in so many of a hundred cases.
    pub fn percent(&mut self, percent: i64) -> bool {
        self.between(1, 100) <= percent
    }

    /// One of these.
    pub fn one_of<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.0.random_range(0..of.len())]
    }

    /// Letters and digits, as many as chosen from `least` to `most`.
    pub fn letters(&mut self, least: i64, most: i64) -> String {
        const LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
        let length = self.between(least, most);
        (0..length).map(|_| char::from(*self.one_of(LETTERS))).collect()
    }

    /// So many digits.
    pub fn digits(&mut self, length: usize) -> String {
        (0..length).map(|_| char::from(*self.one_of(b"0123456789"))).collect()
    }

    /// So many words of ordinary text.
    pub fn words(&mut self, count: i64) -> String {
        let words: Vec<&str> = (0..count).map(|_| *self.one_of(WORDS)).collect();
        words.join(" ")
    }

    /// The numbers from 1 to `most` in any order.
    pub fn permutation(&mut self, most: i64) -> Vec<i64> {
        let mut numbers: Vec<i64> = (1..=most).collect();
        for at in (1..numbers.len()).rev() {
            numbers.swap(at, self.0.random_range(0..=at));
        }
        numbers
    }
}

/// What texts are made of.
pub const WORDS: &[&str] = &[
    "river", "stone", "garden", "window", "copper", "silver", "morning", "winter", "summer",
    "letter", "house", "bridge", "forest", "paper", "market", "engine", "harbour", "island",
    "lantern", "meadow", "mountain", "orange", "pepper", "quarter", "railway", "saddle", "table",
    "under", "valley", "wagon", "yellow", "anchor", "barrel", "candle", "door", "eagle", "field",
    "glass", "hammer", "iron", "jacket", "kettle", "linen", "mirror", "needle", "ocean", "pencil",
    "quiet", "ribbon", "shadow", "thread", "uncle", "velvet", "whistle", "young", "amber",
    "basket", "cotton", "dragon", "ember",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_path_gives_the_same_choices_and_another_gives_others() {
        let of = |path: &[u64]| Dice::new(7, path).letters(40, 40);
        assert_eq!(of(&[1, 2]), of(&[1, 2]));
        assert_ne!(of(&[1, 2]), of(&[2, 1]));
        let mut numbers = Dice::new(7, &[]).permutation(100);
        numbers.sort_unstable();
        assert_eq!(numbers, (1..=100).collect::<Vec<_>>());
    }
}
