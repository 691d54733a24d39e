//! Metrics for Prometheus: what the server counts, as text over HTTP at `metrics-port`.
//!
//! Not here: counters (where things happen), the figures that `rowhouse status` shows
//! (`rows::metrics`).

mod collector;
mod door;
pub mod families;
mod process;

pub use door::{MetricsDoor, Sources};
