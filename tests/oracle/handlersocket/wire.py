"""HandlerSocket's wire form: tokens, escapes, and one blocking connection.

A line is tokens joined by TAB and ended by LF. NULL is a token of the single byte 0x00; a byte
below 0x10 inside a value travels as 0x01 followed by the byte + 0x40.

Not here: what a request means, or which replies are expected.
"""

import socket

NULL = b"\x00"
LINE_BYTES_MAX = 64 << 20


def escape(value):
    """The wire token of a value: `bytes`, `str`, a number, or `None` for NULL."""
    if value is None:
        return NULL
    if isinstance(value, (int, float)):
        value = str(value)
    if isinstance(value, str):
        value = value.encode("utf-8")
    out = bytearray()
    for byte in value:
        if byte < 0x10:
            out += bytes((1, byte + 0x40))
        else:
            out.append(byte)
    return bytes(out)


def line(*tokens):
    """One request line of tokens that are escaped here, LF included."""
    return b"\t".join(escape(token) for token in tokens) + b"\n"


def show(raw):
    """Bytes for people: TAB as a middle dot, LF as a pilcrow, control bytes as \\xNN."""
    out = []
    for char in raw.decode("utf-8", "surrogateescape"):
        code = ord(char)
        if char == "\t":
            out.append("·")
        elif char == "\n":
            out.append("¶")
        elif char == "\\":
            out.append("\\\\")
        elif 0xDC80 <= code <= 0xDCFF:
            out.append(f"\\x{code - 0xDC00:02x}")
        elif code < 0x20 or code == 0x7F:
            out.append(f"\\x{code:02x}")
        else:
            out.append(char)
    return "".join(out)


class Closed(Exception):
    """The server closed the connection, or did not answer in time."""


class Connection:
    """One TCP connection to one HandlerSocket port."""

    def __init__(self, host, port, timeout_s=20.0):
        self.socket = socket.create_connection((host, port), timeout=timeout_s)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.pending = b""

    def send(self, raw):
        try:
            self.socket.sendall(raw)
        except OSError as error:
            raise Closed(f"send: {error}") from error

    def read_line(self):
        """The next reply line with its LF."""
        while b"\n" not in self.pending:
            if len(self.pending) > LINE_BYTES_MAX:
                raise Closed("reply line too long")
            try:
                chunk = self.socket.recv(65536)
            except TimeoutError as error:
                raise Closed(f"no reply in time, had {self.pending[:200]!r}") from error
            except OSError as error:
                raise Closed(f"recv: {error}") from error
            if not chunk:
                raise Closed(f"closed by server, had {self.pending[:200]!r}")
            self.pending += chunk
        reply, _, self.pending = self.pending.partition(b"\n")
        return reply + b"\n"

    def ask(self, raw, replies=1):
        """Send raw bytes and read that many reply lines."""
        self.send(raw)
        return [self.read_line() for _ in range(replies)]

    def close(self):
        self.socket.close()
