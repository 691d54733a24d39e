"""WordPress: set up by its own pages, then written, read, searched and commented in.

Not here: updates, mail, and pages that ask wordpress.org.
"""

import re
import time

from application import PASSWORD, Application
from web import Failure

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c4944415408d763f8cfc000000003010100"
    "18dd8db00000000049454e44ae426082"
)


class WordPress(Application):
    name = "wordpress"
    package = "wordpress"
    unsteady_tables = ("wp_options",)
    pages = {
        "front page": "/",
        "a post with comments": "/?p=1",
        "search": "/?s=house",
        "category": "/?cat=1",
        "feed": "/?feed=rss2",
        "REST: posts": "/index.php?rest_route=/wp/v2/posts",
        "admin: dashboard": "/wp-admin/index.php",
        "admin: posts": "/wp-admin/edit.php",
        "admin: comments": "/wp-admin/edit-comments.php",
        "admin: users": "/wp-admin/users.php",
        "admin: options": "/wp-admin/options-general.php",
    }

    def error_marks(self):
        return (
            "<b>Fatal error</b>",
            "PHP Fatal error",
            "mysqli_sql_exception",
            "WordPress database error",
            "Error establishing a database connection",
        )

    def install(self):
        files = self.copy("usr", "share", "wordpress")
        # Its own page writes this file.
        (files / "wp-config.php").unlink()
        (files / "wp-content" / "uploads").mkdir()
        (files / "wp-content" / "mu-plugins").mkdir()
        # Visitors of one address may comment as quickly as they like.
        self.write(
            files / "wp-content" / "mu-plugins" / "quick.php",
            "<?php add_filter('wp_is_comment_flood', '__return_false', 99);\n",
        )
        browser = self.serve_php(files, self.router())
        browser.get("/wp-admin/setup-config.php?step=1&language=en_US")
        browser.submit(
            "dbname",
            dbname=self.database,
            uname=self.user,
            pwd=PASSWORD,
            dbhost=f"127.0.0.1:{self.port}",
            prefix="wp_",
        ).expect("Run the installation")
        # No page asks wordpress.org, nor runs what waits for its time.
        config = files / "wp-config.php"
        settings = "define('WP_HTTP_BLOCK_EXTERNAL', true); define('DISABLE_WP_CRON', true);"
        self.write(config, config.read_text("utf-8").replace("<?php", "<?php\n" + settings, 1))
        browser.get("/wp-admin/install.php?step=1&language=en_US")
        browser.submit(
            "weblog_title",
            weblog_title="The house",
            user_name="ann",
            admin_password=PASSWORD,
            admin_password2=PASSWORD,
            pw_weak="1",
            admin_email="ann@example.org",
            blog_public=None,
        ).expect("Success!")

    def router(self):
        """What a web server's rewriting does: addresses that are no files are the front page's."""
        router = self.folder / "router.php"
        self.write(
            router,
            """<?php
$file = $_SERVER['DOCUMENT_ROOT'] . parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
if (is_file($file) || is_dir($file) && is_file("$file/index.php")) { return false; }
$_SERVER['SCRIPT_NAME'] = $_SERVER['PHP_SELF'] = '/index.php';
require $_SERVER['DOCUMENT_ROOT'] . '/index.php';
""",
        )
        return router

    def rest(self, method, path, value=None):
        """A request of the editor's script."""
        headers = {"X-WP-Nonce": self.nonce}
        return self.browser.send_json(f"/index.php?rest_route={path}", value or {}, headers, method)

    def action_log_in(self):
        self.browser.get("/wp-login.php")
        self.browser.submit("loginform", log="ann", pwd=PASSWORD).expect("Dashboard", "At a Glance")

    def action_refuse_a_wrong_password(self):
        stranger = self.other_browser()
        stranger.get("/wp-login.php")
        stranger.submit("loginform", log="ann", pwd="wrong").expect("is incorrect")

    def action_see_the_front_page(self):
        self.browser.get("/").expect("The house", "Hello world!")

    def action_see_addresses(self):
        # The page writes the rules of addresses once more; the installer could not know all of them.
        self.browser.get("/wp-admin/options-permalink.php").expect("Permalink Settings")

    def action_write_a_post(self):
        self.nonce = self.browser.get("/wp-admin/admin-ajax.php?action=rest-nonce").text
        sent = {"title": "First day \U0001f3e0", "content": "The house has doors. Grüße, 東京.", "status": "publish"}
        post = self.rest("POST", "/wp/v2/posts", sent).expect(status=201).json()
        self.post = post["id"]
        self.browser.get(f"/?p={self.post}").expect("First day \U0001f3e0", "Grüße, 東京")

    def action_edit_a_post(self):
        self.rest("POST", f"/wp/v2/posts/{self.post}", {"content": "The house has four doors and a garden."}).expect()
        self.browser.get(f"/?p={self.post}").expect("four doors and a garden").expect_without("Grüße")
        self.expect_value(
            f"SELECT COUNT(*) FROM wp_posts WHERE post_parent = {self.post} AND post_type = 'revision'", 1
        )

    def action_autosave_a_draft(self):
        draft = self.rest(
            "POST", "/wp/v2/posts", {"title": "A draft", "content": "not yet", "status": "draft"}
        ).json()
        self.draft = draft["id"]
        self.rest("POST", f"/wp/v2/posts/{self.draft}/autosaves", {"content": "not yet, but more"}).expect()
        self.other_browser().get("/").expect("First day").expect_without("A draft")

    def action_read_revisions(self):
        revisions = self.rest("GET", f"/wp/v2/posts/{self.post}/revisions").expect().json()
        if len(revisions) != 1:
            raise Failure(f"{len(revisions)} revisions")
        self.browser.get(f"/wp-admin/revision.php?revision={revisions[0]['id']}").expect("First day")

    def action_make_a_page(self):
        page = self.rest("POST", "/wp/v2/pages", {"title": "About us", "content": "We are", "status": "publish"})
        self.page = page.expect(status=201).json()["id"]
        self.browser.get(f"/?page_id={self.page}").expect("About us")

    def action_make_categories(self):
        self.browser.get("/wp-admin/edit-tags.php?taxonomy=category")
        self.browser.submit("addtag", **{"tag-name": "Rooms", "slug": "rooms", "description": "All rooms"}).expect(
            "Rooms"
        )
        self.category = self.value("SELECT term_id FROM wp_terms WHERE slug = 'rooms'")
        self.browser.get("/wp-admin/edit-tags.php?taxonomy=category")
        self.browser.submit("addtag", **{"tag-name": "Kitchen", "parent": self.category})
        self.expect_value(f"SELECT COUNT(*) FROM wp_term_taxonomy WHERE parent = {self.category}", 1)

    def action_refuse_a_category_twice(self):
        self.browser.get("/wp-admin/edit-tags.php?taxonomy=category")
        self.browser.submit("addtag", **{"tag-name": "Rooms", "slug": "rooms"}).expect("not added")

    def action_tag_a_post(self):
        tags = [
            self.rest("POST", "/wp/v2/tags", {"name": name}).expect(status=201).json()["id"]
            for name in ("wood", "Stein")
        ]
        sent = {"tags": tags, "categories": [int(self.category)]}
        self.rest("POST", f"/wp/v2/posts/{self.post}", sent).expect()
        self.browser.get("/?tag=wood").expect("First day")
        self.browser.get(f"/?cat={self.category}").expect("First day")
        self.expect_value(f"SELECT count FROM wp_term_taxonomy WHERE term_id = {self.category}", 1)

    def action_upload_a_picture(self):
        self.browser.get("/wp-admin/media-new.php")
        self.browser.submit("file-form", files={"async-upload": ("door.png", PNG)}, button="html-upload").expect()
        self.browser.get("/wp-admin/upload.php?mode=list").expect("door")
        self.expect_value("SELECT COUNT(*) FROM wp_posts WHERE post_mime_type = 'image/png'", 1)

    def action_comment_as_a_visitor(self):
        visitor = self.other_browser()
        visitor.get(f"/?p={self.post}")
        visitor.submit(
            "commentform", author="Bob", email="bob@example.org", url="", comment="I like the garden \U0001f333"
        )
        self.expect_value("SELECT comment_approved FROM wp_comments WHERE comment_author = 'Bob'", 0)

    def action_refuse_a_comment_twice(self):
        visitor = self.other_browser()
        visitor.get(f"/?p={self.post}")
        visitor.submit(
            "commentform", author="Bob", email="bob@example.org", url="", comment="I like the garden \U0001f333"
        ).expect("Duplicate comment detected", status=409)

    def action_approve_a_comment(self):
        self.browser.get("/wp-admin/edit-comments.php?comment_status=moderated").expect("I like the garden")
        comment = self.value("SELECT comment_ID FROM wp_comments WHERE comment_author = 'Bob'")
        self.browser.submit("comments-form", action="approve", **{"delete_comments[]": comment})
        self.other_browser().get(f"/?p={self.post}").expect("I like the garden \U0001f333")
        self.expect_value(f"SELECT comment_count FROM wp_posts WHERE ID = {self.post}", 1)

    def action_answer_a_comment(self):
        parent = self.value("SELECT comment_ID FROM wp_comments WHERE comment_author = 'Bob'")
        self.browser.get(f"/?p={self.post}")
        self.browser.submit("commentform", comment="Thank you, Bob", comment_parent=parent).expect("Thank you, Bob")

    def action_mark_as_spam(self):
        for text in ("buy now", "cheap"):
            visitor = self.other_browser()
            visitor.get("/?p=1")
            visitor.submit(
                "commentform", author=f"S {text}", email="s@example.org", url="http://s.example", comment=text
            )
        self.browser.get("/wp-admin/edit-comments.php")
        ids = [row[0] for row in self.sql("SELECT comment_ID FROM wp_comments WHERE comment_author LIKE 'S %'")]
        self.browser.submit("comments-form", action="spam", **{"delete_comments[]": ids})
        self.expect_value("SELECT COUNT(*) FROM wp_comments WHERE comment_approved = 'spam'", 2)
        self.browser.get("/wp-admin/edit-comments.php?comment_status=spam").expect("buy now", "cheap")

    def action_empty_spam(self):
        # Only comments of a second before the page's are deleted.
        time.sleep(1.1)
        self.browser.get("/wp-admin/edit-comments.php?comment_status=spam")
        self.browser.submit("comments-form", button="delete_all", action="-1", action2="-1")
        self.expect_value("SELECT COUNT(*) FROM wp_comments WHERE comment_approved = 'spam'", 0)

    def action_search(self):
        self.browser.get("/?s=garden").expect("First day").expect_without("Hello world!")
        self.browser.get("/?s=GARDEN+doors").expect("First day")
        self.browser.get("/?s=nowhere").expect("nowhere").expect_without("First day")

    def action_search_as_the_editor_does(self):
        self.browser.get("/wp-admin/edit.php?s=garden&post_type=post").expect("First day")

    def action_many_posts(self):
        for number in range(25):
            sent = {
                "title": f"Note {number:02}",
                "content": f"<p>Note of house {number}</p>",
                "status": "publish",
                "date": f"2026-0{number % 9 + 1}-1{number % 10}T12:00:00",
            }
            self.rest("POST", "/wp/v2/posts", sent).expect(status=201)
        self.browser.get("/?paged=2").expect("Note ")
        self.browser.get("/wp-admin/edit.php?post_type=post&paged=2").expect("Note ", "28 items")

    def action_archive_of_a_month(self):
        self.browser.get("/?m=202603").expect("Note 02").expect_without("Note 03")
        self.browser.get("/wp-admin/edit.php?m=202603").expect("Note 02").expect_without("Note 03")

    def action_sort_by_title(self):
        self.browser.get("/wp-admin/edit.php?orderby=title&order=asc&post_type=post").expect("A draft")

    def action_quick_edit(self):
        nonce = self.browser.get("/wp-admin/edit.php").find(r'name="_inline_edit" value="(\w+)"')
        self.browser.post(
            "/wp-admin/admin-ajax.php",
            {
                "action": "inline-save",
                "post_ID": self.draft,
                "post_title": "A draft, renamed",
                "post_type": "post",
                "_status": "draft",
                "screen": "edit-post",
                "_inline_edit": nonce,
                "post_author": 1,
                "mm": "01",
                "jj": "02",
                "aa": "2026",
                "hh": "01",
                "mn": "02",
                "ss": "03",
                "post_name": "a-draft",
                "post_view": "list",
            },
        ).expect("A draft, renamed")

    def action_trash_and_restore(self):
        self.rest("DELETE", f"/wp/v2/posts/{self.draft}").expect()
        self.browser.get("/wp-admin/edit.php?post_status=trash&post_type=post").expect("A draft, renamed")
        link = self.browser.page.find(r'href="([^"]*action=untrash[^"]*)"')
        self.browser.send(link)
        self.expect_value(f"SELECT post_status FROM wp_posts WHERE ID = {self.draft}", "draft")

    def action_delete_for_good(self):
        self.rest("DELETE", f"/wp/v2/posts/{self.draft}&force=true").expect()
        self.expect_value(f"SELECT COUNT(*) FROM wp_posts WHERE ID = {self.draft} OR post_parent = {self.draft}", 0)

    def action_add_a_user(self):
        self.browser.get("/wp-admin/user-new.php")
        self.browser.submit(
            "createuser",
            user_login="bob",
            email="bob@example.org",
            first_name="Bob",
            pass1=PASSWORD,
            pass2=PASSWORD,
            pw_weak="on",
            role="author",
            send_user_notification=None,
        ).expect("New user created")
        self.browser.get("/wp-admin/users.php?role=author").expect("bob@example.org")

    def action_refuse_a_user_twice(self):
        self.browser.get("/wp-admin/user-new.php")
        self.browser.submit(
            "createuser", user_login="bob", email="b2@example.org", pass1=PASSWORD, pass2=PASSWORD, pw_weak="on"
        ).expect("already registered")

    def action_write_as_an_author(self):
        author = self.other_browser()
        author.get("/wp-login.php")
        author.submit("loginform", log="bob", pwd=PASSWORD).expect("Dashboard")
        nonce = author.get("/wp-admin/admin-ajax.php?action=rest-nonce").text
        sent = {"title": "From Bob", "content": "mine", "status": "publish"}
        author.send_json("/index.php?rest_route=/wp/v2/posts", sent, {"X-WP-Nonce": nonce}).expect(status=201)
        author.get("/wp-admin/options-general.php").expect("not allowed", status=403)
        self.browser.get("/?author_name=bob").expect("From Bob").expect_without("First day")

    def action_search_users(self):
        self.browser.get("/wp-admin/users.php?s=*bob*").expect("bob@example.org").expect_without("ann@example.org")

    def action_edit_a_profile(self):
        self.browser.get("/wp-admin/profile.php")
        self.browser.submit("your-profile", nickname="Ännchen", description="Keeper of the house").expect(
            "Profile updated"
        )
        self.expect_value("SELECT meta_value FROM wp_usermeta WHERE user_id = 1 AND meta_key = 'nickname'", "Ännchen")

    def action_delete_a_user(self):
        user = self.value("SELECT ID FROM wp_users WHERE user_login = 'bob'")
        listed = self.browser.get("/wp-admin/users.php")
        self.browser.send(listed.find(r"href='(users\.php\?action=delete[^']*)'"))
        self.browser.submit("updateusers", delete_option="reassign", reassign_user="1").expect("User deleted")
        self.expect_value(f"SELECT COUNT(*) FROM wp_posts WHERE post_author = {user}", 0)
        self.expect_value("SELECT COUNT(*) FROM wp_users", 1)

    def action_change_settings(self):
        self.browser.get("/wp-admin/options-general.php")
        self.browser.submit("blogname", blogname="The big house", blogdescription="with doors").expect(
            "Settings saved"
        )
        self.browser.get("/").expect("The big house")

    def action_pretty_addresses(self):
        self.browser.get("/wp-admin/options-permalink.php")
        self.browser.submit(
            "permalink_structure", selection="/%postname%/", permalink_structure="/index.php/%postname%/"
        ).expect("updated")
        self.browser.get(
            "/index.php/first-day/" if self.slug() == "first-day" else f"/index.php/{self.slug()}/"
        ).expect("four doors and a garden")
        self.browser.get("/index.php/note-01/").expect("Note of house 1")
        self.browser.get("/index.php/nothing-there/").expect(status=404)

    def slug(self):
        """The post's name in addresses."""
        return self.value(f"SELECT post_name FROM wp_posts WHERE ID = {self.post}")

    def action_plugin_on_and_off(self):
        listed = self.browser.get("/wp-admin/plugins.php").expect("Akismet")
        self.browser.send(listed.find(r'href="(plugins\.php\?action=activate[^"]*akismet[^"]*)"'))
        self.browser.get("/wp-admin/plugins.php").expect("Deactivate")
        self.browser.send(self.browser.page.find(r'href="(plugins\.php\?action=deactivate[^"]*akismet[^"]*)"'))
        self.browser.get("/wp-admin/plugins.php").expect("Activate")

    def action_feed_and_sitemap(self):
        self.browser.get("/?feed=rss2").expect("<rss", "From Bob")
        self.browser.get("/?feed=comments-rss2").expect("Thank you, Bob")
        self.browser.get("/?sitemap=posts&sitemap-subtype=post&paged=1").expect("note-01")

    def action_export_all(self):
        exported = self.browser.get("/wp-admin/export.php?download=true&content=all")
        exported.expect("<wp:post_id>", "Note 24")
        if len(re.findall("<item>", exported.text)) < 28:
            raise Failure("the export lacks posts")

    def action_site_health(self):
        self.browser.get("/wp-admin/site-health.php?tab=debug").expect("Database")

    def action_log_out(self):
        self.browser.get("/wp-login.php?action=logout")
        self.browser.send(self.browser.page.find(r'href="([^"]*action=logout[^"]*)"')).expect(
            "You are now logged out"
        )
        self.browser.get("/wp-admin/edit.php").expect("Username or Email Address")
        self.browser.submit("loginform", log="ann", pwd=PASSWORD).expect("Posts")
