"""Harm and levels on the pages of a run."""

from __future__ import annotations

import json
from pathlib import Path

from probe.catalogue.families import read_family
from probe.catalogue.files import clients_folder
from probe.site import build
from tests.site.test_site_pages import text_of
from tests.support import site_data


def test_pages_name_the_harm_first_and_the_outcome_second(tmp_path: Path) -> None:
    rows = [
        one | ({"restart_helps": "yes", "mended_by": "refresh-1s"} if one["harm"] == "stops" else {})
        for one in site_data.matrix()
    ]
    site = build(site_data.write_matrix(tmp_path / "matrix.csv", rows), site_data.BARE, tmp_path).parent
    bad = next(one for one in rows if one["harm"] == "stops" and one["version"] == "1.43.2")
    (slug,) = site_data.slugs([bad])
    text = text_of(site / "cell" / f"{slug}.html")
    costs = (
        "What it costs a service: stops. A restart under the fault helps. In profile refresh-1s this version passes."
    )
    assert costs in text
    assert 'aria-label="stops; stuck' in (site / "index.html").read_text()


def test_a_client_has_its_levels_and_a_badge_for_each_role(tmp_path: Path) -> None:
    listed = [read_family(clients_folder() / "sarama" / "client.toml")]
    matrix = site_data.write_matrix(tmp_path / "matrix.csv", site_data.matrix())
    site = build(matrix, site_data.BARE, tmp_path, listed=listed).parent
    assert "producer reacts in 4 of 5, 10 not measured" in text_of(site / "client" / "sarama-1.43.2.html")
    badge = json.loads((site / "badge" / "sarama-1.43.2-producer.json").read_text())
    assert (badge["schemaVersion"], badge["label"]) == (1, "Failover Baseline 2026: producer")
    assert badge["message"] == "reacts in 4 of 5, 10 not measured"
