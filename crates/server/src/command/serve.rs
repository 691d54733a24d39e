//! `rowhouse serve`: opens the rows and the doors, serves, and closes in good order.
//!
//! ```text
//! settings -> data directory locked -> doors bound -> rows opened -> loops started
//!   -> events begin -> ready line
//!   ... SIGTERM or SIGINT ...
//! systemd told -> events ended -> nobody accepted -> requests in flight answered -> connections closed
//!   -> scripts ended -> rows synced -> exit 0
//! ```
//! A second signal to stop ends the process at once, as does a failure of one of its threads; what
//! was acknowledged is on the disk in either case, as far as the durability promises. SIGHUP stops
//! nothing: certificates are read again. Settings hold for the life of the process, and log lines
//! go to standard error.
//!
//! Not here: which doors there are (`open_doors`).

use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use anyhow::Context as _;
use columnar::ColumnStore;
use resources::disk_room::is_disk_full;
use resources::spill::SpillDirectory;
use rows::{Engine, EngineOptions};
use rows_rocks::{RocksOptions, RocksStore};
use rustix::process::{Resource, Rlimit};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use sql::EventScheduler;

use crate::certificates;
use crate::data_dir::DataDir;
use crate::disk_watch;
use crate::frozen;
use crate::logging;
use crate::moving_rows::MovingRows;
use crate::net::connection::Door;
use crate::net::limits::Limits;
use crate::net::metrics::Metrics;
use crate::net::server::{Plan, Server};
use crate::open_doors::{BoundListeners, OpenDoors};
use crate::sd_notify::Notifier;
use crate::settings::Settings;

/// Open files that are not connections: the store's, listeners, logs.
const OTHER_FILES: u64 = 1024;

/// Serves until a signal asks to stop.
///
/// # Errors
/// Those of opening: the data directory, the rows, a door's address. Nobody has been served then.
/// And of closing the rows at the end.
pub fn run(settings: Settings) -> anyhow::Result<ExitCode> {
    logging::start(settings.log_level, settings.log_format);
    for warning in &settings.warnings {
        tracing::warn!("{warning}");
    }
    // Signals are caught before anything is opened: one that comes now is not lost.
    let mut signals = Signals::new([SIGTERM, SIGINT, SIGHUP]).context("cannot catch signals")?;
    let connections_max = make_room_for(settings.connections_max);
    let notifier = Notifier::from_environment();
    let data_dir = DataDir::take_or_make(&settings.data_dir)?;
    let bound = BoundListeners::new(&settings, &data_dir)?;
    let acceptor = certificates::acceptor(&settings, &data_dir)?;
    let (engine, store) = open_rows(&settings, &data_dir)?;
    if let Some(process) = data_dir.crashed() {
        tell_of_crash(process, &engine);
    }
    frozen::remove_when_released(&settings.data_dir);
    let addresses = bound.addresses();
    let OpenDoors { doors, listeners, last, sql, metrics: shown } =
        bound.open(&settings, &engine, acceptor.as_ref())?;
    let metrics = Metrics::new(settings.threads, doors.iter().map(|door| door.name).collect());
    let metrics = Arc::new(metrics);
    let metrics = shown.get_or_init(|| metrics).clone();
    register_figures(&engine, &metrics, &addresses);
    register_limits(&engine, connections_max, &doors);
    disk_watch::start(&engine, &settings.data_dir)
        .context("cannot start the thread that looks at the disks")?;
    let limits = Limits {
        connections_max,
        idle: settings.idle_timeout,
        login: settings.login_timeout,
        request: settings.request_timeout,
        stalled: settings.send_timeout,
        busy_poll: settings.busy_poll,
        vanished: settings.vanished_timeout,
    };
    let plan = Plan { engine: engine.clone(), doors, listeners, metrics, limits };
    let server = Server::start(plan).context("cannot start the event loops")?;
    let moving_rows = MovingRows::start(&engine, store)?;
    let events = EventScheduler::start(&sql).context("cannot start the event scheduler")?;
    let access = Arc::clone(sql.access());
    let reload = move || {
        certificates::reload_at_hangup(acceptor.as_deref());
        sql.reopen_logs();
    };
    let pid_file = settings.pid_file.as_deref().map(PidFile::write).transpose()?;
    super::tell(&format!("rowhouse ready{}", ready(&addresses)));
    notifier.ready();
    let pulse = server.pulse();
    notifier
        .watch(move |within| pulse.is_felt(within))
        .context("cannot start the thread that tells the watchdog")?;

    let first = next_to_stop(&mut signals, &reload);
    tracing::info!(signal = first, "stopping: requests in flight are finished");
    notifier.stopping();
    drop(reload);
    std::thread::spawn(move || {
        if next_to_stop(&mut signals, &|| ()).is_some() {
            tracing::warn!("second signal: ending at once");
            std::process::exit(1);
        }
    });
    events.stop(settings.shutdown_timeout);
    server.stop(settings.shutdown_timeout);
    last.into_iter().for_each(|end| end());
    moving_rows.stop();
    if let Some(audit) = access.audit() {
        audit.close();
    }
    engine.close().context("cannot close the rows")?;
    drop(engine);
    drop(pid_file);
    drop(data_dir);
    tracing::info!("stopped");
    // Everything is synced and closed. Threads that still end (queries, the pool) must not meet
    // the C++ library's destructors, which an ordinary exit runs beside them.
    signal_hook::low_level::exit(0)
}

/// Waits for a signal to stop; SIGHUP reads certificates again and reopens log files.
fn next_to_stop(signals: &mut Signals, reload: &dyn Fn()) -> Option<i32> {
    signals.forever().find(|&signal| {
        let hangup = signal == SIGHUP;
        if hangup {
            reload();
        }
        !hangup
    })
}

fn ready(addresses: &[(String, String)]) -> String {
    addresses.iter().map(|(door, address)| format!(" {door}={address}")).collect()
}

/// Opens the rows as the settings want them.
pub(super) fn open_rows(
    settings: &Settings,
    data_dir: &DataDir,
) -> anyhow::Result<(Arc<Engine>, ColumnStore<RocksStore>)> {
    let options = RocksOptions {
        memory_bytes: settings.store_memory() as usize,
        recovery_max: settings.recovery_max,
        ..Default::default()
    };
    let columns_bytes = options.lendable_bytes();
    let store = RocksStore::open(&data_dir.rows(), &options).context("cannot open the rows")?;
    let temporary = data_dir.temporary(settings.temp_dir.as_deref());
    let spill = match SpillDirectory::open(&temporary) {
        // Rows can be read without it.
        Err(error) if is_disk_full(&error) => {
            tracing::warn!(%error, "no directory for temporary files: large statements will fail");
            None
        }
        opened => Some(opened.with_context(|| {
            format!("cannot use the directory for temporary files, {}", temporary.display())
        })?),
    };
    let options = EngineOptions {
        durability: settings.durability,
        lock_wait_max: settings.lock_wait,
        row_cache_bytes: settings.row_cache_memory() as usize,
        client_bytes: settings.client_memory() as usize,
        spill,
        make_rules: sql::make_rules,
        ..Default::default()
    };
    let store = ColumnStore::new(store, columns_bytes);
    let engine =
        Engine::open(Arc::new(store.clone()), options).context("cannot open the catalog")?;
    Ok((engine, store))
}

/// Says that the last process has not ended in good order, and what the log had of its writes.
fn tell_of_crash(process: u32, engine: &Engine) {
    let figures = engine.store().status().figures;
    let figure = |name: &str| {
        figures.iter().find(|(known, _)| known == name).map_or(0, |(_, figure)| *figure)
    };
    tracing::warn!(
        process,
        log_bytes = figure("log-bytes-replayed"),
        batches = figure("log-batches-replayed"),
        milliseconds = figure("log-replay-micros") / 1000,
        "the last process did not end in good order; what its log holds was replayed"
    );
}

/// Makes the figures of loops and store known under the engine's metrics.
fn register_figures(engine: &Arc<Engine>, metrics: &Arc<Metrics>, addresses: &[(String, String)]) {
    let metrics = metrics.clone();
    engine.metrics().register(move |figures| figures.extend(metrics.report()));
    let about: Vec<(String, String)> =
        [
            ("version".to_owned(), super::VERSION.to_owned()),
            ("pid".to_owned(), std::process::id().to_string()),
        ]
        .into_iter()
        .chain(addresses.iter().map(|(door, address)| {
            (format!("address_{}", door.replace('-', "_")), address.clone())
        }))
        .collect();
    engine.metrics().register(move |figures| figures.extend(about.iter().cloned()));
    let cache = engine.cache().clone();
    engine.metrics().register(move |figures| {
        let status = cache.status();
        for (name, value) in [
            ("row_cache_rows", status.rows),
            ("row_cache_bytes", status.bytes),
            ("row_cache_bytes_max", status.bytes_max),
            ("row_cache_hits", status.hits),
            ("row_cache_misses", status.misses),
            ("index_image_bytes", status.image_bytes),
            ("sort_bytes_of_row_cache", status.lent_bytes),
        ] {
            figures.push((name.into(), value.to_string()));
        }
    });
    let budget = engine.budget().clone();
    engine.metrics().register(move |figures| {
        figures.push(("client_memory_bytes".into(), budget.used().to_string()));
        figures.push(("client_memory_bytes_max".into(), budget.bytes_max().to_string()));
    });
    let of = Arc::downgrade(engine);
    engine.metrics().register(move |figures| {
        let percent = of
            .upgrade()
            .map_or(0, |engine| engine.asked_keys().hottest_percent(engine.unix_seconds()));
        figures.push(("hot_key_percent".into(), percent.to_string()));
    });
    // The store, not the engine: the engine owns this closure.
    let store = engine.store().clone();
    engine.metrics().register(move |figures| {
        let status = store.status();
        figures.push(("store".into(), status.name));
        figures.push(("row_lock_waiters".into(), store.row_lock_waits().len().to_string()));
        figures.push(("store_disk_bytes".into(), status.disk_bytes.to_string()));
        figures.push(("store_memory_bytes".into(), status.memory_bytes.to_string()));
        figures.extend(status.figures.into_iter().map(|(name, value)| {
            let name = name.replace(['-', '.'], "_");
            (format!("store_{name}"), value.to_string())
        }));
    });
}

/// Makes it known how many connections there may be.
fn register_limits(engine: &Engine, connections_max: usize, doors: &[Door]) {
    let of_door = |door: &Door| {
        let name = format!("{}_connections_max", door.name.replace('-', "_"));
        (name, door.admission.most(connections_max), door.limit_set.as_ref().map(Arc::clone))
    };
    let doors: Vec<_> = doors.iter().map(of_door).collect();
    engine.metrics().register(move |figures| {
        figures.push(("connections_max".to_owned(), connections_max.to_string()));
        figures.extend(doors.iter().map(|(name, most, set)| {
            let set = set.as_ref().map_or(usize::MAX, |set| set.load(Ordering::Relaxed));
            (name.clone(), set.min(*most).to_string())
        }));
    });
}

/// Raises the limit on open files as far as the system lets us; gives how many connections there
/// may be then, of so many that are wanted.
fn make_room_for(connections: usize) -> usize {
    let limit = rustix::process::getrlimit(Resource::Nofile);
    let wanted = connections as u64 + OTHER_FILES;
    let highest = Rlimit { current: limit.maximum, maximum: limit.maximum };
    let raised = match rustix::process::setrlimit(Resource::Nofile, highest) {
        Ok(()) => limit.maximum,
        Err(_) => limit.current,
    };
    let current = raised.unwrap_or(u64::MAX);
    if current >= wanted {
        return connections;
    }
    let room = current.saturating_sub(OTHER_FILES).max(current / 2) as usize;
    if room < connections {
        tracing::warn!(
            connections = room,
            asked = connections,
            "the system's limit on open files allows fewer connections than max-connections"
        );
    }
    room.min(connections)
}

/// A file that holds the process number while the server runs.
struct PidFile<'a>(&'a Path);

impl PidFile<'_> {
    fn write(path: &Path) -> anyhow::Result<PidFile<'_>> {
        fs::write(path, format!("{}\n", std::process::id()))
            .with_context(|| format!("cannot write the pid file {}", path.display()))?;
        Ok(PidFile(path))
    }
}

impl Drop for PidFile<'_> {
    fn drop(&mut self) {
        // A file that is gone already is as good.
        let _ = fs::remove_file(self.0);
    }
}
