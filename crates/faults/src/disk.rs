//! The disk after the cut, worked out from the journal.
//!
//! The model
//! - A file's bytes and size are durable once a sync of it has ended that began after they were
//!   written. Of later writes any part may be there (`edits`).
//! - A name (made, renamed, removed) is durable once a sync of its directory has ended that began
//!   after the change. Syncing a file does not make its name durable. Of later changes a journaling
//!   file system leaves a prefix: of all directories together, or, looser, of each by itself; a
//!   rename between two directories happens in both or in neither.
//! - A file keeps its bytes under whatever name is left; a file without a name is gone.
//! - Kernels write back by themselves, so that what was not synced may be there all the same.
//!
//! Stricter than ext4 is that a new file's sync does not bring its name along; looser than some
//! disks is that a sync which has ended is never taken back.
//!
//! Not here: disks that lie about syncs, and bytes that rot after they were synced.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::fs;
use std::io::Result;
use std::path::{Path, PathBuf};

use crate::dice::Dice;
use crate::edits::{Bytes, Edit};
use crate::journal::{Kind, Record};

type Id = usize;
type Names = BTreeMap<String, Id>;

const ROOT: Id = 0;

enum Inode {
    File(Bytes),
    /// Names on the disk, and as the running process sees them.
    Directory {
        synced: Names,
        live: Names,
    },
}

/// A change of names: each becomes what it says in its directory, all or none.
#[derive(Clone)]
struct Change {
    /// Counts all changes.
    number: u64,
    names: Vec<(Id, String, Option<Id>)>,
}

/// Files at one moment of a journal: on the disk, and on their way there.
pub struct Disk {
    inodes: HashMap<Id, Inode>,
    next: Id,
    handles: HashMap<u64, Id>,
    changes: Vec<Change>,
    changed: u64,
    /// Syncs under way, with what they will have covered.
    syncs: HashMap<u64, VecDeque<u64>>,
}

impl Default for Disk {
    fn default() -> Disk {
        let root = Inode::Directory { synced: Names::new(), live: Names::new() };
        Disk {
            inodes: HashMap::from([(ROOT, root)]),
            next: ROOT + 1,
            handles: HashMap::new(),
            changes: Vec::new(),
            changed: 0,
            syncs: HashMap::new(),
        }
    }
}

impl Disk {
    /// Takes the next record of the journal.
    ///
    /// # Panics
    /// When the record does not fit those before it: then the layer has missed something.
    pub fn take(&mut self, record: &Record) {
        match &record.kind {
            Kind::Open { path, truncated, directory } => {
                let id = self.open(path, *directory);
                self.handles.insert(record.handle, id);
                if *truncated {
                    self.edit(id, Edit::Size(0));
                }
            }
            Kind::Write { offset, bytes } => {
                let edit = Edit::Write { offset: *offset as usize, bytes: bytes.clone() };
                self.edit(self.handles[&record.handle], edit);
            }
            Kind::Truncate { bytes } => {
                self.edit(self.handles[&record.handle], Edit::Size(*bytes as usize));
            }
            Kind::SyncBegin => {
                let mark = match &self.inodes[&self.handles[&record.handle]] {
                    Inode::File(bytes) => bytes.mark(),
                    Inode::Directory { .. } => self.changed,
                };
                self.syncs.entry(record.handle).or_default().push_back(mark);
            }
            Kind::SyncEnd => self.sync_ended(record.handle),
            Kind::Rename { from, to } => self.rename(from, to),
            Kind::Unlink { path } | Kind::RemoveDirectory { path } => {
                let (directory, name) = self.place(path);
                // Sockets are made past the layer.
                if self.live(directory).contains_key(&name) {
                    self.change(vec![(directory, name, None)]);
                }
            }
            Kind::MakeDirectory { path } => {
                let (directory, name) = self.place(path);
                let inode = Inode::Directory { synced: Names::new(), live: Names::new() };
                let id = self.add(inode);
                self.change(vec![(directory, name, Some(id))]);
            }
            Kind::Link { from, to } => {
                let id = self.find(from).expect("a linked file is known");
                let (directory, name) = self.place(to);
                self.change(vec![(directory, name, Some(id))]);
            }
            Kind::Tick => {}
        }
    }

    /// Writes what a cut at this moment leaves into a directory, which it makes.
    ///
    /// # Errors
    /// Those of writing.
    pub fn cut(&self, seed: u64, directory: &Path) -> Result<()> {
        let mut dice = Dice::new(seed);
        let names = self.names_after_cut(&mut dice);
        // One cut in four leaves of the bytes nothing that was not synced.
        let strict = dice.one_of(4);
        self.write(&names, directory, &mut |bytes| match strict {
            true => bytes.on_disk().to_vec(),
            false => bytes.after_cut(&mut dice),
        })
    }

    /// Writes what running processes see at this moment into a directory, which it makes.
    ///
    /// # Errors
    /// Those of writing.
    pub fn live_to(&self, directory: &Path) -> Result<()> {
        let mut names: HashMap<Id, Names> = HashMap::new();
        for (id, inode) in &self.inodes {
            if let Inode::Directory { live, .. } = inode {
                names.insert(*id, live.clone());
            }
        }
        self.write(&names, directory, &mut Bytes::live)
    }

    /// What is not the same in the directory that the recorded process has left; nothing unless
    /// the layer has missed something.
    ///
    /// # Errors
    /// Those of reading.
    pub fn differences(&self, directory: &Path) -> Result<Vec<String>> {
        let mut differences = Vec::new();
        self.compare(ROOT, directory, &mut differences)?;
        Ok(differences)
    }

    fn add(&mut self, inode: Inode) -> Id {
        self.inodes.insert(self.next, inode);
        self.next += 1;
        self.next - 1
    }

    fn live(&self, directory: Id) -> &Names {
        match &self.inodes[&directory] {
            Inode::Directory { live, .. } => live,
            Inode::File(_) => panic!("a file is used as a directory"),
        }
    }

    fn find(&self, path: &str) -> Option<Id> {
        let parts = path.split('/').filter(|part| !part.is_empty());
        parts.into_iter().try_fold(ROOT, |directory, part| self.live(directory).get(part).copied())
    }

    /// The directory and the name in it.
    fn place(&self, path: &str) -> (Id, String) {
        let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
        (self.find(directory).expect("its directory is known"), name.to_owned())
    }

    fn open(&mut self, path: &str, directory: bool) -> Id {
        if let Some(id) = self.find(path) {
            return id;
        }
        assert!(!directory, "the directory {path} was made past the layer");
        let id = self.add(Inode::File(Bytes::default()));
        let (directory, name) = self.place(path);
        self.change(vec![(directory, name, Some(id))]);
        id
    }

    fn edit(&mut self, id: Id, edit: Edit) {
        match self.inodes.get_mut(&id) {
            Some(Inode::File(bytes)) => bytes.edit(edit),
            _ => panic!("bytes are written to what is no file"),
        }
    }

    fn change(&mut self, names: Vec<(Id, String, Option<Id>)>) {
        for (directory, name, id) in &names {
            if let Some(Inode::Directory { live, .. }) = self.inodes.get_mut(directory) {
                set(live, name, *id);
            }
        }
        self.changed += 1;
        self.changes.push(Change { number: self.changed, names });
    }

    fn rename(&mut self, from: &str, to: &str) {
        let id = self.find(from).expect("a renamed file is known");
        let (old_directory, old_name) = self.place(from);
        let (directory, name) = self.place(to);
        self.change(vec![(old_directory, old_name, None), (directory, name, Some(id))]);
    }

    fn sync_ended(&mut self, handle: u64) {
        let id = self.handles[&handle];
        // The earliest that is under way: a later one has covered no less.
        let mark = self.syncs.get_mut(&handle).and_then(VecDeque::pop_front);
        let mark = mark.expect("a sync ends after it began");
        match self.inodes.get_mut(&id) {
            Some(Inode::File(bytes)) => bytes.synced(mark),
            _ => self.names_synced(id, mark),
        }
    }

    /// The changes of a directory up to `mark` are durable, and with a rename to or from another
    /// directory the changes of that one before it.
    fn names_synced(&mut self, directory: Id, mark: u64) {
        let mut marks: HashMap<Id, u64> = HashMap::from([(directory, mark)]);
        for change in self.changes.iter().rev() {
            let durable = |(of, _, _): &(Id, String, Option<Id>)| {
                marks.get(of).is_some_and(|mark| change.number <= *mark)
            };
            if change.names.iter().any(durable) {
                for (of, _, _) in &change.names {
                    let mark = marks.entry(*of).or_default();
                    *mark = change.number.max(*mark);
                }
            }
        }
        let durable = |change: &Change| {
            change.names.iter().any(|(of, _, _)| marks.get(of).is_some_and(|m| change.number <= *m))
        };
        let changes = std::mem::take(&mut self.changes);
        let (done, left): (Vec<Change>, Vec<Change>) = changes.into_iter().partition(durable);
        self.changes = left;
        for (of, name, id) in done.iter().flat_map(|change| &change.names) {
            if let Some(Inode::Directory { synced, .. }) = self.inodes.get_mut(of) {
                set(synced, name, *id);
            }
        }
        self.forget_files_without_names();
    }

    fn forget_files_without_names(&mut self) {
        let mut named: HashSet<Id> = self.handles.values().copied().collect();
        named.insert(ROOT);
        for inode in self.inodes.values() {
            if let Inode::Directory { synced, live } = inode {
                named.extend(synced.values().chain(live.values()));
            }
        }
        let changing = self.changes.iter().flat_map(|change| &change.names);
        named.extend(changing.filter_map(|(_, _, id)| *id));
        self.inodes.retain(|id, _| named.contains(id));
    }

    /// Names of each directory that a cut leaves.
    fn names_after_cut(&self, dice: &mut Dice) -> HashMap<Id, Names> {
        let mut names: HashMap<Id, Names> = HashMap::new();
        // The number up to which changes of a directory are kept.
        let mut kept: HashMap<Id, u64> = HashMap::new();
        let way = dice.below(4);
        let mut upto = || {
            let first = self.changes.first().map_or(0, |change| change.number - 1);
            first + dice.below(self.changed - first + 1)
        };
        let of_all = upto();
        let mut directories: Vec<Id> = self.inodes.keys().copied().collect();
        directories.sort_unstable();
        for directory in directories {
            if let Inode::Directory { synced, .. } = &self.inodes[&directory] {
                names.insert(directory, synced.clone());
                let upto = match way {
                    0 => 0,
                    1 => self.changed,
                    2 => of_all,
                    _ => upto(),
                };
                kept.insert(directory, upto);
            }
        }
        // A rename that only one of its directories would keep ends the other one's prefix.
        while let Some(change) = self.changes.iter().find(|change| {
            let keeps = |(of, _, _): &(Id, String, Option<Id>)| change.number <= kept[of];
            change.names.iter().any(keeps) && !change.names.iter().all(keeps)
        }) {
            for (of, _, _) in &change.names {
                let shorter = kept[of].min(change.number - 1);
                kept.insert(*of, shorter);
            }
        }
        for change in &self.changes {
            for (of, name, id) in &change.names {
                if change.number <= kept[of] {
                    set(names.entry(*of).or_default(), name, *id);
                }
            }
        }
        names
    }

    fn write(
        &self,
        names: &HashMap<Id, Names>,
        root: &Path,
        bytes_of: &mut dyn FnMut(&Bytes) -> Vec<u8>,
    ) -> Result<()> {
        let mut written: HashMap<Id, PathBuf> = HashMap::new();
        let mut directories = vec![(ROOT, root.to_owned())];
        while let Some((directory, path)) = directories.pop() {
            fs::create_dir_all(&path)?;
            for (name, id) in &names[&directory] {
                let path = path.join(name);
                match (&self.inodes[id], written.get(id)) {
                    (Inode::Directory { .. }, _) => directories.push((*id, path)),
                    (Inode::File(_), Some(same)) => fs::hard_link(same, path)?,
                    (Inode::File(bytes), None) => {
                        fs::write(&path, bytes_of(bytes))?;
                        written.insert(*id, path);
                    }
                }
            }
        }
        Ok(())
    }

    fn compare(&self, id: Id, path: &Path, differences: &mut Vec<String>) -> Result<()> {
        let live = self.live(id);
        for entry in fs::read_dir(path)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let is = entry.file_type()?;
            if !live.contains_key(&name) && (is.is_file() || is.is_dir()) {
                differences.push(format!("{} is not known", entry.path().display()));
            }
        }
        for (name, id) in live {
            let path = path.join(name);
            match &self.inodes[id] {
                Inode::Directory { .. } => self.compare(*id, &path, differences)?,
                Inode::File(bytes) => {
                    if fs::read(&path).ok() != Some(bytes.live()) {
                        differences.push(format!("{} differs", path.display()));
                    }
                }
            }
        }
        Ok(())
    }
}

fn set(names: &mut Names, name: &str, id: Option<Id>) {
    match id {
        Some(id) => names.insert(name.to_owned(), id),
        None => names.remove(name),
    };
}

#[cfg(test)]
#[path = "disk_tests.rs"]
mod tests;
