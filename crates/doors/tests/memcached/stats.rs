//! `stats detail`: counts by key prefix, in the text and in the binary protocol.

use super::client::{Client, House};

/// A binary `stats` of this sub-statistic: keys and values of the packets that answer it.
fn binary_stats(client: &mut Client, sub: &str) -> Vec<(String, String)> {
    let mut packet = vec![0x80, 0x10, 0, sub.len() as u8, 0, 0, 0, 0, 0, 0, 0, sub.len() as u8];
    packet.resize(24, 0);
    packet.extend_from_slice(sub.as_bytes());
    let reply = client.send(&packet);
    let (mut rest, mut packets) = (&reply[..], Vec::new());
    while !rest.is_empty() {
        assert_eq!(rest[6..8], [0, 0], "{sub}: refused");
        let key = usize::from(rest[3]);
        let body = u32::from_be_bytes(rest[8..12].try_into().expect("four bytes")) as usize;
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        packets.push((text(&rest[24..24 + key]), text(&rest[24 + key..24 + body])));
        rest = &rest[24 + body..];
    }
    packets
}

#[test]
fn details_were_not_counted_and_are_per_prefix_while_they_are_on() {
    let house = House::new();
    let mut client = house.client();
    client.expect(&[
        ("set a:1 0 0 1\nx\n", "STORED\n"),
        ("stats detail dump\n", "END\n"),
        ("stats detail on\n", "OK\n"),
        ("set a:1 0 0 1\nx\nadd a:1 0 0 1\nx\n", "STORED\nNOT_STORED\n"),
        ("get a:1\nget a:2\nget plain\n", "VALUE a:1 0 1\nx\nEND\nEND\nEND\n"),
        ("mg a:1\nmg b:1\nms b:1 1\nx\nmd b:1\n", "HD\nEN\nHD\nHD\n"),
        ("delete a:2\n", "NOT_FOUND\n"),
        (
            "stats detail dump\n",
            "PREFIX a get 3 hit 2 set 2 del 1\nPREFIX b get 1 hit 0 set 1 del 1\nEND\n",
        ),
        ("stats detail off\nget a:1\n", "OK\nVALUE a:1 0 1\nx\nEND\n"),
        (
            "stats detail dump\n",
            "PREFIX a get 3 hit 2 set 2 del 1\nPREFIX b get 1 hit 0 set 1 del 1\nEND\n",
        ),
        ("stats detail\n", "CLIENT_ERROR usage: stats detail on|off|dump\n"),
        ("stats detail x\n", "CLIENT_ERROR usage: stats detail on|off|dump\n"),
        ("stats reset\nstats detail dump\n", "RESET\nEND\n"),
    ]);
}

#[test]
fn details_were_not_found_in_the_binary_protocol_and_are_one_packet() {
    let house = House::new();
    let (mut text, mut binary) = (house.client(), house.client());
    let end = [(String::new(), String::new())];
    assert_eq!(binary_stats(&mut binary, "detail on"), end);
    text.expect(&[("set a:1 0 0 1\nx\n", "STORED\n")]);
    let dump = ("detailed".to_owned(), "PREFIX a get 0 hit 0 set 1 del 0\r\nEND\r\n".to_owned());
    assert_eq!(binary_stats(&mut binary, "detail dump"), [dump, end[0].clone()]);
    let settings = binary_stats(&mut binary, "settings");
    assert!(settings.contains(&("detail_enabled".to_owned(), "yes".to_owned())));
    assert_eq!(binary_stats(&mut binary, "detail off"), end);
    assert_eq!(binary_stats(&mut binary, "reset"), end);
    text.expect(&[("stats detail dump\n", "END\n")]);
}
