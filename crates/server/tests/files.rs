//! Files of a real server: within its folders, and none half written when it is killed.

use std::fs;
use std::path::Path;

use crate::mysql::{Failure, Mysql};
use crate::support::{Running, flags, run, wait_until};

fn start(directory: &Path) -> (Running, Mysql) {
    let exchange = directory.join("exchange");
    fs::create_dir_all(&exchange).unwrap();
    let server =
        Running::start(&directory.join("data"), &[&format!("--files={}", exchange.display())]);
    let client = Mysql::login(server.connect("mysql")).unwrap();
    (server, client)
}

fn furnish(client: &mut Mysql) {
    client.query("CREATE DATABASE d").unwrap();
    client.query("USE d").unwrap();
    client.query("CREATE TABLE n (i INT PRIMARY KEY, t VARCHAR(20))").unwrap();
    let rows: Vec<String> = (0..1000).map(|i| format!("({i}, 'row {i}')")).collect();
    client.query(&format!("INSERT INTO n VALUES {}", rows.join(","))).unwrap();
}

#[test]
fn files_of_the_server_are_written_and_loaded() {
    let directory = tempfile::tempdir().unwrap();
    let (server, mut client) = start(directory.path());
    furnish(&mut client);
    let path = directory.path().join("exchange/n.csv");
    let format = "FIELDS TERMINATED BY ',' OPTIONALLY ENCLOSED BY '\"'";
    let out = format!("SELECT * FROM n ORDER BY i INTO OUTFILE '{}' {format}", path.display());
    assert_eq!(client.execute(&out).unwrap(), 1000);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.starts_with("0,\"row 0\"\n1,\"row 1\"\n"), "{}", &text[..40]);
    client.query("CREATE TABLE m LIKE n").unwrap();
    let load = format!("LOAD DATA INFILE 'n.csv' INTO TABLE m {format}");
    assert_eq!(client.execute(&load).unwrap(), 1000);
    let same = "SELECT COUNT(*) FROM n JOIN m USING (i, t)";
    assert_eq!(client.query(same).unwrap(), [[Some("1000".to_owned())]]);
    for (number, statement) in
        [(1062, load.as_str()), (1086, &out), (1290, "LOAD DATA INFILE '../data/x' INTO TABLE m")]
    {
        match client.query(statement) {
            Err(Failure::Error { number: found, .. }) => assert_eq!(found, number, "{statement}"),
            other => panic!("{statement}: {other:?}"),
        }
    }
    drop(client);
    assert!(server.stop().success());
}

#[test]
fn a_crash_leaves_no_half_file() {
    let directory = tempfile::tempdir().unwrap();
    let (server, mut client) = start(directory.path());
    furnish(&mut client);
    client.send_query("SELECT a.t, b.t, c.t FROM n a, n b, n c INTO OUTFILE 'endless'").unwrap();
    let mut other = Mysql::login(server.connect("mysql")).unwrap();
    let runs = "SELECT COUNT(*) FROM information_schema.processlist WHERE TIME > 0 AND INFO LIKE \
                'SELECT a.t%'";
    wait_until("it writes", || other.query(runs).unwrap() == [[Some("1".to_owned())]]);
    server.kill();
    let left = fs::read_dir(directory.path().join("exchange")).unwrap().count();
    assert_eq!(left, 0);
}

#[test]
fn folders_among_the_rows_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    fs::create_dir(&data).unwrap();
    for folder in [directory.path().to_path_buf(), data.clone(), directory.path().join("none")] {
        let mut arguments = flags(&data);
        arguments.push(format!("--files={}", folder.display()));
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let output = run(&arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains("`files`"), "{said}");
    }
}
