# The mariadb command line client: batch, vertical and typed output, status, several statements,
# LOAD DATA LOCAL, an interrupted script, mariadb-admin.
set -u
failed=0
# Read by all of MariaDB's clients; a password given to one of them wins.
export MYSQL_PWD=$ROOT_PASSWORD
client() { mariadb -h 127.0.0.1 -P "$PORT" -u root --local-infile=1 "$@" 2>&1; }

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
admin() { mariadb-admin -h 127.0.0.1 -P "$PORT" -u root "$@" 2>&1; }
check "mariadb-admin ping" "*alive*" "$(admin ping)"
check "mariadb-admin processlist" "*root*" "$(admin processlist)"
check "a large result" "1000" "$(client with_cli --quick -N -e 'SELECT * FROM l' | wc -l)"
exit $failed
