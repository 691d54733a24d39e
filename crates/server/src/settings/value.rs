//! Values of settings, from their text: sizes, times, ports, words.
//!
//! Invariants
//! 1. A text that is not wholly understood is an error; the error says what would be.
//!
//! Not here: which setting has which kind (`table`).

use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use access::AccountName;
use doors::WithoutLogin;
use rows::store::Durability;

/// What is wrong with a text.
pub type Why = String;

/// Where a door listens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Port {
    /// Nowhere: the door is closed.
    Off,
    /// On any free port.
    Auto,
    /// On this port.
    Number(u16),
}

impl Port {
    /// The number to bind; `None` when the door is closed.
    pub fn to_bind(self) -> Option<u16> {
        match self {
            Port::Off => None,
            Port::Auto => Some(0),
            Port::Number(number) => Some(number),
        }
    }
}

/// A port: a number, `off` or 0, or `auto`.
///
/// # Errors
/// What is expected, for anything else.
pub fn port(text: &str) -> Result<Port, Why> {
    match text {
        "off" => Ok(Port::Off),
        "auto" => Ok(Port::Auto),
        _ => match text.parse() {
            Ok(0) => Ok(Port::Off),
            Ok(number) => Ok(Port::Number(number)),
            Err(_) => Err("expected a port from 1 to 65535, off or auto".into()),
        },
    }
}

/// A number of bytes: `4GiB`, `64 MiB`, `1.5GiB`, `500MB`, `65536`.
///
/// # Errors
/// What is expected, for anything else.
pub fn size(text: &str) -> Result<u64, Why> {
    let why = || "expected a size like 64MiB, 4GiB or 500MB".to_owned();
    let (number, unit) = number_and_unit(text).ok_or_else(why)?;
    let factor: f64 = match unit.to_ascii_lowercase().as_str() {
        "" | "b" => 1.0,
        "k" | "kib" => 1024.0,
        "m" | "mib" => 1024.0 * 1024.0,
        "g" | "gib" => 1024.0 * 1024.0 * 1024.0,
        "t" | "tib" => 1024.0 * 1024.0 * 1024.0 * 1024.0,
        "kb" => 1e3,
        "mb" => 1e6,
        "gb" => 1e9,
        "tb" => 1e12,
        _ => return Err(why()),
    };
    let bytes = number * factor;
    if bytes > (1u64 << 53) as f64 {
        return Err("expected a size below 8PiB".into());
    }
    Ok(bytes as u64)
}

/// Bytes in the largest unit in which they are a whole number, as `size` reads it.
pub fn size_text(bytes: u64) -> String {
    let units = [(1u64 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    let whole = |(factor, _): &(u64, &str)| bytes >= *factor && bytes.is_multiple_of(*factor);
    match units.into_iter().find(whole) {
        Some((factor, unit)) => format!("{}{unit}", bytes / factor),
        None => format!("{bytes} bytes"),
    }
}

/// A time: `500ms`, `10s`, `5min`, `8h`, `1d`; 0 needs no unit.
///
/// # Errors
/// What is expected, for anything else.
pub fn duration(text: &str) -> Result<Duration, Why> {
    let why = || "expected a time like 60us, 500ms, 10s, 5min, 8h or 1d".to_owned();
    let (number, unit) = number_and_unit(text).ok_or_else(why)?;
    let seconds = match unit {
        "" if number == 0.0 => 0.0,
        "us" => number / 1_000_000.0,
        "ms" => number / 1000.0,
        "s" => number,
        "min" | "m" => number * 60.0,
        "h" => number * 3600.0,
        "d" => number * 86400.0,
        _ => return Err(why()),
    };
    Duration::try_from_secs_f64(seconds)
        .ok()
        .filter(|duration| duration.as_secs() < u64::from(u32::MAX))
        .ok_or_else(|| "expected a time below 136 years".into())
}

/// A whole number.
///
/// # Errors
/// What is expected, for anything else.
pub fn count(text: &str) -> Result<usize, Why> {
    text.parse().map_err(|_| "expected a whole number".into())
}

/// An IP address; `localhost` is 127.0.0.1.
///
/// # Errors
/// What is expected, for anything else.
pub fn ip(text: &str) -> Result<IpAddr, Why> {
    if text == "localhost" {
        return Ok(IpAddr::from([127, 0, 0, 1]));
    }
    text.parse().map_err(|_| "expected an IP address, such as 127.0.0.1 or ::1".into())
}

/// Paths with colons between them; none when empty.
///
/// # Errors
/// What is expected, for an empty path among others.
pub fn paths(text: &str) -> Result<Vec<PathBuf>, Why> {
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let paths = text.split(':').map(|path| match path {
        "" => Err("expected paths with colons between them".to_owned()),
        path => Ok(path.into()),
    });
    paths.collect()
}

/// A file's mode in octal digits: `0660`.
///
/// # Errors
/// What is expected, for anything else.
pub fn mode(text: &str) -> Result<u32, Why> {
    let mode = u32::from_str_radix(text, 8).ok().filter(|mode| *mode <= 0o777);
    mode.ok_or_else(|| "expected a mode in octal digits, such as 0660".into())
}

/// A group of the system by its number, or by its name in `/etc/group`; `None` when empty.
///
/// # Errors
/// What is expected, when the system has no such group.
pub fn group(text: &str) -> Result<Option<u32>, Why> {
    if text.is_empty() {
        return Ok(None);
    }
    if let Ok(number) = text.parse() {
        return Ok(Some(number));
    }
    let groups = std::fs::read_to_string("/etc/group").unwrap_or_default();
    let number = |line: &str| {
        let mut fields = line.split(':');
        let is_it = fields.next() == Some(text);
        fields.nth(1).filter(|_| is_it)?.parse().ok()
    };
    let found = groups.lines().find_map(number);
    found.map(Some).ok_or_else(|| "expected a group of /etc/group, or a number".into())
}

/// Whom clients act as that have not logged in: an account, or nobody by the word `none`; `None`
/// when empty.
///
/// # Errors
/// What is expected, for a name without a user.
pub fn without_login(text: &str) -> Result<Option<WithoutLogin>, Why> {
    match text {
        "" => return Ok(None),
        "none" => return Ok(Some(WithoutLogin::Nobody)),
        _ => {}
    }
    let name = Some(AccountName::parse(text)).filter(|name| !name.user.is_empty());
    let name = name.ok_or("expected an account, such as app or app@10.0.%, or none")?;
    Ok(Some(WithoutLogin::Account(name)))
}

/// A path; `None` when empty.
///
/// # Errors
/// None: any text is a path.
pub fn path(text: &str) -> Result<Option<PathBuf>, Why> {
    Ok((!text.is_empty()).then(|| text.into()))
}

/// A durability policy.
///
/// # Errors
/// The words that are expected, for anything else.
pub fn durability(text: &str) -> Result<Durability, Why> {
    match text {
        "every-commit" => Ok(Durability::EveryCommit),
        "every-second" => Ok(Durability::EverySecond),
        "os" => Ok(Durability::Os),
        _ => Err("expected every-commit, every-second or os".into()),
    }
}

/// Elements with `;` between.
///
/// # Errors
/// The first element that `one` refuses, with what it says.
pub fn list<T>(text: &str, one: impl Fn(&str) -> Result<T, Why>) -> Result<Vec<T>, Why> {
    let elements = text.split(';').map(str::trim).filter(|element| !element.is_empty());
    let read = |element: &str| one(element).map_err(|why| format!("`{element}`: {why}"));
    elements.map(read).collect()
}

/// One of some words.
///
/// # Errors
/// The words that are expected, for anything else.
pub fn choice(words: &'static [&'static str], text: &str) -> Result<&'static str, Why> {
    let found = words.iter().find(|word| **word == text);
    found.copied().ok_or_else(|| format!("expected one of {}", words.join(", ")))
}

fn number_and_unit(text: &str) -> Option<(f64, &str)> {
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    Some((number.parse().ok()?, unit.trim_start()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_binary_and_decimal_units() {
        assert_eq!(size("4GiB"), Ok(4 << 30));
        assert_eq!(size("64 MiB"), Ok(64 << 20));
        assert_eq!(size("1.5g"), Ok(3 << 29));
        assert_eq!(size("500MB"), Ok(500_000_000));
        assert_eq!(size("65536"), Ok(65536));
        for wrong in ["", "GiB", "4 gibi", "-1", "1e9", "99999999TiB"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_size_is_told_as_it_may_be_written() {
        for text in ["64MiB", "1GiB", "1000KiB", "3TiB"] {
            assert_eq!(size_text(size(text).unwrap()), text);
        }
        assert_eq!(size_text(1001), "1001 bytes");
    }

    #[test]
    fn times_need_a_unit_unless_zero() {
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("8h"), Ok(Duration::from_secs(8 * 3600)));
        assert_eq!(duration("0"), Ok(Duration::ZERO));
        for wrong in ["10", "", "s", "10 fortnights", "9999999999d"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_list_is_read_element_by_element() {
        assert_eq!(list(" 1; 2 ;", count), Ok(vec![1, 2]));
        assert_eq!(list("", count), Ok(vec![]));
        assert!(list("1;x", count).unwrap_err().contains("`x`"));
    }

    #[test]
    fn a_port_of_zero_closes_the_door() {
        assert_eq!(port("0"), Ok(Port::Off));
        assert_eq!(port("off"), Ok(Port::Off));
        assert_eq!(port("auto").map(Port::to_bind), Ok(Some(0)));
        assert_eq!(port("3306").map(Port::to_bind), Ok(Some(3306)));
        assert!(port("65536").is_err() && port("-1").is_err() && port("http").is_err());
    }
}
