//! Names of user variables, said so that sqlparser reads each as one word: `@name` and `@@name`
//! are words to it, and what else MySQL's lexer takes for a name is not.
//!
//! ```text
//! @`a b`  @'a b'  @"a b"   the sign and a quoted name    one word `@a b`
//! @a.b                     a name with a point           one word `@a.b`
//! a<@b  a^@b               PostgreSQL's signs            `<` or `^`, and the word `@b`
//! SELECT@@b  AND@b         one word                      the keyword, and the word `@b`
//! ```
//!
//! Invariants
//! 1. A sign between a user's name and a host (`'u'@'h'`, `root@'%'`) stays as it is.
//! 2. Tokens keep their places in the text.
//!
//! Not here: the literals that are taken out of a statement (`scan`), which leaves these names be.

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan, Word};

/// Keywords that a variable may follow without a space.
const KEYWORDS: [&str; 16] = [
    "SELECT", "SET", "AND", "OR", "XOR", "NOT", "BY", "WHERE", "WHEN", "THEN", "ELSE", "LIKE",
    "INTO", "USING", "DIV", "MOD",
];

/// Says the names of user variables as one word each.
pub fn say_user_variables(tokens: &mut Vec<TokenWithSpan>) {
    let is_sign = |token: &TokenWithSpan| match &token.token {
        Token::AtSign | Token::ArrowAt | Token::CaretAt => true,
        Token::Word(word) => is_variable(word) || behind_keyword(word).is_some(),
        _ => false,
    };
    if !tokens.iter().any(is_sign) {
        return;
    }
    let before = std::mem::take(tokens);
    tokens.reserve(before.len() + 1);
    let mut at = 0;
    while let Some(TokenWithSpan { token, span }) = before.get(at) {
        if let Token::Word(word) = token
            && let Some((keyword, _)) = behind_keyword(word)
        {
            tokens.push(TokenWithSpan { token: Token::make_word(keyword, None), span: *span });
        }
        let operator = match token {
            Token::ArrowAt => Some(Token::Lt),
            Token::CaretAt => Some(Token::Caret),
            _ => None,
        };
        let is_variables = operator.is_some() || !follows_account(tokens);
        if let Some(operator) = operator.clone() {
            tokens.push(TokenWithSpan { token: operator, span: *span });
        }
        let next = before.get(at + 1).map(|next| &next.token);
        let (name, taken) = match (token, next) {
            _ if !is_variables => (None, 1),
            // Without the sign in front, which was read as part of the operator.
            (Token::ArrowAt | Token::CaretAt, Some(Token::Word(word)))
                if word.quote_style.is_none() =>
            {
                (Some(format!("@{}", word.value)), 2)
            }
            (Token::AtSign | Token::ArrowAt | Token::CaretAt, Some(next)) => {
                (quoted_name(next).map(|name| format!("@{name}")), 2)
            }
            (Token::Word(word), _) if is_variable(word) => (Some(word.value.clone()), 1),
            (Token::Word(word), _) => (behind_keyword(word).map(|(_, name)| name.to_owned()), 1),
            _ => (None, 1),
        };
        let Some(mut name) = name else {
            let token = if operator.is_some() { Token::AtSign } else { token.clone() };
            tokens.push(TokenWithSpan { token, span: *span });
            at += 1;
            continue;
        };
        at += taken;
        // A system variable's name is behind a point, as a column's is.
        while !name.starts_with("@@")
            && let Some(part) = part_behind_point(&before[at..])
        {
            name = format!("{name}.{part}");
            at += 2;
        }
        let word = Word { value: name, quote_style: None, keyword: Keyword::NoKeyword };
        tokens.push(TokenWithSpan { token: Token::Word(word), span: *span });
    }
}

/// A keyword, and the name of a variable that follows it directly.
fn behind_keyword(word: &Word) -> Option<(&str, &str)> {
    let at = word.value.find('@').filter(|_| word.quote_style.is_none())?;
    let (keyword, name) = word.value.split_at(at);
    let is_keyword = KEYWORDS.iter().any(|known| known.eq_ignore_ascii_case(keyword));
    (is_keyword && name.len() > 1).then_some((keyword, name))
}

fn is_variable(word: &Word) -> bool {
    word.quote_style.is_none() && word.value.starts_with('@')
}

/// Whether the last token can be the name of an account, behind which the sign of a host stands.
fn follows_account(said: &[TokenWithSpan]) -> bool {
    let last = said.iter().rev().find(|token| !matches!(token.token, Token::Whitespace(_)));
    last.is_some_and(|last| match &last.token {
        Token::SingleQuotedString(_) | Token::DoubleQuotedString(_) => true,
        Token::Word(word) => word.quote_style.is_some(),
        _ => false,
    })
}

/// The name that a quoted word, a string or a number says.
fn quoted_name(token: &Token) -> Option<&str> {
    match token {
        Token::SingleQuotedString(name)
        | Token::DoubleQuotedString(name)
        | Token::Number(name, _) => Some(name),
        Token::Word(word) if word.quote_style.is_some() => Some(&word.value),
        _ => None,
    }
}

/// The word behind a point.
fn part_behind_point(tokens: &[TokenWithSpan]) -> Option<&str> {
    match tokens {
        [
            TokenWithSpan { token: Token::Period, .. },
            TokenWithSpan { token: Token::Word(word), .. },
            ..,
        ] if word.quote_style.is_none() => Some(&word.value),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use values::SqlMode;

    use crate::cursor::Cursor;

    fn words(text: &str) -> Vec<String> {
        let cursor = Cursor::new(text, SqlMode::default()).expect("tokens");
        let tokens = cursor.into_tokens();
        let shown = tokens.iter().map(|token| token.token.to_string());
        shown.filter(|word| !word.trim().is_empty() && word != "EOF").collect()
    }

    #[test]
    fn names_in_quotes_and_with_points_are_one_word() {
        assert_eq!(
            words("@`a b`,@'c',@\"d\",@e.f.g"),
            ["@a b", ",", "@c", ",", "@d", ",", "@e.f.g"]
        );
        assert_eq!(words("@@global.x"), ["@@global", ".", "x"]);
    }

    #[test]
    fn an_operator_directly_before_a_variable_is_one_of_mysql() {
        assert_eq!(words("a<@b"), ["a", "<", "@b"]);
        assert_eq!(words("a<@@b"), ["a", "<", "@@b"]);
        assert_eq!(words("a^@`b c`"), ["a", "^", "@b c"]);
        assert_eq!(words("a<=@b"), ["a", "<=", "@b"]);
        assert_eq!(words("SELECT@@b"), ["SELECT", "@@b"]);
        assert_eq!(words("1 AND@b.c"), ["1", "AND", "@b.c"]);
        assert_eq!(words("root@localhost"), ["root@localhost"]);
    }

    #[test]
    fn names_of_accounts_stay_apart_from_their_hosts() {
        assert_eq!(words("'u'@'h'"), ["'u'", "@", "'h'"]);
        assert_eq!(words("`u`@`h`"), ["`u`", "@", "`h`"]);
        assert_eq!(words("'u' @'h'"), ["'u'", "@", "'h'"]);
    }
}
