//! Whether a disk after a cut settles all accounts.
//!
//! The rules
//! 1. The check of the rows finds nothing: every row whole, with its index entries, and no more.
//! 2. Of each account the disk holds the state after some number of steps, rows and definitions
//!    alike, none of them sent after the cut.
//! 3. Under `every-commit` that number covers each step that was answered, and each that anybody
//!    has read. Under `every-second` it covers what was answered a second before the cut.
//! 4. What is left is a prefix across clients: no step is there that was sent after the answer to
//!    one that is lost. This holds under every durability.
//!
//! The second is counted while the process runs: a machine that stands still for a while, or has
//! no processor for the server, breaks no promise. The layer's ticks tell.

use std::collections::HashMap;

use crate::account::{Account, Moment, Seen};
use crate::found::Found;
use crate::load::SHARED;

const SECOND: u64 = 1_000_000_000;
/// More than this between two ticks is not counted: the process did not run.
const TICK_NANOS_MAX: u64 = 40_000_000;

/// What accounts demand, prepared for many cuts.
pub struct Judge<'a> {
    durability: &'a str,
    accounts: &'a [Account],
    seen: &'a [Seen],
    /// The account that a name belongs to.
    owners: HashMap<&'a str, usize>,
    clock: Clock,
}

/// What a cut had at stake.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stake {
    /// Steps that were answered before the cut.
    pub told: u64,
    /// Steps that were sent and not answered.
    pub under_way: u64,
    /// Answered steps that are gone.
    pub lost: u64,
}

impl<'a> Judge<'a> {
    /// `ticks` are the layer's, in nanoseconds.
    pub fn new(
        durability: &'a str,
        accounts: &'a [Account],
        seen: &'a [Seen],
        ticks: &[u64],
    ) -> Judge<'a> {
        let mut owners = HashMap::new();
        for (index, account) in accounts.iter().enumerate() {
            for (name, _) in account.steps.iter().flat_map(|step| &step.changes) {
                let before = owners.insert(name.as_str(), index);
                assert!(before.is_none_or(|before| before == index), "{name} has two writers");
            }
        }
        Judge { durability, accounts, seen, owners, clock: Clock::new(ticks) }
    }

    /// Compares; the error says what is wrong.
    pub fn judge(&self, cut: Moment, found: &Found) -> Result<Stake, String> {
        self.judge_between(cut, cut, found)
    }

    /// Compares what is of a moment somewhere from `since` to `cut`: promises made until `since`
    /// are to be kept.
    pub fn judge_between(
        &self,
        since: Moment,
        cut: Moment,
        found: &Found,
    ) -> Result<Stake, String> {
        let mut stake = Stake::default();
        for name in found.keys() {
            let expected =
                SHARED.contains(&name.as_str()) || self.owners.contains_key(name.as_str());
            if !expected {
                return Err(format!("{name} was never written"));
            }
        }
        // Of each account, the fewest and the most steps that the disk may hold.
        let mut held = Vec::with_capacity(self.accounts.len());
        for (index, account) in self.accounts.iter().enumerate() {
            let told = account.steps.iter().filter(|step| is_before(step.told, cut)).count();
            let sent = account.steps.iter().take_while(|step| step.sent.position < cut.position);
            let sent = sent.count();
            let promised = self.promised(account, since);
            let (fewest, most) = self.steps_held(index, promised, sent, found)?;
            stake.told += told as u64;
            stake.under_way += sent.saturating_sub(told) as u64;
            stake.lost += told.saturating_sub(most) as u64;
            held.push((fewest, most));
        }
        self.is_prefix(cut, &held)?;
        Ok(stake)
    }

    /// How many steps must be there.
    fn promised(&self, account: &Account, since: Moment) -> usize {
        let steps = account.steps.iter();
        match self.durability {
            "every-commit" => {
                let told = steps.take_while(|step| is_before(step.told, since)).count();
                let read = self.seen.iter().filter(|seen| {
                    seen.account == account.number && seen.told.position <= since.position
                });
                told.max(read.map(|seen| seen.serial as usize).max().unwrap_or(0))
            }
            "every-second" => {
                let old = |told: Moment| {
                    is_before(Some(told), since)
                        && self.clock.between(told.nanos, since.nanos) > SECOND
                };
                steps.take_while(|step| step.told.is_some_and(old)).count()
            }
            _ => 0,
        }
    }

    /// Between `promised` and `sent` steps, after how many the account is as found.
    fn steps_held(
        &self,
        index: usize,
        promised: usize,
        sent: usize,
        found: &Found,
    ) -> Result<(usize, usize), String> {
        let account = &self.accounts[index];
        let mut state: HashMap<&str, Option<&str>> = HashMap::new();
        for (name, value) in account.steps[..promised].iter().flat_map(|step| &step.changes) {
            state.insert(name, value.as_deref());
        }
        // What is found of this account and not yet expected counts as a difference, too.
        for name in found.keys() {
            if self.owners.get(name.as_str()) == Some(&index) {
                state.entry(name).or_insert(None);
            }
        }
        let differs =
            |name: &str, value: Option<&str>| found.get(name).map(String::as_str) != value;
        let mut differences = state.iter().filter(|(name, value)| differs(name, **value)).count();
        let mut fits: Option<(usize, usize)> = None;
        let mut nearest = (differences, promised);
        for steps in promised..=sent.max(promised) {
            if steps > promised {
                for (name, value) in &account.steps[steps - 1].changes {
                    let value = value.as_deref();
                    let before = state.insert(name, value).unwrap_or(None);
                    differences += usize::from(differs(name, value));
                    differences -= usize::from(differs(name, before));
                }
            }
            nearest = nearest.min((differences, steps));
            if differences == 0 {
                fits = Some((fits.map_or(steps, |(fewest, _)| fewest), steps));
            }
        }
        fits.ok_or_else(|| {
            let Account { number, door, .. } = account;
            let why = self.differences(index, nearest.1, found);
            format!(
                "account {number} ({door}) is in no state of steps {promised} to {sent}; nearest \
                 is that of {}, but: {why}",
                nearest.1
            )
        })
    }

    /// Some of what is not as an account has it after so many steps.
    fn differences(&self, index: usize, steps: usize, found: &Found) -> String {
        let mut state: HashMap<&str, Option<&str>> = HashMap::new();
        let owned = found.keys().filter(|name| self.owners.get(name.as_str()) == Some(&index));
        state.extend(owned.map(|name| (name.as_str(), None)));
        for (name, value) in self.accounts[index].steps[..steps].iter().flat_map(|s| &s.changes) {
            state.insert(name, value.as_deref());
        }
        let found = |name: &str| found.get(name).map(String::as_str);
        let wrong = state.into_iter().filter(|(name, value)| found(name) != *value).take(5);
        let wrong = wrong
            .map(|(name, value)| format!("{name} is {}, was {}", short(found(name)), short(value)));
        wrong.collect::<Vec<String>>().join("; ")
    }

    /// Rule 4, as charitably as states that look alike allow.
    fn is_prefix(&self, cut: Moment, held: &[(usize, usize)]) -> Result<(), String> {
        let mut first_lost: Option<(u64, usize)> = None;
        let mut last_there: Option<(u64, usize)> = None;
        for (index, (account, (fewest, most))) in self.accounts.iter().zip(held).enumerate() {
            let lost = account.steps.get(*most).and_then(|step| step.told);
            if let Some(told) = lost.filter(|told| is_before(Some(*told), cut)) {
                let first = first_lost.get_or_insert((told.nanos, index));
                *first = (*first).min((told.nanos, index));
            }
            if let Some(step) = fewest.checked_sub(1).and_then(|last| account.steps.get(last)) {
                let last = last_there.get_or_insert((step.sent.nanos, index));
                *last = (*last).max((step.sent.nanos, index));
            }
        }
        match (first_lost, last_there) {
            (Some((told, lost)), Some((sent, there))) if told < sent => Err(format!(
                "no prefix: a step of account {} is lost that was answered {} us before one of \
                 account {} was sent that is there",
                self.accounts[lost].number,
                (sent - told) / 1000,
                self.accounts[there].number
            )),
            _ => Ok(()),
        }
    }
}

fn short(value: Option<&str>) -> String {
    let shown: String = value.unwrap_or("not there").chars().take(40).collect();
    format!("`{shown}`")
}

fn is_before(told: Option<Moment>, cut: Moment) -> bool {
    told.is_some_and(|told| told.position <= cut.position)
}

/// Time while the process runs.
struct Clock {
    /// Each tick, and the time that had run until then.
    ticks: Vec<(u64, u64)>,
}

impl Clock {
    fn new(nanos: &[u64]) -> Clock {
        let mut ticks: Vec<(u64, u64)> = Vec::with_capacity(nanos.len());
        for tick in nanos {
            let run = ticks
                .last()
                .map_or(0, |(before, run)| run + tick.saturating_sub(*before).min(TICK_NANOS_MAX));
            ticks.push((*tick, run));
        }
        Clock { ticks }
    }

    fn at(&self, nanos: u64) -> u64 {
        let next = self.ticks.partition_point(|(tick, _)| *tick <= nanos);
        let Some((tick, run)) = next.checked_sub(1).and_then(|last| self.ticks.get(last)) else {
            return 0;
        };
        run + (nanos - tick).min(TICK_NANOS_MAX)
    }

    fn between(&self, from: u64, to: u64) -> u64 {
        self.at(to).saturating_sub(self.at(from))
    }
}
