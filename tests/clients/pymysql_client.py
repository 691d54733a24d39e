"""PyMySQL: text protocol, streaming cursor, several statements, LOAD DATA LOCAL."""

import pymysql
from pymysql.constants import CLIENT

from scenario import (
    PORT,
    ROOT_PASSWORD,
    Suite,
    changes,
    database,
    kinds,
    large,
    limits,
    load,
    long_result,
    same,
    together,
    transactions,
)


def connect(user="root", password=ROOT_PASSWORD, **options):
    return pymysql.connect(
        host="127.0.0.1", port=PORT, user=user, password=password, local_infile=True, **options
    )


def passwords():
    connect("bob", "secret").close()
    for user, password in [("bob", "wrong"), ("bob", ""), ("eve", "x")]:
        try:
            connect(user, password)
            raise AssertionError(f"{user} came in")
        except pymysql.OperationalError as error:
            same(error.args[0], 1045)


def several():
    connection = connect(client_flag=CLIENT.MULTI_STATEMENTS)
    cursor = connection.cursor()
    cursor.execute("SELECT 1; DO 2; SELECT 'three'")
    same(cursor.fetchall(), ((1,),))
    assert cursor.nextset()
    assert cursor.nextset()
    same(cursor.fetchall(), (("three",),))
    assert not cursor.nextset()
    connection.close()


def streaming():
    connection = connect(database="with_pymysql", cursorclass=pymysql.cursors.SSCursor)
    cursor = connection.cursor()
    cursor.execute("SELECT id, name FROM loaded ORDER BY id")
    same(sum(1 for _ in cursor), 20000)
    cursor.execute("SELECT id FROM loaded")
    cursor.fetchone()
    cursor.close()
    connection.ping()
    connection.close()


def main():
    suite = Suite("PyMySQL")
    connection = connect(autocommit=True)
    cursor = database(connection, "with_pymysql")
    cursor.execute("SET time_zone = '+00:00'")
    suite.check("passwords", passwords)
    suite.check("every type", lambda: kinds(cursor))
    suite.check("ends of ranges", lambda: limits(cursor, pymysql.MySQLError))
    suite.check("changes and errors", lambda: changes(cursor, pymysql.MySQLError))
    other = connect(database="with_pymysql")
    suite.check("transactions", lambda: transactions(connection, other))
    suite.check("several statements", several)
    suite.check("LOAD DATA LOCAL", lambda: load(cursor))
    suite.check("streaming cursor", streaming)
    suite.check("10,000 rows", lambda: long_result(cursor))
    again = lambda: connect(database="with_pymysql", autocommit=True)
    suite.check("sixteen connections at once", lambda: together(again))
    suite.check("20 MiB in one value", lambda: large(cursor))
    suite.check("ping", connection.ping)
    suite.check("select_db", lambda: connection.select_db("information_schema"))
    suite.end()


main()
