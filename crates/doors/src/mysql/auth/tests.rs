//! Tests of the login exchange: who is let in.

use access::secret::{NO_PASSWORD, Plugin};
use passwords::signed::{CLIENT_ED25519, PARSEC, ParsecKey};
use passwords::{CACHING_SHA2, NATIVE, seal};

use super::*;
use crate::mysql::handshake::Login;

const SCRAMBLE: Scramble = *b"abcdefghijklmnopqrst";

fn native_proof(password: &[u8]) -> [u8; 20] {
    passwords::native_proof(password, &SCRAMBLE)
}

fn sha2_proof(password: &[u8]) -> [u8; 32] {
    passwords::caching_sha2_proof(password, &SCRAMBLE)
}

fn login<'a>(user: &'a str, method: &'a str, proof: &'a [u8]) -> Login<'a> {
    Login {
        user: user.as_bytes(),
        proof,
        database: b"",
        method: method.as_bytes(),
        character_set: 45,
        attributes: b"",
    }
}

fn users(password: &str) -> Users {
    Users::new([Account { name: "bob".to_owned(), secret: Secret::new(password) }])
}

fn step<'a>(users: &'a Users, method: &str, proof: &[u8]) -> (Exchange, Step<'a>) {
    Exchange::begin(users, &login("bob", method, proof), SCRAMBLE, "localhost", None)
}

#[test]
fn a_known_password_is_proved_by_either_method() {
    let users = users("secret");
    assert_eq!(step(&users, NATIVE, &native_proof(b"secret")).1, Step::Accept { fast: false });
    assert_eq!(step(&users, "", &native_proof(b"secret")).1, Step::Accept { fast: false });
    assert_eq!(step(&users, CACHING_SHA2, &sha2_proof(b"secret")).1, Step::Accept { fast: true });
}

#[test]
fn a_wrong_password_an_unknown_user_and_a_broken_proof_are_denied() {
    let users = users("secret");
    let denied = Step::Deny { password: true };
    assert_eq!(step(&users, NATIVE, &native_proof(b"Secret")).1, denied);
    assert_eq!(step(&users, CACHING_SHA2, &sha2_proof(b"Secret")).1, denied);
    assert_eq!(step(&users, CACHING_SHA2, b"short").1, denied);
    assert_eq!(step(&users, "", b"").1, Step::Deny { password: false });
    let stranger = login("eve", CACHING_SHA2, b"anything");
    assert_eq!(Exchange::begin(&users, &stranger, SCRAMBLE, "localhost", None).1, denied);
}

#[test]
fn an_empty_password_is_proved_by_an_empty_proof_alone() {
    let users = users("");
    assert_eq!(step(&users, CACHING_SHA2, b"").1, Step::Accept { fast: false });
    assert_eq!(step(&users, NATIVE, b"").1, Step::Accept { fast: false });
    assert_eq!(step(&users, NATIVE, &native_proof(b"x")).1, Step::Deny { password: true });
}

#[test]
fn a_client_with_an_unknown_method_is_asked_to_switch() {
    let users = users("secret");
    let (mut exchange, first) = step(&users, "sha256_password", b"whatever");
    assert_eq!(first, Step::Switch(CACHING_SHA2));
    let proof = sha2_proof(b"secret");
    assert_eq!(exchange.answer(&users, &proof, false), Step::Accept { fast: true });
}

#[test]
fn a_client_that_had_no_scramble_for_its_method_is_given_one() {
    let users = users("secret");
    let (mut exchange, first) = step(&users, CACHING_SHA2, b"");
    assert_eq!(first, Step::Switch(CACHING_SHA2));
    assert_eq!(exchange.answer(&users, b"", false), Step::Deny { password: false });
    let (mut exchange, first) = step(&users, NATIVE, b"");
    assert_eq!(first, Step::Switch(NATIVE));
    let proof = native_proof(b"secret");
    assert_eq!(exchange.answer(&users, &proof, false), Step::Accept { fast: false });
}

#[test]
fn a_native_hash_from_mysql_makes_clients_switch_to_its_method() {
    // SELECT PASSWORD('secret') of MySQL 5.7 and MariaDB.
    let users = users("*14E65567ABDB5135D0CFD9A70B3032C179A49EE7");
    let (mut exchange, first) = step(&users, CACHING_SHA2, &sha2_proof(b"secret"));
    assert_eq!(first, Step::Switch(NATIVE));
    let proof = native_proof(b"secret");
    assert_eq!(exchange.answer(&users, &proof, false), Step::Accept { fast: false });
}

#[test]
fn a_slow_hash_is_proved_once_by_the_password_itself_and_then_by_its_digest() {
    // Made by sha256_crypt of `crypt`, whose own tests compare it with the published vectors.
    let users = users(&crypt::stored_form(b"secret", b"saltsaltsaltsaltsalt"));
    let proof = sha2_proof(b"secret");
    let (mut exchange, first) = step(&users, CACHING_SHA2, &proof);
    assert_eq!(first, Step::AskPassword);
    assert_eq!(exchange.answer(&users, &[2], false), Step::Wait);
    let Step::SendKey(pem) = exchange.answer(&users, &[2], true) else { panic!("no key") };
    let message = seal(b"secret", &SCRAMBLE, pem).expect("seals");
    assert_eq!(exchange.answer(&users, b"garbage", true), Step::Deny { password: true });
    assert_eq!(exchange.answer(&users, &message, true), Step::Accept { fast: false });

    assert_eq!(step(&users, CACHING_SHA2, &proof).1, Step::Accept { fast: true });
    let (_, wrong) = step(&users, CACHING_SHA2, &sha2_proof(b"wrong"));
    assert_eq!(wrong, Step::AskPassword);
}

#[test]
fn a_client_on_a_socket_of_the_machine_may_answer_with_the_bare_password() {
    let users = users(&crypt::stored_form(b"secret", b"saltsaltsaltsaltsalt"));
    for (answer, wanted) in [
        (&b"wrong\0"[..], Step::Deny { password: true }),
        (b"secret", Step::Deny { password: true }),
        (b"secret\0", Step::Accept { fast: false }),
    ] {
        let (mut exchange, first) = step(&users, CACHING_SHA2, &sha2_proof(b"secret"));
        assert_eq!(first, Step::AskPassword);
        assert_eq!(exchange.answer(&users, answer, true), wanted);
    }
}

#[test]
fn scrambles_hold_neither_zero_nor_dollar() {
    for _ in 0..1000 {
        assert!(new_scramble().iter().all(|&byte| byte > 32 && byte < 127 && byte != b'$'));
    }
}

#[test]
fn each_door_proved_a_slow_hash_by_itself() {
    let door = users(&Plugin::CachingSha2.store("secret"));
    let other = door.clone();
    let prove = |users: &Users, may_wait| users.prove("bob", "h", b"secret", None, may_wait);
    assert_eq!(prove(&other, false), PasswordVerdict::Wait);
    assert_eq!(prove(&door, true), PasswordVerdict::Accepted(None));
    assert_eq!(prove(&other, false), PasswordVerdict::Accepted(None));
}

/// What becomes of a work, and the rounds of hashes that it takes.
fn rounds<T>(work: impl FnOnce() -> T) -> (T, u64) {
    let before = crypt::rounds_computed();
    let made = work();
    (made, crypt::rounds_computed() - before)
}

#[test]
fn a_name_that_nobody_has_takes_the_work_and_the_exchange_of_a_wrong_password() {
    let control = AccessControl::load(&[]).unwrap();
    let made = [
        ("bob", Plugin::CachingSha2, Plugin::CachingSha2.store("secret")),
        ("daemon", Plugin::Socket, String::new()),
    ];
    for (name, plugin, stored) in made {
        let change = control.change::<_, access::EditError>(
            |edit| edit.create(AccountName::new(name, "%"), access::Account::new(plugin, stored)),
            |_| Ok(()),
        );
        change.unwrap();
    }
    let users = Users::unconfigured().with_accounts(&Arc::new(control));
    // At the doors that are sent the password: nor is an account without passwords told.
    for name in ["bob", "nobody", "daemon"] {
        let (verdict, work) = rounds(|| users.prove(name, "h", b"wrong", None, true));
        assert_eq!((verdict, work), (PasswordVerdict::Denied, 5000), "{name}");
        let (verdict, work) = rounds(|| users.prove(name, "h", b"wrong", None, false));
        assert_eq!((verdict, work), (PasswordVerdict::Wait, 0), "{name}");
    }
    // In the exchange of the MySQL door.
    for name in ["bob", "nobody"] {
        let proof = sha2_proof(b"wrong");
        let login = login(name, CACHING_SHA2, &proof);
        let (mut exchange, first) = Exchange::begin(&users, &login, SCRAMBLE, "h", None);
        assert_eq!(first, Step::AskPassword, "{name}");
        let (answer, work) = rounds(|| exchange.answer(&users, b"wrong\0", true));
        assert_eq!((answer, work), (Step::Deny { password: true }, 5000), "{name}");
    }
}

/// An account that logs in by these ways.
fn by_ways(ways: &[(Plugin, String)]) -> access::Account {
    let mut account = access::Account::new(ways[0].0, ways[0].1.clone());
    let further = ways[1..].iter().cloned();
    account.alternatives =
        further.map(|(plugin, stored)| access::account::LoginWay { plugin, stored }).collect();
    account
}

/// `root@localhost`, and these accounts of SQL.
fn of_accounts(accounts: Vec<(&str, access::Account)>) -> Users {
    let control = AccessControl::load(&[]).unwrap();
    for (name, account) in accounts {
        let made = control.change::<_, access::EditError>(
            |edit| edit.create(AccountName::new(name, "%"), account),
            |_| Ok(()),
        );
        made.unwrap();
    }
    Users::unconfigured().with_accounts(&Arc::new(control))
}

/// `bob`, who logs in by these ways.
fn account_of(ways: &[(Plugin, String)]) -> Users {
    of_accounts(vec![("bob", by_ways(ways))])
}

fn begin<'a>(users: &'a Users, user: &str, method: &str, proof: &[u8]) -> (Exchange, Step<'a>) {
    Exchange::begin(users, &login(user, method, proof), SCRAMBLE, "h", None)
}

fn fresh(exchange: &Exchange) -> [u8; 32] {
    exchange.fresh_bytes().try_into().expect("32 bytes, and no zero behind them")
}

#[test]
fn ed25519_and_parsec_are_asked_for_by_a_switch_and_prove_their_password_alone() {
    use passwords::signed::{parsec_answer, sign};
    let deny = Step::Deny { password: true };
    for (password, accepted) in [(&b"secret"[..], true), (b"Secret", false)] {
        let wanted = if accepted { Step::Accept { fast: false } } else { deny };
        let users = account_of(&[(Plugin::Ed25519, Plugin::Ed25519.store("secret"))]);
        let (mut exchange, first) = step(&users, NATIVE, &native_proof(b"secret"));
        assert_eq!(first, Step::Switch(CLIENT_ED25519));
        let signature = sign(password, &fresh(&exchange));
        assert_eq!(exchange.answer(&users, &signature, false), wanted);

        let users = account_of(&[(Plugin::Parsec, Plugin::Parsec.store("secret"))]);
        let (mut exchange, first) = step(&users, CACHING_SHA2, &sha2_proof(b"secret"));
        assert_eq!(first, Step::Switch(PARSEC));
        let nonce = fresh(&exchange);
        let Step::Tell(told) = exchange.answer(&users, b"", false) else { panic!("no salt") };
        let answer = parsec_answer(password, &nonce, &told, &[5; 32]).unwrap();
        assert_eq!(exchange.answer(&users, &answer, false), wanted);
        let proof = exchange.certificate_proof(&[7; 32]);
        assert_eq!(proof.map(|proof| proof.len()), Some(64));
        // An answer that comes unasked proves nothing.
        let (mut exchange, _) = step(&users, CACHING_SHA2, &sha2_proof(b"secret"));
        assert_eq!(exchange.answer(&users, &answer, false), deny);

        // A door that is sent the password takes it as well, where it may wait for parsec.
        assert_eq!(users.prove("bob", "h", password, None, false), PasswordVerdict::Wait);
        let verdict = users.prove("bob", "h", password, None, true);
        assert_eq!(verdict != PasswordVerdict::Denied, accepted);
    }
}

#[test]
fn an_account_is_asked_for_each_of_its_ways_in_their_order() {
    use passwords::signed::sign;
    let deny = Step::Deny { password: true };
    let users = account_of(&[
        (Plugin::Native, NO_PASSWORD.to_owned()),
        (Plugin::Socket, "nobody-is-called-so".to_owned()),
        (Plugin::Ed25519, Plugin::Ed25519.store("one")),
        (Plugin::Native, Plugin::Native.store("two")),
    ]);
    let native = native_proof;
    for (last, wanted) in [(&b"two"[..], Step::Accept { fast: false }), (b"one", deny)] {
        let (mut exchange, first) = step(&users, NATIVE, &native(b"two"));
        assert_eq!(first, Step::Wait, "the system is asked who comes");
        assert_eq!(exchange.answer(&users, &native(b"two"), true), Step::Switch(CLIENT_ED25519));
        let wrong = sign(b"two", &fresh(&exchange));
        assert_eq!(exchange.answer(&users, &wrong, false), Step::Switch(NATIVE));
        assert_eq!(exchange.answer(&users, &native(last), false), wanted);
    }
    for (password, accepted) in [(&b"one"[..], true), (b"two", true), (b"invalid", false)] {
        let verdict = users.prove("bob", "h", password, None, true);
        assert_eq!(verdict != PasswordVerdict::Denied, accepted, "{password:?}");
    }
    // One that does not understand a request for another method has the first way alone.
    let proof = native(b"two");
    let login = login("bob", "", &proof);
    let (mut exchange, first) = Exchange::begin(&users, &login, SCRAMBLE, "h", None);
    assert_eq!(first, Step::Wait);
    assert!(matches!(exchange.answer(&users, b"", true), Step::Deny { .. }));
}

#[test]
fn parsec_named_twice_was_told_of_once_and_the_second_way_let_nobody_in() {
    use passwords::signed::parsec_answer;
    let users = account_of(&[
        (Plugin::Parsec, Plugin::Parsec.store("one")),
        (Plugin::Parsec, Plugin::Parsec.store("two")),
    ]);
    let accepted = Step::Accept { fast: false };
    let denied = Step::Deny { password: true };
    let again = Step::Switch(PARSEC);
    for (password, first, second) in [
        (&b"one"[..], accepted, None),
        (b"two", again, Some(accepted)),
        (b"three", again, Some(denied)),
    ] {
        let (mut exchange, begun) = step(&users, NATIVE, &native_proof(b"x"));
        assert_eq!(begun, again);
        for wanted in [Some(first), second].into_iter().flatten() {
            let nonce = fresh(&exchange);
            let Step::Tell(told) = exchange.answer(&users, b"", false) else { panic!("no salt") };
            let answer = parsec_answer(password, &nonce, &told, &[5; 32]).unwrap();
            assert_eq!(exchange.answer(&users, &answer, false), wanted);
        }
    }
}

#[test]
fn a_retained_password_belongs_to_the_way_that_has_one() {
    let mut account =
        by_ways(&[(Plugin::Socket, String::new()), (Plugin::Native, Plugin::Native.store("new"))]);
    account.retained = Some(Plugin::Native.store("old"));
    let users = of_accounts(vec![("bob", account)]);
    for (password, wanted) in [
        (&b"new"[..], Step::Accept { fast: false }),
        (b"old", Step::Accept { fast: false }),
        (b"other", Step::Deny { password: true }),
    ] {
        let (mut exchange, first) = step(&users, NATIVE, &native_proof(password));
        assert_eq!(first, Step::Wait, "the socket is asked first, and has no password");
        assert!(exchange.is_by_socket());
        let switched = exchange.answer(&users, &native_proof(password), true);
        assert_eq!(switched, Step::Switch(NATIVE));
        assert_eq!(exchange.answer(&users, &native_proof(password), false), wanted);
        // What proves the certificate is made from the password that the client has.
        let digest = passwords::native_digest(password);
        let proof = passwords::certificate_proof(&digest, &SCRAMBLE, &[7; 32]);
        let is_proved = exchange.certificate_proof(&[7; 32]) == Some(proof);
        assert_eq!(is_proved, wanted == Step::Accept { fast: false });
        let verdict = users.prove("bob", "h", password, None, true);
        assert_eq!(verdict != PasswordVerdict::Denied, is_proved);
    }
}

#[test]
fn a_wrong_password_takes_the_work_of_all_ways_whoever_is_named() {
    let ways = |ways: &[Plugin]| {
        by_ways(&ways.iter().map(|plugin| (*plugin, plugin.store("secret"))).collect::<Vec<_>>())
    };
    let mut two = ways(&[Plugin::CachingSha2]);
    two.retained = Some(Plugin::CachingSha2.store("old"));
    let users = of_accounts(vec![
        ("native", ways(&[Plugin::Native])),
        ("further", ways(&[Plugin::Native, Plugin::CachingSha2])),
        ("parsec", ways(&[Plugin::Parsec])),
        ("both", ways(&[Plugin::Socket, Plugin::Parsec, Plugin::CachingSha2])),
        ("socket", by_ways(&[(Plugin::Socket, String::new())])),
        ("two", two),
    ]);
    let names = ["native", "further", "parsec", "both", "socket", "two", "nobody", "root"];
    for name in names {
        let (verdict, work) = rounds(|| users.prove(name, "localhost", b"wrong", None, true));
        assert_eq!((verdict, work), (PasswordVerdict::Denied, 2 * 5000 + 1024), "{name}");
        let (verdict, work) = rounds(|| users.prove(name, "localhost", b"wrong", None, false));
        assert_eq!((verdict, work), (PasswordVerdict::Wait, 0), "{name}");
    }
    for name in &names[..4] {
        let verdict = users.prove(name, "h", b"secret", None, true);
        assert!(matches!(verdict, PasswordVerdict::Accepted(Some(_))), "{name}");
    }
    // The accounts have changed: what there is to do has, too.
    let accounts = users.accounts.clone().unwrap();
    let dropped = accounts.change::<_, access::EditError>(
        |edit| edit.drop_account(&AccountName::new("two", "%")),
        |_| Ok(()),
    );
    dropped.unwrap();
    let (_, work) = rounds(|| users.prove("nobody", "h", b"wrong", None, true));
    assert_eq!(work, 5000 + 1024);
}

#[test]
fn a_name_that_nobody_has_was_asked_for_no_way_but_the_first() {
    use passwords::signed::{parsec_answer, sign};
    let denied = Step::Deny { password: true };
    let native = native_proof(b"secret");
    let users = account_of(&[
        (Plugin::Ed25519, Plugin::Ed25519.store("secret")),
        (Plugin::Native, Plugin::Native.store("secret")),
    ]);
    let (mut exchange, first) = begin(&users, "nobody", NATIVE, &native);
    assert_eq!(first, Step::Switch(CLIENT_ED25519));
    // The password of the account that lends its ways is right for nobody else.
    let signature = sign(b"secret", &fresh(&exchange));
    assert_eq!(exchange.answer(&users, &signature, false), Step::Switch(NATIVE));
    assert_eq!(exchange.answer(&users, &native, false), denied);
    assert_eq!((exchange.account(), exchange.is_locked()), (None, false));

    let key = ParsecKey::new(b"secret", [3; 18]);
    let users = account_of(&[(Plugin::Parsec, key.stored())]);
    let told = |user: &str| {
        let (mut exchange, first) = begin(&users, user, NATIVE, &native);
        assert_eq!(first, Step::Switch(PARSEC));
        let nonce = fresh(&exchange);
        let Step::Tell(told) = exchange.answer(&users, b"", false) else { panic!("no salt") };
        let answer = parsec_answer(b"secret", &nonce, &told, &[5; 32]).unwrap();
        (told, exchange.answer(&users, &answer, false))
    };
    let (bobs, accepted) = told("bob");
    assert_eq!((bobs, accepted), (key.told(), Step::Accept { fast: false }));
    let (nobodys, refused) = told("nobody");
    assert_eq!(refused, denied);
    assert_ne!(nobodys, bobs, "an account's own salt would say that it is not one");
    assert_eq!(told("nobody").0, nobodys, "as an account's is");
    assert_ne!(told("somebody").0, nobodys);
}

#[test]
fn the_way_of_a_name_that_nobody_has_stays_what_it_is() {
    let plugins = [Plugin::Native, Plugin::Ed25519, Plugin::CachingSha2, Plugin::Parsec];
    let accounts: Vec<_> = (0..32)
        .map(|at| plugins[at % 4])
        .enumerate()
        .map(|(at, plugin)| (format!("u{at}"), by_ways(&[(plugin, plugin.store("secret"))])))
        .collect();
    let named = accounts.iter().map(|(name, account)| (&**name, account.clone())).collect();
    let users = of_accounts(named);
    let proof = native_proof(b"wrong");
    let first = |users: &Users, name: &str| match begin(users, name, NATIVE, &proof).1 {
        Step::Switch(method) => method,
        Step::Deny { password: true } => NATIVE,
        other => panic!("{other:?}"),
    };
    let all = |users: &Users| -> Vec<&str> {
        (0..64).map(|at| first(users, &format!("nobody{at}"))).collect()
    };
    let methods = all(&users);
    for method in [NATIVE, CLIENT_ED25519, CACHING_SHA2, PARSEC] {
        assert!(methods.contains(&method), "{method}");
    }
    let mut named: Vec<(&str, access::Account)> =
        accounts.iter().map(|(name, account)| (&**name, account.clone())).collect();
    assert_eq!(all(&of_accounts(named.clone())), methods, "after a restart");
    named.push(("another", by_ways(&[(Plugin::Native, Plugin::Native.store("x"))])));
    let changed = all(&of_accounts(named));
    let kept = changed.iter().zip(&methods).filter(|(now, before)| now == before).count();
    assert!(kept > 48, "{kept}: one account more takes one name of 33");
}
