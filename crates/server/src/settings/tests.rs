//! Tests of settings: precedence, unknown names, combinations that are refused.

use access::AccountName;

use super::*;

fn error(values: Values) -> String {
    match Settings::new(&values) {
        Ok(_) => panic!("accepted"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn the_defaults_are_valid_and_closed_to_others() {
    let settings = Settings::new(&Values::defaults()).unwrap();
    assert!(settings.listen.is_loopback());
    assert_eq!(settings.mysql_port, Port::Number(3306));
    assert_eq!(settings.memcached_port, Port::Number(11211));
    assert_eq!(settings.item_max, 1 << 20);
    assert_eq!(settings.tyrant_port, Port::Number(1978));
    assert_eq!(settings.tyrant_database.to_string(), "tyrant.records(k, v)");
    assert!(!settings.tyrant_vanish);
    assert!(settings.threads >= 1);
}

#[test]
fn folders_are_a_list_with_colons() {
    assert!(Settings::new(&Values::defaults()).unwrap().files.is_empty());
    let mut values = Values::defaults();
    values.set("files", "/a b:/c".into(), "flag").unwrap();
    let files = Settings::new(&values).unwrap().files;
    assert_eq!(files, [PathBuf::from("/a b"), PathBuf::from("/c")]);
    values.set("files", "/a::/c".into(), "flag").unwrap();
    assert!(error(values).contains("colons"));
}

#[test]
fn flags_win_over_the_environment_and_that_over_the_file() {
    let mut values = Values::defaults();
    values.read_toml("mysql-port = 1\nmemory = '2GiB'\nthreads = 7", "file").unwrap();
    let environment = [("ROWHOUSE_MYSQL_PORT", "2"), ("ROWHOUSE_THREADS", "8"), ("PATH", "/bin")];
    let environment = environment.map(|(name, text)| (name.to_owned(), text.to_owned()));
    values.read_environment(environment.into_iter()).unwrap();
    values.set("mysql-port", "3".into(), "flag").unwrap();
    let settings = Settings::new(&values).unwrap();
    assert_eq!(settings.mysql_port, Port::Number(3));
    assert_eq!(settings.threads, 8);
    assert_eq!(settings.memory, 2 << 30);
}

#[test]
fn an_unknown_setting_is_named() {
    let mut values = Values::defaults();
    let wrong = values.read_toml("mysqlport = 1", "a.toml").unwrap_err().to_string();
    assert_eq!(wrong, "a.toml: unknown setting `mysqlport`; is `mysql-port` meant?");
    let variable = ("ROWHOUSE_NONSENSE_X".to_owned(), "1".to_owned());
    let wrong = values.read_environment([variable].into_iter()).unwrap_err().to_string();
    assert!(wrong.contains("ROWHOUSE_NONSENSE_X: unknown setting `nonsense-x`"), "{wrong}");
    let wrong = values.read_toml("[mysql]\nport = 1", "a.toml").unwrap_err().to_string();
    assert!(wrong.contains("unknown setting `mysql`"), "{wrong}");
}

#[test]
fn variables_that_kubernetes_makes_are_not_settings() {
    let variables = ["ROWHOUSE_SERVICE_HOST", "ROWHOUSE_PORT", "ROWHOUSE_PORT_3306_TCP"];
    let variables = variables.map(|name| (name.to_owned(), "tcp://10.0.0.1".to_owned()));
    Values::defaults().read_environment(variables.into_iter()).unwrap();
}

#[test]
fn a_size_out_of_range_is_refused_in_units_and_no_longer_in_bytes() {
    let refused = |name: &str, text: &str| {
        let mut values = Values::defaults();
        values.set(name, text.to_owned(), "flag").unwrap();
        error(values)
    };
    assert_eq!(refused("memory", "1MiB"), "flag: memory = `1MiB`: expected 64MiB to 16TiB");
    let beyond = "flag: memory = `17TiB`: expected 64MiB to 16TiB";
    assert_eq!(refused("memory", "17TiB"), beyond, "the store ended the program");
    let packet = refused("max-allowed-packet", "2GiB");
    assert_eq!(packet, "flag: max-allowed-packet = `2GiB`: expected 1KiB to 1GiB");
}

#[test]
fn a_value_that_is_not_understood_is_named_with_its_source() {
    let mut values = Values::defaults();
    values.read_toml("memory = 'lots'", "a.toml").unwrap();
    let expected = "a.toml: memory = `lots`: expected a size like 64MiB, 4GiB or 500MB";
    assert_eq!(error(values), expected);
    let mut values = Values::defaults();
    values.set("memory", "1MiB".into(), "--memory").unwrap();
    assert!(error(values).starts_with("--memory: memory = `1MiB`: expected 64MiB to 16TiB"));
    let mut values = Values::defaults();
    let wrong = values.read_toml("memory = true", "a.toml").unwrap_err().to_string();
    assert!(wrong.contains("`memory` takes a text or a number"), "{wrong}");
}

#[test]
fn a_public_address_needs_users_and_lets_nobody_in_without_a_login() {
    let public = || {
        let mut values = Values::defaults();
        values.set("listen", "0.0.0.0".into(), "flag").unwrap();
        values
    };
    assert!(error(public()).contains("configure [[users]]"));
    let mut with_users = public();
    let users = "[[users]]\nname = 'app'\npassword = 'secret'";
    with_users.read_toml(users, "a.toml").unwrap();
    assert!(error(with_users).contains("plain-text-on-network"));
    let mut complete = public();
    complete.read_toml(users, "a.toml").unwrap();
    for (name, value) in [("plain-text-on-network", "allow"), ("handlersocket-user", "app")] {
        complete.set(name, value.into(), "flag").unwrap();
    }
    let settings = Settings::new(&complete).unwrap();
    assert_eq!(settings.memcached_user, WithoutLogin::Nobody, "everybody was let in");
    assert_eq!(settings.tyrant_user, WithoutLogin::Nobody);
    assert_eq!(settings.handlersocket_user, WithoutLogin::Account(AccountName::new("app", "%")));
    complete.set("listen", "127.0.0.1".into(), "flag").unwrap();
    let settings = Settings::new(&complete).unwrap();
    assert_eq!(settings.memcached_user, WithoutLogin::ThisMachine);
    complete.set("memcached-user", "none".into(), "flag").unwrap();
    assert_eq!(Settings::new(&complete).unwrap().memcached_user, WithoutLogin::Nobody);
    complete.set("memcached-user", "@localhost".into(), "flag").unwrap();
    assert!(error(complete).contains("expected an account"));
}

#[test]
fn a_public_address_needs_tls_unless_plain_text_is_allowed() {
    let with = |settings: &[(&str, &str)]| {
        let mut values = Values::defaults();
        values.read_toml("[[users]]\nname = 'app'\npassword = 'secret'", "a.toml").unwrap();
        let always = [("listen", "0.0.0.0"), ("memcached-port", "off"), ("tyrant-port", "off")];
        for (name, value) in always.iter().chain(settings) {
            values.set(name, (*value).into(), "flag").unwrap();
        }
        values
    };
    let without = error(with(&[]));
    assert!(without.contains("set tls = \"required\", or say plain-text-on-network"), "{without}");
    let required = ("tls", "required");
    let without = error(with(&[required]));
    let words = "set handlersocket-port = \"off\", and handlersocket-tls-port instead";
    assert!(without.contains(words), "{without}");
    let plain_off = [("handlersocket-port", "off"), ("handlersocket-write-port", "off")];
    let closed = [required, plain_off[0], plain_off[1]];
    Settings::new(&with(&closed)).unwrap();
    // Inside TLS a door without logins has to know its clients by their certificates.
    let of_tls = [("memcached-tls-port", "auto"), ("metrics-tls-port", "auto")];
    let open = error(with(&[&closed[..], &of_tls].concat()));
    assert!(open.contains("metrics-tls-port lets everybody in: set tls-ca, or"), "{open}");
    let known = [&closed[..], &of_tls, &[("tls-ca", "/ca.pem")]].concat();
    Settings::new(&with(&known)).unwrap();
}

#[test]
fn settings_of_tls_that_contradict_each_other_are_refused() {
    let with = |settings: &[(&str, &str)]| {
        let mut values = Values::defaults();
        for (name, value) in settings {
            values.set(name, (*value).into(), "flag").unwrap();
        }
        values
    };
    assert!(error(with(&[("tls-certificate", "/c")])).contains("not the tls-key"));
    assert!(error(with(&[("tls-key", "/k")])).contains("not the tls-certificate"));
    let off = error(with(&[("tls", "off"), ("memcached-tls-port", "auto")]));
    assert!(off.contains("memcached-tls-port is open, but tls = \"off\""), "{off}");
}

#[test]
fn a_user_without_a_password_or_with_unknown_fields_is_refused() {
    for (text, why) in [
        ("[[users]]\nname = 'a'", "`password` of a is missing"),
        ("[[users]]\npassword = 'a'", "`name` is missing"),
        ("[[users]]\nname = 'a'\npassword = 'b'\nrole = 'c'", "unknown setting `role`"),
        ("[[users]]\nname = 'a'\npassword = 'b'\npassword-hash = 'c'", "exclude each other"),
        (
            "[[users]]\nname = 'a'\npassword-hash = '*2470'",
            "`password-hash` is none of MySQL's stored forms",
        ),
        (
            "[[users]]\nname = 'a'\npassword = 'b'\n[[users]]\nname = 'a'\npassword = 'c'",
            "there are two users named `a`",
        ),
        ("users = ['a']", "expected name and password"),
    ] {
        let wrong = Values::defaults().read_toml(text, "a.toml").unwrap_err().to_string();
        assert!(wrong.contains(why), "{wrong}");
    }
}
