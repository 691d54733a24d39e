//! Queries of every kind answer as MariaDB does: `analytic/expected.txt` holds its answers, made
//! by `analytic/refresh.py`.

#[path = "analytic/house.rs"]
#[expect(dead_code, reason = "shared with other tests")]
mod house;

use house::House;

/// Query and answer.
fn expectations() -> Vec<(&'static str, Vec<&'static str>)> {
    let mut out: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in include_str!("analytic/expected.txt").lines() {
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
    house.run(include_str!("analytic/setup.sql"));
    let mut wrong = Vec::new();
    let expectations = expectations();
    for (query, expected) in &expectations {
        let mut expected: Vec<String> = expected.iter().map(|line| line.replace("\\\\", "\\")).collect();
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
