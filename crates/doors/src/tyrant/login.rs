//! Logging in at HTTP: the scheme Basic (RFC 7617), with each request.
//!
//! Invariants
//! 1. What proved a password once on a connection is compared from then on, not proved again; a
//!    REVOKE and a DROP USER hold for the next request all the same.
//! 2. A request that says who sends it acts as that account or as nobody, never as one without a
//!    login.
//!
//! Not here: requests (`http`), the header (`http_basic`), who is let in (`logins`).

use std::time::Duration;

use crate::http_basic::basic_login;
use crate::logins::{DoorClient, LoginOutcome};

/// The client of a connection as the requests say who it is.
#[derive(Debug)]
pub(super) struct HttpLogin {
    pub client: DoorClient,
    /// What the last request with a login said, where that was right.
    proved: Vec<u8>,
}

/// What became of a request's login.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HttpLoginOutcome {
    /// It is right.
    Accepted,
    /// It is not, and the client is told so this late.
    Denied(Duration),
    /// It is, but its account is at a limit.
    Limited,
    /// The same must be asked where waiting is allowed.
    Wait,
}

impl HttpLogin {
    /// Of a client that has not said anything yet.
    pub fn new(client: DoorClient) -> HttpLogin {
        HttpLogin { client, proved: Vec::new() }
    }

    /// Whether this was said before, and right.
    pub fn knows(&self, said: &[u8]) -> bool {
        self.client.is_in() && self.proved == said
    }

    /// Proves what a request says of its client.
    pub fn prove(&mut self, said: &[u8], may_wait: bool) -> HttpLoginOutcome {
        let outcome = match basic_login(said) {
            Some((user, password)) => self.client.log_in(&user, &password, may_wait),
            None => LoginOutcome::Denied(self.client.deny("")),
        };
        match outcome {
            LoginOutcome::Wait => HttpLoginOutcome::Wait,
            LoginOutcome::Limited => HttpLoginOutcome::Limited,
            LoginOutcome::Accepted => {
                self.proved = said.to_vec();
                HttpLoginOutcome::Accepted
            }
            LoginOutcome::Denied(delay) => {
                self.proved.clear();
                HttpLoginOutcome::Denied(delay)
            }
        }
    }
}
