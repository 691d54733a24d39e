"""The differences of calls to MySQL that are meant, each by its reason.

A reason has a statement that shows it, as those of `reasons` have: one that shows no difference any more is stale, and
fails the run.

Not here: the calls (`calls`), differences of other statements (`reasons`).
"""

from reasons import Reason, fails_with

REASONS = [
    Reason(
        "a day with a zero part has no name, no number in its year and no week; MySQL shows those of a negative day",
        "SELECT DATE_FORMAT('2024-00-10', '%U') AS c0",
        r"(DATE_FORMAT|EXTRACT\(WEEK)",
        ("rows",),
        lambda theirs, ours: ours.rows[0][0] in (None, "0"),
    ),
    Reason(
        "TIME_FORMAT of a moment shows its time alone, in MySQL its day too",
        "SELECT TIME_FORMAT('2024-01-31 10:11:12', '%d') AS c0",
        r"TIME_FORMAT\(('2024|DATE|TIMESTAMP|d,|dt,|ts,)",
        ("rows",),
    ),
    Reason(
        "a TIME of another day than today is of that day; MySQL, where it wants a DATE of a column, takes the next "
        "(MariaDB answers as here)",
        "SELECT DATE(t) AS c0 FROM days WHERE id = 2",
        r"\((t|.*\bt)[,)].* FROM days",
        ("rows",),
        lambda theirs, ours: theirs.error is None and ours.error is None,
    ),
    Reason(
        "JSON_SEARCH says where a text stands; MySQL repeats the `last` of the path that it was found below",
        "SELECT JSON_SEARCH('[1, \"x\"]', 'all', '%', NULL, '$[last]') AS c0",
        r"JSON_SEARCH\(.*last",
        ("rows",),
    ),
    Reason(
        "both sides of a comparison are evaluated, in MySQL not the second where the first is NULL",
        "SELECT CAST(NULL AS JSON) = CAST('x' AS JSON) AS c0",
        r"CAST\(NULL AS JSON\) [<=]",
        ("error",),
        fails_with(3141),
    ),
]


def reason_of(statement, respect, theirs, ours):
    for reason in REASONS:
        if reason.explains(statement, respect, theirs, ours):
            return reason
    return None
