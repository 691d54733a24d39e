//! `rowhouse-lab`: the experiments of Rowhouse's source documents, against real peers.
//!
//! The lab is a client like everyone: it knows Rowhouse by its program, its flags and its doors.
//! One file per experiment (`experiments`), peer (`peers`) and protocol (`protocols`); the load
//! generator is `generator`, a run's results are `report`, all stored ones together `measured`.

mod experiments;
mod generator;
mod machine;
mod measured;
mod peers;
mod plot;
mod process;
mod protocols;
mod report;
mod spread;
mod users;

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::{Parser, Subcommand};

/// Rowhouse's laboratory: side-by-side measurements against memcached, Redis and MariaDB.
#[derive(Parser)]
#[command(name = "rowhouse-lab", version)]
struct Arguments {
    #[command(subcommand)]
    experiment: Experiment,
}

#[derive(Subcommand)]
enum Experiment {
    /// Point look-ups by key: one in flight, pipelined, in batches.
    Lookup(experiments::lookup::LookupOptions),
    /// LOAD DATA of a table with a secondary index: rows per second, peak memory.
    Load(experiments::load::LoadOptions),
    /// Inserts in batches with three secondary indexes, until data outgrow the memory.
    Iibench(experiments::iibench::IibenchOptions),
    /// INSERT of 100 rows a statement, as text and prepared.
    Batches(experiments::batches::BatchesOptions),
    /// ADD INDEX on a large table, alone and beside writers.
    Indexing(experiments::indexing::IndexingOptions),
    /// Ten shapes of a query from few rows to many: microseconds a row, and where they jump.
    Cliffs(experiments::cliffs::CliffsOptions),
    /// Flights with seven indexes: bytes on disk.
    Size(experiments::size::SizeOptions),
    /// Many tables: created, filled with a row each, selected from once each.
    Tables(experiments::tables::TablesOptions),
    /// Look-ups by key in plain text and within TLS, beside memcached
    Tls(experiments::ReadingOptions),
    /// Clients that connect within TLS beside busy ones, and idle ones within TLS.
    Handshakes(experiments::handshakes::HandshakesOptions),
    /// Look-ups by key of an account with grants, and of nobody in particular.
    Logins(experiments::ReadingOptions),
    /// Look-ups by key of a server that is watched by all means, and of one that is not.
    Watched(experiments::ReadingOptions),
    /// Table queries on documents with indexes, beside SQL on generated columns.
    Documents(experiments::documents::DocumentsOptions),
    /// Read a player, change it, look an account up: verified against races.
    Game(experiments::game::GameOptions),
    /// Updates and inserts under each durability policy.
    Durability(experiments::durability::DurabilityOptions),
    /// kill -9 while rows are inserted: time from the start to the first answer.
    Recovery(experiments::recovery::RecoveryOptions),
    /// TPC-C: five transactions, 1 to 32 terminals, verified by its consistency conditions.
    Orders(experiments::orders::OrdersOptions),
    /// What a blog, a shop and an office ask for each page: microseconds, rows compared.
    Pages(experiments::pages::PagesOptions),
    /// Every OLTP script of sysbench: transactions per second, server CPU of each.
    Sysbench(experiments::sysbench::SysbenchOptions),
    /// An hour of everything, or a minute: rates, memory, what is left behind.
    Soak(experiments::soak::SoakOptions),
    /// An analytic query over rows that clients change, by row and by a columnar index.
    Live(experiments::live::LiveOptions),
    /// Flights: ten analytic queries, by columns and by rows, beside DuckDB and MariaDB.
    Ontime(experiments::ontime::OntimeOptions),
    /// Inserts by 1 to 128 connections.
    Writers(experiments::writers::WritersOptions),
    /// 10,000 idle connections beside 64 busy ones.
    Idle(experiments::idle::IdleOptions),
    /// The same look-ups with a small and a large row cache.
    Cache(experiments::cache::CacheOptions),
    /// Statements that would end, fill or hang a server, beside clients that look rows up.
    Nasty(experiments::nasty::NastyOptions),
    /// Look-ups, updates and the game with data of 0.5 to 10 times the memory.
    Wall(experiments::wall::WallOptions),
    /// All stored results on one page: HTML, Markdown and the drawing of the README.
    Report(measured::ReportOptions),
    /// The echo server that other experiments start as their limit.
    #[command(hide = true)]
    EchoServer {
        /// Event loops.
        #[arg(long, default_value_t = 1)]
        threads: usize,
    },
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    match arguments.experiment {
        Experiment::Lookup(options) => experiments::lookup::run(&options),
        Experiment::Load(options) => experiments::load::run(&options),
        Experiment::Iibench(options) => experiments::iibench::run(&options),
        Experiment::Batches(options) => experiments::batches::run(&options),
        Experiment::Cliffs(options) => experiments::cliffs::run(&options),
        Experiment::Indexing(options) => experiments::indexing::run(&options),
        Experiment::Size(options) => experiments::size::run(&options),
        Experiment::Tables(options) => experiments::tables::run(&options),
        Experiment::Tls(options) => experiments::tls::run(&options),
        Experiment::Handshakes(options) => experiments::handshakes::run(&options),
        Experiment::Logins(options) => experiments::logins::run(&options),
        Experiment::Watched(options) => experiments::watched::run(&options),
        Experiment::Documents(options) => experiments::documents::run(&options),
        Experiment::Game(options) => experiments::game::run(&options),
        Experiment::Durability(options) => experiments::durability::run(&options),
        Experiment::Recovery(options) => experiments::recovery::run(&options),
        Experiment::Orders(options) => experiments::orders::run(&options),
        Experiment::Pages(options) => experiments::pages::run(&options),
        Experiment::Sysbench(options) => experiments::sysbench::run(&options),
        Experiment::Soak(options) => experiments::soak::run(&options),
        Experiment::Live(options) => experiments::live::run(&options),
        Experiment::Ontime(options) => experiments::ontime::run(&options),
        Experiment::Writers(options) => experiments::writers::run(&options),
        Experiment::Idle(options) => experiments::idle::run(&options),
        Experiment::Cache(options) => experiments::cache::run(&options),
        Experiment::Nasty(options) => experiments::nasty::run(&options),
        Experiment::Wall(options) => experiments::wall::run(&options),
        Experiment::Report(options) => measured::run(&options),
        Experiment::EchoServer { threads } => peers::serve_echo(threads),
    }
}

/// The lab's own executable.
fn own_program() -> Result<PathBuf> {
    std::env::current_exe().context("the lab's own executable")
}
