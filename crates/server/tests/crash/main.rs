//! The end comes suddenly while all doors write, by a cut of the power or by kill -9, and what is
//! left is held against what the clients were told.
//!
//! Power cuts: what a disk would hold is all that is left. The server runs on a file layer (crate
//! `faults`) that records every change and every sync; from one record come any number of disks,
//! cut at any moment, with any part of what was not synced. Each is opened, checked, and compared
//! with the accounts of the clients (`judge` has the rules); some are opened by a real server and
//! looked at through its doors.
//!
//! Backups and restores: commands of their own run on the same layer, and cuts fall into them
//! (`command_cuts`).
//!
//! Kills: the operating system keeps what it was handed; nothing answered is lost under any
//! durability (`kills`).
//!
//! `ROWHOUSE_CUTS=5000` makes so many cuts under each durability, and amid backups, instead of a
//! few, `ROWHOUSE_KILLS=500` so many kills; `make crashes` does both. A failure of a cut keeps its
//! recording and prints the `ROWHOUSE_CUT_AGAIN` with which this one cut is made again.

mod account;
mod by_column;
mod command_cuts;
mod commands;
mod cuts;
mod doors;
mod found;
mod judge;
mod keys;
mod kills;
mod lines;
mod load;
#[path = "../support/mysql.rs"]
mod mysql;
mod recording;
mod schema;
mod segments;
mod sql_rows;
#[path = "../support/mod.rs"]
mod support;

use std::env;
use std::path::Path;

use command_cuts::{CommandFigures, cut_commands_and_judge, moments_of_commands};
use commands::record_commands;
use cuts::{Cut, Figures, Wrong, cut_and_judge, moments, write_disk};
use kills::kill_again_and_again;
use load::LONE;
use recording::{Recording, record, record_lone};

const CUTS: u64 = 60;
/// Cuts of one recording, and steps of each writer in it.
const CUTS_EACH: u64 = 250;
const STEPS: usize = 1200;

/// Cuts amid backups and restores, and of one recording of them.
const COMMAND_CUTS: u64 = 20;
const COMMAND_CUTS_EACH: u64 = 60;

const KILLS: u64 = 15;

fn wanted(name: &str, default: u64) -> u64 {
    let given = env::var(name).ok();
    given.map_or(default, |text| text.parse().expect("a number"))
}

fn cuts_wanted() -> u64 {
    wanted("ROWHOUSE_CUTS", CUTS)
}

/// Keeps what is needed to make a cut again, and ends the test.
fn fail(recording: &Recording, wrong: Wrong) -> ! {
    let (kept, durability) = (recording.keep(), &recording.durability);
    let Cut { position, seed } = wrong.cut;
    panic!(
        "{durability}, cut after record {position} with seed {seed}: {}\nagain with \
         ROWHOUSE_CUT_AGAIN='{} {position} {seed}' and the test a_kept_cut_is_made_again",
        wrong.why,
        kept.display()
    );
}

/// Cuts by the durability that the server has; a wrong one ends the test.
fn cut_the_power(durability: &str) -> Figures {
    let mut figures = Figures::default();
    let mut seed = 1;
    while figures.cuts < cuts_wanted() {
        let recording = record(durability, seed, STEPS);
        // One that sealed recent rows, and one that made new segments of worn ones.
        assert!(recording.rounds >= 2, "{} rounds of the mover", recording.rounds);
        let count = CUTS_EACH.min(cuts_wanted() - figures.cuts);
        match cut_and_judge(&recording, durability, &moments(&recording, count, seed)) {
            Ok(more) => figures += more,
            Err(wrong) => fail(&recording, wrong),
        }
        eprintln!("{durability}: {figures}");
        seed += 1;
    }
    assert!(figures.sealed > 0, "no cut left a segment");
    figures
}

#[test]
fn a_power_cut_loses_nothing_answered_or_read_under_every_commit() {
    let figures = cut_the_power("every-commit");
    assert!(figures.laid_out > 0);
    assert!(figures.stake.lost == 0 && figures.stake.told > 0 && figures.stake.under_way > 0);
}

#[test]
fn a_power_cut_amid_commits_that_the_loop_makes_itself_loses_nothing_answered() {
    let (mut figures, mut in_loop) = (Figures::default(), 0);
    for seed in 0.. {
        let (recording, more) = record_lone(seed, STEPS / 4);
        in_loop += more;
        let count = (cuts_wanted() / LONE).clamp(1, CUTS_EACH);
        match cut_and_judge(&recording, "every-commit", &moments(&recording, count, seed)) {
            Ok(more) => figures += more,
            Err(wrong) => fail(&recording, wrong),
        }
        eprintln!("alone: {figures}; {in_loop} commits in the loop");
        // Each kind of writer once.
        if seed + 1 >= LONE && figures.cuts >= cuts_wanted() {
            break;
        }
    }
    assert!(figures.stake.lost == 0 && figures.stake.told > 0 && figures.stake.under_way > 0);
    assert!(in_loop > 0 && figures.laid_out > 0);
}

#[test]
fn a_power_cut_loses_at_most_a_second_under_every_second() {
    let figures = cut_the_power("every-second");
    // Else no second was at stake.
    assert!(figures.stake.lost > 0);
}

#[test]
fn a_power_cut_leaves_a_sound_prefix_under_os() {
    let figures = cut_the_power("os");
    assert!(figures.stake.lost > 0);
}

#[test]
fn a_power_cut_amid_backups_and_restores_leaves_them_whole_or_none() {
    let wanted = wanted("ROWHOUSE_CUTS", COMMAND_CUTS);
    let mut figures = CommandFigures::default();
    let mut seed = 1;
    while figures.cuts < wanted {
        let durability = ["every-commit", "os", "every-second"][seed as usize % 3];
        let recording = record_commands(durability, seed);
        let count = COMMAND_CUTS_EACH.min(wanted - figures.cuts);
        let cuts = moments_of_commands(&recording, count, seed);
        match cut_commands_and_judge(&recording, &cuts) {
            Ok(more) => figures += more,
            Err(wrong) => fail(&recording, wrong),
        }
        eprintln!("backups, {durability}: {figures}");
        seed += 1;
    }
    assert!(figures.amid_backups > figures.unfinished || figures.unfinished > 0);
    assert!(figures.backups > 0 && figures.restores > 0 && figures.amid_restores > 0);
}

#[test]
fn a_kill_loses_nothing_answered_at_any_door_under_any_durability() {
    let stake = kill_again_and_again(wanted("ROWHOUSE_KILLS", KILLS));
    assert!(stake.told > 0 && stake.under_way > 0);
}

/// The judge has teeth: a server that acknowledges before it syncs is found out.
#[test]
fn a_server_that_does_not_sync_is_found_out_by_the_rule_of_every_commit() {
    let recording = record("os", 7, 300);
    let wrong = cut_and_judge(&recording, "every-commit", &moments(&recording, 20, 7));
    assert!(wrong.is_err());
}

/// What a failure has kept, as it says; without it, nothing.
#[test]
fn a_kept_cut_is_made_again() {
    let Ok(given) = env::var("ROWHOUSE_CUT_AGAIN") else {
        return;
    };
    let words: Vec<&str> = given.split(' ').collect();
    let number = |at: usize| words[at].parse().expect("a number");
    let recording = Recording::kept(Path::new(words[0]));
    let cut = Cut { position: number(1), seed: number(2) };
    let disk = Path::new(words[0]).join("disk");
    write_disk(&recording, cut, &disk);
    eprintln!("the disk is in {}", disk.display());
    let judged = match recording.commands.is_empty() {
        true => cut_and_judge(&recording, &recording.durability, &[cut])
            .map(|figures| figures.to_string()),
        false => cut_commands_and_judge(&recording, &[cut]).map(|figures| figures.to_string()),
    };
    match judged {
        Ok(figures) => eprintln!("as it should be: {figures}"),
        Err(wrong) => panic!("{}", wrong.why),
    }
}
