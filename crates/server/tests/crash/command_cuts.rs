//! Cuts amid backups and restores, and what each may leave.
//!
//! The rules
//! 1. A backup that was told is there after every later cut, until a command begins to remove it:
//!    its files are as its list has them, and restored it has exactly the rows that it had.
//! 2. Whatever bears a backup's number is one by rule 1: an unfinished one, or one that is half
//!    removed, is never taken for a backup.
//! 3. The next backup works. It has the rows that the store has after the cut, earlier backups are
//!    as they were, and nothing else is left in their directory.
//! 4. A restore that was told is a data directory with exactly the backup's rows. One that was not
//!    is either that, or refused, and the same command then makes it.
//! 5. The server's own data directory keeps the promises of its durability (`judge`).
//!
//! And of each backup, without any cut: it is of one moment while it was taken.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt;
use std::fs;
use std::ops::AddAssign;
use std::path::Path;

use faults::{Dice, Disk, Journal, Kind};
use rows_rocks::Backups;

use crate::account::Moment;
use crate::commands::{BACKUPS, Command, Does};
use crate::cuts::{Cut, Wrong, for_each_cut, ticks};
use crate::found::{Found, look};
use crate::judge::Judge;
use crate::recording::{Recording, place};
use crate::support::run;

/// After each cut of so many `rowhouse check --backup` reads a backup, too.
const CHECKED_ONE_IN: u64 = 8;

/// What a number of cuts has shown.
#[derive(Clone, Copy, Debug, Default)]
pub struct CommandFigures {
    pub cuts: u64,
    /// Backups that were told and are whole after a cut.
    pub backups: u64,
    /// Cuts that fell into a backup, and those after which it was none.
    pub amid_backups: u64,
    pub unfinished: u64,
    /// Restores that were told and are whole after a cut.
    pub restores: u64,
    /// Cuts that fell into a restore, and those after which it was refused and repeated.
    pub amid_restores: u64,
    pub repeated: u64,
}

impl AddAssign for CommandFigures {
    fn add_assign(&mut self, other: CommandFigures) {
        self.cuts += other.cuts;
        self.backups += other.backups;
        self.amid_backups += other.amid_backups;
        self.unfinished += other.unfinished;
        self.restores += other.restores;
        self.amid_restores += other.amid_restores;
        self.repeated += other.repeated;
    }
}

impl fmt::Display for CommandFigures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let CommandFigures { cuts, backups, amid_backups, unfinished, .. } = self;
        let CommandFigures { restores, amid_restores, repeated, .. } = self;
        write!(
            f,
            "{cuts} cuts, after which {backups} backups and {restores} restores that were told \
             are whole; {amid_backups} amid a backup ({unfinished} leave none), {amid_restores} \
             amid a restore ({repeated} repeated)"
        )
    }
}

/// Cuts amid the commands: most right after something that a command, or the server for it, did.
pub fn moments_of_commands(recording: &Recording, count: u64, seed: u64) -> Vec<Cut> {
    let mut dice = Dice::new(seed);
    let mut events = vec![Vec::new(); recording.commands.len()];
    let mut handles = HashSet::new();
    let journal = Journal::open(&recording.journal).expect("the journal");
    for (position, record) in (1..).zip(journal) {
        let concerns = match &record.kind {
            Kind::Open { path, .. } if concerns(path) => handles.insert(record.handle),
            Kind::Open { .. } | Kind::Tick => false,
            Kind::Link { to: path, .. }
            | Kind::Rename { to: path, .. }
            | Kind::Unlink { path }
            | Kind::MakeDirectory { path }
            | Kind::RemoveDirectory { path } => concerns(path),
            _ => handles.contains(&record.handle),
        };
        let amid = recording.commands.iter().position(|command| command.is_amid(position));
        if let (true, Some(command)) = (concerns, amid) {
            events[command].push(position);
        }
    }
    let mut cuts: Vec<Cut> = (0..count)
        .map(|_| {
            let at = dice.below(events.len() as u64) as usize;
            let (command, events) = (&recording.commands[at], &events[at]);
            let position = match dice.one_of(5) {
                true => command.began.position + dice.below(command.records() + 1),
                false => events[dice.below(events.len() as u64) as usize],
            };
            Cut { position, seed: dice.below(1 << 32) }
        })
        .collect();
    cuts.sort_unstable();
    cuts
}

/// Whether a path is one that only backups and restores use.
fn concerns(path: &str) -> bool {
    ["kept", "restored", "data/backup"].iter().any(|begin| path.starts_with(begin))
}

impl Command {
    fn records(&self) -> u64 {
        self.told.position - self.began.position
    }

    fn is_amid(&self, position: u64) -> bool {
        (self.began.position..self.told.position).contains(&position)
    }
}

/// Makes the cuts, which are in order, and judges what each leaves.
pub fn cut_commands_and_judge(
    recording: &Recording,
    cuts: &[Cut],
) -> Result<CommandFigures, Wrong> {
    let rows = rows_of_backups(recording);
    let ticks = ticks(recording);
    let judge = Judge::new(&recording.durability, &recording.accounts, &[], &ticks);
    let mut figures = CommandFigures::default();
    for_each_cut(recording, cuts, &mut |disk, cut, at| {
        let base = place();
        let root = base.path().join("disk");
        disk.cut(cut.seed, &root).expect("the disk is written");
        let left = Left { recording, rows: &rows, root: &root, cut };
        figures += left.judge(&judge, at)?;
        Ok(())
    })?;
    Ok(figures)
}

/// What each backup holds when it is told, and that this is of one moment.
fn rows_of_backups(recording: &Recording) -> BTreeMap<u64, Found> {
    let judge = Judge::new("every-commit", &recording.accounts, &[], &[]);
    let mut journal = Journal::open(&recording.journal).expect("the journal");
    let (mut disk, mut position) = (Disk::default(), 0);
    let mut rows = BTreeMap::new();
    for command in &recording.commands {
        let Does::Backup { .. } = command.does else { continue };
        while position < command.told.position {
            disk.take(&journal.next().expect("the journal is whole"));
            position += 1;
        }
        let base = place();
        let root = base.path().join("disk");
        disk.live_to(&root).expect("the files are written");
        let found = restore(&root, "now", command.number).and_then(|()| look(&root.join("now")));
        let found = found.unwrap_or_else(|why| panic!("backup {}: {why}", command.number));
        let judged = judge.judge_between(command.began, command.told, &found);
        judged.unwrap_or_else(|why| panic!("backup {}: {why}", command.number));
        rows.insert(command.number, found);
    }
    rows
}

/// A disk after a cut.
struct Left<'a> {
    recording: &'a Recording,
    rows: &'a BTreeMap<u64, Found>,
    root: &'a Path,
    cut: Cut,
}

impl Left<'_> {
    fn judge(&self, judge: &Judge<'_>, at: Moment) -> Result<CommandFigures, String> {
        let mut figures = CommandFigures { cuts: 1, ..CommandFigures::default() };
        let data_dir = self.root.join("data");
        let now = look(&data_dir)?;
        judge.judge(at, &now)?;
        let there = self.backups(&mut figures)?;
        let next = self.next_backup(&now)?;
        for number in &there {
            verify(self.root, *number).map_err(|why| format!("after the next backup: {why}"))?;
        }
        for command in &self.recording.commands {
            if let Does::Restore { to } = &command.does
                && command.began.position < self.cut.position
            {
                let from = if there.contains(&command.number) { command.number } else { next };
                let rows = if from == next { &now } else { &self.rows[&from] };
                self.restored(command, to, (from, rows), &mut figures)?;
            }
        }
        Ok(figures)
    }

    /// Rules 1 and 2; gives the numbers of the backups that are there.
    fn backups(&self, figures: &mut CommandFigures) -> Result<BTreeSet<u64>, String> {
        let directory = self.root.join(BACKUPS);
        let listed = Backups::to_list(&directory).and_then(|backups| backups.numbers());
        let there: BTreeSet<u64> = listed.unwrap_or_default().into_iter().collect();
        let mut promised = BTreeSet::new();
        for command in &self.recording.commands {
            let Does::Backup { removes } = &command.does else { continue };
            if command.told.position <= self.cut.position {
                promised.insert(command.number);
            } else if command.is_amid(self.cut.position) {
                figures.amid_backups += 1;
                figures.unfinished += u64::from(!there.contains(&command.number));
            }
            if command.began.position < self.cut.position {
                removes.iter().for_each(|number| _ = promised.remove(number));
            }
        }
        if let Some(gone) = promised.difference(&there).next() {
            return Err(format!("backup {gone} was told and is gone"));
        }
        figures.backups += promised.len() as u64;
        for number in &there {
            verify(self.root, *number)?;
        }
        let numbers: Vec<u64> = there.iter().copied().collect();
        if !numbers.is_empty() {
            let number = numbers[Dice::new(self.cut.seed).below(numbers.len() as u64) as usize];
            restore(self.root, "again", number)?;
            same(&look(&self.root.join("again"))?, &self.rows[&number])
                .map_err(|why| format!("backup {number}: {why}"))?;
            if self.cut.seed.is_multiple_of(CHECKED_ONE_IN) {
                check(&format!("--backup={}", directory.display()))?;
            }
        }
        Ok(there)
    }

    /// Rule 3; gives the next backup's number.
    fn next_backup(&self, now: &Found) -> Result<u64, String> {
        let directory = self.root.join(BACKUPS);
        let data_dir = format!("--data-dir={}", self.root.join("data").display());
        tell(&["backup", &directory.display().to_string(), &data_dir])?;
        let backups = Backups::to_list(&directory).map_err(|why| why.to_string())?;
        let number = backups.get(None).map_err(|why| why.to_string())?.number;
        verify(self.root, number)?;
        restore(self.root, "next", number)?;
        same(&look(&self.root.join("next"))?, now).map_err(|why| format!("the next one: {why}"))?;
        for entry in fs::read_dir(&directory).expect("readable").flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name != "rowhouse-backups" && name.parse::<u64>().is_err() {
                return Err(format!("{name} is left among the backups"));
            }
        }
        Ok(number)
    }

    /// Rule 4; `again` is the backup that is restored if the restore has to be repeated.
    fn restored(
        &self,
        command: &Command,
        to: &str,
        again: (u64, &Found),
        figures: &mut CommandFigures,
    ) -> Result<(), String> {
        let place = self.root.join(to);
        let opened = check(&format!("--data-dir={}", place.display()));
        let told = command.told.position <= self.cut.position;
        figures.restores += u64::from(told);
        figures.amid_restores += u64::from(!told);
        let of = |why| format!("restored {}, told: {told}: {why}", command.number);
        match opened {
            Ok(()) => same(&look(&place).map_err(of)?, &self.rows[&command.number]).map_err(of),
            Err(why) if told => Err(of(why)),
            Err(why) => {
                let refused = why.contains("no data directory of rowhouse")
                    || why.contains("restore was not finished");
                if !refused {
                    return Err(of(format!("refused with {why:?}")));
                }
                let (number, rows) = again;
                figures.repeated += 1;
                restore(self.root, to, number).map_err(of)?;
                same(&look(&place).map_err(of)?, rows).map_err(of)
            }
        }
    }
}

fn restore(root: &Path, to: &str, number: u64) -> Result<(), String> {
    let backups = root.join(BACKUPS).display().to_string();
    let data_dir = format!("--data-dir={}", root.join(to).display());
    tell(&["restore", &backups, &data_dir, &format!("--number={number}")])
}

fn check(what: &str) -> Result<(), String> {
    tell(&["check", what])
}

/// Runs a command; what it says when it fails.
fn tell(arguments: &[&str]) -> Result<(), String> {
    let output = run(arguments);
    let said = String::from_utf8_lossy(&output.stdout);
    let wrong = String::from_utf8_lossy(&output.stderr);
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("rowhouse {} failed: {said}{wrong}", arguments[0])),
    }
}

/// Whether a backup's files are as its list has them.
fn verify(root: &Path, number: u64) -> Result<(), String> {
    let damages = Backups::to_list(&root.join(BACKUPS)).and_then(|backups| {
        let backup = backups.get(Some(number))?;
        backups.verify(&backup, &mut |_, _| ())
    });
    match damages {
        Ok(damages) if damages.is_empty() => Ok(()),
        Ok(damages) => Err(format!("backup {number} is damaged: {damages:?}")),
        Err(why) => Err(format!("backup {number}: {why}")),
    }
}

fn same(found: &Found, expected: &Found) -> Result<(), String> {
    let missing = expected.keys().filter(|name| !found.contains_key(*name)).count();
    let more = found.keys().filter(|name| !expected.contains_key(*name)).count();
    match found == expected {
        true => Ok(()),
        false => Err(format!("{missing} rows are missing, {more} are too many, or others differ")),
    }
}
