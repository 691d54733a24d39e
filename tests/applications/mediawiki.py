"""MediaWiki: set up by its installer, then written, moved, searched, protected and looked after.

Pages are changed by the forms of its pages; what its own scripts ask is asked of `api.php`. Jobs run by
its own program, and none of a page's accord, so that what waits is the same at each server.
"""

import time

from application import PASSWORD, PHP_MARKS, Application
from web import Failure
from wordpress import PNG

EXTENSIONS = (
    "AbuseFilter",
    "CategoryTree",
    "Cite",
    "Gadgets",
    "InputBox",
    "Interwiki",
    "Nuke",
    "ParserFunctions",
    "Poem",
    "Renameuser",
    "ReplaceText",
    "TitleBlacklist",
    "OATHAuth",
)
# Special pages that are lists made by the database.
LISTS = (
    "AllPages",
    "AncientPages",
    "BrokenRedirects",
    "Categories",
    "DeadendPages",
    "DoubleRedirects",
    "FewestRevisions",
    "ListDuplicatedFiles",
    "ListFiles",
    "ListRedirects",
    "ListUsers",
    "LonelyPages",
    "LongPages",
    "MIMESearch",
    "MostCategories",
    "MostImages",
    "MostInterwikis",
    "MostLinked",
    "MostLinkedCategories",
    "MostLinkedTemplates",
    "MostRevisions",
    "NewImages",
    "NewPages",
    "PrefixIndex",
    "ProtectedPages",
    "ProtectedTitles",
    "ShortPages",
    "Statistics",
    "UncategorizedCategories",
    "UncategorizedImages",
    "UncategorizedPages",
    "UnusedCategories",
    "UnusedImages",
    "UnusedTemplates",
    "UnwatchedPages",
    "WantedCategories",
    "WantedFiles",
    "WantedPages",
    "WantedTemplates",
    "WithoutInterwiki",
    "ActiveUsers",
    "BlockList",
    "Tags",
    "TrackingCategories",
    "ListGroupRights",
    "PagesWithProp",
    "MediaStatistics",
    "Version",
    "ListGrants",
    "RandomInCategory",
    "PasswordPolicies",
)


class MediaWiki(Application):
    name = "mediawiki"
    package = "mediawiki"
    unsteady_tables = ("objectcache", "l10n_cache", "querycache%", "job", "module_deps", "searchindex%")
    pages = {
        "a page": "/index.php/House",
        "history": "/index.php?title=House&action=history",
        "edit form": "/index.php?title=House&action=edit",
        "recent changes": "/index.php/Special:RecentChanges?days=30",
        "watchlist": "/index.php/Special:Watchlist",
        "search": "/index.php?search=garden&fulltext=1",
        "category": "/index.php/Category:Rooms",
        "what links here": "/index.php/Special:WhatLinksHere/House",
        "all pages": "/index.php/Special:AllPages",
        "contributions": "/index.php/Special:Contributions/Ann",
        "api: page and revisions": "/api.php?action=query&titles=House&prop=revisions&rvlimit=10&format=json",
    }

    def error_marks(self):
        return (
            *PHP_MARKS,
            "A database query error has occurred",
            "DBQueryError",
            "Internal error",
            "MediaWiki internal error",
        )

    def install(self):
        self.files = files = self.copy("usr", "share", "mediawiki")
        for link in ("LocalSettings.php", "config", "images", "extensions"):
            (files / link).unlink()
        (files / "images").mkdir()
        (files / "extensions-core").rename(files / "extensions")
        self.serve_php(files)
        self.run(
            [
                "php",
                *self.php_options(),
                "maintenance/install.php",
                f"--dbserver=127.0.0.1:{self.port}",
                f"--dbname={self.database}",
                f"--dbuser={self.user}",
                f"--dbpass={PASSWORD}",
                f"--server={self.site}",
                "--scriptpath=",
                f"--pass={PASSWORD}",
                f"--extensions={','.join(EXTENSIONS)}",
                "--skins=Vector,MonoBook",
                "--lang=en",
                "The wiki",
                "Ann",
            ],
            files,
        )
        settings = files / "LocalSettings.php"
        self.write(
            settings,
            settings.read_text("utf-8") + f"""
$wgJobRunRate = 0; $wgEnableUploads = true; $wgShowExceptionDetails = true; $wgShowDBErrorBacktrace = true;
$wgMainCacheType = CACHE_DB; $wgSessionCacheType = CACHE_DB; $wgRateLimits = []; $wgPasswordAttemptThrottle = [];
$wgDebugLogFile = ''; $wgAccountCreationThrottle = []; $wgStrictFileExtensions = false; $wgEnableWatchlistNotifications = true;
$wgCacheDirectory = '{self.folder}/cache'; $wgUseInstantCommons = false; $wgGroupPermissions['sysop']['deleterevision'] = true;
$wgGroupPermissions['sysop']['deletelogentry'] = true; $wgLocaltimezone = 'UTC';
$wgGroupPermissions['sysop']['interwiki'] = true;
$wgVerifyMimeType = false; $wgMiserMode = false; $wgDisableQueryPageUpdate = false;
""",
        )
        (self.folder / "cache").mkdir()

    # What several actions need.

    def maintain(self, script, *arguments, given=None):
        """Runs one of MediaWiki's programs for its keeper."""
        return self.run(["php", *self.php_options(), f"maintenance/{script}.php", *arguments], self.files, given)

    def api(self, browser=None, token=None, **fields):
        """Asks the interface for scripts, with a token if it changes something."""
        browser = browser or self.browser
        fields |= {"format": "json", "formatversion": "2"}
        if token:
            asked = {"action": "query", "meta": "tokens", "type": token, "format": "json"}
            answer = browser.post("/api.php", asked).expect().json()
            fields["token"] = answer["query"]["tokens"][f"{token}token"]
        answer = browser.post("/api.php", fields).expect().json()
        if "error" in answer:
            raise Failure(f"{fields.get('action')}: {answer['error'].get('code')}: {answer['error'].get('info')}")
        return answer

    def edit(self, title, text, summary="", browser=None, **changed):
        """Writes a page by its form."""
        browser = browser or self.browser
        browser.get("/index.php", title=title, action="edit")
        return browser.submit("editform", button="wpSave", wpTextbox1=text, wpSummary=summary, **changed).expect()

    def log_in(self, browser, name, password=PASSWORD):
        browser.get("/index.php/Special:UserLogin")
        return browser.submit("userlogin", wpName=name, wpPassword=password)

    def page_id(self, title):
        return self.value(f"SELECT page_id FROM page WHERE page_namespace = 0 AND page_title = '{title}'")

    # Reading and writing.

    def action_log_in(self):
        self.log_in(self.browser, "Ann").expect("Ann", "Log out")

    def action_refuse_a_wrong_password(self):
        self.log_in(self.other_browser(), "Ann", "wrong-horse").expect("Incorrect username or password")

    def action_see_the_main_page(self):
        self.browser.get("/index.php/Main_Page").expect("MediaWiki has been installed")

    def action_write_a_page(self):
        self.edit(
            "House", "The house has '''doors''' and a [[garden]]. Grüße, 東京 \U0001f3e0\n\n[[Category:Rooms]]", "new"
        ).expect("The house has doors", "東京 \U0001f3e0")
        self.expect_value("SELECT COUNT(*) FROM recentchanges WHERE rc_title = 'House' AND rc_new = 1", 1)

    def action_edit_a_page(self):
        text = "The house has four '''doors''' and a [[garden]].\n\n== Doors ==\nMany.\n\n== Rooms ==\nSome.\n\n[[Category:Rooms]]"
        self.edit("House", text, "four").expect("four doors")
        self.expect_value(f"SELECT COUNT(*) FROM revision WHERE rev_page = {self.page_id('House')}", 2)

    def action_edit_a_section(self):
        self.browser.get("/index.php?title=House&action=edit&section=1")
        self.browser.submit("editform", button="wpSave", wpTextbox1="== Doors ==\nExactly four.").expect(
            "Exactly four"
        )
        self.browser.get("/index.php/House").expect("Exactly four", "Some.")

    def action_preview(self):
        self.browser.get("/index.php?title=House&action=edit")
        self.browser.submit("editform", button="wpPreview", wpTextbox1="not ''yet'' there").expect(
            "only a preview", "not yet there"
        )
        self.browser.get("/index.php/House").expect("four doors")

    def action_show_a_difference(self):
        self.browser.get("/index.php?title=House&action=history").expect("four", "new")
        old, new = (
            row[0]
            for row in self.sql(
                f"SELECT rev_id FROM revision WHERE rev_page = {self.page_id('House')} ORDER BY rev_id LIMIT 2"
            )
        )
        self.browser.get(f"/index.php?title=House&diff={new}&oldid={old}").expect("Difference between revisions")
        self.browser.get(f"/index.php?title=House&oldid={old}").expect("Grüße")

    def action_undo(self):
        text = self.value("SELECT COUNT(*) FROM text")
        self.edit("House", "nonsense", "bad").expect("nonsense")
        page = self.browser.get("/index.php?title=House&action=history")
        self.browser.send(page.find(r'class="mw-history-undo"><a href="([^"]+)"'))
        self.browser.submit("editform", button="wpSave").expect("four doors").expect_without("nonsense")
        if int(self.value("SELECT COUNT(*) FROM text")) <= int(text):
            raise Failure("no text was stored")

    def action_meet_a_conflict(self):
        self.edit("Conflict", "one line\n")
        other = self.other_browser()
        for browser in (self.browser, other):
            browser.get("/index.php?title=Conflict&action=edit")
        mine, theirs = self.browser.page, other.page
        self.browser.submit("editform", button="wpSave", page=mine, wpTextbox1="mine\n").expect("mine")
        other.submit("editform", button="wpSave", page=theirs, wpTextbox1="theirs\n").expect("Edit conflict")

    def action_use_a_template(self):
        self.edit("Template:Door", "A door of {{{1|wood}}}<includeonly>[[Category:Doors]]</includeonly>")
        self.edit("Front door", "{{Door|oak}} leads to the [[House]]. {{#if:1|yes|no}}").expect(
            "A door of oak", "yes"
        )
        self.edit("Back door", "{{Door}} leads to the [[House]]. <ref>seen</ref> <references/>").expect(
            "A door of wood"
        )
        self.expect_value("SELECT COUNT(*) FROM templatelinks", 2)

    def action_change_a_template(self):
        # Pages are kept by the second in which they were touched.
        time.sleep(1.1)
        self.edit("Template:Door", "A fine door of {{{1|wood}}}<includeonly>[[Category:Fine doors]]</includeonly>")
        self.maintain("runJobs")
        self.browser.get("/index.php/Front_door").expect("A fine door of oak")
        self.browser.get("/index.php/Category:Fine_doors").expect("Front door", "Back door")

    def action_see_a_category(self):
        self.edit("Category:Rooms", "All the rooms. [[Category:All]]")
        self.edit("Category:All", "All there is.")
        self.edit("Kitchen", "A room. [[Category:Rooms]]")
        self.edit("Ärmelzimmer", "A room. [[Category:Rooms]]")
        self.browser.get("/index.php/Category:Rooms").expect("House", "Kitchen", "Ärmelzimmer", "out of 3 total")
        self.browser.get("/index.php/Special:CategoryTree?target=All").expect("Rooms")

    def action_what_links_here(self):
        self.browser.get("/index.php/Special:WhatLinksHere/House").expect("Front door", "Back door")

    def action_search_words(self):
        self.edit("Garden", "Behind the house there is a garden with roses, gardenias and old appletrees.")
        self.eventually(
            lambda: self.browser.get("/index.php?search=roses&fulltext=1").expect("Search results", "appletrees")
        )
        self.browser.get("/index.php?search=appletrees+roses&fulltext=1").expect("Garden")
        self.browser.get("/index.php?search=%22with+roses%22&fulltext=1").expect("appletrees")
        self.browser.get("/index.php?search=apple*&fulltext=1").expect("appletrees")
        self.browser.get("/index.php?search=nowhereatall&fulltext=1").expect("no results matching")

    def action_search_titles(self):
        self.browser.get("/index.php?search=Kitchen&fulltext=1").expect("There is a page named", "Kitchen")
        self.browser.get("/index.php?search=intitle:Kitchen&fulltext=1").expect("Kitchen")
        self.browser.get("/index.php?search=Kitchen&go=Go").expect("A room")

    def action_suggest_titles(self):
        found = self.browser.get("/api.php?action=opensearch&search=ki&limit=5").expect().json()
        if found[1] != ["Kitchen"]:
            raise Failure(f"suggested: {found}")

    def action_move_a_page(self):
        self.browser.get("/index.php/Special:MovePage/Kitchen")
        self.browser.submit("movepage", wpNewTitleMain="Big kitchen", wpReason="larger", button="wpMove").expect(
            "moved to"
        )
        self.browser.get("/index.php/Kitchen").expect("Redirected from")
        self.expect_value("SELECT rd_title FROM redirect", "Big_kitchen")
        self.browser.get("/index.php/Special:Log/move").expect("moved page Kitchen to Big kitchen")

    def action_double_redirects(self):
        self.edit("Cook's room", "#REDIRECT [[Kitchen]]")
        self.browser.get("/index.php/Special:DoubleRedirects").expect("Cook's room")

    def action_talk(self):
        self.browser.get("/index.php?title=Talk:House&action=edit&section=new")
        self.browser.submit("editform", button="wpSave", wpSummary="Why four?", wpTextbox1="I counted. ~~~~").expect(
            "I counted", "Why four?"
        )

    def action_watch_pages(self):
        self.api(action="watch", titles="House|Garden", token="watch")
        self.browser.get("/index.php/Special:EditWatchlist/raw").expect("House", "Garden")
        self.browser.get("/index.php/Special:Watchlist?days=30&hidemyself=0").expect("House")

    def action_recent_changes(self):
        self.browser.get("/index.php/Special:RecentChanges?days=30&limit=100").expect("Garden", "larger")
        self.browser.get("/index.php/Special:RecentChangesLinked/House?days=30").expect("Garden")
        self.browser.get("/index.php/Special:NewPages").expect("Garden", "Back door")
        self.browser.get("/index.php?title=Special:RecentChanges&feed=atom&days=30").expect("<feed", "Garden")

    def action_patrol(self):
        changed = self.value("SELECT rc_id FROM recentchanges WHERE rc_title = 'Conflict' LIMIT 1")
        self.sql(f"UPDATE recentchanges SET rc_patrolled = 0 WHERE rc_id = {changed}")
        self.api(action="patrol", rcid=changed, token="patrol")
        self.expect_value(f"SELECT rc_patrolled FROM recentchanges WHERE rc_id = {changed}", 1)

    # People.

    def action_create_an_account(self):
        self.bob = self.other_browser()
        self.bob.get("/index.php/Special:CreateAccount")
        self.bob.submit(
            "userlogin2", wpName="Bob", wpPassword=PASSWORD, retype=PASSWORD, email="bob@example.org"
        ).expect("Bob")
        self.expect_value("SELECT COUNT(*) FROM user WHERE user_name = 'Bob'", 1)

    def action_refuse_an_account_twice(self):
        other = self.other_browser()
        other.get("/index.php/Special:CreateAccount")
        other.submit("userlogin2", wpName="Bob", wpPassword=PASSWORD, retype=PASSWORD).expect(
            "Username entered already in use"
        )

    def action_contribute(self):
        self.edit("House", "Bob was here", "by Bob", self.bob).expect("Bob was here")
        self.edit("Bob's page", "Bob's own text about bees", "mine", self.bob)
        self.browser.get("/index.php/Special:Contributions/Bob").expect("by Bob", "Bob's page")
        self.expect_value("SELECT user_editcount FROM user WHERE user_name = 'Bob'", 2)

    def action_roll_back(self):
        page = self.browser.get("/index.php?title=House&action=history")
        self.browser.send(page.find(r'<a href="([^"]*action=rollback[^"]*)"'))
        self.browser.page.expect("Reverted edits by Bob")
        self.browser.get("/index.php/House").expect("four doors").expect_without("Bob was here")

    def action_change_preferences(self):
        self.browser.get("/index.php/Special:Preferences")
        self.browser.submit("mw-prefs-form", wprealname="Ann of the house", wpskin="monobook").expect(
            "preferences have been saved"
        )
        self.expect_value("SELECT up_value FROM user_properties WHERE up_property = 'skin'", "monobook")
        self.expect_value("SELECT user_real_name FROM user WHERE user_name = 'Ann'", "Ann of the house")

    def action_give_rights(self):
        self.api(action="userrights", user="Bob", add="bot|bureaucrat", reason="helper", token="userrights")
        self.browser.get("/index.php/Special:ListUsers/bureaucrat").expect("Bob")
        self.api(action="userrights", user="Bob", remove="bot|bureaucrat", token="userrights")
        self.browser.get("/index.php/Special:Log/rights").expect("changed group membership for Bob")

    def action_block(self):
        self.browser.get("/index.php/Special:Block/Bob")
        self.api(
            action="block", user="Bob", expiry="1 day", reason="too loud", autoblock="1", nocreate="1", token="csrf"
        )
        self.browser.get("/index.php/Special:BlockList").expect("Bob", "too loud")
        self.bob.get("/index.php?title=House&action=edit").expect("blocked", status=None)

    def action_unblock(self):
        self.browser.get("/index.php/Special:Unblock/Bob")
        self.browser.submit("wpTarget", wpReason="quiet now").expect("unblocked")
        self.expect_value("SELECT COUNT(*) FROM ipblocks", 0)

    def action_rename_a_user(self):
        self.browser.get("/index.php/Special:Renameuser")
        self.browser.submit(
            "renameuser", oldusername="Bob", newusername="Robert", reason="longer", confirmaction="1", button="submit"
        ).expect("has been renamed")
        self.maintain("runJobs")
        self.expect_value("SELECT actor_name FROM actor WHERE actor_name IN ('Bob', 'Robert')", "Robert")

    def action_write_to_a_user(self):
        self.edit("User talk:Robert", "Welcome, Robert")
        self.expect_value("SELECT COUNT(*) FROM user_newtalk", 1)

    # Keeping order.

    def action_protect(self):
        self.browser.get("/index.php?title=House&action=protect")
        self.api(action="protect", title="House", protections="edit=sysop|move=sysop", expiry="never", token="csrf")
        self.other_browser().get("/index.php?title=House&action=edit").expect("protected", status=None)
        self.browser.get("/index.php/Special:ProtectedPages").expect("House")

    def action_delete_a_page(self):
        page = self.page_id("Conflict")
        self.browser.get("/index.php?title=Conflict&action=delete")
        self.browser.submit("deleteconfirm", button="wpConfirmB", wpReason="no use").expect("has been deleted")
        self.expect_value(f"SELECT COUNT(*) FROM archive WHERE ar_page_id = {page}", 2)
        self.browser.get("/index.php/Conflict").expect("no text in this page", status=404)

    def action_bring_a_page_back(self):
        self.browser.get("/index.php/Special:Undelete/Conflict").expect("View and undelete deleted pages")
        self.browser.submit("undelete", button="restore", wpComment="of use after all").expect("undeleted")
        self.browser.get("/index.php/Conflict").expect("mine")
        self.expect_value("SELECT COUNT(*) FROM archive", 0)

    def action_hide_a_revision(self):
        old = self.value(f"SELECT MIN(rev_id) FROM revision WHERE rev_page = {self.page_id('House')}")
        self.api(
            action="revisiondelete", type="revision", target="House", ids=old, hide="content|comment", token="csrf"
        )
        self.other_browser().get(f"/index.php?title=House&oldid={old}").expect("deleted", status=None).expect_without(
            "Grüße"
        )

    def action_upload_a_picture(self):
        self.browser.get("/index.php/Special:Upload")
        self.browser.submit(
            "mw-upload-form",
            files={"wpUploadFile": ("door.png", PNG)},
            wpDestFile="Door.png",
            wpUploadDescription="A door",
            wpIgnoreWarning="1",
            button="wpUpload",
        ).expect("Door.png", "A door")
        self.edit("Front door", "{{Door|oak}} [[File:Door.png]] leads to the [[House]].")
        self.browser.get("/index.php/File:Door.png").expect("Front door")
        self.browser.get("/index.php/Special:ListFiles").expect("Door.png")
        self.expect_value("SELECT img_major_mime FROM image WHERE img_name = 'Door.png'", "image")

    def action_export_and_import(self):
        exported = self.browser.get("/index.php/Special:Export/Garden").expect("<mediawiki", "appletrees").text
        changed = exported.replace("<title>Garden</title>", "<title>Second garden</title>").replace("roses", "tulips")
        self.browser.get("/index.php/Special:Import")
        self.browser.submit(
            "mw-import-upload-form",
            files={"xmlimport": ("garden.xml", changed.encode())},
            source="upload",
            usernamePrefix="there",
        ).expect("Import finished")
        self.browser.get("/index.php/Second_garden").expect("tulips")

    def action_replace_text(self):
        self.browser.get("/index.php/Special:ReplaceText")
        self.browser.submit(
            "target", target="appletrees", replacement="pear trees", edit_pages="1", **{"ns0": "1"}
        ).expect("Second garden")
        self.browser.submit("choose_pages")
        self.maintain("runJobs")
        self.browser.get("/index.php/Garden").expect("pear trees")

    def action_filter_abuse(self):
        self.browser.get("/index.php/Special:AbuseFilter/new")
        self.browser.submit(
            "wpFilterRules",
            wpFilterDescription="No shouting",
            wpFilterRules='added_lines rlike "SHOUT"',
            wpFilterEnabled="1",
            wpFilterActionDisallow="1",
            wpFilterDisallowMessage="abusefilter-disallowed",
        ).expect("saved")
        other = self.other_browser()
        other.get("/index.php?title=Loud&action=edit")
        other.submit("editform", button="wpSave", wpTextbox1="SHOUT SHOUT").expect(
            "automatically identified as harmful", status=None
        )
        self.browser.get("/index.php/Special:AbuseLog").expect("No shouting")
        self.expect_value("SELECT COUNT(*) FROM page WHERE page_title = 'Loud'", 0)

    def action_interwiki(self):
        self.browser.get("/index.php/Special:Interwiki?action=add")
        self.browser.submit(
            "wpInterwikiURL", prefix="neighbour", wpInterwikiURL="http://n.example/$1", wpInterwikiReason="near"
        ).expect("neighbour")
        self.expect_value("SELECT iw_url FROM interwiki WHERE iw_prefix = 'neighbour'", "http://n.example/$1")

    def action_nuke(self):
        vandal = self.other_browser()
        for number in range(3):
            self.edit(f"Spam {number}", f"buy {number}", "", vandal)
        self.browser.get("/index.php/Special:Nuke")
        self.browser.submit("target", target="127.0.0.1", pattern="Spam%", limit="50").expect("Spam 0", "Spam 2")
        pages = self.browser.page.form("pages[]").choices["pages[]"]
        self.browser.submit("pages[]", **{"pages[]": pages, "wpReason": "spam"}).expect("Spam 1")
        self.maintain("runJobs")
        self.expect_value("SELECT COUNT(*) FROM page WHERE page_title LIKE 'Spam%'", 0)

    def action_many_pages(self):
        for number in range(30):
            self.api(
                action="edit",
                title=f"Note {number:02}",
                text=f"Note {number} [[House]] [[Note {number + 1:02}]] [[Category:Notes]]",
                token="csrf",
            )
        self.maintain("runJobs")
        self.browser.get("/index.php/Category:Notes").expect("Note 00", "Note 29", "30")
        self.browser.get("/index.php?title=Special:WhatLinksHere/House&limit=20").expect("next 20")
        self.browser.get("/index.php/Special:AllPages?from=Note+20").expect("Note 20", "Note 29").expect_without(
            "Note 19"
        )
        self.browser.get("/index.php/Special:PrefixIndex/Note_1").expect("Note 10").expect_without("Note 20")

    def action_all_lists(self):
        wrong = []
        for name in LISTS:
            try:
                self.browser.get(f"/index.php/Special:{name}").expect()
            except Failure as failure:
                wrong.append(f"{name}: {failure}")
        if wrong:
            raise Failure("\n".join(wrong))

    def action_lists_say_what_is(self):
        self.browser.get("/index.php/Special:WantedPages").expect("Wanted pages")
        self.browser.get("/index.php/Special:MostLinked").expect("House")
        self.browser.get("/index.php/Special:MostRevisions").expect("House")
        self.browser.get("/index.php/Special:LonelyPages").expect("Second garden")
        self.browser.get("/index.php/Special:UncategorizedPages").expect("Garden")
        self.browser.get("/index.php/Special:ListRedirects").expect("Kitchen")
        self.browser.get("/index.php/Special:MostLinkedCategories").expect("Notes")
        self.browser.get("/index.php/Special:Statistics").expect("Content pages", "Administrators")

    def action_ask_by_scripts(self):
        answer = self.api(
            action="query",
            generator="categorymembers",
            gcmtitle="Category:Notes",
            gcmlimit="50",
            prop="info|revisions|categories|links",
            rvprop="ids|size|user|timestamp",
        )
        if len(answer["query"]["pages"]) != 30:
            raise Failure(f"{len(answer['query']['pages'])} pages of a category")
        answer = self.api(
            action="query",
            list="allusers|logevents|usercontribs|alllinks|recentchanges|watchlist|backlinks|search",
            ucuser="Ann",
            bltitle="House",
            srsearch="garden",
            lelimit="50",
            rclimit="50",
            uclimit="50",
            allimit="50",
        )
        if not all(
            answer["query"][name]
            for name in ("allusers", "logevents", "usercontribs", "alllinks", "recentchanges", "search")
        ):
            raise Failure(f"an empty list: { {name: len(found) for name, found in answer['query'].items()} }")

    def action_read_logs(self):
        self.browser.get("/index.php/Special:Log?limit=500").expect(
            "deleted page Conflict", "undeleted page Conflict", "uploaded"
        )
        self.browser.get("/index.php/Special:Log/delete?user=Ann&page=Conflict").expect("undeleted page Conflict")

    def action_merge_histories(self):
        self.edit("Old plan", "plan one")
        time.sleep(1.1)
        self.edit("New plan", "plan two")
        self.browser.get("/index.php/Special:MergeHistory?target=Old+plan&dest=New+plan&submitted=1").expect(
            "Old plan"
        )
        self.browser.submit("merge").expect("merged")
        self.expect_value(f"SELECT COUNT(*) FROM revision WHERE rev_page = {self.page_id('New_plan')}", 2)

    # Its keeper's programs.

    def action_rebuild_the_search(self):
        self.maintain("rebuildtextindex")
        self.browser.get("/index.php?search=tulips&fulltext=1").expect("Second garden")

    def action_rebuild_links(self):
        self.maintain("refreshLinks")
        self.maintain("rebuildrecentchanges")
        self.maintain("initSiteStats", "--update")
        self.maintain("updateSpecialPages")
        self.browser.get("/index.php/Special:WhatLinksHere/House").expect("Front door")

    def action_update_the_schema(self):
        self.maintain("update", "--quick")

    def action_back_up(self):
        written = self.maintain("dumpBackup", "--full")
        for title in ("House", "Second garden", "Note 29"):
            if f"<title>{title}</title>" not in written:
                raise Failure(f"the backup lacks {title}")

    def action_delete_old_revisions(self):
        self.maintain("deleteOldRevisions", "--delete", str(self.page_id("House")))
        self.expect_value(f"SELECT COUNT(*) FROM revision WHERE rev_page = {self.page_id('House')}", 1)

    def action_change_a_password(self):
        self.maintain("changePassword", "--user=Robert", "--password=another-horse-7")
        self.log_in(self.other_browser(), "Robert", "another-horse-7").expect("Log out")

    def action_log_out(self):
        self.browser.get("/index.php/Special:UserLogout").expect("logged out")
        self.log_in(self.browser, "Ann").expect("Log out")
