"""Profiles: one text form that parses to the same value and stays compatible with stored profiles."""

from __future__ import annotations

import random
import re
import shlex
from dataclasses import fields, replace
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from typer.testing import CliRunner

from probe.catalogue.selectors import PROFILES, select_profiles
from probe.cells.aggregate import settle
from probe.cells.agreement import question
from probe.cells.audit import in_plain_profile
from probe.cells.cli_hints import run_command, show_command
from probe.cli.app import app
from probe.cli.wiring.single_cells import plan_cell
from probe.model import Cell, Election, Engine, Outcome, Profile
from probe.model.profile import OWN_KEYS, OwnKey, without_election
from probe.site.data.cell_index import _anywhere
from probe.site.data.wording import command
from probe.store import trials
from tests.support.synthetic_rows import CELL, fill

ELECTIONS = st.builds(Election, st.integers(0, 60_000), st.integers(0, 60_000)) | st.none()
ODD = st.text(st.sampled_from("+=a,5% ")) | st.text()
KEYS = (ODD | st.sampled_from(["election", "+election", "elections", "linger.ms"])).filter(
    lambda key: key and "=" not in key
)
NAMES = st.sampled_from(sorted(PROFILES)) | ODD
ANY = st.builds(Profile, NAMES, st.lists(st.tuples(KEYS, ODD)).map(tuple), ELECTIONS)
PLAIN = st.text(st.characters(blacklist_characters="+"))
OLD_KEYS = PLAIN.filter(lambda key: key and "=" not in key and key not in OWN_KEYS)

PLUS = replace(CELL, profile="isolated+client.id=a++b+election=1000")
OWN = replace(CELL, profile="isolated+=election=fast")
CASES = {PLUS: ("--property", "client.id=a+b", "--election", "1000"), OWN: ("--property", "election=fast")}


@given(ANY)
@example(Profile("isolated", (("a", "+"), ("+", "+")), Election(1)))
@example(Profile("isolated", (("election", "500"),), Election(1, 2)))
@example(Profile("isolated", (("a", "1+b=2"), ("b", "%2B"))))
def test_a_printed_profile_parses_to_the_same_value(profile: Profile) -> None:
    assert Profile.parse(str(profile)) == profile


@given(ANY)
def test_an_election_is_removed_from_the_text(profile: Profile) -> None:
    assert without_election(str(profile)) == str(replace(profile, election=None))


@given(ANY)
def test_an_own_key_that_is_set_is_found_by_its_pattern(profile: Profile) -> None:
    found = {key: re.search(row.pattern, str(profile)) is not None for key, row in OWN_KEYS.items()}
    assert found == {key: getattr(profile, key) is not None for key in OWN_KEYS}


def test_every_field_beside_name_and_properties_is_an_own_key() -> None:
    assert {field.name for field in fields(Profile)} == {"name", "properties", *OWN_KEYS}


def test_the_pattern_of_an_election_is_that_of_0_1_0() -> None:
    assert OWN_KEYS["election"].pattern == r"(?<!\+)((?:\+\+)*)\+election=[0-9,]+(?!\+\+)(?![^+])"


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("isolated+a=1+security=SASL_SSL/SCRAM-SHA-512+z=2", "isolated+a=1+z=2"),
        ("isolated+a=1+++security=SSL", "isolated+a=1++"),
        ("isolated+a=1++security=SSL", "isolated+a=1++security=SSL"),
        ("isolated+=security=SSL", "isolated+=security=SSL"),
        ("isolated+security=ssl", "isolated+security=ssl"),
    ],
)
def test_a_further_own_key_is_one_row(text: str, plain: str) -> None:
    assert OwnKey("security", "[A-Z0-9_/-]+", str).without(text) == plain


@given(st.sampled_from(sorted(PROFILES)), st.dictionaries(OLD_KEYS, PLAIN), ELECTIONS)
@example("isolated", {"client.id": "50%2B", "a": "b=c"}, Election(1000, 400))
def test_the_text_form_is_compatible_with_stored_profiles(
    name: str, properties: dict[str, str], election: Election | None
) -> None:
    parts = {**properties, **({"election": str(election)} if election else {})}
    written = "+".join([name, *(f"{key}={parts[key]}" for key in sorted(parts))])
    profile = Profile(name, tuple(properties.items()), election)
    assert str(profile) == written
    assert Profile.parse(written) == profile


@given(ODD)
def test_any_text_parses_to_a_profile(text: str) -> None:
    found = Profile.parse(text)
    assert Profile.parse(str(found)) == found


@pytest.mark.parametrize(
    ("text", "properties", "election"),
    [
        ("isolated+a=b+c+d=e", (("a", "b+c"), ("d", "e")), None),
        ("isolated+election=fast", (("election", "fast"),), None),
        ("isolated+election=1000,40+b=2+a=1", (("a", "1"), ("b", "2")), Election(1000, 40)),
    ],
)
def test_unusual_profiles_of_earlier_versions_are_parsed(
    text: str, properties: tuple[tuple[str, str], ...], election: Election | None
) -> None:
    assert Profile.parse(text) == Profile("isolated", properties, election)


def test_properties_are_sorted_and_unique() -> None:
    shuffled = random.Random(1).sample([("a", "1"), ("b", "2"), ("c", "3")], 3)
    assert Profile("isolated", tuple(shuffled)).settings == ("a=1", "b=2", "c=3")
    with pytest.raises(ValueError, match="a=b"):
        Profile("isolated", (("a=b", "c"),))


def test_no_retries_may_surface_if_any_outcome_conforms() -> None:
    none = Profile.parse("no-retries+linger.ms=5")
    assert none.conforming((Outcome.RIDES,)) == (Outcome.RIDES, Outcome.SURFACES)
    assert none.conforming(()) == ()
    assert Profile("isolated").conforming((Outcome.RIDES,)) == (Outcome.RIDES,)


@pytest.mark.parametrize("cell", CASES)
def test_suggested_commands_have_the_settings_as_options(cell: Cell) -> None:
    words = shlex.split(run_command([cell], "r"))
    at = words.index("--property")
    assert tuple(words[at : at + len(CASES[cell])]) == CASES[cell]
    assert " ".join(CASES[cell]) in " ".join(shlex.split(command(cell)))


@pytest.mark.parametrize("cell", CASES)
def test_the_options_select_the_same_cell(cell: Cell) -> None:
    plan, _ = plan_cell(cell)
    item = next(item for item in plan.cells if item.cell == cell)
    assert item.profile == Profile.parse(cell.profile)
    (typed,) = select_profiles(["isolated"], item.profile.settings, item.profile.election)
    assert str(typed) == cell.profile


@pytest.mark.parametrize("cell", CASES)
def test_the_suggested_command_shows_the_cell(cell: Cell, tmp_path: Path) -> None:
    fill(tmp_path, (cell, 1, Outcome.STUCK), (CELL, 1, Outcome.CLEAN))
    (settled,) = [item for item in settle(trials(str(tmp_path))).values() if item.cell == cell]
    words = shlex.split(show_command(settled, str(tmp_path)))
    done = CliRunner().invoke(app, words[1:])
    assert done.exit_code == 0, done.output
    assert str(cell) in done.output.replace("\n", " ")
    assert "stuck" in done.output


def test_related_cells_are_found_without_the_election() -> None:
    assert question(PLUS) == replace(PLUS, engine=Engine.KAFKA, profile="isolated+client.id=a++b")
    assert _anywhere(PLUS).profile == "isolated+client.id=a++b"
    assert in_plain_profile(PLUS) == in_plain_profile(OWN) == CELL
    assert question(OWN).profile == OWN.profile
