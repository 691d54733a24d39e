//! Forms of MySQL that the parser does not know, put into forms that it knows, token by token.
//!
//! Not here: brackets of joins (`brackets`), lists of queries (`query_list`), user variables
//! (`user_variables`).

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan, Whitespace};

use super::brackets::is_word;
use crate::error::{Error, Result};

/// Makes one name of `1Eq` and `2e`: sqlparser takes the digits for a number of which it expects an
/// exponent.
pub(super) fn join_names_of_digits(tokens: &mut Vec<TokenWithSpan>) {
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
pub(super) fn bits_of(token: &Token) -> Option<&str> {
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
pub(super) fn say_for_share(tokens: &mut [TokenWithSpan]) {
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
pub(super) fn say_each_lock(tokens: &mut Vec<TokenWithSpan>) {
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
pub(super) fn say_select_for_table(tokens: &mut Vec<TokenWithSpan>) {
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
pub(super) fn put_values_in_brackets(tokens: &mut Vec<TokenWithSpan>) {
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

/// Leaves out FROM FIRST behind a call of NTH_VALUE, which is what it means without these words.
///
/// # Errors
/// 1235 for FROM LAST, which MySQL refuses as well.
pub(super) fn leave_out_from_first(tokens: &mut [TokenWithSpan]) -> Result<()> {
    if !tokens.iter().any(|token| is_word(&token.token, "NTH_VALUE")) {
        return Ok(());
    }
    let is_said = |at: &usize| !matches!(tokens[*at].token, Token::Whitespace(_));
    let said: Vec<usize> = (0..tokens.len()).filter(is_said).collect();
    let mut left_out = Vec::new();
    let is_call = |(_, at): &(usize, &usize)| is_word(&tokens[**at].token, "NTH_VALUE");
    for (n, _) in said.iter().enumerate().filter(is_call) {
        let open = said.get(n + 1).filter(|next| tokens[**next].token == Token::LParen);
        let Some(close) = open.and_then(|open| closing(tokens, *open)) else { continue };
        let mut behind = said.iter().filter(|next| **next > close);
        let (Some(from), Some(end)) = (behind.next(), behind.next()) else { continue };
        let is_before_over = behind.next().is_some_and(|next| {
            ["OVER", "RESPECT", "IGNORE"].iter().any(|word| is_word(&tokens[*next].token, word))
        });
        if !is_word(&tokens[*from].token, "FROM") || !is_before_over {
            continue;
        }
        if is_word(&tokens[*end].token, "LAST") {
            return Err(Error::unsupported("FROM LAST"));
        }
        if is_word(&tokens[*end].token, "FIRST") {
            left_out.extend([*from, *end]);
        }
    }
    for at in left_out {
        tokens[at].token = Token::Whitespace(Whitespace::Space);
    }
    Ok(())
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
