// Files of tables, read from the kernel's page cache first: a file system that RocksDB is opened with.
//
// A thread that may not wait for a disk says so by an `io_timeout` in its options, which RocksDB hands
// on to every read that it needs, of data, indexes and filters alike: such a read takes what the kernel
// has in memory, and is `TimedOut` otherwise, or when its thread has had enough of them for a while.
// Other reads wait, and are counted for their thread.
//
// A thread that can have reads made without waiting for them (`begun_reads.rs`) is told which one was refused
// last. Once that has been read it is lent to the thread, which makes its look-up again. Such a thread asks the
// kernel what it has only while it usually has it: for what it has not, asking costs a third of what
// reading it does, since the kernel begins to read it at once, one by one.
//
// Everything but reading tables is the ordinary file system's.

#include <fcntl.h>
#include <rocksdb/env.h>
#include <rocksdb/file_system.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <string>

namespace {

using namespace ROCKSDB_NAMESPACE;

// Reads that have waited for a disk.
thread_local uint64_t waits = 0;
// Told how long each of them did, in its own thread.
using TellWait = void (*)(uint64_t nanoseconds);
std::atomic<TellWait> tell_wait = nullptr;
// Reads that may not wait and are still served.
thread_local uint64_t quick_left = UINT64_MAX;

// A file that is closed once nobody reads it any more.
class OpenFile {
 public:
  explicit OpenFile(int fd) : fd_(fd) {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() { close(fd_); }
  int fd() const { return fd_; }

 private:
  const int fd_;
};

// What is to be read in the thread's stead. It keeps no file open that is of no use to anybody else.
struct Refused {
  std::weak_ptr<const OpenFile> file;
  uint64_t offset = 0;
  size_t bytes = 0;
};
thread_local Refused refused;
// Whether the thread can have it read.
thread_local bool begins_reads = false;

// What was read in its stead; whoever lends it keeps it.
struct Lent {
  const OpenFile* file = nullptr;
  uint64_t offset = 0;
  size_t bytes = 0;
  const char* from = nullptr;
};
thread_local Lent lent;

// How often the kernel had lately what the thread asked for, more often than not.
class Luck {
 public:
  // Whether to ask: also now and then when it would be in vain, to see whether it still is.
  bool IsLikely() { return luck_ > 0 || ++untried_ % kTriedOfMany == 0; }
  void Note(bool was_there) {
    luck_ = was_there ? std::min(luck_ + 1, kMost) : std::max(luck_ - 1, 0);
  }

 private:
  static constexpr int kMost = 8;
  static constexpr unsigned kTriedOfMany = 16;
  int luck_ = kMost;
  unsigned untried_ = 0;
};
thread_local Luck luck;

bool MayWait(const IOOptions& options) { return options.timeout.count() == 0; }

class TableFile final : public FSRandomAccessFile {
 public:
  TableFile(std::string name, int fd)
      : name_(std::move(name)), file_(std::make_shared<const OpenFile>(fd)) {}

  IOStatus Read(uint64_t offset, size_t n, const IOOptions& options, Slice* result, char* scratch,
                IODebugContext*) const override {
    if (lent.file == file_.get() && offset >= lent.offset &&
        offset + n <= lent.offset + lent.bytes) {
      std::memcpy(scratch, lent.from + (offset - lent.offset), n);
      *result = Slice(scratch, n);
      return IOStatus::OK();
    }
    const bool may_wait = MayWait(options);
    if (!may_wait && quick_left == 0) return IOStatus::TimedOut("enough for one turn");
    const bool can_begin = !may_wait && begins_reads;
    if (can_begin && !luck.IsLikely()) return Refuse(offset, n);
    quick_left -= may_wait ? 0 : 1;
    size_t done = 0;
    bool waiting = false;
    std::chrono::steady_clock::time_point waiting_since;
    while (done < n) {
      const iovec rest{scratch + done, n - done};
      const off_t from = static_cast<off_t>(offset + done);
      const ssize_t got = preadv2(file_->fd(), &rest, 1, from, waiting ? 0 : RWF_NOWAIT);
      if (got == 0) break;  // the end of the file
      if (got > 0) {
        done += static_cast<size_t>(got);
      } else if (errno == EINTR) {
        // Once more.
      } else if (waiting) {
        return Failure("read", errno);
      } else if (!may_wait) {
        if (can_begin) luck.Note(false);
        return Refuse(offset, n);
      } else {
        // Not there, or a kernel or file system that cannot tell: an error comes again if it is one.
        waiting = true;
        waiting_since = std::chrono::steady_clock::now();
        ++waits;
      }
    }
    if (can_begin) luck.Note(true);
    if (waiting) {
      const auto waited = std::chrono::steady_clock::now() - waiting_since;
      const TellWait tell = tell_wait.load(std::memory_order_relaxed);
      tell(static_cast<uint64_t>(
          std::chrono::duration_cast<std::chrono::nanoseconds>(waited).count()));
    }
    *result = Slice(scratch, done);
    return IOStatus::OK();
  }

  IOStatus Prefetch(uint64_t offset, size_t n, const IOOptions& options, IODebugContext*) override {
    if (MayWait(options) && readahead(file_->fd(), static_cast<off64_t>(offset), n) != 0) {
      return Failure("readahead", errno);
    }
    return IOStatus::OK();
  }

  void Hint(AccessPattern pattern) override {
    switch (pattern) {
      case kNormal:
        return Advise(POSIX_FADV_NORMAL);
      case kRandom:
        return Advise(POSIX_FADV_RANDOM);
      case kSequential:
        return Advise(POSIX_FADV_SEQUENTIAL);
      case kWillNeed:
        return Advise(POSIX_FADV_WILLNEED);
      case kWontNeed:
        return Advise(POSIX_FADV_DONTNEED);
    }
  }

  IOStatus InvalidateCache(size_t offset, size_t length) override {
    const int error = posix_fadvise(file_->fd(), static_cast<off_t>(offset), static_cast<off_t>(length),
                                    POSIX_FADV_DONTNEED);
    return error == 0 ? IOStatus::OK() : Failure("posix_fadvise", error);
  }

  IOStatus GetFileSize(uint64_t* size) override {
    struct stat found {};
    if (fstat(file_->fd(), &found) != 0) return Failure("fstat", errno);
    *size = static_cast<uint64_t>(found.st_size);
    return IOStatus::OK();
  }

 private:
  IOStatus Refuse(uint64_t offset, size_t n) const {
    if (begins_reads) refused = Refused{file_, offset, n};
    return IOStatus::TimedOut("not in the page cache");
  }

  void Advise(int advice) const { posix_fadvise(file_->fd(), 0, 0, advice); }

  IOStatus Failure(const char* call, int error) const {
    return IOStatus::IOError(std::string(call) + " of " + name_, std::strerror(error));
  }

  const std::string name_;
  const std::shared_ptr<const OpenFile> file_;
};

class PageCacheFirst final : public FileSystemWrapper {
 public:
  PageCacheFirst() : FileSystemWrapper(FileSystem::Default()) {}

  static const char* kClassName() { return "PageCacheFirst"; }
  const char* Name() const override { return kClassName(); }

  IOStatus NewRandomAccessFile(const std::string& name, const FileOptions& options,
                               std::unique_ptr<FSRandomAccessFile>* file,
                               IODebugContext* context) override {
    if (!MayWait(options.io_options)) return IOStatus::TimedOut("opening a file");
    const bool is_plain = !options.use_direct_reads && !options.use_mmap_reads;
    const int fd = is_plain ? open(name.c_str(), O_RDONLY | O_CLOEXEC) : -1;
    // What is wrong with the file the ordinary one says in RocksDB's own words.
    if (fd < 0) return FileSystemWrapper::NewRandomAccessFile(name, options, file, context);
    file->reset(new TableFile(name, fd));
    return IOStatus::OK();
  }
};

}  // namespace

extern "C" {

// As RocksDB's C interface has it (`db/c.cc`), whose `rocksdb_env_destroy` takes it apart.
struct rocksdb_env_t {
  Env* rep;
  bool is_default;
};

rocksdb_env_t* rowhouse_page_cache_env(TellWait tell) {
  tell_wait.store(tell, std::memory_order_relaxed);
  return new rocksdb_env_t{NewCompositeEnv(std::make_shared<PageCacheFirst>()).release(), false};
}

uint64_t rowhouse_page_cache_waits() { return waits; }

void rowhouse_page_cache_begin_turn(uint64_t quick, bool can_begin_reads) {
  quick_left = quick;
  begins_reads = can_begin_reads;
  refused.file.reset();
}

// What was refused: a file that stays open until it is given back.
struct rowhouse_refused {
  const void* file;
  uint64_t offset;
  size_t bytes;
  int descriptor;
};

bool rowhouse_page_cache_take_refused(rowhouse_refused* into) {
  auto file = refused.file.lock();
  refused.file.reset();
  if (!file) return false;
  const int descriptor = file->fd();
  const void* held = new std::shared_ptr<const OpenFile>(std::move(file));
  *into = rowhouse_refused{held, refused.offset, refused.bytes, descriptor};
  return true;
}

void rowhouse_page_cache_close(const void* file) {
  delete static_cast<const std::shared_ptr<const OpenFile>*>(file);
}

// Until the next call, for the calling thread.
void rowhouse_page_cache_lend(const void* file, uint64_t offset, const char* from, size_t bytes) {
  const auto* held = static_cast<const std::shared_ptr<const OpenFile>*>(file);
  lent = Lent{held == nullptr ? nullptr : held->get(), offset, bytes, from};
}

}  // extern "C"
