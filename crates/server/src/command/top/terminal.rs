//! The terminal: its size, its keys one by one, and what is drawn on it.
//!
//! Invariants
//! 1. What was there before comes back when the value goes: the screen, the cursor, and how keys
//!    are read.
//! 2. SIGTERM, SIGHUP and SIGINT end the drawing, not the process, which then puts all back.

use std::io::{self, IsTerminal as _, Write as _};
use std::os::fd::{AsFd as _, AsRawFd as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGWINCH};

/// Another screen, without a cursor, on which long lines are cut.
const BEGIN: &str = "\x1b[?1049h\x1b[?25l\x1b[?7l";
const END: &str = "\x1b[?7h\x1b[?25h\x1b[?1049l";
/// A terminal that does not say its size.
const USUAL_SIZE: (usize, usize) = (80, 24);
const CTRL_C: u8 = 3;
const CTRL_D: u8 = 4;

/// What a wait ended with.
#[derive(Debug, PartialEq, Eq)]
pub enum TerminalEvent {
    /// The user, or a signal, wants an end; or the terminal has gone.
    End,
    /// The terminal has another size.
    Resized,
    /// Another key.
    Other,
    /// The time has come.
    Nothing,
}

/// A terminal that gives each key at once, and shows none.
pub struct RawTerminal {
    before: libc::termios,
    ends: Arc<AtomicBool>,
    resized: Arc<AtomicBool>,
}

impl RawTerminal {
    /// Takes the terminal of this process; `None` when it has none.
    ///
    /// # Errors
    /// Those of asking and setting it.
    pub fn take() -> io::Result<Option<RawTerminal>> {
        if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
            return Ok(None);
        }
        let (ends, resized) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        for signal in [SIGTERM, SIGHUP, SIGINT] {
            signal_hook::flag::register(signal, Arc::clone(&ends))?;
        }
        signal_hook::flag::register(SIGWINCH, Arc::clone(&resized))?;
        let before = attributes()?;
        let mut raw = before;
        raw.c_lflag &= !(libc::ICANON | libc::ECHO | libc::ISIG);
        raw.c_cc[libc::VMIN] = 1;
        raw.c_cc[libc::VTIME] = 0;
        set_attributes(&raw)?;
        let terminal = RawTerminal { before, ends, resized };
        terminal.write(BEGIN)?;
        Ok(Some(terminal))
    }

    /// Columns and lines.
    pub fn size(&self) -> (usize, usize) {
        let mut size = libc::winsize { ws_row: 0, ws_col: 0, ws_xpixel: 0, ws_ypixel: 0 };
        let output = io::stdout().as_raw_fd();
        #[expect(unsafe_code, reason = "the system's call takes a pointer")]
        // SAFETY: `size` is a whole `winsize` that outlives the call, which only writes it.
        let told = unsafe { libc::ioctl(output, libc::TIOCGWINSZ, &raw mut size) };
        match (told, usize::from(size.ws_col), usize::from(size.ws_row)) {
            (0, columns, lines) if columns > 0 && lines > 0 => (columns, lines),
            _ => USUAL_SIZE,
        }
    }

    /// Shows these lines, and nothing else.
    ///
    /// # Errors
    /// Those of writing.
    pub fn draw(&self, lines: &[String]) -> io::Result<()> {
        let mut text = String::from("\x1b[H");
        for (at, line) in lines.iter().enumerate() {
            // No end of line behind the last one, which would scroll.
            text += if at > 0 { "\r\n" } else { "" };
            text += line;
            text += "\x1b[K";
        }
        text += "\x1b[J";
        self.write(&text)
    }

    /// Waits for a key, a signal, or the moment.
    ///
    /// # Errors
    /// Those of the system.
    pub fn wait(&self, until: Instant) -> io::Result<TerminalEvent> {
        loop {
            if self.ends.load(Ordering::Relaxed) {
                return Ok(TerminalEvent::End);
            }
            if self.resized.swap(false, Ordering::Relaxed) {
                return Ok(TerminalEvent::Resized);
            }
            let left = until.saturating_duration_since(Instant::now());
            let timeout =
                Timespec { tv_sec: left.as_secs() as i64, tv_nsec: i64::from(left.subsec_nanos()) };
            let input = io::stdin();
            let mut polled = [PollFd::from_borrowed_fd(input.as_fd(), PollFlags::IN)];
            match poll(&mut polled, Some(&timeout)) {
                Ok(0) => return Ok(TerminalEvent::Nothing),
                Ok(_) => {}
                Err(Errno::INTR) => continue,
                Err(error) => return Err(error.into()),
            }
            let mut keys = [0; 64];
            return match rustix::io::read(input.as_fd(), &mut keys) {
                // The terminal has gone.
                Ok(0) | Err(Errno::IO) => Ok(TerminalEvent::End),
                Ok(count) => Ok(match keys[..count].iter().any(|key| ends(*key)) {
                    true => TerminalEvent::End,
                    false => TerminalEvent::Other,
                }),
                Err(Errno::INTR | Errno::AGAIN) => continue,
                Err(error) => Err(error.into()),
            };
        }
    }

    fn write(&self, text: &str) -> io::Result<()> {
        let mut output = io::stdout().lock();
        output.write_all(text.as_bytes())?;
        output.flush()
    }
}

impl Drop for RawTerminal {
    fn drop(&mut self) {
        // A terminal that has gone needs nothing back.
        let _ = self.write(END);
        let _ = set_attributes(&self.before);
    }
}

fn ends(key: u8) -> bool {
    matches!(key, b'q' | b'Q' | CTRL_C | CTRL_D)
}

fn attributes() -> io::Result<libc::termios> {
    let input = io::stdin().as_raw_fd();
    let mut attributes = std::mem::MaybeUninit::<libc::termios>::zeroed();
    #[expect(unsafe_code, reason = "the system's call takes a pointer")]
    // SAFETY: the pointer is to a whole `termios` that outlives the call, which only writes it; all
    // of its bytes may be zero.
    unsafe {
        match libc::tcgetattr(input, attributes.as_mut_ptr()) {
            0 => Ok(attributes.assume_init()),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

fn set_attributes(attributes: &libc::termios) -> io::Result<()> {
    let input = io::stdin().as_raw_fd();
    #[expect(unsafe_code, reason = "the system's call takes a pointer")]
    // SAFETY: the pointer is to a whole `termios` that outlives the call, which only reads it.
    match unsafe { libc::tcsetattr(input, libc::TCSANOW, attributes) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}
