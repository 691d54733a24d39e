//! What the source documents measured, by experiment.
//!
//! Five documents of 2009 to 2012 asked which store a web application should use. Their figures are
//! of the hardware of that time: what can be compared is the ratio between systems side by side.

/// An experiment, and what the source documents say of it.
pub struct DocumentedExperiment {
    /// Its name in the lab.
    pub name: &'static str,
    /// What it asks.
    pub question: &'static str,
    /// What the documents measured; nothing, where the question is of our own time.
    pub theirs: Option<&'static str>,
    /// Which of its figures are shown: those whose names have one of these parts.
    pub figures: &'static [&'static str],
}

/// All of them, in the order of the page.
pub const EXPERIMENTS: [DocumentedExperiment; 27] = [
    DocumentedExperiment {
        name: "lookup",
        question: "What does a row cost by its key, everything in memory?",
        theirs: Some(
            "Remote clients, 8 cores, a million users: SQL 105,000/s, memcached 420,000/s, \
             HandlerSocket 750,000/s. HandlerSocket was 7.1 times SQL and 1.78 times memcached.",
        ),
        figures: &[],
    },
    DocumentedExperiment {
        name: "game",
        question: "Read a player, change it, look an account up by its address.",
        theirs: Some(
            "MySQL with a cache of 4 GB in front 1,400 transactions/s, about ten times MySQL alone \
             with little memory; memcached alone 2.5 times more; Tokyo Tyrant almost twice MySQL \
             with memcached, and 20% below memcached alone.",
        ),
        figures: &["stale reads", "lost updates"],
    },
    DocumentedExperiment {
        name: "wall",
        question: "What is left when the data outgrow the memory?",
        theirs: Some(
            "With memory for 9% of the data MySQL fell from 7,000 to 160 transactions/s, Tokyo \
             Tyrant from 13,000 to 964.",
        ),
        figures: &["MB on disk"],
    },
    DocumentedExperiment {
        name: "writers",
        question: "Do more writers write more?",
        theirs: Some(
            "Tokyo Tyrant: 40,900 inserts/s with 4 threads, 43,900 with 8, 41,600 with 10: one \
             writes at a time.",
        ),
        figures: &["connections and more"],
    },
    DocumentedExperiment {
        name: "durability",
        question: "What does it cost that a write survives?",
        theirs: Some(
            "Tokyo Tyrant: a sync after each write destroys the rate; one each second costs almost \
             nothing in the game, and half of the rate of pure inserts.",
        ),
        figures: &[],
    },
    DocumentedExperiment {
        name: "load",
        question: "LOAD DATA of many rows with their keys.",
        theirs: Some(
            "TokuDB, 8 cores, 100M unsorted rows: 142,000 rows/s with one key and 64 bytes, 82,000 \
             with four keys, 54,000 with one key and 256 bytes, 43,000 with four.",
        ),
        figures: &["time to the first answer"],
    },
    DocumentedExperiment {
        name: "iibench",
        question: "Inserts with three secondary indexes until the data are far beyond the memory.",
        theirs: Some("TokuDB 16,000 rows/s where InnoDB had 200: 80 times."),
        figures: &["CUT", "INDEXES"],
    },
    DocumentedExperiment {
        name: "recovery",
        question: "kill -9 while rows are inserted: how long until the first answer?",
        theirs: Some(
            "TokuDB after 250M rows: 501 s at full speed, 13 s at 2,000 rows/s, 2 s at 200 rows/s; \
             InnoDB 18,505 s (1,020 s when patched).",
        ),
        figures: &["start to first answer"],
    },
    DocumentedExperiment {
        name: "size",
        question: "Flights with seven indexes: how many bytes on disk?",
        theirs: Some(
            "117M flights: MyISAM 36.7 GB, TokuDB 6.7 GB (5.5 times smaller); loaded in 16,608 s \
             and 19,131 s.",
        ),
        figures: &["round 0"],
    },
    DocumentedExperiment {
        name: "ontime",
        question: "Ten analytic queries over flights.",
        theirs: Some(
            "117M flights, seconds, the best and the worst of six systems (MyISAM, TokuDB, MonetDB, \
             InfoBright, LucidDB, InfiniDB): Q0 4.19 to 103, Q1 6.79 to 61, Q2 0.9 to 98, Q3 1.7 to \
             123, Q4 0.27 to 6.9, Q5 0.5 to 13.6, Q6 12.5 to 124, Q7 8.6 to 187, Q8 of one year \
             0.55 to 8.75 and of ten 17.4 to 120, Q9 0.31 to 76. Load 8,820 to 19,131 s, size 1.6 \
             to 114 GB.",
        ),
        figures: &["MB on disk"],
    },
    DocumentedExperiment {
        name: "tables",
        question: "Very many tables, each selected from once.",
        theirs: Some(
            "100,000 tables: 8,500 a second with a table cache of 64, 151 a second with one of \
             16,384; created at 450 a second.",
        ),
        figures: &["last tenth over first", "resident MiB"],
    },
    DocumentedExperiment {
        name: "idle",
        question: "Ten thousand idle connections beside busy ones.",
        theirs: Some("HandlerSocket: tens of thousands of connections with few threads."),
        figures: &["resident bytes", "throughput beside"],
    },
    DocumentedExperiment {
        name: "cache",
        question: "Is a larger row cache ever slower?",
        theirs: Some("A larger table cache made SELECT 50 times slower (see `tables`)."),
        figures: &[""],
    },
    DocumentedExperiment {
        name: "documents",
        question: "Table queries on documents with indexes, beside SQL on generated columns.",
        theirs: Some("Tokyo Cabinet's table database is described, not measured."),
        figures: &["seconds"],
    },
    DocumentedExperiment {
        name: "nasty",
        question: "Statements that would end, fill or hang a server, beside clients that look rows up.",
        theirs: Some(
            "LOAD DATA of 180 MB made a machine of 4 GB swap and ended with bad_alloc; a stuck query \
             needed a restart of the machine.",
        ),
        figures: &["p99 beside", "late or broken", "resident bytes", "left over"],
    },
    DocumentedExperiment {
        name: "sysbench",
        question: "Every OLTP script of sysbench.",
        theirs: None,
        figures: &[],
    },
    DocumentedExperiment {
        name: "orders",
        question: "TPC-C's five transactions.",
        theirs: None,
        figures: &["conditions"],
    },
    DocumentedExperiment {
        name: "pages",
        question: "What a blog, a shop and an office ask for each page.",
        theirs: None,
        figures: &[],
    },
    DocumentedExperiment {
        name: "batches",
        question: "INSERT of many rows a statement.",
        theirs: None,
        figures: &[],
    },
    DocumentedExperiment {
        name: "indexing",
        question: "ADD INDEX on a large table, alone and beside writers.",
        theirs: None,
        figures: &["writers' rate"],
    },
    DocumentedExperiment {
        name: "live",
        question: "An analytic query over rows that clients change, by row and by column.",
        theirs: None,
        figures: &[],
    },
    DocumentedExperiment {
        name: "soak",
        question: "Does everything stay up for an hour?",
        theirs: None,
        figures: &["failed"],
    },
    DocumentedExperiment {
        name: "cliffs",
        question: "What does a row cost from few rows to many, and where does that jump?",
        theirs: None,
        figures: &[],
    },
    DocumentedExperiment {
        name: "tls",
        question: "What does a look-up by key cost within TLS?",
        theirs: None,
        figures: &[],
    },
    DocumentedExperiment {
        name: "handshakes",
        question: "What do busy clients feel of a thousand that connect within TLS each second?",
        theirs: None,
        figures: &["p99 beside", "connects a second", "resident bytes"],
    },
    DocumentedExperiment {
        name: "logins",
        question: "What does a login with grants cost a look-up by key?",
        theirs: Some("HandlerSocket has no users: every client sees every table."),
        figures: &[],
    },
    DocumentedExperiment {
        name: "watched",
        question: "What do digests, logs, metrics and the page cost a look-up by key?",
        theirs: None,
        figures: &["scrapes"],
    },
];
