//! A client without a socket.

#[path = "../common/serving.rs"]
mod serving;

use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use access::AccessControl;
use doors::mysql::{Account, Secret, Users};
use doors::tyrant::{
    DatabaseName, ScriptOptions, Scripts, Tyrant, TyrantOptions, TyrantShared, prepare,
};
use doors::{Conversation, DoorAccounts, DoorClient, DoorLogins, Input, Next, Turn, WithoutLogin};
use resources::budget::Budget;
use resources::clock::SetClock;
use rows::{Engine, EngineOptions, Group};
use serving::serve;

/// The second at which tests begin.
const START: u64 = 2_000_000_000;
/// Most bytes of a request.
pub const REQUEST_BYTES_MAX: usize = 1 << 20;

/// How long anything a test waits for may take.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Rows, and the door's shared part.
pub struct House {
    pub engine: Arc<Engine>,
    pub shared: Arc<TyrantShared>,
    logins: Arc<DoorLogins>,
}

impl House {
    pub fn new() -> House {
        House::with("tyrant.records(k, v)", false)
    }

    /// On another table, or where `vanish` is allowed.
    pub fn with(database: &str, vanish: bool) -> House {
        House::on(House::engine(), database, vanish)
    }

    /// With a script whose calls may take some time.
    pub fn with_script(database: &str, script: &str, time_max: Duration) -> House {
        House::made(House::engine(), database, false, Some((script, time_max)))
    }

    fn engine() -> Arc<Engine> {
        let (store, options) = crate::rows();
        let clock = Arc::new(SetClock::at(START * 1_000_000));
        let options = EngineOptions { clock, ..options };
        Engine::open(store, options).expect("an empty store")
    }

    pub fn on(engine: Arc<Engine>, database: &str, vanish: bool) -> House {
        House::made(engine, database, vanish, None)
    }

    fn made(
        engine: Arc<Engine>,
        database: &str,
        vanish: bool,
        script: Option<(&str, Duration)>,
    ) -> House {
        let database = DatabaseName::parse(database).expect("a name");
        prepare(&engine, &database).expect("makes what is missing");
        let scripts = script.map(|(script, time_max)| {
            in_time(|| Scripts::new(&engine, script_options(script, time_max))).expect("a script")
        });
        let options = TyrantOptions {
            database,
            request_bytes_max: REQUEST_BYTES_MAX,
            copy: None,
            vanish,
            hosts: Vec::new(),
            scripts,
        };
        let shared = Arc::new(TyrantShared::new(&engine, options));
        let control = Arc::new(AccessControl::load(&[]).expect("no records"));
        let app = Account { name: "app".into(), secret: Secret::new("pass:word") };
        let accounts = Arc::new(DoorAccounts::new(Users::new([app]), &control));
        let logins = DoorLogins::new("tyrant", accounts, WithoutLogin::ThisMachine);
        House { engine, shared, logins: Arc::new(logins) }
    }

    /// A client of this machine, which needs no login.
    pub fn client(&self) -> Client {
        self.client_from(None)
    }

    /// A client from the network, which has to log in: as `app` with `pass:word`.
    pub fn stranger(&self) -> Client {
        self.client_from(Some(IpAddr::from([192, 0, 2, 1])))
    }

    fn client_from(&self, peer: Option<IpAddr>) -> Client {
        Client {
            engine: self.engine.clone(),
            conversation: Tyrant::new(
                self.shared.clone(),
                DoorClient::new(self.logins.clone(), peer),
            ),
            input: Input::new(),
            closed: false,
        }
    }
}

/// What a script may take.
/// Does again what takes no time, where a machine that pauses has taken all of a short one.
pub fn in_time<T>(mut act: impl FnMut() -> Result<T, String>) -> Result<T, String> {
    let since = Instant::now();
    loop {
        match act() {
            Err(why) if why.contains("its time is over") && since.elapsed() < PATIENCE => {}
            done => return done,
        }
    }
}

pub fn script_options(script: &str, time_max: Duration) -> ScriptOptions {
    ScriptOptions {
        name: "test.lua".into(),
        text: script.into(),
        time_max,
        memory_bytes_max: 8 << 20,
        stash: Budget::new(8 << 20),
        states_max: 4,
    }
}

pub struct Client {
    engine: Arc<Engine>,
    conversation: Tyrant,
    input: Input,
    pub closed: bool,
}

impl Client {
    /// Sends bytes and gives all that is answered to them.
    pub fn send(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.input.extend(bytes);
        let mut sent = Vec::new();
        if !self.closed {
            let Client { engine, conversation, input, .. } = self;
            self.closed =
                serve(engine, conversation, input, &mut |out| sent.extend_from_slice(out));
        }
        sent
    }

    /// One turn in a loop, in a group that others have written into.
    pub fn turn(&mut self, bytes: &[u8], group: &mut Group) -> (Next, Vec<u8>) {
        self.input.extend(bytes);
        let mut out = Vec::new();
        let mut turn = Turn::in_loop(&self.engine, group);
        (self.conversation.turn(&mut self.input, &mut out, &mut turn), out)
    }

    /// One turn where waiting is allowed, after the client has left if it `leaves`.
    pub fn turn_in_pool(&mut self, leaves: bool) -> Vec<u8> {
        if leaves {
            self.conversation.leave().expect("it can be told so")();
        }
        let (mut group, mut out) = (Group::new(), Vec::new());
        let mut turn = Turn::in_pool(&self.engine, &mut group);
        self.conversation.turn(&mut self.input, &mut out, &mut turn);
        out
    }

    /// The group's commit failed after a turn.
    pub fn commit_fails(&mut self, error: &rows::Error) -> Vec<u8> {
        let mut out = Vec::new();
        self.conversation.commit_failed(error, &mut out);
        out
    }

    /// Sends each left side and expects its right side.
    pub fn expect(&mut self, script: &[(Vec<u8>, Vec<u8>)]) {
        for (request, reply) in script {
            let answered = self.send(request);
            assert_eq!(
                answered.escape_ascii().to_string(),
                reply.escape_ascii().to_string(),
                "to {}",
                request.escape_ascii()
            );
        }
    }

    /// As `send`, in text; `\n` stands for CRLF in both.
    pub fn ask(&mut self, text: &str) -> String {
        let answer = self.send(text.replace('\n', "\r\n").as_bytes());
        String::from_utf8_lossy(&answer).replace("\r\n", "\n")
    }

    /// Calls a function of the script: what it gives, `None` when it failed or gave nothing.
    pub fn ext(&mut self, name: &str, key: &str, value: &str) -> Option<String> {
        let answer = self.send(&ext(name, 0, key, value));
        match answer[..] {
            [0, _, _, _, _, ref text @ ..] => Some(String::from_utf8_lossy(text).into_owned()),
            _ => {
                assert_eq!(answer, [1]);
                None
            }
        }
    }

    /// Calls a function of `misc`: the elements of its answer, `None` when it failed.
    pub fn misc(&mut self, name: &str, arguments: &[&str]) -> Option<Vec<String>> {
        let answer = self.send(&misc(name, arguments));
        let (code, rest) = answer.split_first().expect("an answer");
        let (count, mut rest) = rest.split_first_chunk().expect("a number of elements");
        let mut elements = Vec::new();
        for _ in 0..u32::from_be_bytes(*count) {
            let (length, behind) = rest.split_first_chunk().expect("a length");
            let (element, behind) = behind.split_at(u32::from_be_bytes(*length) as usize);
            elements.push(String::from_utf8_lossy(element).into_owned());
            rest = behind;
        }
        assert!(rest.is_empty() && (*code == 0 || elements.is_empty()), "{code} {elements:?}");
        (*code == 0).then_some(elements)
    }
}

/// A request for a function of the script.
pub fn ext(name: &str, options: i32, key: &str, value: &str) -> Vec<u8> {
    let lengths = [name.len() as i32, options, key.len() as i32, value.len() as i32];
    request(0x68, &lengths, &[name, key, value])
}

/// A request of this command: numbers of 4 bytes, then texts.
pub fn request(command: u8, numbers: &[i32], texts: &[&str]) -> Vec<u8> {
    let mut bytes = vec![0xc8, command];
    numbers.iter().for_each(|number| bytes.extend_from_slice(&number.to_be_bytes()));
    texts.iter().for_each(|text| bytes.extend_from_slice(text.as_bytes()));
    bytes
}

/// A request of a command that takes key and value.
pub fn record(command: u8, key: &str, value: &str) -> Vec<u8> {
    request(command, &[key.len() as i32, value.len() as i32], &[key, value])
}

/// A request of a command that takes a key.
pub fn keyed(command: u8, key: &str) -> Vec<u8> {
    request(command, &[key.len() as i32], &[key])
}

/// A request for a function of `misc`.
pub fn misc(name: &str, arguments: &[&str]) -> Vec<u8> {
    let mut bytes = request(0x90, &[name.len() as i32, 0, arguments.len() as i32], &[name]);
    bytes.extend(sized(arguments));
    bytes
}

/// Texts with their lengths in front.
pub fn sized(texts: &[&str]) -> Vec<u8> {
    let one = |text: &&str| [&(text.len() as u32).to_be_bytes()[..], text.as_bytes()].concat();
    texts.iter().flat_map(one).collect()
}

/// Code 0, and texts with their lengths in front.
pub fn done(texts: &[&str]) -> Vec<u8> {
    [vec![0], sized(texts)].concat()
}

/// Code 0, a number of texts, and these.
pub fn counted(texts: &[&str]) -> Vec<u8> {
    [&[0][..], &(texts.len() as u32).to_be_bytes(), &sized(texts)].concat()
}
