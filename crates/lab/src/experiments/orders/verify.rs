//! The consistency conditions 1 to 12 of TPC-C (clause 3.3.2), and that nothing acknowledged is
//! lost.
//!
//! Everything is read by plain queries and compared here, so that no condition rests on a join of
//! the server that is judged. Condition 11 holds as it is written before anything is delivered;
//! later the orders that were delivered are added.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;

use anyhow::{Context, Result};

use super::scale::{DISTRICTS, OrdersScale};
use super::transactions::Books;
use crate::protocols::mysql::{MysqlSession, TextRow, units};

/// Violations that are told of each condition.
const TOLD_MAX: usize = 3;

/// A warehouse and a district.
type WarehouseDistrict = (i64, i64);
/// A warehouse, a district, and the number of a customer or an order.
type Key = (i64, i64, i64);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Order {
    customer: i64,
    has_carrier: bool,
    lines: i64,
}

/// The lines of an order: how many, how many are delivered, the cents of those.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Lines {
    count: i64,
    delivered: i64,
    cents: i64,
}

/// Everything that the conditions speak of; amounts in cents.
#[derive(Debug, Clone, Default)]
struct State {
    /// `w_ytd`.
    warehouses: BTreeMap<i64, i64>,
    /// `d_ytd`, `d_next_o_id`.
    districts: BTreeMap<WarehouseDistrict, (i64, i64)>,
    /// `c_balance`, `c_ytd_payment`.
    customers: BTreeMap<Key, (i64, i64)>,
    new_orders: BTreeSet<Key>,
    orders: BTreeMap<Key, Order>,
    lines: BTreeMap<Key, Lines>,
    /// What was paid at a place, and how often.
    paid_at: BTreeMap<WarehouseDistrict, (i64, i64)>,
    /// What was paid by a customer.
    paid_by: BTreeMap<Key, i64>,
}

/// Reads everything and gives what is violated: nothing, if all is well. `books` are the
/// acknowledged transactions since the tables were filled.
pub fn verify(session: &mut MysqlSession, scale: OrdersScale, books: Books) -> Result<Vec<String>> {
    Ok(State::read(session)?.violations(scale, books))
}

impl State {
    fn read(session: &mut MysqlSession) -> Result<State> {
        let mut state = State::default();
        session.each_row("SELECT w_id, w_ytd FROM warehouse", |row| {
            state.warehouses.insert(number(&row, 0)?, cents(&row, 1)?);
            Ok(())
        })?;
        session.each_row("SELECT d_w_id, d_id, d_ytd, d_next_o_id FROM district", |row| {
            state.districts.insert(place(&row)?, (cents(&row, 2)?, number(&row, 3)?));
            Ok(())
        })?;
        let sql = "SELECT c_w_id, c_d_id, c_id, c_balance, c_ytd_payment FROM customer";
        session.each_row(sql, |row| {
            state.customers.insert(key(&row)?, (cents(&row, 3)?, cents(&row, 4)?));
            Ok(())
        })?;
        session.each_row("SELECT no_w_id, no_d_id, no_o_id FROM new_order", |row| {
            state.new_orders.insert(key(&row)?);
            Ok(())
        })?;
        let sql = "SELECT o_w_id, o_d_id, o_id, o_c_id, o_carrier_id, o_ol_cnt FROM orders";
        session.each_row(sql, |row| {
            let (customer, lines) = (number(&row, 3)?, number(&row, 5)?);
            let order = Order { customer, has_carrier: row[4].is_some(), lines };
            state.orders.insert(key(&row)?, order);
            Ok(())
        })?;
        let sql = "SELECT ol_w_id, ol_d_id, ol_o_id, COUNT(*), COUNT(ol_delivery_d), \
                   SUM(IF(ol_delivery_d IS NULL, 0, ol_amount)) FROM order_line \
                   GROUP BY ol_w_id, ol_d_id, ol_o_id";
        session.each_row(sql, |row| {
            let (count, delivered) = (number(&row, 3)?, number(&row, 4)?);
            state.lines.insert(key(&row)?, Lines { count, delivered, cents: cents(&row, 5)? });
            Ok(())
        })?;
        let sql = "SELECT h_w_id, h_d_id, SUM(h_amount), COUNT(*) FROM history \
                   GROUP BY h_w_id, h_d_id";
        session.each_row(sql, |row| {
            state.paid_at.insert(place(&row)?, (cents(&row, 2)?, number(&row, 3)?));
            Ok(())
        })?;
        let sql = "SELECT h_c_w_id, h_c_d_id, h_c_id, SUM(h_amount) FROM history \
                   GROUP BY h_c_w_id, h_c_d_id, h_c_id";
        session.each_row(sql, |row| {
            state.paid_by.insert(key(&row)?, cents(&row, 3)?);
            Ok(())
        })?;
        Ok(state)
    }

    fn violations(&self, scale: OrdersScale, books: Books) -> Vec<String> {
        let mut found = Violations::default();
        self.sums_of_payments(&mut found);
        self.numbers_of_orders(&mut found);
        self.orders_and_lines(&mut found);
        self.balances(&mut found);
        self.acknowledged(scale, books, &mut found);
        found.told
    }

    /// Conditions 1, 8 and 9.
    fn sums_of_payments(&self, found: &mut Violations) {
        for (&w, &ytd) in &self.warehouses {
            let districts = self.districts.range((w, 0)..(w + 1, 0));
            found.equal("condition 1", w, ytd, districts.map(|(_, district)| district.0).sum());
            let paid = self.paid_at.range((w, 0)..(w + 1, 0));
            found.equal("condition 8", w, ytd, paid.map(|(_, paid)| paid.0).sum());
        }
        for (place, (ytd, _)) in &self.districts {
            let paid = self.paid_at.get(place).map_or(0, |paid| paid.0);
            found.equal("condition 9", format!("{place:?}"), *ytd, paid);
        }
    }

    /// Conditions 2 and 3.
    fn numbers_of_orders(&self, found: &mut Violations) {
        for (&(w, d), (_, next)) in &self.districts {
            let all = (w, d, 0)..(w, d + 1, 0);
            let place = format!("({w}, {d})");
            let last = self.orders.range(all.clone()).next_back().map_or(0, |(key, _)| key.2);
            found.equal("condition 2, orders", &place, next - 1, last);
            let open = self.new_orders.range(all);
            let (first, newest) = (open.clone().next(), open.clone().next_back());
            // Of a district whose orders are all delivered nothing is asked.
            if let (Some(first), Some(newest)) = (first, newest) {
                found.equal("condition 2, new_order", &place, next - 1, newest.2);
                let span = newest.2 - first.2 + 1;
                found.equal("condition 3", &place, span, open.count() as i64);
            }
        }
    }

    /// Conditions 4 to 7.
    fn orders_and_lines(&self, found: &mut Violations) {
        for &(w, d) in self.districts.keys() {
            let all = (w, d, 0)..(w, d + 1, 0);
            let said = self.orders.range(all.clone()).map(|(_, order)| order.lines).sum();
            let there = self.lines.range(all).map(|(_, lines)| lines.count).sum();
            found.equal("condition 4", format!("({w}, {d})"), said, there);
        }
        for (key, order) in &self.orders {
            let lines = self.lines.get(key).copied().unwrap_or_default();
            let key_text = || format!("{key:?}");
            if order.has_carrier == self.new_orders.contains(key) {
                found.tell("condition 5", key_text(), "a carrier, and in new_order, or neither");
            }
            found.equal("condition 6", key_text(), order.lines, lines.count);
            let must = if order.has_carrier { lines.count } else { 0 };
            found.equal("condition 7", key_text(), must, lines.delivered);
        }
        let strays = self.new_orders.iter().chain(self.lines.keys());
        for key in strays.filter(|key| !self.orders.contains_key(key)) {
            found.tell("conditions 5 and 6", format!("{key:?}"), "no such order");
        }
    }

    /// Conditions 10 and 12.
    fn balances(&self, found: &mut Violations) {
        let mut bought: BTreeMap<Key, i64> = BTreeMap::new();
        for (key, order) in &self.orders {
            let cents = self.lines.get(key).map_or(0, |lines| lines.cents);
            *bought.entry((key.0, key.1, order.customer)).or_default() += cents;
        }
        for (key, (balance, paid_since)) in &self.customers {
            let bought = bought.get(key).copied().unwrap_or(0);
            let paid = self.paid_by.get(key).copied().unwrap_or(0);
            found.equal("condition 10", format!("{key:?}"), *balance, bought - paid);
            found.equal("condition 12", format!("{key:?}"), balance + paid_since, bought);
        }
    }

    /// Condition 11, and that as much was added as was acknowledged.
    fn acknowledged(&self, scale: OrdersScale, books: Books, found: &mut Violations) {
        let districts = scale.warehouses * DISTRICTS;
        let filled = districts * scale.customers;
        let (orders, open) = (self.orders.len() as i64, self.new_orders.len() as i64);
        let delivered = districts * scale.delivered() + books.deliveries as i64;
        found.equal("condition 11, all districts", "", orders - open, delivered);
        for &(w, d) in self.districts.keys() {
            let all = (w, d, 0)..(w, d + 1, 0);
            let orders = self.orders.range(all.clone()).count() as i64;
            let difference = orders - self.new_orders.range(all.clone()).count() as i64;
            let carried = self.orders.range(all).filter(|(_, order)| order.has_carrier).count();
            found.equal("condition 11", format!("({w}, {d})"), difference, carried as i64);
        }
        found.equal("customers", "", self.customers.len() as i64, filled);
        found.equal("districts", "", self.districts.len() as i64, districts);
        found.equal("warehouses", "", self.warehouses.len() as i64, scale.warehouses);
        found.equal("acknowledged orders", "", orders - filled, books.orders as i64);
        let payments: i64 = self.paid_at.values().map(|paid| paid.1).sum();
        found.equal("acknowledged payments", "", payments - filled, books.payments as i64);
    }
}

/// What is violated, the first few of each sort.
#[derive(Default)]
struct Violations {
    told: Vec<String>,
    counts: BTreeMap<&'static str, usize>,
}

impl Violations {
    fn equal(&mut self, what: &'static str, whose: impl Display, left: i64, right: i64) {
        if left != right {
            self.tell(what, whose, &format!("{left} is not {right}"));
        }
    }

    fn tell(&mut self, what: &'static str, whose: impl Display, why: &str) {
        let count = self.counts.entry(what).or_default();
        *count += 1;
        if *count <= TOLD_MAX {
            self.told.push(format!("{what} {whose}: {why}"));
        }
    }
}

fn text(row: &TextRow, at: usize) -> Result<&str> {
    let value = row.get(at).and_then(Option::as_ref).with_context(|| format!("column {at}"))?;
    Ok(std::str::from_utf8(value)?)
}

fn number(row: &TextRow, at: usize) -> Result<i64> {
    let text = text(row, at)?;
    text.parse().with_context(|| format!("{text:?} is not a number"))
}

/// An amount with two decimals, or a plain 0.
fn cents(row: &TextRow, at: usize) -> Result<i64> {
    let text = text(row, at)?;
    if text.contains('.') { units(text) } else { Ok(units(text)? * 100) }
}

fn place(row: &TextRow) -> Result<WarehouseDistrict> {
    Ok((number(row, 0)?, number(row, 1)?))
}

fn key(row: &TextRow) -> Result<Key> {
    Ok((number(row, 0)?, number(row, 1)?, number(row, 2)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCALE: OrdersScale = OrdersScale { warehouses: 1, customers: 10, items: 100 };

    /// A company of one warehouse as it is filled, each order of one line.
    fn filled() -> State {
        let mut state = State::default();
        state.warehouses.insert(1, 100_000);
        for d in 1..=DISTRICTS {
            state.districts.insert((1, d), (10_000, 11));
            state.paid_at.insert((1, d), (10_000, 10));
            for n in 1..=10 {
                let has_carrier = n <= 7;
                state.customers.insert((1, d, n), (-1_000, 1_000));
                state.paid_by.insert((1, d, n), 1_000);
                state.orders.insert((1, d, n), Order { customer: n, has_carrier, lines: 1 });
                let delivered = i64::from(has_carrier);
                state.lines.insert((1, d, n), Lines { count: 1, delivered, cents: 0 });
                if !has_carrier {
                    state.new_orders.insert((1, d, n));
                }
            }
        }
        state
    }

    fn violated(state: &State) -> Vec<String> {
        state.violations(SCALE, Books::default())
    }

    #[test]
    fn a_company_that_was_just_filled_is_consistent() {
        assert_eq!(violated(&filled()), Vec::<String>::new());
    }

    #[test]
    fn each_condition_is_told_by_its_number_when_it_is_violated() {
        let breaks: [(&str, fn(&mut State)); 12] = [
            ("condition 1 ", |state| state.districts.get_mut(&(1, 1)).unwrap().0 += 1),
            ("condition 2,", |state| state.districts.get_mut(&(1, 1)).unwrap().1 += 1),
            ("condition 3 ", |state| {
                state.new_orders.remove(&(1, 1, 9));
            }),
            ("condition 4 ", |state| state.lines.get_mut(&(1, 1, 1)).unwrap().count += 1),
            ("condition 5 ", |state| {
                state.new_orders.insert((1, 1, 7));
            }),
            ("condition 6 ", |state| state.orders.get_mut(&(1, 1, 1)).unwrap().lines = 2),
            ("condition 7 ", |state| state.lines.get_mut(&(1, 1, 9)).unwrap().delivered = 1),
            ("condition 8 ", |state| *state.warehouses.get_mut(&1).unwrap() += 1),
            ("condition 9 ", |state| state.paid_at.get_mut(&(1, 1)).unwrap().0 += 1),
            ("condition 10 ", |state| {
                state.paid_by.insert((1, 1, 1), 7);
            }),
            ("condition 11", |state| {
                state.new_orders.insert((1, 1, 7));
            }),
            ("condition 12 ", |state| state.customers.get_mut(&(1, 1, 1)).unwrap().1 = 7),
        ];
        for (condition, spoil) in breaks {
            let mut state = filled();
            spoil(&mut state);
            let told = violated(&state);
            assert!(told.iter().any(|line| line.starts_with(condition)), "{condition}: {told:?}");
        }
    }

    #[test]
    fn a_lost_order_is_told_though_all_that_is_left_agrees() {
        let books = Books { orders: 1, ..Books::default() };
        let told = filled().violations(SCALE, books);
        assert!(told[0].starts_with("acknowledged orders"), "{told:?}");
    }
}
