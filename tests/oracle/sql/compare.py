"""The oracle: the same statements on MariaDB and on each executor of Rowhouse.

First the statements of the files (`scripted`) and the keys of EXPLAIN (`hinted`), then generated ones (`generated`) from a fixed
seed. A failure is printed with the smallest statement found that shows it, both answers, and the
number by which `--only` runs it again.

Not here: starting the servers (`../handlersocket/servers.py`).
"""

import argparse
import pathlib
import sys

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "handlersocket"))

import generated  # noqa: E402
import hinted  # noqa: E402
import queries  # noqa: E402
import scripted  # noqa: E402
import servers  # noqa: E402
from ways import Ways  # noqa: E402


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rowhouse", help="the program to test")
    parser.add_argument("--ports", help="servers that run already: MARIADB,ROWHOUSE")
    parser.add_argument("--count", type=int, default=10_000, help="generated statements")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first of them")
    parser.add_argument("--only", type=int, help="this generated statement alone")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=480, help="after that the rest is left")
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    return parser.parse_args()


def run(arguments, ports):
    """What all comparisons met together."""
    total = generated.Count()
    numbers = list(range(arguments.first, arguments.first + arguments.count))
    if arguments.only is not None:
        numbers = [arguments.only]
        print(queries.draw(arguments.seed, arguments.only).tree.sql())
    else:
        for path in arguments.files or sorted(HERE.glob("*.sql")):
            scripted.compare_file(path, ports, total)
        if not arguments.files:
            hinted.compare(ports, total)
    if arguments.files:
        return total
    ways = Ways(*ports, None)
    generated.prepare(ways)
    for reason, theirs, ours in generated.stale_reasons(ways):
        shows = ("reason", None, "stale", reason.statement, str(theirs), str(ours))
        total.failures.append(shows)
    ways.close()
    workers = min(arguments.workers, len(numbers))
    total.add(generated.compare(ports, arguments.seed, numbers, workers, arguments.seconds))
    return total


def report(total):
    for number, executor, respect, statement, theirs, ours in total.failures:
        print(f"{number} ({executor or 'one way'}, {respect}): {statement}")
        print(f"  MariaDB  {theirs}\n  Rowhouse {ours}")
    for reason, times in total.reasons.most_common():
        print(f"{times:7} differ: {reason}")
    for what, times in total.by.items():
        print(f"{times:7} {what}")
    statements, failed = total.by["statements"], len(total.failures)
    print(f"{max(statements - failed, 0)} passed, {failed} failed")


def main():
    arguments = options()
    if arguments.ports:
        total = run(arguments, tuple(int(port) for port in arguments.ports.split(",")))
    else:
        theirs = ours = None
        try:
            theirs, ours = servers.MariaDb(), servers.Rowhouse(arguments.rowhouse)
            total = run(arguments, (theirs.endpoint.mysql_port, ours.endpoint.mysql_port))
        finally:
            for server in (theirs, ours):
                if server is not None:
                    server.stop()
    report(total)
    return 1 if total.failures or not total.by["statements"] else 0


if __name__ == "__main__":
    sys.exit(main())
