//! The rows of the game: players by number, accounts by address.
//!
//! ```text
//! player:  player_id INT PK | email VARCHAR(64) | score BIGINT (0 at first) | note
//! account: email VARCHAR(64) PK | account_id INT | note
//! keys:    player:ID = email|score|note      account:EMAIL = account_id|note
//! ```

use std::net::TcpStream;
use std::ops::RangeInclusive;

use anyhow::{Result, ensure};

use crate::experiments::loading::{Filler, fill};
use crate::protocols::{Judgement, memcached, mysql, resp, tyrant};
use crate::users::{Users, mix, parse_number, push_number};

/// What stands between the columns of a value.
const SEPARATOR: u8 = b'|';
/// Tells the letters of a note from those of an address.
const NOTES: u64 = 0x6e6f_7465;

/// All rows of one seed.
#[derive(Debug, Clone, Copy)]
pub struct World {
    /// Seed of addresses and notes.
    pub seed: u64,
    /// Players, and accounts.
    pub rows: u32,
    /// Length of the note.
    pub note_bytes: usize,
}

/// A player as a door gave it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Player {
    /// The address that leads to the account.
    pub email: Vec<u8>,
    /// What transactions change.
    pub score: u64,
    /// Carried along.
    pub note: Vec<u8>,
}

impl World {
    /// The address of a player.
    pub fn email(&self, id: u32) -> Vec<u8> {
        Users { seed: self.seed, rows: self.rows }.row(id, 0).email().to_vec()
    }

    /// Appends the note of a player or account: letters of 16 kinds in no order, of which a
    /// compressor saves half.
    pub fn note(&self, id: u32, out: &mut Vec<u8>) {
        const LETTERS_PER_WORD: usize = 16;
        let end = out.len() + self.note_bytes;
        for word in 0..self.note_bytes.div_ceil(LETTERS_PER_WORD) as u64 {
            let mixed = mix(self.seed ^ NOTES ^ u64::from(id) ^ (word << 32));
            out.extend((0..LETTERS_PER_WORD).map(|at| b'a' + (mixed >> (4 * at) & 15) as u8));
        }
        out.truncate(end);
    }

    /// Whether a player's unchanging columns are right.
    pub fn is_player(&self, id: u32, player: &Player) -> bool {
        let mut note = Vec::new();
        self.note(id, &mut note);
        player.email == self.email(id) && player.note == note
    }

    /// Whether these are the columns of an account.
    pub fn is_account(&self, id: u32, account_id: &[u8], note: &[u8]) -> bool {
        let mut must = Vec::new();
        self.note(id, &mut must);
        parse_number(account_id) == Some(u64::from(id)) && note == must
    }

    /// About how much the rows take.
    pub fn megabytes(&self) -> u32 {
        ((u64::from(self.rows) * 2 * (self.note_bytes as u64 + 150)) >> 20) as u32
    }

    /// Makes both tables in a database of their own and loads them.
    pub fn load(&self, session: &mut mysql::MysqlSession, database: &str) -> Result<()> {
        Self::create(session, database, "")?;
        self.load_more(session, 1..=self.rows)
    }

    /// Makes both tables in a database of their own; `clause` stands behind each.
    pub fn create(session: &mut mysql::MysqlSession, database: &str, clause: &str) -> Result<()> {
        session.execute(&format!("CREATE DATABASE {database}"))?;
        session.execute(&format!("USE {database}"))?;
        session.execute(&format!(
            "CREATE TABLE player (player_id INT UNSIGNED NOT NULL PRIMARY KEY, \
             email VARCHAR(64) NOT NULL, score BIGINT NOT NULL, note TEXT NOT NULL){clause}"
        ))?;
        session.execute(&format!(
            "CREATE TABLE account (email VARCHAR(64) NOT NULL PRIMARY KEY, \
             account_id INT UNSIGNED NOT NULL, note TEXT NOT NULL){clause}"
        ))?;
        Ok(())
    }

    /// Loads players and accounts with these numbers into the session's database, each table in the
    /// order of its key: accounts in another would be a load of their own kind, which is
    /// `iibench`'s.
    pub fn load_more(
        &self,
        session: &mut mysql::MysqlSession,
        ids: RangeInclusive<u32>,
    ) -> Result<()> {
        let player = |id: u32, out: &mut Vec<u8>| {
            push_number(out, u64::from(id));
            out.push(b'\t');
            out.extend_from_slice(&self.email(id));
            out.extend_from_slice(b"\t0\t");
            self.note(id, out);
            out.push(b'\n');
        };
        let account = |id: u32, out: &mut Vec<u8>| {
            out.extend_from_slice(&self.email(id));
            out.push(b'\t');
            push_number(out, u64::from(id));
            out.push(b'\t');
            self.note(id, out);
            out.push(b'\n');
        };
        let players: Vec<u32> = ids.collect();
        let mut accounts = players.clone();
        accounts.sort_by_cached_key(|id| self.email(*id));
        for (table, loaded) in [
            ("player", session.load_data(&into("player"), chunks(&players, player))?),
            ("account", session.load_data(&into("account"), chunks(&accounts, account))?),
        ] {
            let (rows, info) = loaded;
            ensure!(rows == players.len() as u64, "{table}: LOAD DATA took {rows} rows: {info}");
        }
        Ok(())
    }

    /// Stores players and accounts at a server that speaks memcached.
    pub fn fill_keys(
        &self,
        prefix: &'static str,
        connect: impl Fn() -> Result<TcpStream>,
    ) -> Result<()> {
        fill(2 * self.rows, connect, || KeyRanges {
            world: *self,
            prefix,
            spoken: CacheProtocol::Memcached,
        })
    }

    /// Stores players and accounts at Redis.
    pub fn fill_redis(&self, connect: impl Fn() -> Result<TcpStream>) -> Result<()> {
        fill(2 * self.rows, connect, || KeyRanges {
            world: *self,
            prefix: "",
            spoken: CacheProtocol::Redis,
        })
    }

    /// Stores players and accounts at a Tyrant door.
    pub fn fill_tyrant(&self, connect: impl Fn() -> Result<TcpStream>) -> Result<()> {
        fill(2 * self.rows, connect, || KeyRanges {
            world: *self,
            prefix: "",
            spoken: CacheProtocol::Tyrant,
        })
    }

    /// Appends a player's value.
    pub fn player_value(player: &Player, out: &mut Vec<u8>) {
        out.extend_from_slice(&player.email);
        out.push(SEPARATOR);
        push_number(out, player.score);
        out.push(SEPARATOR);
        out.extend_from_slice(&player.note);
    }

    /// Takes a player's value apart.
    pub fn parse_player(value: &[u8]) -> Option<Player> {
        let mut columns = value.splitn(3, |byte| *byte == SEPARATOR);
        let (email, score, note) = (columns.next()?, columns.next()?, columns.next()?);
        let (email, score, note) = (email.to_vec(), parse_number(score)?, note.to_vec());
        Some(Player { email, score, note })
    }

    /// Appends an account's value.
    pub fn account_value(account_id: &[u8], note: &[u8], out: &mut Vec<u8>) {
        out.extend_from_slice(account_id);
        out.push(SEPARATOR);
        out.extend_from_slice(note);
    }

    /// Takes an account's value apart: its number and its note.
    pub fn parse_account(value: &[u8]) -> Option<(&[u8], &[u8])> {
        let at = value.iter().position(|byte| *byte == SEPARATOR)?;
        Some((&value[..at], &value[at + 1..]))
    }
}

/// The key of a player.
pub fn player_key(prefix: &str, id: u32) -> Vec<u8> {
    format!("{prefix}player:{id}").into_bytes()
}

/// The key of an account.
pub fn account_key(prefix: &str, email: &[u8]) -> Vec<u8> {
    [prefix.as_bytes(), b"account:", email].concat()
}

/// Lines of these rows, many at a time.
fn chunks<'a>(
    ids: &'a [u32],
    line: impl Fn(u32, &mut Vec<u8>) + 'a,
) -> impl Iterator<Item = Vec<u8>> + 'a {
    const LINES_PER_CHUNK: usize = 1_000;
    ids.chunks(LINES_PER_CHUNK).map(move |ids| {
        let mut text = Vec::new();
        ids.iter().for_each(|id| line(*id, &mut text));
        text
    })
}

fn into(table: &str) -> String {
    format!("LOAD DATA LOCAL INFILE '{table}' INTO TABLE {table}")
}

/// Items 1 to n are players, the next n are accounts.
struct KeyRanges {
    world: World,
    prefix: &'static str,
    spoken: CacheProtocol,
}

#[derive(Clone, Copy)]
enum CacheProtocol {
    Memcached,
    Redis,
    Tyrant,
}

impl Filler for KeyRanges {
    fn write(&mut self, number: u32, out: &mut Vec<u8>) {
        let world = self.world;
        let mut value = Vec::new();
        let mut note = Vec::new();
        let key = if number <= world.rows {
            let email = world.email(number);
            world.note(number, &mut note);
            World::player_value(&Player { email, score: 0, note }, &mut value);
            player_key(self.prefix, number)
        } else {
            let id = number - world.rows;
            world.note(id, &mut note);
            World::account_value(id.to_string().as_bytes(), &note, &mut value);
            account_key(self.prefix, &world.email(id))
        };
        match self.spoken {
            CacheProtocol::Memcached => memcached::push_store(out, "set", &key, None, &value),
            CacheProtocol::Redis => resp::push_command(out, &[b"SET", &key, &value]),
            CacheProtocol::Tyrant => tyrant::push_put(out, &key, &value),
        }
    }

    fn written(&mut self, _number: u32, input: &[u8]) -> Judgement {
        match self.spoken {
            CacheProtocol::Memcached => memcached::judge_line(b"STORED\r\n", input),
            CacheProtocol::Redis => memcached::judge_line(b"+OK\r\n", input),
            CacheProtocol::Tyrant => tyrant::judge_put(input),
        }
    }
}
