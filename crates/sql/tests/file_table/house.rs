//! A session whose server reads and makes files in a folder.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use results::SqlError;
use rows::memory::MemoryStore;
use rows::{Engine, EngineOptions};
use sql::{Session, Sql, SqlOptions};

use crate::harness::{answer, session};

pub struct House {
    pub folder: tempfile::TempDir,
    pub sql: Arc<Sql>,
    pub session: Session,
}

impl House {
    pub fn new() -> House {
        House::of(EngineOptions::default())
    }

    pub fn of(engine: EngineOptions) -> House {
        let folder = tempfile::tempdir().unwrap();
        let engine = Engine::open(Arc::new(MemoryStore::new()), engine).unwrap();
        let options = SqlOptions {
            memory_bytes: 256 << 20,
            threads: 2,
            files: vec![folder.path().to_path_buf()],
            ..SqlOptions::default()
        };
        let sql = Sql::new(engine, &options, analytic::start).unwrap();
        let session = session(&sql);
        House { folder, sql, session }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
        fs::write(self.path(name), content).unwrap();
    }

    #[track_caller]
    pub fn run(&mut self, text: &str) -> String {
        crate::harness::run(&mut self.session, text)
    }

    #[track_caller]
    pub fn refused(&mut self, text: &str) -> SqlError {
        match answer(&mut self.session, text) {
            Ok(answer) => panic!("{text}\nanswered {answer}"),
            Err(error) => error,
        }
    }

    /// The error's number, and that its text names something.
    #[track_caller]
    pub fn refused_with(&mut self, text: &str, number: u16, names: &[&str]) {
        let error = self.refused(text);
        assert_eq!(error.code().number(), number, "{text}\n{}", error.message());
        for name in names {
            assert!(error.message().contains(name), "{text}\n{}", error.message());
        }
    }
}
