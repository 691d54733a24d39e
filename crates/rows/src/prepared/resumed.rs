//! Prepared transactions come back when the server starts: their writes are buffered and their
//! locks taken again, before there is anybody else.
//!
//! Invariants
//! 1. All of them are held, or the engine does not open.
//! 2. Nothing is stored but that parts without a head go.
//!
//! Not here: the locks of a write (`transaction::resumed`).

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use super::life::held;
use super::record::{PartWrites, RecordHead, read_head};
use crate::catalog::Catalog;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::global_transactions::Xid;
use crate::schema::TableId;
use crate::store::{Batch, Change, Direction, Durability, LockWait, Reach};
use crate::table::Table;
use crate::transaction::Transaction;

/// A record that is being read.
struct OpenRecord {
    key: Vec<u8>,
    xid: Xid,
    parts: u32,
    /// How many of them were there.
    read: u32,
    transaction: Transaction,
}

/// The tables of the catalog by their numbers.
struct TablesById(HashMap<TableId, Arc<Table>>);

impl TablesById {
    fn get(&self, id: Option<TableId>, key: &[u8]) -> Result<&Arc<Table>> {
        let found = id.and_then(|id| self.0.get(&id));
        let why = "table of a prepared transaction is not there";
        found.ok_or_else(|| Error::Corrupt { key: key.to_vec(), why })
    }
}

impl OpenRecord {
    fn take(&mut self, tables: &TablesById, writes: PartWrites<'_>) -> Result<()> {
        for write in writes {
            let (key, value) = write?;
            let id = key.first_chunk().map(|id| TableId::from_be_bytes(*id));
            self.transaction.resume(tables.get(id, &key)?, key, value)?;
        }
        self.read += 1;
        Ok(())
    }
}

impl Engine {
    /// Holds all transactions again that were prepared before.
    ///
    /// # Errors
    /// `Corrupt`, `Store`; `TransactionTooLarge` where there is no memory for their locks.
    pub(crate) fn resume_prepared(self: &Arc<Self>) -> Result<()> {
        let tables = self.catalog().all_tables().into_iter().map(|table| (table.id, table));
        let tables = TablesById(tables.collect());
        let mut records = self.open_records(&tables)?;
        let mut headless = Vec::new();
        self.each_part(&mut |number, part, key, value| {
            match records.get_mut(&number) {
                Some(_) if part == 0 => {}
                Some(record) => record.take(&tables, PartWrites::new(key, value))?,
                None => headless.push(Change::delete(key.to_vec())),
            }
            Ok(())
        })?;
        for (number, OpenRecord { key, xid, parts, read, transaction }) in records {
            if read != parts {
                let why = "parts of a prepared transaction are missing";
                return Err(Error::Corrupt { key, why });
            }
            self.global_transactions().hold(xid, held(transaction, number, parts));
        }
        if headless.is_empty() {
            return Ok(());
        }
        match self.store().write(&Batch { changes: headless }, Durability::Os) {
            // The next start removes them.
            Err(Error::DiskFull { .. } | Error::Refused { .. }) => Ok(()),
            written => written,
        }
    }

    /// Begins a transaction for each head, inside its tables: so that none of them locks one whole
    /// in which another is to have rows.
    fn open_records(self: &Arc<Self>, tables: &TablesById) -> Result<BTreeMap<u64, OpenRecord>> {
        let mut records = BTreeMap::new();
        self.each_part(&mut |number, part, key, value| {
            self.global_transactions().note_number(number);
            if part > 0 {
                return Ok(());
            }
            let RecordHead { xid, parts, tables: entered } = read_head(key, value)?;
            let mut transaction = self.begin(LockWait::AtMost(Duration::ZERO))?;
            for id in entered {
                transaction.enter(tables.get(Some(id), key)?)?;
            }
            let record = OpenRecord { key: key.to_vec(), xid, parts, read: 0, transaction };
            records.insert(number, record);
            Ok(())
        })?;
        Ok(records)
    }

    /// Visits all parts of all records: number, part, key, value.
    fn each_part(&self, visit: &mut dyn FnMut(u64, u32, &[u8], &[u8]) -> Result<()>) -> Result<()> {
        let range = Catalog::prepared_range();
        let mut cursor = self.store().scan(&range, Direction::Forward, Reach::Disk)?;
        while cursor.advance()? {
            let (key, value) = cursor.entry();
            let (number, part) = Catalog::prepared_part(key)?;
            visit(number, part, key, value)?;
        }
        Ok(())
    }
}
