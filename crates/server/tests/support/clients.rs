//! Clients of all doors that do single-row operations of their own choice, and say what they did.
//!
//! Not here: which rows they use, and whether what they saw is right (`linearizable`).

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use crate::history::{Compared, Operation};
use crate::mysql::{Failure, Mysql};

/// MySQL's number for a key that is there already.
const DUPLICATE: u16 = 1062;

/// Which table a row is in: as SQL and HandlerSocket name it, and the memcached key's prefix.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Place {
    pub database: &'static str,
    pub table: &'static str,
    pub key: &'static str,
    pub value: &'static str,
    pub prefix: &'static str,
}

/// The tables.
pub const PLACES: [Place; 2] = [
    Place { database: "kv", table: "cache", key: "k", value: "v", prefix: "" },
    Place { database: "lin", table: "counter", key: "id", value: "n", prefix: "c:" },
];

/// A row: its place and the number that is its key.
pub type Row = (Place, u64);

/// Numbers that are nobody else's, from a seed.
pub struct Dice(pub u64);

impl Dice {
    /// One of the first numbers.
    pub fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        (self.0 >> 33) % end
    }
}

/// A connection to one door that can do single-row operations.
pub trait Client: Send {
    /// What it is, for reports.
    fn name(&self) -> &'static str;
    /// Whether its door shows the rows of this table.
    fn knows(&self, _place: Place) -> bool {
        true
    }
    /// Does one operation of its choice and gives it with its result. `fresh` is a value that was
    /// never used before.
    fn operate(&mut self, row: Row, dice: &mut Dice, fresh: u64) -> Operation;
}

/// A client of the memcached door.
pub struct Memcached {
    pub stream: BufReader<TcpStream>,
    /// The last token read, and of which row.
    token: Option<(Row, u64)>,
}

impl Memcached {
    /// A client on a new connection.
    pub fn new(stream: TcpStream) -> Memcached {
        Memcached { stream: BufReader::new(stream), token: None }
    }

    /// Sends a request and gives the first line of the reply.
    pub fn ask(&mut self, request: &str) -> String {
        self.stream.get_mut().write_all(request.as_bytes()).expect("sent");
        self.line()
    }

    /// The next line of a reply.
    pub fn line(&mut self) -> String {
        let mut line = String::new();
        self.stream.read_line(&mut line).expect("a line");
        line.trim_end().to_owned()
    }

    /// The value and its token if the line before was not `END`.
    fn value(&mut self, head: &str) -> Option<(u64, u64)> {
        if head == "END" {
            return None;
        }
        let words: Vec<&str> = head.split(' ').collect();
        assert_eq!(words[0], "VALUE", "{head}");
        let value = number(&self.line());
        assert_eq!(self.line(), "END");
        Some((value, words.get(4).map_or(0, |token| number(token))))
    }
}

/// A number in digits, which spaces may follow.
pub fn number(text: &str) -> u64 {
    text.trim_end().parse().unwrap_or_else(|_| panic!("no number: {text:?}"))
}

impl Client for Memcached {
    fn name(&self) -> &'static str {
        "memcached"
    }

    fn operate(&mut self, row: Row, dice: &mut Dice, fresh: u64) -> Operation {
        let key = format!("{}{}", row.0.prefix, row.1);
        let data = format!("{}\r\n{fresh}\r\n", fresh.to_string().len());
        match dice.below(12) {
            0..3 => {
                let head = self.ask(&format!("get {key}\r\n"));
                Operation::Read(self.value(&head).map(|(value, _)| value))
            }
            3..5 => {
                let head = self.ask(&format!("gets {key}\r\n"));
                let found = self.value(&head);
                self.token = found.map(|(_, token)| (row, token));
                Operation::ReadToken(found)
            }
            5..7 if self.token.is_some_and(|(of, _)| of == row) => {
                let token = self.token.take().map_or(0, |(_, token)| token);
                let data = data.replacen("\r\n", &format!(" {token}\r\n"), 1);
                let outcome = match &self.ask(&format!("cas {key} 0 0 {data}"))[..] {
                    "STORED" => Compared::Stored,
                    "EXISTS" => Compared::Differs,
                    "NOT_FOUND" => Compared::Missing,
                    other => panic!("cas: {other}"),
                };
                Operation::Compare { token, value: fresh, outcome }
            }
            5..8 => {
                let by = 1 + dice.below(9);
                let reply = self.ask(&format!("incr {key} {by}\r\n"));
                Operation::Add(by, (reply != "NOT_FOUND").then(|| number(&reply)))
            }
            8 => {
                let reply = self.ask(&format!("set {key} 0 0 {data}"));
                assert_eq!(reply, "STORED");
                Operation::Write(fresh)
            }
            9 => {
                let reply = self.ask(&format!("add {key} 0 0 {data}"));
                Operation::Insert(fresh, yes(&reply, "STORED", "NOT_STORED"))
            }
            10 => {
                let reply = self.ask(&format!("replace {key} 0 0 {data}"));
                Operation::Replace(fresh, yes(&reply, "STORED", "NOT_STORED"))
            }
            _ => {
                let reply = self.ask(&format!("delete {key}\r\n"));
                Operation::Delete(yes(&reply, "DELETED", "NOT_FOUND"))
            }
        }
    }
}

fn yes(reply: &str, yes: &str, no: &str) -> bool {
    assert!(reply == yes || reply == no, "{reply}");
    reply == yes
}

/// A client of the Tyrant door, which is open on `kv.cache(k, v)`.
pub struct Tyrant {
    stream: Memcached,
}

impl Tyrant {
    /// A client on a new connection.
    pub fn new(stream: TcpStream) -> Tyrant {
        Tyrant { stream: Memcached::new(stream) }
    }

    /// Sends a binary command of a key, and of a value if there is one; whether it was done.
    fn done(&mut self, command: u8, key: &str, value: Option<u64>) -> bool {
        let value = value.map(|value| value.to_string());
        let texts = [Some(key), value.as_deref()];
        let mut request = vec![0xc8, command];
        for text in texts.iter().flatten() {
            request.extend_from_slice(&(text.len() as u32).to_be_bytes());
        }
        texts.iter().flatten().for_each(|text| request.extend_from_slice(text.as_bytes()));
        self.stream.stream.get_mut().write_all(&request).expect("sent");
        let [code] = self.read();
        assert!(code < 2, "{code}");
        code == 0
    }

    fn read<const BYTES: usize>(&mut self) -> [u8; BYTES] {
        let mut bytes = [0; BYTES];
        self.stream.stream.read_exact(&mut bytes).expect("an answer");
        bytes
    }
}

impl Client for Tyrant {
    fn name(&self) -> &'static str {
        "tyrant"
    }

    fn knows(&self, place: Place) -> bool {
        place.prefix.is_empty()
    }

    fn operate(&mut self, row: Row, dice: &mut Dice, fresh: u64) -> Operation {
        let key = row.1.to_string();
        match dice.below(9) {
            0..3 => Operation::Read(self.done(0x30, &key, None).then(|| {
                let length = u32::from_be_bytes(self.read());
                let mut value = vec![0; length as usize];
                self.stream.stream.read_exact(&mut value).expect("a value");
                number(&String::from_utf8_lossy(&value))
            })),
            3 => {
                assert!(self.done(0x10, &key, Some(fresh)));
                Operation::Write(fresh)
            }
            4 => Operation::Insert(fresh, self.done(0x11, &key, Some(fresh))),
            5 => Operation::Delete(self.done(0x20, &key, None)),
            // In memcached's text, on the same connection.
            6 => {
                let data = format!("{}\r\n{fresh}\r\n", fresh.to_string().len());
                let reply = self.stream.ask(&format!("replace {key} 0 0 {data}"));
                Operation::Replace(fresh, yes(&reply, "STORED", "NOT_STORED"))
            }
            _ => {
                let by = 1 + dice.below(9);
                let reply = self.stream.ask(&format!("incr {key} {by}\r\n"));
                Operation::Add(by, (reply != "NOT_FOUND").then(|| number(&reply)))
            }
        }
    }
}

/// A client of the HandlerSocket door.
pub struct HandlerSocket {
    stream: BufReader<TcpStream>,
}

impl HandlerSocket {
    /// Opens key and value of each place as index 1, 2, and so on.
    pub fn open(stream: TcpStream) -> HandlerSocket {
        let mut client = HandlerSocket { stream: BufReader::new(stream) };
        for (number, place) in PLACES.iter().enumerate() {
            let Place { database, table, key, value, .. } = place;
            let open = format!("P\t{}\t{database}\t{table}\tPRIMARY\t{value},{key}", number + 1);
            assert_eq!(client.ask(&open), ["0", "1"]);
        }
        client
    }

    fn ask(&mut self, request: &str) -> Vec<String> {
        self.stream.get_mut().write_all(format!("{request}\n").as_bytes()).expect("sent");
        let mut line = String::new();
        self.stream.read_line(&mut line).expect("a line");
        line.trim_end_matches('\n').split('\t').map(str::to_owned).collect()
    }

    /// How many rows a request changed.
    fn change(&mut self, request: &str) -> bool {
        let reply = self.ask(request);
        assert!(reply == ["0", "1", "0"] || reply == ["0", "1", "1"], "{request:?}: {reply:?}");
        reply[2] == "1"
    }

    /// The first value of the row that a request gives, if it gives one.
    fn found(&mut self, request: &str) -> Option<u64> {
        let reply = self.ask(request);
        assert_eq!(reply[0], "0", "{request:?}: {reply:?}");
        reply.get(2).map(|value| number(value))
    }
}

impl Client for HandlerSocket {
    fn name(&self) -> &'static str {
        "handlersocket"
    }

    fn operate(&mut self, row: Row, dice: &mut Dice, fresh: u64) -> Operation {
        let (place, key) = row;
        let index = 1 + PLACES.iter().position(|other| *other == place).expect("one of them");
        let find = format!("{index}\t=\t1\t{key}\t1\t0");
        match dice.below(8) {
            0..3 => Operation::Read(self.found(&find)),
            3..5 if place.prefix.is_empty() => {
                Operation::Replace(fresh, self.change(&format!("{find}\tU\t{fresh}\t{key}")))
            }
            // Numbers can be counted here; `?` gives what was there before.
            3 => {
                let by = 1 + dice.below(9);
                let before = self.found(&format!("{find}\t+?\t{by}\t0"));
                Operation::Add(by, before.map(|before| before + by))
            }
            4 => match self.found(&format!("{find}\tU?\t{fresh}\t{key}")) {
                Some(old) => Operation::Swap { value: fresh, old },
                None => Operation::Read(None),
            },
            5 => Operation::Replace(fresh, self.change(&format!("{find}\tU\t{fresh}\t{key}"))),
            6 => {
                let reply = self.ask(&format!("{index}\t+\t2\t{fresh}\t{key}"));
                let done = reply[0] == "0";
                assert!(done || reply[..] == ["1", "1", "121"], "{reply:?}");
                Operation::Insert(fresh, done)
            }
            _ => Operation::Delete(self.change(&format!("{find}\tD"))),
        }
    }
}

/// A client of the MySQL door.
pub struct Sql {
    connection: Mysql,
    /// The last value read, and of which row.
    seen: Option<(Row, u64)>,
}

impl Sql {
    /// A client on a connection that has logged in.
    pub fn new(connection: Mysql) -> Sql {
        Sql { connection, seen: None }
    }

    fn execute(&mut self, statement: &str) -> u64 {
        self.connection.execute(statement).unwrap_or_else(|why| panic!("{statement}: {why}"))
    }

    fn value(&mut self, statement: &str) -> Option<u64> {
        let rows =
            self.connection.query(statement).unwrap_or_else(|why| panic!("{statement}: {why}"));
        rows.first().map(|row| number(row[0].as_deref().expect("not NULL")))
    }
}

impl Client for Sql {
    fn name(&self) -> &'static str {
        "mysql"
    }

    fn operate(&mut self, row: Row, dice: &mut Dice, fresh: u64) -> Operation {
        let (Place { database, table, key, value, .. }, number) = row;
        let table = format!("{database}.{table}");
        let here = format!("WHERE {key} = '{number}'");
        let select = format!("SELECT {value} FROM {table} {here}");
        match dice.below(11) {
            0..3 => {
                let found = self.value(&select);
                self.seen = found.map(|value| (row, value));
                Operation::Read(found)
            }
            3..5 if self.seen.is_some_and(|(of, _)| of == row) => {
                let old = self.seen.take().map_or(0, |(_, value)| value);
                let update = format!("UPDATE {table} SET {value} = '{fresh}' {here}");
                let done = self.execute(&format!("{update} AND {value} = '{old}'")) == 1;
                Operation::CompareValue { old, value: fresh, done }
            }
            3..6 => {
                let by = 1 + dice.below(9);
                let update = format!("UPDATE {table} SET {value} = {value} + {by} {here}");
                Operation::AddBlind(by, self.execute(&update) == 1)
            }
            6 => {
                let update = format!("UPDATE {table} SET {value} = '{fresh}' {here}");
                Operation::Replace(fresh, self.execute(&update) == 1)
            }
            7 => {
                let values = format!("({key}, {value}) VALUES ('{number}', '{fresh}')");
                match self.connection.execute(&format!("INSERT INTO {table} {values}")) {
                    Ok(_) => Operation::Insert(fresh, true),
                    Err(Failure::Error { number: DUPLICATE, .. }) => {
                        Operation::Insert(fresh, false)
                    }
                    Err(why) => panic!("INSERT: {why}"),
                }
            }
            8 => {
                let values = format!("({key}, {value}) VALUES ('{number}', '{fresh}')");
                self.execute(&format!("REPLACE INTO {table} {values}"));
                Operation::Write(fresh)
            }
            9 => Operation::Delete(self.execute(&format!("DELETE FROM {table} {here}")) == 1),
            _ => {
                self.execute("BEGIN");
                let Some(old) = self.value(&format!("{select} FOR UPDATE")) else {
                    self.execute("ROLLBACK");
                    return Operation::Read(None);
                };
                self.execute(&format!("UPDATE {table} SET {value} = '{fresh}' {here}"));
                self.execute("COMMIT");
                Operation::Swap { value: fresh, old }
            }
        }
    }
}
