//! The server: event loops, settings, and the `rowhouse` program's commands.
//!
//! Not here: protocols (`doors`), SQL (`sql`), rows (`rows`), bytes on disk (`rows-rocks`).

pub mod causes;
mod certificates;
pub mod command;
pub mod copies;
pub mod data_dir;
mod disk_watch;
mod door_figures;
pub mod frozen;
pub mod http;
pub mod logging;
pub mod moving_rows;
pub mod net;
pub mod open_doors;
pub mod page;
pub mod private;
pub mod prometheus;
mod recent_lines;
pub mod sd_notify;
pub mod settings;
pub mod status;
mod tyrant_doors;
mod upkeep;
