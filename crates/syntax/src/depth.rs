//! How deep a statement may nest: what is deeper is refused before it is parsed, so that no
//! thread's stack overflows.
//!
//! Not here: the tree's own bounds (`plan`).

use sqlparser::tokenizer::{Token, TokenWithSpan};

use crate::error::{Result, too_deep};

/// The stack of a thread that runs statements of clients: the deepest that these bounds let pass
/// take up to 3 MiB of it in an optimized build. Only what is used of it takes memory.
pub const STATEMENT_STACK_BYTES: usize = 8 << 20;

/// Deepest nesting of expressions and queries; beyond it a statement is refused, not overflowed.
pub(super) const DEPTH_MAX: usize = 200;

/// How deep the tree of an expression may become through chains of operators, counted in tenths:
/// AND and OR are one, other operators ten. Walking a deeper one could overflow a thread's stack.
const CHAIN_MAX: u32 = 5000;

/// Most set operations of one chain, each of which is a level of its tree.
const SETS_MAX: u32 = 1000;

/// Words that may stand between operands, before or behind one, any number of times.
const OPERATORS: [&str; 19] = [
    "XOR", "DIV", "MOD", "NOT", "COLLATE", "SOUNDS", "IS", "IN", "LIKE", "ILIKE", "RLIKE",
    "REGEXP", "SIMILAR", "BETWEEN", "MEMBER", "OVERLAPS", "AT", "BINARY", "INTERVAL",
];

const SET_OPERATORS: [&str; 4] = ["UNION", "INTERSECT", "EXCEPT", "MINUS"];

/// Deepest nesting of doubled brackets around tables, `FROM ((`. The parser tries each first as a
/// query, then as a join, and so what is inside twice as often with each.
const TABLE_BRACKETS_MAX: u32 = 8;

/// Refuses statements whose chains of operators would make too deep a tree.
pub(super) fn check_depth(tokens: &[TokenWithSpan]) -> Result<()> {
    /// Depth of the operand of AND or OR at hand, of the deepest one, of their chain above all of
    /// them; and of the deepest of all that before the last comma.
    #[derive(Clone, Copy, Default)]
    struct Level {
        operand: u32,
        operands: u32,
        logical: u32,
        most: u32,
        sets: u32,
        /// Brackets around it that stand where a table may and have another at once behind them.
        joins: u32,
    }
    impl Level {
        fn now(&self) -> u32 {
            self.logical + self.operands.max(self.operand)
        }

        fn begin_another(&mut self) {
            let (most, sets, joins) = (self.most.max(self.now()), self.sets, self.joins);
            *self = Level { most, sets, joins, ..Level::default() };
        }
    }
    let mut levels = vec![Level::default()];
    // Whether a table may stand next.
    let mut table_next = false;
    let mut doubled = false;
    for token in tokens {
        if matches!(token.token, Token::Whitespace(_)) {
            continue;
        }
        let Some(level) = levels.last_mut() else { return Ok(()) };
        let opens_table = std::mem::take(&mut table_next);
        let behind_table_bracket = std::mem::take(&mut doubled);
        match &token.token {
            Token::LParen => {
                let joins = level.joins + u32::from(behind_table_bracket);
                if joins > TABLE_BRACKETS_MAX {
                    return Err(too_deep());
                }
                levels.push(Level { joins, ..Level::default() });
                (table_next, doubled) = (opens_table, opens_table);
            }
            Token::RParen => {
                let inner = level.now().max(level.most);
                levels.pop();
                if levels.is_empty() {
                    levels.push(Level::default());
                }
                if let Some(outer) = levels.last_mut() {
                    outer.operand = outer.operand.max(inner);
                }
            }
            Token::Comma => level.begin_another(),
            Token::Word(word) if word.quote_style.is_none() => {
                let name = &word.value;
                let is = |known: &str| name.eq_ignore_ascii_case(known);
                table_next = is("FROM") || is("JOIN") || is("STRAIGHT_JOIN");
                if is("AND") || is("OR") {
                    level.operands = level.operands.max(std::mem::take(&mut level.operand));
                    level.logical += 1;
                } else if SET_OPERATORS.iter().any(|operator| is(operator)) {
                    level.sets += 1;
                    level.begin_another();
                } else if OPERATORS.iter().any(|operator| is(operator)) {
                    level.operand += 10;
                } else if is("WHEN") || is("THEN") || is("ELSE") || is("SELECT") {
                    level.begin_another();
                }
            }
            Token::Plus
            | Token::Minus
            | Token::Mul
            | Token::Div
            | Token::Mod
            | Token::Pipe
            | Token::Ampersand
            | Token::Caret
            | Token::StringConcat
            | Token::ShiftLeft
            | Token::ShiftRight
            | Token::ExclamationMark
            | Token::Tilde
            | Token::Arrow
            | Token::LongArrow => level.operand += 10,
            Token::Eq
            | Token::Lt
            | Token::Gt
            | Token::LtEq
            | Token::GtEq
            | Token::Neq
            | Token::Spaceship => level.operand += 1,
            _ => {}
        }
        let is_deep = |level: &Level| level.now() > CHAIN_MAX || level.sets > SETS_MAX;
        if levels.last().is_some_and(is_deep) {
            return Err(too_deep());
        }
    }
    Ok(())
}
