//! Commands of the protocol that do what a statement does, without its text: KILL, the list of
//! processes, FLUSH.
//!
//! Invariants
//! 1. Each is carried out as its statement is: it forgets the warnings before it, is counted, and
//!    is seen in the list of processes, by its statement's words.
//!
//! Not here: the statements themselves (`admin`), the columns of a table (`field_list`).

use sqlparser::ast::{Expr, Value as Literal};
use syntax::show::{Filter, Show, Subject};
use syntax::statement::Statement as Parsed;

use super::Session;
use crate::reply::Reply;
use crate::server::{CommandWord, StatementShape};
use results::{ExecutionMode, Result, SqlError, panics};

/// A command that stands for a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionCommand {
    /// Ends a connection.
    Kill(u32),
    /// SHOW PROCESSLIST.
    ListProcesses,
    /// FLUSH: there is nothing to do.
    Flush,
    /// Begins the binary log again, which this server does not have.
    ResetLog,
}

impl Session {
    /// Carries a command out.
    ///
    /// # Errors
    /// `NoSuchThread` for a connection that is not there, `BinlogClosed` for the log; those of a
    /// connection that loads rows and may do nothing else.
    pub fn command(&mut self, command: SessionCommand) -> Result<Reply> {
        let (words, parsed) = match command {
            SessionCommand::Kill(id) => {
                let id = Literal::Number(id.to_string(), false);
                let id = Box::new(Expr::Value(id.into()));
                (&b"KILL"[..], Ok(Parsed::Kill { id, query: false }))
            }
            SessionCommand::ListProcesses => {
                let subject = Subject::Processes { full: false };
                (
                    &b"SHOW PROCESSLIST"[..],
                    Ok(Parsed::Show(Box::new(Show { subject, filter: Filter::All }))),
                )
            }
            SessionCommand::Flush => (&b"FLUSH LOGS"[..], Ok(Parsed::FlushLogs)),
            SessionCommand::ResetLog => {
                (&b"RESET MASTER"[..], Err(SqlError::from(syntax::Error::no_log_to_reset())))
            }
        };
        self.enter(words, CommandWord::Query);
        self.limits.set_in_loop(true);
        let result = panics::caught(words, || self.run_parsed(parsed?, ExecutionMode::LOOP));
        let mode = self.variables.mode;
        self.leave(
            result,
            &StatementShape { shape: words, has_more_rows: false, text: words, mode },
        )
    }
}
