"""The oracle: the same statements on MariaDB and on each executor of Rowhouse, and some on the newest MySQL.

First the statements of the files (`scripted`) and the keys of EXPLAIN (`hinted`), then generated ones (`generated`) from a fixed
seed. Then, where `scripts/newest` has been run, MySQL judges: files that name it as a judge, calls of functions (`calls`), and,
beside MariaDB, every kind of value in every place (`wanted`).
A failure is printed with the smallest statement found that shows it, both answers, and the
number by which `--only` runs it again.

Not here: starting the servers (`../handlersocket/servers.py`).
"""

import argparse
import pathlib
import sys

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "handlersocket"))

import calls  # noqa: E402
import generated  # noqa: E402
import hinted  # noqa: E402
import queries  # noqa: E402
import scripted  # noqa: E402
import servers  # noqa: E402
import wanted  # noqa: E402
from ways import Ways  # noqa: E402


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rowhouse", help="the program to test")
    parser.add_argument("--ports", help="servers that run already: the judge, MariaDB if --judge says no other, and Rowhouse")
    parser.add_argument("--count", type=int, default=10_000, help="generated statements")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first of them")
    parser.add_argument("--only", type=int, help="this generated statement alone")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=480, help="after that the rest is left")
    parser.add_argument("--judge", choices=("mariadb", "mysql"), help="this one alone")
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    return parser.parse_args()


def compare_files(arguments, ports, total, judge):
    """Adds what the files met that name this judge."""
    for path in arguments.files or sorted(HERE.glob("*.sql")):
        if judge in scripted.judges_of(path):
            scripted.compare_file(path, ports, total, judge)


def run_by_mysql(arguments, ports, total):
    """Adds what the comparisons with MySQL met. `ports`: its and ours."""
    compare_files(arguments, ports, total, "mysql")
    if not arguments.files and arguments.only is None:
        calls.compare(ports, total)


def run_by_both(arguments, total):
    """Adds what the comparisons met that ask MySQL where it and MariaDB differ."""
    started = []
    try:
        for start in (servers.MariaDb, servers.MySql, lambda: servers.Rowhouse(arguments.rowhouse)):
            started.append(start())
        mariadb, mysql, ours = (server.endpoint.mysql_port for server in started)
        wanted.compare((mariadb, ours), mysql, total)
    finally:
        for server in started:
            server.stop()


def run(arguments, ports, total):
    """Adds what the comparisons with MariaDB met. `ports`: its and ours."""
    numbers = list(range(arguments.first, arguments.first + arguments.count))
    if arguments.only is not None:
        numbers = [arguments.only]
        print(queries.draw(arguments.seed, arguments.only).tree.sql())
    else:
        compare_files(arguments, ports, total, "mariadb")
        if not arguments.files:
            hinted.compare(ports, total)
    if arguments.files:
        return
    ways = Ways(*ports, None)
    generated.prepare(ways)
    for reason, theirs, ours in generated.stale_reasons(ways):
        shows = ("reason", None, "stale", reason.statement, str(theirs), str(ours))
        total.failures.append(shows)
    ways.close()
    workers = min(arguments.workers, len(numbers))
    total.add(generated.compare(ports, arguments.seed, numbers, workers, arguments.seconds))


def report(total):
    for number, executor, respect, statement, theirs, ours in total.failures:
        print(f"{number} ({executor or 'one way'}, {respect}): {statement}")
        print(f"  theirs   {theirs}\n  Rowhouse {ours}")
    for reason, times in total.reasons.most_common():
        print(f"{times:7} differ: {reason}")
    for what, times in total.by.items():
        print(f"{times:7} {what}")
    statements, failed = total.by["statements"], len(total.failures)
    print(f"{max(statements - failed, 0)} passed, {failed} failed")


def main():
    arguments = options()
    total = generated.Count()
    if arguments.ports:
        ports = tuple(int(port) for port in arguments.ports.split(","))
        by_mysql = arguments.judge == "mysql"
        run_by_mysql(arguments, ports, total) if by_mysql else run(arguments, ports, total)
    else:
        judges = [(servers.MariaDb, run, "mariadb")]
        if servers.newest_program("mysqld") is not None:
            judges.append((servers.MySql, run_by_mysql, "mysql"))
            if not arguments.files and arguments.only is None and arguments.judge is None:
                run_by_both(arguments, total)
        elif arguments.judge != "mariadb":
            print("no MySQL to judge: scripts/newest has not been run")
        for start, compare, name in judges:
            if arguments.judge not in (None, name):
                continue
            theirs = ours = None
            try:
                theirs, ours = start(), servers.Rowhouse(arguments.rowhouse)
                compare(arguments, (theirs.endpoint.mysql_port, ours.endpoint.mysql_port), total)
            finally:
                for server in (theirs, ours):
                    if server is not None:
                        server.stop()
    report(total)
    return 1 if total.failures or not total.by["statements"] else 0


if __name__ == "__main__":
    sys.exit(main())
