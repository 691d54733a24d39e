"""The main suite of MariaDB 10.11's own tests, each of whose statements MariaDB and MySQL 9.7 judge.

A file passes if every statement's answer (rows, warnings, error) is the one of MariaDB or that of MySQL,
which Rowhouse follows where the two differ; and if the server survives.

Aside, and counted, are files that by their text
1. start a server with options of their own, or stop it (`options`, `restart`);
2. ask for what Rowhouse leaves out: triggers, stored routines, events, XML, spatial types, replication,
   plugins, other engines and caches of theirs, servers built for debugging;
3. that MariaDB, started as here, skips or does not run to its end with the errors that they expect;
4. in which no statement is left to judge.

Of the statements these are not judged:
5. what tells plans, costs, statistics and counters (`UNJUDGED`);
6. those that MySQL refuses, and MariaDB not, for their syntax or for what it has not (`NOT_MYSQL`), and
   from then on those that name the same tables, until these are dropped or made anew: Rowhouse may
   know as much of MariaDB's syntax as it likes;
7. the words of an error where MySQL refuses: Rowhouse may refuse for another reason.

What is alike for all judgement: engines' names, default character sets and collations, the servers' own
databases, warnings that something is deprecated; the order of rows where no outer ORDER BY is, or the
judges differ in it alone.

Not here: how a file is run (`mysqltest`).
"""

import collections
import difflib
import functools
import pathlib
import re
import tempfile

import mysqltest
from suite import Suite

FILE_RULES = {
    "restart": r"restart_mysqld|shutdown_(mysqld|server)|restart_server|kill_mysqld|\$mysqld\b|mysqld_(help|boot)|mysqladmin\b.*shutdown"
               r"|^\s*(send\s+)?shutdown\s*;|\$mysql_(upgrade|install_db|embedded|client_test|slap)",
    "debug": r"have_debug|debug_dbug|debug_sync",
    "replication": r"have_log_bin|have_binlog|master-slave|mysqlbinlog|\b(start|stop|reset|show)\s+(all\s+)?(slaves?|master|binlog|binary\s+logs)\b",
    "plugins": r"install\s+(plugin|soname)|\bsoname\b|have_\w*(plugin|udf|example)",
    "triggers": r"\bcreate\s[^;]{0,60}\btrigger\b",
    "routines": r"\bcreate\s[^;]{0,60}\b(procedure|function|package)\b|\bbegin\s+not\s+atomic|\bcall\s+\w+\s*\("
                r"|^\s*for\s+\w+\s+in\b",
    "events": r"\bcreate\s[^;]{0,60}\bevent\b",
    "XML": r"extractvalue|updatexml|load\s+xml",
    "spatial": r"geomfromtext|\bst_(\w+from|as|is|x|y|dist|area)\w*\s*\(|\bgeometry\b|\blinestring|\bpolygon|\bpoint\s*\(",
    "engines": r"\bengine\s*=?\s*(merge|mrg_myisam|aria|csv|blackhole|archive|federated|maria|example)|\binsert\s+delayed\b"
               r"|\bcache\s+index\b|have_query_cache|\bkey_cache\w*\.",
    "Perl": r"^[ \t]*(--[ \t]*)?perl\b",
}
OWN_OPTIONS = (".opt", "-master.opt", ".cnf", "-master.sh", ".combinations")
UNJUDGED = re.compile(
    r"\(*(explain|analyze|desc(ribe)?\s+(extended|format|select)|show\s+((global|session|local)\s+)?(status|explain|profiles?|engines?|processlist"
    r"|full|plugins|open|(index_|user_|client_|table_)?statistics|analyze)\b|check\s+table|(dis)?connection\b|disconnect|optimize|repair|checksum|flush)|.*(optimizer_trace"
    r"|information_schema\.(\w+_status|processlist|plugins|engines|profiling|\w*statistics|innodb\w*|metrics|system_variables|tables\b)|connection_id|last_query_cost"
    r"|mysql\.(\w+_stats?|global_priv|user|db|proc|func|plugin|\w+_priv)\b|performance_schema)", re.IGNORECASE | re.DOTALL,
)
# Deprecations, what an engine does not know, what EXPLAIN notes.
UNJUDGED_WARNING = re.compile(r"(Warning|Note)\t(1681|1287|3778|3719|3720|1618|1708|1266|1235|3090|4095|1543|1831|1003|3135|3502|4079)\t")
# What the client says of its own, and the servers' own databases.
NO_ANSWER = re.compile(r"#|\a?mysqltest: |At line \d+: |included from |not ok|ok$|\s*$|(sys|kv|rowhouse|tyrant|performance_schema)$")
NOT_MYSQL = re.compile(
    r"ERROR \w+: (You have an error in your SQL syntax|Table '.*' doesn't exist|Unknown (system variable|column|table|storage engine|collation|database"
    r"|character set)|FUNCTION .* does not exist|Key '.*' doesn't exist)"
)
MADE = re.compile(r"create\s+(or\s+replace\s+)?(temporary\s+)?(?:algorithm\s*=\s*\w+\s+)?(table|view|sequence)\s+(if\s+not\s+exists\s+)?`?([\w.]+)`?", re.IGNORECASE)
DROPPED = re.compile(r"drop\s+(temporary\s+)?(table|view|database|schema)s?\b", re.IGNORECASE)
DEFAULTS = (
    (re.compile(r"ENGINE=\w+"), "ENGINE=E"),
    (re.compile(r" COLLATE[= ]((?!latin[17]_|binary)\w+_general_ci|latin1_swedish_ci|latin5_turkish_ci|latin7_general_ci|utf8mb4_0900_ai_ci"
                r"|(sjis|ujis|cp932|eucjpms)_japanese_ci|(gbk|gb2312|big5)_chinese_ci|euckr_korean_ci|tis620_thai_ci)\b"), ""),
    (re.compile(r" ?(DEFAULT )?(CHARSET|CHARACTER SET)[= ]utf8mb4\b"), ""),
    (re.compile(r"utf8mb4_0900_ai_ci"), "utf8mb4_general_ci"),
    (re.compile(r" USING BTREE"), ""),
)
# One for all servers, for answers may name it: what files read and write.
FOLDER = tempfile.TemporaryDirectory(prefix="suites-main-")


class MariaDbMain(Suite):
    """The files of the main suite that are not aside by their text; how they went at one server."""

    name = "mariadb-main"
    version = "main suite of mariadb-test 10.11"
    tool = "mysqltest"
    answers_judged = True
    flags = (f"--files={FOLDER.name}",)

    def __init__(self):
        super().__init__()
        self.transcripts = {}
        self.original = False

    def run(self, port, whole):
        """The outcomes at the server of a port: whether a file ran to its end as it expects to."""
        outcomes = {}
        server = mysqltest.Server(port, FOLDER.name)
        self.original = server.original
        for name in files()[0]:
            code, written = server.run(name)
            self.transcripts[name] = mysqltest.transcript(written, mysqltest.source(name))
            outcomes[name] = {0: "passed", mysqltest.SKIPPED: "skipped"}.get(code, "failed")
        return outcomes

    def judged(self, outcomes, judges):
        """The outcomes here, by the answers of the judges: pairs of outcomes there, and of the suite that had them."""
        (passed, mariadb), *others = sorted(judges, key=lambda judge: not judge[1].original)
        aside = collections.Counter(files()[1])
        judged = {}
        for name in outcomes:
            if passed[name] != "passed":
                aside["MariaDB does not pass it"] += 1
                continue
            theirs = [one.transcripts[name] for one in (mariadb, *(one for _, one in others))]
            faults, count = faults_of(self.transcripts[name], theirs)
            if not count:
                aside["nothing to judge"] += 1
                continue
            judged[name] = "failed" if faults else "passed"
            for statement, *answers in faults:
                self.output += f"== {name}: {statement}\n"
                for server, lines in zip(("here", "MariaDB", "MySQL"), answers):
                    self.output += "".join(f"{server}: {line}\n" for line in lines)
        print(f"{self.name}: aside " + ", ".join(f"{count} {rule}" for rule, count in aside.most_common()))
        return judged


@functools.cache
def files():
    """The names of the files that are not aside by their text; how many are, by rule."""
    names, aside = [], collections.Counter()
    for path in sorted((mysqltest.BASE / "main").glob("*.test")):
        text = re.sub(r"^\s*#.*$", "", "\n".join(mysqltest.source(path.stem)), flags=re.MULTILINE)
        if any(pathlib.Path(f"{path.with_suffix('')}{end}").exists() for end in OWN_OPTIONS):
            aside["options"] += 1
        elif rule := next((rule for rule, pattern in FILE_RULES.items() if re.search(pattern, text, re.IGNORECASE | re.MULTILINE)), None):
            aside[rule] += 1
        else:
            names.append(path.stem)
    return names, aside


def told(statement):
    """An answer without what is not judged of it."""
    lines = []
    for line in statement.answer:
        if NO_ANSWER.match(line) or UNJUDGED_WARNING.match(line) or line == "Warnings:":
            continue
        for pattern, alike in DEFAULTS:
            line = pattern.sub(alike, line)
        lines.append(line)
    return lines if re.search(r"order\s+by", outer(statement.text), re.IGNORECASE) else sorted(lines)


def outer(text):
    """A statement's text without what stands between parentheses."""
    while (shorter := re.sub(r"\([^()]*\)", "", text)) != text:
        text = shorter
    return text


def refused(answer):
    """Whether an answer is an error."""
    return any(line.startswith(("ERROR ", "Got one of the listed errors")) for line in answer)


def aligned(transcript, others):
    """For each statement of a transcript its counterpart in another one, or None."""
    texts, other_texts = [one.text for one in transcript], [one.text for one in others]
    if texts == other_texts:
        return others
    found = [None] * len(texts)
    for at, other_at, size in difflib.SequenceMatcher(None, texts, other_texts, autojunk=False).get_matching_blocks():
        found[at:at + size] = others[other_at:other_at + size]
    return found


class OwnTables:
    """The tables that MySQL has otherwise than MariaDB, for it has refused a statement that made or changed them."""

    def __init__(self):
        self.made, self.own = set(), set()

    def named(self, text):
        """The tables of the file that a statement names."""
        if found := MADE.match(text):
            self.made.add(found.group(5).lower())
        return self.made & set(re.findall(r"[\w.]+", text.lower()))

    def follow(self, text, mariadb, mysql):
        """Whether a statement names none of these tables, after which those that it writes may have become some."""
        named = self.named(text)
        if not refused(mariadb) and any(map(NOT_MYSQL.match, mysql)):
            self.own |= named
            return False
        if DROPPED.match(text) or MADE.match(text) and not refused(mysql):
            self.own -= named if DROPPED.match(text) else {MADE.match(text).group(5).lower()}
        if not named & self.own:
            return True
        if not re.match(r"\(*(select|show|with|values|desc)", text, re.IGNORECASE):
            self.own |= named
        return False


def faults_of(ours, theirs):
    """The statements that are answered as no judge answers them, each with the answers here and there; how many were judged."""
    original = theirs[0]
    counterparts = [aligned(original, transcript) for transcript in (*theirs[1:], ours)]
    faults, judged, own = [], 0, OwnTables()
    for at, statement in enumerate(original):
        *others, here = (counterpart[at] for counterpart in counterparts)
        answers = [told(one) for one in (statement, *others) if one is not None]
        if not own.follow(statement.text, answers[0], answers[-1]) or not statement.text or UNJUDGED.match(statement.text):
            continue
        if here is None:
            # Where a judge took another way too, the file's commands led there.
            if all(others):
                faults.append((statement.text, ["(not asked)"], *answers))
            continue
        answer = told(here)
        if any(line.startswith("id\tselect_type\t") for line in answer):
            continue
        if sorted(answers[0]) == sorted(answers[-1]) and answers[0] != answers[-1]:
            # An order in which judges put rows otherwise is none that is asked for.
            answers, answer = [sorted(answers[0])], sorted(answer)
        judged += 1
        if answer not in answers and not (refused(answer) and any(map(refused, answers[1:]))):
            faults.append((statement.text, answer, *answers))
    return faults, judged
