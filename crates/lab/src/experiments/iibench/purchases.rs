//! The table of Tokutek's program, and what is in each of its rows.
//!
//! Invariants
//! 1. A row is a pure function of seed and number, so that what a server has can be told from what
//!    it must have without a copy of it.

use std::fmt::Write as _;

use crate::protocols::mysql::TextRow;
use crate::users::mix;

/// The columns.
pub const COLUMNS: &str = "transactionid BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, \
    dateandtime DATETIME, cashregisterid INT NOT NULL, customerid INT NOT NULL, \
    productid INT NOT NULL, price FLOAT NOT NULL, data VARCHAR(40)";
/// The secondary indexes.
pub const INDEXES: [&str; 3] = [
    "KEY marketsegment (price, customerid)",
    "KEY registersegment (cashregisterid, price, customerid)",
    "KEY pdc (price, dateandtime, customerid)",
];
/// The columns of a row as it is inserted.
pub const INSERTED: &str = "dateandtime, cashregisterid, customerid, productid, price, data";
/// Registers, from 0 on.
pub const CASH_REGISTERS: u64 = 1_000;
/// Prices are below this.
pub const PRICES: u64 = 500;
const PRODUCTS: u64 = 10_000;
const CUSTOMERS: u64 = 100_000;

/// A row.
#[derive(Debug, Clone, Copy)]
pub struct Purchase {
    number: u64,
    dice: u64,
}

impl Purchase {
    /// The row of a number.
    pub fn new(seed: u64, number: u64) -> Purchase {
        Purchase { number, dice: mix(seed ^ number) }
    }

    /// Its register.
    pub fn register(self) -> u64 {
        self.dice % CASH_REGISTERS
    }

    /// Its customer.
    pub fn customer(self) -> u64 {
        self.dice / 7 % CUSTOMERS
    }

    /// The whole part of its price.
    pub fn price(self) -> u64 {
        self.dice / 13 % PRICES
    }

    fn product(self) -> u64 {
        self.dice / 11 % PRODUCTS
    }

    fn cents(self) -> u64 {
        self.dice / 17 % 100
    }

    fn push_moment(self, out: &mut String) {
        let (day, second) = (1 + self.number / 86_400 % 28, self.number % 86_400);
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        // Writing to memory does not fail.
        let _ = write!(out, "2026-01-{day:02} {hour:02}:{minute:02}:{second:02}");
    }

    fn push_data(self, out: &mut String) {
        let _ = write!(out, "{:x}{:x}", self.dice, mix(self.dice));
    }

    /// Appends its values, in brackets, as an INSERT has them.
    pub fn push_values(self, out: &mut String) {
        out.push_str("('");
        self.push_moment(out);
        let (register, customer, product) = (self.register(), self.customer(), self.product());
        let (price, cents) = (self.price(), self.cents());
        let _ = write!(out, "',{register},{customer},{product},{price}.{cents:02},'");
        self.push_data(out);
        out.push_str("')");
    }

    /// Whether these columns, as `INSERTED` names them, are this row's.
    pub fn is(self, columns: &[Option<Vec<u8>>]) -> bool {
        let text = |at: usize| std::str::from_utf8(columns.get(at)?.as_ref()?).ok();
        let number = |at: usize| text(at)?.parse::<u64>().ok();
        // A FLOAT of so few digits is told exactly, however many zeros stand behind it.
        let cents = || Some((text(4)?.parse::<f64>().ok()? * 100.0).round() as u64);
        let (mut moment, mut data) = (String::new(), String::new());
        self.push_moment(&mut moment);
        self.push_data(&mut data);
        columns.len() == 6
            && text(0) == Some(moment.as_str())
            && number(1) == Some(self.register())
            && number(2) == Some(self.customer())
            && number(3) == Some(self.product())
            && cents() == Some(100 * self.price() + self.cents())
            && text(5) == Some(data.as_str())
    }
}

/// Whether a row of `transactionid` and the inserted columns is this one.
pub fn is_row(found: &TextRow, id: u64, purchase: Purchase) -> bool {
    let told = found.first().and_then(Option::as_ref);
    told.is_some_and(|told| told == id.to_string().as_bytes()) && purchase.is(&found[1..])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values of a row as a server gives them back.
    fn read(purchase: Purchase) -> TextRow {
        let mut text = String::new();
        purchase.push_values(&mut text);
        let values = text.trim_matches(|bracket| "()".contains(bracket)).split(',');
        values.map(|value| Some(value.trim_matches('\'').as_bytes().to_vec())).collect()
    }

    #[test]
    fn a_row_is_itself_and_no_other() {
        let purchase = Purchase::new(1, 90_061);
        let mut columns = read(purchase);
        assert_eq!(columns[0].as_deref(), Some(&b"2026-01-02 01:01:01"[..]));
        assert!(purchase.is(&columns) && !Purchase::new(1, 90_062).is(&columns));
        let row: TextRow = [vec![Some(b"7".to_vec())], columns.clone()].concat();
        assert!(is_row(&row, 7, purchase) && !is_row(&row, 8, purchase));
        columns[2] = None;
        assert!(!purchase.is(&columns));
    }

    #[test]
    fn zeros_behind_a_price_do_not_matter() {
        let purchase = (0..).map(|number| Purchase::new(1, number)).find(|it| it.cents() == 50);
        let purchase = purchase.expect("one of a hundred");
        let mut columns = read(purchase);
        columns[4] = Some(format!("{}.5", purchase.price()).into_bytes());
        assert!(purchase.is(&columns));
        columns[4] = Some(format!("{}.51", purchase.price()).into_bytes());
        assert!(!purchase.is(&columns));
    }
}
