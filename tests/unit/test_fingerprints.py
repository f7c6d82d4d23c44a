"""The file of fingerprints: made by one command, checked against its digest and schema."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
from typer.testing import CliRunner, Result

from probe.cli.app import app
from probe.cli.laboratory import LATER, PACKAGES
from probe.diagnose.fingerprints import MAX_BYTES, SHIPPED, FingerprintsError, learned, read, shipped, written
from probe.files.digests import digest_line, digest_of, digest_path
from probe.model import CONTROL, Outcome
from tests.support.first_requests import cell, fingerprints, northern, southern, trials
from tests.support.synthetic_rows import CELL, create, fill, history, verdict

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "schema" / "fingerprints.json").read_text())
STEADY = replace(CELL, scenario=CONTROL)


def publish(results: Path, out: Path) -> Result:
    return CliRunner().invoke(app, ["publish-fingerprints", "--results", str(results), "--out", str(out)])


def test_a_file_holds_what_was_learned() -> None:
    data = written(fingerprints())
    assert read(data, "here") == fingerprints()
    assert written(read(data, "here")) == data
    jsonschema.Draft202012Validator(SCHEMA).validate(json.loads(gzip.decompress(data)))


def test_trials_of_all_roles_of_a_version_count_together() -> None:
    at = cell("northern", "1.0", "3.9")
    other = replace(at, role="group")  # type: ignore[arg-type]  # a role by its value
    (seen,) = learned({at: [northern(7)], other: [northern(10)]}).clients["northern"]["1.0"].values()
    assert seen.versions[1] == (7, 10)


def test_more_trials_add_conditions_and_replace_those_that_both_have() -> None:
    known = learned({cell("northern", "1.0", "3.9"): [northern(7)], cell("southern", "0.1", "3.9"): [southern(4)]})
    more = learned(
        {cell("northern", "1.0", "3.9"): [northern(9)], cell("northern", "1.0", "3.9", "defaults"): [northern(8)]}
    )
    found = known.with_more(more).clients
    assert {at.profile: traits.versions[1] for at, traits in found["northern"]["1.0"].items()} == {
        "isolated": (9,),
        "defaults": (8,),
    }
    assert found["southern"] == known.clients["southern"]


def test_versions_are_in_their_order() -> None:
    found = learned({cell("x", version, "3.9"): [southern(4)] for version in ("1.10.0", "1.9.0", "1.2.0")})
    assert [*found.clients["x"]] == ["1.2.0", "1.9.0", "1.10.0"]


def test_the_command_writes_the_handshakes_of_steady_trials(tmp_path: Path) -> None:
    fill(tmp_path / "results", (STEADY, 0, Outcome.CLEAN), (CELL, 0, Outcome.STUCK))
    done = publish(tmp_path / "results", tmp_path / "made.json.gz")
    assert done.exit_code == 0, done.output
    found = shipped(tmp_path / "made.json.gz")
    assert [*found.clients] == ["sarama"]
    ((at, traits),) = found.clients["sarama"]["1.43.3"].items()
    assert (at.profile, at.broker, traits.versions) == ("isolated", "3.9", {0: (7,), 3: (9,), 18: (3,)})
    assert "sarama: 1 version on 3.9; isolated" in done.stdout


def test_applications_and_local_builds_have_no_fingerprint(tmp_path: Path) -> None:
    with create(tmp_path / "results") as store:
        for one in (replace(STEADY, family="telegraf", version="1.36.4"), replace(STEADY, version="1.43.3+local.ab")):
            store.add(history(one, 0), verdict(Outcome.CLEAN))
    done = publish(tmp_path / "results", tmp_path / "made.json.gz")
    assert done.exit_code != 0
    assert "no trial of `steady` has what a client sent first" in str(done.exception)
    assert not (tmp_path / "made.json.gz").exists()


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "holds no fingerprints"),
        (b"no gzip", "holds no fingerprints"),
        (gzip.compress(b"[]")[:-9], "holds no fingerprints"),
        (gzip.compress(b"\xff"), "holds no fingerprints"),
        (gzip.compress(b"[]"), "holds no fingerprints"),
        (gzip.compress(b'{"schema": 1}'), "holds no fingerprints"),
        (gzip.compress(b"[" * 100_000), "holds no fingerprints"),
        (gzip.compress(b" " * (MAX_BYTES + 9)), "holds no fingerprints"),
        (gzip.compress(b'{"schema": 1, "traits": [], "clients": [{"family": "a"}]}'), "holds no fingerprints"),
        (gzip.compress(b'{"schema": 99, "traits": [], "clients": []}'), "has schema 99, this program knows 1"),
    ],
    ids=range(10),
)
def test_a_file_that_is_none_is_named_in_one_line(tmp_path: Path, data: bytes, reason: str) -> None:
    path = tmp_path / "made.json.gz"
    path.write_bytes(data)
    digest_path(path).write_text(digest_line(digest_of(data), path.name))
    with pytest.raises(FingerprintsError, match=reason) as caught:
        shipped(path)
    assert len(str(caught.value).splitlines()) == 1
    assert str(path) in str(caught.value)


def test_a_damaged_file_is_found_by_its_digest(tmp_path: Path) -> None:
    path = tmp_path / "made.json.gz"
    data = written(fingerprints())
    path.write_bytes(data)
    with pytest.raises(FingerprintsError, match="cannot be read"):
        shipped(path)
    digest_path(path).write_text(digest_line(digest_of(data), path.name))
    assert shipped(path) == learned(trials())
    other = tmp_path / "other.json.gz"
    other.write_bytes(data[:-9])
    digest_path(other).write_text(digest_path(path).read_text())
    with pytest.raises(FingerprintsError, match="does not match the digest"):
        shipped(other)


@pytest.mark.skipif(not SHIPPED.exists(), reason="fingerprints are committed with a release")
def test_the_fingerprints_in_this_package_are_sound() -> None:
    jsonschema.Draft202012Validator(SCHEMA).validate(json.loads(gzip.decompress(SHIPPED.read_bytes())))
    assert shipped().clients


def test_naming_a_client_loads_no_package_of_the_laboratory() -> None:
    code = (
        "import sys, probe.diagnose.identification as it, probe.diagnose.fingerprints as of; it.Listed(of.shipped()); "
    )
    code += f"print([name for name in {PACKAGES + LATER!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "[]", done.stderr
