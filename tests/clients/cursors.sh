# Cursors of MariaDB's C library (cursors.c).
set -e
directory=$(mktemp -d)
trap 'rm -r "$directory"' EXIT
cc -o "$directory/cursors" cursors.c $(mariadb_config --cflags --libs)
"$directory/cursors"
