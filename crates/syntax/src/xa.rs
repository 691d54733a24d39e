//! XA statements: transactions that a client's transaction manager commits in two phases.
//!
//! Not here: what they do (crate `sql`, `session::xa`).

use sqlparser::tokenizer::Token;

use super::cursor::Cursor;
use crate::error::Result;

/// Most bytes that each of both texts of a name may have.
const PART_BYTES_MAX: usize = 64;
/// The format of a name that says none.
const FORMAT_DEFAULT: u64 = 1;

/// What a global transaction is called, as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct XidSpec {
    /// gtrid.
    pub global: Vec<u8>,
    /// bqual.
    pub branch: Vec<u8>,
    /// formatID.
    pub format: u64,
}

/// What stands behind the name of XA START.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum XaStartMode {
    /// Nothing: a new transaction.
    New,
    /// JOIN.
    Join,
    /// RESUME.
    Resume,
}

/// An XA statement.
#[expect(missing_docs, reason = "fields of a variant are what the grammar calls them")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum XaStatement {
    /// XA START, XA BEGIN.
    Start { xid: XidSpec, mode: XaStartMode },
    /// XA END.
    End { xid: XidSpec, suspend: bool },
    /// XA PREPARE.
    Prepare(XidSpec),
    /// XA COMMIT.
    Commit { xid: XidSpec, one_phase: bool },
    /// XA ROLLBACK.
    Rollback(XidSpec),
    /// XA RECOVER; `convert`: names in hexadecimal.
    Recover { convert: bool },
}

/// Reads what stands behind XA.
///
/// # Errors
/// 1064.
pub(crate) fn xa(cursor: &mut Cursor<'_>) -> Result<XaStatement> {
    let words = ["START", "BEGIN", "END", "PREPARE", "COMMIT", "ROLLBACK", "RECOVER"];
    Ok(match cursor.take_any(&words) {
        Some("START" | "BEGIN") => {
            let xid = xid(cursor)?;
            let mode = match cursor.take_any(&["JOIN", "RESUME"]) {
                Some("JOIN") => XaStartMode::Join,
                Some(_) => XaStartMode::Resume,
                None => XaStartMode::New,
            };
            XaStatement::Start { xid, mode }
        }
        Some("END") => {
            let xid = xid(cursor)?;
            let suspend = cursor.take("SUSPEND");
            if suspend {
                let _migrate = cursor.take_all(&["FOR", "MIGRATE"]);
            }
            XaStatement::End { xid, suspend }
        }
        Some("PREPARE") => XaStatement::Prepare(xid(cursor)?),
        Some("COMMIT") => {
            let xid = xid(cursor)?;
            XaStatement::Commit { xid, one_phase: cursor.take_all(&["ONE", "PHASE"]) }
        }
        Some("ROLLBACK") => XaStatement::Rollback(xid(cursor)?),
        Some(_) => XaStatement::Recover { convert: cursor.take_all(&["CONVERT", "XID"]) },
        None => return Err(cursor.syntax()),
    })
}

/// `gtrid [, bqual [, formatID]]`.
fn xid(cursor: &mut Cursor<'_>) -> Result<XidSpec> {
    let global = part(cursor)?;
    let (mut branch, mut format) = (Vec::new(), FORMAT_DEFAULT);
    if cursor.take_token(&Token::Comma) {
        branch = part(cursor)?;
        if cursor.take_token(&Token::Comma) {
            format = format_number(cursor)?;
        }
    }
    Ok(XidSpec { global, branch, format })
}

fn part(cursor: &mut Cursor<'_>) -> Result<Vec<u8>> {
    let part = cursor.bytes()?;
    if part.len() > PART_BYTES_MAX { Err(cursor.syntax()) } else { Ok(part) }
}

fn format_number(cursor: &mut Cursor<'_>) -> Result<u64> {
    let here = cursor.syntax();
    let format = match cursor.peek() {
        Token::HexStringLiteral(digits) => {
            let format = u64::from_str_radix(digits, 16);
            cursor.advance();
            format.ok()
        }
        _ => Some(cursor.number()?),
    };
    // MySQL keeps it as a signed number.
    format.filter(|format| i64::try_from(*format).is_ok()).ok_or(here)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use values::{ErrorCode, SqlMode};

    fn read(text: &str) -> Result<XaStatement> {
        let mut cursor = Cursor::new(text, SqlMode::default())?;
        let read = xa(&mut cursor)?;
        cursor.expect_end()?;
        Ok(read)
    }

    fn name(global: &[u8], branch: &[u8], format: u64) -> XidSpec {
        XidSpec { global: global.to_vec(), branch: branch.to_vec(), format }
    }

    #[test]
    fn names_have_up_to_three_parts() {
        for (text, xid) in [
            ("PREPARE 'a'", name(b"a", b"", 1)),
            ("PREPARE '', 'b'", name(b"", b"b", 1)),
            ("PREPARE X'0102ff', 0xff, 0", name(b"\x01\x02\xff", b"\xff", 0)),
            ("PREPARE 'x', 'y', 0x10", name(b"x", b"y", 16)),
            ("PREPARE 'x', 'y', 4294967296", name(b"x", b"y", 4_294_967_296)),
        ] {
            assert_eq!(read(text).unwrap(), XaStatement::Prepare(xid), "{text}");
        }
        let long = "a".repeat(65);
        for text in [
            "PREPARE x",
            "PREPARE",
            "PREPARE 'x', 'y', -1",
            "PREPARE 'x', 'y', 18446744073709551615",
            "PREPARE 'x', 'y', 1, 2",
            "END 'a' FOR MIGRATE",
            "START 'a' SUSPEND",
            "COMMIT 'a' ONE",
            "FOO 'a'",
            &format!("PREPARE '{long}'"),
        ] {
            let error = read(text).unwrap_err();
            assert!(matches!(error, Error::Failed { code: ErrorCode::ParseError, .. }), "{text}");
        }
    }

    #[test]
    fn what_stands_behind_a_name_is_read() {
        let xid = || name(b"a", b"", 1);
        for (text, statement) in [
            ("START 'a'", XaStatement::Start { xid: xid(), mode: XaStartMode::New }),
            ("begin 'a' join", XaStatement::Start { xid: xid(), mode: XaStartMode::Join }),
            ("START 'a' RESUME", XaStatement::Start { xid: xid(), mode: XaStartMode::Resume }),
            ("END 'a' SUSPEND FOR MIGRATE", XaStatement::End { xid: xid(), suspend: true }),
            ("COMMIT 'a' ONE PHASE", XaStatement::Commit { xid: xid(), one_phase: true }),
            ("RECOVER CONVERT XID", XaStatement::Recover { convert: true }),
            ("RECOVER", XaStatement::Recover { convert: false }),
        ] {
            assert_eq!(read(text).unwrap(), statement, "{text}");
        }
    }
}
