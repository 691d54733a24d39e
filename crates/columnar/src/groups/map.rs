//! From slots to groups.
//!
//! Not here: what the numbers of a slot stand for (`key`).

use foldhash::fast::RandomState;
use hashbrown::HashMap;
use hashbrown::hash_map::Entry;

use super::key::Key;

/// Slots up to which their groups are found by place; more are hashed.
const PLACES_MAX: u64 = 1 << 20;
/// As many places as this are made for however few rows.
const PLACES_MIN: u64 = 1 << 14;
/// Places up to which a batch's rows are counted by place first.
const TALLIES_MAX: usize = 1 << 11;
/// Rows next to each other are counted apart: they are often of one place, and a processor adds to
/// it only when it has seen to the row before.
const TALLIES: usize = 4;
/// No group yet.
const NONE: u32 = u32::MAX;

/// The groups of slots.
#[derive(Default)]
pub(super) struct Map {
    /// How many numbers each key may have, and what one of them adds to a slot.
    radices: Vec<(u32, u32)>,
    groups: GroupMap,
    /// How many rows of a batch each place has, `TALLIES` times.
    tallies: Vec<u32>,
}

enum GroupMap {
    Places(Vec<u32>),
    Hashed(HashMap<u32, u32, RandomState>),
}

impl Default for GroupMap {
    fn default() -> GroupMap {
        GroupMap::Places(Vec::new())
    }
}

impl GroupMap {
    /// The entry of a slot, to be filled if it is `NONE`.
    #[inline]
    fn entry(&mut self, slot: u32) -> &mut u32 {
        match self {
            GroupMap::Places(places) => &mut places[slot as usize],
            GroupMap::Hashed(hashed) => match hashed.entry(slot) {
                Entry::Occupied(entry) => entry.into_mut(),
                Entry::Vacant(entry) => entry.insert(NONE),
            },
        }
    }
}

impl Map {
    pub fn bytes(&self) -> usize {
        match &self.groups {
            GroupMap::Places(places) => places.capacity() * size_of::<u32>(),
            GroupMap::Hashed(hashed) => hashed.allocation_size(),
        }
    }

    /// What one more of each key's number adds to a slot.
    pub fn strides(&self) -> impl Iterator<Item = u32> {
        self.radices.iter().map(|(_, stride)| *stride)
    }

    /// Makes room for all numbers that the keys have now; `false` when there would be too many
    /// slots. `rows`: about how many are to come.
    pub fn fit(&mut self, keys: &[Key], rows: u64) -> bool {
        let fits = |(key, (radix, _)): (&Key, &(u32, u32))| key.numbers() <= *radix;
        if self.radices.len() == keys.len() && keys.iter().zip(&self.radices).all(fits) {
            // Without keys there is one slot.
            if !keys.is_empty() || self.bytes() > 0 {
                return true;
            }
        }
        let (mut radices, mut slots) = (Vec::with_capacity(keys.len()), 1u64);
        for key in keys {
            let radix = key.radix();
            radices.push((radix, slots as u32));
            slots *= u64::from(radix);
            if slots > u64::from(u32::MAX) {
                return false;
            }
        }
        self.groups = match slots <= PLACES_MAX && slots <= rows.saturating_mul(4).max(PLACES_MIN) {
            true => GroupMap::Places(vec![NONE; slots as usize]),
            false => GroupMap::Hashed(HashMap::default()),
        };
        self.radices = radices;
        // Groups that were found before keep their numbers.
        let found = keys.first().map_or(0, Key::found);
        for group in 0..found {
            let parts = keys.iter().zip(self.strides());
            let slot: u32 = parts.map(|(key, stride)| key.number_of(group) * stride).sum();
            *self.groups.entry(slot) = group as u32;
        }
        true
    }

    /// The group of a slot, which may be a new one.
    #[inline]
    pub fn group(&mut self, slot: u32, keys: &mut [Key], counts: &mut Vec<i64>) -> usize {
        let entry = self.groups.entry(slot);
        if *entry == NONE {
            *entry = counts.len() as u32;
            counts.push(0);
            for (key, (radix, stride)) in keys.iter_mut().zip(&self.radices) {
                key.push(slot / stride % radix);
            }
        }
        *entry as usize
    }

    /// Counts the rows of some slots, and gives the group of each where that is asked for.
    pub fn count(
        &mut self,
        slots: &[u32],
        keys: &mut [Key],
        counts: &mut Vec<i64>,
        out: Option<&mut Vec<usize>>,
    ) {
        if out.is_none() && self.tally(slots, keys, counts) {
            return;
        }
        let each = slots.iter().map(|slot| {
            let group = self.group(*slot, keys, counts);
            counts[group] += 1;
            group
        });
        match out {
            Some(out) => out.extend(each),
            None => each.for_each(drop),
        }
    }

    /// As `count`, where the places are few; else `false`, and nothing is done.
    fn tally(&mut self, slots: &[u32], keys: &mut [Key], counts: &mut Vec<i64>) -> bool {
        let GroupMap::Places(places) = &self.groups else { return false };
        let count = places.len();
        if count > TALLIES_MAX || slots.len() < count {
            return false;
        }
        let mut tallies = std::mem::take(&mut self.tallies);
        tallies.clear();
        tallies.resize(TALLIES * count, 0);
        let (fours, rest) = slots.as_chunks::<TALLIES>();
        for four in fours {
            for (number, slot) in four.iter().enumerate() {
                tallies[number * count + *slot as usize] += 1;
            }
        }
        rest.iter().for_each(|slot| tallies[*slot as usize] += 1);
        for slot in 0..count {
            let rows: u32 = (0..TALLIES).map(|number| tallies[number * count + slot]).sum();
            if rows > 0 {
                let group = self.group(slot as u32, keys, counts);
                counts[group] += i64::from(rows);
            }
        }
        self.tallies = tallies;
        true
    }
}
