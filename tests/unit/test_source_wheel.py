"""Wheels: downloaded once, checked against their digest and never half installed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from probe.catalogue.families import Version
from probe.drivers.sources import wheel
from probe.errors import ProvisionError
from probe.toolchain import pip
from tests.support.wheel_registry import Registry, toy_family

OTHER_MACHINE = "cp311-cp311-win_arm64"


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Registry:
    folder = tmp_path / "registry"
    folder.mkdir()
    stand_in = Registry(folder)
    monkeypatch.setattr(wheel, "pip", stand_in)
    monkeypatch.setenv("PROBE_CLIENTS", str(tmp_path / "clients"))
    return stand_in


def reported(argv: tuple[str, ...]) -> str:
    return subprocess.run([*argv, "--report"], capture_output=True, text=True, check=True).stdout.strip()


def test_the_digest_of_each_package_beside_the_library_is_recorded(registry: Registry, tmp_path: Path) -> None:
    digests = {
        "toy-1.0-py3-none-any.whl": registry.add("1.0"),
        "aid-2.0-py3-none-any.whl": registry.add("2.0", name="aid"),
    }
    family = toy_family(tmp_path / "clients", [{"version": "1.0"}], extra=["aid==2.0"])
    wheel.obtain(family, family.versions[0], tmp_path / "cache")
    stamp = tmp_path / "cache" / "wheels" / "toy-1.0" / wheel.STAMP
    assert json.loads(stamp.read_text())["files"] == digests


def test_each_version_has_its_own_folder_and_is_fetched_once(registry: Registry, tmp_path: Path) -> None:
    digest = registry.add("1.0")
    family = toy_family(tmp_path / "clients", [{"version": "1.0", "digest": digest}])
    launch = wheel.obtain(family, family.versions[0], tmp_path / "cache")
    assert reported(launch.argv) == "1.0"
    assert launch.argv[0] == sys.executable
    assert launch.artifact == f"wheel toy 1.0 {digest} toy-1.0-py3-none-any.whl"
    folder = tmp_path / "cache" / "wheels" / "toy-1.0"
    assert (folder / "toy" / "moved.py").exists()
    registry.down = True
    assert wheel.obtain(family, family.versions[0], tmp_path / "cache") == launch
    assert len(registry.downloads) == 1


def test_a_wrong_digest_is_refused_and_leaves_no_files(registry: Registry, tmp_path: Path) -> None:
    actual = registry.add("1.0")
    family = toy_family(tmp_path / "clients", [{"version": "1.0", "digest": "sha256:00ff"}])
    with pytest.raises(ProvisionError) as caught:
        wheel.obtain(family, family.versions[0], tmp_path / "cache")
    assert actual in str(caught.value)
    assert "sha256:00ff" in str(caught.value)
    assert [path.name for path in (tmp_path / "cache" / "wheels").iterdir()] == ["toy-1.0.lock"]


def test_a_pin_is_checked_for_an_existing_folder_too(registry: Registry, tmp_path: Path) -> None:
    registry.add("1.0")
    family = toy_family(tmp_path / "clients", [{"version": "1.0"}])
    wheel.obtain(family, family.versions[0], tmp_path / "cache")
    pinned = Version(version="1.0", digest="sha256:00ff")
    with pytest.raises(ProvisionError, match="sha256:00ff"):
        wheel.obtain(family, pinned, tmp_path / "cache")


def test_a_digest_of_another_platform_is_recorded_only(registry: Registry, tmp_path: Path) -> None:
    actual = registry.add("1.0", tag=OTHER_MACHINE)
    family = toy_family(tmp_path / "clients", [{"version": "1.0", "digest": "sha256:00ff"}])
    assert actual in wheel.obtain(family, family.versions[0], tmp_path / "cache").artifact


def test_a_folder_filled_for_another_python_is_filled_again(registry: Registry, tmp_path: Path) -> None:
    registry.add("1.0")
    family = toy_family(tmp_path / "clients", [{"version": "1.0"}])
    wheel.obtain(family, family.versions[0], tmp_path / "cache")
    stamp = tmp_path / "cache" / "wheels" / "toy-1.0" / wheel.STAMP
    stamp.write_text(json.dumps({**json.loads(stamp.read_text()), "machine": "cpython-27 sunos"}))
    wheel.obtain(family, family.versions[0], tmp_path / "cache")
    assert len(registry.downloads) == 2


def test_a_folder_without_a_complete_stamp_is_filled_again(registry: Registry, tmp_path: Path) -> None:
    registry.add("1.0")
    family = toy_family(tmp_path / "clients", [{"version": "1.0"}])
    folder = tmp_path / "cache" / "wheels" / "toy-1.0"
    folder.mkdir(parents=True)
    (folder / wheel.STAMP).write_text('{"file": "toy')
    assert reported(wheel.obtain(family, family.versions[0], tmp_path / "cache").argv) == "1.0"


OLD_PYTHON = {"until": "1.9", "python": "37"}


def test_an_old_release_is_fetched_for_its_own_python(registry: Registry, tmp_path: Path) -> None:
    digest = registry.add("1.0", tag="cp37-cp37m-manylinux1_x86_64")
    registry.add("2.0")
    pins = [{"version": "1.0", "digest": digest}, {"version": "2.0"}]
    family = toy_family(tmp_path / "clients", pins, pythons=[OLD_PYTHON])
    launch = wheel.obtain(family, family.versions[0], tmp_path / "cache")
    assert "cp37" in launch.artifact
    assert reported(launch.argv) == "1.0"
    wheel.obtain(family, family.versions[1], tmp_path / "cache")
    assert wheel.obtain(family, family.versions[0], tmp_path / "cache") == launch
    assert registry.downloads == [("toy==1.0", "for 37"), ("toy==2.0",)]


def test_the_digest_of_a_wheel_for_an_old_python_is_checked(registry: Registry, tmp_path: Path) -> None:
    registry.add("1.0", tag="cp37-cp37m-manylinux1_x86_64")
    pins = [{"version": "1.0", "digest": "sha256:00ff"}]
    family = toy_family(tmp_path / "clients", pins, pythons=[OLD_PYTHON])
    with pytest.raises(ProvisionError, match="sha256:00ff"):
        wheel.obtain(family, family.versions[0], tmp_path / "cache")


def test_pip_gets_the_python_version_and_platform(monkeypatch: pytest.MonkeyPatch) -> None:
    script = "import sys; print('Available versions:', ' '.join(sys.argv[1:]).replace(', ', ' '))"
    monkeypatch.setattr(pip, "command", lambda: (sys.executable, "-c", script))
    (own,) = pip.versions("toy")
    (other,) = pip.versions("toy", "37")
    assert "--python-version" not in own
    assert "--python-version 37" in other
    assert "--platform" in other


def test_an_extra_of_one_version_is_installed_for_it_only(registry: Registry, tmp_path: Path) -> None:
    for name, artifact in (("toy", "1.0"), ("toy", "2.0"), ("relic", "0.1")):
        registry.add(artifact, name=name)
    family = toy_family(tmp_path / "clients", [{"version": "1.0", "extra": ["relic==0.1"]}, {"version": "2.0"}])
    folders = [tmp_path / "cache" / "wheels" / f"toy-{item.version}" for item in family.versions]
    for item in family.versions:
        wheel.obtain(family, item, tmp_path / "cache")
    assert [(folder / "relic").is_dir() for folder in folders] == [True, False]


def test_extra_packages_are_installed_in_the_same_folder(registry: Registry, tmp_path: Path) -> None:
    registry.add("1.0")
    registry.add("2.5", name="codec")
    family = toy_family(tmp_path / "clients", [{"version": "1.0"}], extra=["codec==2.5"])
    wheel.obtain(family, family.versions[0], tmp_path / "cache")
    assert (tmp_path / "cache" / "wheels" / "toy-1.0" / "codec" / "__init__.py").exists()


def test_a_broken_wheel_is_an_error_of_one_line(registry: Registry, tmp_path: Path) -> None:
    (registry.folder / "toy-1.0-py3-none-any.whl").write_bytes(b"PK but not for long")
    family = toy_family(tmp_path / "clients", [{"version": "1.0"}])
    with pytest.raises(ProvisionError, match=r"toy-1\.0-py3-none-any\.whl is not a wheel"):
        wheel.obtain(family, family.versions[0], tmp_path / "cache")


def test_the_version_of_an_artifact_is_reported_by_the_library(registry: Registry, tmp_path: Path) -> None:
    digest = registry.add("1.0.2", reports="1.0.1")
    family = toy_family(tmp_path / "clients", [])
    found = wheel.identify(family, "1.0.2", tmp_path / "cache")
    assert found == Version(version="1.0.1", artifact="1.0.2", digest=digest)


def test_a_library_that_fails_to_load_is_an_error_of_one_line(registry: Registry, tmp_path: Path) -> None:
    registry.add("3.0", code="import what_is_nowhere")
    family = toy_family(tmp_path / "clients", [])
    with pytest.raises(ProvisionError, match=r"^toy 3\.0 cannot be loaded by this Python: \w+Error"):
        wheel.identify(family, "3.0", tmp_path / "cache")


def test_a_listed_release_that_cannot_be_imported_cannot_be_driven(registry: Registry, tmp_path: Path) -> None:
    digest = registry.add("3.1", code="import nowhere_to_be_found\n")
    family = toy_family(tmp_path / "clients", [{"version": "3.1", "digest": digest}])
    for _ in range(2):
        with pytest.raises(ProvisionError, match=r"^toy 3\.1 cannot be loaded by this Python: .*nowhere_to_be_found"):
            wheel.obtain(family, family.newest, tmp_path / "cache")
    assert not (tmp_path / "cache" / "wheels" / "toy-3.1").exists()


def test_a_library_that_a_program_loads_is_not_loaded_before(registry: Registry, tmp_path: Path) -> None:
    digest = registry.add("3.2", code="import nowhere_to_be_found\n")
    family = toy_family(tmp_path / "clients", [{"version": "3.2", "digest": digest}])
    wheel.obtain(family, family.newest, tmp_path / "cache", alone=False)
    assert (tmp_path / "cache" / "wheels" / "toy-3.2").exists()


PIP_ERRORS = (
    ("ERROR: No matching distribution found for toy==9 (from versions: 1.0, 2.0)", "does not have this version"),
    ("WARNING: Retrying (Retry(total=1)) after connection broken\nERROR: none", "cannot be reached"),
    ("ERROR: Could not find a version (from versions: none)", "cannot be reached, or has no wheel"),
    (
        "Traceback\nOSError: [Errno 28] No space left on device",
        "pip failed: OSError: [Errno 28] No space left on device",
    ),
)


@pytest.mark.parametrize(("stderr", "expected"), PIP_ERRORS)
def test_pip_errors_become_one_line(
    stderr: str, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = f"import sys; sys.stderr.write({stderr!r}); sys.exit(1)"
    monkeypatch.setattr(pip, "command", lambda: (sys.executable, "-c", script))
    with pytest.raises(ProvisionError) as caught:
        pip.download(["toy==9"], tmp_path)
    assert str(caught.value).startswith("toy==9: ")
    assert expected in str(caught.value)
    assert "\n" not in str(caught.value)


def test_versions_are_read_from_pip_newest_first(monkeypatch: pytest.MonkeyPatch) -> None:
    script = "print('toy (2.0)\\nAvailable versions: 2.0, 1.1, 1.0\\n  LATEST: 2.0')"
    monkeypatch.setattr(pip, "command", lambda: (sys.executable, "-c", script))
    assert pip.versions("toy") == ["2.0", "1.1", "1.0"]


def test_a_silent_registry_ends_at_the_deadline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pip, "command", lambda: (sys.executable, "-c", "import time; time.sleep(60)"))
    monkeypatch.setattr(pip, "DEADLINE_S", 0.5)
    with pytest.raises(ProvisionError, match=r"within 0\.5 s"):
        pip.download(["toy==9"], tmp_path)
