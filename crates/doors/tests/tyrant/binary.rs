//! Every binary command with the bytes that the original takes and gives.

use super::client::{House, counted, done, keyed, record, request, sized};

const PUT: u8 = 0x10;
const PUTKEEP: u8 = 0x11;
const PUTCAT: u8 = 0x12;
const PUTSHL: u8 = 0x13;
const PUTNR: u8 = 0x18;
const OUT: u8 = 0x20;
const GET: u8 = 0x30;
const MGET: u8 = 0x31;
const VSIZ: u8 = 0x38;
const ITERINIT: u8 = 0x50;
const ITERNEXT: u8 = 0x51;
const FWMKEYS: u8 = 0x58;
const ADDINT: u8 = 0x60;
const ADDDOUBLE: u8 = 0x61;

const DONE: &[u8] = &[0];
const FAILED: &[u8] = &[1];

#[test]
fn records_are_put_kept_joined_shortened_and_removed() {
    let house = House::new();
    house.client().expect(&[
        (b"\xc8\x10\0\0\0\x01\0\0\0\x02kvv".to_vec(), vec![0]),
        (b"\xc8\x30\0\0\0\x01k".to_vec(), b"\0\0\0\0\x02vv".to_vec()),
        (record(PUTKEEP, "k", "other"), FAILED.into()),
        (record(PUTKEEP, "new", "1"), DONE.into()),
        (record(PUTCAT, "k", "ww"), DONE.into()),
        (record(PUTCAT, "cat", "c"), DONE.into()),
        (keyed(GET, "k"), done(&["vvww"])),
        (request(PUTSHL, &[1, 2, 3], &["k", "xy"]), DONE.into()),
        (keyed(GET, "k"), done(&["wxy"])),
        (request(PUTSHL, &[3, 4, 2], &["shl", "abcd"]), DONE.into()),
        (keyed(GET, "shl"), done(&["cd"])),
        (request(PUTSHL, &[3, 1, 0], &["shl", "e"]), DONE.into()),
        (keyed(GET, "shl"), done(&[""])),
        (keyed(VSIZ, "k"), vec![0, 0, 0, 0, 3]),
        (keyed(VSIZ, "nothing"), FAILED.into()),
        (keyed(OUT, "k"), DONE.into()),
        (keyed(OUT, "k"), FAILED.into()),
        (keyed(GET, "k"), FAILED.into()),
    ]);
}

#[test]
fn any_bytes_are_a_key_and_the_empty_one_is_too() {
    let house = House::new();
    let mut client = house.client();
    let odd = "\0\u{1}\n|";
    client.expect(&[
        (record(PUT, "", "empty"), DONE.into()),
        (record(PUT, odd, ""), DONE.into()),
        (keyed(GET, ""), done(&["empty"])),
        (keyed(GET, odd), done(&[""])),
    ]);
    let (longest, too_long) = ("k".repeat(1024), "k".repeat(1025));
    client.expect(&[
        (record(PUT, &longest, "x"), DONE.into()),
        (keyed(GET, &longest), done(&["x"])),
        (record(PUT, &too_long, "x"), FAILED.into()),
        (keyed(GET, &too_long), FAILED.into()),
        (keyed(OUT, &too_long), FAILED.into()),
    ]);
}

#[test]
fn a_put_without_an_answer_has_none_also_when_it_fails() {
    let house = House::new();
    house.client().expect(&[
        (record(PUTNR, "k", "v"), vec![]),
        (record(PUTNR, &"k".repeat(2000), "v"), vec![]),
        ([record(PUTNR, "k", "w"), keyed(GET, "k")].concat(), done(&["w"])),
    ]);
}

#[test]
fn many_records_are_got_at_once_and_the_missing_are_left_out() {
    let house = House::new();
    let mut client = house.client();
    for number in 0..700 {
        client.expect(&[(record(PUT, &format!("k{number}"), &format!("v{number}")), DONE.into())]);
    }
    let mget = |keys: &[&str]| [request(MGET, &[keys.len() as i32], &[]), sized(keys)].concat();
    let records = |records: &[(&str, &str)]| {
        let mut answer = request(0, &[records.len() as i32], &[])[1..].to_vec();
        for (key, value) in records {
            answer.extend(&record(0, key, value)[2..]);
        }
        answer
    };
    client.expect(&[
        (mget(&["k1", "no", "k699"]), records(&[("k1", "v1"), ("k699", "v699")])),
        (mget(&["no"]), records(&[])),
        (mget(&[]), records(&[])),
        (mget(&["k1", "k1"]), records(&[("k1", "v1"), ("k1", "v1")])),
    ]);
    let keys: Vec<String> = (0..700).map(|number| format!("k{number}")).collect();
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    let values: Vec<String> = (0..700).map(|number| format!("v{number}")).collect();
    let all: Vec<(&str, &str)> =
        keys.iter().copied().zip(values.iter().map(String::as_str)).collect();
    client.expect(&[(mget(&keys), records(&all))]);
}

#[test]
fn numbers_are_four_or_eight_bytes_least_first() {
    let house = House::new();
    let mut client = house.client();
    let addint = |key: &str, by: i32| request(ADDINT, &[key.len() as i32, by], &[key]);
    let adddouble = |key: &str, whole: i64, fraction: i64| {
        let mut bytes = request(ADDDOUBLE, &[key.len() as i32], &[]);
        bytes.extend_from_slice(&whole.to_be_bytes());
        bytes.extend_from_slice(&fraction.to_be_bytes());
        bytes.extend_from_slice(key.as_bytes());
        bytes
    };
    let double = |whole: i64, fraction: i64| {
        [&[0][..], &whole.to_be_bytes(), &fraction.to_be_bytes()].concat()
    };
    client.expect(&[
        (addint("n", 41), vec![0, 0, 0, 0, 41]),
        (addint("n", 1), vec![0, 0, 0, 0, 42]),
        (keyed(GET, "n"), b"\0\0\0\0\x04\x2a\0\0\0".to_vec()),
        (addint("n", -43), b"\0\xff\xff\xff\xff".to_vec()),
        (addint("max", i32::MAX), b"\0\x7f\xff\xff\xff".to_vec()),
        (addint("max", 1), b"\0\x80\0\0\0".to_vec()),
        // Four characters are a number, three are none.
        (record(PUT, "text", "\x01\0\0\0"), DONE.into()),
        (addint("text", 1), vec![0, 0, 0, 0, 2]),
        (record(PUT, "text", "abc"), DONE.into()),
        (addint("text", 1), FAILED.into()),
        (adddouble("text", 1, 0), FAILED.into()),
        (keyed(GET, "text"), done(&["abc"])),
        (adddouble("d", 1, 500_000_000_000), double(1, 500_000_000_000)),
        (adddouble("d", -3, -250_000_000_000), double(-1, -750_000_000_000)),
        (adddouble("inf", i64::MAX, 0), double(i64::MAX, 0)),
        (adddouble("inf", i64::MIN, 0), double(i64::MIN, i64::MIN)),
    ]);
    let stored = client.send(&keyed(GET, "d"));
    assert_eq!(stored[5..], (-1.75f64).to_le_bytes());
}

#[test]
fn each_connection_iterates_by_itself_in_the_order_of_keys() {
    let house = House::new();
    let (mut one, mut other) = (house.client(), house.client());
    let (start, next) = (request(ITERINIT, &[], &[]), request(ITERNEXT, &[], &[]));
    one.expect(&[(next.clone(), FAILED.into())]);
    for key in ["b", "a", "c"] {
        one.expect(&[(record(PUT, key, "x"), DONE.into())]);
    }
    one.expect(&[(start.clone(), DONE.into()), (next.clone(), done(&["a"]))]);
    other.expect(&[(start, DONE.into()), (next.clone(), done(&["a"]))]);
    one.expect(&[
        (next.clone(), done(&["b"])),
        (keyed(OUT, "b"), DONE.into()),
        (record(PUT, "bb", "new"), DONE.into()),
        ([next.clone(), next.clone()].concat(), [done(&["bb"]), done(&["c"])].concat()),
        (next.clone(), FAILED.into()),
        (next.clone(), FAILED.into()),
    ]);
    other.expect(&[(next, done(&["bb"]))]);
}

#[test]
fn keys_that_begin_alike_come_in_order_up_to_a_limit() {
    let house = House::new();
    let mut client = house.client();
    for key in ["user:2", "user:1", "user", "uses", "\u{1}"] {
        client.expect(&[(record(PUT, key, "x"), DONE.into())]);
    }
    let matching =
        |prefix: &str, max: i32| request(FWMKEYS, &[prefix.len() as i32, max], &[prefix]);
    client.expect(&[
        (matching("user", -1), counted(&["user", "user:1", "user:2"])),
        (matching("user:", 10), counted(&["user:1", "user:2"])),
        (matching("user", 2), counted(&["user", "user:1"])),
        (matching("user", 0), counted(&[])),
        (matching("", -1), counted(&["\u{1}", "user", "user:1", "user:2", "uses"])),
        (matching("v", -1), counted(&[])),
    ]);
}

#[test]
fn the_whole_is_counted_synced_and_described() {
    let house = House::new();
    let mut client = house.client();
    client.expect(&[
        (record(PUT, "a", "1"), DONE.into()),
        (request(0x80, &[], &[]), b"\0\0\0\0\0\0\0\0\x01".to_vec()),
        ([record(PUT, "b", "1"), request(0x70, &[], &[])].concat(), vec![0, 0]),
        (keyed(0x71, "bnum=1000000"), DONE.into()),
        (request(0x80, &[], &[]), b"\0\0\0\0\0\0\0\0\x02".to_vec()),
    ]);
    assert_eq!(client.send(&request(0x81, &[], &[])).len(), 9);
    let stat = client.send(&request(0x88, &[], &[]));
    let text = String::from_utf8_lossy(&stat[5..]).into_owned();
    assert_eq!(stat[..5], [&[0][..], &(text.len() as u32).to_be_bytes()].concat());
    for line in ["protver\t0.91", "rnum\t2", "cnt_put\t2", "cnt_rnum\t2", "cnt_get_miss\t0"] {
        assert!(text.lines().any(|found| found == line), "{line} in {text}");
    }
}

#[test]
fn what_is_not_done_here_fails_or_ends_the_connection() {
    let house = House::new();
    let mut client = house.client();
    let extension = request(0x68, &[4, 0, 1, 1], &["echo", "k", "v"]);
    let restore = [request(0x74, &[4], &[]), vec![0; 12], b"/log".to_vec()].concat();
    let master = [request(0x78, &[4, 1978], &[]), vec![0; 12], b"host".to_vec()].concat();
    client.expect(&[
        (record(PUT, "a", "1"), DONE.into()),
        (extension, FAILED.into()),
        (keyed(0x73, "/tmp/copy"), FAILED.into()),
        (keyed(0x73, "@rm -rf /"), FAILED.into()),
        (restore, FAILED.into()),
        (master, FAILED.into()),
        (keyed(GET, "a"), done(&["1"])),
    ]);
    let replica = [request(0xa0, &[], &[]), vec![0; 12]].concat();
    client.expect(&[(replica, vec![])]);
    assert!(client.closed);
}

#[test]
fn the_copy_of_an_old_client_wiped_the_original_and_leaves_the_rows_alone() {
    let old_copy = keyed(0x72, "/backup/casket.tch");
    for vanish in [false, true] {
        let house = House::with("tyrant.records(k, v)", vanish);
        let mut client = house.client();
        client.expect(&[(record(PUT, "a", "1"), DONE.into()), (old_copy.clone(), vec![])]);
        assert!(client.closed, "nobody can know where the next request begins");
        house.client().expect(&[(keyed(GET, "a"), done(&["1"]))]);
    }
    // The same in two pieces, where it is not allowed.
    let house = House::new();
    let mut client = house.client();
    client.expect(&[
        (record(PUT, "a", "1"), DONE.into()),
        (old_copy[..2].into(), FAILED.into()),
        (old_copy[2..].into(), vec![]),
    ]);
    assert!(client.closed);
    house.client().expect(&[(keyed(GET, "a"), done(&["1"]))]);
}

#[test]
fn vanish_removes_all_records_where_it_is_allowed() {
    let vanish = request(0x72, &[], &[]);
    House::new().client().expect(&[
        (record(PUT, "a", "1"), DONE.into()),
        (vanish.clone(), FAILED.into()),
        (keyed(GET, "a"), done(&["1"])),
    ]);
    House::with("tyrant.records(k, v)", true).client().expect(&[
        (record(PUT, "a", "1"), DONE.into()),
        ([record(PUT, "b", "1"), vanish, keyed(GET, "a")].concat(), vec![0, 0, 1]),
        (request(0x80, &[], &[]), b"\0\0\0\0\0\0\0\0\0".to_vec()),
    ]);
}

#[test]
fn what_makes_no_sense_ends_the_connection_behind_the_answers_before_it() {
    for senseless in [
        b"\xc8\x99".to_vec(),
        b"\xc8\x30\xff\xff\xff\xff".to_vec(),
        b"\xc8\x10\0\0\0\x01\x40\0\0\0".to_vec(),
        b"\xc8\x31\x7f\xff\xff\xff".to_vec(),
        // `vanish` of an old client, which has no parameters, and the request behind it.
        b"\xc8\x71\xc8\x30\0\0\0\x01a".to_vec(),
        b"\0".to_vec(),
    ] {
        let house = House::new();
        let mut client = house.client();
        client.expect(&[
            (keyed(GET, "a"), FAILED.into()),
            ([record(PUT, "a", "1"), senseless].concat(), DONE.into()),
        ]);
        assert!(client.closed);
        house.client().expect(&[(keyed(GET, "a"), done(&["1"]))]);
    }
}
