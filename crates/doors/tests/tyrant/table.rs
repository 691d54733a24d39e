//! Table databases: columns, and queries by the names and numbers of the original.

use std::time::Duration;

use rows::NewTable;
use rows::ddl::NewIndex;
use rows::schema::Column;
use rows::store::{Durability, LockWait};
use values::types::{IntWidth, LobSize};
use values::{Collation, ColumnType, Datum};

use super::client::{Client, House, done, keyed, record, request};

/// Calls a function; `~` stands for NUL in what it is given and gives.
fn misc(client: &mut Client, name: &str, arguments: &[&str]) -> Option<Vec<String>> {
    let arguments: Vec<String> = arguments.iter().map(|text| text.replace('~', "\0")).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let elements = client.misc(name, &arguments)?;
    Some(elements.into_iter().map(|element| element.replace('\0', "~")).collect())
}

fn texts(texts: &[&str]) -> Option<Vec<String>> {
    Some(texts.iter().map(|text| (*text).to_owned()).collect())
}

/// Five people in a new table of documents.
fn people() -> (House, Client) {
    let house = House::with("tyrant.documents", false);
    let mut client = house.client();
    for (key, columns) in [
        ("1", &["name", "Ann Lee", "age", "31", "city", "Rome"][..]),
        ("2", &["name", "bob", "age", "9", "city", "Oslo,North"]),
        ("3", &["name", "Cleo", "age", "100"]),
        ("4", &["name", "Dan Ann", "age", "31.5", "city", "Rome"]),
        ("50", &[]),
    ] {
        assert_eq!(misc(&mut client, "put", &[&[key][..], columns].concat()), texts(&[]), "{key}");
    }
    (house, client)
}

#[test]
fn records_have_columns() {
    let (_house, mut client) = people();
    for (name, arguments, answer) in [
        ("get", &["1"][..], texts(&["age", "31", "city", "Rome", "name", "Ann Lee"])),
        ("get", &["50"], texts(&[])),
        ("get", &["7"], None),
        ("putkeep", &["1", "age", "32"], None),
        ("putcat", &["1", "age", "32", "job", "cook"], texts(&[])),
        ("get", &["1"], texts(&["age", "31", "city", "Rome", "job", "cook", "name", "Ann Lee"])),
        ("put", &["1", "age", "32"], texts(&[])),
        ("get", &["1"], texts(&["age", "32"])),
        ("put", &["1", "age"], None),
        ("put", &["1", "", "x"], None),
        ("put", &[], None),
        ("putkeep", &["6", "a", "\""], texts(&[])),
        ("get", &["6"], texts(&["a", "\""])),
        ("out", &["6"], texts(&[])),
        ("out", &["6"], None),
        ("iterinit", &[], texts(&[])),
        ("iternext", &[], texts(&["1", "age~32"])),
    ] {
        assert_eq!(misc(&mut client, name, arguments), answer, "{name} {arguments:?}");
    }
}

#[test]
fn the_key_value_commands_see_columns_joined() {
    let (_house, mut client) = people();
    client.expect(&[
        (keyed(0x30, "2"), done(&["age\x009\x00city\x00Oslo,North\x00name\x00bob"])),
        (record(0x10, "7", "b\x002\x00a\x001"), vec![0]),
        (keyed(0x30, "7"), done(&["a\x001\x00b\x002"])),
        (record(0x12, "7", "a\x009\x00c\x003"), vec![0]),
        (keyed(0x30, "7"), done(&["a\x001\x00b\x002\x00c\x003"])),
        (record(0x10, "7", "odd"), vec![1]),
        (request(0x13, &[1, 1, 1], &["7", "x"]), vec![1]),
        (record(0x10, "8", ""), vec![0]),
        (keyed(0x30, "8"), done(&[""])),
        // Numbers are text in a column of their own.
        (request(0x60, &[1, 5], &["8"]), vec![0, 0, 0, 0, 5]),
        (request(0x60, &[1, -7], &["8"]), vec![0, 0xff, 0xff, 0xff, 0xfe]),
        (keyed(0x30, "8"), done(&["_num\x00-2"])),
        (
            [&request(0x61, &[1], &[])[..], &[0; 8], &500_000_000_000i64.to_be_bytes(), b"9"]
                .concat(),
            [&[0][..], &[0; 8], &500_000_000_000i64.to_be_bytes()].concat(),
        ),
        (keyed(0x30, "9"), done(&["_num\x000.5"])),
    ]);
    assert_eq!(client.send(b"\xc8\x10\0\0\0\x01\0\0\0\x03xa\0\xff"), [1], "no UTF-8");
}

#[test]
fn a_condition_with_a_pattern_of_kilobytes_was_compiled_in_the_event_loop() {
    let (_house, mut client) = people();
    let long = format!("addcond~name~STRRX~{}", "a".repeat(20_000));
    assert_eq!(misc(&mut client, "search", &[&long]), None);
    let heavy = r"addcond~name~STRRX~((\pL{1,99}){1,99}){1,99}";
    assert_eq!(misc(&mut client, "search", &[heavy]), None);
    // One that takes a while goes to where it may.
    let some = r"addcond~name~STRRX~^\w{1,60} Lee$";
    assert_eq!(misc(&mut client, "search", &[some]), texts(&["1"]));
}

#[test]
fn searches_find_what_meets_all_conditions() {
    let (_house, mut client) = people();
    for (elements, answer) in [
        (&[][..], &["1", "2", "3", "4", "50"][..]),
        (&["addcond~city~STREQ~Rome"], &["1", "4"]),
        (&["addcond~city~!STREQ~Rome"], &["2", "3", "50"]),
        (&["addcond~city~0~Rome", "addcond~age~9~31"], &["4"]),
        (&["addcond~city~5~North South"], &["2"]),
        (&["addcond~age~NUMBT~31 100"], &["1", "3", "4"]),
        (&["addcond~name~STRRX~^[A-C]"], &["1", "3"]),
        (&["addcond~name~FTSPH~ANN"], &["1", "4"]),
        (&["addcond~name~FTSEX~ann !!dan"], &["1"]),
        (&["addcond~~STREQ~3"], &["3"]),
        (&["addcond~~STRBW~5"], &["50"]),
        (&["addcond~~STROREQ~4 1 4 9", "addcond~age~NUMGE~31.5"], &["4"]),
        (&["addcond~~!STREQ~3", "setlimit~2"], &["1", "2"]),
        (&["setlimit~2~3"], &["4", "50"]),
        (&["setlimit~-1~-1"], &["1", "2", "3", "4", "50"]),
        (&["setlimit~0"], &[]),
        (&["setorder~age~NUMDESC"], &["3", "4", "1", "2", "50"]),
        (&["setorder~age~NUMASC", "setlimit~2~1"], &["2", "1"]),
        (&["setorder~age~STRASC"], &["50", "3", "1", "4", "2"]),
        (&["setorder~~1", "setlimit~2"], &["50", "4"]),
        (&["addcond~city~STREQ~Rome", "count"], &["2"]),
        (&["count", "setlimit~3"], &["3"]),
        (&["addcond~~0~1", "get~age~no"], &["~1~age~31"]),
        (&["addcond~~0~50", "get"], &["~50"]),
        (
            &["addcond~~0~1", "hint"],
            &["1", "~~[[HINT]]\nusing the primary key\nresult set size: 1\n"],
        ),
    ] {
        assert_eq!(misc(&mut client, "search", elements), texts(answer), "{elements:?}");
    }
}

#[test]
fn what_is_not_understood_finds_and_removes_nothing() {
    let (_house, mut client) = people();
    for elements in [
        &["addcnd~city~STREQ~Rome", "out"][..],
        &["addcond~city~STREK~Rome", "out"],
        &["addcond~city~STRRX~(", "out"],
        &["count", "out"],
    ] {
        assert_eq!(misc(&mut client, "search", elements), None, "{elements:?}");
    }
    assert_eq!(misc(&mut client, "search", &["count"]), texts(&["5"]));
    assert_eq!(House::new().client().misc("search", &["count"]), None, "no table database");
}

#[test]
fn hits_are_removed() {
    let (_house, mut client) = people();
    assert_eq!(misc(&mut client, "search", &["addcond~city~STREQ~Rome", "out"]), texts(&[]));
    assert_eq!(misc(&mut client, "search", &[]), texts(&["2", "3", "50"]));
    assert_eq!(misc(&mut client, "search", &["setlimit~1", "out"]), texts(&[]));
    assert_eq!(misc(&mut client, "search", &[]), texts(&["3", "50"]));
}

#[test]
fn results_of_queries_are_combined() {
    let (_house, mut client) = people();
    let (rome, ann) = ("addcond~city~STREQ~Rome", "addcond~name~STRINC~Ann");
    let grown = "addcond~age~NUMGT~31";
    for (elements, answer) in [
        (&[rome, "next", grown][..], &["1", "4", "3"][..]),
        (&[rome, "setorder~~STRDESC", "next", grown], &["4", "3", "1"]),
        (&[rome, "next", grown, "mstype~1"], &["4"]),
        (&[rome, "next", grown, "mstype~2"], &["1"]),
        (&[rome, "setlimit~1", "next", ann, "next", grown, "mstype~ISECT"], &["4"]),
        (&[rome, "next", grown, "count"], &["3"]),
    ] {
        assert_eq!(misc(&mut client, "metasearch", elements), texts(answer), "{elements:?}");
    }
}

#[test]
fn numbers_of_new_records_are_never_given_twice() {
    let (_house, mut client) = people();
    let mut last = 0;
    for _ in 0..100 {
        let given = misc(&mut client, "genuid", &[]).expect("a number");
        let number: u64 = given[0].parse().expect("digits");
        assert!(number > last);
        last = number;
    }
}

#[test]
fn a_search_of_many_keeps_those_that_come_first() {
    let house = House::with("tyrant.documents", false);
    let mut client = house.client();
    for number in 0..3000u32 {
        // All numbers below 3000, in another order than the keys.
        let n = (number * 7 % 3000).to_string();
        client.send(&record(0x18, &format!("{number:04}"), &format!("n\x00{n}")));
    }
    let elements = ["setorder~n~NUMASC", "setlimit~3~1", "get~n"];
    let found = misc(&mut client, "search", &elements).expect("it is understood");
    let numbers: Vec<&str> = found.iter().map(|hit| hit.rsplit('~').next().unwrap()).collect();
    assert_eq!(numbers, ["1", "2", "3"]);
    assert_eq!(misc(&mut client, "search", &["addcond~n~NUMLT~100", "count"]), texts(&["100"]));
}

/// The door on `app.users(id, name, age)`, with an index on each column.
fn users() -> House {
    let other = |column| NewIndex { unique: false, primary: false, ..NewIndex::primary(&[column]) };
    users_with(vec![other("name"), other("age")])
}

fn users_with(others: Vec<NewIndex>) -> House {
    let House { engine, .. } = House::new();
    let int = || ColumnType::Int { width: IntWidth::Int, unsigned: false, boolean: false };
    let text = ColumnType::VarChar { chars: 5, collation: Collation::Utf8Mb4GeneralCi };
    engine.create_database("app").expect("new");
    let columns = vec![
        Column::new("id", int()),
        Column::new("name", text),
        Column { nullable: true, ..Column::new("age", int()) },
        Column { nullable: true, ..Column::new("code", ColumnType::VarBinary { bytes: 20 }) },
        Column { nullable: true, ..Column::new("notes", ColumnType::Blob { size: LobSize::Long }) },
    ];
    let indexes = [vec![NewIndex::primary(&["id"])], others].concat();
    engine.create_table(NewTable::new("app", "users", columns, indexes)).expect("new");
    House::on(engine, "app.users", false)
}

#[test]
fn the_columns_of_a_table_of_sql_are_those_of_its_records() {
    let house = users();
    let mut client = house.client();
    for (name, arguments, answer) in [
        ("put", &["7", "name", "Ann", "age", "31"][..], texts(&[])),
        ("put", &["12", "NAME", "bob"], texts(&[])),
        ("get", &["7"], texts(&["name", "Ann", "age", "31"])),
        ("get", &["12"], texts(&["name", "bob"])),
        ("put", &["8", "name", "Constantin"], None),
        ("put", &["8", "name", "Eve", "height", "2"], None),
        ("put", &["eight", "name", "Eve"], None),
        ("putcat", &["12", "name", "x", "age", "5"], texts(&[])),
        ("search", &["setorder~age~NUMASC"], texts(&["12", "7"])),
        ("search", &["addcond~name~STREQ~Ann", "get"], texts(&["~7~name~Ann~age~31"])),
        ("search", &["addcond~~STRBW~1"], texts(&["12"])),
    ] {
        assert_eq!(misc(&mut client, name, arguments), answer, "{name} {arguments:?}");
    }
}

#[test]
fn an_index_of_sql_says_where_to_look_and_finds_what_a_look_at_all_records_finds() {
    let house = users();
    let mut client = house.client();
    for number in 0..300i32 {
        let (id, age) = (number.to_string(), (number % 50 - 10).to_string());
        let name = ["Ann", "ann", "Bob", "07", "7"][number as usize % 5];
        let age = if number % 7 == 0 { vec![] } else { vec!["age", &age[..]] };
        let put = [vec![&id[..], "name", name], age].concat();
        assert_eq!(misc(&mut client, "put", &put), texts(&[]));
    }
    for condition in [
        "name~STREQ~Ann",
        "name~STROREQ~ann Bob ann",
        "name~STREQ~7",
        "age~STREQ~-3",
        "age~STROREQ~3 03 5",
        "age~NUMEQ~12",
        "age~NUMOREQ~1,2,-10",
        "age~NUMGT~30.5",
        "age~NUMGE~30",
        "age~NUMLT~-8",
        "age~NUMLE~-8.5",
        "age~NUMBT~5.5 -1",
    ] {
        let (condition, negated) =
            (format!("addcond~{condition}"), condition.replacen('~', "~!", 1));
        let search = |client: &mut Client, elements: &[&str]| {
            let mut found = misc(client, "search", elements).expect("it is understood");
            let hint = found.pop().expect("the hint");
            found.sort_unstable();
            (found, hint)
        };
        let (found, hint) = search(&mut client, &[&condition, "hint"]);
        assert!(hint.contains("using an index"), "{condition}: {hint}");
        let negated = format!("addcond~{negated}");
        let (others, hint) = search(&mut client, &[&negated, "hint"]);
        assert!(hint.contains("scanning the whole table"), "{negated}: {hint}");
        let mut all = [found.clone(), others].concat();
        all.sort_unstable();
        assert!(
            !found.is_empty() && all.len() == 300,
            "{condition}: {} of {}",
            found.len(),
            all.len()
        );
        all.dedup();
        assert_eq!(all.len(), 300, "{condition}: each is found once");
    }
}

#[test]
fn setindex_makes_an_index_that_is_used_and_kept_up_by_whoever_writes() {
    let house = users_with(Vec::new());
    let mut client = house.client();
    for number in 0..50i32 {
        let (id, age, code) =
            (number.to_string(), (number % 7).to_string(), format!("c{number:02}"));
        let put = [&id[..], "name", "Ann", "age", &age, "code", &code];
        assert_eq!(misc(&mut client, "put", &put), texts(&[]));
    }
    let hint = |client: &mut Client, condition: &str| {
        let condition = format!("addcond~{condition}");
        misc(client, "search", &[&condition, "hint"]).expect("understood").pop().expect("the hint")
    };
    for (column, kind, condition, count) in [
        ("name", "0", "name~STREQ~Ann", "50"),
        ("age", "1", "age~NUMGE~6", "7"),
        ("code", "0", "code~STRBW~c1", "10"),
    ] {
        assert!(hint(&mut client, condition).contains("whole table"), "{condition}");
        assert_eq!(misc(&mut client, "setindex", &[column, kind]), texts(&[]), "{column}");
        assert!(hint(&mut client, condition).contains("using an index"), "{condition}");
        let counted = misc(&mut client, "search", &[&format!("addcond~{condition}"), "count"]);
        assert_eq!(counted, texts(&[count]), "{condition}");
        assert_eq!(misc(&mut client, "setindex", &[column, kind]), texts(&[]), "again");
        let keep = (kind.parse::<i64>().unwrap() + (1 << 24)).to_string();
        assert_eq!(misc(&mut client, "setindex", &[column, &keep]), None, "it is there");
        assert_eq!(misc(&mut client, "setindex", &[column, "9998"]), texts(&[]), "optimized");
    }
    // Another door's write.
    let table = house.engine.catalog().table("app", "users").unwrap();
    let mut transaction = house.engine.begin(LockWait::AtMost(Duration::from_secs(10))).unwrap();
    let row =
        [Datum::Int(100), Datum::Bytes(b"Bob"), Datum::Int(6), Datum::Bytes(b"c1"), Datum::Null];
    transaction.insert(&table, &row).unwrap();
    transaction.commit(Durability::Os).unwrap();
    for (condition, count) in
        [("age~NUMGE~6", "8"), ("code~STRBW~c1", "11"), ("name~STREQ~Bob", "1")]
    {
        let counted = misc(&mut client, "search", &[&format!("addcond~{condition}"), "count"]);
        assert_eq!(counted, texts(&[count]), "{condition}");
    }
    assert_eq!(misc(&mut client, "setindex", &["age", "9999"]), texts(&[]), "removed");
    assert_eq!(misc(&mut client, "setindex", &["age", "9999"]), None, "it is gone");
    assert!(hint(&mut client, "age~NUMGE~6").contains("whole table"));
}

#[test]
fn setindex_refuses_what_would_not_be_used_and_what_is_not_its_own() {
    let house = users();
    let mut client = house.client();
    for arguments in [
        ["notes", "0"],
        ["code", "1"],
        ["name", "2"],
        ["name", "3"],
        ["name", "4"],
        ["name", "x"],
        ["missing", "0"],
        ["", "9999"],
        // Made by SQL.
        ["name", "9999"],
    ] {
        assert_eq!(misc(&mut client, "setindex", &arguments), None, "{arguments:?}");
    }
    assert_eq!(misc(&mut client, "setindex", &["", "0"]), texts(&[]), "the primary key is one");
    assert_eq!(misc(&mut client, "setindex", &["name"]), None, "an argument is missing");
}

/// What `tcrtest table` of the original does, with fewer records: writes of all kinds, removals,
/// searches of any condition and order, and at last everything removed.
#[test]
fn the_originals_own_table_test_failed_at_its_first_step() {
    const RECORDS: u64 = 120;
    let house = House::with("tyrant.documents", true);
    let mut client = house.client();
    client.expect(&[(vec![0xc8, 0x72], vec![0])]);
    for (column, kind) in
        [("", "1"), ("str", "0"), ("num", "1"), ("type", "1"), ("flag", "2"), ("text", "3")]
    {
        assert_eq!(misc(&mut client, "setindex", &[column, kind]), texts(&[]), "{column}");
    }
    let mut state = 42u64;
    let mut random = move |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) % below
    };
    let mut keys = Vec::new();
    for number in 1..=RECORDS {
        let id = misc(&mut client, "genuid", &[]).expect("a number").remove(0);
        let (mut list, mut at) = (Vec::new(), 0);
        for _ in 0..random(5) {
            at += random(5) + 1;
            list.push(at.to_string());
        }
        let (num, kind, list) =
            ((random(number) + 1).to_string(), (random(32) + 1).to_string(), list.join(","));
        let mut record = vec![&id[..], "str", &id, "num", &num, "type", &kind];
        if !list.is_empty() {
            record.extend(["flag", &list, "text", &list]);
        }
        let put = ["put", "putkeep", "putcat", "put"][random(4) as usize];
        assert_eq!(misc(&mut client, put, &record), texts(&[]), "{put} {record:?}");
        keys.push(id);
    }
    for _ in 0..RECORDS / 4 {
        let key = keys.swap_remove(random(keys.len() as u64) as usize);
        assert_eq!(misc(&mut client, "out", &[&key]), texts(&[]));
        assert_eq!(misc(&mut client, "get", &[&key]), None);
    }
    let names = ["", "str", "num", "type", "flag", "text", "c1"];
    for number in 1..=RECORDS {
        let mut elements = Vec::new();
        for _ in 0..random(4) {
            let (name, mut operator) = (names[random(7) as usize], random(19));
            if random(20) == 0 {
                operator |= 1 << 24;
            }
            if random(20) == 0 {
                operator |= 1 << 25;
            }
            let expression = match operator & 0xff {
                13 => format!("{},{}", random(number), random(number)),
                _ => random(number).to_string(),
            };
            elements.push(format!("addcond~{name}~{operator}~{expression}"));
        }
        if random(3) != 0 {
            elements.push(format!("setorder~{}~{}", names[random(7) as usize], random(4)));
        }
        elements.push(format!("setlimit~{}~{}", random(10), random(5) * 10));
        let elements: Vec<&str> = elements.iter().map(String::as_str).collect();
        let hits = misc(&mut client, "search", &elements).expect("it is understood");
        for hit in hits {
            assert!(
                keys.contains(&hit) && misc(&mut client, "get", &[&hit]).is_some(),
                "{elements:?}"
            );
        }
        if random(10) == 0 {
            let several = [&elements[..], &["next"], &elements, &["mstype~0"]].concat();
            assert!(misc(&mut client, "metasearch", &several).is_some(), "{several:?}");
        }
    }
    let first = ["addcond~~STRBW~1", "setorder~str~STRASC", "setlimit~10~0"];
    let found = misc(&mut client, "search", &[&first[..], &["get"]].concat()).expect("hits");
    let count = misc(&mut client, "search", &[&first[..], &["count"]].concat()).expect("a number");
    assert_eq!(found.len().to_string(), count[0]);
    assert!(found.iter().all(|hit| hit.starts_with('~')), "the key comes first: {found:?}");
    let all = misc(&mut client, "search", &[]).expect("keys");
    assert_eq!(all.len(), keys.len());
    assert_eq!(misc(&mut client, "search", &["out"]), texts(&[]));
    assert_eq!(misc(&mut client, "search", &["count"]), texts(&["0"]));
    client.expect(&[(vec![0xc8, 0x80], vec![0; 9])]);
}
