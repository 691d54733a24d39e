//! The `rowhouse` program.

mod allocator;

use std::process::ExitCode;

fn main() -> ExitCode {
    resources::background::on_busy_thread_start(allocator::keep_free_pages);
    server::command::run()
}
