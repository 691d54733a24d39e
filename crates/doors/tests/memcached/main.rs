//! Conversations with the memcached door, bytes in and bytes out, on rows in memory.

mod client;
mod containers;
mod hostile;
mod syntaxes;
