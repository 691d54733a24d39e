//! The `rowhouse` program.

mod allocator;

use std::process::ExitCode;

fn main() -> ExitCode {
    server::command::run()
}
