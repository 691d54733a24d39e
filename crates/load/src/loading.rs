//! A file of SQL, statement by statement, into a server.
//!
//! ```text
//! rows rows rows ... | CREATE TABLE | rows of one table, many ... | CREATE TABLE
//! \___ a batch ____/   alone          \_____ LOAD INSERTS ______/
//! ```
//! INSERTs into one table that stand one behind the other, with more than a megabyte of text, are
//! one load (`LOAD INSERTS INTO TABLE`): the server sorts their rows and writes them once, and all
//! of them are in, or none. Other statements that write rows share transactions of some megabytes:
//! a file with one row to a statement then costs a sync for thousands of rows, not for each. So do
//! those of a table, or a server, that takes no such load.
//!
//! Invariants
//! 1. A load that fails says up to which line everything is in; nothing behind that line is.
//! 2. With `force`, where statements that fail are left out, there are transactions only: a load
//!    would end with the first of them.
//! 3. The transactions of the file itself (BEGIN, COMMIT, SET autocommit) are not kept: they may be
//!    larger than the memory.
//! 4. Everything left out is told with its line, and counted in the end.
//!
//! Not here: where statements begin (`split`), what they are (`kind`).

use std::collections::{BTreeMap, HashSet};
use std::io::Read;

use crate::client::{Client, StatementOutcome};
use crate::error::{Error, Result};
use crate::kind::{Kind, added_to, kind};
use crate::progress::Progress;
use crate::split::Splitter;

/// Text of the statements that share a transaction.
const BATCH_BYTES: usize = 4 << 20;
/// Text of INSERTs into one table from which on they are a load: less is kept until that is known.
const LOAD_BYTES: usize = 1 << 20;
/// Messages about things left out; the rest is only counted.
const MESSAGES_MAX: usize = 1000;
/// Unknown system variable.
const UNKNOWN_VARIABLE: u16 = 1193;
/// Variable is read only.
const READ_ONLY_VARIABLE: u16 = 1238;
/// A statement that cannot be carried out within a load of INSERTs, which goes on.
const NOT_NOW: u16 = 1192;

/// What is to be loaded.
#[derive(Clone, Debug)]
pub struct LoadOptions {
    /// The file's name in messages.
    pub file: String,
    /// The database to begin with.
    pub database: Option<String>,
    /// Go on behind statements that fail.
    pub force: bool,
    /// Make accounts and grant what the file says; otherwise these are left out, and told.
    pub accounts: bool,
    /// The longest statement, in bytes.
    pub statement_bytes_max: usize,
}

/// What was loaded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoadTotals {
    /// Statements that were carried out.
    pub statements: u64,
    /// Rows written.
    pub rows: u64,
    /// Things left out, by what they are.
    pub skipped: BTreeMap<String, u64>,
    /// Warnings that were told, at most ten of a statement.
    pub warnings: u64,
    /// Statements that failed; only with `force`.
    pub failed: u64,
}

struct Loading<'a> {
    client: &'a mut Client,
    options: &'a LoadOptions,
    progress: &'a mut dyn Progress,
    loaded: LoadTotals,
    /// Text in the open transaction; `None` when none is open.
    batch: Option<usize>,
    /// Where the transaction, or the load, begins: everything before is in.
    batch_line: u64,
    /// The line of the statement that is carried out.
    line: u64,
    run: Run,
    /// Bytes of the file that were used up before the statement at hand.
    bytes: u64,
    /// Things told as left out already.
    told: HashSet<(&'static str, String)>,
}

/// INSERTs into one table that stand one behind the other.
#[derive(Default)]
struct Run {
    /// The table as it is written there; empty for other statements that write rows.
    table: Vec<u8>,
    way: Way,
    /// Those that were not sent yet, with their lines.
    kept: Vec<(Vec<u8>, u64)>,
    kept_bytes: usize,
}

/// Where the statements of a run go.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Way {
    /// They are kept until it is known whether they are many.
    Open,
    /// Into a load of their own.
    Load,
    /// Into a transaction, with those around them.
    #[default]
    Transaction,
}

/// Loads a file.
///
/// # Errors
/// `At` with the line of the statement that failed. What is in then, the message says.
pub fn load(
    client: &mut Client,
    reader: impl Read,
    options: &LoadOptions,
    progress: &mut dyn Progress,
) -> Result<LoadTotals> {
    let mut loading = Loading {
        client,
        options,
        progress,
        loaded: LoadTotals::default(),
        batch: None,
        batch_line: 1,
        line: 1,
        run: Run::default(),
        bytes: 0,
        told: HashSet::new(),
    };
    if let Some(database) = &options.database {
        let text = format!("USE {}", crate::literal::name(database));
        loading.client.execute(text.as_bytes())?;
    }
    let mut splitter = Splitter::new(reader, options.statement_bytes_max);
    loop {
        let line = match splitter.statement() {
            Ok(Some(statement)) => {
                let line = statement.line;
                let done = loading.statement(statement.text, line);
                done.map_err(|error| loading.given_up(error))?;
                line
            }
            Ok(None) => break,
            Err(error) => {
                loading.line = splitter.line();
                return Err(loading.given_up(error));
            }
        };
        let rows = loading.loaded.rows;
        loading.bytes = splitter.bytes_used();
        loading.progress.at(splitter.bytes_used(), rows, &format!("line {line}"));
    }
    loading.commit().map_err(|error| loading.given_up(error))?;
    if splitter.is_unfinished() {
        loading.line = splitter.line();
        let why = "the dump has no last line `-- Dump completed`: it was cut short".to_owned();
        return Err(loading.given_up(Error::File(why)));
    }
    Ok(loading.loaded)
}

impl Loading<'_> {
    fn statement(&mut self, text: &[u8], line: u64) -> Result<()> {
        let kind = match kind(text) {
            Kind::Account(..) if self.options.accounts => Kind::Alone,
            Kind::Account(thing, name) => Kind::Skipped(thing, name),
            kind => kind,
        };
        let setting = kind == Kind::Set;
        match kind {
            Kind::Needless => return Ok(()),
            Kind::Skipped(thing, name) => {
                self.skip(thing, name, line);
                return Ok(());
            }
            Kind::Names(name) => check_names(&name)?,
            Kind::Rows => return self.row_statement(text, line),
            Kind::Account(..) | Kind::Alone | Kind::Set => {}
        }
        self.commit()?;
        self.line = line;
        match self.client.execute(text) {
            Err(Error::Server {
                number: UNKNOWN_VARIABLE | READ_ONLY_VARIABLE, message, ..
            }) if setting => {
                self.skip("setting", message, line);
                Ok(())
            }
            done => self.done(done, line),
        }
    }

    /// A statement that writes rows.
    fn row_statement(&mut self, text: &[u8], line: u64) -> Result<()> {
        let table = added_to(text).filter(|_| !self.options.force).unwrap_or_default();
        if table != self.run.table {
            self.end_run()?;
            let way = if table.is_empty() { Way::Transaction } else { Way::Open };
            self.run = Run { table: table.to_vec(), way, ..Run::default() };
        }
        match self.run.way {
            Way::Open => {
                self.run.kept.push((text.to_vec(), line));
                self.run.kept_bytes += text.len();
                if self.run.kept_bytes < LOAD_BYTES { Ok(()) } else { self.begin_load() }
            }
            Way::Load => self.send(text, line),
            Way::Transaction => self.send_in_transaction(text, line),
        }
    }

    /// The statements of the run are many: they become a load, if the table takes one.
    fn begin_load(&mut self) -> Result<()> {
        self.commit_open()?;
        let begin = [b"LOAD INSERTS INTO TABLE ", &self.run.table[..]].concat();
        match self.client.execute(&begin) {
            Ok(_) => {
                self.run.way = Way::Load;
                self.batch_line = self.run.kept.first().map_or(self.line, |(_, line)| *line);
            }
            // Another server, or a table that takes none.
            Err(Error::Server { .. }) => self.run.way = Way::Transaction,
            Err(error) => return Err(error),
        }
        self.send_kept()
    }

    /// Sends what was kept.
    fn send_kept(&mut self) -> Result<()> {
        self.run.kept_bytes = 0;
        for (text, line) in std::mem::take(&mut self.run.kept) {
            match self.run.way {
                Way::Load => self.send(&text, line)?,
                Way::Open | Way::Transaction => self.send_in_transaction(&text, line)?,
            }
        }
        Ok(())
    }

    /// No more statements of the run come: what was kept goes the way of the others around.
    fn end_run(&mut self) -> Result<()> {
        self.send_kept()?;
        if self.run.way == Way::Load {
            self.progress.at(self.bytes, self.loaded.rows, "sorting and writing");
            if let Err(error) = self.client.execute(b"COMMIT") {
                if let Error::Server { .. } = error {
                    let (file, first, last) = (&self.options.file, self.batch_line, self.line);
                    self.progress.say(&format!("{file}: within lines {first} to {last}"));
                }
                return Err(error);
            }
        }
        self.run = Run::default();
        Ok(())
    }

    /// Sends a statement that writes rows into the open transaction.
    fn send_in_transaction(&mut self, text: &[u8], line: u64) -> Result<()> {
        let before = match self.batch {
            Some(bytes) => bytes,
            None => {
                self.client.execute(b"BEGIN")?;
                self.batch_line = line;
                self.batch = Some(0);
                0
            }
        };
        self.batch = Some(before + text.len());
        self.send(text, line)?;
        if before + text.len() >= BATCH_BYTES { self.commit_open() } else { Ok(()) }
    }

    /// Sends a statement that writes rows.
    fn send(&mut self, text: &[u8], line: u64) -> Result<()> {
        self.line = line;
        let done = match self.client.execute(text) {
            // It does not only add rows after all: what it has behind VALUES says so.
            Err(Error::Server { number: NOT_NOW, .. }) if self.run.way == Way::Load => {
                let table = self.run.table.clone();
                self.end_run()?;
                self.run = Run { table, ..Run::default() };
                return self.send_in_transaction(text, line);
            }
            done => done,
        };
        self.loaded.rows += done.as_ref().map_or(0, |done| done.rows);
        self.done(done, line)
    }

    fn done(&mut self, done: Result<StatementOutcome>, line: u64) -> Result<()> {
        match done {
            Ok(done) => {
                self.loaded.statements += 1;
                if done.warnings > 0 { self.warn(line) } else { Ok(()) }
            }
            Err(error @ Error::Server { .. }) if self.options.force => {
                self.loaded.failed += 1;
                self.progress.say(&format!("{} line {line}: {error}", self.options.file));
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// Tells what the server warned of; its notes are not worth a line.
    fn warn(&mut self, line: u64) -> Result<()> {
        for warning in self.client.list("SHOW WARNINGS LIMIT 10")? {
            let [level, number, message] = &warning[..] else { continue };
            if level == "Note" {
                continue;
            }
            if number == "1301" {
                // Put together of pieces, a value would be stored as NULL from here on.
                return Err(Error::File(format!("the server refuses a value: {message}")));
            }
            self.loaded.warnings += 1;
            if self.loaded.warnings <= MESSAGES_MAX as u64 {
                let file = &self.options.file;
                self.progress.say(&format!("{file} line {line}: warning {number}: {message}"));
            }
        }
        Ok(())
    }

    /// Lets everything so far be in.
    fn commit(&mut self) -> Result<()> {
        self.end_run()?;
        self.commit_open()
    }

    /// Commits the open transaction.
    fn commit_open(&mut self) -> Result<()> {
        if self.batch.is_some() {
            self.client.execute(b"COMMIT")?;
            self.batch = None;
        }
        Ok(())
    }

    fn skip(&mut self, thing: &'static str, name: String, line: u64) {
        let told = (thing, name);
        if self.told.contains(&told) {
            return;
        }
        *self.loaded.skipped.entry(thing.to_owned()).or_default() += 1;
        if self.told.len() < MESSAGES_MAX {
            let (thing, name) = &told;
            let reason = match *thing {
                "setting" => "the server has no such setting",
                "grant" | "user" | "role" => "loaded only with --accounts",
                _ => "Rowhouse has none",
            };
            let space = if name.is_empty() { "" } else { " " };
            self.progress.say(&format!(
                "{} line {line}: skipped {thing}{space}{name}: {reason}",
                self.options.file
            ));
            self.told.insert(told);
        }
    }

    /// The load ends here: what is open is undone, and the error says where and what is in.
    fn given_up(&mut self, error: Error) -> Error {
        let run = std::mem::take(&mut self.run);
        let open = self.batch.take().is_some() || run.way == Way::Load;
        let line = self.line;
        let begin = match run.kept.first() {
            _ if open => self.batch_line,
            Some((_, line)) => *line,
            None => line,
        };
        let told = match &error {
            Error::Connection(_) => {
                format!("everything before line {begin} is loaded; from there on it is not known")
            }
            _ => {
                // The server undoes it anyway when the connection goes.
                if open {
                    let _ = self.client.execute(b"ROLLBACK");
                }
                format!("everything before line {begin} is loaded, nothing from there on")
            }
        };
        self.progress.say(&format!("{}: {told}", self.options.file));
        Error::At { file: self.options.file.clone(), line, source: Box::new(error) }
    }
}

/// Texts are kept as they come, in UTF-8: another character set would be stored wrongly.
fn check_names(name: &str) -> Result<()> {
    let name = name.to_ascii_lowercase();
    if matches!(name.as_str(), "utf8mb4" | "utf8mb3" | "utf8" | "ascii" | "binary" | "default") {
        return Ok(());
    }
    Err(Error::File(format!(
        "the file's texts are in the character set {name}: dump it with \
         --default-character-set=utf8mb4, or convert the file and its SET NAMES"
    )))
}
