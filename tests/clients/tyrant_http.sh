# curl on the Tyrant port: paths are keys, bodies are values.
set -u
failed=0
url=http://127.0.0.1:$TYRANT_PORT
check() {
    if [ "$2" = "$3" ]; then echo "ok tyrant_http: $1"; else
        failed=1
        echo "not ok tyrant_http: $1: '$2' instead of '$3'"
    fi
}
ask() { curl -s --max-time 30 "$@"; }
status() { ask -o /dev/null -w '%{http_code}' "$@"; }

check "put" "$(status -X PUT --data-binary 'hello world' "$url/a%2Fb")" 201
check "get" "$(ask "$url/a/b")" "hello world"
check "head" "$(ask -I "$url/a/b" | tr -d '\r' | grep Content-Length)" "Content-Length: 11"
check "head of nothing" "$(status -I "$url/nothing")" 404
check "get of nothing" "$(status "$url/nothing")" 404
check "keep" "$(status -X PUT -H 'X-TT-PDMODE: 1' --data-binary x "$url/a/b")" 409
check "behind" "$(status -X PUT -H 'X-TT-PDMODE: 2' --data-binary '!' "$url/a/b")" 201
check "one connection" "$(ask "$url/a/b" "$url/a/b")" "hello world!hello world!"
head -c 3000000 /dev/urandom >"$WORK/large"
check "a large body" "$(status -T "$WORK/large" "$url/large")" 201
check "and back" "$(ask "$url/large" | cksum)" "$(cksum <"$WORK/large")"
check "a body in chunks" "$(status -X PUT -H 'Transfer-Encoding: chunked' -d x "$url/c")" 411
check "a function" "$(ask -H 'X-TT-MNAME: getlist' -d 'k=a/b&k=no' "$url/")" "res1=a%2Fb&res2=hello%20world%21"
check "a function of a script" "$(ask -H 'X-TT-XNAME: incr' -d 5 "$url/counter")" 5
check "and one that is missing" "$(status -H 'X-TT-XNAME: missing' -d 5 "$url/counter")" 500
check "another's page" "$(status -H 'Origin: http://example.org' "$url/a/b")" 403
check "its own page" "$(status -H "Origin: $url" "$url/a/b")" 200
check "no host" "$(status -H 'Host:' "$url/a/b")" 400
check "another's name" "$(status -H 'Host: example.org' "$url/a/b")" 403
check "delete what it made" "$(status -X DELETE "$url/counter")" 200
check "statistics" "$(ask -X OPTIONS -i "$url/" | tr -d '\r' | grep X-TT-RNUM)" "X-TT-RNUM: 2"
check "delete" "$(status -X DELETE "$url/a/b")" 200
check "delete of nothing" "$(status -X DELETE "$url/a/b")" 404
exit $failed
