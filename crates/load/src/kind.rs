//! What a statement of a dump is to the loader, told by its first words.
//!
//! Invariants
//! 1. What is not known here goes to the server, whose word counts.
//!
//! Not here: where statements begin and end (`split`), what is done with them (`loading`).

/// What the loader does with a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Writes rows: may share a transaction with the ones around it.
    Rows,
    /// Goes to the server alone.
    Alone,
    /// SET: a variable that the server does not know is no reason to stop.
    Set,
    /// SET NAMES of this character set.
    Names(String),
    /// Has no meaning for a load: locks, keys switched off, the file's own transactions.
    Needless,
    /// Makes an account or a role (`user`, and its name), or grants something.
    Account(&'static str, String),
    /// Is not carried out, and told: what it makes (`trigger`), and its name.
    Skipped(&'static str, String),
}

/// The table of a statement that does nothing but add rows of VALUES, as it is written there:
/// `INSERT INTO name VALUES` and `INSERT INTO name (`. Those of one table may be one load.
pub fn added_to(text: &[u8]) -> Option<&[u8]> {
    fn behind<'a>(text: &'a [u8], word: &[u8]) -> Option<&'a [u8]> {
        let (front, rest) = text.split_at_checked(word.len())?;
        let ends = rest.first().is_some_and(|byte| byte.is_ascii_whitespace() || *byte == b'(');
        (front.eq_ignore_ascii_case(word) && ends).then(|| rest.trim_ascii_start())
    }
    let name = behind(behind(text, b"INSERT")?, b"INTO")?;
    let mut quoted = false;
    let end = name.iter().position(|byte| {
        quoted ^= *byte == b'`';
        !quoted && (byte.is_ascii_whitespace() || *byte == b'(')
    })?;
    let rest = name[end..].trim_ascii_start();
    (rest.starts_with(b"(") || behind(rest, b"VALUES").is_some()).then(|| &name[..end])
}

/// Words that make something which Rowhouse does not have.
const MADE: [(&str, &str); 10] = [
    ("TRIGGER", "trigger"),
    ("PROCEDURE", "procedure"),
    ("FUNCTION", "function"),
    ("PACKAGE", "package"),
    ("SEQUENCE", "sequence"),
    ("SERVER", "server"),
    ("USER", "user"),
    ("ROLE", "role"),
    ("TABLESPACE", "tablespace"),
    ("LOGFILE", "logfile group"),
];

/// Words before a table's or another thing's name.
const BEFORE_NAME: [&str; 7] = ["IF", "NOT", "EXISTS", "BODY", "GROUP", "OR", "REPLACE"];
/// As many words as are looked at: `CREATE OR REPLACE DEFINER = .. AGGREGATE FUNCTION ..`.
const WORDS_MAX: usize = 32;

/// Tells a statement by its words.
pub fn kind(text: &[u8]) -> Kind {
    let words: Vec<Word<'_>> = Words(text).take(WORDS_MAX).collect();
    let is = |at: usize, word: &str| words.get(at).is_some_and(|found| found.is(word));
    let word = words.first().map(Word::upper).unwrap_or_default();
    match word.as_str() {
        "INSERT" | "REPLACE" => Kind::Rows,
        "LOCK" | "UNLOCK" => Kind::Needless,
        "BEGIN" | "COMMIT" => Kind::Needless,
        "START" if is(1, "TRANSACTION") => Kind::Needless,
        "ALTER" if is(1, "TABLE") && ends_in_keys(text) => Kind::Needless,
        "SET" if is(1, "NAMES") => Kind::Names(words.get(2).map(Word::text).unwrap_or_default()),
        "SET" if is(1, "AUTOCOMMIT") => Kind::Needless,
        "SET" if is(1, "@@AUTOCOMMIT") => Kind::Needless,
        "SET" if text.windows(11).any(|part| part.eq_ignore_ascii_case(b"GTID_PURGED")) => {
            Kind::Skipped("replication position", "GTID_PURGED".to_owned())
        }
        "SET" => Kind::Set,
        "CHANGE" => Kind::Skipped("replication position", "CHANGE MASTER".to_owned()),
        "GRANT" | "REVOKE" => Kind::Account("grant", String::new()),
        "INSTALL" => Kind::Skipped("plugin", String::new()),
        "CREATE" | "ALTER" | "DROP" => made(&words),
        _ => Kind::Alone,
    }
}

fn made(words: &[Word<'_>]) -> Kind {
    // A table's or database's own words may be anything.
    let first = words[1..].iter().find(|word| !["OR", "REPLACE"].iter().any(|w| word.is(w)));
    let definition =
        ["TABLE", "DATABASE", "SCHEMA", "INDEX", "UNIQUE", "TEMPORARY", "TABLES", "ONLINE"];
    if first.is_none_or(|word| definition.iter().any(|known| word.is(known))) {
        return Kind::Alone;
    }
    for (at, word) in words.iter().enumerate().skip(1) {
        // What stands in its body is its own.
        if word.is("EVENT") || word.is("VIEW") {
            return Kind::Alone;
        }
        let Some((_, thing)) = MADE.iter().find(|(known, _)| word.is(known)) else { continue };
        let mut behind = words[at + 1..].iter();
        let name = behind.find(|word| !BEFORE_NAME.iter().any(|known| word.is(known)));
        let dropped = words[0].is("DROP");
        return match (dropped, name) {
            // What is not there need not be dropped.
            (true, _) => Kind::Needless,
            (false, name) if ["user", "role"].contains(thing) => {
                Kind::Account(thing, name.map(Word::text).unwrap_or_default())
            }
            (false, name) => Kind::Skipped(thing, name.map(Word::text).unwrap_or_default()),
        };
    }
    Kind::Alone
}

/// `ALTER TABLE t DISABLE KEYS`, or ENABLE.
fn ends_in_keys(text: &[u8]) -> bool {
    let tail = text.trim_ascii_end();
    let tail = tail.strip_suffix(b"*/").unwrap_or(tail).trim_ascii_end();
    let Some(tail) = tail.len().checked_sub(4).map(|at| tail.split_at(at)) else { return false };
    let before = tail.0.trim_ascii_end();
    let ends = |word: &[u8]| {
        before.len() > word.len() && before[before.len() - word.len()..].eq_ignore_ascii_case(word)
    };
    tail.1.eq_ignore_ascii_case(b"KEYS") && (ends(b"DISABLE") || ends(b"ENABLE"))
}

/// A word, a name in backticks, or a quoted text.
#[derive(Clone, Copy)]
struct Word<'a> {
    bytes: &'a [u8],
    quoted: bool,
}

impl Word<'_> {
    fn is(&self, word: &str) -> bool {
        !self.quoted && self.bytes.eq_ignore_ascii_case(word.as_bytes())
    }

    fn upper(&self) -> String {
        if self.quoted { String::new() } else { self.text().to_ascii_uppercase() }
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(self.bytes).into_owned()
    }
}

/// Words of a statement; comments are passed over, except that those which are executed are part
/// of the text. `a.b` is one word.
struct Words<'a>(&'a [u8]);

impl<'a> Iterator for Words<'a> {
    type Item = Word<'a>;

    fn next(&mut self) -> Option<Word<'a>> {
        loop {
            let text = self.0;
            let first = *text.first()?;
            if text.starts_with(b"/*!") {
                let digits = text[3..].iter().take_while(|byte| byte.is_ascii_digit()).count();
                self.0 = &text[3 + digits..];
            } else if text.starts_with(b"/*") {
                let end = memchr::memmem::find(text, b"*/").map_or(text.len(), |at| at + 2);
                self.0 = &text[end..];
            } else if text.starts_with(b"-- ") || first == b'#' {
                let end = memchr::memchr(b'\n', text).unwrap_or(text.len());
                self.0 = &text[end..];
            } else if matches!(first, b'`' | b'\'' | b'"') {
                let end = memchr::memchr(first, &text[1..]).map_or(text.len(), |at| at + 1);
                self.0 = text.get(end + 1..).unwrap_or_default();
                return Some(Word { bytes: &text[1..end], quoted: true });
            } else if is_word(first) {
                let end = text.iter().position(|&byte| !is_word(byte)).unwrap_or(text.len());
                self.0 = &text[end..];
                return Some(Word { bytes: &text[..end], quoted: false });
            } else {
                self.0 = &text[1..];
            }
        }
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'@' | b'.') || byte >= 0x80
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Kind {
        kind(text.as_bytes())
    }

    fn skipped(thing: &'static str, name: &str) -> Kind {
        Kind::Skipped(thing, name.to_owned())
    }

    #[test]
    fn what_mysqldump_makes_of_triggers_and_routines_is_skipped_by_name() {
        let view = "/*!50001 CREATE ALGORITHM=UNDEFINED */\n/*!50013 DEFINER=`r`@`%` SQL \
                    SECURITY DEFINER */\n/*!50001 VIEW `v 1` AS select 1 */";
        assert_eq!(of(view), Kind::Alone);
        assert_eq!(of("/*!50001 CREATE VIEW `v` AS SELECT 1 AS `a`*/"), Kind::Alone);
        let trigger = "/*!50003 CREATE*/ /*!50017 DEFINER=`root`@`localhost`*/ /*!50003 TRIGGER \
                       `tr` BEFORE INSERT ON `t` FOR EACH ROW SET NEW.a = 1 */";
        assert_eq!(of(trigger), skipped("trigger", "tr"));
        let routine = "CREATE DEFINER=`root`@`localhost` PROCEDURE `p`(a int) SELECT 1";
        assert_eq!(of(routine), skipped("procedure", "p"));
        assert_eq!(of("CREATE FUNCTION IF NOT EXISTS f() RETURNS int"), skipped("function", "f"));
        let event = "/*!50106 CREATE*/ /*!50117 DEFINER=`r`@`h`*/ /*!50106 EVENT `e` ON */";
        assert_eq!(of(event), Kind::Alone);
        assert_eq!(of("CREATE EVENT e ON SCHEDULE EVERY 1 DAY DO DROP VIEW v"), Kind::Alone);
        assert_eq!(of("/*!50106 DROP EVENT IF EXISTS `e` */"), Kind::Alone);
        assert_eq!(of("CREATE OR REPLACE VIEW a.v AS SELECT 1 AS `trigger`"), Kind::Alone);
        assert_eq!(of("/*!50001 DROP VIEW IF EXISTS `v`*/"), Kind::Alone);
    }

    #[test]
    fn accounts_and_grants_are_told_apart_from_what_is_never_carried_out() {
        let account = |thing, name: &str| Kind::Account(thing, name.to_owned());
        assert_eq!(of("GRANT ALL ON *.* TO x"), account("grant", ""));
        assert_eq!(of("CREATE USER IF NOT EXISTS `x`@`%` ACCOUNT LOCK"), account("user", "x"));
        assert_eq!(of("ALTER USER `x`@`%` DEFAULT ROLE `r`@`%`"), account("user", "x"));
        assert_eq!(of("CREATE ROLE r"), account("role", "r"));
        assert_eq!(of("DROP USER x"), Kind::Needless);
    }

    #[test]
    fn tables_named_like_other_things_are_tables() {
        assert_eq!(of("CREATE TABLE `view` (`trigger` int, event int)"), Kind::Alone);
        assert_eq!(of("DROP TABLE IF EXISTS `event`"), Kind::Alone);
        assert_eq!(of("CREATE DATABASE /*!32312 IF NOT EXISTS*/ `user`"), Kind::Alone);
        assert_eq!(of("CREATE UNIQUE INDEX role ON t (server)"), Kind::Alone);
    }

    #[test]
    fn the_table_of_an_insert_is_told_where_it_only_adds_rows() {
        let table = |text: &'static str| added_to(text.as_bytes());
        assert_eq!(table("INSERT INTO `a b``(`.`t` VALUES (1)"), Some(&b"`a b``(`.`t`"[..]));
        assert_eq!(table("insert into t(a, b) values (1, 2)"), Some(&b"t"[..]));
        assert_eq!(table("INSERT INTO t\nVALUES\n(1)"), Some(&b"t"[..]));
        assert_eq!(table("INSERT INTO t VALUES(1)"), Some(&b"t"[..]));
        assert_eq!(table("INSERT IGNORE INTO t VALUES (1)"), None);
        assert_eq!(table("REPLACE INTO t VALUES (1)"), None);
        assert_eq!(table("INSERT INTO t SELECT 1"), None);
        assert_eq!(table("INSERT INTO t"), None);
        assert_eq!(table("INSERT INTO `t VALUES (1)"), None);
    }

    #[test]
    fn rows_settings_and_what_a_load_does_not_need_are_told_apart() {
        assert_eq!(of("INSERT INTO `t` VALUES (1)"), Kind::Rows);
        assert_eq!(of("/*!40000 ALTER TABLE `t` DISABLE KEYS */"), Kind::Needless);
        assert_eq!(of("ALTER TABLE t ENABLE KEYS"), Kind::Needless);
        assert_eq!(of("ALTER TABLE t ADD KEY (keys)"), Kind::Alone);
        assert_eq!(of("LOCK TABLES `t` WRITE"), Kind::Needless);
        assert_eq!(of("set autocommit=0"), Kind::Needless);
        assert_eq!(of("START TRANSACTION"), Kind::Needless);
        assert_eq!(of("/*!40101 SET NAMES latin1 */"), Kind::Names("latin1".to_owned()));
        assert_eq!(of("/*!40014 SET @OLD=@@X, X=0 */"), Kind::Set);
        assert_eq!(of("ROLLBACK"), Kind::Alone);
        assert_eq!(
            of("SET @@GLOBAL.GTID_PURGED=/*!80000 '+'*/ 'x:1'"),
            skipped("replication position", "GTID_PURGED")
        );
    }
}
