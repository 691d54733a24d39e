#!/usr/bin/env python3
"""Records how MariaDB compares and matches text, for values_text.rs.
Usage: record_compare.py SOCKET > compare.tsv, as record_text.py.

One line per pair from a seeded generator: collation, two texts in hex, STRCMP of both, and
whether the first is LIKE the second.
"""
import random
import sys

import pymysql
from pymysql.converters import encoders

LETTERS = [" ", " ", "\t", "\1", "!", "a", "A", "b", "B", "ä", "ß", "s", "ж", "Ж", "\uffff", "😀", "😁", "~", "\x7f"]


def main():
    db = pymysql.connect(unix_socket=sys.argv[1], user="root", charset="utf8mb4", conv=encoders, use_unicode=False)
    at = db.cursor()
    at.execute("SET NAMES utf8mb4")
    rng = random.Random(1)
    for collation in ("utf8mb4_general_ci", "utf8mb4_bin"):
        for _ in range(700):
            letters = rng.sample(LETTERS, 4)
            a = "".join(rng.choices(letters, k=rng.randrange(6)))
            b = a[:rng.randrange(len(a) + 1)] + "".join(rng.choices(letters, k=rng.randrange(3)))
            if rng.random() < 0.5:
                b = "".join(rng.choice("%_\\") + c if rng.random() < 0.3 else c for c in b) + rng.choice(("", "%", "_", "\\"))
            left, right = (f"_utf8mb4 X'{text.encode().hex()}' COLLATE {collation}" for text in (a, b))
            at.execute(f"SELECT STRCMP({left}, {right}), {left} LIKE {right}")
            order, like = at.fetchone()
            print(collation, a.encode().hex(), b.encode().hex(), order.decode(), like.decode(), sep="\t")


main()
