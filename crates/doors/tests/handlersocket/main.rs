//! Conversations with the HandlerSocket door, bytes in and bytes out, over a real engine in
//! memory; no sockets.
//!
//! Tokens are written with `·` for TAB and lines with `¶` for LF, as in the documents.
//!
//! Not here: the comparison with the original server (`tests/oracle/handlersocket`), of which
//! `stored-values.tsv` is read here as well.

#[path = "../common/serving.rs"]
mod serving;

use std::sync::Arc;

use doors::handlersocket::{HandlerSocket, LINE_BYTES_MAX, PortAccess};
use doors::mysql::Users;
use doors::{Conversation, DoorAccounts, DoorLogins, Input, Next, Turn, WithoutLogin};
use results::ExecutionMode;
use rows::memory::MemoryStore;
use rows::{Engine, EngineOptions, Error, Group};
use serving::serve;
use sql::{Session, Sql, SqlOptions};

/// What conversations run on; `tests/cold` and its siblings run them on another.
pub fn rows() -> (Arc<MemoryStore>, EngineOptions) {
    (Arc::new(MemoryStore::new()), EngineOptions::default())
}

/// Whether nothing can be served without waiting.
pub const COLD: bool = false;

/// Pairs of column type, text sent and text read back, recorded from the original.
const STORED_VALUES: &str = include_str!(concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../tests/oracle/handlersocket/stored-values.tsv"
));

/// An engine with a database `d` and its table `t` of three rows.
struct House {
    engine: Arc<Engine>,
    sql: Arc<Sql>,
    session: Session,
}

impl House {
    #[allow(unused_qualifications, reason = "the crate is another one in `tests/cold`")]
    fn open() -> House {
        let (store, options) = crate::rows();
        let engine = Engine::open(store, options).unwrap();
        let sql = Sql::new(Arc::clone(&engine), &SqlOptions::default(), analytic::start).unwrap();
        let session = Session::new(&sql, 1, "root", "localhost", None).unwrap();
        let mut house = House { engine, sql, session };
        house.sql("CREATE DATABASE d");
        house.sql("USE d");
        house.sql("CREATE TABLE t (id INT PRIMARY KEY, a INT, b VARCHAR(20), UNIQUE KEY ua (a))");
        house.sql("INSERT INTO t VALUES (1,10,'x'),(2,20,'y'),(3,30,NULL)");
        house
    }

    fn sql(&mut self, text: &str) {
        if let Err(error) = self.session.query(text.as_bytes(), ExecutionMode::POOL) {
            panic!("{text}: {error:?}");
        }
    }

    fn client(&self, writable: bool, secret: Option<&str>) -> Client {
        self.client_of(writable, secret, &self.logins())
    }

    fn logins(&self) -> Arc<DoorLogins> {
        let accounts = Arc::new(DoorAccounts::new(Users::unconfigured(), self.sql.access()));
        Arc::new(DoorLogins::new("handlersocket", accounts, WithoutLogin::ThisMachine))
    }

    fn client_of(&self, writable: bool, secret: Option<&str>, logins: &Arc<DoorLogins>) -> Client {
        let secret = secret.map(String::from);
        let access = PortAccess { writable, secret, logins: Arc::clone(logins) };
        Client {
            engine: Arc::clone(&self.engine),
            door: HandlerSocket::new(Arc::new(access), None),
            input: Input::new(),
            closed: false,
        }
    }

    /// A writing client with columns `id,a,b` of `t` opened as 1.
    fn writer(&self) -> Client {
        let mut client = self.client(true, None);
        assert_eq!(client.say("P·1·d·t··id,a,b·a¶"), "0·1¶");
        client
    }
}

/// One client, served the way an event loop serves it.
struct Client {
    engine: Arc<Engine>,
    door: HandlerSocket,
    input: Input,
    closed: bool,
}

impl Client {
    fn say(&mut self, text: &str) -> String {
        let bytes = text.replace('·', "\t").replace('¶', "\n").into_bytes();
        let reply = String::from_utf8(self.send(&bytes)).unwrap();
        reply.replace('\t', "·").replace('\n', "¶")
    }

    fn send(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.input.extend(bytes);
        let mut sent = Vec::new();
        let Client { engine, door, input, .. } = self;
        self.closed |= serve(engine, door, input, &mut |out| sent.extend_from_slice(out));
        sent
    }
}

#[test]
fn an_update_that_changes_nothing_is_answered_and_counts_its_row() {
    let mut client = House::open().writer();
    for _ in 0..3 {
        assert_eq!(client.say("1·=·1·1·1·0·U·1·10·x¶1·=·1·1·1·0·+·0·0¶"), "0·1·1¶0·1·1¶");
        assert_eq!(client.say("1·=·1·3·1·0·U?·3·30·\0¶1·>=·1·0·9·0·-·0·0¶"), "0·3·3·30·\0¶0·1·3¶");
    }
    assert_eq!(client.say("1·>=·1·0·9·0¶"), "0·3·1·10·x·2·20·y·3·30·\0¶");
}

#[test]
fn a_line_of_filters_is_refused_before_it_takes_many_times_its_memory() {
    let mut client = House::open().client(false, None);
    client.say("P·1·d·t·PRIMARY·id·a¶");
    let filters = "·F·=·0·10".repeat(1025);
    assert_eq!(client.say(&format!("1·=·1·1·1·0{filters}¶")), "2·1·filternum¶");
}

#[test]
fn a_read_behind_a_write_in_one_packet_sees_it() {
    let mut client = House::open().writer();
    let replies = client
        .say("1·=·1·9¶1·+·3·9·90·new¶1·=·1·9¶1·=·1·9·1·0·+·0·5·\0¶1·=·1·9¶1·=·1·9·1·0·D?¶1·=·1·9¶");
    assert_eq!(replies, "0·3¶0·1¶0·3·9·90·new¶0·1·1¶0·3·9·95·new¶0·3·9·95·new¶0·3¶");
}

#[test]
fn a_long_batch_is_answered_line_by_line_in_order() {
    let mut client = House::open().writer();
    let (mut lines, mut expected) = (String::new(), String::new());
    for id in 100..1100 {
        lines.push_str(&format!("1·+·3·{id}·{id}·r¶"));
        expected.push_str("0·1¶");
    }
    for id in (100..1100).rev() {
        lines.push_str(&format!("1·=·1·{id}¶"));
        expected.push_str(&format!("0·3·{id}·{id}·r¶"));
    }
    assert_eq!(client.say(&lines), expected);
}

#[test]
fn a_request_in_pieces_is_answered_after_its_line_feed() {
    let mut client = House::open().writer();
    for piece in ["1·=", "·1·", "2\r"] {
        assert_eq!(client.say(piece), "");
    }
    assert_eq!(client.say("¶1·=·1·1¶1·"), "0·3·2·20·y¶0·3·1·10·x¶");
    assert_eq!(client.say("=·1·3¶"), "0·3·3·30·\0¶");
}

#[test]
#[allow(unused_qualifications, reason = "the crate is another one in `tests/cold`")]
fn every_request_of_a_turn_whose_commit_fails_is_answered_with_the_error() {
    if crate::COLD {
        return; // Nothing is served in a loop.
    }
    let house = House::open();
    let mut client = house.writer();
    client.input.extend(b"1\t=\t1\t1\n1\t+\t3\t9\t90\tnew\nX\nP\t2\td\tt\t\tid\n1\t=\t1\t9\n");
    let (mut group, mut out) = (Group::new(), Vec::new());
    let mut turn = Turn::in_loop(&house.engine, &mut group);
    assert_eq!(client.door.turn(&mut client.input, &mut out, &mut turn), Next::Commit);
    assert_eq!(out, b"0\t3\t1\t10\tx\n0\t1\n2\t1\tcmd\n0\t1\n");
    out.clear();
    client.door.commit_failed(&Error::Conflict, &mut out);
    assert_eq!(out, b"1\t1\t149\n".repeat(4), "a reply for each request");
    drop(group);
    assert_eq!(client.say(""), "0·3¶", "nothing of it was written");
}

#[test]
#[allow(unused_qualifications, reason = "the crate is another one in `tests/cold`")]
fn a_duplicate_of_a_row_of_the_same_turn_is_not_told_before_its_commit() {
    if crate::COLD {
        return; // Nothing is served in a loop.
    }
    let house = House::open();
    let (mut first, mut second) = (house.writer(), house.writer());
    let mut group = Group::new();
    for (client, reply) in [(&mut first, &b"0\t1\n"[..]), (&mut second, b"1\t1\t121\n")] {
        client.input.extend(b"1\t+\t3\t9\t90\tnew\n");
        let mut out = Vec::new();
        let mut turn = Turn::in_loop(&house.engine, &mut group);
        let next = client.door.turn(&mut client.input, &mut out, &mut turn);
        assert_eq!((next, &out[..]), (Next::Commit, reply));
    }
    let (transaction, durability) = group.take().unwrap();
    transaction.commit(durability).unwrap();
    assert_eq!(second.say("1·=·1·9¶"), "0·3·9·90·new¶");
}

#[test]
fn an_open_index_follows_the_schema_or_answers_an_error() {
    let mut house = House::open();
    let mut client = house.writer();
    house.sql("ALTER TABLE t ADD COLUMN c INT NOT NULL DEFAULT 7 FIRST");
    assert_eq!(client.say("1·=·1·1¶"), "0·3·1·10·x¶");
    assert_eq!(client.say("P·2·d·t··id,c¶2·+·1·4¶2·=·1·4¶"), "0·1¶0·1¶0·2·4·7¶");
    house.sql("ALTER TABLE t DROP COLUMN b");
    assert_eq!(client.say("1·=·1·1¶2·=·1·1¶"), "2·1·fld¶0·2·1·7¶");
    house.sql("DROP TABLE t");
    assert_eq!(client.say("1·=·1·1¶2·+·1·4¶"), "1·1·open_table¶1·1·open_table¶");
    house.sql("CREATE TABLE t (id BIGINT PRIMARY KEY, a INT, b TEXT)");
    assert_eq!(client.say("1·+·3·5·6·back¶1·=·1·5¶2·=·1·5¶"), "0·1¶0·3·5·6·back¶2·1·fld¶");
}

#[test]
fn bytes_below_sixteen_are_escaped_both_ways() {
    let mut house = House::open();
    house.sql("CREATE TABLE e (id INT PRIMARY KEY, v VARBINARY(300))");
    let mut client = house.client(true, None);
    assert_eq!(client.say("P·1·d·e··id,v¶"), "0·1¶");
    let every: Vec<u8> = (0..=255).collect();
    let mut line = b"1\t+\t2\t1\t".to_vec();
    line.extend(escaped(&every));
    line.push(b'\n');
    assert_eq!(client.send(&line), b"0\t1\n");
    let mut expected = b"0\t2\t1\t".to_vec();
    expected.extend(escaped(&every));
    expected.push(b'\n');
    assert_eq!(client.send(b"1\t=\t1\t1\n"), expected);
    // NULL is 0x00 alone; escaped it is a byte; unescaped among others it is taken as it is.
    assert_eq!(client.say("1·+·2·2·\0¶1·+·2·3·\u{1}@¶1·+·2·4·a\0b¶"), "0·1¶0·1¶0·1¶");
    assert_eq!(client.say("1·>·1·1·9·0¶"), "0·2·2·\0·3·\u{1}@·4·a\u{1}@b¶",);
}

#[test]
fn a_broken_escape_changes_nothing() {
    let mut client = House::open().writer();
    for value in ["ab\u{1}", "\u{1}9x", "\u{1}\u{1}x", "\u{1}"] {
        let requests = format!("1·+·3·7·70·{value}¶1·=·1·1·1·0·U·1·10·{value}¶1·=·1·{value}¶");
        assert_eq!(client.say(&requests), "2·1·escape¶2·1·escape¶2·1·escape¶");
    }
    assert_eq!(client.say("1·>=·1·0·9·0¶"), "0·3·1·10·x·2·20·y·3·30·\0¶");
}

#[test]
fn hostile_lines_are_answered_and_cost_nothing() {
    let mut client = House::open().writer();
    for (line, reply) in [
        ("¶", "2·1·cmd¶"),
        ("\r¶", "2·1·cmd¶"),
        ("Q¶", "2·1·cmd¶"),
        ("/¶", "2·1·cmd¶"),
        ("1¶", "2·1·op¶"),
        ("1·=¶", "2·1·klen¶"),
        ("1·=·4294967295¶", "2·1·fldnum¶"),
        ("1·+·4294967295·1¶", "2·1·fldnum¶"),
        ("4294967295·=·1·1¶", "2·1·stmtnum¶"),
        ("P·4294967295·d·t··id¶", "2·1·stmtnum_limit¶"),
        ("P·2·d·t··nope¶", "2·1·fld¶"),
        ("P·2·d·t·9·id¶", "2·1·idxnum¶"),
        ("P¶", "1·1·open_table¶"),
        ("1·=·1·1·9·0·@·0·4294967295·1·2¶", "2·1·invalueslen¶"),
        ("1·=·1·1·9·0·F·=·4294967295·1¶", "2·1·filterfld¶"),
        ("1·=·1·1·9·0·F·<>·0·1¶", "2·1·op¶"),
        ("1·=·1·1·9·0·X¶", "2·1·modop¶"),
        ("1·=·2·1·1¶", "2·1·kpnum¶"),
        ("1·=·1·1·1·0·U·1¶", "2·1·fldnum¶"),
        ("1·>=·1·0·4294967295·4294967295¶", "0·3¶"),
    ] {
        assert_eq!(client.say(line), reply, "{line}");
    }
    assert!(!client.closed);
    assert_eq!(client.say("1·=·1·1¶"), "0·3·1·10·x¶");
}

#[test]
fn a_line_above_the_limit_ends_the_conversation_after_what_came_before() {
    let house = House::open();
    let mut client = house.writer();
    assert_eq!(client.say("1·+·3·9·90·in¶1·+·3·8·80·"), "0·1¶");
    let piece = vec![b'x'; 8 << 20];
    let mut reply = Vec::new();
    for _ in 0..LINE_BYTES_MAX / piece.len() {
        assert_eq!(reply, b"");
        reply = client.send(&piece);
    }
    assert_eq!(reply, b"2\t1\tlinelen\n");
    assert!(client.closed);
    assert_eq!(house.writer().say("1·>·1·3·9·0¶"), "0·3·9·90·in¶");
}

#[test]
fn a_port_with_a_secret_answers_nobody_without_it() {
    let house = House::open();
    let mut client = house.client(true, Some("the secret"));
    assert_eq!(client.say("P·1·d·t··id¶1·=·1·1¶X¶"), "3·1·unauth¶3·1·unauth¶2·1·cmd¶");
    assert_eq!(
        client.say("A·1·the secres¶A·1·¶A·2·the secret¶"),
        "3·1·unauth¶3·1·unauth¶3·1·authtype¶"
    );
    assert_eq!(client.say("A·1·the secret¶P·1·d·t··id¶1·=·1·1¶"), "0·1¶0·1¶0·1·1¶");
    assert_eq!(client.say("A·1·wrong¶1·=·1·1¶"), "3·1·unauth¶3·1·unauth¶");
}

#[test]
fn secrets_were_guessed_without_an_end_on_one_connection() {
    let house = House::open();
    let logins = house.logins();
    let mut client = house.client_of(true, Some("s"), &logins);
    assert_eq!(client.say("A·1·a¶A·1·b¶"), "3·1·unauth¶3·1·unauth¶");
    assert!(!client.closed);
    assert_eq!(client.say("A·1·c¶A·1·s¶P·1·d·t··id¶"), "3·1·unauth¶");
    assert!(client.closed);
    assert_eq!(logins.failed().count(), 3);
    let mut client = house.client_of(true, Some("s"), &logins);
    let mut delays = Vec::new();
    for _ in 0..2 {
        client.input.extend(b"A\t1\tx\nP\t1\td\tt\t\tid\n");
        let (mut out, mut group) = (Vec::new(), Group::new());
        let mut turn = Turn::in_loop(&client.engine, &mut group);
        match client.door.turn(&mut client.input, &mut out, &mut turn) {
            Next::Later(delay) => delays.push(delay.as_millis()),
            other => panic!("{other:?}"),
        }
        assert_eq!(out, b"3\t1\tunauth\n", "what comes behind it waits, too");
        client.say("");
    }
    assert!(delays[0] < delays[1] && delays[0] >= 400, "{delays:?}");
    assert_eq!(client.say("A·1·s¶P·1·d·t··id¶"), "0·1¶0·1¶");
}

#[test]
fn the_read_port_refuses_every_write() {
    let mut client = House::open().client(false, None);
    assert_eq!(client.say("P·1·d·t··id,a,b¶"), "0·1¶");
    for request in ["1·+·3·9·9·9", "1·=·1·1·1·0·D", "1·=·1·99·1·0·U?·1·1·1", "1·=·1·1·1·0·Z"]
    {
        assert_eq!(client.say(&format!("{request}¶")), "2·1·readonly¶", "{request}");
    }
    assert_eq!(client.say("1·=·1·1¶"), "0·3·1·10·x¶");
}

#[test]
fn a_change_of_several_rows_is_all_or_nothing() {
    let mut client = House::open().writer();
    assert_eq!(client.say("P·2·d·t··a¶2·>=·1·1·9·0·U·77¶"), "0·1¶1·1·121¶");
    assert_eq!(client.say("1·>=·1·0·9·0¶"), "0·3·1·10·x·2·20·y·3·30·\0¶");
}

#[test]
fn a_change_that_moves_rows_forward_meets_each_once() {
    let mut client = House::open().writer();
    assert_eq!(client.say("P·2·d·t·ua·a¶2·>=·1·0·9·0·+·15¶"), "0·1¶0·1·3¶");
    assert_eq!(client.say("2·>=·1·0·9·0¶"), "0·1·25·35·45¶");
}

#[test]
fn a_column_opened_twice_is_added_to_twice() {
    let mut client = House::open().writer();
    assert_eq!(client.say("P·2·d·t··a,a¶2·=·1·1·1·0·+·5·7¶2·=·1·1¶"), "0·1¶0·1·1¶0·2·22·22¶");
    assert_eq!(client.say("2·=·1·1·1·0·-·20·3¶2·=·1·1¶"), "0·1·0¶0·2·22·22¶");
}

#[test]
fn an_explicit_number_that_was_refused_leaves_the_counter_alone() {
    let mut house = House::open();
    house.sql("CREATE TABLE n (id INT AUTO_INCREMENT PRIMARY KEY, a INT, UNIQUE KEY ua (a))");
    let mut client = house.client(true, None);
    assert_eq!(client.say("P·1·d·n··id,a¶1·+·2·\0·1¶1·+·2·5000·1¶"), "0·1¶0·1·1¶1·1·121¶");
    assert_eq!(client.say("1·+·2·\0·2¶1·+·2·50·3¶1·+·2·\0·4¶"), "0·1·2¶0·1·0¶0·1·51¶");
    assert_eq!(client.say("1·=·1·1·1·0·U·90·2¶1·+·2·\0·5¶"), "1·1·121¶0·1·52¶");
}

#[test]
fn an_insert_into_a_wide_table_may_have_more_than_thirty_two_values() {
    let mut house = House::open();
    let columns: Vec<String> = (0..40).map(|number| format!("c{number}")).collect();
    house.sql(&format!("CREATE TABLE w ({} INT, PRIMARY KEY (c0))", columns.join(" INT, ")));
    let mut client = house.client(true, None);
    client.say(&format!("P·1·d·w··{}¶", columns.join(",")));
    let values: Vec<String> = (0..40).map(|number| number.to_string()).collect();
    assert_eq!(client.say(&format!("1·+·40·{}¶", values.join("·"))), "0·1¶");
    assert_eq!(client.say("1·=·1·0¶"), format!("0·40·{}¶", values.join("·")));
    assert_eq!(client.say(&format!("1·+·41·{}·40¶", values.join("·"))), "2·1·fldnum¶");
}

#[test]
fn values_are_stored_as_the_original_stores_them() {
    let mut house = House::open();
    let mut client = house.client(true, None);
    let mut opened: Vec<&str> = Vec::new();
    let mut wrong = String::new();
    let lines = STORED_VALUES.lines().filter(|line| !line.starts_with('#'));
    for (row, line) in lines.enumerate() {
        let [declared, sent, stored] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("three fields in {line}");
        };
        if opened.last() != Some(&declared) {
            opened.push(declared);
            let number = opened.len();
            house.sql(&format!(
                "CREATE TABLE v{number} (id INT PRIMARY KEY, v {declared} NULL)
                 DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci"
            ));
            assert_eq!(client.say(&format!("P·{number}·d·v{number}··id,v¶")), "0·1¶");
        }
        let number = opened.len();
        let mut request = format!("{number}\t+\t2\t{row}\t").into_bytes();
        request.extend(escaped(&recorded(sent)));
        request.extend(format!("\n{number}\t=\t1\t{row}\n").into_bytes());
        let mut expected = format!("0\t1\n0\t2\t{row}\t").into_bytes();
        expected.extend(escaped(&recorded(stored)));
        expected.push(b'\n');
        let reply = client.send(&request);
        if reply != expected {
            let reply = String::from_utf8_lossy(&reply);
            wrong.push_str(&format!("{declared}: {sent} -> {reply:?} instead of {stored}\n"));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// A value as it is sent.
fn escaped(value: &[u8]) -> Vec<u8> {
    value
        .iter()
        .flat_map(|byte| match byte {
            0..0x10 => vec![1, byte + 0x40],
            _ => vec![*byte],
        })
        .collect()
}

/// A value of `stored-values.tsv`: `\xNN` stands for that byte.
fn recorded(text: &str) -> Vec<u8> {
    let mut parts = text.split("\\x");
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let (number, rest) = part.split_at(2);
        bytes.push(u8::from_str_radix(number, 16).unwrap());
        bytes.extend_from_slice(rest.as_bytes());
    }
    bytes
}

#[test]
fn a_web_page_wrote_to_its_readers_database_by_a_simple_post() {
    let commands = "P·1·d·t·PRIMARY·a,b¶1·=·1·1·1·0·U·66·z¶1·+·3·9·9·x¶";
    for head in [
        "POST / HTTP/1.1\r¶Host: 127.0.0.1:9999\r¶Content-Type: text/plain\r¶\r¶",
        "GET /x HTTP/1.0\r¶",
        "HEAD / HTTP/1.1¶",
        "PUT /a·b HTTP/1.1¶",
        "OPTIONS * HTTP/1.1¶",
        "PRI * HTTP/2.0\r¶\r¶SM\r¶\r¶",
        "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}¶",
    ] {
        for piece in [1, 5, usize::MAX] {
            let mut house = House::open();
            let mut client = house.client(true, None);
            let sent = format!("{head}{commands}").replace('·', "\t").replace('¶', "\n");
            let mut answer = Vec::new();
            for bytes in sent.as_bytes().chunks(piece) {
                if !client.closed {
                    answer.extend(client.send(bytes));
                }
            }
            assert_eq!((answer, client.closed), (Vec::new(), true), "{head}");
            let unchanged = "0·2·10·x¶0·2¶";
            let mut reader = house.client(false, None);
            assert_eq!(reader.say("P·1·d·t··a,b¶"), "0·1¶");
            assert_eq!(reader.say("1·=·1·1¶1·=·1·9¶"), unchanged, "{head}");
            house.sql("DROP TABLE t");
        }
    }
    let house = House::open();
    let mut client = house.writer();
    // Behind commands of its own it is closed as well, and they are answered.
    assert_eq!(client.say("1·=·1·1·1·0·U·1·10·w¶GET / HTTP/1.1¶1·=·1·1¶"), "0·1·1¶");
    assert!(client.closed);
}
