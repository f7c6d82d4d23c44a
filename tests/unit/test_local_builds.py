"""Local builds (a wheel, a checkout, a jar or a C library) as clients that are named by their content."""

from __future__ import annotations

import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

from probe.catalogue.families import CatalogueError, Family, read_families
from probe.catalogue.selectors import select_clients
from probe.drivers.provision import provision, resolve
from probe.drivers.sources import wheel
from probe.errors import ProvisionError
from probe.model import Outcome
from tests.support.real_cells import planned, play
from tests.support.wheel_registry import Registry, toy_family

ROOT = Path(__file__).parents[2]


@pytest.fixture
def family(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Family:
    folder = tmp_path / "registry"
    folder.mkdir()
    stand_in = Registry(folder)
    stand_in.add("9.9", name="codec")
    monkeypatch.setattr(wheel, "pip", stand_in)
    monkeypatch.setenv("PROBE_CLIENTS", str(tmp_path / "clients"))
    monkeypatch.setenv("PROBE_CACHE", str(tmp_path / "cache"))
    return toy_family(tmp_path / "clients", [{"version": "1.0"}], extra=["codec==9.9"])


def checkout(place: Path, version: str = "1.7") -> Path:
    (place / "toy").mkdir(parents=True)
    (place / "toy" / "__init__.py").write_text(f"import codec\n__version__ = {version!r}\n")
    for other in ("tests", "docs"):
        (place / other).mkdir()
        (place / other / "__init__.py").write_text("")
    return place


def reported(argv: tuple[str, ...]) -> str:
    return subprocess.run([*argv, "--report"], capture_output=True, text=True, check=True).stdout.strip()


def test_a_checkout_is_installed_with_its_dependencies(family: Family, tmp_path: Path) -> None:
    place = checkout(tmp_path / "mine")
    version = resolve(family, f"path:{place}")
    release, _, mark = version.version.partition("+local.")
    assert (release, len(mark)) == ("1.7", 8)
    launch = provision(family, version)
    assert reported(launch.argv) == "1.7"
    assert launch.argv[-2:] == ("--local", mark)
    folder = Path(launch.argv[launch.argv.index("--library") + 1])
    assert {item.name for item in folder.iterdir()} == {"toy", "codec", "codec-9.9.data"}


def test_later_changes_do_not_affect_a_resolved_checkout(family: Family, tmp_path: Path) -> None:
    place = checkout(tmp_path / "mine")
    before = resolve(family, f"path:{place}")
    (place / "toy" / "__init__.py").write_text("__version__ = '1.8'\n")
    after = resolve(family, f"path:{place}")
    assert before.version.startswith("1.7+local.")
    assert after.version.startswith("1.8+local.")
    assert reported(provision(family, before).argv) == "1.7"


def test_equal_checkouts_have_the_same_version(family: Family, tmp_path: Path) -> None:
    one = resolve(family, f"path:{checkout(tmp_path / 'a')}")
    two = resolve(family, f"path:{checkout(tmp_path / 'b' / 'src').parent}")
    assert one.version == two.version


def test_a_wheel_is_unpacked(family: Family, tmp_path: Path) -> None:
    file = tmp_path / "toy-1.9-py3-none-any.whl"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("toy/__init__.py", "__version__ = '1.9'")
    version = resolve(family, f"path:{file}")
    assert version.version.startswith("1.9+local.")
    assert reported(provision(family, version).argv) == "1.9"


@pytest.mark.parametrize("name", ["librdkafka.so.1", "librdkafka-ab12cd34.so.1", "src/librdkafka.so.1"])
def test_a_c_library_is_placed_where_the_driver_loads_it(tmp_path: Path, name: str) -> None:
    from probe.drivers.sources import local_wheel  # noqa: PLC0415  # only this test needs it

    built = tmp_path / "built" / name
    built.parent.mkdir(parents=True)
    built.write_bytes(b"ELF")
    (built.parent / "librdkafka++.so.1").write_bytes(b"ELF of another interface")
    for place in (built, tmp_path / "built"):
        whole = tmp_path / f"whole-{place.name}"
        whole.mkdir()
        local_wheel.lay_out(place, whole, lambda *_: pytest.fail("no wheel"))
        assert [item.name for item in (whole / "confluent_kafka.libs").iterdir()] == [built.name]
        assert list((whole / "confluent_kafka").iterdir()) == []


@pytest.mark.parametrize("made", [False, True])
def test_a_folder_without_a_library_is_reported_in_one_line(family: Family, tmp_path: Path, made: bool) -> None:
    place = tmp_path / "empty"
    if made:
        place.mkdir()
    with pytest.raises(ProvisionError, match=r"neither a wheel, nor a checkout .*; name one$"):
        resolve(family, f"path:{place}")


def test_a_checkout_that_does_not_load_is_reported(family: Family, tmp_path: Path) -> None:
    place = checkout(tmp_path / "mine")
    (place / "toy" / "__init__.py").write_text("import nowhere_to_be_found\n")
    with pytest.raises(ProvisionError, match=r"toy@path:.* cannot be loaded by this Python: .*nowhere_to_be_found"):
        resolve(family, f"path:{place}")


def test_path_and_jar_are_accepted_and_other_schemes_are_not() -> None:
    families = read_families(ROOT / "clients")
    asked: list[str] = []

    def resolve_version(_: Family, text: str) -> object:
        asked.append(text)
        return families["java"].versions[0]

    select_clients(families, ["java@jar:/a/kafka-clients.jar", "sarama@path:/a/sarama@v1.43.3"], resolve_version)  # type: ignore[arg-type]  # returns a Version
    assert asked == ["jar:/a/kafka-clients.jar", "path:/a/sarama@v1.43.3"]
    with pytest.raises(CatalogueError, match="path:PLACE"):
        select_clients(families, ["java@file:/a"], resolve_version)  # type: ignore[arg-type]  # as above


@pytest.mark.real
def test_a_copy_of_a_release_has_the_same_outcome(tmp_path: Path) -> None:
    """The driver reports the local build as its version, and its outcome is that of the release."""
    families = read_families(ROOT / "clients")
    old = families["kafka-python"].find("2.0.2")
    assert old is not None
    argv = provision(families["kafka-python"], old).argv
    shutil.copytree(Path(argv[argv.index("--library") + 1]) / "kafka", tmp_path / "kafka")
    item = planned(f"kafka-python@path:{tmp_path}", "disk/storage-error")
    assert item.cell.version.startswith("2.0.2+local.")
    ((_, verdict),) = play([item])
    assert verdict.outcome is Outcome.STUCK
