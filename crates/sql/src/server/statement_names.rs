//! What statements are called in `performance_schema` (`statement/sql/select`) and in SHOW STATUS
//! (`Com_select`), by their first words.
//!
//! A statement that MySQL has no name for is `statement/abstract/Query`. One that is prepared is
//! called as if it had come as text.

/// MySQL's name of a kind of statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StatementName(u8);

/// The names behind `statement/sql/` and `Com_`, sorted; the first stands for those without one.
const NAMES: [&str; 90] = [
    "",
    "alter_db",
    "alter_event",
    "alter_table",
    "alter_user",
    "analyze",
    "begin",
    "call_procedure",
    "change_db",
    "check",
    "checksum",
    "commit",
    "create_db",
    "create_event",
    "create_index",
    "create_role",
    "create_table",
    "create_user",
    "create_view",
    "dealloc_sql",
    "delete",
    "do",
    "drop_db",
    "drop_event",
    "drop_index",
    "drop_role",
    "drop_table",
    "drop_user",
    "drop_view",
    "empty_query",
    "error",
    "execute_sql",
    "flush",
    "get_diagnostics",
    "grant",
    "ha_close",
    "ha_open",
    "ha_read",
    "help",
    "insert",
    "kill",
    "load",
    "lock_tables",
    "optimize",
    "prepare_sql",
    "release_savepoint",
    "rename_table",
    "rename_user",
    "repair",
    "replace",
    "reset",
    "resignal",
    "revoke",
    "rollback",
    "rollback_to_savepoint",
    "savepoint",
    "select",
    "set_option",
    "set_role",
    "show_charsets",
    "show_collations",
    "show_create_db",
    "show_create_table",
    "show_create_user",
    "show_databases",
    "show_engine_status",
    "show_errors",
    "show_events",
    "show_fields",
    "show_grants",
    "show_keys",
    "show_open_tables",
    "show_plugins",
    "show_processlist",
    "show_status",
    "show_storage_engines",
    "show_table_status",
    "show_tables",
    "show_variables",
    "show_warnings",
    "signal",
    "truncate",
    "unlock_tables",
    "update",
    "xa_commit",
    "xa_end",
    "xa_prepare",
    "xa_recover",
    "xa_rollback",
    "xa_start",
];

/// Bytes of the longest word that matters.
const WORD_BYTES_MAX: usize = 16;

impl StatementName {
    /// All of them.
    pub fn all() -> impl Iterator<Item = StatementName> {
        (0..NAMES.len() as u8).map(StatementName)
    }

    fn of_name(name: &str) -> StatementName {
        StatementName(NAMES.binary_search(&name).unwrap_or(0) as u8)
    }

    /// The name of a statement that was not understood.
    pub fn error() -> StatementName {
        const { named("error") }
    }

    /// The name of a statement.
    pub fn of(text: &[u8]) -> StatementName {
        let mut words = Words(text);
        let mut next = || LowerWord::of(words.next().unwrap_or_default());
        let first = next();
        // Those that come all day need one word.
        match first.bytes() {
            b"select" | b"with" | b"values" | b"table" | b"(" | b"explain" => {
                const { named("select") }
            }
            b"insert" => const { named("insert") },
            b"update" => const { named("update") },
            b"delete" => const { named("delete") },
            b"replace" => const { named("replace") },
            b"begin" | b"start" => const { named("begin") },
            b"commit" => const { named("commit") },
            b"savepoint" => const { named("savepoint") },
            b"use" => const { named("change_db") },
            b"desc" | b"describe" => const { named("show_fields") },
            b"truncate" => const { named("truncate") },
            b"prepare" => const { named("prepare_sql") },
            b"execute" => const { named("execute_sql") },
            b"deallocate" => const { named("dealloc_sql") },
            b"lock" => const { named("lock_tables") },
            b"unlock" => const { named("unlock_tables") },
            b"release" => const { named("release_savepoint") },
            b"call" => const { named("call_procedure") },
            b"" => const { named("empty_query") },
            word => {
                let (second, third) = (next(), next());
                StatementName::of_name(by_words(word, second.bytes(), third.bytes()))
            }
        }
    }

    /// As an event: `statement/sql/select`.
    pub fn event(self) -> String {
        match self.words() {
            "" => "statement/abstract/Query".to_owned(),
            name => format!("statement/sql/{name}"),
        }
    }

    /// As a figure of SHOW STATUS: `Com_select`; `None` for what has none.
    pub fn figure(self) -> Option<String> {
        let name = self.words();
        (!matches!(name, "" | "error")).then(|| format!("Com_{name}"))
    }

    /// Whether it is one that `log_slow_admin_statements` is about (MySQL 9.7 manual, "The Slow
    /// Query Log").
    pub fn is_administrative(self) -> bool {
        matches!(
            self.words(),
            "alter_table"
                | "analyze"
                | "check"
                | "create_index"
                | "drop_index"
                | "optimize"
                | "repair"
        )
    }

    fn words(self) -> &'static str {
        NAMES[usize::from(self.0)]
    }
}

/// A name that is in the list, found when the program is made.
const fn named(name: &str) -> StatementName {
    let mut at = 0;
    loop {
        let (known, name) = (NAMES[at].as_bytes(), name.as_bytes());
        let mut same = 0;
        while same < known.len() && same < name.len() && known[same] == name[same] {
            same += 1;
        }
        if same == known.len() && same == name.len() {
            return StatementName(at as u8);
        }
        at += 1;
    }
}

/// The name by the first words, of statements that need more than one.
fn by_words(first: &[u8], second: &[u8], third: &[u8]) -> &'static str {
    match (first, second, third) {
        (b"rollback", b"to", _) => "rollback_to_savepoint",
        (b"rollback", ..) => "rollback",
        (b"set", b"role", _) | (b"set", b"default", b"role") => "set_role",
        (b"set", ..) => "set_option",
        (b"create", b"table", _) | (b"create", b"temporary", _) => "create_table",
        (b"create", b"database" | b"schema", _) => "create_db",
        (b"create", b"index" | b"unique" | b"fulltext", _) => "create_index",
        (b"create", b"user", _) => "create_user",
        (b"create", b"role", _) => "create_role",
        (b"create", b"event", _) => "create_event",
        (b"create", b"view" | b"algorithm" | b"sql", _) => "create_view",
        (b"create", b"or", _) => "create_view",
        (b"alter", b"table", _) => "alter_table",
        (b"alter", b"database" | b"schema", _) => "alter_db",
        (b"alter", b"user", _) => "alter_user",
        (b"alter", b"event", _) => "alter_event",
        (b"drop", b"table" | b"temporary", _) => "drop_table",
        (b"drop", b"database" | b"schema", _) => "drop_db",
        (b"drop", b"index", _) => "drop_index",
        (b"drop", b"user", _) => "drop_user",
        (b"drop", b"role", _) => "drop_role",
        (b"drop", b"event", _) => "drop_event",
        (b"drop", b"view", _) => "drop_view",
        (b"drop", b"prepare", _) => "dealloc_sql",
        (b"rename", b"user", _) => "rename_user",
        (b"rename", ..) => "rename_table",
        (b"show", b"databases" | b"schemas", _) => "show_databases",
        (b"show", b"full", b"processlist") | (b"show", b"processlist", _) => "show_processlist",
        (b"show", b"full", b"columns" | b"fields") => "show_fields",
        (b"show", b"columns" | b"fields", _) => "show_fields",
        (b"show", b"full", b"tables") | (b"show", b"tables", _) => "show_tables",
        (b"show", b"table", _) => "show_table_status",
        (b"show", b"open", _) => "show_open_tables",
        (b"show", b"index" | b"indexes" | b"keys", _) => "show_keys",
        (b"show", b"global" | b"session", b"status") | (b"show", b"status", _) => "show_status",
        (b"show", b"global" | b"session", _) | (b"show", b"variables", _) => "show_variables",
        (b"show", b"create", b"database" | b"schema") => "show_create_db",
        (b"show", b"create", b"user") => "show_create_user",
        (b"show", b"create", _) => "show_create_table",
        (b"show", b"engine", _) => "show_engine_status",
        (b"show", b"engines" | b"storage", _) => "show_storage_engines",
        (b"show", b"warnings", _) => "show_warnings",
        (b"show", b"errors", _) => "show_errors",
        (b"show", b"events", _) => "show_events",
        (b"show", b"grants", _) => "show_grants",
        (b"show", b"plugins", _) => "show_plugins",
        (b"show", b"collation", _) => "show_collations",
        (b"show", b"character" | b"charset", _) => "show_charsets",
        (b"analyze", ..) => "analyze",
        (b"check", ..) => "check",
        (b"checksum", ..) => "checksum",
        (b"optimize", ..) => "optimize",
        (b"repair", ..) => "repair",
        (b"load", ..) => "load",
        (b"kill", ..) => "kill",
        (b"flush", ..) => "flush",
        (b"grant", ..) => "grant",
        (b"revoke", ..) => "revoke",
        (b"reset", ..) => "reset",
        (b"do", ..) => "do",
        (b"handler", _, b"open") => "ha_open",
        (b"handler", _, b"read") => "ha_read",
        (b"handler", _, b"close") => "ha_close",
        (b"signal", ..) => "signal",
        (b"resignal", ..) => "resignal",
        (b"get", ..) => "get_diagnostics",
        (b"help", ..) => "help",
        (b"xa", b"start" | b"begin", _) => "xa_start",
        (b"xa", b"end", _) => "xa_end",
        (b"xa", b"prepare", _) => "xa_prepare",
        (b"xa", b"commit", _) => "xa_commit",
        (b"xa", b"rollback", _) => "xa_rollback",
        (b"xa", b"recover", _) => "xa_recover",
        _ => "",
    }
}

/// A word in small letters; `?` if it is longer than any that matters.
struct LowerWord {
    bytes: [u8; WORD_BYTES_MAX],
    length: usize,
}

impl LowerWord {
    fn of(word: &[u8]) -> LowerWord {
        let mut bytes = [0; WORD_BYTES_MAX];
        if word.len() > WORD_BYTES_MAX {
            return LowerWord { bytes: [b'?'; WORD_BYTES_MAX], length: 1 };
        }
        bytes[..word.len()].copy_from_slice(word);
        bytes.make_ascii_lowercase();
        LowerWord { bytes, length: word.len() }
    }

    fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

/// Words of a text, without comments in front of them; a sign is a word.
struct Words<'t>(&'t [u8]);

impl<'t> Iterator for Words<'t> {
    type Item = &'t [u8];

    fn next(&mut self) -> Option<&'t [u8]> {
        loop {
            self.0 = self.0.trim_ascii_start();
            let behind = match self.0 {
                // What a version comment holds is executed.
                [b'/', b'*', b'!', rest @ ..] => {
                    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
                    Some(&rest[digits..])
                }
                [b'/', b'*', ..] => {
                    memchr::memmem::find(self.0, b"*/").map(|end| &self.0[end + 2..])
                }
                [b'*', b'/', rest @ ..] => Some(rest),
                [b'#', ..] | [b'-', b'-', ..] => {
                    memchr::memchr(b'\n', self.0).map(|end| &self.0[end + 1..])
                }
                _ => break,
            };
            self.0 = behind?;
        }
        let length =
            self.0.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_');
        let length = length.count().max(1).min(self.0.len());
        let (word, rest) = self.0.split_at(length);
        self.0 = rest;
        (!word.is_empty()).then_some(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_called_as_in_mysql() {
        assert!(NAMES.is_sorted());
        for (text, event) in [
            ("select 1", "sql/select"),
            ("(SELECT 1) UNION SELECT 2", "sql/select"),
            ("/* app */ -- x\n UPDATE t SET a = 1", "sql/update"),
            ("/*!40101 SET NAMES utf8 */", "sql/set_option"),
            ("START TRANSACTION", "sql/begin"),
            ("ROLLBACK TO s", "sql/rollback_to_savepoint"),
            ("show full columns from t", "sql/show_fields"),
            ("SHOW GLOBAL STATUS LIKE 'x'", "sql/show_status"),
            ("create temporary table t (a int)", "sql/create_table"),
            ("UNLOCK TABLES", "sql/unlock_tables"),
            ("XA BEGIN 'a'", "sql/xa_start"),
            ("", "sql/empty_query"),
            ("handler t open", "sql/ha_open"),
            ("what is this", "abstract/Query"),
            ("averyveryverylongwordindeed x", "abstract/Query"),
        ] {
            let name = StatementName::of(text.as_bytes());
            assert_eq!(name.event(), format!("statement/{event}"), "{text}");
        }
        let figures: Vec<_> = StatementName::all().filter_map(StatementName::figure).collect();
        assert_eq!(figures.len(), NAMES.len() - 2);
        assert!(figures.contains(&"Com_unlock_tables".to_owned()));
    }
}
