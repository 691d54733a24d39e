//! Brackets around joins: what MySQL reads in a list of tables and sqlparser does not is said in
//! brackets and JOINs that it reads.
//!
//! ```text
//! (a)   ((a, b))              a   (a JOIN b)
//! (a, b JOIN c ON x)          (a JOIN (b JOIN c ON x))
//! a JOIN b JOIN c ON x ON y   a JOIN (b JOIN c ON x) ON y
//! {oj a LEFT JOIN b ON x}     (a LEFT JOIN b ON x)
//! ```
//!
//! An ON or a USING belongs to the last join that has none yet, and what stands between is its
//! right side; a join that gets none goes to the left, as in MySQL.
//!
//! Invariants
//! 1. Tokens keep their places in the text; one that is put in has the place of its neighbour.
//! 2. A list that makes no sense is left as it is: the parser says what is wrong with it.
//!
//! Not here: reading the tables (sqlparser), what a join means (`plan::bind`).

use sqlparser::tokenizer::{Token, TokenWithSpan, Whitespace, Word};

use crate::error::{Result, too_deep};

/// Deepest nesting of brackets around tables.
const DEPTH_MAX: usize = 100;

/// Words that begin a query.
pub(crate) const QUERY: [&str; 4] = ["SELECT", "WITH", "VALUES", "TABLE"];

/// Words that go on with a query behind one in brackets.
pub(crate) const BEHIND_QUERY: [&str; 9] =
    ["UNION", "EXCEPT", "INTERSECT", "MINUS", "ORDER", "LIMIT", "FOR", "LOCK", "INTO"];

/// Words that end a list of tables.
const BEHIND_TABLES: [&str; 15] = [
    "WHERE",
    "GROUP",
    "HAVING",
    "WINDOW",
    "ORDER",
    "LIMIT",
    "UNION",
    "EXCEPT",
    "INTERSECT",
    "MINUS",
    "FOR",
    "LOCK",
    "SET",
    "INTO",
    "PROCEDURE",
];

/// Words that begin a hint about indexes.
const HINT: [&str; 3] = ["USE", "FORCE", "IGNORE"];

/// Whether a token is a word of the grammar.
pub fn is_word(token: &Token, word: &str) -> bool {
    matches!(token, Token::Word(Word { value, quote_style: None, .. })
        if value.eq_ignore_ascii_case(word))
}

/// Says brackets around joins so that the parser reads them.
///
/// # Errors
/// 1436 where they nest too deeply.
pub fn say_brackets(tokens: &mut Vec<TokenWithSpan>) -> Result<()> {
    let is_table_word =
        |token: &TokenWithSpan| is_word(&token.token, "FROM") || is_word(&token.token, "UPDATE");
    if !tokens.iter().any(is_table_word) {
        return Ok(());
    }
    let mut list = TableLists::new(tokens);
    for at in 0..list.places.len() {
        if let Some(first) = list.first_table(at) {
            list.tables(first, 0)?;
        }
    }
    list.rewrite();
    Ok(())
}

/// What is found behind a word that a join is said with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum JoinWord {
    /// NATURAL JOIN, which has no condition.
    Natural,
    /// Any other join.
    Conditional,
}

/// One of the tables or joins between commas.
#[derive(Clone, Copy)]
struct Item {
    first: usize,
    /// The place behind it.
    end: usize,
    tables: usize,
}

struct TableLists<'t> {
    tokens: &'t mut Vec<TokenWithSpan>,
    /// Where the tokens are that are no blanks.
    places: Vec<usize>,
    /// For each place with an opening bracket that of the closing one.
    closing: Vec<usize>,
    /// How many brackets are put in before each place, and behind it.
    opened: Vec<usize>,
    closed: Vec<usize>,
    is_changed: bool,
}

impl<'t> TableLists<'t> {
    fn new(tokens: &'t mut Vec<TokenWithSpan>) -> TableLists<'t> {
        let is_blank = |at: &usize| matches!(tokens[*at].token, Token::Whitespace(_));
        let places: Vec<usize> = (0..tokens.len()).filter(|at| !is_blank(at)).collect();
        let mut closing = vec![usize::MAX; places.len()];
        let mut open = Vec::new();
        for (at, place) in places.iter().enumerate() {
            match tokens[*place].token {
                Token::LParen | Token::LBrace => open.push(at),
                Token::RParen | Token::RBrace => {
                    if let Some(opening) = open.pop() {
                        closing[opening] = at;
                    }
                }
                _ => {}
            }
        }
        let none = vec![0; places.len()];
        TableLists {
            tokens,
            places,
            closing,
            opened: none.clone(),
            closed: none,
            is_changed: false,
        }
    }

    fn token(&self, at: usize) -> &Token {
        self.places.get(at).map_or(&Token::EOF, |place| &self.tokens[*place].token)
    }

    /// Whether a word of the grammar stands there: behind a period it is a name.
    fn is(&self, at: usize, word: &str) -> bool {
        is_word(self.token(at), word) && (at == 0 || *self.token(at - 1) != Token::Period)
    }

    fn is_any(&self, at: usize, words: &[&str]) -> bool {
        words.iter().any(|word| self.is(at, word))
    }

    /// Where a list of tables begins that the word there announces.
    fn first_table(&self, at: usize) -> Option<usize> {
        if self.is(at, "FROM") {
            return Some(at + 1);
        }
        if self.is(at, "USING") && *self.token(at + 1) != Token::LParen {
            return Some(at + 1);
        }
        // In GRANT it is a privilege, with columns in brackets.
        let begins = at == 0
            || *self.token(at - 1) == Token::RParen
            || self.is_any(at - 1, &["EXPLAIN", "DESCRIBE", "DESC", "ANALYZE", "DO"]);
        let is_statement = self.is(at, "UPDATE") && begins;
        if !is_statement {
            return None;
        }
        let mut first = at + 1;
        while self.is_any(first, &["LOW_PRIORITY", "IGNORE"]) {
            first += 1;
        }
        Some(first)
    }

    /// The place behind a bracket's end; `None` if it has none.
    fn behind(&self, at: usize) -> Option<usize> {
        self.closing.get(at).filter(|end| **end != usize::MAX).map(|end| end + 1)
    }

    /// Whether a query stands in the brackets that open there.
    fn is_query(&self, at: usize) -> Result<bool> {
        let mut inner = at;
        while *self.token(inner + 1) == Token::LParen {
            inner += 1;
            if inner - at > DEPTH_MAX {
                return Err(too_deep());
            }
        }
        if !self.is_any(inner + 1, &QUERY) {
            return Ok(false);
        }
        let goes_on = |around: usize| {
            self.behind(around + 1).is_some_and(|behind| {
                *self.token(behind) == Token::RParen || self.is_any(behind, &BEHIND_QUERY)
            })
        };
        Ok((at..inner).all(goes_on))
    }

    /// Passes tables and joins up to where they end; what they are between commas.
    fn tables(&mut self, first: usize, depth: usize) -> Result<(Vec<Item>, usize)> {
        if depth > DEPTH_MAX {
            return Err(too_deep());
        }
        let (mut items, mut at) = (Vec::new(), first);
        loop {
            let (tables, end) = self.joins(at, depth)?;
            items.push(Item { first: at, end, tables });
            if *self.token(end) != Token::Comma {
                return Ok((items, end));
            }
            at = end + 1;
        }
    }

    /// Passes a chain of joins: how many tables it is made of, and the place behind it.
    fn joins(&mut self, first: usize, depth: usize) -> Result<(usize, usize)> {
        // Where the right sides begin of joins that have no condition yet, and after how many
        // tables.
        let mut open: Vec<(usize, usize)> = Vec::new();
        let mut at = self.table(first, depth)?;
        let mut tables = 1;
        loop {
            if !open.is_empty() && self.is_any(at, &["ON", "USING"]) {
                if let Some((start, before)) = open.pop()
                    && tables - before > 1
                {
                    self.bracket(start, at);
                }
                at = self.rest(at + 1);
                continue;
            }
            let Some((word, behind)) = self.join_word(at) else { return Ok((tables, at)) };
            if word == JoinWord::Conditional {
                open.push((behind, tables));
            }
            at = self.table(behind, depth)?;
            tables += 1;
        }
    }

    /// The words that join what follows, and the place behind them.
    fn join_word(&self, at: usize) -> Option<(JoinWord, usize)> {
        let is_natural = self.is(at, "NATURAL");
        let word = if is_natural { JoinWord::Natural } else { JoinWord::Conditional };
        let at = at + usize::from(is_natural);
        if self.is_any(at, &["JOIN", "STRAIGHT_JOIN"]) {
            return Some((word, at + 1));
        }
        if self.is_any(at, &["INNER", "CROSS"]) && self.is(at + 1, "JOIN") {
            return Some((word, at + 2));
        }
        if !self.is_any(at, &["LEFT", "RIGHT"]) {
            return None;
        }
        let join = at + 1 + usize::from(self.is(at + 1, "OUTER"));
        self.is(join, "JOIN").then_some((word, join + 1))
    }

    /// Passes a table, with its alias and hints; the place behind it.
    fn table(&mut self, at: usize, depth: usize) -> Result<usize> {
        let inside = match self.token(at) {
            Token::LParen if !self.is_query(at)? => at + 1,
            // `{oj`, as ODBC has it.
            Token::LBrace => at + 2,
            _ => return Ok(self.rest(at)),
        };
        let Some(behind) = self.behind(at) else { return Ok(at) };
        let (items, end) = self.tables(inside, depth + 1)?;
        if end + 1 != behind {
            return Ok(self.rest(behind));
        }
        let is_alone = matches!(items.as_slice(), [Item { tables: 1, .. }]);
        let rest = self.rest(behind);
        match is_alone {
            // An alias behind brackets is no part of MySQL's language.
            true if rest == behind => {
                self.put(at, Token::Whitespace(Whitespace::Space));
                self.put(end, Token::Whitespace(Whitespace::Space));
            }
            true => {}
            false if inside == at + 2 => {
                self.put(at, Token::LParen);
                self.put(end, Token::RParen);
            }
            false => {}
        }
        if inside == at + 2 {
            self.put(at + 1, Token::Whitespace(Whitespace::Space));
        }
        if items.len() > 1 {
            for item in &items {
                if item.tables > 1 {
                    self.bracket(item.first, item.end);
                }
                if item.end != end {
                    self.put(item.end, Token::make_keyword("JOIN"));
                }
            }
        }
        Ok(rest)
    }

    /// Passes what can stand behind a table or in a condition, up to the next join, comma, bracket
    /// or clause.
    fn rest(&self, mut at: usize) -> usize {
        loop {
            if self.is_hint(at) || *self.token(at) == Token::Comma && self.is_hint(at + 1) {
                // FOR JOIN, FOR ORDER BY, FOR GROUP BY.
                while !matches!(self.token(at), Token::LParen | Token::EOF) {
                    at += 1;
                }
                continue;
            }
            match self.token(at) {
                Token::LParen | Token::LBrace => match self.behind(at) {
                    Some(behind) => at = behind,
                    None => return at,
                },
                Token::EOF | Token::SemiColon | Token::Comma | Token::RParen | Token::RBrace => {
                    return at;
                }
                _ if self.join_word(at).is_some()
                    || self.is_any(at, &["ON", "USING"])
                    || self.is_any(at, &BEHIND_TABLES) =>
                {
                    return at;
                }
                _ => at += 1,
            }
        }
    }

    fn is_hint(&self, at: usize) -> bool {
        self.is_any(at, &HINT) && self.is_any(at + 1, &["INDEX", "KEY"])
    }

    /// Puts what is before `end` in brackets, from `first` on.
    fn bracket(&mut self, first: usize, end: usize) {
        if first < end && end <= self.places.len() {
            self.opened[first] += 1;
            self.closed[end - 1] += 1;
            self.is_changed = true;
        }
    }

    /// Puts another token in a place.
    fn put(&mut self, at: usize, token: Token) {
        self.tokens[self.places[at]].token = token;
    }

    /// Puts the brackets in.
    fn rewrite(self) {
        if !self.is_changed {
            return;
        }
        let (mut opened, mut closed) = (vec![0; self.tokens.len()], vec![0; self.tokens.len()]);
        for (at, place) in self.places.iter().enumerate() {
            (opened[*place], closed[*place]) = (self.opened[at], self.closed[at]);
        }
        let old = std::mem::take(self.tokens);
        for (at, token) in old.into_iter().enumerate() {
            let span = token.span;
            let bracket = |token| TokenWithSpan { token, span };
            self.tokens.extend((0..opened[at]).map(|_| bracket(Token::LParen)));
            self.tokens.push(token);
            self.tokens.extend((0..closed[at]).map(|_| bracket(Token::RParen)));
        }
    }
}

#[cfg(test)]
mod tests {
    use values::SqlMode;

    use crate::cursor::Cursor;

    fn read(from: &str) -> String {
        let text = format!("SELECT 1 FROM {from}");
        let mut cursor = Cursor::new(&text, SqlMode::default()).unwrap();
        let query = cursor.query().unwrap().to_string();
        query.trim_start_matches("SELECT 1 FROM ").to_owned()
    }

    #[test]
    fn brackets_stand_where_the_joins_of_mysql_do() {
        let cases = [
            ("(a)", "a"),
            ("((a))", "a"),
            ("(a, b)", "(a JOIN b)"),
            ("((a, b))", "(a JOIN b)"),
            ("(a, b JOIN c ON x)", "(a JOIN (b JOIN c ON x))"),
            ("a JOIN b JOIN c ON x ON y", "a JOIN (b JOIN c ON x) ON y"),
            ("a JOIN b JOIN c ON x", "a JOIN b JOIN c ON x"),
            ("a LEFT JOIN b ON LEFT(x, 1) JOIN c ON y", "a LEFT JOIN b ON LEFT(x, 1) JOIN c ON y"),
            ("a JOIN b NATURAL JOIN c ON x", "a JOIN (b NATURAL JOIN c) ON x"),
            ("{oj a LEFT OUTER JOIN b ON x}, c", "(a LEFT OUTER JOIN b ON x), c"),
            ("a LEFT JOIN (b, c) ON x", "a LEFT JOIN (b JOIN c) ON x"),
            ("((SELECT 1) UNION (SELECT 2)) q", "((SELECT 1) UNION (SELECT 2)) q"),
            ("((SELECT 1) q, (a))", "((SELECT 1) q JOIN a)"),
            ("(SELECT 1 FROM (a, b)) q", "(SELECT 1 FROM (a JOIN b)) q"),
        ];
        for (written, meant) in cases {
            assert_eq!(read(written), meant, "{written}");
        }
    }

    #[test]
    fn an_alias_behind_brackets_is_none() {
        let mut cursor = Cursor::new("SELECT 1 FROM (a) x", SqlMode::default()).unwrap();
        assert!(cursor.query().is_err());
    }

    #[test]
    fn a_long_chain_and_deep_brackets_end() {
        let chain = "a JOIN ".repeat(5000) + "b";
        assert_eq!(read(&chain), chain);
        let deep = format!("SELECT 1 FROM {}a{}", "(a JOIN ".repeat(5000), ")".repeat(5000));
        assert!(Cursor::new(&deep, SqlMode::default()).is_err());
    }
}
