//! Temporary files of one execution: none is made, written or read when it is to end.
//!
//! A grouping writes its whole table without yielding, a sort merges files for minutes.
//!
//! Not here: where the files are, and how much they may hold (DataFusion's `DiskManager`).

use std::io::{self, Write};
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use datafusion::common::Result;
use datafusion::execution::disk_manager::DiskManager;
use datafusion::execution::spill_file::{SpillFile, SpillWriter, TempFileFactory};
use futures::{Stream, StreamExt};

use super::execution::Execution;

/// Makes the files of one execution.
pub(super) struct ExecutionFiles {
    disk: Arc<DiskManager>,
    execution: Arc<Execution>,
}

impl ExecutionFiles {
    pub(super) fn new(disk: Arc<DiskManager>, execution: &Arc<Execution>) -> ExecutionFiles {
        ExecutionFiles { disk, execution: Arc::clone(execution) }
    }
}

impl TempFileFactory for ExecutionFiles {
    fn create_temp_file(&self, description: &str) -> Result<Arc<dyn SpillFile>> {
        self.execution.check()?;
        let file = self.disk.create_tmp_file(description)?;
        Ok(Arc::new(ExecutionFile { file, execution: Arc::clone(&self.execution) }))
    }
}

struct ExecutionFile {
    file: Arc<dyn SpillFile>,
    execution: Arc<Execution>,
}

impl SpillFile for ExecutionFile {
    fn path(&self) -> Option<&Path> {
        self.file.path()
    }

    fn size(&self) -> Option<u64> {
        self.file.size()
    }

    fn read_stream(&self) -> Result<Pin<Box<dyn Stream<Item = Result<Bytes>> + Send>>> {
        self.execution.check()?;
        let execution = Arc::clone(&self.execution);
        let pieces = self.file.read_stream()?;
        Ok(Box::pin(pieces.map(move |piece| {
            execution.check()?;
            piece
        })))
    }

    fn open_writer(&self) -> Result<Box<dyn SpillWriter>> {
        self.execution.check()?;
        let execution = Arc::clone(&self.execution);
        Ok(Box::new(ExecutionWriter { writer: self.file.open_writer()?, execution }))
    }
}

struct ExecutionWriter {
    writer: Box<dyn SpillWriter>,
    execution: Arc<Execution>,
}

impl Write for ExecutionWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.execution.check().map_err(io::Error::other)?;
        self.writer.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

impl SpillWriter for ExecutionWriter {
    fn finish(&mut self) -> Result<()> {
        self.writer.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::super::execution::Executions;
    use super::super::execution::tests::execution;
    use super::*;

    #[tokio::test]
    async fn an_execution_that_was_over_went_on_with_its_files() {
        let disk = Arc::new(DiskManager::builder().build().unwrap());
        let execution = execution();
        let files = ExecutionFiles::new(Arc::clone(&disk), &execution);
        let file = files.create_temp_file("rows").unwrap();
        let mut writer = file.open_writer().unwrap();
        writer.write_all(b"abc").unwrap();
        let mut pieces = file.read_stream().unwrap();
        assert_eq!(&pieces.next().await.unwrap().unwrap()[..], b"abc");
        let mut pieces = file.read_stream().unwrap();
        Executions::default().end(&execution);
        assert!(writer.write_all(b"d").is_err());
        assert!(pieces.next().await.unwrap().is_err());
        assert!(file.read_stream().is_err());
        assert!(files.create_temp_file("more").is_err());
        drop((file, writer, pieces));
        assert_eq!(disk.spilling_progress().active_files_count, 0);
    }
}
