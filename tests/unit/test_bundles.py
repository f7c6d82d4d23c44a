"""Bundles: every template, what the fakes of a bundle can play, and how `test.py` judges a client."""

from __future__ import annotations

import ast
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from probe.bundle.faults import SERVED_ROLES, Answer, Fault, Network, UnbundledError, fault_of
from probe.bundle.folder import CLIENT_LINES, LINES, Bundle
from probe.bundle.languages import FAMILIES, Release
from probe.bundle.promises import Promise, promise_of
from probe.bundle.text_template import filled
from probe.catalogue.scenarios import select_scenarios
from probe.cli.wiring.bundles import bundle_of, bundled, limits
from probe.cli.wiring.catalogue import families
from probe.errors import ProbeError
from probe.model import Outcome, Reaction, Role
from probe.toolchain.tools import find_tool
from tests.support.command import command

BIN = Path(sys.executable).parent
DISK = "disk/storage-error"
KINDS = (DISK, "leader/elected", "net/reset", "net/blackhole", "net/refused", "broker/kill", "coordinator/moved")
ANSWERS = ("hold/join-group/COORDINATOR_LOAD_IN_PROGRESS", "blip/heartbeat/ILLEGAL_GENERATION")
LEFT = re.compile(r"@[A-Z][A-Z_]*@|^#:", re.MULTILINE)


def cells() -> Iterator[tuple[str, Role, str]]:
    """Yield each family, role and kind of fault that a bundle may have."""
    for name in FAMILIES:
        for scenario in select_scenarios([*KINDS, *ANSWERS]):
            for role in set(SERVED_ROLES) & set(families()[name].roles) & set(scenario.roles):
                yield name, role, scenario.name


def made(family: str, role: Role, scenario: str) -> Bundle | None:
    """Return the bundle of two versions of a family that are no releases, or None if no fake can play it."""
    # what ships of a release may say that it needs no bundle
    versions = [one.version for one in families()[family].versions]
    oldest = limits()["served_since"].get(family, versions[0])
    try:
        return bundle_of(f"{family}@{oldest}.0 {role} {scenario}", f"{oldest}.1")
    except UnbundledError:
        return None


@pytest.fixture(scope="module")
def bundles() -> dict[tuple[str, Role, str], Bundle]:
    found = {cell: made(*cell) for cell in cells()}
    return {cell: one for cell, one in found.items() if one is not None}


Bundles = dict[tuple[str, Role, str], Bundle]


@pytest.mark.whole
def test_every_family_with_a_template_has_bundles_in_each_of_its_roles(bundles: Bundles) -> None:
    roles = {(family, role) for family, role, _ in bundles}
    wanted = {(name, role) for name in FAMILIES for role in SERVED_ROLES if role in families()[name].roles}
    assert wanted - roles == {("java", Role.GROUP)}, "a group of the Java client is longer than a bundle may be"


def test_no_bundle_is_too_long_and_nothing_of_a_template_is_left(bundles: Bundles) -> None:
    for cell, one in bundles.items():
        files = one.files()
        language, _ = FAMILIES[one.family]
        client = [line for line in files[language.client].splitlines() if line.strip()]
        assert one.lines() <= LINES, cell
        assert len(client) <= CLIENT_LINES, cell
        for place, text in files.items():
            assert not LEFT.search(text), (cell, place)
            assert "probe" not in text, (cell, place)


def test_the_read_me_has_both_commands_what_must_happen_and_what_must_not(bundles: Bundles) -> None:
    for one in bundles.values():
        text = one.files()["README.md"]
        assert f"\n{one.command(one.bad)}   # fails\n{one.command(one.good)}   # passes\n" in text
        assert one.bad.artifact in one.command(one.bad)
        assert one.good.artifact in one.command(one.good)
        assert "\n- Must: " in text
        assert "\n- Must not: " in text


def test_generated_python_is_whole(bundles: Bundles, tmp_path: Path) -> None:
    texts = {text for one in bundles.values() for place, text in one.files().items() if place.endswith(".py")}
    for number, text in enumerate(sorted(texts)):
        ast.parse(text, feature_version=(3, 8))
        (tmp_path / f"file_{number}.py").write_text(text)
    rules = ("--isolated", "--no-cache", "--select", "F,E9", "--target-version", "py38")
    done = subprocess.run([BIN / "ruff", "check", *rules, tmp_path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_generated_go_is_formatted(bundles: Bundles, tmp_path: Path) -> None:
    texts = {text for one in bundles.values() for place, text in one.files().items() if place.endswith(".go")}
    for number, text in enumerate(sorted(texts)):
        (tmp_path / f"file_{number}.go").write_text(text)
    gofmt = shutil.which("gofmt", path=f"{find_tool('go').resolve().parent}") or "gofmt"
    listed = subprocess.run([gofmt, "-l", str(tmp_path)], capture_output=True, text=True, check=True)
    assert listed.stdout == ""


def test_generated_javascript_is_whole(bundles: Bundles, tmp_path: Path) -> None:
    texts = {text for one in bundles.values() for place, text in one.files().items() if place.endswith(".js")}
    for number, text in enumerate(sorted(texts)):
        path = tmp_path / f"file_{number}.js"
        path.write_text(text)
        done = subprocess.run([find_tool("node"), "--check", path], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("role", "scenario", "fault"),
    [
        (Role.PRODUCER, DISK, Fault(answers=(Answer(0, 56), Answer(1, 56), Answer(2, 56)), moves_ms=150)),
        (Role.PRODUCER, "net/reset", Fault(network=Network.CUT, heals_ms=0)),
        (
            Role.GROUP,
            "hold/join-group/COORDINATOR_LOAD_IN_PROGRESS",
            Fault(answers=(Answer(12, 27, 1), Answer(11, 14)), heals_ms=6000, coordinator=True),
        ),
    ],
)
def test_a_scenario_is_a_fault_of_the_fakes(role: Role, scenario: str, fault: Fault) -> None:
    (one,) = select_scenarios([scenario])
    assert fault_of(one, role) == fault


@pytest.mark.parametrize(
    ("cell", "against", "reason"),
    [
        ("sarama@1.2.3 producer topic/recreated", "1.2.4", "the fakes cannot do RecreateTopic"),
        ("sarama@1.2.3 consumer follower/offset-out-of-range", "1.2.4", "no follower of a fake serves readers"),
        ("sarama@1.2.3 producer auth/wrong-password", "1.2.4", "the fakes have no secured listeners"),
        (f"sarama@1.2.3 transactional {DISK}", "1.2.4", "fakes of bundles serve the roles"),
        (f"telegraf@1.2.3 producer {DISK}", "1.2.4", "no template has telegraf"),
        (f"sarma@1.2.3 producer {DISK}", "1.2.4", "there is no client family sarma; did you mean sarama?"),
        (f"kafkajs@1.2.3 consumer {DISK}", "1.2.4", "has no role consumer"),
        (f"platformatic-kafka@2.7.0 producer {DISK}", "2.12.1", "above those of the fakes until 2.11.0"),
        ("java@1.2.3 group coordinator/moved", "1.2.4", "lines, not 200 at most"),
        (f"sarama@1.43.99 producer {DISK}", "1.43.3", "had no such release on"),
        (f"sarama@1.43 producer {DISK}", "1.43.3", "1.43 names no release of sarama; there are 1.43.0 to 1.43.3"),
        (f"sarama@latest producer {DISK}", "1.43.3", "sarama@latest is no release"),
        (f"sarama@1.2.3 producer {DISK}", "1.2.3", "1.2.3 is compared with itself"),
        ("sarama@1.2.3 producer disk/*", "1.2.4", "several scenarios match, such as disk/"),
        ("sarama-1.43.2-storage-eror", None, "did you mean sarama-1.43.2-storage-error?"),
        ("sarama@1.2.3 group coordinator/moved", "1.99.0", "its package has another name in 1.99.0"),
        (f"sarama@1.2.3 producer {DISK}", None, "name the version that passes with --against"),
        (f"sarama@1.2.3 nobody {DISK}", "1.2.4", "there is no role nobody"),
        ("unknown", None, "name a known result"),
        ("", None, "--list"),
    ],
)
def test_what_has_no_bundle_is_one_line(cell: str, against: str | None, reason: str) -> None:
    done = command("bundle", *([cell] if cell else []), *(["--against", against] if against else []))
    assert done.returncode == 2
    assert reason in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_known_result_becomes_a_folder_which_is_never_overwritten(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    done = command("bundle", "sarama-1.43.2-storage-error", "--out", str(folder))
    assert done.returncode == 0, done.stderr
    assert {path.name for path in folder.iterdir()} == {"README.md", "client.go", "fake", "go.mod", "watch.go"}
    assert "go run ." in done.stdout
    again = command("bundle", "sarama-1.43.2-storage-error", "--out", str(folder))
    assert again.returncode == 2
    assert "it exists" in again.stderr


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    done = command("bundle", "sarama-1.43.2-storage-error", "--out", str(tmp_path / "file" / "folder"))
    assert done.returncode == 2
    assert done.stderr.endswith("folder cannot be written: Not a directory; name another folder with --out\n")


def test_the_cell_of_a_known_result_has_its_contrast() -> None:
    (known,) = [one for one, _, _ in bundled() if one.id == "sarama-1.43.2-storage-error"]
    one = bundle_of(f"{known.client} producer {DISK}", None)
    assert one == bundle_of(known.id, None)
    assert one.says == known.says


def test_what_ships_of_a_cell_says_what_its_bundle_promises(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the evidence 2.0.2 reports an error and goes on, where 3.0.12 asks again."""
    monkeypatch.delenv("PROBE_EVIDENCE")
    cell = "producer answer/produce/NOT_LEADER_OR_FOLLOWER"
    assert bundle_of(f"kafka-python@2.0.2 {cell}", "3.0.12").promise.is_quiet
    with pytest.raises(UnbundledError, match="an application sees nothing: by what ships it is refreshes"):
        bundle_of(f"kafka-python@3.0.12 {cell}", "2.0.2")
    with pytest.raises(UnbundledError, match=r"by what ships 2\.2\.3 is stuck, too"):
        bundle_of(f"kafka-python-ng@2.0.3 producer {DISK}", "2.2.3")


def test_each_known_result_has_a_bundle_or_a_reason() -> None:
    found = list(bundled())
    assert all((one is None) is bool(reason) for _, one, reason in found)
    assert len([one for _, one, _ in found if one]) >= 17
    assert not any("\n" in reason or known.id in reason for known, _, reason in found)


def test_a_better_version_may_be_the_known_result() -> None:
    """The known result of java-3.9.2 is that it passes; its contrast fails."""
    one = bundle_of("java-3.9.2-storage-error", None)
    assert (one.good.version, one.bad.version) == ("3.9.2", "0.11.0.3")
    assert one.files()["README.md"].splitlines()[1].startswith("3.9.2: KafkaStorageException is ")


def test_the_read_me_names_older_pythons_and_how_a_build_of_c_is_tested() -> None:
    text = bundle_of("librdkafka-1.5.0-storage-error", None).files()["README.md"]
    assert "with pip, and python3.8 and python3.9, for which these releases have wheels; " in text
    assert "LD_PRELOAD=/path/to/your/librdkafka.so.1" in text
    assert "checkout" not in text


@pytest.mark.parametrize(
    ("fault", "bad", "promise"),
    [
        (Fault(moves_ms=150), (Outcome.STUCK,), Promise(8, 14)),
        (Fault(heals_ms=3000), (Outcome.SURFACES,), Promise(11, 17, is_quiet=True)),
        (Fault(network=Network.HOLD), (Outcome.VIOLATES,), Promise(38, 44, in_order=True)),
        (Fault(), (), Promise(8, 14, is_quiet=True)),
    ],
)
def test_a_promise_follows_from_the_fault_and_from_what_is_known(
    fault: Fault, bad: tuple[Outcome, ...], promise: Promise
) -> None:
    assert promise_of(fault, Role.CONSUMER, bad, (Outcome.RIDES,), Reaction.RETRY) == promise


def test_a_template_keeps_lines_by_tags_and_drops_lines_that_are_an_empty_value() -> None:
    text = "a\n#: x|y\nb\n#: x y\nc\n#: end\n@E@\n<@V@>\n"
    assert filled(text, {"x"}, {"E": "", "V": "1"}) == "a\nb\n<1>\n"
    with pytest.raises(KeyError):
        filled("@NONE@", (), {})


def watched(folder: Path, promise: Promise, client: str) -> tuple[int, str]:
    """Run the `test.py` of a cut connection beside a client that is a program of this test."""
    (scenario,) = select_scenarios(["net/reset"])
    release = Release("1", "package", "1")
    one = Bundle(
        family="kafka-python",
        title="Title",
        bad=release,
        good=release,
        role=Role.CONSUMER,
        scenario=scenario.name,
        story="",
        fault=Fault(network=Network.CUT),
        promise=promise,
    )
    (folder / "test.py").write_text(one.files()["test.py"])
    (folder / "client.py").write_text(f"import os, socket, struct, sys, time\n{client}")
    argv = [sys.executable, "test.py", sys.executable, "-u", "client.py"]
    done = subprocess.run(argv, cwd=folder, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout.strip()


CONNECTED = """
links = [socket.create_connection(("127.0.0.1", int(a.split(":")[1]))) for a in sys.argv[1].split(",")]
for link in links:  # an answer to ApiVersions says that the broker has accepted the connection
    link.sendall(struct.pack(">ihhih", 10, 18, 0, 1, -1))
    link.recv(struct.unpack(">i", link.recv(4, socket.MSG_WAITALL))[0], socket.MSG_WAITALL)
"""
BEGINS = "for n in range(30): print('ok', n)\n"
CUT = "links[-1].recv(1)\n"
STAYS = "time.sleep(1000)\n"


@pytest.mark.parametrize(
    ("promise", "client", "code", "said"),
    [
        (Promise(60, 2), CONNECTED + BEGINS + STAYS, 0, "PASS"),
        (Promise(60, 2), BEGINS + STAYS, 2, "NOTHING SHOWN: the client never met the fault"),
        (Promise(1, 60), CONNECTED + BEGINS + STAYS, 1, "FAIL: nothing for 1 s after the fault"),
        (Promise(1, 60), CONNECTED + BEGINS + CUT, 1, "FAIL: nothing for 1 s after the fault"),
        (
            Promise(60, 2),
            "print('error', 'no broker')\n",
            2,
            "NOTHING SHOWN: the client does not work without the fault either (no broker)",
        ),
        (
            Promise(60, 60, is_quiet=True),
            CONNECTED + BEGINS + CUT + "print('error', 'gone')\n" + STAYS,
            1,
            "FAIL: an error reached the application: gone",
        ),
        (
            Promise(60, 60, in_order=True),
            CONNECTED + BEGINS + CUT + "print('ok', 7)\n" + STAYS,
            1,
            "FAIL: offset 7 came after 29",
        ),
    ],
)
def test_a_client_is_judged(tmp_path: Path, promise: Promise, client: str, code: int, said: str) -> None:
    found = watched(tmp_path, promise, client)
    assert found[0] == code
    assert found[1].startswith(said)


VERSIONS = """
link = socket.create_connection(("127.0.0.1", int(sys.argv[1].split(",")[0].split(":")[1])))
for version in @:
    body = struct.pack(">hhihb", 18, version, 7, -1, 0)
    link.sendall(struct.pack(">i", len(body)) + body)
    said = link.recv(struct.unpack(">i", link.recv(4, socket.MSG_WAITALL))[0], socket.MSG_WAITALL)
    number, code, rows = struct.unpack_from(">ihb" if version == 3 else ">ihi", said)
    rest = len(said) - (7 + 7 * (rows - 1) + 5 if version == 3 else 10 + 6 * rows)
    print("error", version, number, code, rest, flush=True)
"""


@pytest.mark.parametrize(("version", "code"), [(0, 0), (2, 35), (3, 0), (4, 35)])
def test_the_fake_says_what_it_serves_in_the_version_that_is_asked(tmp_path: Path, version: int, code: int) -> None:
    """Clients of platformatic ask for version 3 only; what is not served is answered in version 0."""
    only = VERSIONS.replace("@", f"({version},)")
    _, said = watched(tmp_path, Promise(60, 2), only)
    assert said.endswith(f"({version} 7 {code} 0)")


def test_the_commands_of_the_page_write_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PROBE_EVIDENCE")
    page = Path(__file__).parents[2] / "docs" / "bundle.md"
    lines = re.findall(r"^probe (bundle [^#\n]*[^# \n])", page.read_text(), re.MULTILINE)
    assert lines
    for number, line in enumerate(lines):
        words = shlex.split(line.replace("--out reproducer", ""))
        where = [] if "--list" in words else ["--out", str(tmp_path / str(number))]
        done = command(*words, *where)
        assert done.returncode == 0, f"{line}: {done.stderr}"


def test_an_unknown_cell_is_an_error_of_the_user() -> None:
    with pytest.raises(ProbeError, match="known result"):
        bundle_of("unknown", None)
