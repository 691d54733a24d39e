//! CREATE VIEW and ALTER VIEW, as written.
//!
//! Not here: the canonical text of a query (`view_text`), what views are (crate `sql`).

use sqlparser::ast::Query;
use sqlparser::tokenizer::Token;

use super::account::definer;
use super::cursor::Cursor;
use super::names::TableName;
use super::select_list::item_texts;
use crate::error::Result;

/// CREATE VIEW, or ALTER VIEW, which puts another definition in the place of the one that is there.
#[derive(Clone, Debug, PartialEq)]
pub struct CreateView {
    /// Its name.
    pub name: TableName,
    /// What happens where there is such a view, or none.
    pub presence: ViewPresence,
    /// ALGORITHM.
    pub algorithm: Option<AlgorithmSpec>,
    /// Whose it is; `None`: the user's own.
    pub definer: Option<String>,
    /// SQL SECURITY INVOKER.
    pub is_invokers: bool,
    /// Names of its columns, where they are given.
    pub columns: Vec<String>,
    /// The query.
    pub query: Box<Query>,
    /// The items of its first SELECT as they were written.
    pub texts: Vec<String>,
    /// WITH CHECK OPTION.
    pub check: Option<ViewCheckSpec>,
}

/// What happens where there is a view of the name, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewPresence {
    /// CREATE: there may be none.
    New,
    /// IF NOT EXISTS: the one that is there stays.
    NewOrKept,
    /// OR REPLACE: the one that is there goes.
    NewOrReplaced,
    /// ALTER: there must be one.
    Replaced,
}

/// ALGORITHM.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AlgorithmSpec {
    /// UNDEFINED.
    Undefined,
    /// MERGE.
    Merge,
    /// TEMPTABLE.
    TempTable,
}

/// WITH CHECK OPTION.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewCheckSpec {
    /// LOCAL.
    Local,
    /// CASCADED, which is meant where neither is said.
    Cascaded,
}

/// Whether what follows CREATE or ALTER, and a definer, is the rest of a view's definition.
pub fn is_view(cursor: &Cursor<'_>) -> bool {
    cursor.is("VIEW") || cursor.is("ALGORITHM") || cursor.is("SQL")
}

/// What follows `CREATE [OR REPLACE]` or `ALTER`; `known_definer`: the definer, where it was read
/// already, because nothing stood before it.
///
/// # Errors
/// 1064 where the statement stops making sense.
pub fn create_view(
    cursor: &mut Cursor<'_>,
    mut presence: ViewPresence,
    known_definer: Option<String>,
) -> Result<CreateView> {
    let algorithm = algorithm(cursor)?;
    let definer = match known_definer {
        None => definer(cursor)?,
        known => known,
    };
    let is_invokers = match cursor.take_all(&["SQL", "SECURITY"]) {
        true if cursor.take("INVOKER") => true,
        true => {
            cursor.expect("DEFINER")?;
            false
        }
        false => false,
    };
    cursor.expect("VIEW")?;
    if presence == ViewPresence::New && cursor.take_all(&["IF", "NOT", "EXISTS"]) {
        presence = ViewPresence::NewOrKept;
    }
    let name = cursor.table_name()?;
    let columns = match cursor.peek() {
        Token::LParen => cursor.parenthesised(Cursor::name)?,
        _ => Vec::new(),
    };
    cursor.expect("AS")?;
    // mysqldump has the statement stand in a comment that is executed.
    let text = cursor.rest().trim_end_matches([';', ' ', '\n', '\t', '\r']);
    let texts = item_texts(text.strip_suffix("*/").unwrap_or(text));
    let check = match () {
        () if cursor.take_last(&["WITH", "LOCAL", "CHECK", "OPTION"]) => Some(ViewCheckSpec::Local),
        () if cursor.take_last(&["WITH", "CASCADED", "CHECK", "OPTION"])
            || cursor.take_last(&["WITH", "CHECK", "OPTION"]) =>
        {
            Some(ViewCheckSpec::Cascaded)
        }
        () => None,
    };
    let begins = ["SELECT", "WITH", "VALUES", "TABLE"].iter().any(|word| cursor.is(word));
    if !begins && *cursor.peek() != Token::LParen {
        return Err(cursor.syntax());
    }
    let query = cursor.query()?;
    Ok(CreateView { name, presence, algorithm, definer, is_invokers, columns, query, texts, check })
}

fn algorithm(cursor: &mut Cursor<'_>) -> Result<Option<AlgorithmSpec>> {
    if !cursor.take("ALGORITHM") {
        return Ok(None);
    }
    cursor.expect_token(&Token::Eq)?;
    match cursor.take_any(&["UNDEFINED", "MERGE", "TEMPTABLE"]) {
        Some("UNDEFINED") => Ok(Some(AlgorithmSpec::Undefined)),
        Some("MERGE") => Ok(Some(AlgorithmSpec::Merge)),
        Some(_) => Ok(Some(AlgorithmSpec::TempTable)),
        None => Err(cursor.syntax()),
    }
}

#[cfg(test)]
mod tests {
    use values::SqlMode;

    use super::*;
    use crate::statement::{Statement, statement};

    fn parsed(text: &str) -> Result<CreateView> {
        match statement(&mut Cursor::new(text, SqlMode::default())?)? {
            Statement::CreateView(view) => Ok(*view),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn all_that_a_definition_may_say_is_read() {
        let view = parsed("create view v as select a+1, b from t").unwrap();
        assert_eq!((view.presence, view.check), (ViewPresence::New, None));
        assert_eq!(view.texts, ["a+1", "b"]);
        let view = parsed(
            "CREATE OR REPLACE ALGORITHM = TEMPTABLE DEFINER=`a`@`%` SQL SECURITY INVOKER VIEW \
             `d`.`v` (`x`, y) AS (select 1 from t group by a) with check option;",
        )
        .unwrap();
        assert_eq!(view.presence, ViewPresence::NewOrReplaced);
        assert_eq!(view.algorithm, Some(AlgorithmSpec::TempTable));
        assert_eq!((view.definer.as_deref(), view.is_invokers), (Some("a@%"), true));
        assert_eq!(view.columns, ["x", "y"]);
        assert_eq!(view.check, Some(ViewCheckSpec::Cascaded));
        let view =
            parsed("alter definer=root@localhost view v as select 1 with local check option");
        assert_eq!(view.unwrap().check, Some(ViewCheckSpec::Local));
        let view = parsed("create view if not exists v as select a from t group by a with rollup");
        assert_eq!(view.unwrap().presence, ViewPresence::NewOrKept);
    }

    #[test]
    fn what_is_no_definition_is_refused() {
        for text in [
            "create view v",
            "create view v as",
            "create view v as delete from t",
            "create algorithm=fast view v as select 1",
            "create sql security view v as select 1",
            "create view v as select 1 with check",
            "alter view if not exists v as select 1",
        ] {
            assert!(parsed(text).is_err(), "{text}");
        }
    }
}
