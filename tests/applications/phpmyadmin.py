"""phpMyAdmin: its own tables made by its own file, then databases, tables, rows, accounts and settings changed in it.

Its pages are forms with scripts; where a script would ask for part of a page, the same is asked here
(`ask`, answered in JSON). What a page claims to have done is looked up in the database.

Not here: changes of structure, files and accounts (`phpmyadmin_structure`); routines, triggers, events,
replication and spatial data, which Rowhouse does not have.
"""

import hashlib
import html
import re
import urllib.parse

from application import PASSWORD, PHP_MARKS, ROOT, Application
from web import Failure, multipart

PAGES_OF_THE_SERVER = (
    "/",
    "/server/databases",
    "/server/sql",
    "/server/status",
    "/server/status/processes",
    "/server/status/queries",
    "/server/status/variables",
    "/server/status/advisor",
    "/server/status/monitor",
    "/server/variables",
    "/server/collations",
    "/server/engines",
    "/server/engines/InnoDB",
    "/server/plugins",
    "/server/privileges",
    "/server/export",
    "/server/import",
    "/server/user-groups",
    "/preferences/manage",
    "/preferences/features",
    "/preferences/sql",
    "/preferences/navigation",
    "/preferences/main-panel",
    "/preferences/export",
    "/preferences/import",
    "/themes",
    "/check-relations",
    "/license",
)


class PhpMyAdminRows(Application):
    """All but what is done to the structure of tables, and to the server (`phpmyadmin_structure`)."""

    name = "phpmyadmin"
    package = "phpmyadmin"
    unsteady_tables = ("pma\\_\\_recent", "pma\\_\\_table_uiprefs", "pma\\_\\_userconfig")
    pages = {
        "server": "/index.php?route=/",
        "databases": "/index.php?route=/server/databases",
        "structure of a database": "/index.php?route=/database/structure&db=shop",
        "structure of a table": "/index.php?route=/table/structure&db=shop&table=items",
        "browse a table": "/index.php?route=/sql&db=shop&table=items&pos=0",
        "search form": "/index.php?route=/table/search&db=shop&table=items",
        "relations": "/index.php?route=/table/relation&db=shop&table=orders",
        "accounts": "/index.php?route=/server/privileges",
        "variables": "/index.php?route=/server/variables",
        "status": "/index.php?route=/server/status",
        "designer": "/index.php?route=/database/designer&db=shop",
    }

    def error_marks(self):
        # The page has the word for scripts, too.
        return (*PHP_MARKS, "MySQL said: <a", "MySQL said:</")

    def install(self):
        files = self.copy("usr", "share", "phpmyadmin")
        (self.folder / "tmp").mkdir()
        vendor = files / "libraries" / "vendor_config.php"
        text = vendor.read_text("utf-8").replace(
            "'/etc/phpmyadmin/config.inc.php'", f"'{self.folder}/config.inc.php'"
        )
        self.write(vendor, text.replace("'/var/lib/phpmyadmin/tmp/'", f"'{self.folder}/tmp/'"))
        tables = re.findall(
            r"EXISTS `pma__(\w+)`", (ROOT / "usr/share/phpmyadmin/sql/create_tables.sql").read_text("utf-8")
        )
        named = {"bookmark": "bookmarktable", "relation": "relation"}
        settings = "".join(f"$cfg['Servers'][1]['{named.get(one, one)}'] = 'pma__{one}';\n" for one in tables)
        self.write(
            self.folder / "config.inc.php",
            f"""<?php
$cfg['blowfish_secret'] = '{'s' * 32}';
$cfg['Servers'][1]['auth_type'] = 'cookie';
$cfg['Servers'][1]['host'] = '127.0.0.1';
$cfg['Servers'][1]['port'] = '{self.port}';
$cfg['Servers'][1]['AllowNoPassword'] = true;
$cfg['Servers'][1]['controluser'] = '{self.user}';
$cfg['Servers'][1]['controlpass'] = '{PASSWORD}';
$cfg['Servers'][1]['pmadb'] = '{self.database}';
{settings}
$cfg['VersionCheck'] = false;
$cfg['TempDir'] = '{self.folder}/tmp';
$cfg['Export']['compression'] = 'none';
$cfg['SendErrorReports'] = 'never';
$cfg['ShowDatabasesNavigationAsTree'] = true;
""",
        )
        # What its pages make of this file is its own installer's work, too: "Create" on a page.
        self.load(ROOT / "usr/share/phpmyadmin/sql/create_tables.sql")
        self.serve_php(files)

    # What several actions need.

    def log_in(self, browser, user, password):
        browser.get("/index.php")
        return browser.submit("login_form", pma_username=user, pma_password=password)

    def token(self, browser=None):
        """The token against forgery, of the page last seen."""
        if found := re.search(r'name="token" value="([^"]+)"', (browser or self.browser).page.text):
            self.last_token = html.unescape(found.group(1))
        return self.last_token

    def open(self, route, browser=None, **query):
        """A page by its route, which shows no error."""
        page = (browser or self.browser).get(f"/index.php?route={route}", **query).expect()
        for found in re.findall(r'<div class="alert alert-danger"[^>]*>(.*?)</div>', page.text, re.S):
            if "Javascript must be enabled" not in found:
                raise Failure(f"{route}: {plain(found)[:600]}")
        return page

    def ask(self, route, fail=False, **fields):
        """What a page's script asks; its answer, which says that it went well."""
        fields |= {"server": "1", "ajax_request": "1", "token": self.token()}
        page = self.browser.post(f"/index.php?route={route}", fields)
        answer = page.expect(status=None).json()
        if bool(answer.get("success")) == fail:
            raise Failure(f"{route}: {plain(str(answer.get('error') or answer.get('message')))[:600]}")
        return answer

    def send(self, route, **fields):
        """Sends a form that is answered by a whole page, which shows no error."""
        page = self.browser.post(
            f"/index.php?route={route}", fields | {"server": "1", "token": self.token()}
        ).expect()
        for found in re.findall(r'<div class="alert alert-danger"[^>]*>(.*?)</div>', page.text, re.S):
            if "Javascript must be enabled" not in found:
                raise Failure(f"{route}: {plain(found)[:600]}")
        return page

    def query(self, statement, fail=False, database="shop", **fields):
        """Runs a statement as the page for SQL does; the text of its answer."""
        fields = {
            "db": database,
            "sql_query": statement,
            "sql_delimiter": ";",
            "show_query": "1",
            "is_js_confirmed": "0",
            "pos": "0",
            "goto": "index.php?route=/database/sql",
        } | fields
        answer = self.ask("/import", fail, **fields)
        return str(answer.get("message", "")) + str(answer.get("sql_query", "")) + str(answer.get("error", ""))

    def expect_in(self, text, *wanted):
        shown = plain(text)
        for one in wanted:
            if one not in text and one not in shown:
                raise Failure(f"no {one!r} in: {shown[:800]}")

    # Coming in.

    def action_log_in(self):
        self.log_in(self.browser, "root", "").expect("General settings", "Database server")

    def action_refuse_a_wrong_password(self):
        self.log_in(self.other_browser(), "root", "wrong").expect("Access denied for user")

    def action_its_own_tables_are_whole(self):
        self.open("/check-relations").expect("General relation features").expect_without("not OK", "Disabled")

    def action_pages_of_the_server(self):
        self.look_at(PAGES_OF_THE_SERVER)

    def look_at(self, routes, **query):
        wrong = []
        for route in routes:
            try:
                self.open(route, **query)
            except Failure as failure:
                wrong.append(str(failure)[:600])
        if wrong:
            raise Failure("\n".join(wrong))

    # Databases and tables.

    def action_create_a_database(self):
        self.open("/server/databases")
        self.ask("/server/databases/create", new_db="shop", db_collation="utf8mb4_unicode_ci")
        self.expect_value(
            "SELECT default_collation_name FROM information_schema.schemata WHERE schema_name = 'shop'",
            "utf8mb4_unicode_ci",
        )
        self.open("/server/databases").expect("shop")

    def action_refuse_a_database_twice(self):
        self.ask("/server/databases/create", fail=True, new_db="shop")

    def action_create_a_table(self):
        self.open("/database/structure", db="shop")
        columns = [
            ("id", "INT", "", "UNSIGNED", True),
            ("name", "VARCHAR", "100", "", False),
            ("price", "DECIMAL", "10,2", "", False),
            ("kind", "ENUM", "'wood','stone','iron'", "", False),
            ("marks", "SET", "'new','used','rare'", "", False),
            ("made", "DATE", "", "", False),
            ("notes", "TEXT", "", "", False),
        ]
        fields = {
            "db": "shop",
            "table": "items",
            "orig_num_fields": len(columns),
            "do_save_data": "1",
            "tbl_storage_engine": "InnoDB",
            "tbl_collation": "utf8mb4_unicode_ci",
            "comment": "What we sell",
            "primary_indexes": '[{"columns":[{"col_index":"0","size":""}],"Index_choice":"PRIMARY","Key_name":"PRIMARY"}]',
            "unique_indexes": "[]",
            "fulltext_indexes": "[]",
            "spatial_indexes": "[]",
            "indexes": '[{"columns":[{"col_index":"1","size":""}],"Index_choice":"INDEX","Key_name":"by_name"}]',
        }
        for number, (name, kind, length, attribute, is_key) in enumerate(columns):
            for field, value in {
                "name": name,
                "type": kind,
                "length": length,
                "attribute": attribute,
                "default_type": "NONE",
                "default_value": "",
                "collation": "",
                "comments": f"the {name}",
                "key": "primary_0" if is_key else "none_" + str(number),
                "null": "" if is_key else "YES",
                "extra": "AUTO_INCREMENT" if is_key else "",
                "virtuality": "",
                "expression": "",
            }.items():
                if field != "null" or value:
                    fields[f"field_{field}[{number}]"] = value
        self.ask("/table/create", **fields)
        self.expect_value(
            "SELECT COUNT(*) FROM information_schema.columns WHERE table_schema = 'shop' AND table_name = 'items'", 7
        )
        self.expect_value(
            "SELECT table_comment FROM information_schema.tables WHERE table_schema = 'shop' AND table_name = 'items'",
            "What we sell",
        )
        self.open("/table/structure", db="shop", table="items").expect(
            "marks", "set('new', 'used', 'rare')", "the price", "by_name"
        )

    def action_run_statements(self):
        self.open("/database/sql", db="shop")
        self.query(
            "CREATE TABLE customers (id INT PRIMARY KEY AUTO_INCREMENT, email VARCHAR(190) NOT NULL UNIQUE, data JSON, born YEAR,"
            " flags BIT(8) DEFAULT b'101', seen TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP) ENGINE=InnoDB;"
            "CREATE TABLE orders (id INT PRIMARY KEY AUTO_INCREMENT, customer INT NOT NULL, item INT UNSIGNED NOT NULL, amount INT NOT NULL DEFAULT 1);"
            "INSERT INTO customers (email, data, born) VALUES ('ann@example.org', '{\"a\": 1}', 1990), ('bob@example.org', NULL, 1980)"
        )
        self.expect_value("SELECT COUNT(*) FROM shop.customers", 2)

    def action_see_an_error(self):
        self.expect_in(self.query("SELECT nothing FROM items", fail=True), "#1054")
        self.expect_in(self.query("SELEC 1", fail=True), "#1064")
        self.expect_in(self.query("INSERT INTO customers (email) VALUES ('ann@example.org')", fail=True), "#1062")

    # Rows.

    def row_fields(self, values, where=None):
        """The fields of the form for a row."""
        fields = {
            "db": "shop",
            "table": "items",
            "goto": "index.php?route=/sql",
            "after_insert": "back",
            "submit_type": "insert" if where is None else "save",
            "sql_query": "SELECT * FROM `items`",
        }
        key = "0" if where is None else where
        names = ["id", "name", "price", "kind", "marks", "made", "notes"]
        kinds = ["int", "varchar", "decimal", "enum", "set", "date", "text"]
        for name, kind in zip(names, kinds):
            fields[f"fields_name[multi_edit][{key}][{md5(name)}]"] = name
            fields[f"fields_type[multi_edit][{key}][{md5(name)}]"] = kind
            if name in values:
                fields[f"fields[multi_edit][{key}][{md5(name)}]" + ("[]" if kind == "set" else "")] = values[name]
            else:
                fields[f"fields_null[multi_edit][{key}][{md5(name)}]"] = "on"
        if where is not None:
            fields[f"where_clause[{key}]"] = f"`items`.`id` = {values['id']}"
            for name in values:
                fields[f"fields_prev[multi_edit][{key}][{md5(name)}]"] = "before"
        return fields

    def action_insert_a_row(self):
        self.open("/table/change", db="shop", table="items").expect("notes")
        row = {
            "name": "Tür \U0001f6aa",
            "price": "120.50",
            "kind": "wood",
            "marks": ["new", "rare"],
            "made": "2026-01-02",
            "notes": 'It\'s "good" \\ so',
        }
        self.send("/table/replace", **self.row_fields(row))
        self.expect_value(
            "SELECT CONCAT_WS('|', id, name, price, kind, marks, made, notes) FROM shop.items",
            '1|Tür \U0001f6aa|120.50|wood|new,rare|2026-01-02|It\'s "good" \\ so',
        )

    def action_edit_a_row(self):
        listed = self.open("/sql", db="shop", table="items", pos="0")
        link = listed.find(r'"[^"]*(route=/table/change[^"]*default_action=update[^"]*)"')
        asked = dict(urllib.parse.parse_qsl(link))
        self.send(asked.pop("route"), **asked).expect("120.50", "rare")
        row = {
            "id": "1",
            "name": "Tür",
            "price": "99.90",
            "kind": "stone",
            "marks": ["used"],
            "made": "2026-01-03",
            "notes": "changed",
        }
        self.send("/table/replace", **self.row_fields(row, "0"))
        self.expect_value(
            "SELECT CONCAT_WS('|', name, price, kind, marks, notes) FROM shop.items", "Tür|99.90|stone|used|changed"
        )

    def action_edit_in_place(self):
        self.ask("/sql/get-enum-values", db="shop", table="items", column="kind", curr_value="stone")
        self.ask("/sql/get-set-values", db="shop", table="items", column="marks", curr_value="used")
        self.query("UPDATE `items` SET `price` = '88.00' WHERE `items`.`id` = 1", table="items", inline_edit="true")
        self.expect_value("SELECT price FROM shop.items", "88.00")

    def action_many_rows(self):
        values = ",".join(
            f"('item {number:03}', {number}.25, 'wood', 'new', '2026-02-{number % 28 + 1:02}', 'n{number}')"
            for number in range(2, 102)
        )
        self.query(f"INSERT INTO items (name, price, kind, marks, made, notes) VALUES {values}")
        self.query("INSERT INTO orders (customer, item, amount) SELECT 1 + id % 2, id, id % 5 + 1 FROM items")
        self.expect_value("SELECT COUNT(*) FROM shop.orders", 101)

    def action_browse(self):
        self.open("/sql", db="shop", table="items", pos="0").expect("Showing rows 0 -", "101 total", "item 010")
        self.open("/sql", db="shop", table="items", pos="75", session_max_rows="25").expect(
            "Showing rows 75 -", "item 090"
        )

    def action_sort_and_limit(self):
        self.open(
            "/sql",
            db="shop",
            table="items",
            sql_query="SELECT * FROM `items` ORDER BY `price` DESC",
            sql_signature=self.signature("SELECT * FROM `items` ORDER BY `price` DESC"),
        ).expect("item 101")

    def signature(self, statement):
        """A statement in an address is signed; the page for SQL gives the signature."""
        answer = self.ask("/sql", db="shop", table="items", sql_query=statement, pos="0")
        found = re.search(r"sql_signature=([0-9a-f]+)", answer["message"])
        return found.group(1) if found else ""

    def action_explain_and_profile(self):
        self.expect_in(self.query("EXPLAIN SELECT * FROM items WHERE name = 'x'", table="items"), "by_name")
        self.expect_in(self.query("SELECT COUNT(*) AS many FROM items", table="items", profiling="1"), "many")

    def action_search_a_table(self):
        names = ["id", "name", "price", "kind", "marks", "made", "notes"]
        kinds = [
            "int(10) unsigned",
            "varchar(100)",
            "decimal(10,2)",
            "enum('wood','stone','iron')",
            "set('new','used','rare')",
            "date",
            "text",
        ]
        fields = {
            "db": "shop",
            "table": "items",
            "displayAllColumns": "true",
            "distinct": "",
            "customWhereClause": "",
            "session_max_rows": "25",
            "orderByColumn": "--nil--",
            "order": "ASC",
        }
        for number, (name, kind) in enumerate(zip(names, kinds)):
            fields |= {
                f"criteriaColumnNames[{number}]": name,
                f"criteriaColumnTypes[{number}]": kind,
                f"criteriaColumnCollations[{number}]": "",
                f"criteriaColumnOperators[{number}]": "LIKE %...%" if name == "name" else "=",
                f"criteriaValues[{number}]": "m 04" if name == "name" else "",
            }
        self.expect_in(str(self.ask("/table/search", **fields)), "item 040", "item 049")

    def action_search_a_database(self):
        answer = self.ask(
            "/database/search",
            db="shop",
            criteriaSearchString="item 077",
            criteriaSearchType="3",
            submit_search="1",
            **{"criteriaTables[]": ["items", "customers", "orders"]},
        )
        self.expect_in(str(answer), "1 match in", "Total: 1 match")

    def action_find_and_replace(self):
        self.ask(
            "/table/find-replace",
            db="shop",
            table="items",
            submit="Go",
            findString="item 00",
            replaceWith="thing 00",
            columnIndex="1",
            replace="true",
            useRegex="off",
        )
        self.expect_value("SELECT COUNT(*) FROM shop.items WHERE name LIKE 'thing 00%'", 8)

    def action_delete_rows(self):
        where = "`items`.`id` = 100"
        self.ask(
            "/table/delete/rows",
            db="shop",
            table="items",
            mult_btn="Yes",
            original_sql_query="SELECT * FROM `items`",
            **{
                "rows_to_delete[0]": "`items`.`id` = 101",
                "rows_to_delete[1]": where,
                "selected[]": ["`items`.`id` = 101", where],
            },
        )
        self.expect_value("SELECT COUNT(*) FROM shop.items", 99)

    def action_query_several_tables(self):
        self.ask("/database/sql/format", sql="select 1 from items where id=1")
        answer = self.ask(
            "/database/multi-table-query/query",
            db="shop",
            sql_query="SELECT `items`.`name`, `customers`.`email` FROM `orders` LEFT JOIN `items` ON `items`.`id` = `orders`.`item` LEFT JOIN `customers` ON `customers`.`id` = `orders`.`customer` LIMIT 5",
        )
        self.expect_in(str(answer), "ann@example.org")


def md5(name):
    """The key of a column in its forms."""
    return hashlib.md5(name.encode()).hexdigest()


def plain(text):
    """A part of a page as it is read."""
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", text.replace("\\n", " ")))).strip()
