#!/usr/bin/env python3
"""Asks MariaDB for the answers of queries.sql over setup.sql, and writes them to expected.txt.

Starts a server of its own in a temporary directory, reachable by a socket there only. Needs
mariadbd, mariadb-install-db and mariadb in the PATH.
"""

import pathlib
import subprocess
import tempfile
import time

HERE = pathlib.Path(__file__).parent
MARK = "====="


def main():
    setup = (HERE / "setup.sql").read_text()
    queries = [q for q in (HERE / "queries.sql").read_text().split(";\n") if q.strip()]
    with tempfile.TemporaryDirectory() as scratch:
        data, socket = f"{scratch}/data", f"{scratch}/socket"
        subprocess.run(
            ["mariadb-install-db", "--no-defaults", f"--datadir={data}", "--skip-test-db",
             "--auth-root-authentication-method=normal"],
            check=True, stdout=subprocess.DEVNULL)
        server = subprocess.Popen(
            ["mariadbd", "--no-defaults", f"--datadir={data}", f"--socket={socket}",
             "--skip-networking", "--sql-mode=", "--character-set-server=utf8mb4",
             "--collation-server=utf8mb4_general_ci", "--default-time-zone=+00:00",
             "--user=root"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            client = ["mariadb", "--no-defaults", f"--socket={socket}", "--user=root", "-N", "-B",
                      "--default-character-set=utf8mb4"]
            wait_for(client)
            ask(client, "CREATE DATABASE d; USE d;\n" + setup)
            script = "USE d;\n" + "".join(f"SELECT '{MARK}';\n{query};\n" for query in queries)
            answers = ask(client, script).split(f"{MARK}\n")[1:]
        finally:
            server.terminate()
            server.wait()
    assert len(answers) == len(queries)
    with open(HERE / "expected.txt", "w") as out:
        for query, answer in zip(queries, answers):
            out.write(f"> {query}\n{answer}")


def wait_for(client):
    for _ in range(100):
        if subprocess.run(client, input=b"", stderr=subprocess.DEVNULL).returncode == 0:
            return
        time.sleep(0.1)
    raise SystemExit("the server did not start")


def ask(client, script):
    done = subprocess.run(client, input=script, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    return done.stdout


main()
