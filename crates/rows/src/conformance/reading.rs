//! Promises of `Read`, `Cursor` and `Store::snapshot`.

use super::*;
use crate::error::{Error, Wait};

/// A value that was put is found, whatever stood in the buffer before.
pub fn a_value_is_read_back_into_a_cleared_buffer(subject: &Subject<'_>) {
    let store = letters(subject, "ac");
    assert_eq!(get(&*store, b"a").as_deref(), Some(&b"A"[..]));
    assert_eq!(get(&*store, b"b"), None);
    assert_eq!(get(&*store, b""), None);
    let long = vec![7; 100_000];
    write(&*store, vec![put(b"long", &long)]);
    assert_eq!(get(&*store, b"long"), Some(long));
    let mut value = Vec::new();
    match store.get(b"a", Reach::Memory, &mut value) {
        Ok(found) => assert!(found && value == b"A"),
        Err(error) => assert!(matches!(error, Error::WouldWait(Wait::Disk))),
    }
}

/// Keys ascend, and descend, as unsigned bytes, shorter before longer.
pub fn keys_order_as_bytes_in_both_directions(subject: &Subject<'_>) {
    let store = subject.open();
    let sorted: [&[u8]; 7] = [&[0], &[0, 0], &[0, 255], &[1], &[127], &[128], &[255, 255]];
    let mut shuffled = sorted;
    shuffled.swap(0, 5);
    shuffled.swap(1, 3);
    shuffled.swap(2, 6);
    write(&*store, shuffled.iter().map(|key| put(key, key)).collect());
    let keys = |direction| -> Vec<Vec<u8>> {
        let entries = scan(&*store, &KeyRange::default(), direction);
        entries.into_iter().map(|(key, _)| key).collect()
    };
    assert_eq!(keys(Direction::Forward), sorted);
    assert!(keys(Direction::Backward).iter().rev().eq(sorted.iter()));
}

/// `start` belongs to a range, `end` does not; an empty end bounds nothing.
pub fn ranges_are_half_open_and_may_lack_an_end(subject: &Subject<'_>) {
    let store = letters(subject, "bdfh");
    let cases: [(&str, &str, &str); 8] = [
        ("", "", "bdfh"),
        ("d", "", "dfh"),
        ("d", "f", "d"),
        ("c", "g", "df"),
        ("b", "h", "bdf"),
        ("i", "", ""),
        ("f", "f", ""),
        ("g", "c", ""),
    ];
    for (start, end, expected) in cases {
        let range = range(start.as_bytes(), end.as_bytes());
        assert_eq!(text(&*store, &range, Direction::Forward), expected);
        let reversed: String = expected.chars().rev().collect();
        assert_eq!(text(&*store, &range, Direction::Backward), reversed);
    }
}

/// `get_many` calls back for every position, found or not, repeated or not, and ends on error.
pub fn many_keys_are_answered_once_each_in_order(subject: &Subject<'_>) {
    let store = letters(subject, "abcdefgh");
    let keys: Vec<Vec<u8>> = "hxaabzc".bytes().map(|letter| vec![letter]).collect();
    let mut answers = Vec::new();
    store
        .get_many(&keys, Reach::Disk, &mut |position, value| {
            answers.push((position, value.map(|value| value[0] as char)));
            Ok(())
        })
        .expect("the look-up");
    let expected = [Some('H'), None, Some('A'), Some('A'), Some('B'), None, Some('C')];
    assert_eq!(answers, expected.into_iter().enumerate().collect::<Vec<_>>());
    store.get_many(&[], Reach::Disk, &mut |_, _| panic!("no keys")).expect("nothing to do");
    let mut calls = 0;
    let ended = store.get_many(&keys, Reach::Disk, &mut |_, _| {
        calls += 1;
        Err(Error::Conflict)
    });
    assert!(matches!(ended, Err(Error::Conflict)) && calls == 1);
}

/// Writes during a scan of the live store do not show in it.
pub fn a_cursor_shows_the_state_of_its_start(subject: &Subject<'_>) {
    let store = letters(subject, "ace");
    for direction in [Direction::Forward, Direction::Backward] {
        let before = text(&*store, &KeyRange::default(), direction);
        let mut cursor =
            store.scan(&KeyRange::default(), direction, Reach::Disk).expect("the scan");
        assert!(cursor.advance().expect("the first entry"));
        let mut seen = String::from_utf8_lossy(cursor.key()).into_owned();
        write(&*store, vec![put(b"b", b"x"), put(b"c", b"x"), delete(b"e")]);
        let rest = drain(cursor);
        seen.extend(rest.iter().map(|(key, _)| key[0] as char));
        assert_eq!(seen, before);
        assert!(rest.iter().all(|(key, value)| key[..] != b"c"[..] || value[..] == b"C"[..]));
        write(&*store, vec![delete(b"b"), put(b"c", b"C"), put(b"e", b"E")]);
    }
}

/// A snapshot gives the same answers before and after later writes of every kind.
pub fn a_snapshot_is_unmoved_by_later_writes(subject: &Subject<'_>) {
    let store = letters(subject, "abcd");
    let snapshot = store.snapshot().expect("a snapshot");
    write(&*store, vec![put(b"a", b"x"), delete(b"b"), put(b"e", b"x")]);
    let later = store.snapshot().expect("a snapshot");
    write(&*store, vec![Change::DeleteRange(range(b"", b""))]);
    assert_eq!(values(&*store), "");
    assert_eq!(values(&*later), "xCDx");
    for direction in [Direction::Forward, Direction::Backward] {
        let all = text(&*snapshot, &KeyRange::default(), direction);
        assert_eq!(all.len(), 4);
    }
    assert_eq!(values(&*snapshot), "ABCD");
    assert_eq!(get(&*snapshot, b"b").as_deref(), Some(&b"B"[..]));
    let keys = [b"a".to_vec(), b"e".to_vec()];
    let mut answers = Vec::new();
    let mut each = |_, value: Option<&[u8]>| {
        answers.push(value.map(<[u8]>::to_vec));
        Ok(())
    };
    snapshot.get_many(&keys, Reach::Disk, &mut each).expect("the look-up");
    assert_eq!(answers, [Some(b"A".to_vec()), None]);
}

/// A snapshot keeps what it needs alive by itself, on whatever thread it is dropped.
pub fn a_snapshot_outlives_the_handle_of_its_store(subject: &Subject<'_>) {
    let store = letters(subject, "ab");
    let snapshot = store.snapshot().expect("a snapshot");
    drop(store);
    let thread = std::thread::spawn(move || values(&*snapshot));
    assert_eq!(thread.join().expect("the reader"), "AB");
    if subject.persists {
        assert_eq!(values(&*subject.open()), "AB");
    }
}
