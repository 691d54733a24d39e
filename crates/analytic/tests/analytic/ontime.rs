//! The air traffic queries Q0 to Q9 over a small seeded table, against answers computed here
//! from the same flights.

use std::collections::{BTreeMap, BTreeSet};

use crate::house::House;

/// Flights in the table.
const FLIGHTS: usize = 3000;

struct Flight {
    year: i64,
    month: i64,
    day_of_week: i64,
    carrier: String,
    origin: String,
    origin_city: String,
    dest_city: String,
    delay: i64,
}

/// A generator of numbers below a limit; the same each run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> i64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit) as i64
    }
}

fn flights() -> Vec<Flight> {
    let mut dice = Dice(88_172_645_463_325_252);
    (0..FLIGHTS)
        .map(|_| {
            let (origin, dest) = (dice.below(40), dice.below(40));
            Flight {
                year: 1999 + dice.below(12),
                month: 1 + dice.below(12),
                day_of_week: 1 + dice.below(7),
                carrier: format!("C{}", dice.below(9)),
                origin: format!("A{origin:02}"),
                origin_city: format!("City {origin}, ST"),
                dest_city: format!("City {dest}, ST"),
                delay: dice.below(60) - 20,
            }
        })
        .collect()
}

fn house(flights: &[Flight]) -> House {
    let mut house = House::new();
    house.run(
        "CREATE TABLE ontime (id INT PRIMARY KEY, Year SMALLINT, Month TINYINT, DayOfWeek TINYINT, \
         Carrier CHAR(2), Origin CHAR(5), OriginCityName VARCHAR(34), DestCityName VARCHAR(34), \
         DepDelay INT, KEY (Year, Month));\n",
    );
    for (chunk, some) in flights.chunks(200).enumerate() {
        let line = |(at, f): (usize, &Flight)| {
            let id = chunk * 200 + at;
            format!(
                "({id},{},{},{},'{}','{}','{}','{}',{})",
                f.year,
                f.month,
                f.day_of_week,
                f.carrier,
                f.origin,
                f.origin_city,
                f.dest_city,
                f.delay
            )
        };
        let lines: Vec<String> = some.iter().enumerate().map(line).collect();
        house.run(&format!("INSERT INTO ontime VALUES {}", lines.join(",")));
    }
    house
}

fn count<K: Ord>(keys: impl Iterator<Item = K>) -> BTreeMap<K, i64> {
    let mut out = BTreeMap::new();
    for key in keys {
        *out.entry(key).or_default() += 1;
    }
    out
}

/// Rows as the queries give them, sorted: ties in a count have no order of their own.
fn lines<K: std::fmt::Display>(counts: &BTreeMap<K, i64>) -> Vec<String> {
    let mut out: Vec<String> = counts.iter().map(|(key, n)| format!("{key}\t{n}")).collect();
    out.sort();
    out
}

fn sorted(mut rows: Vec<String>) -> Vec<String> {
    rows.sort();
    rows
}

/// `part * 1000 / whole` with four digits, rounded, as MySQL divides.
fn per_mille(part: i64, whole: i64) -> String {
    let scaled = part * 1000 * 10_000;
    let rounded = (2 * scaled + whole) / (2 * whole);
    format!("{}.{:04}", rounded / 10_000, rounded % 10_000)
}

#[test]
fn q0_averages_over_a_derived_table() {
    let flights = flights();
    let months = count(flights.iter().map(|f| (f.year, f.month)));
    let rounded = (2 * FLIGHTS as i64 * 10_000 + months.len() as i64) / (2 * months.len() as i64);
    let expected = format!("{}.{:04}", rounded / 10_000, rounded % 10_000);
    let answer = house(&flights).answer(
        "SELECT AVG(c1) FROM (SELECT Year, Month, COUNT(*) AS c1 FROM ontime GROUP BY Year, Month) A",
    );
    assert_eq!(answer, [expected]);
}

#[test]
fn q1_and_q2_count_by_day_of_week_in_a_range_of_years() {
    let flights = flights();
    let mut house = house(&flights);
    let within = || flights.iter().filter(|f| (2000..=2008).contains(&f.year));
    let q1 = house.answer(
        "SELECT DayOfWeek, COUNT(*) AS c FROM ontime WHERE Year BETWEEN 2000 AND 2008 \
         GROUP BY DayOfWeek ORDER BY c DESC",
    );
    let counts: Vec<i64> =
        q1.iter().map(|row| row.split('\t').nth(1).unwrap().parse().unwrap()).collect();
    assert!(counts.is_sorted_by(|a, b| a >= b));
    assert_eq!(sorted(q1), lines(&count(within().map(|f| f.day_of_week))));
    let q2 = house.answer(
        "SELECT DayOfWeek, COUNT(*) AS c FROM ontime WHERE DepDelay>10 AND Year BETWEEN 2000 AND \
         2008 GROUP BY DayOfWeek ORDER BY c DESC",
    );
    let late = within().filter(|f| f.delay > 10);
    assert_eq!(sorted(q2), lines(&count(late.map(|f| f.day_of_week))));
}

#[test]
fn q3_gives_the_ten_origins_with_most_delays() {
    let flights = flights();
    let late = flights.iter().filter(|f| (2000..=2008).contains(&f.year) && f.delay > 10);
    let counts = count(late.map(|f| f.origin.as_str()));
    let mut best: Vec<(i64, &str)> = counts.iter().map(|(origin, n)| (-n, *origin)).collect();
    best.sort();
    let expected: Vec<String> =
        best.iter().take(10).map(|(n, origin)| format!("{origin}\t{}", -n)).collect();
    let answer = house(&flights).answer(
        "SELECT Origin, COUNT(*) AS c FROM ontime WHERE DepDelay>10 AND Year BETWEEN 2000 AND 2008 \
         GROUP BY Origin ORDER BY c DESC, Origin LIMIT 10",
    );
    assert_eq!(answer, expected);
}

#[test]
fn q4_counts_delays_by_carrier_in_a_year() {
    let flights = flights();
    let late = flights.iter().filter(|f| f.year == 2007 && f.delay > 10);
    let expected = lines(&count(late.map(|f| f.carrier.as_str())));
    let answer = house(&flights).answer(
        "SELECT Carrier, COUNT(*) FROM ontime WHERE DepDelay>10 AND Year=2007 GROUP BY Carrier \
         ORDER BY 2 DESC",
    );
    assert_eq!(sorted(answer), expected);
}

/// Delayed flights per mille by some key.
fn delayed<'f, K: Ord + std::fmt::Display>(
    flights: impl Iterator<Item = &'f Flight> + Clone,
    key: impl Fn(&'f Flight) -> K,
) -> Vec<String> {
    let all = count(flights.clone().map(&key));
    let late = count(flights.filter(|f| f.delay > 10).map(&key));
    let line = |(key, n): (&K, &i64)| format!("{key}\t{}", per_mille(*n, all[key]));
    sorted(late.iter().map(line).collect())
}

#[test]
fn q5_and_q6_join_two_derived_tables() {
    let flights = flights();
    let mut house = house(&flights);
    for (condition, from, to) in
        [("Year=2007", 2007, 2007), ("Year BETWEEN 2000 AND 2008", 2000, 2008)]
    {
        let answer = house.answer(&format!(
            "SELECT t.Carrier, c*1000/c2 AS c3 FROM (SELECT Carrier, COUNT(*) AS c FROM ontime \
             WHERE DepDelay>10 AND {condition} GROUP BY Carrier) t JOIN (SELECT Carrier, COUNT(*) \
             AS c2 FROM ontime WHERE {condition} GROUP BY Carrier) t2 ON (t.Carrier=t2.Carrier) \
             ORDER BY c3 DESC"
        ));
        let chosen = flights.iter().filter(|f| (from..=to).contains(&f.year));
        assert_eq!(sorted(answer), delayed(chosen, |f| f.carrier.as_str()));
    }
}

#[test]
fn q5_in_one_pass_gives_the_same() {
    let flights = flights();
    let answer = house(&flights).answer(
        "SELECT Carrier, SUM(IF(DepDelay>10,1,0))*1000/COUNT(*) FROM ontime WHERE Year=2007 \
         GROUP BY Carrier",
    );
    let chosen = flights.iter().filter(|f| f.year == 2007);
    assert_eq!(sorted(answer), delayed(chosen, |f| f.carrier.as_str()));
}

#[test]
fn q7_joins_derived_tables_by_year() {
    let flights = flights();
    let answer = house(&flights).answer(
        "SELECT t.Year, c1*1000/c2 FROM (SELECT Year, COUNT(*) AS c1 FROM ontime WHERE DepDelay>10 \
         GROUP BY Year) t JOIN (SELECT Year, COUNT(*) AS c2 FROM ontime GROUP BY Year) t2 \
         ON (t.Year=t2.Year)",
    );
    assert_eq!(sorted(answer), delayed(flights.iter(), |f| f.year));
}

#[test]
fn q8_counts_distinct_origins_per_destination() {
    let flights = flights();
    let mut house = house(&flights);
    for (from, to) in [(1999, 1999), (1999, 2002), (1999, 2008)] {
        let mut origins: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for f in flights.iter().filter(|f| (from..=to).contains(&f.year)) {
            origins.entry(&f.dest_city).or_default().insert(&f.origin_city);
        }
        let mut best: Vec<(i64, &str)> =
            origins.iter().map(|(dest, from)| (-(from.len() as i64), *dest)).collect();
        best.sort();
        let expected: Vec<String> =
            best.iter().take(10).map(|(n, dest)| format!("{dest}\t{}", -n)).collect();
        let answer = house.answer(&format!(
            "SELECT DestCityName, COUNT(DISTINCT OriginCityName) FROM ontime WHERE Year BETWEEN \
             {from} AND {to} GROUP BY DestCityName ORDER BY 2 DESC, 1 LIMIT 10"
        ));
        assert_eq!(answer, expected);
    }
}

#[test]
fn q9_counts_by_year() {
    let flights = flights();
    let answer = house(&flights).answer("SELECT Year, COUNT(*) AS c1 FROM ontime GROUP BY Year");
    assert_eq!(sorted(answer), lines(&count(flights.iter().map(|f| f.year))));
}
