//! Progress reports, byte for byte: who asked is told how far a long statement is, and the reply's
//! numbers follow those of the reports.
//!
//! The long statement is an ALTER that waits until another session's transaction has ended, so that
//! nothing here depends on how fast anything is.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use doors::Report;

use super::House;
use super::client::{self, Client};

/// MariaDB's CLIENT_PROGRESS.
const PROGRESS: u32 = 1 << 29;
const ALTER: &str = "ALTER TABLE shop.item MODIFY name VARCHAR(60) NOT NULL DEFAULT ''";
const WAITS: &[u8] = b"Waiting for table metadata lock";

/// Returns once the other client's statement waits, for a lock of this name.
fn wait_for(holder: &mut Client, what: &[u8]) {
    let since = Instant::now();
    let mut waits = || {
        let lines = holder.query("SHOW PROCESSLIST");
        lines.iter().any(|line| line.windows(what.len()).any(|part| part == what))
    };
    while !waits() {
        assert!(since.elapsed() < Duration::from_secs(60), "it does not wait");
        thread::yield_now();
    }
}

fn report_of(reports: &dyn Report, now: Instant) -> Vec<u8> {
    let mut out = Vec::new();
    reports.report(now, &mut out);
    out
}

/// A report with this number, of a statement that waits.
fn waiting(number: u8) -> Vec<u8> {
    let payload = [b"\xFF\xFF\xFF\x01\x01\x02\0\0\0".as_slice(), &[WAITS.len() as u8], WAITS];
    client::packet(number, &payload.concat())
}

/// A client that asked, another that has changed a row in a transaction.
fn two(house: &House, capabilities: u32) -> (Client, Client) {
    let mut holder = house.client(0);
    let asking = Client::logged_in(&house.engine, &house.door, PROGRESS | capabilities);
    holder.query("BEGIN");
    holder.query("UPDATE shop.item SET name = 'nib' WHERE id = 1");
    (asking, holder)
}

/// Runs `statement` in another thread while `meanwhile` has its reports, which has to let it end;
/// the numbered packets of its reply.
fn beside(
    asking: &mut Client,
    statement: impl FnOnce(&mut Client) -> Vec<(u8, Vec<u8>)> + Send,
    meanwhile: impl FnOnce(&dyn Report),
) -> Vec<(u8, Vec<u8>)> {
    let reports: Arc<dyn Report> = asking.reports().expect("asked for");
    thread::scope(|scope| {
        let served = scope.spawn(|| statement(asking));
        meanwhile(&*reports);
        let replies = served.join().expect("served");
        assert!(report_of(&*reports, Instant::now()).is_empty(), "told behind the reply");
        replies
    })
}

#[test]
fn reports_come_at_their_interval_and_the_reply_is_numbered_behind_them() {
    let house = House::open();
    let (mut asking, mut holder) = two(&house, 0);
    let start = Instant::now();
    let after = |seconds: u64| start + Duration::from_secs(seconds);
    asking.query("SET progress_report_time = 3");
    let replies = beside(
        &mut asking,
        |asking| asking.numbered(ALTER),
        |reports| {
            wait_for(&mut holder, WAITS);
            assert_eq!(report_of(reports, start), waiting(1));
            assert!(report_of(reports, after(2)).is_empty(), "before it is due");
            assert_eq!(report_of(reports, after(3)), waiting(2));
            assert!(report_of(reports, after(5)).is_empty());
            assert_eq!(report_of(reports, after(7)), waiting(3));
            holder.query("COMMIT");
        },
    );
    let [(4, payload)] = &replies[..] else { panic!("{replies:?}") };
    assert_eq!(payload[0], client::OK);
    // The next command counts again, and nothing is told of it.
    assert_eq!(asking.numbered("DO 1")[0].0, 1);
    let numbers: Vec<u8> =
        asking.numbered("SELECT * FROM shop.item").iter().map(|(number, _)| *number).collect();
    assert_eq!(numbers, (1..=numbers.len() as u8).collect::<Vec<_>>());
}

#[test]
fn so_is_an_error_and_the_reply_to_a_prepared_statement() {
    let house = House::open();
    let (mut asking, mut holder) = two(&house, 0);
    let prepared = asking.command(0x16, ALTER.as_bytes());
    let mut execute = vec![0x17];
    execute.extend_from_slice(&prepared[0][1..5]);
    execute.extend_from_slice(&[0, 1, 0, 0, 0]);
    let id = client::text_row(&asking.query("SELECT CONNECTION_ID()")[3])[0].clone().unwrap();
    let replies = beside(
        &mut asking,
        |asking| asking.numbered_command(&execute),
        |reports| {
            wait_for(&mut holder, WAITS);
            assert_eq!(report_of(reports, Instant::now()), waiting(1));
            holder.query(&format!("KILL QUERY {id}"));
        },
    );
    let [(2, payload)] = &replies[..] else { panic!("{replies:?}") };
    assert_eq!(client::error_number(payload), 1317);
    // And the same once more, to its end.
    let replies = beside(
        &mut asking,
        |asking| asking.numbered_command(&execute),
        |reports| {
            wait_for(&mut holder, WAITS);
            assert_eq!(report_of(reports, Instant::now()), waiting(1));
            holder.query("COMMIT");
        },
    );
    let [(2, payload)] = &replies[..] else { panic!("{replies:?}") };
    assert_eq!(payload[0], client::OK);
}

#[test]
fn of_several_statements_in_one_text_only_what_precedes_all_replies_is_told() {
    let house = House::open();
    let (mut asking, mut holder) = two(&house, client::MULTI_STATEMENTS);
    let text = format!("{ALTER}; SELECT 5; {ALTER}");
    let replies = beside(
        &mut asking,
        |asking| asking.numbered(&text),
        |reports| {
            wait_for(&mut holder, WAITS);
            assert_eq!(report_of(reports, Instant::now()), waiting(1));
            holder.query("COMMIT");
        },
    );
    let numbers: Vec<u8> = replies.iter().map(|(number, _)| *number).collect();
    assert_eq!(numbers, (2..2 + numbers.len() as u8).collect::<Vec<_>>());
    assert_eq!(replies.first().unwrap().1[0], client::OK);
    assert_eq!(replies.last().unwrap().1[0], client::OK);
}

#[test]
fn who_did_not_ask_or_wants_none_is_told_nothing() {
    let house = House::open();
    let holder = house.client(0);
    assert!(holder.reports().is_none());
    drop(holder);
    let (mut asking, mut holder) = two(&House::open(), 0);
    asking.query("SET progress_report_time = 0");
    let shown = asking.query("SELECT @@progress_report_time");
    assert_eq!(client::text_row(&shown[3])[0].as_deref(), Some("0"));
    let replies = beside(
        &mut asking,
        |asking| asking.numbered(ALTER),
        |reports| {
            wait_for(&mut holder, WAITS);
            assert!(report_of(reports, Instant::now()).is_empty());
            holder.query("COMMIT");
        },
    );
    assert_eq!(replies[0].0, 1);
}

#[test]
fn what_has_no_stages_is_not_told_of() {
    let house = House::open();
    let (mut asking, mut holder) = two(&house, 0);
    // What was told of the statement before is not told of this one.
    asking.query("CREATE TABLE shop.other (id INT PRIMARY KEY)");
    asking.query("ALTER TABLE shop.other ADD COLUMN a INT, ADD KEY (a)");
    let update = "UPDATE shop.item SET price = 1 WHERE id = 1";
    let replies = beside(
        &mut asking,
        |asking| asking.numbered(update),
        |reports| {
            wait_for(&mut holder, b"Waiting for row lock");
            assert!(report_of(reports, Instant::now()).is_empty());
            holder.query("COMMIT");
        },
    );
    assert_eq!((replies[0].0, replies[0].1[0]), (1, client::OK));
}
