//! The names in a certificate: the common name of its subject, and subject and issuer on a line
//! each, as OpenSSL writes them (`/C=SE/O=shop/CN=app`).
//!
//! ```text
//! certificate   SEQUENCE { to be signed, .. }
//! to be signed  SEQUENCE { [0] version, serial, algorithm, issuer, validity, subject, .. }
//! a name        SEQUENCE OF SET OF SEQUENCE { type, value }            (RFC 5280, 4.1)
//! ```
//! On a line a type stands by OpenSSL's short name or by its number, and a byte of a value that is
//! no printable letter of ASCII as `\x` and two digits (`X509_NAME_oneline`).
//!
//! Not here: whether anybody has signed it (`acceptor`).

use std::fmt::Write as _;

use der::asn1::{AnyRef, ObjectIdentifier};
use der::{Decode as _, Reader, SliceReader, Tag, TagNumber, Tagged as _};

/// The type of common names.
const COMMON_NAME: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.4.3");
const VERSION: Tag = Tag::ContextSpecific { constructed: true, number: TagNumber::N0 };

/// Types of names' parts by OpenSSL's short names.
const SHORT_NAMES: [(&str, &str); 20] = [
    ("2.5.4.3", "CN"),
    ("2.5.4.4", "SN"),
    ("2.5.4.5", "serialNumber"),
    ("2.5.4.6", "C"),
    ("2.5.4.7", "L"),
    ("2.5.4.8", "ST"),
    ("2.5.4.9", "street"),
    ("2.5.4.10", "O"),
    ("2.5.4.11", "OU"),
    ("2.5.4.12", "title"),
    ("2.5.4.13", "description"),
    ("2.5.4.15", "businessCategory"),
    ("2.5.4.17", "postalCode"),
    ("2.5.4.41", "name"),
    ("2.5.4.42", "GN"),
    ("2.5.4.43", "initials"),
    ("2.5.4.46", "dnQualifier"),
    ("0.9.2342.19200300.100.1.1", "UID"),
    ("0.9.2342.19200300.100.1.25", "DC"),
    ("1.2.840.113549.1.9.1", "emailAddress"),
];

/// Subject and issuer of a certificate (DER), each on a line.
pub fn lines(certificate: &[u8]) -> Option<(String, String)> {
    let (subject, issuer) = subject_and_issuer(certificate).ok()?;
    Some((line(subject).ok()?, line(issuer).ok()?))
}

fn line(name: AnyRef<'_>) -> der::Result<String> {
    let mut line = String::new();
    each_part(name, |kind, value| {
        let kind = kind.to_string();
        let short = SHORT_NAMES.iter().find(|(number, _)| *number == kind);
        line.push('/');
        line.push_str(short.map_or(kind.as_str(), |(_, short)| short));
        line.push('=');
        for byte in value.value() {
            match byte {
                b' '..=b'~' => line.push(char::from(*byte)),
                _ => {
                    // Writing to a text never fails.
                    let _ = write!(line, "\\x{byte:02X}");
                }
            }
        }
        Ok(())
    })?;
    Ok(line)
}

/// The common name of a certificate's subject (DER), if it has just one.
pub fn common_name(certificate: &[u8]) -> Option<String> {
    let mut names = Vec::new();
    read_names(certificate, &mut names).ok()?;
    let name = names.pop().filter(|name| names.is_empty() && !name.is_empty())?;
    // A name that goes on behind a zero would be another one for C.
    (!name.contains('\0')).then_some(name)
}

fn read_names(certificate: &[u8], names: &mut Vec<String>) -> der::Result<()> {
    let (subject, _) = subject_and_issuer(certificate)?;
    each_part(subject, |kind, value| {
        if kind == COMMON_NAME {
            names.push(text(value)?);
        }
        Ok(())
    })
}

fn subject_and_issuer(certificate: &[u8]) -> der::Result<(AnyRef<'_>, AnyRef<'_>)> {
    let certificate = elements(AnyRef::from_der(certificate)?)?;
    let signed = elements(*certificate.first().ok_or(Tag::Sequence.value_error())?)?;
    let has_version = signed.first().is_some_and(|first| first.tag() == VERSION);
    let part = |at| signed.get(at + usize::from(has_version)).copied();
    let (subject, issuer) = (part(4), part(2));
    let missing = || Tag::Sequence.value_error();
    Ok((subject.ok_or_else(missing)?, issuer.ok_or_else(missing)?))
}

/// Calls `work` with type and value of each part of a name.
fn each_part<'a>(
    name: AnyRef<'a>,
    mut work: impl FnMut(ObjectIdentifier, AnyRef<'a>) -> der::Result<()>,
) -> der::Result<()> {
    for set in elements(name)? {
        for attribute in elements(set)? {
            if let [kind, value] = elements(attribute)?[..] {
                work(kind.decode_as()?, value)?;
            }
        }
    }
    Ok(())
}

/// What a sequence or a set holds.
fn elements(whole: AnyRef<'_>) -> der::Result<Vec<AnyRef<'_>>> {
    if !matches!(whole.tag(), Tag::Sequence | Tag::Set) {
        return Err(whole.tag().unexpected_error(Some(Tag::Sequence)));
    }
    let mut reader = SliceReader::new(whole.value())?;
    let mut elements = Vec::new();
    while !reader.is_finished() {
        elements.push(AnyRef::decode(&mut reader)?);
    }
    Ok(elements)
}

/// The kinds of text that are UTF-8, or part of it.
fn text(value: AnyRef<'_>) -> der::Result<String> {
    match value.tag() {
        Tag::Utf8String | Tag::PrintableString | Tag::Ia5String => {
            let text = std::str::from_utf8(value.value());
            text.map(str::to_owned).map_err(|_| value.tag().value_error())
        }
        other => Err(other.unexpected_error(Some(Tag::Utf8String))),
    }
}

#[cfg(test)]
mod tests {
    use rcgen::{CertificateParams, DistinguishedName, DnType, KeyPair};

    use super::*;

    fn made(names: &[(DnType, &str)]) -> Vec<u8> {
        let mut params = CertificateParams::new(["localhost".to_owned()]).unwrap();
        params.distinguished_name = DistinguishedName::new();
        for (kind, name) in names {
            params.distinguished_name.push(kind.clone(), *name);
        }
        params.self_signed(&KeyPair::generate().unwrap()).unwrap().der().to_vec()
    }

    #[test]
    fn a_certificate_has_the_common_name_of_its_subject() {
        let organisation = (DnType::OrganizationName, "shop");
        let common = (DnType::CommonName, "app \u{e4}");
        assert_eq!(common_name(&made(&[organisation.clone(), common])).unwrap(), "app \u{e4}");
        assert_eq!(common_name(&made(&[organisation])), None);
        assert_eq!(common_name(&made(&[])), None);
        assert_eq!(common_name(&made(&[(DnType::CommonName, "root\0x")])), None);
        assert_eq!(common_name(b""), None);
    }

    #[test]
    fn subject_and_issuer_are_written_on_a_line_as_openssl_does() {
        let made = made(&[
            (DnType::CountryName, "SE"),
            (DnType::OrganizationName, "a/b \u{e4}"),
            (DnType::CustomDnType(vec![1, 2, 840, 113_549, 1, 9, 1]), "a@b"),
            (DnType::CustomDnType(vec![1, 2, 3, 4]), "x"),
            (DnType::CommonName, "app"),
        ]);
        // As `openssl x509 -nameopt compat -subject` shows it.
        let line = "/C=SE/O=a/b \\xC3\\xA4/emailAddress=a@b/1.2.3.4=x/CN=app".to_owned();
        assert_eq!(lines(&made), Some((line.clone(), line)), "which it has signed itself");
        assert_eq!(lines(b""), None);
    }

    #[test]
    fn what_is_cut_off_or_changed_has_no_name_and_stops_nobody() {
        let whole = made(&[(DnType::CommonName, "app")]);
        for length in 0..whole.len() {
            assert_eq!(common_name(&whole[..length]), None, "{length} bytes");
            assert_eq!(lines(&whole[..length]), None, "{length} bytes");
        }
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 0x55;
            // Any answer will do.
            common_name(&changed);
            lines(&changed);
        }
    }
}
