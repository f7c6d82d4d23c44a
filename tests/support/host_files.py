"""Jars and programs with what real ones say of themselves, small enough to be made in a test."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Mapping

from probe.inventory.programs import MODULES_BEGIN, MODULES_END
from probe.inventory.readers.jar import CLASS

VERSION_FILE = "kafka/kafka-version.properties"
SHADED = f"org/apache/flink/kafka/shaded/{CLASS}"
FLINK_NOTICE = "flink-sql-connector-kafka\n- org.apache.kafka:kafka-clients:4.2.0\n"
"""Lines of META-INF/NOTICE of flink-sql-connector-kafka 5.0.0-2.2."""


def jar(entries: Mapping[str, str | bytes], how: int = zipfile.ZIP_DEFLATED) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", how) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return made.getvalue()


def kafka_clients(version: str = "3.9.1") -> bytes:
    """Return a jar with the version file of kafka-clients, which ends without a line end."""
    return jar({VERSION_FILE: f"commitId=f745dfdcee2b9851\nversion={version}", CLASS: b"\xca\xfe\xba\xbe"})


def go_program(modules: str, before: int = 1000) -> bytes:
    """Return an ELF file with a list of modules where the linker writes it."""
    return b"\x7fELF" + b"\0" * before + MODULES_BEGIN + modules.encode() + MODULES_END + b"\0" * 1000


def version_function(number: int) -> bytes:
    """Return an ELF file with a function that returns a number, as compilers write it for x86-64."""
    return b"\x7fELF" + b"\x90" * 5000 + b"\xb8" + struct.pack("<L", number) + b"\xc3" + b"\x90" * 5000
