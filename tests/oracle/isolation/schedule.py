"""Schedules: statements of several connections in a fixed order, and what each came to.

A schedule is text, a line for each step: `1: BEGIN` is a statement of connection 1, `m: get t:1` a line of the memcached door,
`h: ...` one of HandlerSocket's writing port. A step that has to wait is left waiting, and its answer is noted where it comes: the
next step of the same connection comes after it.

An answer is the rows, `ok`, or the error's number; before it stands `waits` if another step was done meanwhile.

Not here: which schedules there are (`anomalies`, `ranges`), starting the servers.
"""

import socket
import threading
import time

import pymysql

# How long a step may take before its schedule is given up.
PATIENCE_S = 30.0
# How long a row lock is waited for where nobody gives it up.
LOCK_WAIT_S = 3
LOCK_WAIT_TIMEOUT = 1205
LOOK_S = 0.01


def connect(port, **more):
    return pymysql.connect(host="127.0.0.1", port=port, user="root", autocommit=True, **more)


class SqlClient:
    """A connection of MySQL's protocol."""

    def __init__(self, endpoint):
        self.connection = connect(endpoint.mysql_port, database="isolation")
        self.do(f"SET SESSION innodb_lock_wait_timeout = {LOCK_WAIT_S}")
        self.number = self.connection.thread_id()

    def do(self, text):
        try:
            with self.connection.cursor() as cursor:
                cursor.execute(text)
                if cursor.description is None:
                    return "ok"
                return " ".join(",".join(map(str, row)) for row in cursor.fetchall()) or "none"
        except pymysql.err.Error as error:
            if error.args[0] == LOCK_WAIT_TIMEOUT:
                # The statement alone is undone; an application that goes on would mix two states.
                self.connection.rollback()
            return str(error.args[0])

    def close(self):
        self.connection.close()


class LineClient:
    """A connection of a door whose requests and answers are lines."""

    number = None

    def __init__(self, port, first=()):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S)
        self.file = self.socket.makefile("rb")
        for line in first:
            self.do(line)

    def do(self, text):
        self.socket.sendall(text.replace("\\r\\n", "\r\n").replace("\\t", "\t").encode() + b"\n")
        return self.file.readline().decode().strip().replace("\t", " ")

    def close(self):
        self.socket.close()


class Step:
    def __init__(self, client, text):
        self.text = text
        self.answer = None
        self.thread = threading.Thread(target=self.run, args=(client,), daemon=True)
        self.thread.start()

    def run(self, client):
        self.answer = client.do(self.text)


class Run:
    """One run of a schedule on one server."""

    def __init__(self, endpoint):
        self.endpoint = endpoint
        self.clients = {}
        self.waiting = {}
        self.watcher = connect(endpoint.mysql_port)

    def client(self, name):
        if name not in self.clients:
            self.clients[name] = self.open(name)
        return self.clients[name]

    def open(self, name):
        if name == "m":
            return LineClient(self.endpoint.memcached_port)
        if name == "h":
            return LineClient(self.endpoint.write_port, ["P\\t1\\tisolation\\tt\\tPRIMARY\\tid,v"])
        return SqlClient(self.endpoint)

    def waiters(self):
        """The numbers of connections that wait for a row lock, and whether one without a number does."""
        mariadb = "SELECT trx_mysql_thread_id FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'"
        mysql = (
            "SELECT processlist_id FROM performance_schema.data_lock_waits w "
            "JOIN performance_schema.threads t ON t.thread_id = w.requesting_thread_id"
        )
        ours = "SELECT requesting_thread_id FROM performance_schema.data_lock_waits"
        query = {"mariadb": mariadb, "mysql": mysql, "rowhouse": ours}[self.endpoint.name]
        with self.watcher.cursor() as cursor:
            cursor.execute(query)
            return {row[0] for row in cursor.fetchall()}

    def await_step(self, name, step):
        """Until the step is done, or waits for a lock; whether it is done."""
        number = self.client(name).number
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            step.thread.join(LOOK_S)
            if not step.thread.is_alive():
                return True
            if number in self.waiters():
                step.thread.join(LOOK_S)
                return not step.thread.is_alive()
        raise RuntimeError(f"{self.endpoint.name}: no end of {step.text}")

    def settle(self, told):
        """Notes what was waited for and has come."""
        for name, (step, at) in list(self.waiting.items()):
            if self.await_step(name, step):
                del self.waiting[name]
                told[at] = f"{name}: {step.text} -> waits {step.answer}"

    def run(self, schedule):
        told = []
        for line in schedule.strip().splitlines():
            name, text = line.strip().split(": ", 1)
            if name in self.waiting:
                step, at = self.waiting.pop(name)
                step.thread.join(PATIENCE_S)
                told[at] = f"{name}: {step.text} -> waits {step.answer}"
            step = Step(self.client(name), text)
            told.append(f"{name}: {text} -> waits for ever")
            if self.await_step(name, step):
                told[-1] = f"{name}: {text} -> {step.answer}"
            else:
                self.waiting[name] = (step, len(told) - 1)
            self.settle(told)
        return told

    def close(self):
        """Ends all connections; those that wait come to an end when the others have gone."""
        for name, client in self.clients.items():
            if name not in self.waiting:
                client.close()
        for name, (step, _) in self.waiting.items():
            step.thread.join(PATIENCE_S)
            self.clients[name].close()
        self.watcher.close()
