//! A use of an aggregate function in a query.
//!
//! Not here: which functions there are (`aggregate_table`), computing them
//! (`executor::accumulate`).

use expression::{Kind, Node, keeps_digits};
use values::datum::Value;
use values::decimal::Decimal;
use values::types::ColumnType;

use super::aggregate_table::{AggregateFunction, Digits};
use super::walk::node_mut;

/// A use of an aggregate function.
#[derive(Clone, Debug, PartialEq)]
pub struct Aggregate {
    /// Which.
    pub function: AggregateFunction,
    /// What it is over; of GROUPING, once its SELECT is bound, the positions of these keys.
    pub arguments: Vec<Node>,
    /// DISTINCT.
    pub distinct: bool,
    /// ORDER BY within GROUP_CONCAT or JSON_ARRAYAGG; the flag says DESC.
    pub order: Vec<(Node, bool)>,
    /// LIMIT within them: how many values are passed over, and how many are taken at most; each is
    /// the same for all rows.
    pub limit: Option<Box<[Node; 2]>>,
    /// What GROUP_CONCAT puts between.
    pub separator: Vec<u8>,
    /// Its result.
    pub ty: ColumnType,
    /// Whether its result keeps digits that its type does not show: of one group alone, where an
    /// expression is made of it. Results of GROUP BY come from a temporary table, whose columns
    /// have the types shown (MariaDB 10.11 answers so: tests/oracle/sql/quotients.sql).
    pub keeps_digits: bool,
}

/// Digits that are kept of an average, and that it is summed with, beyond those that it shows.
pub const KEPT_DIGITS: u8 = 12;

impl Aggregate {
    fn each_node_mut(&mut self, each: &mut dyn FnMut(&mut Node)) {
        let sorted = self.order.iter_mut().map(|(node, _)| node);
        let limits = self.limit.iter_mut().flat_map(|limit| limit.iter_mut());
        self.arguments.iter_mut().chain(sorted).chain(limits).for_each(each);
    }

    /// Whether a long query can have it over the frame of a window.
    pub fn is_in_analytic_frames(&self) -> bool {
        self.function.is_in_analytic_frames() && !self.combines_bytes()
    }

    /// Whether it is BIT_AND and its kin of strings of bytes.
    pub fn combines_bytes(&self) -> bool {
        use AggregateFunction as F;
        matches!(self.function, F::BitAnd | F::BitOr | F::BitXor) && self.ty.is_binary_string()
    }

    /// Whether it is ANY_VALUE, which makes no groups: MySQL has it as a function of a row.
    pub fn is_any_value(&self) -> bool {
        self.function == AggregateFunction::AnyValue
    }

    /// Of how many levels further out the SELECT is whose rows it is over: 0 for the one that it
    /// stands in. That is the innermost that it names a column of (MySQL 8.0 manual, 14.19.1).
    pub fn level(&mut self) -> u16 {
        let mut nearest: Option<u16> = None;
        self.each_node_mut(&mut |node| {
            node_mut(node, 0, &mut |part, depth| {
                let level = match part.kind {
                    Kind::Column(_) if depth == 0 => 0,
                    Kind::Outer(level, _) if level >= depth => level - depth,
                    _ => return,
                };
                nearest = Some(nearest.map_or(level, |before| before.min(level)));
            });
        });
        nearest.unwrap_or(0)
    }

    /// Makes it one that stands so many levels further out; it names no column of those between.
    pub fn move_outwards(&mut self, levels: u16) {
        if levels == 0 {
            return;
        }
        self.each_node_mut(&mut |node| {
            node_mut(node, 0, &mut |part, depth| {
                if let Kind::Outer(level, slot) = part.kind
                    && level >= depth
                {
                    part.kind = match level - levels {
                        0 => Kind::Column(slot),
                        level => Kind::Outer(level, slot),
                    };
                }
            });
        });
    }

    /// The type that holds its results, where they have to be of one.
    pub fn kept_type(&self) -> ColumnType {
        match self.ty {
            ColumnType::Decimal { scale, .. } if self.keeps_digits => ColumnType::Decimal {
                precision: Decimal::PRECISION_MAX,
                scale: (scale + KEPT_DIGITS).min(Decimal::SCALE_MAX),
            },
            _ => self.ty.clone(),
        }
    }

    /// How many digits an average shows more than its argument has.
    pub fn more_digits(&self) -> u8 {
        let own = self.arguments.first().and_then(|argument| argument.ty.decimals());
        self.ty.decimals().unwrap_or(0).saturating_sub(own.unwrap_or(0))
    }

    /// Whether its results can have more digits than its type shows.
    pub fn has_digits(&self) -> bool {
        let quotients = || self.arguments.iter().any(keeps_digits);
        matches!(self.ty, ColumnType::Decimal { .. })
            && match self.function.digits() {
                Digits::Own => true,
                Digits::OfArgument => quotients(),
                Digits::AsShown => false,
            }
    }

    /// What GROUPING says of a row that is grouped by so many keys: a bit for each key that it asks
    /// about, the last one's lowest, set where the row sums over the key.
    pub fn summed_keys(&self, level: usize) -> i64 {
        let is_summed = |argument: &Node| matches!(argument.kind, Kind::Constant(Value::Int(at)) if at >= level as i64);
        self.arguments.iter().fold(0, |bits, argument| bits << 1 | i64::from(is_summed(argument)))
    }

    /// Whether its values are to be told apart, sorted or counted before they are joined.
    pub fn keeps_values(&self) -> bool {
        self.distinct || !self.order.is_empty() || self.limit.is_some()
    }
}
