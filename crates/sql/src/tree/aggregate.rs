//! Aggregate functions and their result types: COUNT is BIGINT, SUM of exact numbers a DECIMAL of
//! 22 digits more, AVG of them one of four digits more, everything else DOUBLE (MySQL 8.0 manual,
//! 14.19.1).
//!
//! Not here: computing them (`executor::accumulate`).

use expression::{BIGINT, BIGINT_UNSIGNED, Kind, Node, keeps_digits, type_collation};
use values::decimal::Decimal;
use values::types::{Collation, ColumnType, IntWidth, LobSize};

use super::walk::node_mut;

/// An aggregate function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AggregateFunction {
    /// COUNT(*), or of what is never NULL.
    CountRows,
    /// COUNT.
    Count,
    /// SUM.
    Sum,
    /// AVG.
    Average,
    /// MIN.
    Minimum,
    /// MAX.
    Maximum,
    /// ANY_VALUE.
    AnyValue,
    /// GROUP_CONCAT.
    GroupConcat,
    /// JSON_ARRAYAGG.
    JsonArray,
    /// JSON_OBJECTAGG.
    JsonObject,
    /// BIT_AND.
    BitAnd,
    /// BIT_OR.
    BitOr,
    /// BIT_XOR.
    BitXor,
    /// STDDEV_POP and its names.
    DeviationOfAll,
    /// STDDEV_SAMP.
    DeviationOfSample,
    /// VAR_POP and its names.
    VarianceOfAll,
    /// VAR_SAMP.
    VarianceOfSample,
}

/// A use of an aggregate function.
#[derive(Clone, Debug, PartialEq)]
pub struct Aggregate {
    /// Which.
    pub function: AggregateFunction,
    /// What it is over.
    pub arguments: Vec<Node>,
    /// DISTINCT.
    pub distinct: bool,
    /// ORDER BY within GROUP_CONCAT or JSON_ARRAYAGG; the flag says DESC.
    pub order: Vec<(Node, bool)>,
    /// LIMIT within them: how many values are passed over, and how many are taken at most; each is the
    /// same for all rows.
    pub limit: Option<Box<[Node; 2]>>,
    /// What GROUP_CONCAT puts between.
    pub separator: Vec<u8>,
    /// Its result.
    pub ty: ColumnType,
    /// Whether its result keeps digits that its type does not show: of one group alone, where an expression
    /// is made of it. Results of GROUP BY come from a temporary table, whose columns have the types shown
    /// (MariaDB 10.11 answers so: tests/oracle/sql/quotients.sql).
    pub keeps_digits: bool,
}

/// Digits that are kept of a quotient, and that it is summed with, beyond those that it shows.
pub const KEPT_DIGITS: u8 = 12;

impl Aggregate {
    fn each_node_mut(&mut self, each: &mut dyn FnMut(&mut Node)) {
        let sorted = self.order.iter_mut().map(|(node, _)| node);
        let limits = self.limit.iter_mut().flat_map(|limit| limit.iter_mut());
        self.arguments.iter_mut().chain(sorted).chain(limits).for_each(each);
    }

    /// Of how many levels further out the SELECT is whose rows it is over: 0 for the one that it stands in.
    /// That is the innermost that it names a column of (MySQL 8.0 manual, 14.19.1).
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

    /// Whether its results can have more digits than its type shows.
    pub fn has_digits(&self) -> bool {
        use AggregateFunction as F;
        let quotients = || self.arguments.iter().any(keeps_digits);
        matches!(self.ty, ColumnType::Decimal { .. })
            && match self.function {
                F::Average => true,
                F::Sum | F::Minimum | F::Maximum => quotients(),
                _ => false,
            }
    }

    /// Whether its values are to be told apart, sorted or counted before they are joined.
    pub fn keeps_values(&self) -> bool {
        self.distinct || !self.order.is_empty() || self.limit.is_some()
    }
}

impl AggregateFunction {
    /// By its name in capitals; COUNT is `Count`.
    pub fn find(name: &str) -> Option<AggregateFunction> {
        Some(match name {
            "COUNT" => AggregateFunction::Count,
            "SUM" => AggregateFunction::Sum,
            "AVG" => AggregateFunction::Average,
            "MIN" => AggregateFunction::Minimum,
            "MAX" => AggregateFunction::Maximum,
            "ANY_VALUE" => AggregateFunction::AnyValue,
            "GROUP_CONCAT" => AggregateFunction::GroupConcat,
            "JSON_ARRAYAGG" => AggregateFunction::JsonArray,
            "JSON_OBJECTAGG" => AggregateFunction::JsonObject,
            "BIT_AND" => AggregateFunction::BitAnd,
            "BIT_OR" => AggregateFunction::BitOr,
            "BIT_XOR" => AggregateFunction::BitXor,
            "STD" | "STDDEV" | "STDDEV_POP" => AggregateFunction::DeviationOfAll,
            "STDDEV_SAMP" => AggregateFunction::DeviationOfSample,
            "VARIANCE" | "VAR_POP" => AggregateFunction::VarianceOfAll,
            "VAR_SAMP" => AggregateFunction::VarianceOfSample,
            _ => return None,
        })
    }

    /// Whether it is of numbers: a literal of digits (0x41) is one there.
    pub fn wants_numbers(self) -> bool {
        use AggregateFunction as F;
        match self {
            F::Sum | F::Average | F::BitAnd | F::BitOr | F::BitXor => true,
            F::DeviationOfAll | F::DeviationOfSample | F::VarianceOfAll | F::VarianceOfSample => {
                true
            }
            F::CountRows | F::Count | F::Minimum | F::Maximum | F::AnyValue => false,
            F::GroupConcat | F::JsonArray | F::JsonObject => false,
        }
    }

    /// The type of its result, and whether it can be NULL.
    pub fn result(self, arguments: &[Node]) -> (ColumnType, bool) {
        use AggregateFunction as F;
        let argument = arguments.first().map(|node| &node.ty);
        match self {
            F::CountRows | F::Count => (BIGINT, false),
            F::BitAnd | F::BitOr | F::BitXor => (BIGINT_UNSIGNED, false),
            F::JsonArray | F::JsonObject => (ColumnType::Json, true),
            F::Sum => (sum_type(argument), true),
            F::Average => (average_type(argument), true),
            F::Minimum | F::Maximum | F::AnyValue => {
                let ty = argument.map_or(ColumnType::VarBinary { bytes: 0 }, |ty| match ty {
                    // An ENUM's least word is sought among words.
                    ColumnType::Enum { values, collation } if self != F::AnyValue => {
                        let chars = values.iter().map(|word| word.chars().count() as u32);
                        ColumnType::VarChar {
                            chars: chars.max().unwrap_or(0),
                            collation: *collation,
                        }
                    }
                    other => other.clone(),
                });
                (ty, true)
            }
            F::GroupConcat => {
                let collations = arguments.iter().map(|node| type_collation(&node.ty));
                let rule = collations.flatten().next().unwrap_or(Collation::Utf8Mb4GeneralCi);
                let ty = match rule {
                    Collation::Binary => ColumnType::Blob { size: LobSize::Normal },
                    collation => ColumnType::Text { size: LobSize::Normal, collation },
                };
                (ty, true)
            }
            _ => (ColumnType::Double, true),
        }
    }
}

/// Precision and scale of an exact number; `None` for a double.
fn exact(ty: Option<&ColumnType>) -> Option<(u8, u8)> {
    match ty? {
        ColumnType::Int { width, unsigned, .. } => Some((
            match (width, unsigned) {
                (IntWidth::Tiny, _) => 3,
                (IntWidth::Small, _) => 5,
                (IntWidth::Medium, false) => 7,
                (IntWidth::Medium, true) => 8,
                (IntWidth::Int, _) => 10,
                (IntWidth::Big, false) => 19,
                (IntWidth::Big, true) => 20,
            },
            0,
        )),
        ColumnType::Year => Some((4, 0)),
        ColumnType::Decimal { precision, scale } => Some((*precision, *scale)),
        ColumnType::Date => Some((8, 0)),
        ColumnType::Time { fsp } => Some((7 + fsp, *fsp)),
        ColumnType::DateTime { fsp } | ColumnType::Timestamp { fsp } => Some((14 + fsp, *fsp)),
        _ => None,
    }
}

fn sum_type(argument: Option<&ColumnType>) -> ColumnType {
    match exact(argument) {
        Some((precision, scale)) => {
            ColumnType::Decimal { precision: (precision + 22).min(65), scale }
        }
        None => ColumnType::Double,
    }
}

fn average_type(argument: Option<&ColumnType>) -> ColumnType {
    match exact(argument) {
        Some((precision, scale)) => {
            ColumnType::Decimal { precision: (precision + 4).min(65), scale: (scale + 4).min(30) }
        }
        None => ColumnType::Double,
    }
}
