#!/usr/bin/env python3
"""Records how MariaDB prints FLOAT and DOUBLE, for values_text.rs.
Usage: record_floats.py SOCKET > floats.tsv, as record_text.py.

One line per number: `f` or `d`, its bits in hex, its text. The numbers come from a seeded
generator: random bits, short decimals, powers of two and ten with their neighbours, ties.
"""
import random
import struct
import sys

import pymysql
from pymysql.converters import encoders


def bits64(value):
    return struct.unpack("<Q", struct.pack("<d", value))[0]


def doubles(rng):
    yield from (bits64(float(s)) for s in "0 1 -1 0.1 0.3 1e15 1e14 123456789012345 1e16 1e-14 1e-15 1e-16 5e-324 "
                "2.2250738585072014e-308 1.7976931348623157e308 9007199254740993 999999999999999.9".split())
    for exponent in range(-330, 309, 2):
        base = bits64(float(f"1e{exponent}"))
        yield from (base, base + 1, max(base - 1, 1))
    for exponent in range(-1022, 1024, 9):
        base = bits64(2.0 ** exponent)
        yield from (base, base + 1, base - 1)
    for _ in range(600):
        yield rng.getrandbits(64)
    for _ in range(600):
        digits = rng.randrange(1, 18)
        yield bits64(rng.choice((1, -1)) * rng.randrange(10 ** digits) * float(f"1e{rng.randrange(-25, 25)}"))


def floats(rng):
    for exponent in range(-45, 39):
        base = struct.unpack("<I", struct.pack("<f", float(f"1e{exponent}")))[0]
        yield from (base, base + 1, max(base - 1, 1))
    for exponent in range(-126, 128):
        base = struct.unpack("<I", struct.pack("<f", 2.0 ** exponent))[0]
        yield from (base, base + 1, base - 1)
    for _ in range(600):
        yield rng.getrandbits(32)
    for _ in range(600):
        # Seven digits ending in 5 are ties when six are kept.
        tie = (rng.randrange(100000, 1000000) * 10 + 5) / 10 ** rng.randrange(0, 4)
        yield struct.unpack("<I", struct.pack("<f", tie))[0]
    for _ in range(400):
        yield struct.unpack("<I", struct.pack("<f", rng.randrange(10 ** rng.randrange(1, 9)) * 10.0 ** rng.randrange(-20, 20)))[0]


def main():
    db = pymysql.connect(unix_socket=sys.argv[1], user="root", charset="utf8mb4", conv=encoders, use_unicode=False)
    at = db.cursor()
    at.execute("CREATE DATABASE IF NOT EXISTS probe")
    at.execute("USE probe")
    rng = random.Random(1)
    for kind, ty, pattern, numbers in (("d", "DOUBLE", "<Qd", doubles(rng)), ("f", "FLOAT", "<If", floats(rng))):
        at.execute(f"CREATE OR REPLACE TABLE t (id INT PRIMARY KEY, a {ty}) ENGINE=MyISAM")
        kept = []
        for bits in numbers:
            value = struct.unpack("<" + pattern[2], struct.pack("<" + pattern[1], bits))[0]
            if value == value and abs(value) != float("inf") and bits not in kept[-3:]:
                kept.append(bits)
                at.execute(f"INSERT INTO t VALUES ({len(kept)}, {value!r}e0)" if "e" not in repr(value) else f"INSERT INTO t VALUES ({len(kept)}, {value!r})")
        at.execute("SELECT a FROM t ORDER BY id")
        for bits, (text,) in zip(kept, at.fetchall(), strict=True):
            print(kind, f"{bits:x}", text.decode(), sep="\t")


main()
