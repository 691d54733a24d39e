//! Look-ups, updates and inserts as statements in text (COM_QUERY).

use super::{ReplyOutcome, lenenc_bytes, outcome, push_packet};
use crate::generator::Verdict;
use crate::protocols::{Judgement, Reader, Writer};
use crate::users::{User, Users, mix, parse_number, push_number};

const COM_QUERY: u8 = 3;

/// Rows of `user` by primary key, as text.
pub struct Text {
    users: Users,
    expected: Vec<u8>,
}

impl Text {
    /// Look-ups and updates of these users' rows.
    pub fn new(users: Users) -> Text {
        Text { users, expected: Vec::new() }
    }
}

impl Reader for Text {
    fn get(&mut self, ids: &[u32], out: &mut Vec<u8>) {
        push_packet(out, 0, |out| {
            out.push(COM_QUERY);
            if let [id] = ids {
                out.extend_from_slice(
                    b"SELECT user_name, user_email, created FROM user WHERE user_id=",
                );
                push_number(out, u64::from(*id));
            } else {
                out.extend_from_slice(
                    b"SELECT user_id, user_name, user_email, created FROM user WHERE user_id IN (",
                );
                for (at, id) in ids.iter().enumerate() {
                    if at > 0 {
                        out.push(b',');
                    }
                    push_number(out, u64::from(*id));
                }
                out.push(b')');
            }
        });
    }

    fn got(&mut self, ids: &[u32], version: u32, input: &[u8]) -> Judgement {
        let mut tally = Tally::default();
        let users = self.users;
        let expected = &mut self.expected;
        let seen = outcome(input, &mut |payload| {
            let (id, columns) = match ids {
                [id] => (Some(*id), payload),
                _ => take_id(payload),
            };
            // SQL promises no order without ORDER BY: a row is right if its id was asked for.
            if let Some(id) = id
                && (ids.len() == 1 || ids.contains(&id))
            {
                push_columns(&users.row(id, version), expected);
                tally.count(id, expected == columns);
            }
        });
        judge_rows(seen, tally, ids)
    }
}

impl Writer for Text {
    fn set(&mut self, id: u32, row: &User, out: &mut Vec<u8>) {
        push_packet(out, 0, |out| {
            out.push(COM_QUERY);
            out.extend_from_slice(b"UPDATE user SET user_name='");
            out.extend_from_slice(row.name());
            out.extend_from_slice(b"', user_email='");
            out.extend_from_slice(row.email());
            out.extend_from_slice(b"', created='");
            out.extend_from_slice(row.created_text());
            out.extend_from_slice(b"' WHERE user_id=");
            push_number(out, u64::from(id));
        });
    }

    fn stored(&mut self, _id: u32, input: &[u8]) -> Judgement {
        judge_affected(outcome(input, &mut |_| {}), 1)
    }

    fn insert(&mut self, id: u32, row: &User, out: &mut Vec<u8>) {
        push_packet(out, 0, |out| {
            out.push(COM_QUERY);
            out.extend_from_slice(b"INSERT INTO user VALUES (");
            push_number(out, u64::from(id));
            for column in [row.name(), row.email(), row.created_text()] {
                out.extend_from_slice(b", '");
                out.extend_from_slice(column);
                out.push(b'\'');
            }
            out.push(b')');
        });
    }
}

/// The rows of a result that were right, and a sum that tells one id twice from two ids.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Tally {
    right: usize,
    ids: u64,
}

impl Tally {
    /// Counts one row.
    pub(super) fn count(&mut self, id: u32, right: bool) {
        self.right += usize::from(right);
        self.ids = self.ids.wrapping_add(mix(u64::from(id)));
    }
}

/// Judges a result: as many rows as ids, each right, each id once.
pub(super) fn judge_rows(seen: ReplyOutcome, tally: Tally, ids: &[u32]) -> Judgement {
    match seen {
        ReplyOutcome::Incomplete => Judgement::Incomplete,
        ReplyOutcome::Rows { bytes, rows } => {
            let mut must = Tally::default();
            ids.iter().for_each(|id| must.count(*id, true));
            let right = rows == ids.len() && tally == must;
            Judgement::Reply(bytes, if right { Verdict::Right } else { Verdict::Wrong })
        }
        ReplyOutcome::Done { bytes, .. } | ReplyOutcome::LocalFile { bytes } => {
            Judgement::Reply(bytes, Verdict::Wrong)
        }
        ReplyOutcome::Refused { bytes, .. } => Judgement::Reply(bytes, Verdict::Refused),
    }
}

/// Judges a statement without rows by how many rows it found (CLIENT_FOUND_ROWS is on).
pub(crate) fn judge_affected(seen: ReplyOutcome, must: u64) -> Judgement {
    match seen {
        ReplyOutcome::Incomplete => Judgement::Incomplete,
        ReplyOutcome::Done { bytes, affected, .. } => {
            Judgement::Reply(bytes, if affected == must { Verdict::Right } else { Verdict::Wrong })
        }
        ReplyOutcome::Rows { bytes, .. } | ReplyOutcome::LocalFile { bytes } => {
            Judgement::Reply(bytes, Verdict::Wrong)
        }
        ReplyOutcome::Refused { bytes, .. } => Judgement::Reply(bytes, Verdict::Refused),
    }
}

fn take_id(payload: &[u8]) -> (Option<u32>, &[u8]) {
    match lenenc_bytes(payload) {
        Some((id, rest)) => (parse_number(id).map(|id| id as u32), rest),
        None => (None, payload),
    }
}

fn push_columns(row: &User, out: &mut Vec<u8>) {
    out.clear();
    for column in [row.name(), row.email(), row.created_text()] {
        out.push(column.len() as u8);
        out.extend_from_slice(column);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const USERS: Users = Users { seed: 1, rows: 10 };

    fn reply(rows: &[(u32, u32)]) -> Vec<u8> {
        let mut reply = Vec::new();
        push_packet(&mut reply, 1, |out| out.push(1));
        push_packet(&mut reply, 2, |out| out.extend_from_slice(b"definition"));
        push_packet(&mut reply, 3, |out| out.extend_from_slice(&[0xfe, 0, 0, 2, 0]));
        for (said, is) in rows {
            push_packet(&mut reply, 4, |out| {
                let said = said.to_string();
                out.push(said.len() as u8);
                out.extend_from_slice(said.as_bytes());
                let mut columns = Vec::new();
                push_columns(&USERS.row(*is, 0), &mut columns);
                out.extend_from_slice(&columns);
            });
        }
        push_packet(&mut reply, 5, |out| out.extend_from_slice(&[0xfe, 0, 0, 2, 0]));
        reply
    }

    #[test]
    fn rows_of_a_batch_are_right_in_any_order_and_wrong_with_other_contents() {
        let mut protocol = Text::new(USERS);
        let good = reply(&[(4, 4), (3, 3)]);
        assert_eq!(protocol.got(&[3, 4], 0, &good), Judgement::Reply(good.len(), Verdict::Right));
        let bads: [&[(u32, u32)]; 4] =
            [&[(3, 3)], &[(3, 3), (4, 5)], &[(3, 3), (5, 5)], &[(3, 3), (3, 3)]];
        for bad in bads.map(reply) {
            assert_eq!(protocol.got(&[3, 4], 0, &bad), Judgement::Reply(bad.len(), Verdict::Wrong));
        }
    }
}
