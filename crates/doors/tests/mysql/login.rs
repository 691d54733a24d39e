//! The connection phase: greeting, proofs, switches, refusals, changing the user.

use doors::Next;
use passwords::{
    CACHING_SHA2 as SHA2, NATIVE, Scramble, caching_sha2_proof as sha2_proof, native_proof,
};

use super::House;
use super::client::{Client, EOF, OK, error_number, login};

/// The 20 bytes of a greeting that a proof depends on.
fn scramble(greeting: &[u8]) -> Scramble {
    let version_end = greeting.iter().position(|&byte| byte == 0).expect("a version");
    let first = version_end + 5;
    let second = first + 8 + 19;
    let bytes = [&greeting[first..first + 8], &greeting[second..second + 12]].concat();
    bytes.try_into().expect("20 bytes")
}

fn message(payload: &[u8]) -> String {
    String::from_utf8_lossy(&payload[9..]).into_owned()
}

#[test]
fn the_greeting_names_version_10_and_the_default_method() {
    let client = House::open().connect();
    assert_eq!(client.greeting[0], 10);
    assert!(client.greeting[1..].starts_with(b"8.0."));
    assert!(client.greeting.ends_with(b"caching_sha2_password\0"));
}

#[test]
fn a_password_is_proved_by_either_method_in_one_round_trip() {
    let house = House::of_bob("secret");
    let mut client = house.connect();
    let proof = sha2_proof(b"secret", &scramble(&client.greeting));
    let replies = client.send(1, &login("bob", &proof, "", SHA2, 0));
    assert_eq!(replies[0], [1, 3], "the fast way");
    assert_eq!(replies[1][0], OK);
    let mut client = house.connect();
    let proof = native_proof(b"secret", &scramble(&client.greeting));
    assert_eq!(client.send(1, &login("bob", &proof, "", NATIVE, 0))[0][0], OK);
}

#[test]
fn a_wrong_password_is_refused_in_mysqls_words_and_the_connection_closes() {
    let mut client = House::of_bob("secret").connect();
    let proof = sha2_proof(b"guess", &scramble(&client.greeting));
    let replies = client.send(1, &login("bob", &proof, "", SHA2, 0));
    assert_eq!(error_number(&replies[0]), 1045);
    let expected = "Access denied for user 'bob'@'localhost' (using password: YES)";
    assert_eq!(message(&replies[0]), expected);
    assert_eq!(client.next, Next::Close);
    assert!(client.send(0, b"\x0e").is_empty(), "nothing is answered any more");
}

#[test]
fn a_client_with_a_method_of_its_own_switches_on_the_same_scramble() {
    let mut client = House::of_bob("secret").connect();
    let scramble = scramble(&client.greeting);
    let replies = client.send(1, &login("bob", b"", "", "dialog", 0));
    let expected = [b"\xfecaching_sha2_password\0", &scramble[..], b"\0"].concat();
    assert_eq!(replies, [expected]);
    let replies = client.send(3, &sha2_proof(b"secret", &scramble));
    assert_eq!(replies[1][0], OK);
}

#[test]
fn an_unknown_database_is_refused_at_login() {
    let mut client = House::open().connect();
    let replies = client.send(1, &login("root", b"", "nowhere", SHA2, 0));
    assert_eq!(error_number(&replies[0]), 1049);
    assert_eq!(client.next, Next::Close);
}

#[test]
fn a_request_for_tls_gets_a_clear_error() {
    let mut client = House::open().connect();
    let mut payload = login("root", b"", "", SHA2, 1 << 11);
    payload.truncate(32);
    let replies = client.send(1, &payload);
    assert_eq!(error_number(&replies[0]), 1043);
    assert!(message(&replies[0]).contains("TLS"));
    assert_eq!(client.next, Next::Close);
}

/// COM_CHANGE_USER's payload.
fn change_user(user: &str, proof: &[u8], database: &str) -> Vec<u8> {
    let mut payload = [user.as_bytes(), &[0, proof.len() as u8], proof].concat();
    payload.extend_from_slice(database.as_bytes());
    payload.extend_from_slice(&[0, 45, 0]);
    payload.extend_from_slice(SHA2.as_bytes());
    payload.push(0);
    payload
}

#[test]
fn changing_the_user_ends_the_transaction_and_begins_a_fresh_session() {
    let house = House::open();
    let mut client = house.client(0);
    client.query("BEGIN");
    client.query("DELETE FROM item");
    assert_eq!(client.command(0x11, &change_user("root", b"", "shop"))[0][0], OK);
    let rows = client.query("SELECT id FROM item");
    assert_eq!(rows[3..].len(), 3, "the two rows are back, then EOF");
    let refused = client.command(0x11, &change_user("eve", b"x", ""));
    assert_eq!(error_number(&refused[0]), 1045);
    assert_eq!(client.next, Next::Close);
}

#[test]
fn a_user_changed_without_a_proof_is_given_the_scramble_again() {
    let house = House::of_bob("secret");
    let mut client = Client::connect(&house.engine, &house.door);
    let scramble = scramble(&client.greeting);
    let proof = sha2_proof(b"secret", &scramble);
    client.send(1, &login("bob", &proof, "", SHA2, 0));
    let replies = client.command(0x11, &change_user("bob", b"", ""));
    assert_eq!(replies[0][0], EOF);
    assert_eq!(client.send(2, &proof)[1][0], OK);
}

#[test]
fn an_account_of_sql_logs_in_and_has_its_rights_and_nobody_elses_name_is_told() {
    let house = House::open();
    let mut root = house.client(0);
    for text in [
        "CREATE USER app IDENTIFIED BY 'secret'",
        "CREATE USER old IDENTIFIED WITH mysql_native_password BY 'secret'",
        "GRANT SELECT ON shop.* TO app, old",
    ] {
        assert_eq!(root.query(text)[0][0], OK, "{text}");
    }
    let begin = |user: &str, password: &[u8], database: &str| {
        let mut client = house.connect();
        let proof = sha2_proof(password, &scramble(&client.greeting));
        let replies = client.send(1, &login(user, &proof, database, SHA2, 0));
        (client, replies)
    };
    let (mut client, asked) = begin("app", b"guess", "");
    assert_eq!(asked, [[1, 4]], "asked for the password itself");
    assert_eq!(error_number(&client.send(3, b"guess\0")[0]), 1045);
    for user in ["nobody", "noone", "x", "ap"] {
        let (mut client, asked) = begin(user, b"secret", "");
        // As one of the accounts would be: its name decides which one.
        let answer = match asked[0][0] {
            EOF => {
                assert!(asked[0][1..].starts_with(NATIVE.as_bytes()), "{user}: {asked:?}");
                vec![7; 20]
            }
            _ => {
                assert_eq!(asked, [[1, 4]], "{user}");
                b"secret\0".to_vec()
            }
        };
        assert_eq!(error_number(&client.send(3, &answer)[0]), 1045, "{user}");
    }
    let (mut client, asked) = begin("app", b"secret", "shop");
    assert_eq!(asked, [[1, 4]]);
    assert_eq!(client.send(3, b"secret\0")[0][0], OK);
    assert_eq!(error_number(&client.query("DELETE FROM item")[0]), 1142);
    assert_ne!(client.query("SELECT name FROM item")[0][0], 0xFF);
    assert_eq!(error_number(&client.query("USE kv")[0]), 1044);
    let (_, known) = begin("app", b"secret", "shop");
    assert_eq!(known[0], [1, 3], "the fast way");
    let (_, refused) = begin("app", b"secret", "kv");
    assert_eq!(error_number(&refused[1]), 1044);

    assert_eq!(root.query("ALTER USER app ACCOUNT LOCK")[0][0], OK);
    assert_eq!(error_number(&begin("app", b"secret", "").1[0]), 3118);
    let change = "ALTER USER app IDENTIFIED BY 'other' RETAIN CURRENT PASSWORD ACCOUNT UNLOCK";
    assert_eq!(root.query(change)[0][0], OK);
    assert_eq!(begin("app", b"secret", "").1[0], [1, 3], "the one before holds too");
    assert_eq!(root.query("ALTER USER app DISCARD OLD PASSWORD")[0][0], OK);
    assert_eq!(begin("app", b"secret", "").1, [[1, 4]], "what was proved once is nothing now");

    let mut client = house.connect();
    let proof = native_proof(b"secret", &scramble(&client.greeting));
    assert_eq!(client.send(1, &login("old", &proof, "", NATIVE, 0))[0][0], OK);
}

#[test]
fn temporary_tables_go_with_the_session_that_a_connection_begins_again() {
    let house = House::open();
    let mut client = house.client(0);
    let again: [(u8, Vec<u8>); 2] = [(0x1f, Vec::new()), (0x11, change_user("root", b"", "shop"))];
    for (command, payload) in again {
        let made = client.query("CREATE TEMPORARY TABLE item (id INT)");
        assert_eq!(made[0][0], OK, "{}", message(&made[0]));
        assert_eq!(client.query("SELECT id FROM item")[3..].len(), 1, "no row, then EOF");
        assert_eq!(client.command(command, &payload)[0][0], OK);
        assert_eq!(client.query("SELECT id FROM shop.item")[3..].len(), 3, "the table's own");
    }
}
