"""Clients of MySQL 9.7 and MariaDB 11.8, where scripts/newest has unpacked them, and of 10.11 and 9.7's own
library in Python, by each method that an account may log in by: inside TLS, with the certificate verified by a
file or by the account's password as MariaDB's clients do it unasked, at the UNIX socket, and without TLS by RSA.
"""

import os
import pathlib
import subprocess
import sys

import pymysql

ROOT = os.environ["ROOT_PASSWORD"]
AUTHORITY = os.environ["AUTHORITY"]
PORT = os.environ["PORT"]
NEWEST = pathlib.Path.home() / ".cache" / "rowhouse" / "newest"
PLUGINS = NEWEST / "root/usr/lib/x86_64-linux-gnu/libmariadb3/plugin"
VERSION = "SHOW STATUS LIKE 'Ssl_version'"
ACCOUNTS = {
    "sha2": "caching_sha2_password USING PASSWORD('secret')",
    "native": "mysql_native_password USING PASSWORD('secret')",
    "ed": "ed25519 USING PASSWORD('secret')",
    "par": "parsec USING PASSWORD('secret')",
    "twice": "parsec USING PASSWORD('other') OR parsec USING PASSWORD('secret')",
    "mixed": "mysql_native_password USING 'invalid' OR unix_socket AS 'nobody-is-called-so' OR ed25519 USING "
             "PASSWORD('secret')",
}
# What a server's certificate is proved by, where nothing else verifies it.
PROVING = ("native", "ed", "par")
failed = False


def check(name, wanted, got):
    global failed
    if wanted == got:
        print(f"ok methods: {name}")
    else:
        failed = True
        print(f"not ok methods: {name}: {got!r} instead of {wanted!r}")


def login(program, user, password, *more, host="localhost"):
    """The version of TLS that a login got, or the number of its error."""
    command = [program, "--no-defaults", f"--host={host}", "--protocol=TCP", f"--port={PORT}", f"--user={user}",
               f"--password={password}", *more, "-N", "-e", VERSION]
    done = subprocess.run(command, capture_output=True, timeout=60, check=False, text=True)
    said = done.stdout.split("\t")
    if done.returncode == 0 and len(said) == 2:
        return said[1].strip() or "plain"
    words = done.stderr.split("ERROR ")[-1].split()
    return words[0] if words else done.stderr


def make_accounts():
    connection = pymysql.connect(host="localhost", port=int(PORT), user="root", password=ROOT, ssl_ca=AUTHORITY)
    with connection.cursor() as cursor:
        for name, ways in ACCOUNTS.items():
            cursor.execute(f"CREATE USER {name} IDENTIFIED VIA {ways}")
        # The one before still holds.
        cursor.execute("CREATE USER rotated IDENTIFIED BY 'older'")
        cursor.execute("ALTER USER rotated IDENTIFIED BY 'secret' RETAIN CURRENT PASSWORD")
    connection.close()


def mysql_client():
    program = NEWEST / "bin" / "mysql"
    if not program.exists():
        print("mysql 9.7 is not there")
        return
    for user in ("sha2", "rotated"):
        verified = ["--ssl-mode=VERIFY_IDENTITY", f"--ssl-ca={AUTHORITY}"]
        check(f"mysql 9.7, verified, {user}", "TLSv1.3", login(program, user, "secret", *verified))
        check(f"mysql 9.7, a wrong password, {user}", "1045", login(program, user, "wrong", *verified))
    check("mysql 9.7, the password before", "TLSv1.3", login(program, "rotated", "older"))
    plain = ["--ssl-mode=DISABLED", "--get-server-public-key"]
    check("mysql 9.7, in plain text by RSA", "plain", login(program, "sha2", "secret", *plain))
    check("mysql 9.7, a wrong password by RSA", "1045", login(program, "sha2", "wrong", *plain))
    # Its own server has no native passwords any more, nor has this client.
    check("mysql 9.7 has no native passwords", "2059", login(program, "native", "secret"))


def mariadb_client():
    program = NEWEST / "bin" / "mariadb"
    if not program.exists():
        print("mariadb 11.8 is not there")
        return
    plugins = f"--plugin-dir={PLUGINS}"
    for user in ACCOUNTS:
        verified = [plugins, f"--ssl-ca={AUTHORITY}"]
        check(f"mariadb 11.8, verified by a file, {user}", "TLSv1.3", login(program, user, "secret", *verified))
        check(f"mariadb 11.8, a wrong password, {user}", "1045", login(program, user, "wrong", *verified))
    # What this client asks for unasked. At the name `localhost` it takes no certificate that signed itself.
    for user in PROVING:
        got = login(program, user, "secret", plugins, host="127.0.0.1")
        check(f"mariadb 11.8, verified by the password, {user}", "TLSv1.3", got)
    got = login(program, "native", "wrong", plugins, host="127.0.0.1")
    check("mariadb 11.8, a wrong password, unverified", "1045", got)
    plain = [plugins, "--skip-ssl"]
    for user in PROVING:
        check(f"mariadb 11.8, in plain text, {user}", "plain", login(program, user, "secret", *plain))


def older_mariadb_client():
    for user in ("native", "sha2"):
        verified = [f"--ssl-ca={AUTHORITY}", "--ssl-verify-server-cert"]
        check(f"mariadb 10.11, verified, {user}", "TLSv1.3", login("mariadb", user, "secret", *verified))
        check(f"mariadb 10.11, a wrong password, {user}", "1045", login("mariadb", user, "wrong", *verified))


for part in (make_accounts, mysql_client, mariadb_client, older_mariadb_client):
    try:
        part()
    except Exception as error:  # noqa: BLE001 (every failure is a failed test)
        failed = True
        print(f"not ok methods: {part.__name__}: {error!r}")
sys.exit(failed)
