//! How large the company is, and how its values are drawn (TPC-C, clauses 2.1.6 and 4.3).

use crate::experiments::dice::Dice;

/// Districts of each warehouse.
pub const DISTRICTS: i64 = 10;
/// Constants of the non-uniform choices. That of names differs between load and run within the
/// bounds of clause 2.1.6.1.
const C_CUSTOMER: i64 = 259;
const C_ITEM: i64 = 7911;
const C_NAME_LOAD: i64 = 157;
const C_NAME_RUN: i64 = 223;
/// Different last names.
const NAMES: i64 = 1_000;

/// The size of everything.
#[derive(Debug, Clone, Copy)]
pub struct OrdersScale {
    /// Warehouses.
    pub warehouses: i64,
    /// Customers of each district, and its first orders; 3,000 by the specification.
    pub customers: i64,
    /// Items, each with a stock in every warehouse; 100,000 by the specification.
    pub items: i64,
}

impl OrdersScale {
    /// The first orders of a district up to this number are delivered.
    pub fn delivered(&self) -> i64 {
        self.customers * 7 / 10
    }

    /// A customer, some more often than others.
    pub fn customer(&self, dice: &mut Dice) -> i64 {
        non_uniform(dice, 1023, C_CUSTOMER, 1, self.customers)
    }

    /// An item, some more often than others.
    pub fn item(&self, dice: &mut Dice) -> i64 {
        non_uniform(dice, 8191, C_ITEM, 1, self.items)
    }

    /// The last name of a customer that a client asks for.
    pub fn name_asked(&self, dice: &mut Dice) -> String {
        last_name(non_uniform(dice, 255, C_NAME_RUN, 0, self.names() - 1))
    }

    /// The last name of a customer when the tables are filled: each name once, then any.
    pub fn name_loaded(&self, dice: &mut Dice, customer: i64) -> String {
        if customer <= NAMES {
            last_name(customer - 1)
        } else {
            last_name(non_uniform(dice, 255, C_NAME_LOAD, 0, NAMES - 1))
        }
    }

    fn names(&self) -> i64 {
        NAMES.min(self.customers)
    }
}

fn non_uniform(dice: &mut Dice, a: i64, c: i64, least: i64, most: i64) -> i64 {
    let either = dice.between(0, a) | dice.between(least, most);
    (either + c) % (most - least + 1) + least
}

/// The name of a number below 1,000, syllable by digit.
fn last_name(number: i64) -> String {
    const SYLLABLES: [&str; 10] =
        ["BAR", "OUGHT", "ABLE", "PRI", "PRES", "ESE", "ANTI", "CALLY", "ATION", "EING"];
    [number / 100, number / 10 % 10, number % 10].map(|digit| SYLLABLES[digit as usize]).concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_specification() {
        assert_eq!(last_name(371), "PRICALLYOUGHT");
        assert_eq!(last_name(40), "BARPRESBAR");
    }

    #[test]
    fn choices_stay_within_small_companies() {
        let scale = OrdersScale { warehouses: 1, customers: 30, items: 100 };
        let mut dice = Dice::new(1, &[]);
        for _ in 0..1_000 {
            assert!((1..=30).contains(&scale.customer(&mut dice)));
            assert!((1..=100).contains(&scale.item(&mut dice)));
        }
        assert_eq!(scale.delivered(), 21);
    }
}
