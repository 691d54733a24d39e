//! The table of settings: one row each, from which flags, environment variables, the file's
//! names, `--help` and the commented sample file are made.
//!
//! Invariants
//! 1. A setting has one name everywhere: `mysql-port` in the file, `--mysql-port` as a flag,
//!    `ROWHOUSE_MYSQL_PORT` in the environment.
//! 2. Defaults are written as a user would write them, and parsed by the same code.
//!
//! Not here: what values look like (`value`), where they come from (`load`).

/// What a setting's value looks like; for help and sample. Parsing is `value`'s.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettingKind {
    /// A path of a file or directory; empty: none.
    Path,
    /// Paths with colons between them; empty: none.
    Paths,
    /// An IP address.
    Ip,
    /// A TCP port, `off` or 0, or `auto`.
    Port,
    /// Bytes, with a unit: `64MiB`.
    Size,
    /// A time with a unit: `10s`, `8h`; 0: never.
    Duration,
    /// A whole number.
    Count,
    /// A secret word; empty: none.
    Secret,
    /// An account of SQL: `app` or `app@10.0.%`; empty: none.
    Account,
    /// A table and its columns: `tyrant.records(k, v)`.
    Table,
    /// Texts with `;` between; in the file a list, too.
    List,
    /// A file's mode, in octal digits: `0660`.
    Mode,
    /// A group of the system, by name or number; empty: the server's own.
    Group,
    /// One of these words.
    Choice(&'static [&'static str]),
}

impl SettingKind {
    /// What stands for the value in help.
    pub fn value_name(self) -> &'static str {
        match self {
            SettingKind::Path => "PATH",
            SettingKind::Paths => "PATHS",
            SettingKind::Ip => "ADDRESS",
            SettingKind::Port => "PORT",
            SettingKind::Size => "SIZE",
            SettingKind::Duration => "TIME",
            SettingKind::Count => "N",
            SettingKind::Secret => "SECRET",
            SettingKind::Account => "ACCOUNT",
            SettingKind::Table => "TABLE",
            SettingKind::List => "LIST",
            SettingKind::Mode => "MODE",
            SettingKind::Group => "GROUP",
            SettingKind::Choice(_) => "WORD",
        }
    }

    /// Whether the file writes the value without quotes when it is a number.
    pub fn is_number(self) -> bool {
        matches!(self, SettingKind::Count | SettingKind::Port)
    }
}

/// One setting.
#[derive(Debug)]
pub struct Setting {
    /// Its name, words joined by `-`.
    pub name: &'static str,
    /// What its value looks like.
    pub kind: SettingKind,
    /// Its value when nobody says otherwise.
    pub default: &'static str,
    /// What it does: one line for help, the whole for the sample. Lines end with `\n`.
    pub doc: &'static str,
}

impl Setting {
    /// Name of the environment variable.
    pub fn variable(&self) -> String {
        format!("ROWHOUSE_{}", self.name.replace('-', "_").to_ascii_uppercase())
    }

    /// The first line of the documentation.
    pub fn summary(&self) -> &'static str {
        self.doc.lines().next().unwrap_or_default()
    }
}

const fn setting(
    name: &'static str,
    kind: SettingKind,
    default: &'static str,
    doc: &'static str,
) -> Setting {
    Setting { name, kind, default, doc }
}

/// Settings of one subject, under a heading of the sample file.
#[derive(Debug)]
pub struct Section {
    /// The heading.
    pub heading: &'static str,
    /// Its settings.
    pub settings: &'static [Setting],
}

/// All settings, in the order of help and sample. The list of users is the file's alone.
pub const SECTIONS: &[Section] = &[DATA, DOORS, TLS, CONNECTIONS, SQL, SECRETS, LOG];

/// A setting by name.
pub fn find(name: &str) -> Option<&'static Setting> {
    all().find(|setting| setting.name == name)
}

/// Every setting.
pub fn all() -> impl Iterator<Item = &'static Setting> {
    SECTIONS.iter().flat_map(|section| section.settings)
}

const DATA: Section = Section {
    heading: "Data",
    settings: &[
        setting(
            "data-dir",
            SettingKind::Path,
            "data",
            "Directory of the rows; made when missing. One server at a time may use it.\n",
        ),
        setting(
            "memory",
            SettingKind::Size,
            "1GiB",
            "Memory of the server: caches, write buffers, queries, connections, transactions.\n\
             At least 64MiB.\n",
        ),
        setting(
            "temp-dir",
            SettingKind::Path,
            "",
            "Where queries and transactions put what does not fit into memory; empty: tmp, within\n\
             the data directory. Elsewhere a directory rowhouse-tmp-NUMBER is made for it. It is\n\
             emptied at each start.\n",
        ),
        setting(
            "durability",
            SettingKind::Choice(&["every-commit", "every-second", "os"]),
            "every-commit",
            "What an acknowledged write has survived: a power cut, or the death of the server.\n\
             every-commit: synced to the disk before it is acknowledged; writers share syncs.\n\
             every-second: synced at least once a second; a power cut may take the last second.\n\
             os: handed to the operating system, which syncs when it likes.\n\
             Under all three, nothing acknowledged is lost when only the server dies.\n",
        ),
        setting(
            "recovery-seconds-max",
            SettingKind::Count,
            "2",
            "How long a start may take after a crash at full write speed, in seconds.\n\
             Less means smaller write buffers and more work for each write.\n",
        ),
        setting(
            "lock-wait-timeout",
            SettingKind::Duration,
            "50s",
            "How long a statement waits for a row that another transaction has locked.\n",
        ),
    ],
};

const DOORS: Section = Section {
    heading: "Doors",
    settings: &[
        setting(
            "listen",
            SettingKind::Ip,
            "127.0.0.1",
            "Address that all doors listen on: one of this machine's, 0.0.0.0 or :: for all.\n\
             An address that others can reach needs users (below). Without a login nobody comes in\n\
             there, unless a setting such as memcached-user names the account that such clients\n\
             act as.\n",
        ),
        setting(
            "mysql-port",
            SettingKind::Port,
            "3306",
            "Port of the MySQL door.\n\
             For this and the other ports: off (or 0) closes the door; auto takes any free port,\n\
             which the ready line names.\n",
        ),
        setting(
            "mysql-socket",
            SettingKind::Path,
            "",
            "UNIX socket of the MySQL door; empty: none.\n",
        ),
        setting(
            "mysql-socket-mode",
            SettingKind::Mode,
            "0600",
            "Who may connect to that socket, as a file's mode: its owner, its group, others.\n",
        ),
        setting(
            "mysql-socket-group",
            SettingKind::Group,
            "",
            "Group of that socket, a name or a number; empty: that of the server.\n",
        ),
        setting(
            "handlersocket-port",
            SettingKind::Port,
            "9998",
            "Port of the HandlerSocket door for reading.\n",
        ),
        setting(
            "handlersocket-write-port",
            SettingKind::Port,
            "9999",
            "Port of the HandlerSocket door for reading and writing.\n",
        ),
        setting("memcached-port", SettingKind::Port, "11211", "Port of the memcached door.\n"),
        setting(
            "memcached-socket",
            SettingKind::Path,
            "",
            "UNIX socket of the memcached door; empty: none.\n",
        ),
        setting(
            "memcached-socket-mode",
            SettingKind::Mode,
            "0600",
            "Who may connect to that socket, as a file's mode: its owner, its group, others.\n\
             The setting memcached-user says what those may do that have not logged in.\n",
        ),
        setting(
            "memcached-socket-group",
            SettingKind::Group,
            "",
            "Group of that socket, a name or a number; empty: that of the server.\n",
        ),
        setting("tyrant-port", SettingKind::Port, "1978", "Port of the Tokyo Tyrant door.\n"),
        setting(
            "tyrant-socket",
            SettingKind::Path,
            "",
            "UNIX socket of the Tyrant door; empty: none.\n",
        ),
        setting(
            "tyrant-socket-mode",
            SettingKind::Mode,
            "0600",
            "Who may connect to that socket, as a file's mode: its owner, its group, others.\n\
             The setting tyrant-user says what those may do.\n",
        ),
        setting(
            "tyrant-socket-group",
            SettingKind::Group,
            "",
            "Group of that socket, a name or a number; empty: that of the server.\n",
        ),
        setting(
            "tyrant-database",
            SettingKind::Table,
            "tyrant.records(k, v)",
            "Table that the Tyrant door opens on: columns of its primary key, then of its values,\n\
             which are joined by |. A table alone is a table database: tyrant.documents, or any\n\
             table of SQL. One that is missing is made.\n",
        ),
        setting(
            "tyrant-copies",
            SettingKind::Path,
            "",
            "Directory below which the command copy of the Tyrant door takes backups; empty: it is\n\
             refused.\n",
        ),
        setting(
            "tyrant-vanish",
            SettingKind::Choice(&["refuse", "allow"]),
            "refuse",
            "Whether the binary command vanish (72) of the Tyrant door removes all records.\n\
             Clients older than 2009, pytyrant among them, send it when they mean copy.\n",
        ),
        setting(
            "tyrant-databases",
            SettingKind::List,
            "",
            "Further Tyrant doors, each with its port and the table that it opens on, such as\n\
             [\"1979 = tyrant.documents\", \"1980 = house.user(id, name)\"]; at most 15.\n",
        ),
        setting(
            "tyrant-hosts",
            SettingKind::List,
            "",
            "Names by which HTTP clients may call the Tyrant doors, besides addresses and localhost.\n",
        ),
        setting(
            "tyrant-lua",
            SettingKind::Path,
            "",
            "Lua script whose functions the command ext of the Tyrant doors calls; empty: none.\n",
        ),
        setting(
            "tyrant-lua-timeout",
            SettingKind::Duration,
            "10s",
            "Time after which a call of a Lua function is ended and rolled back; 0: never.\n",
        ),
        setting(
            "tyrant-lua-memory",
            SettingKind::Size,
            "32MiB",
            "Most memory of a Lua state; 1MiB or more.\n",
        ),
        setting(
            "tyrant-lua-stash",
            SettingKind::Size,
            "8MiB",
            "Memory for what scripts keep in their stash, of all Tyrant doors together; set aside, and not\n\
             available to clients, where there is a script; a quarter of memory at most.\n",
        ),
        setting(
            "tyrant-lua-states",
            SettingKind::Count,
            "8",
            "Lua states of a door, and so calls that run at a time.\n",
        ),
        setting(
            "tyrant-periodic",
            SettingKind::List,
            "",
            "Lua functions that run by themselves, each with its seconds, such as\n\
             [\"expire:60\", \"tidy:0.5\"]; on the first Tyrant door.\n",
        ),
        setting(
            "metrics-port",
            SettingKind::Port,
            "off",
            "Port of metrics for Prometheus, at /metrics over HTTP. It knows no users, so it listens\n\
             on this machine alone, whatever listen says.\n",
        ),
        setting(
            "admin-port",
            SettingKind::Port,
            "off",
            "Port of the operator's page, over HTTP: what is slow, who blocks whom, what changed.\n\
             A user logs in there by name and password; what it shows needs the privilege PROCESS.\n\
             In plain text, so it listens on this machine alone, whatever listen says.\n",
        ),
    ],
};

const TLS: Section = Section {
    heading: "TLS",
    settings: &[
        setting(
            "tls",
            SettingKind::Choice(&["off", "offered", "required"]),
            "offered",
            "Whether clients of mysql-port are encrypted: none; those that ask for it; all. Clients\n\
             at a UNIX socket never are. The ports below are open unless this is off.\n",
        ),
        setting(
            "tls-certificate",
            SettingKind::Path,
            "",
            "File of the server's certificate, and of those between it and an authority (PEM). Empty:\n\
             the server makes one at its first start, tls-certificate.pem and tls-key.pem in the\n\
             data directory. SIGHUP and ALTER INSTANCE RELOAD TLS have the files read again.\n",
        ),
        setting(
            "tls-key",
            SettingKind::Path,
            "",
            "File of the key that belongs to tls-certificate (PEM).\n",
        ),
        setting(
            "tls-ca",
            SettingKind::Path,
            "",
            "File of the authorities that sign clients' certificates (PEM); empty: no client is asked\n\
             for one. At the ports below every client must show one then; at mysql-port it may.\n",
        ),
        setting(
            "handlersocket-tls-port",
            SettingKind::Port,
            "off",
            "Port of the HandlerSocket door for reading, inside TLS from the first byte on.\n",
        ),
        setting(
            "handlersocket-write-tls-port",
            SettingKind::Port,
            "off",
            "Port of the HandlerSocket door for writing, inside TLS from the first byte on.\n",
        ),
        setting(
            "memcached-tls-port",
            SettingKind::Port,
            "off",
            "Port of the memcached door, inside TLS from the first byte on.\n",
        ),
        setting(
            "tyrant-tls-port",
            SettingKind::Port,
            "off",
            "Port of the Tyrant door, inside TLS from the first byte on.\n",
        ),
        setting(
            "metrics-tls-port",
            SettingKind::Port,
            "off",
            "Port of metrics, inside TLS from the first byte on.\n",
        ),
        setting(
            "admin-tls-port",
            SettingKind::Port,
            "off",
            "Port of the operator's page, inside TLS from the first byte on.\n",
        ),
        setting(
            "plain-text-on-network",
            SettingKind::Choice(&["refuse", "allow"]),
            "refuse",
            "Whether a server that listens on an address that others can reach may be spoken to in\n\
             plain text. refuse: it starts only with tls = \"required\", and with the plain ports of\n\
             the other doors off.\n",
        ),
    ],
};

const CONNECTIONS: Section = Section {
    heading: "Connections",
    settings: &[
        setting("threads", SettingKind::Count, "0", "Event loops; 0: one per processor core.\n"),
        setting(
            "busy-poll",
            SettingKind::Duration,
            "100us",
            "How long a loop that has just answered looks for the next request before it sleeps,\n\
             where one or two clients ask one thing after another; 0: never.\n",
        ),
        setting(
            "max-connections",
            SettingKind::Count,
            "16384",
            "Connections at all doors together; a client that comes above is told so and closed.\n",
        ),
        setting(
            "mysql-max-connections",
            SettingKind::Count,
            "0",
            "Those of them that the MySQL door may have; 0: all.\n",
        ),
        setting(
            "handlersocket-max-connections",
            SettingKind::Count,
            "0",
            "Those of them that each HandlerSocket door may have; 0: all.\n",
        ),
        setting(
            "memcached-max-connections",
            SettingKind::Count,
            "0",
            "Those of them that the memcached door may have; 0: all.\n",
        ),
        setting(
            "tyrant-max-connections",
            SettingKind::Count,
            "0",
            "Those of them that each Tyrant door may have; 0: all.\n",
        ),
        setting(
            "admin-connections",
            SettingKind::Count,
            "8",
            "Places kept for administration when max-connections are taken: so many at admin.sock in\n\
             the data directory, and so many at the MySQL door for clients of this machine.\n",
        ),
        setting(
            "idle-timeout",
            SettingKind::Duration,
            "8h",
            "Silence after which a connection is closed; 0: never.\n",
        ),
        setting(
            "login-timeout",
            SettingKind::Duration,
            "10s",
            "Time within which a client must have logged in or shown its secret; 0: any.\n",
        ),
        setting(
            "request-timeout",
            SettingKind::Duration,
            "30s",
            "Time within which all of a request must have come, once it has begun; 0: any.\n\
             A large one may take longer, by a second for every 64 KiB that have come.\n",
        ),
        setting(
            "send-timeout",
            SettingKind::Duration,
            "60s",
            "Time after which a client is closed that takes none of the reply it is sent.\n",
        ),
        setting(
            "vanished-timeout",
            SettingKind::Duration,
            "2m",
            "Time after which a TCP client is given up that vanished without a word.\n\
             Its transaction is rolled back then. In whole seconds, not less than send-timeout;\n\
             0: as long as the system waits.\n",
        ),
        setting(
            "shutdown-timeout",
            SettingKind::Duration,
            "10s",
            "How long a stop waits for requests in flight.\n",
        ),
        setting(
            "max-allowed-packet",
            SettingKind::Size,
            "64MiB",
            "Largest request at the MySQL door, and longest value that an expression makes.\n",
        ),
        setting(
            "statement-timeout",
            SettingKind::Duration,
            "0",
            "Time after which a statement of SQL is ended, where its session does not say\n\
             otherwise (max_statement_time); 0: never.\n",
        ),
        setting(
            "performance-schema",
            SettingKind::Choice(&["on", "off"]),
            "on",
            "Whether statements, and requests by key at the other doors, are counted by digest\n\
             (performance_schema, events_statements_summary_by_digest).\n",
        ),
        setting(
            "slow-query-log",
            SettingKind::Choice(&["on", "off"]),
            "off",
            "Whether statements that took long are logged, in MySQL's form (slow_query_log).\n",
        ),
        setting(
            "slow-query-log-file",
            SettingKind::Path,
            "",
            "File of that log; empty: slow.log in the data directory. Move it away and send SIGHUP,\n\
             or say FLUSH SLOW LOGS, and a new one is begun.\n",
        ),
        setting(
            "long-query-time",
            SettingKind::Duration,
            "10s",
            "Time from which on a statement has taken long, where its session does not say\n\
             otherwise (long_query_time).\n",
        ),
        setting(
            "log-queries-not-using-indexes",
            SettingKind::Choice(&["on", "off"]),
            "off",
            "Whether that log has statements, too, that read all rows of a table since no index\n\
             answers what they ask (log_queries_not_using_indexes).\n",
        ),
        setting(
            "log-slow-extra",
            SettingKind::Choice(&["on", "off"]),
            "off",
            "Whether entries of that log have each statement's plan, memory and waits for disks as\n\
             well (log_slow_extra).\n",
        ),
        setting(
            "general-log",
            SettingKind::Choice(&["on", "off"]),
            "off",
            "Whether all that clients of the MySQL door ask for is logged (general_log): for minutes\n\
             in which an application is looked at, not for every day.\n",
        ),
        setting(
            "general-log-file",
            SettingKind::Path,
            "",
            "File of that log; empty: general.log in the data directory. Rotated as the slow log is.\n",
        ),
        setting(
            "log-output",
            SettingKind::Choice(&["file", "table", "file,table", "none"]),
            "file",
            "Where both logs go (log_output): files, the tables mysql.slow_log and mysql.general_log,\n\
             which keep the latest entries in memory, or both.\n",
        ),
        setting(
            "audit-log",
            SettingKind::Path,
            "",
            "File of the audit log: who came, who was kept out, and what was changed, as lines of\n\
             JSON without passwords; empty: none. Only the server's user can read it.\n",
        ),
        setting(
            "audit-events",
            SettingKind::List,
            "logins;failed-logins;definitions;grants",
            "What that log has: these; statements, which are all others; and operations, which are\n\
             requests by key at the HandlerSocket, memcached and Tyrant doors.\n",
        ),
        setting(
            "audit-users",
            SettingKind::List,
            "",
            "Users whose statements and operations it has, where audit-events names those; none: all.\n",
        ),
        setting(
            "audit-tables",
            SettingKind::List,
            "",
            "Tables whose statements and operations it has (shop.orders, shop.*), where audit-events\n\
             names those; none: all.\n",
        ),
        setting(
            "audit-log-size",
            SettingKind::Size,
            "64MiB",
            "Size at which that file is moved to audit.log.1, and a new one is begun.\n",
        ),
        setting(
            "audit-log-files",
            SettingKind::Count,
            "8",
            "How many of those moved away are kept.\n",
        ),
        setting(
            "audit-log-sync",
            SettingKind::Duration,
            "1s",
            "How long a line may not be on the disk yet, if the machine fails. A login that failed\n\
             is synced at once.\n",
        ),
        setting(
            "audit-log-failure",
            SettingKind::Choice(&["go-on", "refuse"]),
            "go-on",
            "While that file cannot be written: all goes on, and lines that are left out are counted,\n\
             or what the log would have is refused.\n",
        ),
        setting(
            "handlersocket-max-line",
            SettingKind::Size,
            "64MiB",
            "Longest request line at the HandlerSocket doors.\n",
        ),
        setting(
            "memcached-item-max",
            SettingKind::Size,
            "1MiB",
            "Largest item at the memcached door, its key included; at most 63MiB.\n",
        ),
        setting(
            "tyrant-max-request",
            SettingKind::Size,
            "64MiB",
            "Largest request at the Tyrant door; a larger one ends its connection.\n",
        ),
    ],
};

const SQL: Section = Section {
    heading: "Events and files of SQL",
    settings: &[
        setting(
            "files",
            SettingKind::Paths,
            "",
            "Folders, with colons between them, whose files every user of SQL may read (LOAD DATA\n\
             INFILE) and add to (SELECT ... INTO OUTFILE); empty: none. A file that is there is\n\
             never changed, and no path leads out of them.\n",
        ),
        setting(
            "event-scheduler",
            SettingKind::Choice(&["on", "off"]),
            "on",
            "Whether events (CREATE EVENT) run from the start on; SET GLOBAL event_scheduler\n\
             changes it until the next one.\n",
        ),
        setting(
            "event-timeout",
            SettingKind::Duration,
            "1h",
            "Time after which a run of an event is ended, whatever it does; 0: never.\n",
        ),
    ],
};

const SECRETS: Section = Section {
    heading: "Secrets",
    settings: &[
        setting(
            "handlersocket-secret",
            SettingKind::Secret,
            "",
            "What clients of handlersocket-port must authenticate with, unless they send\n\
             user:password of an account; empty: a login where handlersocket-user wants one,\n\
             and nothing otherwise.\n",
        ),
        setting(
            "handlersocket-write-secret",
            SettingKind::Secret,
            "",
            "The same for handlersocket-write-port.\n",
        ),
        setting(
            "handlersocket-user",
            SettingKind::Account,
            "",
            "The account whose rights clients of the HandlerSocket ports have that log in by no\n\
             password: that have shown the secret, or need none. It is one of CREATE USER, where\n\
             a name without a host means any host, or one of the users below. Empty: these\n\
             clients may do everything, but only those that have shown the secret come in at an\n\
             address that others can reach; none: so it is on this machine as well.\n",
        ),
        setting(
            "memcached-user",
            SettingKind::Account,
            "",
            "The account whose rights clients of the memcached door have that have not logged in:\n\
             by SASL PLAIN in the binary protocol, by a certificate with the name of an account,\n\
             or in the text protocol. Empty: they may do everything where listen is an address\n\
             of this machine, and have to log in elsewhere; none: they always have to. In text\n\
             only these log in: by a first set whose value is the name, a space, the password.\n",
        ),
        setting(
            "tyrant-user",
            SettingKind::Account,
            "",
            "The same for the Tyrant doors, where HTTP alone has logins (Basic) and certificates\n\
             are one: clients of the binary protocol and of memcached's text have these rights.\n",
        ),
    ],
};

const LOG: Section = Section {
    heading: "Log",
    settings: &[
        setting(
            "log-level",
            SettingKind::Choice(&["error", "warn", "info", "debug", "trace"]),
            "info",
            "What is logged, on standard error; debug and trace tell more of this program only.\n",
        ),
        setting(
            "log-format",
            SettingKind::Choice(&["full", "short"]),
            "full",
            "full: with the time of day; short: without, for a log that adds its own.\n",
        ),
        setting(
            "pid-file",
            SettingKind::Path,
            "",
            "File that holds the process number while the server runs; empty: none.\n",
        ),
    ],
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_documented() {
        let mut names: Vec<_> = all().map(|setting| setting.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all().count());
        assert!(all().all(|setting| setting.doc.ends_with(".\n")));
    }

    #[test]
    fn a_variable_is_the_name_in_capitals() {
        assert_eq!(find("mysql-port").unwrap().variable(), "ROWHOUSE_MYSQL_PORT");
    }
}
