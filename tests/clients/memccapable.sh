# memccapable, libmemcached's conformance test of servers: all of its tests, in both protocols.
set -u
failed=0

# Tests that each protocol has: fewer that pass are a failure as well.
for protocol in "-a text 27" "-b binary 27"; do
    read -r flag name wanted <<<"$protocol"
    output=$(memccapable -h 127.0.0.1 -p "$MEMCACHED_PORT" "$flag" -t 20 2>&1)
    status=$?
    passed=$(grep -c '\[pass\]' <<<"$output")
    if [ $status -eq 0 ] && [ "$passed" -ge "$wanted" ] && grep -q 'All tests passed' <<<"$output"
    then
        echo "ok memccapable: $name, $passed tests"
    else
        failed=1
        echo "not ok memccapable: $name: exit code $status, $passed tests passed"
        grep -v '\[pass\]' <<<"$output"
    fi
done
exit $failed
