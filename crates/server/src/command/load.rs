//! `rowhouse load`: a file of SQL text, as mysqldump and `rowhouse dump` write it, into the rows.
//!
//! Not here: the loading (`load::load`), the way to the rows (`link`).

use std::fs::File;
use std::io::{Read, stdin};
use std::process::ExitCode;

use ::load::{LoadOptions, LoadTotals, load};
use anyhow::Context as _;
use clap::{Arg, ArgAction, ArgMatches, Command};

use super::progress::Progress;
use super::{dump, link, tell};
use crate::settings::Settings;

/// Room for a packet's head in the server's limit.
const HEAD_BYTES: usize = 1024;

/// The command's flags.
pub fn grammar() -> Command {
    let file = Arg::new("file").value_name("FILE").default_value("-");
    let database = Arg::new("database").long("database").value_name("NAME");
    let force = Arg::new("force").long("force").action(ArgAction::SetTrue);
    let command = Command::new("load")
        .about("Loads SQL text, such as mysqldump's, mariadb-dump's and `rowhouse dump`'s")
        .arg(file.help("The file; - is standard input"))
        .arg(database.help("The database to begin with, for a file that names none"))
        .arg(force.help("Goes on behind statements that fail; exit code 1 all the same"))
        .arg(
            dump::accounts()
                .help("Makes accounts and grants as the file says, which is left out otherwise"),
        )
        .arg(dump::quiet());
    link::with_flags(command)
}

/// Loads; the summary goes to standard error.
///
/// # Errors
/// Those of opening the file, of reaching the rows and of closing them. A statement that fails is
/// told of with its line, and gives exit code 1.
pub fn run(settings: &Settings, flags: &ArgMatches) -> anyhow::Result<ExitCode> {
    let name = flags.get_one::<String>("file").cloned().unwrap_or_default();
    let (reader, bytes, file): (Box<dyn Read>, _, _) = match name.as_str() {
        "-" => (Box::new(stdin().lock()), None, "standard input".to_owned()),
        path => {
            let file = File::open(path).with_context(|| format!("cannot open {path}"))?;
            let about = file.metadata().with_context(|| format!("cannot read {path}"))?;
            (Box::new(file), about.is_file().then_some(about.len()), name)
        }
    };
    let quiet = flags.get_flag("quiet");
    let options = LoadOptions {
        file,
        database: flags.get_one::<String>("database").cloned(),
        force: flags.get_flag("force"),
        accounts: flags.get_flag("accounts"),
        statement_bytes_max: settings.packet_max.saturating_sub(HEAD_BYTES),
    };
    let mut reached = link::reach(settings, flags, true)?;
    let mut progress = Progress::new("loading", bytes, quiet);
    let loaded = load(&mut reached.client, reader, &options, &mut progress);
    let seconds = progress.elapsed().as_secs_f64();
    drop(progress);
    match loaded {
        Ok(loaded) => {
            if !quiet {
                tell(&summary(&loaded, seconds));
            }
            reached.end(loaded.failed == 0)
        }
        Err(error) => {
            tell(&format!("rowhouse: {error}"));
            reached.end(false)
        }
    }
}

fn summary(loaded: &LoadTotals, seconds: f64) -> String {
    let LoadTotals { rows, statements, .. } = loaded;
    let rate = *rows as f64 / seconds.max(1e-3);
    let mut text = format!(
        "loaded {rows} rows with {statements} statements in {seconds:.1} s, {rate:.0} rows/s"
    );
    if !loaded.skipped.is_empty() {
        let list: Vec<String> =
            loaded.skipped.iter().map(|(thing, count)| format!("{count} {thing}")).collect();
        text.push_str(&format!("; skipped: {}", list.join(", ")));
    }
    if loaded.warnings > 0 {
        text.push_str(&format!("; {} warnings", loaded.warnings));
    }
    if loaded.failed > 0 {
        text.push_str(&format!("; {} statements failed", loaded.failed));
    }
    text
}
