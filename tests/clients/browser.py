"""A web page in a real browser (chromium without a window) that attacks the doors of its reader's own
machine: it sends them commands in the bodies of requests that no browser asks leave for. Nothing of
them may be carried out, and nothing of what the doors hold may be read.
"""

import http.server
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
import urllib.request

WAIT_S_MAX = 120
PORTS = {
    name: int(os.environ[variable])
    for name, variable in [
        ("mysql", "PORT"),
        ("handlersocket", "HANDLERSOCKET_PORT"),
        ("handlersocket-write", "HANDLERSOCKET_WRITE_PORT"),
        ("memcached", "MEMCACHED_PORT"),
        ("tyrant", "TYRANT_PORT"),
    ]
}
COMMANDS = (
    "A\t1\t%s\nP\t1\tkv\tcache\tPRIMARY\tv\n1\t=\t1\tkeep\t1\t0\tU\tchanged\n1\t=\t1\tkeep\t1\t0\tD\n"
    "set pwned 0 0 1\r\n!\r\ndelete keep\r\nflush_all\r\n" % os.environ["HANDLERSOCKET_SECRET"]
)
PAGE = """<!doctype html><script>
const ports = PORTS, body = BODY, outcomes = {};
const simple = [
  { method: "POST", body, headers: { "Content-Type": "text/plain" }, mode: "no-cors" },
  { method: "GET", mode: "no-cors" },
  { method: "HEAD", mode: "no-cors" },
  { method: "POST", body: new URLSearchParams({ k: body }), mode: "no-cors" },
  { method: "PUT", body, mode: "cors" },
  { method: "DELETE", mode: "cors" },
  { method: "POST", body: "k=keep", headers: { "X-TT-MNAME": "out" }, mode: "cors" },
];
async function attack(name, port) {
  for (const request of simple) {
    try {
      const answer = await fetch(`http://127.0.0.1:${port}/keep`, request);
      outcomes[name + " " + request.method] = answer.type + " " + answer.status;
    } catch (error) {
      outcomes[name + " " + request.method] = "refused";
    }
  }
  // As script and as page, a value is not run.
  await new Promise((done) => {
    const script = document.createElement("script");
    script.src = `http://127.0.0.1:${port}/script`;
    script.onload = script.onerror = done;
    document.head.append(script);
  });
}
(async () => {
  for (const [name, port] of Object.entries(ports)) await attack(name, port);
  outcomes.script = window.ran ? "ran" : "did not run";
  await fetch("/done", { method: "POST", body: JSON.stringify(outcomes) });
})();
</script>"""


class Site(http.server.BaseHTTPRequestHandler):
    """The attacker's page, and where it tells how it went."""

    outcomes = None
    told = threading.Event()

    def do_GET(self):  # noqa: N802 (the name is the library's)
        ports = dict(PORTS, witness=WITNESS.getsockname()[1])
        page = PAGE.replace("PORTS", json.dumps(ports)).replace("BODY", json.dumps(COMMANDS))
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(page.encode())

    def do_POST(self):  # noqa: N802
        length = int(self.headers["Content-Length"])
        Site.outcomes = json.loads(self.rfile.read(length))
        self.send_response(204)
        self.end_headers()
        Site.told.set()

    def log_message(self, *_):
        pass


def witness():
    """A port that takes all and answers nothing: what does the browser really send?"""
    while True:
        client, _ = WITNESS.accept()
        client.settimeout(2)
        try:
            while piece := client.recv(65536):
                WITNESSED.append(piece)
                if b"flush_all" in piece or not piece.startswith(b"POST"):
                    break
        except OSError:
            pass
        client.close()


def ask(port, request, end):
    with socket.create_connection(("127.0.0.1", port), timeout=30) as client:
        client.sendall(request)
        answer = b""
        while not answer.endswith(end):
            piece = client.recv(65536)
            if not piece:
                break
            answer += piece
        return answer


def check(name, got, wanted):
    global failed
    if got == wanted:
        print(f"ok browser: {name}")
    else:
        failed += 1
        print(f"not ok browser: {name}: {got!r} instead of {wanted!r}")


failed = 0
WITNESSED = []
WITNESS = socket.create_server(("127.0.0.1", 0))
threading.Thread(target=witness, daemon=True).start()
site = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
threading.Thread(target=site.serve_forever, daemon=True).start()

ask(PORTS["memcached"], b"set keep 0 0 5\r\nvalue\r\n", b"\r\n")
for key, value in [("keep", b"value"), ("script", b"window.ran = true")]:
    put = urllib.request.Request(f"http://127.0.0.1:{PORTS['tyrant']}/{key}", value, method="PUT")
    urllib.request.urlopen(put, timeout=30).close()

browser = subprocess.Popen(
    [
        shutil.which("chromium") or "chromium",
        *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
        *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
        f"--user-data-dir={os.environ['WORK']}/browser",
        f"http://127.0.0.1:{site.server_port}/",
    ],
    stdout=subprocess.DEVNULL,
    stderr=subprocess.PIPE,
    text=True,
    start_new_session=True,
)
told = Site.told.wait(WAIT_S_MAX)
browser.terminate()
_, said = browser.communicate()
if not told:
    print(f"not ok browser: the page has not ended: {said[-2000:]}")
    sys.exit(1)

sent = b"".join(WITNESSED)
check("its requests hold the commands", COMMANDS.encode() in sent, True)
check("and begin as HTTP does", re.search(rb"(?m)^POST /keep HTTP/1\.1\r$", sent) is not None, True)
for name in PORTS:
    if name != "tyrant":
        outcomes = {how for what, how in Site.outcomes.items() if what.split()[0] == name}
        check(f"{name} is closed to a page", outcomes, {"refused"})
check("a value is no script", Site.outcomes["script"], "did not run")
answer = ask(PORTS["memcached"], b"get keep pwned\r\n", b"END\r\n")
check("memcached's rows", answer, b"VALUE keep 0 5\r\nvalue\r\nEND\r\n")
for key in ["keep"]:
    with urllib.request.urlopen(f"http://127.0.0.1:{PORTS['tyrant']}/{key}", timeout=30) as found:
        check("Tyrant's records", found.read(), b"value")
sys.exit(failed > 0)
