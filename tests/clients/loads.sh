# Load generators as they come: mysqlslap, and sysbench's point select, update and insert.
set -u
failed=0

# usage: check NAME COMMAND...
check() {
    local name=$1
    shift
    if output=$("$@" 2>&1) && ! grep -qE 'FATAL|ERROR|Error:' <<<"$output"; then
        echo "ok loads: $name"
    else
        failed=1
        echo "not ok loads: $name"
        tail -n 5 <<<"$output"
    fi
}

export MYSQL_PWD=$ROOT_PASSWORD
sql() { mariadb -h 127.0.0.1 -P "$PORT" -u root "$@"; }
sql -e 'DROP DATABASE IF EXISTS with_loads; CREATE DATABASE with_loads'

# usage: same NAME EXPECTED QUERY
same() {
    local got
    got=$(sql -N with_loads -e "$3" 2>&1 | tr '\t' ' ')
    if [ "$got" = "$2" ]; then
        echo "ok loads: $1"
    else
        failed=1
        echo "not ok loads: $1: expected $2, got $got"
    fi
}

slap() { mariadb-slap -h 127.0.0.1 -P "$PORT" -u root --concurrency=8 "$@"; }
check "mysqlslap, generated" slap --auto-generate-sql --auto-generate-sql-add-autoincrement \
    --number-of-queries=1000
check "mysqlslap, generated, mixed with secondary indexes" slap --auto-generate-sql \
    --auto-generate-sql-guid-primary --auto-generate-sql-secondary-indexes=2 \
    --auto-generate-sql-load-type=mixed --number-of-queries=1000
sql with_loads -e 'CREATE TABLE own (id INT AUTO_INCREMENT PRIMARY KEY, v INT, KEY (v))'
check "mysqlslap, own statements" slap --create-schema=with_loads --no-drop --delimiter=';' \
    --query='INSERT INTO own (v) VALUES (7);SELECT COUNT(*) FROM own WHERE v = 7' \
    --number-of-queries=1600
same "mysqlslap has inserted half of them" "800 800" \
    'SELECT COUNT(*), COUNT(DISTINCT id) FROM own WHERE v = 7'

bench() {
    sysbench "$test" --mysql-host=127.0.0.1 --mysql-port="$PORT" --mysql-user=root \
        --mysql-password="$ROOT_PASSWORD" --mysql-db=with_loads --tables=2 --table-size=2000 \
        --threads=4 --time=2 --db-ps-mode="$prepared" "$@"
}

for prepared in auto disable; do
    for test in oltp_point_select oltp_update_index oltp_insert; do
        how="sysbench $test, prepared statements $prepared"
        check "$how: prepare" bench prepare
        same "$how: rows" "2000 1 2000" 'SELECT COUNT(*), MIN(id), MAX(id) FROM sbtest2'
        check "$how: run" bench run
        written=0
        if [ "$test" = oltp_insert ]; then
            written=$(awk '/ write: /{print $2}' <<<"$output")
        fi
        grep -q 'ignored errors: *0 ' <<<"$output" || check "$how: no errors" false
        same "$how: rows afterwards" "$((4000 + written))" \
            'SELECT (SELECT COUNT(*) FROM sbtest1) + (SELECT COUNT(*) FROM sbtest2)'
        # Every row is in the secondary index that updates and inserts have changed.
        same "$how: index and rows" 1 \
            'SELECT (SELECT SUM(k) FROM sbtest1) = (SELECT SUM(k) FROM sbtest1 WHERE k >= 0)'
        bench cleanup >/dev/null 2>&1
    done
done
exit $failed
