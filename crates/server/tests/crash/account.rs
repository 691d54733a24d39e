//! What one client sent, what it was told, and at which position of the journal: the account that
//! a disk after a cut has to settle.
//!
//! A client is alone with its rows and tables, so its account is a chain of steps, and a disk
//! holds its state after some of them. Whatever a client sends in one statement, transaction or
//! request is one step.

use std::time::{SystemTime, UNIX_EPOCH};

use faults::Position;

/// A position of the journal, and the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// Records of the journal.
    pub position: u64,
    /// Nanoseconds since 1970.
    pub nanos: u64,
}

/// A row or a table's definition as text, by its name; `None`: it is gone.
pub type Change = (String, Option<String>);

/// Something that happens wholly or not at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Before it was sent.
    pub sent: Moment,
    /// After the answer came.
    pub told: Option<Moment>,
    /// What it makes of what.
    pub changes: Vec<Change>,
}

/// The steps of one client.
#[derive(Debug, Default)]
pub struct Account {
    /// Which client.
    pub number: u64,
    /// Its door.
    pub door: String,
    /// In the order in which they were sent.
    pub steps: Vec<Step>,
}

/// An account that is being written, by the client itself.
pub struct Writer {
    pub account: Account,
    position: Position,
}

impl Writer {
    pub fn new(number: u64, door: &str, position: Position) -> Writer {
        let account = Account { number, door: door.to_owned(), steps: Vec::new() };
        Writer { account, position }
    }

    /// The number of the next step; rows that it writes bear it.
    pub fn serial(&self) -> u64 {
        self.account.steps.len() as u64 + 1
    }

    /// A step is about to be sent.
    pub fn sends(&mut self, changes: Vec<Change>) {
        let sent = moment(&self.position);
        self.account.steps.push(Step { sent, told: None, changes });
    }

    /// The answer to the step with this serial has come.
    pub fn told(&mut self, serial: u64) {
        self.account.steps[serial as usize - 1].told = Some(moment(&self.position));
    }

    /// Sends a step with `send`, which gives whether an answer came.
    pub fn step(&mut self, changes: Vec<Change>, send: impl FnOnce() -> bool) -> bool {
        let serial = self.serial();
        self.sends(changes);
        let answered = send();
        if answered {
            self.told(serial);
        }
        answered
    }
}

/// This moment.
pub fn moment(position: &Position) -> Moment {
    let position = position.now().expect("the layer's page");
    let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970");
    Moment { position, nanos: since.as_nanos() as u64 }
}

/// Somebody has read what a step wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Whose step.
    pub account: u64,
    /// Its number.
    pub serial: u64,
    /// After the answer came.
    pub told: Moment,
}

/// The text of a row that a step writes, long or short: its words and its padding.
pub fn words(account: u64, serial: u64) -> String {
    let mixed = (account << 40 | serial).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    format!("{:012x}", mixed >> 16)
}

/// See `words`.
pub fn padding(account: u64, serial: u64) -> String {
    let word = words(account, serial);
    let bytes = u64::from_str_radix(&word, 16).expect("hex digits") % 1400;
    word.chars().cycle().take(bytes as usize).collect()
}
