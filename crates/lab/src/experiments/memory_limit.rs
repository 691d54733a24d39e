//! The limit of memory that an experiment gives each of its servers: a control group, so that the
//! page cache counts as well, with half of it as the server's own memory setting.
//!
//! Invariants
//! 1. All servers of a run have the same limit. Whether there can be groups is tried before the
//!    first of them starts, and the report says what came of it; a server whose group fails later
//!    does not run.
//!
//! Not here: the groups themselves (`peers::memory_group`).

use anyhow::{Result, ensure};
use clap::Args;

use crate::peers::{Durability, EngineSettings, MemoryGroup};
use crate::report::Report;

/// Rowhouse refuses to run with less than half of this.
const GROUP_MIB_MIN: u32 = 128;

/// The option of experiments whose servers have groups only if asked for.
#[derive(Debug, Clone, Args)]
pub struct GroupOption {
    /// Limit of each server's memory in MiB, page cache included, of which half is its own memory
    /// setting; 0 is no limit. Takes root.
    #[arg(long, default_value_t = 0)]
    group_mib: u32,
}

impl GroupOption {
    /// The limit; without a group, servers are told to use `memory_mib`.
    ///
    /// # Errors
    /// A group is asked for that is too small.
    pub fn limit(&self, memory_mib: u32, report: &mut Report) -> Result<MemoryLimit> {
        match self.group_mib {
            0 => Ok(MemoryLimit::unbounded(memory_mib, report)),
            mib => MemoryLimit::grouped(mib, report),
        }
    }
}

/// What each server may use.
#[derive(Debug, Clone, Copy)]
pub struct MemoryLimit {
    memory_mib: u32,
    /// Of its group, if there are groups.
    group_mib: Option<u32>,
}

impl MemoryLimit {
    /// Groups of so many MiB, half of it the server's own setting; where groups cannot be had, the
    /// setting alone.
    ///
    /// # Errors
    /// A group of this size is too small.
    pub fn grouped(group_mib: u32, report: &mut Report) -> Result<MemoryLimit> {
        ensure!(group_mib >= GROUP_MIB_MIN, "a group has {GROUP_MIB_MIN} MiB or more");
        let (told, group_mib_had) = match MemoryGroup::new(bytes(group_mib)) {
            Ok(group) => {
                let version = group.version;
                let told = format!("{group_mib} MiB with the page cache, cgroup version {version}");
                (told, Some(group_mib))
            }
            Err(error) => (format!("none, the page cache is not bounded: {error:#}"), None),
        };
        Ok(MemoryLimit::noted(group_mib / 2, group_mib_had, &told, report))
    }

    /// No groups: servers are told to use so much, and the page cache is as large as the machine
    /// lets it be.
    pub fn unbounded(memory_mib: u32, report: &mut Report) -> MemoryLimit {
        MemoryLimit::noted(memory_mib, None, "none: the page cache is not bounded", report)
    }

    fn noted(
        memory_mib: u32,
        group_mib: Option<u32>,
        told: &str,
        report: &mut Report,
    ) -> MemoryLimit {
        report.setting("limit of memory", told);
        let memory = format!("{memory_mib} MiB");
        report.setting("rowhouse memory", &memory);
        report.setting("innodb buffer pool, myrocks block cache, myisam key buffer", &memory);
        MemoryLimit { memory_mib, group_mib }
    }

    /// Whether the page cache counts.
    pub fn is_group(self) -> bool {
        self.group_mib.is_some()
    }

    /// MiB that data are compared with: the limit, or what a server is told to use.
    pub fn mib(self) -> u32 {
        self.group_mib.unwrap_or(self.memory_mib)
    }

    /// How a server is started within the limit, in a new group if there are groups.
    ///
    /// # Errors
    /// The group could not be made.
    pub fn settings(
        self,
        durability: Durability,
        handlersocket_threads: usize,
    ) -> Result<EngineSettings> {
        let group = self.group_mib.map(|mib| MemoryGroup::new(bytes(mib))).transpose()?;
        let memory_mib = self.memory_mib;
        Ok(EngineSettings { memory_mib, durability, handlersocket_threads, group })
    }
}

fn bytes(mib: u32) -> u64 {
    u64::from(mib) << 20
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_a_group_is_the_servers_own_setting_and_the_report_says_what_the_limit_is() {
        let mut report = Report::new("test");
        let limit = GroupOption { group_mib: 256 }.limit(1024, &mut report).expect("large enough");
        assert_eq!(limit.memory_mib, 128);
        assert_eq!(report.settings["rowhouse memory"], "128 MiB");
        // A user who may make no groups is told why.
        let told = &report.settings["limit of memory"];
        let said = if limit.is_group() { "256 MiB with the page cache" } else { "none, the page" };
        assert!(told.starts_with(said), "{told}");
    }

    #[test]
    fn without_a_group_the_page_cache_is_said_to_be_unbounded() {
        let mut report = Report::new("test");
        let limit = GroupOption { group_mib: 0 }.limit(1024, &mut report).expect("no group");
        assert_eq!((limit.mib(), limit.is_group()), (1024, false));
        assert_eq!(report.settings["limit of memory"], "none: the page cache is not bounded");
    }

    #[test]
    fn a_group_in_which_rowhouse_would_not_start_is_refused() {
        let too_small = GroupOption { group_mib: GROUP_MIB_MIN - 1 };
        assert!(too_small.limit(1024, &mut Report::new("test")).is_err());
    }
}
