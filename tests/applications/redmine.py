"""Redmine, an application of Ruby on Rails: its migrations, then projects, issues, time, a wiki, forums and files.

Not here: repositories, mail.
"""

from application import PASSWORD, Application, servers
from web import Failure
from wordpress import PNG


class Redmine(Application):
    name = "redmine"
    package = "redmine"
    unsteady_tables = ("tokens",)
    pages = {
        "home": "/",
        "my page": "/my/page",
        "projects": "/projects",
        "a project": "/projects/house",
        "issues": "/projects/house/issues?set_filter=1",
        "an issue": "/issues/7",
        "issues as JSON": "/issues.json?limit=50",
        "Gantt": "/projects/house/issues/gantt",
        "activity": "/projects/house/activity",
        "wiki": "/projects/house/wiki",
        "search": "/search?q=door",
        "time": "/projects/house/time_entries",
    }

    def error_marks(self):
        return ("Mysql2::Error", "ActiveRecord::StatementInvalid", "Internal error")

    def install(self):
        self.files = files = self.copy("usr", "share", "redmine")
        for link in ("Gemfile.lock", "instances", "config/database.yml"):
            (files / link).unlink()
        gems = files / "Gemfile"
        self.write(gems, gems.read_text("utf-8").replace("/usr/share/redmine", str(files)))
        instance = files / "instances" / "default"
        for folder in ("config", "log", "tmp/cache", "files"):
            (instance / folder).mkdir(parents=True)
        self.write(
            instance / "config" / "database.yml",
            f"""production:
  adapter: mysql2
  host: 127.0.0.1
  port: {self.port}
  database: {self.database}
  username: {self.user}
  password: {PASSWORD}
  encoding: utf8mb4
""",
        )
        self.write(instance / "config" / "secret_key.txt", "5" * 128)
        self.environment = {
            "RAILS_ENV": "production",
            "REDMINE_LANG": "en",
            "RAILS_SERVE_STATIC_FILES": "1",
            "RAILS_LOG_TO_STDOUT": "1",
        }
        self.run(["bundle", "exec", "rake", "db:migrate"], files, **self.environment)
        self.run(["bundle", "exec", "rake", "redmine:load_default_data"], files, **self.environment)
        self.expect_value("SELECT COUNT(*) FROM trackers", 3)
        (port,) = servers.free_ports(1)
        self.spawn(
            ["puma", "-b", f"tcp://127.0.0.1:{port}", "-e", "production", "-t", "2:2", "config.ru"],
            files,
            **self.environment,
        )
        self.open_browser(port)

    def log_in(self, browser, name, password):
        browser.get("/login")
        return browser.submit("username", username=name, password=password)

    def key(self):
        return {"X-Redmine-API-Key": self.api_key}

    def action_log_in(self):
        self.log_in(self.browser, "admin", "admin").expect("assword")
        self.browser.submit(
            "new_password", password="admin", new_password=PASSWORD, new_password_confirmation=PASSWORD
        ).expect("Password was successfully updated")

    def action_refuse_a_wrong_password(self):
        self.log_in(self.other_browser(), "admin", "wrong").expect("Invalid user or password")

    def action_open_the_interface(self):
        self.browser.get("/settings?tab=api")
        self.browser.submit("settings[rest_api_enabled]", **{"settings[rest_api_enabled]": "1"}).expect(
            "Successful update"
        )
        self.api_key = self.browser.get("/my/api_key").find(r"<pre>([0-9a-f]{40})</pre>")

    def action_make_a_project(self):
        self.browser.get("/projects/new")
        self.browser.submit(
            "project[name]",
            **{
                "project[name]": "House \U0001f3e0",
                "project[identifier]": "house",
                "project[description]": "All of it",
            },
        )
        self.browser.get("/projects/house").expect("House \U0001f3e0", "All of it")
        self.expect_value("SELECT COUNT(*) FROM enabled_modules", 10)

    def action_refuse_a_project_twice(self):
        self.browser.get("/projects/new")
        self.browser.submit("project[name]", **{"project[name]": "Other", "project[identifier]": "house"}).expect(
            "Identifier has already been taken", status=None
        )

    def action_make_a_part(self):
        self.browser.get("/projects/new?parent_id=house")
        self.browser.submit(
            "project[name]", **{"project[name]": "Garden", "project[identifier]": "garden", "project[parent_id]": "1"}
        )
        self.expect_value(
            "SELECT CONCAT(p.lft < c.lft, p.rgt > c.rgt) FROM projects p, projects c WHERE p.id = 1 AND c.parent_id = 1",
            "11",
        )

    def action_add_a_user(self):
        self.browser.get("/users/new")
        self.browser.submit(
            "user[login]",
            **{
                "user[login]": "bob",
                "user[firstname]": "Bob",
                "user[lastname]": "Müller",
                "user[mail]": "bob@example.org",
                "user[password]": PASSWORD,
                "user[password_confirmation]": PASSWORD,
            },
        ).expect("bob")
        self.browser.get("/users?name=müll").expect("bob")

    def action_refuse_a_user_twice(self):
        self.browser.get("/users/new")
        self.browser.submit(
            "user[login]",
            **{
                "user[login]": "BOB",
                "user[firstname]": "Bob",
                "user[lastname]": "B",
                "user[mail]": "Bob@Example.org",
                "user[password]": PASSWORD,
                "user[password_confirmation]": PASSWORD,
            },
        ).expect("Login has already been taken", status=None)

    def action_add_a_member(self):
        user = self.value("SELECT id FROM users WHERE login = 'bob'")
        sent = {"membership": {"user_id": int(user), "role_ids": [4]}}
        self.browser.send_json("/projects/house/memberships.json", sent, self.key()).expect(status=201)
        self.browser.get("/projects/house/settings/members").expect("Bob Müller", "Developer")

    def action_file_an_issue(self):
        self.browser.get("/projects/house/issues/new")
        self.browser.submit(
            "issue-form",
            **{
                "issue[tracker_id]": "1",
                "issue[subject]": "The door squeaks",
                "issue[description]": "It *squeaks* \U0001f6aa",
                "issue[priority_id]": "3",
            },
        ).expect("Issue #1 created", "The door squeaks")

    def action_file_many_issues(self):
        for number in range(2, 42):
            sent = {
                "issue": {
                    "project_id": "house" if number % 2 else "garden",
                    "subject": f"Task {number}",
                    "priority_id": number % 5 + 1,
                    "tracker_id": number % 3 + 1,
                    "description": f"door {number}",
                    "start_date": "2026-01-01",
                    "due_date": f"2026-02-{number % 28 + 1:02}",
                    "estimated_hours": number / 4,
                }
            }
            self.browser.send_json("/issues.json", sent, self.key()).expect(status=201)
        self.expect_value("SELECT COUNT(*) FROM issues", 41)

    def action_change_an_issue(self):
        self.browser.get("/issues/1/edit")
        user = self.value("SELECT id FROM users WHERE login = 'bob'")
        self.browser.submit(
            "issue-form",
            **{
                "issue[notes]": "I'll oil it",
                "issue[assigned_to_id]": user,
                "issue[status_id]": "2",
                "issue[done_ratio]": "30",
            },
        ).expect("Successful update", "I'll oil it", "In Progress")
        self.expect_value("SELECT COUNT(*) FROM journal_details", 3)

    def action_meet_a_conflict(self):
        form = self.browser.get("/issues/1/edit")
        self.browser.submit("issue-form", page=form, **{"issue[done_ratio]": "50"}).expect("Successful update")
        self.browser.submit("issue-form", page=form, **{"issue[done_ratio]": "60"}).expect(
            "has been updated by an other user", status=None
        )

    def action_parts_of_an_issue(self):
        for number in (3, 5):
            self.browser.send_json(
                f"/issues/{number}.json", {"issue": {"parent_issue_id": 1}}, self.key(), "PUT"
            ).expect(status=204)
        self.browser.get("/issues/1").expect("Task 3", "Task 5")
        self.expect_value("SELECT CONCAT(lft, '-', rgt) FROM issues WHERE id = 1", "1-6")

    def action_relate_issues(self):
        sent = {"relation": {"issue_to_id": 7, "relation_type": "blocks"}}
        self.browser.send_json("/issues/1/relations.json", sent, self.key()).expect(status=201)
        self.browser.get("/issues/1").expect("Task 7", "Blocks")

    def action_attach_a_file(self):
        sent = (
            self.browser.send(
                "/uploads.json?filename=door.png", PNG, self.key() | {"Content-Type": "application/octet-stream"}
            )
            .expect(status=201)
            .json()
        )
        issue = {
            "issue": {
                "uploads": [{"token": sent["upload"]["token"], "filename": "door.png", "content_type": "image/png"}]
            }
        }
        self.browser.send_json("/issues/1.json", issue, self.key(), "PUT").expect(status=204)
        self.browser.get("/issues/1").expect("door.png")

    def action_list_issues(self):
        self.browser.get("/projects/house/issues?set_filter=1&sort=priority:desc,id:desc&per_page=25").expect(
            "Task 39", "The door squeaks"
        )
        self.browser.get(
            "/issues?set_filter=1&f[]=status_id&op[status_id]=o&f[]=subject&op[subject]=~&v[subject][]=SQUEAK"
        ).expect("The door squeaks").expect_without("Task 29")
        self.browser.get(
            "/issues?set_filter=1&f[]=due_date&op[due_date]=><&v[due_date][]=2026-02-05&v[due_date][]=2026-02-07"
        ).expect("Task 4", "Task 34").expect_without("Task 35")
        self.browser.get(
            "/issues?set_filter=1&group_by=tracker&f[]=assigned_to_id&op[assigned_to_id]=!*&t[]=estimated_hours"
        ).expect("Bug", "Feature", "Estimated time")

    def action_export_issues(self):
        listed = self.browser.get("/issues.csv?set_filter=1&c[]=all_inline").expect("Task 40")
        if len(listed.text.splitlines()) < 41:
            raise Failure("the list lacks issues")
        page = self.browser.get("/issues/1.pdf")
        if not page.body.startswith(b"%PDF"):
            raise Failure("no PDF")

    def action_keep_a_query(self):
        self.browser.get("/projects/house/queries/new")
        self.browser.submit(
            "query-form",
            **{"query[name]": "Urgent", "query[visibility]": "2", "f[]": ["status_id"], "op[status_id]": "o"},
        ).expect("Urgent")
        query = self.value("SELECT id FROM queries WHERE name = 'Urgent'")
        self.browser.get(f"/projects/house/issues?query_id={query}").expect("Task 39")

    def action_log_time(self):
        for hours, comment in ((1.5, "oiling"), (2.25, "painting")):
            sent = {
                "time_entry": {
                    "issue_id": 1,
                    "hours": hours,
                    "spent_on": "2026-01-05",
                    "activity_id": 9,
                    "comments": comment,
                }
            }
            self.browser.send_json("/time_entries.json", sent, self.key()).expect(status=201)
        self.browser.get("/projects/house/time_entries").expect("oiling", "3:45")
        self.browser.get(
            "/projects/house/time_entries/report?criteria[]=user&criteria[]=activity&columns=month"
        ).expect("3:45", "2026-1")

    def action_versions(self):
        sent = {"version": {"name": "Spring", "due_date": "2026-03-20", "sharing": "descendants"}}
        self.browser.send_json("/projects/house/versions.json", sent, self.key()).expect(status=201)
        self.browser.send_json("/issues/7.json", {"issue": {"fixed_version_id": 1}}, self.key(), "PUT").expect(
            status=204
        )
        self.browser.get("/projects/house/roadmap").expect("Spring", "Task 7")
        self.browser.get("/versions/1").expect("Task 7")

    def action_categories_and_fields(self):
        self.browser.send_json(
            "/projects/house/issue_categories.json", {"issue_category": {"name": "Doors"}}, self.key()
        ).expect(status=201)
        self.browser.get("/custom_fields/new?type=IssueCustomField&custom_field[field_format]=list")
        self.browser.submit(
            "custom_field_form",
            **{
                "custom_field[name]": "Wood",
                "custom_field[possible_values]": "oak\npine",
                "custom_field[is_for_all]": "1",
                "custom_field[is_filter]": "1",
                "custom_field[tracker_ids][]": ["1", "2", "3"],
                "custom_field[searchable]": "1",
            },
        ).expect("Wood")
        field = self.value("SELECT id FROM custom_fields WHERE name = 'Wood'")
        sent = {"issue": {"custom_fields": [{"id": int(field), "value": "oak"}], "category_id": 1}}
        self.browser.send_json("/issues/7.json", sent, self.key(), "PUT").expect(status=204)
        self.browser.get(f"/issues?set_filter=1&f[]=cf_{field}&op[cf_{field}]==&v[cf_{field}][]=oak").expect(
            "Task 7"
        ).expect_without("Task 9")

    def action_write_the_wiki(self):
        self.browser.get("/projects/house/wiki/Wiki/edit")
        self.browser.submit(
            "wiki_form", **{"content[text]": "h1. House\n\nSee [[Doors]] and #1. Größe", "content[comments]": "first"}
        ).expect("Größe")
        self.browser.get("/projects/house/wiki/Doors/edit")
        self.browser.submit("wiki_form", **{"content[text]": "h1. Doors\n\noak"}).expect("oak")
        self.browser.get("/projects/house/wiki/Wiki/edit")
        self.browser.submit(
            "wiki_form", **{"content[text]": "h1. House\n\nSee [[Doors]].", "content[comments]": "second"}
        )
        self.browser.get("/projects/house/wiki/Wiki/diff?version=2&version_from=1").expect("Größe")
        self.browser.get("/projects/house/wiki/index").expect("Doors")

    def action_rename_a_wiki_page(self):
        self.browser.get("/projects/house/wiki/Doors/rename")
        self.browser.submit("wiki_page[title]", **{"wiki_page[title]": "Gates"}).expect("Gates")
        self.browser.get("/projects/house/wiki/Doors").expect("oak")

    def action_forums(self):
        self.browser.get("/projects/house/boards/new")
        self.browser.submit("board[name]", **{"board[name]": "Talk", "board[description]": "of the house"})
        self.browser.get("/projects/house/boards/1")
        self.browser.get("/boards/1/topics/new")
        self.browser.submit(
            "message-form", **{"message[subject]": "Hello", "message[content]": "Who is there?"}
        ).expect("Who is there?")
        self.browser.submit("message-form", **{"reply[content]": "I am", "reply[subject]": "RE: Hello"})
        self.browser.get("/projects/house/boards/1").expect("Hello")
        self.expect_value("SELECT CONCAT(messages_count, topics_count) FROM boards", "21")

    def action_news(self):
        self.browser.get("/projects/house/news/new")
        self.browser.submit("news-form", **{"news[title]": "Spring", "news[description]": "is near"}).expect("Spring")
        self.browser.get("/news/1")
        self.browser.submit("comment[comments]", **{"comment[comments]": "At last"}).expect("At last")

    def action_documents(self):
        self.browser.get("/projects/house/documents/new")
        self.browser.submit(
            "document[title]", **{"document[title]": "Plan", "document[description]": "of the house"}
        ).expect("Plan")

    def action_search(self):
        self.browser.get("/search?q=squeaks&issues=1").expect("The door squeaks")
        self.browser.get("/search?q=oak+door&all_words=&scope=all&issues=1&wiki_pages=1&messages=1").expect("Gates")
        self.browser.get("/search?q=nowhere").expect("Results (0)")

    def action_see_activity(self):
        self.browser.get(
            "/projects/house/activity?show_issues=1&show_wiki_edits=1&show_messages=1&show_news=1"
        ).expect("The door squeaks", "Hello", "Spring")
        self.browser.get("/projects/house/activity.atom").expect("<feed")

    def action_charts_and_calendar(self):
        self.browser.get("/projects/house/issues/gantt?month=1&year=2026&months=3").expect("Task 7")
        self.browser.get("/projects/house/issues/calendar?month=2&year=2026").expect("Task 7")
        self.browser.get("/projects/house/issues/report").expect("Bug", "Bob Müller")
        self.browser.get("/projects/house/issues/report/tracker").expect("Bug")

    def action_work_as_a_member(self):
        self.bob = self.other_browser()
        self.log_in(self.bob, "bob", PASSWORD).expect("Logged in as")
        self.bob.get("/issues/1/edit")
        self.bob.submit("issue-form", **{"issue[notes]": "Oiled", "issue[status_id]": "3"}).expect(
            "Oiled", "Resolved"
        )
        self.bob.get("/admin").expect("not authorized", status=403)
        self.bob.get("/my/page").expect("The door squeaks")

    def action_watch_an_issue(self):
        user = self.value("SELECT id FROM users WHERE login = 'bob'")
        self.browser.send_json("/issues/7/watchers.json", {"user_id": int(user)}, self.key()).expect(status=None)
        self.bob.get("/issues?set_filter=1&f[]=watcher_id&op[watcher_id]==&v[watcher_id][]=me").expect(
            "Task 7"
        ).expect_without("Task 9")

    def action_copy_issues(self):
        self.browser.get("/projects/house/issues/7/copy")
        self.browser.submit("issue-form", **{"issue[subject]": "Task 7 again"}).expect("Task 7 again")
        self.expect_value("SELECT COUNT(*) FROM issue_relations WHERE relation_type = 'copied_to'", 1)

    def action_change_many_issues(self):
        ids = [9, 11, 13]
        self.browser.get("/issues/bulk_edit?" + "&".join(f"ids[]={one}" for one in ids))
        self.browser.submit("bulk_edit_form", **{"issue[priority_id]": "5", "issue[status_id]": "5"})
        self.expect_value(
            "SELECT COUNT(*) FROM issues WHERE id IN (9, 11, 13) AND priority_id = 5 AND closed_on IS NOT NULL", 3
        )

    def action_move_an_issue(self):
        self.browser.send_json("/issues/15.json", {"issue": {"project_id": "garden"}}, self.key(), "PUT").expect(
            status=204
        )
        self.browser.get("/projects/garden/issues?set_filter=1").expect("Task 15")

    def action_delete_an_issue(self):
        self.browser.send_json("/issues/1.json", {}, self.key(), "DELETE").expect(status=204)
        self.expect_value("SELECT COUNT(*) FROM issues WHERE id IN (1, 3, 5)", 0)
        self.expect_value("SELECT COUNT(*) FROM journals WHERE journalized_id = 1", 0)
        self.browser.get("/issues/1").expect("exist or has been removed", status=404)

    def action_groups(self):
        sent = {
            "group": {"name": "Keepers", "user_ids": [int(self.value("SELECT id FROM users WHERE login = 'bob'"))]}
        }
        self.browser.send_json("/groups.json", sent, self.key()).expect(status=201)
        self.browser.get("/groups").expect("Keepers")

    def action_copy_a_project(self):
        self.browser.get("/projects/house/copy")
        self.browser.submit(
            "project[name]",
            **{
                "project[name]": "Second house",
                "project[identifier]": "second",
                "only[]": ["members", "wiki", "versions", "issues", "boards"],
                "notifications": None,
            },
        ).expect(status=200)
        copied = self.value(
            "SELECT COUNT(*) FROM issues WHERE project_id = (SELECT id FROM projects WHERE identifier = 'second')"
        )
        if copied != self.value("SELECT COUNT(*) FROM issues WHERE project_id = 1"):
            raise Failure(f"{copied} issues were copied")

    def action_close_and_archive(self):
        token = self.browser.get("/projects/second").find(r'name="csrf-token" content="([^"]+)"')
        self.browser.post("/projects/second/close", {"authenticity_token": token}).expect("closed")
        self.browser.post("/projects/second/archive", {"authenticity_token": token})
        self.expect_value("SELECT status FROM projects WHERE identifier = 'second'", 9)

    def action_delete_a_project(self):
        self.browser.send_json("/projects/second.json", {}, self.key(), "DELETE").expect(status=204)
        self.expect_value("SELECT COUNT(*) FROM projects WHERE identifier = 'second'", 0)

    def action_admin_pages(self):
        for path in (
            "/admin",
            "/admin/projects",
            "/admin/info",
            "/users",
            "/groups",
            "/roles",
            "/roles/permissions",
            "/trackers",
            "/issue_statuses",
            "/workflows",
            "/workflows/edit?role_id[]=3&tracker_id[]=1",
            "/custom_fields",
            "/enumerations",
            "/settings",
        ):
            self.browser.get(path).expect()

    def action_log_out(self):
        self.browser.get("/logout")
        self.browser.submit("commit").expect("Sign in")
        self.log_in(self.browser, "admin", PASSWORD).expect("Logged in as")
