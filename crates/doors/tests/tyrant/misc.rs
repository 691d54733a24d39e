//! The functions of `misc`.

use super::client::{House, misc, record};

fn texts(texts: &[&str]) -> Option<Vec<String>> {
    Some(texts.iter().map(|text| (*text).to_owned()).collect())
}

/// A pattern longer than any may be.
const LONG: &str = match std::str::from_utf8(&[b'a'; 20_000]) {
    Ok(text) => text,
    Err(_) => unreachable!(),
};

#[test]
fn records_are_put_got_and_removed_by_name() {
    let house = House::new();
    let mut client = house.client();
    for (name, arguments, answer) in [
        ("put", &["a", "1"][..], texts(&[])),
        ("putkeep", &["a", "2"], None),
        ("error", &[], texts(&["21: existing record"])),
        ("putcat", &["a", "2"], texts(&[])),
        ("get", &["a"], texts(&["12"])),
        ("get", &["b"], None),
        ("error", &[], texts(&["22: no record found"])),
        ("put", &["a"], None),
        ("error", &[], texts(&["2: an argument is missing"])),
        ("out", &["a"], texts(&[])),
        ("out", &["a"], None),
        ("putdup", &["a", "1"], None),
        ("unheard", &["a"], None),
        ("sync", &[], texts(&[])),
        ("optimize", &[], texts(&[])),
        ("cacheclear", &[], texts(&[])),
        ("defrag", &["5"], texts(&[])),
    ] {
        assert_eq!(client.misc(name, arguments), answer, "{name} {arguments:?}");
    }
}

#[test]
fn a_failure_has_no_elements() {
    let house = House::new();
    assert_eq!(house.client().send(&misc("get", &["a"])), [1, 0, 0, 0, 0]);
    assert_eq!(house.client().send(&misc("error", &[])), b"\0\0\0\0\x01\0\0\0\x0a0: success");
}

#[test]
fn lists_are_put_got_and_removed() {
    let house = House::new();
    let mut client = house.client();
    assert_eq!(client.misc("putlist", &["a", "1", "b", "2", "odd"]), texts(&[]));
    assert_eq!(client.misc("getlist", &["b", "no", "a"]), texts(&["b", "2", "a", "1"]));
    assert_eq!(client.misc("outlist", &["b", "no"]), texts(&[]));
    assert_eq!(client.misc("getlist", &["b", "a", "odd"]), texts(&["a", "1"]));
    let many: Vec<String> = (0..2000).map(|number| format!("m{number:04}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    assert_eq!(client.misc("putlist", &many), texts(&[]));
    assert_eq!(
        client.misc("getlist", &["m0000", "m1998"]),
        texts(&["m0000", "m0001", "m1998", "m1999"])
    );
    assert_eq!(client.misc("outlist", &many), texts(&[]));
    assert_eq!(client.misc("iterinit", &[]), texts(&[]));
    assert_eq!(client.misc("iternext", &[]), texts(&["a", "1"]));
    assert_eq!(client.misc("iternext", &[]), None);
}

#[test]
fn a_list_of_which_one_record_cannot_be_put_changes_nothing() {
    let house = House::new();
    let mut client = house.client();
    let long = "k".repeat(1025);
    assert_eq!(client.misc("putlist", &["a", "1", &long, "2"]), None);
    assert_eq!(client.misc("get", &["a"]), None);
}

#[test]
fn a_part_of_a_value_is_got() {
    let house = House::new();
    let mut client = house.client();
    client.send(&record(0x10, "a", "0123456789"));
    for (arguments, part) in [
        (&["a"][..], Some("0123456789")),
        (&["a", "3"], Some("3456789")),
        (&["a", "3", "2"], Some("34")),
        (&["a", "-3", "2"], Some("01")),
        (&["a", "8", "100"], Some("89")),
        (&["a", "8", "-1"], Some("89")),
        (&["a", "8", "0"], Some("")),
        (&["a", "10"], None),
        (&["b"], None),
        (&[], None),
    ] {
        assert_eq!(client.misc("getpart", arguments), part.and_then(|part| texts(&[part])));
    }
}

#[test]
fn records_are_listed_from_a_key_on_and_by_their_names() {
    let house = House::new();
    let mut client = house.client();
    client.misc("putlist", &["a1", "1", "a2", "2", "B1", "3", "b2", "4"]);
    for (name, arguments, answer) in [
        ("range", &["a2"][..], texts(&["a2", "2", "b2", "4"])),
        ("range", &["a", "1"], texts(&["a1", "1"])),
        ("range", &["", "0", "a2"], texts(&["B1", "3", "a1", "1"])),
        ("range", &["b", "-1", "a"], texts(&[])),
        ("range", &[], None),
        ("regex", &["^a"], texts(&["a1", "1", "a2", "2"])),
        ("regex", &["*^b", "1"], texts(&["B1", "3"])),
        ("regex", &["*2$"], texts(&["a2", "2", "b2", "4"])),
        ("regex", &["("], None),
        ("regex", &[LONG], None),
        ("regex", &["((a{1,99}){1,99}){1,99}"], None),
        ("iterinit", &["a2"], texts(&[])),
        ("iternext", &[], texts(&["a2", "2"])),
        ("iternext", &[], texts(&["b2", "4"])),
        ("iternext", &[], None),
        ("iterinit", &["a3"], texts(&[])),
        ("iternext", &[], texts(&["b2", "4"])),
    ] {
        assert_eq!(client.misc(name, arguments), answer, "{name} {arguments:?}");
    }
}

#[test]
fn vanish_by_its_name_means_what_it_says() {
    let house = House::new();
    let mut client = house.client();
    client.misc("putlist", &["a", "1", "b", "2"]);
    client.misc("iterinit", &[]);
    client.misc("iternext", &[]);
    assert_eq!(client.misc("vanish", &[]), texts(&[]));
    assert_eq!(client.misc("iternext", &[]), None);
    assert_eq!(client.misc("getlist", &["a", "b"]), texts(&[]));
}
