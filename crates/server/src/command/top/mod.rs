//! `rowhouse top`: the first screen of the operator's page in a terminal, renewed every second.
//!
//! ```text
//! on a terminal     redrawn until q or Ctrl-C; the server may stop and start meanwhile
//! --once            one screen as plain text
//! --json            the same as one JSON object
//! ```
//! Invariants
//! 1. What the server says is text: nothing in it moves the cursor or changes the terminal.
//! 2. The terminal is left as it was found, however the command ends, but for SIGKILL.
//!
//! Not here: what the server says (`crate::page`), the ways to it (`source`).

mod overview;
mod screen;
mod source;
mod terminal;

use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use clap::{Arg, ArgAction, ArgMatches, Command};

use super::link;
use crate::settings::Settings;
use overview::{Overview, TopMoment};
use source::TopSource;
use terminal::{RawTerminal, TerminalEvent};

/// Columns of a screen that is no terminal's.
const PLAIN_COLUMNS: usize = 120;
/// Its lines.
const PLAIN_LINES: usize = 60;

/// The command's flags.
pub fn grammar() -> Command {
    let flag = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).action(ArgAction::SetTrue).help(help)
    };
    let command = Command::new("top")
        .about("Shows what a running server does, second by second")
        .arg(flag("once", "One screen as plain text, of one interval"))
        .arg(flag("json", "The same as one JSON object"))
        .arg(
            Arg::new("interval")
                .long("interval")
                .value_name("SECONDS")
                .default_value("1")
                .value_parser(clap::value_parser!(u16).range(1..=3600))
                .help("Seconds between two screens"),
        );
    link::with_flags(command)
}

/// Shows the server of a data directory, or the one that the flags name.
///
/// # Errors
/// When no server gives a whole answer at first, or there is no terminal to draw on.
pub fn run(settings: &Settings, flags: &ArgMatches) -> anyhow::Result<ExitCode> {
    let seconds = flags.get_one::<u16>("interval").copied().unwrap_or(1);
    let interval = Duration::from_secs(u64::from(seconds));
    let mut source = TopSource::of(settings, flags);
    let name = source.name();
    let first = source.look().with_context(|| format!("cannot look at {name}"))?;
    if flags.get_flag("once") || flags.get_flag("json") {
        std::thread::sleep(interval);
        let overview = Overview::between(&first, &source.look()?);
        return match flags.get_flag("json") {
            true => super::print(&format!("{}\n", overview.json())),
            false => super::print(&plain(&screen::lines(&overview, PLAIN_COLUMNS, PLAIN_LINES))),
        };
    }
    let Some(mut terminal) = RawTerminal::take()? else {
        bail!("this is no terminal: `rowhouse top --once` or `--json` is for scripts and pipes");
    };
    watch(&mut terminal, &mut source, first, interval)?;
    Ok(ExitCode::SUCCESS)
}

fn plain(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{}\n", line.trim_end())).collect()
}

/// Draws until the user or a signal ends it.
fn watch(
    terminal: &mut RawTerminal,
    source: &mut TopSource<'_>,
    first: TopMoment,
    interval: Duration,
) -> anyhow::Result<()> {
    let mut before = first;
    let mut shown: Result<Overview, String> = Ok(Overview::between(&before, &before));
    loop {
        let due = Instant::now() + interval;
        loop {
            let (columns, lines) = terminal.size();
            let drawn = match &shown {
                Ok(overview) => screen::lines(overview, columns, lines),
                Err(why) => screen::failure(why, columns),
            };
            terminal.draw(&drawn)?;
            match terminal.wait(due)? {
                TerminalEvent::End => return Ok(()),
                // The size may be another one.
                TerminalEvent::Resized | TerminalEvent::Other => {}
                TerminalEvent::Nothing => break,
            }
        }
        shown = match source.look() {
            Ok(moment) => {
                let overview = Overview::between(&before, &moment);
                before = moment;
                Ok(overview)
            }
            Err(error) => Err(format!("{error:#}")),
        };
    }
}
