"""The page of an operation in the site of evidence: the answer of a client version for a rolling restart."""

from __future__ import annotations

from dataclasses import replace

import pytest

from probe.catalogue.purposes import PURPOSES
from probe.catalogue.selectors import Chosen, select_clients
from probe.cells.audit import examine
from probe.cells.readiness import May
from probe.cli.answers.lookup import Known
from probe.cli.answers.operations import operation
from probe.cli.wiring.catalogue import by_number, families
from probe.model import CONTROL, Client, Outcome, Role
from probe.site.known.operations import operation_page
from probe.site.known.values import KnownClient, Operation
from tests.support.synthetic_rows import CELL, settled_cell

PURPOSE = PURPOSES["rolling"]
KILL = replace(CELL, scenario="broker/kill")
WAYS_OUT = Known.of([], [], [])


def asked(name: str) -> Chosen:
    (found,) = select_clients(families(), [name], by_number)
    return found


def answer(*cells: tuple[Outcome, str, Role, str], name: str = "sarama@1.43.3") -> Operation:
    one = asked(name)
    client = one.client
    stored = [
        settled_cell(
            replace(KILL, family=client.family, version=client.version, scenario=at, role=role, profile=how), did
        )
        for did, at, role, how in cells
    ]
    faults = examine([item.cell for item in stored], {item.cell: item for item in stored})
    return operation(PURPOSE, one, faults, WAYS_OUT, "3.9")


def everywhere(
    did: Outcome, *, but: dict[tuple[str, Role], Outcome] | None = None
) -> list[tuple[Outcome, str, Role, str]]:
    roles = (Role.PRODUCER, Role.CONSUMER, Role.GROUP)
    at = [(scenario, role) for scenario in PURPOSE.scenarios for role in roles] + [("broker/kill", Role.TRANSACTIONAL)]
    return [((but or {}).get(one, did), *one, "isolated") for one in at]


def test_all_that_was_measured_and_goes_on_is_a_yes() -> None:
    found = answer(*everywhere(Outcome.REFRESHES))
    assert (found.may, found.happens) == (May.YES, "no harm")
    assert found.texts[-1] == "measured: 10 cells, 10 of profile isolated (whether it reacts)"


def test_what_stops_is_a_no_with_its_cause() -> None:
    found = answer(*everywhere(Outcome.REFRESHES, but={("broker/rolling", Role.GROUP): Outcome.STUCK}))
    assert found.may is May.NO
    assert found.texts[0] == "stops silently: broker/rolling (group): it stuck"
    assert "no alarm: it stops or loses work, and no error says so, in broker/rolling (group)" in found.texts


def test_a_role_that_was_not_measured_is_not_known_and_one_that_it_does_not_play_is_not_asked() -> None:
    kill = [one for one in everywhere(Outcome.REFRESHES) if one[2] is not Role.CONSUMER]
    assert answer(*kill).may is May.UNKNOWN
    assert answer(*kill, name="kafkajs@2.2.4").may is May.YES


@pytest.mark.parametrize(("profile", "may"), [("isolated", May.NO), ("consumer-protocol", May.YES)])
def test_the_control_cell_of_an_unusual_profile_does_not_count(profile: str, may: May) -> None:
    control = (Outcome.STUCK, CONTROL, Role.GROUP, profile)
    assert answer(*everywhere(Outcome.REFRESHES), control).may is may


def test_the_page_has_the_newest_of_each_client_first_and_the_one_to_look_after_on_top() -> None:
    bad = answer(*everywhere(Outcome.STUCK), name="franz-go@1.22.3")
    listed = [
        KnownClient(client=Client(*name.split("@")), broker="3.9", operations=(one,))
        for name, one in (
            ("sarama@1.43.2", answer(*everywhere(Outcome.STUCK), name="sarama@1.43.2")),
            ("sarama@1.43.3", answer(*everywhere(Outcome.REFRESHES))),
            ("franz-go@1.22.3", bad),
            ("java@4.4.0", answer(name="java@4.4.0")),
        )
    ]
    text = operation_page(PURPOSE, listed, "a test")
    names = ["franz-go 1.22.3", "java 4.4.0", "sarama 1.43.3", "Older versions", "sarama 1.43.2"]
    places = [text.index(name) for name in names]
    assert places == sorted(places)
    assert "May I roll my brokers?" in text
