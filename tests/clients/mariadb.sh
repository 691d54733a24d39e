# The mariadb command line client: batch, vertical and typed output, status, several statements,
# LOAD DATA LOCAL, an interrupted script, mariadb-admin.
set -u
failed=0
# Read by all of MariaDB's clients; a password given to one of them wins.
export MYSQL_PWD=$ROOT_PASSWORD
client() { mariadb -h 127.0.0.1 -P "$PORT" -u root --local-infile=1 \
    --default-character-set=utf8mb4 "$@" 2>&1; }

# usage: check NAME EXPECTED GOT      EXPECTED is a pattern of the shell
check() {
    # shellcheck disable=SC2053 # a pattern on purpose
    if [[ $3 == $2 ]]; then
        echo "ok mariadb: $1"
    else
        failed=1
        echo "not ok mariadb: $1: expected"
        printf '%s\n' "$2" "got" "$3"
    fi
}

version=8.0
[ -n "$STAND_IN" ] && version=10
check "version" "$version.*" "$(client -N -e 'SELECT VERSION()')"
check "status" "*Server version:*$version.*Uptime:*" "$(client -e status)"
client -e 'DROP DATABASE IF EXISTS with_cli; CREATE DATABASE with_cli'
check "a script" $'id\tname\n1\tone\n2\tNULL' "$(client with_cli <<'SQL'
-- a comment
CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(20)); # another
INSERT INTO t VALUES (1, 'one'), (2, NULL);
SELECT * FROM t;
SQL
)"
check "vertical output" $'*1. row*\n*id: 1\nname: one' \
    "$(client with_cli -e 'SELECT * FROM t WHERE id = 1\G')"
check "column types" "*Type:*LONG*NOT_NULL PRI_KEY*NUM*" \
    "$(client with_cli --table --column-type-info -e 'SELECT id FROM t')"
check "completion of names after USE" "2" \
    "$(client --auto-rehash -N -e 'USE with_cli; SELECT COUNT(*) FROM t')"
check "an error with its line" "*ERROR 1146 (42S02) at line 2: Table 'with_cli.u' doesn't exist" \
    "$(printf 'DO 1;\nSELECT * FROM u;\n' | client with_cli)"
seq 1 1000 | sed 's/.*/&,name &/' > "$WORK/cli.csv"
client with_cli -e 'CREATE TABLE l (id INT PRIMARY KEY, name VARCHAR(20))'
check "LOAD DATA LOCAL" "*1000 rows affected*Records: 1000*" "$(client with_cli -vvv -e \
    "LOAD DATA LOCAL INFILE '$WORK/cli.csv' INTO TABLE l FIELDS TERMINATED BY ','")"
check "a file that is not there" "*File '$WORK/none' not found*" \
    "$(client with_cli -e "LOAD DATA LOCAL INFILE '$WORK/none' INTO TABLE l")"
check "a password" "bob@localhost" \
    "$(mariadb -h 127.0.0.1 -P "$PORT" -u bob -psecret -N -e 'SELECT USER()' 2>&1)"
check "a wrong password" "*ERROR 1045 (28000)*'bob'@'localhost'*" \
    "$(mariadb -h 127.0.0.1 -P "$PORT" -u bob -pno -e 'SELECT 1' 2>&1)"
if [ -z "$STAND_IN" ]; then
    # MariaDB itself has it from a plugin that must be installed.
    signed() { mariadb -h 127.0.0.1 -P "$PORT" -u signed -p"$1" -N -e 'SELECT CURRENT_USER()' 2>&1; }
    client -e "DROP USER IF EXISTS signed; CREATE USER signed IDENTIFIED VIA ed25519
        USING PASSWORD('secret') OR mysql_native_password USING PASSWORD('second')"
    check "a password proved by ed25519" "signed@%" "$(signed secret)"
    check "the second way of an account" "signed@%" "$(signed second)"
    check "neither way" "*ERROR 1045 (28000)*'signed'@'localhost'*" "$(signed third)"
    check "both ways are shown" "*VIA 'ed25519' USING '*' OR 'mysql_native_password' USING '\**" \
        "$(client -N -e 'SHOW CREATE USER signed')"
    client -e 'DROP USER signed'
fi
admin() { mariadb-admin -h 127.0.0.1 -P "$PORT" -u root "$@" 2>&1; }
check "mariadb-admin ping" "*alive*" "$(admin ping)"
check "mariadb-admin processlist" "*root*" "$(admin processlist)"
check "a large result" "1000" "$(client with_cli --quick -N -e 'SELECT * FROM l' | wc -l)"
check "mariadb-admin create and drop" "*\"with_admin\" dropped*" \
    "$(admin create with_admin && admin -f drop with_admin)"
check "mariadb-show" "*| name *| varchar(20) *" \
    "$(mariadb-show -h 127.0.0.1 -P "$PORT" -u root with_cli l 2>&1)"
check "mariadb-check" "*with_cli.l*OK*with_cli.t*OK*" \
    "$(mariadb-check -h 127.0.0.1 -P "$PORT" -u root with_cli 2>&1)"
sed 's/^/9000/' "$WORK/cli.csv" > "$WORK/l.csv"
check "mariadb-import" "*Records: 1000 *Skipped: 0 *Warnings: 0*" "$(mariadb-import -h 127.0.0.1 \
    -P "$PORT" -u root --local --fields-terminated-by=, with_cli "$WORK/l.csv" 2>&1)"

# A dump, restored elsewhere, gives the same dump.
client with_cli <<'SQL'
CREATE TABLE kinds (id INT AUTO_INCREMENT PRIMARY KEY, b VARBINARY(9), d DECIMAL(9,2), f DOUBLE,
    t TIME(3), ts TIMESTAMP NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
    e ENUM('it''s', 'b') NOT NULL DEFAULT 'b', j JSON, v VARCHAR(50) COLLATE utf8mb4_bin,
    UNIQUE KEY by_d (d, e), KEY by_v (v(5))) COMMENT = 'every \\ kind';
INSERT INTO kinds VALUES (7, x'00ff275c0a', -1.5, 1e100, '-10:00:00.5', '2024-02-29 01:02:03',
    'it''s', '{"a": "\\"q\\""}', 'grün 😀\t\'\\');
INSERT INTO kinds VALUES (8, NULL, NULL, NULL, NULL, NULL, 'b', NULL, NULL);
SQL
dump() { mariadb-dump -h 127.0.0.1 -P "$PORT" -u root --skip-comments "$@" 2>&1; }
for options in "--opt" "--single-transaction --hex-blob --skip-extended-insert"; do
    # shellcheck disable=SC2086 # a list of words, on purpose
    dump $options with_cli > "$WORK/dump.sql"
    client -e 'DROP DATABASE IF EXISTS with_copy; CREATE DATABASE with_copy'
    check "a dump comes back, $options" "" "$(client with_copy < "$WORK/dump.sql")"
    # shellcheck disable=SC2086
    check "the same dump again, $options" "" "$(dump $options with_copy | diff - "$WORK/dump.sql")"
done
check "the dump has everything" "2001 7 -1.50 it's grün 😀" "$(client -N with_copy -e "
    SELECT CONCAT_WS(' ', (SELECT COUNT(*) FROM l) + (SELECT COUNT(*) FROM kinds WHERE j IS NULL),
        id, d, e, LEFT(v, 6)) FROM kinds WHERE b = x'00ff275c0a'")"
exit $failed
