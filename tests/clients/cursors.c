/* Cursors of MariaDB's C library: rows are fetched a few at a time, beside other statements.

   Prints `ok NAME` or `not ok NAME: why`, as the other clients do. */

#include <mysql.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 900 };

static const char *name;
static int failed;

static void end(const char *why) {
    if (why) {
        failed = 1;
        printf("not ok %s: %s\n", name, why);
    } else {
        printf("ok %s\n", name);
    }
}

static int run(MYSQL *mysql, const char *text) {
    return mysql_query(mysql, text);
}

static MYSQL_STMT *prepared(MYSQL *mysql, const char *text, unsigned long rows) {
    unsigned long type = CURSOR_TYPE_READ_ONLY;
    MYSQL_STMT *statement = mysql_stmt_init(mysql);
    if (mysql_stmt_attr_set(statement, STMT_ATTR_CURSOR_TYPE, &type)
        || mysql_stmt_attr_set(statement, STMT_ATTR_PREFETCH_ROWS, &rows)
        || mysql_stmt_prepare(statement, text, strlen(text)))
        return NULL;
    return statement;
}

/* Fetches numbers that begin with `first`, at most `count`; gives how many there were. */
static int numbers(MYSQL_STMT *statement, int first, int count) {
    int number = 0, got = 0;
    MYSQL_BIND bind = {0};
    bind.buffer_type = MYSQL_TYPE_LONG;
    bind.buffer = &number;
    if (mysql_stmt_bind_result(statement, &bind))
        return -1;
    while (got < count) {
        int status = mysql_stmt_fetch(statement);
        if (status == MYSQL_NO_DATA)
            break;
        if (status || number != first + got)
            return -1;
        got++;
    }
    return got;
}

static const char *a_few_at_a_time(MYSQL *mysql) {
    MYSQL_STMT *statement = prepared(mysql, "SELECT n FROM numbers ORDER BY n", 7);
    MYSQL_STMT *other = prepared(mysql, "SELECT n FROM numbers WHERE n > 100 ORDER BY n", 1);
    if (!statement || !other || mysql_stmt_execute(statement) || mysql_stmt_execute(other))
        return mysql_error(mysql);
    if (numbers(statement, 1, 10) != 10 || numbers(other, 101, 3) != 3)
        return "the first rows";
    if (run(mysql, "DELETE FROM numbers WHERE n > 20") || run(mysql, "COMMIT"))
        return mysql_error(mysql);
    if (numbers(statement, 11, ROWS) != ROWS - 10)
        return "the others, which were deleted meanwhile";
    if (numbers(other, 104, 2) != 2 || mysql_stmt_reset(other))
        return "the other statement";
    if (mysql_stmt_fetch(other) == 0)
        return "rows of a statement that was reset";
    if (mysql_stmt_execute(other) || numbers(other, 101, ROWS) != 0)
        return "rows that are not there any more";
    mysql_stmt_close(statement);
    mysql_stmt_close(other);
    return NULL;
}

static const char *all_at_once(MYSQL *mysql) {
    MYSQL_STMT *statement = prepared(mysql, "SELECT n FROM numbers ORDER BY n", 3);
    if (!statement || mysql_stmt_execute(statement) || mysql_stmt_store_result(statement))
        return mysql_error(mysql);
    if (mysql_stmt_num_rows(statement) != 20 || numbers(statement, 1, 21) != 20)
        return "not 20 rows";
    mysql_stmt_close(statement);
    return NULL;
}

int main(void) {
    MYSQL *mysql = mysql_init(NULL);
    my_bool verify = 0;
    mysql_optionsv(mysql, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &verify);
    if (!mysql_real_connect(mysql, "127.0.0.1", "root", getenv("ROOT_PASSWORD"), NULL,
                            atoi(getenv("PORT")), NULL, 0)) {
        printf("not ok connect: %s\n", mysql_error(mysql));
        return 1;
    }
    name = "setup";
    if (run(mysql, "CREATE DATABASE with_c") || run(mysql, "USE with_c")
        || run(mysql, "CREATE TABLE numbers (n INT PRIMARY KEY)")
        || run(mysql, "INSERT INTO numbers WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL "
                      "SELECT n + 1 FROM r WHERE n < 900) SELECT n FROM r"))
        end(mysql_error(mysql));
    name = "a few rows at a time";
    end(a_few_at_a_time(mysql));
    name = "a cursor read to its end at once";
    end(all_at_once(mysql));
    mysql_close(mysql);
    return failed;
}
