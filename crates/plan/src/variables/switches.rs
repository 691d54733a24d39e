//! `optimizer_switch`: a list of flags, of which SET names those that change.
//!
//! Flags are MySQL 9.7's. One of them means something here, `use_invisible_indexes`; the others are
//! kept and shown.
//!
//! Invariants
//! 1. The list holds each flag once, in MySQL's order.

/// What a list becomes when some of its flags are set.
///
/// # Errors
/// The rest of `text` from the first part on that sets no flag.
pub fn switched(list: &str, default: &str, text: &str) -> Result<String, String> {
    let mut flags: Vec<(&str, &str)> = flags_of(list).collect();
    let mut rest = text;
    loop {
        let (part, behind) = rest.split_once(',').map_or((rest, None), |(a, b)| (a, Some(b)));
        if part.trim().eq_ignore_ascii_case("default") {
            flags = flags_of(default).collect();
        } else if !part.trim().is_empty() {
            let said = part.split_once('=').map(|(name, value)| (name.trim(), value.trim()));
            let (name, value) = said.ok_or_else(|| rest.to_owned())?;
            let flag = flags.iter_mut().find(|(known, _)| known.eq_ignore_ascii_case(name));
            let flag = flag.ok_or_else(|| rest.to_owned())?;
            flag.1 = match value.to_ascii_lowercase().as_str() {
                "on" => "on",
                "off" => "off",
                "default" => value_of(default, flag.0).ok_or_else(|| rest.to_owned())?,
                _ => return Err(rest.to_owned()),
            };
        }
        match behind {
            Some(behind) => rest = behind,
            None => break,
        }
    }
    let flags: Vec<String> = flags.iter().map(|(name, value)| format!("{name}={value}")).collect();
    Ok(flags.join(","))
}

/// A flag's value in a list.
pub fn value_of<'l>(list: &'l str, name: &str) -> Option<&'l str> {
    flags_of(list).find(|(known, _)| *known == name).map(|(_, value)| value)
}

fn flags_of(list: &str) -> impl Iterator<Item = (&str, &str)> {
    list.split(',').filter_map(|part| part.split_once('='))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_changes_in_the_flags_that_are_named() {
        let list = "a=on,b=off,c=on";
        assert_eq!(switched(list, list, "B=ON, c = off").as_deref(), Ok("a=on,b=on,c=off"));
        assert_eq!(switched("a=off,b=on,c=on", list, "a=default").as_deref(), Ok("a=on,b=on,c=on"));
        assert_eq!(switched("a=off,b=on,c=off", list, "default").as_deref(), Ok(list));
        assert_eq!(switched(list, list, "").as_deref(), Ok(list));
    }

    #[test]
    fn what_is_no_flag_is_refused_with_all_that_stands_behind_it() {
        let list = "a=on,b=off";
        assert_eq!(switched(list, list, "a=off,x=on,b=on"), Err("x=on,b=on".to_owned()));
        assert_eq!(switched(list, list, "a=maybe"), Err("a=maybe".to_owned()));
        assert_eq!(switched(list, list, "a"), Err("a".to_owned()));
    }
}
