//! What a statement hands back: a count, rows, or the wish for a file.
//!
//! Not here: rows (`results`), wire formats (`doors::mysql`).

use std::sync::Arc;

use values::datum::Datum;

use crate::load::LoadLocal;
use results::{ResultColumn, RowStream};

/// A parameter of a prepared statement, as it came over the wire.
pub type Parameter<'a> = Datum<'a>;

/// What a statement hands back.
pub enum Reply {
    /// It is done.
    Done(OkFigures),
    /// Rows follow.
    Rows(RowStream),
    /// LOAD DATA LOCAL: ask the client for the file, feed it, finish it.
    LoadLocal(LoadLocal),
}

impl Reply {
    /// Whether all that it gives has been found already.
    pub(crate) fn is_gathered(&self) -> bool {
        match self {
            Reply::Rows(stream) => stream.is_gathered(),
            Reply::Done(_) | Reply::LoadLocal(_) => true,
        }
    }
}

/// The figures of an OK packet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OkFigures {
    /// Rows affected.
    pub affected: u64,
    /// The first generated AUTO_INCREMENT value, or what LAST_INSERT_ID(expr) set; 0 if none.
    pub last_insert_id: u64,
    /// Warnings that SHOW WARNINGS would list.
    pub warnings: u16,
    /// `Records: 3  Duplicates: 0  Warnings: 0` and the like; mostly empty.
    pub info: String,
}

/// A prepared statement, as COM_STMT_PREPARE answers it.
#[derive(Clone, Debug)]
pub struct PreparedReply {
    /// Its number within the session.
    pub id: u32,
    /// How many `?` it has.
    pub parameters: u16,
    /// Columns of its rows; empty when it gives none (or cannot be known before execution).
    pub columns: Arc<[ResultColumn]>,
}
