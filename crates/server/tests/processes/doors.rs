//! Clients of doors that speak no SQL: who sees them in the process list, and who may end them.

use std::io::Write as _;
use std::net::TcpStream;

use crate::account_place::AccountPlace;
use crate::mysql::{Mysql, error_number};
use crate::support::{ask_line, read_all, wait_until};

/// Id, user, command, state, text and memory of the lines that do not speak SQL.
fn listed(sql: &mut Mysql) -> Vec<[String; 6]> {
    let rows = sql.query("SHOW FULL PROCESSLIST").expect("a list");
    let lines = rows.iter().map(|row| {
        [0, 1, 4, 6, 7, 8].map(|at| row[at].clone().unwrap_or_else(|| "NULL".to_owned()))
    });
    lines.filter(|line| !["Query", "Sleep"].contains(&&*line[2])).collect()
}

/// Their users and commands.
fn users(sql: &mut Mysql) -> Vec<String> {
    listed(sql).into_iter().map(|[_, user, command, ..]| format!("{user}@{command}")).collect()
}

fn id_of(sql: &mut Mysql, user: &str) -> String {
    let found = listed(sql).into_iter().find(|line| line[1] == user);
    let [id, ..] = found.unwrap_or_else(|| panic!("{user} is listed"));
    id
}

fn place() -> AccountPlace {
    let statements = [
        "CREATE USER bob IDENTIFIED BY ''",
        "CREATE USER eve IDENTIFIED BY ''",
        "CREATE USER app IDENTIFIED BY 'word'",
        "CREATE USER own IDENTIFIED BY 'word'",
        "GRANT SELECT ON kv.* TO app",
    ];
    AccountPlace::open(&["--memcached-user=none", "--tyrant-user=none"], &statements)
}

/// A client that has logged in with the first `set`.
fn memcached(place: &AccountPlace, login: &str) -> TcpStream {
    let mut client = place.server.connect("memcached");
    let set = format!("set x 0 0 {}\r\n{login}\r\n", login.len());
    assert_eq!(ask_line(&mut client, &set), "STORED\r");
    client
}

#[test]
fn clients_of_every_door_are_listed_by_their_users_and_none_of_their_keys() {
    let mut place = place();
    let mut cache = memcached(&place, "app word");
    assert_eq!(ask_line(&mut cache, "get hidden-key\r\n"), "END\r");
    let mut lines = place.server.connect("handlersocket-write");
    assert_eq!(ask_line(&mut lines, "A\t1\tapp:word\n"), "0\t1");
    let mut web = place.server.connect("tyrant");
    // own:word
    let head = "GET /k HTTP/1.1\r\nHost: localhost\r\nAuthorization: Basic b3duOndvcmQ=\r\n\r\n";
    assert_eq!(ask_line(&mut web, head), "HTTP/1.1 403 Forbidden\r");
    let silent = place.server.connect("memcached");
    let wanted = [
        "app@memcached",
        "app@handlersocket-write",
        "own@tyrant",
        "unauthenticated user@memcached",
    ];
    wait_until("all are listed", || users(&mut place.sql) == wanted);
    wait_until("their memory is known", || {
        listed(&mut place.sql).iter().all(|line| line[5].parse::<u64>().unwrap() > 0)
    });
    let list = format!("{:?}", listed(&mut place.sql));
    assert!(!list.contains("hidden") && !list.contains("word"), "{list}");

    let names = |sql: &mut Mysql, text: &str| -> Vec<String> {
        sql.query(text).unwrap().into_iter().map(|row| row[0].clone().unwrap()).collect()
    };
    let from = "SELECT CONCAT(user, '@', command) FROM information_schema.processlist \
                WHERE command NOT IN ('Query', 'Sleep') ORDER BY id";
    assert_eq!(names(&mut place.sql, from), wanted);
    assert_eq!(names(&mut place.sql, &from.replace("information", "performance")), wanted);
    let threads = "SELECT name FROM performance_schema.threads WHERE processlist_user = 'app' \
                   ORDER BY thread_id";
    assert_eq!(
        names(&mut place.sql, threads),
        ["thread/memcached/one_connection", "thread/handlersocket-write/one_connection"]
    );

    // A login that fails takes the name away; a client that leaves is gone.
    assert!(ask_line(&mut lines, "A\t1\tapp:wrong\n").starts_with("3\t1\t"));
    drop((cache, web, silent));
    wait_until("the rest is listed", || {
        users(&mut place.sql) == ["unauthenticated user@handlersocket-write"]
    });
}

#[test]
fn one_sees_and_ends_ones_own_clients_and_needs_a_privilege_for_those_of_others() {
    let mut place = place();
    let mut of_bob = place.server.connect("handlersocket-write");
    // An empty password, where the door has no secret.
    assert_eq!(ask_line(&mut of_bob, "A\t1\tbob:\n"), "0\t1");
    let mut of_app = memcached(&place, "app word");
    let _silent = place.server.connect("memcached");
    wait_until("they are listed", || users(&mut place.sql).len() == 3);
    let mut bob = Mysql::login_as(place.server.connect("mysql"), "bob").unwrap();
    let mut eve = Mysql::login_as(place.server.connect("mysql"), "eve").unwrap();
    assert_eq!(users(&mut bob), ["bob@handlersocket-write"]);
    assert_eq!(users(&mut eve), [""; 0]);

    let id = id_of(&mut place.sql, "app");
    assert_eq!(error_number(eve.query(&format!("KILL {id}"))), 1094, "as if it was not there");
    place.sql.run("GRANT PROCESS ON *.* TO eve");
    assert_eq!(users(&mut eve).len(), 3);
    assert_eq!(error_number(eve.query(&format!("KILL {id}"))), 1095);
    let silent = id_of(&mut place.sql, "unauthenticated user");
    assert_eq!(error_number(eve.query(&format!("KILL {silent}"))), 1095, "nobody owns it");
    place.sql.run("GRANT CONNECTION_ADMIN ON *.* TO eve");
    eve.run(&format!("KILL QUERY {id}"));
    assert_eq!(ask_line(&mut of_app, "get k\r\n"), "END\r", "a request ends by itself");
    eve.run(&format!("KILL {id}"));
    assert_eq!(read_all(&mut of_app), b"", "it is closed");

    let own = id_of(&mut bob, "bob");
    bob.run(&format!("KILL CONNECTION {own}"));
    assert_eq!(read_all(&mut of_bob), b"");
    wait_until("they are gone", || users(&mut place.sql) == ["unauthenticated user@memcached"]);
    assert_eq!(error_number(bob.query(&format!("KILL {own}"))), 1094);
}

#[test]
fn a_client_that_never_stops_asking_is_ended_too() {
    let mut place = place();
    let mut busy = memcached(&place, "app word");
    let id = id_of(&mut place.sql, "app");
    let asking = std::thread::spawn(move || {
        let mut answered = 0_u64;
        while busy.write_all(b"get k\r\n").is_ok() {
            let mut reply = [0; 5];
            if std::io::Read::read_exact(&mut busy, &mut reply).is_err() {
                break;
            }
            answered += 1;
        }
        answered
    });
    place.sql.run(&format!("KILL {id}"));
    asking.join().unwrap();
    wait_until("it is gone", || users(&mut place.sql).is_empty());
}

#[test]
fn kill_query_ends_a_request_that_waits_and_not_the_next_one() {
    let mut place = AccountPlace::open(
        &["--lock-wait-timeout=1h", "--tyrant-database=d.t(id, v)"],
        &[
            "DROP TABLE d.t",
            "CREATE TABLE d.t (id INT PRIMARY KEY, v INT)",
            "INSERT INTO d.t VALUES (1, 1)",
            "INSERT INTO rowhouse.containers (name, db, tbl, key_columns, value_columns) \
             VALUES ('t', 'd', 't', 'id', 'v')",
        ],
    );
    let mut holder = Mysql::login(place.server.connect("mysql")).expect("a session");
    holder.run("BEGIN");
    holder.run("UPDATE d.t SET v = 2 WHERE id = 1");
    let mut handler = place.server.connect("handlersocket-write");
    assert_eq!(ask_line(&mut handler, "P\t1\td\tt\t\tid,v\n"), "0\t1");
    for (door, request, refusal, next, answer) in [
        (
            "handlersocket-write",
            "1\t=\t1\t1\t1\t0\tD\n",
            "1\t1\t1317",
            "1\t=\t1\t1\n",
            "0\t2\t1\t1",
        ),
        (
            "memcached",
            "incr t:1 1\r\n",
            "SERVER_ERROR query execution was interrupted\r",
            "get t:2\r\n",
            "END\r",
        ),
        (
            "tyrant",
            "set 1 0 0 1\r\n7\r\n",
            "SERVER_ERROR query execution was interrupted\r",
            "get 2\r\n",
            "END\r",
        ),
    ] {
        let mut client = match door {
            "handlersocket-write" => handler.try_clone().unwrap(),
            door => place.server.connect(door),
        };
        client.write_all(request.as_bytes()).unwrap();
        // The client stays until nobody kills any more: one that left between the list and KILL is
        // 1094.
        let answers = std::thread::spawn(move || {
            let refused = ask_line(&mut client, "");
            let answered = ask_line(&mut client, next);
            (client, refused, answered)
        });
        wait_until(&format!("{door} has ended its request"), || {
            for [id, _, command, ..] in listed(&mut place.sql) {
                if command == door {
                    place.sql.run(&format!("KILL QUERY {id}"));
                }
            }
            answers.is_finished()
        });
        let (_client, refused, answered) = answers.join().unwrap();
        assert_eq!((refused.as_str(), answered.as_str()), (refusal, answer), "{door}");
    }
    holder.run("ROLLBACK");
    assert_eq!(place.sql.query("SELECT v FROM d.t").unwrap(), [[Some("1".to_owned())]]);
}
