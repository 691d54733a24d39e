#!/usr/bin/env python3
"""Records what MariaDB's plugin stores for each text of `cases_values`, into stored-values.tsv.

One line per value: column type, text sent, text read back. Bytes outside 0x20-0x7e and the
backslash are written \\xNN. The file lets unit tests of our conversions run without MariaDB.

    record_values.py > stored-values.tsv
"""

import sys

import cases_values
import pymysql
import servers
import wire


def plain(value):
    return "".join(chr(b) if 0x20 <= b < 0x7F and b != 0x5C else f"\\x{b:02x}" for b in value)


def unescape(token):
    out, at = bytearray(), 0
    while at < len(token):
        if token[at] == 1:
            out.append(token[at + 1] - 0x40)
            at += 2
        else:
            out.append(token[at])
            at += 1
    return bytes(out)


def record(endpoint, out):
    sql = pymysql.connect(
        host=endpoint.host, port=endpoint.mysql_port, user="root", charset="utf8mb4",
        autocommit=True
    )
    cursor = sql.cursor()
    cursor.execute("SHOW VARIABLES LIKE 'handlersocket_plain_secret_wr'")
    secret = cursor.fetchone()[1]
    cursor.execute("SELECT VERSION()")
    out.write(f"# column type, text sent, text read back; MariaDB {cursor.fetchone()[0]}\n")
    cursor.execute("CREATE DATABASE values_of")
    door = wire.Connection(endpoint.host, endpoint.write_port)
    door.ask(wire.line("A", 1, secret))
    for number, (_, declared, texts) in enumerate(cases_values.TYPES + cases_values.BLOBS):
        table = f"t{number}"
        cursor.execute(
            f"CREATE TABLE values_of.{table} (id INT PRIMARY KEY, v {declared} NULL)"
            " DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci"
        )
        door.ask(wire.line("P", number, "values_of", table, "", "id,v"))
        for row, text in enumerate(texts):
            door.ask(wire.line(number, "+", 2, row, text))
            reply = door.ask(wire.line(number, "=", 1, row))[0]
            stored = unescape(reply.rstrip(b"\n").split(b"\t")[3])
            raw = text if isinstance(text, bytes) else text.encode()
            out.write(f"{declared}\t{plain(raw)}\t{plain(stored)}\n")


if __name__ == "__main__":
    mariadb = servers.MariaDb()
    try:
        record(mariadb.endpoint, sys.stdout)
    finally:
        mariadb.stop()
