//! Files in pieces of every size, and the memory of long lines.

use resources::budget::Budget;

use super::*;

fn read(format: Format, file: &[u8], piece: usize) -> Vec<Vec<Option<String>>> {
    let share = Budget::new(1 << 20).share();
    read_with(Splitter::new(format, 0, share).expect("a format"), file, piece)
}

fn read_with(mut splitter: Splitter, file: &[u8], piece: usize) -> Vec<Vec<Option<String>>> {
    let mut lines = Vec::new();
    let mut take = |splitter: &mut Splitter, last| {
        while let Some(line) = splitter.next_line(last).expect("reads") {
            let fields = (0..line.len()).map(|n| {
                let field = line.field(n).expect("a field");
                (!field.null).then(|| String::from_utf8_lossy(field.bytes).into_owned())
            });
            lines.push(fields.collect());
        }
    };
    for bytes in file.chunks(piece) {
        splitter.push(bytes).expect("fits");
        take(&mut splitter, false);
    }
    take(&mut splitter, true);
    lines
}

fn some(text: &str) -> Option<String> {
    Some(text.to_string())
}

/// Quotes as MySQL 9.7 and MariaDB 10.11 read them:
/// `FIELDS TERMINATED BY ',' OPTIONALLY ENCLOSED BY '"'`, three columns.
#[test]
fn quotes_that_nobody_closed_lost_a_letter_or_the_rest_of_the_file() {
    let format = Format { field_end: b",".to_vec(), enclosed: Some(b'"'), ..Format::default() };
    let cases: [(&[u8], &[&[Option<&str>]]); 8] = [
        (
            b"1,\"\\N\",\"x\"\n3,\"a\\N\",\"z\"\n4,\"NULL\",NULL\n",
            &[
                &[Some("1"), None, Some("x")],
                &[Some("3"), Some("aN"), Some("z")],
                &[Some("4"), Some("NULL"), None],
            ],
        ),
        (b"1,\"abc,x\n2,b,y\n", &[&[Some("1"), Some("\"abc,x\n2,b,y\n")]]),
        (
            b"1,a,b,\"c\n2,d,e\n",
            &[&[Some("1"), Some("a"), Some("b"), Some(" ")], &[Some("2"), Some("d"), Some("e")]],
        ),
        (b"1,a,\"x\n", &[&[Some("1"), Some("a"), Some("\"x\n")]]),
        (b"1,a,\"b\"x,\"c\n2\n", &[&[Some("1"), Some("a"), Some("\"b\"x,\"c\n2\n")]]),
        (b"5,\"\",\n", &[&[Some("5"), Some(""), Some("")]]),
        (b"1,\"a\",b,\n", &[&[Some("1"), Some("a"), Some("b")]]),
        (
            b"1,\"ab,c\n2,x\",y\n3,p,q\n",
            &[&[Some("1"), Some("ab,c\n2,x"), Some("y")], &[Some("3"), Some("p"), Some("q")]],
        ),
    ];
    for (file, expected) in cases {
        for piece in 1..=file.len() {
            let share = Budget::new(1 << 20).share();
            let splitter = Splitter::new(format.clone(), 0, share).expect("a format");
            let found = read_with(splitter.with_fields_max(3), file, piece);
            let expected: Vec<Vec<Option<String>>> = expected
                .iter()
                .map(|line| line.iter().map(|field| field.map(str::to_owned)).collect())
                .collect();
            assert_eq!(found, expected, "{:?} in pieces of {piece}", String::from_utf8_lossy(file));
        }
    }
}

#[test]
fn fields_are_the_same_however_the_file_is_cut() {
    let csv = Format {
        field_end: b",".to_vec(),
        enclosed: Some(b'"'),
        optionally: false,
        escape: Some(b'\\'),
        line_start: Vec::new(),
        line_end: b"\r\n".to_vec(),
        ..Format::default()
    };
    let file = b"1,\"a,\"\"b\"\"\r\n2\",NULL\r\n2,\\N,\"NULL\"\r\n3,x\\,y,z";
    let whole = read(csv.clone(), file, file.len());
    assert_eq!(whole[0], [some("1"), some("a,\"b\"\r\n2"), None]);
    assert_eq!(whole[1], [some("2"), None, some("NULL")]);
    assert_eq!(whole[2], [some("3"), some("x,y"), some("z")]);
    for piece in 1..file.len() {
        assert_eq!(read(csv.clone(), file, piece), whole, "pieces of {piece}");
    }
}

#[test]
fn the_default_format_is_tabs_and_backslashes() {
    let file = b"a\tb\\tc\t\\N\n\\N\t\td\n";
    let lines = read(Format::default(), file, 3);
    assert_eq!(lines[0], [some("a"), some("b\tc"), None]);
    assert_eq!(lines[1], [None, some(""), some("d")]);
    assert_eq!(lines.len(), 2);
}

#[test]
fn what_stands_before_the_start_of_a_line_is_skipped() {
    let format = Format { line_start: b"xxx".to_vec(), ..Format::default() };
    let lines = read(format, b"xxxa\t1\nsomething xxxb\t2\nnothing\n", 2);
    assert_eq!(lines, [[some("a"), some("1")], [some("b"), some("2")]]);
}

#[test]
fn a_long_line_takes_memory_from_the_budget_and_gives_it_back() {
    let budget = Budget::new(8 << 20);
    let mut splitter = Splitter::new(Format::default(), 0, budget.share()).expect("a format");
    let piece = vec![b'x'; 100_000];
    for _ in 0..10 {
        splitter.push(&piece).expect("fits");
        assert!(splitter.next_line(false).expect("reads").is_none());
    }
    assert!(budget.used() > 900_000, "{}", budget.used());
    splitter.push(b"\n").expect("fits");
    assert!(splitter.next_line(false).expect("reads").is_some());
    assert!(budget.used() > 2_900_000, "{}", budget.used());
    splitter.push(b"y").expect("fits");
    assert!(budget.used() < 100_000, "{}", budget.used());
    let pushed = (0..100).try_for_each(|_| splitter.push(&piece));
    assert_eq!(pushed.expect_err("no memory").code().number(), 1041);
    splitter.clear();
    assert_eq!(budget.used(), 0);
}

/// All lines of a file that is cut into blocks, each of which is read by itself.
fn read_by_blocks(
    format: &Format,
    file: &[u8],
    piece: usize,
    block: usize,
) -> Vec<Vec<Option<String>>> {
    let mut splitter =
        Splitter::new(format.clone(), 0, Budget::new(1 << 20).share()).expect("a format");
    let mut lines = Vec::new();
    let mut take = |splitter: &mut Splitter, last| {
        let mut text = Vec::new();
        while let Some(count) = splitter.next_block(last, block, &mut text).expect("reads") {
            let of_block = read(format.clone(), &text, text.len());
            assert_eq!(of_block.len() as u64, count, "{:?}", String::from_utf8_lossy(&text));
            lines.extend(of_block);
        }
    };
    for bytes in file.chunks(piece) {
        splitter.push(bytes).expect("fits");
        take(&mut splitter, false);
    }
    take(&mut splitter, true);
    lines
}

#[test]
fn blocks_of_any_size_are_whole_lines() {
    let csv = Format {
        field_end: b",".to_vec(),
        enclosed: Some(b'"'),
        optionally: false,
        escape: Some(b'\\'),
        line_start: Vec::new(),
        line_end: b"\r\n".to_vec(),
        ..Format::default()
    };
    let starting = Format { line_start: b"xxx".to_vec(), ..Format::default() };
    let doubled = Format { line_end: b"aa".to_vec(), ..Format::default() };
    let cases: [(Format, &[u8]); 5] = [
        (csv, b"1,\"a,\"\"b\"\"\r\n2\",NULL\r\n7,plain,8\r\n\r\n2,\\N,\"NULL\"\r\n3,x\\,y,z"),
        (Format::default(), b"a\tb\n\nc\\\nd\te\n\n1\t2\n3\t4"),
        (Format::default(), b"a\tb\nc\td\n"),
        (starting, b"xxxa\t1\nsomething xxxb\t2\nnothing\nxxxc\t3"),
        (doubled, b"1aaa2aa3aaaa4"),
    ];
    for (format, file) in cases {
        let whole = read(format.clone(), file, file.len());
        for piece in 1..=file.len() {
            for block in 1..=file.len() {
                let found = read_by_blocks(&format, file, piece, block);
                assert_eq!(found, whole, "pieces of {piece}, blocks of {block}, {format:?}");
            }
        }
    }
}

#[test]
fn lines_that_are_to_be_ignored_are_in_no_block() {
    let mut splitter =
        Splitter::new(Format::default(), 2, Budget::new(1 << 20).share()).expect("a format");
    splitter.push(b"a\nb").expect("fits");
    let mut text = Vec::new();
    assert!(splitter.next_block(false, 1, &mut text).expect("reads").is_none());
    splitter.push(b"\nc\nd").expect("fits");
    assert_eq!(splitter.next_block(true, 100, &mut text).expect("reads"), Some(2));
    assert_eq!(text, b"c\nd");
    assert_eq!(splitter.next_block(true, 100, &mut text).expect("reads"), None);
}

mod searches {
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;

    /// Lines as `piece`s and blocks give them; `searches`: or all of them byte by byte.
    fn fields(
        format: &Format,
        file: &[u8],
        piece: usize,
        searches: bool,
    ) -> Vec<Vec<(Vec<u8>, bool)>> {
        let share = Budget::new(1 << 20).share();
        let mut splitter = Splitter::new(format.clone(), 0, share).expect("a format");
        if !searches {
            splitter.escapes = None;
        }
        let mut lines = Vec::new();
        for at in (0..file.len()).step_by(piece) {
            let end = file.len().min(at + piece);
            splitter.push(&file[at..end]).expect("fits");
            while let Some(line) = splitter.next_line(end == file.len()).expect("reads") {
                let fields = (0..line.len()).map(|n| line.field(n).expect("a field"));
                lines.push(fields.map(|field| (field.bytes.to_vec(), field.null)).collect());
            }
        }
        lines
    }

    fn format() -> impl Strategy<Value = Format> {
        let ends = select(vec![&b"\n"[..], b"\r\n", b"\\", b"n", b"\nN", b"||"]);
        let signs = || select(vec![None, Some(b'"'), Some(b'\\'), Some(b'N')]);
        (select(vec![&b"|"[..], b"\t", b"N", b"\r", b"ab"]), ends, signs(), signs(), any::<bool>())
            .prop_map(|(field_end, line_end, enclosed, escape, starts)| Format {
                field_end: field_end.to_vec(),
                enclosed,
                optionally: false,
                escape,
                line_start: if starts { b"a".to_vec() } else { Vec::new() },
                line_end: line_end.to_vec(),
                ..Format::default()
            })
    }

    /// Of parts that mean something in these formats, alone or together.
    fn file() -> impl Strategy<Value = Vec<u8>> {
        let parts: Vec<&[u8]> = vec![
            b"\\",
            b"\\N",
            b"N",
            b"NULL",
            b"|",
            b"\t",
            b"\r",
            b"\n",
            b"\r\n",
            b"\"",
            b"a",
            b"b",
            b"n",
            b"0",
            b"\xc3\xa9",
        ];
        vec(select(parts), 0..40).prop_map(|parts| parts.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        #[test]
        fn find_what_reading_byte_by_byte_finds(
            format in format(),
            file in file(),
            piece in 1usize..20,
            block in 1usize..60,
        ) {
            let slow = fields(&format, &file, file.len().max(1), false);
            prop_assert_eq!(&fields(&format, &file, file.len().max(1), true), &slow);
            prop_assert_eq!(&fields(&format, &file, piece, true), &slow);
            // Each block is read by itself, by searches, too.
            let shown: Vec<Vec<Option<String>>> = slow
                .iter()
                .map(|line| {
                    let shown = |(bytes, null): &(Vec<u8>, bool)| {
                        (!null).then(|| String::from_utf8_lossy(bytes).into_owned())
                    };
                    line.iter().map(shown).collect()
                })
                .collect();
            if !file.is_empty() {
                prop_assert_eq!(read_by_blocks(&format, &file, piece, block), shown);
            }
        }
    }
}
