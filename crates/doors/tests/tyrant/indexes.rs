//! Indexes of documents: every search finds the same with them as without, whoever wrote the rows.

use std::time::Duration;

use proptest::collection::vec;
use proptest::prelude::*;
use rows::RowChange;
use rows::store::{Durability, LockWait};
use values::{Datum, Value};

use super::client::{Client, House, record};

/// The kinds of indexes of the columns `a` to `d`.
const KINDS: [&str; 4] = ["0", "1", "2", "3"];
const COLUMNS: [&str; 5] = ["a", "b", "c", "d", "e"];
const OPERATORS: u32 = 19;

/// A change by one of several ways.
#[derive(Clone, Debug)]
enum Change {
    Put(u8, Vec<(usize, String)>),
    Add(u8, usize, String),
    Joined(u8, usize, String),
    /// As SQL sets the column of JSON.
    Json(u8, String),
    Insert(u8, String),
    Out(u8),
    /// An index comes, goes, or becomes another.
    Index(usize, usize),
}

/// Texts that meet: of few characters, tokens and numbers.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[ab]{0,3}",
        2 => "[ab ,]{0,8}",
        2 => "-?[0-3]{1,2}(\\.5)?",
        1 => "[ \u{c4}\u{e4}\u{3a3}\u{3c3}A]{0,6}",
        1 => Just("\u{0}".to_owned()),
        1 => "[ab]".prop_map(|end| "x".repeat(520) + &end),
    ]
}

fn json() -> impl Strategy<Value = String> {
    let value = prop_oneof![
        3 => text().prop_map(|text| serde_json::to_string(&text).expect("a text")),
        1 => Just("null".to_owned()),
        1 => (-3..4_i32).prop_map(|number| number.to_string()),
        1 => Just("[1, \"a b\"]".to_owned()),
    ];
    let member = (0..COLUMNS.len(), value);
    prop_oneof![
        9 => vec(member, 0..6).prop_map(|members| {
            let members: Vec<String> =
                members.iter().map(|(name, value)| format!("\"{}\": {value}", COLUMNS[*name])).collect();
            format!("{{{}}}", members.join(", "))
        }),
        1 => Just("[\"a\"]".to_owned()),
    ]
}

fn change() -> impl Strategy<Value = Change> {
    let key = 0..40_u8;
    let column = 0..COLUMNS.len();
    prop_oneof![
        6 => (key.clone(), vec((column.clone(), text()), 0..5)).prop_map(|(k, of)| Change::Put(k, of)),
        2 => (key.clone(), column.clone(), text()).prop_map(|(k, c, t)| Change::Add(k, c, t)),
        1 => (key.clone(), column.clone(), text()).prop_map(|(k, c, t)| Change::Joined(k, c, t)),
        3 => (key.clone(), json()).prop_map(|(k, json)| Change::Json(k, json)),
        2 => (key.clone(), json()).prop_map(|(k, json)| Change::Insert(k, json)),
        2 => key.prop_map(Change::Out),
        1 => (column, 0..5_usize).prop_map(|(c, kind)| Change::Index(c, kind)),
    ]
}

/// What is searched for: conditions, order, limit.
fn query() -> impl Strategy<Value = (Vec<String>, Option<(usize, u8)>, Option<(u8, u8)>)> {
    let expression = prop_oneof![
        4 => text(),
        1 => (text(), text()).prop_map(|(one, other)| format!("{one} || {other}")),
        1 => (text(), text()).prop_map(|(one, other)| format!("{one} {other}")),
    ];
    let condition = (0..COLUMNS.len(), 0..OPERATORS, prop::bool::weighted(0.1), expression);
    let condition = condition.prop_map(|(column, operator, negated, expression)| {
        // These take numbers, and a pattern.
        let expression = match operator {
            13 => "0 2".to_owned(),
            7 => "^a*b?$".to_owned(),
            _ => expression,
        };
        let operator = operator + if negated { 1 << 24 } else { 0 };
        format!("addcond\0{}\0{operator}\0{expression}", COLUMNS[column])
    });
    let order = prop::option::of((0..COLUMNS.len(), 0..4_u8));
    (vec(condition, 0..3), order, prop::option::of((0..6_u8, 0..3_u8)))
}

/// A house with indexes of some columns, or none.
fn house(indexed: bool) -> (House, Client) {
    let house = House::with("tyrant.documents", false);
    let mut client = house.client();
    for (column, kind) in COLUMNS.iter().zip(KINDS).filter(|_| indexed) {
        assert_eq!(client.misc("setindex", &[column, kind]), Some(Vec::new()));
    }
    (house, client)
}

fn apply(house: &House, client: &mut Client, change: &Change) {
    let key = |key: u8| format!("k{key}");
    match change {
        Change::Put(k, columns) => {
            let key = key(*k);
            let mut arguments = vec![&key[..]];
            for (column, text) in columns {
                arguments.extend([COLUMNS[*column], text]);
            }
            assert!(client.misc("put", &arguments).is_some());
        }
        Change::Add(k, column, text) => {
            assert!(client.misc("putcat", &[&key(*k), COLUMNS[*column], text]).is_some());
        }
        Change::Joined(k, column, text) if !text.contains('\0') => {
            let value = format!("{}\0{text}", COLUMNS[*column]);
            assert_eq!(client.send(&record(0x10, &key(*k), &value)), [0]);
        }
        Change::Joined(..) => {}
        Change::Json(k, json) | Change::Insert(k, json) => {
            let table = house.engine.catalog().table("tyrant", "documents").unwrap();
            let wait = LockWait::AtMost(Duration::from_secs(5));
            let mut transaction = house.engine.begin(wait).unwrap();
            let key = key(*k);
            let pk = Datum::Bytes(key.as_bytes());
            if let Change::Json(..) = change {
                let row_key = table.row_key(&[pk]).unwrap();
                let set = RowChange::Set(vec![(1, Value::Bytes(json.clone().into_bytes()))]);
                transaction
                    .change_row::<rows::Error>(&table, &row_key, &mut |_| Ok(set.clone()))
                    .unwrap();
            } else {
                transaction.replace(&table, &[pk, Datum::Bytes(json.as_bytes())]).unwrap();
            }
            transaction.commit(Durability::Os).unwrap();
        }
        Change::Out(k) => {
            client.misc("out", &[&key(*k)]);
        }
        Change::Index(..) => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn a_search_finds_the_same_with_indexes_as_without(
        changes in vec(change(), 1..120),
        queries in vec(query(), 40),
    ) {
        let ((with, mut one), (without, mut other)) = (house(true), house(false));
        for change in &changes {
            apply(&with, &mut one, change);
            apply(&without, &mut other, change);
            if let Change::Index(column, kind) = change {
                let kind = KINDS.get(*kind).copied().unwrap_or("9999");
                one.misc("setindex", &[COLUMNS[*column], kind]);
            }
        }
        let report = with.engine.check(&mut |_| ()).unwrap();
        prop_assert_eq!(report.damages, Vec::<String>::new());
        for (conditions, order, limit) in &queries {
            let mut elements = conditions.clone();
            elements.extend(order.map(|(column, kind)| format!("setorder\0{}\0{kind}", COLUMNS[column])));
            elements.extend(limit.map(|(most, skipped)| format!("setlimit\0{most}\0{skipped}")));
            let elements: Vec<&str> = elements.iter().map(String::as_str).collect();
            let (mut found, mut expected) =
                (one.misc("search", &elements).unwrap(), other.misc("search", &elements).unwrap());
            let count = [&elements[..], &["count"]].concat();
            let counts = [&mut one, &mut other].map(|client| client.misc("search", &count).unwrap());
            prop_assert_eq!(&counts[0], &counts[1], "{:?}", count);
            if limit.is_none() {
                let told = [&elements[..], &["get"]].concat();
                let mut columns = [&mut one, &mut other].map(|client| client.misc("search", &told).unwrap());
                columns.iter_mut().for_each(|columns| columns.sort());
                prop_assert_eq!(&columns[0], &columns[1], "{:?}", told);
            }
            if order.is_none() {
                if limit.is_some() {
                    // Which of them are found first is nobody's promise.
                    let conditions: Vec<&str> = conditions.iter().map(String::as_str).collect();
                    let all = other.misc("search", &conditions).unwrap();
                    prop_assert!(found.iter().all(|key| all.contains(key)), "{:?}", elements);
                    prop_assert_eq!(found.len(), expected.len(), "{:?}", elements);
                    continue;
                }
                found.sort();
                expected.sort();
            }
            prop_assert_eq!(&found, &expected, "{:?}", elements);
        }
    }
}

/// A search's answer and what its hint says first.
fn hinted(client: &mut Client, elements: &[&str]) -> (Vec<String>, String) {
    let elements: Vec<String> = elements.iter().map(|element| element.replace('~', "\0")).collect();
    let mut elements: Vec<&str> = elements.iter().map(String::as_str).collect();
    elements.push("hint");
    let mut found = client.misc("search", &elements).unwrap();
    let hint = found.pop().expect("a hint");
    (found, hint.lines().nth(1).expect("how it was found").to_owned())
}

#[test]
fn each_kind_of_index_is_used_for_its_conditions_and_its_order() {
    let (house, mut client) = house(true);
    for n in 0..3000 {
        let (text, tokens) = (format!("t{n:04}"), format!("w{} v{}", n % 1000, n % 7));
        let words = format!("Number {n:05}, and");
        let number = format!("{}.5", n % 500);
        let put = [&text[..], "a", &text, "b", &number, "c", &tokens, "d", &words, "e", "x"];
        client.misc("put", &put).unwrap();
    }
    let indexed = "using an index";
    for (elements, count, how) in [
        (&["addcond~a~STREQ~t0007"][..], 1, indexed),
        (&["addcond~a~STRBW~t001"], 10, indexed),
        (&["addcond~a~STROREQ~t0001 t0002,t9"], 2, indexed),
        (&["addcond~b~NUMEQ~3.5"], 6, indexed),
        (&["addcond~b~NUMBT~3 5"], 12, indexed),
        (&["addcond~b~NUMGE~499"], 6, indexed),
        (&["addcond~b~NUMLT~1"], 6, indexed),
        (&["addcond~b~NUMOREQ~1.5 2.5"], 12, indexed),
        (&["addcond~b~STREQ~1.5"], 6, indexed),
        (&["addcond~c~STRAND~w5 v1"], 0, indexed),
        (&["addcond~c~STRAND~w5 v5"], 1, indexed),
        (&["addcond~c~STROR~w5 w6"], 6, indexed),
        (&["addcond~d~FTSPH~number 00012"], 1, indexed),
        (&["addcond~d~FTSAND~NUMBER 0001 and"], 11, indexed),
        (&["addcond~d~FTSOR~00012 00013"], 2, indexed),
        (&["addcond~d~FTSEX~00012 || 00013 && !!xyz"], 2, indexed),
        (&["addcond~d~STRINC~r 00012"], 1, indexed),
        (&["addcond~a~STREQ~t0007", "addcond~b~NUMEQ~7.5"], 1, indexed),
        (&["setorder~a~STRASC", "setlimit~3"], 3, "using an index in its order"),
        (&["setorder~b~NUMDESC", "setlimit~3~2"], 3, "using an index in its order"),
        (
            &["addcond~b~NUMGT~100", "setorder~b~NUMASC", "setlimit~9"],
            9,
            "using an index in its order",
        ),
        // What an index would not make quicker, or was told not to.
        (&["addcond~b~NUMGE~0"], 3000, "scanning the whole table"),
        (&["addcond~a~33554432~t0007"], 1, "scanning the whole table"),
        (&["addcond~a~!STREQ~t0007"], 2999, "scanning the whole table"),
        (&["addcond~e~STREQ~x"], 3000, "scanning the whole table"),
    ] {
        let (found, hint) = hinted(&mut client, elements);
        assert_eq!((found.len(), &hint[..]), (count, how), "{elements:?}");
    }
    // Counted without a look at the records.
    for (elements, count, alone) in [
        (&["addcond~a~STREQ~t0007"][..], "1", true),
        (&["addcond~a~STRBW~t001"], "10", true),
        (&["addcond~a~STROREQ~t0001 t0002,t0001,t9"], "2", true),
        (&["addcond~b~NUMGE~0"], "3000", true),
        (&["addcond~b~NUMGT~498.5"], "6", true),
        (&["addcond~b~NUMLT~1.5"], "6", true),
        (&["addcond~b~NUMLE~1.5"], "12", true),
        (&["addcond~b~NUMBT~3 5", "setlimit~9~5"], "7", true),
        (&["addcond~c~STROR~w5 w6 v5"], "432", true),
        (&["addcond~c~STRAND~w5 v5"], "1", false),
        (&["addcond~b~STREQ~1.5"], "6", false),
        (&["addcond~a~!STREQ~t0007"], "2999", false),
        (&["addcond~a~STREQ~t0007", "addcond~b~NUMEQ~7.5"], "1", false),
    ] {
        let (told, hint) = hinted(&mut client, &[elements, &["count"]].concat());
        assert_eq!(told, [count], "{elements:?}");
        assert_eq!(hint == "using an index alone", alone, "{elements:?}: {hint}");
    }
    let (found, _) = hinted(&mut client, &["setorder~b~NUMDESC", "setlimit~3~2"]);
    assert_eq!(found, ["t1499", "t1999", "t2499"], "those that are alike by their keys");
    assert_eq!(client.misc("search", &["addcond\0b\0NUMEQ\x003.5", "out"]), Some(Vec::new()));
    assert_eq!(hinted(&mut client, &["addcond~b~NUMEQ~3.5"]).0.len(), 0);
    assert_eq!(house.engine.check(&mut |_| ()).unwrap().damages, Vec::<String>::new());
}

#[test]
fn setindex_makes_changes_and_removes_indexes_of_documents() {
    let (house, mut client) = house(false);
    client.misc("put", &["1", "a", "x y"]).unwrap();
    let keep = (1 << 24).to_string();
    for (kind, done) in [
        ("9999", false),
        ("9998", false),
        ("0", true),
        ("0", true),
        ("9998", true),
        (&keep, false),
        ("2", true),
        ("9999", true),
        ("9999", false),
        ("7", false),
        ("3", true),
    ] {
        assert_eq!(client.misc("setindex", &["a", kind]).is_some(), done, "{kind}");
    }
    let table = house.engine.catalog().table("tyrant", "documents").unwrap();
    assert_eq!((table.members.len(), &table.members[0].member[..]), (1, "a"));
    assert_eq!(table.members[0].kind, values::MemberKind::Qgram);
    assert!(client.misc("setindex", &["", "0"]).is_some());
    // `tcrtest table` begins with the second.
    for kind in ["1", "2", "3", "9998"] {
        assert!(client.misc("setindex", &["", kind]).is_some(), "{kind}");
    }
    assert!(client.misc("setindex", &["", "9999"]).is_none());
}
