"""Further readers for `benchmarks/fuzz.py`: the script of the action, and evidence of sites and files."""

from __future__ import annotations

import os
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn
from unittest import mock

from typer.exceptions import TyperException
from typer.main import get_command

from probe.cli.app import app
from probe.cli.commands import check as check_command
from probe.cli.wiring.catalogue import choose_clients, families
from probe.cli.wiring.check_plan import Sides
from probe.evidence.access import opened
from probe.evidence.download import of_site
from probe.evidence.places import of_named
from probe.files.digests import ENDING, digest_of
from probe.files.shipped_evidence import PUBLISHED
from tests.support.fuzzed_readers import Reader, RefusedError, evidence

ROOT = Path(__file__).resolve().parents[2]
LOOPBACK = "127.0.0.1"
INPUTS = ("FAMILY", "BUILD", "AGAINST", "FAIL_ON", "OPTIONS")
STUB = """#!/bin/sh
for one in "$@"; do printf '%s\\0' "$one"; done > "$REPORTS/arguments"
"""
"""Stands for Python: keeps the words of the one command."""


def _action_inputs() -> Mapping[str, bytes]:
    """Return inputs of the action by name, each as a line; the first of each name counts."""
    usual = b"FAMILY=kafka-python\nBUILD=.\nAGAINST=2.0.2\nFAIL_ON=worse\nOPTIONS="
    return {
        "usual": usual + b"--scenario disk/* --role producer",
        "more": usual + b"--profile defaults --trials 4 --all --json --jobs 2",
        "empty": b"FAMILY=kafka-python\nBUILD=\nAGAINST=\nFAIL_ON=\nOPTIONS=",
    }


def _read_action(_: str, data: bytes, folder: Path) -> object:
    """Let the script make the command line, and the command read it, up to the first program that it would start."""
    lines = data.decode(errors="replace").replace("\0", "").split("\n")
    given = dict.fromkeys(INPUTS, "") | dict(
        reversed([(name, text) for name, _, text in (line.partition("=") for line in lines) if name in INPUTS])
    )
    stub = folder / "python3"
    stub.write_text(STUB)
    stub.chmod(0o755)
    done = subprocess.run(
        ["/bin/sh", str(ROOT / "docker" / "schedules" / "check.sh")],
        env={**given, "PATH": f"{folder}:{os.environ['PATH']}", "PROBE": str(ROOT), "REPORTS": str(folder)},
        cwd=folder,
        capture_output=True,
        check=True,
        timeout=60,
    )
    words = (folder / "arguments").read_bytes().decode(errors="replace").split("\0")[:-1]
    if words[:2] != [str(ROOT / "run.py"), "probe"] or done.stdout or done.stderr:
        raise AssertionError(f"the script said {done.stdout + done.stderr!r}, and would start {words}")
    return _checked(words[2:], folder)


def _checked(words: list[str], folder: Path) -> object:
    (release,) = choose_clients(["kafka-python@2.0.2"])
    sides = Sides(release, release)

    def chosen(what: str, against: str | None) -> Sides:
        name, at, place = what.partition("@")
        if name not in families() or not at or not place.startswith("path:"):
            raise RefusedError(f"{what} beside {against}")
        return sides

    def provision(*_: object) -> NoReturn:
        raise RefusedError("far enough")

    with (
        mock.patch.object(check_command, "sides_of", chosen),
        mock.patch.object(check_command, "provision", provision),
        mock.patch("os.getcwd", return_value=str(folder)),
    ):
        try:
            return get_command(app).main(words, standalone_mode=False)
        except TyperException as error:
            raise RefusedError(str(error)) from None


def _answers() -> Mapping[str, bytes]:
    """Return the answers of a site, as bytes on the wire: that with the digest, and that with the evidence."""
    whole = evidence()[1]
    return {"digest": _answer(f"{digest_of(whole)}  {PUBLISHED}\n".encode()), "evidence": _answer(whole)}


def _answer(body: bytes) -> bytes:
    return b"HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nContent-Length: %d\r\n\r\n" % len(body) + body


def _read_site(name: str, data: bytes, folder: Path) -> object:
    with _serving({**_answers(), name: data}) as url:
        held = of_site(url, folder, deadline_s=5)
        with opened(held.source, held.name, held.digest) as found:
            return list(found.cells())


@contextmanager
def _serving(answers: Mapping[str, bytes]) -> Iterator[str]:
    """Answer any request by these bytes, and close."""
    with socket.create_server((LOOPBACK, 0)) as server:

        def serve() -> None:
            while True:
                try:
                    line, _ = server.accept()
                except OSError:
                    return
                with line:
                    line.settimeout(5)
                    try:
                        path = line.recv(65536).partition(b" ")[2].partition(b" ")[0]
                        line.sendall(answers["digest" if path.endswith(ENDING.encode()) else "evidence"])
                    except OSError:
                        continue

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        try:
            yield f"http://{LOOPBACK}:{server.getsockname()[1]}/site/"
        finally:
            server.shutdown(socket.SHUT_RDWR)
            thread.join()


@contextmanager
def no_other_machine() -> Iterator[None]:
    """Look up no address but this one inside the block: an altered answer may send its reader elsewhere."""
    look_up: Callable[..., object] = socket.getaddrinfo

    def only_loopback(host: object, *more: object, **named: object) -> object:
        if host != LOOPBACK:
            raise socket.gaierror(f"{host!r} is not looked up here")
        return look_up(host, *more, **named)

    with mock.patch.object(socket, "getaddrinfo", only_loopback):
        yield


def _places() -> Mapping[str, bytes]:
    whole = evidence()[1]
    return {PUBLISHED: whole, f"{PUBLISHED}{ENDING}": f"{digest_of(whole)}  {PUBLISHED}\n".encode()}


def _read_place(name: str, data: bytes, folder: Path) -> object:
    for other, found in _places().items():
        (folder / other).write_bytes(data if other == name else found)
    held = of_named(str(folder))
    with opened(held.source, held.name, held.digest) as found_evidence:
        return list(found_evidence.cells())


READERS: Mapping[str, Reader] = {
    one.name: one
    for one in (
        Reader("action-inputs", _action_inputs, _read_action),
        Reader("evidence-urls", _answers, _read_site),
        Reader("evidence-places", _places, _read_place),
    )
}
