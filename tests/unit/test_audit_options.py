"""Options of `probe audit`: a wrong one is refused before anything is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from probe.inventory.entries import FileContent
from tests.unit.test_audit import audit, fleet

__all__ = ["fleet"]  # the fixture


@pytest.mark.parametrize("wrong", [("--broker", "foo"), ("--scenario", "disk/nothing"), ("--fail-on", "stuck")])
def test_a_wrong_option_is_refused_before_a_file_is_read(
    wrong: tuple[str, str], fleet: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[object] = []

    def note(paths: list[str]) -> list[FileContent]:
        read.append(paths)
        return []

    monkeypatch.setattr("probe.cli.commands.audit.read_inventories", note)
    _, error, code = audit(fleet, tmp_path / "results", *wrong)
    assert (code, read) == (2, [])
    assert wrong[1] in str(error)
