//! Queries of table databases: the elements of `search` and `metasearch` to what they ask for.
//!
//! ```text
//! addcond NUL column NUL operator NUL expression     operator: number or name, ! in front negates
//! setorder NUL column NUL type                       0 text, 1 text downwards, 2 number, 3 downwards
//! setlimit NUL most [NUL skipped]
//! get [NUL column]*  |  count  |  out                at most one; without: primary keys
//! hint   next   mstype NUL type                      0 union, 1 intersection, 2 difference
//! ```
//!
//! Invariants
//! 1. An element that is not understood is refused with all others. The original passed over it, so
//!    that a misspelt condition found, or with `out` removed, every record.
//!
//! Not here: what conditions mean (`condition`), how records are found (`search`).

use crate::memcached::text::signed;
use crate::tyrant::command::{List, TyrantFailure, TyrantTrouble};
use crate::tyrant::condition::{ColumnTest, Compile, Condition};

/// Names of operators, by their numbers.
const OPERATORS: [&str; 19] = [
    "STREQ", "STRINC", "STRBW", "STREW", "STRAND", "STROR", "STROREQ", "STRRX", "NUMEQ", "NUMGT",
    "NUMGE", "NUMLT", "NUMLE", "NUMBT", "NUMOREQ", "FTSPH", "FTSAND", "FTSOR", "FTSEX",
];
/// Added to an operator's number: records that do not meet it.
const NEGATED: u32 = 1 << 24;
/// Added to an operator's number: without an index.
const NO_INDEX: u32 = 1 << 25;

/// How hits are sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// As text.
    Text,
    /// As text, downwards.
    TextDown,
    /// As numbers.
    Number,
    /// As numbers, downwards.
    NumberDown,
}

impl Order {
    /// Whether it is one of numbers.
    pub fn is_number(self) -> bool {
        matches!(self, Order::Number | Order::NumberDown)
    }

    /// Whether the largest comes first.
    pub fn is_down(self) -> bool {
        matches!(self, Order::TextDown | Order::NumberDown)
    }
}

/// Which records.
#[derive(Clone, Debug)]
pub struct Query {
    /// All of these hold.
    pub conditions: Vec<Condition>,
    /// By which column, the primary key if it is empty.
    pub order: Option<(Vec<u8>, Order)>,
    /// How many at most.
    pub most: usize,
    /// How many are passed over before those.
    pub skipped: usize,
}

/// How the results of several queries become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combination {
    /// What any has.
    Union,
    /// What all have.
    Intersection,
    /// What the first has and no other.
    Difference,
}

/// What is done with hits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Their primary keys are told.
    Keys,
    /// Their columns are told: these, or all if there are none.
    Get(Vec<Vec<u8>>),
    /// Their number is told.
    Count,
    /// They are removed.
    Out,
}

/// Everything that one request asks for.
#[derive(Clone, Debug)]
pub struct Search {
    /// At least one.
    pub queries: Vec<Query>,
    /// What becomes of several.
    pub combination: Combination,
    /// What is done with the hits.
    pub action: Action,
    /// Whether it is told how they were found.
    pub hint: bool,
}

impl Default for Query {
    fn default() -> Query {
        Query { conditions: Vec::new(), order: None, most: usize::MAX, skipped: 0 }
    }
}

impl Search {
    /// Reads elements; `compile` makes patterns of what conditions have.
    ///
    /// # Errors
    /// `Invalid` for one that is not understood; those of `compile`.
    pub fn parse(elements: List<'_>, compile: &mut Compile<'_>) -> Result<Search, TyrantTrouble> {
        let mut search = Search {
            queries: Vec::new(),
            combination: Combination::Union,
            action: Action::Keys,
            hint: false,
        };
        let mut query = Query::default();
        for element in elements.iter() {
            let words: Vec<&[u8]> = element.split(|byte| *byte == 0).collect();
            match words[..] {
                [b"addcond", column, operator, ..] if words.len() >= 4 => {
                    // What is looked for may hold NULs.
                    let front = b"addcond".len() + column.len() + operator.len() + 3;
                    let expression = &element[front..];
                    query.conditions.push(condition(column, operator, expression, compile)?);
                }
                [b"setorder", column, order] => {
                    query.order = Some((column.to_vec(), order_of(order)?));
                }
                [b"setlimit", most] => query.most = limit(most, usize::MAX)?,
                [b"setlimit", most, skipped] => {
                    query.most = limit(most, usize::MAX)?;
                    query.skipped = limit(skipped, 0)?;
                }
                [b"get", ref columns @ ..] => {
                    let columns = columns.iter().map(|column| column.to_vec()).collect();
                    search.act(Action::Get(columns))?;
                }
                [b"count"] => search.act(Action::Count)?,
                [b"out"] => search.act(Action::Out)?,
                [b"hint"] => search.hint = true,
                [b"next"] => search.queries.push(std::mem::take(&mut query)),
                [b"mstype", kind] => search.combination = combination_of(kind)?,
                _ => return Err(not_understood(element).into()),
            }
        }
        search.queries.push(query);
        Ok(search)
    }

    fn act(&mut self, action: Action) -> Result<(), TyrantFailure> {
        if self.action != Action::Keys {
            return Err(TyrantFailure::Invalid("more than one of get, count and out".into()));
        }
        self.action = action;
        Ok(())
    }
}

fn not_understood(element: &[u8]) -> TyrantFailure {
    let shown = &element[..element.len().min(40)];
    TyrantFailure::Invalid(format!("not understood: {}", shown.escape_ascii()).into())
}

fn condition(
    column: &[u8],
    operator: &[u8],
    expression: &[u8],
    compile: &mut Compile<'_>,
) -> Result<Condition, TyrantTrouble> {
    let (name, excluded) = match operator.strip_prefix(b"!") {
        Some(name) => (name, true),
        None => (operator, false),
    };
    let named = OPERATORS.iter().position(|of| of.as_bytes().eq_ignore_ascii_case(name));
    let number = match named {
        Some(position) => position as u32,
        None => signed(name)
            .and_then(|number| u32::try_from(number).ok())
            .ok_or_else(|| not_understood(operator))?,
    };
    let test = ColumnTest::new(number & !(NEGATED | NO_INDEX), expression, compile)?;
    let negated = excluded != (number & NEGATED != 0);
    let indexed = number & NO_INDEX == 0;
    Ok(Condition { column: column.to_vec(), test, negated, indexed })
}

fn order_of(order: &[u8]) -> Result<Order, TyrantFailure> {
    Ok(match order {
        b"0" | b"STRASC" => Order::Text,
        b"1" | b"STRDESC" => Order::TextDown,
        b"2" | b"NUMASC" => Order::Number,
        b"3" | b"NUMDESC" => Order::NumberDown,
        _ => return Err(not_understood(order)),
    })
}

fn combination_of(kind: &[u8]) -> Result<Combination, TyrantFailure> {
    Ok(match kind {
        b"0" | b"UNION" => Combination::Union,
        b"1" | b"ISECT" => Combination::Intersection,
        b"2" | b"DIFF" => Combination::Difference,
        _ => return Err(not_understood(kind)),
    })
}

/// A number of records; a negative one is `negative`.
fn limit(number: &[u8], negative: usize) -> Result<usize, TyrantFailure> {
    let number = signed(number).ok_or_else(|| not_understood(number))?;
    Ok(usize::try_from(number).unwrap_or(negative))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(elements: &[&str]) -> Result<Search, TyrantTrouble> {
        let mut bytes = Vec::new();
        for element in elements {
            crate::tyrant::encode::sized(element.as_bytes(), &mut bytes);
        }
        Search::parse(List::new(&bytes, elements.len()), &mut |_| unreachable!("no pattern"))
    }

    #[test]
    fn operators_are_numbers_or_names() {
        for (operator, negated) in [
            ("0", false),
            ("STREQ", false),
            ("streq", false),
            ("!STREQ", true),
            ("16777216", true),
            ("33554432", false),
            ("!16777216", false),
        ] {
            let search = parse(&[&format!("addcond\0a\0{operator}\0x\0y")]).unwrap();
            let condition = &search.queries[0].conditions[0];
            assert_eq!(condition.negated, negated, "{operator}");
            assert!(matches!(&condition.test, ColumnTest::Equal(text) if text == b"x\0y"));
        }
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        for element in [
            "addcnd\0a\x000\0x",
            "addcond\0a\x000",
            "addcond\0a\0STREK\0x",
            "addcond\0a\0-1\0x",
            "setorder\0a\x005",
            "setorder\0a",
            "setlimit\0x",
            "mstype\x009",
            "counts",
            "",
        ] {
            assert!(parse(&[element]).is_err(), "{element:?}");
        }
        assert!(parse(&["count", "out"]).is_err());
    }

    #[test]
    fn queries_follow_each_other() {
        let elements = [
            "addcond\0a\x000\0x",
            "next",
            "setlimit\x005\x002",
            "mstype\x002",
            "get\0b\0c",
            "hint",
        ];
        let search = parse(&elements).unwrap();
        assert_eq!(search.queries.len(), 2);
        assert_eq!((search.queries[1].most, search.queries[1].skipped), (5, 2));
        assert_eq!(search.combination, Combination::Difference);
        assert_eq!(search.action, Action::Get(vec![b"b".to_vec(), b"c".to_vec()]));
        assert!(search.hint);
    }
}
