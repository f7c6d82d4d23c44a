"""Programs of the Linux distribution (`probe/drivers/sources/program.py`), with fake package tools."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from probe.catalogue.families import read_family
from probe.drivers.launch import Launch
from probe.drivers.sources import program, wheel
from probe.errors import ProvisionError

CLIENTS = Path(__file__).resolve().parents[2] / "clients"
KCAT = read_family(CLIENTS / "kcat" / "client.toml")
APT = """#!/bin/sh
for word do
  [ "$word" = "{refused}" ] && {{ echo "W: no news" >&2; echo "E: Unable to locate package $word" >&2; exit 100; }}
  case "$word" in kcat|libyajl2) echo "$word" > "${{word}}_1.0_all.deb" ;; esac
done
exit 0
"""
GIVE = APT.partition("\n")[2].format(refused="nothing")
UNPACK = """#!/bin/sh
name=$(cat "$2")
mkdir -p usr/bin usr/lib/here
[ "$name" = kcat ] && echo "#!/bin/sh" > usr/bin/kcat || touch "usr/lib/here/$name.so.2"
exit 0
"""


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder on PATH; the wheel is in the cache already."""
    place = tmp_path / "tools"
    place.mkdir()
    for name in ("sh", "cat", "mkdir", "touch"):
        (place / name).symlink_to(f"/bin/{name}")
    monkeypatch.setenv("PATH", str(place))
    monkeypatch.setenv("PROBE_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "cache" / "wheels" / "confluent-kafka-2.8.2"
    (folder / "confluent_kafka.libs").mkdir(parents=True)
    (folder / "confluent_kafka.libs" / "librdkafka-0a1b2c3d.so.1").touch()
    (folder / "confluent_kafka.libs" / "libz-0a1b2c3d.so.1").touch()
    launch = Launch(("python", "driver.py", "--library", str(folder)), "wheel confluent-kafka 2.8.2 sha256:00")
    monkeypatch.setattr(wheel, "obtain", lambda *_, alone: None if alone else launch)
    return place


def have(place: Path, name: str, text: str) -> None:
    (place / name).write_text(text)
    (place / name).chmod(0o755)


def obtain(tmp_path: Path) -> Launch:
    version = KCAT.find("1.7.1-2.8.0")
    assert version is not None
    return program.obtain(KCAT, version, tmp_path / "cache")


def test_an_installed_program_is_used_as_it_is(tools: Path, tmp_path: Path) -> None:
    have(tools, "kcat", "#!/bin/sh\n")
    launch = obtain(tmp_path)
    assert launch.env["PROBE_PROGRAM"] == str(tools / "kcat")
    assert launch.artifact.startswith("program kcat of this machine sha256:")
    assert launch.artifact.endswith("wheel confluent-kafka 2.8.2 sha256:00")


def test_a_missing_program_is_unpacked_from_packages_once(tools: Path, tmp_path: Path) -> None:
    have(tools, "apt-get", APT.format(refused="nothing"))
    have(tools, "dpkg-deb", UNPACK)
    first = obtain(tmp_path)
    (tools / "apt-get").unlink()
    assert obtain(tmp_path) == first
    assert first.artifact.startswith("packages kcat_1.0_all sha256:")
    assert Path(first.env["PROBE_PROGRAM"]).is_file()
    folders = first.env["PROBE_PROGRAM_LIBRARIES"].split(os.pathsep)
    names = {path.name for folder in folders for path in Path(folder).iterdir()}
    assert names == {"librdkafka.so.1", "libz-0a1b2c3d.so.1", "libyajl2.so.2"}
    assert (Path(folders[0]) / "librdkafka.so.1").resolve().name == "librdkafka-0a1b2c3d.so.1"


def test_an_unavailable_program_is_an_error_of_one_line(tools: Path, tmp_path: Path) -> None:
    with pytest.raises(ProvisionError, match=r"^kcat is not on this machine, .*; install kcat$"):
        obtain(tmp_path)


def test_an_unavailable_package_is_named_and_leaves_no_files(tools: Path, tmp_path: Path) -> None:
    have(tools, "apt-get", APT.format(refused="libyajl2"))
    have(tools, "dpkg-deb", UNPACK)
    with pytest.raises(ProvisionError, match=r"kcat cannot be downloaded from this distribution: E: .* libyajl2"):
        obtain(tmp_path)
    assert not (tmp_path / "cache" / "programs" / "kcat").exists()


def test_missing_lists_of_packages_are_downloaded_into_the_cache(tools: Path, tmp_path: Path) -> None:
    have(tools, "apt-get", '#!/bin/sh\n[ "$2" = -o ] || { echo "E: no lists" >&2; exit 100; }\n' + GIVE)
    have(tools, "dpkg-deb", UNPACK)
    launch = obtain(tmp_path)
    assert Path(launch.env["PROBE_PROGRAM"]).is_file()
    assert (tmp_path / "cache" / "debian" / "lists" / "partial").is_dir()
