//! A table with a secondary index: users in the order of their ids, found by their addresses.

use anyhow::{Result, ensure};

use super::{LoadTable, TABLE};
use crate::peers::Engine;
use crate::protocols::mysql;
use crate::users::{ROW_BYTES, Users, mix};

/// Rows that are looked up by the secondary index after the load.
const CHECKED: u32 = 200;

impl LoadTable for Users {
    fn mode(&self) -> String {
        "LOAD DATA, one secondary index".to_owned()
    }

    fn rows(&self) -> u64 {
        u64::from(self.rows)
    }

    fn row_bytes(&self) -> u64 {
        // The columns' text, and the id.
        ROW_BYTES as u64 + 4
    }

    fn create(&self, engine: Engine) -> String {
        let columns = "user_id INT UNSIGNED NOT NULL PRIMARY KEY, \
            user_name VARCHAR(50) NOT NULL, user_email VARCHAR(255) NOT NULL, \
            created DATETIME NOT NULL, KEY by_email (user_email)";
        format!("CREATE TABLE {TABLE} ({columns}){}", engine.clause())
    }

    fn fields(&self) -> &'static str {
        ""
    }

    fn text(&self) -> Box<dyn Iterator<Item = Vec<u8>> + '_> {
        Box::new(self.lines())
    }

    fn verify(&self, session: &mut mysql::MysqlSession) -> Result<()> {
        for check in 0..CHECKED {
            let id = 1 + (mix(self.seed ^ u64::from(check)) % u64::from(self.rows)) as u32;
            let row = self.row(id, 0);
            let email = String::from_utf8_lossy(row.email()).into_owned();
            let found = session.query(&format!(
                "SELECT user_id, user_name, created FROM {TABLE} FORCE INDEX (by_email) \
                 WHERE user_email='{email}'"
            ))?;
            let is = id.to_string();
            let right = [is.as_bytes(), row.name(), row.created_text()].map(|it| Some(it.to_vec()));
            ensure!(found == [right], "wrong rows by {email}: {found:?}");
        }
        Ok(())
    }
}
