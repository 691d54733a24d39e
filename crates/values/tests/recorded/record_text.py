#!/usr/bin/env python3
"""Records what MySQL 9.7 makes of text that is stored in a column, for values_convert.rs.

Usage: record_text.py SOCKET > text.tsv
SOCKET belongs to a MySQL server that may be scribbled on (it makes a database `probe`). Warnings of what
MySQL is going to take away are passed over.

One line per (type, text), fields by tabs: the type, the text in hex, the stored value in hex
(`NULL` for NULL), the number of the first warning or note without strict mode (0: none, notes
prefixed by `n`), the error number in strict mode (0: accepted).
"""
import sys

import pymysql
from pymysql.converters import encoders as ENCODERS

NUMBERS = """0|1|-1|+5|12abc| 12|12 |\\t7|abc||-|+|.|e|1e3|1e|1e+|1.5|-1.5|2.5|0.5|-0.5|0.4999|1.49999999999999999999|
99999999999999999999|-99999999999999999999|127|128|-128|-129|255|256|32767|32768|-32768|-32769|65535|65536|
8388607|8388608|-8388608|-8388609|16777215|16777216|2147483647|2147483648|-2147483648|-2147483649|
4294967295|4294967296|9223372036854775807|9223372036854775808|-9223372036854775808|-9223372036854775809|
18446744073709551615|18446744073709551616|1e18|1e19|1e20|-1e18|-1e19|1e-1|5e-1|4e-1|15e-1|1.5e0|.5|5.|-.5|1..2|1.2.3|
0x10|1e400|-1e400|1e-400|00012|000000000000000000000000000012|1,2|1_000|1 2|1e3x|1.5x|1.x|--1|+-1|٣|nan|inf|infinity|
123.456|123.454|123.455|123.445|-123.455|0.005|0.0049|99999999.99|99999999.995|99999999.994|-99999999.995|1e7|1e8|
12345678901234567890.123|0.00000000001|3.4e38|3.5e38|1e39|-1e39|1.7976931348623157e308|1.8e308|1e-45|1e-46|
0.1|0.2|16777217|1234567.8|-0|-0.0|0e0|1e0000001|1e-0000001| 1.5 |1.5  |1.5\\n|\\n1.5|1\\x00|9999999999e-10|1e10e|
9223372036854775807.4|9223372036854775807.5|9223372036854775806.5|18446744073709551615.4|18446744073709551615.5|
184467440737095516150e-1|1844674407370955161500e-2|922337203685477580.75e1|1e3.5|1E2|123456789e-8|""".replace("\n", "")

DATES = """2024-01-02|2024-1-2|24-01-02|20240102|240102|2024/01/02|2024.01.02|2024-01-02 03:04:05|2024-01-02T03:04:05|
2024-01-02 03:04|2024-01-02 03|2024-01-02 3:4:5|20240102030405|240102030405|20240102T030405|2024-01-02 03:04:05.123456|
2024-01-02 03:04:05.1234567|2024-01-02 03:04:05.5|2024-01-02 03:04:05.4|2024-01-02 03:04:05.|20240102030405.25|
2024-02-29|2023-02-29|2024-02-30|2024-04-31|2024-13-01|2024-00-10|2024-01-00|0000-00-00|0000-00-00 00:00:00|0|00-00-00|
2024-01-02abc|2024-01-02 abc|2024-01-02 03:04:05abc|2024-01-02 03:04:05 abc|2024-01-02 25:00:00|2024-01-02 23:60:00|
2024-01-02 23:59:60|2024-01-02 23:59:59.999999|2024-01-02 23:59:59.9999999|abc||-|2024|202401|2024-01| 2024-01-02|2024-01-02 |
  2024-01-02  03:04:05  |2024-01-02\\t03:04:05|10000-01-01|9999-12-31|9999-12-31 23:59:59.999999|0001-01-01|0000-01-01|
69-01-01|70-01-01|99-12-31|00-01-01|1-1-1|01-01-01|1.2.3|1:2:3|2024-01-02-03-04-05|2024-01-02:03:04:05|2024--01-02|
2024-01-02  03:04:05|2024-01-02T03:04:05Z|2024-01-02t03:04:05|2024-01-02 03:04:05.123abc|-2024-01-02|+2024-01-02|
1970-01-01 00:00:00|1970-01-01 00:00:01|1970-01-01 00:00:00.5|1969-12-31 23:59:59|2038-01-19 03:14:07|
2038-01-19 03:14:08|2038-01-19 03:14:07.999999|2106-02-07 06:28:15|2024-01-02 03:04:05.0000005|2024-01-02 03:04:05,5|
2024$01$02|2024a01a02|20240230|20241301|999|1234|12345|123456|1234567|12345678|123456789|1234567890|12345678901|
123456789012|1234567890123|12345678901234|123456789012345|2024-01-32|2024-1-02 3:4|2024-12-31 24:00:00|20240102T0304|
2024-01-02 03:04:05.999999|20240102 030405|2024-01-02 03:|2024-01-02 03:04:|1e3|101|20240102.5|240102.5|2024-01-02.5|
00000000|000000|00000000000000|0000-00-00 01:00:00|0000-00-01|2024-01-02 -3:00:00|2024-01-02 03:04:05+02:00|
2024-01-02 03:04:05-05:30|2024-01-02 03:04:05.25+00:00|2024-01-02+02:00|02024-01-02|2024-001-002|2024-01-02 003:04:05|
10:11:12|10:11:12.5|2024-01-02 03-04-05|2024.01.02.03.04.05|11:11:11.12.12.12|2024\\x0001""".replace("\n", "")

TIMES = """10:11:12|1:2:3|10:11|10|1011|101112|11012|1 10:11:12|1 10:11|1 10|-10:11:12|-1 10:00:00|838:59:59|838:59:59.5|839:00:00|
-838:59:59|-839:00:00|10:60:00|10:00:60|10:11:12.5|10:11:12.4|10:11:12.123456|10:11:12.1234567|10:11:12.9999999|10:11:12.|
abc||-|0|00:00:00|12abc|10:11abc|10:11:12abc|10:11:12 abc| 10:11:12|10:11:12 |34 22:59:59|35 00:00:00|34 23:00:00|
99999999|8385959|8390000|-8385959|1e3|1e0|10.5|101112.25|.5|10:|10::12|10:11:|:10:11|2024-01-02 03:04:05|
2024-01-02 03:04:05.678|20240102030405|2024-01-02|20240102|1112:00:00|999999:00:00|1  10:00:00|+10:11:12|--10:00:00|
- 10:00:00|24:00:00|5959|6000|60|59|100|-5|-0:0:1|-00:00:00|10:11:12AM|10:11:12 PM|9999999999|99999999999|
-00:00:00.5|838:59:59.999999|0 0:0:0|00 00|2024-13-01 10:00:00|2024-02-30 10:00:00|12:30:45.6789|10-11-12|10.11.12|
1 1:1|-1 1|1 1 1|10:11:12:13|000010:00:00|240102030405|4294967296:00:00|10:11:12.5e3|235959.9|1000000""".replace("\n", "")

YEARS = """0|00|000|0000|1|01|69|70|99|100|1900|1901|2024|2155|2156|-1|12abc|abc||2024.5|2024.4| 2024|2024 |24.5|1e3|2e3|20240|3000|
69.5|-5|+5|99.9|00.4""".replace("\n", "")

TEXTS = """|a|abc|abcd|abcde|abc  |abcd  |abc d|   |    |ä|äöü|äöüß|äöüßé|😀|😀😀😀😀😀|\\xff|ab\\xff|a\\xffb|\\xe4|abcde\\xff|a\\x00|\\x00|
abcd\\x00|\\xf0\\x9f\\x98|é|ab\\t|abcd\\t|abc      |abcdefghijklmnop|\\xed\\xa0\\x80|\\xc0\\x80|\\xf4\\x90\\x80\\x80|abcd  \\xff""".replace("\n", "")

WORDS = """a|b|A|B|a |  a|b  |1|2|3|0|4|5|12|01|1 | 1|1.0|1e0|+1|-1||x|ab|é|É|e|Straße|strasse|STRASSE|Strase|1x|x1|65536|\\xff|a\\x00""".replace("\n", "")

INTS = [t + u for t in ("TINYINT", "SMALLINT", "MEDIUMINT", "INT", "BIGINT") for u in ("", " UNSIGNED")]

PLAN = [
    (INTS + ["FLOAT", "DOUBLE", "DECIMAL(10,2)", "DECIMAL(10,0)", "DECIMAL(5,5)", "DECIMAL(65,30)", "DECIMAL(30,10)"], NUMBERS),
    (["DATE", "DATETIME", "DATETIME(3)", "DATETIME(6)", "TIMESTAMP", "TIMESTAMP(2)"], DATES),
    (["TIME", "TIME(1)", "TIME(6)"], TIMES + "|" + DATES),
    (["YEAR"], YEARS + "|" + NUMBERS),
    (["CHAR(4)", "VARCHAR(4)", "CHAR(0)", "BINARY(4)", "VARBINARY(4)", "TEXT", "VARCHAR(4) COLLATE utf8mb4_bin", "BLOB"], TEXTS),
    (["ENUM('a','b','','é','5','Straße')", "ENUM('a','b','4') COLLATE utf8mb4_bin"], WORDS),
]

# Delimiters and years of two digits in the texts of moments.
DEPRECATIONS = (b"4095", b"4096", b"1287")


def texts(source):
    for word in source.split("|"):
        raw = word.encode("utf-8")
        yield raw.decode("latin-1").encode("latin-1").replace(b"\\t", b"\t").replace(b"\\n", b"\n") if b"\\x" not in raw else \
            raw.decode("unicode_escape").encode("latin-1")


def main():
    db = pymysql.connect(unix_socket=sys.argv[1], user="root", charset="utf8mb4", conv=ENCODERS, use_unicode=False)
    at = db.cursor()
    at.execute("SET NAMES utf8mb4 COLLATE utf8mb4_general_ci, time_zone = '+00:00'")
    at.execute("CREATE DATABASE IF NOT EXISTS probe CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci")
    at.execute("USE probe")
    for types, source in PLAN:
        for ty in types:
            at.execute("DROP TABLE IF EXISTS t")
            at.execute(f"CREATE TABLE t (a {ty} NULL) ENGINE=MyISAM")
            for text in texts(source):
                # The way of clients: a literal in the connection's character set.
                quoted = b"'" + text.replace(b"\\", b"\\\\").replace(b"'", b"\\'").replace(b"\0", b"\\0") + b"'"
                at.execute("TRUNCATE t")
                at.execute("SET sql_mode = ''")
                at.execute(b"INSERT INTO t VALUES (" + quoted + b")")
                at.execute("SHOW WARNINGS")
                first = 0
                for level, number, *_ in at.fetchall():
                    if number in DEPRECATIONS:
                        continue
                    first = ("n" if level == b"Note" else "") + number.decode()
                    break
                at.execute("SELECT a, LENGTH(a) FROM t")
                value, _ = at.fetchone()
                at.execute("SET sql_mode = 'STRICT_ALL_TABLES'")
                strict = 0
                try:
                    at.execute(b"INSERT INTO t VALUES (" + quoted + b")")
                except pymysql.Error as error:
                    strict = error.args[0]
                stored = "NULL" if value is None else value.hex()
                print(ty, text.hex(), stored, first, strict, sep="\t")


main()
