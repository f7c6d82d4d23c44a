"""A contrast is the opposite of its entry: by the outcome, or by a fact that the same outcome comes with."""

from __future__ import annotations

from pathlib import Path

import pytest

from probe.catalogue.families import CatalogueError
from probe.catalogue.known_results import read_known
from tests.support.known_results import PLAIN

SAME = PLAIN.replace('outcome = ["refreshes"]', 'outcome = ["stuck"]')


def with_facts(tmp_path: Path, entry: str, contrast: str, text: str = SAME) -> Path:
    """Write the entry with these facts of its own and of its contrast."""
    own, other = (f"facts = {{ {facts} }}\n" for facts in (entry, contrast))
    path = tmp_path / "known.toml"
    path.write_text(text.replace("[known.contrast]", f"{own}[known.contrast]") + other)
    return path


@pytest.mark.parametrize(
    ("entry", "contrast"),
    [
        ("bystander_gap_ms = { min = 1400 }", "bystander_gap_ms = { max = 1000 }"),
        ("bystander_errors = { min = 1 }", "bystander_errors = 0"),
        ('refresh_trigger = "none"', 'refresh_trigger = "error"'),
        ("fault_codes = [56]", "fault_codes = [6]"),
        ("api_versions = { Fetch = 11 }", "api_versions = { Fetch = 4 }"),
        ("bystander_errors = { min = 1 }", 'bystander_errors = "none"'),
        ("bystander_errors = { min = 1 }", "bystander_errors = { Fetch = 4 }"),
    ],
)
def test_a_contrast_may_have_the_same_outcome_with_another_fact(tmp_path: Path, entry: str, contrast: str) -> None:
    (known,) = read_known(with_facts(tmp_path, entry, contrast))
    assert known.contrast.outcome == known.outcome


@pytest.mark.parametrize(
    ("entry", "contrast"),
    [
        ("bystander_gap_ms = { min = 900 }", "bystander_gap_ms = { max = 1000 }"),
        ("bystander_errors = { min = 0 }", "bystander_errors = 0"),
        ('refresh_trigger = "none"', 'first_error = "NOT_COORDINATOR"'),
        ("api_versions = { Fetch = 11 }", "api_versions = { Produce = 4 }"),
        ("fault_codes = [56]", "fault_codes = [56]"),
    ],
)
def test_facts_that_one_trial_can_have_make_no_contrast(tmp_path: Path, entry: str, contrast: str) -> None:
    with pytest.raises(CatalogueError, match="the contrast of demo allows stuck too"):
        read_known(with_facts(tmp_path, entry, contrast))


def test_facts_of_bad_trials_make_no_contrast_of_two_races(tmp_path: Path) -> None:
    races = SAME.replace('outcome = ["stuck"]', 'bad_in_some = ["stuck"]\ntrials = 20')
    with pytest.raises(CatalogueError, match="the contrast of demo allows stuck too"):
        read_known(with_facts(tmp_path, "fault_codes = [56]", "fault_codes = [6]", races))


def test_a_bound_that_is_no_number_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CatalogueError, match="bystander_errors has a bound or a version that is no number"):
        read_known(with_facts(tmp_path, "bystander_errors = { min = 1 }", "bystander_errors = { max = { Fetch = 4 } }"))
