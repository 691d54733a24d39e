//! One run of the server under load on the file layer, and everything that is known of it.
//!
//! It can be kept in a directory, journal and accounts, so that a failure can be looked at again:
//! ```text
//! durability WORD
//! account NUMBER DOOR
//! step SENT_POSITION SENT_NANOS TOLD_POSITION TOLD_NANOS     (0 0: no answer came)
//! change NAME<tab>=VALUE, or NAME<tab>-                      (of the step above)
//! seen ACCOUNT SERIAL POSITION NANOS
//! backup BEGAN_POSITION BEGAN_NANOS TOLD_POSITION TOLD_NANOS NUMBER REMOVED...
//! restore BEGAN_POSITION BEGAN_NANOS TOLD_POSITION TOLD_NANOS NUMBER PLACE
//! ```

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use faults::{Disk, Journal, Layer, Position};
use tempfile::TempDir;

use crate::account::{Account, Moment, Seen, Step};
use crate::commands::Command;
use crate::load::{Ends, prepare, start_lone_writer, start_readers, start_writers};
use crate::support::{Running, flags, rowhouse, run};

/// A sync takes up to so long, so that cuts fall into it.
const SYNC: Duration = Duration::from_micros(1500);
const TICK: Duration = Duration::from_millis(10);

/// A run that is over.
pub struct Recording {
    pub durability: String,
    pub accounts: Vec<Account>,
    pub seen: Vec<Seen>,
    /// Backups and restores, one after the other.
    pub commands: Vec<Command>,
    /// Rounds of the mover that have made segments of rows.
    pub rounds: usize,
    pub journal: PathBuf,
    #[expect(dead_code, reason = "it removes the journal when it is dropped")]
    directory: TempDir,
}

/// A directory in memory where there is one: thousands of disks are written and read again.
pub fn place() -> TempDir {
    let memory = Path::new("/dev/shm");
    match memory.is_dir() {
        true => tempfile::tempdir_in(memory),
        false => tempfile::tempdir(),
    }
    .expect("a directory")
}

/// A place on the layer, where a server runs.
pub struct Stage {
    directory: TempDir,
    pub layer: Layer,
    /// Everything below it is recorded.
    pub root: PathBuf,
}

impl Stage {
    pub fn new() -> Stage {
        let directory = place();
        let root = directory.path().join("disk");
        fs::create_dir(&root).expect("the root");
        let layer = Layer::new(&root, &directory.path().join("layer")).expect("the layer");
        let layer = layer.recording(SYNC, TICK).expect("the layer");
        Stage { directory, layer, root }
    }

    /// Starts a server on its data directory, with what the writers need.
    pub fn serve(&self, durability: &str) -> Running {
        let data_dir = self.root.join("data");
        let mut arguments = flags(&data_dir);
        arguments.push(format!("--durability={durability}"));
        // So that the mover tells of its rounds.
        arguments.push("--log-level=debug".to_owned());
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let mut command = rowhouse(&arguments);
        self.layer.beneath(&mut command);
        let server = Running::start_command(&data_dir, command);
        prepare(&server);
        server
    }

    pub fn position(&self) -> Position {
        self.layer.position().expect("the layer's page")
    }

    /// No process runs any more; its journal must say how the files are.
    pub fn end(
        self,
        durability: &str,
        accounts: Vec<Account>,
        seen: Vec<Seen>,
        commands: Vec<Command>,
    ) -> Recording {
        let Stage { directory, layer, root } = self;
        let journal = layer.journal().expect("it is kept").to_owned();
        let mut disk = Disk::default();
        Journal::open(&journal).expect("the journal").for_each(|record| disk.take(&record));
        let missed = disk.differences(&root).expect("readable");
        assert!(missed.is_empty(), "the layer has missed changes: {missed:?}");
        fs::remove_dir_all(&root).expect("no longer needed");
        let durability = durability.to_owned();
        Recording { durability, accounts, seen, commands, rounds: 0, journal, directory }
    }
}

/// Runs the server until each writer has made so many steps.
pub fn record(durability: &str, seed: u64, steps_max: usize) -> Recording {
    let stage = Stage::new();
    let server = stage.serve(durability);
    let ended = Arc::new(AtomicBool::new(false));
    let ends = Ends { seed, steps_max, ended: ended.clone(), begun: Arc::default() };
    let position = || stage.position();
    let readers = start_readers(&server, &position, &ends);
    let writers = start_writers(&server, &position, &ends, 0);
    let accounts = writers.into_iter().map(|writer| writer.join().expect("a writer")).collect();
    ended.store(true, Ordering::Relaxed);
    let seen = readers.into_iter().flat_map(|reader| reader.join().expect("a reader")).collect();
    let rounds = server.log().matches("rows moved into segments").count();
    assert_eq!(server.stop().code(), Some(0));
    Recording { rounds, ..stage.end(durability, accounts, seen, Vec::new()) }
}

/// As `record`, with one writer alone under `every-commit`, so that its loop commits by itself;
/// says how often it did.
pub fn record_lone(seed: u64, steps_max: usize) -> (Recording, u64) {
    let stage = Stage::new();
    let server = stage.serve("every-commit");
    let ends = Ends { seed, steps_max, ended: Arc::default(), begun: Arc::default() };
    let writer = start_lone_writer(&server, &|| stage.position(), &ends);
    let accounts = vec![writer.join().expect("a writer")];
    let asked = format!("--data-dir={}", server.data_dir.display());
    let status = run(&["status", "--all", &asked]);
    let status = String::from_utf8_lossy(&status.stdout).into_owned();
    let line = status.lines().find_map(|line| line.strip_prefix("groups_in_loop "));
    let in_loop = line.and_then(|number| number.parse().ok()).expect("a figure");
    assert_eq!(server.stop().code(), Some(0));
    (stage.end("every-commit", accounts, Vec::new(), Vec::new()), in_loop)
}

impl Recording {
    /// Keeps journal and accounts in a new directory; gives its path.
    pub fn keep(&self) -> PathBuf {
        let kept = tempfile::tempdir().expect("a directory").keep();
        fs::copy(&self.journal, kept.join("journal")).expect("the journal");
        let mut text = format!("durability {}\n", self.durability);
        for account in &self.accounts {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "account {} {}", account.number, account.door);
            for step in &account.steps {
                let told = step.told.unwrap_or(Moment { position: 0, nanos: 0 });
                let Moment { position, nanos } = step.sent;
                let _ = writeln!(text, "step {position} {nanos} {} {}", told.position, told.nanos);
                for (name, value) in &step.changes {
                    let value = value.as_ref().map_or("-".into(), |value| format!("={value}"));
                    let _ = writeln!(text, "change {name}\t{value}");
                }
            }
        }
        for Seen { account, serial, told } in &self.seen {
            let _ = writeln!(text, "seen {account} {serial} {} {}", told.position, told.nanos);
        }
        for command in &self.commands {
            let _ = writeln!(text, "{}", command.text());
        }
        fs::write(kept.join("accounts"), text).expect("the accounts");
        kept
    }

    /// What `keep` has kept.
    pub fn kept(kept: &Path) -> Recording {
        let text = fs::read_to_string(kept.join("accounts")).expect("the accounts");
        let (mut durability, mut accounts, mut seen) = (String::new(), Vec::new(), Vec::new());
        let mut commands = Vec::new();
        for line in text.lines() {
            let (word, rest) = line.split_once(' ').expect("a word");
            let mut words = rest.split(' ');
            let mut number = || words.next().and_then(|word| word.parse().ok()).unwrap_or(0u64);
            match word {
                "durability" => durability = rest.to_owned(),
                "account" => {
                    let number = number();
                    let door = words.next().unwrap_or_default().to_owned();
                    accounts.push(Account { number, door, steps: Vec::new() });
                }
                "step" => {
                    let mut moment = || Moment { position: number(), nanos: number() };
                    let (sent, told) = (moment(), moment());
                    let told = (told.nanos > 0).then_some(told);
                    let account = accounts.last_mut().expect("an account");
                    account.steps.push(Step { sent, told, changes: Vec::new() });
                }
                "change" => {
                    let (name, value) = rest.split_once('\t').expect("a tab");
                    let value = value.strip_prefix('=').map(str::to_owned);
                    let step = accounts.last_mut().and_then(|account| account.steps.last_mut());
                    step.expect("a step").changes.push((name.to_owned(), value));
                }
                "backup" | "restore" => commands.push(Command::read(line)),
                _ => {
                    let (account, serial) = (number(), number());
                    let told = Moment { position: number(), nanos: number() };
                    seen.push(Seen { account, serial, told });
                }
            }
        }
        let journal = kept.join("journal");
        let directory = place();
        Recording { durability, accounts, seen, commands, rounds: 0, journal, directory }
    }
}
