//! Look-ups through a prepared statement (COM_STMT_EXECUTE), rows in binary form.

use anyhow::Result;

use super::text::{Tally, judge_rows};
use super::{MysqlSession, lenenc_bytes, outcome, push_packet};
use crate::protocols::{Judgement, Reader};
use crate::users::{User, Users};

const COM_STMT_EXECUTE: u8 = 23;
/// MYSQL_TYPE_LONG with the unsigned flag.
const UNSIGNED_LONG: [u8; 2] = [3, 0x80];
/// Columns of a row: id, name, email, created.
const COLUMNS: usize = 4;
/// A binary row starts with a zero byte and a bitmap of NULLs, two bits of which are reserved.
const ROW_HEAD_BYTES: usize = 1 + (COLUMNS + 2).div_ceil(8);

/// Rows of `user` by primary key through one prepared statement per connection.
pub struct PreparedSession {
    users: Users,
    statement: u32,
    batch: usize,
    types_sent: bool,
    expected: Vec<u8>,
}

impl PreparedSession {
    /// Prepares the look-up of `batch` ids on this session.
    pub fn new(users: Users, session: &mut MysqlSession, batch: usize) -> Result<PreparedSession> {
        let columns = "SELECT user_id, user_name, user_email, created FROM user WHERE user_id";
        let sql = if batch == 1 {
            format!("{columns} = ?")
        } else {
            format!("{columns} IN ({})", vec!["?"; batch].join(","))
        };
        let statement = session.prepare(&sql)?;
        Ok(PreparedSession { users, statement, batch, types_sent: false, expected: Vec::new() })
    }
}

impl Reader for PreparedSession {
    fn get(&mut self, ids: &[u32], out: &mut Vec<u8>) {
        assert_eq!(ids.len(), self.batch, "the statement has one parameter per id");
        push_packet(out, 0, |out| {
            out.push(COM_STMT_EXECUTE);
            out.extend_from_slice(&self.statement.to_le_bytes());
            out.push(0); // no cursor
            out.extend_from_slice(&1u32.to_le_bytes());
            out.extend(std::iter::repeat_n(0, ids.len().div_ceil(8)));
            // Types go with the first execution only, as client libraries do it.
            out.push(u8::from(!self.types_sent));
            if !self.types_sent {
                for _ in ids {
                    out.extend_from_slice(&UNSIGNED_LONG);
                }
            }
            for id in ids {
                out.extend_from_slice(&id.to_le_bytes());
            }
        });
        self.types_sent = true;
    }

    fn got(&mut self, ids: &[u32], version: u32, input: &[u8]) -> Judgement {
        let mut tally = Tally::default();
        let users = self.users;
        let expected = &mut self.expected;
        let seen = outcome(input, &mut |payload| {
            let Some(id) = payload.get(ROW_HEAD_BYTES..ROW_HEAD_BYTES + 4) else {
                return;
            };
            let id = u32::from_le_bytes([id[0], id[1], id[2], id[3]]);
            let no_nulls = payload[..ROW_HEAD_BYTES].iter().all(|byte| *byte == 0);
            if ids.contains(&id) && no_nulls {
                let row = users.row(id, version);
                push_strings(&row, expected);
                let columns = &payload[ROW_HEAD_BYTES + 4..];
                let created = columns.strip_prefix(&expected[..]);
                tally.count(id, created.is_some_and(|created| is_created(&row, created)));
            }
        });
        judge_rows(seen, tally, ids)
    }
}

fn push_strings(row: &User, out: &mut Vec<u8>) {
    out.clear();
    for column in [row.name(), row.email()] {
        out.push(column.len() as u8);
        out.extend_from_slice(column);
    }
}

/// A DATETIME in binary form: year (2 bytes), month, day, hour, minute, second, then perhaps
/// microseconds, which must be zero.
fn is_created(row: &User, column: &[u8]) -> bool {
    let Some((value, rest)) = lenenc_bytes(column) else {
        return false;
    };
    let (year, parts) = row.created;
    rest.is_empty()
        && value.len() >= 7
        && value[..2] == year.to_le_bytes()
        && value[2..7] == parts
        && value[7..].iter().all(|byte| *byte == 0)
}
