"""Builds of unlisted releases are dropped above a limit, least recently used first, and never under a run."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from probe.catalogue.families import Family, Version
from probe.drivers import claims as module
from probe.drivers.claims import FOLDER, Claims
from probe.drivers.launch import Launch
from probe.drivers.provision import provision
from probe.drivers.sources import wheel
from probe.errors import ProvisionError
from probe.files.locks import take
from tests.support.wheel_registry import Registry, toy_family

BYTES = 1000


@pytest.fixture
def family(tmp_path: Path) -> Family:
    return toy_family(tmp_path / "clients", [{"version": "1.0"}])


def launch(cache: Path, version: str) -> Launch:
    """Return the command of a driver whose folder in the cache has a file."""
    folder = cache / "wheels" / f"toy-{version}"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "library.py").write_bytes(b"x" * BYTES)
    return Launch(("python",), "wheel", built=folder)


def used(claims: Claims, family: Family, cache: Path, version: str, used_at: float) -> Path:
    """Claim and note a version, used at this time; return its folder."""
    wanted = Version(version=version)
    claims.claim([(family, wanted)])
    noted = launch(cache, version)
    claims.note(family, wanted, noted)
    os.utime(cache / FOLDER / f"toy@{version}", (used_at, used_at))
    assert noted.built is not None
    return noted.built


def test_the_least_recently_used_is_dropped_first(family: Family, tmp_path: Path) -> None:
    earlier = Claims(tmp_path, limit=2 * BYTES)
    folders = {version: used(earlier, family, tmp_path, version, at) for version, at in (("3", 1), ("2", 3), ("4", 2))}
    earlier.release()
    assert Claims(tmp_path, limit=2 * BYTES).drop() == ["toy@3"]
    assert {version for version, folder in folders.items() if folder.exists()} == {"2", "4"}
    assert list((tmp_path / "wheels").glob(".*")) == []
    assert Claims(tmp_path, limit=2 * BYTES).drop() == []


def test_what_a_run_plays_stays_until_it_ends(family: Family, tmp_path: Path) -> None:
    run = Claims(tmp_path)
    folder = used(run, family, tmp_path, "3", 1)
    assert Claims(tmp_path, limit=0).drop() == []
    assert folder.exists()
    run.release()
    assert Claims(tmp_path, limit=0).drop() == ["toy@3"]
    assert not folder.exists()


def test_listed_versions_and_local_builds_stay(family: Family, tmp_path: Path) -> None:
    run = Claims(tmp_path)
    listed = used(run, family, tmp_path, "1.0", 1)
    local = Version(version="3+local.abc", artifact="path:/x")
    run.claim([(family, local)])
    run.note(family, local, launch(tmp_path, "3+local.abc"))
    run.release()
    assert Claims(tmp_path, limit=0).drop() == []
    assert listed.exists()
    assert (tmp_path / "wheels" / "toy-3+local.abc").exists()


def test_a_version_without_a_folder_of_its_own_is_no_matter(family: Family, tmp_path: Path) -> None:
    run = Claims(tmp_path)
    run.claim([(family, Version(version="3"))])
    run.note(family, Version(version="3"), Launch(("java",), "jar"))
    run.release()
    assert Claims(tmp_path, limit=0).drop() == []


def test_a_version_that_is_built_again_after_it_was_dropped_counts_again(family: Family, tmp_path: Path) -> None:
    for _ in range(2):
        run = Claims(tmp_path)
        used(run, family, tmp_path, "3", 1)
        run.release()
        assert Claims(tmp_path, limit=0).drop() == ["toy@3"]


def test_a_dropped_release_is_obtained_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    registry = Registry(tmp_path)
    monkeypatch.setattr(wheel, "pip", registry)
    monkeypatch.setenv("PROBE_CLIENTS", str(tmp_path / "clients"))
    registry.add("2.0")
    toy, wanted = toy_family(tmp_path / "clients", [{"version": "1.0"}]), Version(version="2.0")
    for downloads in (1, 2):
        run = Claims(tmp_path / "cache")
        run.claim([(toy, wanted)])
        run.note(toy, wanted, provision(toy, wanted, tmp_path / "cache"))
        run.release()
        assert len(registry.downloads) == downloads
        assert Claims(tmp_path / "cache", limit=0).drop() == ["toy@2.0"]


def test_a_damaged_record_is_written_again(family: Family, tmp_path: Path) -> None:
    (tmp_path / FOLDER).mkdir()
    (tmp_path / FOLDER / "toy@3").write_text('{"built": "whe')
    assert Claims(tmp_path, limit=0).drop() == []
    run = Claims(tmp_path)
    used(run, family, tmp_path, "3", 1)
    run.release()
    assert json.loads((tmp_path / FOLDER / "toy@3").read_text()) == {"built": "wheels/toy-3", "bytes": BYTES}


@pytest.mark.parametrize("built", [".", "..", "wheels/../../kept", "/kept", ""])
def test_a_record_that_names_no_folder_below_the_cache_drops_nothing(tmp_path: Path, built: str) -> None:
    cache, kept = tmp_path / "cache", tmp_path / "kept"
    (cache / FOLDER).mkdir(parents=True)
    kept.mkdir()
    record = cache / FOLDER / "toy@3"
    record.write_text(json.dumps({"built": str(kept) if built == "/kept" else built, "bytes": BYTES}))
    assert Claims(cache, limit=0).drop() == []
    assert (kept.exists(), record.exists()) == (True, True)


def test_a_version_that_is_being_dropped_is_awaited_for_a_stated_time(
    family: Family, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "WAIT_S", 0.0)
    (tmp_path / FOLDER).mkdir()
    with (tmp_path / FOLDER / "toy@3").open("w") as held:
        assert take(held.fileno())
        with pytest.raises(ProvisionError, match=r"^toy@3: another process has been dropping it for 0 s; end it$"):
            Claims(tmp_path).claim([(family, Version(version="3"))])
