//! HTTP on the Tyrant port, with the original's answers.

use super::client::House;

const NOT_SNIFFED: &str = "X-Content-Type-Options: nosniff\n";

fn answer(status: &str, content: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\nContent-Type: {content}\nContent-Length: {length}\n{NOT_SNIFFED}\n{body}"
    )
}

fn plain(status: &str) -> String {
    answer(status, "text/plain", &format!("{}\n", &status[4..]))
}

fn value(body: &str) -> String {
    answer("200 OK", "application/octet-stream", body)
}

fn expect(house: &House, script: &[(&str, String)]) {
    let mut client = house.client();
    for (request, reply) in script {
        let answered = client.send(request.replace('\n', "\r\n").as_bytes());
        let answered = String::from_utf8_lossy(&answered).into_owned();
        // Only heads have lines that end with CRLF here.
        assert_eq!(answered.replace("\r\n", "\n"), *reply, "to {request:?}");
        assert!(!client.closed, "after {request:?}");
    }
}

#[test]
fn paths_are_keys_and_bodies_are_values() {
    expect(
        &House::new(),
        &[
            ("GET /a HTTP/1.1\nHost: localhost:1978\n\n", plain("404 Not Found")),
            (
                "PUT /a%2Fb HTTP/1.1\nHost: localhost\nContent-Length: 5\n\nhello",
                plain("201 Created"),
            ),
            ("GET /a%2Fb HTTP/1.1\nHost: localhost\n\n", value("hello")),
            ("GET http://localhost:1978/a%2fb HTTP/1.1\nHost: localhost\n\n", value("hello")),
            (
                "HEAD /a/b HTTP/1.1\nHost: localhost\n\n",
                format!(
                    "HTTP/1.1 200 OK\nContent-Type: application/octet-stream\nContent-Length: 5\n{NOT_SNIFFED}\n"
                ),
            ),
            (
                "HEAD /b HTTP/1.1\nHost: localhost\n\n",
                format!(
                    "HTTP/1.1 404 Not Found\nContent-Type: text/plain\nContent-Length: 0\n{NOT_SNIFFED}\n"
                ),
            ),
            (
                "PUT /a/b HTTP/1.1\nHost: localhost\nX-TT-PDMODE: 1\nContent-Length: 1\n\nx",
                plain("409 Conflict"),
            ),
            (
                "PUT /a/b HTTP/1.1\nHost: localhost\nx-tt-pdmode: 2\ncontent-length: 1\n\n!",
                plain("201 Created"),
            ),
            ("GET /a/b HTTP/1.1\nHost: localhost\n\n", value("hello!")),
            ("PUT /empty HTTP/1.1\nHost: localhost\n\n", plain("201 Created")),
            ("GET /empty HTTP/1.1\nHost: localhost\n\n", value("")),
            ("DELETE /a/b HTTP/1.1\nHost: localhost\n\n", plain("200 OK")),
            ("DELETE /a/b HTTP/1.1\nHost: localhost\n\n", plain("404 Not Found")),
            ("PATCH /a/b HTTP/1.1\nHost: localhost\n\n", plain("501 Not Implemented")),
        ],
    );
}

#[test]
fn functions_are_called_with_forms() {
    let form = |body: &str| answer("200 OK", "application/x-www-form-urlencoded", body);
    expect(
        &House::new(),
        &[
            (
                "POST / HTTP/1.1\nHost: localhost\nX-TT-MNAME: putlist\nContent-Length: 27\n\nk=a&v=1%2B1&k=b&v=two+words",
                form(""),
            ),
            (
                "POST / HTTP/1.1\nHost: localhost\nX-TT-MNAME: getlist\nContent-Length: 7\n\nx=b&y=a",
                form("res1=b&res2=two%20words&res3=a&res4=1%2B1"),
            ),
            (
                "POST / HTTP/1.1\nHost: localhost\nX-TT-MNAME: get\nContent-Length: 3\n\nk=c",
                plain("500 Internal Server Error"),
            ),
            (
                "POST / HTTP/1.1\nHost: localhost\nContent-Length: 3\n\nk=c",
                plain("400 Bad Request"),
            ),
            (
                "POST / HTTP/1.1\nHost: localhost\nX-TT-XNAME: f\n\n",
                plain("500 Internal Server Error"),
            ),
            (
                "POST / HTTP/1.1\nHost: localhost\nX-TT-MNAME: get\nContent-Type: text/plain\n\n",
                plain("400 Bad Request"),
            ),
        ],
    );
}

#[test]
fn options_tell_statistics() {
    let house = House::new();
    let mut client = house.client();
    let options =
        client.ask("PUT /a HTTP/1.1\nHost: localhost\n\nOPTIONS / HTTP/1.1\nHost: localhost\n\n");
    for line in
        ["Allow: OPTIONS, GET, HEAD, PUT, POST, DELETE", "X-TT-RNUM: 1", "X-TT-PROTVER: 0.91"]
    {
        assert!(options.lines().any(|found| found == line), "{line} in {options}");
    }
    assert!(options.ends_with("\n\n"));
}

#[test]
fn a_connection_lives_as_long_as_its_client_says() {
    for (request, closes) in [
        ("PUT /a HTTP/1.1\nHost: localhost\n\n", false),
        ("PUT /a HTTP/1.1\nHost: localhost\nConnection: close\n\n", true),
        ("PUT /a HTTP/1.0\n\n", true),
        ("PUT /a HTTP/1.0\nconnection: Keep-Alive\n\n", false),
    ] {
        let mut client = House::new().client();
        assert_eq!(client.ask(request), plain("201 Created"));
        assert_eq!(client.closed, closes, "{request:?}");
    }
}

#[test]
fn a_body_without_a_length_is_refused_and_never_taken_for_a_request() {
    for request in [
        "PUT /a HTTP/1.1\nHost: localhost\nTransfer-Encoding: chunked\n\n5\nhello\n0\n\n",
        "PUT /a HTTP/1.1\nHost: localhost\nContent-Length: x\n\nDELETE /b HTTP/1.1\nHost: localhost\n\n",
        "PUT /a HTTP/1.1\nHost: localhost\nContent-Length: 1\nContent-Length: 2\n\nab",
    ] {
        let house = House::new();
        assert_eq!(
            house.client().ask("PUT /b HTTP/1.1\nHost: localhost\n\n"),
            plain("201 Created")
        );
        let mut client = house.client();
        assert_eq!(client.ask(request), plain("411 Length Required"));
        assert!(client.closed);
        assert_eq!(house.client().ask("GET /b HTTP/1.1\nHost: localhost\n\n"), value(""));
    }
}

#[test]
fn headers_that_others_may_take_for_something_else_were_let_in() {
    for request in [
        "GET /b HTTP/1.1\nHost: x.y\nHost: localhost\n\n",
        "GET /b HTTP/1.1\nHost: localhost\nHost: x.y\n\n",
        "PUT /b HTTP/1.1\nHost: localhost\nContent-Length: 3\nContent-Length : 5\n\nabcde",
        "PUT /b HTTP/1.1\nHost: localhost\nContent-Length : 3\n\nabc",
        "PUT /b HTTP/1.1\nHost: localhost\nContent-Length\t: 3\n\nabc",
        "PUT /b HTTP/1.1\nHost: localhost\nX: y\n Content-Length: 3\n\nabc",
        "PUT /b HTTP/1.1\nHost : localhost\nContent-Length: 9999999\n\n",
    ] {
        let house = House::new();
        assert_eq!(
            house.client().ask("PUT /b HTTP/1.1\nHost: localhost\n\n"),
            plain("201 Created")
        );
        let mut client = house.client();
        assert_eq!(client.ask(request), plain("400 Bad Request"), "{request:?}");
        assert!(client.closed, "{request:?}");
        assert_eq!(
            house.client().ask("GET /b HTTP/1.1\nHost: localhost\n\n"),
            value(""),
            "{request:?}"
        );
    }
    let same = "GET /b HTTP/1.1\nHost: LocalHost\nHost: localhost\n\n";
    assert_eq!(House::new().client().ask(same), plain("404 Not Found"));
}

#[test]
fn a_host_in_front_of_the_path_was_not_looked_at() {
    let house = House::new();
    assert_eq!(house.client().ask("PUT /q1 HTTP/1.1\nHost: localhost\n\n"), plain("201 Created"));
    for (path, host, status) in [
        ("http://evil.com/q1", "Host: localhost\n", 403),
        ("http://evil.com/q1", "", 400),
        ("http://evil.com:1978/q1", "Host: 127.0.0.1\n", 403),
        ("http://localhost:x@evil.com/q1", "Host: localhost\n", 403),
        ("http:///q1", "Host: localhost\n", 403),
        ("http://localhost/q1", "Host: evil.com\n", 403),
        ("http://127.0.0.1:1978/q1", "Host: localhost\n", 200),
        ("http://[::1]:1978/q1", "Host: [::1]:1978\n", 200),
        ("/q1", "Host: localhost:\n", 200),
        ("/q1", "Host: localhost:x@evil.com\n", 403),
    ] {
        let request = format!("GET {path} HTTP/1.1\n{host}\n");
        let answered = house.client().ask(&request);
        assert!(answered.starts_with(&format!("HTTP/1.1 {status} ")), "{request:?}: {answered}");
    }
}

#[test]
fn who_waits_to_be_told_to_send_a_body_is_told_once() {
    let mut client = House::new().client();
    let head = "PUT /a HTTP/1.1\nHost: localhost\nContent-Length: 4\nExpect: 100-continue\n\n";
    assert_eq!(client.ask(head), "HTTP/1.1 100 Continue\n\n");
    assert_eq!(client.ask("ab"), "");
    assert_eq!(client.ask("cd"), plain("201 Created"));
    assert_eq!(client.ask(head), "HTTP/1.1 100 Continue\n\n");
    assert_eq!(
        client.ask("efghGET /a HTTP/1.1\nHost: localhost\n\n"),
        plain("201 Created") + &value("efgh")
    );
}

#[test]
fn a_failure_is_a_status_and_has_no_body_for_head() {
    let house = House::with("house.gone(k, v)", false);
    let mut client = house.client();
    let patience = house.engine.patience();
    house.engine.drop_table("house", "gone", &patience).expect("it is there");
    let head = format!(
        "HTTP/1.1 500 Internal Server Error\nContent-Type: text/plain\nContent-Length: 0\n{NOT_SNIFFED}\n"
    );
    assert_eq!(client.ask("HEAD /a HTTP/1.1\nHost: localhost\n\n"), head);
    assert_eq!(
        client.ask("PUT /a HTTP/1.1\nHost: localhost\n\n"),
        plain("500 Internal Server Error")
    );
}

#[test]
fn heads_without_an_end_and_bodies_beyond_the_limit_end_the_connection() {
    let mut client = House::new().client();
    client.ask("GET / HTTP/1.1\nHost: localhost\n");
    for _ in 0..70 {
        client.ask(&format!("X-Filler: {}\n", "x".repeat(1000)));
    }
    assert!(client.closed);
    let mut client = House::new().client();
    assert_eq!(
        client.ask("PUT / HTTP/1.1\nHost: localhost\nContent-Length: 99999999999999999999\n\n"),
        plain("411 Length Required")
    );
    assert!(client.closed);
    let mut client = House::new().client();
    assert_eq!(client.ask("PUT / HTTP/1.1\nHost: localhost\nContent-Length: 9999999\n\n"), "");
    assert!(client.closed);
}

#[test]
fn what_a_browser_sent_for_the_page_of_another_site_was_carried_out() {
    for header in [
        "Origin: http://evil.com",
        "Origin: null",
        "Origin: http://localhost:3000",
        "Origin: http://localhost:1978\nOrigin: http://evil.com",
        "Sec-Fetch-Site: cross-site",
        "Sec-Fetch-Site: same-site",
        "sec-fetch-site: cross-site\nOrigin: http://localhost:1978",
    ] {
        let house = House::new();
        let put = "PUT /a HTTP/1.1\nHost: localhost:1978\nContent-Length: 1\n\nx";
        assert_eq!(house.client().ask(put), plain("201 Created"));
        for line in
            ["GET /a", "HEAD /a", "PUT /a", "DELETE /a", "POST /a", "OPTIONS /a", "PATCH /a"]
        {
            let request = format!("{line} HTTP/1.1\nHost: localhost:1978\n{header}\n\n");
            let answer = house.client().ask(&request);
            assert!(answer.starts_with("HTTP/1.1 403 "), "{request}: {answer}");
        }
        let get = "GET /a HTTP/1.1\nHost: localhost:1978\n\n";
        assert_eq!(house.client().ask(get), value("x"), "{header}");
    }
    for header in [
        "Origin: http://localhost:1978",
        "Sec-Fetch-Site: same-origin\nOrigin: http://LOCALHOST:1978",
        "Sec-Fetch-Site: none",
        "User-Agent: curl/8",
    ] {
        let put = format!("PUT /a HTTP/1.1\nHost: localhost:1978\n{header}\n\n");
        assert_eq!(House::new().client().ask(&put), plain("201 Created"), "{header}");
    }
}

#[test]
fn a_request_of_http_1_1_without_a_host_was_served() {
    let house = House::new();
    for line in ["PUT /a", "GET /a", "PUT http://localhost/a"] {
        let mut client = house.client();
        assert_eq!(client.ask(&format!("{line} HTTP/1.1\n\n")), plain("400 Bad Request"), "{line}");
        assert!(client.closed, "{line}");
    }
    assert_eq!(house.client().ask("GET /a HTTP/1.0\n\n"), plain("404 Not Found"));
}

#[test]
fn a_stranger_says_with_each_request_who_it_is() {
    let house = House::new();
    let mut client = house.stranger();
    let mut status = |head: &str| {
        let request = format!("{head}\nHost: localhost\nContent-Length: 0\n\n");
        let answer = client.send(request.replace('\n', "\r\n").as_bytes());
        let line = String::from_utf8_lossy(&answer).lines().next().unwrap_or_default().to_owned();
        (line, client.closed)
    };
    let app = "Authorization: Basic YXBwOnBhc3M6d29yZA==";
    let unauthorized = ("HTTP/1.1 401 Unauthorized".to_owned(), false);
    assert_eq!(status("PUT /a HTTP/1.1"), unauthorized);
    assert_eq!(status(&format!("PUT /a HTTP/1.1\n{app}")).0, "HTTP/1.1 201 Created");
    assert_eq!(status(&format!("GET /a HTTP/1.1\n{app}")).0, "HTTP/1.1 200 OK");
    assert_eq!(status("HEAD /a HTTP/1.1"), unauthorized);
    // A page of another site guesses nothing through its reader's browser.
    for _ in 0..4 {
        let foreign = "GET /a HTTP/1.1\nAuthorization: Basic eDp5\nSec-Fetch-Site: cross-site";
        assert_eq!(status(foreign), ("HTTP/1.1 403 Forbidden".to_owned(), false));
    }
    let twice = format!("GET /a HTTP/1.1\n{app}\n{app}");
    assert_eq!(status(&twice), ("HTTP/1.1 400 Bad Request".to_owned(), true));
}
