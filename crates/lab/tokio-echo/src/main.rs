//! The lab's echo server on tokio: a task per connection, read and write in turn.
//!
//! `rowhouse-lab kernel` starts it as a contender; a program of its own because tokio's sockets are
//! used nowhere else in Rowhouse. Usage: `rowhouse-echo-tokio --threads N`; the port goes to stdout.

use std::io::Write;

use anyhow::{Context, Result, bail};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// What one read takes at most: 32 pipelined look-ups fit several times over.
const READ_BYTES: usize = 16 * 1024;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let ["--threads", threads] = arguments.iter().map(String::as_str).collect::<Vec<_>>()[..]
    else {
        bail!("usage: rowhouse-echo-tokio --threads N");
    };
    let threads: usize = threads.parse().context("--threads")?;
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(threads).enable_io().build()?;
    runtime.block_on(async { tokio::spawn(accept()).await? })
}

async fn accept() -> Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    writeln!(std::io::stdout(), "echo ready {}", listener.local_addr()?.port())?;
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        // A connection that fails ends; the others do not mind.
        tokio::spawn(async move { echo(stream).await.ok() });
    }
}

async fn echo(mut stream: TcpStream) -> Result<()> {
    let mut buffer = vec![0; READ_BYTES];
    loop {
        let bytes = stream.read(&mut buffer).await?;
        if bytes == 0 {
            return Ok(());
        }
        stream.write_all(&buffer[..bytes]).await?;
    }
}
