#!/usr/bin/env python3
"""Sends the same seeded requests to Rowhouse's memcached door and to memcached 1.6, and compares
the replies byte for byte. Cas values are not compared.

    oracle.py HOST:PORT [--seed N] [--rounds N] [--memcached PROGRAM]

The door should be empty: keys are `o<seed>_<n>`. The original is started and stopped here.
Exit status 1 when a reply differs that is not in DIFFERENCES.
"""

import argparse
import random
import re
import shutil
import socket
import subprocess
import sys
import time

# Requests whose replies differ on purpose, and why. See docs/memcached-differences.md.
DIFFERENCES = [
    (rb"^(slabs|lru|lru_crawler|watch|extstore)\b", "rows are not kept in slabs"),
    (rb"^shutdown\b", "worded as later versions of the original word it"),
    (rb"^stats\b", "figures are our own"),
    (rb"^version\b", "so is the version"),
    (rb"^me ", "sizes are those of rows"),
    (rb"^gat \S+$", "a get and touch of no key is an error, as a get of no key is"),
    (rb"^mg$", "worded as later versions of the original word it"),
    (rb"^m[gsda] .* b\b", "a binary key is echoed as it was sent, as later versions do"),
    (rb"^ms .* s\b", "ms returns the size, as later versions do"),
    (rb"^ms k{251} ", "the data of a refused ms is swallowed, not read as a command"),
]

# Not among them, as 1.6.18 differs from later versions: `N` of ms (it made nothing there).
FLAGS = {
    "mg": ["v", "s", "f", "t", "k", "q", "Oab", "h", "u", "N30", "R20", "T50", "x", "!", "v"],
    "ms": ["F5", "T40", "k", "q", "Oxy", "I", "ME", "MA", "MP", "MR", "MS", "C1", "MZ"],
    "md": ["q", "k", "Oz", "I", "T10", "C1", "v"],
    "ma": ["N0", "J7", "D3", "MD", "MI", "M+", "v", "t", "q", "k", "Dx", "MZ", "Jx"],
}


class Server:
    """One connection and what it answered."""

    def __init__(self, address):
        self.socket = socket.create_connection(address, timeout=5)
        self.rest = b""

    def ask(self, request):
        # The end of the answer is known by the answer to `mn`, which follows every request.
        self.socket.sendall(request + b"mn\r\n")
        while not self.rest.endswith(b"MN\r\n"):
            piece = self.socket.recv(65536)
            if not piece:
                return self.rest + b"<closed>"
            self.rest += piece
        answer, self.rest = self.rest[:-4], b""
        return answer


def plain(request, answer):
    """The answer without cas values: they are numbers of each server's own making."""
    if request.startswith((b"gets ", b"gats ")):
        return re.sub(rb"(VALUE \S+ \d+ \d+ )\d+", rb"\1cas", answer)
    return re.sub(rb"( c)\d+", rb"\1cas", answer)


def request(dice, seed):
    key = "o%d_%d" % (seed, dice.randrange(6))
    if dice.random() < 0.02:
        key = "k" * 251
    number = dice.choice(["0", "1", "7", "18446744073709551615", "x", "-1"])
    exptime = dice.choice(["0", "0", "100", "-1", "x"])
    value = dice.choice(["", "5", "10", "abc", "99 ", "x" * 30])
    quiet = " noreply" if dice.random() < 0.1 else ""
    flags = dice.choice(["0", "7", "4294967297", "-1", "y"])
    kind = dice.randrange(10)
    if kind < 2:
        verb = dice.choice(["set", "add", "replace", "append", "prepend"])
        line = "%s %s %s %s %d%s\r\n%s\r\n"
        return (line % (verb, key, flags, exptime, len(value), quiet, value)).encode()
    if kind < 4:
        other = "o%d_%d" % (seed, dice.randrange(6))
        return ("%s %s %s\r\n" % (dice.choice(["get", "get", "gets"]), key, other)).encode()
    if kind == 4:
        verb = dice.choice(["incr", "decr"])
        return ("%s %s %s%s\r\n" % (verb, key, number, quiet)).encode()
    if kind == 5:
        lines = ["delete %s" % key, "touch %s %s" % (key, exptime), "gat %s %s" % (exptime, key)]
        tail = dice.choice(lines)
        return (tail + ("" if tail.startswith("gat") else quiet) + "\r\n").encode()
    if kind == 6:
        lines = ["flush_all", "verbosity 1", "nonsense", "get", "incr " + key, "set " + key]
        return (dice.choice(lines) + "\r\n").encode()
    verb = dice.choice(list(FLAGS))
    count = dice.randrange(5)
    chosen = " ".join(dice.choice(FLAGS[verb]) for _ in range(count))
    if verb == "ms":
        return ("ms %s %d %s\r\n%s\r\n" % (key, len(value), chosen, value)).encode()
    return ("%s %s %s\r\n" % (verb, key, chosen)).encode()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("ours")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=20_000)
    parser.add_argument("--memcached", default=shutil.which("memcached"))
    options = parser.parse_args()
    if not options.memcached:
        sys.exit("memcached is not installed")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [options.memcached, "-l", "127.0.0.1", "-p", str(port), "-U", "0", "-u", "nobody"]
    peer = subprocess.Popen(command)
    try:
        for _ in range(50):
            try:
                theirs = Server(("127.0.0.1", port))
                break
            except OSError:
                time.sleep(0.1)
        else:
            sys.exit("memcached did not start")
        host, _, our_port = options.ours.rpartition(":")
        sys.exit(compare(Server((host, int(our_port))), theirs, options))
    finally:
        peer.terminate()
        peer.wait()


def compare(ours, theirs, options):
    dice = random.Random(options.seed)
    differing = intended = 0
    for _ in range(options.rounds):
        bytes_sent = request(dice, options.seed)
        answers = ours.ask(bytes_sent), theirs.ask(bytes_sent)
        if plain(bytes_sent, answers[0]) == plain(bytes_sent, answers[1]):
            continue
        line = bytes_sent.split(b"\r\n")[0]
        if any(re.search(pattern, line) for pattern, _ in DIFFERENCES):
            intended += 1
            continue
        differing += 1
        if differing <= 20:
            print("to    ", bytes_sent, "\nours  ", answers[0], "\ntheirs", answers[1], "\n")
    print(f"{options.rounds} requests, {intended} differ on purpose, {differing} differ")
    return 1 if differing else 0


if __name__ == "__main__":
    main()
