//! A small HTTP/1.1: requests are read out of a connection's input, answers are written.
//!
//! Invariants
//! 1. What a request may hold is bounded before any of it is kept: a head of 8 KiB, and as long a
//!    body as the door allows. A body has a length; other ways to send one are refused.
//! 2. Which page asks is told by what browsers say themselves (`Host`, `Origin`, `Sec-Fetch-Site`),
//!    which the page cannot change.
//!
//! Not here: what is answered (`prometheus::door`, `page::door`), limits of time (`net`), Tokyo
//! Tyrant's own HTTP (`doors::tyrant`).

use doors::site::{is_origin_of, is_ours};
use doors::{Input, Next};

/// The longest request line with its headers.
pub const HEAD_BYTES_MAX: usize = 8 * 1024;

/// What is told to a client that cannot be served now.
pub const UNAVAILABLE: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

/// What the front of an input is.
#[derive(Debug)]
pub enum HttpInput {
    /// The beginning of a request.
    Part,
    /// A whole request, of so many bytes.
    Request(Box<HttpRequest>, usize),
    /// Nothing that is served: answer so, and close.
    Refused(HttpAnswer),
}

/// A request.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct HttpRequest {
    /// Its method.
    pub method: String,
    /// What it asks for, without what stands behind `?` or `#`.
    pub path: String,
    /// Whether the client wants no further answers.
    pub closes: bool,
    /// What it sends.
    pub body: Vec<u8>,
    /// `Authorization`.
    pub authorization: Option<String>,
    /// `Content-Type`, without parameters, in lower case.
    pub content_type: Option<String>,
    host: Option<String>,
    origin: Option<String>,
    site: Option<String>,
}

impl HttpInput {
    /// The front of these bytes, with a body of so many bytes at most.
    pub fn read(bytes: &[u8], body_bytes_max: usize) -> HttpInput {
        let Some(head) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else {
            return match bytes.len() <= HEAD_BYTES_MAX {
                true => HttpInput::Part,
                false => refused("431 Request Header Fields Too Large"),
            };
        };
        if head > HEAD_BYTES_MAX {
            return refused("431 Request Header Fields Too Large");
        }
        let Some((mut request, body_bytes)) = HttpRequest::read(&bytes[..head]) else {
            return refused("400 Bad Request");
        };
        if body_bytes > body_bytes_max {
            return refused("413 Content Too Large");
        }
        let (begin, end) = (head + 4, head + 4 + body_bytes);
        if bytes.len() < end {
            return HttpInput::Part;
        }
        request.body = bytes[begin..end].to_vec();
        HttpInput::Request(Box::new(request), end)
    }
}

/// The request in front of an input, and its bytes.
///
/// # Errors
/// What the turn ends with where there is none; a refusal is written then.
pub fn next_request(
    input: &Input,
    body_bytes_max: usize,
    out: &mut Vec<u8>,
) -> Result<(Box<HttpRequest>, usize), Next> {
    match HttpInput::read(input.bytes(), body_bytes_max) {
        HttpInput::Part => Err(Next::Input),
        HttpInput::Refused(answer) => {
            answer.write(out, false, true);
            Err(Next::Close)
        }
        HttpInput::Request(request, bytes) => Ok((request, bytes)),
    }
}

/// What a turn ends with behind an answer.
pub fn after(closes: bool, input: &Input) -> Next {
    match closes {
        true => Next::Close,
        false if input.is_empty() => Next::Input,
        false => Next::Again,
    }
}

fn refused(status: &'static str) -> HttpInput {
    HttpInput::Refused(HttpAnswer::text(status, ""))
}

impl HttpRequest {
    /// A request by its head, with the length of its body; `None` for what is not HTTP/1.
    fn read(head: &[u8]) -> Option<(HttpRequest, usize)> {
        let text = std::str::from_utf8(head).ok()?;
        let mut lines = text.split("\r\n");
        let mut words = lines.next()?.split(' ');
        let (method, target, version) = (words.next()?, words.next()?, words.next()?);
        if words.next().is_some() || !version.starts_with("HTTP/1.") {
            return None;
        }
        let mut request = HttpRequest {
            method: method.to_owned(),
            path: target.split(['?', '#']).next()?.to_owned(),
            closes: version == "HTTP/1.0",
            ..HttpRequest::default()
        };
        let mut body_bytes = None;
        for line in lines {
            let (name, value) = line.split_once(':')?;
            let value = value.trim();
            match name.to_ascii_lowercase().as_str() {
                // Two of one kind are two requests to somebody.
                "host" => once(&mut request.host, value.to_owned())?,
                "origin" => once(&mut request.origin, value.to_owned())?,
                "sec-fetch-site" => once(&mut request.site, value.to_owned())?,
                "authorization" => once(&mut request.authorization, value.to_owned())?,
                "content-type" => {
                    let kind = value.split(';').next()?.trim().to_ascii_lowercase();
                    once(&mut request.content_type, kind)?;
                }
                "connection" => request.closes |= value.eq_ignore_ascii_case("close"),
                "content-length" => {
                    let is_plain = value.bytes().all(|digit| digit.is_ascii_digit());
                    once(&mut body_bytes, value.parse().ok().filter(|_| is_plain)?)?;
                }
                "transfer-encoding" => return None,
                _ => {}
            }
        }
        // RFC 9112, 3.2: a request of HTTP/1.1 names its host.
        let is_whole = version == "HTTP/1.0" || request.host.is_some();
        is_whole.then_some((request, body_bytes.unwrap_or(0)))
    }

    /// Whether it calls this server by an address or as `localhost`: a page of another site can
    /// have its own name lead here, but its browser says that name.
    pub fn is_for_us(&self) -> bool {
        self.host.as_deref().is_none_or(|host| is_ours(host.as_bytes(), &[]))
    }

    /// Whether no page asks: a browser names the page's origin.
    pub fn is_of_no_page(&self) -> bool {
        self.origin.is_none() && self.site.as_deref().is_none_or(|site| site == "none")
    }

    /// Whether no page of another site asks.
    pub fn is_of_no_other_site(&self) -> bool {
        let host = self.host.as_deref().unwrap_or("");
        let is_own = |origin: &str| is_origin_of(origin.as_bytes(), host.as_bytes());
        self.origin.as_deref().is_none_or(is_own)
            && self.site.as_deref().is_none_or(|site| matches!(site, "none" | "same-origin"))
    }
}

fn once<T>(place: &mut Option<T>, value: T) -> Option<()> {
    place.replace(value).is_none().then_some(())
}

/// An answer.
#[derive(Debug)]
pub struct HttpAnswer {
    status: &'static str,
    kind: &'static str,
    /// Further headers, each ending its line.
    headers: Vec<&'static str>,
    body: Vec<u8>,
}

impl HttpAnswer {
    /// Something that is there, of a media type.
    pub fn of(kind: &'static str, body: impl Into<Vec<u8>>) -> HttpAnswer {
        HttpAnswer { status: "200 OK", kind, headers: Vec::new(), body: body.into() }
    }

    /// A status with words.
    pub fn text(status: &'static str, body: &str) -> HttpAnswer {
        HttpAnswer { status, ..HttpAnswer::of("text/plain; charset=utf-8", body) }
    }

    /// A status with an answer in JSON.
    pub fn json(status: &'static str, body: String) -> HttpAnswer {
        HttpAnswer { status, ..HttpAnswer::of("application/json", body) }
    }

    /// With further headers, each ending its line.
    pub fn with(mut self, headers: &'static str) -> HttpAnswer {
        self.headers.push(headers);
        self
    }

    /// Appends it; for HEAD without its body.
    pub fn write(&self, out: &mut Vec<u8>, is_head: bool, closes: bool) {
        let HttpAnswer { status, kind, headers, body } = self;
        let connection = if closes { "close" } else { "keep-alive" };
        let (length, headers) = (body.len(), headers.concat());
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\
             X-Content-Type-Options: nosniff\r\nCache-Control: no-store\r\n{headers}\
             Connection: {connection}\r\n\r\n"
        );
        out.extend_from_slice(head.as_bytes());
        if !is_head {
            out.extend_from_slice(body);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<HttpRequest> {
        match HttpInput::read(text.as_bytes(), 8) {
            HttpInput::Request(request, bytes) => {
                assert!(bytes <= text.len());
                Some(*request)
            }
            _ => None,
        }
    }

    fn with(headers: &str) -> HttpRequest {
        read(&format!("GET /metrics HTTP/1.1\r\n{headers}\r\n\r\n")).unwrap()
    }

    #[test]
    fn a_request_is_read_with_its_body() {
        let request =
            read("POST /a?x=1 HTTP/1.1\r\nHost: 127.0.0.1:9104\r\nContent-Length: 3\r\n\r\nabcGET")
                .unwrap();
        assert_eq!((request.method.as_str(), request.path.as_str()), ("POST", "/a"));
        assert_eq!(request.body, b"abc");
        assert!(request.is_for_us() && request.is_of_no_page() && !request.closes);
        let part = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nab";
        for end in 0..part.len() {
            assert!(matches!(HttpInput::read(&part.as_bytes()[..end], 8), HttpInput::Part));
        }
    }

    #[test]
    fn a_page_and_another_name_are_told() {
        assert!(with("Host: localhost:9104").is_for_us());
        assert!(with("Host: [::1]:9104").is_for_us());
        assert!(!with("Host: example.org:9104").is_for_us());
        assert!(with("Host: 127.0.0.1\r\nSec-Fetch-Site: none").is_of_no_page());
        let own = with("Host: localhost:1\r\nOrigin: http://localhost:1");
        assert!(!own.is_of_no_page() && own.is_of_no_other_site());
        for other in [
            "Host: 127.0.0.1\r\nOrigin: http://example.org",
            "Host: 127.0.0.1\r\nOrigin: null",
            "Host: 127.0.0.1\r\nSec-Fetch-Site: cross-site",
            "Host: 127.0.0.1\r\nSec-Fetch-Site: same-site",
        ] {
            assert!(!with(other).is_of_no_page() && !with(other).is_of_no_other_site(), "{other}");
        }
    }

    #[test]
    fn what_is_not_http_or_may_be_two_requests_is_refused() {
        for head in [
            "get key",
            "GET /metrics HTTP/2",
            "GET /metrics HTTP/1.1",
            "POST /metrics HTTP/1.1\r\nHost: a\r\nContent-Length: 9",
            "POST /metrics HTTP/1.1\r\nHost: a\r\nContent-Length: +1",
            "POST /metrics HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2",
            "POST /metrics HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked",
            "GET /metrics HTTP/1.1\r\nHost: a\r\nHost: b",
        ] {
            let text = format!("{head}\r\n\r\n");
            let found = HttpInput::read(text.as_bytes(), 8);
            assert!(matches!(found, HttpInput::Refused(_)), "{head}: {found:?}");
        }
        let long = vec![b'a'; HEAD_BYTES_MAX + 1];
        assert!(matches!(HttpInput::read(&long, 8), HttpInput::Refused(_)));
    }
}
