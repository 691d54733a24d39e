//! Logins that fail: counted, told to the log at a rate, and answered the later the more of them
//! have come from one address.
//!
//! Invariants
//! 1. Only the answer to a login that has failed is late. Nobody waits for the failures of others.
//! 2. A name in the log cannot end its line, whatever a client calls itself.
//! 3. Memory is bounded: of so many addresses that fail at once, those that failed longest ago are
//!    forgotten.
//!
//! Not here: how an answer waits (`Next::Later`), who is let in (`mysql::auth`,
//! `handlersocket::execute`).

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use resources::counter::Counter;
use resources::log_rate::LogRate;

/// How long the answer to the first failure of an address waits; to each further one twice as long.
const DELAY_FIRST: Duration = Duration::from_millis(100);
const DELAY_MAX: Duration = Duration::from_secs(10);
/// Time after which one failure of an address is forgotten.
const FORGOTTEN_AFTER: Duration = Duration::from_secs(10);
/// Addresses that are remembered.
const ADDRESSES_MAX: usize = 4096;
/// Letters of a name that the log is told.
const NAME_LETTERS_MAX: usize = 64;

/// The logins of one door that have failed.
#[derive(Debug)]
pub struct FailedLogins {
    door: &'static str,
    count: Counter,
    rate: LogRate,
    addresses: Mutex<HashMap<Option<IpAddr>, Failures>>,
}

/// Those of one address that are not forgotten.
#[derive(Clone, Copy, Debug)]
struct Failures {
    count: u32,
    /// When the last was, or would have been forgotten.
    at: Instant,
}

impl Failures {
    /// What is left of them at a later time.
    fn at(self, now: Instant) -> Failures {
        let past = now.saturating_duration_since(self.at);
        let forgotten =
            (past.as_millis() / FORGOTTEN_AFTER.as_millis()).min(u32::MAX.into()) as u32;
        let at = self.at + FORGOTTEN_AFTER.saturating_mul(forgotten);
        Failures { count: self.count.saturating_sub(forgotten), at }
    }
}

impl FailedLogins {
    /// Of a door by its name, where none has failed yet.
    pub fn new(door: &'static str) -> FailedLogins {
        FailedLogins {
            door,
            count: Counter::default(),
            rate: LogRate::default(),
            addresses: Mutex::default(),
        }
    }

    /// How many have failed since the start.
    pub fn count(&self) -> u64 {
        self.count.get()
    }

    /// Another one has failed: how long its answer waits. `user`: as the client calls itself, empty
    /// where the protocol knows no names; `peer`: `None` for one of this machine.
    pub fn note(&self, user: &str, peer: Option<IpAddr>) -> Duration {
        self.count.add();
        if let Some(more) = self.rate.next(Instant::now()) {
            let user: String = user.chars().take(NAME_LETTERS_MAX).collect();
            let peer = peer.map_or("this machine".to_owned(), |peer| peer.to_string());
            tracing::warn!(door = self.door, ?user, %peer, more, "a login has failed");
        }
        self.delay(peer.map(network), Instant::now())
    }

    fn delay(&self, address: Option<IpAddr>, now: Instant) -> Duration {
        let mut addresses = self.addresses.lock().unwrap_or_else(PoisonError::into_inner);
        if addresses.len() >= ADDRESSES_MAX && !addresses.contains_key(&address) {
            addresses.retain(|_, failures| failures.at(now).count > 0);
            let oldest = addresses.iter().min_by_key(|(_, failures)| failures.at);
            if addresses.len() >= ADDRESSES_MAX
                && let Some(oldest) = oldest.map(|(oldest, _)| *oldest)
            {
                addresses.remove(&oldest);
            }
        }
        let failures = addresses.entry(address).or_insert(Failures { count: 0, at: now });
        *failures = failures.at(now);
        if failures.count == 0 {
            failures.at = now;
        }
        let delay =
            DELAY_FIRST.saturating_mul(1u32.checked_shl(failures.count).unwrap_or(u32::MAX));
        failures.count = failures.count.saturating_add(1);
        if delay >= DELAY_MAX {
            // Further ones change nothing, and are forgotten as quickly.
            failures.count -= 1;
        }
        delay.min(DELAY_MAX)
    }
}

/// What belongs to one client: an address of IPv4, and 64 bits of one of IPv6, of which a client
/// has as many as it likes.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::from([a, b, c, d, 0, 0, 0, 0])
        }
        address => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn guesses_of_an_address_are_answered_later_and_later_and_are_forgotten() {
        let failed = FailedLogins::new("test");
        let now = Instant::now();
        let delays: Vec<_> = (0..9).map(|_| failed.delay(None, now).as_millis()).collect();
        assert_eq!(delays, [100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]);
        let other = Some(IpAddr::from([1, 2, 3, 4]));
        assert_eq!(failed.delay(other, now), DELAY_FIRST, "of another's nobody has to wait");
        let later = now + 3 * FORGOTTEN_AFTER;
        assert_eq!(failed.delay(None, later), Duration::from_millis(1600));
        assert_eq!(failed.delay(None, later + 1000 * SECOND), DELAY_FIRST);
        for _ in 0..1000 {
            failed.delay(None, later + 1000 * SECOND);
        }
        assert_eq!(failed.delay(None, later + 1100 * SECOND), DELAY_FIRST, "all are forgotten");
    }

    #[test]
    fn addresses_are_forgotten_when_there_are_too_many() {
        let failed = FailedLogins::new("test");
        let now = Instant::now();
        for number in 0..2 * ADDRESSES_MAX as u32 {
            let address = IpAddr::from(number.to_be_bytes());
            let at = now + Duration::from_micros(number.into());
            assert_eq!(failed.delay(Some(address), at), DELAY_FIRST);
        }
        assert_eq!(failed.addresses.lock().unwrap().len(), ADDRESSES_MAX);
        let last = IpAddr::from((2 * ADDRESSES_MAX as u32 - 1).to_be_bytes());
        assert_eq!(failed.delay(Some(last), now + SECOND), 2 * DELAY_FIRST);
    }

    #[test]
    fn a_client_has_one_network() {
        let address = |text: &str| text.parse::<IpAddr>().unwrap();
        assert_eq!(network(address("2001:db8:1:2:3::4")), network(address("2001:db8:1:2:ffff::")));
        assert_ne!(network(address("2001:db8:1:2::4")), network(address("2001:db8:1:3::4")));
        assert_eq!(network(address("::ffff:1.2.3.4")), address("1.2.3.4"));
    }
}
