//! The metrics door: what Prometheus reads is what the server counted, whole, and nothing for
//! pages.

use std::collections::HashMap;
use std::io::Write;

use crate::mysql::Mysql;
use crate::support::{Running, ask_line, read_all, run, wait_until};

/// Sends one request and gives the answer's head and body.
fn ask(server: &Running, request: &str) -> (String, String) {
    let mut stream = server.connect("metrics");
    stream.write_all(request.as_bytes()).unwrap();
    let answer = String::from_utf8(read_all(&mut stream)).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head and a body");
    (head.to_owned(), body.to_owned())
}

fn scrape(server: &Running) -> String {
    let request = "GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n";
    let (head, body) = ask(server, request);
    assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
    assert!(head.contains("\r\nContent-Type: text/plain; version=0.0.4"), "{head}");
    body
}

/// Samples by name with labels.
fn samples(text: &str) -> HashMap<&str, f64> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let (name, value) = line.rsplit_once(' ').expect("a name and a value");
            (name, value.parse().unwrap_or_else(|_| panic!("no number: {line}")))
        })
        .collect()
}

#[test]
fn requests_of_each_door_are_counted_and_timed() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &["--metrics-port=auto"]);
    let mut mysql = Mysql::login(server.connect("mysql")).unwrap();
    mysql.query("CREATE DATABASE d").unwrap();
    mysql.query("CREATE TABLE d.t (id INT PRIMARY KEY)").unwrap();
    for id in 0..7 {
        mysql.query(&format!("INSERT INTO d.t VALUES ({id})")).unwrap();
    }
    let mut memcached = server.connect("memcached");
    assert_eq!(ask_line(&mut memcached, "set a 0 0 1\r\nx\r\n"), "STORED\r");
    for _ in 0..5 {
        assert_eq!(ask_line(&mut memcached, "touch a 0\r\n"), "TOUCHED\r");
    }
    let text = scrape(&server);
    let samples = samples(&text);
    let value = |name: &str| *samples.get(name).unwrap_or_else(|| panic!("no {name} in {text}"));
    for (door, requests) in [("mysql", 9.0), ("memcached", 6.0), ("handlersocket", 0.0)] {
        let label = format!("{{door=\"{door}\"}}");
        assert_eq!(value(&format!("rowhouse_requests_total{label}")), requests);
        assert_eq!(value(&format!("rowhouse_request_duration_seconds_count{label}")), requests);
        let last =
            format!("rowhouse_request_duration_seconds_bucket{{door=\"{door}\",le=\"+Inf\"}}");
        assert_eq!(value(&last), requests);
        let sum = value(&format!("rowhouse_request_duration_seconds_sum{label}"));
        assert_eq!(sum > 0.0, requests > 0.0, "{door}: {sum} s");
    }
    assert!(value("process_resident_memory_bytes") > 1e6);
    assert_eq!(value("rowhouse_build_info{version=\"0.1.0\"}"), 1.0);
}

#[test]
fn silence_between_requests_is_no_part_of_their_time() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &["--metrics-port=auto"]);
    let mut client = server.connect("memcached");
    assert_eq!(ask_line(&mut client, "set a 0 0 1 noreply\r\nx\r\nget b\r\n"), "END\r");
    // Noted when it has been answered, not when the next reply is sent to the same client.
    client.write_all(b"touch a 0 noreply\r\n").unwrap();
    let timed = "rowhouse_request_duration_seconds_count{door=\"memcached\"}";
    wait_until("the time of the request without a reply", || {
        samples(&scrape(&server)).get(timed) == Some(&3.0)
    });
}

#[test]
fn every_number_of_the_status_is_a_metric() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &["--metrics-port=auto"]);
    let data_dir = format!("--data-dir={}", directory.path().display());
    let status = run(&["status", "--all", &data_dir]);
    let status = String::from_utf8(status.stdout).unwrap();
    // Given as labels, under the names that all Prometheus clients give them, or by the histogram.
    let otherwise = ["version", "pid", "connections_total", "store"];
    let page = include_str!("../src/prometheus/families.rs");
    let doors: Vec<&str> =
        status.lines().filter_map(|line| Some(line.split_once("_offloaded ")?.0)).collect();
    for line in status.lines() {
        let (name, value) = line.split_once(' ').unwrap();
        if value.parse::<f64>().is_err() || otherwise.contains(&name) || name.contains("_latency_")
        {
            continue;
        }
        // `handlersocket_write_requests` is the longer door's.
        let of_doors = doors.iter().filter_map(|door| name.strip_prefix(&format!("{door}_")[..]));
        let of_door = of_doors.min_by_key(|rest| rest.len());
        let named = of_door.unwrap_or(name);
        let is_sum_of_doors = page.contains(&format!("EachDoor(\"{named}\")"));
        let is_there =
            ["Figure", "Micros"].iter().any(|by| page.contains(&format!("{by}(\"{named}\")")));
        assert!(
            is_there || is_sum_of_doors,
            "no metric for {name}: add it to prometheus/families.rs"
        );
    }
    assert_eq!(server.stop().code(), Some(0));
}

#[test]
fn pages_other_methods_and_other_paths_get_no_metrics() {
    let directory = tempfile::tempdir().unwrap();
    let server = Running::start(directory.path(), &["--metrics-port=auto"]);
    let end = "Connection: close\r\n\r\n";
    for (request, status) in [
        ("GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://a.example\r\n", "403"),
        ("GET /metrics HTTP/1.1\r\nHost: a.example\r\n", "403"),
        ("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n", "404"),
        ("DELETE /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n", "405"),
        ("no HTTP\r\n", "400"),
    ] {
        let (head, body) = ask(&server, &format!("{request}{end}"));
        assert!(head.starts_with(&format!("HTTP/1.1 {status} ")), "{request}: {head}");
        assert!(!body.contains("rowhouse_"), "{request}: {body}");
    }
}
