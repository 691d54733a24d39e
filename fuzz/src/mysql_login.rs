//! MySQL's login packets: the response to the greeting, and COM_CHANGE_USER.

use doors::fuzzing::mysql::{Login, Response, capability, change_user, response};

use crate::memory::within;

/// Decodes the input as both.
pub fn check(input: &[u8]) {
    let bytes = |login: &Login<'_>| {
        login.user.len() + login.proof.len() + login.database.len() + login.method.len()
    };
    if let Ok(Response::Login(capabilities, login)) = within(0, || response(input, false)) {
        assert!(capabilities & !capability::ACCEPTED == 0, "a capability that nobody announced");
        assert!(capabilities & capability::PROTOCOL_41 != 0);
        assert!(bytes(&login) + 32 < input.len(), "more than came");
        assert!(!login.user.contains(&0));
    }
    for capabilities in [capability::SERVER, capability::PROTOCOL_41] {
        if let Ok(login) = within(0, || change_user(input, capabilities)) {
            assert!(bytes(&login) < input.len(), "more than came");
        }
    }
}
