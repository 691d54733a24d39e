//! Ways to more rights than were given: by roles, definers, plugins, SUPER, an expired password, by
//! names that must not be seen. Numbers and words are those that mysqld 9.7 answered to the same
//! statements, but where a comment says otherwise.
//!
//! Not here: what each kind of statement needs (`privileges`), grants as such (`accounts`).

use sql::Session;

use crate::accounts::{acting, furnished, number};
use crate::harness::{answer, error, run};

fn words(session: &mut Session, text: &str) -> String {
    answer(session, text).err().map_or_else(String::new, |error| error.message().to_owned())
}

#[test]
fn super_stood_for_system_user_and_changed_root() {
    let (sql, mut root) = furnished(&["sup", "sys", "other"]);
    run(&mut root, "GRANT SUPER, CREATE USER ON *.* TO sup@localhost");
    run(&mut root, "GRANT SYSTEM_USER ON *.* TO sys@localhost");
    let sup = &mut acting(&sql, "sup");
    for statement in [
        "ALTER USER root@localhost ACCOUNT LOCK",
        "SET PASSWORD FOR sys@localhost = 'x'",
        "DROP USER sys@localhost",
        "RENAME USER sys@localhost TO s",
        "GRANT SELECT ON *.* TO sys@localhost",
        "SET DEFAULT ROLE NONE TO sys@localhost",
        "GRANT root@localhost TO sup@localhost",
    ] {
        assert_ne!(error(sup, statement), 0, "{statement}");
    }
    assert_eq!(error(sup, "ALTER USER root@localhost ACCOUNT LOCK"), 1227);
    run(sup, "ALTER USER other@localhost IDENTIFIED BY 'x'");
    // Stricter than MySQL: who may change accounts may not become one with SUPER either.
    let mut root_sees = || run(&mut root, "SHOW GRANTS FOR sys@localhost");
    assert!(root_sees().contains("SYSTEM_USER"));
}

#[test]
fn connections_of_system_users_were_ended_by_whoever_may_end_others() {
    let (sql, mut root) = furnished(&["adm", "bob", "sys"]);
    run(&mut root, "GRANT CONNECTION_ADMIN ON *.* TO adm@localhost");
    run(&mut root, "GRANT SYSTEM_USER ON *.* TO sys@localhost");
    let account = |user: &str| access::AccountName::new(user, "localhost");
    let client = |id: u32, user: &str| {
        Session::of_account(&sql, id, (user, "localhost"), &account(user), None).unwrap()
    };
    let (_bob, _sys) = (client(71, "bob"), client(72, "sys"));
    let adm = &mut client(73, "adm");
    for kill in ["KILL QUERY 72", "KILL 72"] {
        assert_eq!(words(adm, kill), "You are not owner of thread 72");
    }
    run(adm, "KILL QUERY 71");
    run(&mut root, "GRANT SYSTEM_USER ON *.* TO adm@localhost");
    run(adm, "KILL 72");
}

#[test]
fn a_role_with_system_user_was_granted_by_whoever_may_grant_roles() {
    let (sql, mut root) = furnished(&["adm", "bob"]);
    run(&mut root, "CREATE ROLE mighty, plain");
    run(&mut root, "GRANT SYSTEM_USER ON *.* TO mighty");
    run(&mut root, "GRANT mighty TO bob@localhost");
    run(&mut root, "GRANT ROLE_ADMIN ON *.* TO adm@localhost");
    let adm = &mut acting(&sql, "adm");
    run(adm, "GRANT plain TO adm@localhost");
    assert_eq!(error(adm, "GRANT mighty TO adm@localhost"), 1227);
    assert_eq!(error(adm, "REVOKE mighty FROM bob@localhost"), 1227);
}

#[test]
fn create_user_granted_any_role_as_a_default_role() {
    let (sql, mut root) = furnished(&["maker"]);
    run(&mut root, "CREATE ROLE r");
    run(&mut root, "GRANT ALL ON d.* TO r");
    run(&mut root, "GRANT CREATE USER ON *.* TO maker@localhost");
    let maker = &mut acting(&sql, "maker");
    assert_eq!(
        words(maker, "CREATE USER x DEFAULT ROLE r"),
        "Access denied; you need (at least one of) the WITH ADMIN, ROLE_ADMIN, SUPER privilege(s) \
         for this operation"
    );
    assert_eq!(error(maker, "SHOW GRANTS FOR x"), 1141, "it was not made");
    run(&mut root, "GRANT r TO maker@localhost WITH ADMIN OPTION");
    run(maker, "CREATE USER x DEFAULT ROLE r");
}

#[test]
fn the_own_plugin_was_changed_without_create_user() {
    let (sql, mut root) = furnished(&["bob"]);
    run(&mut root, "CREATE ROLE r");
    run(&mut root, "GRANT r TO bob@localhost");
    let bob = &mut acting(&sql, "bob");
    for refused in [
        "ALTER USER bob@localhost IDENTIFIED WITH auth_socket",
        "ALTER USER bob@localhost IDENTIFIED WITH mysql_native_password BY 'x'",
        "ALTER USER bob@localhost IDENTIFIED WITH caching_sha2_password AS ''",
        "ALTER USER bob@localhost",
        "ALTER USER bob@localhost COMMENT 'x'",
        "ALTER USER bob@localhost IDENTIFIED BY 'x' REQUIRE NONE",
        "ALTER USER bob@localhost IDENTIFIED BY 'x' ACCOUNT UNLOCK",
    ] {
        assert_eq!(error(bob, refused), 1227, "{refused}");
    }
    for allowed in [
        "ALTER USER bob@localhost IDENTIFIED BY 'x'",
        "ALTER USER USER() IDENTIFIED BY 'x'",
        "ALTER USER bob@localhost IDENTIFIED BY 'x' COMMENT 'mine'",
        "ALTER USER bob@localhost DEFAULT ROLE r",
        "ALTER USER bob@localhost DEFAULT ROLE NONE",
    ] {
        run(bob, allowed);
    }
}

#[test]
fn an_expired_account_changed_others_and_global_variables() {
    let (sql, mut root) = furnished(&["bob", "ann"]);
    run(&mut root, "GRANT ALL ON *.* TO bob@localhost");
    run(&mut root, "ALTER USER bob@localhost PASSWORD EXPIRE");
    let bob = &mut acting(&sql, "bob");
    for statement in [
        "SET GLOBAL max_connections = 200",
        "SET @a = (SELECT a FROM d.t)",
        "SET NAMES utf8mb4",
        "CREATE USER x",
        "DROP USER ann@localhost",
        "SET PASSWORD FOR ann@localhost = 'y'",
        "ALTER USER ann@localhost IDENTIFIED BY 'y'",
        "ALTER USER bob@localhost ACCOUNT UNLOCK",
        "ALTER USER bob@localhost PASSWORD EXPIRE NEVER",
        "SET ROLE NONE",
        "GRANT SELECT ON *.* TO ann@localhost",
        "COMMIT",
    ] {
        assert_eq!(error(bob, statement), 1820, "{statement}");
    }
    run(bob, "ALTER USER bob@localhost IDENTIFIED BY 'new' ACCOUNT UNLOCK");
    run(bob, "SET GLOBAL max_connections = 200");
}

#[test]
fn revoke_all_on_everything_left_what_was_granted_within() {
    let (_sql, mut root) = furnished(&["bob"]);
    for statement in [
        "GRANT INSERT, BACKUP_ADMIN ON *.* TO bob@localhost WITH GRANT OPTION",
        "GRANT SELECT ON d.* TO bob@localhost WITH GRANT OPTION",
        "GRANT UPDATE (b) ON d.t TO bob@localhost",
        "CREATE ROLE r",
        "GRANT r TO bob@localhost",
        "REVOKE ALL ON *.* FROM bob@localhost",
    ] {
        run(&mut root, statement);
    }
    assert_eq!(
        run(&mut root, "SHOW GRANTS FOR bob@localhost"),
        "GRANT USAGE ON *.* TO `bob`@`localhost`\nGRANT `r`@`%` TO `bob`@`localhost`"
    );
}

#[test]
fn default_role_all_took_in_roles_that_were_granted_later() {
    let (sql, mut root) = furnished(&["bob"]);
    for statement in [
        "CREATE ROLE early, late",
        "GRANT early TO bob@localhost",
        "SET DEFAULT ROLE ALL TO bob@localhost",
        "GRANT late TO bob@localhost",
    ] {
        run(&mut root, statement);
    }
    let shown = run(&mut root, "SHOW CREATE USER bob@localhost");
    assert!(shown.contains(" DEFAULT ROLE `early`@`%` REQUIRE"), "{shown}");
    assert_eq!(run(&mut acting(&sql, "bob"), "SELECT CURRENT_ROLE()"), "`early`@`%`");
}

#[test]
fn a_definer_was_root_for_whoever_may_name_definers() {
    let (sql, mut root) = furnished(&["bob", "ann"]);
    run(&mut root, "GRANT SET_ANY_DEFINER ON *.* TO bob@localhost");
    run(&mut root, "GRANT CREATE VIEW, SELECT, EVENT ON d.* TO bob@localhost");
    let bob = &mut acting(&sql, "bob");
    run(bob, "CREATE DEFINER = ann@localhost VIEW d.v AS SELECT 1");
    for (definer, needed) in
        [("root@localhost", "SYSTEM_USER"), ("nobody", "SUPER or ALLOW_NONEXISTENT_DEFINER")]
    {
        let view = format!("CREATE DEFINER = {definer} VIEW d.w AS SELECT * FROM d.t");
        assert_eq!(
            words(bob, &view),
            format!(
                "Access denied; you need (at least one of) the {needed} privilege(s) for this \
                 operation"
            )
        );
        let event = format!("CREATE DEFINER = {definer} EVENT d.e ON SCHEDULE EVERY 1 DAY DO DO 1");
        assert_eq!(error(bob, &event), 1227);
    }
}

#[test]
fn an_account_that_views_belong_to_was_dropped_and_made_again_by_anybody() {
    let (sql, mut root) = furnished(&["maker", "de"]);
    run(&mut root, "GRANT CREATE USER ON *.* TO maker@localhost");
    run(&mut root, "CREATE DEFINER = de@localhost VIEW d.v AS SELECT * FROM d.t");
    let maker = &mut acting(&sql, "maker");
    let refused = |doing: &str| {
        format!(
            "Operation {doing} failed for 'de'@'localhost' as it is referenced as a definer \
             account in a view."
        )
    };
    assert_eq!(words(maker, "DROP USER de@localhost"), refused("DROP USER"));
    assert_eq!(words(maker, "RENAME USER de@localhost TO x"), refused("RENAME USER"));
    assert_eq!(run(&mut root, "DROP USER de@localhost"), "ok 0 warnings 1");
    assert_eq!(
        run(&mut root, "SHOW WARNINGS"),
        "Warning\t4005\tUser 'de'@'localhost' is referenced as a definer account in a view."
    );
    assert_eq!(words(maker, "CREATE USER de@localhost"), refused("CREATE USER"));
    run(maker, "CREATE USER x@localhost");
    assert_eq!(words(maker, "RENAME USER x@localhost TO de@localhost"), refused("RENAME USER"));
    run(&mut root, "CREATE USER de@localhost");
}

#[test]
fn columns_that_are_not_there_were_told_from_those_that_may_not_be_read() {
    let (sql, mut root) = furnished(&["bob"]);
    run(&mut root, "GRANT SELECT (a), UPDATE (b), DELETE ON d.t TO bob@localhost");
    run(&mut root, "GRANT SELECT ON d.u TO bob@localhost");
    let bob = &mut acting(&sql, "bob");
    for statement in [
        "SELECT {} FROM d.t",
        "SELECT t.{} FROM d.t",
        "SELECT x.{} FROM d.t x",
        "SELECT {} FROM d.t, d.u",
        "SELECT a FROM d.t WHERE {} = 1",
        "SELECT a FROM d.t ORDER BY {}",
        "SELECT a FROM d.t GROUP BY a, {}",
        "SELECT t.a FROM d.t JOIN d.u ON {} = 1",
        "UPDATE d.t SET b = {}",
        "UPDATE d.t SET b = 1 WHERE {} = 1",
        "DELETE FROM d.t WHERE {} = 1",
        // MySQL tells them apart in a sub-query.
        "SELECT 1 FROM d.u WHERE EXISTS (SELECT {} FROM d.t)",
    ] {
        let of_column = |name: &str| statement.replace("{}", name);
        let there = words(bob, &of_column("c"));
        assert!(there.contains("for column 'c' in table 't'"), "{statement}: {there}");
        assert_eq!(words(bob, &of_column("zz")).replace("'zz'", "'c'"), there, "{statement}");
    }
    assert_eq!(number(bob, "SELECT zz FROM d.u"), 1054);
    assert_eq!(number(&mut root, "SELECT zz FROM d.t"), 1054);
}

#[test]
fn refusals_name_all_that_is_missing_and_the_account() {
    let (sql, mut root) = furnished(&[]);
    run(&mut root, "CREATE USER bob");
    run(&mut root, "GRANT SELECT ON d.u TO bob");
    let account = access::AccountName::new("bob", "%");
    let bob = &mut Session::of_account(&sql, 9, ("bob", "localhost"), &account, None).unwrap();
    for (statement, wanted) in [
        ("USE e", "Access denied for user 'bob'@'%' to database 'e'"),
        ("GRANT SELECT ON e.* TO bob", "Access denied for user 'bob'@'%' to database 'e'"),
        (
            "REPLACE INTO d.u VALUES (1)",
            "INSERT, DELETE command denied to user 'bob'@'localhost' for table 'u'",
        ),
        (
            "INSERT INTO d.u VALUES (1) ON DUPLICATE KEY UPDATE a = 1",
            "INSERT, UPDATE command denied to user 'bob'@'localhost' for table 'u'",
        ),
        (
            "GRANT SELECT, INSERT, CREATE VIEW ON d.u TO bob",
            "INSERT, GRANT, CREATE VIEW command denied to user 'bob'@'localhost' for table 'u'",
        ),
        (
            "FLUSH PRIVILEGES",
            "Access denied; you need (at least one of) the RELOAD or FLUSH_PRIVILEGES \
             privilege(s) for this operation",
        ),
        (
            "FLUSH TABLES",
            "Access denied; you need (at least one of) the RELOAD or FLUSH_TABLES privilege(s) \
             for this operation",
        ),
    ] {
        assert_eq!(words(bob, statement), wanted, "{statement}");
    }
    run(&mut root, "GRANT FLUSH_PRIVILEGES, FLUSH_TABLES ON *.* TO bob");
    run(bob, "FLUSH PRIVILEGES");
    run(bob, "FLUSH TABLES");
}
