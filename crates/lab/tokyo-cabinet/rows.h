/* The game's rows as a hash database holds them: the same as the lab's `experiments::game::world` makes,
 * byte for byte. The lab reads some of them back to see that they are.
 *
 *   player:ID     = EMAIL|SCORE|NOTE
 *   account:EMAIL = ID|NOTE
 */
#ifndef ROWS_H
#define ROWS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* An address, and what else stands in a value beside the note. */
enum { NAME_BYTES = 13, EMAIL_MAX = 32, KEY_MAX = 64, BESIDE_NOTE_MAX = 64 };

static const uint64_t NOTES = 0x6e6f7465; /* tells the letters of a note from those of an address */

struct world {
  uint64_t seed;
  size_t note_bytes;
};

/* SplitMix64's finisher: all bits of the result depend on all bits of the input. */
static uint64_t mix(uint64_t input) {
  uint64_t mixed = input + 0x9e3779b97f4a7c15u;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
  return mixed ^ (mixed >> 31);
}

/* All that follow give the number of bytes that they wrote. */

static int put_email(const struct world *world, uint32_t id, char *out) {
  uint64_t mixed = mix(world->seed ^ id);
  out[0] = 'u';
  for (int at = 0; at < NAME_BYTES - 1; at++) out[1 + at] = 'a' + (mixed >> (4 * at) & 15);
  return NAME_BYTES + sprintf(out + NAME_BYTES, "@example.com");
}

static int put_note(const struct world *world, uint32_t id, char *out) {
  for (uint64_t word = 0; 16 * word < world->note_bytes; word++) {
    uint64_t mixed = mix(world->seed ^ NOTES ^ id ^ (word << 32));
    size_t left = world->note_bytes - 16 * word;
    char letters[16];
    for (int at = 0; at < 16; at++) letters[at] = 'a' + (mixed >> (4 * at) & 15);
    memcpy(out + 16 * word, letters, left < 16 ? left : 16);
  }
  return (int)world->note_bytes;
}

static int put_player_key(uint32_t id, char *out) { return sprintf(out, "player:%u", id); }

static int put_account_key(const char *email, int email_bytes, char *out) {
  memcpy(out, "account:", 8);
  memcpy(out + 8, email, email_bytes);
  return 8 + email_bytes;
}

static int put_player(const struct world *world, uint32_t id, uint64_t score, char *out) {
  int bytes = put_email(world, id, out);
  bytes += sprintf(out + bytes, "|%llu|", (unsigned long long)score);
  return bytes + put_note(world, id, out + bytes);
}

static int put_account(const struct world *world, uint32_t id, char *out) {
  int bytes = sprintf(out, "%u|", id);
  return bytes + put_note(world, id, out + bytes);
}

/* Where the score of a player's value stands; false where there is none. */
static bool find_score(const char *value, int bytes, int *from, int *to, uint64_t *score) {
  const char *bar = memchr(value, '|', bytes);
  if (!bar) return false;
  int at = *from = (int)(bar - value) + 1;
  for (*score = 0; at < bytes && value[at] >= '0' && value[at] <= '9'; at++)
    *score = 10 * *score + (uint64_t)(value[at] - '0');
  *to = at;
  return at > *from && at < bytes && value[at] == '|';
}

#endif
