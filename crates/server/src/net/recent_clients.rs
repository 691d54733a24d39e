//! The connections that a loop served lately, as long as they are few.
//!
//! A loop that makes a commit itself serves nobody meanwhile, so it first asks whether another
//! client is likely to come; a loop that polls for its clients must have few of them.
//!
//! Not here: what follows from it (`commits`, `busy_poll`).

use std::time::{Duration, Instant};

use super::poller::Token;

/// A client that was served within this time is expected to come again.
const LATELY: Duration = Duration::from_millis(20);
/// So many are told apart.
const KNOWN: usize = 3;

/// The last connections that were served, the last one first, and when each was.
#[derive(Default)]
pub struct RecentClients([Option<(Token, Instant)>; KNOWN]);

impl RecentClients {
    /// A connection was answered, waits for a commit, or was sent to the pool.
    pub fn note(&mut self, token: Token, now: Instant) {
        let is_it = |known: &Option<(Token, Instant)>| known.is_some_and(|(last, _)| last == token);
        let place = self.0.iter().position(is_it).unwrap_or(KNOWN - 1);
        self.0[..=place].rotate_right(1);
        self.0[0] = Some((token, now));
    }

    /// Whether nobody but this connection was served lately.
    pub fn is_none_but(&self, token: Token, now: Instant) -> bool {
        self.lately(now).all(|last| last == token)
    }

    /// Whether somebody was served lately, and not more than so many, one or two.
    pub fn is_at_most(&self, count: usize, now: Instant) -> bool {
        debug_assert!(count < KNOWN, "more are not told apart");
        (1..=count).contains(&self.lately(now).count())
    }

    fn lately(&self, now: Instant) -> impl Iterator<Item = Token> {
        let known = self.0.iter().flatten();
        let lately = move |at: Instant| now.saturating_duration_since(at) < LATELY;
        known.filter(move |(_, at)| lately(*at)).map(|(token, _)| *token)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_connection_is_recent_for_a_while_and_none_is_to_itself() {
        let start = Instant::now();
        let mut clients = RecentClients::default();
        assert!(clients.is_none_but(1, start));
        clients.note(1, start);
        assert!(clients.is_none_but(1, start));
        assert!(!clients.is_none_but(2, start));
        clients.note(2, start);
        assert!(!clients.is_none_but(2, start), "1 was there just before");
        clients.note(2, start + LATELY);
        assert!(clients.is_none_but(2, start + LATELY), "1 has not come again");
        assert!(!clients.is_none_but(3, start + LATELY));
        assert!(clients.is_none_but(3, start + LATELY * 2));
    }

    #[test]
    fn one_two_and_more_connections_are_told_apart() {
        let start = Instant::now();
        let mut clients = RecentClients::default();
        let told =
            |clients: &RecentClients, now| [1, 2].map(|count| clients.is_at_most(count, now));
        assert_eq!(told(&clients, start), [false, false], "nobody");
        (0..9).for_each(|_| clients.note(1, start));
        assert_eq!(told(&clients, start), [true, true]);
        (0..9).for_each(|turn| clients.note(turn % 2, start));
        assert_eq!(told(&clients, start), [false, true]);
        clients.note(7, start);
        assert_eq!(told(&clients, start), [false, false]);
        clients.note(7, start + LATELY);
        assert_eq!(told(&clients, start + LATELY), [true, true], "the others have not come again");
        assert_eq!(told(&clients, start + LATELY * 2), [false, false]);
    }
}
