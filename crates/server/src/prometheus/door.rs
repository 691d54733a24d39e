//! The metrics door: answers `GET /metrics` over HTTP/1.1 with what the server counts.
//!
//! Invariants
//! 1. Figures are gathered where waiting is allowed: some ask the file system.
//! 2. A browser that shows another site's page gets nothing: a request with an `Origin`, or one
//!    that calls this server by a name, is refused (DNS rebinding). Scrapers use an address or
//!    `localhost`.
//!
//! Not here: which metrics there are (`families`), how they are written (`collector`).

use std::sync::{Arc, OnceLock};

use doors::site::is_ours;
use doors::{Conversation, Input, Next, Turn};

use super::collector;
use crate::net::metrics::Metrics;

/// The longest request with its headers.
pub const REQUEST_BYTES_MAX: usize = 8 * 1024;

/// Counters of the event loops, once these have started.
pub type Sources = Arc<OnceLock<Arc<Metrics>>>;

/// A scraper's connection.
pub struct MetricsDoor {
    sources: Sources,
}

impl MetricsDoor {
    /// A conversation that shows these counters and the engine's figures.
    pub fn new(sources: Sources) -> MetricsDoor {
        MetricsDoor { sources }
    }

    fn answer(&self, request: &Request, turn: &Turn<'_>) -> Answer {
        if !request.is_local() {
            return Answer::text("403 Forbidden", "This server is for scrapers, not for pages.\n");
        }
        match (request.method.as_str(), request.path.as_str()) {
            ("GET" | "HEAD", "/metrics") => {
                match collector::text(turn.engine().metrics().figures(), self.sources.get()) {
                    Ok(text) => Answer { status: "200 OK", kind: METRICS_TYPE, body: text },
                    Err(error) => {
                        tracing::error!(%error, "the metrics could not be written");
                        Answer::text("500 Internal Server Error", "See the server's log.\n")
                    }
                }
            }
            ("GET" | "HEAD", _) => Answer::text("404 Not Found", "The metrics are at /metrics.\n"),
            _ => Answer::text("405 Method Not Allowed", "The metrics are read with GET.\n"),
        }
    }
}

/// What Prometheus' text form is called (prometheus.io/docs/instrumenting/exposition_formats).
const METRICS_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

impl Conversation for MetricsDoor {
    fn turn(&mut self, input: &mut Input, out: &mut Vec<u8>, turn: &mut Turn<'_>) -> Next {
        let Some((head_bytes, end)) = head_of(input.bytes()) else {
            if input.len() <= REQUEST_BYTES_MAX {
                return Next::Input;
            }
            Answer::text("431 Request Header Fields Too Large", "").write(out, false, true);
            return Next::Close;
        };
        let Some(request) = Request::read(&input.bytes()[..head_bytes]) else {
            Answer::text("400 Bad Request", "").write(out, false, true);
            return Next::Close;
        };
        if !turn.may_wait() {
            return Next::Offload;
        }
        input.consume(end);
        let answer = self.answer(&request, turn);
        answer.write(out, request.method == "HEAD", request.closes);
        turn.served(1);
        match request.closes {
            true => Next::Close,
            false if input.is_empty() => Next::Input,
            false => Next::Again,
        }
    }

    fn commit_failed(&mut self, _error: &rows::Error, _out: &mut Vec<u8>) {
        // Nothing is ever written here.
    }
}

/// Where the request line and headers end, without and with the empty line.
fn head_of(bytes: &[u8]) -> Option<(usize, usize)> {
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n")?;
    Some((end, end + 4))
}

/// A request without a body.
#[derive(Debug, PartialEq, Eq)]
struct Request {
    method: String,
    path: String,
    host: Option<String>,
    is_of_a_page: bool,
    closes: bool,
}

impl Request {
    /// `None` for what is not HTTP/1, or has a body.
    fn read(head: &[u8]) -> Option<Request> {
        let text = std::str::from_utf8(head).ok()?;
        let mut lines = text.split("\r\n");
        let mut words = lines.next()?.split(' ');
        let (method, target, version) = (words.next()?, words.next()?, words.next()?);
        if words.next().is_some() || !version.starts_with("HTTP/1.") {
            return None;
        }
        let path = target.split(['?', '#']).next()?;
        let mut request = Request {
            method: method.to_owned(),
            path: path.to_owned(),
            host: None,
            is_of_a_page: false,
            closes: version == "HTTP/1.0",
        };
        for line in lines {
            let (name, value) = line.split_once(':')?;
            let value = value.trim();
            match name.to_ascii_lowercase().as_str() {
                "host" if request.host.is_some() => return None,
                "host" => request.host = Some(value.to_owned()),
                "origin" => request.is_of_a_page = true,
                "sec-fetch-site" if value != "none" => request.is_of_a_page = true,
                "connection" => request.closes |= value.eq_ignore_ascii_case("close"),
                "content-length" if value != "0" => return None,
                "transfer-encoding" => return None,
                _ => {}
            }
        }
        // RFC 9112, 3.2: a request of HTTP/1.1 names its host.
        (request.closes || request.host.is_some()).then_some(request)
    }

    /// Whether it comes from a program that was given this server's address.
    fn is_local(&self) -> bool {
        !self.is_of_a_page && self.host.as_deref().is_none_or(|host| is_ours(host.as_bytes(), &[]))
    }
}

struct Answer {
    status: &'static str,
    kind: &'static str,
    body: String,
}

impl Answer {
    fn text(status: &'static str, body: &str) -> Answer {
        Answer { status, kind: "text/plain; charset=utf-8", body: body.to_owned() }
    }

    fn write(&self, out: &mut Vec<u8>, is_head: bool, closes: bool) {
        let Answer { status, kind, body } = self;
        let connection = if closes { "close" } else { "keep-alive" };
        let length = body.len();
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\
             X-Content-Type-Options: nosniff\r\nCache-Control: no-store\r\n\
             Connection: {connection}\r\n\r\n"
        );
        out.extend_from_slice(head.as_bytes());
        if !is_head {
            out.extend_from_slice(body.as_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(head: &str) -> Option<Request> {
        Request::read(head.as_bytes())
    }

    #[test]
    fn a_scrapers_request_is_read() {
        let request =
            read("GET /metrics?x=1 HTTP/1.1\r\nHost: 127.0.0.1:9104\r\nAccept: */*").unwrap();
        assert_eq!((request.method.as_str(), request.path.as_str()), ("GET", "/metrics"));
        assert!(request.is_local() && !request.closes);
    }

    #[test]
    fn a_page_and_another_name_are_refused() {
        let local = |headers: &str| {
            read(&format!("GET /metrics HTTP/1.1\r\n{headers}")).unwrap().is_local()
        };
        assert!(local("Host: localhost:9104"));
        assert!(local("Host: [::1]:9104"));
        assert!(local("Host: 127.0.0.1\r\nSec-Fetch-Site: none"));
        assert!(!local("Host: example.org:9104"));
        assert!(!local("Host: 127.0.0.1\r\nOrigin: http://example.org"));
        assert!(!local("Host: 127.0.0.1\r\nSec-Fetch-Site: cross-site"));
    }

    #[test]
    fn what_is_not_http_or_has_a_body_is_refused() {
        for head in [
            "get key",
            "GET /metrics HTTP/2",
            "GET /metrics HTTP/1.1",
            "POST /metrics HTTP/1.1\r\nHost: a\r\nContent-Length: 3",
            "GET /metrics HTTP/1.1\r\nHost: a\r\nHost: b",
        ] {
            assert_eq!(read(head), None, "{head}");
        }
    }
}
