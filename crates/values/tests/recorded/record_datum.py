#!/usr/bin/env python3
"""Records what MySQL 9.7 makes of numbers and times that are stored in a column, for
values_convert.rs. Usage: record_datum.py SOCKET > datum.tsv, as record_text.py.

One line per (type, SQL literal): the type, the literal, and the last three fields of text.tsv.
"""
import sys

import pymysql
from pymysql.converters import encoders

LITERALS = """0|1|-1|127|128|-129|255|256|32768|-32769|8388608|16777216|2147483647|2147483648|-2147483649|4294967295|
4294967296|9223372036854775807|9223372036854775808|18446744073709551615|-9223372036854775808|
1.5|2.5|-1.5|-2.5|0.5|0.4|-0.4|1234.567|99999999.994|99999999.995|99999.5|0.00001|12345678901234567890123.5|
1.5e0|2.5e0|3.5e0|-2.5e0|-0.5e0|0.1e0|1e10|1e18|1e19|1e20|-1e19|3.5e38|1e300|1234.567e0|1e-10|1e15|123456789e0|0.005e0|0.015e0|
240131|20240131|20240230|700101|691231|691232|240131235959|20240131235959|20240131235959.5|20240131235959.25|20240131.5|
101|100|99|9999|1231|991231|991232|100000|10101|1010101|10000101|99991231|99991232|101000000|20241301|
101112|101160|106012|-101112|8385959|8390000|-8390000|101112.5|-0.5|59|60|1000000|10000000|-10000000|20240131235959.9999999|
69|70|1900|1901|2024|2155|2156|1970|2038|20380119031407|20380119031408|19700101000001|19700101000000|
2.5e3|20240131e0|101112e0|240131235959.75e0|
DATE'2024-01-31'|DATE'0000-00-00'|DATE'9999-12-31'|TIMESTAMP'2024-01-31 23:59:59'|TIMESTAMP'2024-01-31 23:59:59.75'|
TIMESTAMP'2024-01-31 00:00:00'|TIMESTAMP'9999-12-31 23:59:59.75'|TIME'10:11:12'|TIME'-10:11:12.75'|TIME'838:59:59'|TIME'00:20:24'""".replace("\n", "").split("|")

TYPES = [t + u for t in ("TINYINT", "SMALLINT", "MEDIUMINT", "INT", "BIGINT") for u in ("", " UNSIGNED")] + [
    "FLOAT", "DOUBLE", "DECIMAL(10,2)", "DECIMAL(10,0)", "DECIMAL(65,30)",
    "DATE", "DATETIME", "DATETIME(1)", "DATETIME(6)", "TIMESTAMP", "TIMESTAMP(1)", "TIME", "TIME(1)", "TIME(6)", "YEAR",
    "CHAR(30)", "VARCHAR(30)", "TEXT", "BINARY(30)", "VARBINARY(30)", "ENUM('a','b','c')"]

# Delimiters and years of two digits in the texts of moments.
DEPRECATIONS = (b"4095", b"4096", b"1287")


def main():
    db = pymysql.connect(unix_socket=sys.argv[1], user="root", charset="utf8mb4", conv=encoders, use_unicode=False)
    at = db.cursor()
    at.execute("SET NAMES utf8mb4, time_zone = '+00:00'")
    at.execute("CREATE DATABASE IF NOT EXISTS probe CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci")
    at.execute("USE probe")
    for ty in TYPES:
        at.execute("DROP TABLE IF EXISTS t")
        at.execute(f"CREATE TABLE t (a {ty} NULL) ENGINE=MyISAM")
        for literal in LITERALS:
            if literal.startswith("TIME'") and ty.startswith(("DATE", "TIMESTAMP", "YEAR")):
                continue  # depends on today
            at.execute("TRUNCATE t")
            at.execute("SET sql_mode = ''")
            at.execute(f"INSERT INTO t VALUES ({literal})")
            at.execute("SHOW WARNINGS")
            first = 0
            for level, number, *_ in at.fetchall():
                if number in DEPRECATIONS:
                    continue
                first = ("n" if level == b"Note" else "") + number.decode()
                break
            at.execute("SELECT a FROM t")
            (value,) = at.fetchone()
            at.execute("SET sql_mode = 'STRICT_ALL_TABLES'")
            strict = 0
            try:
                at.execute(f"INSERT INTO t VALUES ({literal})")
            except pymysql.Error as error:
                strict = error.args[0]
            print(ty, literal, "NULL" if value is None else value.hex(), first, strict, sep="\t")


main()
