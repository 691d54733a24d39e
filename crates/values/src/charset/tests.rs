//! What bytes are in each character set, and that they come back.

use super::*;
use crate::types::Collation;

fn set(name: &str) -> CharacterSet {
    CharacterSet::parse(name).unwrap_or_else(|| panic!("no {name}"))
}

#[test]
fn every_byte_of_latin1_is_a_character_and_comes_back() {
    let all: Vec<u8> = (0..=255).collect();
    let text = set("latin1").decode(&all).into_owned();
    assert_eq!(String::from_utf8(text.clone()).unwrap().chars().count(), 256);
    assert_eq!(set("latin1").encode(&text).as_ref(), all);
    assert_eq!(set("latin1").decode(b"\xe4\x80\x81").as_ref(), "ä€\u{81}".as_bytes());
}

#[test]
fn what_a_set_lacks_is_a_question_mark() {
    assert_eq!(set("latin1").encode("aж€".as_bytes()).as_ref(), b"a?\x80");
    assert_eq!(set("ascii").encode("aä".as_bytes()).as_ref(), b"a?");
    assert_eq!(set("utf8").encode("a😀".as_bytes()).as_ref(), b"a?");
    assert_eq!(set("ucs2").encode("a😀".as_bytes()).as_ref(), b"\0a\0?");
    assert_eq!(set("ascii").decode(b"a\xe4").as_ref(), b"a?");
    assert_eq!(set("cp1251").encode("жä".as_bytes()).as_ref(), b"\xe6?");
}

#[test]
fn wide_sets_have_their_units() {
    assert_eq!(set("utf16").encode("a😀".as_bytes()).as_ref(), b"\0a\xd8\x3d\xde\x00");
    assert_eq!(set("utf16le").encode(b"a").as_ref(), b"a\0");
    assert_eq!(set("utf32").encode("ä".as_bytes()).as_ref(), b"\0\0\0\xe4");
    for name in ["utf16", "utf16le", "utf32"] {
        let text = "aäж😀";
        let wide = set(name).encode(text.as_bytes()).into_owned();
        assert_eq!(set(name).decode(&wide).as_ref(), text.as_bytes(), "{name}");
        assert!(set(name).is_valid(&wide));
    }
    assert!(!set("utf16").is_valid(b"\xd8\x00"));
    assert_eq!(set("utf16").filled_up(b"A").as_ref(), b"\0A");
}

#[test]
fn numbers_lead_to_the_set_of_their_collation() {
    for (number, name) in
        [(8, "latin1"), (33, "utf8mb3"), (45, "utf8mb4"), (255, "utf8mb4"), (63, "binary")]
    {
        assert_eq!(CharacterSet::of_collation_number(number).map(CharacterSet::name), Some(name));
    }
    assert_eq!(set("latin1").collation_number(), 8);
    assert_eq!(CharacterSet::of_collation_number(9999), None);
}

#[test]
fn a_message_shows_what_its_set_does_not_have() {
    let message = "'Ж€😀ä'".as_bytes();
    assert_eq!(set("latin1").encode_message(message).as_ref(), b"'\\0416\x80?\xe4'");
    assert_eq!(set("ascii").encode_message(message).as_ref(), b"'\\0416\\20AC?\\00E4'");
    assert_eq!(set("koi8r").encode_message("Ж€".as_bytes()).as_ref(), b"\xf6\\20AC");
    assert_eq!(set("latin1").encode(message).as_ref(), b"'?\x80?\xe4'");
}

#[test]
fn a_stream_may_be_cut_within_a_character() {
    let text = "表功\\テ";
    for name in ["big5", "gbk", "gb18030", "sjis", "cp932"] {
        let bytes = set(name).encode(text.as_bytes()).into_owned();
        let mut decoder = set(name).stream_decoder().expect("one of these");
        let pieces = bytes.iter().flat_map(|byte| decoder.decode(&[*byte], false));
        let mut decoded: Vec<u8> = pieces.collect();
        decoded.extend(decoder.decode(&[], true));
        assert_eq!(decoded, set(name).decode(&bytes).into_owned(), "{name}");
    }
    let mut half = set("gbk").stream_decoder().expect("one of these");
    assert_eq!(half.decode(b"a\xb9", false), b"a");
    assert_eq!(half.decode(b"", true), b"?");
    assert!(set("latin1").stream_decoder().is_none());
    assert!(set("ujis").stream_decoder().is_none());
}

#[test]
fn a_connections_collation_is_known_by_name_and_number() {
    let of = |number| Collation::of_number(number).map(|own| (own.name(), own.set().name()));
    for (number, name, set) in [
        (8, "latin1_swedish_ci", "latin1"),
        (58, "cp1257_bin", "cp1257"),
        (192, "utf8mb3_unicode_ci", "utf8mb3"),
        (255, "utf8mb4_0900_ai_ci", "utf8mb4"),
        (63, "binary", "binary"),
    ] {
        assert_eq!(of(number), Some((name, set)));
    }
    assert_eq!(Collation::of_number(255), Some(Collation::Utf8Mb40900AiCi));
    assert_eq!(Collation::of_number(63), Some(Collation::Binary));
    assert_eq!(of(9999), None);
    assert_eq!(Collation::from_name("latin1_klingon_ci"), None);
    let wide = CharacterSet::parse("utf16").map(Collation::default_of);
    assert_eq!(wide.map(Collation::name), Some("utf16_general_ci"));
}

#[test]
fn sets_have_the_characters_that_mysql_has_in_them() {
    for (name, text, bytes) in [
        ("cp850", "ÄéÑ", &b"\x8e\x82\xa5"[..]),
        ("cp852", "řŽ", b"\xfd\xa6"),
        ("macce", "ďŽ", b"\x93\xeb"),
        ("keybcs2", "čř", b"\x87\xa9"),
        ("swe7", "åäö", b"}{|"),
        ("geostd8", "ა", b"\xc0"),
        ("armscii8", "Ա", b"\xb2"),
        ("hp8", "ä", b"\xcc"),
        ("dec8", "Œ", b"\xd7"),
        ("tis620", "ก", b"\xa1"),
        ("ujis", "亜", b"\xb0\xa1"),
        ("gb2312", "啊", b"\xb0\xa1"),
        ("euckr", "가", b"\xb0\xa1"),
    ] {
        assert_eq!(set(name).encode(text.as_bytes()).as_ref(), bytes, "{name}");
        assert_eq!(set(name).decode(bytes).as_ref(), text.as_bytes(), "{name}");
        assert!(set(name).has_all(text.as_bytes()));
    }
    assert!(!set("gb2312").has('丂') && set("gbk").has('丂'));
    assert!(!set("swe7").has('@') && !set("ascii").has('ä') && !set("utf8mb3").has('😀'));
    assert!(!set("ucs2").has('😀') && set("utf16").has('😀') && set("gb18030").has('😀'));
    assert_eq!(set("swe7").decode(b"@").as_ref(), "É".as_bytes());
}

#[test]
fn characters_of_japanese_sets_were_read_as_those_that_others_have() {
    // MySQL 9.7: SELECT CONVERT(_sjis X'8160' USING utf8mb4), and so on.
    for (name, bytes, expected) in [
        ("sjis", &[0x81, 0x60][..], "\u{301C}"),
        ("sjis", &[0x81, 0x61], "\u{2016}"),
        ("sjis", &[0x81, 0x7C], "\u{2212}"),
        ("sjis", &[0x81, 0x91, 0x81, 0x92, 0x81, 0xCA], "\u{A2}\u{A3}\u{AC}"),
        ("sjis", &[0x81, 0x5F, 0x83, 0x5C], "\\ソ"),
        ("ujis", &[0xA1, 0xC1], "\u{301C}"),
        ("cp932", &[0x81, 0x60], "\u{FF5E}"),
        ("eucjpms", &[0xA1, 0xC1], "\u{FF5E}"),
        ("gbk", &[0xB1, 0xED], "表"),
    ] {
        let set = CharacterSet::parse(name).expect("known");
        let decoded = set.decode(bytes);
        assert_eq!(String::from_utf8_lossy(&decoded), expected, "{name} {bytes:x?}");
        assert_eq!(&*set.encode(&decoded), bytes, "{name} {expected}");
    }
}
