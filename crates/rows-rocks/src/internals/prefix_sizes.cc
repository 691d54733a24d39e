// Whose bytes are in a file of tables: noted while the file is written, and asked of all files at once.
//
// A file holds rows and entries of many tables. While RocksDB writes one, a collector sees each key and
// how long the file is so far, so it knows what each table's rows and each of its indexes (the first
// bytes of keys, as long as `rows::table::PREFIX_BYTES`) have in it: entries, their bytes, and the bytes
// of compressed blocks. A block that holds keys of several is divided by their bytes before compression.
// What was noted stands among the file's properties (`docs/formats.md`).
//
// The other half is `prefix_sizes.rs`.

#include <rocksdb/db.h>
#include <rocksdb/metadata.h>
#include <rocksdb/table_properties.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace ROCKSDB_NAMESPACE;

const char kProperty[] = "rowhouse.shares";
constexpr size_t kPrefixBytes = 6;
// A file of more is not noted: that many would take more room in it than what they say is worth.
constexpr size_t kSharesMax = 1 << 16;

void PutNumber(std::string* out, uint64_t number) {
  for (; number >= 0x80; number >>= 7) out->push_back(static_cast<char>(number | 0x80));
  out->push_back(static_cast<char>(number));
}

void PutBytes(std::string* out, const Slice& bytes) {
  PutNumber(out, bytes.size());
  out->append(bytes.data(), bytes.size());
}

struct Share {
  std::string prefix;
  uint64_t puts = 0;
  uint64_t put_bytes = 0;
  uint64_t removals = 0;
  uint64_t removal_bytes = 0;
  // Of blocks that are written.
  uint64_t block_bytes = 0;
  // Before compression, of the block that is being filled.
  uint64_t open_bytes = 0;
};

class Collector final : public TablePropertiesCollector {
 public:
  Status AddUserKey(const Slice& key, const Slice& value, EntryType type, SequenceNumber,
                    uint64_t file_bytes) override {
    if (type == kEntryRangeDeletion || too_many_) return Status::OK();
    if (file_bytes != file_bytes_) EndBlock(file_bytes);
    const Slice prefix(key.data(), std::min(key.size(), kPrefixBytes));
    if (shares_.empty() || prefix != shares_.back().prefix) {
      if (shares_.size() == kSharesMax) {
        too_many_ = true;
        shares_.clear();
        return Status::OK();
      }
      shares_.emplace_back().prefix = prefix.ToString();
    }
    Share& share = shares_.back();
    const uint64_t bytes = key.size() + value.size();
    const bool removes = type == kEntryDelete || type == kEntrySingleDelete;
    (removes ? share.removals : share.puts) += 1;
    (removes ? share.removal_bytes : share.put_bytes) += bytes;
    share.open_bytes += bytes;
    return Status::OK();
  }

  Status Finish(UserCollectedProperties* properties) override {
    if (too_many_) return Status::OK();
    std::string noted;
    for (const Share& share : shares_) {
      PutBytes(&noted, share.prefix);
      for (uint64_t number : {share.puts, share.put_bytes, share.removals, share.removal_bytes,
                              share.block_bytes, share.open_bytes}) {
        PutNumber(&noted, number);
      }
    }
    properties->insert({kProperty, noted});
    return Status::OK();
  }

  UserCollectedProperties GetReadableProperties() const override { return {}; }
  const char* Name() const override { return "RowhouseShares"; }

 private:
  // The block that was being filled is written: the file is so long now.
  void EndBlock(uint64_t file_bytes) {
    uint64_t open = 0;
    for (size_t at = first_open_; at < shares_.size(); ++at) open += shares_[at].open_bytes;
    uint64_t left = file_bytes - file_bytes_;
    for (size_t at = first_open_; at < shares_.size() && open > 0; ++at) {
      Share& share = shares_[at];
      const auto part = static_cast<unsigned __int128>(left) * share.open_bytes / open;
      open -= share.open_bytes;
      left -= static_cast<uint64_t>(part);
      share.block_bytes += static_cast<uint64_t>(part);
      share.open_bytes = 0;
    }
    file_bytes_ = file_bytes;
    first_open_ = shares_.empty() ? 0 : shares_.size() - 1;
  }

  std::vector<Share> shares_;
  // The first with bytes in the block that is being filled.
  size_t first_open_ = 0;
  uint64_t file_bytes_ = 0;
  bool too_many_ = false;
};

class Factory final : public TablePropertiesCollectorFactory {
 public:
  TablePropertiesCollector* CreateTablePropertiesCollector(Context) override {
    return new Collector();
  }
  const char* Name() const override { return "RowhouseSharesFactory"; }
};

// The number in `.../000123.sst`.
uint64_t NumberOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  uint64_t number = 0;
  for (size_t at = slash == std::string::npos ? 0 : slash + 1; at < path.size(); ++at) {
    if (path[at] < '0' || path[at] > '9') break;
    number = number * 10 + static_cast<uint64_t>(path[at] - '0');
  }
  return number;
}

}  // namespace

extern "C" {

// As RocksDB's C interface has them (`db/c.cc`).
struct rocksdb_table_properties_collector_factory_t {
  std::shared_ptr<TablePropertiesCollectorFactory> rep;
};
struct rocksdb_t {
  DB* rep;
};

rocksdb_table_properties_collector_factory_t* rowhouse_shares_factory() {
  return new rocksdb_table_properties_collector_factory_t{std::make_shared<Factory>()};
}

// What `prefix_sizes.rs` reads of each file; null if the files cannot be read. `begin` and `length` say where
// the bytes are until `rowhouse_shares_free`.
std::string* rowhouse_shares_of_files(rocksdb_t* db, const char** begin, size_t* length) {
  ColumnFamilyMetaData family;
  db->rep->GetColumnFamilyMetaData(&family);
  TablePropertiesCollection all;
  if (!db->rep->GetPropertiesOfAllTables(&all).ok()) return nullptr;
  std::vector<std::pair<uint64_t, const TableProperties*>> by_number;
  by_number.reserve(all.size());
  for (const auto& [path, properties] : all) by_number.emplace_back(NumberOf(path), properties.get());
  std::sort(by_number.begin(), by_number.end());
  auto out = std::make_unique<std::string>();
  for (const LevelMetaData& level : family.levels) {
    for (const SstFileMetaData& file : level.files) {
      const auto found = std::lower_bound(
          by_number.begin(), by_number.end(), file.file_number,
          [](const auto& one, uint64_t number) { return one.first < number; });
      // A file that came or went between the two questions: the caller asks again.
      if (found == by_number.end() || found->first != file.file_number) continue;
      const TableProperties& properties = *found->second;
      for (uint64_t number :
           {static_cast<uint64_t>(level.level), static_cast<uint64_t>(file.largest_seqno),
            static_cast<uint64_t>(file.size), properties.data_size, properties.filter_size,
            properties.num_entries, properties.num_deletions, properties.raw_key_size,
            properties.raw_value_size}) {
        PutNumber(out.get(), number);
      }
      PutBytes(out.get(), file.smallestkey);
      PutBytes(out.get(), file.largestkey);
      const auto noted = properties.user_collected_properties.find(kProperty);
      const bool known = noted != properties.user_collected_properties.end();
      PutNumber(out.get(), known ? 1 : 0);
      PutBytes(out.get(), known ? Slice(noted->second) : Slice());
    }
  }
  *begin = out->data();
  *length = out->size();
  return out.release();
}

void rowhouse_shares_free(std::string* bytes) { delete bytes; }

}  // extern "C"
