"""A person at a browser: pages, links, forms with what stands in them, cookies; without scripts.

A form is sent with all fields that the page gave it, hidden ones too, so that tokens against forgery
come along as they do in a browser. A page whose text has one of the browser's error marks raises
`Failure`, as does every expectation that is not met.
"""

import html.parser
import http.cookiejar
import json
import mimetypes
import re
import socket
import urllib.error
import urllib.parse
import urllib.request
import uuid

PAGE_WAIT_S_MAX = 120
TEXT_SHOWN_MAX = 600


class Failure(Exception):
    """What an action expected and did not find."""


class FormReader(html.parser.HTMLParser):
    """The forms of a page, each with its fields in the order of the page."""

    def __init__(self):
        super().__init__()
        self.forms = []
        self.select = None
        self.textarea = None
        self.by_id = {}

    def handle_starttag(self, tag, attrs):
        has = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.forms.append(Form(has))
            self.by_id[has.get("id")] = self.forms[-1]
        form = self.by_id.get(has.get("form")) if "form" in has else self.forms[-1] if self.forms else None
        if form is None or "disabled" in has and tag != "option":
            return
        name = has.get("name")
        if tag == "input" and name:
            kind = has.get("type", "text").lower()
            if kind in ("submit", "image", "button"):
                form.buttons.append((name, has.get("value", "")))
            elif kind in ("checkbox", "radio"):
                form.choices.setdefault(name, []).append(has.get("value", "on"))
                if "checked" in has:
                    form.fields.append((name, has.get("value", "on")))
            elif kind != "file":
                form.fields.append((name, has.get("value", "")))
        elif tag == "button" and name:
            form.buttons.append((name, has.get("value", "")))
        elif tag == "select" and name:
            self.select = (form, name, "multiple" in has, [], [])
        elif tag == "option" and self.select is not None:
            value = has.get("value")
            self.select[3].append(value)
            if "selected" in has:
                self.select[4].append(value)
        elif tag == "textarea" and name:
            self.textarea = (form, name, [])

    def handle_data(self, data):
        if self.textarea is not None:
            self.textarea[2].append(data)

    def handle_endtag(self, tag):
        if tag == "textarea" and self.textarea is not None:
            form, name, text = self.textarea
            written = "".join(text)
            # The first line break after the tag belongs to the tag.
            form.fields.append((name, written[1:] if written.startswith("\n") else written))
            self.textarea = None
        elif tag == "select" and self.select is not None:
            form, name, multiple, options, selected = self.select
            form.choices.setdefault(name, []).extend(options)
            chosen = selected if multiple or selected else options[:1]
            form.fields += [(name, value or "") for value in chosen]
            self.select = None


class Form:
    """One form: where it goes, what stands in it, which buttons and choices it has."""

    def __init__(self, attributes):
        self.id = attributes.get("id", "")
        self.name = attributes.get("name", "")
        self.action = attributes.get("action", "")
        self.method = attributes.get("method", "get").lower()
        self.fields = []
        self.buttons = []
        self.choices = {}

    def value(self, name):
        """What stands in a field, or None."""
        return next((value for has, value in self.fields if has == name), None)


class Page:
    """What came back: status, address after all redirects, text."""

    def __init__(self, status, url, body, headers):
        self.status = status
        self.url = url
        self.headers = headers
        self.body = body
        self.text = body.decode("utf-8", "replace")

    def visible(self):
        """The page's text without tags, scripts and runs of space."""
        text = re.sub(r"(?is)<(script|style|head)\b.*?</\1>|<!--.*?-->", " ", self.text)
        text = re.sub(r"(?i)</?(span|b|i|em|strong|mark)\b[^>]*>", "", text)
        return re.sub(r"\s+", " ", html.unescape(re.sub(r"(?s)<[^>]+>", " ", text))).strip()

    def expect(self, *texts, status=200):
        """This page, if it has the status and holds all the texts, as written or as shown."""
        shown = self.visible()
        if status is not None and self.status != status:
            raise Failure(f"{self.url}: status {self.status}, not {status}: {shown[:TEXT_SHOWN_MAX]}")
        for text in texts:
            if text not in self.text and text not in shown:
                raise Failure(f"{self.url}: no {text!r} in: {shown[:TEXT_SHOWN_MAX]}")
        return self

    def expect_without(self, *texts):
        """This page, if it holds none of the texts."""
        for text in texts:
            if text in self.visible():
                raise Failure(f"{self.url}: {text!r} is still in it")
        return self

    def find(self, pattern):
        """The first group of a pattern's first match in the page as written."""
        if found := re.search(pattern, self.text, re.S):
            return html.unescape(found.group(1))
        raise Failure(f"{self.url}: no {pattern} in: {self.visible()[:TEXT_SHOWN_MAX]}")

    def form(self, mark):
        """The form whose id, name, action or a field's name is or, for an action, holds this."""
        reader = FormReader()
        reader.feed(self.text)
        tests = (
            lambda form: mark in (form.id, form.name),
            lambda form: any(name == mark for name, _ in form.fields + form.buttons) or mark in form.choices,
            lambda form: mark in form.action,
        )
        for test in tests:
            if found := next(filter(test, reader.forms), None):
                return found
        raise Failure(f"{self.url}: no form {mark!r} in: {self.visible()[:TEXT_SHOWN_MAX]}")

    def json(self):
        """The page as JSON."""
        try:
            return json.loads(self.text)
        except ValueError as error:
            raise Failure(f"{self.url}: no JSON ({error}): {self.text[:TEXT_SHOWN_MAX]}") from error


class Answers(urllib.request.HTTPErrorProcessor):
    """Statuses of errors are pages too; redirects are followed."""

    def http_response(self, request, response):
        if response.status in (301, 302, 303, 307, 308):
            return super().http_response(request, response)
        return response


class Browser:
    """Cookies of its own, at one site."""

    def __init__(self, site, error_marks=()):
        self.site = site
        self.error_marks = error_marks
        self.cookies = http.cookiejar.CookieJar()
        self.opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor(self.cookies), Answers
        )
        self.page = None
        # Sent with every request.
        self.headers = {}

    def send(self, url, data=None, headers=None, method=None):
        """Loads a page; `url` is relative to the page before, or to the site."""
        base = self.page.url if self.page is not None else self.site + "/"
        address = urllib.parse.quote(urllib.parse.urljoin(base, url), safe="%/:=&?~#+!$,;'@()*[]")
        sent = (
            {"User-Agent": "Mozilla/5.0 (tests)", "Accept-Language": "en", "Referer": base}
            | self.headers
            | (headers or {})
        )
        request = urllib.request.Request(address, data=data, headers=sent, method=method)
        try:
            with self.opener.open(request, timeout=PAGE_WAIT_S_MAX) as response:
                page = Page(response.status, response.url, response.read(), response.headers)
        except (urllib.error.URLError, socket.timeout, OSError) as error:
            raise Failure(f"{address}: {error}") from error
        for mark in self.error_marks:
            if mark in page.text:
                found = page.text.index(mark)
                raise Failure(f"{page.url}: {mark!r}: {page.text[found:found + TEXT_SHOWN_MAX]}")
        if page.headers.get_content_type() in ("text/html", "application/xhtml+xml"):
            self.page = page
        return page

    def get(self, url, **query):
        """Loads a page of the site by its path."""
        mark = "&" if "?" in url else "?"
        return self.send(self.site + url + (mark + urllib.parse.urlencode(query) if query else ""))

    def post(self, url, fields, headers=None):
        """Sends fields without a form, as a page's script does."""
        return self.send(self.site + url, encode(fields), headers)

    def send_json(self, url, value, headers=None, method="POST"):
        """Sends a value as JSON, as a page's script does."""
        sent = {"Content-Type": "application/json"} | (headers or {})
        return self.send(self.site + url, json.dumps(value).encode(), sent, method)

    def submit(self, mark, button=None, page=None, files=None, **changed):
        """Sends a form of the page, with these fields changed (None: left out); a list is several values.

        `button` is the name of the button pressed, or (name, value)."""
        page = page or self.page
        form = page.form(mark)
        fields = [(name, value) for name, value in form.fields if name not in changed]
        for name, value in changed.items():
            if value is not None:
                fields += [(name, one) for one in (value if isinstance(value, list) else [value])]
        if button is not None:
            pressed = (
                button
                if isinstance(button, tuple)
                else next(((name, value) for name, value in form.buttons if name == button), (button, ""))
            )
            fields.append(pressed)
        target = urllib.parse.urljoin(page.url, form.action)
        if form.method != "post":
            return self.send(target.split("?")[0] + "?" + encode(fields).decode())
        if files:
            data, kind = multipart(fields, files)
            return self.send(target, data, {"Content-Type": kind})
        return self.send(target, encode(fields))


def encode(fields):
    """Fields as a form's body; a dict or pairs, lists are several values."""
    return urllib.parse.urlencode(fields, doseq=True).encode()


def multipart(fields, files):
    """Fields and files ({name: (file name, bytes)}) as a form's body, and its type."""
    boundary = uuid.uuid4().hex
    parts = []
    for name, value in fields:
        parts.append(f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode())
    for name, (filename, content) in files.items():
        kind = mimetypes.guess_type(filename)[0] or "application/octet-stream"
        head = f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"; filename="{filename}"\r\n'
        parts.append(head.encode() + f"Content-Type: {kind}\r\n\r\n".encode() + content + b"\r\n")
    return b"".join(parts) + f"--{boundary}--\r\n".encode(), f"multipart/form-data; boundary={boundary}"
