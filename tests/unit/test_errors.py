"""The table of errors per API is complete, agrees with Kafka's exceptions, and is small enough for a run."""

from __future__ import annotations

import pytest

from probe.catalogue.scenarios import default_scenarios, select_scenarios
from probe.model import Engine, Outcome, Reaction, Reality, Role, Target
from probe.protocol.names import ERROR_NAMES, api_key, error_name
from probe.scenarios.error_answers import ANSWERS, APIS, BY_CODE, Answer, ErrorClass, find_api
from probe.scenarios.generated_families import TEMPLATES, defaults, scenario
from probe.scenarios.steps.coordinators import Rejoin
from probe.scenarios.steps.partitions import AnswerError

RETRIABLE = frozenset(
    {2, 3, 5, 6, 7, 9, 13, 14, 15, 16, 19, 20, 41, 51, 56, 70, 71, 72, 74, 75, 78, 80, 83, 84, 88, 89, 100, 103, 106}
)
"""Codes whose exception extends RetriableException in kafka-clients 3.9.2."""
INVALID_METADATA = frozenset({3, 5, 6, 9, 13, 56, 72, 74, 80, 83, 84, 100, 103})
"""Codes whose exception extends InvalidMetadataException or RefreshRetriableException there."""
PREFIXES = {item.prefix for item in TEMPLATES}


def by_hierarchy(item: Answer) -> ErrorClass:
    api = find_api(item.api)
    assert api is not None
    lost_coordinator = item.code in {15, 16} and api.target is Target.COORDINATOR
    if item.code in INVALID_METADATA or lost_coordinator:
        return ErrorClass.MOVED
    return ErrorClass.RETRIABLE if item.code in RETRIABLE else ErrorClass.FINAL


@pytest.mark.parametrize("item", ANSWERS, ids=lambda item: f"{item.api}-{item.code}")
def test_every_entry_is_valid(item: Answer) -> None:
    api = find_api(item.api)
    assert api is not None, item
    assert item.code in ERROR_NAMES
    assert item.source.removeprefix("reviewed: ")
    assert set(item.default) <= PREFIXES
    assert set(item.roles) <= set(api.roles)
    if not item.source.startswith("reviewed:"):
        assert item.kind is by_hierarchy(item)


def test_a_reviewed_class_differs_from_the_hierarchy() -> None:
    idle = [item for item in ANSWERS if item.source.startswith("reviewed:") and item.kind is by_hierarchy(item)]
    assert idle == []


def test_every_error_is_listed_once() -> None:
    assert len(BY_CODE) == len(ANSWERS)


def test_api_names_are_those_of_kafka() -> None:
    special = {"list-offsets": "ListOffsets", "offset-for-leader-epoch": "OffsetForLeaderEpoch"}
    for api in APIS:
        name = special.get(api.name, api.name.replace("-", " ").title().replace(" ", ""))
        assert api.key == api_key(name), api


def test_the_required_reaction_follows_the_error_class() -> None:
    for item in defaults():
        prefix, api, error = item.name.split("/")
        answer = next(answer for answer in ANSWERS if answer.api == api and error_name(answer.code) == error)
        for part in item.variants:
            assert part.expectation.reality is Reality.EFFECTIVE
            expected = {
                ErrorClass.MOVED: Reaction.DISCOVER,
                ErrorClass.RETRIABLE: Reaction.RETRY,
                ErrorClass.FINAL: Reaction.SURFACE,
            }[answer.kind]
            assert part.expectation.expects is expected, item.name
            assert part.expectation.conforms
            assert (prefix == "answer") == (answer.kind is ErrorClass.MOVED)


def test_hold_is_reverted_during_the_observation_and_blip_ends() -> None:
    for item in defaults():
        for part in item.variants:
            counted = any(isinstance(step, AnswerError) and step.times for step in part.steps)
            healed = part.heal_after_ms is not None and part.heal_after_ms < part.expectation.watch_ms
            assert item.name.startswith("answer/") or counted != healed, item.name


def test_steps_provoke_every_api_in_the_default_roles() -> None:
    joined = {"join-group", "sync-group"}
    for item in defaults():
        api = item.name.split("/")[1]
        for part in item.variants:
            assert api not in joined or isinstance(part.steps[0], Rejoin)
            assert part.at_start == (api == "init-producer-id")


@pytest.mark.parametrize("name", ["hold/heartbeat/UNKNOWN_SERVER_ERROR", "answer/end-txn/TOPIC_AUTHORIZATION_FAILED"])
def test_other_errors_run_and_are_informative(name: str) -> None:
    (found,) = select_scenarios([name])
    assert all(part.expectation.reality is Reality.RAW and not part.expectation.conforms for part in found.variants)


def test_applied_exists_for_produce_only() -> None:
    assert scenario("applied/fetch/UNKNOWN_SERVER_ERROR") is None
    found = scenario("applied/produce/NOT_ENOUGH_REPLICAS_AFTER_APPEND")
    assert found is not None
    assert found.variants[0].acks_all


def test_a_fenced_producer_may_be_fatal() -> None:
    found = scenario("blip/end-txn/PRODUCER_FENCED")
    assert found is not None
    assert found.variants[0].expectation.conforms == (Outcome.SURFACES, Outcome.FATAL)


def test_the_default_catalogue_is_small_enough_for_a_run() -> None:
    unasked = {name: item for name, item in default_scenarios().items() if not item.asked}
    played = {name: item for name, item in unasked.items() if Engine.EMBEDDED in item.engines}
    pairs = [(name, role) for name, item in played.items() for role in item.roles]
    assert 200 <= len(pairs) <= 310, "every pair makes a run longer: raise this on purpose"
    assert {role for _, role in pairs} == set(Role)
