//! The commented sample file, made from the table of settings.
//!
//! Not here: reading such a file (`load`).

use std::fmt::Write as _;

use super::table::{SECTIONS, Setting};

const HEAD: &str = "\
# Settings of rowhouse, with their defaults. Copy this file, remove the # in front of what you
# change, and start with `rowhouse serve --config FILE`.
#
# Every setting may also be given in the environment (mysql-port: ROWHOUSE_MYSQL_PORT=3307) or as
# a flag (--mysql-port 3307). Flags win over the environment, and that over this file. An unknown
# setting is an error. Sizes: 64MiB, 4GiB, 500MB. Times: 500ms, 10s, 5min, 8h.
";

const USERS: &str = r#"
# ---- Users ----

# Who may come in at the MySQL door. Without any, `root` may, without a password, and the doors
# listen on the loopback address only. Instead of the password one of MySQL's stored forms can be
# given: password-hash = "*2470C0C06DEE42FD1618BB99005ADCA2EC9D1E19" (native password), or
# "$A$005$..." (caching_sha2_password).
#[[users]]
#name = "app"
#password = "change me"
"#;

/// The text of `rowhouse.sample.toml`.
pub fn sample() -> String {
    let mut text = HEAD.to_owned();
    for section in SECTIONS {
        let _ = write!(text, "\n# ---- {} ----\n", section.heading);
        for setting in section.settings {
            text.push('\n');
            for line in setting.doc.lines() {
                let _ = writeln!(text, "# {line}");
            }
            let _ = writeln!(text, "#{} = {}", setting.name, default(setting));
        }
    }
    text + USERS
}

fn default(setting: &Setting) -> String {
    if setting.kind.is_number() && setting.default.parse::<u64>().is_ok() {
        return setting.default.to_owned();
    }
    format!("\"{}\"", setting.default)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::load::Values;

    #[test]
    fn the_sample_in_the_tree_is_what_the_table_makes() {
        // Tests run in their package's folder, wherever they were compiled.
        let in_tree = std::fs::read_to_string("../../rowhouse.sample.toml").unwrap();
        assert!(in_tree == sample(), "make it anew: rowhouse sample > rowhouse.sample.toml");
    }

    #[test]
    fn the_sample_with_everything_uncommented_is_a_valid_file() {
        let uncommented: String = sample()
            .lines()
            .map(|line| {
                line.strip_prefix('#').filter(|rest| !rest.starts_with(' ')).unwrap_or(line)
            })
            .map(|line| format!("{line}\n"))
            .collect();
        let mut values = Values::defaults();
        values.read_toml(&uncommented, "sample").unwrap();
        assert_eq!(values.users.len(), 1);
    }
}
