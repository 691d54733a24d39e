//! Conversations with the MySQL door, byte for byte, over a real engine and a real session; no
//! sockets. What belongs where: `login` the connection phase, `commands` every command's answer,
//! `results` rows in both forms, `cursors` rows that are fetched, `reports` how far a long
//! statement is, `load` LOAD DATA LOCAL, `hostile` what no good client sends.

mod client;
mod commands;
mod cursors;
mod groups;
mod hostile;
mod load;
mod login;
mod reports;
mod results;

use std::sync::Arc;

use doors::mysql::{Account, MysqlDoor, Secret, Users};
use rows::memory::MemoryStore;
use rows::{Engine, EngineOptions};
use sql::{Sql, SqlOptions};

use client::Client;

/// What conversations run on; `tests/cold` and its siblings run them on another.
pub fn rows() -> (Arc<MemoryStore>, EngineOptions) {
    (Arc::new(MemoryStore::new()), EngineOptions::default())
}

/// Whether nothing can be served without waiting.
pub const COLD: bool = false;

/// A server's shared parts.
struct House {
    engine: Arc<Engine>,
    door: Arc<MysqlDoor>,
}

impl House {
    /// An empty house where root needs no password.
    fn open() -> House {
        House::with(Users::unconfigured(), 64 << 20)
    }

    /// An empty house for these users, with a packet limit in bytes.
    #[allow(unused_qualifications, reason = "the crate is another one in `tests/cold`")]
    fn with(users: Users, packet_bytes_max: usize) -> House {
        House::of(crate::rows().1, users, packet_bytes_max)
    }

    /// An empty house with these options of its engine.
    #[allow(unused_qualifications, reason = "the crate is another one in `tests/cold`")]
    fn of(options: EngineOptions, users: Users, packet_bytes_max: usize) -> House {
        let engine = Engine::open(crate::rows().0, options).expect("an empty store");
        let sql = Sql::new(Arc::clone(&engine), &SqlOptions::default(), analytic::start)
            .expect("threads");
        let door = MysqlDoor::new(sql, users).with_packet_bytes_max(packet_bytes_max);
        House { engine, door: Arc::new(door) }
    }

    /// A house with an account `bob`.
    fn of_bob(password: &str) -> House {
        let account = Account { name: "bob".to_owned(), secret: Secret::new(password) };
        House::with(Users::new([account]), 64 << 20)
    }

    /// A client that has received the greeting.
    fn connect(&self) -> Client {
        Client::connect(&self.engine, &self.door)
    }

    /// A client that has logged in as root and made `shop.item` with two rows.
    fn client(&self, capabilities: u32) -> Client {
        let mut client = Client::logged_in(&self.engine, &self.door, capabilities);
        for text in [
            "CREATE DATABASE shop",
            "USE shop",
            "CREATE TABLE item (id INT UNSIGNED NOT NULL AUTO_INCREMENT PRIMARY KEY, \
             name VARCHAR(50), price DECIMAL(10,2), KEY by_name (name))",
            // One by one: a number may be left out where one of several rows is waited for.
            "INSERT INTO item (name, price) VALUES ('pen', 1.50)",
            "INSERT INTO item (name, price) VALUES ('ink', NULL)",
        ] {
            let replies = client.query(text);
            let shown = String::from_utf8_lossy(&replies[0]);
            assert_eq!(replies[0][0], client::OK, "{text}: {shown}");
        }
        client
    }
}
