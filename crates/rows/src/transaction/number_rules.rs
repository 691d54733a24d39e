//! How a session wants AUTO_INCREMENT values made: `auto_increment_increment`,
//! `auto_increment_offset`, NO_AUTO_VALUE_ON_ZERO.
//!
//! Not here: the counter (`counters`).

/// How AUTO_INCREMENT values are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NumberRules {
    /// Whether 0 is a value like any other.
    pub zero_is_value: bool,
    /// Each is the offset and a multiple of this, which is 1 or more.
    pub increment: u64,
    /// The first one; without meaning where it is above `increment`, as in MySQL.
    pub offset: u64,
    /// Whether the last number that a column can hold is given again where no other is left, so
    /// that its row is what stands in the way (InnoDB in MySQL does so), or the row is refused.
    pub repeats_last: bool,
    /// Whether a number that only the increment makes too large for its column is an error of the
    /// value, as in strict modes of MySQL, or the last number is taken.
    pub refuses_rounded: bool,
}

impl Default for NumberRules {
    fn default() -> NumberRules {
        NumberRules::PLAIN
    }
}

impl NumberRules {
    const PLAIN: NumberRules = NumberRules {
        zero_is_value: false,
        increment: 1,
        offset: 1,
        repeats_last: false,
        refuses_rounded: false,
    };

    /// Of rows that have their values, or zeros that are to stay.
    pub(crate) const AS_GIVEN: NumberRules =
        NumberRules { zero_is_value: true, ..NumberRules::PLAIN };

    /// Whether each value follows the one before.
    pub fn are_consecutive(self) -> bool {
        self.increment == 1
    }

    /// The first value that is not below `next`.
    pub(crate) fn at_or_above(self, next: u64) -> u64 {
        if self.are_consecutive() {
            return next;
        }
        let offset = if self.offset > self.increment { 0 } else { self.offset };
        let behind = next.saturating_sub(offset).div_ceil(self.increment);
        behind.saturating_mul(self.increment).saturating_add(offset).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_those_that_mysql_gives() {
        // (increment, offset): the values of 1, and those behind each of them.
        for (increment, offset, values) in [
            (1, 1, [1, 2, 3]),
            (10, 1, [1, 11, 21]),
            (10, 5, [5, 15, 25]),
            (10, 10, [10, 20, 30]),
            // The offset is ignored.
            (5, 10, [5, 10, 15]),
        ] {
            let rules = NumberRules { increment, offset, ..NumberRules::default() };
            let mut next = 1;
            for value in values {
                let given = rules.at_or_above(next);
                assert_eq!(given, value, "{increment} {offset}");
                next = given + 1;
            }
        }
        let rules = NumberRules { increment: 10, offset: 5, ..NumberRules::default() };
        assert_eq!([6, 14, 15, 16].map(|next| rules.at_or_above(next)), [15, 15, 15, 25]);
        assert_eq!(rules.at_or_above(u64::MAX), u64::MAX);
    }
}
