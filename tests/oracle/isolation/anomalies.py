"""The anomalies of transactions, after Adya's names, as schedules of two or three connections over the rows (1, 10) and (2, 20).

Each says what it is to find out of the answers: `happens` is whether the anomaly was there.

Not here: running them (`schedule`), what is done with the outcome (`compare`).
"""

LEVELS = ["READ UNCOMMITTED", "READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"]

SETUP = """
CREATE TABLE t (id INT PRIMARY KEY, v INT) ENGINE=InnoDB;
INSERT INTO t VALUES (1, 10), (2, 20)
"""


class Anomaly:
    def __init__(self, name, what, steps, happens):
        self.name = name
        self.what = what
        self.steps = steps.strip()
        self.happens = happens

    def schedule(self, level):
        begin = "\n".join(
            f"{client}: SET SESSION TRANSACTION ISOLATION LEVEL {level}\n{client}: BEGIN"
            for client in sorted({line.strip()[0] for line in self.steps.splitlines()})
            if client.isdigit()
        )
        return f"{begin}\n{self.steps}\n9: SELECT * FROM t ORDER BY id"


def answer(told, step):
    """The answer of the first step with this text, without whether it has waited."""
    line = next(line for line in told if line.startswith(f"{step} -> "))
    return line.split(" -> ", 1)[1].removeprefix("waits ")


def gave(step, *answers):
    return lambda told: answer(told, step) in answers


def ends_with(*answers):
    return lambda told: answer(told, "9: SELECT * FROM t ORDER BY id") in answers


def both(one, other):
    return lambda told: one(told) and other(told)


ANOMALIES = [
    Anomaly(
        "G0", "two transactions' writes of two rows are mixed",
        """
        1: UPDATE t SET v = 11 WHERE id = 1
        2: UPDATE t SET v = 12 WHERE id = 1
        1: UPDATE t SET v = 21 WHERE id = 2
        1: COMMIT
        2: UPDATE t SET v = 22 WHERE id = 2
        2: COMMIT
        """,
        ends_with("1,11 2,22", "1,12 2,21"),
    ),
    Anomaly(
        "G1a", "what was rolled back was read",
        """
        1: UPDATE t SET v = 101 WHERE id = 1
        2: SELECT v FROM t WHERE id = 1
        1: ROLLBACK
        2: COMMIT
        """,
        gave("2: SELECT v FROM t WHERE id = 1", "101"),
    ),
    Anomaly(
        "G1b", "a value was read that its writer has replaced",
        """
        1: UPDATE t SET v = 101 WHERE id = 1
        2: SELECT v FROM t WHERE id = 1
        1: UPDATE t SET v = 11 WHERE id = 1
        1: COMMIT
        2: COMMIT
        """,
        gave("2: SELECT v FROM t WHERE id = 1", "101"),
    ),
    Anomaly(
        "G1c", "each of two has read what the other wrote",
        """
        1: UPDATE t SET v = 11 WHERE id = 1
        2: UPDATE t SET v = 22 WHERE id = 2
        1: SELECT v FROM t WHERE id = 2
        2: SELECT v FROM t WHERE id = 1
        1: COMMIT
        2: COMMIT
        """,
        both(gave("1: SELECT v FROM t WHERE id = 2", "22"), gave("2: SELECT v FROM t WHERE id = 1", "11")),
    ),
    Anomaly(
        "OTV", "of one transaction a write was seen, and then an earlier state",
        """
        1: UPDATE t SET v = 11 WHERE id = 1
        1: UPDATE t SET v = 19 WHERE id = 2
        2: UPDATE t SET v = 12 WHERE id = 1
        1: COMMIT
        3: SELECT v FROM t WHERE id = 1
        2: UPDATE t SET v = 18 WHERE id = 2
        3: SELECT v FROM t WHERE id = 2
        2: COMMIT
        3: COMMIT
        """,
        lambda told: (
            answer(told, "3: SELECT v FROM t WHERE id = 1"),
            answer(told, "3: SELECT v FROM t WHERE id = 2"),
        ) in [("12", "19"), ("11", "18"), ("12", "20"), ("11", "20")],
    ),
    Anomaly(
        "PMP", "a condition was met by other rows the second time",
        """
        1: SELECT id FROM t WHERE v = 30
        2: INSERT INTO t VALUES (3, 30)
        2: COMMIT
        1: SELECT id FROM t WHERE v % 3 = 0
        1: COMMIT
        """,
        gave("1: SELECT id FROM t WHERE v % 3 = 0", "3"),
    ),
    Anomaly(
        "PMP of a write", "a write met rows that its transaction had not seen",
        """
        1: SELECT id FROM t WHERE v = 20
        2: UPDATE t SET v = v + 10
        2: COMMIT
        1: DELETE FROM t WHERE v = 20
        1: COMMIT
        """,
        both(gave("1: SELECT id FROM t WHERE v = 20", "2"), ends_with("2,30")),
    ),
    Anomaly(
        "P4", "an update was lost",
        """
        1: SELECT v FROM t WHERE id = 1
        2: SELECT v FROM t WHERE id = 1
        1: UPDATE t SET v = 11 WHERE id = 1
        2: UPDATE t SET v = 12 WHERE id = 1
        1: COMMIT
        2: COMMIT
        """,
        lambda told: {answer(told, "1: COMMIT"), answer(told, "2: COMMIT")} == {"ok"}
        and "1213" not in " ".join(told),
    ),
    Anomaly(
        "G-single", "one row was read before another's writes, and one after",
        """
        1: SELECT v FROM t WHERE id = 1
        2: UPDATE t SET v = IF(id = 1, 12, 18) WHERE id IN (1, 2)
        2: COMMIT
        1: SELECT v FROM t WHERE id = 2
        1: COMMIT
        """,
        both(gave("1: SELECT v FROM t WHERE id = 1", "10"), gave("1: SELECT v FROM t WHERE id = 2", "18")),
    ),
    Anomaly(
        "G2-item", "each of two has changed a row that the other had read",
        """
        1: SELECT v FROM t WHERE id IN (1, 2)
        2: SELECT v FROM t WHERE id IN (1, 2)
        1: UPDATE t SET v = 11 WHERE id = 1
        2: UPDATE t SET v = 21 WHERE id = 2
        1: COMMIT
        2: COMMIT
        """,
        ends_with("1,11 2,21"),
    ),
    Anomaly(
        "G2", "each of two has put in a row that the other had looked for",
        """
        1: SELECT id FROM t WHERE v % 3 = 0
        2: SELECT id FROM t WHERE v % 3 = 0
        1: INSERT INTO t VALUES (3, 30)
        2: INSERT INTO t VALUES (4, 42)
        1: COMMIT
        2: COMMIT
        """,
        ends_with("1,10 2,20 3,30 4,42"),
    ),
]
