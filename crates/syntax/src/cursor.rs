//! A place in a tokenised statement: sqlparser's parser as a cursor, read word by word.
//!
//! sqlparser parses expressions and queries; statements around them are read here, because
//! MySQL has many forms that it does not know, and because an error must say where it is.
//!
//! Invariants
//! 1. Words compare without case; a quoted name is never a word of the grammar.
//! 2. A failed reading gives error 1064 at the token that did not fit.
//!
//! Not here: the statements (`statement`, `table`, `show`, ...), what tokens become before they are
//! read (`token_forms` and what stands beside it), how deep they may nest (`depth`).

use resources::interrupt;
use sqlparser::ast::helpers::attached_token::AttachedToken;
use sqlparser::ast::{Expr, Query, With};
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Token, TokenWithSpan, Tokenizer, Word};
use values::SqlMode;
use values::codes::from_hex;

use super::brackets::{is_word, say_brackets};
use super::depth::{DEPTH_MAX, check_depth};
use super::derived_names::name_columns;
use super::dialect::{self, RowhouseDialect};
use super::location::offset_of;
use super::names::TableName;
use super::placeholder::Place;
use super::query_list::say_query_lists;
use super::token_forms::{
    bits_of, hex_of_bits, join_names_of_digits, leave_out_from_first, put_values_in_brackets,
    say_each_lock, say_for_share, say_select_for_table,
};
use super::user_variables::say_user_variables;
use crate::error::{Error, Result, too_deep};

static DIALECT: RowhouseDialect = RowhouseDialect { high_not: false };
static HIGH_NOT_DIALECT: RowhouseDialect = RowhouseDialect { high_not: true };

/// A place in a statement.
pub struct Cursor<'a> {
    parser: Parser<'static>,
    text: &'a str,
}

impl<'a> Cursor<'a> {
    /// The tokens of `text`; each `?` becomes a place that `Place::of` reads, counted from 0.
    ///
    /// # Errors
    /// 1064 at a token that does not end, or where brackets nest too deeply.
    pub fn new(text: &'a str, mode: SqlMode) -> Result<Cursor<'a>> {
        let mut tokens =
            Tokenizer::new(&DIALECT, text).tokenize_with_location().map_err(|error| {
                syntax_at_location(text, error.location.line, error.location.column)
            })?;
        join_names_of_digits(&mut tokens);
        let mut parameters = 0u16;
        // Whether the token before can end an operand, or is a character set introducer.
        let (mut operand, mut introducer) = (false, false);
        for token in &mut tokens {
            if let Some(bits) = bits_of(&token.token) {
                token.token = Token::SingleQuotedByteStringLiteral(bits.to_string());
            }
            if operand && is_word(&token.token, "MOD") {
                token.token = Token::Mod;
            }
            match &mut token.token {
                // It binds as OR does, which is looser than as a sign.
                Token::StringConcat if !mode.pipes_as_concat() => {
                    token.token = Token::make_word("OR", None);
                }
                Token::Placeholder(name) => {
                    let place = Place::of_shape(name, parameters);
                    *name = place.name();
                    parameters = parameters.wrapping_add(place.count);
                }
                Token::SingleQuotedByteStringLiteral(bits) if introducer => {
                    token.token = Token::HexStringLiteral(hex_of_bits(bits));
                }
                Token::DoubleQuotedString(value) if mode.ansi_quotes() => {
                    let word = Word {
                        value: std::mem::take(value),
                        quote_style: Some('`'),
                        keyword: Keyword::NoKeyword,
                    };
                    token.token = Token::Word(word);
                }
                _ => {}
            }
            introducer = match &token.token {
                Token::Whitespace(_) => introducer,
                Token::Word(word) => word.quote_style.is_none() && word.value.starts_with('_'),
                _ => false,
            };
            operand = match &token.token {
                Token::Whitespace(_) => operand,
                Token::Word(word) => word.keyword == Keyword::NoKeyword,
                Token::Number(..)
                | Token::RParen
                | Token::Placeholder(_)
                | Token::SingleQuotedString(_) => true,
                _ => false,
            };
        }
        say_user_variables(&mut tokens);
        say_query_lists(&mut tokens);
        say_for_share(&mut tokens);
        say_select_for_table(&mut tokens);
        put_values_in_brackets(&mut tokens);
        say_each_lock(&mut tokens);
        leave_out_from_first(&mut tokens)?;
        say_brackets(&mut tokens)?;
        check_depth(&tokens)?;
        let dialect = if mode.high_not_precedence() { &HIGH_NOT_DIALECT } else { &DIALECT };
        Ok(Cursor::with_dialect(dialect, tokens, text))
    }

    /// A cursor over tokens that were made otherwise; `text` is for error messages.
    pub fn of_tokens(tokens: Vec<TokenWithSpan>, text: &'a str) -> Cursor<'a> {
        Cursor::with_dialect(&DIALECT, tokens, text)
    }

    fn with_dialect(
        dialect: &'static RowhouseDialect,
        tokens: Vec<TokenWithSpan>,
        text: &'a str,
    ) -> Cursor<'a> {
        dialect::begin(tokens.len());
        let parser =
            Parser::new(dialect).with_recursion_limit(DEPTH_MAX).with_tokens_with_locations(tokens);
        Cursor { parser, text }
    }

    /// The tokens, for replacing some.
    pub fn into_tokens(self) -> Vec<TokenWithSpan> {
        self.parser.into_tokens()
    }

    /// The tokens from the next on.
    pub fn into_rest(mut self) -> Vec<TokenWithSpan> {
        let mut rest = Vec::new();
        while *self.peek() != Token::EOF {
            rest.push(self.parser.next_token());
        }
        rest
    }

    /// The next token.
    pub fn peek(&self) -> &Token {
        &self.parser.peek_token_ref().token
    }

    /// The token after the next, and so on.
    pub fn peek_nth(&self, n: usize) -> &Token {
        &self.parser.peek_nth_token_ref(n).token
    }

    /// Takes the next token.
    pub fn advance(&mut self) -> Token {
        self.parser.next_token().token
    }

    /// Error 1064 at the next token.
    pub fn syntax(&self) -> Error {
        let token = self.parser.peek_token_ref();
        if token.token == Token::EOF {
            let line = 1 + self.text.matches('\n').count() as u64;
            return Error::syntax("", line);
        }
        let start = token.span.start;
        syntax_at_location(self.text, start.line, start.column)
    }

    /// The text from the next token on.
    pub fn rest(&self) -> &'a str {
        let start = self.parser.peek_token_ref().span.start;
        &self.text[offset_of(self.text, start.line, start.column)..]
    }

    /// Whether the next token is this word.
    pub fn is(&self, word: &str) -> bool {
        is_word(self.peek(), word)
    }

    /// Whether the token `n` behind the next is this word.
    pub fn is_nth(&self, n: usize, word: &str) -> bool {
        is_word(self.peek_nth(n), word)
    }

    /// Takes a word if it is next.
    pub fn take(&mut self, word: &str) -> bool {
        let found = self.is(word);
        if found {
            self.parser.advance_token();
        }
        found
    }

    /// Takes several words if they are next.
    pub fn take_all(&mut self, words: &[&str]) -> bool {
        let found = words.iter().enumerate().all(|(n, word)| self.is_nth(n, word));
        if found {
            words.iter().for_each(|_| self.parser.advance_token());
        }
        found
    }

    /// Takes several words if they are the last of the statement; the rest is what is before them.
    pub fn take_last(&mut self, words: &[&str]) -> bool {
        let text = self.text;
        let whole = std::mem::replace(self, Cursor::of_tokens(Vec::new(), text));
        let mut tokens = whole.into_rest();
        let is_end = |token: &TokenWithSpan| token.token == Token::SemiColon;
        let end = tokens.iter().rposition(|token| !is_end(token)).map_or(0, |at| at + 1);
        let start = end.saturating_sub(words.len());
        let last = &tokens[start..end];
        let found = last.len() == words.len()
            && words.iter().zip(last).all(|(word, token)| is_word(&token.token, word));
        if found {
            tokens.truncate(start);
        }
        *self = Cursor::of_tokens(tokens, text);
        found
    }

    /// Takes one of several words if it is next.
    pub fn take_any(&mut self, words: &[&'static str]) -> Option<&'static str> {
        words.iter().copied().find(|word| self.take(word))
    }

    /// Takes a word that must be next.
    ///
    /// # Errors
    /// 1064 when another word is next.
    pub fn expect(&mut self, word: &str) -> Result<()> {
        if self.take(word) { Ok(()) } else { Err(self.syntax()) }
    }

    /// Takes a sign if it is next.
    pub fn take_token(&mut self, token: &Token) -> bool {
        self.parser.consume_token(token)
    }

    /// Takes a sign that must be next.
    ///
    /// # Errors
    /// 1064 when another sign is next.
    pub fn expect_token(&mut self, token: &Token) -> Result<()> {
        if self.take_token(token) { Ok(()) } else { Err(self.syntax()) }
    }

    /// Whether the statement ends here.
    pub fn at_end(&self) -> bool {
        matches!(self.peek(), Token::EOF | Token::SemiColon)
    }

    /// Passes over what is left of the statement.
    pub fn skip_rest(&mut self) {
        while !self.at_end() {
            self.advance();
        }
    }

    /// The statement must end here.
    ///
    /// # Errors
    /// 1064 at what follows.
    pub fn expect_end(&self) -> Result<()> {
        if self.at_end() { Ok(()) } else { Err(self.syntax()) }
    }

    /// A name, quoted or not. Keywords are accepted where a name must stand.
    ///
    /// # Errors
    /// 1064 when no word is next.
    pub fn name(&mut self) -> Result<String> {
        match self.peek() {
            Token::Word(word) => {
                let name = word.value.clone();
                self.parser.advance_token();
                Ok(name)
            }
            _ => Err(self.syntax()),
        }
    }

    /// A name or a string, as where an alias or a character set may stand.
    ///
    /// # Errors
    /// 1064 when neither is next.
    pub fn name_or_string(&mut self) -> Result<String> {
        match self.peek() {
            Token::SingleQuotedString(value) | Token::DoubleQuotedString(value) => {
                let value = value.clone();
                self.parser.advance_token();
                Ok(value)
            }
            _ => self.name(),
        }
    }

    /// A string literal.
    ///
    /// # Errors
    /// 1064 when no string is next.
    pub fn string(&mut self) -> Result<String> {
        match self.peek() {
            Token::SingleQuotedString(value) | Token::DoubleQuotedString(value) => {
                let value = value.clone();
                self.parser.advance_token();
                Ok(value)
            }
            _ => Err(self.syntax()),
        }
    }

    /// A string's bytes, written as such or in hexadecimal.
    ///
    /// # Errors
    /// 1064 when neither is next.
    pub fn bytes(&mut self) -> Result<Vec<u8>> {
        if let Token::HexStringLiteral(digits) = self.peek() {
            let bytes = from_hex(digits.as_bytes()).ok_or_else(|| self.syntax())?;
            self.parser.advance_token();
            return Ok(bytes);
        }
        Ok(self.string()?.into_bytes())
    }

    /// A whole number.
    ///
    /// # Errors
    /// 1064 when none is next, or one that does not fit 64 bits.
    pub fn number(&mut self) -> Result<u64> {
        match self.peek() {
            Token::Number(digits, _) => match digits.parse() {
                Ok(value) => {
                    self.parser.advance_token();
                    Ok(value)
                }
                Err(_) => Err(self.syntax()),
            },
            _ => Err(self.syntax()),
        }
    }

    /// `table` or `database.table`.
    ///
    /// # Errors
    /// 1064 when no name is next; 1103 and 1102 when that of the table or the database is empty.
    pub fn table_name(&mut self) -> Result<TableName> {
        let first = self.name()?;
        if self.take_token(&Token::Period) {
            let table = self.name()?;
            return TableName::of_parts(Some(first), table);
        }
        TableName::of_parts(None, first)
    }

    /// One or more, separated by commas.
    ///
    /// # Errors
    /// The first error of `item`.
    pub fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let mut items = vec![item(self)?];
        while self.take_token(&Token::Comma) {
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// One or more in parentheses, separated by commas.
    ///
    /// # Errors
    /// The first error of `item`, and 1064 where a parenthesis or a comma is missing.
    pub fn parenthesised<T>(&mut self, item: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        self.expect_token(&Token::LParen)?;
        let items = self.list(item)?;
        self.expect_token(&Token::RParen)?;
        Ok(items)
    }

    /// An expression.
    ///
    /// # Errors
    /// 1064 where it stops making sense, `Interrupted`, and `TooLarge`.
    pub fn expression(&mut self) -> Result<Expr> {
        let parsed = self.parser.parse_expr();
        parsed.map_err(|error| self.translate(error))
    }

    /// What an operator may stand beside: no operators of its own.
    ///
    /// # Errors
    /// As `expression`.
    pub fn operand(&mut self) -> Result<Expr> {
        let parsed = self.parser.parse_prefix();
        parsed.map_err(|error| self.translate(error))
    }

    /// A query.
    ///
    /// # Errors
    /// As `expression`.
    pub fn query(&mut self) -> Result<Box<Query>> {
        let parsed = self.parser.parse_query();
        let mut query = parsed.map_err(|error| self.translate(error))?;
        name_columns(&mut query, self.text);
        Ok(query)
    }

    /// WITH and its queries, if it is next.
    ///
    /// # Errors
    /// As `expression`.
    pub fn with(&mut self) -> Result<Option<With>> {
        if !self.is("WITH") {
            return Ok(None);
        }
        let with_token = AttachedToken(self.parser.next_token());
        let recursive = self.parser.parse_keyword(Keyword::RECURSIVE);
        let parsed = self.parser.parse_comma_separated(Parser::parse_cte);
        let mut cte_tables = parsed.map_err(|error| self.translate(error))?;
        for named in &mut cte_tables {
            name_columns(&mut named.query, self.text);
        }
        Ok(Some(With { with_token, recursive, cte_tables }))
    }

    /// A statement, as sqlparser knows it.
    pub fn parser_mut(&mut self) -> &mut Parser<'static> {
        &mut self.parser
    }

    /// MySQL's words for an error of the parser.
    pub fn translate(&self, error: ParserError) -> Error {
        match error {
            // That is also how the dialect ends the parsing of a statement that is to end.
            ParserError::RecursionLimitExceeded if interrupt::is_wanted() => Error::Interrupted,
            ParserError::RecursionLimitExceeded => too_deep(),
            ParserError::TokenizerError(message) | ParserError::ParserError(message) => {
                match location_of(&message) {
                    Some((line, column)) => syntax_at_location(self.text, line, column),
                    None => self.syntax(),
                }
            }
        }
    }
}

/// The place that sqlparser's messages end in: ` at Line: 1, Column: 5`.
fn location_of(message: &str) -> Option<(u64, u64)> {
    let (_, place) = message.rsplit_once(" at Line: ")?;
    let (line, column) = place.split_once(", Column: ")?;
    Some((line.parse().ok()?, column.trim().parse().ok()?))
}

fn syntax_at_location(text: &str, line: u64, column: u64) -> Error {
    let rest = &text[offset_of(text, line, column)..];
    Error::syntax(rest.trim_end_matches(';'), line.max(1))
}
