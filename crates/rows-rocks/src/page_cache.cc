// Files of tables, read from the kernel's page cache first: a file system that RocksDB is opened with.
//
// A thread that may not wait for a disk says so by an `io_timeout` in its options, which RocksDB hands
// on to every read that it needs, of data, indexes and filters alike: such a read takes what the kernel
// has in memory, and is `TimedOut` otherwise, or when its thread has had enough of them for a while.
// Other reads wait, and are counted for their thread.
//
// Everything but reading tables is the ordinary file system's.

#include <fcntl.h>
#include <rocksdb/env.h>
#include <rocksdb/file_system.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <string>

namespace {

using namespace ROCKSDB_NAMESPACE;

// Reads that have waited for a disk.
thread_local uint64_t waits = 0;
// Reads that may not wait and are still served.
thread_local uint64_t quick_left = UINT64_MAX;

bool MayWait(const IOOptions& options) { return options.timeout.count() == 0; }

class TableFile final : public FSRandomAccessFile {
 public:
  TableFile(std::string name, int fd) : name_(std::move(name)), fd_(fd) {}
  ~TableFile() override { close(fd_); }

  IOStatus Read(uint64_t offset, size_t n, const IOOptions& options, Slice* result, char* scratch,
                IODebugContext*) const override {
    const bool may_wait = MayWait(options);
    if (!may_wait && quick_left == 0) return IOStatus::TimedOut("enough for one turn");
    quick_left -= may_wait ? 0 : 1;
    size_t done = 0;
    bool waiting = false;
    while (done < n) {
      const iovec rest{scratch + done, n - done};
      const off_t from = static_cast<off_t>(offset + done);
      const ssize_t got = preadv2(fd_, &rest, 1, from, waiting ? 0 : RWF_NOWAIT);
      if (got == 0) break;  // the end of the file
      if (got > 0) {
        done += static_cast<size_t>(got);
      } else if (errno == EINTR) {
        // Once more.
      } else if (waiting) {
        return Failure("read", errno);
      } else if (!may_wait) {
        return IOStatus::TimedOut("not in the page cache");
      } else {
        // Not there, or a kernel or file system that cannot tell: an error comes again if it is one.
        waiting = true;
        ++waits;
      }
    }
    *result = Slice(scratch, done);
    return IOStatus::OK();
  }

  IOStatus Prefetch(uint64_t offset, size_t n, const IOOptions& options, IODebugContext*) override {
    if (MayWait(options) && readahead(fd_, static_cast<off64_t>(offset), n) != 0) {
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
    const int error = posix_fadvise(fd_, static_cast<off_t>(offset), static_cast<off_t>(length),
                                    POSIX_FADV_DONTNEED);
    return error == 0 ? IOStatus::OK() : Failure("posix_fadvise", error);
  }

  IOStatus GetFileSize(uint64_t* size) override {
    struct stat found {};
    if (fstat(fd_, &found) != 0) return Failure("fstat", errno);
    *size = static_cast<uint64_t>(found.st_size);
    return IOStatus::OK();
  }

 private:
  void Advise(int advice) const { posix_fadvise(fd_, 0, 0, advice); }

  IOStatus Failure(const char* call, int error) const {
    return IOStatus::IOError(std::string(call) + " of " + name_, std::strerror(error));
  }

  const std::string name_;
  const int fd_;
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

rocksdb_env_t* rowhouse_page_cache_env() {
  return new rocksdb_env_t{NewCompositeEnv(std::make_shared<PageCacheFirst>()).release(), false};
}

uint64_t rowhouse_page_cache_waits() { return waits; }

void rowhouse_page_cache_begin_turn(uint64_t quick) { quick_left = quick; }

}  // extern "C"
