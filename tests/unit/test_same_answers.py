"""One question, two commands: `probe lookup` and `probe audit` of a package say the same."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import pytest
from typer.testing import CliRunner

from probe.cli.app import app
from probe.evidence.checkout_build import built
from probe.files.shipped_evidence import TEXT
from probe.model import Role

PACKAGES = {
    "sarama@1.43.2": "listed",
    "sarama@1.43.1": "listed, measured in part",
    "franz-go@1.11.1": "released, not measured, between two that agree",
    "kafka-go@0.4.37": "released, not measured, taken back",
    "confluent-go@2.5.0": "a wrapper, not measured, its library is",
    "telegraf@1.30.0": "an application, not measured, its library in part",
    "filebeat@8.16.1": "an application that was measured",
    "confluent-kafka-python@2.6.1": "a wrapper whose library was measured",
    "spring-boot@3.1.5": "an application whose library was measured",
    "java@9.9.9": "newer than all",
    "sarama@1.17.0": "older than all",
    "java@0.8.2": "older than what the engine serves",
    "java@3.6.3": "no such release",
    "krafka@0.27.1": "between two of other lines",
}
"""Packages, and what each is an example of."""
SAID = ("finding", "stand_in", "outcome", "measured_on", "measured_profile", "rules")
OF_OTHERS = ("telegraf@1.30.0", "sarama@1.43.1", "franz-go@1.11.1", "krafka@0.27.1", "java@9.9.9")
"""Packages of which others say something."""
WRAPPERS = ("confluent-kafka-python@2.6.1", "spring-boot@3.1.5")
"""Packages whose library inside proves what they do."""
ROLES = "|".join(Role)
ROLE = re.compile(rf"  (?:{ROLES}) ")
Cells = dict[tuple[str, ...], Mapping[str, Any]]


def printed(*arguments: str) -> str:
    """Run a command on the evidence that ships, and return what it prints."""
    where = ("--results", "no-results", "--evidence", str(built(TEXT)), "--max-age", "36500")
    done = CliRunner().invoke(app, [*arguments, *where])
    return done.stdout


def cells(items: list[Mapping[str, Any]]) -> Cells:
    names = ("role", "scenario", "workload", "profile")
    return {tuple(one[name] for name in names): {name: one[name] for name in SAID} for one in items}


@pytest.fixture(scope="module")
def audit_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str]:
    """Return what prints an audit of all packages, each a service of its own."""
    file = tmp_path_factory.mktemp("fleet") / "clients.csv"
    rows = (f"{one},{one.replace('@', ',')}\n" for one in PACKAGES)
    file.write_text(f"service,client,version\n{''.join(rows)}")
    return cache(lambda *options: printed("audit", str(file), *options))


@pytest.mark.parametrize(
    ("package", "line"),
    [*((one, "3.9") for one in PACKAGES), ("sarama@1.43.2", "4.2"), ("java@0.8.2", "4.2"), ("sarama@1.43.1", "4.2")],
)
def test_both_say_the_same_of_each_cell(package: str, line: str, audit_of: Callable[..., str]) -> None:
    looked_up = printed("lookup", package, "--json", "--broker", line)
    of_lookup = cells(json.loads(looked_up)["answers"]) if looked_up else {}
    services = json.loads(audit_of("--json", "--broker", line))["services"]
    (faults,) = (one["faults"] for one in services if one["service"] == package)
    told = {key: one for key, one in cells(faults).items() if one["finding"] != "unknown" or one["outcome"]}
    assert {key: of_lookup.get(key) for key in told} == told
    assert bool(of_lookup) == bool(told), "one of both knows nothing"


def test_both_say_in_short_where_to_go_on(audit_of: Callable[..., str]) -> None:
    begins = "in short: "
    audit = dict(line.split(f": {begins}") for line in audit_of().splitlines() if begins in line)
    for package in (*OF_OTHERS, *WRAPPERS):
        (of_lookup,) = (line for line in printed("lookup", package).splitlines() if line.startswith(begins))
        assert of_lookup == f"{begins}{audit[package]}"


@pytest.mark.parametrize("package", ["sarama@1.43.2", "sarama@1.43.1", "filebeat@8.16.1", *WRAPPERS])
def test_both_say_the_same_of_each_role(package: str, audit_of: Callable[..., str]) -> None:
    of_lookup = [line.split(maxsplit=1) for line in printed("lookup", package).splitlines() if ROLE.match(line)]
    service = re.escape(package)
    (said,) = (line for line in audit_of().splitlines() if re.match(rf"{service}: (?:{ROLES}) ", line))
    assert said == f"{package}: {', '.join(' '.join(one) for one in of_lookup)}"


@pytest.mark.parametrize("package", OF_OTHERS)
def test_a_guess_names_what_it_rests_on(package: str) -> None:
    found = cells(json.loads(printed("lookup", package, "--json"))["answers"]).values()
    guesses = [one["stand_in"] for one in found if "likely" in one["finding"] or one["stand_in"]]
    assert guesses
    assert all("not measured; " in one or "inside" in one for one in guesses)


def test_a_release_between_two_that_agree_is_likely_as_they_are() -> None:
    found = cells(json.loads(printed("lookup", "franz-go@1.11.1", "--json"))["answers"])
    one = found["consumer", "api/unsupported", "continuous", "isolated"]
    assert one["finding"].startswith("likely")
    assert "between 1.10.4 (" in one["stand_in"]
    assert " and 1.11.5 (" in one["stand_in"]
