"""Statements of tools (tools.sql), each of which is to be answered.

The last one knows what MySQL 8's mysqldump gives up without; MariaDB has no such table.
"""

import os
import pathlib
import sys

import pymysql

ORIGINAL = bool(os.environ.get("STAND_IN"))
TABLES = [
    "DROP DATABASE IF EXISTS with_tools",
    "CREATE DATABASE with_tools",
    "USE with_tools",
    "CREATE TABLE child (id INT PRIMARY KEY AUTO_INCREMENT, post BIGINT UNSIGNED, note VARCHAR(20), KEY (post))",
    "INSERT INTO child (post) VALUES (1), (2)",
    "CREATE TABLE wp_options (option_id INT PRIMARY KEY)",
    "CREATE TABLE wp_posts (ID INT PRIMARY KEY, post_name VARCHAR(20), KEY (post_name))",
]
# In MySQL 8 only.
NEWER = "information_schema.KEYWORDS WHERE RESERVED", "COLUMN_STATISTICS", "IS_VISIBLE"


def statements():
    lines = (pathlib.Path(__file__).parent / "tools.sql").read_text("utf-8").splitlines()
    tool = ""
    for line in lines:
        if line.startswith("# "):
            tool = line[2:]
        elif line and not (ORIGINAL and any(word in line for word in NEWER)):
            yield tool, line


def main():
    failed = False
    connection = pymysql.connect(host="127.0.0.1", port=int(os.environ["PORT"]), user="root",
                                 password=os.environ["ROOT_PASSWORD"], autocommit=True)
    with connection.cursor() as cursor:
        for statement in TABLES:
            cursor.execute(statement)
        for tool, statement in statements():
            try:
                cursor.execute(statement)
                cursor.fetchall()
                print(f"ok tools: {tool}: {statement[:60]}")
            except pymysql.MySQLError as error:
                failed = True
                print(f"not ok tools: {tool}: {statement}: {error}")
    sys.exit(failed)


main()
