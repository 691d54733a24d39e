"""phpMyAdmin, continued: columns, keys, views and partitions changed, databases exported and imported, accounts kept.

Not here: how it is set up and asked, and rows (`phpmyadmin`).
"""

import re

from application import PASSWORD
from phpmyadmin import PhpMyAdminRows, plain
from web import Failure, multipart

PAGES_OF_A_DATABASE = (
    "/database/structure",
    "/database/sql",
    "/database/search",
    "/database/multi-table-query",
    "/database/qbe",
    "/database/export",
    "/database/import",
    "/database/operations",
    "/database/designer",
    "/database/tracking",
    "/database/central-columns",
    "/database/data-dictionary",
)
PAGES_OF_A_TABLE = (
    "/sql",
    "/table/structure",
    "/table/sql",
    "/table/search",
    "/table/zoom-search",
    "/table/find-replace",
    "/table/change",
    "/table/export",
    "/table/import",
    "/table/operations",
    "/table/relation",
    "/table/tracking",
    "/table/recent-favorite",
)


class PhpMyAdmin(PhpMyAdminRows):
    """The whole of it."""

    # Structure.

    def column(self, number, name, kind, length="", **more):
        fields = {
            "name": name,
            "orig": more.pop("orig", ""),
            "type": kind,
            "length": length,
            "default_type": "NONE",
            "default_value": "",
            "collation": "",
            "attribute": "",
            "extra": "",
            "comments": "",
            "virtuality": "",
            "expression": "",
            "move_to": "",
            "type_orig": kind,
            "length_orig": length,
            "default_value_orig": "",
            "default_type_orig": "",
            "attribute_orig": "",
            "null_orig": "",
            "extra_orig": "",
            "comments_orig": "",
            "collation_orig": "",
            "virtuality_orig": "",
            "expression_orig": "",
        } | more
        return {f"field_{field}[{number}]": value for field, value in fields.items()}

    def action_add_a_column(self):
        self.ask(
            "/table/add-field",
            db="shop",
            table="items",
            num_fields="1",
            field_where="after",
            after_field="name",
            do_save_data="1",
            orig_num_fields="1",
            orig_field_where="after",
            orig_after_field="name",
            primary_indexes="[]",
            unique_indexes="[]",
            indexes="[]",
            fulltext_indexes="[]",
            spatial_indexes="[]",
            **self.column(0, "weight", "DOUBLE", "", null="YES"),
        )
        self.expect_value(
            "SELECT ordinal_position FROM information_schema.columns WHERE table_schema = 'shop' AND table_name = 'items' AND column_name = 'weight'",
            3,
        )

    def action_change_a_column(self):
        self.ask(
            "/table/structure/save",
            db="shop",
            table="items",
            orig_num_fields="1",
            do_save_data="1",
            **{"selected[0]": "weight"},
            **self.column(0, "mass", "DECIMAL", "12,3", orig="weight", type_orig="DOUBLE", null="YES"),
        )
        self.expect_value(
            "SELECT column_type FROM information_schema.columns WHERE table_schema = 'shop' AND table_name = 'items' AND column_name = 'mass'",
            "decimal(12,3)",
        )

    def action_move_columns(self):
        self.ask(
            "/table/structure/move-columns",
            db="shop",
            table="items",
            **{"move_columns[]": ["id", "mass", "name", "price", "kind", "marks", "made", "notes"]},
        )
        self.expect_value(
            "SELECT ordinal_position FROM information_schema.columns WHERE table_schema = 'shop' AND table_name = 'items' AND column_name = 'mass'",
            2,
        )

    def action_drop_a_column(self):
        self.send("/table/structure/drop", db="shop", table="items", mult_btn="Yes", **{"selected[]": "mass"})
        self.expect_value(
            "SELECT COUNT(*) FROM information_schema.columns WHERE table_schema = 'shop' AND table_name = 'items'", 7
        )

    def action_add_indexes(self):
        self.ask(
            "/table/indexes",
            db="shop",
            table="items",
            do_save_data="1",
            **{
                "index[Key_name]": "by_kind",
                "index[Index_choice]": "INDEX",
                "index[Index_comment]": "kinds",
                "index[Key_block_size]": "",
                "index[Index_type]": "",
                "index[columns][names][]": ["kind", "price"],
                "index[columns][sub_parts][]": ["", ""],
            },
        )
        self.ask("/table/structure/unique", db="shop", table="items", **{"selected_fld[]": "name"})
        self.ask("/table/structure/fulltext", db="shop", table="items", **{"selected_fld[]": "notes"})
        self.open("/table/structure", db="shop", table="items").expect("by_kind", "FULLTEXT", "kinds")
        self.expect_value(
            "SELECT COUNT(DISTINCT index_name) FROM information_schema.statistics WHERE table_schema = 'shop' AND table_name = 'items'",
            5,
        )

    def action_rename_and_drop_an_index(self):
        self.ask(
            "/table/indexes/rename",
            db="shop",
            table="items",
            do_save_data="1",
            old_index="by_kind",
            **{
                "index[Key_name]": "kinds",
                "index[Index_choice]": "INDEX",
                "index[columns][names][]": ["kind", "price"],
                "index[columns][sub_parts][]": ["", ""],
            },
        )
        self.query("ALTER TABLE `items` DROP INDEX `kinds`", table="items")
        self.expect_value(
            "SELECT COUNT(*) FROM information_schema.statistics WHERE table_schema = 'shop' AND index_name IN ('kinds', 'by_kind')",
            0,
        )

    def action_foreign_keys(self):
        self.open("/table/relation", db="shop", table="orders").expect("customer")
        self.query(
            "ALTER TABLE orders ADD CONSTRAINT of_customer FOREIGN KEY (customer) REFERENCES customers (id) ON DELETE CASCADE;"
            "DELETE FROM orders WHERE item > 99; ALTER TABLE orders ADD FOREIGN KEY (item) REFERENCES items (id)"
        )
        self.open("/table/relation", db="shop", table="orders").expect("of_customer", "CASCADE")
        self.expect_in(self.query("INSERT INTO orders (customer, item) VALUES (77, 1)", fail=True), "#1452")
        self.open("/sql", db="shop", table="orders", pos="0").expect("Showing rows")
        self.open("/browse-foreigners", db="shop", table="orders", field="customer", fieldkey="0").expect(
            "customer", status=None
        )

    def action_change_a_table(self):
        self.ask(
            "/table/operations",
            db="shop",
            table="items",
            submitoptions="1",
            comment="All we sell",
            prev_comment="What we sell",
            new_name="items",
            new_tbl_storage_engine="InnoDB",
            tbl_collation="utf8mb4_unicode_ci",
            new_auto_increment="5000",
            auto_increment="102",
            hidden_auto_increment="102",
            new_row_format="DYNAMIC",
            row_format="DYNAMIC",
        )
        self.expect_value(
            "SELECT table_comment FROM information_schema.tables WHERE table_schema = 'shop' AND table_name = 'items'",
            "All we sell",
        )

    def action_copy_a_table(self):
        self.ask(
            "/table/operations",
            db="shop",
            table="items",
            submit_copy="1",
            target_db="shop",
            new_name="items_copy",
            what="data",
            sql_auto_increment="1",
            add_constraints="1",
        )
        self.expect_value("SELECT COUNT(*) FROM shop.items_copy", 99)

    def action_rename_a_table(self):
        self.ask(
            "/table/operations",
            db="shop",
            table="items_copy",
            submitoptions="1",
            new_name="old_items",
            comment="",
            prev_comment="",
            new_tbl_storage_engine="InnoDB",
        )
        self.expect_value(
            "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = 'shop' AND table_name = 'old_items'",
            1,
        )

    def action_maintain_tables(self):
        for work in ("analyze", "check", "optimize", "repair", "checksum"):
            self.ask(
                f"/table/maintenance/{work}", db="shop", table="items", **{"selected_tbl[]": ["items", "orders"]}
            )

    def action_views(self):
        self.ask(
            "/view/create",
            db="shop",
            createview="1",
            ajax_dialog="1",
            **{
                "view[name]": "big",
                "view[or_replace]": "",
                "view[algorithm]": "UNDEFINED",
                "view[definer]": "",
                "view[sql_security]": "",
                "view[column_names]": "",
                "view[as]": "SELECT id, name, price FROM items WHERE price > 50",
                "view[with]": "",
            },
        )
        self.open("/sql", db="shop", table="big", pos="0").expect("item 060")
        self.open("/database/structure", db="shop").expect("View")
        self.open("/table/structure", db="shop", table="big").expect("price")

    def action_partitions(self):
        self.query(
            "CREATE TABLE events (id INT, day DATE, PRIMARY KEY (id, day)) PARTITION BY RANGE (YEAR(day)) (PARTITION p25 VALUES LESS THAN (2026), PARTITION p26 VALUES LESS THAN MAXVALUE); INSERT INTO events VALUES (1, '2025-01-01'), (2, '2026-01-01')"
        )
        self.open("/table/structure", db="shop", table="events").expect("p25", "p26")
        self.ask("/table/partition/analyze", db="shop", table="events", partition_name="p25")
        self.ask("/table/partition/truncate", db="shop", table="events", partition_name="p25")
        self.expect_value("SELECT COUNT(*) FROM shop.events", 1)

    def action_central_columns_and_bookmarks(self):
        self.ask("/database/structure/central-columns/add", db="shop", **{"selected_tbl[]": ["customers"]})
        self.open("/database/central-columns", db="shop").expect("email")
        self.query("SELECT 42 AS answer", bkm_label="the answer", bkm_all_users="0", id_bookmark="")
        self.ask(
            "/sql",
            db="shop",
            sql_query="SELECT 42 AS answer",
            store_bkm="1",
            bkm_label="",
            **{
                "bkm_fields[bkm_database]": "shop",
                "bkm_fields[bkm_user]": "root",
                "bkm_fields[bkm_sql_query]": "SELECT 42 AS answer",
                "bkm_fields[bkm_label]": "the answer",
            },
        )
        self.expect_value("SELECT COUNT(*) > 0 FROM pma__bookmark", 1)

    def action_pages_of_a_database(self):
        self.look_at(PAGES_OF_A_DATABASE, db="shop")

    def action_pages_of_tables(self):
        for table in ("items", "orders", "customers"):
            self.look_at(PAGES_OF_A_TABLE, db="shop", table=table)

    def action_track_a_table(self):
        self.ask(
            "/table/tracking",
            db="shop",
            table="customers",
            submit_create_version="1",
            version="1",
            delete="true",
            insert="true",
            update="true",
            alter_table="true",
            create_table="true",
            drop_table="true",
        )
        self.query("INSERT INTO customers (email) VALUES ('carl@example.org')", table="customers")
        self.open("/table/tracking", db="shop", table="customers").expect("active")
        self.expect_value("SELECT COUNT(*) FROM pma__tracking WHERE table_name = 'customers'", 1)

    # Out and in.

    def export(self, route="/export", **fields):
        """What a file of an export holds."""
        fields = {
            "export_type": "database",
            "export_method": "quick",
            "quick_or_custom": "custom",
            "what": "sql",
            "output_format": "sendit",
            "filename_template": "@DATABASE@",
            "compression": "none",
            "charset": "utf-8",
            "maxsize": "",
            "asfile": "sendit",
            "sql_include_comments": "something",
            "sql_type": "INSERT",
            "sql_insert_syntax": "both",
            "sql_max_query_size": "50000",
            "sql_hex_for_binary": "something",
            "sql_utc_time": "something",
            "sql_structure_or_data": "structure_and_data",
            "sql_create_table": "something",
            "sql_create_view": "something",
            "sql_auto_increment": "something",
            "sql_backquotes": "something",
            "sql_if_not_exists": "something",
            "token": self.token(),
            "server": "1",
        } | fields
        page = self.browser.post(f"/index.php?route={route}", fields).expect()
        if "<html" in page.text[:200]:
            raise Failure(f"no export: {page.visible()[:600]}")
        return page.text

    def action_export_a_database(self):
        tables = ["customers", "events", "items", "orders", "big"]
        self.exported = self.export(
            db="shop", **{"table_select[]": tables, "table_structure[]": tables, "table_data[]": tables}
        )
        self.expect_in(
            self.exported,
            "CREATE TABLE",
            "`marks` set('new','used','rare')",
            "FOREIGN KEY (`customer`)",
            "item 060",
            "VIEW `big`",
            "PARTITION BY RANGE",
        )

    def action_import_what_was_exported(self):
        self.open("/server/databases")
        self.ask("/server/databases/create", new_db="shop2", db_collation="utf8mb4_unicode_ci")
        self.open("/database/import", db="shop2")
        form = {
            "db": "shop2",
            "import_type": "database",
            "format": "sql",
            "charset_of_file": "utf-8",
            "sql_compatibility": "NONE",
            "fk_checks": "0",
            "ajax_request": "1",
            "token": self.token(),
            "server": "1",
            "noplugin": "x",
            "skip_queries": "0",
        }
        data, kind = multipart(list(form.items()), {"import_file": ("shop.sql", self.exported.encode())})
        answer = (
            self.browser.send(f"{self.site}/index.php?route=/import", data, {"Content-Type": kind}).expect().json()
        )
        if not answer.get("success"):
            raise Failure(plain(str(answer))[:800])
        for table in ("items", "orders", "customers", "events"):
            self.expect_value(f"SELECT COUNT(*) FROM shop2.{table}", self.value(f"SELECT COUNT(*) FROM shop.{table}"))
        self.expect_value("SELECT COUNT(*) FROM shop2.big", self.value("SELECT COUNT(*) FROM shop.big"))

    def action_export_other_forms(self):
        for what, wanted in (
            ("csv", "item 060"),
            ("json", '"name":"item 060"'),
            ("xml", "item 060"),
            ("yaml", "item 060"),
            ("mediawiki", "item 060"),
            ("texytext", "item 060"),
            ("phparray", "item 060"),
        ):
            written = self.export(
                export_type="table",
                db="shop",
                table="items",
                what=what,
                sql_query="SELECT * FROM `items`",
                csv_separator=",",
                csv_enclosed='"',
                csv_escaped='"',
                csv_terminated="AUTO",
                csv_null="NULL",
                csv_columns="something",
                xml_export_contents="something",
                mediawiki_headers="something",
                **{f"{what}_structure_or_data": "data", "table_data[]": "items", "table_select[]": "items"},
            )
            self.expect_in(written, wanted)

    def action_export_the_server(self):
        self.expect_in(
            self.export(
                export_type="server", **{"db_select[]": ["shop2", "phpmyadmin"], "sql_structure_or_data": "structure"}
            ),
            "pma__bookmark",
            "`orders`",
        )

    def action_import_a_table_of_values(self):
        self.open("/table/import", db="shop2", table="customers")
        form = {
            "db": "shop2",
            "table": "customers",
            "import_type": "table",
            "format": "csv",
            "charset_of_file": "utf-8",
            "csv_terminated": ",",
            "csv_enclosed": '"',
            "csv_escaped": '"',
            "csv_new_line": "auto",
            "csv_columns": "email,born",
            "fk_checks": "1",
            "ajax_request": "1",
            "token": self.token(),
            "server": "1",
            "noplugin": "x",
            "skip_queries": "0",
        }
        data, kind = multipart(
            list(form.items()), {"import_file": ("people.csv", b'"dora@example.org",1999\n"emil@example.org",2001\n')}
        )
        answer = (
            self.browser.send(f"{self.site}/index.php?route=/import", data, {"Content-Type": kind}).expect().json()
        )
        if not answer.get("success"):
            raise Failure(plain(str(answer))[:800])
        self.expect_value("SELECT born FROM shop2.customers WHERE email = 'emil@example.org'", 2001)

    # Accounts.

    def action_add_an_account(self):
        form = self.open("/server/privileges", adduser="1").expect("Add user account").form("addUsersForm")
        fields = dict(form.fields) | {
            "adduser_submit": "Go",
            "pred_username": "userdefined",
            "username": "clerk",
            "pred_hostname": "any",
            "hostname": "%",
            "pred_password": "userdefined",
            "pma_pw": PASSWORD,
            "pma_pw2": PASSWORD,
            "authentication_plugin": "mysql_native_password",
        }
        self.ask("/server/privileges", **fields)
        self.open("/server/privileges").expect("clerk")
        clerk = self.other_browser()
        self.log_in(clerk, "clerk", PASSWORD).expect("General settings").expect_without("shop2")

    def action_grant(self):
        privileges = {f"{name}_priv": "Y" for name in ("Select", "Insert", "Update")}
        self.ask(
            "/server/privileges",
            username="clerk",
            hostname="%",
            dbname="shop",
            update_privs="1",
            grant_count="3",
            **privileges,
        )
        clerk = self.other_browser()
        self.log_in(clerk, "clerk", PASSWORD)
        self.open("/sql", clerk, db="shop", table="items", pos="0").expect("item 010")
        self.open("/server/privileges", username="clerk", hostname="%", dbname="shop").expect("Edit privileges")
        self.open("/server/privileges", db="shop", checkprivsdb="shop").expect("clerk")

    def action_revoke(self):
        self.ask("/server/privileges", username="clerk", hostname="%", dbname="shop", revokeall="1")
        grants = self.sql("SHOW GRANTS FOR clerk@'%'")
        if any("shop" in grant for (grant,) in grants):
            raise Failure(str(grants))

    def action_change_a_password(self):
        self.ask(
            "/server/privileges",
            username="clerk",
            hostname="%",
            change_pw="1",
            nopass="0",
            pma_pw="other-horse-3",
            pma_pw2="other-horse-3",
            authentication_plugin="mysql_native_password",
        )
        self.log_in(self.other_browser(), "clerk", "other-horse-3").expect("General settings")
        self.log_in(self.other_browser(), "clerk", PASSWORD).expect("Access denied")

    def action_rename_an_account(self):
        self.query("RENAME USER clerk TO keeper", database="")
        self.open("/server/privileges", username="keeper", hostname="%").expect("keeper")

    def action_drop_an_account(self):
        self.ask(
            "/server/privileges", delete="Go", drop_users_db="", **{"selected_usr[]": "keeper&amp;#27;%", "mode": "2"}
        )
        self.expect_value("SELECT COUNT(*) FROM mysql.user WHERE user = 'keeper'", 0)

    # Settings and the server.

    def action_set_a_variable(self):
        self.ask("/server/variables/set/max_connections", varName="max_connections", varValue="77")
        self.expect_value("SELECT @@GLOBAL.max_connections", 77)

    def action_processes(self):
        self.ask(
            "/server/status/processes/refresh",
            column_name="",
            order_by_field="",
            sort_order="",
            full="1",
            showExecuting="",
        )

    def action_watch(self):
        self.ask("/server/status/monitor/chart", requiredData="{}")

    def action_remember_recent_tables(self):
        self.expect_value("SELECT COUNT(*) FROM pma__recent WHERE username = 'root' AND tables LIKE '%items%'", 1)

    # The end.

    def action_empty_and_drop_tables(self):
        self.ask("/database/structure/empty-table", db="shop", mult_btn="Yes", **{"selected[]": ["old_items"]})
        self.expect_value("SELECT COUNT(*) FROM shop.old_items", 0)
        self.ask("/database/structure/drop-table", db="shop", mult_btn="Yes", **{"selected[]": ["old_items"]})
        self.expect_value(
            "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = 'shop' AND table_name = 'old_items'",
            0,
        )

    def action_copy_a_database(self):
        self.ask(
            "/database/operations",
            db="shop2",
            db_copy="true",
            newname="shop3",
            what="data",
            create_database_before_copying="1",
            drop_if_exists="0",
            sql_auto_increment="1",
            add_constraints="1",
        )
        self.expect_value("SELECT COUNT(*) FROM shop3.items", self.value("SELECT COUNT(*) FROM shop2.items"))

    def action_rename_a_database(self):
        self.ask("/database/operations", db="shop3", db_rename="true", newname="shop4")
        self.expect_value("SELECT COUNT(*) FROM shop4.items", self.value("SELECT COUNT(*) FROM shop2.items"))
        self.expect_value("SELECT COUNT(*) FROM information_schema.schemata WHERE schema_name = 'shop3'", 0)

    def action_drop_databases(self):
        self.open("/server/databases")
        self.ask("/server/databases/destroy", drop_selected_dbs="1", **{"selected_dbs[]": ["shop2", "shop4"]})
        self.expect_value("SELECT COUNT(*) FROM information_schema.schemata WHERE schema_name LIKE 'shop_'", 0)

    def action_log_out(self):
        self.browser.post("/index.php?route=/logout", {"token": self.token(), "server": "1"}).expect("Welcome to")
        self.log_in(self.browser, "root", "").expect("General settings")
