"""Progress reports as the stock client shows them: `mariadb` on a terminal, while its statement waits
for another connection's transaction, and while a real ALTER is under way.

With the original (MariaDB) a waiting ALTER tells nothing, so only the second half is run.
"""

import os
import pty
import re
import select
import sys
import time

import pymysql

PORT, PASSWORD = int(os.environ["PORT"]), os.environ["ROOT_PASSWORD"]
ORIGINAL = bool(os.environ.get("STAND_IN"))
WAIT_S_MAX = 60
ROWS = 400_000
STAGE = re.compile(r"Stage: (\d) of (\d) '([^']+)' +([0-9.e+-]+)% of stage done")

failed = False


def check(name, right, shown):
    global failed
    failed |= not right
    print(f"ok progress: {name}" if right else f"not ok progress: {name}: {shown!r}", flush=True)


class Terminal:
    """The client on a terminal of its own."""

    def __init__(self):
        self.shown = ""
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            arguments = ["mariadb", "--no-defaults", "-A", "-h", "127.0.0.1", "-P", str(PORT),
                         "-u", "root", f"-p{PASSWORD}", "with_progress"]
            os.execvp("mariadb", arguments)

    def send(self, statement):
        os.write(self.terminal, statement.encode() + b"\n")

    def until(self, pattern):
        """Waits until the pattern is shown; what was shown up to its end, or None."""
        deadline = time.monotonic() + WAIT_S_MAX
        while not (found := re.search(pattern, self.shown)):
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.terminal], [], [], left)[0]:
                return None
            try:
                self.shown += os.read(self.terminal, 65536).decode("utf-8", "replace")
            except OSError:
                return None
        shown, self.shown = self.shown[: found.end()], self.shown[found.end():]
        return shown

    def end(self):
        self.send("exit")
        os.waitpid(self.process, 0)
        os.close(self.terminal)


def main():
    holder = pymysql.connect(host="127.0.0.1", port=PORT, user="root", password=PASSWORD)
    with holder.cursor() as cursor:
        cursor.execute("DROP DATABASE IF EXISTS with_progress")
        cursor.execute("CREATE DATABASE with_progress")
        cursor.execute("USE with_progress")
        cursor.execute("CREATE TABLE t (id INT PRIMARY KEY, a INT, p VARCHAR(80))")
        holder.commit()
        for first in range(0, ROWS, 10_000):
            rows = (f"({n},{n % 997},'row {n} of many, with some text behind it')"
                    for n in range(first, first + 10_000))
            cursor.execute("INSERT INTO t VALUES " + ",".join(rows))
        holder.commit()
        terminal = Terminal()
        terminal.send("SET progress_report_time = 1;")
        check("the client is there", terminal.until("Query OK"), terminal.shown)
        if not ORIGINAL:
            cursor.execute("UPDATE t SET a = 1 WHERE id = 1")
            terminal.send("ALTER TABLE t ADD COLUMN b INT DEFAULT 5, ALGORITHM=COPY;")
            waits = terminal.until("Stage: 1 of 2 'Waiting for table metadata lock' +0% of stage done")
            check("a statement that waits says so", waits, terminal.shown)
            holder.commit()
            ends = terminal.until("Query OK")
            check("and ends as ever", ends, terminal.shown)
        terminal.send("ALTER TABLE t MODIFY a BIGINT NOT NULL, ADD KEY (a, p), ADD KEY (p);")
        shown = terminal.until("Query OK|ERROR")
        parts = [(int(stage), float(part)) for stage, _, _, part in STAGE.findall(shown or "")]
        # It takes about a second or longer; who is faster than the first report tells nothing.
        check("a change of a table shows how far it is", parts == sorted(parts), shown)
        print(f"told {parts}")
        terminal.send("SELECT COUNT(*) + 1000000 FROM t WHERE a >= 0;")
        check("the next statement is answered", terminal.until(str(ROWS + 1_000_000)), terminal.shown)
        terminal.end()
    sys.exit(failed)


main()
