"""The anomalies of transactions at each isolation level, and locks of ranges, here and at the newest MySQL and MariaDB.

An anomaly may be there only where MySQL has it. What a schedule of `ranges` comes to has to be the same as at MySQL, which of two
gets a deadlock's error apart. `--table` prints the table of the docs.

Not here: the schedules (`anomalies`, `ranges`), starting the servers (`../handlersocket/servers.py`).

usage: ROWHOUSE=.../rowhouse tests/oracle/isolation/run [--table]
"""

import argparse
import pathlib
import sys

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "handlersocket"))

import anomalies  # noqa: E402
import ranges  # noqa: E402
import schedule  # noqa: E402
import servers  # noqa: E402

# Schedules whose outcome is another one than MySQL's, and why.
REASONS = {
    "a range of the primary key": (
        "MySQL has the second look of a range's owner end with a deadlock where another waits to put something in: "
        "the look asks for the gap anew, behind the one that waits"
    ),
}


def set_up(endpoint, statements):
    connection = schedule.connect(endpoint.mysql_port)
    with connection.cursor() as cursor:
        cursor.execute("DROP DATABASE IF EXISTS isolation")
        cursor.execute("CREATE DATABASE isolation")
        cursor.execute("USE isolation")
        for statement in statements.strip().split(";"):
            cursor.execute(statement)
    connection.close()


def told_by(endpoint, setup, steps):
    set_up(endpoint, setup)
    run = schedule.Run(endpoint)
    try:
        return run.run(steps)
    finally:
        run.close()


def table_of(endpoints):
    """For each anomaly, each level and each server, whether it is there."""
    found = {}
    for anomaly in anomalies.ANOMALIES:
        for level in anomalies.LEVELS:
            for endpoint in endpoints:
                told = told_by(endpoint, anomalies.SETUP, anomaly.schedule(level))
                found[anomaly.name, level, endpoint.name] = (anomaly.happens(told), told)
    return found


def print_table(found):
    print("| anomaly | what happens | " + " | ".join(level.lower() for level in anomalies.LEVELS) + " |")
    print("|---|---|" + "---|" * len(anomalies.LEVELS))
    for anomaly in anomalies.ANOMALIES:
        cells = []
        for level in anomalies.LEVELS:
            here, there = (found[anomaly.name, level, name][0] for name in ("rowhouse", "mysql"))
            cell = "yes" if here else "no"
            cells.append(cell if here == there else f"{cell} (InnoDB: {'yes' if there else 'no'})")
        print(f"| {anomaly.name} | {anomaly.what} | " + " | ".join(cells) + " |")


def differences_of_ranges(endpoints):
    wrong = 0
    for name, steps in ranges.SCHEDULES.items():
        told = {endpoint.name: told_by(endpoint, ranges.SETUP, steps) for endpoint in endpoints}
        judge = told.get("mysql")
        if judge is None or judge == told["rowhouse"]:
            continue
        if name in REASONS:
            continue
        wrong += 1
        print(f"\n{name}:")
        for theirs, ours in zip(judge, told["rowhouse"]):
            print(f"   {ours}" + ("" if theirs == ours else f"      MySQL: {theirs.split(' -> ')[1]}"))
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rowhouse", required=True)
    parser.add_argument("--table", action="store_true")
    arguments = parser.parse_args()
    started = [servers.Rowhouse(arguments.rowhouse)]
    try:
        started.append(servers.MySql() if servers.newest_program("mysqld") else servers.MariaDb())
        endpoints = [server.endpoint for server in started]
        found = table_of(endpoints)
        judge = "mysql" if any(endpoint.name == "mysql" for endpoint in endpoints) else "mariadb"
        wrong = 0
        for (name, level, server), (happens, told) in found.items():
            if server == "rowhouse" and happens and not found[name, level, judge][0]:
                wrong += 1
                print(f"{name} at {level} happens here and not at {judge}:\n   " + "\n   ".join(told))
        wrong += differences_of_ranges(endpoints)
        if arguments.table and judge == "mysql":
            print_table(found)
        print(f"{len(found)} runs of anomalies, {len(ranges.SCHEDULES)} schedules of ranges, {wrong} wrong")
        return 1 if wrong else 0
    finally:
        for server in started:
            server.stop()


if __name__ == "__main__":
    sys.exit(main())
