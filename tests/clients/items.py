"""What every Python client of the memcached door is put through: the same items through it and
through SQL. `pymemcache_client.py` and `pylibmc_client.py` give the clients, each behind the
same few calls, and test what only that client has.

The calls: `get(key)` gives bytes or None, `gets(key)` bytes and a token or None twice,
`cas(key, value, token)` "stored", "exists" or "missing", `set(key, value, expire, flags)`,
`incr(key, by)` a number or None, `delete(key)` whether it was there.
"""

import os
import time

import pymysql

from scenario import same

PORT = int(os.environ["MEMCACHED_PORT"])
# The original has no SQL beside it.
HAS_SQL = not os.environ["STAND_IN"]
EXPIRY_WAIT_S_MAX = 10.0
EVERY_BYTE = bytes(range(256)) * 4


class Sql:
    """The other door: statements in autocommit."""

    def __init__(self):
        self.connection = pymysql.connect(
            host="127.0.0.1",
            port=int(os.environ["PORT"]),
            user="root",
            password=os.environ["ROOT_PASSWORD"],
            autocommit=True,
        )
        self.cursor = self.connection.cursor()

    def __call__(self, statement, *values):
        """Runs a statement; its rows."""
        self.cursor.execute(statement, values)
        return self.cursor.fetchall()

    def changed(self, statement, *values):
        """Runs a statement; how many rows it changed."""
        return self.cursor.execute(statement, values)

    def container(self, name, table, columns, row):
        """A table in a database of its own, its first row, and the container that shows it."""
        self(f"CREATE DATABASE IF NOT EXISTS with_{name}")
        self(f"DROP TABLE IF EXISTS with_{name}.{table}")
        self(f"CREATE TABLE with_{name}.{table} ({columns})")
        self(f"INSERT INTO with_{name}.{table} VALUES {row}")


def gone(get, key):
    """Waits until a key is not found; how many seconds that took."""
    since = time.monotonic()
    while get(key) is not None:
        assert time.monotonic() - since < EXPIRY_WAIT_S_MAX, f"{key} does not expire"
        time.sleep(0.05)
    return time.monotonic() - since


def expiry(client, name):
    """Relative, absolute, negative; and 30 days as the border between the first two."""
    now = int(time.time())
    client.set(f"{name}:soon", b"v", 2, 0)
    for key, expire in [
        ("never", 0), ("relative", 100), ("absolute", now + 100), ("border", 30 * 24 * 3600)
    ]:
        client.set(f"{name}:{key}", b"v", expire, 0)
        same(client.get(f"{name}:{key}"), b"v")
    past = [("past", now - 10), ("1970", 30 * 24 * 3600 + 1)]
    # The original takes a negative number for one without sign in the binary protocol.
    if HAS_SQL or "binary" not in name:
        past.append(("negative", -1))
    for key, expire in past:
        client.set(f"{name}:{key}", b"v", expire, 0)
        same(client.get(f"{name}:{key}"), None)
    waited = gone(client.get, f"{name}:soon")
    assert waited <= 3.5, f"2 seconds took {waited}"
    same(client.get(f"{name}:never"), b"v")


def values(client, name):
    """What must come back byte for byte, up to the largest item."""
    reply = b"VALUE x 0 1\r\nx\r\nEND\r\n"
    some = [b"", b"\r\n", b"END\r\n", b"\0", EVERY_BYTE, reply, b"x" * 1_000_000]
    for number, value in enumerate(some):
        client.set(f"{name}:value{number}", value, 0, 0)
        same(client.get(f"{name}:value{number}"), value)
    key = "k" * 250
    client.set(key, b"a key of 250 bytes", 0, 0)
    same(client.get(key), b"a key of 250 bytes")
    client.set("schl\u00fcssel".encode(), b"no ASCII", 0, 0)
    same(client.get("schl\u00fcssel".encode()), b"no ASCII")


def kv_cache(client, sql, name):
    """Items are rows of kv.cache, and its rows are items."""
    key = f"{name}:shared"
    client.set(key, EVERY_BYTE, 0, 66)
    same(sql("SELECT v, flags, expires_at FROM kv.cache WHERE k = %s", key), ((EVERY_BYTE, 66, 0),))
    same(sql.changed("UPDATE kv.cache SET v = %s WHERE k = %s", b"by SQL", key), 1)
    same(client.get(key), b"by SQL")
    same(sql.changed("DELETE FROM kv.cache WHERE k = %s", key), 1)
    same(client.get(key), None)
    sql("INSERT INTO kv.cache (k, v, flags) VALUES (%s, '41', 0)", key)
    same(client.get(key), b"41")
    same(client.incr(key, 1), 42)
    same(sql("SELECT v FROM kv.cache WHERE k = %s", key), ((b"42",),))
    same(client.delete(key), True)
    same(sql("SELECT COUNT(*) FROM kv.cache WHERE k = %s", key), ((0,),))
    before = int(time.time())
    client.set(key, b"v", 1000, 0)
    ((expires_at,),) = sql("SELECT expires_at FROM kv.cache WHERE k = %s", key)
    assert before + 1000 <= expires_at <= time.time() + 1000, expires_at
    # A row that SQL lets expire is no item any more.
    sql("UPDATE kv.cache SET expires_at = %s WHERE k = %s", int(time.time()) - 1, key)
    same(client.get(key), None)


def cas_and_sql(client, sql, name):
    """A change by SQL makes a token worthless, one that was rolled back does not."""
    key = f"{name}:token"
    client.set(key, b"first", 0, 0)
    value, token = client.gets(key)
    same(value, b"first")
    sql("UPDATE kv.cache SET v = 'by SQL' WHERE k = %s", key)
    same(client.cas(key, b"lost update", token), "exists")
    value, token = client.gets(key)
    same(value, b"by SQL")
    sql("BEGIN")
    sql("UPDATE kv.cache SET v = 'never seen' WHERE k = %s", key)
    same(client.get(key), b"by SQL")
    sql("ROLLBACK")
    same(client.cas(key, b"second", token), "stored")
    same(sql("SELECT v FROM kv.cache WHERE k = %s", key), ((b"second",),))
    _, token = client.gets(key)
    # The same row made anew is another one.
    sql("DELETE FROM kv.cache WHERE k = %s", key)
    same(client.cas(key, b"x", token), "missing")
    sql("INSERT INTO kv.cache (k, v) VALUES (%s, 'second')", key)
    same(client.cas(key, b"x", token), "exists")
    same(client.get(key), b"second")


def container(client, sql, name):
    """A table with a key of numbers, several value columns, flags and expiry."""
    sql.container(
        name,
        "user",
        "id INT PRIMARY KEY, name VARCHAR(20), visits BIGINT NOT NULL DEFAULT 0, "
        "f INT UNSIGNED NOT NULL DEFAULT 0, e BIGINT NOT NULL DEFAULT 0, "
        "KEY by_name (name)",
        "(101, 'Joe', 5, 2, 0)",
    )
    prefix = f"{name}_user"
    definition = (prefix, f"with_{name}", "user", "id", "name,visits", "|", "f", "e")
    same(client.get(f"{prefix}:101"), None)
    sql("INSERT INTO rowhouse.containers VALUES (%s, %s, %s, %s, %s, %s, %s, %s)", *definition)
    # At once, also for a connection that has been there before.
    same(client.get(f"{prefix}:101"), b"Joe|5")
    same(client.get(f"@@{prefix}.101"), b"Joe|5")
    same(client.get(f"{prefix}:0101x"), None)
    client.set(f"{prefix}:102", b"Ann|7", 0, 3)
    same(
        sql(f"SELECT id, visits, f, e FROM with_{name}.user WHERE name = 'Ann'"), ((102, 7, 3, 0),)
    )
    value, token = client.gets(f"{prefix}:101")
    same(value, b"Joe|5")
    sql(f"UPDATE with_{name}.user SET visits = visits + 1 WHERE id = 101")
    same(client.cas(f"{prefix}:101", b"Joe|6", token), "exists")
    value, token = client.gets(f"{prefix}:101")
    same(value, b"Joe|6")
    same(client.cas(f"{prefix}:101", b"Joseph|7", token), "stored")
    same(sql(f"SELECT id, visits FROM with_{name}.user WHERE name = 'Joseph'"), ((101, 7),))
    same(client.delete(f"{prefix}:102"), True)
    same(sql(f"SELECT COUNT(*) FROM with_{name}.user"), ((1,),))
    sql("DELETE FROM rowhouse.containers WHERE name = %s", prefix)
    same(client.get(f"{prefix}:101"), None)


def counter(client, sql, name):
    """A container of one number: incr at one door, + 1 at the other."""
    sql.container(name, "hits", "page VARBINARY(50) PRIMARY KEY, n BIGINT UNSIGNED", "('a b', 10)")
    prefix = f"{name}_hits"
    sql(
        "REPLACE INTO rowhouse.containers (name, db, tbl, key_columns, value_columns) "
        "VALUES (%s, %s, 'hits', 'page', 'n')",
        prefix,
        f"with_{name}",
    )
    client.set(f"{prefix}:home", b"41", 0, 0)
    same(client.incr(f"{prefix}:home", 1), 42)
    sql(f"UPDATE with_{name}.hits SET n = n + 1 WHERE page = 'home'")
    same(client.incr(f"{prefix}:home", 7), 50)
    same(sql(f"SELECT page, n FROM with_{name}.hits ORDER BY n"), ((b"a b", 10), (b"home", 50)))
    same(client.incr(f"{prefix}:nowhere", 1), None)


def suite_of(suite, client, name):
    """All of these, as checks of a suite."""
    suite.check(f"{name}: values", lambda: values(client, name))
    suite.check(f"{name}: expiry", lambda: expiry(client, name))
    if not HAS_SQL:
        return
    sql = Sql()
    suite.check(f"{name}: rows of kv.cache", lambda: kv_cache(client, sql, name))
    suite.check(f"{name}: cas after SQL", lambda: cas_and_sql(client, sql, name))
    suite.check(f"{name}: a container", lambda: container(client, sql, name))
    suite.check(f"{name}: a container that counts", lambda: counter(client, sql, name))
