//! How a contender looks in every drawing: its colour, and whether it is durable.
//!
//! A family has a hue, its doors have shades of it: Rowhouse is blue, MariaDB orange, memcached
//! green, Redis red. Neighbours differ in brightness too, for eyes that see few hues.

use plotters::style::RGBColor;

/// Every contender whose name is known.
const KNOWN: [(&str, RGBColor); 27] = [
    ("rowhouse", RGBColor(0, 92, 175)),
    ("rowhouse memcached", RGBColor(0, 92, 175)),
    ("rowhouse memcached get+set", RGBColor(0, 92, 175)),
    ("rowhouse memcached gets+cas", RGBColor(24, 48, 120)),
    ("rowhouse tyrant", RGBColor(0, 60, 110)),
    ("rowhouse tyrant get+put", RGBColor(0, 60, 110)),
    ("rowhouse handlersocket", RGBColor(70, 150, 230)),
    ("rowhouse sql", RGBColor(130, 190, 245)),
    ("rowhouse sql text", RGBColor(130, 190, 245)),
    ("rowhouse sql prepared", RGBColor(90, 200, 220)),
    ("mariadb innodb", RGBColor(213, 94, 0)),
    ("mariadb sql", RGBColor(213, 94, 0)),
    ("mariadb sql text", RGBColor(213, 94, 0)),
    ("mariadb sql prepared", RGBColor(240, 160, 60)),
    ("mariadb handlersocket", RGBColor(150, 70, 10)),
    ("mariadb+memcached", RGBColor(190, 160, 60)),
    ("memcached", RGBColor(0, 140, 100)),
    ("memcached get+set", RGBColor(0, 140, 100)),
    ("memcached gets+cas", RGBColor(90, 190, 140)),
    ("redis", RGBColor(190, 30, 70)),
    ("redis get+set", RGBColor(190, 30, 70)),
    ("tokyo cabinet (embedded)", RGBColor(120, 60, 160)),
    ("echo (limit)", RGBColor(110, 110, 110)),
    ("row cache of 64 MiB", RGBColor(130, 190, 245)),
    ("row cache of 1 GiB", RGBColor(0, 92, 175)),
    ("epoll", RGBColor(0, 92, 175)),
    ("tokio", RGBColor(190, 30, 70)),
];

/// For others; by name, so that theirs stays the same, too.
const OTHERS: [RGBColor; 5] = [
    RGBColor(204, 121, 167),
    RGBColor(160, 200, 60),
    RGBColor(90, 90, 140),
    RGBColor(140, 110, 80),
    RGBColor(60, 60, 60),
];

/// A contender's colour.
pub fn colour(name: &str) -> RGBColor {
    let known = KNOWN.iter().find(|(known, _)| *known == name);
    let by_name = || name.bytes().fold(0usize, |sum, byte| sum * 31 % 997 + usize::from(byte));
    known.map_or_else(|| OTHERS[by_name() % OTHERS.len()], |(_, colour)| *colour)
}

/// Whether it still has what was written when its process has ended. An echo server has nothing.
pub fn is_durable(name: &str) -> bool {
    !name.starts_with("memcached") && !name.starts_with("echo")
}

/// Its name as drawings show it.
pub fn label(name: &str) -> String {
    if is_durable(name) { name.to_owned() } else { format!("{name} (not durable)") }
}

/// The colour as SVG writes it.
#[cfg(test)]
pub fn colour_text(name: &str) -> String {
    let RGBColor(red, green, blue) = colour(name);
    format!("#{red:02X}{green:02X}{blue:02X}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_contender_no_longer_changes_its_colour_with_its_neighbours() {
        assert_eq!(colour("redis"), colour("redis get+set"));
        assert_ne!(colour("rowhouse memcached"), colour("memcached"));
        assert_eq!(colour("somebody new"), colour("somebody new"));
    }

    #[test]
    fn those_that_keep_nothing_are_marked() {
        assert_eq!(label("memcached"), "memcached (not durable)");
        assert_eq!(label("rowhouse memcached"), "rowhouse memcached");
        assert_eq!(label("mariadb+memcached"), "mariadb+memcached");
    }
}
