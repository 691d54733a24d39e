//! Backups that clients of the Tyrant door ask for (`copy PATH`), each below one directory.
//!
//! Invariants
//! 1. Nothing outside of that directory is made or changed, whatever path is asked for.
//! 2. A copy that was acknowledged is a whole backup, as `rowhouse backup` takes them; a second
//!    copy to the same path is added to the first.
//!
//! Not here: what a backup is made of (`rows_rocks::Backups`), the checkpoint (`frozen`).

use std::path::{Component, Path, PathBuf};

use anyhow::{Context as _, bail};
use rows::store::StoreUpkeep;
use rows_rocks::{Backups, Sharing};

use crate::frozen::{self, CheckpointClaim};
use crate::private::close_to_others;

/// Where copies go, and of which data directory.
#[derive(Clone, Debug)]
pub struct Copies {
    directory: PathBuf,
    data_dir: PathBuf,
}

impl Copies {
    /// Copies of a data directory.
    ///
    /// # Errors
    /// When they would lie in it.
    pub fn new(directory: &Path, data_dir: &Path) -> anyhow::Result<Copies> {
        let absolute = |path: &Path| std::path::absolute(path);
        let (directory, data_dir) = (absolute(directory)?, absolute(data_dir)?);
        if directory.starts_with(&data_dir) {
            bail!("tyrant-copies must not lie in the data directory {}", data_dir.display());
        }
        Ok(Copies { directory, data_dir })
    }

    /// Takes a backup of the present state.
    ///
    /// # Errors
    /// For a path that leads elsewhere; while another backup is taken; those of files.
    pub fn take(&self, path: &str, store: &dyn StoreUpkeep) -> anyhow::Result<()> {
        let place = self.below(path)?;
        let backups = Backups::to_write(&place)?;
        close_to_others(&place);
        let frozen = CheckpointClaim::claim(&self.data_dir)?;
        frozen::make(store, &self.data_dir).context("cannot freeze the rows")?;
        backups.add(&frozen.rows(), Sharing::Links, &mut |_, _| {})?;
        Ok(())
    }

    /// A client's path within our directory; its root is ours.
    fn below(&self, path: &str) -> anyhow::Result<PathBuf> {
        let mut place = self.directory.clone();
        for component in Path::new(path).components() {
            match component {
                Component::Normal(name) => place.push(name),
                Component::RootDir | Component::CurDir => {}
                Component::ParentDir | Component::Prefix(_) => bail!("{path} leads elsewhere"),
            }
        }
        if place == self.directory {
            bail!("a copy needs a name");
        }
        Ok(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_below_the_directory() {
        let copies = Copies::new(Path::new("/copies"), Path::new("/data")).unwrap();
        let below = |path| copies.below(path).ok();
        assert_eq!(below("a.tch"), Some(PathBuf::from("/copies/a.tch")));
        assert_eq!(below("/backup/./a.tch"), Some(PathBuf::from("/copies/backup/a.tch")));
        for elsewhere in ["../a", "/a/../../b", "", "/", "."] {
            assert_eq!(below(elsewhere), None, "{elsewhere:?}");
        }
    }

    #[test]
    fn copies_within_the_data_are_refused() {
        assert!(Copies::new(Path::new("/data/copies"), Path::new("/data")).is_err());
        assert!(Copies::new(Path::new("data/copies"), Path::new("data")).is_err());
    }
}
