//! Views as statements: SHOW CREATE VIEW.
//!
//! Not here: the query's own text (`syntax::view_text`).

use rows::view::{ViewAlgorithm, ViewCheck, ViewDefinition, ViewSecurity};
use syntax::{view_query, view_text};

use super::print::quoted;

/// The statement that makes a view; tables of the database `left_out` are named without it.
pub fn create_view_text(view: &ViewDefinition, left_out: Option<&str>) -> String {
    let algorithm = match view.algorithm {
        ViewAlgorithm::Undefined => "UNDEFINED",
        ViewAlgorithm::Merge => "MERGE",
        ViewAlgorithm::TempTable => "TEMPTABLE",
    };
    let (user, host) = view.definer.rsplit_once('@').unwrap_or((&view.definer, "%"));
    let name = match left_out {
        Some(database) if database == view.database => quoted(&view.name),
        _ => format!("{}.{}", quoted(&view.database), quoted(&view.name)),
    };
    let columns = match view.columns.as_slice() {
        [] => String::new(),
        names => {
            let names: Vec<String> = names.iter().map(|name| quoted(name)).collect();
            format!(" ({})", names.join(","))
        }
    };
    let query = view_query(&view.query).and_then(|query| view_text(&query, left_out));
    format!(
        "CREATE ALGORITHM={algorithm} DEFINER={}@{} SQL SECURITY {} VIEW {name}{columns} AS {}{}",
        quoted(user),
        quoted(host),
        security_word(view.security),
        query.as_deref().unwrap_or(&view.query),
        match view.check {
            None => "",
            Some(ViewCheck::Local) => " WITH LOCAL CHECK OPTION",
            Some(ViewCheck::Cascaded) => " WITH CASCADED CHECK OPTION",
        },
    )
}

/// SQL SECURITY.
pub fn security_word(security: ViewSecurity) -> &'static str {
    match security {
        ViewSecurity::Definer => "DEFINER",
        ViewSecurity::Invoker => "INVOKER",
    }
}
