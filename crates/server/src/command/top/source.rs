//! Where `rowhouse top` asks: the server of a data directory, by its status socket, or any server
//! with a MySQL door, by SQL.
//!
//! Invariants
//! 1. Both ways give the same figures; by SQL, times of requests are those since the start, and the
//!    last lines of the log are not told.
//! 2. A server that went away is asked again over a new connection.
//!
//! Not here: flags that name a server (`command::link`), what is made of an answer (`overview`).

use std::path::PathBuf;

use ::load::Client;
use anyhow::Context as _;
use clap::ArgMatches;
use serde_json::{Map, Value, json};

use super::overview::TopMoment;
use crate::command::link;
use crate::data_dir::status_socket;
use crate::page;
use crate::settings::Settings;
use crate::status::ask_for_top;

/// How figures are called among those of SHOW STATUS.
const OWN: &str = "Rowhouse_";

/// Where to ask.
pub enum TopSource<'a> {
    /// The status socket of a server on this machine.
    Socket(PathBuf),
    /// A MySQL door.
    Door {
        /// What the program was given.
        settings: &'a Settings,
        /// Which server, and who logs in.
        flags: &'a ArgMatches,
        /// The connection, while there is one.
        client: Option<Client>,
    },
}

impl<'a> TopSource<'a> {
    /// What the flags say.
    pub fn of(settings: &'a Settings, flags: &'a ArgMatches) -> TopSource<'a> {
        match link::names_a_server(flags) {
            true => TopSource::Door { settings, flags, client: None },
            false => TopSource::Socket(status_socket(&settings.data_dir)),
        }
    }

    /// What is asked, for messages.
    pub fn name(&self) -> String {
        match self {
            TopSource::Socket(path) => {
                let directory = path.parent().unwrap_or(path);
                format!("the server of {}", directory.display())
            }
            TopSource::Door { .. } => "that server".to_owned(),
        }
    }

    /// What the server says now.
    ///
    /// # Errors
    /// When it cannot be reached, or gives no whole answer.
    pub fn look(&mut self) -> anyhow::Result<TopMoment> {
        match self {
            TopSource::Socket(path) => Ok(TopMoment::of(ask_for_top(path)?)),
            TopSource::Door { settings, flags, client } => {
                let mut asked = match client.take() {
                    Some(client) => client,
                    None => link::reach(settings, flags, false)?.client,
                };
                let said = by_sql(&mut asked)?;
                *client = Some(asked);
                Ok(TopMoment::of(said))
            }
        }
    }
}

/// What the page's first screen shows, as far as SQL tells.
fn by_sql(client: &mut Client) -> anyhow::Result<Value> {
    let status = client.list("SHOW GLOBAL STATUS").context("cannot ask for figures")?;
    let pair = |row: Vec<String>| {
        let mut row = row.into_iter();
        Some((row.next()?.strip_prefix(OWN)?.to_owned(), row.next()?))
    };
    let figures: Vec<(String, String)> = status.into_iter().filter_map(pair).collect();
    // Doors are known by what they count; there are no times by door in SQL.
    let door = |(name, _): &(String, String)| {
        let door = name.strip_suffix("_latency_p50_micros")?;
        Some((door.replace('_', "-"), json!([])))
    };
    let doors: Map<String, Value> = figures.iter().filter_map(door).collect();
    let mut said = page::now_by_figures(figures);
    said.insert("latencies".to_owned(), Value::Object(doors));
    for (part, statement) in page::TOP {
        said.insert((*part).to_owned(), rows(client, statement));
    }
    Ok(Value::Object(said))
}

/// A part's rows, or why there are none.
fn rows(client: &mut Client, statement: &str) -> Value {
    let mut found = || -> ::load::Result<Value> {
        let mut result = client.query(statement)?;
        let names: Vec<String> = result.columns.iter().map(|column| column.name.clone()).collect();
        let mut rows: Vec<Value> = Vec::new();
        while let Some(mut row) = result.row()? {
            let mut cells = Vec::with_capacity(names.len());
            for _ in &names {
                let text = |value| Value::String(String::from_utf8_lossy(value).into_owned());
                cells.push(row.value()?.map_or(Value::Null, text));
            }
            rows.push(Value::Array(cells));
        }
        Ok(json!({ "columns": names, "rows": rows }))
    };
    found().unwrap_or_else(|error| json!({ "error": error.to_string() }))
}
