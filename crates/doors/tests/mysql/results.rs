//! Rows in both forms, their columns, and results larger than any buffer.

use super::House;
use super::client::{DEPRECATE_EOF, OK, error_number, text_row};

#[test]
fn an_insert_reports_rows_and_the_generated_value() {
    let mut client = House::open().client(0);
    let replies = client.query("INSERT INTO item (name) VALUES ('a'), ('b')");
    assert_eq!(replies[0][..2], [OK, 2]);
    // The first row's number is left out where the second was waited for.
    assert!(replies[0][2] == 3 || crate::COLD, "{:?}", replies[0]);
}

#[test]
fn a_text_result_has_definitions_rows_and_two_eofs() {
    let mut client = House::open().client(0);
    let replies = client.query("SELECT id, name, price FROM item WHERE id = 1");
    assert_eq!(replies.len(), 1 + 3 + 1 + 1 + 1);
    assert_eq!(replies[0], [3]);
    let row = text_row(&replies[5]);
    assert_eq!(row, ["1", "pen", "1.50"].map(|text| Some(text.to_owned())));
    // id: INT UNSIGNED, binary character set, NOT_NULL PRI_KEY UNSIGNED AUTO_INCREMENT NUM.
    let id = &replies[1][replies[1].len() - 13..];
    assert_eq!(id[..8], [0x0C, 63, 0, 10, 0, 0, 0, 0x03]);
    assert_eq!(id[8] & 0x23, 0x23);
    assert_eq!(id[9] & 0x82, 0x82);
    // name: VARCHAR(50) of utf8mb4, 200 bytes, first in an index.
    let name = &replies[2][replies[2].len() - 13..];
    assert_eq!(name[..8], [0x0C, 45, 0, 200, 0, 0, 0, 0xFD]);
    assert_eq!(name[8] & 0x08, 0x08);
    // price: DECIMAL(10,2), 12 characters, 2 decimals.
    let price = &replies[3][replies[3].len() - 13..];
    assert_eq!(price[3..8], [12, 0, 0, 0, 0xF6]);
    assert_eq!(price[10], 2);
}

#[test]
fn the_binary_form_of_every_type_is_as_the_protocol_says() {
    let mut client = House::open().client(DEPRECATE_EOF);
    let columns = [
        ("TINYINT", "-1", &[0xFF][..]),
        ("SMALLINT UNSIGNED", "65535", &[0xFF, 0xFF]),
        ("MEDIUMINT", "-2", &[0xFE, 0xFF, 0xFF, 0xFF]),
        ("INT", "3", &[3, 0, 0, 0]),
        ("BIGINT UNSIGNED", "18446744073709551615", &[0xFF; 8]),
        ("FLOAT", "1.5", &[0, 0, 0xC0, 0x3F]),
        ("DOUBLE", "-0.5", &[0, 0, 0, 0, 0, 0, 0xE0, 0xBF]),
        ("DECIMAL(5,2)", "1.5", b"\x041.50"),
        ("CHAR(5)", "'ab'", b"\x02ab"),
        ("VARCHAR(5)", "'\u{fc}'", "\x02\u{fc}".as_bytes()),
        ("TEXT", "''", b"\0"),
        ("VARBINARY(3)", "x'00ff'", &[2, 0, 0xFF]),
        ("DATE", "'2024-02-29'", &[4, 0xE8, 7, 2, 29]),
        ("TIME(1)", "'-25:00:01.5'", &[12, 1, 1, 0, 0, 0, 1, 0, 1, 0x20, 0xA1, 7, 0]),
        ("DATETIME", "'2024-02-29 01:02:03'", &[7, 0xE8, 7, 2, 29, 1, 2, 3]),
        ("TIMESTAMP", "'2024-02-29 00:00:00'", &[4, 0xE8, 7, 2, 29]),
        ("YEAR", "2024", &[0xE8, 7]),
        ("ENUM('red','green')", "'green'", b"\x05green"),
        ("SET('red','green','blue')", "'blue,red'", b"\x08red,blue"),
        ("BIT(12)", "b'101000000001'", b"\x02\x0a\x01"),
        ("BIT", "1", b"\x01\x01"),
        ("JSON", "'[1]'", b"\x03[1]"),
    ];
    client.query("SET time_zone = '+00:00'");
    let definitions: Vec<String> =
        columns.iter().enumerate().map(|(at, column)| format!("c{at} {}", column.0)).collect();
    let text = format!("CREATE TABLE kind (id INT PRIMARY KEY, {})", definitions.join(", "));
    assert_eq!(client.query(&text)[0][0], OK);
    let values: Vec<&str> = columns.iter().map(|column| column.1).collect();
    let inserted = client.query(&format!("INSERT INTO kind VALUES (1, {})", values.join(", ")));
    assert_eq!(inserted[0][0], OK, "{}", String::from_utf8_lossy(&inserted[0]));
    let names: Vec<String> = (0..columns.len()).map(|at| format!("c{at}")).collect();
    let text = format!("SELECT {} FROM kind WHERE id = 1", names.join(", "));
    let prepared = client.command(0x16, text.as_bytes());
    let request = [&prepared[0][1..5], &[0, 1, 0, 0, 0]].concat();
    let replies = client.command(0x17, &request);
    let row = &replies[replies.len() - 2];
    let bitmap_bytes = (columns.len() + 9) / 8;
    assert_eq!(row[..1 + bitmap_bytes], vec![0; 1 + bitmap_bytes]);
    let mut rest = &row[1 + bitmap_bytes..];
    for (ty, value, expected) in columns {
        assert!(rest.starts_with(expected), "{ty} {value}: {rest:?}");
        rest = &rest[expected.len()..];
    }
    assert!(rest.is_empty());
}

#[test]
fn a_result_larger_than_the_output_comes_in_pieces_and_complete() {
    let mut client = House::open().client(DEPRECATE_EOF);
    client.query("CREATE TABLE big (id INT PRIMARY KEY, text VARCHAR(1000))");
    for batch in 0..20 {
        let values: Vec<String> =
            (0..100).map(|at| format!("({}, '{}')", batch * 100 + at, "x".repeat(1000))).collect();
        let text = format!("INSERT INTO big VALUES {}", values.join(", "));
        assert_eq!(client.query(&text)[0][0], OK);
    }
    let replies = client.query("SELECT id, text FROM big");
    assert_eq!(replies.len(), 1 + 2 + 2000 + 1);
    let ids: Vec<Option<String>> =
        replies[3..2003].iter().map(|row| text_row(row)[0].clone()).collect();
    let expected: Vec<Option<String>> = (0..2000).map(|id| Some(id.to_string())).collect();
    assert_eq!(ids, expected);
}

#[test]
fn a_value_above_16_mib_crosses_frames_both_ways() {
    let mut client = House::open().client(DEPRECATE_EOF);
    client.query("CREATE TABLE huge (id INT PRIMARY KEY, text LONGTEXT)");
    let size = 17 << 20;
    let payload = format!("\x03INSERT INTO huge VALUES (1, '{}')", "y".repeat(size));
    let (first, second) = payload.as_bytes().split_at(0xFF_FFFF);
    let mut bytes = vec![0xFF, 0xFF, 0xFF, 0];
    bytes.extend_from_slice(first);
    bytes.extend_from_slice(&super::client::packet(1, second));
    let replies = client.send_raw(&bytes);
    assert_eq!(replies[0][0], OK, "{:?}", String::from_utf8_lossy(&replies[0]));
    let replies = client.query("SELECT text FROM huge WHERE id = 1");
    assert_eq!(replies[2].len(), size + 9);
    assert!(replies[2][9..].iter().all(|&byte| byte == b'y'));
}

#[test]
fn an_update_that_changes_nothing_is_answered_where_nothing_is_in_memory() {
    let mut client = House::open().client(0);
    for _ in 0..3 {
        for text in [
            "UPDATE item SET name = 'pen' WHERE id = 1",
            "UPDATE item SET price = price + 0 WHERE name = 'pen'",
            "UPDATE item SET name = name",
            "INSERT IGNORE INTO item (id, name) VALUES (1, 'x')",
            "INSERT INTO item (id, name) VALUES (1, 'pen') ON DUPLICATE KEY UPDATE name = 'pen'",
            "DELETE FROM item WHERE id = 77",
        ] {
            let replies = client.query(text);
            assert_eq!(replies[0][..2], [OK, 0], "{text}: no row was changed");
        }
        assert_eq!(client.query("REPLACE INTO item VALUES (1, 'pen', 1.50)")[0][0], OK);
    }
    let rows = client.query("SELECT name, price FROM item WHERE id = 1");
    assert_eq!(text_row(&rows[4]), [Some("pen".to_owned()), Some("1.50".to_owned())]);
}

#[test]
fn an_error_has_its_number_its_state_and_its_words() {
    let mut client = House::open().client(0);
    let replies = client.query("SELECT nothing FROM item");
    assert_eq!(error_number(&replies[0]), 1054);
    assert_eq!(&replies[0][3..9], b"#42S22");
    assert!(replies[0].ends_with(b"Unknown column 'nothing' in 'field list'"));
}

#[test]
fn a_message_is_in_the_character_set_of_results() {
    let mut client = House::open().client(0);
    for (setting, wanted) in [
        ("SET NAMES utf8mb4", "'ä中'".as_bytes()),
        ("SET character_set_results = latin1", b"'\xe4\\4E2D'"),
        ("SET character_set_results = gbk", b"'\\00E4\xd6\xd0'"),
        ("SET character_set_results = binary", "'ä中'".as_bytes()),
    ] {
        client.query(setting);
        let replies = client.query("SELECT `ä中` FROM item");
        assert_eq!(error_number(&replies[0]), 1054);
        let wanted = [b"Unknown column ", wanted, b" in 'field list'"].concat();
        assert!(replies[0].ends_with(&wanted), "{setting}: {:?}", replies[0]);
    }
}

#[test]
fn bytes_behind_an_introducer_were_text_of_the_client() {
    let mut client = House::open().client(0);
    client.query("CREATE TABLE bytes (b VARBINARY(9), l VARCHAR(9) CHARACTER SET latin1)");
    client.query("SET NAMES latin1");
    let insert = b"INSERT INTO bytes VALUES (_binary'\xfc', _latin1'\xfc'), ('\xfd', '\xfd')";
    assert_eq!(client.command(3, insert)[0][0], OK);
    let prepared = client.command(0x16, b"SELECT HEX(_binary'\xfc'), HEX('\xfc')");
    assert_eq!(prepared[0][0], OK, "{:?}", String::from_utf8_lossy(&prepared[0]));
    client.query("SET NAMES utf8mb4");
    let replies = client.query("SELECT HEX(b), HEX(l), l FROM bytes");
    let rows: Vec<_> = replies[replies.len() - 3..replies.len() - 1].iter().collect();
    let texts = |row: &[u8]| -> Vec<String> { text_row(row).into_iter().flatten().collect() };
    assert_eq!(texts(rows[0]), ["FC", "FC", "ü"]);
    assert_eq!(texts(rows[1]), ["FD", "FD", "ý"]);
    // So they may be no UTF-8 of a client's that writes it.
    let replies = client.command(3, b"SELECT _latin1'G\xfcn', HEX(_binary'\xff\\'')");
    assert_eq!(texts(&replies[replies.len() - 2]), ["Gün", "FF27"]);
}
