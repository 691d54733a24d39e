//! Files in pieces of every size.

use super::*;

/// Gives at most so many bytes at a time.
struct Pieces<'a>(&'a [u8], usize);

impl Read for Pieces<'_> {
    fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
        let count = self.0.len().min(self.1).min(to.len());
        to[..count].copy_from_slice(&self.0[..count]);
        self.0 = &self.0[count..];
        Ok(count)
    }
}

fn split(text: &str) -> Vec<(u64, String)> {
    let mut splitter = Splitter::new(text.as_bytes(), 1 << 20);
    let mut statements = Vec::new();
    while let Some(statement) = splitter.statement().unwrap() {
        let text = String::from_utf8(statement.text.to_vec()).unwrap();
        statements.push((statement.line, text));
    }
    assert_eq!(splitter.bytes_used(), text.len() as u64);
    statements
}

#[test]
fn statements_know_the_lines_on_which_they_begin() {
    let file = "-- dump\n\nSELECT 1;\n/* two\nlines */ SELECT\n2; # rest\nSELECT 3";
    let expected = [(3, "SELECT 1"), (5, "SELECT\n2"), (7, "SELECT 3")];
    assert_eq!(split(file), expected.map(|(line, text)| (line, text.to_owned())));
}

#[test]
fn a_delimiter_within_quotes_or_comments_ends_nothing() {
    for statement in [
        r"INSERT INTO t VALUES ('a;b','it\'s;','x\\','two''s;')",
        "SELECT `a;\\`, \"b;c\"",
        "SELECT 1 /* ; ' */ + 2",
        "SELECT 1 -- ; it's\n + 2",
        "SELECT 1--2",
        "/*!50003 SELECT ';' ; */",
        "SELECT 4 /*!32312 + 2 */ * 2",
    ] {
        let file = format!("{statement};\n{statement};SELECT 1");
        let found: Vec<String> = split(&file).into_iter().map(|(_, text)| text).collect();
        assert_eq!(found, [statement, statement, "SELECT 1"]);
    }
}

#[test]
fn the_delimiter_can_be_changed_and_changed_back() {
    let file = "DELIMITER ;;\nCREATE TRIGGER t BEGIN x; y; END ;;\ndelimiter ;\nSELECT 1;\n";
    let expected = [(2, "CREATE TRIGGER t BEGIN x; y; END"), (4, "SELECT 1")];
    assert_eq!(split(file), expected.map(|(line, text)| (line, text.to_owned())));
}

#[test]
fn what_only_mariadb_executes_is_a_comment() {
    let file = "/*M!999999\\- enable the sandbox mode */ \n/*!999999\\- enable it */\n\
                /*M!100616 SET @x=1 */;\nSELECT 1;";
    assert_eq!(split(file), [(4, "SELECT 1".to_owned())]);
}

#[test]
fn pieces_of_any_size_give_the_same_statements() {
    let file = "/* c */SELECT 'a\\'b;' /*!1 ; */;\nDELIMITER //\nx -- //\n//\nDELIMITER ;\n\
                # end ;\ny `;` \"\\\";\";;z";
    let expected = split(file);
    for size in 1..40 {
        let mut splitter = Splitter::new(Pieces(file.as_bytes(), size), 1 << 20);
        let mut found = Vec::new();
        while let Some(statement) = splitter.statement().unwrap() {
            found.push((statement.line, String::from_utf8(statement.text.to_vec()).unwrap()));
        }
        assert_eq!(found, expected, "pieces of {size} bytes");
    }
}

#[test]
fn a_statement_longer_than_many_pieces_comes_whole() {
    let value = "x'';\n\\'".repeat(300_000);
    let file = format!("INSERT INTO t VALUES ('{value}');\nSELECT 2;");
    let mut splitter = Splitter::new(file.as_bytes(), 64 << 20);
    let first = splitter.statement().unwrap().unwrap();
    assert_eq!(first.text.len(), value.len() + "INSERT INTO t VALUES ('')".len());
    let second = splitter.statement().unwrap().unwrap();
    assert_eq!((second.text, second.line), (&b"SELECT 2"[..], 300_002));
}

#[test]
fn a_file_that_is_cut_off_or_has_no_end_of_statement_is_refused() {
    let failed = |text: &str, most: usize| {
        let mut splitter = Splitter::new(text.as_bytes(), most);
        loop {
            match splitter.statement() {
                Ok(Some(_)) => {}
                Ok(None) => panic!("nothing was wrong with {text:.40}"),
                Err(error) => return error.to_string(),
            }
        }
    };
    let cut = failed("SELECT 1;\nINSERT INTO t VALUES ('ab", 1 << 20);
    assert_eq!(cut, "the file ends within a string; it begins on line 2");
    let cut = failed("-- MySQL dump 10.13\n\nDELETE FROM t;\nDELETE FROM t WHERE a", 1 << 20);
    assert_eq!(cut, "the dump ends within a statement; it begins on line 4");
    let long = format!("SELECT 1;\n\nSELECT {}", "1+".repeat(1 << 20));
    let long = failed(&long, 1 << 20);
    assert_eq!(long, "the statement has more than 1048576 bytes; it begins on line 3");
}

#[test]
fn a_dump_is_unfinished_until_its_last_line() {
    let unfinished = |file: &str| {
        let mut splitter = Splitter::new(file.as_bytes(), 1 << 20);
        while splitter.statement().unwrap().is_some() {}
        splitter.is_unfinished()
    };
    for program in ["MySQL dump 10.13", "MariaDB dump 10.19", "Rowhouse dump 0.1.0"] {
        assert!(unfinished(&format!("-- {program}\nDO 1;\n")));
        assert!(unfinished(&format!("/*M!999999\\- x */\n-- {program}\nDO '-- Dump completed';")));
        assert!(!unfinished(&format!("-- {program}\nDO 1;\n\n-- Dump completed on 2026-11-21")));
    }
    let two = "-- MySQL dump 1\nDO 1;\n-- Dump completed\n-- MySQL dump 1\nDO 2;\n";
    assert!(unfinished(two) && !unfinished(&format!("{two}-- Dump completed")));
    assert!(!unfinished("DO 1;\n-- a dump of my own\nDO 2"));
}
