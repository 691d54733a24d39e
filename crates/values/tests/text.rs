//! FLOAT and DOUBLE print as MariaDB prints them, and text compares and matches as there.
//!
//! `recorded/floats.tsv` and `values/compare.tsv` were recorded from MariaDB 10.11 by the scripts
//! beside them.

use values::collation::{compare, equal, like};
use values::key::write_weights;
use values::text::{write_f32, write_f64};
use values::types::Collation;

#[test]
fn floats_and_doubles_print_as_mariadb_prints_them() {
    let mut wrong = Vec::new();
    for line in include_str!("recorded/floats.tsv").lines() {
        let [kind, bits, text] =
            line.split('\t').collect::<Vec<_>>().try_into().expect("three fields");
        let bits = u64::from_str_radix(bits, 16).expect("hex digits");
        let mut printed = Vec::new();
        match kind {
            "d" => write_f64(f64::from_bits(bits), &mut printed),
            _ => write_f32(f32::from_bits(bits as u32), &mut printed),
        }
        if printed != text.as_bytes() {
            wrong.push(format!(
                "{kind} {bits:x}: {}, not {text}",
                String::from_utf8_lossy(&printed)
            ));
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}

fn unhex(digits: &str) -> Vec<u8> {
    let pair = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).expect("hex digits");
    (0..digits.len()).step_by(2).map(pair).collect()
}

#[test]
fn text_compares_and_matches_as_in_mariadb() {
    let mut wrong = Vec::new();
    for line in include_str!("recorded/compare.tsv").lines() {
        let [collation, a, b, order, matches] =
            line.split('\t').collect::<Vec<_>>().try_into().expect("five fields");
        let collation = Collation::from_name(collation).expect("a collation we have");
        let (left, right) = (unhex(a), unhex(b));
        let found = compare(collation, &left, &right);
        let (mut x, mut y) = (Vec::new(), Vec::new());
        write_weights(collation, &left, &mut x);
        write_weights(collation, &right, &mut y);
        let same = (found as i8).to_string() == order
            && x.cmp(&y) == found
            && equal(collation, &left, &right) == found.is_eq()
            && like(collation, &left, &right, Some('\\')) == (matches == "1");
        if !same {
            wrong.push(line);
        }
    }
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
}
