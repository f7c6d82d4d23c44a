"""Kafka's message definitions in the package: they are those of the jars, and little is loaded to read them."""

from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path

import pytest

from probe.protocol.definitions import DefinitionsError
from probe.protocol.shipped_definitions import DEFINITIONS, ShippedSchemas, pack, read_shipped
from probe.toolchain.message_definitions import NOTICE, notice
from probe.toolchain.pinned_jars import read_pins
from tests.support.protocol_wire import schemas
from tests.unit.test_light_start import HEAVY


def test_the_package_has_what_the_jars_have() -> None:
    shipped, jars = ShippedSchemas(), schemas()
    pairs = list(jars.pairs())
    assert list(shipped.pairs()) == pairs
    assert len(pairs) > 600
    assert all(shipped.layout(*pair) == jars.layout(*pair) for pair in pairs)


def test_the_ranges_of_every_release_line_are_those_of_the_jars() -> None:
    for shipped, jar in zip(ShippedSchemas().jars, schemas().jars, strict=True):
        assert shipped.ranges() == jar.ranges()


def test_the_command_writes_the_file_of_the_package() -> None:
    """`python -m probe.toolchain.message_definitions` writes both files."""
    written = gzip.decompress(pack(schemas().jars))
    assert written == gzip.decompress(DEFINITIONS.read_bytes())
    assert NOTICE.read_text() == notice(read_pins().schemas)


def test_the_notice_names_origin_version_and_licence() -> None:
    text = NOTICE.read_text()
    assert all(coordinate in text for coordinate in read_pins().schemas)
    assert "Apache License, Version 2.0" in text
    assert "The Apache Software Foundation" in text


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x1f\x8b\x08 cut",
        gzip.compress(b"[]"),
        gzip.compress(b'{"jars": ["a"], "messages": {"FetchRequest": []}}'),
        gzip.compress(b"{"),
    ],
    ids=["empty", "cut", "list", "short", "no JSON"],
)
def test_a_broken_file_is_an_error_of_one_line(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "definitions"
    path.write_bytes(content)
    with pytest.raises(DefinitionsError, match=r"cannot read .*definitions.*install the package again") as refused:
        read_shipped(path)
    assert "\n" not in str(refused.value)


def test_reading_captures_and_logs_loads_no_heavy_package() -> None:
    code = "import sys, probe.diagnose.input; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) & {*HEAVY, "asyncio", "rich", "pydantic"} == set()
