/* Tokyo Cabinet's hash database under the game and its parts, as an application that has the library
 * inside plays it: threads instead of connections, no server, no protocol. It stays, with its database
 * open, until its input ends, so that it is measured like a server.
 *
 * usage: game FILE LEDGER SEED NOTE_BYTES THREADS MEMORY_BYTES every-commit|every-second|os
 *   LEDGER  4 bytes for each player, and for a player 0: changes that were made. It is the caller's, and
 *           no part of what the group of this program may use.
 *   MEMORY_BYTES  a file as large as this is mapped as a whole. Of a larger one only the buckets are, and
 *           records are read and written in the kernel's cache: a mapping that does not fit into memory
 *           brings everything to a standstill, and one of half of the memory halves the updates.
 * A line of input is a command; its answer:
 *   grow ROWS                         `done` once there are so many players and as many accounts
 *   play look-ups|updates|game WARM_SECONDS SECONDS SEED
 *                                     `from` and `to` when the window begins and ends, then
 *                                     `counts requests rows wrong stale pause_ns`, a line `second N` for
 *                                     each second from the warm-up on, lines `latency ns count`, perhaps
 *                                     `bad WHAT`, and `done`
 *   read ID                           the values of the player and of the account, a line each
 *   verify                            `verified changed lost unasked`, of all changed players
 *
 * Every value that is read is judged. The first line of output is the library's version.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "measure.h"
#include "rows.h"

/* Buckets for each record, steps between two of which the library's own tidying makes one, and bytes of
 * a record beside its note, by which it is known whether the file needs large addresses. */
enum { BUCKETS_PER_RECORD = 2, TIDYING_STEPS = 8, RECORD_BYTES = 80, BAD_MAX = 96 };
static const uint64_t SECOND = 1000000000u, SMALL_FILE_BYTES = 1900u << 20;

enum load { LOOK_UPS, UPDATES, GAME };

static TCHDB *db;
static struct world world;
static uint32_t rows;
static uint64_t memory_bytes;
static _Atomic uint32_t *ledger;
static bool every_commit, every_second;

/* One window. */
static enum load load;
static uint64_t from, to;
static _Atomic uint64_t last_done;
static atomic_bool over;

struct worker {
  pthread_t thread;
  uint64_t random;
  uint32_t number, threads, first, last;
  char *value, *must;
  int value_max;
  bool accounts_turn;
  uint64_t latencies[BUCKETS], requests, wrong, stale, pause;
  _Atomic uint64_t done;
  char bad[BAD_MAX];
};

static void require(bool done, const char *what) {
  if (done) return;
  perror(what);
  exit(1);
}

static bool wrong(struct worker *worker, const char *what, uint32_t id) {
  if (!worker->bad[0]) snprintf(worker->bad, BAD_MAX, "%s of %u", what, id);
  return false;
}

/* The value of a key; -1 where there is none. */
static int get(struct worker *worker, const char *key, int key_bytes) {
  int bytes = tchdbget3(db, key, key_bytes, worker->value, worker->value_max);
  if (bytes < 0 && tchdbecode(db) != TCENOREC) fail(db, "get");
  return bytes;
}

/* Reads a player; false if it is not what it must be. */
static bool read_player(struct worker *worker, uint32_t id, uint64_t *score) {
  char key[KEY_MAX];
  int bytes = get(worker, key, put_player_key(id, key)), begin, end;
  if (bytes < 0) return wrong(worker, "no player", id);
  if (!find_score(worker->value, bytes, &begin, &end, score)) return wrong(worker, "no score", id);
  int must = put_player(&world, id, *score, worker->must);
  if (bytes != must || memcmp(worker->value, worker->must, must)) return wrong(worker, "value", id);
  return true;
}

/* Reads an account by the address of its player. */
static bool read_account(struct worker *worker, uint32_t id, const char *email, int email_bytes) {
  char key[KEY_MAX];
  int bytes = get(worker, key, put_account_key(email, email_bytes, key));
  if (bytes < 0) return wrong(worker, "no account", id);
  int must = put_account(&world, id, worker->must);
  if (bytes != must || memcmp(worker->value, worker->must, must)) return wrong(worker, "account", id);
  return true;
}

/* The value with one added to its score; the library calls it with the record locked. */
static void *one_more(const void *value, int bytes, int *new_bytes, void *nothing) {
  (void)nothing;
  int begin, end;
  uint64_t score;
  if (!find_score(value, bytes, &begin, &end, &score)) return NULL;
  char *new = malloc((size_t)bytes + BESIDE_NOTE_MAX);
  if (!new) return NULL;
  memcpy(new, value, begin);
  int at = begin + sprintf(new + begin, "%llu", (unsigned long long)score + 1);
  memcpy(new + at, (const char *)value + end, bytes - end);
  *new_bytes = at + bytes - end;
  return new;
}

static bool change_player(struct worker *worker, uint32_t id) {
  char key[KEY_MAX];
  if (!tchdbputproc(db, key, put_player_key(id, key), NULL, 0, one_more, NULL)) {
    if (tchdbecode(db) != TCEKEEP && tchdbecode(db) != TCENOREC) fail(db, "put");
    return wrong(worker, "nothing to change", id);
  }
  if (every_commit && !tchdbsync(db)) fail(db, "sync");
  atomic_fetch_add(&ledger[id], 1);
  return true;
}

static bool look_up(struct worker *worker, uint32_t id) {
  worker->accounts_turn = !worker->accounts_turn;
  if (worker->accounts_turn) {
    char email[EMAIL_MAX];
    return read_account(worker, id, email, put_email(&world, id, email));
  }
  /* Nobody writes while there are look-ups. */
  uint64_t score;
  if (!read_player(worker, id, &score)) return false;
  return score == atomic_load(&ledger[id]) || wrong(worker, "score", id);
}

static bool play(struct worker *worker, uint32_t id) {
  uint64_t changes = atomic_load(&ledger[id]), score;
  if (!read_player(worker, id, &score)) return false;
  worker->stale += score < changes;
  char email[EMAIL_MAX];
  int email_bytes = (int)((char *)memchr(worker->value, '|', EMAIL_MAX) - worker->value);
  memcpy(email, worker->value, email_bytes);
  return change_player(worker, id) && read_account(worker, id, email, email_bytes);
}

/* A thread of a window: one request after the other, each for a row as likely as any other. */
static void *work(void *argument) {
  struct worker *worker = argument;
  for (uint64_t before = now_ns(); before < to;) {
    worker->random += 0x9e3779b97f4a7c15u;
    uint32_t id = 1 + (uint32_t)((mix(worker->random) >> 32) * rows >> 32);
    bool right = load == LOOK_UPS  ? look_up(worker, id)
                 : load == UPDATES ? change_player(worker, id)
                                   : play(worker, id);
    uint64_t after = now_ns();
    worker->wrong += !right;
    atomic_store_explicit(&worker->done, worker->done + 1, memory_order_relaxed);
    if (after >= from && after <= to) {
      worker->latencies[bucket_of(after - before)]++;
      worker->requests++;
      uint64_t last = atomic_exchange(&last_done, after);
      if (after > last && after - last > worker->pause) worker->pause = after - last;
    }
    before = after;
  }
  return NULL;
}

/* Puts this thread's part of new rows. */
static void *fill(void *argument) {
  struct worker *worker = argument;
  char key[KEY_MAX], email[EMAIL_MAX];
  for (int account = 0; account <= 1; account++) {
    for (uint32_t id = worker->first + worker->number; id <= worker->last; id += worker->threads) {
      int key_bytes = account ? put_account_key(email, put_email(&world, id, email), key)
                              : put_player_key(id, key);
      int bytes = account ? put_account(&world, id, worker->must)
                          : put_player(&world, id, 0, worker->must);
      if (!tchdbput(db, key, key_bytes, worker->must, bytes)) fail(db, "put");
    }
  }
  return NULL;
}

static void sleep_until(uint64_t moment) {
  struct timespec at = {(time_t)(moment / SECOND), (long)(moment % SECOND)};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL)) {
  }
}

/* A sync each second while a window lasts. */
static void *sync_each_second(void *nothing) {
  const uint64_t step = SECOND / 50;
  for (uint64_t next = now_ns() + SECOND; !atomic_load(&over); sleep_until(now_ns() + step)) {
    if (now_ns() < next) continue;
    if (!tchdbsync(db)) fail(db, "sync");
    next += SECOND;
  }
  return nothing;
}

static void start(struct worker *workers, uint32_t threads, void *(*what)(void *)) {
  for (uint32_t at = 0; at < threads; at++)
    require(!pthread_create(&workers[at].thread, NULL, what, &workers[at]), "a thread");
}

static void await(struct worker *workers, uint32_t threads) {
  for (uint32_t at = 0; at < threads; at++) pthread_join(workers[at].thread, NULL);
}

/* Opens the database with as many buckets as so many rows need. */
static void open_for(const char *file, uint32_t more) {
  int64_t buckets = (int64_t)more * 2 * BUCKETS_PER_RECORD;
  uint64_t bytes = (uint64_t)more * 2 * (world.note_bytes + RECORD_BYTES) + (uint64_t)buckets * 4;
  uint8_t options = bytes > SMALL_FILE_BYTES ? HDBTLARGE : 0;
  if (rows && !tchdboptimize(db, buckets, -1, -1, options)) fail(db, "optimize");
  if (rows && !tchdbclose(db)) fail(db, "close");
  if (!tchdbsetxmsiz(db, bytes <= memory_bytes ? (int64_t)memory_bytes : 0)) fail(db, "mapping");
  if (!rows && !tchdbtune(db, buckets, -1, -1, options)) fail(db, "tune");
  if (!tchdbopen(db, file, HDBOWRITER | (rows ? 0 : HDBOCREAT | HDBOTRUNC))) fail(db, "open");
}

/* Loads rows until there are so many. */
static void grow(struct worker *workers, uint32_t threads, const char *file, uint32_t more) {
  if (more > rows) open_for(file, more);
  for (uint32_t at = 0; at < threads; at++) {
    workers[at].first = rows + 1;
    workers[at].last = more;
  }
  start(workers, threads, fill);
  await(workers, threads);
  if (!tchdbsync(db)) fail(db, "sync");
  if (more > rows) rows = more;
}

static uint64_t done_by(const struct worker *workers, uint32_t threads) {
  uint64_t done = 0;
  for (uint32_t at = 0; at < threads; at++)
    done += atomic_load_explicit(&workers[at].done, memory_order_relaxed);
  return done;
}

static void tell(const char *what) {
  puts(what);
  fflush(stdout);
}

/* One window. */
static void one_window(struct worker *workers, uint32_t threads, double warm, double measured,
                       uint64_t seed) {
  for (uint32_t at = 0; at < threads; at++) {
    struct worker *worker = &workers[at];
    memset(worker->latencies, 0, sizeof worker->latencies);
    worker->requests = worker->wrong = worker->stale = worker->pause = worker->done = 0;
    worker->bad[0] = 0;
    worker->random = mix(seed ^ mix(at));
  }
  uint64_t begin = now_ns(), next = begin + SECOND, before = 0;
  from = begin + (uint64_t)(warm * 1e9);
  to = from + (uint64_t)(measured * 1e9);
  atomic_store(&last_done, from);
  atomic_store(&over, false);
  uint64_t *seconds = calloc((size_t)(warm + measured) + 2, sizeof *seconds);
  size_t full = 0;
  pthread_t syncing;
  require(seconds, "memory");
  if (every_second) require(!pthread_create(&syncing, NULL, sync_each_second, NULL), "a thread");
  start(workers, threads, work);
  for (bool told = false; !told || next <= to;) {
    bool tick = told || next < from;
    sleep_until(tick ? next : from);
    if (tick) {
      uint64_t done = done_by(workers, threads);
      seconds[full++] = done - before;
      before = done;
      next += SECOND;
    } else {
      tell("from");
      told = true;
    }
  }
  sleep_until(to);
  tell("to");
  await(workers, threads);
  atomic_store(&over, true);
  if (every_second) pthread_join(syncing, NULL);

  uint64_t requests = 0, bad = 0, stale = 0, last = atomic_load(&last_done);
  uint64_t pause = to > last ? to - last : 0;
  static uint64_t latencies[BUCKETS];
  memset(latencies, 0, sizeof latencies);
  const char *what = "";
  for (uint32_t at = 0; at < threads; at++) {
    const struct worker *worker = &workers[at];
    requests += worker->requests;
    bad += worker->wrong;
    stale += worker->stale;
    if (worker->pause > pause) pause = worker->pause;
    if (worker->bad[0]) what = worker->bad;
    for (int bucket = 0; bucket < BUCKETS; bucket++) latencies[bucket] += worker->latencies[bucket];
  }
  printf("counts %llu %llu %llu %llu %llu\n", (unsigned long long)requests,
         (unsigned long long)requests * (load == GAME ? 3 : 1), (unsigned long long)bad,
         (unsigned long long)stale, (unsigned long long)pause);
  for (size_t at = 0; at < full; at++) printf("second %llu\n", (unsigned long long)seconds[at]);
  print_latencies("latency ", latencies);
  if (what[0]) printf("bad %s\n", what);
  free(seconds);
  tell("done");
}

/* The values of a player and of its account. */
static void print_rows(struct worker *worker, uint32_t id) {
  char key[KEY_MAX], email[EMAIL_MAX];
  int bytes = get(worker, key, put_player_key(id, key));
  printf("%.*s\n", bytes < 0 ? 0 : bytes, worker->value);
  bytes = get(worker, key, put_account_key(email, put_email(&world, id, email), key));
  printf("%.*s\n", bytes < 0 ? 0 : bytes, worker->value);
  fflush(stdout);
}

/* Reads every changed player back. */
static void verify(struct worker *worker) {
  uint64_t changed = 0, lost = 0, unasked = 0;
  for (uint32_t id = 1; id <= rows; id++) {
    uint64_t changes = atomic_load(&ledger[id]), score = 0;
    if (!changes) continue;
    changed++;
    if (!read_player(worker, id, &score)) score = 0;
    if (score < changes) lost += changes - score;
    if (score > changes) unasked += score - changes;
  }
  printf("verified %llu %llu %llu\n", (unsigned long long)changed, (unsigned long long)lost,
         (unsigned long long)unasked);
  fflush(stdout);
}

static _Atomic uint32_t *open_ledger(const char *file) {
  struct stat about;
  int opened = open(file, O_RDWR);
  require(opened >= 0 && !fstat(opened, &about), file);
  void *mapped = mmap(NULL, (size_t)about.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, opened, 0);
  require(mapped != MAP_FAILED, file);
  return mapped;
}

int main(int count, char **arguments) {
  if (count != 8) return 2;
  ledger = open_ledger(arguments[2]);
  world.seed = strtoull(arguments[3], NULL, 10);
  world.note_bytes = strtoul(arguments[4], NULL, 10);
  uint32_t threads = (uint32_t)strtoul(arguments[5], NULL, 10);
  memory_bytes = strtoull(arguments[6], NULL, 10);
  every_commit = strcmp(arguments[7], "every-commit") == 0;
  every_second = strcmp(arguments[7], "every-second") == 0;
  struct worker *workers = calloc(threads, sizeof *workers);
  require(workers, "memory");
  for (uint32_t at = 0; at < threads; at++) {
    workers[at].number = at;
    workers[at].threads = threads;
    workers[at].value_max = (int)world.note_bytes + BESIDE_NOTE_MAX;
    workers[at].value = malloc(workers[at].value_max);
    workers[at].must = malloc(workers[at].value_max);
    require(workers[at].value && workers[at].must, "memory");
  }
  db = tchdbnew();
  if (!tchdbsetmutex(db) || !tchdbsetdfunit(db, TIDYING_STEPS)) fail(db, "settings");
  tell(tcversion);

  char line[256], what[16];
  while (fgets(line, sizeof line, stdin)) {
    unsigned int number;
    double warm, measured;
    unsigned long long seed;
    if (sscanf(line, "grow %u", &number) == 1) {
      grow(workers, threads, arguments[1], number);
      tell("done");
    } else if (sscanf(line, "play %15s %lf %lf %llu", what, &warm, &measured, &seed) == 4) {
      load = !strcmp(what, "look-ups") ? LOOK_UPS : !strcmp(what, "updates") ? UPDATES : GAME;
      one_window(workers, threads, warm, measured, seed);
    } else if (sscanf(line, "read %u", &number) == 1) {
      print_rows(workers, number);
    } else if (!strcmp(line, "verify\n")) {
      verify(workers);
    } else {
      fprintf(stderr, "no such command: %s", line);
      return 2;
    }
  }
  return tchdbclose(db) ? 0 : 1;
}
