//! Documents with indexes: found whoever wrote them, also after the server was killed while an
//! index was made, and after a dump.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use crate::mysql::Mysql;
use crate::support::{Running, ask_line, rowhouse, run, wait_until};

pub const FLAGS: [&str; 1] = ["--tyrant-database=tyrant.documents"];
const DOCUMENTS: u32 = 20_000;

/// Calls a function of `misc`; `~` stands for NUL. `None` when it failed.
pub fn misc(client: &mut TcpStream, name: &str, arguments: &[&str]) -> Option<Vec<String>> {
    let length = |text: &str| (text.len() as u32).to_be_bytes();
    let mut request = vec![0xc8, 0x90];
    request.extend([length(name), [0; 4], (arguments.len() as u32).to_be_bytes()].as_flattened());
    request.extend_from_slice(name.as_bytes());
    for argument in arguments {
        request.extend_from_slice(&length(argument));
        request.extend_from_slice(argument.replace('~', "\0").as_bytes());
    }
    client.write_all(&request).unwrap();
    let number = |client: &mut TcpStream| {
        let mut number = [0; 4];
        client.read_exact(&mut number).unwrap();
        u32::from_be_bytes(number)
    };
    let mut code = [0];
    client.read_exact(&mut code).unwrap();
    let mut elements = Vec::new();
    for _ in 0..number(client) {
        let mut element = vec![0; number(client) as usize];
        client.read_exact(&mut element).unwrap();
        elements.push(String::from_utf8(element).unwrap());
    }
    (code == [0]).then_some(elements)
}

/// How many records a search finds, and how.
pub fn count(client: &mut TcpStream, elements: &[&str]) -> (u64, String) {
    let found = misc(client, "search", &[elements, &["count", "hint"]].concat()).expect("a search");
    let how = found[1].lines().nth(1).expect("a hint").to_owned();
    (found[0].parse().expect("a number"), how)
}

pub fn number(sql: &mut Mysql, query: &str) -> u64 {
    sql.query(query).unwrap()[0][0].as_ref().expect("a value").parse().unwrap()
}

/// Documents `0` and so on: `n` from 0 to 99, `w` of two words.
pub fn fill(sql: &mut Mysql) {
    for first in (0..DOCUMENTS).step_by(1000) {
        let rows: Vec<String> = (first..first + 1000)
            .map(|n| format!("('{n}','{{\"n\": \"{}\", \"w\": \"word{} no\"}}')", n % 100, n % 500))
            .collect();
        sql.query(&format!("INSERT INTO tyrant.documents VALUES {}", rows.join(","))).unwrap();
    }
}

pub fn check(data: &Path) {
    let checked = run(&["check", &format!("--data-dir={}", data.display())]);
    let said = String::from_utf8_lossy(&checked.stdout).into_owned();
    assert!(checked.status.success(), "{said}");
}

#[test]
fn documents_are_found_by_index_whoever_wrote_them() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &FLAGS);
    let mut sql = Mysql::login(server.connect("mysql")).unwrap();
    fill(&mut sql);
    let mut client = server.connect("tyrant");
    for (column, kind) in [("n", "1"), ("w", "2")] {
        assert!(misc(&mut client, "setindex", &[column, kind]).is_some());
    }
    let by_index = |client: &mut TcpStream, elements: &[&str]| count(client, elements).0;
    assert_eq!(by_index(&mut client, &["addcond~n~NUMEQ~7"]), 200);
    let set = "UPDATE tyrant.documents SET columns = JSON_SET(columns, '$.n', 1007) WHERE pk < '2'";
    let updated = sql.execute(set).unwrap();
    assert_eq!(by_index(&mut client, &["addcond~n~NUMEQ~1007"]), updated);
    sql.query("DELETE FROM tyrant.documents WHERE columns->>'$.n' = 7").unwrap();
    assert_eq!(by_index(&mut client, &["addcond~n~NUMEQ~7"]), 0);
    misc(&mut client, "put", &["new", "n", "7", "w", "quite new"]).expect("put");
    assert_eq!(by_index(&mut client, &["addcond~n~NUMEQ~7", "addcond~w~STRAND~new quite"]), 1);
    let left = number(
        &mut sql,
        "SELECT COUNT(*) FROM tyrant.documents WHERE columns->>'$.w' LIKE 'word3 %'",
    );
    assert_eq!(by_index(&mut client, &["addcond~w~STROR~word3"]), left);
    server.kill();
    let server = Running::start(directory.path(), &FLAGS);
    assert_eq!(by_index(&mut server.connect("tyrant"), &["addcond~n~NUMEQ~1007"]), updated);
    assert_eq!(server.stop().code(), Some(0));
    check(directory.path());
}

#[test]
fn a_server_that_is_killed_while_it_makes_an_index_has_it_wholly_or_not_at_all() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &FLAGS);
    fill(&mut Mysql::login(server.connect("mysql")).unwrap());
    server.kill();
    // Killed after so many requests of another client.
    for requests in [0, 5, 20, 100, 500, 2000] {
        let server = Running::start(directory.path(), &FLAGS);
        let mut client = server.connect("tyrant");
        misc(&mut client, "setindex", &["w", "9999"]);
        let (found, how) = count(&mut client, &["addcond~w~STROR~word7"]);
        assert_eq!((found, &how[..]), (40, "scanning the whole table"));
        client
            .write_all(b"\xc8\x90\0\0\0\x08\0\0\0\0\0\0\0\x02setindex\0\0\0\x01w\0\0\0\x013")
            .unwrap();
        let mut other = server.connect("memcached");
        for _ in 0..requests {
            ask_line(&mut other, "get nothing\r\n");
        }
        server.kill();
        let server = Running::start(directory.path(), &FLAGS);
        let mut client = server.connect("tyrant");
        assert_eq!(count(&mut client, &["addcond~w~FTSPH~word7 no"]).0, 40, "after {requests}");
        assert!(misc(&mut client, "setindex", &["w", "3"]).is_some());
        let (found, how) = count(&mut client, &["addcond~w~FTSPH~word77 no"]);
        assert_eq!((found, &how[..]), (40, "using an index"));
        assert_eq!(server.stop().code(), Some(0));
        check(directory.path());
    }
}

#[test]
fn an_index_that_is_made_while_two_doors_write_lacks_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &FLAGS);
    fill(&mut Mysql::login(server.connect("mysql")).unwrap());
    let ended = AtomicBool::new(false);
    let (updates, puts) = (AtomicUsize::new(0), AtomicUsize::new(0));
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut sql = Mysql::login(server.connect("mysql")).unwrap();
            for n in (0..DOCUMENTS).cycle().take_while(|_| !ended.load(Ordering::Relaxed)) {
                let set = format!("JSON_SET(columns, '$.n', {})", n % 50);
                let update =
                    format!("UPDATE tyrant.documents SET columns = {set} WHERE pk = '{n}'");
                sql.query(&update).unwrap();
                updates.fetch_add(1, Ordering::Relaxed);
            }
        });
        scope.spawn(|| {
            let mut client = server.connect("tyrant");
            for n in (0..DOCUMENTS).rev().cycle().take_while(|_| !ended.load(Ordering::Relaxed)) {
                let (key, value) = (n.to_string(), (n % 70).to_string());
                misc(&mut client, "put", &[&key, "n", &value, "w", "word put"]).unwrap();
                puts.fetch_add(1, Ordering::Relaxed);
            }
        });
        let mut client = server.connect("tyrant");
        for kind in ["1", "0", "2", "9999", "1"] {
            assert!(misc(&mut client, "setindex", &["n", kind]).is_some(), "{kind}");
            let now = || [&updates, &puts].map(|count| count.load(Ordering::Relaxed));
            let before = now();
            wait_until("both write on", || {
                now().iter().zip(before).all(|(now, before)| *now >= before + 20)
            });
        }
        ended.store(true, Ordering::Relaxed);
    });
    let mut client = server.connect("tyrant");
    let mut sql = Mysql::login(server.connect("mysql")).unwrap();
    for n in 0..3 {
        let query = format!("SELECT COUNT(*) FROM tyrant.documents WHERE columns->>'$.n' = '{n}'");
        let (found, _) = count(&mut client, &[&format!("addcond~n~NUMEQ~{n}")]);
        assert_eq!(found, number(&mut sql, &query));
    }
    assert_eq!(server.stop().code(), Some(0));
    check(directory.path());
}

#[test]
fn a_dump_brings_the_indexes_and_their_nasty_names() {
    let directory = tempfile::tempdir().unwrap();
    let (one, two) = (directory.path().join("one"), directory.path().join("two"));
    let server = Running::start(&one, &FLAGS);
    let mut sql = Mysql::login(server.connect("mysql")).unwrap();
    let mut client = server.connect("tyrant");
    let nasty = "a*/';`\\\u{e4}\n";
    for (n, key) in ["k1", "k2", "k3", "k4", "k5", "k6"].iter().enumerate() {
        misc(&mut client, "put", &[key, nasty, &n.to_string(), "w", "x"]).expect("put");
    }
    assert!(misc(&mut client, "setindex", &[nasty, "1"]).is_some());
    assert!(misc(&mut client, "setindex", &["it's", "3"]).is_some());
    let shown = sql.query("SHOW CREATE TABLE tyrant.documents").unwrap();
    let shown = shown[0][1].clone().expect("a statement");
    let indexes =
        "MEMBER_INDEXES=(`columns`.X'612A2F273B605CC3A40A' DECIMAL,`columns`.'it''s' QGRAM)";
    assert!(shown.ends_with(&format!(" /*!999999 {indexes} */")), "{shown}");
    sql.query("CREATE TABLE tyrant.copy LIKE tyrant.documents").unwrap();
    let copied = sql.query("SHOW CREATE TABLE tyrant.copy").unwrap()[0][1].clone().unwrap();
    assert_eq!(copied.replace("`copy`", "`documents`"), shown);
    sql.query("ALTER TABLE tyrant.copy MEMBER_INDEXES=()").unwrap();
    assert!(
        !sql.query("SHOW CREATE TABLE tyrant.copy").unwrap()[0][1]
            .clone()
            .unwrap()
            .contains("MEMBER")
    );
    let wrong = sql.query("ALTER TABLE tyrant.copy MEMBER_INDEXES=(`columns`.'a' WRONG)");
    assert!(wrong.is_err());
    sql.query("DROP TABLE tyrant.copy").unwrap();
    assert_eq!(server.stop().code(), Some(0));
    let flag = |data: &Path| format!("--data-dir={}", data.display());
    let dumped = run(&["dump", &flag(&one), "--databases", "tyrant"]).stdout;
    let mut command = rowhouse(&["load", &flag(&two), "-"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(&dumped).unwrap();
    assert!(child.wait().unwrap().success());
    check(&two);
    let server = Running::start(&two, &FLAGS);
    let (found, _) = count(&mut server.connect("tyrant"), &[&format!("addcond~{nasty}~NUMEQ~3")]);
    assert_eq!(found, 1);
    let mut sql = Mysql::login(server.connect("mysql")).unwrap();
    let again = sql.query("SHOW CREATE TABLE tyrant.documents").unwrap()[0][1].clone().unwrap();
    assert_eq!(again, shown);
    assert_eq!(server.stop().code(), Some(0));
}
