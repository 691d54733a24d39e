//! Lists of keys: `stats cachedump`, as memcdump asks for it, and `lru_crawler metadump`.

use super::client::{Client, House, START};

fn lines(client: &mut Client, request: &str) -> Vec<String> {
    let reply = client.ask(&format!("{request}\r\n"));
    reply.lines().map(str::to_owned).collect()
}

#[test]
fn memcdump_printed_nothing_and_now_gets_every_key_that_is_there() {
    let house = House::new();
    let mut client = house.client();
    client.expect(&[
        ("set b 0 100 3\nxyz\nset a 7 0 1\nx\nset gone 0 5 1\nx\n", "STORED\nSTORED\nSTORED\n"),
        ("stats items\n", "STAT items:1:number 3\nEND\n"),
    ]);
    house.pass(5);
    let until = START + 100;
    let items = format!("ITEM a [1 b; 0 s]\nITEM b [3 b; {until} s]\nEND\n");
    client.expect(&[
        ("stats cachedump 0 0\n", "END\n"),
        ("stats cachedump 1 0\n", &items),
        ("stats cachedump 1 1\n", "ITEM a [1 b; 0 s]\nEND\n"),
        ("stats cachedump 63 0\n", "END\n"),
        ("stats cachedump 64 0\n", "CLIENT_ERROR Illegal slab id\n"),
        ("stats cachedump x 0\n", "CLIENT_ERROR bad command line format\n"),
        ("stats cachedump 1\n", "CLIENT_ERROR bad command line\n"),
    ]);
}

#[test]
fn a_dump_of_metadata_has_every_key_as_an_address_would_have_it() {
    let house = House::new();
    let mut client = house.client();
    client.expect(&[("set a/b 7 100 3\nxyz\nms AAEgZg== 1 b\nx\n", "STORED\nHD\n")]);
    house.pass(1);
    client.expect(&[("get a/b\n", "VALUE a/b 7 3\nxyz\nEND\n")]);
    let dump = lines(&mut client, "lru_crawler metadump all");
    assert_eq!(dump.len(), 3, "{dump:?}");
    let read = START + 1;
    assert!(dump[0].starts_with("key=%00%01%20f exp=-1 la="), "{dump:?}");
    let until = START + 100;
    assert!(dump[1].starts_with(&format!("key=a%2Fb exp={until} la={read} cas=")), "{dump:?}");
    assert!(dump[1].ends_with(" fetch=yes cls=1 size=6 flags=7"), "{dump:?}");
    assert_eq!(dump[2], "END");
    assert_eq!(lines(&mut client, "lru_crawler metadump 1,5"), dump);
    client.expect(&[
        // A key that no line can hold is left out.
        ("stats cachedump 1 0\n", &format!("ITEM a/b [3 b; {until} s]\nEND\n")),
        ("lru_crawler metadump 2\n", "END\n"),
        ("lru_crawler metadump 1,x\n", "BADCLASS invalid class id\n"),
    ]);
}

#[test]
fn a_list_of_many_keys_comes_in_pieces_and_what_stands_behind_it_waits() {
    let house = House::new();
    let mut client = house.client();
    let count = 10_000;
    let sets: String =
        (0..count).map(|n| format!("set key-of-the-list:{n:05} 0 0 1\r\nx\r\n")).collect();
    assert_eq!(client.ask(&sets).len(), count * "STORED\r\n".len());
    client.largest = 0;
    let reply = client.ask("set last 0 0 1\r\nx\r\nstats cachedump 1 0\r\nget last\r\n");
    let dump: Vec<&str> = reply.lines().collect();
    assert_eq!(dump.len(), 1 + count + 1 + 1 + 3);
    for (n, line) in dump[1..=count].iter().enumerate() {
        assert_eq!(*line, format!("ITEM key-of-the-list:{n:05} [1 b; 0 s]"));
    }
    assert_eq!(dump[count + 1], "ITEM last [1 b; 0 s]", "written in the same packet");
    assert_eq!(dump[count + 2..], ["END", "VALUE last 0 1", "x", "END"]);
    assert!(client.largest < 80_000, "{} bytes at once", client.largest);
}

#[test]
fn a_table_that_is_emptied_in_the_middle_of_its_list_ends_the_list() {
    let house = House::new();
    let mut client = house.client();
    let sets: String = (0..5_000).map(|n| format!("set k{n:05} 0 0 1\r\nx\r\n")).collect();
    client.ask(&sets);
    let mut out = client.piece(b"stats cachedump 1 0\r\n");
    while !out.starts_with(b"ITEM k00000 ") {
        out.extend(client.piece(b""));
    }
    let patience = house.engine.patience();
    house
        .engine
        .truncate_table("kv", "cache", rows::foreign_key::ForeignKeyChecks::On, &patience)
        .expect("nobody writes");
    assert_eq!(client.ask("get k00001\r\n"), "END\r\nEND\r\n");
}
