//! A connection's session: the one type that `doors::mysql::execute` talks to.
//!
//! ```text
//! Sql::new(engine, options)                         shared by all sessions of a server
//! Session::new(&sql, connection_id, user, host, database)
//! session.query(bytes, how)          -> (Reply, bytes taken)   first statement of a text
//! session.prepare(bytes)             -> Prepared
//! session.execute(id, &[Datum], how) -> Reply
//! stream.next(how, sink)             -> more?                  rows, piecewise
//! load.feed(&mut session, bytes), load.finish(&mut session)    LOAD DATA LOCAL
//! ```
//!
//! A statement that would wait and may not gives `SqlError::would_wait`: nothing was done, the
//! caller repeats it with `How::POOL`.
//!
//! The analytic way (`crate::analytic`, which turns every SELECT that is no look-up into a
//! DataFusion plan) has this interface, called from here:
//! ```text
//! Analytic::new(&Arc<Engine>, &SqlOptions) -> Analytic             lives in Sql as `sql.analytic()`
//! analytic.select(&ast::Query, QueryContext) -> Result<RowStream>  plans and starts; may wait
//! analytic.columns(&ast::Query, QueryContext) -> Result<Vec<ResultColumn>>    plans only
//! analytic.explain(&ast::Query, QueryContext) -> Result<Vec<String>>          plan, line by line
//! ```
//! `ast` is sqlparser 0.62's, parameters already replaced by literals. A SELECT over a table may
//! name the hidden column `__rowhouse_key` (BLOB: the row key), which `SELECT *` does not show;
//! UPDATE and DELETE with joins or sub-queries use it. `information_schema` tables come from
//! `crate::information_schema::{table_names, columns, rows}`.
//!
//! Invariants
//! 1. With autocommit and no open transaction, a statement that failed has changed nothing.
//! 2. Inside a transaction, a statement that failed is undone alone (savepoint).
//! 3. A transaction's plain SELECTs read one snapshot, taken by its first read, overlaid with
//!    its own writes; its writes and locking reads work on the latest state.
//!
//! Not here: wire formats (`doors::mysql`), how statements are carried out (the modules beside).
