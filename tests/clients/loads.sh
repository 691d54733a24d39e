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

check "mysqlslap, generated" mariadb-slap -h 127.0.0.1 -P "$PORT" -u root --concurrency=8 \
    --iterations=1 --auto-generate-sql --auto-generate-sql-add-autoincrement \
    --number-of-queries=1000

for prepared in auto disable; do
    for test in oltp_point_select oltp_update_index oltp_insert; do
        bench() {
            sysbench "$test" --mysql-host=127.0.0.1 --mysql-port="$PORT" --mysql-user=root \
                --mysql-password="$ROOT_PASSWORD" --mysql-db=with_loads --tables=2 --table-size=2000 --threads=4 --time=2 \
                --db-ps-mode="$prepared" "$@"
        }
        check "sysbench $test prepare, prepared statements: $prepared" bench prepare
        check "sysbench $test run, prepared statements: $prepared" bench run
        bench cleanup >/dev/null 2>&1
    done
done
exit $failed
