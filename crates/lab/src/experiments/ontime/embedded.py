"""Runs statements in a database that lives inside Python: a JSON text a line in, a line out.

usage: embedded.py duckdb|monetdb FILE THREADS
"""
import json
import re
import sys
from importlib import metadata


def duckdb(file, threads):
    """DuckDB's version, and a function from a statement to its rows."""
    import duckdb as product

    database = product.connect(file)
    database.execute(f"SET threads={threads}")
    # Its bar would be printed among the answers.
    database.execute("SET enable_progress_bar=false")
    return "DuckDB " + product.__version__, lambda sql: database.execute(sql).fetchall()


def monetdb(file, threads):
    """MonetDB's likewise. It takes some names for keywords, and cuts quotients of integers."""
    import monetdbe as product

    connection = product.connect(file, nr_threads=threads, autocommit=True)
    cursor = connection.cursor()

    def run(sql):
        sql = re.sub(r"\b(Year|Month|Quarter)\b", r'"\1"', sql)
        cursor.execute(sql.replace(" * 1000 / ", " * 1000e0 / "))
        return cursor.fetchall() if sql.startswith("SELECT") else []

    return "MonetDB/e " + metadata.version("monetdbe"), run


def answer(said):
    print(json.dumps(said), flush=True)


try:
    version, run = {"duckdb": duckdb, "monetdb": monetdb}[sys.argv[1]](sys.argv[2], int(sys.argv[3]))
except Exception as error:  # Each product has its own.
    answer({"error": str(error)})
    sys.exit(1)
answer({"version": version})
for line in sys.stdin:
    try:
        rows = run(json.loads(line))
        answer({"rows": [[None if cell is None else str(cell) for cell in row] for row in rows]})
    except Exception as error:
        answer({"error": str(error)})
