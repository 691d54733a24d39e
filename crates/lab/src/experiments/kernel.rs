//! The kernel's interfaces under the same echo server: epoll, ways of io_uring, and tokio.
//!
//! What does a request cost before a server has done anything? The contenders differ only in how
//! they wait, receive and send; the figure that counts is server CPU time per request.

use anyhow::Result;
use clap::{Args, ValueEnum};

use super::Common;
use super::fleet::Readable;
use super::rounds::{Mode, measure};
use crate::peers::{Echo, Kernel};
use crate::plot::Drawing;
use crate::protocols;
use crate::report::{Layout, Report};
use crate::users::Users;

const ROWS: u32 = 1_000_000;

/// Options of `kernel`.
#[derive(Debug, Clone, Args)]
pub struct Options {
    #[command(flatten)]
    common: Common,
    /// Connections.
    #[arg(long, default_value_t = 64)]
    connections: usize,
    /// Numbers of server threads.
    #[arg(long, value_delimiter = ',', default_value = "1,2")]
    loops: Vec<usize>,
}

/// Runs the experiment.
pub fn run(options: &Options) -> Result<()> {
    let common = &options.common;
    let users = Users { seed: common.seed, rows: ROWS };
    let mut report = Report::new("kernel");
    common.note(&mut report);
    report.setting("connections", options.connections);
    report.setting("request, reply", "60 bytes");
    for &loops in &options.loops {
        let mut servers = Vec::new();
        for kernel in Kernel::value_variants() {
            let label = format!("{}, {loops} threads", kernel.name());
            if common.wants(kernel.name())
                && let Some(echo) = report.keep(&label, Echo::start(*kernel, loops))
            {
                servers.push((*kernel, echo));
            }
        }
        let readers: Vec<Readable<'_>> = servers
            .iter()
            .map(|(kernel, echo)| Readable {
                name: kernel.name(),
                pid: echo.server.pid(),
                connect: Box::new(move |_| {
                    Ok((Box::new(protocols::echo::Echo::new(users)) as _, echo.connect()?))
                }),
            })
            .collect();
        measure(&readers, &modes(loops), users, options.connections, common, &mut report);
    }
    let against_epoll: Vec<(&str, &str)> = Kernel::value_variants()
        .iter()
        .filter(|kernel| **kernel != Kernel::Epoll)
        .map(|kernel| (kernel.name(), Kernel::Epoll.name()))
        .collect();
    report.compare(&against_epoll);
    let drawing =
        Drawing::bars(&report, "server CPU microseconds per request", |window| window.server_us);
    common.finish(&report, Layout::Requests, &drawing)
}

fn modes(loops: usize) -> Vec<Mode> {
    let threads = if loops == 1 { "1 thread".to_owned() } else { format!("{loops} threads") };
    vec![
        Mode { name: format!("one in flight, {threads}").into(), depth: 1, batch: 1 },
        Mode { name: format!("pipelined 32, {threads}").into(), depth: 32, batch: 1 },
    ]
}
