//! The connections of a loop, found by token.
//!
//! Invariants
//! 1. A token names one connection for ever: a slot used again has another generation, so that
//!    an event or a task of a closed connection finds nothing.
//!
//! Not here: what is done with connections (`event_loop`).

use super::connection::Connection;
use super::poller::Token;

/// The token of a loop's mailbox; never a connection's.
pub const MAILBOX: Token = Token::MAX;

#[derive(Default)]
struct Slot {
    generation: u32,
    connection: Option<Box<Connection>>,
}

/// Connections by token.
#[derive(Default)]
pub struct Slots {
    slots: Vec<Slot>,
    free: Vec<u32>,
}

impl Slots {
    /// Adds a connection; gives its token.
    pub fn insert(&mut self, connection: Box<Connection>) -> Token {
        let position = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Slot::default());
            (self.slots.len() - 1) as u32
        });
        let slot = &mut self.slots[position as usize];
        slot.connection = Some(connection);
        u64::from(slot.generation) << 32 | u64::from(position)
    }

    /// The connection of a token, if it is still there.
    #[inline]
    pub fn get(&mut self, token: Token) -> Option<&mut Connection> {
        let slot = self.slots.get_mut(token as u32 as usize)?;
        if slot.generation != (token >> 32) as u32 {
            return None;
        }
        slot.connection.as_deref_mut()
    }

    /// Takes a connection out.
    pub fn remove(&mut self, token: Token) -> Option<Box<Connection>> {
        self.get(token)?;
        let slot = &mut self.slots[token as u32 as usize];
        slot.generation = slot.generation.wrapping_add(1);
        self.free.push(token as u32);
        slot.connection.take()
    }

    /// Number of connections.
    pub fn len(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// Tokens of all connections.
    pub fn tokens(&self) -> Vec<Token> {
        let token = |(position, slot): (usize, &Slot)| {
            slot.connection.as_ref()?;
            Some(u64::from(slot.generation) << 32 | position as u64)
        };
        self.slots.iter().enumerate().filter_map(token).collect()
    }
}
