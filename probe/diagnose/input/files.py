"""Files of an input: recognised by their first bytes, unpacked while they are read, closed at their end."""

from __future__ import annotations

import gzip
import io
import os
import stat
import sys
import zlib
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import Any, BinaryIO

from probe.errors import ProbeError, reason_of
from probe.protocol.log_requests import MARK

STDIN, STANDARD_INPUT = "-", "standard input"
HEAD = 65_536
"""Bytes of the beginning by which a file is recognised."""
GZIP = b"\x1f\x8b"
PCAPNG = b"\x0a\x0d\x0d\x0a"
PCAPS = (b"\xa1\xb2\xc3\xd4", b"\xd4\xc3\xb2\xa1", b"\xa1\xb2\x3c\x4d", b"\x4d\x3c\xb2\xa1")
"""First bytes of pcap files: microseconds and nanoseconds, both byte orders."""
WAY_OUT = "name captures (pcap or pcapng) or request logs of brokers (kafka.request.logger)"


class Format(StrEnum):
    """The kind of a file."""

    PCAP = "pcap"
    PCAPNG = "pcapng"
    LOG = "request log"


class InputFile:
    """A file, or standard input, that is read once from its beginning. Regular files are open only while they are read.

    Reading raises nothing: a file that is damaged or cannot be read further ends there, and `damage` has the reason.
    """

    def __init__(self, path: str, name: str = "") -> None:
        """Open and recognise a file. ProbeError if it cannot be read, or is neither a capture nor text.

        `name` is shown in place of its path, where another file was made of it.
        """
        self.name = name or (STANDARD_INPUT if path == STDIN else path)
        self._path = path
        self.damage = ""
        """Why the file was not read to its end, in a few words."""
        self.regular = False
        """It can be read a second time."""
        self.size = 0
        """Bytes of the file, 0 where that is not known before the end."""
        self._packed: _Counted | None = None
        self._plain: gzip.GzipFile | io.BufferedReader[Any] | None = None
        self._done = 0
        self._ended = False
        self._open()
        self.head = self.read_whole(4)
        if self.regular or not self._is_capture():  # a stream of packets may pause after its first bytes
            self.head += self.read_whole(HEAD - 4)
        self.format = self._recognise()
        self._left = self.head
        if self.regular:  # it is opened again when its turn comes
            self.close()
            self._left, self._done, self._ended, self.damage = b"", 0, False, ""

    @property
    def done(self) -> int:
        """Return how many bytes of the file were read, packed as they are."""
        return self._packed.count if self._packed is not None else self._done

    def read(self, count: int) -> bytes:
        """Return at most this number of bytes, none at the end."""
        if self._left:
            data, self._left = self._left[:count], self._left[count:]
            return data
        if self._plain is None and not self._ended:
            self._reopen()
        try:
            data = self._plain.read1(count) if self._plain is not None else b""
        except EOFError:
            data, self.damage = b"", "its packed data end early"
        except (OSError, zlib.error) as error:
            data, self.damage = b"", reason_of(error)
        if not data:
            self.close()
        return data

    def read_whole(self, count: int) -> bytes:
        """Return this number of bytes, fewer at the end."""
        parts = [self.read(count)]
        while parts[-1] and (missing := count - sum(map(len, parts))):
            parts.append(self.read(missing))
        return b"".join(parts)

    def again(self) -> InputFile:
        """Open a regular file a second time, from its beginning. Raises ProbeError."""
        return InputFile(self._path, self.name)

    def close(self) -> None:
        """Close the file. It is not read again."""
        if self._packed is not None:
            self._done = self._packed.count
            with suppress(OSError):
                self._packed.close()
        self._packed = self._plain = None
        self._ended = True

    def _open(self) -> None:
        try:
            raw = _standard_input() if self._path == STDIN else _opened(self._path)
            status = os.fstat(raw.fileno())
        except (OSError, ValueError) as error:
            raise ProbeError(f"{self.name}: {_reason(error)}; {WAY_OUT}") from None
        self.regular = stat.S_ISREG(status.st_mode) and self._path != STDIN
        self.size = status.st_size if self.regular else 0
        self._packed = _Counted(raw)
        try:
            first = self._packed.peek()
        except OSError as error:  # such as a folder
            raise ProbeError(f"{self.name}: {_reason(error)}; {WAY_OUT}") from None
        self._left = b""
        buffered = io.BufferedReader(self._packed, 1 << 20)
        self._plain = gzip.GzipFile(fileobj=buffered, mode="rb") if first == GZIP else buffered

    def _reopen(self) -> None:
        try:
            self._open()
        except ProbeError as error:
            self.damage = str(error)

    def _is_capture(self) -> bool:
        return self.head[:4] in {*PCAPS, PCAPNG}

    def _recognise(self) -> Format:
        if self._is_capture():
            return Format.PCAPNG if self.head[:4] == PCAPNG else Format.PCAP
        if self.damage:
            raise ProbeError(f"{self.name}: {self.damage}; {WAY_OUT}")
        if not self.head:
            raise ProbeError(f"{self.name} is empty; {WAY_OUT}")
        if b"\0" in self.head:
            raise ProbeError(f"{self.name} is neither a capture nor text; {WAY_OUT}")
        if MARK.encode() not in self.head and len(self.head) < HEAD:
            raise ProbeError(f"{self.name} has no line of a request log; {WAY_OUT}")
        return Format.LOG


def _reason(error: Exception) -> str:
    """Return why a file cannot be opened, without its name, which is said before."""
    return (isinstance(error, OSError) and error.strerror) or reason_of(error)


def _standard_input() -> BinaryIO:
    if sys.stdin is None or sys.stdin.closed:
        raise ProbeError(f"{STANDARD_INPUT} is closed; {WAY_OUT}")
    if sys.stdin.isatty():
        raise ProbeError(
            f"{STANDARD_INPUT} is a terminal; pipe a capture into the command, such as that of tcpdump -w -"
        )
    return sys.stdin.buffer


def _opened(path: str) -> BinaryIO:
    return Path(path).open("rb", buffering=0)  # InputFile closes it


class _Counted(io.RawIOBase):
    """A stream whose bytes are counted, and whose first two can be looked at."""

    def __init__(self, raw: BinaryIO) -> None:
        self._raw, self._first, self.count = raw, b"", 0

    def readable(self) -> bool:
        return True

    def peek(self) -> bytes:
        while len(self._first) < 2 and (more := self._raw.read(2 - len(self._first))):
            self._first += more
        return self._first

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # BufferedReader gives a memoryview
        data = self._first or self._raw.read(len(buffer)) or b""
        self._first = b""
        buffer[: len(data)] = data
        self.count += len(data)
        return len(data)

    def close(self) -> None:
        if self._raw is not sys.stdin.buffer:
            self._raw.close()
        super().close()
