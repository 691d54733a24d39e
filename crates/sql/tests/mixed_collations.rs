//! Texts that insist on different collations by COLLATE do not mix.

use crate::harness::{error, run, server, session};

#[test]
fn two_collations_that_are_insisted_on_do_not_mix() {
    let sql = server();
    let s = &mut session(&sql);
    run(s, "CREATE TABLE t (v VARCHAR(9))");
    let (one, other) = ("v COLLATE utf8mb4_bin", "v COLLATE utf8mb4_general_ci");
    for (expression, number) in [
        (format!("{one} = {other}"), 1267),
        (format!("{one} < {other}"), 1267),
        (format!("{one} LIKE {other}"), 1267),
        (format!("{one} IN ({other})"), 1267),
        (format!("{one} BETWEEN {other} AND 'x'"), 1270),
        (format!("{one} IN ({other}, 'x', 'y')"), 1271),
        (format!("CONCAT({one}, {other})"), 1267),
        (format!("CASE {one} WHEN {other} THEN 1 END"), 1267),
        (format!("({one}, 1) = ({other}, 1)"), 1267),
    ] {
        assert_eq!(error(s, &format!("SELECT {expression} FROM t")), number, "{expression}");
    }
    assert_eq!(error(s, &format!("DELETE FROM t WHERE {one} = {other}")), 1267);
    run(s, &format!("SELECT {one} = v, {one} = {one}, {one} = 'x' FROM t"));
}
