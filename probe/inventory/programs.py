"""Texts in the bytes of programs and libraries: Go's list of modules, librdkafka's version function.

Read in pieces, without the tools of a compiler, and the same for ELF, Mach-O and Windows programs.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from typing import BinaryIO

from probe.inventory.document import MIB

PROGRAMS = (b"\x7fELF", b"\xcf\xfa\xed\xfe", b"MZ")
"""First bytes of programs and libraries of 64 bits on Linux, macOS and Windows."""
LARGEST = 1024 * MIB
"""Bytes of a program that are looked at."""
PIECE = 4 * MIB
MODULES_BEGIN = bytes.fromhex("3077af0c9274080241e1c107e6d618e6")
MODULES_END = bytes.fromhex("f932433186182072008242104116d8f2")
"""Marks around the list of modules in a program of Go: https://go.dev/src/runtime/debug/mod.go,
https://go.dev/src/cmd/go/internal/modload/build.go (infoStart, infoEnd)."""
LONGEST_LIST = 4 * MIB
LARGEST_LIBRARY = 64 * MIB
RELEASED = 0xFF
"""Last byte of the number of a release: rd_kafka_version() in rdkafka.h. Both expressions begin with it."""
X86 = rb"(?s)\xb8(\xff...)\xc3"
"""`mov eax, NUMBER; ret`: a function that returns a constant, x86-64."""
ARM = rb"(?s)(\xe0..\x52)(...\x72)\xc0\x03\x5f\xd6"
"""`movz w0, NUMBER; movk w0, NUMBER, lsl 16; ret`, ARM64; a number stands in bits 5 to 20 of its instruction."""
ARM_LOW, ARM_HIGH = 0x52800000, 0x72A00000
MAJORS = range(4)
LINES_BEFORE_1 = range(8, 12)
"""Releases before 1.0 that are in use: 0.8 to 0.11."""


def go_modules(stream: BinaryIO) -> str:
    """Return the list of modules of a program of Go, as `go version -m` prints it; empty if there is none."""
    held, begun = b"", False
    for piece in _pieces(stream, LARGEST):
        held += piece
        if not begun:
            at = held.find(MODULES_BEGIN)
            begun = at >= 0
            held = held[at + len(MODULES_BEGIN) :] if begun else held[-len(MODULES_BEGIN) :]
        if begun:
            end = held.find(MODULES_END, 0, LONGEST_LIST)
            if end >= 0:
                return held[:end].decode("utf-8", "replace")
            if len(held) > LONGEST_LIST:
                return ""
    return ""


def librdkafka_versions(stream: BinaryIO) -> set[str]:
    """Return the versions that functions without parameters return in librdkafka's form, such as 2.16.0.

    No string of the library names it: rd_kafka_version() returns 0xMMmmrrff, and other functions rarely return such a
    constant.
    """
    found, held = set[str](), b""
    for piece in _pieces(stream, LARGEST_LIBRARY):
        held = held[-16:] + piece
        for match in re.finditer(X86, held):
            found.update(_version(struct.unpack("<L", match[1])[0]))
        for match in re.finditer(ARM, held):
            found.update(_version(_arm(*struct.unpack("<2L", match[1] + match[2]))))
    return found


def _arm(low: int, high: int) -> int:
    """Return the number that two instructions put together; 0 if they are others."""
    if low & 0xFFE0001F != ARM_LOW or high & 0xFFE0001F != ARM_HIGH:
        return 0
    return (low >> 5 & 0xFFFF) | (high >> 5 & 0xFFFF) << 16


def _version(number: int) -> Iterator[str]:
    major, minor, revision, kind = number.to_bytes(4, "big")
    if kind == RELEASED and major in MAJORS and (major or minor in LINES_BEFORE_1) and minor < 100 and revision < 100:
        yield f"{major}.{minor}.{revision}"


def _pieces(stream: BinaryIO, left: int) -> Iterator[bytes]:
    while left > 0 and (piece := stream.read(min(PIECE, left))):
        left -= len(piece)
        yield piece
