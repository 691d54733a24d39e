//! Addresses of the Internet: INET_ATON, INET_NTOA, INET6_ATON, INET6_NTOA, IS_IPV4, IS_IPV6,
//! IS_IPV4_COMPAT, IS_IPV4_MAPPED (MySQL 8.0 manual, 14.23).

use std::net::{Ipv4Addr, Ipv6Addr};

use values::datum::Datum;

use crate::functions::call::{Call, whole};
use crate::functions::make::is_byte_string;
use crate::statement::error::Result;
use crate::tree::function::Function;
use crate::value::cell::{Cell, NULL};

/// Their values.
pub(crate) fn call<'a>(call: &Call<'_, 'a>, cells: &[Cell<'a>]) -> Result<Cell<'a>> {
    let Call { function, arguments, scope, .. } = *call;
    use Function as F;
    if cells[0].is_null() {
        return Ok(NULL);
    }
    if function == F::InetNtoa {
        let Some(number) = whole(&cells[0], scope) else { return Ok(NULL) };
        let Ok(address) = u32::try_from(number) else {
            scope.distrust_argument("integer", &number.to_string(), function);
            return Ok(NULL);
        };
        return Ok(text(Ipv4Addr::from(address)));
    }
    let mut buffer = Vec::new();
    let bytes = arguments[0].bytes_of(cells[0].datum(), scope.zone, &mut buffer);
    let (four, six) = (|| read_four(bytes), || read_six(bytes));
    let made = match function {
        F::IsIpv4 => Cell::truth(four().is_some()),
        F::IsIpv6 => Cell::truth(six().is_some()),
        F::IsIpv4Compat => Cell::truth(<[u8; 16]>::try_from(bytes).is_ok_and(is_compatible)),
        F::IsIpv4Mapped => {
            let address = <[u8; 16]>::try_from(bytes).map(Ipv6Addr::from);
            Cell::truth(address.is_ok_and(|address| address.to_ipv4_mapped().is_some()))
        }
        F::Inet6Aton => match (four(), six()) {
            (Some(octets), _) => Cell::Owned(octets.to_vec()),
            (None, Some(octets)) => Cell::Owned(octets.to_vec()),
            (None, None) => NULL,
        },
        // What it shows are bytes, not the characters of a text.
        F::Inet6Ntoa if !is_byte_string(&arguments[0]) => NULL,
        F::Inet6Ntoa => match (<[u8; 4]>::try_from(bytes), <[u8; 16]>::try_from(bytes)) {
            (Ok(octets), _) => text(Ipv4Addr::from(octets)),
            (_, Ok(octets)) => text_of_six(octets),
            _ => NULL,
        },
        _ => inet_aton(bytes),
    };
    if made.is_null() {
        let shown = String::from_utf8_lossy(bytes);
        scope.distrust_argument("string", &format!("'{shown}'"), function);
    }
    Ok(made)
}

fn text<'a>(address: impl ToString) -> Cell<'a> {
    Cell::Owned(address.to_string().into_bytes())
}

/// Whether it is an address of IPv4 but for its leading zeros.
fn is_compatible(octets: [u8; 16]) -> bool {
    octets[..12].iter().all(|byte| *byte == 0) && octets[12..14] != [0, 0]
}

/// The last four bytes of such an address are shown as one of IPv4. `::` stands for the first of
/// the longest rows of zeros, also for a single one, which the standard library writes out (MySQL
/// 9.7: tests/oracle/sql/functions-read-again.sql).
fn text_of_six<'a>(octets: [u8; 16]) -> Cell<'a> {
    if is_compatible(octets) {
        let four = Ipv4Addr::new(octets[12], octets[13], octets[14], octets[15]);
        return text(format!("::{four}"));
    }
    let address = Ipv6Addr::from(octets);
    if address.to_ipv4_mapped().is_some() {
        return text(address);
    }
    let groups = address.segments();
    let zeros = |at: usize| groups[at..].iter().take_while(|group| **group == 0).count();
    // `max_by_key` gives the last of several.
    let gap = (0..groups.len()).rev().max_by_key(|at| zeros(*at)).unwrap_or(0);
    let shown = |groups: &[u16]| {
        groups.iter().map(|group| format!("{group:x}")).collect::<Vec<_>>().join(":")
    };
    match zeros(gap) {
        0 => text(address),
        length => text(format!("{}::{}", shown(&groups[..gap]), shown(&groups[gap + length..]))),
    }
}

/// An address such as '127.0.0.1'. Each number has one to three digits, zeros in front too.
fn read_four(text: &[u8]) -> Option<[u8; 4]> {
    let mut octets = [0; 4];
    let mut parts = text.split(|byte| *byte == b'.');
    for octet in &mut octets {
        let digits = parts.next().filter(|digits| digits.len() <= 3)?;
        // `parse` takes a sign, too.
        let is_number = digits.iter().all(u8::is_ascii_digit);
        *octet = std::str::from_utf8(digits).ok().filter(|_| is_number)?.parse().ok()?;
    }
    parts.next().is_none().then_some(octets)
}

/// The longest text of an address of IPv6.
const SIX_BYTES_MAX: usize = 39;

/// An address such as '2001:db8::1' or '::ffff:127.0.0.1'. `::` stands for one group of zeros or
/// more.
fn read_six(text: &[u8]) -> Option<[u8; 16]> {
    if text.len() > SIX_BYTES_MAX {
        return None;
    }
    let found = text.windows(2).position(|pair| pair == b"::");
    let Some(gap) = found else {
        return <[u8; 16]>::try_from(groups_of(text, true)?).ok();
    };
    let after = &text[gap + 2..];
    let first = if gap == 0 { Vec::new() } else { groups_of(&text[..gap], false)? };
    let last = if after.is_empty() { Vec::new() } else { groups_of(after, true)? };
    if first.len() + last.len() >= 16 {
        return None;
    }
    let mut octets = [0; 16];
    octets[..first.len()].copy_from_slice(&first);
    octets[16 - last.len()..].copy_from_slice(&last);
    Some(octets)
}

/// The bytes of groups between colons; the last may be an address of IPv4.
fn groups_of(text: &[u8], is_end: bool) -> Option<Vec<u8>> {
    let groups: Vec<&[u8]> = text.split(|byte| *byte == b':').collect();
    let mut octets = Vec::new();
    for (at, group) in groups.iter().enumerate() {
        if is_end && at + 1 == groups.len() && group.contains(&b'.') {
            octets.extend(read_four(group)?);
            break;
        }
        let is_group = (1..=4).contains(&group.len()) && group.iter().all(u8::is_ascii_hexdigit);
        let digits = std::str::from_utf8(group).ok().filter(|_| is_group)?;
        octets.extend(u16::from_str_radix(digits, 16).ok()?.to_be_bytes());
    }
    Some(octets)
}

/// '127.1' is short for '127.0.0.1', and a number that is left out before a point is 0, as in
/// MySQL.
fn inet_aton<'a>(text: &[u8]) -> Cell<'a> {
    let mut parts: Vec<u64> = Vec::new();
    for digits in text.split(|byte| *byte == b'.') {
        let mut number = 0;
        for byte in digits {
            let digit = byte.wrapping_sub(b'0');
            number = number * 10 + u64::from(digit);
            if digit > 9 || number > 255 {
                return NULL;
            }
        }
        parts.push(number);
    }
    let is_whole = text.last().is_some_and(u8::is_ascii_digit);
    let (Some((last, leading)), true) = (parts.split_last(), is_whole && parts.len() <= 4) else {
        return NULL;
    };
    let high = leading.iter().enumerate().fold(0, |value, (n, part)| value | part << (24 - 8 * n));
    Cell::Plain(Datum::UInt(high | last))
}
