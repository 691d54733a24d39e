"""Tests of drivers: that of Go, with its own runner, and those of frameworks for Node.js and of Hibernate,
whose packages hold no tests: for each of these a scenario of migrations, relations, transactions, upserts
and what the framework reads of tables (`node/`, `hibernate/`)."""

import json
import re
import shutil

from suite import CACHE, HERE, Suite


class GoSqlDriver(Suite):
    """go-sql-driver/mysql's own tests, but for one that asks a machine outside."""

    name = "go-sql-driver"
    version = "go-sql-driver/mysql 1.10.1"
    tool = "go"
    FOLDER = CACHE / "go-sql-driver"

    def run(self, port, whole):
        """The outcomes at the server of a port."""
        mysql = [shutil.which("mariadb") or "mysql", "-h127.0.0.1", f"-P{port}", "-uroot", "-e"]
        self.start([*mysql, "CREATE DATABASE gotest; SET GLOBAL local_infile = 1"], "/", port)
        access = {"USER": "root", "PASS": "", "PROT": "tcp", "ADDR": f"127.0.0.1:{port}", "DBNAME": "gotest"}
        written = self.start(
            ["go", "test", "-count=1", "-json", "-skip=^TestConnectorReturnsTimeout$", "./..."], self.FOLDER, port,
            **{f"MYSQL_TEST_{name}": value for name, value in access.items()},
        )
        outcomes = {}
        for line in written.splitlines():
            event = json.loads(line) if line.startswith("{") else {}
            outcome = {"pass": "passed", "fail": "failed", "skip": "skipped"}.get(event.get("Action"))
            if outcome and "Test" in event:
                outcomes[event["Test"]] = outcome
        return outcomes


def outcomes_written(written):
    """The outcomes that a scenario of ours has written, a step a line."""
    return {test: outcome for outcome, test in re.findall(r"^(passed|failed) (.+)$", written, re.MULTILINE)}


class Hibernate(Suite):
    """A scenario of Hibernate, over Connector/J, and at MariaDB over MariaDB's driver."""

    name = "hibernate"
    version = "Hibernate ORM 7.4.15"
    tool = "mvn"

    def run(self, port, whole):
        """The outcomes at the server of a port."""
        command = ["mvn", "-q", "-B", "compile", "exec:java", "-Dexec.mainClass=Scenario", "-Dexec.cleanupDaemonThreads=false"]
        return outcomes_written(self.start(command, HERE / "hibernate", port))


class NodeScenario(Suite):
    """A scenario of a framework for Node.js."""

    tool = "node"

    def run(self, port, whole):
        """The outcomes at the server of a port."""
        places = {"NODE_PATH": str(CACHE / "node_modules"), "PRISMA": str(CACHE / "prisma")}
        return outcomes_written(self.start(["node", f"{self.name}.js"], HERE / "node", port, **places))


class Knex(NodeScenario):
    name = "knex"
    version = "Knex 3.3.0"


class Sequelize(NodeScenario):
    name = "sequelize"
    version = "Sequelize 6.37.8"


class TypeOrm(NodeScenario):
    name = "typeorm"
    version = "TypeORM 0.3.31"


class Drizzle(NodeScenario):
    name = "drizzle"
    version = "Drizzle 0.45.4"


class Prisma(NodeScenario):
    """Its client and query compiler; its schema engine is a program that no package holds."""

    name = "prisma"
    version = "Prisma 7.10.0"
