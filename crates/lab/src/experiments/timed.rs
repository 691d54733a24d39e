//! A piece of work as one window: how long it took, and what it cost the server and this program.

use anyhow::Result;

use crate::generator::{ResourcesSpent, Sample};

/// Does the work, which counts its requests and rows, and fills in the rest.
pub fn timed(pid: u32, work: impl FnOnce(&mut Sample) -> Result<()>) -> Result<Sample> {
    let mut sample = Sample::new();
    let before = ResourcesSpent::by(&[pid]);
    work(&mut sample)?;
    ResourcesSpent::by(&[pid]).since(&before, &mut sample);
    Ok(sample)
}
