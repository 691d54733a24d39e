//! Tests of the login exchange: who is let in.

use passwords::seal;

use super::*;

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
    // What nobody's password makes is made once.
    users.decoy();
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

/// Accounts of SQL that log in by these ways.
fn account_of(ways: &[(Plugin, String)]) -> Users {
    let control = AccessControl::load(&[]).unwrap();
    let mut account = access::Account::new(ways[0].0, ways[0].1.clone());
    let further = ways[1..].iter().cloned();
    account.alternatives =
        further.map(|(plugin, stored)| access::account::LoginWay { plugin, stored }).collect();
    let made = control.change::<_, access::EditError>(
        |edit| edit.create(AccountName::new("bob", "%"), account.clone()),
        |_| Ok(()),
    );
    made.unwrap();
    Users::unconfigured().with_accounts(&Arc::new(control))
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
