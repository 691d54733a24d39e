//! `Exchange`: one login at the MySQL door, from the client's first packet to its end.
//!
//! Invariants
//! 1. Nothing that proves a decoy lets anybody in (`settled`).
//! 2. Each way of an account begins afresh: what the client was told for one counts for no other.
//!
//! Not here: who may log in, and by what (`auth`), the packets (`mysql::login`).

use access::host::Peer;
use access::{AccountName, TlsNeed};
use passwords::signed::{CLIENT_ED25519, Nonce, PARSEC, ParsecHint, is_signed};
use passwords::{
    CACHING_SHA2, NATIVE, PUBLIC_KEY_REQUEST, Scramble, caching_sha2_proves, certificate_proof,
    native_proves,
};

use super::{Credential, Secret, Users};
use crate::mysql::handshake::Login;

/// What to do next about a login.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step<'a> {
    /// Let the client in. `fast`: after telling it `FAST_SUCCESS`.
    Accept {
        /// Whether the method expects `FAST_SUCCESS` before OK.
        fast: bool,
    },
    /// Error 1045. `password`: whether the client gave one.
    Deny {
        /// Whether the client used a password, which the error says.
        password: bool,
    },
    /// Ask the client to use another method, on the same scramble.
    Switch(&'static str),
    /// Ask for the password itself.
    AskPassword,
    /// Tell the client what its method makes the proof from.
    Tell(ParsecHint),
    /// Send the public key.
    SendKey(&'a str),
    /// The same packet must be looked at where waiting is allowed.
    Wait,
}

/// A login under way.
#[derive(Debug)]
pub struct Exchange {
    user: String,
    scramble: Scramble,
    /// Fresh bytes of the methods that sign them.
    nonce: Nonce,
    method: &'static str,
    full: bool,
    /// Which way of the account is tried.
    way: usize,
    /// Which of its secrets was proved.
    proved: usize,
    /// Whether the client understands a request for another method.
    can_switch: bool,
    /// Whether it was told what parsec makes the proof from, for the way that is tried.
    is_told: bool,
    credential: Option<Credential>,
    /// The user of the system who has connected through a UNIX socket, by its number.
    peer_uid: Option<u32>,
}

impl Exchange {
    /// Begins with the client's login and says what to do next.
    pub fn begin<'a, 'p>(
        users: &'a Users,
        login: &Login<'_>,
        scramble: Scramble,
        peer: impl Into<Peer<'p>>,
        peer_uid: Option<u32>,
    ) -> (Exchange, Step<'a>) {
        let user = String::from_utf8_lossy(login.user).into_owned();
        // A client that names no method speaks the one from before there were names.
        let named = if login.method.is_empty() { NATIVE.as_bytes() } else { login.method };
        let known = [NATIVE, CACHING_SHA2].into_iter().find(|name| name.as_bytes() == named);
        let credential = users.credential(&user, peer.into());
        let method = known.unwrap_or(CACHING_SHA2);
        let can_switch = !login.method.is_empty();
        let mut exchange = Exchange {
            user,
            scramble,
            nonce: rand::random(),
            method,
            full: false,
            way: 0,
            proved: 0,
            can_switch,
            is_told: false,
            credential,
            peer_uid,
        };
        if exchange.is_by_socket() {
            return (exchange, Step::Wait);
        }
        let secret = exchange.secrets().first();
        let wanted = secret.and_then(Secret::method).unwrap_or(exchange.method);
        // An empty proof may mean that the client had no scramble for its method: it named another
        // than the greeting did, or (MySQL's own library) it changes its user.
        let unproven = is_empty_proof(login.proof) && !matches!(secret, Some(Secret::Empty));
        if known != Some(wanted) || unproven {
            exchange.method = wanted;
            // A client that names no method does not understand the request either.
            let step = match can_switch {
                false => Step::Deny { password: !is_empty_proof(login.proof) },
                true => Step::Switch(wanted),
            };
            return (exchange, step);
        }
        let step = exchange.check(users, login.proof);
        let step = exchange.settled(step);
        (exchange, step)
    }

    /// What proves the way that is tried.
    fn secrets(&self) -> &[Secret] {
        self.credential.as_ref().map_or(&[], |credential| &credential.ways[self.way])
    }

    fn is_decoy(&self) -> bool {
        self.credential.as_ref().is_some_and(|credential| credential.is_decoy)
    }

    /// What comes of a step: a decoy lets nobody in, and where the client has failed and its
    /// account has another way, that is tried.
    fn settled<'a>(&mut self, step: Step<'a>) -> Step<'a> {
        let step = match step {
            Step::Accept { .. } if self.is_decoy() => Step::Deny { password: true },
            step => step,
        };
        let ways = self.credential.as_ref().map_or(0, |credential| credential.ways.len());
        if !matches!(step, Step::Deny { .. }) || self.way + 1 >= ways {
            return step;
        }
        self.way += 1;
        (self.full, self.is_told) = (false, false);
        if self.is_by_socket() {
            return Step::Wait;
        }
        if !self.can_switch {
            return step;
        }
        self.method = self.secrets().first().and_then(Secret::method).unwrap_or(NATIVE);
        Step::Switch(self.method)
    }

    /// What the client is sent with a request for the method.
    pub fn fresh_bytes(&self) -> Vec<u8> {
        match self.method {
            CLIENT_ED25519 | PARSEC => self.nonce.to_vec(),
            // A text in C, to clients.
            _ => [&self.scramble[..], &[0]].concat(),
        }
    }

    /// The user name that was given.
    pub fn user(&self) -> &str {
        &self.user
    }

    /// What proves to a client that was let in that a certificate is the server's own, if its
    /// method has that.
    pub fn certificate_proof(&self, fingerprint: &[u8; 32]) -> Option<String> {
        let stored = match self.secrets().get(self.proved)? {
            Secret::Both { native, .. } | Secret::Native(native) if self.method == NATIVE => {
                native.to_vec()
            }
            Secret::Signed(key) => key.to_vec(),
            Secret::Parsec(key) => key.bytes(),
            _ => return None,
        };
        Some(certificate_proof(&stored, &self.scramble, fingerprint))
    }

    /// The account of SQL that the client is; `None` for a configured user.
    pub fn account(&self) -> Option<&AccountName> {
        self.credential.as_ref()?.account.as_ref()
    }

    /// Whether that is locked: nobody comes in.
    pub fn is_locked(&self) -> bool {
        self.credential.as_ref().is_some_and(|credential| credential.is_locked)
    }

    /// How the connection must be encrypted.
    pub fn tls_need(&self) -> &TlsNeed {
        self.credential.as_ref().map_or(&TlsNeed::None, |credential| &credential.tls_need)
    }

    /// The client's next packet.
    pub fn answer<'a>(&mut self, users: &'a Users, payload: &[u8], may_wait: bool) -> Step<'a> {
        let step = self.try_answer(users, payload, may_wait);
        self.settled(step)
    }

    fn try_answer<'a>(&mut self, users: &'a Users, payload: &[u8], may_wait: bool) -> Step<'a> {
        if let (false, [Secret::Parsec(key), ..]) = (self.is_told, self.secrets()) {
            let told = key.told();
            self.is_told = true;
            return match payload {
                [] => Step::Tell(told),
                _ => Step::Deny { password: true },
            };
        }
        if !self.full && !self.is_by_socket() {
            return self.check(users, payload);
        }
        if !may_wait {
            return Step::Wait;
        }
        if self.is_by_socket() {
            return self.check_peer();
        }
        if payload == PUBLIC_KEY_REQUEST {
            return match users.key() {
                Some(key) => Step::SendKey(key.public_pem()),
                None => Step::Deny { password: true },
            };
        }
        let Some(password) = users.password(payload, &self.scramble) else {
            return Step::Deny { password: true };
        };
        match self.secrets().iter().position(|secret| secret.matches(&password)) {
            Some(place) => {
                self.proved = place;
                if !self.is_decoy() {
                    users.remember(&self.secrets()[place], &password);
                }
                Step::Accept { fast: false }
            }
            None => Step::Deny { password: true },
        }
    }

    /// Whether the account is one of those who come through a UNIX socket.
    pub fn is_by_socket(&self) -> bool {
        matches!(self.secrets(), [Secret::Socket(_)])
    }

    /// Asks the system who is at the other end of the socket.
    fn check_peer(&self) -> Step<'static> {
        let name = self.peer_uid.and_then(system_user);
        let is_so = |secret: &Secret, name: &str| match secret {
            Secret::Socket(wanted) => *wanted == name || self.user == name,
            _ => false,
        };
        match (self.secrets(), name) {
            ([secret, ..], Some(name)) if is_so(secret, &name) => Step::Accept { fast: false },
            _ => Step::Deny { password: false },
        }
    }

    /// Checks a proof by the current method.
    fn check(&mut self, users: &Users, proof: &[u8]) -> Step<'static> {
        let password = !is_empty_proof(proof);
        let deny = Step::Deny { password };
        let fast = self.method == CACHING_SHA2;
        let proves = |digest: [u8; 32]| caching_sha2_proves(proof, &self.scramble, &digest);
        let is_decoy = self.is_decoy();
        let mut needs_password = false;
        for (place, secret) in self.secrets().iter().enumerate() {
            let is_proven = match secret {
                Secret::Empty => !password,
                Secret::Nobody | Secret::Socket(_) => false,
                Secret::Signed(key) => is_signed(key, &self.nonce, proof),
                Secret::Parsec(key) => key.proves(&self.nonce, proof),
                Secret::Both { sha2, .. } if fast => proves(*sha2),
                Secret::Both { native, .. } | Secret::Native(native) => {
                    native_proves(proof, &self.scramble, native)
                }
                Secret::Slow(hash) => {
                    needs_password |= password;
                    !is_decoy && users.proven_digest(hash).is_some_and(proves)
                }
            };
            if is_proven {
                let is_sealed = matches!(secret, Secret::Both { .. } | Secret::Slow(_));
                self.proved = place;
                return Step::Accept { fast: fast && is_sealed };
            }
        }
        if needs_password {
            self.full = true;
            return Step::AskPassword;
        }
        deny
    }
}

/// Clients prove the empty password by nothing or, as a C string, by a zero byte.
fn is_empty_proof(proof: &[u8]) -> bool {
    matches!(proof, [] | [0])
}

/// The name of a user of the system, by `/etc/passwd`.
fn system_user(uid: u32) -> Option<String> {
    let users = std::fs::read_to_string("/etc/passwd").ok()?;
    let mut lines = users.lines().map(|line| line.split(':').collect::<Vec<_>>());
    let found = lines.find(|fields| fields.get(2).is_some_and(|own| own.parse() == Ok(uid)))?;
    found.first().map(|name| (*name).to_owned())
}
