//! What is on a disk after a cut: the store is opened as a server would, checked, and every table
//! and row is named and printed as the accounts have them.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use columnar::ColumnStore;
use rows::find::Flow;
use rows::merged::Span;
use rows::schema::IndexState;
use rows::store::{Direction, Durability, Reach};
use rows::{Engine, EngineOptions, Table};
use rows_rocks::{RocksOptions, RocksStore};
use values::text::write_untyped;
use values::{Datum, Zone};

use crate::segments::Segments;

/// As the server's store has it, so that it opens in the same way.
const MEMORY_BYTES: usize = 32 << 20;

/// Definitions and rows by name.
pub type Found = HashMap<String, String>;

/// Opens the rows of a data directory; what stands against that is the error.
pub fn look(data_dir: &Path) -> Result<Found, String> {
    look_also_at_segments(data_dir).map(|(found, _)| found)
}

/// As `look`, and what there is of segments.
pub fn look_also_at_segments(data_dir: &Path) -> Result<(Found, Segments), String> {
    let rows = data_dir.join("rows");
    if !rows.exists() {
        return Ok((Found::new(), Segments::default()));
    }
    if !data_dir.join("rowhouse.lock").exists() {
        return Err("the data directory is not known as one of ours".into());
    }
    let options =
        RocksOptions { memory_bytes: MEMORY_BYTES, background_jobs: 1, ..RocksOptions::default() };
    let store = RocksStore::open(&rows, &options).map_err(|why| format!("no opening: {why}"))?;
    let options = EngineOptions {
        durability: Durability::Os,
        row_cache_bytes: 0,
        ..EngineOptions::default()
    };
    let store = ColumnStore::new(store, MEMORY_BYTES / 4);
    let engine = Engine::open(Arc::new(store.clone()), options);
    let engine = engine.map_err(|why| format!("catalog: {why}"))?;
    let report = engine.check(&mut |_| ()).map_err(|why| format!("check: {why}"))?;
    if report.damaged > 0 {
        return Err(format!("check: {:?}", report.damages));
    }
    let damages = store.check().map_err(|why| format!("segments: {why}"))?;
    if !damages.is_empty() {
        let damages: Vec<&String> = damages.iter().map(|(_, what)| what).collect();
        return Err(format!("segments: {damages:?}"));
    }
    let segments = Segments::of(&engine).map_err(|why| format!("reading: {why}"))?;
    let mut found = Found::new();
    for table in engine.catalog().all_tables() {
        if table.database == "cuts" {
            found.insert(format!("cuts.{}", table.name), definition(&table));
        }
        if table.database == "cuts" || table.database == "kv" {
            read(&engine, &table, &mut found).map_err(|why| format!("reading: {why}"))?;
        }
    }
    engine.close().map_err(|why| format!("closing: {why}"))?;
    Ok((found, segments))
}

/// Columns, then indexes by name, and whether it is stored by column.
fn definition(table: &Table) -> String {
    let columns: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
    let ready = table.indexes.iter().filter(|index| index.state == IndexState::Ready);
    let mut indexes: Vec<&str> = ready.map(|index| index.name.as_str()).collect();
    indexes.sort_unstable();
    let by_column = if table.columnar { ";by column" } else { "" };
    format!("{};{}{by_column}", columns.join(","), indexes.join(","))
}

/// Rows as `DATABASE.TABLE/KEY`, in the words that `|` joins; the key is the first column.
fn read(engine: &Engine, table: &Table, found: &mut Found) -> rows::Result<()> {
    let prefix = match table.database.as_str() {
        "kv" => "kv.cache/".to_owned(),
        database => format!("{database}.{}/", table.name),
    };
    let range = table.index_range(0);
    let view = engine.latest();
    engine.find_stored(
        view,
        table,
        0,
        Span::One(&range),
        Direction::Forward,
        Reach::Disk,
        &mut |row| {
            let mut words = row.row.values()?.into_iter().map(text);
            let key = words.next().unwrap_or_default();
            let rest: Vec<String> = words.collect();
            found.insert(format!("{prefix}{key}"), rest.join("|"));
            Ok(Flow::Continue)
        },
    )
}

fn text(datum: Datum<'_>) -> String {
    if datum.is_null() {
        return "NULL".into();
    }
    let mut text = Vec::new();
    write_untyped(datum, Zone::UTC, &mut text);
    String::from_utf8_lossy(&text).into_owned()
}
