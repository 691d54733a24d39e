//! Integers, dates and times are filtered, grouped, sorted and aggregated as numbers of 64 bits:
//! the same answers as from expressions over them, which are not.

use crate::harness::{run, server, session};
use sql::Session;

/// A column of every type that has ordinals, with its smallest and largest values and NULL.
const COLUMNS: &[(&str, &[&str])] = &[
    ("TINYINT", &["-128", "-1", "0", "127"]),
    ("SMALLINT UNSIGNED", &["0", "1", "65535"]),
    ("MEDIUMINT", &["-8388608", "-7", "8388607"]),
    ("INT", &["-2147483648", "0", "2147483647"]),
    ("BIGINT", &["-9223372036854775808", "-1", "0", "9223372036854775807"]),
    ("BIGINT UNSIGNED", &["0", "9223372036854775808", "18446744073709551615"]),
    ("YEAR", &["1901", "2000", "2155"]),
    ("DATE", &["'0000-00-00'", "'1000-01-01'", "'2024-02-29'", "'9999-12-31'"]),
    ("TIME", &["'-838:59:59'", "'-00:00:01'", "'00:00:00'", "'838:59:59'"]),
    ("TIME(6)", &["'-838:59:59'", "'-00:00:00.000001'", "'00:00:00.5'", "'838:59:59'"]),
    ("DATETIME", &["'0000-00-00 00:00:00'", "'1999-12-31 23:59:59'", "'9999-12-31 23:59:59'"]),
    ("DATETIME(6)", &["'1999-12-31 23:59:59.999999'", "'2000-01-01'", "'2000-01-01 00:00:00.1'"]),
    ("TIMESTAMP", &["'1970-01-02 00:00:00'", "'2038-01-19 03:14:07'"]),
    ("TIMESTAMP(3)", &["'1970-01-02 00:00:00.001'", "'2038-01-19 03:14:07.999'"]),
];

/// Tables whose `v` has each value several times, out of order; `w` is another column behind `v`.
fn fill(session: &mut Session, ty: &str, values: &[&str]) {
    run(session, "DROP TABLE IF EXISTS t");
    run(session, "SET sql_mode = ''");
    run(session, &format!("CREATE TABLE t (id INT PRIMARY KEY, v {ty} NULL, w INT, KEY v (v))"));
    let row = |id: usize| {
        let value = match id % 5 {
            3 => "NULL",
            _ => values[id * 7 % values.len()],
        };
        format!("({id}, {value}, {})", id % 11)
    };
    let rows: Vec<String> = (0..200).map(row).collect();
    run(session, &format!("INSERT INTO t VALUES {}", rows.join(",")));
}

#[test]
fn answers_are_those_of_expressions() {
    let sql = server();
    let session = &mut session(&sql);
    for (ty, values) in COLUMNS {
        fill(session, ty, values);
        // Through COALESCE nothing is taken from the row as it is, nor from an index.
        let other = "COALESCE(v)";
        let mut queries = vec![
            "SELECT MIN(@), MAX(@), COUNT(@), COUNT(DISTINCT @) FROM t".to_owned(),
            "SELECT w, MIN(@), MAX(@), COUNT(@) FROM t GROUP BY w ORDER BY w".to_owned(),
            "SELECT @, COUNT(*) FROM t GROUP BY @ ORDER BY @".to_owned(),
            "SELECT @, COUNT(*) FROM t GROUP BY @ WITH ROLLUP".to_owned(),
            "SELECT DISTINCT @ FROM t ORDER BY 1 DESC".to_owned(),
            "SELECT id FROM t ORDER BY @, id".to_owned(),
            "SELECT @ FROM t ORDER BY @ DESC, id LIMIT 9".to_owned(),
            "SELECT id FROM t ORDER BY w, @ DESC, id LIMIT 5, 20".to_owned(),
            "SELECT a.id, b.id FROM t a JOIN t b ON a.id = b.w WHERE b.id < 20 ORDER BY b.@, b.id"
                .to_owned(),
        ];
        // A literal of two digits beside a column of YEAR is that year, which it is not beside
        // others.
        let bound = if ty == &"YEAR" { 2005 } else { 5 };
        // A text beside a time that is no column is compared as a text.
        let beside = |value: &str| match *ty {
            "TIME" | "TIME(6)" => format!("CAST({value} AS {ty})"),
            _ => value.to_owned(),
        };
        for value in values.iter().map(|value| beside(value)) {
            for comparison in ["=", "<>", "<", "<=", ">", ">=", "<=>"] {
                queries.push(format!(
                    "SELECT id FROM t WHERE w > 2 AND @ {comparison} {value} ORDER BY id"
                ));
            }
            queries.push(format!("SELECT COUNT(*) FROM t WHERE w > 2 AND @ IN (17, {value})"));
            queries.push(format!("SELECT COUNT(*) FROM t WHERE w > 2 AND @ NOT IN ({value})"));
            queries.push(format!(
                "SELECT COUNT(*) FROM t WHERE w > 2 AND @ BETWEEN {value} AND {bound}"
            ));
            // Of entries of the index alone, which come as values.
            for condition in ["IN (17, #)", "NOT IN (#)", "<= #", "<=> #", "BETWEEN # AND $"] {
                let condition = condition.replace('#', &value).replace('$', &bound.to_string());
                queries.push(format!(
                    "SELECT COUNT(*), MIN(id) FROM t FORCE INDEX (v) WHERE @ {condition} OR id < 3"
                ));
            }
        }
        let (first, last) = (beside(values[0]), beside(values[values.len() - 1]));
        queries.push(format!("SELECT COUNT(*) FROM t WHERE w>2 AND @ BETWEEN {first} AND {last}"));
        if ty.starts_with("DATE") {
            queries
                .push("SELECT YEAR(@), MONTH(@), DAY(@), COUNT(*) FROM t GROUP BY 1, 2, 3".into());
            queries.push("SELECT DISTINCT YEAR(@), MONTH(@) FROM t ORDER BY 1, 2 DESC".into());
        }
        if ty.contains("INT") {
            queries.push("SELECT w, SUM(@), AVG(@) FROM t GROUP BY w ORDER BY w".into());
            queries.push("SELECT SUM(DISTINCT @), SUM(@) FROM t".into());
        }
        for query in queries {
            let plain = query.replace("a.@", "a.v").replace("b.@", "b.v").replace('@', "v");
            let replaced = query.replace("a.@", "COALESCE(a.v)").replace("b.@", "COALESCE(b.v)");
            let replaced = replaced.replace('@', other);
            assert_eq!(run(session, &plain), run(session, &replaced), "{ty}: {plain}");
        }
    }
}

#[test]
fn rows_from_before_a_column_was_added_have_its_default() {
    let sql = server();
    let session = &mut session(&sql);
    run(session, "CREATE TABLE t (id INT PRIMARY KEY)");
    run(session, "INSERT INTO t VALUES (1), (2), (3)");
    run(session, "ALTER TABLE t ADD COLUMN d DATE NOT NULL DEFAULT '2020-02-29', ADD COLUMN n INT");
    run(session, "INSERT INTO t VALUES (4, '2019-01-01', -5)");
    assert_eq!(
        run(session, "SELECT MIN(d), MAX(d), MIN(n), COUNT(n) FROM t"),
        "2019-01-01\t2020-02-29\t-5\t1"
    );
    assert_eq!(
        run(session, "SELECT d, COUNT(*) FROM t GROUP BY d ORDER BY d"),
        "2019-01-01\t1\n2020-02-29\t3"
    );
    assert_eq!(
        run(session, "SELECT id FROM t WHERE d > DATE'2019-06-01' AND n IS NULL ORDER BY d, id"),
        "1\n2\n3"
    );
}
