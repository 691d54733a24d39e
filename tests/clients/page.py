"""The operator's page in a real browser: every view is drawn, by keyboard, on a phone and in the dark;
axe finds nothing against it; it asks nobody but its own server; and what clients store is never run.

With PICTURES=DIRECTORY the screenshots are written there, such as those of docs/pictures.
"""

import json
import os
import pathlib
import sys
import threading
import time

import pymysql

from devtools import Browser

PORT = int(os.environ["ADMIN_PORT"])
ORIGIN = f"http://127.0.0.1:{PORT}"
ADDRESS = {
    "host": "127.0.0.1", "port": int(os.environ["PORT"]), "user": "root",
    "password": os.environ["ROOT_PASSWORD"], "autocommit": True,
}
AXE = pathlib.Path(os.environ["NODE_PATH"]) / "axe-core" / "axe.min.js"
VIEWS = ["now", "statements", "waiting", "tables", "work", "settings", "console"]
EVIL = "<img src=x onerror=window.ran=1><script>window.ran=1</script>"

failed = 0


def check(name, got, wanted):
    global failed
    if got == wanted:
        print(f"ok page: {name}")
    else:
        failed += 1
        print(f"not ok page: {name}: {got!r} instead of {wanted!r}")


def house(sql):
    """Tables, statements and events to look at, with names and values that would be markup."""
    sql.execute("CREATE DATABASE house")
    sql.execute("CREATE TABLE house.guest (id INT PRIMARY KEY, name VARCHAR(200), KEY k (name),"
                " KEY both_of_them (name, id))")
    sql.execute(f"CREATE TABLE house.`{EVIL[:40]}` (id INT PRIMARY KEY)")
    for number in range(200):
        sql.execute("INSERT INTO house.guest VALUES (%s, %s)", (number, EVIL))
    sql.execute("CREATE EVENT house.tidy ON SCHEDULE EVERY 1 HOUR DO DELETE FROM house.guest"
                " WHERE id > 1000")
    try:
        sql.execute(f"SELECT `{EVIL[:40]}` FROM house.guest")
    except pymysql.err.MySQLError:
        pass


def audit(browser, name):
    browser.run(AXE.read_text() + "; true")
    found = browser.run(
        "axe.run(document, {resultTypes: ['violations']}).then((found) => found.violations.map("
        "(one) => one.id + ': ' + one.nodes.map((node) => node.html.slice(0, 120)).join(' | ')))"
    )
    check(f"axe about {name}", found, [])


def drawn(browser, view):
    browser.wait(f"the view {view}", f"document.body?.dataset.drawn === '{view}'")


def picture(browser, name):
    if "PICTURES" in os.environ:
        browser.picture(pathlib.Path(os.environ["PICTURES"]) / f"page-{name}.png")


def views(browser):
    browser.screen(1280, 900, False)
    browser.call("Page.navigate", url=f"{ORIGIN}/")
    drawn(browser, "now")
    painted = browser.run("performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0")
    print(f"page: first painted after {painted:.0f} ms")
    browser.wait("a rate", "/[0-9]\\/s/.test(document.body.innerText)")
    for number, view in enumerate(VIEWS, 1):
        browser.key(str(number))
        drawn(browser, view)
        current = browser.run("document.querySelector('nav a[aria-current]').hash")
        check(f"key {number} leads to {view}", current, f"#{view}")
        audit(browser, view)
        picture(browser, view)
        check(f"{view} has no error", browser.run("document.querySelector('[role=alert]')?.textContent ?? ''"), "")
        check(f"{view} runs nothing", browser.run("window.ran ?? 0"), 0)
    for view, words in [
        ("statements", "INSERT INTO"), ("statements", "Rows looked at"), ("tables", "both_of_them"),
        ("tables", "Hot keys"), ("tables", "Unused keys"), ("work", "house.tidy"),
        ("settings", "admin-port"),
    ]:
        browser.run(f"location.hash = '#{view}'")
        drawn(browser, view)
        text = browser.run("document.body.innerText")
        check(f"{view} tells of {words}", words in text, True)
    browser.run("location.hash = '#statements'")
    drawn(browser, "statements")
    browser.run("[...document.querySelectorAll('main td button')].find((one) => /INSERT/.test(one.getAttribute('aria-label'))).click()")
    browser.wait("the sample", "/INSERT/.test(document.querySelector('dialog pre')?.textContent)")
    browser.wait("the plan", "document.querySelector('dialog ul.tree li, dialog .bad') !== null")
    audit(browser, "a sample")
    browser.run("document.querySelector('dialog button').click()")
    browser.wait("the end of the dialog", "document.querySelector('dialog') === null")
    browser.key("/")
    focused = browser.run("document.activeElement.id")
    check("/ goes to the filter", focused, "filter")
    browser.key("Tab")
    check("Tab goes on", browser.run("document.activeElement !== document.getElementById('filter')"), True)


def console(browser):
    browser.run("location.hash = '#console'")
    drawn(browser, "console")
    ask = "SELECT name, COUNT(*) FROM guest WHERE id < 50 GROUP BY name"
    browser.run("document.getElementById('database').value = 'house'")
    browser.run(f"document.getElementById('sql').value = {json.dumps(ask)}")
    button = "[...document.querySelectorAll('main button')].find((one) => one.textContent === '%s').click()"
    browser.run(button % "Run")
    browser.wait("the rows", "document.querySelector('main td') !== null")
    check("a value is shown as it is", browser.run("document.querySelector('main td').textContent"), EVIL)
    browser.run(button % "Explain")
    browser.wait("the plan", "document.querySelector('main ul.tree ul li') !== null")
    audit(browser, "a plan")
    picture(browser, "plan")
    browser.run("document.getElementById('sql').value = 'DELETE FROM guest'")
    browser.run(button % "Run")
    browser.wait("the refusal", "/The console takes/.test(document.querySelector('main [role=alert]')?.textContent)")
    browser.run("document.getElementById('sql').value = 'SELECT 1'")
    check("nothing of it is run", browser.run("window.ran ?? 0"), 0)


def waiting(browser, sql):
    holder, waiter = pymysql.connect(**ADDRESS), pymysql.connect(**ADDRESS)
    holder.begin()
    holder.cursor().execute("UPDATE house.guest SET name = 'x' WHERE id = 1")
    ended = []

    def wait_for_it():
        try:
            waiter.cursor().execute("UPDATE house.guest SET name = 'y' WHERE id = 1")
        except pymysql.err.MySQLError as error:
            ended.append(error.args[0])

    thread = threading.Thread(target=wait_for_it)
    thread.start()
    end = time.monotonic() + 30
    while time.monotonic() < end:
        sql.execute("SELECT COUNT(*) FROM information_schema.processlist WHERE state LIKE 'Waiting%'")
        if sql.fetchone()[0] == 1:
            break
    browser.run("location.hash = '#waiting'")
    drawn(browser, "waiting")
    said = "[...document.querySelectorAll('ul.tree li')].some((one) => /Waiting/.test(one.textContent))"
    browser.wait("who waits", said)
    audit(browser, "a wait")
    picture(browser, "wait")
    # The button asks first, and then ends whom it says.
    browser.run("window.confirm = (words) => { window.asked = words; return true; }")
    browser.run(
        f"[...document.querySelectorAll('ul.tree button')].find((one) => "
        f"/connection {waiter.thread_id()}$/.test(one.getAttribute('aria-label'))).click()"
    )
    # The browser goes on as long as it is asked.
    end = time.monotonic() + 30
    while thread.is_alive() and time.monotonic() < end:
        browser.run("0")
    check("the button asks", browser.run("/^End connection/.test(window.asked)"), True)
    check("and ends the one that waits", (thread.is_alive(), len(ended)), (False, 1))
    holder.rollback()


def incidents(browser, sql):
    """What an operator is called for at night, played: the page names who it is. How soon is told."""
    def named(what, view, words, play):
        since = time.monotonic()
        play()
        said = False
        # As one does who looks again.
        while not said and time.monotonic() < since + 30:
            for each in ["settings", view]:
                browser.run(f"location.hash = '#{each}'")
                drawn(browser, each)
            said = words in browser.run("document.querySelector('main').innerText")
        check(f"{what} is named", said, True)
        print(f"page: {what} is named after {time.monotonic() - since:.1f} s")
        audit(browser, what)
        picture(browser, what.replace(" ", "-"))

    def fail_to_log_in():
        for _ in range(3):
            try:
                pymysql.connect(**{**ADDRESS, "user": "mallory", "password": "guess"})
            except pymysql.err.MySQLError:
                pass

    def ask_for_one_key():
        for _ in range(4000):
            sql.execute("SELECT name FROM house.guest WHERE id = 77")

    def look_at_all_rows():
        for _ in range(20):
            sql.execute("SELECT COUNT(*) FROM house.guest WHERE CONCAT(name, id) = 'needle'")

    def let_an_event_fail():
        sql.execute("CREATE EVENT house.broken ON SCHEDULE EVERY 1 SECOND DO DELETE FROM house.nowhere")

    named("failing logins", "now", "mallory", fail_to_log_in)
    named("hot key", "tables", "(77)", ask_for_one_key)
    named("query without an index", "statements", "CONCAT", look_at_all_rows)
    named("failing event", "work", "house.nowhere", let_an_event_fail)
    sql.execute("DROP EVENT house.broken")


def small_and_dark(browser):
    browser.screen(390, 844, True)
    for view in VIEWS:
        browser.run(f"location.hash = '#{view}'")
        drawn(browser, view)
        wide = browser.run("document.documentElement.scrollWidth - innerWidth")
        check(f"{view} fits a phone", wide <= 0, True)
        audit(browser, f"{view} in the dark")
        if view in ("now", "statements"):
            picture(browser, f"{view}-phone")


with Browser(f"{os.environ['WORK']}/browser", "root", os.environ["ROOT_PASSWORD"]) as browser, \
        pymysql.connect(**ADDRESS).cursor() as sql:
    house(sql)
    views(browser)
    console(browser)
    waiting(browser, sql)
    incidents(browser, sql)
    small_and_dark(browser)
    asked = {about["request"]["url"] for method, about in browser.seen if method == "Network.requestWillBeSent"}
    elsewhere = {url for url in asked if not url.startswith((f"{ORIGIN}/", "data:", "about:"))}
    check("it asks nobody else", elsewhere, set())
    wrong = [about["exceptionDetails"]["text"] for method, about in browser.seen if method == "Runtime.exceptionThrown"]
    check("its script has no failures", wrong, [])
sys.exit(failed > 0)
