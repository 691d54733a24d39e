//! Long queries that come again: by the plan of before, and as if there had been none.

use std::sync::Arc;

use analytic::Analytic;
use columnar::ColumnStore;
use rows::memory::MemoryStore;
use rows::{Engine, EngineOptions};
use values::datum::Datum;

use results::{ExecutionMode, Pace, RowStream};
use sql::{Reply, Session, Sql, SqlOptions};

/// A server with columnar tables.
struct House {
    sql: Arc<Sql>,
    analytic: Arc<Analytic>,
    store: ColumnStore<MemoryStore>,
}

const ROWS: usize = 3000;
const GROUPS: &str = "SELECT word, COUNT(*), SUM(n), COUNT(DISTINCT n) FROM t \
                      WHERE n > 5 GROUP BY word ORDER BY 2 DESC, 1 LIMIT 7";
const DIFFERENT: &str = "SELECT word, COUNT(DISTINCT n) FROM t GROUP BY word ORDER BY 2 DESC, 1";
const JOIN: &str = "SELECT a.word, x, y, x * 100 / y FROM \
                    (SELECT word, COUNT(*) AS x FROM t WHERE n > 20 GROUP BY word) a JOIN \
                    (SELECT word, COUNT(*) AS y FROM t GROUP BY word) b ON a.word = b.word \
                    ORDER BY 1";

impl House {
    fn new() -> House {
        let store = ColumnStore::new(MemoryStore::new(), 8 << 20);
        let engine = Engine::open(Arc::new(store.clone()), EngineOptions::default()).unwrap();
        let options = SqlOptions { memory_bytes: 256 << 20, threads: 2, ..SqlOptions::default() };
        let mut started = None;
        let sql = Sql::new(engine, &options, |engine, options| {
            let analytic = Arc::new(Analytic::new(engine, options)?);
            started = Some(Arc::clone(&analytic));
            Ok(analytic)
        })
        .unwrap();
        let analytic = started.unwrap();
        House { sql, analytic, store }
    }

    /// A session with a table `t(id, n, word)` of `ROWS` rows in segments, whose queries all go
    /// the analytic way.
    fn session(&self) -> Session {
        let mut session = Session::new(&self.sql, 1, "root", "localhost", None).unwrap();
        if !self.sql.engine().catalog().has_database("d") {
            run(&mut session, "CREATE DATABASE d");
            let columns = "id INT PRIMARY KEY, n INT, word VARCHAR(20)";
            run(&mut session, &format!("CREATE TABLE d.t ({columns}) ENGINE=COLUMNAR"));
            let row = |id: usize| format!("({id}, {}, 'word {}')", id % 50, id % 12);
            let rows: Vec<String> = (0..ROWS).map(row).collect();
            run(&mut session, &format!("INSERT INTO d.t VALUES {}", rows.join(",")));
            self.seal();
        }
        run(&mut session, "USE d");
        run(&mut session, "SET rowhouse_executor = 'columns'");
        session
    }

    fn seal(&self) {
        for _ in 0..3 {
            self.store.move_rows(self.sql.engine()).unwrap();
        }
    }

    fn kept(&self) -> usize {
        self.analytic.plans_kept()
    }
}

fn begun(session: &mut Session, text: &str) -> RowStream {
    match session.query(text.as_bytes(), ExecutionMode::POOL).unwrap().0 {
        Reply::Rows(stream) => stream,
        _ => panic!("{text} has no rows"),
    }
}

fn rest(mut stream: RowStream) -> Vec<String> {
    let mut lines = Vec::new();
    let mut take = |row: &[Datum<'_>]| {
        lines.push(format!("{row:?}"));
        Ok(Pace::More)
    };
    while stream.next(ExecutionMode::POOL, &mut take).unwrap() {}
    lines
}

fn run(session: &mut Session, text: &str) -> Vec<String> {
    match session
        .query(text.as_bytes(), ExecutionMode::POOL)
        .unwrap_or_else(|e| panic!("{text}: {e:?}"))
        .0
    {
        Reply::Rows(stream) => rest(stream),
        _ => Vec::new(),
    }
}

/// What a query answers, which is what it answers over rows.
fn answer(session: &mut Session, query: &str) -> Vec<String> {
    let answered = run(session, query);
    run(session, "SET rowhouse_executor = 'rows'");
    assert_eq!(answered, run(session, query), "{query}");
    run(session, "SET rowhouse_executor = 'columns'");
    answered
}

#[test]
fn a_plan_that_is_kept_sees_what_was_written_since() {
    let house = House::new();
    let mut session = house.session();
    for query in [GROUPS, JOIN, DIFFERENT] {
        let kept = house.kept();
        // The shape of a statement is known from its second time on, and so is its plan.
        for _ in 0..4 {
            answer(&mut session, query);
        }
        assert_eq!(house.kept(), kept + 1);
        let stream = begun(&mut session, query);
        assert_eq!(house.kept(), kept, "it is taken out while it runs");
        let before = rest(stream);
        assert_eq!(house.kept(), kept + 1);
        run(&mut session, "DELETE FROM t WHERE id % 12 = 3 AND n > 7");
        let after = answer(&mut session, query);
        assert_ne!(before, after);
        run(&mut session, "INSERT INTO t SELECT id + 100000, 49, 'word 4' FROM t WHERE id < 1500");
        let inserted = answer(&mut session, query);
        assert_ne!(inserted, after);
        house.seal();
        assert_eq!(answer(&mut session, query), inserted, "sealed since");
        run(&mut session, "DELETE FROM t");
        assert_eq!(answer(&mut session, query), Vec::<String>::new());
        let rows: Vec<String> =
            (0..ROWS).map(|id| format!("({id}, {}, 'word {}')", id % 50, id % 12)).collect();
        run(&mut session, &format!("INSERT INTO t VALUES {}", rows.join(",")));
        assert_eq!(answer(&mut session, query), before);
    }
}

#[test]
fn a_transaction_sees_its_own_writes_and_its_snapshot_whatever_is_kept() {
    let house = House::new();
    let (mut session, mut other) = (house.session(), house.session());
    for _ in 0..3 {
        answer(&mut session, GROUPS);
    }
    let before = answer(&mut session, GROUPS);
    run(&mut session, "START TRANSACTION WITH CONSISTENT SNAPSHOT");
    run(&mut other, "DELETE FROM t WHERE id % 12 = 3");
    assert_eq!(answer(&mut session, GROUPS), before, "its snapshot");
    assert_ne!(answer(&mut other, GROUPS), before);
    run(&mut session, "UPDATE t SET n = n + 1 WHERE id % 12 = 4");
    assert_ne!(answer(&mut session, GROUPS), before, "its own write");
    run(&mut session, "ROLLBACK");
    assert_eq!(answer(&mut session, GROUPS), answer(&mut other, GROUPS));
}

#[test]
fn a_query_is_planned_anew_for_what_its_plan_was_not_made_for() {
    let house = House::new();
    let mut session = house.session();
    let in_zone = "SELECT word, MAX(FROM_UNIXTIME(id)), SUM(n + @x) FROM t \
                   WHERE n > 1 GROUP BY word ORDER BY 1";
    run(&mut session, "SET @x = 1");
    for _ in 0..4 {
        answer(&mut session, in_zone);
    }
    let before = answer(&mut session, in_zone);
    run(&mut session, "SET time_zone = '+05:00'");
    let elsewhere = answer(&mut session, in_zone);
    assert_ne!(elsewhere, before, "another time zone");
    for _ in 0..3 {
        run(&mut session, "SET @x = @x + 1");
        assert_ne!(answer(&mut session, in_zone), elsewhere, "another variable");
    }
    // Literals of the same kinds have one bound query.
    for query in ["SELECT COUNT(n), SUM(n) FROM t WHERE n > -0.0e0", GROUPS] {
        for bound in ["5", "7", "5", "7", "5", "7"] {
            let query = query.replace("> 5", &format!("> {bound}"));
            answer(&mut session, &query);
        }
    }
    run(&mut session, "ALTER TABLE t ADD COLUMN extra INT DEFAULT 3");
    answer(&mut session, GROUPS);
    run(&mut session, "ALTER TABLE t MODIFY n DECIMAL(12, 3)");
    for _ in 0..3 {
        answer(&mut session, GROUPS);
    }
    run(&mut session, "ALTER TABLE t ENGINE=InnoDB");
    for _ in 0..3 {
        answer(&mut session, GROUPS);
    }
}

#[test]
fn two_sessions_run_one_statement_at_once() {
    let house = House::new();
    let mut sessions = [house.session(), house.session(), house.session()];
    let expected = run(&mut sessions[0], JOIN);
    for _ in 0..4 {
        let streams: Vec<RowStream> = sessions.iter_mut().map(|one| begun(one, JOIN)).collect();
        for stream in streams {
            assert_eq!(rest(stream), expected);
        }
    }
    // A client that leaves early leaves nothing behind.
    let kept = house.kept();
    assert!((1..=3).contains(&kept), "{kept}");
    drop(begun(&mut sessions[0], JOIN));
    assert_eq!(house.kept(), kept - 1);
    assert_eq!(run(&mut sessions[0], JOIN), expected);
}

#[test]
fn the_time_is_that_of_each_execution() {
    let house = House::new();
    let mut session = house.session();
    for condition in ["n > CAST(UNIX_TIMESTAMP() AS SIGNED) - 1000", "n + 1000 > UNIX_TIMESTAMP()"]
    {
        let query =
            format!("SELECT word, COUNT(*) FROM t WHERE {condition} GROUP BY word ORDER BY 1");
        for now in [900, 970, 1060, 1010, 1040, 1049, 990, 1048] {
            run(&mut session, &format!("SET timestamp = {now}"));
            let rows = answer(&mut session, &query);
            assert_eq!(rows.is_empty(), now - 1000 >= 49, "at {now}");
        }
    }
}

#[test]
fn what_is_known_without_a_scan_is_what_rows_say() {
    let house = House::new();
    let (mut session, mut other) = (house.session(), house.session());
    let query =
        "SELECT COUNT(*), COUNT(n), MIN(n), MAX(n), MAX(id) - MIN(id), COUNT(word) + 1 FROM t";
    let check = |session: &mut Session| {
        run(session, "SET rowhouse_executor = 'columns'");
        let scanned = run(session, query);
        run(session, "SET rowhouse_executor = 'auto'");
        assert_eq!(run(session, query), scanned);
        assert_eq!(
            run(session, &format!("SELECT * FROM ({query} HAVING COUNT(*) >= 0) q")),
            scanned
        );
        scanned
    };
    let before = check(&mut session);
    run(&mut session, "DELETE FROM t WHERE n = 49 OR id = 0");
    run(&mut session, "UPDATE t SET n = NULL WHERE n = 0");
    assert_ne!(check(&mut session), before);
    house.seal();
    let sealed = check(&mut session);
    run(&mut session, "BEGIN");
    assert_eq!(check(&mut session), sealed);
    run(&mut other, "INSERT INTO t VALUES (-5, -5, NULL), (99999, 99999, 'new')");
    assert_eq!(check(&mut session), sealed, "its snapshot");
    run(&mut session, "DELETE FROM t WHERE id > 100");
    assert_ne!(check(&mut session), sealed, "its own write");
    run(&mut session, "ROLLBACK");
    assert_eq!(check(&mut session), check(&mut other));
    run(&mut session, "SET rowhouse_executor = 'auto'");
    let plan = run(&mut session, &format!("EXPLAIN FORMAT=TREE {query}")).concat();
    let words = format!("{:?}", b"Known of t by column");
    assert!(plan.contains(words.trim_matches(['[', ']'])), "{plan}");
    run(&mut session, "DELETE FROM t");
    assert_eq!(run(&mut session, "SELECT COUNT(*), MIN(n) FROM t").len(), 1);
    check(&mut session);
}

#[test]
fn sums_beyond_a_decimal_are_its_largest_number_by_column_too() {
    let house = House::new();
    let mut session = house.session();
    run(
        &mut session,
        "CREATE TABLE m (id INT, n DECIMAL(65, 30), w DECIMAL(65, 0)) ENGINE=COLUMNAR",
    );
    let large = format!("{}.{}", "9".repeat(35), "9".repeat(30));
    let row = |id: usize| match id % 3 {
        0 => format!("({id}, {large}, {})", "9".repeat(65)),
        1 => format!("({id}, -{large}, 7)"),
        _ => format!("({id}, 12345678901234567890.25, NULL)"),
    };
    let rows: Vec<String> = (0..2000).map(row).collect();
    run(&mut session, &format!("INSERT INTO m VALUES {}", rows.join(",")));
    house.seal();
    for what in ["SUM(n)", "AVG(n)", "SUM(w)", "AVG(w)", "SUM(DISTINCT w)", "SUM(-n)", "SUM(n / 3)"]
    {
        answer(&mut session, &format!("SELECT {what} FROM m"));
        answer(&mut session, &format!("SELECT {what} FROM m WHERE id < 0"));
        answer(&mut session, &format!("SELECT id % 3, {what} FROM m GROUP BY 1 ORDER BY 1"));
    }
}
