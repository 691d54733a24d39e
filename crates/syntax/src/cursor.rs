//! A place in a tokenised statement: sqlparser's parser as a cursor, read word by word.
//!
//! sqlparser parses expressions and queries; statements around them are read here, because
//! MySQL has many forms that it does not know, and because an error must say where it is.
//!
//! Invariants
//! 1. Words compare without case; a quoted name is never a word of the grammar.
//! 2. A failed reading gives error 1064 at the token that did not fit.
//!
//! Not here: the statements (`statement`, `table`, `show`, ...).

use resources::interrupt;
use sqlparser::ast::helpers::attached_token::AttachedToken;
use sqlparser::ast::{Expr, Ident, ObjectName, ObjectNamePart, Query, With};
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Token, TokenWithSpan, Tokenizer, Whitespace, Word};
use values::codes::from_hex;
use values::{ErrorCode, SqlMode};

use super::brackets::{is_word, say_brackets};
use super::derived_names::name_columns;
use super::dialect::{self, RowhouseDialect};
use super::location::offset_of;
use super::query_list::say_query_lists;
use super::scan::{BYTES_LIST_MARK, BYTES_MARK, DIGITS_MARK, LIST_MARK};
use super::user_variables::say_user_variables;
use crate::error::{Error, Result, too_deep};

static DIALECT: RowhouseDialect = RowhouseDialect { high_not: false };
static HIGH_NOT_DIALECT: RowhouseDialect = RowhouseDialect { high_not: true };

/// Deepest nesting of expressions and queries; beyond it a statement is refused, not overflowed.
const DEPTH_MAX: usize = 200;

/// A table's name as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableName {
    /// The database, if named.
    pub database: Option<String>,
    /// The table.
    pub table: String,
}

/// The place of a literal that was taken out of the text, or of a `?`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Its number.
    pub number: u16,
    /// How many it stands for, from that number on: more than one in a long list.
    pub count: u16,
    /// What is known of the literal.
    pub kind: PlaceKind,
}

/// What is known of a literal that was taken out of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaceKind {
    /// Nothing but its value.
    Any,
    /// It is one of digits: bytes, or a number where one is wanted.
    Digits,
    /// It is one of digits, and bytes wherever it stands.
    Bytes,
}

impl Place {
    /// What the name of a placeholder says.
    pub fn of(name: &str) -> Place {
        let number = name.trim_start_matches('?');
        let (number, kind) = match (number.strip_suffix('x'), number.strip_suffix('b')) {
            (Some(number), _) => (number, PlaceKind::Digits),
            (_, Some(number)) => (number, PlaceKind::Bytes),
            _ => (number, PlaceKind::Any),
        };
        let (number, count) = number.split_once('*').unwrap_or((number, "1"));
        let number = number.parse().unwrap_or(0);
        Place { number, count: count.parse().unwrap_or(1), kind }
    }

    /// The place that a word of a shape stands for, after so many others.
    fn of_shape(word: &str, number: u16) -> Place {
        let mark = word.trim_start_matches('?');
        let listed = |of: &str| mark.strip_prefix(of).and_then(|count| count.parse().ok());
        let (count, kind) = match (listed(LIST_MARK), listed(BYTES_LIST_MARK)) {
            (Some(count), _) => (count, PlaceKind::Any),
            (_, Some(count)) => (count, PlaceKind::Bytes),
            _ if mark.as_bytes() == DIGITS_MARK => (1, PlaceKind::Digits),
            _ if mark.as_bytes() == BYTES_MARK => (1, PlaceKind::Bytes),
            _ => (1, PlaceKind::Any),
        };
        Place { number, count, kind }
    }

    fn name(self) -> String {
        let Place { number, count, kind } = self;
        let suffix = match kind {
            PlaceKind::Any => "",
            PlaceKind::Digits => "x",
            PlaceKind::Bytes => "b",
        };
        match count {
            1 => format!("?{number}{suffix}"),
            count => format!("?{number}*{count}{suffix}"),
        }
    }
}

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
            return named_table(Some(first), table);
        }
        named_table(None, first)
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

/// Makes one name of `1Eq` and `2e`: sqlparser takes the digits for a number of which it expects an
/// exponent.
fn join_names_of_digits(tokens: &mut Vec<TokenWithSpan>) {
    let mut at = 0;
    while let [number, word, ..] = &tokens[at..] {
        let joined = match (&number.token, &word.token) {
            (Token::Number(digits, false), Token::Word(word))
                if word.quote_style.is_none()
                    && word.value.starts_with(['e', 'E'])
                    && digits.bytes().all(|byte| byte.is_ascii_digit()) =>
            {
                Some(format!("{digits}{}", word.value))
            }
            _ => None,
        };
        if let Some(name) = joined.filter(|_| number.span.end == word.span.start) {
            tokens[at].span.end = word.span.end;
            tokens[at].token = Token::make_word(&name, None);
            tokens.remove(at + 1);
        }
        at += 1;
    }
}

/// The bits of `0b101`, which sqlparser takes for a name.
fn bits_of(token: &Token) -> Option<&str> {
    let Token::Word(word) = token else { return None };
    let bits = word.value.strip_prefix("0b").filter(|_| word.quote_style.is_none())?;
    let is_bits = !bits.is_empty() && bits.bytes().all(|bit| matches!(bit, b'0' | b'1'));
    is_bits.then_some(bits)
}

/// Bits as the digits of their bytes: sqlparser reads these behind an introducer.
pub(crate) fn hex_of_bits(bits: &str) -> String {
    let bits: Vec<u8> = bits.bytes().map(|bit| u8::from(bit == b'1')).collect();
    let byte = |bits: &[u8]| bits.iter().fold(0u8, |byte, bit| byte << 1 | bit);
    let (first, rest) = bits.split_at(bits.len() % 8);
    let first = (!first.is_empty()).then_some(first);
    first.into_iter().chain(rest.chunks(8)).map(|bits| format!("{:02X}", byte(bits))).collect()
}

/// Puts `FOR SHARE`, which the parser knows, in the places of `LOCK IN SHARE MODE`.
fn say_for_share(tokens: &mut [TokenWithSpan]) {
    const OLD: [&str; 4] = ["LOCK", "IN", "SHARE", "MODE"];
    if !tokens.iter().any(|token| is_word(&token.token, OLD[0])) {
        return;
    }
    let is_blank = |at: &usize| matches!(tokens[*at].token, Token::Whitespace(_));
    let places: Vec<usize> = (0..tokens.len()).filter(|at| !is_blank(at)).collect();
    for four in places.windows(OLD.len()) {
        if OLD.iter().zip(four).all(|(word, at)| is_word(&tokens[*at].token, word)) {
            tokens[four[0]].token = Token::make_word("FOR", None);
            for blank in [four[1], four[3]] {
                tokens[blank].token = Token::Whitespace(Whitespace::Space);
            }
        }
    }
}

/// Says `FOR UPDATE OF a, b NOWAIT` as a clause for each table, which is what the parser reads.
fn say_each_lock(tokens: &mut Vec<TokenWithSpan>) {
    if !tokens.iter().any(|token| is_word(&token.token, "OF")) {
        return;
    }
    let is_lock = |token: &Token| is_word(token, "UPDATE") || is_word(token, "SHARE");
    tokens.retain(|token| !matches!(token.token, Token::Whitespace(_)));
    let mut at = 2;
    while at < tokens.len() {
        let is_clause = is_word(&tokens[at].token, "OF")
            && is_lock(&tokens[at - 1].token)
            && is_word(&tokens[at - 2].token, "FOR");
        if !is_clause {
            at += 1;
            continue;
        }
        let words = tokens[at - 2..=at].to_vec();
        let is_name = |token: &TokenWithSpan| match &token.token {
            Token::Word(_) => {
                !["NOWAIT", "SKIP", "FOR"].iter().any(|word| is_word(&token.token, word))
            }
            Token::Comma | Token::Period => true,
            _ => false,
        };
        let end = (at + 1..tokens.len()).find(|at| !is_name(&tokens[*at])).unwrap_or(tokens.len());
        let wait_words = match tokens.get(end) {
            Some(token) if is_word(&token.token, "NOWAIT") => 1,
            Some(token) if is_word(&token.token, "SKIP") => 2.min(tokens.len() - end),
            _ => 0,
        };
        let wait = tokens[end..end + wait_words].to_vec();
        let mut each = Vec::new();
        for token in &tokens[at + 1..end] {
            match token.token {
                Token::Comma => each.extend(wait.iter().chain(&words).cloned()),
                _ => each.push(token.clone()),
            }
        }
        let behind = at + 1 + each.len();
        tokens.splice(at + 1..end, each);
        at = behind;
    }
}

/// Puts `SELECT * FROM t` in the place of `TABLE t` where a query begins: the parser takes the two
/// words behind the name for a part of it, whatever they say.
fn say_select_for_table(tokens: &mut Vec<TokenWithSpan>) {
    const BEFORE: [&str; 6] = ["UNION", "ALL", "DISTINCT", "EXCEPT", "INTERSECT", "AS"];
    if !tokens.iter().any(|token| is_word(&token.token, "TABLE")) {
        return;
    }
    let mut begins = true;
    let mut at = 0;
    while at < tokens.len() {
        let token = &tokens[at].token;
        if begins && is_word(token, "TABLE") {
            let span = tokens[at].span;
            let words = [Token::make_keyword("SELECT"), Token::Mul, Token::make_keyword("FROM")];
            tokens.splice(at..=at, words.map(|token| TokenWithSpan { token, span }));
            at += 2;
        }
        let token = &tokens[at].token;
        if !matches!(token, Token::Whitespace(_)) {
            // Behind a name as well: INSERT INTO t TABLE u, CREATE TABLE t TABLE u.
            let is_name = matches!(token, Token::Word(word)
                if word.quote_style.is_some() || word.keyword == Keyword::NoKeyword);
            begins = is_name
                || matches!(token, Token::LParen | Token::RParen)
                || BEFORE.iter().any(|word| is_word(token, word));
        }
        at += 1;
    }
}

/// Puts brackets around `(VALUES ROW(1))` behind ANY and ALL of a comparison, where the parser
/// knows no other query than a SELECT.
fn put_values_in_brackets(tokens: &mut Vec<TokenWithSpan>) {
    const QUANTIFIERS: [&str; 3] = ["ANY", "SOME", "ALL"];
    let compares = |token: &Token| {
        use Token::{Eq, Gt, GtEq, Lt, LtEq, Neq};
        matches!(token, Eq | Neq | Lt | LtEq | Gt | GtEq)
    };
    let mut at = 0;
    while let Some(found) = tokens[at..].iter().position(|token| is_word(&token.token, "VALUES")) {
        let values = at + found;
        at = values + 1;
        let is_said = |before: &usize| !matches!(tokens[*before].token, Token::Whitespace(_));
        let mut before = (0..values).rev().filter(is_said);
        let (Some(open), Some(quantifier), Some(comparison)) =
            (before.next(), before.next(), before.next())
        else {
            continue;
        };
        let is_quantifier = QUANTIFIERS.iter().any(|word| is_word(&tokens[quantifier].token, word));
        if tokens[open].token != Token::LParen
            || !is_quantifier
            || !compares(&tokens[comparison].token)
        {
            continue;
        }
        if let Some(close) = closing(tokens, open) {
            tokens.insert(close, tokens[close].clone());
            tokens.insert(open, tokens[open].clone());
            at += 1;
        }
    }
}

/// Where the bracket is closed that is opened at a position.
fn closing(tokens: &[TokenWithSpan], open: usize) -> Option<usize> {
    let mut depth = 0_u32;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token.token {
            Token::LParen => depth += 1,
            Token::RParen if depth == 1 => return Some(at),
            Token::RParen => depth -= 1,
            _ => {}
        }
    }
    None
}

/// How deep the tree of an expression may become through chains of operators, counted in tenths:
/// AND and OR are one, other operators ten. Walking a deeper one could overflow a thread's stack.
const CHAIN_MAX: u32 = 5000;

/// Deepest nesting of doubled brackets around tables, `FROM ((`. The parser tries each first as a
/// query, then as a join, and so what is inside twice as often with each.
const TABLE_BRACKETS_MAX: u32 = 8;

/// Refuses statements whose chains of operators would make too deep a tree.
fn check_depth(tokens: &[TokenWithSpan]) -> Result<()> {
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

/// A table's name, none of whose parts is empty.
fn named_table(database: Option<String>, table: String) -> Result<TableName> {
    if table.is_empty() {
        return Err(Error::new(ErrorCode::WrongTableName, "Incorrect table name ''"));
    }
    if database.as_deref() == Some("") {
        return Err(Error::new(ErrorCode::WrongDbName, "Incorrect database name ''"));
    }
    Ok(TableName { database, table })
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

/// The parts of a name as sqlparser gives it.
pub fn name_parts(name: &ObjectName) -> Vec<&Ident> {
    name.0
        .iter()
        .filter_map(|part| match part {
            ObjectNamePart::Identifier(ident) => Some(ident),
            ObjectNamePart::Function(_) => None,
        })
        .collect()
}

/// A table's name from sqlparser's form.
///
/// # Errors
/// 1064 when it has more than two parts.
pub fn table_name(name: &ObjectName) -> Result<TableName> {
    match name_parts(name).as_slice() {
        [table] => Ok(TableName { database: None, table: table.value.clone() }),
        [database, table] => {
            Ok(TableName { database: Some(database.value.clone()), table: table.value.clone() })
        }
        _ => Err(Error::syntax(&name.to_string(), 1)),
    }
}
