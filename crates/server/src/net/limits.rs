//! Limits of the event loops, each with a name.
//!
//! Not here: a door's own limit on requests (`Door::input_bytes_max`).

use std::time::Duration;

/// Unsent bytes above which a connection is neither read nor served.
pub const OUTPUT_BYTES_MAX: usize = 1024 * 1024;
/// Most bytes that one connection is sent in a turn: some 100 us of copying.
pub const SEND_BYTES_MAX: usize = 256 * 1024;
/// Connections that are served between two looks at the clock.
pub const SERVED_AT_ONCE: usize = 4;
/// How long a reply that is ready waits for the others of its turn, about.
pub const REPLIES_WAIT: Duration = Duration::from_micros(200);
/// Times that the connections of one turn are served again because their inline commit is done,
/// before everybody's replies are sent.
pub const ROUNDS_MAX: usize = 8;
/// How long a closed connection's last bytes are awaited and thrown away.
pub const LINGER_SECONDS: u32 = 2;
/// Bytes of a request that a client sends in a second at least: so much longer may a large one
/// take.
pub const BYTES_PER_SECOND_MIN: usize = 64 * 1024;
/// Buffers of a connection above this size are given back as soon as they are empty.
pub const BUFFER_BYTES_KEPT: usize = 64 * 1024;
/// Threads of the pool at most, but for transactions that hold row locks.
pub const POOL_THREADS_MAX: usize = 512;
/// Threads that do nothing but end transactions.
pub const COMMIT_THREADS: usize = 16;
/// Ordinary tasks that are under way at once for each core, unless they take long: each waits for
/// a disk for two to three times as long as it computes.
pub const ERRANDS_PER_CORE: usize = 4;
/// A task that takes longer does not keep others from being begun.
pub const ERRAND_IS_LONG: Duration = Duration::from_millis(1);
/// Blocks that a loop has read for a request, one after the other, before it is the pool's: a
/// look-up in the largest of files needs three, of filter, index and row.
pub const READS_MAX: u8 = 4;
/// How long a conversation waits for row locks in its loop before it does so in the pool: a few
/// times what a transaction of a few statements takes.
pub const LOCK_WAIT_MAX: Duration = Duration::from_millis(10);
/// How often the kernel asks a silent TCP client whether it is still there before it gives it up.
pub const KEEPALIVE_PROBES: u32 = 6;
/// How long an idle thread of the pool stays.
pub const POOL_THREAD_IDLE: Duration = Duration::from_secs(10);

/// Limits that settings decide.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Connections at all doors together.
    pub connections_max: usize,
    /// Silence after which a connection is closed; zero: never.
    pub idle: Duration,
    /// Time within which a client must have shown who it is; zero: any.
    pub login: Duration,
    /// Time within which all of a request must have come, once it has begun; zero: any.
    pub request: Duration,
    /// Time after which a client that takes none of its output is closed.
    pub stalled: Duration,
    /// How long a loop polls for its clients at most before it sleeps; zero: never.
    pub busy_poll: Duration,
    /// Time after which a TCP client is given up that vanished without a word; zero: the kernel's.
    pub vanished: Duration,
}
