"""Names of APIs and errors, compared with the tables of kio, which are generated from Kafka's sources."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from kio.schema.errors import ErrorCode
from kio.schema.index import api_key_map

from probe.protocol.names import (
    API_NAMES,
    ERROR_NAMES,
    UnknownNameError,
    api_key,
    api_name,
    api_slug,
    error_code,
    error_name,
)


def test_errors_are_those_of_kafka() -> None:
    assert {code.value: code.name.upper() for code in ErrorCode}.items() <= ERROR_NAMES.items()
    assert sorted(ERROR_NAMES) == list(range(-1, len(ERROR_NAMES) - 1))


def test_apis_are_those_of_kafka() -> None:
    ours = {key: name.lower() for key, name in API_NAMES.items()}
    assert {key: name.replace("_", "") for key, name in api_key_map.items()}.items() <= ours.items()
    assert api_name(4) == "LeaderAndIsr"  # removed in 4.0, so kio does not have it
    assert sorted(API_NAMES) == list(range(len(API_NAMES)))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("NOT_LEADER_FOR_PARTITION", "NOT_LEADER_OR_FOLLOWER"),
        ("GROUP_COORDINATOR_NOT_AVAILABLE", "COORDINATOR_NOT_AVAILABLE"),
        ("GROUP_LOAD_IN_PROGRESS", "COORDINATOR_LOAD_IN_PROGRESS"),
        ("not-coordinator-for-group", "NOT_COORDINATOR"),
        ("kafka_storage_error", "KAFKA_STORAGE_ERROR"),
    ],
)
def test_old_error_names_are_accepted(old: str, new: str) -> None:
    assert error_name(error_code(old)) == new


def test_every_name_maps_to_its_number() -> None:
    assert all(error_code(name) == code for code, name in ERROR_NAMES.items())
    assert all(api_key(name) == key == api_key(api_slug(key)) for key, name in API_NAMES.items())
    assert (api_slug(2), api_slug(22), api_slug(0)) == ("list-offsets", "init-producer-id", "produce")


def test_unknown_numbers_are_part_of_the_name() -> None:
    assert (error_name(999), api_name(999)) == ("ERROR_999", "api 999")


@pytest.mark.parametrize(
    ("look_up", "name", "near"),
    [(error_code, "KAFKA_STORAGE_EROR", "KAFKA_STORAGE_ERROR"), (api_key, "list-offset-s1", "list-offsets")],
)
def test_an_unknown_name_is_reported_with_near_matches(look_up: Callable[[str], int], name: str, near: str) -> None:
    with pytest.raises(UnknownNameError, match=near) as refused:
        look_up(name)
    assert name in str(refused.value)
    assert "\n" not in str(refused.value)


def test_an_unknown_name_without_near_matches_is_reported() -> None:
    with pytest.raises(ValueError, match="unknown Kafka error '%%%'"):
        error_code("%%%")
