//! A program that has the library inside and plays the game (`game.c`): started once, in a group of
//! processes if there is one, it keeps its database open until it is dropped, as a server does.
//!
//! Invariants
//! 1. The count of changes is memory of this program, filled before the other one maps it: the
//!    limit of its group is for the database alone, as a server's is.
//!
//! Not here: which rows there are (`experiments::game::world`, and `rows.h` for the program).

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use rustix::fs::{MemfdFlags, memfd_create};
use tempfile::TempDir;

use super::{compile, count_latencies};
use crate::generator::{ResourcesSpent, Sample};
use crate::peers::server::{data_dir, die_with_parent};
use crate::peers::{Durability, MemoryGroup};

const SOURCE: &str = include_str!("../../../tokyo-cabinet/game.c");
/// Bytes of a player's count of changes.
const COUNT_BYTES: usize = 4;
/// Counts that are written at a time.
const COUNTS_WRITTEN: usize = 1 << 16;

/// How the program is started.
#[derive(Debug)]
pub struct CabinetSettings {
    /// Players, and accounts, that there will ever be.
    pub rows_max: u32,
    /// Decides what is in them.
    pub seed: u64,
    /// Bytes of a row's note.
    pub note_bytes: usize,
    /// Threads that play.
    pub threads: usize,
    /// A file that is no larger is mapped into memory as a whole, in MiB.
    pub memory_mib: u32,
    /// When the database is synced.
    pub durability: Durability,
    /// A limit for all it does.
    pub group: Option<MemoryGroup>,
}

/// What a window gave.
pub struct CabinetWindow {
    /// Counts and latencies.
    pub sample: Sample,
    /// Requests in each full second from the start of the warm-up on.
    pub seconds: Vec<u64>,
    /// Reads of players that missed a change made before.
    pub stale: u64,
}

/// The running program.
pub struct CabinetGame {
    child: Child,
    asks: ChildStdin,
    answers: BufReader<ChildStdout>,
    /// Changes of each player, from a player 0 on.
    ledger: File,
    dir: TempDir,
    /// The library's.
    pub version: String,
    /// Behind the process, which ends before it is dropped.
    _group: Option<MemoryGroup>,
}

impl CabinetGame {
    /// Compiles and starts the program, without rows.
    ///
    /// # Errors
    /// The library is not installed, or there is no C compiler.
    pub fn start(settings: CabinetSettings) -> Result<CabinetGame> {
        let dir = data_dir("tokyocabinet")?;
        let program = compile("game", SOURCE, dir.path())?;
        let ledger = new_ledger(settings.rows_max)?;
        let mut command = Command::new(program);
        command.arg(dir.path().join("rows.tch"));
        command.arg(format!("/proc/{}/fd/{}", std::process::id(), ledger.as_raw_fd()));
        command.arg(settings.seed.to_string()).arg(settings.note_bytes.to_string());
        command.arg(settings.threads.to_string());
        command.arg((u64::from(settings.memory_mib) << 20).to_string());
        command.arg(settings.durability.name());
        let command = match &settings.group {
            Some(group) => group.entering(&command),
            None => command,
        };
        let mut command = die_with_parent(command);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(File::create(dir.path().join("log"))?).spawn()?;
        let asks = child.stdin.take().context("its input")?;
        let answers = BufReader::new(child.stdout.take().context("its output")?);
        let (version, _group) = (String::new(), settings.group);
        let mut started = CabinetGame { child, asks, answers, ledger, dir, version, _group };
        started.version = format!("Tokyo Cabinet {}", started.line()?);
        Ok(started)
    }

    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The database's file.
    pub fn file(&self) -> PathBuf {
        self.dir.path().join("rows.tch")
    }

    /// Changes of a player that were made so far.
    pub fn changes(&self, id: u32) -> Result<u64> {
        let mut count = [0; COUNT_BYTES];
        self.ledger.read_exact_at(&mut count, u64::from(id) * COUNT_BYTES as u64)?;
        Ok(u64::from(u32::from_ne_bytes(count)))
    }

    /// Loads rows until there are so many players and as many accounts.
    pub fn grow(&mut self, rows: u32) -> Result<()> {
        self.ask(&format!("grow {rows}"))?;
        self.expect("done")
    }

    /// One window of `look-ups`, `updates` or the `game`.
    pub fn play(
        &mut self,
        what: &str,
        warm: f64,
        seconds: f64,
        seed: u64,
    ) -> Result<CabinetWindow> {
        self.ask(&format!("play {what} {warm} {seconds} {seed}"))?;
        let mut sample = Sample::new();
        self.expect("from")?;
        let before = ResourcesSpent::by(&[self.pid()]);
        self.expect("to")?;
        ResourcesSpent::by(&[self.pid()]).since(&before, &mut sample);
        sample.seconds = seconds;
        let mut window = CabinetWindow { sample, seconds: Vec::new(), stale: 0 };
        loop {
            let line = self.line()?;
            if line == "done" {
                return Ok(window);
            }
            take(&line, &mut window).with_context(|| format!("what is '{line}'?"))?;
        }
    }

    /// The values of a player and of its account.
    pub fn read(&mut self, id: u32) -> Result<[String; 2]> {
        self.ask(&format!("read {id}"))?;
        Ok([self.line()?, self.line()?])
    }

    /// Reads all changed players back; gives how many they are, changes that are lost, and those
    /// that nobody made.
    pub fn verify(&mut self) -> Result<[u64; 3]> {
        self.ask("verify")?;
        let line = self.line()?;
        let numbers = line.strip_prefix("verified ").and_then(numbers);
        numbers.with_context(|| format!("what is '{line}'?"))
    }

    fn ask(&mut self, command: &str) -> Result<()> {
        // One that has ended tells why when its answer is read.
        let _ = writeln!(self.asks, "{command}");
        Ok(())
    }

    fn expect(&mut self, answer: &str) -> Result<()> {
        let line = self.line()?;
        ensure!(line == answer, "'{line}' instead of '{answer}'");
        Ok(())
    }

    /// The next line of its output.
    fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        if self.answers.read_line(&mut line)? == 0 {
            let status = self.child.wait()?;
            let log = std::fs::read_to_string(self.dir.path().join("log")).unwrap_or_default();
            bail!("the program ended ({status}): {}", log.trim());
        }
        Ok(line.trim_end_matches('\n').to_owned())
    }
}

impl Drop for CabinetGame {
    fn drop(&mut self) {
        // Its files go as well, so nobody needs it to end well.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Zeros in memory of this program that another one can map.
fn new_ledger(rows: u32) -> Result<File> {
    let ledger = memfd_create("changes", MemfdFlags::CLOEXEC).context("memory to share")?;
    let mut ledger = File::from(ledger);
    let zeros = vec![0; COUNTS_WRITTEN * COUNT_BYTES];
    // A page that is written belongs to this program's group from then on.
    let bytes = (rows as usize + 1) * COUNT_BYTES;
    for from in (0..bytes).step_by(zeros.len()) {
        ledger.write_all(&zeros[..zeros.len().min(bytes - from)])?;
    }
    Ok(ledger)
}

/// Takes a line of what a window gave.
fn take(line: &str, window: &mut CabinetWindow) -> Option<()> {
    let (what, rest) = line.split_once(' ')?;
    let sample = &mut window.sample;
    match what {
        "counts" => {
            let [requests, rows, wrong, stale, pause] = numbers(rest)?;
            (sample.requests, sample.rows, sample.wrong) = (requests, rows, wrong);
            sample.pause.length = Duration::from_nanos(pause);
            window.stale = stale;
        }
        "second" => window.seconds.push(rest.parse().ok()?),
        "latency" => count_latencies(rest, sample)?,
        "bad" => sample.note_bad(rest, b""),
        _ => return None,
    }
    Some(())
}

/// As many numbers as there must be.
fn numbers<const N: usize>(text: &str) -> Option<[u64; N]> {
    let numbers: Option<Vec<u64>> = text.split(' ').map(|number| number.parse().ok()).collect();
    numbers?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The program with room for 50 players, unless the library is missing.
    fn started() -> Option<CabinetGame> {
        let started = CabinetGame::start(CabinetSettings {
            rows_max: 50,
            seed: 1,
            note_bytes: 100,
            threads: 2,
            memory_mib: 1,
            durability: Durability::EverySecond,
            group: None,
        });
        let why = started.as_ref().err().map(|error| format!("{error:#}"));
        let excused = |why: &String| why.contains("is not installed") || why.contains("compiler");
        assert!(why.as_ref().is_none_or(excused), "{why:?}");
        started.ok()
    }

    #[test]
    fn what_a_window_gave_is_read_line_by_line() {
        let mut window = CabinetWindow { sample: Sample::new(), seconds: Vec::new(), stale: 0 };
        for line in ["counts 3 9 1 2 5000", "second 7", "latency 1000 2", "bad no player of 4"] {
            take(line, &mut window).unwrap();
        }
        let sample = window.sample;
        assert_eq!((sample.requests, sample.rows, sample.wrong), (3, 9, 1));
        assert_eq!((window.stale, window.seconds), (2, vec![7]));
        assert_eq!(sample.pause.length, Duration::from_micros(5));
        assert!((sample.latency_us(0.5) - 1.0).abs() < 0.1);
        assert_eq!(sample.first_bad.as_deref(), Some("no player of 4: "));
    }

    #[test]
    fn the_program_finds_a_change_that_is_not_there_and_one_that_nobody_made() {
        let Some(mut program) = started() else { return };
        program.grow(20).unwrap();
        let window = program.play("game", 0.0, 0.2, 1).unwrap();
        assert!(window.sample.requests > 0 && window.sample.bad() == 0 && window.stale == 0);
        // Rows that come later leave those that are there as they are.
        program.grow(50).unwrap();
        let [changed, ..] = program.verify().unwrap();
        assert_eq!((program.verify().unwrap(), changed > 0), ([changed, 0, 0], true));
        let before = program.changes(50).unwrap();
        let count = |is: u64| (is as u32).to_ne_bytes();
        program.ledger.write_all_at(&count(before + 3), 50 * COUNT_BYTES as u64).unwrap();
        assert_eq!(program.verify().unwrap()[1..], [3, 0]);
        let window = program.play("look-ups", 0.0, 0.2, 1).unwrap();
        assert!(window.sample.wrong > 0, "player 50 was not looked up");
        let first = window.sample.first_bad.expect("it was noted");
        assert!(first.starts_with("score of 50"), "{first}");
        program.play("updates", 0.0, 0.1, 1).unwrap();
        program.ledger.write_all_at(&count(1), 7 * COUNT_BYTES as u64).unwrap();
        assert!(program.verify().unwrap()[2] > 0, "nobody was asked for so many");
    }

    #[test]
    fn a_program_that_ends_tells_why() {
        let Some(mut program) = started() else { return };
        program.ask("sing").unwrap();
        let why = format!("{:#}", program.line().unwrap_err());
        assert!(why.contains("no such command: sing"), "{why}");
    }

    #[test]
    fn a_line_that_is_cut_is_none() {
        let mut window = CabinetWindow { sample: Sample::new(), seconds: Vec::new(), stale: 0 };
        for line in ["counts 3 9", "second", "what 1"] {
            assert!(take(line, &mut window).is_none(), "{line}");
        }
    }

    #[test]
    fn nothing_is_changed_in_a_new_ledger() {
        let rows = COUNTS_WRITTEN as u32 + 5;
        let ledger = new_ledger(rows).unwrap();
        let bytes = ledger.metadata().unwrap().len();
        assert_eq!(bytes, (u64::from(rows) + 1) * COUNT_BYTES as u64);
    }
}
