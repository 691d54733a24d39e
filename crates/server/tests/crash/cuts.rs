//! Many cuts of one recording: at which moments, what is left, and whether that is right.

use std::collections::HashMap;
use std::fmt;
use std::fs;
use std::ops::AddAssign;
use std::path::Path;

use faults::{Dice, Disk, Journal, Kind};

use crate::account::Moment;
use crate::doors::look_through_doors;
use crate::found::look_also_at_segments;
use crate::judge::{Judge, Stake};
use crate::recording::{Recording, place};
use crate::segments::lists_one;

/// Each cut of so many is opened by a server, too, and looked at through the doors.
const SERVED_ONE_IN: u64 = 25;

/// What a number of cuts has shown.
#[derive(Clone, Copy, Debug, Default)]
pub struct Figures {
    pub cuts: u64,
    pub served: u64,
    pub stake: Stake,
    pub empty: u64,
    /// Left a log that was laid out ahead.
    pub laid_out: u64,
    /// Left segments of columnar tables, and of these fell amid the mover's work on one.
    pub sealed: u64,
    pub amid_moves: u64,
}

impl AddAssign for Figures {
    fn add_assign(&mut self, other: Figures) {
        self.cuts += other.cuts;
        self.served += other.served;
        self.empty += other.empty;
        self.laid_out += other.laid_out;
        self.sealed += other.sealed;
        self.amid_moves += other.amid_moves;
        self.stake.told += other.stake.told;
        self.stake.under_way += other.stake.under_way;
        self.stake.lost += other.stake.lost;
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Figures { cuts, served, stake, empty, laid_out, sealed, amid_moves } = self;
        let Stake { told, under_way, lost } = stake;
        write!(
            f,
            "{cuts} cuts ({served} served, {empty} before there was anything, {laid_out} with a \
             log laid out, {sealed} with segments, {amid_moves} amid a move), {told} writes answered before them, {under_way} under way, {lost} \
             answered ones gone"
        )
    }
}

/// A cut: after so many records, and the seed of what is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cut {
    pub position: u64,
    pub seed: u64,
}

/// Why a cut is wrong.
pub struct Wrong {
    pub cut: Cut,
    pub why: String,
}

/// Of five moments two anywhere, two right after syncs begin or end and names change, and one right
/// after a piece of a segment was listed, if any was.
pub fn moments(recording: &Recording, count: u64, seed: u64) -> Vec<Cut> {
    let mut dice = Dice::new(seed);
    let (mut events, mut moves) = (Vec::new(), Vec::new());
    let mut logs = HashMap::new();
    let mut total = 0;
    for record in Journal::open(&recording.journal).expect("the journal") {
        total += 1;
        match record.kind {
            Kind::Tick | Kind::Truncate { .. } => {}
            Kind::Write { bytes, .. } => {
                if logs.get(&record.handle) == Some(&true) && lists_one(&bytes) {
                    moves.push(total);
                }
            }
            Kind::Open { path, .. } => {
                logs.insert(record.handle, path.ends_with(".log"));
                events.push(total);
            }
            _ => events.push(total),
        }
    }
    let mut cuts: Vec<Cut> = (0..count)
        .map(|number| {
            let mut one_of = |moments: &[u64]| moments[dice.below(moments.len() as u64) as usize];
            let position = match number % 5 {
                0 if !moves.is_empty() => one_of(&moves),
                1 | 2 => one_of(&events),
                _ => dice.below(total + 1),
            };
            Cut { position, seed: dice.below(1 << 32) }
        })
        .collect();
    cuts.sort_unstable();
    cuts
}

/// Makes the cuts, which are in order, and judges what each leaves by a durability.
pub fn cut_and_judge(
    recording: &Recording,
    durability: &str,
    cuts: &[Cut],
) -> Result<Figures, Wrong> {
    let ticks = ticks(recording);
    let judge = Judge::new(durability, &recording.accounts, &recording.seen, &ticks);
    let mut figures = Figures::default();
    for_each_cut(recording, cuts, &mut |disk, cut, at| {
        figures += one_cut(disk, &judge, cut, at)?;
        Ok(())
    })?;
    Ok(figures)
}

/// When the layer's clock has ticked, in nanoseconds since 1970.
pub fn ticks(recording: &Recording) -> Vec<u64> {
    let journal = Journal::open(&recording.journal).expect("the journal");
    let ticks = journal.filter(|record| record.kind == Kind::Tick);
    ticks.map(|record| record.nanos).collect()
}

/// Brings a disk to each of the cuts, which are in order, and looks at it there.
pub fn for_each_cut(
    recording: &Recording,
    cuts: &[Cut],
    look: &mut dyn FnMut(&Disk, Cut, Moment) -> Result<(), String>,
) -> Result<(), Wrong> {
    let mut disk = Disk::default();
    let mut journal = Journal::open(&recording.journal).expect("the journal");
    let (mut position, mut nanos) = (0, 0);
    for cut in cuts {
        while position < cut.position {
            let Some(record) = journal.next() else { break };
            disk.take(&record);
            (position, nanos) = (position + 1, record.nanos);
        }
        let at = Moment { position: cut.position, nanos };
        look(&disk, *cut, at).map_err(|why| Wrong { cut: *cut, why })?;
    }
    Ok(())
}

/// Writes what a cut leaves, to be looked at.
pub fn write_disk(recording: &Recording, cut: Cut, directory: &Path) {
    let mut disk = Disk::default();
    let journal = Journal::open(&recording.journal).expect("the journal");
    journal.take(cut.position as usize).for_each(|record| disk.take(&record));
    disk.cut(cut.seed, directory).expect("the disk is written");
}

fn one_cut(disk: &Disk, judge: &Judge<'_>, cut: Cut, at: Moment) -> Result<Figures, String> {
    let left = |base: &Path| {
        let root = base.join("disk");
        disk.cut(cut.seed, &root).expect("the disk is written");
        root.join("data")
    };
    let base = place();
    let data = left(base.path());
    let laid_out = has_log_laid_out(&data.join("rows"));
    let (found, segments) = look_also_at_segments(&data)?;
    let stake = judge.judge(at, &found)?;
    let mut figures = Figures { cuts: 1, stake, ..Figures::default() };
    figures.empty = u64::from(found.is_empty());
    figures.laid_out = u64::from(laid_out);
    figures.sealed = u64::from(segments.listed > 0);
    figures.amid_moves = u64::from(segments.unfinished > 0);
    if cut.seed.is_multiple_of(SERVED_ONE_IN) {
        fs::remove_dir_all(base.path().join("disk")).expect("no longer needed");
        look_through_doors(&left(base.path()), &found)?;
        figures.served = 1;
    }
    Ok(figures)
}

/// Whether a log of a directory ends with more zeros than any record does.
fn has_log_laid_out(rows: &Path) -> bool {
    let Ok(entries) = fs::read_dir(rows) else { return false };
    let mut paths = entries.flatten().map(|entry| entry.path());
    paths.any(|path| {
        let is_log = path.extension().is_some_and(|end| end == "log");
        is_log && fs::read(path).is_ok_and(|bytes| bytes.ends_with(&[0; 1000]))
    })
}
