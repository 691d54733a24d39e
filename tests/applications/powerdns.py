"""PowerDNS' authoritative server on its MySQL backend: zones made by its interface over HTTP, asked by DNS.

Its caches are off, so that each question reaches the database.
"""

import socket
import struct

from application import PASSWORD, ROOT, Application, servers
from web import Failure

KINDS = {"A": 1, "NS": 2, "CNAME": 5, "SOA": 6, "MX": 15, "TXT": 16, "AAAA": 28, "RRSIG": 46, "DNSKEY": 48}
NXDOMAIN = 3
ANSWER_WAIT_S_MAX = 10
ZONES = "/api/v1/servers/localhost/zones"
RECORDS = 300


class PowerDns(Application):
    name = "powerdns"
    package = "pdns-server"
    pages = {
        "zones": ZONES,
        "a zone": f"{ZONES}/house.example.",
        "search": "/api/v1/servers/localhost/search-data?q=*door*&max=100",
        "statistics": "/api/v1/servers/localhost/statistics",
    }

    def error_marks(self):
        return ("Exception", "GSQLBackend", "Unable to", "Fatal error")

    def options(self):
        """What its server and its tool are told of the database."""
        library = next(ROOT.glob("usr/lib/*/pdns"))
        return f"""launch=gmysql
module-dir={library}
gmysql-host=127.0.0.1
gmysql-port={self.port}
gmysql-dbname={self.database}
gmysql-user={self.user}
gmysql-password={PASSWORD}
gmysql-dnssec=yes
socket-dir={self.folder}
"""

    def install(self):
        self.load(ROOT / "usr/share/pdns-backend-mysql/schema/schema.mysql.sql")
        self.load(ROOT / "usr/share/pdns-backend-mysql/schema/enable-foreign-keys.mysql.sql")
        self.dns_port, port = servers.free_ports(2)
        self.write(
            self.folder / "pdns.conf",
            self.options() + f"""local-address=127.0.0.1
local-port={self.dns_port}
daemon=no
guardian=no
disable-syslog=yes
write-pid=no
webserver=yes
webserver-address=127.0.0.1
webserver-port={port}
api=yes
api-key={PASSWORD}
cache-ttl=0
query-cache-ttl=0
negquery-cache-ttl=0
zone-cache-refresh-interval=0
zone-metadata-cache-ttl=0
dnssec-key-cache-ttl=0
default-soa-edit=INCEPTION-INCREMENT
""",
        )
        self.spawn([ROOT / "usr/sbin/pdns_server", f"--config-dir={self.folder}"])
        self.open_browser(port)
        self.browser.headers["X-API-Key"] = PASSWORD
        self.eventually_answers()

    def eventually_answers(self):
        """Waits until a question is answered at all."""
        for _ in range(100):
            try:
                return self.ask("nowhere.example", "A")
            except OSError:
                continue
        raise Failure(f"no answer: {self.log_tail()}")

    def ask(self, name, kind, answered=None):
        """A question over UDP: the answer's code, and the answers of this or another kind as raw bytes."""
        labels = b"".join(bytes([len(label)]) + label.encode() for label in name.rstrip(".").split("."))
        # Answers of up to 4,096 bytes, signatures wanted.
        extended = b"\0" + struct.pack(">HHIH", 41, 4096, 0x8000, 0)
        question = (
            struct.pack(">HHHHHH", 7, 0x100, 1, 0, 0, 1)
            + labels
            + b"\0"
            + struct.pack(">HH", KINDS[kind], 1)
            + extended
        )
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sent:
            sent.settimeout(ANSWER_WAIT_S_MAX)
            sent.connect(("127.0.0.1", self.dns_port))
            sent.send(question)
            answer = sent.recv(8192)
        _, flags, _, count, _, _ = struct.unpack(">HHHHHH", answer[:12])
        at = skip_name(answer, 12) + 4
        found = []
        for _ in range(count):
            at = skip_name(answer, at)
            has, _, _, length = struct.unpack(">HHIH", answer[at : at + 10])
            if has == KINDS[answered or kind]:
                found.append(answer[at + 10 : at + 10 + length])
            at += 10 + length
        return flags & 15, found

    def expect_answer(self, name, kind, *expected):
        code, found = self.ask(name, kind)
        if code or sorted(found) != sorted(expected):
            raise Failure(f"{name} {kind}: code {code}, {found}, not {expected}")

    def change(self, zone, *sets):
        """Replaces or deletes sets of records: (name, kind, ttl, [content]), [] deletes."""
        sent = {
            "rrsets": [
                {
                    "name": name,
                    "type": kind,
                    "ttl": ttl,
                    "changetype": "REPLACE" if contents else "DELETE",
                    "records": [{"content": content, "disabled": False} for content in contents],
                }
                for name, kind, ttl, contents in sets
            ]
        }
        self.browser.send_json(f"{ZONES}/{zone}", sent, method="PATCH").expect(status=204)

    def tool(self, *words):
        return self.run([ROOT / "usr/bin/pdnsutil", f"--config-dir={self.folder}", *words])

    def action_make_a_zone(self):
        sent = {
            "name": "house.example.",
            "kind": "Native",
            "nameservers": ["ns1.house.example.", "ns2.house.example."],
            "account": "ann",
        }
        self.browser.send_json(ZONES, sent).expect(status=201)
        self.expect_value("SELECT COUNT(*) FROM records", 3)
        self.expect_answer("house.example", "NS", b"\3ns1\xc0\x0c", b"\3ns2\xc0\x0c")

    def action_refuse_a_zone_twice(self):
        sent = {"name": "house.example.", "kind": "Native", "nameservers": []}
        self.browser.send_json(ZONES, sent).expect(status=409)

    def action_add_records(self):
        self.change(
            "house.example.",
            ("door.house.example.", "A", 60, ["192.0.2.1", "192.0.2.2"]),
            ("door.house.example.", "AAAA", 60, ["2001:db8::1"]),
            ("house.example.", "MX", 60, ["10 door.house.example."]),
            ("house.example.", "TXT", 60, ['"with \\"quotes\\""']),
            ("*.garden.house.example.", "A", 60, ["192.0.2.9"]),
            ("www.house.example.", "CNAME", 60, ["door.house.example."]),
        )
        self.expect_answer("door.house.example", "A", bytes((192, 0, 2, 1)), bytes((192, 0, 2, 2)))
        self.expect_answer("DOOR.House.example", "A", bytes((192, 0, 2, 1)), bytes((192, 0, 2, 2)))
        self.expect_answer("any.garden.house.example", "A", bytes((192, 0, 2, 9)))
        self.expect_answer("house.example", "TXT", b'\x0dwith "quotes"')

    def action_follow_a_name(self):
        self.expect_answer("www.house.example", "A", bytes((192, 0, 2, 1)), bytes((192, 0, 2, 2)))

    def action_say_that_nothing_is_there(self):
        code, _ = self.ask("nothing.house.example", "A")
        if code != NXDOMAIN:
            raise Failure(f"code {code}")

    def action_change_records(self):
        self.change(
            "house.example.", ("door.house.example.", "A", 60, ["192.0.2.3"]), ("door.house.example.", "AAAA", 60, [])
        )
        self.expect_answer("door.house.example", "A", bytes((192, 0, 2, 3)))
        self.expect_answer("door.house.example", "AAAA")

    def action_refuse_a_wrong_record(self):
        sent = {
            "rrsets": [
                {
                    "name": "x.house.example.",
                    "type": "A",
                    "ttl": 1,
                    "changetype": "REPLACE",
                    "records": [{"content": "no address", "disabled": False}],
                }
            ]
        }
        self.browser.send_json(f"{ZONES}/house.example.", sent, method="PATCH").expect(status=422)

    def action_many_records(self):
        self.change(
            "house.example.",
            *[(f"d{number}.house.example.", "A", 60, [f"198.51.100.{number % 250}"]) for number in range(RECORDS)],
        )
        self.expect_answer("d299.house.example", "A", bytes((198, 51, 100, 49)))
        listed = self.browser.get(f"{ZONES}/house.example.").expect().json()
        if len(listed["rrsets"]) < RECORDS:
            raise Failure(f"{len(listed['rrsets'])} sets of records")

    def action_search(self):
        found = self.browser.get("/api/v1/servers/localhost/search-data?q=*door*&max=100").expect().json()
        if not any(one["name"] == "door.house.example." for one in found):
            raise Failure(str(found))

    def action_comment(self):
        sent = {
            "rrsets": [
                {
                    "name": "door.house.example.",
                    "type": "A",
                    "changetype": "REPLACE",
                    "comments": [{"content": "oak \u00fc", "account": "ann"}],
                }
            ]
        }
        self.browser.send_json(f"{ZONES}/house.example.", sent, method="PATCH").expect(status=204)
        self.browser.get(f"{ZONES}/house.example.").expect("oak")

    def action_sign_a_zone(self):
        self.tool("secure-zone", "house.example")
        self.tool("rectify-zone", "house.example")
        code, keys = self.ask("house.example", "DNSKEY")
        signatures = self.ask("door.house.example", "A", "RRSIG")[1]
        if code or len(keys) != 1 or len(signatures) != 1:
            raise Failure(f"code {code}, {len(keys)} keys, {len(signatures)} signatures")
        self.expect_value("SELECT COUNT(*) FROM cryptokeys", 1)

    def action_set_metadata(self):
        self.tool("set-meta", "house.example", "ALLOW-AXFR-FROM", "127.0.0.1", "192.0.2.0/24")
        self.expect_value("SELECT COUNT(*) FROM domainmetadata WHERE kind = 'ALLOW-AXFR-FROM'", 2)

    def action_check_and_list(self):
        if "0 errors" not in self.tool("check-zone", "house.example"):
            raise Failure("errors in the zone")
        if "d299.house.example" not in self.tool("list-zone", "house.example"):
            raise Failure("the list lacks a record")
        self.tool("list-all-zones")
        self.tool("increase-serial", "house.example")

    def action_load_a_zone(self):
        zone = self.folder / "other.zone"
        self.write(
            zone,
            "$ORIGIN other.example.\n@ 60 IN SOA ns.other.example. ann.other.example. 1 2 3 4 5\n@ IN NS ns\nns IN A 192.0.2.7\n",
        )
        self.tool("load-zone", "other.example", zone)
        self.expect_answer("ns.other.example", "A", bytes((192, 0, 2, 7)))

    def action_keys_for_transfers(self):
        self.tool("generate-tsig-key", "move", "hmac-sha256")
        self.expect_value("SELECT COUNT(*) FROM tsigkeys", 1)

    def action_take_part_in_supermasters(self):
        self.tool("add-autoprimary", "192.0.2.33", "ns1.example", "ann")
        self.expect_value("SELECT COUNT(*) FROM supermasters", 1)

    def action_delete_a_zone(self):
        self.browser.send(f"{self.site}{ZONES}/other.example.", method="DELETE").expect(status=204)
        self.expect_value("SELECT COUNT(*) FROM records WHERE name LIKE '%other.example'", 0)
        self.expect_value("SELECT COUNT(*) FROM domains", 1)


def skip_name(message, at):
    """Where a name ends in a message."""
    while message[at] and message[at] < 192:
        at += 1 + message[at]
    return at + (2 if message[at] >= 192 else 1)
