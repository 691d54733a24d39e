//! Statements by digest: those of a database that differ in their literals alone are counted
//! together, with how long they took.
//!
//! Invariants
//! 1. Noting a statement writes to memory of the thread's own line alone; what several threads have
//!    noted is added up when it is asked for.
//! 2. There are at most so many digests as the server's memory allows; what comes later is counted
//!    as one that has no text, as MySQL does.
//! 3. A shape's text is made when a thread meets it for the first time; shapes of one text (`a = 1`
//!    and `a = -1`) are one digest.
//!
//! Requests by key at the other doors are digests, too (`key_requests`).
//!
//! Not here: how a statement's shape is found (`syntax::scan`), its words as a digest
//! (`syntax::digest`).

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::{Mutex, RwLock};
use resources::counter::{LINES, line};
use sha2::{Digest, Sha256};
use syntax::digest::digest_text;
use values::SqlMode;

use super::history::EndedStatement;
use super::key_requests::{AnsweredRequests, KeyRequest};
use super::statement_sums::StatementSum;

/// Digests there may be, and memory that each is thought to take, with its text and a sample.
const DIGESTS_MAX: usize = 10_000;
const DIGESTS_MIN: usize = 100;
const DIGEST_BYTES: usize = 4 << 10;
/// The part of the clients' memory that they may take.
const MEMORY_PART: usize = 64;
/// Longest sample that is kept (`performance_schema_max_sql_text_length`).
const TEXT_BYTES_MAX: usize = 1024;
/// Shapes whose digests each line of threads remembers; behind them it begins again.
const SHAPES_MAX: usize = 4096;
/// Bounds of the times are powers of the square root of 2, of microseconds.
const BUCKETS: usize = 64;
/// The digest of what has no room of its own.
const OTHERS: u64 = 0;

/// What statements of one digest took.
#[derive(Clone, Debug)]
pub struct DigestSum {
    /// What is counted of all statements.
    pub statements: StatementSum,
    /// When the first one ended, microseconds since the epoch.
    pub first_seen: u64,
    /// When the last one ended.
    pub last_seen: u64,
    /// The slowest, with its literals.
    pub sample: Option<StatementSample>,
    buckets: [u32; BUCKETS],
}

/// A statement as it was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatementSample {
    /// The beginning of its text.
    pub text: String,
    /// When it ended, microseconds since the epoch.
    pub seen: u64,
    /// How long it took.
    pub micros: u64,
}

impl Default for DigestSum {
    fn default() -> DigestSum {
        DigestSum {
            statements: StatementSum::default(),
            first_seen: u64::MAX,
            last_seen: 0,
            sample: None,
            buckets: [0; BUCKETS],
        }
    }
}

/// The bucket of a time: two for each power of 2.
fn bucket_of(micros: u64) -> usize {
    let Some(power) = micros.checked_ilog2() else { return 0 };
    // Squared it is compared with half of the next power.
    let above = u128::from(micros).pow(2) >= 1 << (2 * power + 1);
    (2 * power as usize + usize::from(above)).min(BUCKETS - 1)
}

/// The largest time of a bucket, about.
fn bound_of(bucket: usize) -> u64 {
    2f64.powf((bucket + 1) as f64 / 2.0) as u64
}

impl DigestSum {
    fn note(&mut self, ended: &EndedStatement<'_>) {
        let micros = ended.took.as_micros() as u64;
        // A second as slow as the sample is none.
        if self.sample.as_ref().is_none_or(|sample| micros > 2 * sample.micros) {
            let text = &ended.text[..ended.text.len().min(TEXT_BYTES_MAX)];
            let text = String::from_utf8_lossy(text).into_owned();
            self.sample = Some(StatementSample { text, seen: ended.now, micros });
        }
        self.statements.note(&ended.outcome, micros);
        self.first_seen = self.first_seen.min(ended.now);
        self.last_seen = self.last_seen.max(ended.now);
        let bucket = &mut self.buckets[bucket_of(micros)];
        *bucket = bucket.saturating_add(1);
    }

    fn note_requests(&mut self, answered: &AnsweredRequests) {
        let (count, each) = (answered.count, answered.each.as_micros() as u64);
        self.statements.add(&StatementSum {
            count,
            micros: (answered.each * u32::try_from(count).unwrap_or(u32::MAX)).as_micros() as u64,
            micros_min: each,
            micros_max: each,
            errors: answered.denied,
            ..StatementSum::default()
        });
        self.first_seen = self.first_seen.min(answered.now);
        self.last_seen = self.last_seen.max(answered.now);
        let bucket = &mut self.buckets[bucket_of(each)];
        *bucket = bucket.saturating_add(u32::try_from(count).unwrap_or(u32::MAX));
    }

    /// With others.
    pub fn add(&mut self, other: &DigestSum) {
        self.statements.add(&other.statements);
        self.first_seen = self.first_seen.min(other.first_seen);
        self.last_seen = self.last_seen.max(other.last_seen);
        let micros = |sum: &DigestSum| sum.sample.as_ref().map(|sample| sample.micros);
        if micros(other) > micros(self) {
            self.sample.clone_from(&other.sample);
        }
        for (sum, each) in self.buckets.iter_mut().zip(other.buckets) {
            *sum = sum.saturating_add(each);
        }
    }

    /// How many took how long: for each bucket its largest time in microseconds, and its number.
    pub fn buckets(&self) -> impl Iterator<Item = (u64, u64)> {
        let count = |(bucket, count): (usize, &u32)| (bound_of(bucket), u64::from(*count));
        self.buckets.iter().enumerate().map(count)
    }

    /// A time in microseconds that this part of the statements did not exceed, but for the width
    /// of a bucket, and that is none that none of them took.
    pub fn quantile_micros(&self, part: f64) -> u64 {
        let all: u64 = self.buckets.iter().map(|count| u64::from(*count)).sum();
        let wanted = (all as f64 * part).ceil() as u64;
        let mut seen = 0;
        for (bucket, count) in self.buckets.iter().enumerate() {
            seen += u64::from(*count);
            if seen >= wanted && seen > 0 {
                let StatementSum { micros_min, micros_max, .. } = self.statements;
                return bound_of(bucket).clamp(micros_min, micros_max);
            }
        }
        0
    }
}

/// Statements of one digest, as a line of the list.
#[derive(Clone, Debug)]
pub struct DigestLine {
    /// The database that was current.
    pub schema: Option<String>,
    /// SHA-256 of the text, in hexadecimal digits.
    pub digest: String,
    /// The statement without literals.
    pub text: String,
    /// What they took.
    pub sum: DigestSum,
}

/// What a statement is known by before it has a digest.
#[derive(Clone, Copy, Debug)]
pub struct StatementShape<'a> {
    /// Its text without literals.
    pub shape: &'a [u8],
    /// Whether rows of VALUES are not repeated in the shape.
    pub has_more_rows: bool,
    /// Its text.
    pub text: &'a [u8],
    /// sql_mode, which says what is quoted in it.
    pub mode: SqlMode,
}

#[derive(Debug)]
struct DigestName {
    schema: Option<String>,
    text: String,
}

/// What the threads of a line have noted.
#[derive(Debug, Default)]
struct DigestLines {
    sums: HashMap<u64, DigestSum, foldhash::fast::RandomState>,
    /// Digests by their shapes' hashes.
    shapes: HashMap<u64, u64, foldhash::fast::RandomState>,
}

/// Statements by digest.
#[derive(Debug)]
pub struct StatementDigests {
    digests_max: usize,
    hasher: foldhash::fast::RandomState,
    /// How often all were forgotten: a statement that was under way meanwhile has a digest of
    /// before, and no name.
    forgotten: AtomicU64,
    names: RwLock<HashMap<u64, DigestName>>,
    noted: [Mutex<DigestLines>; LINES],
}

impl StatementDigests {
    /// None, in a part of the clients' memory.
    pub fn within(memory_bytes: usize) -> StatementDigests {
        let digests_max = memory_bytes / MEMORY_PART / DIGEST_BYTES;
        StatementDigests {
            digests_max: digests_max.clamp(DIGESTS_MIN, DIGESTS_MAX),
            hasher: foldhash::fast::RandomState::default(),
            forgotten: AtomicU64::new(0),
            names: RwLock::default(),
            noted: Default::default(),
        }
    }

    /// The digest of a statement in a database, which has a name from now on if there is room.
    pub fn of(&self, schema: Option<&str>, of: &StatementShape<'_>) -> u64 {
        let generation = self.generation();
        let hash = |text: &[u8], is_shape: bool| {
            let mut hasher = self.hasher.build_hasher();
            hasher.write_u64(generation);
            schema.hash(&mut hasher);
            hasher.write_u8(u8::from(is_shape) + u8::from(is_shape && of.has_more_rows));
            hasher.write(text);
            hasher.finish()
        };
        let shape = hash(of.shape, true);
        if let Some(digest) = self.noted[line()].lock().shapes.get(&shape) {
            return *digest;
        }
        let text = digest_text(of.text, of.mode);
        let digest = hash(text.as_bytes(), false);
        let digest = self.named(digest, || (schema.map(str::to_string), text));
        let shapes = &mut self.noted[line()].lock().shapes;
        if shapes.len() >= SHAPES_MAX {
            shapes.clear();
        }
        shapes.insert(shape, digest);
        digest
    }

    /// The digest of a kind of requests by key; `name` is asked for the first time.
    pub fn of_requests(
        &self,
        kind: &KeyRequest,
        name: impl FnOnce() -> (Option<String>, String),
    ) -> u64 {
        let mut hasher = self.hasher.build_hasher();
        hasher.write_u64(self.generation());
        kind.hash(&mut hasher);
        self.named(hasher.finish(), name)
    }

    /// How often all were forgotten.
    #[inline]
    pub fn generation(&self) -> u64 {
        self.forgotten.load(Ordering::Relaxed)
    }

    /// A digest by its hash, which has a name from now on if there is room for it.
    fn named(&self, hash: u64, name: impl FnOnce() -> (Option<String>, String)) -> u64 {
        let digest = hash.max(OTHERS + 1);
        // What the thread has noted has a name.
        if self.noted[line()].lock().sums.contains_key(&digest) {
            return digest;
        }
        let known = |names: &HashMap<u64, DigestName>| match names.contains_key(&digest) {
            true => Some(digest),
            false => (names.len() >= self.digests_max).then_some(OTHERS),
        };
        // With no room left that is all that a statement does.
        if let Some(known) = known(&self.names.read()) {
            return known;
        }
        let (schema, text) = name();
        let mut names = self.names.write();
        known(&names).unwrap_or_else(|| {
            names.insert(digest, DigestName { schema, text });
            digest
        })
    }

    /// A statement has ended.
    pub fn note(&self, ended: &EndedStatement<'_>) {
        self.noted[line()].lock().sums.entry(ended.kind.digest).or_default().note(ended);
    }

    /// Requests by key were answered.
    pub fn note_requests(&self, answered: &AnsweredRequests) {
        self.noted[line()].lock().sums.entry(answered.digest).or_default().note_requests(answered);
    }

    /// About how much memory they take.
    pub fn memory_bytes(&self) -> usize {
        self.names.read().len() * DIGEST_BYTES
    }

    /// Forgets all of them.
    pub fn forget(&self) {
        let mut names = self.names.write();
        self.forgotten.fetch_add(1, Ordering::Relaxed);
        names.clear();
        self.noted.iter().for_each(|line| *line.lock() = DigestLines::default());
    }

    /// A digest's hexadecimal digits and words, if it has a name.
    pub fn name_of(&self, digest: u64) -> Option<(String, String)> {
        let names = self.names.read();
        let name = names.get(&digest)?;
        Some((digest_of_text(&name.text), name.text.clone()))
    }

    /// All that were noted; those whose words are the same are one.
    pub fn lines(&self) -> Vec<DigestLine> {
        let mut sums: HashMap<u64, DigestSum> = HashMap::new();
        for line in &self.noted {
            for (digest, sum) in &line.lock().sums {
                sums.entry(*digest).or_default().add(sum);
            }
        }
        let names = self.names.read();
        let mut lines: HashMap<(Option<&str>, &str), DigestSum> = HashMap::new();
        for (digest, sum) in &sums {
            let name = names.get(digest).map(|name| (name.schema.as_deref(), name.text.as_str()));
            lines.entry(name.unwrap_or((None, ""))).or_default().add(sum);
        }
        let line = |((schema, text), sum): ((Option<&str>, &str), DigestSum)| DigestLine {
            schema: schema.map(str::to_string),
            digest: digest_of_text(text),
            text: text.to_string(),
            sum,
        };
        lines.into_iter().map(line).collect()
    }
}

/// The digest of a text: its SHA-256 in hexadecimal digits.
pub(super) fn digest_of_text(text: &str) -> String {
    String::from_utf8_lossy(&values::codes::write_hex(&Sha256::digest(text), false)).into_owned()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::history::{StatementKind, StatementOutcome, TableWatch};
    use super::super::slow_log::SlowRule;
    use super::*;

    fn ended(digest: u64, micros: u64, text: &str) -> EndedStatement<'_> {
        EndedStatement {
            kind: StatementKind {
                digest,
                slow: SlowRule::NEVER,
                class: access::audit::AuditClass::Statements,
                table_watch: TableWatch::Unknown,
            },
            outcome: StatementOutcome { sent: 2, ..StatementOutcome::default() },
            took: Duration::from_micros(micros),
            executed: b"",
            plan: "",
            text: text.as_bytes(),
            now: micros,
            connection: 1,
            of: ("root", "localhost", None),
        }
    }

    /// A statement whose shape has these words.
    fn of(text: &[u8]) -> StatementShape<'_> {
        StatementShape { shape: text, has_more_rows: false, text, mode: SqlMode::default() }
    }

    #[test]
    fn shapes_of_one_text_are_one_digest_and_rows_behind_the_first_are_told() {
        let digests = StatementDigests::within(1 << 30);
        let digest = digests.of(None, &of(b"select 1, a from t where b = 5"));
        assert_eq!(digests.of(None, &of(b"select 2, a from t where b = -5")), digest);
        let insert = of(b"insert into t values (?)");
        let more = StatementShape {
            has_more_rows: true,
            text: b"insert into t values (1), (2)",
            ..insert
        };
        let name = |digest| digests.name_of(digest).unwrap().1;
        assert_eq!(name(digests.of(None, &insert)), "INSERT INTO `t` VALUES (?)");
        assert_eq!(name(digests.of(None, &more)), "INSERT INTO `t` VALUES (?) /* , ... */");
        for number in 0..2 * SHAPES_MAX {
            digests.of(None, &of(format!("select {number}, a from t where b = 5").as_bytes()));
        }
        assert_eq!(digests.of(None, &of(b"select 3, a from t where b = 5")), digest);
        assert_eq!(digests.names.read().len(), 3);
    }

    #[test]
    fn statements_of_several_threads_and_of_words_in_either_case_are_one_line() {
        let digests = StatementDigests::within(1 << 30);
        let shapes: [&[u8]; 2] = [b"select a from t where b = ?", b"SELECT a FROM t WHERE b=?"];
        std::thread::scope(|scope| {
            for shape in shapes {
                let digests = &digests;
                scope.spawn(move || {
                    let digest = digests.of(Some("d"), &of(shape));
                    (1..=100).for_each(|micros| digests.note(&ended(digest, micros, "x")));
                });
            }
        });
        let lines = digests.lines();
        let [line] = &lines[..] else { panic!("one line, not {lines:?}") };
        assert_eq!(line.text, "SELECT `a` FROM `t` WHERE `b` = ?");
        assert_eq!((line.schema.as_deref(), line.digest.len()), (Some("d"), 64));
        let (sum, all) = (&line.sum, &line.sum.statements);
        assert_eq!((all.count, all.micros, all.sent), (200, 10_100, 400));
        assert_eq!((all.micros_min, all.micros_max), (1, 100));
        assert_eq!(sum.buckets().map(|(_, count)| count).sum::<u64>(), 200);
        assert_eq!((sum.first_seen, sum.last_seen), (1, 100));
        assert!((90..=100).contains(&sum.quantile_micros(0.95)), "{}", sum.quantile_micros(0.95));
        digests.forget();
        assert!(digests.lines().is_empty());
    }

    #[test]
    fn what_was_under_way_while_all_were_forgotten_has_no_name_and_takes_none_from_the_next() {
        let digests = StatementDigests::within(1 << 30);
        let before = digests.of(None, &of(b"SELECT a"));
        digests.forget();
        digests.note(&ended(before, 1, "SELECT a"));
        digests.note(&ended(digests.of(None, &of(b"SELECT a")), 2, "SELECT a"));
        let mut texts: Vec<_> = digests
            .lines()
            .into_iter()
            .map(|line| (line.text, line.sum.statements.micros))
            .collect();
        texts.sort();
        assert_eq!(texts, [(String::new(), 1), ("SELECT `a`".to_string(), 2)]);
    }

    #[test]
    fn what_has_no_room_is_counted_as_one_without_a_name() {
        let digests = StatementDigests::within(0);
        for number in 0..DIGESTS_MIN + 5 {
            let digest = digests.of(None, &of(format!("SELECT c{number}").as_bytes()));
            digests.note(&ended(digest, 10, "x"));
        }
        let lines = digests.lines();
        assert_eq!(lines.len(), DIGESTS_MIN + 1);
        let others =
            lines.iter().find(|line| line.text.is_empty()).map(|line| line.sum.statements.count);
        assert_eq!(others, Some(5));
    }

    #[test]
    fn a_time_is_within_its_bucket() {
        for micros in [0, 1, 2, 3, 5, 7, 100, 1448, 1449, 1_000_000, u64::MAX] {
            let bucket = bucket_of(micros);
            assert!(bucket == BUCKETS - 1 || micros <= bound_of(bucket) + 1, "{micros}");
            assert!(bucket == 0 || micros >= bound_of(bucket - 1) - 1, "{micros}");
        }
    }
}
