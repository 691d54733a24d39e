//! Tests of `text`: what the module's documentation promises, by example.

use super::*;

fn double(value: f64) -> String {
    let mut out = Vec::new();
    write_f64(value, &mut out);
    String::from_utf8(out).expect("a number is ASCII")
}

fn float(value: f32) -> String {
    let mut out = Vec::new();
    write_f32(value, &mut out);
    String::from_utf8(out).expect("a number is ASCII")
}

#[test]
fn doubles_have_the_fewest_digits_that_say_the_number() {
    assert_eq!(double(0.1 + 0.2), "0.30000000000000004");
    assert_eq!(double(100000000000000.0), "100000000000000");
    assert_eq!(double(999999999999999.0), "999999999999999");
    assert_eq!(double(1e15), "1e15");
    assert_eq!(double(1.5e20), "1.5e20");
    assert_eq!(double(1234567890123456.0), "1.234567890123456e15");
    assert_eq!(double(1234567890123456.5), "1234567890123456.5");
    assert_eq!(double(12345678901234567.0), "1.2345678901234568e16");
    assert_eq!(double(-1e-14), "-0.00000000000001");
    assert_eq!(double(1e-16), "1e-16");
    assert_eq!(double(1.7976931348623157e308), "1.7976931348623157e308");
    assert_eq!(double(-0.0), "-0");
}

#[test]
fn what_would_be_long_in_a_text_has_an_exponent_there() {
    let double = |value: f64| {
        let mut out = b"d=".to_vec();
        write_f64_in_text(value, &mut out);
        String::from_utf8(out).expect("a number is ASCII")
    };
    assert_eq!(double(1.234567890123456e-5), "d=0.00001234567890123456");
    assert_eq!(double(-1.234567890123456e-5), "d=-1.234567890123456e-5");
    assert_eq!(double(-6.5613356646677305e-12), "d=-6.561335664667731e-12");
    assert_eq!(double(1e-15), "d=0.000000000000001");
    let mut out = Vec::new();
    write_f32_in_text(1.5e-9, &mut out);
    write_f32_in_text(-1.5e-9, &mut out);
    assert_eq!(out, b"0.0000000015-1.5e-9");
}

#[test]
fn floats_have_six_significant_digits() {
    assert_eq!(float(0.1), "0.1");
    assert_eq!(float(16777217.0), "16777200");
    assert_eq!(float(1234567.0), "1234570");
    assert_eq!(float(3.4028235e38), "3.40282e38");
    assert_eq!(float(0.000012345), "0.000012345");
    assert_eq!(float(1.0 / 3.0), "0.333333");
}

#[test]
fn whole_numbers_print_as_rust_prints_them() {
    for value in [0, 7, 10, 99, 100, 12345, u64::MAX] {
        let mut out = Vec::new();
        write_u64(value, &mut out);
        assert_eq!(out, value.to_string().into_bytes());
    }
    for value in [i64::MIN, -1, 0, i64::MAX] {
        let mut out = Vec::new();
        write_i64(value, &mut out);
        assert_eq!(out, value.to_string().into_bytes());
    }
}
