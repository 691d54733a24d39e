//! The `rowhouse` program.

mod allocator;

use std::process::ExitCode;

fn main() -> ExitCode {
    analytic::on_query_thread_start(allocator::keep_free_pages);
    server::command::run()
}
