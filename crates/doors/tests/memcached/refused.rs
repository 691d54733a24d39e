//! Storage commands that are refused: their blocks of data are no commands. The replies are those
//! of memcached 1.6.45.

use super::client::House;

const BAD: &str = "CLIENT_ERROR bad command line format\n";
/// A block of 29 bytes and its end, which holds commands.
const BLOCK: &str = "delete keep\nset pwn 0 0 1\n!\n";

/// Lines that are refused, each with the length of `BLOCK`.
fn refused() -> Vec<(String, &'static str)> {
    let long = "k".repeat(251);
    let beyond = "18446744073709551616";
    let mut lines = Vec::new();
    for (verb, tail) in
        [("set", ""), ("add", ""), ("replace", ""), ("append", ""), ("prepend", ""), ("cas", " 1")]
    {
        for head in [
            format!("{long} 0 0"),
            "k -1 0".into(),
            "k abc 0".into(),
            format!("k {beyond} 0"),
            "k 0 abc".into(),
            "k 0 1.5".into(),
            format!("k 0 {beyond}"),
        ] {
            lines.push((format!("{verb} {head} 29{tail}"), BAD));
            lines.push((format!("{verb} {head} 29{tail} noreply"), ""));
        }
    }
    for tail in ["", " ", " abc", " -1", " 18446744073709551616"] {
        lines.push((format!("cas k 0 0 29{tail}"), BAD));
    }
    lines.push(("cas k 0 0 29 noreply".into(), ""));
    lines.push((format!("ms {long} 29"), BAD));
    for (flags, reply) in [
        ("Cabc", "CLIENT_ERROR bad token in command line format\n"),
        ("Tabc", "CLIENT_ERROR bad token in command line format\n"),
        ("v v", "CLIENT_ERROR duplicate flag\n"),
        ("Z", "CLIENT_ERROR invalid flag\n"),
        ("MX", "CLIENT_ERROR invalid mode for ms M token\n"),
        ("b", "CLIENT_ERROR error decoding key\n"),
        (
            "A B C D E F G H I J K L M N O P Q R S T U V W X Y Z",
            "CLIENT_ERROR options flags are too long\n",
        ),
    ] {
        lines.push((format!("ms k 29 {flags}"), reply));
    }
    lines
}

#[test]
fn the_data_of_a_refused_value_was_carried_out_as_commands() {
    assert_eq!(BLOCK.replace('\n', "\r\n").len(), 29 + 2);
    for (line, reply) in refused() {
        for cut in [0, 1, 7, 40] {
            let house = House::new();
            let mut client = house.client();
            client.expect(&[("set keep 0 0 1\nx\n", "STORED\n")]);
            let whole = format!("{line}\n{BLOCK}mn\n").replace('\n', "\r\n");
            let cut = whole.len() - cut.min(whole.len());
            let mut answer = client.ask(&whole[..cut]);
            answer.push_str(&client.ask(&whole[cut..]));
            assert_eq!(answer.replace("\r\n", "\n"), format!("{reply}MN\n"), "to {line:?}");
            client.expect(&[("get keep pwn\n", "VALUE keep 0 1\nx\nEND\n")]);
        }
    }
}

#[test]
fn behind_a_block_whose_length_cannot_be_read_nothing_is_carried_out() {
    for line in [
        "set k 0 0 abc",
        "set k 0 0 29x",
        "set k 0 0 +30",
        "set k 0 0 -1",
        "set k 0 0 2147483646",
        "set k 0 0 18446744073709551616",
        "set k 0 0 -1 noreply",
        "add k 0 0",
        "append k",
        "prepend",
        "cas k 0 0 abc 1",
        "cas k 0 29",
        // A key with a space in it: another word stands where the length should.
        "set k y 0 0 29",
        "cas k y 0 0 29 1",
        "ms k abc",
        "ms k +30",
        "ms k S30",
        "ms k 2147483646",
    ] {
        for pieces in [
            vec![format!("{line}\ndelete keep\nset pwn 0 0 1\n!\n")],
            vec![format!("{line}\n"), "delete keep\n".into(), "set pwn 0 0 1\n!\n".into()],
            vec![format!("{line}\n"), "set pwn 0 0 1\n!\n".into()],
            vec![format!("{line}\n"), format!("{line}\n"), "ms pwn 1\n!\n".into()],
            vec![format!("{line}\n"), "flush_all\n".into()],
            vec![format!("{line}\n"), "nonsense\ndelete keep\n".into()],
        ] {
            let house = House::new();
            house.client().expect(&[("set keep 0 0 1\nx\n", "STORED\n")]);
            let mut client = house.client();
            for piece in &pieces {
                let reply = client.ask(&piece.replace('\n', "\r\n"));
                assert!(
                    reply.is_empty() || reply.starts_with("CLIENT_ERROR"),
                    "{reply} to {piece}"
                );
            }
            assert!(client.closed, "after {pieces:?}");
            house.client().expect(&[("get keep pwn\n", "VALUE keep 0 1\nx\nEND\n")]);
        }
    }
}

/// As the original's own `issue_70.t` has it.
#[test]
fn several_lines_without_a_length_are_each_answered() {
    let house = House::new();
    let mut client = house.client();
    client.expect(&[
        ("set issue70 0 0 0\n\n", "STORED\n"),
        ("set issue70 0 0 -1\n", BAD),
        ("set issue70 0 0 4294967295\n", BAD),
        ("set issue70 0 0 2147483647\nscoobyscoobydoo", BAD),
    ]);
    assert!(!client.closed, "no line ends behind them");
}

#[test]
fn data_that_is_longer_or_shorter_than_announced_ends_the_connection() {
    for request in [
        "set a 0 0 1\nxdelete keep\n",
        "set a 0 0 1\nxyz\ndelete keep\n",
        "set a 0 0 15\nx\ndelete keep\ndelete keep\n",
        "add a 0 0 0\ndelete keep\n",
        "set a 0 0 1 noreply\nxyz\ndelete keep\n",
        "ms a 1\nxyz\ndelete keep\n",
        "set a 1 2 3 4 5\nxyzzy\ndelete keep\n",
    ] {
        let house = House::new();
        house.client().expect(&[("set keep 0 0 1\nx\n", "STORED\n")]);
        let mut client = house.client();
        let reply = client.ask(&request.replace('\n', "\r\n"));
        let quiet = request.contains("noreply");
        let words = if quiet { "" } else { "CLIENT_ERROR bad data chunk\r\n" };
        assert_eq!((reply.as_str(), client.closed), (words, true), "to {request:?}");
        house.client().expect(&[("get keep a\n", "VALUE keep 0 1\nx\nEND\n")]);
    }
}

#[test]
fn a_meta_set_that_stores_nothing_tells_cas_0_and_the_size_that_came() {
    House::new().client().expect(&[
        ("set a 7 100 1\nx\n", "STORED\n"),
        ("ms a 1 C1 c\nx\n", "EX c0\n"),
        ("ms nope 1 C1 c s\nx\n", "NF c0 s1\n"),
        ("ms a 1 ME c s k\nx\n", "NS c0 s1 ka\n"),
        ("ms nope 1 MR c s\nx\n", "NS c0 s1\n"),
        ("ms nope 1 MA s c\nx\n", "NS s1 c0\n"),
        ("ms a 3 MA C1 s c q\nzzz\n", "EX s3 c0\n"),
    ]);
}

#[test]
fn a_meta_set_that_joins_tells_the_size_of_the_whole() {
    House::new().client().expect(&[
        ("set a 7 100 1\nx\n", "STORED\n"),
        ("ms a 2 MA s\nyy\n", "HD s3\n"),
        ("ms a 2 MP s k\nww\n", "HD s5 ka\n"),
        ("ms a 2 MA q s\nzz\nmg a v\n", "VA 7\nwwxyyzz\n"),
        ("ms b 3 MA N0 s\nzzz\n", "HD s3\n"),
        ("ms b 2 MR s\nab\n", "HD s2\n"),
    ]);
}

#[test]
fn a_blanked_item_kept_its_time_to_live() {
    House::new().client().expect(&[
        ("set a 7 100 1\nx\nmd a x\nmg a t s f\n", "STORED\nHD\nHD t-1 s0 f0\n"),
        ("set a 7 100 1\nx\nmd a x T50\nmg a t s f\n", "STORED\nHD\nHD t50 s0 f0\n"),
        ("set a 7 100 1\nx\nmd a x I\nmg a t s f\n", "STORED\nHD\nHD t-1 s0 f0 X W\n"),
        ("set a 7 100 1\nx\nmd a x I T30\nmg a t\n", "STORED\nHD\nHD t30 X W\n"),
        ("set a 7 100 1\nx\nmd a I\nmg a t s f\n", "STORED\nHD\nHD t100 s1 f7 X W\n"),
    ]);
}

/// As the original's own `metaget.t` has it.
#[test]
fn a_meta_set_without_a_length_announces_no_data() {
    let bad = |line: &str| (line.to_owned(), BAD);
    let house = House::new();
    let mut client = house.client();
    for (line, reply) in [bad("ms\n"), bad("ms quiet\n"), ("ms quiet 2 q\nbo\nmn\n".into(), "MN\n")]
    {
        client.expect(&[(&line, reply)]);
    }
    client.expect(&[("ms k -1\n", BAD)]);
}

#[test]
fn a_cas_without_its_number_was_answered_and_its_block_run() {
    House::new().client().expect(&[
        ("set foo 0 0 6\nbarval\n", "STORED\n"),
        ("cas foo 0 0 6\nbarva2\nget foo\n", &format!("{BAD}VALUE foo 0 6\nbarval\nEND\n")),
        ("cas foo 0 0 6 \nbarva2\nget foo\n", &format!("{BAD}VALUE foo 0 6\nbarval\nEND\n")),
    ]);
}

#[test]
fn a_stranger_in_text_is_served_nothing_before_its_login() {
    let house = House::new();
    let mut client = house.stranger();
    client.expect(&[
        ("get a\n", "CLIENT_ERROR unauthenticated\n"),
        ("ms a 1\n1\n", "CLIENT_ERROR unauthenticated\n"),
        ("set a 0 0 x\n", "CLIENT_ERROR unauthenticated\n"),
    ]);
    assert!(!client.closed);
    client.expect(&[("get a\n", "")]);
    assert!(client.closed, "the line may have been a block of data");
    let mut client = house.stranger();
    client.expect(&[
        ("set l 0 0 13\n", ""),
        ("app pass word\n", "STORED\n"),
        ("set a 0 0 1\n1\n", "STORED\n"),
        ("get a\n", "VALUE a 0 1\n1\nEND\n"),
    ]);
    let mut client = house.stranger();
    for _ in 0..3 {
        assert!(!client.closed);
        client.expect(&[("set l 0 0 5\napp x\n", "CLIENT_ERROR authentication failure\n")]);
    }
    client.expect(&[("set l 0 0 13\napp pass word\n", "")]);
    assert!(client.closed, "after three");
    let mut client = house.stranger();
    client.expect(&[("set l 0 0 3\nappxx", "CLIENT_ERROR bad command line termination\n")]);
    assert!(client.closed);
}
