"""A browser without a window (chromium), driven by its DevTools protocol over a pipe."""

import base64
import itertools
import json
import os
import shutil
import subprocess
import time

WAIT_S_MAX = 60


class Browser:
    """One page in a browser of its own; everything is asked and answered in turn."""

    def __init__(self, directory, user, password):
        self.numbers = itertools.count(1)
        self.seen = []
        self.left = b""
        self.login = {"response": "ProvideCredentials", "username": user, "password": password}
        to_browser, self.send_to = os.pipe()
        self.take_from, from_browser = os.pipe()
        # The protocol's places are the descriptors 3 and 4.
        shell = f'exec 3<&{to_browser} 4>&{from_browser}; exec "$@"'
        flags = [
            "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync",
            "--hide-scrollbars", "--remote-debugging-pipe", f"--user-data-dir={directory}",
        ]
        chromium = shutil.which("chromium") or "chromium"
        self.process = subprocess.Popen(
            ["bash", "-c", shell, "bash", chromium, *flags, "about:blank"],
            pass_fds=[to_browser, from_browser],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        os.close(to_browser)
        os.close(from_browser)
        self.session = None
        made = self.call("Target.createTarget", url="about:blank")
        found = self.call("Target.attachToTarget", targetId=made["targetId"], flatten=True)
        self.session = found["sessionId"]
        for domain in ["Page", "Runtime", "Network", "Log"]:
            self.call(f"{domain}.enable")
        self.call("Fetch.enable", handleAuthRequests=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def post(self, method, **parameters):
        message = {"id": next(self.numbers), "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.send_to, json.dumps(message).encode() + b"\0")
        return message["id"]

    def take(self):
        while b"\0" not in self.left:
            piece = os.read(self.take_from, 1 << 20)
            if not piece:
                raise RuntimeError("the browser has ended")
            self.left += piece
        message, self.left = self.left.split(b"\0", 1)
        message = json.loads(message)
        method, about = message.get("method"), message.get("params", {})
        if method == "Fetch.requestPaused":
            self.post("Fetch.continueRequest", requestId=about["requestId"])
        elif method == "Fetch.authRequired":
            self.post(
                "Fetch.continueWithAuth", requestId=about["requestId"],
                authChallengeResponse=self.login,
            )
        if method:
            self.seen.append((method, about))
        return message

    def call(self, method, **parameters):
        number = self.post(method, **parameters)
        while True:
            message = self.take()
            if message.get("id") == number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]

    def run(self, script):
        """The value of an expression in the page; a promise is waited for."""
        found = self.call(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True
        )
        if "exceptionDetails" in found:
            raise RuntimeError(f"{script[:80]}: {found['exceptionDetails']}")
        return found["result"].get("value")

    def wait(self, what, script):
        """Waits until an expression is true."""
        end = time.monotonic() + WAIT_S_MAX
        while not self.run(script):
            if time.monotonic() > end:
                raise RuntimeError(f"{what} has not come: {self.run('document.body.innerText')}")

    def key(self, key):
        code = {"key": key, "text": key} if len(key) == 1 else {"key": key, "code": key}
        if key == "Tab":
            code["windowsVirtualKeyCode"] = 9
        self.call("Input.dispatchKeyEvent", type="keyDown", **code)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    def screen(self, width, height, is_dark):
        self.call(
            "Emulation.setDeviceMetricsOverride", width=width, height=height,
            deviceScaleFactor=1, mobile=width < 600,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def picture(self, path):
        found = self.call("Page.captureScreenshot", format="png")
        with open(path, "wb") as file:
            file.write(base64.b64decode(found["data"]))

    def close(self):
        self.process.terminate()
        self.process.wait()
        os.close(self.send_to)
        os.close(self.take_from)
