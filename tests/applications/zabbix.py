"""Zabbix: its schema and data, its set-up pages, its server, which is sent values, and its pages and interface.

Foreign keys are what holds its tables together: after hosts are deleted no child may be without its parent.
"""

import gzip
import json
import re
import socket
import struct
import time

from application import PASSWORD, PHP_MARKS, ROOT, Application, servers
from web import Failure

ANSWER_WAIT_S_MAX = 30
PAGES = (
    "dashboard.list",
    "dashboard.view",
    "problem.view",
    "latest.view",
    "host.view",
    "charts.view",
    "host.list",
    "host.dashboard.view",
    "map.view",
    "discovery.view",
    "web.view",
    "service.list",
    "sla.list",
    "slareport.list",
    "report.status",
    "auditlog.list",
    "actionlog.list",
    "queue.overview",
    "queue.details",
    "scheduledreport.list",
    "usergroup.list",
    "user.list",
    "userrole.list",
    "authentication.edit",
    "token.list",
    "userprofile.edit",
    "mediatype.list",
    "script.list",
    "proxy.list",
    "module.list",
    "gui.edit",
    "autoreg.edit",
    "housekeeping.edit",
    "image.list",
    "iconmap.list",
    "regex.list",
    "macros.edit",
    "trigdisplay.edit",
    "miscconfig.edit",
    "discovery.list",
    "correlation.list",
    "report.status",
    "host.edit",
)
FILES = (
    "templates.php",
    "hostgroups.php",
    "maintenance.php",
    "actionconf.php?eventsource=0",
    "sysmaps.php",
    "toptriggers.php",
    "report2.php",
    "report4.php",
    "hostinventories.php",
    "hostinventoriesoverview.php",
    "items.php?context=host",
    "triggers.php?context=host",
    "graphs.php?context=host",
    "host_discovery.php?context=host",
    "httpconf.php?context=host",
)


class Zabbix(Application):
    name = "zabbix"
    package = "zabbix-server-mysql"
    unsteady_tables = (
        "history%",
        "trends%",
        "sessions",
        "auditlog",
        "alerts",
        "housekeeper",
        "proxy\\_%",
        "item\\_rtdata",
        "host\\_rtdata",
        "ids",
        "problem%",
        "event%",
        "task%",
        "ha\\_node",
        "triggers",
        "escalations",
        "globalvars",
        "profiles",
    )
    pages = {
        "dashboard": "/zabbix.php?action=dashboard.view&dashboardid=1",
        "hosts": "/zabbix.php?action=host.list",
        "host groups": "/hostgroups.php",
        "templates": "/templates.php",
        "problems": "/zabbix.php?action=problem.view",
        "latest data": "/zabbix.php?action=latest.view",
        "items of a host": "/items.php?context=host&filter_set=1&filter_hostids%5B0%5D=HOST",
        "triggers of a host": "/triggers.php?context=host&filter_set=1&filter_hostids%5B0%5D=HOST",
        "users": "/zabbix.php?action=user.list",
        "audit log": "/zabbix.php?action=auditlog.list",
    }

    def error_marks(self):
        return (
            *PHP_MARKS,
            "query failed",
            "Error in query",
            "SQL statement execution has failed",
            "Fatal error, please report",
        )

    def prepare(self):
        # Its manual wants this collation.
        self.make_database("utf8mb4 COLLATE utf8mb4_bin")
        schema, triggers, keys = re.split(r"(DELIMITER \$\$.*DELIMITER ;\n)", self.part("schema"), flags=re.S)
        self.load_text("schema", schema)
        has_triggers = self.take_triggers(triggers)
        self.load_text("keys", keys)
        for part in ("images", "data"):
            self.load_text(part, self.part(part))
        if not has_triggers:
            for table in ("hosts", "items"):
                length = 128 if table == "hosts" else 255
                self.sql(f"ALTER TABLE {table} MODIFY name_upper VARCHAR({length}) AS (UPPER(name)) STORED")

    def part(self, name):
        """One of the files that its package brings."""
        return gzip.decompress((ROOT / f"usr/share/zabbix-server-mysql/{name}.sql.gz").read_bytes()).decode("utf-8")

    def load_text(self, name, text):
        self.load(self.folder / f"{name}.sql", text=text)

    def take_triggers(self, triggers):
        """Whether there are triggers; where there are none, columns follow from others instead, to the same end."""
        try:
            self.load_text("triggers", triggers)
        except Failure as failure:
            if "1235" not in str(failure):
                raise
            return False
        return True

    def install(self):
        files = self.copy("usr", "share", "zabbix")
        for link in ("fonts/DejaVuSans.ttf", "assets/fonts/DejaVuSans.ttf"):
            (files / link).unlink()
        config = files / "include/classes/core/CConfigFile.php"
        self.write(
            config, config.read_text("utf-8").replace("/etc/zabbix/zabbix.conf.php", f"{self.folder}/zabbix.conf.php")
        )
        browser = self.serve_php(files)
        browser.get("/setup.php").expect("Welcome to")
        browser.submit("setup-form", button="next[1]").expect("Check of pre-requisites")
        browser.submit("setup-form", button="next[2]").expect("Configure DB connection")
        browser.submit(
            "setup-form",
            button="next[3]",
            type="MYSQL",
            server="127.0.0.1",
            port=self.port,
            database=self.database,
            user=self.user,
            password=PASSWORD,
            creds_storage="0",
            tls_encryption="0",
        ).expect("Settings", "Zabbix server name")
        browser.submit("setup-form", button="next[4]", zbx_server_name="The house").expect("Pre-installation summary")
        browser.submit("setup-form", button="next[5]").expect("Congratulations")
        browser.submit("setup-form", button="finish")
        self.start_server()

    def start_server(self):
        """Its server, of few processes, that looks for changes each second."""
        (self.trapper,) = servers.free_ports(1)
        self.write(
            self.folder / "zabbix_server.conf",
            f"""LogType=console
PidFile={self.folder}/zabbix_server.pid
SocketDir={self.folder}
ListenIP=127.0.0.1
ListenPort={self.trapper}
DBHost=127.0.0.1
DBPort={self.port}
DBName={self.database}
DBUser={self.user}
DBPassword={PASSWORD}
AllowRoot=1
AllowUnsupportedDBVersions=1
StartPollers=1
StartPollersUnreachable=1
StartTrappers=1
StartPingers=0
StartDiscoverers=1
StartHTTPPollers=1
StartPreprocessors=1
StartDBSyncers=2
StartAlerters=1
StartTimers=1
StartEscalators=1
StartLLDProcessors=1
CacheUpdateFrequency=1
FpingLocation=/bin/true
""",
        )
        self.spawn([ROOT / "usr/sbin/zabbix_server", "-f", "-c", self.folder / "zabbix_server.conf"])
        self.eventually(lambda: self.send([]))

    def send(self, values):
        """Sends values as `zabbix_sender` does: [(host, key, value)]; how many were taken."""
        asked = json.dumps(
            {
                "request": "sender data",
                "data": [{"host": host, "key": key, "value": value} for host, key, value in values],
            }
        ).encode()
        with socket.create_connection(("127.0.0.1", self.trapper), timeout=ANSWER_WAIT_S_MAX) as sent:
            sent.sendall(b"ZBXD\1" + struct.pack("<Q", len(asked)) + asked)
            answer = b""
            while piece := sent.recv(4096):
                answer += piece
        told = json.loads(answer[13:])
        return int(told["info"].split("processed: ")[1].split(";")[0])

    def api(self, method, **parameters):
        return self.call(method, parameters)

    def call(self, method, parameters):
        """Asks its interface for programs."""
        sent = {"jsonrpc": "2.0", "method": method, "params": parameters, "id": 1}
        if method != "user.login":
            sent["auth"] = self.auth
        answer = (
            self.browser.send_json("/api_jsonrpc.php", sent, {"Content-Type": "application/json-rpc"}).expect().json()
        )
        if "error" in answer:
            raise Failure(f"{method}: {answer['error']['message']} {answer['error']['data']}")
        return answer["result"]

    def action_log_in(self):
        self.browser.get("/index.php")
        self.browser.submit("name", button="enter", name="Admin", password="zabbix").expect("Dashboard", "The house")
        self.auth = self.api("user.login", username="Admin", password="zabbix")

    def action_refuse_a_wrong_password(self):
        stranger = self.other_browser()
        stranger.get("/index.php")
        stranger.submit("name", button="enter", name="Admin", password="wrong").expect(
            "Incorrect user name or password"
        )

    def action_all_pages(self):
        wrong = []
        for path in [f"/zabbix.php?action={name}" for name in PAGES] + [f"/{name}" for name in FILES]:
            try:
                self.browser.get(path).expect("Zabbix")
            except Failure as failure:
                wrong.append(str(failure)[:400])
        if wrong:
            raise Failure("\n".join(wrong))

    def action_make_a_group(self):
        self.browser.get("/hostgroups.php?form=create")
        self.browser.submit("name", button="add", name="Rooms \u00fc").expect("Group added")
        self.group = self.api("hostgroup.get", filter={"name": ["Rooms \u00fc"]})[0]["groupid"]

    def action_refuse_a_group_twice(self):
        try:
            self.api("hostgroup.create", name="Rooms \u00fc")
        except Failure as failure:
            if "already exists" in str(failure):
                return
            raise
        raise Failure("a group was made twice")

    def action_add_hosts(self):
        template = self.api("template.get", filter={"host": ["Linux by Zabbix agent"]})[0]["templateid"]
        self.hosts = {}
        for name in ("kitchen", "cellar", "attic"):
            self.hosts[name] = self.api(
                "host.create",
                host=name,
                groups=[{"groupid": self.group}],
                templates=[{"templateid": template}],
                interfaces=[{"type": 1, "main": 1, "useip": 1, "ip": "127.0.0.1", "dns": "", "port": "1"}],
                tags=[{"tag": "floor", "value": name}],
                macros=[{"macro": "{$LOAD}", "value": "5"}],
                inventory_mode=0,
                inventory={"location": "the house"},
            )["hostids"][0]
        self.pages = {label: path.replace("HOST", self.hosts["kitchen"]) for label, path in self.pages.items()}
        self.browser.get("/zabbix.php?action=host.list&filter_set=1").expect("kitchen", "cellar", "attic")
        self.expect_value(f"SELECT COUNT(*) > 40 FROM items WHERE hostid = {self.hosts['kitchen']}", 1)

    def action_hosts_by_names_in_either_case(self):
        # Names are told apart by case.
        self.api("host.create", host="Kitchen", groups=[{"groupid": self.group}])
        found = self.api("host.get", filter={"host": ["kitchen"]})
        if len(found) != 1:
            raise Failure(f"{len(found)} hosts named kitchen")
        if len(self.api("host.get", search={"host": "KITCH"})) != 2:
            raise Failure("hosts are not found in either case")

    def action_add_items(self):
        for kind, value_type in (("load", 0), ("count", 3), ("state", 1), ("log", 2), ("text", 4)):
            self.api(
                "item.create",
                hostid=self.hosts["kitchen"],
                name=f"The {kind}",
                key_=f"house.{kind}",
                type=2,
                value_type=value_type,
            )
        self.browser.get(
            f"/items.php?context=host&filter_set=1&filter_hostids[0]={self.hosts['kitchen']}&filter_name=The"
        ).expect("The load", "The state")

    def action_add_a_trigger(self):
        self.trigger = self.api(
            "trigger.create",
            description="It is loud in {HOST.NAME}",
            priority=4,
            expression="last(/kitchen/house.load)>{$LOAD}",
            tags=[{"tag": "noise", "value": "1"}],
        )["triggerids"][0]

    def action_send_values(self):
        self.eventually(
            lambda: self.sent_all(
                [
                    ("kitchen", "house.load", "1.5"),
                    ("kitchen", "house.count", "18446744073709551615"),
                    ("kitchen", "house.state", "f\u00fcnf"),
                    ("kitchen", "house.log", "a line"),
                    ("kitchen", "house.text", "x" * 5000),
                ]
            )
        )
        item = self.api("item.get", filter={"key_": "house.count"})[0]["itemid"]
        self.eventually(
            lambda: self.expect_value(
                f"SELECT value FROM history_uint WHERE itemid = {item} LIMIT 1", 18446744073709551615
            )
        )
        self.eventually(lambda: self.has_history("house.text", 4, "x" * 5000))

    def sent_all(self, values):
        if self.send(values) != len(values):
            raise Failure("the server did not take all values")

    def has_history(self, key, kind, value):
        item = self.api("item.get", filter={"key_": key})[0]["itemid"]
        found = self.api("history.get", itemids=[item], history=kind, limit=10)
        if value not in [one["value"] for one in found]:
            raise Failure(f"history of {key}: {str(found)[:300]}")

    def action_see_latest_values(self):
        self.browser.get(
            f"/zabbix.php?action=latest.view&filter_set=1&hostids[]={self.hosts['kitchen']}&name=The"
        ).expect("The load")
        self.browser.get(
            "/history.php?action=showvalues&itemids[]="
            + self.api("item.get", filter={"key_": "house.state"})[0]["itemid"]
        ).expect("The state")

    def action_have_a_problem(self):
        self.sent_all([("kitchen", "house.load", "9")])
        self.eventually(lambda: self.problems(1))
        self.browser.get("/zabbix.php?action=problem.view&show=1&filter_set=1").expect("Zabbix")

    def problems(self, count):
        found = self.api("problem.get", objectids=[self.trigger], selectTags="extend")
        if len(found) != count:
            raise Failure(f"{len(found)} problems")
        return found

    def action_acknowledge_a_problem(self):
        event = self.problems(1)[0]["eventid"]
        self.api("event.acknowledge", eventids=[event], action=6, message="I close the door")
        self.expect_value(f"SELECT message FROM acknowledges WHERE eventid = {event}", "I close the door")

    def action_have_it_solved(self):
        self.sent_all([("kitchen", "house.load", "0.5")])
        self.eventually(lambda: self.solved())

    def solved(self):
        found = self.api("problem.get", objectids=[self.trigger], recent=True)
        if not found or found[0]["r_eventid"] == "0":
            raise Failure("the problem is not solved")

    def action_discover(self):
        host = self.hosts["attic"]
        rule = self.api("discoveryrule.create", hostid=host, name="Doors", key_="house.doors", type=2, delay="0")[
            "itemids"
        ][0]
        self.api(
            "itemprototype.create",
            hostid=host,
            ruleid=rule,
            name="Door {#D}",
            key_="door[{#D}]",
            type=2,
            value_type=3,
            delay="0",
        )
        self.api("triggerprototype.create", description="Door {#D} is open", expression="last(/attic/door[{#D}])=1")
        self.eventually(
            lambda: self.sent_all(
                [("attic", "house.doors", json.dumps([{"{#D}": name} for name in ("front", "back", "side")]))]
            )
        )
        self.eventually(
            lambda: self.expect_value(
                f"SELECT COUNT(*) FROM items WHERE hostid = {host} AND key_ LIKE 'door[%' AND flags = 4", 3
            )
        )

    def action_many_values(self):
        values = [("kitchen", "house.load", str(number % 5)) for number in range(1000)]
        self.sent_all(values)
        item = self.api("item.get", filter={"key_": "house.load"})[0]["itemid"]
        self.eventually(lambda: self.expect_value(f"SELECT COUNT(*) >= 1000 FROM history WHERE itemid = {item}", 1))

    def action_maintenance(self):
        now = int(time.time())
        self.api(
            "maintenance.create",
            name="Cleaning",
            active_since=now - 3600,
            active_till=now + 86400,
            groups=[{"groupid": self.group}],
            timeperiods=[{"timeperiod_type": 0, "start_date": now, "period": 3600}],
            tags=[{"tag": "floor", "operator": 2, "value": "attic"}],
        )
        self.browser.get("/maintenance.php").expect("Cleaning")

    def action_users(self):
        group = self.api("usergroup.create", name="Keepers", rights=[{"permission": 2, "id": self.group}])[
            "usrgrpids"
        ][0]
        self.api(
            "user.create",
            username="bob",
            passwd=PASSWORD,
            roleid="1",
            usrgrps=[{"usrgrpid": group}],
            name="Bob",
            surname="M\u00fcller",
        )
        bob = self.other_browser()
        bob.get("/index.php")
        bob.submit("name", button="enter", name="bob", password=PASSWORD).expect("Dashboard")
        bob.get("/zabbix.php?action=latest.view&filter_set=1").expect("Latest data")
        bob.get("/zabbix.php?action=user.list").expect("Access denied", status=None)
        self.browser.get("/zabbix.php?action=user.list").expect("bob", "Keepers")

    def action_tokens_and_roles(self):
        self.api("role.create", name="Reader", type=1, rules={"api.mode": 0, "ui.default_access": 1})
        token = self.api("token.create", name="script", userid="1")["tokenids"][0]
        self.call("token.generate", [token])
        self.browser.get("/zabbix.php?action=token.list").expect("script")

    def action_an_action(self):
        self.api(
            "action.create",
            name="Tell Ann",
            eventsource=0,
            status=0,
            esc_period="2m",
            filter={"evaltype": 0, "conditions": [{"conditiontype": 0, "operator": 0, "value": self.group}]},
            operations=[
                {
                    "operationtype": 0,
                    "esc_step_from": 1,
                    "esc_step_to": 1,
                    "opmessage": {"default_msg": 1, "mediatypeid": "1"},
                    "opmessage_grp": [{"usrgrpid": "7"}],
                }
            ],
        )
        self.browser.get("/actionconf.php?eventsource=0").expect("Tell Ann")

    def action_dashboards_maps_and_graphs(self):
        items = [
            one["itemid"]
            for one in self.api(
                "item.get", hostids=self.hosts["kitchen"], filter={"key_": ["house.load", "house.count"]}
            )
        ]
        self.api(
            "graph.create",
            name="Noise",
            width=600,
            height=200,
            gitems=[{"itemid": item, "color": f"00AA{number}0"} for number, item in enumerate(items)],
        )
        self.api(
            "dashboard.create",
            name="The rooms",
            pages=[{"widgets": [{"type": "problems", "x": 0, "y": 0, "width": 12, "height": 5, "view_mode": 0}]}],
        )
        self.api(
            "map.create",
            name="Ground floor",
            width=400,
            height=300,
            selements=[
                {
                    "selementid": "1",
                    "elements": [{"hostid": self.hosts["kitchen"]}],
                    "elementtype": 0,
                    "iconid_off": "2",
                    "x": 10,
                    "y": 10,
                },
                {
                    "selementid": "2",
                    "elements": [{"hostid": self.hosts["cellar"]}],
                    "elementtype": 0,
                    "iconid_off": "2",
                    "x": 90,
                    "y": 90,
                },
            ],
            links=[{"selementid1": "1", "selementid2": "2"}],
        )
        self.browser.get("/zabbix.php?action=dashboard.list").expect("The rooms")
        self.browser.get("/sysmaps.php").expect("Ground floor")
        self.browser.get(f"/graphs.php?context=host&filter_set=1&filter_hostids[0]={self.hosts['kitchen']}").expect(
            "Noise"
        )

    def action_services(self):
        self.api(
            "service.create",
            name="Warmth",
            algorithm=1,
            sortorder=1,
            problem_tags=[{"tag": "noise", "operator": 0, "value": "1"}],
        )
        self.api(
            "sla.create",
            name="Always warm",
            slo="99.9",
            period="0",
            timezone="UTC",
            effective_date=1672531200,
            service_tags=[{"tag": "a", "operator": 0, "value": "b"}],
        )
        self.browser.get("/zabbix.php?action=service.list").expect("Warmth")

    def action_web_scenarios(self):
        self.api(
            "httptest.create",
            name="Front page",
            hostid=self.hosts["kitchen"],
            steps=[{"name": "home", "url": "http://127.0.0.1:1/", "status_codes": "200", "no": 1}],
        )
        self.browser.get(f"/httpconf.php?context=host&filter_set=1&filter_hostids[0]={self.hosts['kitchen']}").expect(
            "Front page"
        )

    def action_export_and_import(self):
        written = self.api("configuration.export", options={"hosts": [self.hosts["cellar"]]}, format="xml")
        changed = written.replace(">cellar<", ">second cellar<")
        self.call(
            "configuration.import",
            {
                "format": "xml",
                "source": changed,
                "rules": {
                    "hosts": {"createMissing": True, "updateExisting": True},
                    "items": {"createMissing": True},
                    "triggers": {"createMissing": True},
                    "groups": {"createMissing": True},
                    "templateLinkage": {"createMissing": True},
                    "discoveryRules": {"createMissing": True},
                    "graphs": {"createMissing": True},
                    "valueMaps": {"createMissing": True},
                },
            },
        )
        here, there = (
            self.value(f"SELECT COUNT(*) FROM items JOIN hosts USING (hostid) WHERE host = '{host}'")
            for host in ("cellar", "second cellar")
        )
        if here != there:
            raise Failure(f"{here} items, of the copy {there}")

    def action_change_many_items(self):
        items = [one["itemid"] for one in self.api("item.get", hostids=self.hosts["cellar"], inherited=True)]
        self.call("item.update", [{"itemid": item, "status": 1} for item in items])
        self.expect_value(
            f"SELECT COUNT(*) FROM items WHERE hostid = {self.hosts['cellar']} AND status = 1 AND templateid IS NOT NULL AND flags = 0",
            len(items),
        )

    def action_unlink_a_template(self):
        template = self.api("template.get", filter={"host": ["Linux by Zabbix agent"]})[0]["templateid"]
        self.api("host.update", hostid=self.hosts["cellar"], templates_clear=[{"templateid": template}])
        self.expect_value(f"SELECT COUNT(*) FROM items WHERE hostid = {self.hosts['cellar']}", 0)
        self.no_orphans()

    def action_clone_a_template(self):
        written = self.api(
            "configuration.export",
            options={
                "templates": [self.api("template.get", filter={"host": ["Zabbix server health"]})[0]["templateid"]]
            },
            format="json",
        )
        self.call(
            "configuration.import",
            {
                "format": "json",
                "source": written,
                "rules": {
                    "templates": {"updateExisting": True, "createMissing": True},
                    "items": {"updateExisting": True},
                    "triggers": {"updateExisting": True},
                },
            },
        )

    def action_delete_hosts(self):
        self.call("host.delete", [self.hosts["kitchen"], self.hosts["attic"]])
        self.pages = {label: path for label, path in self.pages.items() if " of a host" not in label}
        self.expect_value("SELECT COUNT(*) FROM hosts WHERE host IN ('kitchen', 'attic')", 0)
        self.no_orphans()

    def no_orphans(self):
        """No child of any foreign key is without its parent."""
        keys = self.sql(
            "SELECT constraint_name, table_name, column_name, referenced_table_name, referenced_column_name"
            f" FROM information_schema.key_column_usage WHERE table_schema = '{self.database}' AND referenced_table_name IS NOT NULL"
        )
        if len(keys) < 150:
            raise Failure(f"{len(keys)} foreign keys")
        counted = self.sql(
            ";".join(
                f"SELECT '{name}', COUNT(*) FROM `{child}` c LEFT JOIN `{parent}` p ON c.`{column}` = p.`{referenced}` WHERE c.`{column}` IS NOT NULL AND p.`{referenced}` IS NULL"
                for name, child, column, parent, referenced in keys
            )
        )
        if orphans := [(name, count) for name, count in counted if count != "0"]:
            raise Failure(f"children without parents: {orphans}")

    def action_log_out(self):
        self.call("user.logout", [])
        try:
            self.api("host.get", limit=1)
        except Failure as failure:
            if "terminated" in str(failure):
                return
            raise
        raise Failure("the session goes on")
