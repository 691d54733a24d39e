#!/usr/bin/env python3
"""Sends the same seeded requests to Rowhouse's memcached door and to memcached 1.6, in the text
and in the binary protocol, and compares the replies byte for byte. Cas values are not compared:
they are numbers of each server's own making.

    oracle.py --rowhouse PROGRAM [--seed N]... [--rounds N] [--seconds N]

Both servers are started and stopped here. What differs on purpose is in DIFFERENCES. After a
difference, on purpose or not, both forget the key, so that the same one is not counted again.
The last line is `N passed, N failed`; a failed one is printed with both replies.
"""

import argparse
import pathlib
import random
import re
import socket
import struct
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "handlersocket"))

import servers  # noqa: E402 (found by the line above)

PRINTED_MAX = 20

# Requests whose replies differ on purpose, and why. See docs/memcached-differences.md.
DIFFERENCES = [
    (rb"^(slabs|lru|lru_crawler|watch|extstore)\b", "rows are not kept in slabs"),
    (rb"^shutdown\b", "worded as later versions of the original word it"),
    (rb"^stats\b", "figures are our own"),
    (rb"^version\b", "so is the version"),
    (rb"^me ", "sizes are those of rows"),
    (rb"^gat \S+$", "too few words are worded as later versions word them"),
    (rb"^mg$", "the same"),
    (rb"^(get|incr \S+|set \S+)$", "the same"),
    (rb"^.?$", "a line that is no request is worded as later versions word it"),
    (rb"^m[gsda] .* b\b", "a binary key is echoed as it was sent, as later versions do"),
    (rb"^ms .* s\b", "ms returns the size, as later versions do"),
    (rb"^ms k{251} ", "the data of a refused ms is swallowed, not read as a command"),
    (rb"^[a-z]+ (k{251} |\S+ (-1|y) |\S+ \S+ x )", "so is that of other refused values, as later versions do"),
    (rb"^set \S+( 0 0 \d{10})?$", "where no length can be read the connection ends"),
]

# Not among them, as 1.6.18 differs from later versions: `N` of ms (it made nothing there).
FLAGS = {
    "mg": ["v", "s", "f", "t", "k", "q", "Oab", "h", "u", "N30", "R20", "R70", "T50", "x", "!"],
    "ms": ["F5", "T40", "k", "q", "Oxy", "I", "ME", "MA", "MP", "MR", "MS", "C1", "MZ"],
    "md": ["q", "k", "Oz", "I", "T60", "C1", "v"],
    "ma": ["N0", "J7", "D3", "MD", "MI", "M+", "v", "t", "q", "k", "Dx", "MZ", "Jx"],
}


class Text:
    """One connection in the text protocol."""

    def __init__(self, port):
        self.port = port
        self.connect()

    def connect(self):
        self.socket = socket.create_connection(("127.0.0.1", self.port), timeout=30)
        self.rest = b""

    def ask(self, request):
        # The end of the answer is known by the answer to `mn`, which follows every request.
        self.socket.sendall(request + b"mn\r\n")
        while not self.rest.endswith(b"MN\r\n"):
            piece = self.socket.recv(65536)
            if not piece:
                answer = self.rest + b"<closed>"
                self.socket.close()
                self.connect()
                return answer
            self.rest += piece
        answer, self.rest = self.rest[:-4], b""
        return answer

    def forget(self, key):
        self.ask(b"delete %s\r\n" % key)

    def same_digits(self, key):
        """Stores a number anew, without the spaces behind it."""
        item = self.ask(b"get %s\r\n" % key)
        value = re.fullmatch(rb"VALUE \S+ (\d+) \d+\r\n(\d+) *\r\nEND\r\n", item)
        if value:
            flags, digits = value.groups()
            self.ask(b"set %s %s 0 %d\r\n%s\r\n" % (key, flags, len(digits), digits))


class Binary:
    """One connection in the binary protocol."""

    END = struct.pack(">BBHBBHIIQ", 0x80, 0x0A, 0, 0, 0, 0, 0, 0xE0D, 0)

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=30)
        self.rest = b""

    def receive(self, count):
        while len(self.rest) < count:
            piece = self.socket.recv(65536)
            if not piece:
                return None
            self.rest += piece
        taken, self.rest = self.rest[:count], self.rest[count:]
        return taken

    def ask(self, request):
        """All packets up to the answer to the no-op that follows every request, cas masked."""
        self.socket.sendall(request + self.END)
        packets = b""
        while True:
            head = self.receive(24)
            if head is None:
                return packets + b"<closed>"
            length, opaque = struct.unpack(">II", head[8:16])
            body = self.receive(length)
            if opaque == 0xE0D:
                return packets
            cas = b"cas" if head[16:] != bytes(8) else b"---"
            packets += head[:16] + cas + body

    def forget(self, key):
        self.ask(packet(0x04, key))


def packet(opcode, key=b"", extras=b"", value=b"", cas=0, opaque=7):
    length = len(key) + len(extras) + len(value)
    head = struct.pack(
        ">BBHBBHIIQ", 0x80, opcode, len(key), len(extras), 0, 0, length, opaque, cas
    )
    return head + extras + key + value


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
    value = dice.choice(["", "5", "10", "abc", "99 ", " 7 x", "x" * 30])
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
        lines = ["flush_all", "verbosity 1", "nonsense", "get", "incr " + key, "set " + key, ""]
        lines += ["set %s 0 0 %d" % (key, 2**31 - extra) for extra in (0, 1, 2)]
        return (dice.choice(lines) + "\r\n").encode()
    verb = dice.choice(list(FLAGS))
    count = dice.randrange(5)
    chosen = " ".join(dice.choice(FLAGS[verb]) for _ in range(count))
    if verb == "ms":
        return ("ms %s %d %s\r\n%s\r\n" % (key, len(value), chosen, value)).encode()
    return ("%s %s %s\r\n" % (verb, key, chosen)).encode()


def request_in_binary(dice, seed):
    """A packet, and its key."""
    key = b"b%d_%d" % (seed, dice.randrange(6))
    if dice.random() < 0.02:
        key = b"k" * 250
    # No numbers from 2^63 on: for those the original looks for a minus sign behind the value, too.
    value = dice.choice([b"", b"5", b"10", b"abc", b"9223372036854775000", b"\0\r\n" * 9])
    exptime = dice.choice([0, 0, 100, 30 * 86400 + 1])
    cas = 1 if dice.random() < 0.05 else 0
    quiet = dice.random() < 0.3
    kind = dice.randrange(9)
    if kind < 3:
        opcode = dice.choice([0x01, 0x01, 0x02, 0x03])
        extras = struct.pack(">II", dice.choice([0, 7, 2**32 - 1]), exptime)
        return packet(opcode + 0x10 * quiet, key, extras, value, cas), key
    if kind == 3:
        opcode = dice.choice([0x0E, 0x0F])
        return packet(opcode + 11 * quiet, key, b"", value, cas), key
    if kind < 6:
        # Get, GetQ, GetK, GetKQ
        return packet(dice.choice([0x00, 0x09, 0x0C, 0x0D]), key), key
    if kind == 6:
        number = dice.choice([0, 1, 7, 99])
        create = dice.choice([0, 100, 2**32 - 1])
        extras = struct.pack(">QQI", number, dice.choice([0, 5]), create)
        return packet(dice.choice([0x05, 0x06]) + 0x10 * quiet, key, extras, b"", cas), key
    if kind == 7:
        return packet(dice.choice([0x1C, 0x1D, 0x1E]), key, struct.pack(">I", exptime)), key
    rare = [packet(0x04 + 0x10 * quiet, key, cas=cas)] * 4 + [
        packet(0x08),
        packet(0x18, b"", struct.pack(">I", 0)),
        packet(0x0A),
        # Without a body: the original loses step at an unknown request that has one.
        packet(0x7E),
    ]
    return dice.choice(rare), key


def only_clocks_differ(ours, theirs):
    """Whether two answers differ in nothing but seconds that are left, by one."""
    left = [[int(number) for number in re.findall(rb" t(\d+)", one)] for one in (ours, theirs)]
    others = [re.sub(rb" t\d+", b" t", one) for one in (ours, theirs)]
    return others[0] == others[1] and all(abs(a - b) <= 1 for a, b in zip(*left))


class Comparison:
    """Counts what was the same, and prints what was not."""

    def __init__(self):
        self.same = self.intended = self.differing = 0

    def add(self, sent, ours, theirs, intended):
        """Whether the answers are the same."""
        is_same = ours == theirs or only_clocks_differ(ours, theirs)
        if is_same:
            self.same += 1
        elif intended:
            self.intended += 1
        else:
            self.differing += 1
            if self.differing <= PRINTED_MAX:
                print("to    ", sent, "\nours  ", ours, "\ntheirs", theirs, "\n")
        return is_same


def compare_text(ours, theirs, dice, seed, counts):
    sent = request(dice, seed)
    answers = [plain(sent, server.ask(sent)) for server in (ours, theirs)]
    line = sent.split(b"\r\n")[0]
    intended = any(re.search(pattern, line) for pattern, _ in DIFFERENCES)
    is_same = counts.add(sent, *answers, intended)
    for key in re.findall(rb"\bo%d_\d" % seed, sent):
        for server in (ours, theirs):
            if not is_same:
                server.forget(key)
            elif sent.startswith((b"ma ", b"incr ", b"decr ")):
                # Whether a shorter number keeps its length depends on who else holds the item.
                server.same_digits(key)


def compare_binary(ours, theirs, dice, seed, counts):
    sent, key = request_in_binary(dice, seed)
    if not counts.add(sent, ours.ask(sent), theirs.ask(sent), False):
        for server in (ours, theirs):
            server.forget(key)
    elif sent[1] & 0x0F in (0x05, 0x06):
        for server in (ours, theirs):
            server.forget(key)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rowhouse", required=True)
    parser.add_argument("--seed", type=int, action="append", help="several are run in turn")
    parser.add_argument("--rounds", type=int, default=15_000, help="requests of each protocol")
    parser.add_argument("--seconds", type=float, default=60)
    options = parser.parse_args()
    deadline = time.monotonic() + options.seconds
    counts = Comparison()
    original, rowhouse = servers.Memcached(), None
    try:
        rowhouse = servers.Rowhouse(options.rowhouse)
        ports = [server.endpoint.memcached_port for server in (rowhouse, original)]
        for seed in options.seed or [1, 2]:
            for make, compare in [(Text, compare_text), (Binary, compare_binary)]:
                ours, theirs = make(ports[0]), make(ports[1])
                dice = random.Random(seed)
                for _ in range(options.rounds):
                    if time.monotonic() > deadline:
                        break
                    compare(ours, theirs, dice, seed, counts)
    finally:
        original.stop()
        if rowhouse:
            rowhouse.stop()
    print(f"{counts.intended} differ on purpose")
    # Too few compared is no success: something kept the servers from answering.
    if counts.same < 1000:
        counts.differing += 1
        print(f"only {counts.same} answers could be compared")
    print(f"{counts.same} passed, {counts.differing} failed")
    return 1 if counts.differing else 0


if __name__ == "__main__":
    sys.exit(main())
