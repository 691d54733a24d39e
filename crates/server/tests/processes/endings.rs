//! Statements of many kinds, and requests of the other doors, each ended at a random moment: by
//! KILL, by its time, or by its client that leaves. Soon afterwards no thread works for it, no
//! memory is held and no temporary file is there.
//!
//! `ROWHOUSE_ENDINGS_SECONDS` says how long it goes on (a minute if nothing does),
//! `ROWHOUSE_ENDINGS_SEED` where it begins.

use std::io::Write;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use super::session;
use crate::aftermath::{await_end, figures};
use crate::mysql::{Failure, Mysql};
use crate::support::{PATIENCE, Running, peak_mib, rest};

const MEMORY_MIB: u64 = 256;
/// How late a statement may be ended.
const MOMENT_MS_MAX: u64 = 900;
/// What connections of the test hold among the memory for clients, beyond what they held at first.
const CLIENT_BYTES_BESIDE: u64 = 256 << 10;

/// Numbers that come in the same order for the same seed.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        // Splitmix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ mixed >> 31) % limit
    }

    fn shuffle<T>(&mut self, all: &mut [T]) {
        for at in (1..all.len()).rev() {
            all.swap(at, self.below(at as u64 + 1) as usize);
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ending {
    KillQuery,
    KillConnection,
    Time,
    Leaving,
}

/// Tables `n` (5,000 rows), `m` and by column `c` (60,000).
fn fill(sql: &mut Mysql) {
    sql.query("CREATE DATABASE d").unwrap();
    let columns = "(id INT PRIMARY KEY AUTO_INCREMENT, a INT, s VARCHAR(200), j JSON, KEY (a))";
    for (table, engine) in [("n", ""), ("m", ""), ("c", "ENGINE=COLUMNAR")] {
        sql.query(&format!("CREATE TABLE d.{table} {columns} {engine}")).unwrap();
    }
    sql.query("CREATE TABLE d.one (id INT PRIMARY KEY, v INT)").unwrap();
    sql.query("INSERT INTO d.one VALUES (1, 1), (2, 2)").unwrap();
    for first in (0..5000).step_by(500) {
        let row = |id: usize| {
            format!("({}, 'some text of row {}, and more', '{{\"k\":[{id}]}}')", id % 97, id * 7919)
        };
        let rows: Vec<String> = (first..first + 500).map(row).collect();
        sql.query(&format!("INSERT INTO d.n (a, s, j) VALUES {}", rows.join(","))).unwrap();
    }
    for table in ["m", "c"] {
        let copied = "SELECT n.a, CONCAT(n.s, o.id), n.j FROM d.n n, d.n o WHERE o.id <= 12";
        sql.query(&format!("INSERT INTO d.{table} (a, s, j) {copied}")).unwrap();
    }
    sql.query("INSERT INTO tyrant.records (k, v) SELECT CONCAT('key', id), s FROM d.m").unwrap();
}

/// Statements that take long: what they do, by operator and by family of functions.
fn statements() -> Vec<String> {
    let fixed = [
        // Groups that go to files, over joins that give more rows than they take.
        "SELECT COUNT(DISTINCT a.s, b.s) FROM n a, n b",
        "SELECT DISTINCT a.id, b.id, c.id FROM n a, n b, n c ORDER BY 1 DESC, 2, 3 LIMIT 5",
        "SELECT a.s, b.s, COUNT(*) FROM n a, n b GROUP BY 1, 2 ORDER BY 3",
        "SELECT ANY_VALUE(a.s), b.s FROM n a, n b GROUP BY b.s, a.id",
        "SELECT a.a, b.s, COUNT(DISTINCT a.s) FROM n a, n b GROUP BY 1, 2 WITH ROLLUP",
        "SELECT GROUP_CONCAT(a.s ORDER BY b.s) FROM n a, n b GROUP BY a.a",
        "SELECT JSON_ARRAYAGG(a.s) FROM n a, n b GROUP BY a.id, b.a",
        "SELECT a.a, STDDEV(a.id * b.id), BIT_XOR(b.id), AVG(a.id) FROM n a, n b, n c GROUP BY 1",
        // Joins.
        "SELECT COUNT(*) FROM n a, n b, n c, n d WHERE a.s < b.s",
        "SELECT COUNT(*) FROM n a, n b, n c, n d",
        "SELECT SUM(a.id * b.id + c.id) FROM n a JOIN n b ON a.a = b.a JOIN n c ON b.a = c.a JOIN n d ON d.a = c.a",
        "SELECT COUNT(*) FROM m a LEFT JOIN m b ON a.a = b.a AND a.s > b.s",
        "SELECT COUNT(*) FROM m a LEFT JOIN m b ON a.s < b.s",
        "SELECT COUNT(*) FROM m a WHERE EXISTS (SELECT 1 FROM m b WHERE b.s > a.s AND b.id < a.id - 70000)",
        "SELECT COUNT(*) FROM m a WHERE NOT EXISTS (SELECT 1 FROM m b WHERE b.a = a.a AND b.s = CONCAT(a.s, 'x'))",
        "SELECT COUNT(*) FROM n a, n b WHERE (a.id, b.id) IN (SELECT c.id, d.id FROM n c, n d WHERE c.a = d.a)",
        "SELECT COUNT(*) FROM n a, n b WHERE a.id + b.id NOT IN (SELECT c.id * d.id FROM n c, n d)",
        "SELECT a.id, (SELECT MAX(b.s) FROM m b WHERE b.s < a.s) FROM m a",
        "SELECT a.s, b.s, c.s FROM n a, n b, n c WHERE a.id <> b.id",
        "SELECT COUNT(*) FROM (SELECT a.id i, b.s t FROM n a, n b) x JOIN (SELECT c.s t FROM n c, n d) y USING (t)",
        // Members, more than fit into memory.
        "SELECT COUNT(*) FROM m a WHERE a.s NOT IN (SELECT CONCAT(c.s, d.s) FROM n c, n d)",
        "SELECT SUM(a.s NOT IN (SELECT CONCAT(c.s, d.s) FROM n c, n d)) FROM m a",
        "SELECT SUM((a.s, a.id) IN (SELECT CONCAT(c.s, d.s), d.id FROM n c, n d)) FROM m a",
        "DELETE FROM m WHERE s NOT IN (SELECT CONCAT(c.s, d.s) FROM n c, n d)",
        // Sorts.
        "SELECT a.s, b.s FROM n a, n b ORDER BY b.s, a.s",
        "SELECT a.s, b.s FROM n a, n b ORDER BY b.s, a.s LIMIT 1000000, 3",
        "SELECT a.id FROM n a, n b, n c ORDER BY a.id * b.id % 977, c.id LIMIT 10",
        // Windows.
        "SELECT SUM(i) FROM (SELECT ROW_NUMBER() OVER (PARTITION BY a.a ORDER BY b.s) i FROM n a, n b) x",
        "SELECT MAX(i) FROM (SELECT SUM(a.id) OVER (PARTITION BY a.a) i FROM n a, n b) x",
        "SELECT MAX(i) FROM (SELECT LAG(b.s, 3) OVER (ORDER BY a.s, b.s) i FROM n a, n b) x",
        "SELECT MAX(i) FROM (SELECT SUM(a.id) OVER (ORDER BY b.s ROWS 1000 PRECEDING) i FROM n a, n b) x",
        "SELECT MAX(i) FROM (SELECT MIN(a.id) OVER (ORDER BY a.a) i FROM n a, n b) x",
        "SELECT MAX(i) FROM (SELECT MAX(b.s) OVER (ORDER BY a.id, b.id ROWS BETWEEN 400000 PRECEDING AND 400000 FOLLOWING) i FROM n a, n b) x",
        "SELECT MAX(i) FROM (SELECT SUM(a.id) OVER (PARTITION BY a.a ORDER BY b.id RANGE BETWEEN 1000 PRECEDING AND 1000 FOLLOWING) i FROM n a, n b) x",
        "SELECT MAX(i) FROM (SELECT LAST_VALUE(b.s) OVER (ORDER BY b.s RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) i FROM m a, n b) x",
        "SELECT MAX(i) FROM (SELECT ROW_NUMBER() OVER w + STDDEV(a.id) OVER (w ROWS BETWEEN 10 PRECEDING AND 10 FOLLOWING) i FROM n a, n b WINDOW w AS (ORDER BY b.s)) x",
        "SELECT DISTINCT NTILE(7) OVER (ORDER BY b.s), a.s FROM n a, n b LIMIT 3",
        // Sets.
        "SELECT a.s, b.s FROM n a, n b UNION SELECT b.s, a.s FROM n a, n b",
        "SELECT a.s, b.id FROM n a, n b INTERSECT SELECT b.s, a.id FROM n a, n b",
        "SELECT a.s, b.id FROM n a, n b EXCEPT SELECT b.s, a.id FROM n a, n b WHERE a.id < 2500",
        "SELECT COUNT(*) FROM (SELECT a.id FROM n a, n b, n c UNION ALL SELECT b.id FROM n a, n b, n c) x",
        "WITH RECURSIVE r (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 100000000) SELECT COUNT(*) FROM r",
        "WITH RECURSIVE r (i) AS (SELECT 1 UNION SELECT (i * 7 + n.id) % 100000007 FROM r, n) SELECT COUNT(*) FROM r",
        // Tables by column.
        "SELECT COUNT(DISTINCT a.s, b.s) FROM c a, c b",
        "SELECT a.a, COUNT(*), MAX(b.s) FROM c a JOIN c b ON a.a = b.a GROUP BY a.a",
        "SELECT a.s, COUNT(*) FROM c a, n b GROUP BY 1 ORDER BY 2, 1",
        // Other statements.
        "EXPLAIN ANALYZE SELECT COUNT(*) FROM n a, n b, n c, n d WHERE a.s < b.s",
        "INSERT INTO m (a, s) SELECT a.a, CONCAT(a.s, b.s) FROM n a, n b",
        "INSERT INTO c (a, s) SELECT a.a, CONCAT(a.s, b.s) FROM n a, n b",
        "CREATE TABLE made AS SELECT a.a, CONCAT(a.s, b.s) s FROM n a, n b",
        "UPDATE m SET s = CONCAT(s, (SELECT MAX(b.s) FROM n b WHERE b.s < m.s AND b.s LIKE '%9%e%r%x'))",
        "DELETE FROM m WHERE s IN (SELECT CONCAT(a.s, b.s) FROM n a, n b)",
        "UPDATE m JOIN n ON m.a = n.a JOIN n o ON o.a = n.a SET m.a = m.a + 1",
        "ALTER TABLE m ADD KEY (s), ADD COLUMN extra VARCHAR(100) DEFAULT (REPEAT('x', 90))",
        "CHECK TABLE m, c",
        "DO SLEEP(100)",
        "SELECT SLEEP(1) FROM n",
        "SELECT GET_LOCK('held', 100)",
        "UPDATE one SET v = 3 WHERE id = 1",
        "SELECT * FROM one WHERE id = 1 FOR UPDATE",
        "ALTER TABLE one ADD COLUMN w INT",
        "SELECT BENCHMARK(1000000000, SHA2('text', 512))",
        "SELECT BENCHMARK(1000000000, REGEXP_REPLACE('some text', '[aeiou]', 'x'))",
        "SELECT LENGTH(REPLACE(REPEAT('a', 3000000), 'a', 'bc')) FROM n, m",
        "SELECT REPEAT('ab', 3000000) LIKE '%a%a%a%a%a%a%a%a%c' FROM n",
        "SELECT REGEXP_LIKE(REPEAT('a', 1000000), '(a|aa|aaa)*b(a|b)*c') FROM n, m",
        // One search of one text, each of whose bytes makes another state of the pattern.
        "SELECT REGEXP_LIKE((SELECT JSON_ARRAYAGG(SHA2(id, 512)) FROM n), '[0-7][0-9a-f\", ]{2000}z')",
        "SELECT REGEXP_REPLACE((SELECT JSON_ARRAYAGG(SHA2(id, 512)) FROM n), '([0-7])[0-9a-f\", ]{2000}z', '$1')",
    ];
    // Functions of each family, for each pair of rows.
    let functions = [
        "a.s LIKE CONCAT('%', b.a, '%e%w%')",
        "REGEXP_LIKE(a.s, CONCAT('(x|', b.a, ')+.*q'))",
        "LOCATE('zz', CONCAT(a.s, b.s)) > 0",
        "SHA2(CONCAT(a.s, b.s), 256) = 'x'",
        "HEX(AES_ENCRYPT(a.s, b.s)) = 'x'",
        "FROM_BASE64(TO_BASE64(CONCAT(a.s, b.s))) = 'x'",
        "UNCOMPRESS(COMPRESS(CONCAT(a.s, b.s))) = 'x'",
        "JSON_EXTRACT(JSON_ARRAY(a.j, b.j), '$[1].k[0]') = -1",
        "JSON_CONTAINS(a.j, b.j, '$.k')",
        "JSON_SEARCH(JSON_OBJECT('x', a.s, 'y', b.s), 'all', '%zz%') IS NOT NULL",
        "DATE_FORMAT(DATE_ADD('2020-01-01', INTERVAL a.id + b.id MINUTE), '%W %M %Y %T') = 'x'",
        "STR_TO_DATE(CONCAT(2000 + a.a, '-', 1 + b.a % 12, '-01'), '%Y-%m-%d') = '1999-01-01'",
        "CONVERT_TZ(FROM_UNIXTIME(a.id * b.id), '+00:00', '+05:30') < '1900-01-01'",
        "POW(a.id, 0.5) * SIN(b.id) * LN(1 + a.a) > 1e9",
        "CAST(a.id AS DECIMAL(30, 10)) / (b.id + 1) * 1.234567890123 < 0",
        "FORMAT(a.id * b.id, 2) = CONV(a.id, 10, 36)",
        "SOUNDEX(a.s) = REVERSE(b.s) OR STRCMP(LPAD(a.s, 90, b.s), RPAD(b.s, 90, a.s)) > 1",
        "UUID() = a.s OR RAND() > 2 OR MD5(RANDOM_BYTES(8)) = b.s",
        "INET6_NTOA(INET6_ATON(CONCAT('::', a.a, ':', b.a))) = 'x'",
        "FIND_IN_SET(a.a, CONCAT_WS(',', b.id, b.a, b.s)) > 9 OR ELT(a.a, b.s, a.s) = 'x'",
        "a.s COLLATE utf8mb4_unicode_ci = CONCAT(b.s, ' ') OR WEIGHT_STRING(a.s) = b.s",
        "BIT_COUNT(a.id ^ b.id) > 99 OR CRC32(a.s) = b.id + 0.5",
    ];
    let of_function = |function: &&str| format!("SELECT COUNT(*) FROM m a, m b WHERE {function}");
    fixed.iter().map(|text| (*text).to_owned()).chain(functions.iter().map(of_function)).collect()
}

/// Requests of the other doors.
fn requests() -> Vec<(&'static str, Vec<u8>)> {
    let misc = |name: &str, arguments: &[&str]| {
        let lengths = [name.len() as u32, 0, arguments.len() as u32].map(u32::to_be_bytes);
        let mut request = [&[0xc8, 0x90], lengths.as_flattened(), name.as_bytes()].concat();
        for argument in arguments {
            request.extend((argument.len() as u32).to_be_bytes());
            request.extend(argument.as_bytes());
        }
        request
    };
    let ext = |name: &str| {
        let lengths = [name.len() as u32, 0, 0, 0].map(u32::to_be_bytes);
        [&[0xc8, 0x68], lengths.as_flattened(), name.as_bytes()].concat()
    };
    let find = b"P\t1\td\tm\tPRIMARY\tid,s\ts\n1\t>\t1\t0\t1000000\t0\tF\t=\t0\tnothing\n".to_vec();
    vec![
        ("tyrant", ext("loops")),
        ("tyrant", ext("collects")),
        ("tyrant", misc("regex", &["(x|y)*z.*q"])),
        ("tyrant", misc("search", &["addcond", "v", "nothing"])),
        ("handlersocket", find),
        ("memcached", b"lru_crawler metadump all\r\n".to_vec()),
    ]
}

fn moment(random: &mut Random) -> Duration {
    // Early ones as often as late ones.
    let limit = 1 + random.below(MOMENT_MS_MAX);
    Duration::from_millis(1 + random.below(limit))
}

/// Runs a statement and ends it; whether it had not ended by itself.
fn end_statement(
    server: &Running,
    watcher: &mut Mysql,
    text: &str,
    ending: Ending,
    moment: Duration,
) -> bool {
    let mut client = session(server);
    client.query("USE d").unwrap();
    client.query("SET cte_max_recursion_depth = 4294967295").unwrap();
    let id = client.query("SELECT CONNECTION_ID()").unwrap()[0][0].clone().unwrap();
    if ending == Ending::Time {
        let seconds = moment.as_secs_f64();
        client.query(&format!("SET max_statement_time = {seconds:.3}")).unwrap();
    }
    client.send_query(text).unwrap();
    let since = Instant::now();
    while ending != Ending::Time && since.elapsed() < moment {
        rest();
    }
    match ending {
        Ending::KillQuery => drop(watcher.query(&format!("KILL QUERY {id}")).unwrap()),
        Ending::KillConnection => drop(watcher.query(&format!("KILL {id}")).unwrap()),
        Ending::Time => {}
        Ending::Leaving => return true,
    }
    match client.result() {
        Ok(_) => false,
        Err(Failure::Gone(_)) => true,
        // Also for want of memory, or of the lock that another statement of the test holds, or
        // because it came to its end another time.
        Err(Failure::Error { number: 1317 | 1969 | 3024, .. }) => true,
        Err(Failure::Error { number: 1021 | 1038 | 1041 | 1060 | 1061 | 1205, .. }) => false,
        Err(other) => panic!("{text} ({ending:?} after {moment:?}): {other}"),
    }
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn statements_that_were_ended_went_on_with_their_work_memory_and_files() {
    let directory = tempfile::tempdir().unwrap();
    let script = directory.path().join("script.lua");
    let functions = "function loops() while true do end end
        function collects() local all = {} while true do all[#all + 1] = {#all} end end";
    std::fs::write(&script, functions).unwrap();
    let memory = format!("--memory={MEMORY_MIB}MiB");
    let script = format!("--tyrant-lua={}", script.display());
    let flags = [&memory, "--durability=os", &script];
    let server = Running::start(&directory.path().join("data"), &flags);
    let mut watcher = session(&server);
    fill(&mut watcher);
    let mut holder = session(&server);
    holder.query("BEGIN").unwrap();
    holder.query("SELECT * FROM d.one FOR UPDATE").unwrap();
    holder.query("SELECT GET_LOCK('held', 0)").unwrap();
    let client_bytes = figures(&server.data_dir)["client_memory_bytes"] + CLIENT_BYTES_BESIDE;

    let mut random = Random(setting("ROWHOUSE_ENDINGS_SEED", 35));
    let until = Instant::now() + Duration::from_secs(setting("ROWHOUSE_ENDINGS_SECONDS", 60));
    let (statements, requests) = (statements(), requests());
    let (mut ended, mut longest) = (0, (Duration::ZERO, String::new()));
    let mut late_ends = Vec::new();
    'all: loop {
        let mut order: Vec<usize> = (0..statements.len() + requests.len()).collect();
        random.shuffle(&mut order);
        for at in order {
            if Instant::now() >= until {
                break 'all;
            }
            let moment = moment(&mut random);
            let what = match statements.get(at) {
                Some(text) => {
                    use Ending::{KillConnection, KillQuery, Leaving, Time};
                    let endings = [KillQuery, KillConnection, Time, Time, Leaving, Leaving];
                    let ending = endings[random.below(endings.len() as u64) as usize];
                    let was = end_statement(&server, &mut watcher, text, ending, moment);
                    ended += usize::from(was);
                    format!("{text} ({ending:?} after {moment:?})")
                }
                None => {
                    let (door, request) = &requests[at - statements.len()];
                    let mut client: TcpStream = server.connect(door);
                    client.write_all(request).unwrap();
                    let since = Instant::now();
                    while since.elapsed() < moment {
                        rest();
                    }
                    drop(client);
                    let request = String::from_utf8_lossy(request);
                    format!("{door}: {} (left after {moment:?})", request.escape_debug())
                }
            };
            let (took, late) = await_end(&server, &mut watcher, client_bytes);
            eprintln!("{took:?} {what}");
            late_ends.extend(late.map(|late| format!("{what}: {late}")));
            if took > longest.0 {
                longest = (took, what);
            }
            if took > PATIENCE {
                break 'all;
            }
            watcher.query("DROP TABLE IF EXISTS d.made").unwrap();
        }
    }
    eprintln!("{ended} ended; the longest end took {:?}: {}", longest.0, longest.1);
    assert!(late_ends.is_empty(), "{}", late_ends.join("\n"));
    assert!(ended > 0);
    let peak = peak_mib(&server);
    assert!(peak <= MEMORY_MIB * 11 / 10, "{peak} MiB resident, {MEMORY_MIB} allowed");
    assert!(!server.log().contains("panicked"), "{}", server.log());
}
