//! Meta commands whose line made sense: carried out and answered.
//!
//! Not here: flags (`flags`), refusals of a line (`meta`).

use values::text::write_u64;

use crate::memcached::command::{
    Count, Delete, Fetch, Item, MemcachedTrouble, Moment, Store, StoreMode, WriteOutcome,
};
use crate::memcached::execute::MemcachedRows;
use crate::memcached::meta::client;
use crate::memcached::meta::flags::Flags;

/// A request whose line made sense.
pub(super) struct MetaRequest<'a> {
    pub flags: Flags<'a>,
    /// The key as it was written.
    pub asked: &'a [u8],
    /// The key itself.
    pub key: &'a [u8],
}

impl MetaRequest<'_> {
    /// Answers `mg`.
    ///
    /// # Errors
    /// `Refused` for what the request itself forbids, and those of `MemcachedRows::fetch`. Nothing
    /// is left in `out` then.
    #[inline]
    pub fn get(
        &self,
        rows: &mut MemcachedRows<'_, '_>,
        out: &mut Vec<u8>,
    ) -> Result<(), MemcachedTrouble> {
        let flags = &self.flags;
        let fetch = Fetch {
            key: self.key,
            touch: flags.touch,
            vivify: flags.vivify(),
            recache: flags.recache,
            recache_first: flags.in_order(b'R', b'T'),
            wins: true,
            unseen: flags.unseen,
            expired_too: false,
            new_cas: flags.new_cas,
        };
        let now = rows.now;
        rows.shared.counters.cmd_get.add();
        if rows.fetch(&fetch, &mut |item| self.show(item, now, out))? {
            return Ok(());
        }
        if !flags.quiet {
            self.code(b"EN", None, out);
        }
        Ok(())
    }

    fn show(&self, item: &Item<'_>, now: Moment, out: &mut Vec<u8>) {
        let mut expires = item.expires_before;
        let same = self.flags.compare == Some(item.cas);
        let with_value = self.flags.value && !same;
        if with_value {
            out.extend_from_slice(b"VA ");
            write_u64(item.value.len() as u64, out);
        } else {
            out.extend_from_slice(b"HD");
        }
        for token in self.flags.tokens {
            expires = self.flags.expires_after(token, item.made, now, expires);
            let mut number = |letter: u8, number: u64| {
                out.extend_from_slice(&[b' ', letter]);
                write_u64(number, out);
            };
            match token[0] {
                b'f' => number(b'f', u64::from(item.flags)),
                b's' => number(b's', item.value.len() as u64),
                b'c' => number(b'c', item.cas),
                b'h' => number(b'h', u64::from(item.hit_before)),
                b'l' => number(b'l', item.idle as u64),
                b't' => ttl(expires, now, out),
                _ => self.flags.echo(token, self.asked, out),
            }
        }
        let marks = [(item.taken, b" Z"), (item.stale, b" X"), (item.won, b" W")];
        for (_, mark) in marks.iter().filter(|(holds, _)| *holds) {
            out.extend_from_slice(*mark);
        }
        out.extend_from_slice(b"\r\n");
        if with_value {
            out.extend_from_slice(item.value);
            out.extend_from_slice(b"\r\n");
        }
    }

    /// A return code with the flags that every reply has.
    fn code(&self, code: &[u8], cas: Option<(u64, usize)>, out: &mut Vec<u8>) {
        out.extend_from_slice(code);
        for token in self.flags.tokens {
            match (token[0], cas) {
                (b'c', Some((cas, _))) => {
                    out.extend_from_slice(b" c");
                    write_u64(cas, out);
                }
                (b's', Some((_, bytes))) => {
                    out.extend_from_slice(b" s");
                    write_u64(bytes as u64, out);
                }
                _ => self.flags.echo(token, self.asked, out),
            }
        }
        out.extend_from_slice(b"\r\n");
    }

    /// Answers `ms`.
    ///
    /// # Errors
    /// `Refused` for a mode that is none, and those of `MemcachedRows::store`: nothing is stored
    /// then.
    #[inline]
    pub fn set(
        &self,
        value: &[u8],
        rows: &mut MemcachedRows<'_, '_>,
        out: &mut Vec<u8>,
    ) -> Result<(), MemcachedTrouble> {
        let flags = &self.flags;
        let mode = match flags.mode.map(|mode| mode.to_ascii_uppercase()) {
            None | Some(b'S') => StoreMode::Set,
            Some(b'E') => StoreMode::Add,
            Some(b'A') => StoreMode::Append,
            Some(b'P') => StoreMode::Prepend,
            Some(b'R') => StoreMode::Replace,
            Some(_) => return Err(client("invalid mode for ms M token").into()),
        };
        let store = Store {
            key: self.key,
            mode,
            flags: flags.client_flags,
            exptime: flags.touch.unwrap_or(0),
            value,
            compare: flags.compare,
            invalidate: flags.invalidate,
            vivify: flags.vivify,
            new_cas: flags.new_cas,
        };
        let stored = rows.store(&store, flags.has(b'c'))?;
        // What was not stored has cas value 0, and the size of what came.
        let (code, cas): (&[u8], u64) = match stored.outcome {
            WriteOutcome::Done(_) if flags.quiet => return Ok(()),
            WriteOutcome::Done(cas) => (b"HD", cas),
            WriteOutcome::NotStored => (b"NS", 0),
            WriteOutcome::Exists => (b"EX", 0),
            WriteOutcome::Missing => (b"NF", 0),
        };
        self.code(code, Some((cas, stored.value_bytes)), out);
        Ok(())
    }

    /// Answers `md`.
    ///
    /// # Errors
    /// Those of `MemcachedRows::delete`: the item stays then.
    #[inline]
    pub fn delete(
        &self,
        rows: &mut MemcachedRows<'_, '_>,
        out: &mut Vec<u8>,
    ) -> Result<(), MemcachedTrouble> {
        let flags = &self.flags;
        let delete = Delete {
            key: self.key,
            compare: flags.compare,
            invalidate: flags.invalidate,
            blank: flags.blank,
            touch: flags.touch,
            new_cas: flags.new_cas,
        };
        match rows.delete(&delete, false)? {
            WriteOutcome::Done(_) if flags.quiet => {}
            WriteOutcome::Done(_) => self.code(b"HD", None, out),
            WriteOutcome::Missing => self.code(b"NF", None, out),
            WriteOutcome::Exists => self.code(b"EX", None, out),
            WriteOutcome::NotStored => self.code(b"NS", None, out),
        }
        Ok(())
    }

    /// Answers `ma`.
    ///
    /// # Errors
    /// `Refused` for a mode that is none, and those of `MemcachedRows::count`: the item stays as
    /// it is then.
    #[inline]
    pub fn count(
        &self,
        rows: &mut MemcachedRows<'_, '_>,
        out: &mut Vec<u8>,
    ) -> Result<(), MemcachedTrouble> {
        let flags = &self.flags;
        let down = match flags.mode {
            None | Some(b'I' | b'i' | b'+') => false,
            Some(b'D' | b'd' | b'-') => true,
            Some(_) => return Err(client("invalid mode for ma M token").into()),
        };
        let count = Count {
            key: self.key,
            down,
            delta: flags.delta.unwrap_or(1),
            initial: flags.vivify().map(|exptime| (flags.initial.unwrap_or(0), exptime)),
            touch: flags.touch,
            compare: flags.compare,
            new_cas: flags.new_cas,
        };
        let counted = match rows.count(&count, flags.has(b'c'))? {
            Ok(counted) => counted,
            Err(outcome) => {
                let code: &[u8] = match outcome {
                    WriteOutcome::Exists => b"EX",
                    WriteOutcome::NotStored => b"NS",
                    WriteOutcome::Missing | WriteOutcome::Done(_) => b"NF",
                };
                self.code(code, None, out);
                return Ok(());
            }
        };
        // That it was made is told in any case.
        if flags.quiet && !counted.made {
            return Ok(());
        }
        let mut expires = counted.expires_before;
        let digits = counted.number.to_string();
        if flags.value {
            out.extend_from_slice(b"VA ");
            write_u64(digits.len() as u64, out);
        } else {
            out.extend_from_slice(b"HD");
        }
        for token in flags.tokens {
            expires = flags.expires_after(token, counted.made, rows.now, expires);
            match token[0] {
                b'c' => {
                    out.extend_from_slice(b" c");
                    write_u64(counted.cas, out);
                }
                b't' => ttl(expires, rows.now, out),
                _ => flags.echo(token, self.asked, out),
            }
        }
        out.extend_from_slice(b"\r\n");
        if flags.value {
            out.extend_from_slice(digits.as_bytes());
            out.extend_from_slice(b"\r\n");
        }
        Ok(())
    }

    /// Answers `me`.
    ///
    /// # Errors
    /// Those of `MemcachedRows::fetch`.
    pub fn debug(
        &self,
        base64: bool,
        rows: &mut MemcachedRows<'_, '_>,
        out: &mut Vec<u8>,
    ) -> Result<(), MemcachedTrouble> {
        let now = rows.now.0;
        let fetch = Fetch { key: self.key, wins: true, unseen: true, ..Fetch::default() };
        let found = rows.fetch(&fetch, &mut |item| {
            out.extend_from_slice(b"ME ");
            out.extend_from_slice(self.asked);
            let expires = if item.expires == 0 { -1 } else { item.expires.saturating_sub(now) };
            let fetched = if item.hit_before { "yes" } else { "no" };
            let size = item.value.len() + self.key.len();
            let text = format!(
                " exp={expires} la={} cas={} fetch={fetched} cls=1 size={size}{}\r\n",
                item.idle,
                item.cas,
                if base64 { " b" } else { "" },
            );
            out.extend_from_slice(text.as_bytes());
        })?;
        if !found {
            out.extend_from_slice(b"EN\r\n");
        }
        Ok(())
    }
}

fn ttl(expires: i64, now: Moment, out: &mut Vec<u8>) {
    match expires {
        0 => out.extend_from_slice(b" t-1"),
        _ => {
            out.extend_from_slice(b" t");
            write_u64(expires.saturating_sub(now.0).max(0) as u64, out);
        }
    }
}
