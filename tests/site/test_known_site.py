"""The site of evidence: pages of clients and scenarios, and the same as JSON, without a run."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from playwright.sync_api import expect
from referencing import Registry, Resource

from probe.cli.answers.client_aliases import aliases
from probe.files.shipped_evidence import PUBLISHED
from probe.model import Cell, Outcome, Role
from tests.support.command import Done, command
from tests.support.deadlines import LONGEST_S
from tests.support.forked_command import forks
from tests.support.synthetic_rows import CELL
from tests.unit.test_lookup import publish, settled

if TYPE_CHECKING:
    from tests.support.browser import Opener

pytest_plugins = ("tests.support.browser",)

SCHEMAS = Path(__file__).parents[2] / "docs" / "schema"
BAD = replace(CELL, version="1.43.2")
GOOD = replace(CELL, version="1.43.3")
COMMIT = "7.0.0-alpha2.0.20241022170531-d2e6603d82fb"
"""The commit that was measured for the releases of Beats that no registry serves."""
BEATS = replace(CELL, family="beats", version=COMMIT)
OTHER = Cell("java", "4.4.0", Role.CONSUMER, "isolated", "broker/kill", CELL.engine, "3.9")


@pytest.fixture(scope="module")
def evidence(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return evidence of three clients, in two versions of one: the older one stops."""
    path = tmp_path_factory.mktemp("evidence") / PUBLISHED
    cells = [settled(BAD, Outcome.STUCK), settled(GOOD, Outcome.REFRESHES), settled(OTHER, Outcome.STORMS)]
    cells.append(settled(BEATS, Outcome.STUCK))
    return publish(path, *cells)


def build(evidence: Path, out: Path) -> Done:
    return command("site", "--evidence", str(evidence), "--out", str(out))


@pytest.fixture(scope="module")
def built(evidence: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("known") / "site"
    done = build(evidence, out)
    assert (done.returncode, done.stdout.strip()) == (0, str(out / "index.html")), done.stderr
    return out


def document(site: Path, name: str) -> Any:
    return json.loads((site / "api" / "v1" / name).read_text())


def test_each_client_version_and_scenario_has_a_page_that_says_there_are_no_timelines(built: Path) -> None:
    pages = {str(path.relative_to(built)) for path in built.rglob("*.html")}
    assert pages == {
        "index.html",
        "client/sarama-1.43.2.html",
        "client/sarama-1.43.3.html",
        "client/java-4.4.0.html",
        f"client/beats-{COMMIT}.html",
        "cells/sarama-1.43.2.html",
        "cells/sarama-1.43.3.html",
        "cells/java-4.4.0.html",
        f"cells/beats-{COMMIT}.html",
        "scenario/disk.storage-error.html",
        "scenario/broker.kill.html",
        "supports.html",
        "rolling.html",
        "costs.html",
    }
    assert [name for name in pages if "There are no timelines here" not in (built / name).read_text()] == []


def test_every_link_leads_to_a_file_of_the_site(built: Path) -> None:
    for page in built.rglob("*.html"):
        for name in re.findall(r'(?:href|src)="([^"#]+)', page.read_text()):
            assert (page.parent / name).resolve().is_file(), (page, name)


def test_costs_of_a_failover_are_on_a_page_that_each_page_links(built: Path) -> None:
    text = (built / "costs.html").read_text()
    assert "What does one failover cost?" in text
    assert "franz-go@" in text.replace("<wbr>", "")
    assert 'href="costs.html"' in (built / "index.html").read_text()


def places(text: str, parts: Sequence[str]) -> list[int]:
    plain = re.sub(r"<wbr>", "", text)
    found = [plain.find(part) for part in parts]
    assert -1 not in found, parts[found.index(-1)]
    return found


def test_a_client_has_what_stops_first_then_what_to_do_then_its_levels(built: Path) -> None:
    text = (built / "client" / "sarama-1.43.2.html").read_text()
    parts = [
        "In short: not as producer (in 1 trial on the embedded engine); 1.43.3 mends 1 of 1 fault.",
        "Stops or loses work, worst first",
        "stops silently",
        "mended in 1.43.3",
        "What to do",
        "upgrade to 1.43.3",
        "reacts in 0 of 1",
        "../cells/sarama-1.43.2.html",
    ]
    found = places(text, parts)
    assert found == sorted(found)


def test_the_cells_of_a_client_have_a_page_with_the_commands_that_measure_them(built: Path) -> None:
    text = (built / "cells" / "sarama-1.43.2.html").read_text()
    command = "probe run --client sarama@1.43.2 --role producer --profile isolated --scenario disk/storage-error"
    found = places(text, ["../client/sarama-1.43.2.html", "stops silently", "stuck in 1 trial", command])
    assert found == sorted(found)
    assert "conditions" in text
    assert "more</summary>" not in (built / "cells" / "sarama-1.43.3.html").read_text(), "work goes on in it"


def test_the_kips_of_a_client_are_on_its_page_on_the_page_of_all_and_in_its_document(built: Path) -> None:
    page = (built / "client" / "java-4.4.0.html").read_text()
    assert "KIPs, as measured" in page
    assert "KAFKA-15627: KIP-951" in page
    assert '<a href="client/java-4.4.0.html">java 4.4.0</a>' in (built / "supports.html").read_text()
    found = document(built, "clients/java/4.4.0.json")["supports"]
    assert {one["kip"]: one["declared"]["answer"] for one in found}[951] == "yes"


def test_a_scenario_has_the_cells_of_all_clients_the_worst_first(built: Path) -> None:
    text = (built / "scenario" / "disk.storage-error.html").read_text()
    assert re.findall(r">(sarama [\d.]+)</a>", text) == ["sarama 1.43.2", "sarama 1.43.3"]
    assert "The story" in text


@pytest.mark.parametrize("cell", [BAD, GOOD, OTHER], ids=lambda cell: str(cell.client))
def test_a_document_matches_its_schema_and_says_what_lookup_says(cell: Cell, built: Path, evidence: Path) -> None:
    found = document(built, f"clients/{cell.family}/{cell.version}.json")
    schemas = {
        name: json.loads((SCHEMAS / name).read_text()) for name in ("api-client.json", "lookup.json", "supports.json")
    }
    registry = Registry().with_resources((name, Resource.from_contents(one)) for name, one in schemas.items())
    jsonschema.Draft202012Validator(schemas["api-client.json"], registry=registry).validate(found)
    asked = ("lookup", str(cell.client), "--evidence", str(evidence))
    said = json.loads(command(*asked, "--json").stdout)
    assert found["levels"] == said["levels"]
    (mine,), (theirs,) = found["cells"], said["answers"]
    assert {name: mine[name] for name in ("finding", "harm", "outcomes", "rules", "conditions", "measured")} == {
        name: theirs[name] for name in ("finding", "harm", "outcomes", "rules", "conditions", "measured")
    }
    text = " ".join(command(*asked).stdout.split())
    assert [one["text"] for one in found["findings"] if one["text"] not in text] == []
    assert [words for words in found["to_do"] if words not in text] == []


def test_latest_is_the_newest_version_and_the_list_has_every_document(built: Path) -> None:
    assert document(built, "clients/sarama/latest.json")["version"] == "1.43.3"
    listed = document(built, "clients.json")
    jsonschema.Draft202012Validator(json.loads((SCHEMAS / "api-clients.json").read_text())).validate(listed)
    assert [(one["family"], one["version"]) for one in listed["clients"]] == [
        ("beats", COMMIT),
        ("java", "4.4.0"),
        ("sarama", "1.43.2"),
        ("sarama", "1.43.3"),
    ]
    assert all((built / one["path"]).is_file() for one in listed["clients"])


def test_it_is_built_without_spark(evidence: Path, tmp_path: Path) -> None:
    with forks() as process:
        done = process.run("site", "--evidence", str(evidence), "--out", str(tmp_path / "site"))
    assert done.returncode == 0, done.stderr
    assert done.modules & {"pyspark", "pandas", "grpc"} == set()


def test_a_folder_of_somebody_else_is_kept_and_missing_evidence_is_said(evidence: Path, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    done = build(evidence, tmp_path / "mine")
    assert done.returncode == 3
    assert "was not made by the probe" in done.stderr
    absent = command("site", "--evidence", "own", "--results", str(tmp_path), "--out", str(tmp_path / "site"))
    assert absent.returncode == 3
    assert "there is no such evidence" in absent.stderr
    assert not (tmp_path / "site").exists()


def test_names_lead_to_families_and_to_the_library_inside() -> None:
    found = {one.name: one for one in aliases()}
    assert found["github.com/IBM/sarama"].family == "sarama"
    assert found["kafka-clients"].family == found["org.apache.kafka:kafka-clients"].family == "java"
    filebeat = found["filebeat"]
    assert (filebeat.family, filebeat.library) == ("beats", "sarama")
    (span,) = [one for one in filebeat.spans if one[:3] == ("8.0.0", "8.16.1", "1.29.1")]
    assert span[3] == COMMIT


def test_it_is_served_on_loopback_until_interrupted(evidence: Path, tmp_path: Path) -> None:
    argv = [sys.executable, "-m", "probe.cli.app", "site", "--serve", "--evidence", str(evidence)]
    with subprocess.Popen([*argv, "--out", str(tmp_path / "site")], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            address = next(
                found[0] for line in process.stdout if (found := re.match(r"http://127\.0\.0\.1:\d+/", line))
            )
            with urllib.request.urlopen(f"{address}api/v1/clients/sarama/latest.json", timeout=LONGEST_S) as answer:
                assert json.load(answer)["client"] == "sarama@1.43.3"
            process.send_signal(signal.SIGINT)
            assert process.wait(LONGEST_S) == 0
        finally:
            process.kill()


PASTED = {
    "github.com/IBM/sarama v1.43.2 h1:abc=": ["sarama 1.43.2"],
    "sarama@1.43.2": ["sarama 1.43.2"],
    "pkg:golang/github.com/IBM/sarama@v1.43.3": ["sarama 1.43.3"],
    "org.apache.kafka:kafka-clients@4.4.0": ["java 4.4.0"],
    "kafka-clients-4.4.0.jar": ["java 4.4.0"],
    "github.com/Shopify/sarama v1.30.0": ["sarama 1.43.2"],
    "filebeat:9.0.0": ["sarama 1.43.3"],
    "docker.elastic.co/beats/filebeat:8.16.1": [f"beats {COMMIT}"],
    "aiokafka==0.12.0": [],
}
"""Texts that people paste, and the clients that are shown: the client, or the nearest ones."""


@pytest.mark.browser
@pytest.mark.parametrize("width", [1280, 390])
def test_older_versions_are_folded_until_they_are_searched(width: int, built: Path, opener: Opener) -> None:
    page = opener((built / "rolling.html").as_uri(), viewport={"width": width, "height": 844})
    newest, older = (page.get_by_role("link", name=f"sarama {version}", exact=True) for version in ("1.43.3", "1.43.2"))
    expect(newest).to_be_visible()
    expect(older).to_be_hidden()
    page.fill("#lists input", "sarama 1.43.2")
    expect(older).to_be_visible()


@pytest.mark.browser
@pytest.mark.parametrize("width", [1280, 390])
def test_what_people_paste_finds_the_client(width: int, built: Path, opener: Opener) -> None:
    page = opener((built / "index.html").as_uri(), viewport={"width": width, "height": 844})
    for text, wanted in PASTED.items():
        page.fill("#q", text)
        shown = page.locator("#clients tbody tr:not([hidden]) th a")
        expect(shown).to_have_text(wanted)
    page.fill("#q", "sarama@1.43.9")
    expect(page.locator("#count")).to_have_text("sarama 1.43.9 was not measured; nearest: 1.43.3")
    page.fill("#q", "sarama 1.43")
    expect(page.locator("#count")).to_have_text("1.43 names no release of sarama; 2 of that line are known")
    page.fill("#q", "sarma 1.43.2")
    expect(page.locator("#count")).to_have_text("no client is named so: did you mean sarama?")
    page.fill("#q", "sarama@1.43.2")
    page.press("#q", "Enter")
    page.wait_for_url("**/client/sarama-1.43.2.html")
    expect(page.get_by_role("heading", name="What to do")).to_be_in_viewport()
    page.get_by_role("link", name=re.compile(r"^All \d+ cell")).click()
    page.locator("details summary", has_text="more").first.click()
    expect(page.locator("details code").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def test_the_site_and_the_look_up_have_the_same_answer(built: Path, evidence: Path, tmp_path: Path) -> None:
    """Filebeat 8.16.1, by the commit measured for it: the sarama inside 9.0.0 goes on where it stops."""
    text = re.sub("<wbr>", "", (built / "client" / f"beats-{COMMIT}.html").read_text())
    where = ("--evidence", str(evidence), "--results", str(tmp_path))
    said = [command("lookup", name, *where).stdout for name in (f"beats@{COMMIT}", "filebeat@8.16.1")]
    short = next(line for line in said[0].splitlines() if line.startswith("in short: "))
    assert "suspected to: filebeat 9.0.0, since sarama 1.43.3 inside it goes on there by itself" in short
    assert short.removeprefix("in short: ") in text
    assert short in said[1].splitlines()


@pytest.mark.browser
@pytest.mark.parametrize("width", [390, 1280])
def test_the_page_of_costs_is_no_wider_than_its_window(width: int, built: Path, opener: Opener) -> None:
    page = opener((built / "costs.html").as_uri(), viewport={"width": width, "height": 844})
    expect(page.get_by_role("link", name="Costs")).to_have_attribute("aria-current", "page")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
