//! Accounts for targets whose conversations need some: `app` with the password `pass`.

use std::sync::Arc;

use access::AccessControl;
use doors::mysql::{Account, Secret, Users};
use doors::{DoorAccounts, DoorLogins, WithoutLogin};

/// How clients of a door come in.
pub fn logins(door: &'static str, without_login: WithoutLogin) -> Arc<DoorLogins> {
    let control = Arc::new(AccessControl::load(&[]).expect("no records"));
    let app = Account { name: "app".into(), secret: Secret::new("pass") };
    let accounts = Arc::new(DoorAccounts::new(Users::new([app]), &control));
    Arc::new(DoorLogins::new(door, accounts, without_login))
}
