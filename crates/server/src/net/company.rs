//! Company: whether a loop has lately served anybody besides the connection that waits for a
//! commit.
//!
//! A loop that makes a commit itself serves nobody meanwhile, so it asks first whether anybody
//! would come.
//!
//! Not here: what follows from it (`commits`).

use std::time::{Duration, Instant};

use super::poller::Token;

/// Who was served within this time is expected to come again.
const LATELY: Duration = Duration::from_millis(20);

/// The last two connections that were served.
#[derive(Default)]
pub struct Company {
    last: Option<(Token, Instant)>,
    /// When one that is not the last was served last.
    other: Option<Instant>,
}

impl Company {
    /// A connection was answered, waits for a commit, or was sent to the pool.
    pub fn note(&mut self, token: Token, now: Instant) {
        match &mut self.last {
            Some((last, at)) if *last == token => *at = now,
            last => self.other = last.replace((token, now)).map(|(_, at)| at).or(self.other),
        }
    }

    /// Whether nobody but this connection was served lately.
    pub fn is_none_but(&self, token: Token, now: Instant) -> bool {
        let lately = |at: Instant| now.saturating_duration_since(at) < LATELY;
        let other = self.last.filter(|(last, at)| *last != token && lately(*at));
        other.is_none() && !self.other.is_some_and(lately)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_connection_is_company_for_a_while_and_none_is_to_itself() {
        let start = Instant::now();
        let mut company = Company::default();
        assert!(company.is_none_but(1, start));
        company.note(1, start);
        assert!(company.is_none_but(1, start));
        assert!(!company.is_none_but(2, start));
        company.note(2, start);
        assert!(!company.is_none_but(2, start), "1 was there just before");
        company.note(2, start + LATELY);
        assert!(company.is_none_but(2, start + LATELY), "1 has not come again");
        assert!(!company.is_none_but(3, start + LATELY));
        assert!(company.is_none_but(3, start + LATELY * 2));
    }
}
