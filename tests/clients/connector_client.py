"""MySQL's Connector/Python, the pure implementation and the C extension, prepared and not."""

import mysql.connector

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


def connect(pure, user="root", password=ROOT_PASSWORD, **options):
    return mysql.connector.connect(
        host="127.0.0.1",
        port=PORT,
        user=user,
        password=password,
        use_pure=pure,
        allow_local_infile=True,
        autocommit=options.pop("autocommit", True),
        **options,
    )


def passwords(pure):
    connection = connect(pure, "bob", "secret")
    connection.cmd_change_user("root", ROOT_PASSWORD, "")
    connection.cmd_change_user("bob", "secret")
    connection.cmd_reset_connection()
    connection.ping()
    connection.close()
    for user, password in [("bob", "wrong"), ("bob", ""), ("eve", "x")]:
        try:
            connect(pure, user, password)
            raise AssertionError(f"{user} came in")
        except mysql.connector.Error as error:
            same(error.errno, 1045)


def prepared(connection):
    connection.cursor().execute("CREATE TABLE p (id INT PRIMARY KEY, v VARCHAR(20))")
    insert = connection.cursor(prepared=True)
    for i in range(50):
        insert.execute("INSERT INTO p VALUES (%s, %s)", (i, f"v{i}"))
        same(insert.rowcount, 1)
    look = connection.cursor(prepared=True)
    for i in range(50):
        look.execute("SELECT v FROM p WHERE id = %s", (i,))
        same(look.fetchall(), [(f"v{i}",)])
    look.execute("SELECT v FROM p WHERE id = %s", (1000,))
    same(look.fetchall(), [])


def main():
    ended = []
    for pure in (True, False):
        suite = Suite("Connector/Python " + ("pure" if pure else "C"))
        name = "with_connector_" + ("pure" if pure else "c")
        connection = connect(pure)
        cursor = database(connection, name)
        cursor.execute("SET time_zone = '+00:00'")
        suite.check("passwords", lambda: passwords(pure))
        binary = connection.cursor(prepared=True)
        # The C extension writes a timedelta as a DATETIME; the pure one cannot read a binary YEAR.
        as_text, unread = ((), ("yr",)) if pure else (("tim",), ())
        suite.check("every type, both forms", lambda: kinds(cursor, binary, as_text, unread))
        ends = lambda: limits(cursor, mysql.connector.Error, binary, signed=not pure)
        suite.check("ends of ranges", ends)
        binary.close()
        suite.check("changes and errors", lambda: changes(cursor, mysql.connector.Error))
        other = connect(pure, database=name, autocommit=False)
        suite.check("transactions", lambda: transactions(connection, other))
        suite.check("prepared statements", lambda: prepared(connection))
        suite.check("10,000 rows", lambda: long_result(cursor))
        again = lambda: connect(pure, database=name)
        suite.check("sixteen connections at once", lambda: together(again))
        suite.check("LOAD DATA LOCAL", lambda: load(cursor))
        suite.check("20 MiB in one value", lambda: large(cursor))
        ended.append(suite.failed)
    raise SystemExit(1 if any(ended) else 0)


main()
