//! HTTP/1.1 as Tokyo Tyrant speaks it: the path is a key, the body a value.
//!
//! | method | does | answers |
//! |---|---|---|
//! | GET, HEAD | value, its length | 200, 404 |
//! | PUT | puts; `X-TT-PDMODE` 1 keeps what is there, 2 puts behind it | 201, 409 |
//! | DELETE | removes | 200, 404 |
//! | POST | the function of `misc` that `X-TT-MNAME` names, on the values of a form | 200, 400, 500 |
//! | | or that of a script that `X-TT-XNAME` names, on key and body | 200, 500 |
//! | OPTIONS | statistics as `X-TT-` headers | 200 |
//!
//! Invariants
//! 1. Nothing of an incomplete request is done.
//! 2. Each request says by `Authorization: Basic` who sends it, or is one without a login: nothing
//!    is remembered of the one before, as a proxy sends those of several clients.
//! 3. A request that calls the server by another's name is refused, whoever sends it: a page of
//!    another site could otherwise reach this port through its reader's browser (DNS rebinding). Of
//!    two different names nobody knows which one somebody in between has looked at, and HTTP/1.1
//!    asks for one.
//! 4. A request that a browser sends for the page of another origin is refused, whatever it asks
//!    for; and no answer is taken for a page or a script.
//! 5. A body whose length is not known from `Content-Length` is not guessed: the request is refused
//!    and the connection ends, so that no part of a body is taken for the next request.
//!
//! Not here: what commands do (`execute`, `misc`), who is let in (`login`).

use std::io::Write as _;

use memchr::memmem;

use crate::foreign;
use crate::memcached::text::{signed, unsigned};
use crate::site::{is_origin_of, is_ours};
use crate::tyrant::call::{Call, Locking};
use crate::tyrant::command::{List, PutMode, TyrantFailure, TyrantTrouble};
use crate::tyrant::decode::DecodedRequest;
use crate::tyrant::encode::{self, CountedReply};
use crate::tyrant::execute::TyrantRows;
use crate::tyrant::shared::TyrantShared;
use crate::tyrant::{misc, stat};

/// Tells a client that asked for it to send its body.
pub const CONTINUE: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";
/// A value is what its client makes of it, not what a browser guesses: no page and no script.
const NOT_SNIFFED: &[u8] = b"X-Content-Type-Options: nosniff\r\n";
/// Most bytes of a request line and headers.
const HEAD_BYTES_MAX: usize = 64 * 1024;

/// What is asked of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Method {
    Get,
    Head,
    Put,
    Post,
    Delete,
    Options,
}

/// A request.
#[derive(Clone, Debug)]
pub struct HttpRequest<'a> {
    /// `None` for a method that there is not.
    method: Option<Method>,
    key: Vec<u8>,
    body: &'a [u8],
    put_mode: PutMode,
    /// The function of `misc`.
    function: Option<&'a [u8]>,
    /// The function of a script, and what it locks.
    script: Option<&'a [u8]>,
    locking: Locking,
    /// Whether the body is a form, or may be one.
    form: bool,
    /// Whether the body's length is not known, so that the request makes no sense.
    unmeasured: bool,
    keeps: bool,
    /// By which name, and port, the client calls this server: as the header says.
    host: Option<&'a [u8]>,
    /// Likewise in front of the path.
    host_of_path: Option<&'a [u8]>,
    /// Whether others could take its headers for something else, or they lack the host, so that it
    /// is refused.
    ambiguous: bool,
    /// Whether a browser says that it is for the page of another origin.
    is_foreign: bool,
    /// What the client says of who it is.
    authorization: Option<&'a [u8]>,
}

impl<'a> HttpRequest<'a> {
    /// What the client says of who it is.
    pub fn authorization(&self) -> Option<&'a [u8]> {
        self.authorization
    }

    /// Whether the connection ends behind it.
    pub fn closes(&self) -> bool {
        !self.keeps || self.unmeasured || self.ambiguous
    }

    /// Whether it changes records; a function of a script, which POST calls, may.
    pub fn is_update(&self) -> bool {
        matches!(self.method, Some(Method::Put | Method::Post | Method::Delete))
    }

    /// Whether its answer has no body, whatever its headers say.
    pub fn is_head(&self) -> bool {
        self.method == Some(Method::Head)
    }
}

/// Whether the client of a request that has not come wholly waits to be told to send its body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expects(pub bool);

/// Whether a line is the first of a request.
pub fn is_request_line(line: &[u8]) -> bool {
    foreign::http_version(line).is_some_and(|version| version.starts_with(b"1."))
}

/// The request in front of `bytes`, and whether its client waits to be told to send the body.
pub fn decode(bytes: &[u8], bytes_max: usize) -> (DecodedRequest<HttpRequest<'_>>, Expects) {
    let not_waiting = Expects(false);
    let Some((head, body_start)) = head_of(bytes) else {
        let full = bytes.len() > HEAD_BYTES_MAX;
        return (if full { DecodedRequest::Senseless } else { DecodedRequest::More }, not_waiting);
    };
    let mut lines = head.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end);
    let first = lines.next().unwrap_or_default().trim_ascii();
    let mut words = first.split(|byte| *byte == b' ').filter(|word| !word.is_empty());
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let (host_of_path, path) = without_host(path);
    let mut request = HttpRequest {
        method: method_of(method),
        key: percent_decoded(path),
        body: b"",
        put_mode: PutMode::Over,
        function: None,
        script: None,
        locking: Locking::None,
        form: true,
        unmeasured: false,
        keeps: !first.ends_with(b"HTTP/1.0"),
        host: None,
        host_of_path,
        ambiguous: false,
        is_foreign: false,
        authorization: None,
    };
    let (mut length, mut expects) = (None, false);
    let mut origins = Vec::new();
    for line in lines {
        // RFC 9112, 5.1 and 5.2: no header goes on in a further line, and none has a space in front
        // of its colon.
        if line.starts_with(b" ") || line.starts_with(b"\t") {
            request.ambiguous = true;
        }
        let Some(colon) = memchr::memchr(b':', line) else { continue };
        if line[..colon].ends_with(b" ") || line[..colon].ends_with(b"\t") {
            request.ambiguous = true;
        }
        let (name, value) = (line[..colon].to_ascii_lowercase(), line[colon + 1..].trim_ascii());
        match &name[..] {
            b"connection" if value.eq_ignore_ascii_case(b"close") => request.keeps = false,
            b"connection" if value.eq_ignore_ascii_case(b"keep-alive") => request.keeps = true,
            b"host" => {
                let same = |host: &[u8]| host.eq_ignore_ascii_case(value);
                request.ambiguous |= !request.host.is_none_or(same);
                request.host = Some(value);
            }
            b"authorization" => {
                request.ambiguous |= request.authorization.is_some();
                request.authorization = Some(value);
            }
            b"origin" => origins.push(value),
            b"sec-fetch-site" => request.is_foreign |= !matches!(value, b"same-origin" | b"none"),
            b"content-length" => match unsigned(value) {
                Some(bytes) if length.is_none_or(|length| length == bytes) => length = Some(bytes),
                _ => request.unmeasured = true,
            },
            b"transfer-encoding" => request.unmeasured = true,
            b"expect" => expects = value.eq_ignore_ascii_case(b"100-continue"),
            b"content-type" => {
                let value = value.to_ascii_lowercase();
                request.form = value.starts_with(b"application/x-www-form-urlencoded");
            }
            b"x-tt-pdmode" => {
                request.put_mode = match value {
                    b"1" => PutMode::Keep,
                    b"2" => PutMode::Concatenate,
                    _ => PutMode::Over,
                };
            }
            b"x-tt-mname" => request.function = Some(value),
            b"x-tt-xname" => request.script = Some(value),
            b"x-tt-xopts" => {
                let options = signed(value).and_then(|options| i32::try_from(options).ok());
                request.locking = Locking::of(options.unwrap_or(0));
            }
            _ => {}
        }
    }
    // RFC 9112, 3.2.
    let asks_for_host = foreign::http_version(first).is_some_and(|version| version != b"1.0");
    request.ambiguous |= asks_for_host && request.host.is_none();
    let is_own = |origin: &[u8]| request.host.is_some_and(|host| is_origin_of(origin, host));
    request.is_foreign |= !origins.into_iter().all(is_own);
    // What is to be refused anyhow need not be waited for, however long it says it is.
    let length = if request.ambiguous { None } else { length };
    let length = usize::try_from(length.unwrap_or(0)).unwrap_or(usize::MAX);
    if length > bytes_max {
        return (DecodedRequest::Senseless, not_waiting);
    }
    if request.unmeasured || request.ambiguous {
        return (DecodedRequest::Request { command: request, consumed: body_start }, not_waiting);
    }
    match bytes.get(body_start..body_start + length) {
        None => (DecodedRequest::More, Expects(expects)),
        Some(body) => {
            request.body = body;
            (
                DecodedRequest::Request { command: request, consumed: body_start + length },
                not_waiting,
            )
        }
    }
}

/// The request line with the headers, and where the body begins.
fn head_of(bytes: &[u8]) -> Option<(&[u8], usize)> {
    let within = &bytes[..bytes.len().min(HEAD_BYTES_MAX)];
    let ends = [(&b"\r\n\r\n"[..], 4), (b"\n\n", 2)];
    let found = ends.iter().filter_map(|(end, bytes)| Some((memmem::find(within, end)?, *bytes)));
    let (end, bytes_of_end) = found.min()?;
    Some((&bytes[..end], end + bytes_of_end))
}

fn method_of(word: &[u8]) -> Option<Method> {
    Some(match word {
        b"GET" => Method::Get,
        b"HEAD" => Method::Head,
        b"PUT" => Method::Put,
        b"POST" => Method::Post,
        b"DELETE" => Method::Delete,
        b"OPTIONS" => Method::Options,
        _ => return None,
    })
}

/// The host that a proxy's client puts in front of a path, and the path without its first slash.
fn without_host(path: &[u8]) -> (Option<&[u8]>, &[u8]) {
    let (host, path) = match path.strip_prefix(b"http://") {
        Some(rest) => {
            let (host, path) = rest.split_at(memchr::memchr(b'/', rest).unwrap_or(rest.len()));
            (Some(host), path)
        }
        None => (None, path),
    };
    (host, path.strip_prefix(b"/").unwrap_or(path))
}

/// Bytes of a text in which `%2F` is one byte and `+` a space.
pub(super) fn percent_decoded(text: &[u8]) -> Vec<u8> {
    let hexadecimal = |digit: u8| char::from(digit).to_digit(16).map(|value| value as u8);
    let mut decoded = Vec::with_capacity(text.len());
    let mut rest = text;
    while let [byte, behind @ ..] = rest {
        rest = behind;
        if let (b'%', [high, low, after @ ..]) = (*byte, behind)
            && let (Some(high), Some(low)) = (hexadecimal(*high), hexadecimal(*low))
        {
            decoded.push(high << 4 | low);
            rest = after;
        } else {
            decoded.push(if *byte == b'+' { b' ' } else { *byte });
        }
    }
    decoded
}

/// Appends a text as a form has it.
pub(super) fn push_percent_encoded(text: &[u8], out: &mut Vec<u8>) {
    for byte in text {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => out.push(*byte),
            // Writing into a vector does not fail.
            other => drop(write!(out, "%{other:02X}")),
        }
    }
}

/// Answers a request that is refused whoever sends it; `false` for another one.
pub fn refuse(request: &HttpRequest<'_>, shared: &TyrantShared, out: &mut Vec<u8>) -> bool {
    let hosts = [request.host, request.host_of_path];
    if request.ambiguous {
        status(400, "Bad Request", out);
    } else if request.unmeasured {
        status(411, "Length Required", out);
    } else if hosts.iter().flatten().any(|host| !is_ours(host, &shared.options.hosts)) {
        let why = "the page of another site asks for this server by its own name";
        shared.log_refusal("HTTP request", why);
        status(403, "Forbidden", out);
    } else if request.is_foreign {
        shared.log_refusal("HTTP request", "a browser sends it for the page of another site");
        status(403, "Forbidden", out);
    } else {
        return false;
    }
    true
}

/// Runs a request that is not refused, and appends its answer.
///
/// # Errors
/// See `TyrantTrouble`; what was appended is then to be cut off.
pub fn execute(
    request: &HttpRequest<'_>,
    rows: &mut TyrantRows<'_, '_>,
    out: &mut Vec<u8>,
) -> Result<(), TyrantTrouble> {
    let counters = &rows.shared.counters;
    match request.method {
        None => status(501, "Not Implemented", out),
        Some(Method::Get | Method::Head) => {
            let found = rows.get(&request.key, &mut |value| {
                head(200, "OK", "application/octet-stream", value.len(), out);
                if !request.is_head() {
                    out.extend_from_slice(value);
                }
            })?;
            (if request.is_head() { &counters.vsiz } else { &counters.get }).add();
            if !found {
                counters.get_miss.add();
                match request.is_head() {
                    true => head(404, "Not Found", "text/plain", 0, out),
                    false => status(404, "Not Found", out),
                }
            }
        }
        Some(Method::Put) => {
            let put = rows.put(request.put_mode, &request.key, request.body);
            if !matches!(put, Err(TyrantTrouble::Wait | TyrantTrouble::Outdated)) {
                counters.put.add();
            }
            match put {
                Ok(()) => status(201, "Created", out),
                Err(TyrantTrouble::Failed(TyrantFailure::Exists)) => {
                    counters.put_miss.add();
                    status(409, "Conflict", out);
                }
                Err(trouble) => return Err(trouble),
            }
        }
        Some(Method::Delete) => match rows.out(&request.key) {
            Ok(()) => {
                counters.out.add();
                status(200, "OK", out);
            }
            Err(TyrantTrouble::Failed(TyrantFailure::Missing)) => {
                counters.out.add();
                counters.out_miss.add();
                status(404, "Not Found", out);
            }
            Err(trouble) => return Err(trouble),
        },
        Some(Method::Post) => post(request, rows, out)?,
        Some(Method::Options) => {
            let mut figures = Vec::new();
            stat::list(rows, &mut figures)?;
            counters.stat.add();
            out.extend_from_slice(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n");
            out.extend_from_slice(NOT_SNIFFED);
            out.extend_from_slice(b"Allow: OPTIONS, GET, HEAD, PUT, POST, DELETE\r\n");
            for line in figures.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
                let tab = memchr::memchr(b'\t', line).unwrap_or(line.len());
                out.extend_from_slice(b"X-TT-");
                out.extend_from_slice(&line[..tab].to_ascii_uppercase());
                out.extend_from_slice(b": ");
                out.extend_from_slice(line[tab..].trim_ascii());
                out.extend_from_slice(b"\r\n");
            }
            out.extend_from_slice(b"\r\n");
        }
    }
    Ok(())
}

/// Calls a function with the values of a form, and answers with one.
fn post(
    request: &HttpRequest<'_>,
    rows: &mut TyrantRows<'_, '_>,
    out: &mut Vec<u8>,
) -> Result<(), TyrantTrouble> {
    if let Some(name) = request.script {
        let call = Call { name, locking: request.locking, key: &request.key, value: request.body };
        let answer = rows.call_script(&call)?;
        rows.shared.counters.ext.add();
        head(200, "OK", "application/octet-stream", answer.len(), out);
        out.extend_from_slice(&answer);
        return Ok(());
    }
    let (Some(function), true) = (request.function, request.form) else {
        status(400, "Bad Request", out);
        return Ok(());
    };
    let (mut arguments, mut count) = (Vec::new(), 0);
    let fields = request.body.split(|byte| matches!(byte, b'&' | b';'));
    for field in fields.filter(|field| !field.is_empty()) {
        if let Some(equals) = memchr::memchr(b'=', field) {
            encode::sized(&percent_decoded(&field[equals + 1..]), &mut arguments);
            count += 1;
        }
    }
    let mut answer = Vec::new();
    let mut elements = CountedReply::begin(&mut answer);
    misc::call(rows, function, List::new(&arguments, count), &mut elements)?;
    let count = elements.end();
    // Each byte may take three in the form.
    rows.check_reply(3 * answer.len())?;
    rows.shared.counters.misc.add();
    let mut body = Vec::new();
    for (position, element) in List::of_answer(&answer, count).iter().enumerate() {
        let separator = if position > 0 { "&" } else { "" };
        // Writing into a vector does not fail.
        let _ = write!(body, "{separator}res{}=", position + 1);
        push_percent_encoded(element, &mut body);
    }
    head(200, "OK", "application/x-www-form-urlencoded", body.len(), out);
    out.extend_from_slice(&body);
    Ok(())
}

/// Appends a status line and headers.
fn head(code: u16, words: &str, content: &str, length: usize, out: &mut Vec<u8>) {
    // Writing into a vector does not fail.
    let _ = write!(
        out,
        "HTTP/1.1 {code} {words}\r\nContent-Type: {content}\r\nContent-Length: {length}\r\n"
    );
    out.extend_from_slice(NOT_SNIFFED);
    out.extend_from_slice(b"\r\n");
}

/// Appends an answer that says its status only.
fn status(code: u16, words: &str, out: &mut Vec<u8>) {
    head(code, words, "text/plain", words.len() + 1, out);
    out.extend_from_slice(words.as_bytes());
    out.push(b'\n');
}

/// Appends the answer that tells of a failure; to HEAD it has no body.
pub fn failed(failure: &TyrantFailure, to_head: bool, out: &mut Vec<u8>) {
    let (code, words) = match failure {
        TyrantFailure::Denied => (403, "Forbidden"),
        TyrantFailure::Limited(_) => (429, "Too Many Requests"),
        _ => (500, "Internal Server Error"),
    };
    match to_head {
        true => head(code, words, "text/plain", 0, out),
        false => status(code, words, out),
    }
}

/// Appends the answer that asks for a login; to HEAD it has no body.
pub fn unauthorized(to_head: bool, out: &mut Vec<u8>) {
    let words = "Unauthorized";
    let body = if to_head { "" } else { "Unauthorized\n" };
    // Writing into a vector does not fail.
    let _ = write!(
        out,
        "HTTP/1.1 401 {words}\r\nWWW-Authenticate: Basic realm=\"rowhouse\", charset=\"UTF-8\"\r\n\
         Content-Type: text/plain\r\nContent-Length: {}\r\n",
        body.len()
    );
    out.extend_from_slice(NOT_SNIFFED);
    let _ = write!(out, "\r\n{body}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_a_path_are_decoded_and_encoded_again() {
        assert_eq!(percent_decoded(b"a%2Fb+c%zz%4"), b"a/b c%zz%4");
        let mut encoded = Vec::new();
        push_percent_encoded(b"a/b c\xff", &mut encoded);
        assert_eq!(encoded, b"a%2Fb%20c%FF");
    }

    #[test]
    fn a_request_line_ends_with_its_version() {
        assert!(is_request_line(b"GET / HTTP/1.1\r"));
        assert!(!is_request_line(b"get HTTP/1.1x"));
        assert!(!is_request_line(b"get HTTP/2.0"));
    }

    #[test]
    fn two_lengths_that_differ_are_no_length() {
        let request = b"PUT /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab";
        let (DecodedRequest::Request { command, consumed }, _) = decode(request, 100) else {
            panic!("it has all come");
        };
        assert!(command.closes() && command.unmeasured);
        assert_eq!(&request[consumed..], b"ab");
    }
}
