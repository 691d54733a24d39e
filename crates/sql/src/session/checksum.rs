//! CHECKSUM TABLE: a number that two tables have in common if they hold equal rows, in whatever
//! order and however they are stored; tables with other rows differ in it almost surely.
//!
//! Invariants
//! 1. It is made of the values as texts, instants in UTC, so that it is the same in each session,
//!    after a dump and a load, and by row or by column. It is not MySQL's number, which depends on
//!    how MySQL stores rows.
//!
//! Not here: whether stored bytes are sound (`rowhouse check`).

use expression::{BIGINT, Level};
use syntax::TableName;
use values::datum::{Datum, Value};
use values::temporal::Zone;
use values::text::write_text;
use values::types::ColumnType;

use super::Session;
use crate::load::each_row;
use crate::reply::Reply;
use crate::show::{Listing, text};
use crate::write::all_of;
use results::{Result, ResultColumn, SqlError};

impl Session {
    /// A line for each table; NULL for one that is not there, which is warned of, and for all of
    /// them under QUICK: none keeps its checksum.
    pub(super) fn checksum(&mut self, tables: &[TableName], quick: bool) -> Result<Reply> {
        let mut listing = Listing::new(&["Table"]);
        listing.columns.push(ResultColumn::computed("Checksum", BIGINT, true));
        for name in tables {
            let (database, table) = self.qualified(name)?;
            let (database, table) = (database.to_string(), table.to_string());
            let sum = match self.relations().table(&database, &table) {
                Ok(_) if quick => Value::Null,
                Ok(_) => Value::Int(self.checksum_of(&database, &table)?.into()),
                Err(error) => {
                    let (code, message) = SqlError::from(error).into_warning();
                    self.warnings.borrow_mut().push(Level::Error, code, message);
                    Value::Null
                }
            };
            listing.push(vec![text(format!("{database}.{table}")), sum]);
        }
        Ok(self.listed(listing))
    }

    /// The sum of the rows' checksums, as the session sees the rows.
    fn checksum_of(&mut self, database: &str, table: &str) -> Result<u32> {
        let query = all_of(&[database, table]);
        let plan = self.plan_query(&query, &[], &[]).map_err(SqlError::from)?;
        let base = self.base_snapshot()?;
        let view = self.with_own_writes(base);
        let stream = self.rows_of(&plan, &[], view)?;
        let types: Vec<ColumnType> =
            stream.columns().iter().map(|column| column.ty.clone()).collect();
        let (mut sum, mut line, mut value) = (0u32, Vec::new(), Vec::new());
        each_row(stream, &mut |row| {
            line.clear();
            for (ty, datum) in types.iter().zip(row) {
                value.clear();
                write_text(ty, *datum, Zone::UTC, &mut value);
                line.push(u8::from(!matches!(datum, Datum::Null)));
                line.extend_from_slice(&(value.len() as u64).to_le_bytes());
                line.extend_from_slice(&value);
            }
            sum = sum.wrapping_add(crc32c::crc32c(&line));
            Ok(())
        })?;
        Ok(sum)
    }
}
