//! The queries of the source documents, and whether two answers are the same.
//!
//! Not here: who answers them.

use anyhow::{Result, ensure};

/// Cells as text; `None` is NULL.
pub type ResultCells = Vec<Vec<Option<String>>>;

/// A query by its name in the documents.
pub struct Query {
    pub name: &'static str,
    pub sql: String,
    /// Only numbers in ORDER BY decide which rows LIMIT leaves: these alone are compared.
    pub ranked: bool,
}

/// All of them; Q8 for 1, 2, 3, 4 and 10 years.
pub fn all() -> Vec<Query> {
    let late = "DepDelay > 10";
    let years = "Year BETWEEN 2000 AND 2008";
    let rates = |of: &str, when: &str| {
        format!(
            "SELECT t.{of}, c * 1000 / c2 AS c3 \
             FROM (SELECT {of}, COUNT(*) AS c FROM ontime WHERE {late}{when} GROUP BY {of}) t \
             JOIN (SELECT {of}, COUNT(*) AS c2 FROM ontime WHERE 1 = 1{when} GROUP BY {of}) t2 \
             ON t.{of} = t2.{of} ORDER BY t.{of}"
        )
    };
    let cities = |first: u32, last: u32| {
        format!(
            "SELECT DestCityName, COUNT(DISTINCT OriginCityName) AS c FROM ontime \
             WHERE Year BETWEEN {first} AND {last} GROUP BY DestCityName ORDER BY c DESC LIMIT 10"
        )
    };
    let by_day = |when: &str| {
        format!(
            "SELECT DayOfWeek, COUNT(*) AS c FROM ontime WHERE {when} GROUP BY DayOfWeek \
             ORDER BY c DESC, DayOfWeek"
        )
    };
    let queries = [
        ("count(*)", "SELECT COUNT(*) FROM ontime".to_owned(), false),
        (
            "Q0",
            "SELECT AVG(c1) FROM (SELECT Year, Month, COUNT(*) AS c1 FROM ontime \
             GROUP BY Year, Month) t"
                .to_owned(),
            false,
        ),
        ("Q1", by_day(years), false),
        ("Q2", by_day(&format!("{late} AND {years}")), false),
        (
            "Q3",
            format!(
                "SELECT Origin, COUNT(*) AS c FROM ontime WHERE {late} AND {years} \
                 GROUP BY Origin ORDER BY c DESC LIMIT 10"
            ),
            true,
        ),
        (
            "Q4",
            format!(
                "SELECT Carrier, COUNT(*) AS c FROM ontime WHERE {late} AND Year = 2007 \
                 GROUP BY Carrier ORDER BY c DESC, Carrier"
            ),
            false,
        ),
        ("Q5", rates("Carrier", " AND Year = 2007"), false),
        (
            "Q5i",
            format!(
                "SELECT Carrier, SUM(CASE WHEN {late} THEN 1 ELSE 0 END) * 1000 / COUNT(*) AS c3 \
                 FROM ontime WHERE Year = 2007 GROUP BY Carrier ORDER BY Carrier"
            ),
            false,
        ),
        ("Q6", rates("Carrier", &format!(" AND {years}")), false),
        ("Q7", rates("Year", ""), false),
        ("Q8, 1 year", cities(1999, 1999), true),
        ("Q8, 2 years", cities(1999, 2000), true),
        ("Q8, 3 years", cities(1999, 2001), true),
        ("Q8, 4 years", cities(1999, 2002), true),
        ("Q8, 10 years", cities(1999, 2008), true),
        (
            "Q9",
            "SELECT Year, COUNT(*) AS c1 FROM ontime GROUP BY Year ORDER BY Year".to_owned(),
            false,
        ),
    ];
    queries.into_iter().map(|(name, sql, ranked)| Query { name, sql, ranked }).collect()
}

/// Whether two answers are the same: texts as they are, numbers but for what is behind the third
/// digit after the point (each product divides to digits of its own, some to doubles).
pub fn check(query: &Query, expected: &ResultCells, found: &ResultCells) -> Result<()> {
    const APART_MAX: f64 = 0.001;
    let same = |expected: &Option<String>, found: &Option<String>| {
        let number =
            |cell: &Option<String>| cell.as_deref().and_then(|cell| cell.parse::<f64>().ok());
        match (number(expected), number(found)) {
            (Some(expected), Some(found)) => f64::abs(expected - found) < APART_MAX,
            _ => expected == found,
        }
    };
    let from = usize::from(query.ranked);
    let rows = expected.iter().zip(found);
    let cells = rows.flat_map(|(expected, found)| expected.iter().zip(found).skip(from));
    let lengths = |rows: &ResultCells| rows.iter().map(Vec::len).collect::<Vec<_>>();
    let all_same = lengths(expected) == lengths(found)
        && cells.into_iter().all(|(expected, found)| same(expected, found));
    ensure!(all_same, "{}: {found:?} where another has {expected:?}", query.name);
    Ok(())
}
