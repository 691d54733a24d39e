//! How far a load or a change of a table is, in words: for the process list, and for clients that
//! are told while they wait.
//!
//! Not here: who counts (`rows::bulk`), whose statement it is (`processes`).

use std::borrow::Cow;
use std::fmt;

use rows::bulk::{Progress, Stage};

/// What such a statement is at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StageProgress {
    /// Which stage, from 1.
    pub number: u8,
    /// Of how many.
    pub stages: u8,
    name: &'static str,
    done: StageFraction,
}

/// How much of a stage is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum StageFraction {
    /// So much of all there is.
    Of(u64, u64),
    /// So many of these; nobody knows of how many.
    Count(u64, &'static str),
    /// It waits.
    Nothing,
}

impl StageProgress {
    pub(super) fn of(progress: &Progress) -> StageProgress {
        let (stage, done, all) = progress.now();
        let (name, unit) = match stage {
            Stage::Reading => ("reading", "rows"),
            Stage::Merging => ("building indexes", "rows"),
            Stage::CatchingUp => ("following writers", "changes"),
        };
        let done = all.map_or(StageFraction::Count(done, unit), |all| StageFraction::Of(done, all));
        StageProgress { number: stage as u8 + 1, stages: progress.stages(), name, done }
    }

    /// The same where the statement waits for something with this name.
    pub(super) fn waiting(progress: &Progress, name: &'static str) -> StageProgress {
        StageProgress { name, done: StageFraction::Nothing, ..StageProgress::of(progress) }
    }

    /// How far the stage is, in thousandths of a percent; 0 where nobody knows how much there is.
    pub fn thousandths(&self) -> u32 {
        match self.done {
            StageFraction::Of(done, all) => {
                let part = u128::from(done.min(all)) * 100_000 / u128::from(all.max(1));
                u32::try_from(part).unwrap_or_default()
            }
            StageFraction::Count(..) | StageFraction::Nothing => 0,
        }
    }

    /// What the stage does, and how much of that is done where no percent can say it.
    pub fn words(&self) -> Cow<'static, str> {
        match self.done {
            StageFraction::Count(done, unit) => format!("{}, {done} {unit}", self.name).into(),
            StageFraction::Of(..) | StageFraction::Nothing => self.name.into(),
        }
    }
}

/// As the process list says it.
impl fmt::Display for StageProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stage: {} of {} '{}'", self.number, self.stages, self.name)?;
        match self.done {
            StageFraction::Of(..) => write!(f, " {}%", self.thousandths() / 1000),
            StageFraction::Count(done, unit) => write!(f, " {done} {unit}"),
            StageFraction::Nothing => Ok(()),
        }
    }
}
