//! The servers under measurement: each started by the lab on loopback ports of its own, with its
//! data in a temporary directory, stopped by its process id when dropped.
//!
//! A peer that cannot run is an error whose text goes into the report ("not run, because").

mod echo;
mod engine;
mod mariadb;
mod memcached;
mod memory_group;
mod mysql;
mod redis;
mod rowhouse;
mod server;
mod tokyo_cabinet;

pub use echo::{EchoServer, serve as serve_echo};
pub use engine::{Engine, EngineServer, EngineSettings};
pub use mariadb::{MariaDb, MariaDbSettings};
pub use memcached::MemcachedServer;
pub use memory_group::MemoryGroup;
pub use redis::{AppendFsync, Redis};
pub use rowhouse::{Durability, Rowhouse, RowhouseSettings};
pub use server::{Server, bytes_below, die_with_parent, free_ports};
pub use tokyo_cabinet::{CabinetGame, CabinetSettings, CabinetWindow, TOKYO_CABINET, TokyoCabinet};
