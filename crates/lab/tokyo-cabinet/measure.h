/* What the lab's programs on Tokyo Cabinet share: the clock, latencies in buckets, the end by a failure.
 *
 * Not here: what is written and read (`load.c`, `rows.h`), and by whom (`game.c`).
 */
#ifndef MEASURE_H
#define MEASURE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <tchdb.h>
#include <time.h>

/* Buckets of equal width, STEPS to each doubling. */
enum { STEPS = 16, BUCKETS = 64 * STEPS };

static uint64_t now_ns(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return (uint64_t)at.tv_sec * 1000000000u + (uint64_t)at.tv_nsec;
}

static void fail(TCHDB *db, const char *doing) {
  fprintf(stderr, "%s: %s\n", doing, tchdberrmsg(tchdbecode(db)));
  exit(1);
}

static int bucket_of(uint64_t ns) {
  int exponent = 63 - __builtin_clzll(ns | STEPS);
  return exponent * STEPS + (int)(ns >> (exponent - 4)) % STEPS;
}

static uint64_t bucket_ns(int bucket) {
  int exponent = bucket / STEPS;
  return ((uint64_t)STEPS + bucket % STEPS) << (exponent - 4);
}

/* A line `latency_ns count` for each bucket that has any. */
static void print_latencies(const char *before, const uint64_t *counts) {
  for (int bucket = 4 * STEPS; bucket < BUCKETS; bucket++)
    if (counts[bucket])
      printf("%s%llu %llu\n", before, (unsigned long long)bucket_ns(bucket),
             (unsigned long long)counts[bucket]);
}

#endif
