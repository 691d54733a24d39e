"""Runs statements in DuckDB: a JSON text a line in, a line out."""
import json
import sys

try:
    import duckdb
except ImportError:
    print(json.dumps({"error": "Python has no module duckdb"}), flush=True)
    sys.exit(1)

database = duckdb.connect(sys.argv[1])
database.execute("SET threads=" + sys.argv[2])
# Its bar would be printed among the answers.
database.execute("SET enable_progress_bar=false")
print(json.dumps({"version": "DuckDB " + duckdb.__version__}), flush=True)
for line in sys.stdin:
    try:
        rows = database.execute(json.loads(line)).fetchall()
        cells = [[None if cell is None else str(cell) for cell in row] for row in rows]
        print(json.dumps({"rows": cells}), flush=True)
    except duckdb.Error as error:
        print(json.dumps({"error": str(error)}), flush=True)
