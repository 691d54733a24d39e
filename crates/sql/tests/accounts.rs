//! Users, grants and what they allow. Numbers and words are those that mysqld 9.7 answered to the
//! same statements.
//!
//! Not here: what each kind of statement needs (`privileges`).

use std::sync::Arc;

use access::AccountName;
use results::ExecutionMode;
use sql::{Session, Sql};

use crate::harness::{answer, error, run, server, session, shown};

/// A session of an account at this machine.
pub fn acting(sql: &Arc<Sql>, user: &str) -> Session {
    let account = AccountName::new(user, "localhost");
    Session::of_account(sql, 2, (user, "localhost"), &account, None).expect("a session")
}

/// Databases `d` with tables `t` and `u`, and `e` with `v`; accounts without privileges.
pub fn furnished(accounts: &[&str]) -> (Arc<Sql>, Session) {
    let sql = server();
    let mut root = session(&sql);
    for statement in [
        "CREATE DATABASE d",
        "CREATE DATABASE e",
        "CREATE TABLE d.t (a INT PRIMARY KEY, b INT, c INT)",
        "CREATE TABLE d.u (a INT)",
        "CREATE TABLE e.v (a INT)",
        "INSERT INTO d.t VALUES (1, 2, 3)",
    ] {
        run(&mut root, statement);
    }
    for account in accounts {
        run(&mut root, &format!("CREATE USER {account}@localhost"));
    }
    (sql, root)
}

/// The number of an error, or 0 where there is none.
pub fn number(session: &mut Session, text: &str) -> u16 {
    answer(session, text).map_or_else(|error| error.code().number(), |_| 0)
}

fn words(session: &mut Session, text: &str) -> String {
    match answer(session, text) {
        Ok(answer) => panic!("{text}\nanswered {answer}"),
        Err(error) => error.message().to_owned(),
    }
}

#[test]
fn a_foreign_key_needs_references_on_all_of_its_parent() {
    let (sql, mut root) = furnished(&["bob"]);
    run(&mut root, "GRANT ALL ON e.* TO bob@localhost");
    run(&mut root, "REVOKE REFERENCES ON e.* FROM bob@localhost");
    run(&mut root, "GRANT SELECT, REFERENCES (a) ON d.t TO bob@localhost");
    let bob = &mut acting(&sql, "bob");
    run(bob, "CREATE TABLE e.c (x INT)");
    let refused = [
        ("CREATE TABLE e.f (x INT, FOREIGN KEY (x) REFERENCES d.t (a))", "d.t"),
        ("CREATE TABLE e.f (x INT REFERENCES d.t (a))", "d.t"),
        ("CREATE TABLE e.f (x INT, FOREIGN KEY (x) REFERENCES d.none (a))", "d.none"),
        ("CREATE TABLE e.f (x INT PRIMARY KEY, y INT, FOREIGN KEY (y) REFERENCES f (x))", "e.f"),
        ("ALTER TABLE e.c ADD FOREIGN KEY (x) REFERENCES d.t (a)", "d.t"),
        ("ALTER TABLE e.c ADD COLUMN y INT REFERENCES d.t (a)", "d.t"),
    ];
    run(bob, "USE e");
    for (statement, parent) in refused {
        let said = words(bob, statement);
        let wanted = "REFERENCES command denied to user 'bob'@'localhost' for table ";
        assert_eq!(said, format!("{wanted}'{parent}'"), "{statement}");
        assert_eq!(error(bob, statement), 1142);
    }
    run(&mut root, "GRANT REFERENCES ON d.t TO bob@localhost");
    run(bob, refused[0].0);
    run(bob, refused[4].0);
    // A parent without a database is one of the child's, also where another one is in use.
    let by_own_database = "CREATE TABLE e.g (x INT, FOREIGN KEY (x) REFERENCES t (a))";
    run(bob, "USE d");
    assert!(words(bob, by_own_database).ends_with("for table 'e.t'"));
    run(&mut root, "CREATE TABLE e.t (a INT PRIMARY KEY)");
    let mut nowhere = session(&sql);
    run(&mut nowhere, "DROP DATABASE test");
    assert_eq!(error(&mut nowhere, "CREATE TABLE g (x INT)"), 1046);
    run(&mut nowhere, by_own_database);
    let shown = run(&mut nowhere, "SHOW CREATE TABLE e.g");
    assert!(shown.contains("REFERENCES `t` (`a`)"), "{shown}");
}

#[test]
fn a_revoke_holds_for_the_next_statement_of_an_open_connection() {
    let (sql, mut root) = furnished(&["bob"]);
    let mut bob = acting(&sql, "bob");
    run(&mut root, "GRANT SELECT ON d.t TO bob@localhost");
    for _ in 0..3 {
        assert_eq!(run(&mut bob, "SELECT b FROM d.t WHERE a = 1"), "2");
        assert_eq!(run(&mut root, "SELECT b FROM d.t WHERE a = 1"), "2");
    }
    let prepared = bob.prepare(b"SELECT c FROM d.t WHERE a = 1").unwrap().id;
    let reply = bob.execute(prepared, &[], ExecutionMode::POOL).unwrap();
    assert_eq!(shown(&mut bob, reply).unwrap(), "3");
    run(&mut root, "REVOKE SELECT ON d.t FROM bob@localhost");
    assert_eq!(error(&mut bob, "SELECT b FROM d.t WHERE a = 1"), 1142);
    let refused = bob.execute(prepared, &[], ExecutionMode::POOL).err().unwrap();
    assert_eq!(refused.code().number(), 1142);
    assert_eq!(run(&mut root, "SELECT b FROM d.t WHERE a = 1"), "2");
    run(&mut root, "GRANT SELECT ON d.t TO bob@localhost");
    assert_eq!(run(&mut bob, "SELECT b FROM d.t WHERE a = 1"), "2");
    run(&mut root, "DROP USER bob@localhost");
    assert_eq!(error(&mut bob, "SELECT b FROM d.t WHERE a = 1"), 1142, "a user who is gone");
}

#[test]
fn columns_are_granted_one_by_one() {
    let (sql, mut root) = furnished(&["bob", "up"]);
    run(&mut root, "GRANT SELECT (a, b), INSERT (a) ON d.t TO bob@localhost");
    run(&mut root, "GRANT DELETE ON d.u TO bob@localhost");
    run(&mut root, "GRANT UPDATE, DELETE, SELECT (a) ON d.t TO up@localhost");
    let bob = &mut acting(&sql, "bob");
    for (statement, wanted) in [
        ("SELECT * FROM d.t", 1142),
        ("SELECT t.* FROM d.t", 1142),
        ("SELECT c FROM d.t", 1143),
        ("SELECT a FROM d.t WHERE c = 1", 1143),
        ("SELECT a FROM d.t ORDER BY c", 1143),
        ("SELECT a FROM d.t GROUP BY a HAVING MAX(c) > 1", 1143),
        ("SELECT x.a FROM d.t x JOIN d.u y ON x.a = y.a", 1142),
        ("SELECT x.a FROM d.t x JOIN d.t y USING (c)", 1143),
        ("SELECT 1 FROM d.t", 0),
        ("SELECT a, b FROM d.t WHERE a = 1", 0),
        ("SELECT __rowhouse_key FROM d.t", 1143),
        ("INSERT INTO d.t (b) VALUES (5)", 1143),
        ("INSERT INTO d.t VALUES (5, 5, 5)", 1142),
        ("INSERT INTO d.t (a) VALUES (1) ON DUPLICATE KEY UPDATE b = 3", 1142),
        ("REPLACE INTO d.t (a) VALUES (1)", 1142),
        ("INSERT INTO d.t (a) VALUES (5)", 0),
        ("DELETE FROM d.u", 0),
        ("DELETE FROM d.u WHERE a = 1", 1143),
    ] {
        assert_eq!(number(bob, statement), wanted, "{statement}");
    }
    assert_eq!(
        run(bob, "SELECT COLUMN_NAME FROM information_schema.columns WHERE TABLE_NAME = 't'"),
        "a\nb"
    );
    assert_eq!(run(bob, "SHOW COLUMNS FROM d.t").lines().count(), 2);
    let up = &mut acting(&sql, "up");
    for (statement, wanted) in [
        ("UPDATE d.t SET b = 1", 0),
        ("UPDATE d.t SET b = 1 WHERE a = 1", 0),
        ("UPDATE d.t SET b = a", 0),
        ("UPDATE d.t SET b = c", 1143),
        ("UPDATE d.t SET b = 1 WHERE c = 1", 1143),
        ("UPDATE d.t x SET x.b = 2 WHERE x.c = 1", 1143),
        ("UPDATE d.t, d.u SET t.b = 1", 1142),
        ("UPDATE d.t SET b = (SELECT MAX(a) FROM d.u)", 1142),
        ("UPDATE d.t SET b = DEFAULT ORDER BY c LIMIT 1", 1143),
        ("DELETE FROM d.t WHERE c = 1", 1143),
        ("DELETE FROM d.t ORDER BY c LIMIT 1", 1143),
        ("DELETE FROM d.t WHERE a = 7", 0),
    ] {
        assert_eq!(number(up, statement), wanted, "{statement}");
    }
    assert_eq!(
        words(bob, "SELECT c FROM d.t"),
        "SELECT command denied to user 'bob'@'localhost' for column 'c' in table 't'"
    );
}

#[test]
fn what_one_may_not_see_is_no_different_from_what_is_not_there() {
    let (sql, mut root) = furnished(&["bob"]);
    run(&mut root, "GRANT SELECT ON d.u TO bob@localhost");
    let bob = &mut acting(&sql, "bob");
    for (there, not_there) in [
        ("SELECT * FROM e.v", "SELECT * FROM f.v"),
        ("SELECT * FROM d.t", "SELECT * FROM d.x"),
        ("DROP TABLE d.t", "DROP TABLE d.x"),
        ("USE e", "USE f"),
        ("SHOW TABLES FROM e", "SHOW TABLES FROM f"),
        ("DROP DATABASE e", "DROP DATABASE f"),
        ("SHOW COLUMNS FROM e.v", "SHOW COLUMNS FROM f.v"),
    ] {
        let same = |text: String| text.replace("'f'", "'e'").replace("'x'", "'t'");
        assert_eq!(same(words(bob, there)), same(words(bob, not_there)), "{there}");
    }
    assert_eq!(run(bob, "SHOW DATABASES"), "d\ninformation_schema\nperformance_schema");
    assert_eq!(run(bob, "SHOW TABLES FROM d"), "u");
    let tables = "SELECT TABLE_NAME FROM information_schema.tables WHERE TABLE_SCHEMA NOT \
                  LIKE '%_schema'";
    assert_eq!(run(bob, tables), "u");
    assert_eq!(run(bob, "SHOW PROCESSLIST").lines().count(), 1);
    assert_eq!(error(bob, "KILL 1"), 1094, "the connection of another");
}

#[test]
fn grants_are_shown_as_they_were_given_and_revoked_by_name() {
    let (_sql, mut root) = furnished(&["bob"]);
    let s = &mut root;
    for statement in [
        "GRANT SELECT (a, b), INSERT, UPDATE (c) ON d.t TO bob@localhost",
        "GRANT ALL ON d.u TO bob@localhost WITH GRANT OPTION",
        "GRANT SELECT ON `t%`.* TO bob@localhost",
        "GRANT INSERT ON `tes%`.* TO bob@localhost",
        "GRANT USAGE ON *.* TO bob@localhost",
        "CREATE ROLE r",
        "GRANT r TO bob@localhost WITH ADMIN OPTION",
    ] {
        run(s, statement);
    }
    assert_eq!(
        run(s, "SHOW GRANTS FOR bob@localhost"),
        "GRANT USAGE ON *.* TO `bob`@`localhost`\n\
         GRANT SELECT ON `t%`.* TO `bob`@`localhost`\n\
         GRANT INSERT ON `tes%`.* TO `bob`@`localhost`\n\
         GRANT SELECT (`a`, `b`), INSERT, UPDATE (`c`) ON `d`.`t` TO `bob`@`localhost`\n\
         GRANT ALL PRIVILEGES ON `d`.`u` TO `bob`@`localhost` WITH GRANT OPTION\n\
         GRANT `r`@`%` TO `bob`@`localhost` WITH ADMIN OPTION"
    );
    run(s, "ALTER TABLE d.t DROP COLUMN b");
    run(s, "REVOKE SELECT (b) ON d.t FROM bob@localhost");
    run(s, "DROP TABLE d.t");
    run(s, "REVOKE INSERT, SELECT (a) ON d.t FROM bob@localhost");
    run(s, "REVOKE ALL ON d.t FROM bob@localhost");
    for (statement, wanted) in [
        ("REVOKE DELETE ON d.t FROM bob@localhost", 1147),
        ("REVOKE SELECT ON d.nosuch FROM bob@localhost", 1147),
        ("REVOKE SELECT ON nodb.* FROM bob@localhost", 1141),
        ("REVOKE INSERT ON *.* FROM bob@localhost", 0),
        ("REVOKE USAGE ON *.* FROM bob@localhost", 0),
        ("REVOKE IF EXISTS SELECT ON d.nosuch FROM bob@localhost", 0),
        ("REVOKE SELECT ON d.* FROM nobody IGNORE UNKNOWN USER", 0),
        ("GRANT SELECT ON d.nosuch TO bob@localhost", 1146),
        ("GRANT SELECT (zz) ON d.u TO bob@localhost", 1054),
        ("GRANT FILE ON d.* TO bob@localhost", 1221),
        ("GRANT FILE ON d.u TO bob@localhost", 1144),
        ("GRANT EVENT ON d.u TO bob@localhost", 1144),
        ("GRANT DELETE (a) ON d.u TO bob@localhost", 1064),
        ("GRANT SELECT (a) ON d.* TO bob@localhost", 1144),
        ("GRANT SELECT ON *.* TO nobody", 1410),
        ("GRANT NOSUCHPRIV ON *.* TO bob@localhost", 1149),
        ("GRANT BACKUP_ADMIN ON d.* TO bob@localhost", 3619),
        ("GRANT r TO nobody", 3523),
        ("GRANT bob@localhost TO r", 4027),
        ("SHOW GRANTS FOR nobody", 1141),
        ("SHOW CREATE USER nobody", 1396),
        ("CREATE USER bob@localhost", 1396),
        ("CREATE USER IF NOT EXISTS bob@localhost", 0),
        ("DROP USER nobody, nobody2", 1396),
        ("DROP USER IF EXISTS nobody", 0),
        ("RENAME USER nobody TO b2", 1396),
        ("SET PASSWORD FOR nobody = 'x'", 1133),
        ("SET DEFAULT ROLE nobody TO bob@localhost", 3530),
        ("CREATE USER z DEFAULT ROLE nosuch", 3162),
        ("CREATE USER of_r DEFAULT ROLE r", 0),
        ("CREATE USER z IDENTIFIED WITH nosuch BY 'x'", 1524),
        ("CREATE USER z IDENTIFIED WITH caching_sha2_password AS 'garbage'", 1827),
        ("REVOKE ALL PRIVILEGES, GRANT OPTION FROM nobody", 1269),
        ("REVOKE ALL PRIVILEGES, GRANT OPTION FROM bob@localhost", 0),
    ] {
        assert_eq!(number(s, statement), wanted, "{statement}");
    }
    assert_eq!(run(s, "SHOW GRANTS FOR bob@localhost").lines().count(), 2);
    assert!(run(s, "SHOW GRANTS FOR of_r").contains("GRANT `r`@`%` TO `of_r`@`%`"));
    assert_eq!(
        words(s, "DROP USER nobody, nobody2"),
        "Operation DROP USER failed for 'nobody'@'%' (User account does not exist),\
         'nobody2'@'%' (User account does not exist)"
    );
}

#[test]
fn a_role_is_active_when_it_is_set_or_at_the_next_login() {
    let (sql, mut root) = furnished(&["bob"]);
    for statement in ["CREATE ROLE r", "GRANT SELECT ON d.t TO r", "GRANT r TO bob@localhost"] {
        run(&mut root, statement);
    }
    let bob = &mut acting(&sql, "bob");
    assert_eq!(run(bob, "SELECT CURRENT_USER(), CURRENT_ROLE()"), "bob@localhost\tNONE");
    assert_eq!(error(bob, "SELECT a FROM d.t"), 1142);
    run(bob, "SET ROLE r");
    assert_eq!(run(bob, "SELECT CURRENT_ROLE()"), "`r`@`%`");
    assert_eq!(run(bob, "SELECT a FROM d.t"), "1");
    run(bob, "SET ROLE NONE");
    assert_eq!(error(bob, "SELECT a FROM d.t"), 1142);
    assert_eq!(error(bob, "SET ROLE nosuch"), 3530);
    run(bob, "SET DEFAULT ROLE r TO CURRENT_USER");
    assert_eq!(run(&mut acting(&sql, "bob"), "SELECT a FROM d.t"), "1");
    run(bob, "SET ROLE ALL");
    run(&mut root, "REVOKE r FROM bob@localhost");
    assert_eq!(error(bob, "SELECT a FROM d.t"), 1142);
}

#[test]
fn passwords_are_in_no_list_and_an_expired_one_must_be_set() {
    let (sql, mut root) = furnished(&["bob"]);
    run(&mut root, "ALTER USER bob@localhost IDENTIFIED BY 'hidden' PASSWORD EXPIRE");
    let shown = run(&mut root, "SHOW CREATE USER bob@localhost");
    assert!(shown.contains("AS '$A$005$") && !shown.contains("hidden"), "{shown}");
    let bob = &mut acting(&sql, "bob");
    assert_eq!(error(bob, "SELECT 1"), 1820);
    run(bob, "SET PASSWORD = 'another'");
    assert_eq!(run(bob, "SELECT 1"), "1");
    let process = sql.processes().find(2).expect("bob's");
    process.enter(b"ALTER USER bob IDENTIFIED BY 'hidden'", sql::CommandWord::Query, 1);
    assert_eq!(process.line().info.as_deref(), Some("ALTER USER bob IDENTIFIED <secret>"));
}

#[test]
fn whoever_may_change_accounts_may_not_become_root() {
    let (sql, mut root) = furnished(&["bob"]);
    run(&mut root, "GRANT CREATE USER ON *.* TO bob@localhost");
    let bob = &mut acting(&sql, "bob");
    for statement in [
        "ALTER USER root@localhost IDENTIFIED BY 'x'",
        "SET PASSWORD FOR root@localhost = 'x'",
        "DROP USER root@localhost",
        "RENAME USER root@localhost TO r2",
        "REVOKE ALL PRIVILEGES, GRANT OPTION FROM root@localhost",
    ] {
        assert_eq!(error(bob, statement), 1227, "{statement}");
    }
    assert_eq!(error(bob, "GRANT SELECT ON *.* TO bob@localhost"), 1045);
}

#[test]
fn what_an_account_requires_of_its_connections_is_shown_and_stays_until_it_is_changed() {
    let (_, mut root) = furnished(&["bob"]);
    let shown = |root: &mut Session| run(root, "SHOW CREATE USER bob@localhost");
    assert!(shown(&mut root).contains(" REQUIRE NONE "));
    run(&mut root, "ALTER USER bob@localhost REQUIRE SSL");
    run(&mut root, "ALTER USER bob@localhost ACCOUNT LOCK");
    assert!(shown(&mut root).contains(" REQUIRE SSL "));
    run(&mut root, "ALTER USER bob@localhost REQUIRE X509 ACCOUNT UNLOCK");
    assert!(shown(&mut root).contains(" REQUIRE X509 "));
}

#[test]
fn information_schema_shows_grants_to_their_account_and_all_of_them_to_who_may_read_mysql() {
    let (sql, mut root) = furnished(&["bob", "ann"]);
    for statement in [
        "CREATE ROLE r1, r2",
        "GRANT SELECT, INSERT ON d.* TO ann@localhost WITH GRANT OPTION",
        "GRANT UPDATE ON `e%`.* TO bob@localhost",
        "GRANT SELECT (a, b), UPDATE (b), REFERENCES (b) ON d.t TO bob@localhost",
        "GRANT INSERT ON d.t TO bob@localhost WITH GRANT OPTION",
        "GRANT r1 TO bob@localhost",
        "GRANT r2 TO bob@localhost WITH ADMIN OPTION",
        "GRANT r1 TO r2",
        "SET DEFAULT ROLE r1 TO bob@localhost",
    ] {
        run(&mut root, statement);
    }
    let all =
        |table: &str| format!("SELECT * FROM information_schema.{table} ORDER BY 1, 2, 3, 4, 5");
    let columns = "'bob'@'localhost'\tdef\td\tt\ta\tSELECT\tYES\n\
                   'bob'@'localhost'\tdef\td\tt\tb\tREFERENCES\tYES\n\
                   'bob'@'localhost'\tdef\td\tt\tb\tSELECT\tYES\n\
                   'bob'@'localhost'\tdef\td\tt\tb\tUPDATE\tYES";
    let columns_sorted = format!("{}, 6", all("column_privileges"));
    let bob = &mut acting(&sql, "bob");
    assert_eq!(run(bob, &columns_sorted), columns);
    assert_eq!(run(&mut root, &columns_sorted), columns);
    assert_eq!(run(&mut acting(&sql, "ann"), &columns_sorted), "");
    assert_eq!(run(bob, &all("table_privileges")), "'bob'@'localhost'\tdef\td\tt\tINSERT\tYES");
    let own = "'bob'@'localhost'\tdef\te%\tUPDATE\tNO";
    assert_eq!(run(bob, &all("schema_privileges")), own);
    assert_eq!(
        run(&mut root, &all("schema_privileges")),
        format!(
            "'ann'@'localhost'\tdef\td\tINSERT\tYES\n'ann'@'localhost'\tdef\td\tSELECT\tYES\n{own}"
        )
    );
    let may_grant = "bob\tlocalhost\tbob\tlocalhost\tr2\t%\tYES\tNO\tNO";
    assert_eq!(
        run(bob, &all("applicable_roles")),
        format!(
            "bob\tlocalhost\tbob\tlocalhost\tr1\t%\tNO\tYES\tNO\n{may_grant}\n\
             bob\tlocalhost\tr2\t%\tr1\t%\tNO\tNO\tNO"
        )
    );
    assert_eq!(run(bob, &all("administrable_role_authorizations")), may_grant);
}
