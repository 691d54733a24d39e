"""Clients of every door inside TLS and by each door's login: the server's own certificate is verified
by a file, `root` has a password, and nobody comes in without one.

curl and openssl stand for the doors whose clients speak no TLS of their own.
"""

import base64
import os
import pathlib
import ssl
import subprocess
import sys

import mysql.connector
import pylibmc
import pymemcache
import pymysql

PASSWORD = os.environ["ROOT_PASSWORD"]
AUTHORITY = os.environ["AUTHORITY"]
MYSQL = int(os.environ["PORT"])
MEMCACHED = int(os.environ["MEMCACHED_PORT"])
NEWEST = pathlib.Path.home() / ".cache" / "rowhouse" / "newest" / "bin"
VERSION = "SHOW STATUS LIKE 'Ssl_version'"
MYSQL2 = """
const connection = require("mysql2").createConnection({
  host: "localhost", port: process.env.PORT, user: "root", password: process.env.ROOT_PASSWORD,
  ssl: { ca: require("fs").readFileSync(process.env.AUTHORITY) },
});
connection.query("SHOW STATUS LIKE 'Ssl_version'", (error, rows) => {
  console.log(error ? String(error) : rows[0].Value);
  connection.end();
});
"""
failed = False


def port(door):
    return int(os.environ["TLS_" + door])


def check(name, wanted, got):
    global failed
    if wanted == got:
        print(f"ok encrypted: {name}")
    else:
        failed = True
        print(f"not ok encrypted: {name}: {got!r} instead of {wanted!r}")


def run(*command, given=b""):
    """What a program prints, and how it ends."""
    done = subprocess.run(command, input=given, capture_output=True, timeout=60, check=False)
    return done.stdout.decode(errors="replace"), done.returncode


def mysql_clients():
    connection = pymysql.connect(host="localhost", port=MYSQL, user="root", password=PASSWORD,
                                 ssl_ca=AUTHORITY, ssl_verify_cert=True, ssl_verify_identity=True)
    with connection.cursor() as cursor:
        cursor.execute(VERSION)
        check("PyMySQL, identity verified", "TLSv1.3", cursor.fetchone()[1])
        cursor.execute("CREATE DATABASE IF NOT EXISTS inside")
        cursor.execute("CREATE TABLE inside.t (id INT PRIMARY KEY, v VARCHAR(20))")
        cursor.execute("INSERT INTO inside.t VALUES (1, 'one')")
    connection.commit()
    for pure in (True, False):
        connector = mysql.connector.connect(
            host="127.0.0.1", port=MYSQL, user="root", password=PASSWORD, ssl_ca=AUTHORITY,
            ssl_verify_cert=True, ssl_verify_identity=True, use_pure=pure)
        cursor = connector.cursor()
        cursor.execute(VERSION)
        check(f"Connector/Python, pure: {pure}", "TLSv1.3", str(cursor.fetchone()[1]))
        connector.close()
    said, _ = run("node", "-e", MYSQL2)
    check("mysql2, verified", "TLSv1.3\n", said)
    way = [f"--port={MYSQL}", "--user=root", f"--password={PASSWORD}"]
    for name, host, more in [
        ("mariadb 10.11, verified", "localhost", ["--protocol=TCP", "--ssl-verify-server-cert"]),
        ("mysql 9.7, identity verified", "127.0.0.1", ["--ssl-mode=VERIFY_IDENTITY"]),
        ("mysql 9.7, TLS 1.2", "127.0.0.1", ["--ssl-mode=VERIFY_CA", "--tls-version=TLSv1.2"]),
    ]:
        program = "mariadb" if "mariadb" in name else str(NEWEST / "mysql")
        if not (program == "mariadb" or os.path.exists(program)):
            print(f"{name} is not there")
            continue
        said, _ = run(program, "--no-defaults", f"--host={host}", *way, f"--ssl-ca={AUTHORITY}", *more,
                      "-N", "-e", VERSION)
        wanted = "TLSv1.2" if "TLS 1.2" in name else "TLSv1.3"
        check(name, f"Ssl_version\t{wanted}\n", said)
    # An authority that has nothing to do with it.
    other = os.path.join(os.environ["WORK"], "other.pem")
    run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
        "-keyout", other + ".key", "-out", other, "-subj", "/CN=other")
    said, code = run("mariadb", "--no-defaults", "--host=localhost", "--protocol=TCP", *way,
                     f"--ssl-ca={other}", "--ssl-verify-server-cert", "-e", "SELECT 1")
    check("mariadb 10.11 trusts no other certificate", ("", 1), (said, code))


def memcached_clients():
    context = ssl.create_default_context(cafile=AUTHORITY)
    client = pymemcache.Client(("localhost", port("MEMCACHED")), tls_context=context, timeout=30,
                               default_noreply=False)
    try:
        client.get("a")
        check("pymemcache without a login", "refused", "answered")
    except pymemcache.exceptions.MemcacheClientError as error:
        check("pymemcache without a login", "unauthenticated", error.args[0].decode())
    client.close()
    check("pymemcache inside TLS logs in by a first set", True,
          client.set("login", f"root {PASSWORD}"))
    check("and stores", True, client.set("p:inside", b"hello"))
    check("and reads", b"hello", client.get("p:inside"))
    with_sasl = pylibmc.Client([f"127.0.0.1:{MEMCACHED}"], binary=True, username="root",
                               password=PASSWORD)
    check("pylibmc by SASL reads what came inside TLS", b"hello", with_sasl.get("p:inside"))
    check("and writes", True, with_sasl.set("p:sasl", "1"))
    wrong = pylibmc.Client([f"127.0.0.1:{MEMCACHED}"], binary=True, username="root", password="no")
    try:
        check("pylibmc with a wrong password", "refused", wrong.get("p:inside"))
    except pylibmc.Error:
        check("pylibmc with a wrong password", "refused", "refused")


def tyrant_over_curl():
    url = f"https://localhost:{port('TYRANT')}/inside"
    curl = ["curl", "-s", "--max-time", "30", "--cacert", AUTHORITY, "-w", "%{http_code}"]
    check("curl without a login", ("401", 0), run(*curl, "-o", "/dev/null", url))
    login = ["-u", f"root:{PASSWORD}"]
    put = run(*curl, *login, "-X", "PUT", "--data-binary", "hello", "-o", "/dev/null", url)
    check("curl puts by Basic", ("201", 0), put)
    check("and gets", ("hello200", 0), run(*curl, *login, url))
    check("with a wrong password", ("401", 0), run(*curl, "-u", "root:no", "-o", "/dev/null", url))
    _, code = run("curl", "-s", "--max-time", "30", url)
    check("curl that does not know the certificate ends it", 60, code)
    plain = f"http://localhost:{os.environ['TYRANT_PORT']}/inside"
    basic = base64.b64encode(f"root:{PASSWORD}".encode()).decode()
    check("and in plain text", ("hello200", 0),
          run(*curl, "-H", f"Authorization: Basic {basic}", plain))


def handlersocket_over_openssl():
    way = ["openssl", "s_client", "-quiet", "-ign_eof", "-CAfile", AUTHORITY,
           "-verify_return_error", "-verify_hostname", "localhost", "-connect",
           f"localhost:{port('HANDLERSOCKET')}"]
    lines = ["P\t1\tinside\tt\tPRIMARY\tv", f"A\t1\troot:{PASSWORD}", "P\t1\tinside\tt\tPRIMARY\tv",
             "1\t=\t1\t1"]
    # The door closes what is no request, which ends the program.
    asked = "".join(line + "\n" for line in lines).encode()
    process = subprocess.Popen(way, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL)
    process.stdin.write(asked)
    process.stdin.flush()
    answers = [process.stdout.readline().decode() for _ in lines]
    process.stdin.close()
    process.kill()
    process.wait()
    check("openssl s_client speaks HandlerSocket and logs in",
          ["3\t1\tunauth\n", "0\t1\n", "0\t1\n", "0\t1\tone\n"], answers)


for part in (mysql_clients, memcached_clients, tyrant_over_curl, handlersocket_over_openssl):
    try:
        part()
    except Exception as error:  # noqa: BLE001 (every failure is a failed test)
        failed = True
        print(f"not ok encrypted: {part.__name__}: {error!r}")
sys.exit(failed)
