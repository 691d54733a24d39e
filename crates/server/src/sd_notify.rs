//! What systemd is told of a service of `Type=notify`: that it is ready, that it stops, and, where
//! there is a watchdog, that its event loops are alive.
//!
//! ```text
//! NOTIFY_SOCKET    a datagram socket, by its path, or by a name after an @
//! WATCHDOG_USEC    microseconds within which `WATCHDOG=1` is expected, again and again
//! WATCHDOG_PID     the process that it is expected of; none: of any
//! ```
//! (systemd's manual, sd_notify(3) and sd_watchdog_enabled(3).)
//!
//! Invariants
//! 1. Without `NOTIFY_SOCKET` nothing is done. That nobody hears what is told is no failure of the
//!    server.
//! 2. `WATCHDOG=1` is sent only when every loop has just taken a turn, or when the server stops.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::Builder;
use std::time::{Duration, Instant};

/// The way to who started the service.
#[derive(Clone, Debug)]
pub struct Notifier {
    socket: Option<Arc<UnixDatagram>>,
    watchdog: Option<Duration>,
    stopping: Arc<AtomicBool>,
}

impl Notifier {
    /// As the environment says.
    pub fn from_environment() -> Notifier {
        Notifier::new(|name| std::env::var_os(name))
    }

    fn new(variable: impl Fn(&str) -> Option<OsString>) -> Notifier {
        let number = |name: &str| variable(name)?.to_str()?.parse::<u64>().ok();
        let socket = variable("NOTIFY_SOCKET").and_then(|name| match connect(&name) {
            Ok(socket) => Some(Arc::new(socket)),
            Err(error) => {
                tracing::warn!(%error, "NOTIFY_SOCKET cannot be used: nobody is told of the start");
                None
            }
        });
        let is_ours = number("WATCHDOG_PID").is_none_or(|pid| pid == u64::from(std::process::id()));
        let watchdog = number("WATCHDOG_USEC").filter(|usec| *usec > 0 && is_ours);
        Notifier { socket, watchdog: watchdog.map(Duration::from_micros), stopping: Arc::default() }
    }

    /// Tells that requests are answered.
    pub fn ready(&self) {
        self.send("READY=1");
    }

    /// Tells that the server ends.
    pub fn stopping(&self) {
        self.stopping.store(true, Ordering::Relaxed);
        self.send("STOPPING=1");
    }

    /// Tells again and again that the loops are alive, where that is expected: `is_alive` is asked,
    /// and has so long for its answer.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn watch(&self, is_alive: impl Fn(Duration) -> bool + Send + 'static) -> io::Result<()> {
        let (Some(every), Some(_)) = (self.watchdog, &self.socket) else { return Ok(()) };
        let (notifier, half) = (self.clone(), every / 2);
        Builder::new().name("rowhouse-watchdog".into()).spawn(move || {
            loop {
                let since = Instant::now();
                let is_stopping = notifier.stopping.load(Ordering::Relaxed);
                match is_stopping || is_alive(half) {
                    true => notifier.send("WATCHDOG=1"),
                    false => {
                        tracing::error!("an event loop takes no turns: the watchdog is not told")
                    }
                }
                std::thread::sleep(half.saturating_sub(since.elapsed()));
            }
        })?;
        Ok(())
    }

    fn send(&self, state: &str) {
        if let Some(socket) = &self.socket
            && let Err(error) = socket.send(state.as_bytes())
        {
            tracing::debug!(%error, state, "nobody was told");
        }
    }
}

fn connect(name: &OsStr) -> io::Result<UnixDatagram> {
    let socket = UnixDatagram::unbound()?;
    match name.as_bytes() {
        [b'@', name @ ..] => socket.connect_addr(&SocketAddr::from_abstract_name(name)?)?,
        _ => socket.connect(name)?,
    }
    // One that does not listen must not hold up the server.
    socket.set_nonblocking(true)?;
    Ok(socket)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notifier(socket: &str, watchdog: Option<&str>) -> Notifier {
        Notifier::new(|name| match name {
            "NOTIFY_SOCKET" => Some(socket.into()),
            "WATCHDOG_USEC" => watchdog.map(Into::into),
            _ => None,
        })
    }

    fn heard(socket: &UnixDatagram) -> String {
        let mut bytes = [0; 100];
        let count = socket.recv(&mut bytes).unwrap();
        String::from_utf8_lossy(&bytes[..count]).into_owned()
    }

    #[test]
    fn a_dead_loop_is_not_told_to_be_alive() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("notify");
        let socket = UnixDatagram::bind(&path).unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let notifier = notifier(path.to_str().unwrap(), Some("2000"));
        let (ask, asked) = std::sync::mpsc::channel();
        let alive = Arc::new(AtomicBool::new(false));
        let is_alive = alive.clone();
        notifier
            .watch(move |_| {
                let _ = ask.send(());
                is_alive.load(Ordering::SeqCst)
            })
            .unwrap();
        // It has been asked often, and has not said a word.
        (0..5).for_each(|_| asked.recv().unwrap());
        notifier.ready();
        assert_eq!(heard(&socket), "READY=1");
        alive.store(true, Ordering::SeqCst);
        assert_eq!(heard(&socket), "WATCHDOG=1");
        alive.store(false, Ordering::SeqCst);
        notifier.stopping();
        while heard(&socket) != "STOPPING=1" {}
        assert_eq!(heard(&socket), "WATCHDOG=1", "a server that stops is not ended for it");
    }

    #[test]
    fn a_name_without_a_path_is_one_and_nobody_there_is_no_failure() {
        let name = format!("rowhouse-test-{}", std::process::id());
        let address = SocketAddr::from_abstract_name(&name).unwrap();
        let socket = UnixDatagram::bind_addr(&address).unwrap();
        let at = notifier(&format!("@{name}"), None);
        at.ready();
        assert_eq!(heard(&socket), "READY=1");
        drop(socket);
        at.stopping();
        notifier("/nowhere/at/all", Some("1")).ready();
    }
}
