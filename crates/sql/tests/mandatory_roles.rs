//! `@@mandatory_roles` and `@@activate_all_roles_on_login`. Numbers and words are those that mysqld
//! 9.7 answered to the same statements.
//!
//! Not here: other roles (`accounts`, `account_options`).

use crate::accounts::{acting, furnished};
use crate::harness::{answer, error, run};

#[test]
fn everybody_has_the_mandatory_roles_active_after_a_login() {
    let (sql, mut root) = furnished(&["bob"]);
    for statement in [
        "CREATE ROLE own, m, inner_role",
        "GRANT own TO bob@localhost",
        "GRANT SELECT ON d.t TO m",
        "GRANT inner_role TO m",
        "SET GLOBAL mandatory_roles = '`m`@`%`, nosuch'",
    ] {
        run(&mut root, statement);
    }
    assert_eq!(run(&mut root, "SELECT @@mandatory_roles"), "`m`@`%`, nosuch");
    let bob = &mut acting(&sql, "bob");
    assert_eq!(run(bob, "SELECT CURRENT_ROLE()"), "`m`@`%`");
    assert_eq!(run(bob, "SELECT a FROM d.t"), "1");
    assert_eq!(
        run(bob, "SHOW GRANTS").lines().last(),
        Some("GRANT `m`@`%`,`own`@`%` TO `bob`@`localhost`")
    );
    assert_eq!(
        run(&mut root, "SHOW GRANTS FOR bob@localhost").lines().last(),
        Some("GRANT `own`@`%` TO `bob`@`localhost`")
    );
    let shown = run(&mut root, "SHOW GRANTS FOR bob@localhost USING m");
    assert!(shown.contains("GRANT SELECT ON `d`.`t`"), "{shown}");
    run(bob, "SET ROLE DEFAULT");
    assert_eq!(run(bob, "SELECT CURRENT_ROLE()"), "NONE");
    assert_eq!(error(bob, "SELECT a FROM d.t"), 1142);
    run(bob, "SET ROLE ALL EXCEPT own");
    assert_eq!(run(bob, "SELECT CURRENT_ROLE()"), "`m`@`%`");
    run(bob, "SET DEFAULT ROLE ALL TO CURRENT_USER()");
    assert_eq!(
        run(
            bob,
            "SELECT GRANTEE, ROLE_NAME, IS_DEFAULT, IS_MANDATORY FROM \
             information_schema.applicable_roles ORDER BY GRANTEE, ROLE_NAME"
        ),
        "bob\tm\tYES\tYES\nbob\town\tYES\tNO\nm\tinner_role\tNO\tNO"
    );
    assert_eq!(
        run(bob, "SELECT * FROM information_schema.enabled_roles WHERE ROLE_NAME = 'm'"),
        "m\t%\tYES\tYES"
    );
    run(&mut root, "SET GLOBAL mandatory_roles = DEFAULT");
    assert_eq!(error(bob, "SELECT a FROM d.t"), 1142, "it holds for the next statement");
}

#[test]
fn mandatory_roles_stay_and_have_no_system_user() {
    let (sql, mut root) = furnished(&["bob"]);
    run(&mut root, "CREATE ROLE m, s");
    run(&mut root, "GRANT SYSTEM_USER ON *.* TO s");
    run(&mut root, "SET GLOBAL mandatory_roles = 'm'");
    for statement in ["DROP ROLE m", "DROP USER bob@localhost, m", "REVOKE m FROM bob@localhost"] {
        let refused = answer(&mut root, statement).expect_err(statement);
        assert_eq!(
            refused.message(),
            "The role `m`@`%` is a mandatory role and can't be revoked or dropped. The restriction \
             can be lifted by excluding the role identifier from the global variable \
             mandatory_roles."
        );
    }
    for (value, wanted) in [("'s'", 3880), ("',,'", 1231), ("3", 1232)] {
        let set = format!("SET GLOBAL mandatory_roles = {value}");
        assert_eq!(error(&mut root, &set), wanted, "{value}");
    }
    assert_eq!(run(&mut root, "SELECT @@mandatory_roles"), "m", "as it was");
    assert_eq!(error(&mut root, "SET SESSION mandatory_roles = ''"), 1229);
    run(&mut root, "GRANT SYSTEM_VARIABLES_ADMIN ON *.* TO bob@localhost");
    let bob = &mut acting(&sql, "bob");
    assert_eq!(error(bob, "SET GLOBAL mandatory_roles = 's'"), 1227, "it wants ROLE_ADMIN, too");
    run(&mut root, "GRANT ROLE_ADMIN ON *.* TO bob@localhost");
    run(bob, "SET GLOBAL mandatory_roles = ''");
    run(&mut root, "DROP ROLE m");
}

#[test]
fn all_roles_are_active_after_a_login_where_that_is_said() {
    let (sql, mut root) = furnished(&["bob"]);
    run(&mut root, "CREATE ROLE r");
    run(&mut root, "GRANT r TO bob@localhost");
    assert_eq!(run(&mut acting(&sql, "bob"), "SELECT CURRENT_ROLE()"), "NONE");
    assert_eq!(run(&mut root, "SET GLOBAL activate_all_roles_on_login = ON"), "ok 0");
    assert_eq!(run(&mut acting(&sql, "bob"), "SELECT CURRENT_ROLE()"), "`r`@`%`");
    run(&mut root, "SET GLOBAL activate_all_roles_on_login = OFF");
    assert_eq!(run(&mut acting(&sql, "bob"), "SELECT CURRENT_ROLE()"), "NONE");
}
