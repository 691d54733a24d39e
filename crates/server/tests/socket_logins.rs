//! Accounts of those who come through the MySQL door's UNIX socket as a user of the system.
//!
//! Not here: who may connect to the socket (`operating`).

use std::process::Command;

use crate::mysql::Mysql;
use crate::support::{Running, run};

/// The user of the system that the tests run as.
fn own_name() -> String {
    let output = Command::new("id").arg("-un").output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

#[test]
fn an_account_of_the_socket_is_for_the_user_of_its_name_and_for_nobody_with_a_password() {
    let base = tempfile::tempdir().unwrap();
    let socket = base.path().join("mysql.sock").display().to_string();
    let data = base.path().join("data");
    let server = Running::start(&data, &["--mysql-socket", &socket, "--memcached-user=none"]);
    let mut root = Mysql::login(server.connect("mysql")).unwrap();
    let own = own_name();
    // `root@localhost` is there already.
    root.run(&format!("CREATE USER IF NOT EXISTS '{own}'@localhost"));
    root.run(&format!("GRANT ALL ON *.* TO '{own}'@localhost"));
    root.run(&format!("ALTER USER '{own}'@localhost IDENTIFIED WITH auth_socket"));
    root.run(&format!("CREATE USER other@localhost IDENTIFIED WITH auth_socket AS '{own}'"));
    root.run("GRANT ALL ON *.* TO other@localhost");
    root.run("CREATE USER stranger@localhost IDENTIFIED VIA unix_socket");
    let at_socket = |user: &str| {
        let output = run(&["dump", "--socket", &socket, "--user", user, "--password=any"]);
        match output.status.success() {
            true => "in".to_owned(),
            false => String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    };
    assert_eq!((at_socket(&own).as_str(), at_socket("other").as_str()), ("in", "in"));
    let denied =
        |user: &str| format!("ERROR 1698 (28000): Access denied for user '{user}'@'localhost'\n");
    let said = at_socket("stranger");
    assert!(said.ends_with(&denied("stranger")), "{said}");
    // Over TCP nobody can say as whom a client runs, not even with the right name.
    let port = format!("--port={}", server.address("mysql").rsplit_once(':').unwrap().1);
    let output = run(&["dump", "--host=127.0.0.1", &port, "--user=other"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("ERROR 1698 (28000)"), "{said}");
    // Such an account has no password, empty or not, at any door.
    let mut client = server.connect("memcached");
    let login = "set any 0 0 6\r\nother \r\n";
    assert_ne!(crate::support::ask_line(&mut client, login), "STORED\r");
    let shown = root.query("SHOW CREATE USER other@localhost").unwrap();
    let shown = shown[0][0].as_ref().unwrap();
    assert!(shown.contains(&format!("IDENTIFIED WITH 'auth_socket' AS '{own}' ")), "{shown}");
    let refused = root.execute("ALTER USER other@localhost IDENTIFIED BY 'x'");
    assert_eq!(crate::mysql::error_number(refused), 1827);
    root.run("ALTER USER other@localhost IDENTIFIED WITH caching_sha2_password BY 'any'");
    assert_eq!(at_socket("other"), "in", "by its password now");
}
