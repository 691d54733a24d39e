//! Commits of a loop: one for all the writes of a turn, and what follows for the connections
//! whose replies depend on it.
//!
//! Invariants
//! 1. A commit that syncs, or that the store would hold up, is handed over; others are done
//!    here, because they only hand bytes to the operating system.
//! 2. When a commit fails, every connection that took part answers each of its requests with an
//!    error, and none of the others hears of it.
//!
//! Not here: how commits share a sync (`rows::commit`).

use rows::Group;

use super::connection::Phase;
use super::event_loop::EventLoop;
use super::mailbox::Message;
use super::poller::{Poller, Token};

impl<P: Poller> EventLoop<P> {
    /// Commits what the turn's conversations have written: at once when that does not wait,
    /// else by handing it over.
    pub(super) fn commit_group(&mut self) {
        let members = std::mem::take(&mut self.members);
        match self.group.take() {
            Some((transaction, durability)) if !transaction.is_empty() => {
                self.groups += 1;
                let group = self.groups;
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
