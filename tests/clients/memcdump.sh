# memcdump, libmemcached's list of all keys. The original lists only items that it has moved to its
# cold list, so there it is enough that memcdump ends well.
set -u
failed=0
server=127.0.0.1:$MEMCACHED_PORT
check() {
    if [ "$2" = "$3" ]; then echo "ok memcdump: $1"; else
        failed=1
        echo "not ok memcdump: $1: '$2' instead of '$3'"
    fi
}

if [ -n "$STAND_IN" ]; then
    memcdump --servers="$server"
    check "ends well" $? 0
    exit $failed
fi

check "nothing in an empty cache" "$(memcdump --servers="$server")" ""
for number in $(seq 1 5000); do
    printf 'set key:%05d 0 0 1 noreply\r\nx\r\n' "$number"
done >"$WORK/sets"
printf 'mn\r\nquit\r\n' >>"$WORK/sets"
nc -N 127.0.0.1 "$MEMCACHED_PORT" <"$WORK/sets" >/dev/null
memcdump --servers="$server" >"$WORK/dumped"
check "ends well" $? 0
seq -f 'key:%05.0f' 1 5000 >"$WORK/wanted"
check "every key once" "$(sort "$WORK/dumped" | cksum)" "$(cksum <"$WORK/wanted")"
exit $failed
