//! Limits of accounts: connections over all doors, requests by the hour and the second, time and
//! memory of statements, and the words by which each door refuses.
//!
//! Not here: the counts themselves (`access::usage`), the grammar (`syntax::account`).

use std::io::{Read as _, Write as _};
use std::net::TcpStream;

use crate::account_place::AccountPlace;
use crate::mysql::{Failure, Mysql, error_number};
use crate::support::{ask_line, read_all, wait_until};

const FULL: &str = "User 'app' has exceeded the 'max_user_connections' resource (current value: 2)";
const SPENT: &str = "User 'app' has exceeded the 'max_questions' resource (current value: 2)";

/// A query over so many combinations that nobody waits for its end.
const LONG: &str = "SELECT SUM(a.id + b.id * c.id) FROM d.n a, d.n b, d.n c, d.n e \
                    WHERE a.id < b.id + e.id";

fn place(flags: &[&str], limits: &str) -> AccountPlace {
    let mut place = AccountPlace::open(
        flags,
        &[
            "CREATE DATABASE d",
            "CREATE TABLE d.t (id INT PRIMARY KEY, a INT)",
            "CREATE USER app IDENTIFIED BY 'word'",
            "GRANT ALL ON *.* TO app",
        ],
    );
    place.sql.run(&format!("ALTER USER app WITH {limits}"));
    place
}

/// Logs in over SQL with a password in plain text, which a client of this machine may send.
fn sql(place: &AccountPlace) -> Result<Mysql, Failure> {
    Mysql::login_as(place.server.connect("mysql"), "bob")
}

fn memcached(place: &AccountPlace) -> (TcpStream, String) {
    let mut client = place.server.connect("memcached");
    let said = ask_line(&mut client, "set x 0 0 8\r\napp word\r\n");
    (client, said)
}

fn handlersocket(place: &AccountPlace) -> (TcpStream, String) {
    let mut client = place.server.connect("handlersocket-write");
    let said = ask_line(&mut client, "A\t1\tapp:word\n");
    (client, said)
}

/// The status line that Tyrant answers a request over HTTP with, of `app`.
fn web(client: &mut TcpStream, request: &str) -> String {
    let head = "Host: localhost\r\nAuthorization: Basic YXBwOndvcmQ=\r\nContent-Length: 0\r\n";
    let status = ask_line(client, &format!("{request} HTTP/1.1\r\n{head}\r\n"));
    // The rest of the answer.
    let mut left = Vec::new();
    let mut byte = [0];
    while !left.ends_with(b"\r\n\r\n") && client.read(&mut byte).unwrap() == 1 {
        left.push(byte[0]);
    }
    let text = String::from_utf8_lossy(&left).to_ascii_lowercase();
    let length = text.split("content-length: ").nth(1).and_then(|rest| rest.split('\r').next());
    let mut body = vec![0; length.map_or(0, |length| length.parse().unwrap())];
    client.read_exact(&mut body).unwrap();
    status.trim_end().to_owned()
}

const CLOSED: &[&str] =
    &["--memcached-user=none", "--handlersocket-user=none", "--tyrant-user=none"];

#[test]
fn connections_of_one_account_are_counted_over_all_doors() {
    let mut place = place(CLOSED, "MAX_USER_CONNECTIONS 2");
    let (cache, said) = memcached(&place);
    assert_eq!(said, "STORED\r");
    let (lines, said) = handlersocket(&place);
    assert_eq!(said, "0\t1");

    let (mut third, said) = memcached(&place);
    assert_eq!(said, format!("SERVER_ERROR {FULL}\r"));
    assert_eq!(read_all(&mut third), b"", "and is closed");
    let (_fourth, said) = handlersocket(&place);
    assert_eq!(said, "1\t1\t1226");
    let mut of_web = place.server.connect("tyrant");
    assert_eq!(web(&mut of_web, "GET /k"), "HTTP/1.1 429 Too Many Requests");
    place.sql.run("ALTER USER app IDENTIFIED BY ''");
    let refused = Mysql::login_as(place.server.connect("mysql"), "app");
    match refused {
        Err(Failure::Error { number: 1226, message }) => {
            assert!(message.ends_with(FULL), "{message}")
        }
        other => panic!("{:?}", other.map(|_| ())),
    }

    // A place that becomes free is had by the next one, at whatever door.
    drop(cache);
    wait_until("there is a place", || {
        Mysql::login_as(place.server.connect("mysql"), "app").is_ok()
    });
    drop(lines);
    // Without a limit of its own, that of all accounts holds.
    place.sql.run("ALTER USER app WITH MAX_USER_CONNECTIONS 0");
    place.sql.run("SET GLOBAL max_user_connections = 1");
    let mut one = None;
    wait_until("there is a place again", || {
        one = Mysql::login_as(place.server.connect("mysql"), "app").ok();
        one.is_some()
    });
    let refused = Mysql::login_as(place.server.connect("mysql"), "app");
    assert_eq!(error_number(refused.map(|_| ())), 1203);
    place.sql.run("SET GLOBAL max_user_connections = DEFAULT");
    Mysql::login_as(place.server.connect("mysql"), "app").unwrap();
}

#[test]
fn requests_of_every_door_are_counted_together_and_refused_in_its_words() {
    let mut place = place(CLOSED, "MAX_QUERIES_PER_HOUR 2");
    let (mut cache, _) = memcached(&place);
    assert_eq!(ask_line(&mut cache, "get k\r\n"), "END\r");
    assert_eq!(ask_line(&mut cache, "set k 0 0 2\r\n12\r\n"), "STORED\r");
    assert_eq!(ask_line(&mut cache, "get k\r\n"), format!("SERVER_ERROR {SPENT}\r"));
    // A block of data is no request, and what needs no answer gets none.
    cache.write_all(b"set k 0 0 5 noreply\r\nget k\r\n").unwrap();
    assert_eq!(ask_line(&mut cache, "set k 0 0 5\r\nget k\r\n"), format!("SERVER_ERROR {SPENT}\r"));

    let mut packet = vec![0x80, 0x21, 0, 5, 0, 0, 0, 0, 0, 0, 0, 14, 0, 0, 0, 0];
    packet.extend([0; 8]);
    packet.extend(b"PLAIN\0app\0word");
    let mut binary = place.server.connect("memcached");
    binary.write_all(&packet).unwrap();
    let mut answer = [0; 24 + 13];
    binary.read_exact(&mut answer).unwrap();
    assert_eq!(answer[6..8], [0, 0], "logged in");
    let mut get = vec![0x80, 0x00, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 7, 7, 7, 7];
    get.extend([0; 8]);
    get.push(b'k');
    binary.write_all(&get).unwrap();
    let mut answer = vec![0; 24 + SPENT.len()];
    binary.read_exact(&mut answer).unwrap();
    assert_eq!(&answer[24..], SPENT.as_bytes());

    let (mut lines, _) = handlersocket(&place);
    assert_eq!(ask_line(&mut lines, "P\t1\td\tt\t\ta\n"), "1\t1\t1226");
    let mut of_web = place.server.connect("tyrant");
    assert_eq!(web(&mut of_web, "GET /k"), "HTTP/1.1 429 Too Many Requests");

    place.sql.run("FLUSH USER_RESOURCES");
    assert_eq!(web(&mut of_web, "GET /k"), "HTTP/1.1 404 Not Found");
    assert_eq!(ask_line(&mut lines, "P\t1\td\tt\t\ta\n"), "0\t1");
    assert_eq!(ask_line(&mut lines, "1\t=\t1\t1\n"), "1\t1\t1226");
    // A limit that is set holds for the next request of those that are connected.
    place.sql.run("ALTER USER app WITH MAX_QUERIES_PER_HOUR 0 MAX_UPDATES_PER_HOUR 1");
    assert_eq!(ask_line(&mut lines, "1\t=\t1\t1\n"), "0\t1");
    assert_eq!(ask_line(&mut lines, "1\t+\t1\t7\n"), "0\t1");
    assert_eq!(ask_line(&mut lines, "1\t+\t1\t8\n"), "1\t1\t1226");
    assert_eq!(web(&mut of_web, "PUT /k"), "HTTP/1.1 429 Too Many Requests");
    let why = "User 'app' has exceeded the 'max_updates' resource (current value: 1)";
    assert_eq!(ask_line(&mut cache, "delete k\r\n"), format!("SERVER_ERROR {why}\r"));
    assert_eq!(ask_line(&mut cache, "get k\r\n"), "VALUE k 0 2\r");
}

#[test]
fn statements_of_an_account_have_their_number_their_time_and_their_memory() {
    let mut place = place(&[], "MAX_QUERIES_PER_HOUR 0");
    place.sql.run("CREATE USER bob IDENTIFIED BY '' WITH MAX_QUERIES_PER_HOUR 4");
    place.sql.run("GRANT ALL ON d.* TO bob");
    let mut bob = sql(&place).unwrap();
    bob.run("INSERT INTO d.t VALUES (1, 1), (2, 2)");
    bob.query("SELECT a FROM d.t").unwrap();
    bob.run("PREPARE p FROM 'UPDATE d.t SET a = 5'");
    bob.run("EXECUTE p");
    match bob.query("SELECT 1") {
        Err(Failure::Error { number: 1226, message }) => {
            let why = "User 'bob' has exceeded the 'max_questions' resource (current value: 4)";
            assert!(message.ends_with(why), "{message}");
        }
        other => panic!("{other:?}"),
    }
    // A limit that is set again counts from there.
    place.sql.run("ALTER USER bob WITH MAX_QUERIES_PER_HOUR 0 MAX_UPDATES_PER_HOUR 1");
    bob.run("EXECUTE p");
    assert_eq!(error_number(bob.query("EXECUTE p")), 1226, "an update by another name");
    assert_eq!(error_number(bob.query("DELETE FROM d.t")), 1226);
    assert_eq!(bob.query("SELECT COUNT(*) FROM d.t").unwrap(), [[Some("2".to_owned())]]);

    let numbers: Vec<String> = (0..400).map(|number| format!("({number})")).collect();
    place.sql.run("CREATE TABLE d.n (id INT PRIMARY KEY)");
    place.sql.run(&format!("INSERT INTO d.n VALUES {}", numbers.join(",")));
    place.sql.run("ALTER USER bob WITH MAX_UPDATES_PER_HOUR 0 MAX_STATEMENT_TIME 0.2");
    assert_eq!(error_number(bob.query(LONG)), 1969);
    bob.run("SET max_statement_time = 100");
    assert_eq!(error_number(bob.query(LONG)), 1969);

    place.sql.run("ALTER USER bob WITH MAX_STATEMENT_TIME 0 MAX_MEMORY 262144");
    let (mut one, mut other) = (sql(&place).unwrap(), sql(&place).unwrap());
    let large = |bytes: usize| format!("SET @v = REPEAT('x', {bytes})");
    one.run(&large(150_000));
    assert!(other.execute(&large(150_000)).is_err(), "together they have too much");
    one.run("SET @v = NULL");
    other.run(&large(150_000));
    place.sql.run(&large(400_000));
}

#[test]
fn requests_of_a_second_are_bounded_and_come_back() {
    let mut place = place(CLOSED, "MAX_REQUESTS_PER_SECOND 3");
    let (mut cache, _) = memcached(&place);
    cache.write_all("get k\r\n".repeat(50).as_bytes()).unwrap();
    let answers: Vec<String> =
        (0..50).map(|_| crate::support::read_line(&mut cache).trim_end().to_owned()).collect();
    let answered = answers.iter().filter(|line| *line == "END").count();
    let refused = answers.iter().filter(|line| line.contains("max_requests_per_second")).count();
    assert_eq!(answered + refused, 50, "{answers:?}");
    assert!(answered >= 3 && refused > 0, "{answered}");
    wait_until("the next second", || ask_line(&mut cache, "get k\r\n") == "END\r");
    drop(cache);

    let shown = place.sql.query("SHOW CREATE USER app").unwrap();
    let shown = shown[0][0].clone().unwrap();
    assert!(shown.contains(" REQUIRE NONE WITH MAX_REQUESTS_PER_SECOND 3 PASSWORD"), "{shown}");
    place.sql.run("DROP USER app");
    place.sql.run(&shown);
    assert_eq!(place.sql.query("SHOW CREATE USER app").unwrap()[0][0].as_ref(), Some(&shown));
    place.sql.run("ALTER USER app WITH MAX_QUERIES_PER_HOUR 5 MAX_USER_CONNECTIONS 6");
    let row = place.sql.query(
        "SELECT max_questions, max_updates, max_connections, max_user_connections \
         FROM mysql.user WHERE user = 'app'",
    );
    let wanted = ["5", "0", "0", "6"].map(|number| Some(number.to_owned()));
    assert_eq!(row.unwrap(), [wanted]);
}

#[test]
fn memory_of_an_account_is_bounded_at_the_doors_that_speak_no_sql() {
    let flags = ["--memcached-user=none", "--handlersocket-user=none", "--tyrant-user=app"];
    let mut place = place(&flags, "MAX_MEMORY 262144");
    let why = "User 'app' has exceeded the 'max_memory' resource (current value: 262144)";
    let block = |bytes: usize| vec![b'x'; bytes];
    let is_served = |client: &mut TcpStream| ask_line(client, "get none\r\n") == "END\r";

    // A request is refused while it is still coming; the next one is served.
    let (mut cache, _) = memcached(&place);
    assert_eq!(ask_line(&mut cache, "set k 0 0 2\r\n12\r\n"), "STORED\r");
    cache.write_all(b"set k 0 0 1000000\r\n").unwrap();
    cache.write_all(&block(1_000_000)).unwrap();
    assert_eq!(ask_line(&mut cache, "\r\n"), format!("SERVER_ERROR {why}\r"));
    wait_until("its buffers are given back", || is_served(&mut cache));

    let (mut lines, _) = handlersocket(&place);
    // It is closed when it has been told, and need not take all of this.
    let _ = lines.write_all(&block(4_000_000));
    assert!(String::from_utf8_lossy(&read_all(&mut lines)).starts_with("1\t1\t1226\n"));

    let mut tyrant = place.server.connect("tyrant");
    tyrant.write_all(b"set k 0 0 4000000\r\n").unwrap();
    let _ = tyrant.write_all(&block(4_000_000));
    let said = read_all(&mut tyrant);
    assert!(String::from_utf8_lossy(&said).contains(why), "{}", String::from_utf8_lossy(&said));

    let mut of_web = place.server.connect("tyrant");
    wait_until("what the others had is given back", || {
        web(&mut of_web, "GET /none") == "HTTP/1.1 404 Not Found"
    });
    let head = "PUT /k HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic YXBwOndvcmQ=\r\n";
    of_web.write_all(format!("{head}Content-Length: 500000\r\n\r\n").as_bytes()).unwrap();
    of_web.write_all(&block(500_000)).unwrap();
    assert_eq!(crate::support::read_line(&mut of_web), "HTTP/1.1 429 Too Many Requests\r");
    drop(of_web);

    // What a session of SQL has counts for the others.
    place.sql.run("ALTER USER app IDENTIFIED BY ''");
    let mut session = Mysql::login_as(place.server.connect("mysql"), "app").unwrap();
    session.run("SET @v = REPEAT('x', 200000)");
    cache.write_all(b"set k 0 0 100000\r\n").unwrap();
    cache.write_all(&block(100_000)).unwrap();
    assert_eq!(ask_line(&mut cache, "\r\n"), format!("SERVER_ERROR {why}\r"));
    session.run("SET @v = NULL");
    wait_until("it is served again", || is_served(&mut cache));
}
