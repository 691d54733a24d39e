//! Every command's answer.

use doors::Next;

use super::House;
use super::client::{DEPRECATE_EOF, EOF, MULTI_STATEMENTS, OK, error_number, text_row};

const INIT_DB: u8 = 0x02;
const FIELD_LIST: u8 = 0x04;
const REFRESH: u8 = 0x07;
const STATISTICS: u8 = 0x09;
const PROCESS_INFO: u8 = 0x0a;
const DEBUG: u8 = 0x0d;
const PING: u8 = 0x0e;
const PREPARE: u8 = 0x16;
const EXECUTE: u8 = 0x17;
const SEND_LONG_DATA: u8 = 0x18;
const CLOSE: u8 = 0x19;
const RESET: u8 = 0x1a;
const SET_OPTION: u8 = 0x1b;
const FETCH: u8 = 0x1c;
const RESET_CONNECTION: u8 = 0x1f;

/// COM_STMT_EXECUTE without parameters.
fn execute(statement: u32) -> Vec<u8> {
    [&statement.to_le_bytes()[..], &[0, 1, 0, 0, 0]].concat()
}

#[test]
fn ping_is_ok_and_quit_closes_without_an_answer() {
    let mut client = House::open().client(0);
    assert_eq!(client.command(PING, b""), [[OK, 0, 0, 2, 0, 0, 0]]);
    assert!(client.command(0x01, b"").is_empty());
    assert_eq!(client.next, Next::Close);
}

#[test]
fn an_unknown_command_is_1047_and_the_connection_goes_on() {
    let mut client = House::open().client(0);
    assert_eq!(error_number(&client.command(0x12, b"binlog")[0]), 1047);
    assert_eq!(client.command(PING, b"")[0][0], OK);
}

#[test]
fn a_database_is_chosen_or_unknown() {
    let mut client = House::open().client(0);
    assert_eq!(error_number(&client.command(INIT_DB, b"nowhere")[0]), 1049);
    assert_eq!(client.command(INIT_DB, b"shop")[0][0], OK);
    assert_eq!(error_number(&client.command(INIT_DB, b"\xff\xfe")[0]), 1300);
}

#[test]
fn field_list_gives_the_columns_that_match() {
    let mut client = House::open().client(0);
    let all = client.command(FIELD_LIST, b"item\0");
    assert_eq!(all.len(), 3 + 1);
    assert!(all[0].starts_with(b"\x03def\x04shop\x04item\x04item\x02id\x02id"));
    assert_eq!(client.command(FIELD_LIST, b"item\0pri%").len(), 1 + 1);
    assert_eq!(error_number(&client.command(FIELD_LIST, b"nothing\0")[0]), 1146);
    assert_eq!(error_number(&client.command(FIELD_LIST, b"`; DROP TABLE item\0")[0]), 1146);
    assert_eq!(client.command(FIELD_LIST, b"item\0").len(), 3 + 1);
}

#[test]
fn the_field_list_of_a_view_was_that_of_no_table() {
    let mut client = House::open().client(0);
    let made = client.query("CREATE VIEW v AS SELECT id AS number, 1 AS one FROM item");
    assert_eq!(made[0][0], 0, "{}", String::from_utf8_lossy(&made[0]));
    let listed = client.command(FIELD_LIST, b"v\0");
    assert_eq!(listed.len(), 2 + 1);
    assert!(listed[0].starts_with(b"\x03def\x04shop\x01v\x01v\x06number\x06number"));
    assert!(listed[1].starts_with(b"\x03def\x04shop\x01v\x01v\x03one\x03one"));
}

#[test]
fn the_field_list_said_null_for_every_default_which_c_clients_read_as_a_text() {
    let mut client = House::open().client(0);
    let made = client.query(
        "CREATE TABLE d (id INT PRIMARY KEY AUTO_INCREMENT, a VARCHAR(10) DEFAULT 'xy', \
         b DECIMAL(5,2) NOT NULL, c DATETIME DEFAULT CURRENT_TIMESTAMP, e ENUM('p','q') NOT NULL, \
         f INT DEFAULT 2, g TEXT, h BINARY(2) NOT NULL, i TIME(2) NOT NULL)",
    );
    assert_eq!(made[0][0], 0, "{}", String::from_utf8_lossy(&made[0]));
    let listed = client.command(FIELD_LIST, b"d\0");
    // Behind the fixed part of 13 bytes there is the default, NULL or with its length.
    let default = |packet: &[u8]| {
        let mut at = 0;
        (0..6).for_each(|_| at += 1 + usize::from(packet[at]));
        packet[at + 13..].to_vec()
    };
    let defaults: Vec<Vec<u8>> = listed[..9].iter().map(|packet| default(packet)).collect();
    let expected: [&[u8]; 9] = [
        b"\x010",
        b"\x02xy",
        b"\x040.00",
        b"\xfb",
        b"\x01p",
        b"\x012",
        b"\xfb",
        b"\x02\0\0",
        b"\x0b00:00:00.00",
    ];
    assert_eq!(defaults, expected);
}

#[test]
fn refreshing_was_an_unknown_command() {
    let mut client = House::open().client(0);
    for parts in [&b""[..], b"\x02", b"\x3f"] {
        assert_eq!(client.command(REFRESH, parts)[0][0], OK);
    }
    assert_eq!(error_number(&client.command(REFRESH, b"\x80")[0]), 1186);
}

#[test]
fn statistics_are_a_line_and_the_process_list_is_rows() {
    let mut client = House::open().client(0);
    let line = client.command(STATISTICS, b"");
    assert!(line[0].starts_with(b"Uptime: "));
    let rows = client.command(PROCESS_INFO, b"");
    let row = text_row(&rows[rows.len() - 2]);
    assert_eq!(row[..2], [Some("7".to_owned()), Some("root".to_owned())]);
}

#[test]
fn debug_and_set_option_answer_eof() {
    let mut client = House::open().client(0);
    assert_eq!(client.command(DEBUG, b"")[0][0], EOF);
    assert_eq!(client.command(SET_OPTION, &[0, 0])[0][0], EOF);
    assert_eq!(client.query("DO 1; DO 2").len(), 2);
    assert_eq!(client.command(SET_OPTION, &[1, 0])[0][0], EOF);
    assert_eq!(error_number(&client.query("DO 1; DO 2")[0]), 1064);
    assert_eq!(error_number(&client.command(SET_OPTION, &[9, 0])[0]), 1047);
}

#[test]
fn several_statements_need_both_sides_and_stop_at_the_first_error() {
    let house = House::open();
    let mut client = house.client(0);
    assert_eq!(error_number(&client.query("DELETE FROM item; DO 1")[0]), 1064);
    assert_eq!(client.query("SELECT id FROM item").len(), 1 + 1 + 1 + 2 + 1, "none is gone");
    let mut client = {
        let mut client =
            super::client::Client::logged_in(&house.engine, &house.door, MULTI_STATEMENTS);
        client.command(INIT_DB, b"shop");
        client
    };
    let replies = client.query("DO 1; SELECT id FROM item; nonsense; DELETE FROM item");
    assert_eq!(replies.len(), 1 + 6 + 1);
    let more = 0x08;
    assert_eq!(replies[0][3] & more, more, "OK says that more follows");
    assert_eq!(replies[6][3] & more, more, "so does the rows' EOF");
    assert_eq!(error_number(&replies[7]), 1064);
    let replies = client.query("DO 1; /* nothing more */ ; ");
    assert!(replies.len() <= 2);
    assert_eq!(client.query("SELECT id FROM item").len(), 6, "none is gone");
}

#[test]
fn a_prepared_statement_lives_from_prepare_to_close() {
    let mut client = House::open().client(0);
    let prepared = client.command(PREPARE, b"SELECT name FROM item WHERE id = ?");
    assert_eq!(prepared.len(), 1 + 1 + 1 + 1 + 1);
    let id: [u8; 4] = prepared[0][1..5].try_into().expect("four bytes");
    assert_eq!(prepared[0][5..9], [1, 0, 1, 0], "one column, one parameter");
    let mut request = execute(u32::from_le_bytes(id));
    request.extend_from_slice(&[0, 1, 0x03, 0, 2, 0, 0, 0]);
    for _ in 0..2 {
        let replies = client.command(EXECUTE, &request);
        assert_eq!(replies.len(), 5);
        assert_eq!(replies[3], b"\0\0\x03ink");
    }
    assert_eq!(client.command(RESET, &id)[0][0], OK);
    assert!(client.command(CLOSE, &id).is_empty());
    assert_eq!(error_number(&client.command(EXECUTE, &request)[0]), 1243);
    assert_eq!(error_number(&client.command(RESET, &id)[0]), 1243);
    assert_eq!(error_number(&client.command(FETCH, &[&id[..], &[1, 0, 0, 0]].concat())[0]), 1243);
}

#[test]
fn long_data_are_put_together_and_forgotten_after_use() {
    let mut client = House::open().client(0);
    let prepared = client.command(PREPARE, b"INSERT INTO item (name) VALUES (?)");
    let id: [u8; 4] = prepared[0][1..5].try_into().expect("four bytes");
    for piece in [&b"long "[..], b"name"] {
        let request = [&id[..], &[0, 0], piece].concat();
        assert!(client.command(SEND_LONG_DATA, &request).is_empty());
    }
    let request = [&execute(u32::from_le_bytes(id))[..], &[0, 1, 0xFC, 0]].concat();
    assert_eq!(client.command(EXECUTE, &request)[0][..3], [OK, 1, 3]);
    let rows = client.query("SELECT name FROM item WHERE id = 3");
    assert_eq!(text_row(&rows[3]), [Some("long name".to_owned())]);
    assert_eq!(error_number(&client.command(EXECUTE, &request)[0]), 1835, "no value any more");
}

#[test]
fn resetting_the_connection_keeps_the_database_and_forgets_the_rest() {
    let mut client = House::open().client(0);
    client.query("SET @x = 1");
    let prepared = client.command(PREPARE, b"SELECT 1");
    let id: [u8; 4] = prepared[0][1..5].try_into().expect("four bytes");
    assert_eq!(client.command(RESET_CONNECTION, b"")[0][0], OK);
    let rows = client.query("SELECT @x, DATABASE()");
    let row = text_row(&rows[4]);
    assert_eq!(row, [None, Some("shop".to_owned())]);
    let request = execute(u32::from_le_bytes(id));
    assert_eq!(error_number(&client.command(EXECUTE, &request)[0]), 1243);
}

#[test]
fn without_eof_packets_rows_end_in_an_ok_under_eofs_header() {
    let mut client = House::open().client(DEPRECATE_EOF);
    let replies = client.query("SELECT id FROM item");
    assert_eq!(replies.len(), 1 + 1 + 2 + 1);
    assert_eq!(replies[4], [EOF, 0, 0, 2, 0, 0, 0]);
}
