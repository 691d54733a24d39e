//! LOAD DATA LOCAL INFILE: a file comes in packets of any size.

use super::House;
use super::client::{Client, MULTI_STATEMENTS, OK, error_number, text_row};

const LOAD: &str = "LOAD DATA LOCAL INFILE 'items.tsv' INTO TABLE item (id, name)";

#[test]
fn a_file_is_asked_for_fed_in_pieces_and_counted() {
    let mut client = House::open().client(0);
    assert_eq!(client.query(LOAD), [b"\xfbitems.tsv".to_vec()]);
    assert!(client.send(2, b"10\tte").is_empty());
    assert!(client.send(3, b"n\n11\televen\n").is_empty());
    let replies = client.send(4, b"");
    assert_eq!(replies[0][..2], [OK, 2], "{:?}", String::from_utf8_lossy(&replies[0]));
    let rows = client.query("SELECT name FROM item WHERE id >= 10 ORDER BY id");
    assert_eq!(text_row(&rows[3]), [Some("ten".to_owned())]);
    assert_eq!(text_row(&rows[4]), [Some("eleven".to_owned())]);
}

#[test]
fn after_an_error_the_file_is_swallowed_and_then_the_error_is_said() {
    let house = House::open();
    let mut client = house.client(0);
    client.query(LOAD);
    let mut other = Client::logged_in(&house.engine, &house.door, 0);
    assert_eq!(other.query("DROP TABLE shop.item")[0][0], OK);
    let lines: String = (0..5000).map(|id| format!("{}\tnever stored\n", 100 + id)).collect();
    for sequence in 2..50 {
        assert!(client.send(sequence, lines.as_bytes()).is_empty());
    }
    assert_eq!(error_number(&client.send(50, b"")[0]), 1412);
    assert_eq!(client.query("DO 1")[0][0], OK);
}

#[test]
fn statements_behind_a_load_are_served_after_it() {
    let mut client = House::open().client(MULTI_STATEMENTS);
    assert_eq!(client.query(&format!("{LOAD}; SELECT COUNT(*) FROM item")).len(), 1);
    client.send(2, b"10\tten\n");
    let replies = client.send(3, b"");
    assert_eq!(replies[0][0], OK);
    assert_eq!(text_row(&replies[4]), [Some("3".to_owned())]);
}

#[test]
fn a_client_that_forbids_local_files_is_not_asked() {
    let house = House::open();
    let mut client = house.connect();
    let mut login = super::client::login("root", b"", "", "caching_sha2_password", 0);
    login[0] &= !0x80;
    client.send(1, &login);
    client.query("CREATE DATABASE shop");
    client.query("CREATE TABLE shop.item (id INT PRIMARY KEY, name VARCHAR(5))");
    let text = LOAD.replace("TABLE item", "TABLE shop.item");
    assert_eq!(error_number(&client.query(&text)[0]), 3948);
}
