//! `rowhouse dump`: tables as SQL text on standard output.
//!
//! Not here: the text (`load::dump`), the way to the rows (`link`).

use std::io::{BufWriter, ErrorKind, stdout};
use std::process::ExitCode;

use ::load::{DumpOptions, TableChoice, dump};
use anyhow::bail;
use clap::{Arg, ArgAction, ArgMatches, Command};

use super::progress::Progress;
use super::{link, tell};
use crate::causes::with_causes;
use crate::settings::Settings;

const OUT_BYTES: usize = 1 << 20;

/// The command's flags.
pub fn grammar() -> Command {
    let list = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(value).value_delimiter(',').help(help)
    };
    let all = Arg::new("all").long("all").action(ArgAction::SetTrue);
    let command = Command::new("dump")
        .about("Writes tables as SQL text that MariaDB, MySQL and `rowhouse load` read")
        .arg(all.help("All databases; so without --databases and --tables, too"))
        .arg(list("databases", "NAMES", "These databases, separated by commas"))
        .arg(list("tables", "NAMES", "These tables, as database.table, separated by commas"))
        .arg(accounts().help("Accounts, their stored passwords and grants, too"))
        .arg(quiet());
    let command = command.group(clap::ArgGroup::new("what").args(["all", "databases", "tables"]));
    link::with_flags(command)
}

/// Accounts.
pub(super) fn accounts() -> Arg {
    Arg::new("accounts").long("accounts").action(ArgAction::SetTrue)
}

/// No progress.
pub(super) fn quiet() -> Arg {
    let quiet = Arg::new("quiet").long("quiet").short('q').action(ArgAction::SetTrue);
    quiet.help("Shows no progress")
}

/// Dumps to standard output; the summary goes to standard error.
///
/// # Errors
/// Those of reaching the rows and of closing them. A dump that is not whole is told of, and gives
/// exit code 1.
pub fn run(settings: &Settings, flags: &ArgMatches) -> anyhow::Result<ExitCode> {
    let names = |name: &str| flags.get_many::<String>(name).map(|names| names.cloned().collect());
    let wanted = match (names("databases"), names("tables")) {
        (Some(databases), _) => TableChoice::Databases(databases),
        (None, Some(tables)) => TableChoice::Tables(pairs(tables)?),
        (None, None) => TableChoice::All,
    };
    let options = DumpOptions {
        wanted,
        accounts: flags.get_flag("accounts"),
        version: super::VERSION.to_owned(),
    };
    let quiet = flags.get_flag("quiet");
    let mut reached = link::reach(settings, flags, false)?;
    let mut progress = Progress::new("dumping", None, quiet);
    let out = BufWriter::with_capacity(OUT_BYTES, stdout().lock());
    let dumped = dump(&mut reached.client, &options, out, &mut progress);
    let seconds = progress.elapsed().as_secs_f64();
    drop(progress);
    match dumped {
        Ok(dumped) => {
            if !quiet {
                let (tables, rows, bytes) = (dumped.tables, dumped.rows, dumped.bytes);
                tell(&format!(
                    "dumped {tables} tables, {rows} rows, {bytes} bytes in {seconds:.1} s"
                ));
            }
            reached.end(true)
        }
        // The reader of the dump has read enough; the exit code says that it is not whole.
        Err(::load::Error::Io { source, .. }) if source.kind() == ErrorKind::BrokenPipe => {
            reached.end(false)
        }
        Err(error) => {
            tell(&format!("rowhouse: {}", with_causes(&error)));
            reached.end(false)
        }
    }
}

fn pairs(names: Vec<String>) -> anyhow::Result<Vec<(String, String)>> {
    let pair = |name: &String| match name.split_once('.') {
        Some((database, table)) if !database.is_empty() && !table.is_empty() => {
            Ok((database.to_owned(), table.to_owned()))
        }
        _ => bail!("--tables takes database.table, and {name:?} is none"),
    };
    names.iter().map(pair).collect()
}
