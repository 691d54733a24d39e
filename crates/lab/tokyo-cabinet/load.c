/* Tokyo Cabinet's hash database under the lab's load: updates or inserts by one thread, with a sync
 * after each, each second, or never. It is a library: there is no server and no connection.
 *
 * usage: load FILE ROWS WARM_SECONDS SECONDS update|insert every-commit|every-second|os
 * output: a line `requests seconds cpu_seconds`, then lines `latency_ns count`.
 */
#include <string.h>
#include <sys/resource.h>

#include "measure.h"

enum { KEY_MAX = 32, ROW_MAX = 96 };

static double cpu_seconds(void) {
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  return used.ru_utime.tv_sec + used.ru_stime.tv_sec +
         (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
}

static void put(TCHDB *db, uint32_t id, uint32_t version) {
  char key[KEY_MAX], row[ROW_MAX];
  int key_bytes = snprintf(key, sizeof key, "user:%u", id);
  int row_bytes = snprintf(row, sizeof row, "user %09u\tuser%09u@example.org\t2009-10-%02u 12:00:00",
                           id, id, version % 28 + 1);
  if (!tchdbput(db, key, key_bytes, row, row_bytes)) fail(db, "put");
}

int main(int count, char **arguments) {
  if (count != 7) return 2;
  uint32_t rows = (uint32_t)strtoul(arguments[2], NULL, 10), next = rows + 1;
  double warm = atof(arguments[3]), measured = atof(arguments[4]);
  int inserts = strcmp(arguments[5], "insert") == 0;
  int every_commit = strcmp(arguments[6], "every-commit") == 0;
  int every_second = strcmp(arguments[6], "every-second") == 0;
  static uint64_t counts[BUCKETS];

  TCHDB *db = tchdbnew();
  tchdbtune(db, (int64_t)rows * 4, 4, 10, HDBTLARGE);
  tchdbsetxmsiz(db, (int64_t)1 << 30);
  if (!tchdbopen(db, arguments[1], HDBOWRITER | HDBOCREAT | HDBOTRUNC)) fail(db, "open");
  for (uint32_t id = 1; id <= rows; id++) put(db, id, 0);
  if (!tchdbsync(db)) fail(db, "sync");

  uint64_t begin = now_ns(), from = begin + (uint64_t)(warm * 1e9);
  uint64_t to = from + (uint64_t)(measured * 1e9), synced = begin, requests = 0, random = 1;
  double cpu_before = -1;
  for (uint64_t before = begin; before < to;) {
    if (before >= from && cpu_before < 0) cpu_before = cpu_seconds();
    random = random * 6364136223846793005u + 1;
    put(db, inserts ? next++ : (uint32_t)(random >> 33) % rows + 1, (uint32_t)(random >> 40));
    if (every_commit || (every_second && before - synced >= 1000000000u)) {
      if (!tchdbsync(db)) fail(db, "sync");
      synced = before;
    }
    uint64_t after = now_ns();
    if (before >= from && after <= to) {
      counts[bucket_of(after - before)]++;
      requests++;
    }
    before = after;
  }
  printf("%llu %f %f\n", (unsigned long long)requests, measured,
         cpu_before < 0 ? 0.0 : cpu_seconds() - cpu_before);
  print_latencies("", counts);
  tchdbclose(db);
  tchdbdel(db);
  return 0;
}
