//! Tokyo Cabinet at the wall: its hash database inside the program that plays, within the same
//! limit of memory as a server. What it shows is what a store can do whom nobody has to ask through
//! a socket.
//!
//! The program judges each value that it reads; here some rows are judged once more by the rows of
//! all contenders, so that it plays with the same ones.

use anyhow::{Context, Result, ensure};

use super::contender::{WallContender, WindowOutcome};
use super::{RequestKind, WallOptions};
use crate::experiments::game::world::World;
use crate::experiments::memory_limit::MemoryLimit;
use crate::peers::{CabinetGame, CabinetSettings, CabinetWindow, EngineSettings, TOKYO_CABINET};
use crate::users::mix;

/// Rows that are compared with those of all contenders at the end.
const COMPARED: u64 = 200;

/// The program with its rows.
pub struct EmbeddedProgram {
    program: CabinetGame,
    world: World,
}

impl EmbeddedProgram {
    /// Starts it without rows; `world` says how many there may be.
    pub fn start(
        limit: MemoryLimit,
        world: World,
        options: &WallOptions,
    ) -> Result<EmbeddedProgram> {
        let EngineSettings { durability, group, .. } = limit.settings(options.durability, 0)?;
        let program = CabinetGame::start(CabinetSettings {
            rows_max: world.rows,
            seed: world.seed,
            note_bytes: world.note_bytes,
            threads: options.embedded_threads(),
            memory_mib: limit.mib() / 4 * 3,
            durability,
            group,
        })?;
        Ok(EmbeddedProgram { program, world: World { rows: 0, ..world } })
    }

    /// A player and its account are those of all contenders, with the changes that were made.
    fn compare(&mut self, id: u32) -> Result<()> {
        let [player, account] = self.program.read(id)?;
        let found = World::parse_player(player.as_bytes()).context("no player's value")?;
        ensure!(self.world.is_player(id, &found), "player {id} is {player}");
        let changes = self.program.changes(id)?;
        let score = found.score;
        ensure!(score == changes, "player {id} has {score} of {changes} changes");
        let (number, note) =
            World::parse_account(account.as_bytes()).context("no account's value")?;
        ensure!(self.world.is_account(id, number, note), "account {id} is {account}");
        Ok(())
    }
}

impl WallContender for EmbeddedProgram {
    fn name(&self) -> &'static str {
        TOKYO_CABINET
    }

    fn version(&self) -> &str {
        &self.program.version
    }

    fn pid(&self) -> u32 {
        self.program.pid()
    }

    fn disk_bytes(&self) -> u64 {
        std::fs::metadata(self.program.file()).map_or(0, |file| file.len())
    }

    fn grow(&mut self, rows: u32) -> Result<()> {
        self.program.grow(rows)?;
        self.world.rows = rows;
        Ok(())
    }

    fn window(
        &mut self,
        load: RequestKind,
        seed: u64,
        options: &WallOptions,
    ) -> Result<WindowOutcome> {
        let plan = options.common.plan(1, Vec::new());
        let window = self.program.play(load.name(), plan.warm, plan.measure, seed)?;
        let CabinetWindow { sample, seconds, stale } = window;
        Ok(WindowOutcome { sample, connections: 0, seconds, stale })
    }

    fn verify(&mut self) -> Result<u64> {
        let [changed, lost, unasked] = self.program.verify()?;
        ensure!(lost == 0 && unasked == 0, "{lost} changes lost, {unasked} that nobody made");
        for check in 0..COMPARED.min(u64::from(self.world.rows)) {
            let id = 1 + (mix(self.world.seed ^ check) % u64::from(self.world.rows)) as u32;
            self.compare(id)?;
        }
        Ok(changed)
    }
}
