//! What MySQL keeps of an account as JSON: `User_attributes` of `mysql.user`.
//!
//! ```text
//! {"metadata": {..},                       ATTRIBUTE, COMMENT
//!  "Password_locking": {"failed_login_attempts": 3, "password_lock_time_days": 2},
//!  "additional_password": ".."}            RETAIN CURRENT PASSWORD
//! ```
//! The members stand in MySQL's order, by the length of their names; an unbounded lock has -1 days.
//!
//! Not here: merging attributes (`expression::patched_object`).

use crate::account::Account;
use crate::lock_rule::LockTime;

impl Account {
    /// What is kept of it so; `None` when there is nothing.
    pub fn attributes(&self) -> Option<String> {
        let mut members = Vec::new();
        if let Some(attribute) = &self.attribute {
            members.push(format!("\"metadata\": {attribute}"));
        }
        if !self.lock_rule.is_default() {
            let days = match self.lock_rule.time {
                LockTime::Days(days) => i32::from(days),
                LockTime::Unbounded => -1,
            };
            members.push(format!(
                "\"Password_locking\": {{\"failed_login_attempts\": {}, \
                 \"password_lock_time_days\": {days}}}",
                self.lock_rule.attempts
            ));
        }
        if let Some(retained) = &self.retained {
            let retained = serde_json::Value::from(retained.as_str());
            members.push(format!("\"additional_password\": {retained}"));
        }
        (!members.is_empty()).then(|| format!("{{{}}}", members.join(", ")))
    }
}
