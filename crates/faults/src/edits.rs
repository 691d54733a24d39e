//! A file's bytes: what was synced, and edits of which a cut leaves any part.
//!
//! What a disk may hold of unsynced edits, one of these at random for each file and cut:
//! - nothing, or everything;
//! - the edits up to one of them, that one torn at a sector of 512 bytes;
//! - any subset of their sectors, in any order: a cache writes back as it likes. The size is that
//!   after any of the edits, and what lies below it unwritten is zeros, or the bytes of before;
//! - of a sector now and then only the first bytes.
//!
//! A truncation keeps its place among the edits: what was written before it never comes back.

use crate::dice::Dice;

const SECTOR: usize = 512;

/// One change of a file's bytes.
#[derive(Clone, Debug)]
pub(crate) enum Edit {
    Write { offset: usize, bytes: Vec<u8> },
    Size(usize),
}

/// A file's bytes on the disk and on their way there.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bytes {
    synced: Vec<u8>,
    pending: Vec<Edit>,
    /// Edits that became synced so far.
    done: u64,
}

impl Bytes {
    pub fn edit(&mut self, edit: Edit) {
        self.pending.push(edit);
    }

    /// What a sync that begins now will have covered.
    pub fn mark(&self) -> u64 {
        self.done + self.pending.len() as u64
    }

    /// A sync that began at `mark` has ended.
    pub fn synced(&mut self, mark: u64) {
        let count = mark.saturating_sub(self.done) as usize;
        for edit in self.pending.drain(..count) {
            apply(&mut self.synced, &edit);
        }
        self.done += count as u64;
    }

    /// What is on the disk for certain.
    pub fn on_disk(&self) -> &[u8] {
        &self.synced
    }

    /// As the running process sees it.
    pub fn live(&self) -> Vec<u8> {
        let mut bytes = self.synced.clone();
        self.pending.iter().for_each(|edit| apply(&mut bytes, edit));
        bytes
    }

    /// What a cut leaves.
    pub fn after_cut(&self, dice: &mut Dice) -> Vec<u8> {
        if self.pending.is_empty() {
            return self.synced.clone();
        }
        match dice.below(6) {
            0 => self.synced.clone(),
            1 => self.live(),
            2 | 3 => self.torn_prefix(dice),
            _ => self.any_sectors(dice),
        }
    }

    fn torn_prefix(&self, dice: &mut Dice) -> Vec<u8> {
        let mut bytes = self.synced.clone();
        let whole = dice.below(self.pending.len() as u64) as usize;
        self.pending[..whole].iter().for_each(|edit| apply(&mut bytes, edit));
        if let Edit::Write { offset, bytes: written } = &self.pending[whole] {
            let kept = tear(*offset, written.len(), dice);
            let torn = Edit::Write { offset: *offset, bytes: written[..kept].to_vec() };
            apply(&mut bytes, &torn);
        }
        bytes
    }

    fn any_sectors(&self, dice: &mut Dice) -> Vec<u8> {
        // From the last truncation that came to the disk; later ones did not.
        let sizes = self.pending.iter().enumerate();
        let sizes = sizes.filter(|(_, edit)| matches!(edit, Edit::Size(_)));
        let truncations: Vec<usize> = sizes.map(|(at, _)| at).collect();
        let kept = dice.below(truncations.len() as u64 + 1) as usize;
        let begin = if kept == 0 { 0 } else { truncations[kept - 1] + 1 };
        let end = truncations.get(kept).copied().unwrap_or(self.pending.len());
        let mut bytes = self.synced.clone();
        self.pending[..begin].iter().for_each(|edit| apply(&mut bytes, edit));
        let loose = &self.pending[begin..end];
        let mut size = bytes.len();
        let sized = dice.below(loose.len() as u64 + 1) as usize;
        let one_in = 1 + dice.below(8);
        for (position, edit) in loose.iter().enumerate() {
            let Edit::Write { offset, bytes: written } = edit else { continue };
            if position < sized {
                size = size.max(offset + written.len());
            }
            let mut at = 0;
            while at < written.len() {
                let end = ((offset + at) / SECTOR + 1) * SECTOR - offset;
                let mut end = end.min(written.len());
                if !dice.one_of(one_in) {
                    if dice.one_of(200) {
                        end = at + dice.below((end - at) as u64) as usize;
                    }
                    put(&mut bytes, offset + at, &written[at..end]);
                }
                at = ((offset + at) / SECTOR + 1) * SECTOR - offset;
            }
        }
        bytes.resize(size, 0);
        bytes
    }
}

/// How many bytes of a write came to the disk: whole sectors, seldom a part of one.
fn tear(offset: usize, length: usize, dice: &mut Dice) -> usize {
    let kept = dice.below(length as u64 + 1) as usize;
    if dice.one_of(4) {
        return kept;
    }
    ((offset + kept) / SECTOR * SECTOR).saturating_sub(offset).min(length)
}

fn apply(bytes: &mut Vec<u8>, edit: &Edit) {
    match edit {
        Edit::Write { offset, bytes: written } => put(bytes, *offset, written),
        Edit::Size(size) => bytes.resize(*size, 0),
    }
}

fn put(bytes: &mut Vec<u8>, offset: usize, written: &[u8]) {
    let end = offset + written.len();
    if bytes.len() < end {
        bytes.resize(end, 0);
    }
    bytes[offset..end].copy_from_slice(written);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(offset: usize, bytes: &[u8]) -> Edit {
        Edit::Write { offset, bytes: bytes.to_vec() }
    }

    #[test]
    fn what_was_synced_survives_every_cut_and_the_rest_does_not_always() {
        let mut file = Bytes::default();
        file.edit(write(0, &[1; 1000]));
        let mark = file.mark();
        file.edit(write(1000, &[2; 3000]));
        file.synced(mark);
        let cuts: Vec<Vec<u8>> =
            (0..500).map(|seed| file.after_cut(&mut Dice::new(seed))).collect();
        assert!(cuts.iter().all(|bytes| bytes[..1000] == [1; 1000]));
        assert!(cuts.iter().any(|bytes| bytes.len() == 1000));
        assert!(cuts.iter().any(|bytes| bytes[1000..] == [2; 3000]));
        // A later sector without an earlier one.
        assert!(cuts.iter().any(|bytes| bytes.len() > 3000 && bytes[1024] == 0));
        // A sector by half.
        assert!(cuts.iter().any(|bytes| bytes.len() % SECTOR != 0 && bytes.len() > 1000));
    }

    #[test]
    fn what_a_truncation_took_away_never_comes_back_behind_it() {
        let mut file = Bytes::default();
        file.edit(write(0, &[1; 600]));
        file.synced(file.mark());
        file.edit(Edit::Size(0));
        file.edit(write(0, &[2; 600]));
        for seed in 0..500 {
            let bytes = file.after_cut(&mut Dice::new(seed));
            let mixed = bytes.contains(&1) && bytes.contains(&2);
            assert!(!mixed, "seed {seed}");
        }
    }
}
