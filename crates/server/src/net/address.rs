//! Listening sockets: TCP addresses and UNIX socket paths.
//!
//! Invariants
//! 1. A UNIX socket's file goes when its listener goes. A file left by a killed process is
//!    replaced; one that somebody listens on is not.
//! 2. A UNIX path longer than the kernel's 107 bytes works all the same, through its directory.
//!
//! Not here: accepting (`acceptor`).

use std::fmt;
use std::fs::{self, File};
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::fs::{FileTypeExt, PermissionsExt as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

/// The longest path that fits a socket address, with some room.
const UNIX_PATH_BYTES_MAX: usize = 100;

/// Clients that may wait to be accepted, if the kernel lets so many (`net.core.somaxconn`): when
/// thousands come at once, as after a network's failure, the kernel drops those above it, and they
/// come again after seconds, or take themselves for connected and wait for a greeting.
const BACKLOG: i32 = 16 * 1024;

/// A listening socket.
#[derive(Debug)]
pub enum Listener {
    /// On a TCP address.
    Tcp(TcpListener),
    /// On a UNIX socket, with its path.
    Unix(UnixListener, PathBuf),
}

impl Listener {
    /// Listens on a TCP address; port 0 takes any free one.
    ///
    /// # Errors
    /// When the address is taken or none of this machine, or the user may not listen on it.
    pub fn tcp(address: SocketAddr) -> io::Result<Listener> {
        let listener = TcpListener::bind(address)?;
        // Again, because the standard library's backlog is 128.
        rustix::net::listen(&listener, BACKLOG)?;
        listener.set_nonblocking(true)?;
        Ok(Listener::Tcp(listener))
    }

    /// Listens on a UNIX socket.
    ///
    /// # Errors
    /// When another process listens there, something else has the name, or the directory is not
    /// writable.
    pub fn unix(path: &Path) -> io::Result<Listener> {
        let left_over = fs::symlink_metadata(path).is_ok_and(|meta| meta.file_type().is_socket());
        if left_over && connect_unix(path).is_err() {
            fs::remove_file(path)?;
        }
        let listener = with_short_path(path, |short| UnixListener::bind(short))?;
        rustix::net::listen(&listener, BACKLOG)?;
        listener.set_nonblocking(true)?;
        Ok(Listener::Unix(listener, path.to_owned()))
    }

    /// Lets those in whom a file's mode and group name; of a TCP listener nothing.
    ///
    /// # Errors
    /// Those of the system, as for a group that the server's user is no member of.
    pub fn open_to(&self, mode: u32, group: Option<u32>) -> io::Result<()> {
        let Listener::Unix(_, path) = self else { return Ok(()) };
        if group.is_some() {
            std::os::unix::fs::chown(path, None, group)?;
        }
        fs::set_permissions(path, fs::Permissions::from_mode(mode))
    }

    /// The TCP port.
    pub fn port(&self) -> Option<u16> {
        match self {
            Listener::Tcp(listener) => Some(listener.local_addr().ok()?.port()),
            Listener::Unix(..) => None,
        }
    }

    /// Whether clients come over TCP.
    pub fn is_tcp(&self) -> bool {
        matches!(self, Listener::Tcp(_))
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        if let Listener::Unix(_, path) = self {
            let _ = fs::remove_file(path);
        }
    }
}

impl AsFd for Listener {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Listener::Tcp(listener) => listener.as_fd(),
            Listener::Unix(listener, _) => listener.as_fd(),
        }
    }
}

impl fmt::Display for Listener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Listener::Tcp(listener) => match listener.local_addr() {
                Ok(address) => address.fmt(f),
                Err(_) => f.write_str("?"),
            },
            Listener::Unix(_, path) => path.display().fmt(f),
        }
    }
}

/// Connects to a UNIX socket.
///
/// # Errors
/// When nobody listens there, or the user may not connect.
pub fn connect_unix(path: &Path) -> io::Result<UnixStream> {
    with_short_path(path, |short| UnixStream::connect(short))
}

/// Calls `use_path` with a path to the same file that is short enough for a socket address.
fn with_short_path<T>(path: &Path, use_path: impl FnOnce(&Path) -> io::Result<T>) -> io::Result<T> {
    if path.as_os_str().len() <= UNIX_PATH_BYTES_MAX {
        return use_path(path);
    }
    let (Some(directory), Some(name)) = (path.parent(), path.file_name()) else {
        return use_path(path);
    };
    let directory = File::open(directory)?;
    use_path(&Path::new("/proc/self/fd").join(directory.as_raw_fd().to_string()).join(name))
}

#[cfg(test)]
mod tests {
    use std::net::TcpStream;
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn hundreds_of_clients_that_come_at_once_are_not_dropped_before_they_are_accepted() {
        let somaxconn = fs::read_to_string("/proc/sys/net/core/somaxconn").unwrap();
        let count = somaxconn.trim().parse::<usize>().unwrap().min(500);
        let listener = Listener::tcp(([127, 0, 0, 1], 0).into()).unwrap();
        let address = listener.to_string();
        let dropped_before = dropped();
        let connect = |_| {
            let since = Instant::now();
            (TcpStream::connect(&address).unwrap(), since.elapsed())
        };
        let clients: Vec<_> = (0..count).map(connect).collect();
        let mut took: Vec<Duration> = clients.iter().map(|(_, took)| *took).collect();
        took.sort();
        // One whose first packet was dropped comes again after a second. A machine that pauses
        // makes one late as well, but then the kernel has dropped none; and it counts those of
        // others, too.
        let late_by = took[count - 1] - took[count / 2];
        let dropped = dropped() - dropped_before;
        let late = late_by > Duration::from_millis(900);
        assert!(!late || dropped == 0, "{dropped} were dropped, one came {late_by:?} late");
    }

    /// How many connects the kernel has dropped because too many waited to be accepted.
    fn dropped() -> u64 {
        let figures = fs::read_to_string("/proc/net/netstat").unwrap();
        let mut lines = figures.lines().filter_map(|line| line.strip_prefix("TcpExt: "));
        let (names, values) = (lines.next().unwrap(), lines.next().unwrap());
        let mut figures = names.split(' ').zip(values.split(' '));
        let drops = figures.find(|(name, _)| *name == "ListenDrops").unwrap();
        drops.1.parse().unwrap()
    }

    #[test]
    fn a_long_path_works_and_a_left_over_file_is_replaced() {
        let directory = tempfile::tempdir().unwrap();
        let deep = directory.path().join("d".repeat(90)).join("e".repeat(60));
        fs::create_dir_all(&deep).unwrap();
        let path = deep.join("door.sock");
        let listener = Listener::unix(&path).unwrap();
        connect_unix(&path).unwrap();
        assert!(Listener::unix(&path).is_err(), "somebody listens there");
        drop(listener);
        assert!(!path.exists());
        // A file as a killed process leaves it.
        drop(with_short_path(&path, |short| UnixListener::bind(short)).unwrap());
        assert!(path.exists());
        Listener::unix(&path).unwrap();
    }
}
