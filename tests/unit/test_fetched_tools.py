"""Tools that only tests need (`tests/support/fetched_tools.py`), with fake package tools."""

from __future__ import annotations

import subprocess
import zipfile
from pathlib import Path

import pytest

from probe.errors import ProvisionError
from probe.toolchain import pip
from tests.support.fetched_tools import debian_program, python_packages

APT = """#!/bin/sh
case "$*" in
  *install*) echo "Inst libneeded1 (1.0 Debian [amd64])" ;;
  *libneeded1*) echo "$@" >> calls; touch viewer_1.0_all.deb libneeded1_1.0_all.deb ;;
  *) exit 100 ;;
esac
"""
UNPACK = """#!/bin/sh
mkdir -p usr/bin lib/here
touch lib/here/libneeded.so.1
printf '#!/bin/sh\\necho "$LD_LIBRARY_PATH" "$1"\\n' > usr/bin/viewer
chmod +x usr/bin/viewer
"""


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder on PATH; the cache is empty."""
    place = tmp_path / "tools"
    place.mkdir()
    for name in ("sh", "mkdir", "touch", "chmod"):
        (place / name).symlink_to(f"/bin/{name}")
    monkeypatch.setenv("PATH", str(place))
    monkeypatch.setenv("PROBE_CACHE", str(tmp_path / "cache"))
    return place


def have(place: Path, name: str, text: str) -> None:
    (place / name).write_text(text)
    (place / name).chmod(0o755)


def test_a_program_runs_with_what_it_needs_from_the_cache(tools: Path, tmp_path: Path) -> None:
    have(tools, "apt-get", APT)
    have(tools, "dpkg-deb", UNPACK)
    program = debian_program("viewer", "viewer")
    (tools / "apt-get").unlink()
    assert debian_program("viewer", "viewer") == program
    done = subprocess.run([str(program), "file"], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [str(tmp_path / "cache/programs/viewer/lib/here"), "file"]


def test_a_program_of_the_machine_is_used_as_it_is(tools: Path) -> None:
    have(tools, "drawer", "#!/bin/sh\n")
    assert debian_program("draws", "drawer") == tools / "drawer"


def test_a_machine_without_packages_skips_with_the_reason(tools: Path) -> None:
    reason = "plotter is not on this machine, and only Debian's .* packages work without root; install plotter"
    with pytest.raises(pytest.skip.Exception, match=reason):
        debian_program("plotter", "plotter")


def test_a_registry_that_fails_is_asked_once(tools: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def refuse(pins: object, folder: Path) -> list[Path]:
        calls.append(pins)
        raise ProvisionError("the package registry cannot be reached")

    monkeypatch.setattr(pip, "download", refuse)
    for _ in range(2):
        with pytest.raises(pytest.skip.Exception, match="registry cannot be reached"):
            python_packages("unreachable", ["thing==1.0"])
    assert len(calls) == 1


def test_programs_in_wheels_stay_executable(tools: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def give(pins: object, folder: Path) -> list[Path]:
        with zipfile.ZipFile(folder / "thing.whl", "w") as archive:
            item = zipfile.ZipInfo("thing/run")
            item.external_attr = 0o100755 << 16
            archive.writestr(item, "#!/bin/sh\n")
        return [folder / "thing.whl"]

    monkeypatch.setattr(pip, "download", give)
    assert (python_packages("thing", ["thing==1.0"]) / "thing" / "run").stat().st_mode & 0o111
