//! The `rowhouse` program.

use std::process::ExitCode;

/// Measured against the system's allocator: `docs/decisions/0006-event-loops.md`.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    server::command::run()
}
