//! A server with the account `app`, for tests of what an account may do at a door.

use tempfile::TempDir;

use crate::mysql::Mysql;
use crate::support::Running;

/// A server, a client that may do everything, and where its data are.
pub struct AccountPlace {
    /// The server.
    pub server: Running,
    /// Root, over SQL.
    pub sql: Mysql,
    /// The data.
    pub directory: TempDir,
}

impl AccountPlace {
    /// A server in which these statements were executed.
    pub fn open(flags: &[&str], statements: &[&str]) -> AccountPlace {
        let directory = tempfile::tempdir().unwrap();
        let server = Running::start(directory.path(), flags);
        let mut sql = Mysql::login(server.connect("mysql")).unwrap();
        statements.iter().for_each(|statement| sql.run(statement));
        AccountPlace { server, sql, directory }
    }
}
