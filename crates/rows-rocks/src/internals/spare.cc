// An iterator that is moved to the next range, and to the next state, instead of being made again.
//
// RocksDB takes an iterator to another state without taking it apart while its write buffers and files are
// still the database's (`Refresh`), and reads the bounds again at each seek.
//
// The other half is `spare.rs`.

#include <rocksdb/db.h>
#include <rocksdb/iterator.h>
#include <rocksdb/options.h>
#include <rocksdb/snapshot.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

namespace {

using namespace ROCKSDB_NAMESPACE;

// Greater than any write's.
constexpr SequenceNumber kLatest = UINT64_MAX;

// A state that somebody else has a snapshot of.
class Moment final : public Snapshot {
 public:
  SequenceNumber GetSequenceNumber() const override { return sequence; }
  int64_t GetUnixTime() const override { return 0; }
  uint64_t GetTimestamp() const override { return 0; }

  SequenceNumber sequence = kLatest;
};

class Spare {
 public:
  Spare(DB* database, bool memory_only) {
    ReadOptions options;
    // As `page_cache.cc` reads it.
    if (memory_only) options.io_timeout = std::chrono::microseconds(1);
    options.background_purge_on_iterator_cleanup = true;
    options.iterate_lower_bound = &lower_;
    options.iterate_upper_bound = &upper_;
    entries_.reset(database->NewIterator(options));
  }

  // Keys of a range as of a moment, or as of now. Also for the moment that it shows already: files that were
  // ingested in between do not always have a number of their own, and those it has may be long gone.
  Status Show(SequenceNumber moment, Slice begin, Slice end) {
    lower_ = begin;
    upper_ = end;
    moment_.sequence = moment;
    return entries_->Refresh(moment == kLatest ? nullptr : &moment_);
  }

  Iterator* entries() { return entries_.get(); }

  std::string failure;

 private:
  // Those of the range; the caller keeps their bytes.
  Slice lower_;
  Slice upper_;
  Moment moment_;
  // Has the addresses of those above.
  std::unique_ptr<Iterator> entries_;
};

}  // namespace

extern "C" {

// As RocksDB's C interface has it (`db/c.cc`).
struct rocksdb_t {
  DB* rep;
};

struct rowhouse_entry {
  const char* key;
  size_t key_bytes;
  const char* value;
  size_t value_bytes;
};

enum { kFirst, kLast, kNext, kPrevious };
enum { kShown, kEnd, kTimedOut, kCorrupt, kFailed };

void* rowhouse_spare_new(rocksdb_t* database, bool memory_only) {
  return new Spare(database->rep, memory_only);
}

void rowhouse_spare_free(void* spare) { delete static_cast<Spare*>(spare); }

bool rowhouse_spare_show(void* spare, uint64_t moment, const char* begin, size_t begin_bytes,
                         const char* end, size_t end_bytes) {
  return static_cast<Spare*>(spare)
      ->Show(moment, Slice(begin, begin_bytes), Slice(end, end_bytes))
      .ok();
}

int rowhouse_spare_step(void* spare, int step, rowhouse_entry* entry) {
  Iterator* entries = static_cast<Spare*>(spare)->entries();
  switch (step) {
    case kFirst:
      entries->SeekToFirst();
      break;
    case kLast:
      entries->SeekToLast();
      break;
    case kNext:
      entries->Next();
      break;
    default:
      entries->Prev();
  }
  if (entries->Valid()) {
    const Slice key = entries->key();
    const Slice value = entries->value();
    *entry = rowhouse_entry{key.data(), key.size(), value.data(), value.size()};
    return kShown;
  }
  const Status status = entries->status();
  if (status.ok()) return kEnd;
  static_cast<Spare*>(spare)->failure = status.ToString();
  return status.IsTimedOut() ? kTimedOut : status.IsCorruption() ? kCorrupt : kFailed;
}

// What the last step said; until the next one.
const char* rowhouse_spare_failure(void* spare, size_t* bytes) {
  const std::string& failure = static_cast<Spare*>(spare)->failure;
  *bytes = failure.size();
  return failure.data();
}

}  // extern "C"
