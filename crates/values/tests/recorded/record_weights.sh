#!/bin/sh
# Prints the weight under utf8mb4_general_ci of every character up to U+FFFF, one a line: code
# point, tab, weight in hex. Usage: record_weights.sh SOCKET, of a MariaDB 10.11 server.
# The source of crates/values/src/collation/weights.rs and of the hash in its test.
exec mariadb --no-defaults --default-character-set=utf8mb4 -S "$1" -uroot -N mysql -e "
    SELECT seq, HEX(WEIGHT_STRING(CONVERT(CHAR(seq USING utf32) USING utf8mb4)
        COLLATE utf8mb4_general_ci))
    FROM seq_0_to_65535 WHERE seq NOT BETWEEN 55296 AND 57343"
