//! A generator of statements that no reasonable client sends: deep, wide, huge, endless.
//!
//! Each is made from a seed, so that one that hurt can be sent again.
//!
//! Not here: who sends them, and what becomes of it (`super`).

use rand::Rng;
use rand::rngs::SmallRng;

/// Rows of the table `n(i INT PRIMARY KEY, t VARCHAR(100), KEY (t))`.
pub const ROWS: u32 = 20_000;

/// One sort of nastiness.
type Make = fn(&mut SmallRng) -> String;

/// All sorts, by name.
pub const SORTS: [(&str, Make); 24] = [
    ("nested functions", nested_functions),
    ("huge repetition", huge_repetition),
    ("wide concatenation", wide_concatenation),
    ("wide list", wide_list),
    ("cross join", cross_join),
    ("cross join sorted", cross_join_sorted),
    ("endless recursion", endless_recursion),
    ("growing recursion", growing_recursion),
    ("doubling tables", doubling_tables),
    ("huge list", huge_list),
    ("everything concatenated", everything_concatenated),
    ("nested queries", nested_queries),
    ("nested brackets", nested_brackets),
    ("long chain", long_chain),
    ("huge literal", huge_literal),
    ("long search", long_search),
    ("expressions of patterns", patterns),
    ("large document", large_document),
    ("many unions", many_unions),
    ("groups of long texts", groups_of_long_texts),
    ("windows", windows),
    ("for ever", for_ever),
    ("long values per row", long_values_per_row),
    ("own rows doubled", own_rows_doubled),
];

fn times(rng: &mut SmallRng, most: u32) -> u64 {
    10u64.pow(rng.random_range(1..=most))
}

fn nested_functions(rng: &mut SmallRng) -> String {
    let depth = rng.random_range(5..150);
    let name = ["HEX", "TO_BASE64", "QUOTE", "JSON_QUOTE", "REVERSE", "UPPER", "JSON_ARRAY"];
    let name = name[rng.random_range(0..name.len())];
    format!("SELECT LENGTH({}'abc'{})", format!("{name}(").repeat(depth), ")".repeat(depth))
}

fn huge_repetition(rng: &mut SmallRng) -> String {
    let (a, b) = (times(rng, 9), times(rng, 9));
    match rng.random_range(0..8) {
        0 => format!("SELECT LENGTH(REPLACE(REPEAT('a',{a}),'a',REPEAT('b',{b})))"),
        1 => format!("SELECT LENGTH(LPAD('a',{a},REPEAT('xyz',{b})))"),
        2 => format!("SELECT LENGTH(RPAD(REPEAT('a',{a}),{b},'é'))"),
        3 => format!("SELECT LENGTH(SPACE({a})), LENGTH(SPACE({b}))"),
        4 => format!("SELECT LENGTH(INSERT(REPEAT('a',{a}),2,1,REPEAT('b',{b})))"),
        5 => format!("SELECT LENGTH(CONCAT_WS(REPEAT(',',{a}),REPEAT('b',{b}),'c','d'))"),
        6 => format!("SELECT REPEAT('a',{a}) = (REPEAT('a',{a}) = (REPEAT('b',{b}) = 'c'))"),
        _ => format!("SELECT REPEAT('a',{a}), CAST('a' AS BINARY({b}))"),
    }
}

fn wide_concatenation(rng: &mut SmallRng) -> String {
    let part = format!("REPEAT('a',{})", times(rng, 5));
    let count = rng.random_range(10..5_000);
    format!("SELECT LENGTH(CONCAT({}))", vec![part; count].join(","))
}

fn wide_list(rng: &mut SmallRng) -> String {
    let part = format!("REPEAT('a',{})", times(rng, 6));
    let count = rng.random_range(10..2_000);
    let from = if rng.random() { " FROM n LIMIT 10" } else { "" };
    format!("SELECT {}{from}", vec![part; count].join(","))
}

fn cross_join(rng: &mut SmallRng) -> String {
    let tables = rng.random_range(2..8);
    let names: Vec<String> = (0..tables).map(|at| format!("n x{at}")).collect();
    format!("SELECT COUNT(*), MAX(x0.t) FROM {} WHERE x0.i + x1.i > 7", names.join(","))
}

fn cross_join_sorted(rng: &mut SmallRng) -> String {
    let limit = times(rng, 6);
    format!("SELECT a.t, b.t, a.i * b.i AS p FROM n a, n b ORDER BY p DESC, b.t LIMIT {limit}, 10")
}

fn endless_recursion(_: &mut SmallRng) -> String {
    "WITH RECURSIVE c AS (SELECT 1 AS k UNION ALL SELECT k + 1 FROM c) SELECT COUNT(*) FROM c"
        .to_owned()
}

fn growing_recursion(rng: &mut SmallRng) -> String {
    let rows = times(rng, 6);
    format!(
        "WITH RECURSIVE c AS (SELECT 1 AS k, CAST('ab' AS CHAR(100000)) AS t UNION ALL \
         SELECT k + 1, CONCAT(t, t) FROM c WHERE k < {rows}) SELECT MAX(LENGTH(t)) FROM c"
    )
}

fn doubling_tables(rng: &mut SmallRng) -> String {
    let mut out = String::from("WITH w0 AS (SELECT 1 AS k)");
    let levels = rng.random_range(3..40);
    for at in 1..levels {
        let of = at - 1;
        out.push_str(&format!(", w{at} AS (SELECT a.k, b.k AS l FROM w{of} a, w{of} b)"));
    }
    format!("{out} SELECT COUNT(*) FROM w{}", levels - 1)
}

fn huge_list(rng: &mut SmallRng) -> String {
    let count = times(rng, 5) * rng.random_range(1..5);
    let text = rng.random::<bool>();
    let items: Vec<String> =
        (0..count).map(|at| if text { format!("'t{at}'") } else { at.to_string() }).collect();
    let column = if text { "t" } else { "i + 0" };
    format!("SELECT COUNT(*) FROM n WHERE {column} IN ({})", items.join(","))
}

fn everything_concatenated(rng: &mut SmallRng) -> String {
    let what =
        ["GROUP_CONCAT(a.t)", "GROUP_CONCAT(DISTINCT a.t, b.t ORDER BY b.t)", "JSON_ARRAYAGG(b.t)"];
    let what = what[rng.random_range(0..what.len())];
    format!("SELECT LENGTH({what}) FROM n a, n b WHERE b.i < {}", times(rng, 4))
}

fn nested_queries(rng: &mut SmallRng) -> String {
    let depth = rng.random_range(2..80);
    match rng.random_range(0..3) {
        0 => {
            let open = "SELECT i FROM n WHERE i IN (".repeat(depth);
            format!("{open}SELECT i FROM n{}", ")".repeat(depth))
        }
        1 => {
            let open = "SELECT * FROM (".repeat(depth);
            format!("{open}SELECT i FROM n{}", ") x".repeat(depth))
        }
        _ => {
            let open = "SELECT (".repeat(depth);
            format!("{open}SELECT MAX(i) FROM n{}", ")".repeat(depth))
        }
    }
}

fn nested_brackets(rng: &mut SmallRng) -> String {
    let depth = rng.random_range(5..400);
    let (open, close) = ("(".repeat(depth), ")".repeat(depth));
    match rng.random_range(0..4) {
        0 => format!("SELECT {open}1{close}"),
        1 => format!("SELECT COUNT(*) FROM {open}n{close}"),
        2 => format!("{open}SELECT 1{close}"),
        _ => format!("SELECT * FROM n WHERE {}i{} = 1", "NOT (".repeat(depth), close),
    }
}

fn long_chain(rng: &mut SmallRng) -> String {
    let count = times(rng, 4) * rng.random_range(1..6);
    let sign = [" AND ", " OR ", " + ", " - ", " XOR ", " = "][rng.random_range(0..6)];
    let parts: Vec<String> = (0..count).map(|at| format!("i <> {at}")).collect();
    format!("SELECT COUNT(*) FROM n WHERE {}", parts.join(sign))
}

fn huge_literal(rng: &mut SmallRng) -> String {
    let text = "x".repeat(rng.random_range(1..6) << 20);
    match rng.random_range(0..3) {
        0 => format!("SELECT LENGTH('{text}')"),
        1 => format!("SELECT '{text}', i FROM n ORDER BY t LIMIT 5"),
        _ => format!("SELECT COUNT(DISTINCT CONCAT(t, '{text}')) FROM n"),
    }
}

fn long_search(rng: &mut SmallRng) -> String {
    let (text, needle) = (times(rng, 7), times(rng, 6));
    match rng.random_range(0..3) {
        0 => format!("SELECT LOCATE(CONCAT(REPEAT('a',{needle}),'b'), REPEAT('a',{text}))"),
        1 => format!("SELECT REPEAT('a',{text}) LIKE CONCAT('%',REPEAT('a%',{needle}),'b')"),
        _ => format!("SELECT SUBSTRING_INDEX(REPEAT('a,',{text}), ',', -{needle})"),
    }
}

fn patterns(rng: &mut SmallRng) -> String {
    let text = times(rng, 5);
    let pattern = ["(a+)+$", "(a|aa)*b", "a{500}{50}", "(.*)(.*)(.*)x"][rng.random_range(0..4)];
    format!("SELECT COUNT(*) FROM n WHERE REPEAT(t,{text}) REGEXP '{pattern}'")
}

fn large_document(rng: &mut SmallRng) -> String {
    let parts = times(rng, 7);
    match rng.random_range(0..3) {
        0 => format!("SELECT JSON_LENGTH(CONCAT('[1',REPEAT(',1',{parts}),']'))"),
        1 => {
            let paths = vec!["'$'"; rng.random_range(2..2_000)].join(",");
            format!("SELECT JSON_EXTRACT(CONCAT('[1',REPEAT(',1',{parts}),']'),{paths})")
        }
        _ => format!("SELECT JSON_VALID(CONCAT(REPEAT('[',{parts}),REPEAT(']',{parts})))"),
    }
}

fn many_unions(rng: &mut SmallRng) -> String {
    let count = rng.random_range(2..3_000);
    let part = if rng.random() { "SELECT t FROM n" } else { "SELECT REPEAT('a',100000)" };
    let all = if rng.random() { " UNION ALL " } else { " UNION " };
    format!("SELECT COUNT(*) FROM ({}) x", vec![part; count].join(all))
}

fn groups_of_long_texts(rng: &mut SmallRng) -> String {
    let length = times(rng, 6);
    format!("SELECT COUNT(*) FROM n GROUP BY REPEAT(t, {length}) ORDER BY MAX(REPEAT(t, 100))")
}

fn windows(_: &mut SmallRng) -> String {
    "SELECT MAX(r) FROM (SELECT ROW_NUMBER() OVER (PARTITION BY a.t ORDER BY b.t) AS r, \
     SUM(a.i) OVER (ORDER BY b.i) AS s FROM n a, n b) x"
        .to_owned()
}

fn for_ever(rng: &mut SmallRng) -> String {
    match rng.random_range(0..3) {
        0 => "SELECT SLEEP(1000000)".to_owned(),
        1 => "SELECT BENCHMARK(1000000000000, MD5('a'))".to_owned(),
        _ => "SELECT COUNT(*) FROM n WHERE SLEEP(1) = 0".to_owned(),
    }
}

fn long_values_per_row(rng: &mut SmallRng) -> String {
    let length = times(rng, 8);
    match rng.random_range(0..3) {
        0 => format!("SELECT REPEAT(t, {length}) FROM n"),
        1 => format!("SELECT REPEAT('a', {length}), t FROM n ORDER BY t"),
        _ => format!("SELECT REPEAT(a.t, {length}) FROM n a JOIN n b ON a.i = b.i"),
    }
}

fn own_rows_doubled(rng: &mut SmallRng) -> String {
    match rng.random_range(0..3) {
        0 => "UPDATE own SET b = CONCAT(b, b)".to_owned(),
        1 => format!("UPDATE own SET b = REPEAT('b', {})", times(rng, 8)),
        _ => "INSERT INTO own SELECT NULL, REPEAT(a.t, 1000) FROM n a, n b".to_owned(),
    }
}
