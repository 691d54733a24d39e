#!/usr/bin/env python3
"""Pictures of incidents for docs/operations.md: six reasons to be called at night, each played on a server of
its own, and how long it takes until the operator's page names the culprit.

    PICTURES=docs/pictures ROWHOUSE=target/release/rowhouse PYTHON tests/clients/incidents.py [INCIDENT...]

Four further ones are pictures of `page.py`. That each is named, by the page and by the metrics, is tested in
`crates/server/tests/incidents.rs`; here is only what a picture needs.

Not here: how the page is driven (`devtools`).
"""

import os
import pathlib
import re
import socket
import sys
import tempfile
import threading
import time

import pymysql

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "oracle" / "handlersocket"))

import servers  # noqa: E402 (found by the line above)
from devtools import Browser  # noqa: E402

PASSWORD = "house"
NAMED_S_MAX = 5
# Starts the server with its data on a disk of its own of 64 MB.
ON_SMALL_DISK = """#!/bin/sh
for word in "$@"; do case "$word" in --data-dir=*) data="${word#--data-dir=}";; esac; done
mkdir -p "$data"
exec unshare --user --map-root-user --mount sh -ec \
    'mount -t tmpfs -o size=64m none "$1"; shift; exec "$@"' sh "$data" PROGRAM "$@"
"""


class Watched:
    """A server with a page, and what clients of it do."""

    def __init__(self, program, work, flags=()):
        self.server = servers.Rowhouse(program, users={"root": PASSWORD}, flags=["--admin-port=auto", *flags])
        self.page = int(re.search(r" page=127\.0\.0\.1:(\d+)", self.server.ready_line()).group(1))
        self.browser = Browser(f"{work}/browser-{self.page}", "root", PASSWORD)
        self.browser.screen(1000, 640, False)
        self.clients = []

    def login(self, **more):
        client = pymysql.connect(
            host="127.0.0.1", port=self.server.endpoint.mysql_port, user="root", password=PASSWORD,
            autocommit=True, **more,
        )
        self.clients.append(client)
        return client

    def memcached(self):
        client = socket.create_connection(("127.0.0.1", self.server.endpoint.memcached_port))
        self.clients.append(client)
        return client

    def show(self, view):
        for each in ["settings", view]:
            self.browser.run(f"location.hash = '#{each}'")
            self.browser.wait(each, f"document.body?.dataset.drawn === '{each}'")
        return self.browser.run("document.querySelector('main').innerText")

    def close(self):
        for client in self.clients:
            client.close()
        self.browser.close()
        self.server.stop()


def forgotten_transaction(watched):
    holder, waiter = watched.login(), watched.login()
    with holder.cursor() as sql:
        sql.execute("CREATE DATABASE shop")
        sql.execute("CREATE TABLE shop.item (id INT PRIMARY KEY, stock INT)")
        sql.execute("INSERT INTO shop.item VALUES (7, 5)")
        sql.execute("BEGIN")
        sql.execute("UPDATE shop.item SET stock = 0 WHERE id = 7")

    def wait():
        try:
            waiter.cursor().execute("UPDATE shop.item SET stock = stock - 1 WHERE id = 7")
        except pymysql.err.MySQLError:
            pass

    threading.Thread(target=wait, daemon=True).start()


def full_disk(watched):
    client, number = watched.memcached(), 0
    # What is written stays; space that the store finds again is taken again.
    while not watched.over.is_set():
        number += 1
        client.sendall(f"set k{number} 0 0 1000000\r\n".encode() + os.urandom(500_000).hex().encode() + b"\r\n")
        if b"disk full" in client.recv(1000) and watched.since is None:
            watched.since = time.monotonic()


def memory_at_its_limit(watched):
    def fill(length):
        with watched.login().cursor() as sql:
            for number in range(1000):
                try:
                    sql.execute(f"SET @v{number} = REPEAT('x', {length})")
                except pymysql.err.MySQLError:
                    return

    fill(400_000)
    for _ in range(6):
        fill(50_000)


def slow_reader(watched):
    client = watched.login(cursorclass=pymysql.cursors.SSCursor)
    sql = client.cursor()
    sql.execute("CREATE DATABASE shop")
    sql.execute("CREATE TABLE shop.item (id INT PRIMARY KEY, text VARCHAR(10000))")
    for number in range(600):
        sql.execute(f"INSERT INTO shop.item VALUES ({number}, REPEAT('x', 10000))")
    # It asks for some 36 MB and reads one row.
    sql.execute("SELECT slow_reader.text FROM shop.item AS slow_reader JOIN (SELECT 1 UNION SELECT 2 UNION"
                " SELECT 3 UNION SELECT 4 UNION SELECT 5 UNION SELECT 6) six")
    sql.fetchone()
    # A cursor that is collected would read the rest.
    watched.cursor = sql


def storm_of_connections(watched):
    for _ in range(20):
        watched.memcached()


def load_under_way(watched):
    client = watched.login(local_infile=True)
    sql = client.cursor()
    sql.execute("CREATE DATABASE shop")
    sql.execute("CREATE TABLE shop.item (id INT PRIMARY KEY, text VARCHAR(100))")
    pipe = f"{watched.work}/rows"
    os.mkfifo(pipe)

    def feed():
        with open(pipe, "w", encoding="utf-8") as rows:
            for number in range(200_000):
                rows.write(f"{number}\trow {number}\n")
            rows.flush()
            watched.over.wait(60)

    def load():
        try:
            sql.execute(f"LOAD DATA LOCAL INFILE '{pipe}' INTO TABLE shop.item")
        except (pymysql.err.MySQLError, OSError):
            pass

    threading.Thread(target=feed, daemon=True).start()
    threading.Thread(target=load, daemon=True).start()


# What is played, the flags of its server, and the view and words that name the culprit.
INCIDENTS = [
    (forgotten_transaction, [], "waiting", "UPDATE shop.item SET stock = 0"),
    (full_disk, [], "now", "The disk is full"),
    (memory_at_its_limit, ["--memory=64MiB"], "now", "of their memory"),
    (slow_reader, ["--memory=64MiB"], "waiting", "slow_reader"),
    (storm_of_connections, ["--max-connections=8"], "now", "max-connections"),
    (load_under_way, [], "work", "LOAD DATA LOCAL"),
]


def main():
    program, late = os.path.abspath(os.environ["ROWHOUSE"]), 0
    pictures = pathlib.Path(os.environ["PICTURES"])
    wanted = sys.argv[1:]
    for play, flags, view, words in INCIDENTS:
        if wanted and play.__name__ not in wanted:
            continue
        name = play.__name__.replace("_", "-")
        with tempfile.TemporaryDirectory() as work:
            started = program
            if play is full_disk:
                started = pathlib.Path(work) / "on-small-disk"
                started.write_text(ON_SMALL_DISK.replace("PROGRAM", program), "utf-8")
                started.chmod(0o755)
            watched = Watched(started, work, flags)
            watched.work, watched.over, watched.since = work, threading.Event(), None
            try:
                watched.browser.call("Page.navigate", url=f"http://127.0.0.1:{watched.page}/")
                watched.browser.wait("the page", "document.body?.dataset.drawn === 'now'")
                thread = threading.Thread(target=play, args=[watched], daemon=True)
                thread.start()
                # The browser goes on as long as it is asked.
                while thread.is_alive() and watched.since is None:
                    watched.browser.run("0")
                since = watched.since or time.monotonic()
                while words not in watched.show(view) and time.monotonic() < since + 30:
                    pass
                took = time.monotonic() - since
                print(f"{name}: named after {took:.1f} s", flush=True)
                late += took > NAMED_S_MAX
                watched.browser.picture(pictures / f"page-{name}.png")
            finally:
                watched.over.set()
                watched.close()
    sys.exit(late > 0)


if __name__ == "__main__":
    main()
