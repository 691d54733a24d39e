//! MySQL's dialect for sqlparser, with what its own `MySqlDialect` gets wrong set right: every
//! operator binds as tightly as in MySQL (8.0 manual, 14.4.1), and `!a`, `GROUP BY ... WITH ROLLUP`
//! and compound units (`EXTRACT(YEAR_MONTH FROM d)`) are read.
//!
//! | binds           | operators                                    |
//! |-----------------|----------------------------------------------|
//! | 60              | `->` `->>`                                   |
//! | 50              | unary `-` `~` `!`, BINARY                    |
//! | 47              | `||` under PIPES_AS_CONCAT                   |
//! | 45 40 30        | `^`, then `*` `/` `%` DIV MOD, then `+` `-`  |
//! | 27 23 21        | `<<` `>>`, then `&`, then `|`                |
//! | 20              | BETWEEN, IN, LIKE, SOUNDS LIKE, REGEXP       |
//! | 17              | `=` `<=>` `<` `>` `<>`, IS                   |
//! | 15 10 7 5 1     | NOT, then AND `&&`, XOR, OR, `:=`            |
//!
//! `||` as OR is the word OR by the time it comes here (`cursor`).
//!
//! Invariants
//! 1. Wherever sqlparser asks whether this is `MySqlDialect`, it is.
//!
//! Not here: calls in a form of their own (`call`), statements (`statement`), which are read word
//! by word.

use std::any::TypeId;
use std::cell::Cell;

use resources::interrupt;
use sqlparser::ast::{BinaryOperator, CastKind, DataType, Expr, Ident, Statement, UnaryOperator};
use sqlparser::dialect::{Dialect, MySqlDialect, Precedence};
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::Token;

use super::call::{self, is_next, plain_call};
use super::keywords::is_reserved;

static BASE: MySqlDialect = MySqlDialect {};

thread_local! {
    /// Operands that the parser of this thread may still look at.
    static STEPS_LEFT: Cell<usize> = const { Cell::new(usize::MAX) };
}

/// A statement of so many tokens begins. In brackets behind FROM the parser tries a query first
/// and then a join, on each level: twice as often with each, if nobody counts.
pub fn begin(tokens: usize) {
    STEPS_LEFT.set(tokens.saturating_mul(32).saturating_add(10_000));
}

/// MySQL's dialect.
#[derive(Clone, Copy, Debug)]
pub struct RowhouseDialect {
    /// Whether NOT binds as `!` does (HIGH_NOT_PRECEDENCE).
    pub high_not: bool,
}

/// How tightly unary operators bind: tighter than any that stand between two operands, but `->`.
const UNARY: u8 = 50;
/// How tightly `:=` binds.
const ASSIGNMENT: u8 = 1;

/// Of how many words an operator REGEXP or RLIKE is that comes next, and whether NOT is among them.
fn regexp_words(parser: &Parser<'_>) -> Option<(usize, bool)> {
    let is_word = |at: usize, words: &[Keyword]| {
        matches!(&parser.peek_nth_token_ref(at).token,
            Token::Word(word) if word.quote_style.is_none() && words.contains(&word.keyword))
    };
    let negated = is_word(0, &[Keyword::NOT]);
    let at = usize::from(negated);
    is_word(at, &[Keyword::REGEXP, Keyword::RLIKE]).then_some((at + 1, negated))
}

/// Whether SOUNDS LIKE is next, which binds as LIKE does.
fn is_sounds_like(parser: &Parser<'_>) -> bool {
    is_next(parser, "SOUNDS")
        && matches!(&parser.peek_nth_token_ref(1).token, Token::Word(word)
            if word.keyword == Keyword::LIKE)
}

/// Whether the word that the parser has just taken may be an alias: one that is not reserved, or
/// stands in quotes; with AS before it also the first word of MariaDB's RETURNING clause.
fn is_alias(explicit: bool, keyword: Keyword, parser: &Parser<'_>) -> bool {
    match &parser.get_current_token().token {
        Token::Word(word) if word.quote_style.is_some() => true,
        Token::Word(word) => {
            (explicit || keyword != Keyword::RETURNING) && !is_reserved(&word.value)
        }
        _ => false,
    }
}

impl Dialect for RowhouseDialect {
    fn dialect(&self) -> TypeId {
        TypeId::of::<MySqlDialect>()
    }

    fn is_identifier_start(&self, ch: char) -> bool {
        BASE.is_identifier_start(ch)
    }

    fn is_identifier_part(&self, ch: char) -> bool {
        BASE.is_identifier_part(ch)
    }

    fn is_delimited_identifier_start(&self, ch: char) -> bool {
        BASE.is_delimited_identifier_start(ch)
    }

    fn identifier_quote_style(&self, identifier: &str) -> Option<char> {
        BASE.identifier_quote_style(identifier)
    }

    fn supports_string_literal_backslash_escape(&self) -> bool {
        true
    }

    fn supports_string_literal_concatenation(&self) -> bool {
        true
    }

    fn ignores_wildcard_escapes(&self) -> bool {
        true
    }

    fn supports_numeric_prefix(&self) -> bool {
        true
    }

    fn supports_bitwise_shift_operators(&self) -> bool {
        true
    }

    fn supports_multiline_comment_hints(&self) -> bool {
        true
    }

    fn supports_bang_not_operator(&self) -> bool {
        true
    }

    fn supports_group_by_with_modifier(&self) -> bool {
        true
    }

    fn allow_extract_custom(&self) -> bool {
        true
    }

    fn prec_value(&self, precedence: Precedence) -> u8 {
        match precedence {
            Precedence::Xor => 7,
            Precedence::Eq | Precedence::Is => 17,
            Precedence::Between | Precedence::Like => 20,
            Precedence::Caret => 45,
            other => BASE.prec_value(other),
        }
    }

    fn get_next_precedence(&self, parser: &Parser<'_>) -> Option<Result<u8, ParserError>> {
        Some(Ok(match parser.peek_token_ref().token {
            Token::Arrow | Token::LongArrow => 60,
            Token::StringConcat => 47,
            Token::ShiftLeft | Token::ShiftRight => 27,
            Token::Overlap => self.prec_value(Precedence::And),
            Token::Assignment => ASSIGNMENT,
            Token::Word(_) if is_sounds_like(parser) => self.prec_value(Precedence::Like),
            Token::Word(ref word) if word.keyword == Keyword::MOD => {
                self.prec_value(Precedence::MulDivModOp)
            }
            _ => return None,
        }))
    }

    fn parse_prefix(&self, parser: &mut Parser<'_>) -> Option<Result<Expr, ParserError>> {
        // Asked at every operand; a parser that tries again and again asks again and again. No
        // other error makes it give up at once.
        let steps = STEPS_LEFT.get();
        STEPS_LEFT.set(steps.saturating_sub(1));
        if steps == 0 || interrupt::is_wanted() {
            return Some(Err(ParserError::RecursionLimitExceeded));
        }
        let op = match parser.peek_token_ref().token {
            Token::ExclamationMark => Some(UnaryOperator::Not),
            Token::Word(ref word)
                if self.high_not && word.quote_style.is_none() && word.keyword == Keyword::NOT =>
            {
                Some(UnaryOperator::Not)
            }
            Token::Minus => Some(UnaryOperator::Minus),
            Token::Plus => Some(UnaryOperator::Plus),
            Token::Tilde => Some(UnaryOperator::BitwiseNot),
            _ => None,
        };
        if let Some(op) = op {
            parser.advance_token();
            let operand = parser.parse_subexpr(UNARY);
            return Some(operand.map(|expr| Expr::UnaryOp { op, expr: Box::new(expr) }));
        }
        // `{name expression}`, as ODBC writes what MySQL reads as the expression alone; sqlparser
        // reads `{d '...'}`, `{t '...'}`, `{ts '...'}` and `{fn ...}`.
        if parser.peek_token_ref().token == Token::LBrace
            && let Token::Word(word) = &parser.peek_nth_token_ref(1).token
            && !["D", "T", "TS", "FN"].iter().any(|own| word.value.eq_ignore_ascii_case(own))
        {
            (0..2).for_each(|_| parser.advance_token());
            let inner = parser.parse_expr();
            return Some(inner.and_then(|inner| {
                parser.expect_token(&Token::RBrace)?;
                Ok(inner)
            }));
        }
        if let Some(query) = call::query_operand(parser) {
            return Some(query);
        }
        // Behind any operator, `1 + @a := 2`, the variable is all that is given a value.
        if let Token::Word(variable) = &parser.peek_token_ref().token
            && variable.value.starts_with('@')
            && variable.quote_style.is_none()
            && parser.peek_nth_token_ref(1).token == Token::Assignment
        {
            let left = Box::new(Expr::Identifier(Ident::new(variable.value.clone())));
            (0..2).for_each(|_| parser.advance_token());
            let right = parser.parse_subexpr(ASSIGNMENT - 1);
            return Some(right.map(|right| Expr::BinaryOp {
                left,
                op: BinaryOperator::Assignment,
                right: Box::new(right),
            }));
        }
        if let Some(call) = call::special(parser) {
            return Some(call);
        }
        if !parser.parse_keyword(Keyword::BINARY) {
            return None;
        }
        let operand = parser.parse_subexpr(UNARY);
        Some(operand.map(|expr| Expr::Cast {
            kind: CastKind::Cast,
            expr: Box::new(expr),
            data_type: DataType::Binary(None),
            array: false,
            format: None,
        }))
    }

    fn parse_infix(
        &self,
        parser: &mut Parser<'_>,
        expr: &Expr,
        _precedence: u8,
    ) -> Option<Result<Expr, ParserError>> {
        if let Token::Assignment = parser.peek_token_ref().token {
            parser.advance_token();
            // `@a := @b := 1` gives both.
            let right = parser.parse_subexpr(ASSIGNMENT - 1);
            return Some(right.map(|right| Expr::BinaryOp {
                left: Box::new(expr.clone()),
                op: BinaryOperator::Assignment,
                right: Box::new(right),
            }));
        }
        if is_sounds_like(parser) {
            (0..2).for_each(|_| parser.advance_token());
            let right = parser.parse_subexpr(self.prec_value(Precedence::Like));
            let sound = |expr| Box::new(Expr::Function(plain_call("SOUNDEX", vec![expr])));
            return Some(right.map(|right| Expr::BinaryOp {
                left: sound(expr.clone()),
                op: BinaryOperator::Eq,
                right: sound(right),
            }));
        }
        if let Some((words, negated)) = regexp_words(parser) {
            // The parser's own way of it takes a NULL behind for one of its words.
            (0..words).for_each(|_| parser.advance_token());
            let pattern = parser.parse_subexpr(self.prec_value(Precedence::Like));
            return Some(pattern.map(|pattern| Expr::RLike {
                negated,
                expr: Box::new(expr.clone()),
                pattern: Box::new(pattern),
                regexp: true,
            }));
        }
        let op = match parser.parse_one_of_keywords(&[Keyword::DIV, Keyword::MOD])? {
            Keyword::DIV => BinaryOperator::MyIntegerDivide,
            _ => BinaryOperator::Modulo,
        };
        let right = parser.parse_subexpr(self.prec_value(Precedence::MulDivModOp));
        Some(right.map(|right| Expr::BinaryOp {
            left: Box::new(expr.clone()),
            op,
            right: Box::new(right),
        }))
    }

    fn parse_statement(&self, parser: &mut Parser<'_>) -> Option<Result<Statement, ParserError>> {
        BASE.parse_statement(parser)
    }

    fn require_interval_qualifier(&self) -> bool {
        true
    }

    fn supports_limit_comma(&self) -> bool {
        true
    }

    fn supports_create_table_select(&self) -> bool {
        true
    }

    fn supports_insert_set(&self) -> bool {
        true
    }

    fn supports_user_host_grantee(&self) -> bool {
        true
    }

    fn is_select_item_alias(
        &self,
        explicit: bool,
        keyword: &Keyword,
        parser: &mut Parser<'_>,
    ) -> bool {
        is_alias(explicit, *keyword, parser)
    }

    fn is_table_factor_alias(
        &self,
        explicit: bool,
        keyword: &Keyword,
        parser: &mut Parser<'_>,
    ) -> bool {
        is_alias(explicit, *keyword, parser)
    }

    fn supports_table_hints(&self) -> bool {
        true
    }

    fn requires_single_line_comment_whitespace(&self) -> bool {
        true
    }

    fn supports_match_against(&self) -> bool {
        true
    }

    fn supports_select_modifiers(&self) -> bool {
        true
    }

    fn supports_set_names(&self) -> bool {
        true
    }

    fn supports_comma_separated_set_assignments(&self) -> bool {
        true
    }

    fn supports_update_order_by(&self) -> bool {
        true
    }

    fn supports_data_type_signed_suffix(&self) -> bool {
        true
    }

    fn supports_cross_join_constraint(&self) -> bool {
        true
    }

    fn supports_double_ampersand_operator(&self) -> bool {
        true
    }

    fn supports_comment_optimizer_hint(&self) -> bool {
        true
    }

    fn supports_constraint_keyword_without_name(&self) -> bool {
        true
    }

    fn supports_key_column_option(&self) -> bool {
        true
    }
}
