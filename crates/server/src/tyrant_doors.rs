//! The Tyrant doors: the first one, and one more for each further database that the settings name.
//!
//! Invariants
//! 1. A script that does not run keeps the server from starting, with the script's error.
//! 2. Functions of scripts end before the rows are closed.
//!
//! Not here: the protocol (`doors::tyrant`), listeners (`open_doors`).

use std::path::Path;
use std::sync::Arc;

use anyhow::Context as _;
use doors::tyrant::{
    self, Clockwork, DatabaseName, FAILED, ScriptOptions, Scripts, Tyrant, TyrantShared,
};
use doors::{DoorClient, DoorLogins};
use resources::budget::Budget;
use rows::Engine;

use crate::copies::Copies;
use crate::door_figures::{any_address, show_count, show_failed_logins};
use crate::net::connection::Door;
use crate::net::connection_places::Admission;
use crate::net::poller::READ_BYTES;
use crate::settings::Settings;

/// What is still to be done when nobody is served any more.
pub type Last = Box<dyn FnOnce() + Send>;

/// Makes a database's table if it is missing, its door, and what ends it.
///
/// # Errors
/// Those of making the database's table, of the directory for copies, and of the script's text.
pub fn open(
    settings: &Settings,
    engine: &Arc<Engine>,
    (name, admission): (&'static str, Admission),
    database: &DatabaseName,
    logins: Arc<DoorLogins>,
    (is_first, stash): (bool, &Arc<Budget>),
) -> anyhow::Result<(Door, Option<Last>)> {
    tyrant::prepare(engine, database)
        .with_context(|| format!("cannot make {database}, the table of the {name} door"))?;
    let copies = settings.tyrant_copies.as_deref();
    let copies = copies.map(|directory| Copies::new(directory, &settings.data_dir)).transpose()?;
    let copy = copies.map(|copies| -> tyrant::Copy {
        Box::new(move |path, engine| {
            copies.take(path, &**engine.store()).map_err(|error| format!("{error:#}"))
        })
    });
    let script = settings.tyrant_lua.as_deref();
    let scripts = script.map(|path| scripts(path, settings, engine, stash)).transpose()?;
    if is_first && scripts.is_some() {
        let bytes = stash.bytes_max();
        tracing::info!(
            bytes,
            "memory is set aside for the stashes of Lua scripts (tyrant-lua-stash)"
        );
        let stash = Arc::clone(stash);
        engine.metrics().register(move |figures| {
            figures.push(("tyrant_lua_stash_bytes".into(), stash.used().to_string()));
            figures.push(("tyrant_lua_stash_bytes_max".into(), stash.bytes_max().to_string()));
        });
    }
    let options = tyrant::TyrantOptions {
        database: database.clone(),
        request_bytes_max: settings.tyrant_request_max,
        copy,
        vanish: settings.tyrant_vanish,
        hosts: settings.tyrant_hosts.clone(),
        scripts,
    };
    let shared = Arc::new(TyrantShared::new(engine, options));
    let figure = |what: &str| format!("{}_{what}", name.replace('-', "_"));
    let counted = Arc::clone(&shared);
    show_count(engine, figure("refused"), move || counted.refused());
    let counted = Arc::clone(&shared);
    show_count(engine, figure("failed"), move || counted.failed());
    show_failed_logins(engine, name, &logins);
    let last = begin(&shared, settings, engine, is_first)?;
    let door = Door {
        name,
        admission,
        limit_set: None,
        converse: Arc::new(move |peer| {
            let client = DoorClient::new(logins.clone(), any_address(peer));
            Box::new(Tyrant::new(shared.clone(), client))
        }),
        // The protocol has no words for it: who is not wanted finds the connection closed.
        refusal: Vec::new(),
        overload: vec![FAILED],
        fault: vec![FAILED],
        // A request, and what follows it in the same read.
        input_bytes_max: settings.tyrant_request_max + 16 * READ_BYTES,
        tls: None,
        listed_in: None,
    };
    Ok((door, last))
}

/// Reads and runs the script.
fn scripts(
    path: &Path,
    settings: &Settings,
    engine: &Arc<Engine>,
    stash: &Arc<Budget>,
) -> anyhow::Result<Scripts> {
    let name = path.display().to_string();
    let text =
        std::fs::read(path).with_context(|| format!("cannot read tyrant-lua = \"{name}\""))?;
    let options = ScriptOptions {
        name: name.clone(),
        text,
        time_max: settings.tyrant_lua_timeout,
        memory_bytes_max: settings.tyrant_lua_memory,
        stash: Arc::clone(stash),
        states_max: settings.tyrant_lua_states,
    };
    let failed = |why| anyhow::anyhow!("tyrant-lua = \"{name}\": the script does not run: {why}");
    Scripts::new(engine, options).map_err(failed)
}

/// Begins a script, and its periodic functions; gives what ends both.
fn begin(
    shared: &Arc<TyrantShared>,
    settings: &Settings,
    engine: &Arc<Engine>,
    is_first: bool,
) -> anyhow::Result<Option<Last>> {
    let Some(scripts) = &shared.options.scripts else { return Ok(None) };
    scripts.begin(shared, engine);
    let functions = if is_first { &settings.tyrant_periodic[..] } else { &[] };
    let clockwork = Clockwork::start(shared, engine, functions)
        .context("cannot start a thread for tyrant-periodic")?;
    let (shared, engine) = (Arc::clone(shared), Arc::clone(engine));
    Ok(Some(Box::new(move || {
        drop(clockwork);
        if let Some(scripts) = &shared.options.scripts {
            scripts.end(&shared, &engine);
        }
    })))
}
