//! `IN ((SELECT ..), (SELECT ..))`: a list of queries that give one value each. sqlparser takes the
//! first for the query of an `IN (SELECT ..)`; behind a sign, which says nothing, it is a value.
//!
//! Not here: `IN ((SELECT ..))`, which is one query in brackets.

use sqlparser::tokenizer::{Token, TokenWithSpan};

use super::brackets::{QUERY, is_word};

/// Puts a sign in front of the first query of each such list.
pub(crate) fn say_query_lists(tokens: &mut Vec<TokenWithSpan>) {
    if !tokens.iter().any(|token| is_word(&token.token, "IN")) {
        return;
    }
    let signs: Vec<usize> = (0..tokens.len()).filter_map(|at| first_query(tokens, at)).collect();
    for at in signs.into_iter().rev() {
        let span = tokens[at].span;
        tokens.insert(at, TokenWithSpan { token: Token::Plus, span });
    }
}

/// Where the first query of a list begins that stands behind this IN.
fn first_query(tokens: &[TokenWithSpan], at: usize) -> Option<usize> {
    if !is_word(&tokens[at].token, "IN") {
        return None;
    }
    let list = next(tokens, at + 1)?;
    let query = next(tokens, list + 1)?;
    let word = next(tokens, query + 1)?;
    let is_query = tokens[list].token == Token::LParen
        && tokens[query].token == Token::LParen
        && QUERY.iter().any(|known| is_word(&tokens[word].token, known));
    if !is_query {
        return None;
    }
    let mut depth = 0;
    for (end, token) in tokens.iter().enumerate().skip(query) {
        match token.token {
            Token::LParen => depth += 1,
            Token::RParen => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            let behind = next(tokens, end + 1)?;
            return (tokens[behind].token == Token::Comma).then_some(query);
        }
    }
    None
}

/// The next token that is no blank.
fn next(tokens: &[TokenWithSpan], from: usize) -> Option<usize> {
    (from..tokens.len()).find(|at| !matches!(tokens[*at].token, Token::Whitespace(_)))
}

#[cfg(test)]
mod tests {
    use values::SqlMode;

    use crate::cursor::Cursor;

    fn read(condition: &str) -> String {
        let text = format!("SELECT 1 WHERE a {condition}");
        let mut cursor = Cursor::new(&text, SqlMode::default()).expect("tokens");
        match cursor.query() {
            Ok(query) => query.to_string().replace("SELECT 1 WHERE a ", ""),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn a_list_of_queries_is_a_list() {
        assert_eq!(read("IN ((SELECT 1), (SELECT 2))"), "IN (+(SELECT 1), (SELECT 2))");
        assert_eq!(read("NOT IN ( (SELECT 1) , 2)"), "NOT IN (+(SELECT 1), 2)");
        assert_eq!(read("IN ((SELECT 1))"), "IN ((SELECT 1))");
        assert_eq!(read("IN (SELECT 1)"), "IN (SELECT 1)");
        assert_eq!(read("IN ((1), (2))"), "IN ((1), (2))");
    }
}
