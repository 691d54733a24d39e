//! Tests of `decimal`: what the module's documentation promises, by example.

use super::*;

fn dec(text: &str) -> Decimal {
    Decimal::parse(text.as_bytes()).expect("a decimal in a test")
}

#[test]
fn numbers_print_with_all_digits_of_their_scale() {
    for text in ["0", "0.00", "-0.50", "12.345", "-1", "0.000000000000000000000000000001"] {
        assert_eq!(dec(text).to_string(), text);
    }
    let nines = format!("-{}.{}", "9".repeat(35), "9".repeat(30));
    assert_eq!(dec(&nines).to_string(), nines);
    assert_eq!(dec("-0").to_string(), "0");
    assert_eq!(dec(".5").to_string(), "0.5");
    assert_eq!(dec("1.5e3").to_string(), "1500");
    assert_eq!(dec("15e-3").to_string(), "0.015");
}

#[test]
fn rounding_goes_half_away_from_zero() {
    let round = |text: &str, scale| dec(text).rescale(scale).unwrap().to_string();
    assert_eq!(round("2.5", 0), "3");
    assert_eq!(round("-2.5", 0), "-3");
    assert_eq!(round("2.4999", 0), "2");
    assert_eq!(round("0.005", 2), "0.01");
    assert_eq!(round("-0.004", 2), "0.00");
    assert_eq!(round("1.5", 3), "1.500");
}

#[test]
fn a_column_takes_the_nearest_number_it_has() {
    let fit = |text: &str| {
        let (value, fit) = dec(text).fit(5, 2);
        (value.to_string(), fit)
    };
    assert_eq!(fit("999.99"), ("999.99".into(), Fit::Exact));
    assert_eq!(fit("1.500"), ("1.50".into(), Fit::Exact));
    assert_eq!(fit("1.005"), ("1.01".into(), Fit::Rounded));
    assert_eq!(fit("999.995"), ("999.99".into(), Fit::OutOfRange));
    assert_eq!(fit("-1e20"), ("-999.99".into(), Fit::OutOfRange));
    let most = format!("1e{}", 73);
    assert_eq!(dec(&most).fit(65, 30).1, Fit::OutOfRange);
}

#[test]
fn numbers_compare_across_scales() {
    assert_eq!(dec("1.0"), dec("1.00"));
    assert!(dec("-1.01") < dec("-1.0"));
    assert!(dec("-1") < dec("0.5"));
    assert!(dec("10") > dec("9.999999999"));
    let large = "9".repeat(70);
    assert!(dec(&large) > dec("0.0000000000000000000000000000000000000000000001"));
}

#[test]
fn arithmetic_is_exact_or_rounds_once() {
    assert_eq!(dec("1.5").checked_add(dec("2.25")).unwrap().to_string(), "3.75");
    assert_eq!(dec("1.5").checked_sub(dec("2.25")).unwrap().to_string(), "-0.75");
    assert_eq!(dec("1.5").checked_mul(dec("-2.25")).unwrap().to_string(), "-3.375");
    assert_eq!(dec("1").checked_div(dec("3"), 4).unwrap().to_string(), "0.3333");
    assert_eq!(dec("2").checked_div(dec("-3"), 4).unwrap().to_string(), "-0.6667");
    assert_eq!(dec("7.5").checked_rem(dec("-2")).unwrap().to_string(), "1.5");
    assert!(dec("1").checked_div(Decimal::ZERO, 4).is_none());
    let large = format!("{}.{}", "9".repeat(35), "9".repeat(30));
    let one = format!("1.{}", "0".repeat(30));
    assert_eq!(dec(&large).checked_mul(dec(&one)).unwrap().to_string(), large);
    assert_eq!(dec(&large).checked_div(dec(&one), 30).unwrap().to_string(), large);
    assert!(dec(&large).checked_mul(dec(&large)).is_none());
}

#[test]
fn other_numbers_come_and_go() {
    assert_eq!(Decimal::from(i64::MIN).to_string(), i64::MIN.to_string());
    assert_eq!(Decimal::from(u64::MAX).to_u64(), Some(u64::MAX));
    assert_eq!(Decimal::from(u64::MAX).to_i64(), None);
    assert_eq!(dec("-2.5").to_i64(), Some(-3));
    assert_eq!(dec("0.1").to_f64(), 0.1);
    assert_eq!(dec("12345678901234567890.123").to_f64(), 12345678901234567890.123);
    assert_eq!(Decimal::from_f64(0.1).unwrap().to_string(), "0.1");
    assert_eq!(Decimal::from_f64(1e20).unwrap().to_string(), "100000000000000000000");
    assert_eq!(Decimal::from_f64(-1e-20).unwrap().to_string(), "-0.00000000000000000001");
    assert!(Decimal::from_f64(f64::NAN).is_none());
    assert!(Decimal::from_f64(1e300).is_none());
}

#[test]
fn text_is_read_up_to_what_is_no_number() {
    let read = Decimal::read(b"  12.5abc").unwrap();
    assert_eq!((read.value.to_string().as_str(), read.used), ("12.5", 6));
    let read = Decimal::read(b"1e").unwrap();
    assert_eq!((read.value.to_string().as_str(), read.used), ("1", 1));
    assert!(Decimal::read(b"-").is_none());
    assert!(Decimal::read(b".").is_none());
    assert!(Decimal::read("9".repeat(80).as_bytes()).unwrap().overflow);
    assert!(Decimal::read(b"1e100000000000").unwrap().overflow);
    assert!(Decimal::read(b"1e-100000000000").unwrap().value.is_zero());
}
