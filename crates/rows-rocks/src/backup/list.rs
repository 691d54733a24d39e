//! `BACKUP`: the list of a backup's files. Text, one file a line, closed by a checksum:
//! ```text
//! rowhouse backup 7
//! version 1
//! time 1763723326                seconds since 1970
//! new 73400320                   bytes that no earlier backup had
//! file 3145728 <xxh3> <xxh3 of the last 16 KiB> 000012.sst
//! checksum <xxh3 of the lines above, with their line ends>
//! ```
//! Invariants
//! 1. It is written when all its files are synced; a backup has its number only after that.
//! 2. Names are names, never paths: a list leads nowhere outside of its backup.

use super::files::Sums;
use xxhash_rust::xxh3::xxh3_64;

pub(super) const LIST_FILE: &str = "BACKUP";
const KIND: &str = "rowhouse backup";
const VERSION: &str = "version 1";

/// A complete backup, as its list says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Backup {
    /// Its number; later ones have higher numbers.
    pub number: u64,
    /// When it was taken, in seconds since 1970.
    pub time: u64,
    /// Bytes that no earlier backup had.
    pub new_bytes: u64,
    pub(super) files: Vec<Entry>,
}

/// A file of a backup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub name: String,
    pub sums: Sums,
}

impl Backup {
    /// Bytes of all its files.
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.sums.bytes).sum()
    }

    /// How many files it has.
    pub fn files(&self) -> usize {
        self.files.len()
    }

    pub(super) fn text(&self) -> String {
        let Backup { number, time, new_bytes, files } = self;
        let mut text = format!("{KIND} {number}\n{VERSION}\ntime {time}\nnew {new_bytes}\n");
        for Entry { name, sums: Sums { bytes, whole, end } } in files {
            text.push_str(&format!("file {bytes} {whole:016x} {end:016x} {name}\n"));
        }
        let checksum = xxh3_64(text.as_bytes());
        text.push_str(&format!("checksum {checksum:016x}\n"));
        text
    }

    /// `None` when the text is not what `text` wrote.
    pub(super) fn read(text: &str) -> Option<Backup> {
        let (lines, checksum) = text.strip_suffix('\n')?.rsplit_once('\n')?;
        let lines = &text[..lines.len() + 1];
        if checksum != format!("checksum {:016x}", xxh3_64(lines.as_bytes())) {
            return None;
        }
        let mut lines = lines.lines();
        let number = lines.next()?.strip_prefix(KIND)?.trim_start().parse().ok()?;
        lines.next().filter(|line| *line == VERSION)?;
        let time = lines.next()?.strip_prefix("time ")?.parse().ok()?;
        let new_bytes = lines.next()?.strip_prefix("new ")?.parse().ok()?;
        let files = lines.map(entry).collect::<Option<_>>()?;
        Some(Backup { number, time, new_bytes, files })
    }
}

fn entry(line: &str) -> Option<Entry> {
    let mut words = line.strip_prefix("file ")?.splitn(4, ' ');
    let bytes = words.next()?.parse().ok()?;
    let mut sum = || u64::from_str_radix(words.next()?, 16).ok();
    let (whole, end) = (sum()?, sum()?);
    let name = words.next()?;
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let is_name = !name.starts_with('.') && name.chars().all(plain) && !name.is_empty();
    is_name.then(|| Entry { name: name.to_owned(), sums: Sums { bytes, whole, end } })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn backup(name: &str) -> Backup {
        let sums = Sums { bytes: 12, whole: 0xfeed, end: u64::MAX };
        let files = vec![Entry { name: name.to_owned(), sums }];
        Backup { number: 7, time: 1_763_723_326, new_bytes: 12, files }
    }

    #[test]
    fn a_list_is_read_back_and_any_wrong_bit_is_noticed() {
        let written = backup("000012.sst");
        let text = written.text();
        assert_eq!(Backup::read(&text), Some(written));
        for position in 0..text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes[position] ^= 1;
            let damaged = String::from_utf8_lossy(&bytes).into_owned();
            assert_eq!(Backup::read(&damaged), None, "byte {position}");
            assert_eq!(Backup::read(&text[..position]), None, "cut at {position}");
        }
    }

    #[test]
    fn a_list_does_not_lead_out_of_its_backup() {
        for name in ["../000012.sst", "..", "/etc/passwd", ""] {
            assert_eq!(Backup::read(&backup(name).text()), None, "{name}");
        }
    }
}
