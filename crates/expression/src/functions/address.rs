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
    let read = std::str::from_utf8(bytes).unwrap_or_default();
    let (four, six) = (|| read.parse::<Ipv4Addr>().ok(), || read.parse::<Ipv6Addr>().ok());
    let made = match function {
        F::IsIpv4 => Cell::truth(four().is_some()),
        F::IsIpv6 => Cell::truth(six().is_some()),
        F::IsIpv4Compat => Cell::truth(<[u8; 16]>::try_from(bytes).is_ok_and(is_compatible)),
        F::IsIpv4Mapped => {
            let address = <[u8; 16]>::try_from(bytes).map(Ipv6Addr::from);
            Cell::truth(address.is_ok_and(|address| address.to_ipv4_mapped().is_some()))
        }
        F::Inet6Aton => match (four(), six()) {
            (Some(address), _) => Cell::Owned(address.octets().to_vec()),
            (None, Some(address)) => Cell::Owned(address.octets().to_vec()),
            (None, None) => NULL,
        },
        // What it shows are bytes, not the characters of a text.
        F::Inet6Ntoa if !is_byte_string(&arguments[0]) => NULL,
        F::Inet6Ntoa => match (<[u8; 4]>::try_from(bytes), <[u8; 16]>::try_from(bytes)) {
            (Ok(octets), _) => text(Ipv4Addr::from(octets)),
            (_, Ok(octets)) => text_of_six(octets),
            _ => NULL,
        },
        _ => inet_aton(read),
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

/// The last four bytes of such an address are shown as one of IPv4.
fn text_of_six<'a>(octets: [u8; 16]) -> Cell<'a> {
    if is_compatible(octets) {
        let four = Ipv4Addr::new(octets[12], octets[13], octets[14], octets[15]);
        return text(format!("::{four}"));
    }
    text(Ipv6Addr::from(octets))
}

/// '127.1' is short for '127.0.0.1', as in MySQL.
fn inet_aton<'a>(text: &str) -> Cell<'a> {
    let parts: Vec<Option<u8>> = text.split('.').map(|part| part.parse().ok()).collect();
    let Some(parts) = parts.into_iter().collect::<Option<Vec<u8>>>() else { return NULL };
    let (Some((last, leading)), true) = (parts.split_last(), parts.len() <= 4) else { return NULL };
    let high = leading
        .iter()
        .enumerate()
        .fold(0u64, |value, (n, part)| value | u64::from(*part) << (24 - 8 * n));
    Cell::Plain(Datum::UInt(high | u64::from(*last)))
}
