//! Accounts for addresses of this machine: a client that comes by one has that address at every
//! door, and is `localhost` as well. Which account counts is what mysqld 9.7 answered.
//!
//! Not here: the patterns (`access::host`).

use crate::account_place::AccountPlace;
use crate::login_lock::{handlersocket, memcached, mysql, tyrant};

#[test]
fn accounts_for_loopback_addresses_let_nobody_in_at_any_door() {
    for host in ["127.0.0.1", "127.%", "127.0.0.0/8", "127.0.0.0/255.0.0.0", "localhost"] {
        let place = AccountPlace::open(
            &["--memcached-user=none", "--tyrant-user=none"],
            &[
                &format!("CREATE USER app@'{host}' IDENTIFIED BY 'word'"),
                &format!("GRANT ALL ON *.* TO app@'{host}'"),
                "CREATE USER app@'127.0.0.2' IDENTIFIED BY 'other'",
            ],
        );
        assert!(!mysql(&place, "word").contains("1045"), "{host}");
        assert!(handlersocket(&place, "word") && memcached(&place, "word"), "{host}");
        // `app:word`.
        assert!(tyrant(&place, "YXBwOndvcmQ="), "{host}");
        assert!(mysql(&place, "other").contains("1045"), "{host}");
        assert!(!handlersocket(&place, "other") && !memcached(&place, "other"), "{host}");
    }
}

#[test]
fn the_account_of_the_address_comes_before_that_of_localhost_and_of_its_network() {
    let mut place = AccountPlace::open(
        &["--memcached-user=none", "--tyrant-user=none"],
        &[
            "CREATE USER app@localhost IDENTIFIED BY 'name'",
            "CREATE USER app@'127.0.0.0/8' IDENTIFIED BY 'net'",
            "CREATE USER app@'127.0.0.1' IDENTIFIED BY 'address'",
            "CREATE USER app IDENTIFIED BY 'any'",
            // Where nobody has an account, any key opens the door.
            "CREATE USER other IDENTIFIED BY 'other'",
        ],
    );
    for (password, host) in
        [("address", "127.0.0.1"), ("name", "localhost"), ("net", "127.0.0.0/8"), ("any", "%")]
    {
        assert!(handlersocket(&place, password) && memcached(&place, password), "{host}");
        assert!(!handlersocket(&place, "wrong"));
        place.sql.run(&format!("DROP USER app@'{host}'"));
        assert!(!handlersocket(&place, password), "{host}");
    }
}
