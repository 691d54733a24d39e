//! Tests of the running server, in one program: each file is a promise, and is linked once with all
//! others.
//!
//! Not here: power cuts and kills (`crash`), what loops do in which order (`loops`), the Tyrant
//! door by column (`tyrant`): programs of their own.

#[path = "support/account_place.rs"]
mod account_place;
#[path = "support/aftermath.rs"]
mod aftermath;
#[path = "support/backups.rs"]
mod backups;
#[path = "support/by_column.rs"]
mod by_column;
#[path = "support/clients.rs"]
mod clients;
#[path = "support/history.rs"]
mod history;
#[path = "support/loads.rs"]
mod loads;
#[path = "support/mysql.rs"]
mod mysql;
mod support;
#[path = "support/writers.rs"]
mod writers;

mod account_limits;
mod audit;
mod backup;
mod backup_interrupted;
mod busy_poll;
mod cache;
mod changing;
mod columnar;
mod columnar_changes;
mod columnar_index;
mod columnar_keys;
mod columnar_snapshots;
mod commits_in_loop;
mod crowd;
mod deep_statements;
mod digests;
mod dropping;
mod dump_load;
mod events;
mod failing_disk;
mod file_tables;
mod files;
mod foreign_keys;
mod full_disk_queries;
mod handlersocket_rights;
mod hostile;
mod images;
mod incidents;
mod key_expressions;
mod large;
mod linearizable;
mod load_inserts;
mod loading;
mod loading_in_order;
mod loading_killed;
mod locality;
mod lock_waits;
mod locking_reads;
mod login_lock;
mod login_methods;
mod loopback_accounts;
mod memcached_rights;
mod memory;
mod metrics;
mod million_rows;
mod next_steps;
mod numbers;
mod online;
mod online_copies;
mod operating;
mod page;
mod partitions;
mod processes;
mod program;
mod progress;
mod queues;
mod range_locks;
mod row_counts;
mod rules;
mod salvage;
mod serializable;
mod shapes_in_memory;
mod socket_logins;
mod statements;
mod temporary;
mod tls;
mod tools_in_tls;
mod top;
mod true_sizes;
mod unique_values;
mod vanished;
mod wide_values;
mod xa;
