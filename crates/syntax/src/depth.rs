//! How deep a statement may nest: what is deeper is refused before it is parsed, so that no
//! thread's stack overflows.
//!
//! Not here: the tree's own bounds (`plan`).

use sqlparser::tokenizer::{Token, TokenWithSpan};

use crate::error::{Result, too_deep};

/// Deepest nesting of expressions and queries; beyond it a statement is refused, not overflowed.
pub(super) const DEPTH_MAX: usize = 200;

/// How deep the tree of an expression may become through chains of operators, counted in tenths:
/// AND and OR are one, other operators ten. Walking a deeper one could overflow a thread's stack.
const CHAIN_MAX: u32 = 5000;

/// Deepest nesting of doubled brackets around tables, `FROM ((`. The parser tries each first as a
/// query, then as a join, and so what is inside twice as often with each.
const TABLE_BRACKETS_MAX: u32 = 8;

/// Refuses statements whose chains of operators would make too deep a tree.
pub(super) fn check_depth(tokens: &[TokenWithSpan]) -> Result<()> {
    /// Depth of the operand at hand, and of the deepest before the last comma.
    #[derive(Clone, Copy, Default)]
    struct Level {
        now: u32,
        most: u32,
        /// Brackets around it that stand where a table may and have another at once behind them.
        joins: u32,
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
                let inner = level.now.max(level.most);
                levels.pop();
                if levels.is_empty() {
                    levels.push(Level::default());
                }
                if let Some(outer) = levels.last_mut() {
                    outer.now = outer.now.max(inner);
                }
            }
            Token::Comma => {
                level.most = level.most.max(level.now);
                level.now = 0;
            }
            Token::Word(word) if word.quote_style.is_none() => {
                let name = &word.value;
                let is = |known: &str| name.eq_ignore_ascii_case(known);
                table_next = is("FROM") || is("JOIN") || is("STRAIGHT_JOIN");
                if is("AND") || is("OR") {
                    level.now += 1;
                } else if is("XOR")
                    || is("DIV")
                    || is("MOD")
                    || is("NOT")
                    || is("COLLATE")
                    || is("SOUNDS")
                {
                    level.now += 10;
                } else if is("WHEN") || is("THEN") || is("ELSE") || is("SELECT") {
                    level.most = level.most.max(level.now);
                    level.now = 0;
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
            | Token::LongArrow => level.now += 10,
            Token::Eq
            | Token::Lt
            | Token::Gt
            | Token::LtEq
            | Token::GtEq
            | Token::Neq
            | Token::Spaceship => level.now += 1,
            _ => {}
        }
        if levels.last().is_some_and(|level| level.now > CHAIN_MAX) {
            return Err(too_deep());
        }
    }
    Ok(())
}
