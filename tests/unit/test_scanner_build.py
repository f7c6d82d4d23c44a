"""osv-scanner is built by the set-up of the suite, once, and only for the tests that need it."""

from __future__ import annotations

from pathlib import Path

import pytest

from probe.toolchain import scanner_build
from probe.toolchain.setup_calls import SetupError
from probe.toolchain.tools import OSV_SCANNER
from tests.support import osv_scanner

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        ([], True),
        (["-x", "--durations=5"], True),
        (["tests"], True),
        (["tests/unit/test_osv_scanner.py::test_a_range_and_a_withdrawn_record_are_understood"], True),
        (["--quick"], False),
        (["tests/unit/test_cli.py"], False),
        (["tests/site"], False),
        (["-k", "osv"], True),
    ],
)
def test_it_is_wanted_by_its_own_tests(monkeypatch: pytest.MonkeyPatch, arguments: list[str], wanted: bool) -> None:
    monkeypatch.chdir(ROOT)
    tests = ROOT / "tests" / "unit" / "test_osv_scanner.py"
    assert tests.exists()
    assert scanner_build.is_wanted(arguments, tests) is wanted


def test_it_is_built_once_and_a_registry_that_does_not_answer_ends_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    calls: list[list[str]] = []

    def call(argv: list[str], fix: str, *, env: dict[str, str]) -> str:
        calls.append(argv)
        assert env["PATH"].endswith("fetched")
        raise SetupError(f"go failed: dial tcp: no such host; {fix}")

    monkeypatch.setenv("PROBE_CACHE", str(tmp_path))
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(scanner_build, "call", call)
    scanner_build.ensure(Path("python"), Path("fetched"))
    assert calls == [["python", "-m", osv_scanner.__name__]]
    said = capsys.readouterr().err
    assert f"osv-scanner {OSV_SCANNER}: building it" in said
    assert (
        "no such host; make it reachable; without osv-scanner ten tests are skipped, and the image has no SBOM" in said
    )
    scanner_build.place().mkdir(parents=True)
    scanner_build.ensure(Path("python"), Path("fetched"))
    assert len(calls) == 1
