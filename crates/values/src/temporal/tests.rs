//! Tests of `temporal`: what the module's documentation promises, by example.

use super::*;

/// No fraction of a second.
const WHOLE: Fraction = Fraction { micros: 0, round_up: false };

fn text(write: impl FnOnce(&mut Vec<u8>)) -> String {
    let mut out = Vec::new();
    write(&mut out);
    String::from_utf8(out).expect("temporal text is ASCII")
}

fn datetime(from: &str) -> DateTime {
    read_datetime(from.as_bytes()).expect("a date in a test").value
}

#[test]
fn every_day_of_ten_thousand_years_goes_to_a_number_and_back() {
    let first = Date::new(1, 1, 1).unwrap().days().unwrap();
    let last = Date::MAX.days().unwrap();
    let mut before = Date::ZERO;
    for days in first..=last {
        let date = Date::from_days(days).unwrap();
        assert_eq!(date.days(), Some(days));
        assert!(date > before);
        before = date;
    }
    assert_eq!(before, Date::MAX);
    assert_eq!(Date::new(1970, 1, 1).unwrap().days(), Some(0));
    assert_eq!(Date::from_days(last + 1), None);
}

#[test]
fn dates_may_have_zero_parts_but_no_days_that_do_not_exist() {
    assert!(Date::new(2024, 0, 31).is_some());
    assert!(Date::new(2024, 5, 0).unwrap().has_zero_part());
    assert!(Date::new(2023, 2, 29).is_none());
    assert!(Date::new(2024, 2, 29).is_some());
    assert!(Date::new(1900, 2, 29).is_none());
    assert!(Date::new(10000, 1, 1).is_none());
}

#[test]
fn packed_numbers_order_as_times() {
    let times = [
        "0000-00-00",
        "0000-01-01",
        "2024-01-02",
        "2024-01-02 00:00:00.000001",
        "2024-01-02 00:00:01",
        "2024-01-02 01:00:00",
        "2024-02-01",
        "9999-12-31 23:59:59.999999",
    ];
    assert!(times.windows(2).all(|pair| datetime(pair[0]) < datetime(pair[1])));
    for time in times {
        let value = datetime(time);
        assert_eq!(DateTime::from_packed(value.packed()), Some(value));
    }
}

#[test]
fn rounding_carries_into_the_day_but_not_past_the_calendar() {
    let round =
        |from: &str, fsp| datetime(from).round(fsp).map(|value| text(|out| value.write(fsp, out)));
    assert_eq!(round("2024-02-28 23:59:59.5", 0).unwrap(), "2024-02-29 00:00:00");
    assert_eq!(round("2024-02-28 23:59:59.96", 1).unwrap(), "2024-02-29 00:00:00.0");
    assert_eq!(round("2024-02-28 23:59:59.94", 1).unwrap(), "2024-02-28 23:59:59.9");
    assert_eq!(round("2024-02-28 00:00:00.123456", 6).unwrap(), "2024-02-28 00:00:00.123456");
    assert_eq!(round("2024-00-10 10:00:00.5", 0).unwrap(), "2024-00-10 10:00:01");
    assert_eq!(round("9999-12-31 23:59:59.5", 0), None);
    assert_eq!(Time::MAX.round(0), None);
    assert_eq!(Time::new(true, 1, 0, 0, 500_000).unwrap().round(0), Time::new(true, 1, 0, 1, 0));
}

#[test]
fn instants_show_the_clock_of_a_zone() {
    let zone = Zone::parse("+05:30").unwrap();
    assert_eq!(zone, Zone::ahead(19_800));
    let noon = datetime("2024-01-02 12:00:00");
    let instant = noon.to_timestamp(zone).unwrap();
    assert_eq!(instant.to_datetime(zone), noon);
    assert_eq!(instant.to_datetime(Zone::UTC), datetime("2024-01-02 06:30:00"));
    assert_eq!(datetime("1970-01-01").to_timestamp(Zone::UTC), None);
    assert_eq!(datetime("2038-01-19 03:14:08").to_timestamp(Zone::UTC), None);
    assert_eq!(DateTime::ZERO.to_timestamp(zone), Some(Timestamp::ZERO));
    assert_eq!(Zone::parse("+14:01"), None);
    assert_eq!(Zone::parse("5:00"), None);
    assert_eq!(Zone::parse("-13:59"), Some(Zone::ahead(-50_340)));
}

#[test]
fn a_distance_from_utc_may_follow_a_full_time() {
    let read = read_datetime(b"2024-01-02 03:04:05.5+05:30").unwrap();
    assert_eq!((read.offset, read.garbage), (Some(19_800), false));
    let read = read_datetime(b"2024-01-02 03:04:05+14:01").unwrap();
    assert_eq!((read.offset, read.garbage), (None, true));
}

#[test]
fn digits_behind_the_microseconds_round_them_and_all_before_them() {
    let moment = |from: &str| text(|out| datetime(from).write(6, out));
    assert_eq!(moment("2001-12-31 23:59:59.9999995"), "2002-01-01 00:00:00.000000");
    assert_eq!(moment("2001-12-31 23:59:59.99999949"), "2001-12-31 23:59:59.999999");
    assert_eq!(read_datetime(b"9999-12-31 23:59:59.9999999"), None);
    let time = |from: &str| {
        let value = read_time(from.as_bytes()).expect("a time").value;
        text(|out| value.write(6, out))
    };
    assert_eq!(time("23:59:59.9999995"), "24:00:00.000000");
    assert_eq!(time("-10:00:00.0000019"), "-10:00:00.000002");
    assert_eq!(time("2001-12-31 23:59:59.9999995"), "24:00:00.000000");
    let fraction = Fraction { micros: 999_999, round_up: true };
    let next = number_to_datetime(20011231235959, fraction).unwrap().0;
    assert_eq!(text(|out| next.write(6, out)), "2002-01-01 00:00:00.000000");
    let below = number_to_time(0, fraction, true).unwrap().0;
    assert_eq!(text(|out| below.write(0, out)), "-00:00:01");
}

#[test]
fn numbers_are_dates_too() {
    let of = |number| {
        number_to_datetime(number, WHOLE).map(|(value, _)| text(|out| value.write(0, out)))
    };
    assert_eq!(of(240131).unwrap(), "2024-01-31 00:00:00");
    assert_eq!(of(700101).unwrap(), "1970-01-01 00:00:00");
    assert_eq!(of(20240131).unwrap(), "2024-01-31 00:00:00");
    assert_eq!(of(240131235959).unwrap(), "2024-01-31 23:59:59");
    assert_eq!(of(20240131235959).unwrap(), "2024-01-31 23:59:59");
    assert_eq!(of(0).unwrap(), "0000-00-00 00:00:00");
    for wrong in [-1, 100, 20241301, 691232, 240131240000, i64::MAX] {
        assert_eq!(of(wrong), None, "{wrong}");
    }
    assert_eq!(
        number_to_time(-115959, WHOLE, true),
        Some((Time::new(true, 11, 59, 59, 0).unwrap(), false))
    );
    assert_eq!(number_to_time(8390000, WHOLE, false), Some((Time::LONGEST, true)));
    assert_eq!(number_to_time(60, WHOLE, false), None);
}

#[test]
fn the_first_days_of_year_0_are_counted_without_a_leap_day() {
    let date = |year, month, day| Date::new(year, month, day).expect("a date");
    let days: Vec<i32> = [date(0, 1, 1), date(0, 2, 28), date(0, 3, 1), date(1, 1, 1)]
        .map(|date| date.days().expect("a day") + 719_528)
        .into();
    assert_eq!(days, [1, 59, 60, 366]);
    assert_eq!(Date::from_days(1 - 719_528), Some(date(0, 1, 1)));
    assert_eq!(Date::from_days(59 - 719_528), Some(date(0, 2, 28)));
    assert_eq!(Date::from_days(-719_528), None);
}

#[test]
fn a_bound_is_between_the_last_of_a_month_and_the_first_of_the_next() {
    let day = |text: &str| read_datetime(text.as_bytes()).expect("a day").value;
    let bound = |text: &str| read_bound(text.as_bytes()).map(|read| read.value);
    assert_eq!(read_datetime(b"2023-02-29"), None);
    let february = bound("2023-02-29").expect("a bound");
    assert!(day("2023-02-28 23:59:59.999999") < february && february < day("2023-03-01"));
    assert_eq!(number_to_bound(20230229, WHOLE), Some((february, true)));
    assert_eq!(bound("2023-04-30"), Some(day("2023-04-30")));
    assert_eq!((bound("2023-04-32"), bound("2023-13-01")), (None, None));
}

#[test]
fn times_print_their_sign_hours_and_fraction() {
    let time =
        |from: &str, fsp| text(|out| read_time(from.as_bytes()).unwrap().value.write(fsp, out));
    assert_eq!(time("-838:59:59", 0), "-838:59:59");
    assert_eq!(time("-0:0:0.5", 1), "-00:00:00.5");
    assert_eq!(time("1 1:2:3.25", 3), "25:02:03.250");
    assert_eq!(time("2024-01-02 03:04:05", 0), "03:04:05");
}
