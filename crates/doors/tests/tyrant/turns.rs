//! Turns that share a group: what waits for the commit, what goes where it may wait, and what is
//! told when the commit fails.

use doors::Next;
use rows::Group;

use super::client::{House, done, keyed, misc, record, request};

#[test]
fn writes_share_a_commit_and_a_read_behind_them_waits_for_it() {
    if crate::COLD {
        // There the writes themselves go where they may wait.
        return;
    }
    let house = House::new();
    let mut client = house.client();
    let mut group = Group::new();
    let requests = [record(0x10, "a", "1"), record(0x10, "b", "2"), keyed(0x30, "a")].concat();
    assert_eq!(client.turn(&requests, &mut group), (Next::Commit, vec![0, 0]));
    assert!(!group.is_empty());
    let (transaction, durability) = group.take().expect("two writes");
    transaction.commit(durability).expect("memory");
    assert_eq!(client.turn(b"", &mut group), (Next::Input, done(&["1"])));
}

#[test]
fn one_that_met_what_another_wrote_is_told_after_its_commit() {
    if crate::COLD {
        return;
    }
    let house = House::new();
    let (mut one, mut other) = (house.client(), house.client());
    let mut group = Group::new();
    assert_eq!(one.turn(&record(0x10, "a", "1"), &mut group), (Next::Commit, vec![0]));
    assert_eq!(other.turn(&record(0x11, "a", "2"), &mut group), (Next::Commit, vec![1]));
}

#[test]
fn a_commit_that_failed_is_told_to_each_request_in_its_own_form() {
    if crate::COLD {
        return;
    }
    let house = House::new();
    let mut client = house.client();
    let mut group = Group::new();
    let requests = [
        record(0x10, "a", "1"),
        record(0x18, "b", "2"),
        misc("put", &["c", "3"]),
        request(0x60, &[1, 7], &["n"]),
    ]
    .concat();
    let (next, _) = client.turn(&requests, &mut group);
    assert_eq!(next, Next::Commit);
    drop(group);
    let error = rows::Error::Refused { why: "stopping" };
    assert_eq!(client.commit_fails(&error), [1, 1, 0, 0, 0, 0, 1]);
    assert_eq!(client.send(&keyed(0x30, "a")), [1]);
    assert_eq!(
        client.misc("error", &[]),
        Some(vec!["22: no record found".to_owned()]),
        "the latest failure"
    );
}

#[test]
fn what_takes_long_leaves_the_loop_without_a_trace() {
    let house = House::new();
    let mut client = house.client();
    let keys: Vec<String> = (0..1000).map(|number| number.to_string()).collect();
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    for long in [
        misc("putlist", &keys),
        misc("regex", &["a"]),
        misc("vanish", &[]),
        request(0x70, &[], &[]),
        request(0x80, &[], &[]),
        request(0x88, &[], &[]),
        request(0x58, &[0, -1], &[]),
    ] {
        let mut group = Group::new();
        assert_eq!(client.turn(&long, &mut group), (Next::Offload, vec![]));
        assert!(group.is_empty());
        assert!(!client.send(b"").is_empty(), "{}", long.escape_ascii());
    }
}

#[test]
fn a_row_that_somebody_else_has_locked_is_waited_for_elsewhere() {
    let house = House::new();
    let (mut one, mut other) = (house.client(), house.client());
    let (mut group, mut another) = (Group::new(), Group::new());
    if crate::COLD {
        return;
    }
    assert_eq!(one.turn(&record(0x10, "a", "1"), &mut group), (Next::Commit, vec![0]));
    let second = [record(0x10, "b", "2"), misc("putlist", &["c", "3", "a", "2"])].concat();
    assert_eq!(other.turn(&second, &mut another), (Next::Commit, vec![0]));
    let (transaction, durability) = another.take().expect("a write of b alone");
    transaction.commit(durability).expect("memory");
    assert_eq!(other.turn(b"", &mut another), (Next::Offload, vec![]));
    assert!(another.is_empty(), "nothing of c");
    drop(another);
    let (transaction, durability) = group.take().expect("a write");
    transaction.commit(durability).expect("memory");
    assert_eq!(other.send(b""), [0, 0, 0, 0, 0]);
    assert_eq!(other.send(&keyed(0x30, "a")), done(&["2"]));
}

#[test]
fn a_look_at_all_records_ends_when_its_client_has_left() {
    let house = House::new();
    let mut client = house.client();
    for number in 0..1000 {
        client.send(&record(0x10, &format!("k{number}"), "v"));
    }
    for (leaves, bytes) in [(false, b"\0\0\0\0\0"), (true, b"\x01\0\0\0\0")] {
        let mut client = house.client();
        let (next, _) = client.turn(&misc("regex", &["no such key"]), &mut Group::new());
        assert_eq!(next, Next::Offload);
        assert_eq!(client.turn_in_pool(leaves), bytes, "{leaves}");
    }
}
