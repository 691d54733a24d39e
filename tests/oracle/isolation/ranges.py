"""Schedules about locks of ranges: locking reads and writes of one transaction, and what another one does beside them.

Where MySQL keeps others away from more than the condition says (the gap up to the next row), the schedules stay clear of that.

Not here: running them (`schedule`).
"""

SETUP = """
CREATE TABLE t (id INT PRIMARY KEY, v INT, k INT, u INT, KEY (k), UNIQUE KEY (u)) ENGINE=InnoDB;
INSERT INTO t VALUES (10, 0, 10, 10), (20, 0, 20, 20), (30, 0, 30, 30), (40, 0, 40, 40)
"""

SCHEDULES = {
    "a range of the primary key": """
        1: BEGIN
        1: SELECT id FROM t WHERE id BETWEEN 20 AND 30 FOR UPDATE
        2: INSERT INTO t VALUES (25, 0, 1, 1)
        1: SELECT id FROM t WHERE id BETWEEN 20 AND 30 FOR UPDATE
        1: COMMIT
        """,
    "a row that is not there": """
        1: BEGIN
        1: SELECT id FROM t WHERE id = 7 FOR UPDATE
        2: INSERT INTO t VALUES (7, 0, 1, 1)
        1: INSERT INTO t VALUES (7, 0, 2, 2)
        1: COMMIT
        """,
    "a value of a secondary index": """
        1: BEGIN
        1: SELECT id FROM t WHERE k = 20 FOR UPDATE
        2: INSERT INTO t VALUES (21, 0, 20, 1)
        1: COMMIT
        """,
    "a value that no row of a secondary index has": """
        1: BEGIN
        1: UPDATE t SET v = 1 WHERE k = 25
        2: UPDATE t SET k = 25 WHERE id = 40
        1: COMMIT
        """,
    "the end of a table": """
        1: BEGIN
        1: SELECT id FROM t WHERE id > 40 FOR SHARE
        2: INSERT INTO t VALUES (50, 0, 1, 1)
        1: INSERT INTO t VALUES (51, 0, 2, 2)
        1: COMMIT
        """,
    "all of a table": """
        1: BEGIN
        1: DELETE FROM t WHERE v = 5
        2: INSERT INTO t VALUES (50, 0, 1, 1)
        1: ROLLBACK
        """,
    "read committed locks no range": """
        1: SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED
        1: BEGIN
        1: SELECT id FROM t WHERE id BETWEEN 20 AND 30 FOR UPDATE
        2: INSERT INTO t VALUES (25, 0, 1, 1)
        1: SELECT id FROM t WHERE id BETWEEN 20 AND 30 FOR UPDATE
        1: COMMIT
        """,
    "two lock the same range, and both put something in": """
        1: BEGIN
        1: SELECT id FROM t WHERE id > 40 FOR UPDATE
        2: BEGIN
        2: SELECT id FROM t WHERE id > 40 FOR UPDATE
        1: INSERT INTO t VALUES (50, 0, 1, 1)
        2: INSERT INTO t VALUES (51, 0, 2, 2)
        1: COMMIT
        """,
    "a row on its way in is waited for": """
        1: BEGIN
        1: INSERT INTO t VALUES (25, 0, 1, 1)
        2: SELECT id FROM t WHERE id BETWEEN 20 AND 30 FOR UPDATE
        1: COMMIT
        """,
    "a row on its way in that is taken back": """
        1: BEGIN
        1: INSERT INTO t VALUES (25, 0, 1, 1)
        2: UPDATE t SET v = 7 WHERE id > 20
        1: ROLLBACK
        2: SELECT id, v FROM t
        """,
    "a row on its way in and NOWAIT": """
        1: BEGIN
        1: INSERT INTO t VALUES (25, 0, 1, 1)
        2: SELECT id FROM t WHERE id BETWEEN 20 AND 30 FOR UPDATE NOWAIT
        2: SELECT id FROM t WHERE id = 25 FOR UPDATE NOWAIT
        2: SELECT id FROM t WHERE k < 5 FOR UPDATE NOWAIT
        2: SELECT id FROM t WHERE id > 30 FOR UPDATE NOWAIT
        1: COMMIT
        2: SELECT id FROM t WHERE id BETWEEN 20 AND 30 FOR UPDATE NOWAIT
        """,
    "a row on its way in and SKIP LOCKED": """
        1: BEGIN
        1: INSERT INTO t VALUES (25, 0, 1, 1)
        2: SELECT id FROM t WHERE id BETWEEN 20 AND 30 FOR UPDATE SKIP LOCKED
        2: SELECT id FROM t WHERE id = 25 FOR UPDATE SKIP LOCKED
        1: COMMIT
        2: SELECT id FROM t WHERE id BETWEEN 20 AND 30 FOR UPDATE SKIP LOCKED
        """,
    "a row on its way in at READ COMMITTED": """
        1: BEGIN
        1: INSERT INTO t VALUES (25, 0, 1, 1)
        2: SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED
        2: SELECT id FROM t WHERE id BETWEEN 20 AND 30 FOR UPDATE
        1: COMMIT
        """,
    "a queue of jobs": """
        1: BEGIN
        1: SELECT id FROM t WHERE v = 0 ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED
        2: BEGIN
        2: SELECT id FROM t WHERE v = 0 ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED
        1: UPDATE t SET v = 1 WHERE id = 10
        2: UPDATE t SET v = 1 WHERE id = 20
        3: INSERT INTO t VALUES (50, 0, 1, 1)
        1: COMMIT
        2: COMMIT
        """,
    "a row that does not meet the condition is changed": """
        1: BEGIN
        1: SELECT id FROM t WHERE id BETWEEN 20 AND 30 AND v = 9 FOR UPDATE
        2: UPDATE t SET v = 9 WHERE id = 20
        1: SELECT id FROM t WHERE id BETWEEN 20 AND 30 AND v = 9 FOR UPDATE
        1: COMMIT
        """,
    "a row that is in the way is waited for": """
        1: BEGIN
        1: UPDATE t SET v = 3 WHERE id = 30
        2: BEGIN
        2: UPDATE t SET v = 4 WHERE k > 15
        1: INSERT INTO t VALUES (5, 0, 5, 5)
        1: COMMIT
        2: COMMIT
        """,
    "a deadlock of ranges and rows": """
        1: BEGIN
        1: SELECT id FROM t WHERE id > 40 FOR UPDATE
        2: BEGIN
        2: UPDATE t SET v = 1 WHERE id = 10
        2: INSERT INTO t VALUES (50, 0, 1, 1)
        1: UPDATE t SET v = 2 WHERE id = 10
        1: COMMIT
        2: ROLLBACK
        """,
    "a wait that is too long": """
        1: BEGIN
        1: SELECT id FROM t WHERE id > 40 FOR UPDATE
        2: SET SESSION innodb_lock_wait_timeout = 1
        2: INSERT INTO t VALUES (50, 0, 1, 1)
        2: SELECT COUNT(*) FROM t
        1: ROLLBACK
        2: INSERT INTO t VALUES (50, 0, 1, 1)
        """,
}
