//! The `rowhouse` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    server::command::run()
}
