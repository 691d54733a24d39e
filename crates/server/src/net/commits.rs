//! Commits of a loop: one for all the writes of a turn, and what follows for the connections whose
//! replies depend on it.
//!
//! A commit that syncs is handed over, so that the loop serves other clients meanwhile, or gathers
//! their writes. Without other clients it would only cost two changes of threads: then the loop
//! makes it itself between two turns, parked in `loop_threads`.
//! (docs/decisions/0021-commits-in-place.md)
//!
//! Invariants
//! 1. A commit that the store would hold up is handed over; one that needs no sync is done here,
//!    because it only hands bytes to the operating system.
//! 2. When a commit fails, every connection that took part answers each of its requests with an
//!    error, and none of the others hears of it.
//!
//! Not here: how commits share a sync (`rows::commit`).

use std::time::{Duration, Instant};

use rows::store::Durability;
use rows::{Group, Lead, Transaction};

use super::connection::Phase;
use super::event_loop::EventLoop;
use super::loop_threads::Pause;
use super::mailbox::Message;
use super::poller::{Poller, Token};

/// Groups that come farther apart than this are handed over: what a change of threads takes is
/// nothing to their writer, and no thread need stand by.
const APART: Duration = Duration::from_millis(10);
/// A group that the loop commits itself, with the right to.
pub struct CommitHere {
    group: u64,
    lead: Lead,
    transaction: Transaction,
    durability: Durability,
}

impl CommitHere {
    /// Why the loop pauses.
    pub fn pause(self) -> Pause {
        let CommitHere { group, lead, transaction, durability } = self;
        Pause::Commit { group, commit: Box::new(move || transaction.commit_by(lead, durability)) }
    }
}

impl<P: Poller> EventLoop<P> {
    /// Commits what the turn's conversations have written: at once when that does not wait,
    /// else by handing it over.
    pub(super) fn commit_group(&mut self) {
        let members = std::mem::take(&mut self.members);
        match self.group.take() {
            Some((transaction, durability)) if !transaction.is_empty() => {
                self.groups += 1;
                let group = self.groups;
                if let Some(lead) = self.lead_here(durability, &members) {
                    self.here = Some(CommitHere { group, lead, transaction, durability });
                    self.committing.insert(group, members);
                    return;
                }
                let mailbox = self.mailbox.clone();
                let done = move |result| mailbox.post(Message::Committed { group, result });
                match transaction.commit_or_later(durability, Box::new(done)) {
                    Some(result) => self.settle(members, &result),
                    None => {
                        self.committing.insert(group, members);
                    }
                }
            }
            _ if members.is_empty() => self.members = members,
            _ => self.release(members, &Ok(())),
        }
    }

    /// The right to commit in this thread, where that holds nobody up.
    fn lead_here(&mut self, durability: Durability, members: &[Token]) -> Option<Lead> {
        let before = std::mem::replace(&mut self.last_group, self.turn_at);
        let holds_nobody_up = durability == Durability::EveryCommit
            && self.here.is_none()
            // They are this thread's, and another may run the loop on.
            && self.reads_under_way() == 0
            && self.turn_at.duration_since(before) < APART
            && matches!(members, [member] if self.recent_clients.is_none_but(*member, self.turn_at))
            && self.shared.loop_threads.stands_by();
        if holds_nobody_up { self.shared.engine.quick_lead() } else { None }
    }

    /// This thread has committed the group: its members go on before anybody else.
    pub(super) fn end_commit_here(&mut self, group: u64, result: &rows::Result<()>) {
        self.turn_at = Instant::now();
        self.counters().groups_here.add(1);
        self.busy_poll.note_late();
        let members = self.committing.remove(&group).unwrap_or_default();
        self.settle(members, result);
        self.serve();
        self.proceed_with_reads();
        self.send_all();
    }

    /// A conversation broke off in the middle of the group's writes: nobody can tell which of
    /// them are whole, so none is kept.
    pub(super) fn give_group_up(&mut self) {
        self.group = Group::new();
        let members = std::mem::take(&mut self.members);
        let why = "another request of the same commit broke off";
        self.release(members, &Err(rows::Error::Refused { why }));
    }

    /// A group's commit has ended.
    pub(super) fn settle(&mut self, members: Vec<Token>, result: &rows::Result<()>) {
        self.counters().groups.add(1);
        self.counters().group_members.add(members.len() as u64);
        if let Err(error) = result {
            self.counters().groups_failed.add(1);
            tracing::warn!(%error, members = members.len(), "commit failed");
        }
        self.release(members, result);
    }

    /// Lets the replies of a group go, or replaces them by errors, and its members go on.
    fn release(&mut self, members: Vec<Token>, result: &rows::Result<()>) {
        for token in members {
            let Some(connection) = self.slots.get(token) else {
                continue;
            };
            if connection.phase != Phase::Held {
                continue;
            }
            match (result, connection.conversation.as_mut()) {
                (Err(error), Some(conversation)) => {
                    connection.output.cut();
                    conversation.commit_failed(error, connection.output.buffer());
                }
                _ => connection.output.release(),
            }
            self.send_later(token);
            self.go_on(token);
        }
    }
}
