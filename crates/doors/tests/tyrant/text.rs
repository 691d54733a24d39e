//! memcached's text on the Tyrant port, with the original's answers.

use super::client::{House, done, keyed, record};

fn expect(house: &House, script: &[(&str, &str)]) {
    let mut client = house.client();
    for (request, reply) in script {
        assert_eq!(client.ask(request), *reply, "to {request:?}");
    }
}

#[test]
fn items_are_records_without_flags() {
    let house = House::new();
    expect(
        &house,
        &[
            ("set a 7 100 2\nxy\n", "STORED\n"),
            ("get a b\n", "VALUE a 0 2\nxy\nEND\n"),
            ("gets a\n", "VALUE a 0 2\nxy\nEND\n"),
            ("add a 0 0 1\nz\n", "NOT_STORED\n"),
            ("replace b 0 0 1\nz\n", "NOT_STORED\n"),
            ("append b 0 0 1\nz\n", "NOT_STORED\n"),
            ("prepend b 0 0 1\nz\n", "NOT_STORED\n"),
            ("add b 0 0 1\nm\n", "STORED\n"),
            ("append b 0 0 1\nr\nprepend b 0 0 1\nl\n", "STORED\nSTORED\n"),
            ("get b\n", "VALUE b 0 3\nlmr\nEND\n"),
            ("replace b 0 0 0\n\n", "STORED\n"),
            ("get b a\n", "VALUE b 0 0\n\nVALUE a 0 2\nxy\nEND\n"),
            ("delete b\ndelete b\n", "DELETED\nNOT_FOUND\n"),
            ("set q 0 0 1 noreply\nx\ndelete q 0 noreply\nget q\n", "END\n"),
        ],
    );
    house.client().expect(&[(keyed(0x30, "a"), done(&["xy"]))]);
}

#[test]
fn counting_begins_at_0_for_what_is_no_number_and_stays_above_it() {
    expect(
        &House::new(),
        &[
            ("incr n 1\n", "NOT_FOUND\n"),
            ("set n 0 0 2\n10\nincr n 5\n", "STORED\n15\n"),
            ("decr n 20\n", "0\n"),
            ("get n\n", "VALUE n 0 1\n0\nEND\n"),
            ("set n 0 0 3\nabc\nincr n 7\n", "STORED\n7\n"),
            ("set n 0 0 5\n12abc\nincr n 1 noreply\nget n\n", "STORED\nVALUE n 0 2\n13\nEND\n"),
            ("set n 0 0 19\n9223372036854775807\nincr n 1\n", "STORED\n9223372036854775807\n"),
        ],
    );
}

#[test]
fn the_whole_is_emptied_and_described() {
    let house = House::new();
    let mut client = house.client();
    assert_eq!(client.ask("set a 0 0 1\nx\nset b 0 0 1\nx\n"), "STORED\nSTORED\n");
    let stats = client.ask("stats\n");
    for line in ["STAT curr_items 2", "STAT cmd_set 2", "STAT cmd_get_misses 0", "END"] {
        assert!(stats.lines().any(|found| found == line), "{line} in {stats}");
    }
    assert_eq!(client.ask("flush_all\nget a\n"), "OK\nEND\n");
    assert_eq!(client.ask("flush_all noreply\nget a\n"), "END\n");
    assert!(client.ask("version\n").starts_with("VERSION 1.1.41"));
}

#[test]
fn what_is_not_understood_ends_the_connection() {
    for (request, reply) in [
        ("set a 0 0 1\nx\nquit\nget a\n", "STORED\n"),
        ("set a 0 0 1\nx\nget\nget a\n", "STORED\nCLIENT_ERROR error\n"),
        ("set a 0\n", "CLIENT_ERROR error\n"),
        ("incr a\n", "CLIENT_ERROR error\n"),
        ("touch a 5\nget a\n", ""),
        ("cas a 0 0 1 5\nx\n", ""),
        ("set a 0 0 1\nxyz\n", ""),
        ("set a 0 0 99999999\n", ""),
        ("set a 0 0 x\n\nget a\n", "CLIENT_ERROR error\n"),
        ("set a 0 0 -1\nget a\n", "CLIENT_ERROR error\n"),
        ("append a b 0 0 7\nget a\n\n", ""),
        ("\n", ""),
    ] {
        let mut client = House::new().client();
        assert_eq!(client.ask(request), reply, "to {request:?}");
        assert!(client.closed, "after {request:?}");
    }
    let mut client = House::new().client();
    client.send(&b"get ".repeat(20_000));
    assert!(client.closed, "a line without an end");
}

#[test]
fn the_protocols_take_turns_on_one_connection() {
    let house = House::new();
    let mut client = house.client();
    let mut requests = record(0x10, "a", "1");
    requests.extend_from_slice(b"get a\r\nGET /a HTTP/1.1\r\nHost: localhost\r\n\r\n");
    requests.extend(keyed(0x30, "a"));
    let mut replies = b"\0VALUE a 0 1\r\n1\r\nEND\r\n".to_vec();
    replies.extend_from_slice(
        b"HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nContent-Length: 1\r\n\
          X-Content-Type-Options: nosniff\r\n\r\n1",
    );
    replies.extend(done(&["1"]));
    client.expect(&[(requests, replies)]);
}
