"""Captures over TLS with a key log: tshark decrypts them into temporary captures, which are read in their place."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from probe.diagnose.input.decryption import FIELDS, STREAM_FIELDS, pcap_head, plain_packets, streams_of
from probe.diagnose.input.files import STANDARD_INPUT, STDIN, Format, InputFile
from probe.errors import ProbeError
from probe.model.counts import counted
from probe.toolchain.tools import find_tool

OPTION = "--keylog"
OPTIONS = ("-n", "-Q", "--disable-protocol", "kafka")
"""No look-ups of names, errors only. Kafka's port is tried as TLS; what is inside is read here."""


@contextmanager
def decrypted(paths: Sequence[str], keylog: Path) -> Iterator[tuple[Mapping[str, str], Sequence[str]]]:
    """Yield the files to read, each with its own name, and a line for each capture that was decrypted.

    Captures over TLS are replaced until the end of the context by what tshark decrypts of them. ProbeError if there is
    no tshark, if it fails, if the key log cannot be read, or for standard input and pipes, which cannot be read again.
    """
    program = find_tool("tshark")
    _check(keylog)
    if once := next((path for path in paths if not Path(path).is_file()), None):
        raise ProbeError(
            f"{OPTION}: {STANDARD_INPUT if once == STDIN else once} can be read once only; write it to a file"
        )
    read: dict[str, str] = {}
    said: list[str] = []
    with tempfile.TemporaryDirectory(prefix="kafka-metadata-probe-") as folder:
        tshark = _Tshark(program, keylog, Path(folder))
        for number, path in enumerate(dict.fromkeys(paths)):
            made = None if _is_log(path) else tshark.decrypt(path, Path(folder) / f"{number}.pcap", said)
            read[path if made is None else str(made)] = path
        yield read, said


def _check(keylog: Path) -> None:
    try:
        with keylog.open("rb"):
            pass
    except OSError as error:
        raise ProbeError(f"{OPTION} {keylog}: {error.strerror or error}; name a key log (NSS format)") from None


def _is_log(path: str) -> bool:
    file = InputFile(path)
    file.close()
    return file.format is Format.LOG


class _Tshark:
    """Tshark with the keys of a log, and without its user's settings."""

    def __init__(self, program: Path, keylog: Path, folder: Path) -> None:
        self._argv = [str(program), *OPTIONS, "-o", f"tls.keylog_file:{keylog.absolute()}"]
        self._environment = {**os.environ, "WIRESHARK_CONFIG_DIR": str(folder)}
        self._keylog = keylog

    def decrypt(self, path: str, made: Path, said: list[str]) -> Path | None:
        """Write a capture without TLS, and return it; None where nothing can be decrypted."""
        encrypted, readable = streams_of(self._lines(path, STREAM_FIELDS, "tls"))
        if encrypted:
            share = f"{len(readable)} of {counted(len(encrypted), 'connection')} over TLS"
            said.append(f"{path}: {share} decrypted by {self._keylog}")
        if not readable:
            return None
        with made.open("wb") as out:
            out.write(pcap_head())
            out.writelines(plain_packets(self._lines(path, FIELDS, "tcp"), readable))
        return made

    def _lines(self, path: str, fields: Sequence[str], shown: str) -> Iterator[str]:
        """Yield a line of fields for each packet. A capture that ends early ends there (tshark's code 2)."""
        columns = [part for name in fields for part in ("-e", name)]
        argv = [*self._argv, "-r", str(Path(path).absolute()), "-Y", shown, "-T", "fields", *columns]
        any_line = False
        with tempfile.TemporaryFile("w+") as complaints:
            with subprocess.Popen(
                argv,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=complaints,
                text=True,
                env=self._environment,
            ) as running:
                assert running.stdout is not None  # a pipe
                for line in running.stdout:
                    any_line = True
                    yield line
            if running.returncode and not any_line:
                complaints.seek(0)
                *_, last = complaints.read().strip().splitlines() or [f"exit code {running.returncode}"]
                raise ProbeError(f"tshark cannot read {path}: {last}")
