//! Tests of SQL over rows in memory, in one program: each file is a theme, and is linked once with
//! all others.

mod harness;

mod accounts;
mod alternatives;
mod answers;
mod basics;
mod bits_and_sets;
mod budget;
mod change_ways;
mod checksum;
mod cliffs;
mod collations;
mod counts;
mod covering;
mod distinct;
mod events;
mod explaining;
mod file_table;
mod files;
mod foreign_keys;
mod functions_page;
mod index_hints;
mod inserting;
mod joined_writes;
mod json_schema;
mod json_value;
mod kept_writes;
mod key_parts;
mod load_inserts;
mod loading;
mod many_updates;
mod mariadb_forms;
mod membership;
mod mysql_database;
mod once;
mod ordinals;
mod over_rows;
mod presort;
mod row_subqueries;
mod statement_history;
mod statements;
mod sweeping;
mod temporary;
mod view_rights;
mod views;
