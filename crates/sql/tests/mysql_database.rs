//! The database `mysql` as clients read it: accounts and their grants as rows, what its tables are
//! like, who may read them, and that nobody writes to them.

use std::sync::Arc;

use access::AccountName;
use sql::{Session, Sql};

use crate::harness::{answer, error, server, session};

/// A session of an account at this machine.
fn acting(sql: &Arc<Sql>, user: &str) -> Session {
    let account = AccountName::new(user, "localhost");
    Session::of_account(sql, 2, (user, "localhost"), &account, None).expect("a session")
}

/// What a statement answers, values parted by commas.
fn run(session: &mut Session, text: &str) -> String {
    crate::harness::run(session, text).replace('\t', ",")
}

fn number(session: &mut Session, text: &str) -> u16 {
    answer(session, text).map_or_else(|error| error.code().number(), |_| 0)
}

/// Accounts with grants of each kind.
fn furnished() -> (Arc<Sql>, Session) {
    let sql = server();
    let mut root = session(&sql);
    for statement in [
        "CREATE DATABASE d",
        "CREATE TABLE d.t (a INT PRIMARY KEY, b INT, c INT)",
        "CREATE USER ann@localhost IDENTIFIED WITH 'mysql_native_password' AS \
         '*14E65567ABDB5135D0CFD9A70B3032C179A49EE7' REQUIRE SSL",
        "CREATE USER bob@localhost ACCOUNT LOCK",
        "CREATE ROLE reader",
        "GRANT SELECT, SHOW DATABASES ON *.* TO reader",
        "GRANT CREATE TEMPORARY TABLES, LOCK TABLES ON `d_%`.* TO ann@localhost WITH GRANT OPTION",
        "GRANT INSERT, CREATE VIEW, SELECT (a), UPDATE (a, b) ON d.t TO ann@localhost",
        "GRANT BACKUP_ADMIN ON *.* TO ann@localhost",
        "GRANT reader TO ann@localhost WITH ADMIN OPTION",
        "SET DEFAULT ROLE reader TO ann@localhost",
    ] {
        run(&mut root, statement);
    }
    (sql, root)
}

#[test]
fn accounts_and_what_they_were_granted_are_rows_as_in_mysql() {
    let (_sql, mut root) = furnished();
    let s = &mut root;
    // The rows that mysqld 9.7 has after the same statements.
    assert_eq!(
        run(
            s,
            "SELECT Host, User, Select_priv, Show_db_priv, Grant_priv, ssl_type, plugin, \
             authentication_string, password_expired, account_locked FROM mysql.user \
             WHERE User <> 'root'"
        ),
        "%,reader,Y,Y,N,,caching_sha2_password,,Y,Y\n\
         localhost,ann,N,N,N,ANY,mysql_native_password,\
         *14E65567ABDB5135D0CFD9A70B3032C179A49EE7,N,N\n\
         localhost,bob,N,N,N,,caching_sha2_password,,N,Y"
    );
    assert_eq!(
        run(
            s,
            "SELECT Host, Db, User, Select_priv, Grant_priv, Create_tmp_table_priv, \
             Lock_tables_priv FROM mysql.db"
        ),
        "localhost,d_%,ann,N,Y,Y,Y"
    );
    assert_eq!(
        run(s, "SELECT Host, Db, User, Table_name, Table_priv, Column_priv FROM mysql.tables_priv"),
        "localhost,d,ann,t,Insert,Create View,Select,Update"
    );
    assert_eq!(
        run(s, "SELECT User, Column_name, Column_priv FROM mysql.columns_priv"),
        "ann,a,Select,Update\nann,b,Update"
    );
    assert_eq!(
        run(s, "SELECT * FROM mysql.global_grants WHERE USER = 'ann'"),
        "ann,localhost,BACKUP_ADMIN,N"
    );
    assert_eq!(run(s, "SELECT * FROM mysql.role_edges"), "%,reader,localhost,ann,Y");
    assert_eq!(run(s, "SELECT * FROM mysql.default_roles"), "localhost,ann,%,reader");
    assert_eq!(
        run(
            s,
            "SELECT COUNT(*) FROM mysql.time_zone_name JOIN mysql.time_zone USING (Time_zone_id) \
                WHERE Name IN ('Europe/Berlin', 'UTC')"
        ),
        "2"
    );
    run(s, "DROP USER ann@localhost");
    assert_eq!(run(s, "SELECT COUNT(*) FROM mysql.db"), "0");
    assert_eq!(run(s, "SELECT COUNT(*) FROM mysql.role_edges"), "0");
}

#[test]
fn its_tables_are_shown_as_others_are() {
    let (_sql, mut root) = furnished();
    let s = &mut root;
    assert!(run(s, "SHOW DATABASES").contains("mysql"));
    assert!(run(s, "SHOW FULL TABLES FROM mysql LIKE 'user'").contains("user,BASE TABLE"));
    assert_eq!(
        run(s, "SHOW COLUMNS FROM mysql.user LIKE 'Select_priv'"),
        "Select_priv,enum('N','Y'),NO,,N,"
    );
    assert_eq!(run(s, "SHOW COLUMNS FROM mysql.user LIKE 'host'"), "Host,char(255),NO,PRI,,");
    assert!(
        run(s, "SHOW CREATE TABLE mysql.role_edges").contains("`WITH_ADMIN_OPTION` enum('N','Y')")
    );
    assert_eq!(run(s, "SHOW INDEX FROM mysql.db").lines().count(), 4);
    assert!(run(s, "SHOW TABLE STATUS FROM mysql LIKE 'db'").starts_with("db,InnoDB,10,Dynamic"));
    assert_eq!(
        run(
            s,
            "SELECT COUNT(*), SUM(TABLE_TYPE = 'BASE TABLE') = COUNT(*) FROM \
             information_schema.tables WHERE table_schema = 'mysql'"
        ),
        format!("{},1", run(s, "SHOW TABLES FROM mysql").lines().count())
    );
    assert_eq!(
        run(
            s,
            "SELECT COLUMN_TYPE, IS_NULLABLE, COLUMN_KEY FROM information_schema.columns WHERE \
             table_schema = 'mysql' AND table_name = 'user' AND column_name IN ('User', \
             'User_attributes')"
        ),
        "char(32),NO,PRI\njson,YES,"
    );
    assert_eq!(run(s, "CHECK TABLE mysql.user"), "mysql.user,check,status,OK");
    run(s, "USE mysql");
    assert_eq!(run(s, "SELECT User FROM user WHERE User = 'bob'"), "bob");
    // The name is one in this case alone, as where files are told apart by it.
    assert_eq!(error(s, "SELECT * FROM MYSQL.user"), 1049);
    assert_eq!(error(s, "SELECT * FROM mysql.nothing"), 1146);
    assert_eq!(error(s, "SHOW CREATE TABLE mysql.nothing"), 1146);
}

#[test]
fn it_is_read_by_those_who_have_select_on_it() {
    let (sql, mut root) = furnished();
    let mut ann = acting(&sql, "ann");
    let s = &mut ann;
    run(s, "SET ROLE NONE");
    assert!(!run(s, "SHOW DATABASES").contains("mysql"));
    for (statement, denied) in [
        ("SELECT * FROM mysql.user", 1142),
        ("SELECT * FROM mysql.nothing", 1142),
        ("SHOW COLUMNS FROM mysql.user", 1142),
        ("SHOW TABLES FROM mysql", 1044),
        ("USE mysql", 1044),
        ("INSERT INTO mysql.user (User) VALUES ('x')", 1142),
        ("DROP TABLE mysql.user", 1142),
    ] {
        assert_eq!(number(s, statement), denied, "{statement}");
    }
    let seen = "SELECT COUNT(*) FROM information_schema.columns WHERE table_schema = 'mysql'";
    assert_eq!(run(s, seen), "0");
    run(&mut root, "GRANT SELECT (User, Host) ON mysql.user TO ann@localhost");
    assert!(run(s, "SHOW DATABASES").contains("mysql"));
    assert!(run(s, "SELECT User FROM mysql.user").contains("bob"));
    assert_eq!(number(s, "SELECT plugin FROM mysql.user"), 1143);
    assert_eq!(number(s, "SELECT User FROM mysql.db"), 1142);
    assert_eq!(run(s, seen), "2");
    run(&mut root, "GRANT SELECT ON mysql.* TO ann@localhost");
    assert_eq!(number(s, "SELECT plugin FROM mysql.user"), 0);
}

#[test]
fn nobody_writes_to_it_and_a_dump_of_all_databases_loads() {
    let (_sql, mut root) = furnished();
    let s = &mut root;
    for statement in [
        "INSERT INTO mysql.user (User) VALUES ('x')",
        "INSERT INTO mysql.user SELECT * FROM mysql.user",
        "REPLACE INTO mysql.db (User) VALUES ('x')",
        "UPDATE mysql.user SET plugin = ''",
        "DELETE FROM mysql.user",
        "DELETE u FROM mysql.user AS v JOIN mysql.user AS u",
        "TRUNCATE mysql.db",
        "ALTER TABLE mysql.user ADD x INT",
        "CREATE TABLE mysql.x (a INT)",
        "CREATE INDEX i ON mysql.user (plugin)",
        "DROP TABLE IF EXISTS mysql.user",
        "RENAME TABLE d.t TO mysql.t",
        "CREATE VIEW mysql.v AS SELECT 1",
    ] {
        let refused = number(s, statement);
        assert!(
            refused == 1036 || statement.starts_with("DELETE u") && refused != 0,
            "{statement}"
        );
    }
    assert_eq!(number(s, "DROP DATABASE mysql"), 3552);
    assert_eq!(number(s, "CREATE DATABASE IF NOT EXISTS mysql"), 0);
    // As mysqldump writes it.
    for statement in [
        "SET UNIQUE_CHECKS=0",
        "SET FOREIGN_KEY_CHECKS=0",
        "USE mysql",
        "DROP TABLE IF EXISTS `user`",
        "CREATE TABLE `user` (`Host` char(255) NOT NULL DEFAULT '') ENGINE=InnoDB",
        "LOCK TABLES `user` WRITE",
        "ALTER TABLE `user` DISABLE KEYS",
        "INSERT INTO `user` VALUES ('localhost')",
        "ALTER TABLE `user` ENABLE KEYS",
        "UNLOCK TABLES",
    ] {
        assert_eq!(number(s, statement), 0, "{statement}");
    }
    run(s, "INSERT INTO `user` VALUES ('localhost')");
    let warned = run(s, "SHOW WARNINGS");
    assert!(warned.starts_with("Warning,1036,") && warned.lines().count() == 1, "{warned}");
    assert_eq!(number(s, "DELETE FROM `user`"), 1036);
    assert!(run(s, "SELECT User FROM user").contains("ann"));
    run(s, "SET UNIQUE_CHECKS=1");
    assert_eq!(number(s, "INSERT INTO `user` VALUES ('localhost')"), 1036);
}
