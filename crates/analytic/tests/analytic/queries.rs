//! Queries of every kind answer as MariaDB does: `expected.txt` holds its answers, made
//! by `refresh.py`.

use crate::house::House;

/// Query and answer.
fn expectations() -> Vec<(&'static str, Vec<&'static str>)> {
    let mut out: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in include_str!("expected.txt").lines() {
        match line.strip_prefix("> ") {
            Some(query) => out.push((query, Vec::new())),
            None => out.last_mut().expect("begins with a query").1.push(line),
        }
    }
    out
}

/// Whether the rows' order was asked for.
fn is_ordered(query: &str) -> bool {
    let outermost = query.rsplit_once(')').map_or(query, |(_, rest)| rest);
    outermost.contains("ORDER BY") || query.contains("ROLLUP")
}

#[test]
fn queries_answer_as_mariadb_does() {
    let mut house = House::new();
    house.run(include_str!("setup.sql"));
    let mut wrong = Vec::new();
    let expectations = expectations();
    for (query, expected) in &expectations {
        let mut expected: Vec<String> =
            expected.iter().map(|line| line.replace("\\\\", "\\")).collect();
        let answer = house.rows(query);
        let mut rows = match answer {
            Ok(rows) => rows,
            Err(error) => vec![error.to_string()],
        };
        if !is_ordered(query) {
            expected.sort();
            rows.sort();
        }
        if rows != expected {
            wrong.push(format!("{query}\n  expected {expected:?}\n  answered {rows:?}"));
        }
    }
    assert!(expectations.len() > 250, "the expectations were cut off");
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
