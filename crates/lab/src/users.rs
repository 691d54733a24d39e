//! The rows of the look-up experiments: `user(user_id, user_name, user_email, created)`.
//!
//! A row is a pure function of seed, id and version, so that every reply can be judged without a
//! table of expected values. Its three text columns joined by one byte take `ROW_BYTES`.

use std::ops::Range;

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

/// Length of name, email and creation time with one separator between them.
pub const ROW_BYTES: usize = NAME_BYTES + 1 + EMAIL_BYTES + 1 + CREATED_BYTES;
const NAME_BYTES: usize = 13;
const DOMAIN: &[u8] = b"@example.com";
const EMAIL_BYTES: usize = NAME_BYTES + DOMAIN.len();
const CREATED_BYTES: usize = "2011-03-04 05:06:07".len();

/// What the table is created by, at every MySQL door.
pub const CREATE_TABLE: &str = "CREATE TABLE user (\
    user_id INT UNSIGNED NOT NULL PRIMARY KEY, \
    user_name VARCHAR(50) NOT NULL, \
    user_email VARCHAR(255) NOT NULL, \
    created DATETIME NOT NULL)";

/// One row's columns as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct User {
    text: [u8; ROW_BYTES],
    /// Year, month, day, hour, minute, second of `created`.
    pub created: (u16, [u8; 5]),
}

/// All rows of one seed.
#[derive(Debug, Clone, Copy)]
pub struct Users {
    /// Seed that names and times derive from.
    pub seed: u64,
    /// Ids run from 1 to this.
    pub rows: u32,
}

impl Users {
    /// The row of an id; version 0 is what is loaded.
    pub fn row(&self, id: u32, version: u32) -> User {
        let mixed = mix(self.seed ^ u64::from(id) ^ (u64::from(version) << 32));
        let mut text = [b'\t'; ROW_BYTES];
        let name = &mut text[..NAME_BYTES];
        name[0] = b'u';
        for (at, letter) in name[1..].iter_mut().enumerate() {
            *letter = b'a' + ((mixed >> (4 * at)) & 15) as u8;
        }
        text.copy_within(..NAME_BYTES, NAME_BYTES + 1);
        text[2 * NAME_BYTES + 1..][..DOMAIN.len()].copy_from_slice(DOMAIN);

        let rest = (mixed >> 48) as u32 ^ id;
        let year = 2005 + (rest % 8) as u16;
        let month = 1 + (rest / 8 % 12) as u8;
        let day = 1 + (rest / 96 % 28) as u8;
        let (hour, minute, second) =
            (1 + (rest % 23) as u8, (rest / 32 % 60) as u8, (rest / 64 % 60) as u8);
        let created = &mut text[ROW_BYTES - CREATED_BYTES..];
        two_digits(&mut created[0..2], (year / 100) as u8);
        two_digits(&mut created[2..4], (year % 100) as u8);
        for (at, (mark, number)) in
            [(b'-', month), (b'-', day), (b' ', hour), (b':', minute), (b':', second)]
                .into_iter()
                .enumerate()
        {
            created[4 + 3 * at] = mark;
            two_digits(&mut created[5 + 3 * at..7 + 3 * at], number);
        }
        User { text, created: (year, [month, day, hour, minute, second]) }
    }

    /// The whole table as LOAD DATA's default text, in the order of ids.
    pub fn lines(&self) -> impl Iterator<Item = Vec<u8>> + '_ {
        const LINES_PER_CHUNK: u32 = 2_000;
        let chunks = self.rows.div_ceil(LINES_PER_CHUNK);
        (0..chunks).map(move |chunk| {
            let mut text = Vec::with_capacity(LINES_PER_CHUNK as usize * (ROW_BYTES + 10));
            let first = chunk * LINES_PER_CHUNK + 1;
            for id in first..=self.rows.min(first + LINES_PER_CHUNK - 1) {
                push_number(&mut text, u64::from(id));
                text.push(b'\t');
                text.extend_from_slice(self.row(id, 0).joined());
                text.push(b'\n');
            }
            text
        })
    }
}

impl User {
    /// Name, email, created, with tabs between them.
    pub fn joined(&self) -> &[u8; ROW_BYTES] {
        &self.text
    }

    /// The name.
    pub fn name(&self) -> &[u8] {
        &self.text[..NAME_BYTES]
    }

    /// The address.
    pub fn email(&self) -> &[u8] {
        &self.text[NAME_BYTES + 1..][..EMAIL_BYTES]
    }

    /// The creation time as `YYYY-MM-DD hh:mm:ss`.
    pub fn created_text(&self) -> &[u8] {
        &self.text[ROW_BYTES - CREATED_BYTES..]
    }
}

/// Which ids a client asks for: seeded, uniform.
#[derive(Debug, Clone)]
pub struct Chooser {
    random: SmallRng,
    ids: Range<u32>,
}

impl Chooser {
    /// Uniform choice from `ids`; each client has a number of its own.
    pub fn new(seed: u64, client: u64, ids: Range<u32>) -> Chooser {
        Chooser { random: SmallRng::seed_from_u64(mix(seed ^ mix(client))), ids }
    }

    /// One id.
    pub fn one(&mut self) -> u32 {
        self.random.random_range(self.ids.clone())
    }

    /// `count` different ids in no order: an arithmetic walk, modulo the number of ids, with a
    /// random start and a random step that shares no factor with it.
    pub fn many(&mut self, count: usize, out: &mut Vec<u32>) {
        let span = u64::from(self.ids.end - self.ids.start);
        assert!(count as u64 <= span, "more different ids than there are");
        let step = loop {
            let step = self.random.random_range(1..=span);
            if common_factor(step, span) == 1 {
                break step;
            }
        };
        let mut at = self.random.random_range(0..span);
        for _ in 0..count {
            out.push(self.ids.start + at as u32);
            at = (at + step) % span;
        }
    }

    /// A number below `below`.
    pub fn below(&mut self, below: u32) -> u32 {
        self.random.random_range(0..below)
    }
}

/// Appends a number in decimal.
pub fn push_number(out: &mut Vec<u8>, number: u64) {
    let mut digits = [0u8; 20];
    let mut at = digits.len();
    let mut rest = number;
    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}

/// A number in decimal, if it is one.
pub fn parse_number(text: &[u8]) -> Option<u64> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

fn two_digits(out: &mut [u8], number: u8) {
    out[0] = b'0' + number / 10;
    out[1] = b'0' + number % 10;
}

/// SplitMix64's finisher: all bits of the result depend on all bits of the input.
pub fn mix(input: u64) -> u64 {
    let mut mixed = input.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

fn common_factor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_the_same_each_time_and_its_parts_join_to_it() {
        let users = Users { seed: 1, rows: 10 };
        let row = users.row(7, 0);
        assert_eq!(row, users.row(7, 0));
        assert_ne!(row.name(), users.row(7, 1).name());
        assert_ne!(row.name(), users.row(8, 0).name());
        let joined = [row.name(), row.email(), row.created_text()].join(&b'\t');
        assert_eq!(joined, row.joined());
        let (year, [month, day, hour, minute, second]) = row.created;
        let created = format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}");
        assert_eq!(row.created_text(), created.as_bytes());
    }

    #[test]
    fn lines_hold_every_id_once_in_order() {
        let users = Users { seed: 3, rows: 4_321 };
        let text: Vec<u8> = users.lines().flatten().collect();
        let ids: Vec<u64> = text
            .split(|byte| *byte == b'\n')
            .filter(|line| !line.is_empty())
            .map(|line| parse_number(line.split(|byte| *byte == b'\t').next().unwrap()).unwrap())
            .collect();
        assert_eq!(ids, (1..=4_321).collect::<Vec<u64>>());
    }

    #[test]
    fn many_ids_are_different_and_in_range() {
        let mut chooser = Chooser::new(1, 2, 1..1_001);
        for _ in 0..100 {
            let mut ids = Vec::new();
            chooser.many(100, &mut ids);
            ids.sort_unstable();
            ids.dedup();
            assert_eq!(ids.len(), 100);
            assert!(ids.iter().all(|id| (1..1_001).contains(id)));
        }
    }

    #[test]
    fn numbers_are_written_as_decimal() {
        let mut out = Vec::new();
        for number in [0, 9, 10, 1_234_567, u64::MAX] {
            out.clear();
            push_number(&mut out, number);
            assert_eq!(out, number.to_string().as_bytes());
        }
    }
}
