//! VIEWS, and the columns of views.

use rows::schema::{Column, DefaultValue};
use rows::view::{View, ViewCheck};

use super::{AskedTables, CATALOG};
use crate::bind::{BindSource, Literals, bind_query};
use crate::context::SqlContext;
use crate::ddl::security_word;
use crate::error::Result;
use crate::show::{Listing, text};
use crate::tree::OutputColumn;
use crate::write::{all_of, is_updatable};

/// VIEWS.
pub(super) fn views(facts: &SqlContext, asked: &AskedTables<'_>) -> Listing {
    let mut listing = Listing::new(&[
        "TABLE_CATALOG",
        "TABLE_SCHEMA",
        "TABLE_NAME",
        "VIEW_DEFINITION",
        "CHECK_OPTION",
        "IS_UPDATABLE",
        "DEFINER",
        "SECURITY_TYPE",
        "CHARACTER_SET_CLIENT",
        "COLLATION_CONNECTION",
    ])
    .long_text(3);
    for view in asked.views(facts.sql.engine()) {
        listing.push(vec![
            text(CATALOG),
            text(&view.database),
            text(&view.name),
            text(&view.query),
            text(match view.check {
                None => "NONE",
                Some(ViewCheck::Local) => "LOCAL",
                Some(ViewCheck::Cascaded) => "CASCADED",
            }),
            text(if is_updatable(&view, facts) { "YES" } else { "NO" }),
            text(&view.definer),
            text(security_word(view.security)),
            text(&view.charset_client),
            text(&view.collation_connection),
        ]);
    }
    listing
}

/// The columns of a view, as those of a table would be.
///
/// # Errors
/// 1356 where a table or column that it names is not there.
pub fn columns_of_view(facts: &SqlContext, view: &View) -> Result<Vec<Column>> {
    // Asked by its name, so that what is wrong with it is told of the view.
    let query = all_of(&[&view.database, &view.name]);
    let source =
        BindSource { query: &query, texts: &[], literals: Literals::Known(&[]), named: true };
    let bound = bind_query(&source, facts)?;
    let column = |output: &OutputColumn| {
        let stored = output.origin.as_ref().and_then(|origin| {
            let table = facts.sql.engine().catalog().table(&origin.database, &origin.org_table);
            let table = table.ok()?;
            Some(table.columns[table.column(&origin.org_name)?].default.clone())
        });
        let mut column = Column::new(&output.name, output.ty.clone());
        column.nullable = output.nullable;
        column.default = stored.unwrap_or(DefaultValue::None);
        column
    };
    Ok(bound.query.columns.iter().map(column).collect())
}
