//! The program's command line: one file per command.
//!
//! Invariants
//! 1. Exit codes: 0 done; 1 it failed, or damage was found; 2 the settings or the command line
//!    are wrong; 3 the data directory or the backups are in use by another process.
//! 2. A reader of the output that has gone (`| head`) is no error, and ends nothing but the output.
//!
//! Not here: what settings there are (`settings::table`).

pub mod backup;
pub mod check;
pub mod dump;
mod link;
pub mod load;
pub mod manual;
mod progress;
pub mod restore;
pub mod salvage;
mod secrets;
pub mod serve;
pub mod status;
mod top;

use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};
use rows_rocks::BackupError;

use crate::causes::with_causes;
use crate::data_dir::DataDirError;
use crate::private::keep_files_private;
use crate::settings::sample::sample;
use crate::settings::table::{SECTIONS, Setting, SettingKind};
use crate::settings::{Settings, SettingsError, Values};

/// The program's version.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

const FAILED: u8 = 1;
const WRONG_SETTINGS: u8 = 2;
const IN_USE: u8 = 3;

/// Runs what the command line asks for.
pub fn run() -> ExitCode {
    secrets::leave_command_line();
    keep_files_private();
    let matches = grammar().get_matches();
    let done = match matches.subcommand() {
        Some(("serve", flags)) => settings(flags).map_err(Into::into).and_then(serve::run),
        Some(("status", flags)) => settings(flags)
            .map_err(Into::into)
            .and_then(|settings| status::run(&settings, flags.get_flag("all"))),
        Some(("top", flags)) => {
            settings(flags).map_err(Into::into).and_then(|settings| top::run(&settings, flags))
        }
        Some(("dump", flags)) => {
            settings(flags).map_err(Into::into).and_then(|settings| dump::run(&settings, flags))
        }
        Some(("load", flags)) => {
            settings(flags).map_err(Into::into).and_then(|settings| load::run(&settings, flags))
        }
        Some(("check", flags)) => {
            settings(flags).map_err(Into::into).and_then(|settings| check::run(&settings, flags))
        }
        Some(("backup", flags)) => {
            settings(flags).map_err(Into::into).and_then(|settings| backup::run(&settings, flags))
        }
        Some(("restore", flags)) => {
            settings(flags).map_err(Into::into).and_then(|settings| restore::run(&settings, flags))
        }
        Some(("salvage", flags)) => {
            settings(flags).map_err(Into::into).and_then(|settings| salvage::run(&settings, flags))
        }
        Some(("manual", flags)) => manual::run(flags),
        Some(("sample", _)) => print(&sample()),
        _ => print(&format!("rowhouse {VERSION}\n")),
    };
    match done {
        Ok(code) => code,
        Err(error) => {
            tell(&format!("rowhouse: {}", with_causes(error.as_ref())));
            ExitCode::from(code_of(&error))
        }
    }
}

fn code_of(error: &anyhow::Error) -> u8 {
    if error.is::<SettingsError>() {
        return WRONG_SETTINGS;
    }
    let data_dir = matches!(error.downcast_ref(), Some(DataDirError::InUse { .. }));
    let backups = matches!(error.downcast_ref(), Some(BackupError::InUse(_)));
    if data_dir || backups { IN_USE } else { FAILED }
}

/// Writes to standard output; a reader that has gone is no error.
fn print(text: &str) -> anyhow::Result<ExitCode> {
    use std::io::Write as _;
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// Writes a line to standard error; a reader that has gone is no error. (`eprintln!` panics then.)
fn tell(line: &str) {
    use std::io::Write as _;
    let _ = std::io::stderr().write_all(format!("{line}\n").as_bytes());
}

/// The command line's grammar; flags are made from the table of settings.
pub fn grammar() -> Command {
    let serve = Command::new("serve").about("Serves the rows of a data directory");
    let serve = serve.next_line_help(true);
    let serve = SECTIONS.iter().fold(serve, |serve, section| {
        let flags = section.settings.iter().map(flag);
        serve.args(flags.map(|flag| flag.help_heading(section.heading)))
    });
    let with_data_dir = |command: Command| {
        let data_dir = crate::settings::table::find("data-dir").expect("in the table");
        command.arg(flag(data_dir)).arg(config())
    };
    let all = Arg::new("all").long("all").action(ArgAction::SetTrue);
    let all = all.help("Every figure, one a line, as `name value`");
    Command::new("rowhouse")
        .about("Rows with many doors: each row stored once, served to MySQL and HandlerSocket")
        .version(VERSION)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(serve.arg(config()))
        .subcommand(
            with_data_dir(Command::new("status").about("Asks a running server how it is")).arg(all),
        )
        .subcommand(with_data_dir(top::grammar()))
        .subcommand(with_data_dir(dump::grammar()))
        .subcommand(with_data_dir(load::grammar()))
        .subcommand(with_data_dir(check::grammar()))
        .subcommand(with_data_dir(backup::grammar()))
        .subcommand(with_data_dir(restore::grammar()))
        .subcommand(with_data_dir(salvage::grammar()))
        .subcommand(Command::new("sample").about("Prints a commented file of all settings"))
        .subcommand(manual::grammar())
        .subcommand(Command::new("version").about("Prints the version"))
}

fn config() -> Arg {
    Arg::new("config")
        .long("config")
        .value_name("FILE")
        .help("TOML file with settings [env: ROWHOUSE_CONFIG]; see `rowhouse sample`")
}

fn flag(setting: &'static Setting) -> Arg {
    let default = match setting.default {
        "" => String::new(),
        default => format!(" [default: {default}]"),
    };
    let words = match setting.kind {
        SettingKind::Choice(words) => format!(" [{}]", words.join(", ")),
        _ => String::new(),
    };
    Arg::new(setting.name)
        .long(setting.name)
        .value_name(setting.kind.value_name())
        .allow_hyphen_values(true)
        .help(format!("{}{words}{default}", setting.summary()))
}

/// Settings from the file, the environment and the flags of a command.
fn settings(flags: &ArgMatches) -> Result<Settings, SettingsError> {
    let mut values = Values::defaults();
    let file = flags.get_one::<String>("config").cloned();
    if let Some(file) = file.or_else(|| std::env::var("ROWHOUSE_CONFIG").ok()) {
        values.read_file(file.as_ref())?;
    }
    let variables = std::env::vars_os();
    let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
        Some((name.into_string().ok()?, value.to_string_lossy().into_owned()))
    };
    values.read_environment(variables.filter_map(text))?;
    for setting in crate::settings::table::all() {
        // A command that has only some of the flags does not know the others.
        let given = flags.try_get_one::<String>(setting.name).ok().flatten();
        if let Some(text) = given {
            values.set(setting.name, text.clone(), &format!("--{}", setting.name))?;
        }
    }
    Settings::new(&values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grammar_is_sound_and_has_a_flag_for_every_setting() {
        grammar().debug_assert();
        let serve = grammar().find_subcommand("serve").cloned().unwrap();
        for setting in crate::settings::table::all() {
            assert!(serve.get_arguments().any(|arg| arg.get_long() == Some(setting.name)));
        }
    }

    #[test]
    fn an_unknown_flag_is_named() {
        let wrong = grammar().try_get_matches_from(["rowhouse", "serve", "--mysqlport", "1"]);
        assert!(wrong.unwrap_err().to_string().contains("--mysqlport"));
    }
}
