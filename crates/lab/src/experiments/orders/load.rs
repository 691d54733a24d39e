//! Filling the tables (TPC-C, clause 4.3.3.1), seeded, through LOAD DATA LOCAL INFILE.
//!
//! Invariants
//! 1. A row depends on seed, scale and its key alone, so that both servers hold the same.
//! 2. The first orders of a district have been made by its customers, one each; `delivered` of
//!    them have a carrier, the others stand in `new_order`.

use std::fmt::Write;

use anyhow::{Result, ensure};

use super::scale::{DISTRICTS, OrdersScale};
use super::schema::{NAMES, TABLES};
use crate::experiments::dice::Dice;
use crate::experiments::loading::DATABASE;
use crate::experiments::progress;
use crate::protocols::mysql::MysqlSession;

/// The moment at which everything began.
pub const BEGAN: &str = "2026-01-01 00:00:00";
/// Rows of items and stocks in one chunk of a file.
const CHUNK: i64 = 1_000;

/// Makes and fills the tables on a server that has none of them.
pub fn load(session: &mut MysqlSession, scale: OrdersScale, seed: u64) -> Result<()> {
    session.execute(&format!("CREATE DATABASE {DATABASE}"))?;
    session.execute(&format!("USE {DATABASE}"))?;
    for table in TABLES {
        session.execute(table)?;
    }
    let company = Company { scale, seed };
    let (warehouses, items) = (1..=scale.warehouses, scale.items);
    fill(session, "item", (1..=items).step_by(CHUNK as usize).map(|from| company.items(from)))?;
    fill(session, "warehouse", warehouses.clone().map(|w| company.warehouse(w)))?;
    for w in warehouses {
        progress(&format!("loading warehouse {w} of {}", scale.warehouses));
        let parts = (1..=items).step_by(CHUNK as usize);
        fill(session, "stock", parts.map(|from| company.stock(w, from)))?;
        let districts = || 1..=DISTRICTS;
        fill(session, "district", districts().map(|d| company.district(w, d)))?;
        fill(session, "customer", districts().map(|d| company.customers(w, d)))?;
        fill(session, "history", districts().map(|d| company.history(w, d)))?;
        fill(session, "orders", districts().map(|d| company.orders(w, d)))?;
        fill(session, "order_line", districts().map(|d| company.order_lines(w, d)))?;
        fill(session, "new_order", districts().map(|d| company.new_orders(w, d)))?;
    }
    for table in NAMES {
        session.execute(&format!("ANALYZE TABLE {table}"))?;
    }
    Ok(())
}

fn fill(
    session: &mut MysqlSession,
    table: &str,
    chunks: impl Iterator<Item = String>,
) -> Result<()> {
    let mut lines = 0;
    let chunks = chunks.map(|chunk| {
        lines += chunk.lines().count() as u64;
        chunk.into_bytes()
    });
    let sql = format!("LOAD DATA LOCAL INFILE '{table}' INTO TABLE {table}");
    let (rows, info) = session.load_data(&sql, chunks)?;
    ensure!(rows == lines, "{table} took {rows} of {lines} rows: {info}");
    Ok(())
}

/// The rows, as lines of files.
struct Company {
    scale: OrdersScale,
    seed: u64,
}

/// Appends a line; to a `String` that cannot fail.
macro_rules! push_line {
    ($out:expr, $($argument:tt)*) => {
        writeln!($out, $($argument)*).expect("a String takes everything")
    };
}

impl Company {
    fn dice(&self, table: &str, path: [i64; 3]) -> Dice {
        let table = table.bytes().fold(0, |sum: u64, byte| sum * 31 + u64::from(byte));
        let [a, b, c] = path.map(|step| step as u64);
        Dice::new(self.seed, &[table, a, b, c])
    }

    fn items(&self, from: i64) -> String {
        let mut out = String::new();
        let mut dice = self.dice("item", [from, 0, 0]);
        for i in from..(from + CHUNK).min(self.scale.items + 1) {
            let (image, name) = (dice.between(1, 10_000), dice.letters(14, 24));
            let (price, data) = (money(dice.between(100, 10_000)), original(&mut dice));
            push_line!(out, "{i}\t{image}\t{name}\t{price}\t{data}");
        }
        out
    }

    fn warehouse(&self, w: i64) -> String {
        let mut dice = self.dice("warehouse", [w, 0, 0]);
        let (name, address) = (dice.letters(6, 10), address(&mut dice));
        let tax = ten_thousandths(dice.between(0, 2_000));
        let ytd = money(1_000 * DISTRICTS * self.scale.customers);
        format!("{w}\t{name}\t{address}\t{tax}\t{ytd}\n")
    }

    fn district(&self, w: i64, d: i64) -> String {
        let mut dice = self.dice("district", [w, d, 0]);
        let (name, address) = (dice.letters(6, 10), address(&mut dice));
        let tax = ten_thousandths(dice.between(0, 2_000));
        let ytd = money(1_000 * self.scale.customers);
        format!("{d}\t{w}\t{name}\t{address}\t{tax}\t{ytd}\t{}\n", self.scale.customers + 1)
    }

    fn stock(&self, w: i64, from: i64) -> String {
        let mut out = String::new();
        let mut dice = self.dice("stock", [w, from, 0]);
        for i in from..(from + CHUNK).min(self.scale.items + 1) {
            let quantity = dice.between(10, 100);
            let districts: Vec<String> = (0..DISTRICTS).map(|_| dice.letters(24, 24)).collect();
            let (districts, data) = (districts.join("\t"), original(&mut dice));
            push_line!(out, "{i}\t{w}\t{quantity}\t{districts}\t0\t0\t0\t{data}");
        }
        out
    }

    fn customers(&self, w: i64, d: i64) -> String {
        let mut out = String::new();
        let mut dice = self.dice("customer", [w, d, 0]);
        for c in 1..=self.scale.customers {
            let first = dice.letters(8, 16);
            let last = self.scale.name_loaded(&mut dice, c);
            let (address, phone) = (address(&mut dice), dice.digits(16));
            let credit = if dice.percent(10) { "BC" } else { "GC" };
            let discount = ten_thousandths(dice.between(0, 5_000));
            let data = dice.letters(300, 500);
            push_line!(
                out,
                "{c}\t{d}\t{w}\t{first}\tOE\t{last}\t{address}\t{phone}\t{BEGAN}\t{credit}\t\
                 50000.00\t{discount}\t-10.00\t10.00\t1\t0\t{data}"
            );
        }
        out
    }

    fn history(&self, w: i64, d: i64) -> String {
        let mut out = String::new();
        let mut dice = self.dice("history", [w, d, 0]);
        for c in 1..=self.scale.customers {
            let data = dice.letters(12, 24);
            push_line!(out, "{c}\t{d}\t{w}\t{d}\t{w}\t{BEGAN}\t10.00\t{data}");
        }
        out
    }

    /// Numbers of lines of a district's first orders.
    fn line_counts(&self, w: i64, d: i64) -> Vec<i64> {
        let mut dice = self.dice("lines", [w, d, 0]);
        (0..self.scale.customers).map(|_| dice.between(5, 15)).collect()
    }

    fn orders(&self, w: i64, d: i64) -> String {
        let mut out = String::new();
        let mut dice = self.dice("orders", [w, d, 0]);
        let customers = dice.permutation(self.scale.customers);
        for (o, (c, lines)) in (1..).zip(customers.into_iter().zip(self.line_counts(w, d))) {
            let carrier = if o <= self.scale.delivered() {
                dice.between(1, 10).to_string()
            } else {
                "\\N".to_owned()
            };
            push_line!(out, "{o}\t{d}\t{w}\t{c}\t{BEGAN}\t{carrier}\t{lines}\t1");
        }
        out
    }

    fn order_lines(&self, w: i64, d: i64) -> String {
        let mut out = String::new();
        let mut dice = self.dice("order_line", [w, d, 0]);
        for (o, lines) in (1..).zip(self.line_counts(w, d)) {
            for number in 1..=lines {
                let (item, info) = (dice.between(1, self.scale.items), dice.letters(24, 24));
                let (delivered, amount) = if o <= self.scale.delivered() {
                    (BEGAN, money(0))
                } else {
                    ("\\N", money(dice.between(1, 999_999)))
                };
                push_line!(
                    out,
                    "{o}\t{d}\t{w}\t{number}\t{item}\t{w}\t{delivered}\t5\t{amount}\t{info}"
                );
            }
        }
        out
    }

    fn new_orders(&self, w: i64, d: i64) -> String {
        let mut out = String::new();
        for o in self.scale.delivered() + 1..=self.scale.customers {
            push_line!(out, "{o}\t{d}\t{w}");
        }
        out
    }
}

/// Two streets, city, state, postal code.
fn address(dice: &mut Dice) -> String {
    let streets = [dice.letters(10, 20), dice.letters(10, 20), dice.letters(10, 20)].join("\t");
    format!("{streets}\t{}\t{}11111", dice.letters(2, 2), dice.digits(4))
}

/// A text which says of one in ten that it is an original.
fn original(dice: &mut Dice) -> String {
    let mut text = dice.letters(26, 50);
    if dice.percent(10) {
        let at = dice.between(0, text.len() as i64 - 8) as usize;
        text.replace_range(at..at + 8, "ORIGINAL");
    }
    text
}

/// An amount of cents.
pub fn money(cents: i64) -> String {
    let sign = if cents < 0 { "-" } else { "" };
    format!("{sign}{}.{:02}", cents.abs() / 100, cents.abs() % 100)
}

fn ten_thousandths(count: i64) -> String {
    format!("0.{count:04}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_and_their_lines_agree() {
        let scale = OrdersScale { warehouses: 1, customers: 30, items: 100 };
        let company = Company { scale, seed: 5 };
        let field = |line: &str, at: usize| line.split('\t').nth(at).unwrap().to_owned();
        let counts: Vec<usize> =
            company.orders(1, 2).lines().map(|line| field(line, 6).parse().unwrap()).collect();
        let lines = company.order_lines(1, 2);
        assert_eq!(lines.lines().count(), counts.iter().sum::<usize>());
        let of = |o: usize| lines.lines().filter(|line| field(line, 0) == o.to_string()).count();
        assert!(counts.iter().enumerate().all(|(at, count)| of(at + 1) == *count));
        let mut open =
            lines.lines().filter(|line| field(line, 6) == "\\N").map(|line| field(line, 0));
        assert!(open.all(|o| o.parse::<i64>().unwrap() > scale.delivered()));
        assert_eq!(company.new_orders(1, 2).lines().count(), 9);
    }

    #[test]
    fn cents_are_written_with_two_digits() {
        assert_eq!([money(-1005), money(7), money(30_000)], ["-10.05", "0.07", "300.00"]);
    }
}
