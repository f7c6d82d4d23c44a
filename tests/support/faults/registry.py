"""A package registry on loopback that misbehaves while a client is obtained from it."""

from __future__ import annotations

import io
import threading
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from probe.toolchain.tools import find_tool
from tests.support.faults.private_cache import private_cache
from tests.support.faults.round import Round

CLIENT, WHEEL = "kafka-python@2.0.2", "kafka_python-2.0.2-py2.py3-none-any.whl"
ANSWER_S = "5"
"""Time after which pip gives up an answer, in seconds."""
PAGE = f'<html><body><a href="/files/{WHEEL}">{WHEEL}</a></body></html>'.encode()
SORRY = b"<html><body><h1>Please log in</h1></body></html>"


def wheel() -> bytes:
    """Return a wheel of the right name that is not the release."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        archive.writestr("kafka/__init__.py", "__version__ = '2.0.2'\n")
        archive.writestr("kafka_python-2.0.2.dist-info/METADATA", "Metadata-Version: 2.1\nName: kafka-python\n")
    return whole.getvalue()


class Answers(BaseHTTPRequestHandler):
    """Answers of the registry; `way` decides how it misbehaves."""

    way = ""

    def do_GET(self) -> None:  # the name of http.server
        with suppress(OSError):
            WAYS[self.way](self)

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    @property
    def is_file(self) -> bool:
        """True for a download, false for an index page."""
        return self.path.startswith("/files/")

    def send(self, data: bytes, *, kind: str = "text/html", length: int | None = None, status: int = 200) -> None:
        """Send an answer whose length may be stated wrongly."""
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data) if length is None else length))
        self.end_headers()
        self.wfile.write(data)


def _other_digest(one: Answers) -> None:
    one.send(wheel() if one.is_file else PAGE)


def _cut(one: Answers) -> None:
    data = wheel()
    if one.is_file:
        one.send(data[: len(data) // 2], length=len(data))
    else:
        one.send(PAGE)


def _page_for_file(one: Answers) -> None:
    one.send(SORRY if one.is_file else PAGE)


def _page_for_index(one: Answers) -> None:
    one.send(SORRY)


def _unavailable(one: Answers) -> None:
    one.send(SORRY, status=503)


def _stalls(one: Answers) -> None:
    if one.is_file:
        one.send(b"", length=1 << 20)
    time.sleep(float(ANSWER_S) * 2)


def _drips(one: Answers) -> None:
    data = wheel() if one.is_file else PAGE
    one.send(b"", length=len(data))
    for byte in data[:200]:
        one.wfile.write(bytes([byte]))
        time.sleep(0.05)


WAYS: Mapping[str, Callable[[Answers], None]] = {
    "another digest": _other_digest,
    "a cut download": _cut,
    "HTML with 200 for a file": _page_for_file,
    "HTML with 200 for the index": _page_for_index,
    "503": _unavailable,
    "no answer": _stalls,
    "slow, then cut": _drips,
}


def misbehaving(round_: Round) -> None:
    """A client that no cache holds, from a registry that misbehaves; the clients of the cache are judged."""
    way = round_.rng.choice(sorted(WAYS))
    private_cache(round_)
    before = dict(round_.environment)
    with _serving(way) as url:
        pip = {"PIP_INDEX_URL": url, "PIP_FIND_LINKS": "", "PIP_DEFAULT_TIMEOUT": ANSWER_S, "PIP_NO_CACHE_DIR": "1"}
        round_.environment |= pip | {"UV": str(find_tool("uv"))}
        with round_.running("run", "--client", CLIENT, *round_.run()[1:]) as run:
            round_.note(way)
        said = run.errors.read_text(errors="replace").splitlines()
        line = next((one for one in said if one.startswith(f"{CLIENT} cannot be run here: ")), "")
        if ";" not in line or "hint:" in line:
            round_.problems.append(f"{way}: the client is not named with reason and way out: {line!r}")
    round_.environment = before


@contextmanager
def _serving(way: str) -> Iterator[str]:
    handler = type("Misbehaving", (Answers,), {"way": way})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/simple"
        finally:
            server.shutdown()
