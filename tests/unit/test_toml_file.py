"""Files of TOML that people write: whatever they hold, one line says what is wrong and what to do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from probe.catalogue.apps_file import read_apps
from probe.catalogue.families import read_family
from probe.catalogue.known_results import read_known
from probe.catalogue.toml_file import read_tables, read_toml
from probe.errors import CatalogueError
from probe.reports.audit.known_findings import read_sarif

READERS: Mapping[str, Callable[[Path], object]] = {
    "client.toml": read_family,
    "apps.toml": lambda path: read_apps(path, {}),
    "known.toml": read_known,
}
BROKEN: Mapping[str, tuple[bytes, str]] = {
    "no TOML": (b"a = ", "Invalid value"),
    "no UTF-8": (b"a = '\xff'", "can't decode byte 0xff"),
    "too deep": (b"a = " + b"[" * 9999, "its values are nested too deeply"),
    "a directory": (b"", "Is a directory"),
}


@pytest.mark.parametrize("what", BROKEN)
@pytest.mark.parametrize("name", READERS)
def test_a_broken_file_is_named_in_one_line(name: str, what: str, tmp_path: Path) -> None:
    data, reason = BROKEN[what]
    path = tmp_path / name
    if data:
        path.write_bytes(data)
    else:
        path.mkdir()
    if not path.is_file() and name == "apps.toml":  # without a file there are no applications
        assert READERS[name](path) == {}
        return
    with pytest.raises(CatalogueError, match=reason) as caught:
        READERS[name](path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "; correct" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["app = 3", "app = ['a']", "app = {name = 'a'}", "known = [1]"])
def test_entries_that_are_no_tables_are_named(text: str, tmp_path: Path) -> None:
    path = tmp_path / "file.toml"
    path.write_text(text)
    name = text.partition(" ")[0]
    with pytest.raises(CatalogueError, match=f"`{name}` is not a list of tables; begin each entry with"):
        read_tables(path, name)


def test_versions_in_a_file_that_cannot_be_are_named(tmp_path: Path) -> None:
    path = tmp_path / "apps.toml"
    path.write_text('[[app]]\nname = "a"\nversions_in = "\\u0000"\n')
    with pytest.raises(CatalogueError, match="null byte; correct or remove the file"):
        read_apps(path, {})


def test_values_are_read(tmp_path: Path) -> None:
    path = tmp_path / "file.toml"
    path.write_text("[[app]]\nname = 'ä'\n")
    assert read_toml(path) == {"app": [{"name": "ä"}]}
    assert read_tables(path, "other") == []


def test_findings_that_are_nested_too_deeply_are_no_audit() -> None:
    with pytest.raises(ValueError, match="it is no SARIF of an audit"):
        read_sarif("[" * 99_999)
