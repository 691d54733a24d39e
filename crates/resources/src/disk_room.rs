//! How much room a disk has.
//!
//! Asked by the C library's call, as RocksDB asks: what a test puts in between answers both.
//!
//! Not here: what follows from it (the stores, `spill`, `server::disk_watch`).

use std::ffi::CString;
use std::io;
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

/// Room on a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiskRoom {
    /// Bytes that are used.
    pub used: u64,
    /// Bytes that this process may still take.
    pub free: u64,
    /// Files that may still be made; `None` where the file system does not count them.
    pub files: Option<u64>,
}

impl DiskRoom {
    /// Of the disk that a path is on.
    ///
    /// # Errors
    /// Those of the system.
    #[expect(unsafe_code, reason = "rustix asks the kernel past the C library")]
    pub fn of(path: &Path) -> io::Result<DiskRoom> {
        let path = CString::new(path.as_os_str().as_bytes())?;
        let mut disk = MaybeUninit::<libc::statvfs>::uninit();
        // SAFETY: the path ends with a zero, and there is room for what is written.
        if unsafe { libc::statvfs(path.as_ptr(), disk.as_mut_ptr()) } != 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the call has succeeded, so it has written all of it.
        let disk = unsafe { disk.assume_init() };
        let bytes = |blocks: u64| blocks.saturating_mul(disk.f_frsize);
        Ok(DiskRoom {
            used: bytes(disk.f_blocks.saturating_sub(disk.f_bfree)),
            free: bytes(disk.f_bavail),
            files: (disk.f_files > 0).then_some(disk.f_favail),
        })
    }

    /// Percent that are used of what can be had, rounded up, as `df` shows it.
    pub fn used_percent(self) -> u64 {
        let all = u128::from(self.used) + u128::from(self.free);
        u64::try_from((u128::from(self.used) * 100).div_ceil(all.max(1))).unwrap_or(100)
    }
}

/// Whether an error says that a disk, or the quota of the process, is full.
pub fn is_disk_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percent_are_of_what_can_be_had_and_rounded_up() {
        let percent = |used, free| DiskRoom { used, free, files: None }.used_percent();
        assert_eq!(percent(1, 999), 1);
        assert_eq!(percent(950, 50), 95);
        assert_eq!(percent(0, 0), 0);
        assert_eq!(percent(u64::MAX, u64::MAX), 50);
    }

    #[test]
    fn a_disk_has_room_and_a_place_that_is_none_is_an_error() {
        let directory = tempfile::tempdir().unwrap();
        let room = DiskRoom::of(directory.path()).unwrap();
        assert!(room.used > 0 && room.used_percent() <= 100);
        assert!(DiskRoom::of(&directory.path().join("none")).is_err());
    }
}
