"""The one table of intended differences between MariaDB's plugin and Rowhouse.

A request of the script names its entry (`differs=`). Equal replies always pass. Different
replies pass only if Rowhouse's reply lines match `ours`; a difference anywhere else fails.
The reasons, for people, are in docs/handlersocket-differences.md under the same names.
"""

import dataclasses
import re

from wire import show


@dataclasses.dataclass(frozen=True)
class Difference:
    """`ours` must match each of Rowhouse's reply lines completely, as `wire.show` prints them.

    Where the right reply depends on the request, `ours` is empty and the request carries it.
    """

    name: str
    ours: str
    why: str

    def allows(self, replies, ours=""):
        pattern = ours or self.ours
        texts = [show(reply.rstrip(b"\n")) for reply in replies]
        return bool(pattern) and all(re.fullmatch(pattern, text) for text in texts)


_ALL = [
    Difference("bad-escape", "2·1·escape", "a broken escape cuts the value silently"),
    Difference("missing-values", "2·1·fldnum", "U with too few values empties the other columns"),
    Difference("missing-operands", "", "+ with too few operands rewrites text columns as numbers"),
    Difference("filter-operator", "2·1·op", "an unknown filter operator passes or drops all rows"),
    Difference("in-count", "2·1·invalueslen", "missing IN values are read as empty ones"),
    Difference("in-null", "", "NULL in an IN list is read as the string 0x00"),
    Difference("wide-insert", r"0·1(·\d+)?", "an insert of more than 32 values is refused"),
    Difference("limit-wrap", r"0·\d+(·.*)?", "limit + offset wraps at 2^32 and finds nothing"),
    Difference("wrap-64", "", "+ and - wrap at 64 bits and misread big BIGINT UNSIGNED"),
    Difference("self-seeing", "", "a scan that moves keys forward changes rows twice"),
    Difference("half-done", "", "a failed multi-row change leaves the first rows changed"),
    Difference("real-default", "", "a column not given is never NULL, nor the current time"),
    Difference("json-checked", r"1·1·\d+", "invalid JSON is stored unchecked"),
    Difference("json-printed", "", "a JSON column keeps the text that was sent"),
    Difference("json-zero", "", "the zero value of a JSON column is '', which is no JSON"),
    Difference("unique-order", "", "without PRIMARY KEY a unique NOT NULL index orders equal rows"),
    Difference("surrogates", "", "UTF-8 encoded surrogates are stored in utf8mb4 columns"),
    Difference("minus-huge", "", "-1e400 into an unsigned integer is stored as its maximum"),
    Difference("last-moment", "", "TIMESTAMP(2) of the last moment of 9999 is 1970-01-01 .99"),
    Difference("longest-time", "", "the longest time has nines in its fraction; .5 is no time"),
    Difference("slash", "2·1·cmd", "a leading / closes the connection, depending on packets"),
    Difference("stop-letter", "2·1·cmd", "a leading Q stops the whole port"),
    Difference("huge-id", "0·1|2·1·stmtnum_limit", "an id allocates memory for all ids below it"),
    Difference(
        "huge-in", "2·1·invalueslen", "a huge IN count closes the connection or kills the server",
    ),
]

DIFFERENCES = {difference.name: difference for difference in _ALL}
