//! The name that a certificate is for: the common name of its subject.
//!
//! ```text
//! certificate   SEQUENCE { to be signed, .. }
//! to be signed  SEQUENCE { [0] version, serial, algorithm, issuer, validity, subject, .. }
//! subject       SEQUENCE OF SET OF SEQUENCE { type, value }            (RFC 5280, 4.1)
//! ```
//!
//! Not here: whether anybody has signed it (`acceptor`).

use der::asn1::{AnyRef, ObjectIdentifier};
use der::{Decode as _, Reader, SliceReader, Tag, TagNumber, Tagged as _};

/// The type of common names.
const COMMON_NAME: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.4.3");
const VERSION: Tag = Tag::ContextSpecific { constructed: true, number: TagNumber::N0 };

/// The common name of a certificate's subject (DER), if it has just one.
pub fn common_name(certificate: &[u8]) -> Option<String> {
    let mut names = Vec::new();
    read_names(certificate, &mut names).ok()?;
    let name = names.pop().filter(|name| names.is_empty() && !name.is_empty())?;
    // A name that goes on behind a zero would be another one for C.
    (!name.contains('\0')).then_some(name)
}

fn read_names(certificate: &[u8], names: &mut Vec<String>) -> der::Result<()> {
    let certificate = elements(AnyRef::from_der(certificate)?)?;
    let signed = elements(*certificate.first().ok_or(Tag::Sequence.value_error())?)?;
    let has_version = signed.first().is_some_and(|first| first.tag() == VERSION);
    let subject = signed.get(4 + usize::from(has_version));
    for set in elements(*subject.ok_or(Tag::Sequence.value_error())?)? {
        for attribute in elements(set)? {
            if let [kind, value] = elements(attribute)?[..]
                && kind.decode_as::<ObjectIdentifier>()? == COMMON_NAME
            {
                names.push(text(value)?);
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
    fn what_is_cut_off_or_changed_has_no_name_and_stops_nobody() {
        let whole = made(&[(DnType::CommonName, "app")]);
        for length in 0..whole.len() {
            assert_eq!(common_name(&whole[..length]), None, "{length} bytes");
        }
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 0x55;
            // Any answer will do.
            common_name(&changed);
        }
    }
}
