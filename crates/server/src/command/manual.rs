//! `rowhouse manual`: the pages of the manual and the completions of shells, as files for packages.
//!
//! Not here: the grammar that they are made from (`super::grammar`).

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::{Arg, ArgMatches, Command};
use clap_complete::Shell;
use clap_mangen::Man;

/// The command line of this command.
pub fn grammar() -> Command {
    let into = Arg::new("into").long("into").value_name("DIR").required(true);
    Command::new("manual")
        .about("Writes the pages of the manual and completions for shells")
        .arg(into.help("Where to; made if it is missing"))
}

/// Writes `man1/*.1`, and a file for each shell under the name that it looks for.
///
/// # Errors
/// Those of the directory and its files.
pub fn run(flags: &ArgMatches) -> anyhow::Result<ExitCode> {
    let into = Path::new(flags.get_one::<String>("into").expect("required"));
    write(into).with_context(|| format!("cannot write the manual into {}", into.display()))?;
    Ok(ExitCode::SUCCESS)
}

fn write(into: &Path) -> anyhow::Result<()> {
    let mut grammar = super::grammar();
    grammar.build();
    let pages = into.join("man1");
    fs::create_dir_all(&pages)?;
    fs::write(pages.join("rowhouse.1"), page(&grammar, "rowhouse")?)?;
    for command in grammar.get_subcommands().filter(|command| command.get_name() != "help") {
        let name = format!("rowhouse-{}", command.get_name());
        fs::write(pages.join(format!("{name}.1")), page(command, &name)?)?;
    }
    for (shell, name) in
        [(Shell::Bash, "rowhouse.bash"), (Shell::Zsh, "_rowhouse"), (Shell::Fish, "rowhouse.fish")]
    {
        let mut text = Vec::new();
        clap_complete::generate(shell, &mut super::grammar(), "rowhouse", &mut text);
        fs::write(into.join(name), text)?;
    }
    Ok(())
}

fn page(command: &Command, title: &str) -> anyhow::Result<Vec<u8>> {
    let mut text = Vec::new();
    Man::new(command.clone()).title(title).render(&mut text)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_and_setting_is_in_the_manual_and_completed() {
        let directory = tempfile::tempdir().unwrap();
        write(directory.path()).unwrap();
        let read = |name: &str| fs::read_to_string(directory.path().join(name)).unwrap();
        let whole = read("man1/rowhouse.1");
        let serve = read("man1/rowhouse-serve.1").replace('\\', "");
        for command in super::super::grammar().get_subcommands() {
            assert!(whole.replace('\\', "").contains(command.get_name()), "{}", command.get_name());
            assert!(read("rowhouse.bash").contains(command.get_name()));
        }
        for setting in crate::settings::table::all() {
            assert!(serve.contains(&format!("--{}", setting.name)), "{}", setting.name);
            assert!(read("_rowhouse").contains(setting.name), "{}", setting.name);
        }
    }
}
