//! kill -9 at a random moment under the load of all doors, again and again on the same data: every
//! answered step is there afterwards, whatever the durability, and the check finds nothing.
//!
//! Each round has accounts of its own; what earlier rounds have left must stay as it was.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use faults::{Dice, Layer, Position};

use crate::account::{Account, Moment};
use crate::found::{Found, look};
use crate::judge::{Judge, Stake};
use crate::load::{Ends, prepare, start_writers};
use crate::recording::place;
use crate::support::{Running, run, wait_until};

/// Kills of one data directory; then a new one, so that reading all of it stays quick.
const KILLS_EACH: u64 = 20;
/// Steps of all writers before the kill, at most.
const STEPS_MAX: u64 = 4000;
const DURABILITIES: [&str; 3] = ["every-commit", "every-second", "os"];

/// Kills so many times; what was at stake.
pub fn kill_again_and_again(kills: u64) -> Stake {
    let mut stake = Stake::default();
    let mut killed = 0;
    while killed < kills {
        let count = KILLS_EACH.min(kills - killed);
        let more = kill_one_server(count, killed);
        stake.told += more.told;
        stake.under_way += more.under_way;
        killed += count;
        eprintln!("{killed} kills: {} answered, {} under way", stake.told, stake.under_way);
    }
    stake
}

fn kill_one_server(kills: u64, seed: u64) -> Stake {
    let base = place();
    let data_dir = base.path().join("data");
    // No process runs on it: the accounts need its page, which stands still.
    let layer = Layer::new(&data_dir, &base.path().join("layer")).expect("the layer");
    let position = || layer.position().expect("the layer's page");
    let mut dice = Dice::new(seed);
    let (mut stake, mut before, mut accounts) = (Stake::default(), Found::new(), 0);
    for kill in 0..kills {
        let durability = DURABILITIES[dice.below(3) as usize];
        // Copies of tables are under way beside statements of many rows: in 64 MiB one of these may
        // find no room for its locks.
        let durable = format!("--durability={durability}");
        let server = Running::start(&data_dir, &[&durable, "--memory=192MiB"]);
        if kill == 0 {
            prepare(&server);
        }
        let written = load_and_kill(server, &position, &mut dice, accounts);
        accounts += written.len() as u64;
        // A copy, so that it is a server that recovers from the kill.
        let copy = base.path().join("copy");
        copy_directory(&data_dir, &copy);
        let found = look(&copy).unwrap_or_else(|why| panic!("kill {kill}, {durability}: {why}"));
        fs::remove_dir_all(&copy).expect("no longer needed");
        let (old, new): (Found, Found) =
            found.into_iter().partition(|(name, _)| before.contains_key(name));
        assert!(old == before, "kill {kill}, {durability}: earlier rows have changed");
        let judge = Judge::new("every-commit", &written, &[], &[]);
        let cut = Moment { position: u64::MAX, nanos: u64::MAX };
        let of_kill = judge.judge(cut, &new);
        let of_kill = of_kill.unwrap_or_else(|why| panic!("kill {kill}, {durability}: {why}"));
        stake.told += of_kill.told;
        stake.under_way += of_kill.under_way;
        before = old.into_iter().chain(new).collect();
    }
    let checked = run(&["check", &format!("--data-dir={}", data_dir.display())]);
    let said = String::from_utf8_lossy(&checked.stdout);
    assert!(checked.status.success() && said.ends_with("no damage found\n"), "{said}");
    stake
}

/// Writes until a random moment, with accounts numbered behind `before`.
fn load_and_kill(
    server: Running,
    position: &dyn Fn() -> Position,
    dice: &mut Dice,
    before: u64,
) -> Vec<Account> {
    let begun = Arc::new(AtomicU64::new(0));
    let ends = Ends {
        seed: dice.below(1 << 32),
        steps_max: usize::MAX,
        ended: Arc::new(AtomicBool::new(false)),
        begun: begun.clone(),
    };
    let writers = start_writers(&server, position, &ends, before);
    let enough = 10 + dice.below(STEPS_MAX);
    wait_until("steps are made", || begun.load(Ordering::Relaxed) >= enough);
    server.kill();
    writers.into_iter().map(|writer| writer.join().expect("a writer")).collect()
}

fn copy_directory(from: &Path, to: &Path) {
    fs::create_dir(to).expect("a directory");
    for entry in fs::read_dir(from).expect("readable") {
        let entry = entry.expect("readable");
        let (is, to) = (entry.file_type().expect("a type"), to.join(entry.file_name()));
        if is.is_dir() {
            copy_directory(&entry.path(), &to);
        } else if is.is_file() {
            fs::copy(entry.path(), to).expect("the copy");
        }
    }
}
