//! A client without a socket.

#[path = "../common/serving.rs"]
mod serving;

use std::net::IpAddr;
use std::sync::Arc;

use access::AccessControl;
use doors::memcached::{Memcached, MemcachedOptions, MemcachedShared, prepare};
use doors::mysql::{Account, Secret, Users};
use doors::{Conversation, DoorAccounts, DoorClient, DoorLogins, Input, Next, Turn, WithoutLogin};
use resources::clock::SetClock;
use rows::memory::MemoryStore;
use rows::{Engine, EngineOptions, Group};
use serving::serve;

/// The second at which tests begin.
pub const START: u64 = 2_000_000_000;

/// Rows, the door's shared part, and the time.
pub struct House {
    pub engine: Arc<Engine>,
    pub shared: Arc<MemcachedShared>,
    pub clock: Arc<SetClock>,
    logins: Arc<DoorLogins>,
}

impl House {
    pub fn new() -> House {
        let (store, options) = crate::rows();
        House::on(store, options)
    }

    pub fn on(store: Arc<MemoryStore>, options: EngineOptions) -> House {
        let clock = Arc::new(SetClock::at(START * 1_000_000));
        let options = EngineOptions { clock: clock.clone(), ..options };
        let engine = Engine::open(store, options).expect("an empty store");
        prepare(&engine).expect("an empty catalog");
        let shared = Arc::new(MemcachedShared::new(&engine, MemcachedOptions::default()));
        let control = Arc::new(AccessControl::load(&[]).expect("no records"));
        let app = Account { name: "app".into(), secret: Secret::new("pass word") };
        let accounts = Arc::new(DoorAccounts::new(Users::new([app]), &control));
        let logins = DoorLogins::new("memcached", accounts, WithoutLogin::ThisMachine);
        House { engine, shared, clock, logins: Arc::new(logins) }
    }

    /// Moves the time on.
    pub fn pass(&self, seconds: u64) {
        use resources::clock::Clock as _;
        self.clock.set(self.clock.unix_micros() + seconds * 1_000_000);
    }

    /// A client of this machine, which needs no login.
    pub fn client(&self) -> Client {
        self.client_from(None)
    }

    /// A client from the network, which has to log in: as `app` with `pass word`.
    pub fn stranger(&self) -> Client {
        self.client_from(Some(IpAddr::from([192, 0, 2, 1])))
    }

    fn client_from(&self, peer: Option<IpAddr>) -> Client {
        let client = DoorClient::new(self.logins.clone(), peer);
        Client {
            engine: self.engine.clone(),
            conversation: Memcached::new(self.shared.clone(), client),
            input: Input::new(),
            closed: false,
            largest: 0,
        }
    }
}

pub struct Client {
    engine: Arc<Engine>,
    conversation: Memcached,
    input: Input,
    pub closed: bool,
    /// Bytes of the longest reply of one turn.
    pub largest: usize,
}

impl Client {
    /// Sends bytes and gives all that is answered to them.
    pub fn send(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.input.extend(bytes);
        let mut sent = Vec::new();
        if !self.closed {
            let Client { engine, conversation, input, largest, .. } = self;
            self.closed = serve(engine, conversation, input, &mut |out| {
                *largest = out.len().max(*largest);
                sent.extend_from_slice(out);
            });
        }
        sent
    }

    /// One turn where waiting is allowed; gives what it answers.
    pub fn piece(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.input.extend(bytes);
        let mut out = Vec::new();
        let mut group = Group::new();
        let mut turn = Turn::in_pool(&self.engine, &mut group);
        self.conversation.turn(&mut self.input, &mut out, &mut turn);
        out
    }

    /// One turn in a loop, in a group that others have written into.
    pub fn turn(&mut self, bytes: &[u8], group: &mut Group) -> (Next, Vec<u8>) {
        self.input.extend(bytes);
        let mut out = Vec::new();
        let mut turn = Turn::in_loop(&self.engine, group);
        (self.conversation.turn(&mut self.input, &mut out, &mut turn), out)
    }

    /// As `send`, in text.
    pub fn ask(&mut self, text: &str) -> String {
        String::from_utf8_lossy(&self.send(text.as_bytes())).into_owned()
    }

    /// Sends each left side and expects its right side; `\n` stands for CRLF in both.
    pub fn expect(&mut self, script: &[(&str, &str)]) {
        for (request, reply) in script {
            let answered = self.ask(&request.replace('\n', "\r\n"));
            assert_eq!(answered.replace("\r\n", "\n"), *reply, "to {request:?}");
        }
    }
}
