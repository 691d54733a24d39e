//! Backups and restores on the layer, taken while all doors write, and when each of them had told
//! that it was done.
//!
//! Not here: what a cut amid them may leave (`command_cuts`).

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use faults::Dice;

use crate::account::{Account, Moment, moment};
use crate::load::{Ends, start_writers};
use crate::recording::{Recording, Stage};
use crate::support::{Running, rowhouse};

/// The directory of the backups, below the layer's root.
pub const BACKUPS: &str = "kept/backups";
/// Steps of each writer before the first command, and at most during each.
const STEPS_BEFORE: usize = 30;
const STEPS_DURING: usize = 150;

/// A command that was run to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    pub began: Moment,
    pub told: Moment,
    /// Of the backup that it made or restored.
    pub number: u64,
    pub does: Does,
}

/// What a command does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Does {
    /// Adds a backup, and then removes others.
    Backup { removes: Vec<u64> },
    /// Makes a data directory, named below the layer's root.
    Restore { to: String },
}

impl Command {
    /// One line; see `recording`.
    pub fn text(&self) -> String {
        let Command { began, told, number, does } = self;
        let (word, rest) = match does {
            Does::Backup { removes } => ("backup", removes.iter().map(u64::to_string).collect()),
            Does::Restore { to } => ("restore", vec![to.clone()]),
        };
        let (from, to) = (began.position, told.position);
        let rest = rest.join(" ");
        format!("{word} {from} {} {to} {} {number} {rest}", began.nanos, told.nanos)
    }

    /// What `text` gave.
    pub fn read(line: &str) -> Command {
        let words: Vec<&str> = line.split_whitespace().collect();
        let number = |at: usize| words[at].parse().expect("a number");
        let moment = |at: usize| Moment { position: number(at), nanos: number(at + 1) };
        let does = match words[0] {
            "backup" => Does::Backup { removes: (6..words.len()).map(number).collect() },
            _ => Does::Restore { to: words[6].to_owned() },
        };
        Command { began: moment(1), told: moment(3), number: number(5), does }
    }
}

/// Runs commands of each kind, all but the last two while a server takes writes.
pub fn record_commands(durability: &str, seed: u64) -> Recording {
    let stage = Stage::new();
    let server = stage.serve(durability);
    let mut load = Load { seed, accounts: Vec::new() };
    load.during(&stage, &server, STEPS_BEFORE, || ());
    let mut commands = Vec::new();
    let more: [&[&str]; 5] = [&[], &[], &["--full"], &["--keep=2"], &["--keep=3"]];
    for (turn, flags) in more.iter().enumerate() {
        load.during(&stage, &server, STEPS_DURING, || commands.push(backup(&stage, flags)));
        if turn % 2 == 1 {
            let number = turn as u64 + 1;
            load.during(&stage, &server, STEPS_DURING, || commands.push(restore(&stage, number)));
        }
    }
    assert_eq!(server.stop().code(), Some(0));
    commands.push(backup(&stage, &[]));
    commands.push(restore(&stage, 6));
    stage.end(durability, load.accounts, Vec::new(), commands)
}

/// Writers, with accounts of their own each time.
struct Load {
    seed: u64,
    accounts: Vec<Account>,
}

impl Load {
    /// Lets all doors write while `work` goes on, or for so many steps when it is short.
    fn during(&mut self, stage: &Stage, server: &Running, steps_max: usize, work: impl FnOnce()) {
        let seed = Dice::new(self.seed ^ self.accounts.len() as u64).below(1 << 32);
        let ended = Arc::new(AtomicBool::new(false));
        let ends = Ends { seed, steps_max, ended: ended.clone(), begun: Arc::default() };
        let before = self.accounts.len() as u64;
        let writers = start_writers(server, &|| stage.position(), &ends, before);
        work();
        ended.store(steps_max == STEPS_DURING, Ordering::Relaxed);
        let accounts = writers.into_iter().map(|writer| writer.join().expect("a writer"));
        self.accounts.extend(accounts);
    }
}

fn backup(stage: &Stage, flags: &[&str]) -> Command {
    let (began, told, said) = tell(stage, "backup", &stage.root.join("data"), flags);
    let mut number = None;
    let mut removes = Vec::new();
    for line in said.lines() {
        let rest = line.strip_prefix("backup ").expect("each line is about a backup");
        match rest.strip_suffix(" removed") {
            Some(gone) => removes.push(gone.parse().expect("a number")),
            None => number = rest.split(':').next().and_then(|number| number.parse().ok()),
        }
    }
    let number = number.expect("a backup was made");
    Command { began, told, number, does: Does::Backup { removes } }
}

fn restore(stage: &Stage, number: u64) -> Command {
    let to = format!("restored/{number}/data");
    let flag = format!("--number={number}");
    let (began, told, _) = tell(stage, "restore", &stage.root.join(&to), &[&flag]);
    Command { began, told, number, does: Does::Restore { to } }
}

/// Runs a command on the layer; what it says in the end.
fn tell(stage: &Stage, name: &str, data_dir: &Path, flags: &[&str]) -> (Moment, Moment, String) {
    let (backups, data_dir) = (stage.root.join(BACKUPS), data_dir.display());
    let mut command = rowhouse(&[name]);
    command.arg(backups).arg(format!("--data-dir={data_dir}")).args(flags);
    stage.layer.beneath(&mut command);
    let position = stage.position();
    let began = moment(&position);
    let output = command.output().expect("the program starts");
    let told = moment(&position);
    let wrong = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name}: {wrong}");
    (began, told, String::from_utf8_lossy(&output.stdout).into_owned())
}
