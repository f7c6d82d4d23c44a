"""The identity of a client, by what it sends: never more than that supports, and never by what it says of itself."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probe.diagnose.fingerprints import Fingerprints, learned, whole
from probe.diagnose.identification import Listed
from probe.diagnose.libraries import Span, Sure, Whose
from probe.diagnose.traits import Observed
from probe.model.handshake import FirstFetch, Handshake, Purpose
from probe.protocol.apis import API_VERSIONS, FETCH, INIT_PRODUCER_ID, METADATA, PRODUCE
from tests.support.first_requests import (
    NORTHERN,
    cell,
    fingerprints,
    northern,
    seen,
    southern,
    trials,
)


def asked(what: Observed, known: Fingerprints | None = None) -> Whose:
    return Listed(known or fingerprints()).whose(what)


def ends(found: Whose) -> tuple[str, str]:
    return found.span.after, found.span.before


def test_a_library_is_named_with_the_versions_that_send_the_same() -> None:
    found = asked(seen([northern(10)], line="3.9"))
    assert (found.library, found.sure, found.reason) == ("northern", Sure.SURE, "")
    assert (found.span.fitting, ends(found)) == (("1.3",), ("1.2", "1.4"))
    assert found.text == "northern, a version after 1.2 and before 1.4"


def test_versions_that_send_the_same_are_one_range() -> None:
    found = asked(seen([northern(7)], line="3.9"))
    assert (found.span.fitting, ends(found)) == (("1.0", "1.1", "1.2"), ("", "1.3"))
    assert [version for version in NORTHERN if found.span.holds(version)] == ["1.0", "1.1", "1.2"]
    assert found.span.holds("0.9")


def test_what_brokers_offer_limits_what_a_version_shows() -> None:
    """Fetch 11 on brokers that offer no more may come from every version that has at least that."""
    on_old, on_new = (asked(seen([northern(11)], line=line)) for line in ("2.6", "3.9"))
    assert (on_old.span.fitting, ends(on_old)) == (("1.4", "1.5", "1.6"), ("1.3", ""))
    assert (on_new.span.fitting, ends(on_new)) == ((), ("1.3", "1.4"))


def test_without_the_brokers_offer_the_range_holds_what_fits_on_any_line() -> None:
    found = asked(seen([northern(11)]))
    assert found.library == "northern"
    assert all(found.span.holds(version) for version in ("1.4", "1.5", "1.6"))


def test_offers_that_other_clients_were_seen_to_get_count() -> None:
    known = replace(seen([northern(11)]), offers={FETCH: 11, METADATA: 9})
    assert asked(known).span == asked(seen([northern(11)], line="2.6")).span


@pytest.mark.parametrize("version", [*NORTHERN][1:-1])
def test_a_version_that_is_not_listed_lies_between_its_neighbours(version: str) -> None:
    found = asked(seen([northern(NORTHERN[version])], line="3.9"), fingerprints().without([("northern", version)]))
    assert found.library == "northern"
    assert found.span.holds(version)


def test_a_version_beyond_all_listed_ones_is_no_listed_one() -> None:
    found = asked(seen([northern(13)], line="3.9"), fingerprints().without(("northern", f"1.{n}") for n in (4, 5, 6)))
    assert (found.library, ends(found), found.span.fitting) == ("northern", ("1.3", ""), ())


def test_settings_of_an_application_do_not_change_the_range() -> None:
    fetch = FirstFetch(max_wait_ms=77, min_bytes=9, max_bytes=5, session_epoch=0, session_id=0)
    found = asked(seen([replace(northern(10), fetch=fetch)], line="3.9"))
    assert (found.library, found.span.fitting) == ("northern", ("1.3",))
    assert (found.sure, found.reason) == (Sure.LIKELY, "it fits best of the listed libraries, but not in everything")


def test_without_the_beginning_of_a_connection_no_library_is_sure() -> None:
    found = asked(seen([replace(northern(10), requests=())], line="3.9", began=False))
    assert (found.library, found.sure) == ("northern", Sure.LIKELY)
    assert found.reason == "the beginning of no connection was seen"


def test_a_setting_that_decides_versions_is_learned_as_a_profile() -> None:
    more = {cell("southern", "0.3", "3.9", f"isolated+version={top}"): (southern(top),) for top in (6, 9)}
    known = learned({**trials(), **more})
    found, between = (asked(seen([southern(fetch)], line="2.6"), known) for fetch in (9, 8))
    assert (found.library, found.span.fitting, found.profiles) == ("southern", ("0.3",), ("isolated+version=9",))
    assert between.profiles == ("isolated+version=6", "isolated+version=9")


def test_no_version_is_named_of_a_client_whose_setting_was_not_learned() -> None:
    """What it sends lies below all learned settings; of a library without settings the range stays."""
    below = seen([southern(1)], line="2.6")
    more = {cell("southern", "0.3", "3.9", f"isolated+version={top}"): (southern(top),) for top in (6, 9)}
    with_settings, without = (asked(below, known) for known in (learned({**trials(), **more}), fingerprints()))
    assert (with_settings.span, with_settings.text) == (Span(), "southern, any version")
    assert "none of the settings that were learned" in with_settings.reason
    assert (without.library, without.span == Span()) == ("southern", False)


def test_little_that_several_libraries_send_names_none() -> None:
    """A Produce without anything else, which neither library's trials have."""
    bare = Handshake(conn=1, broker=1, purposes=(Purpose.PRODUCE,), requests=(), versions=((PRODUCE, 3),))
    found = asked(seen([bare], began=False))
    assert (found.library, found.sure, found.version) == ("", Sure.UNKNOWN, "")
    assert set(found.candidates) == {"northern", "southern"}


def test_what_no_library_sends_names_none() -> None:
    strange = replace(northern(10), versions=((FETCH, 90), (METADATA, 80)), requests=((METADATA, 80), (FETCH, 90)))
    found = asked(seen([strange], line="3.9"))
    assert (found.library, found.reason) == ("", "what it sends is that of no listed library")


def test_nothing_seen_names_none() -> None:
    assert asked(Observed(handshakes=())).reason == "no request was seen"


def reporting(name: str, version: str, *handshakes: Handshake) -> Observed:
    first, *rest = handshakes
    return seen([replace(first, software_name=name, software_version=version), *rest], line="3.9")


@pytest.fixture
def known() -> Fingerprints:
    """Return the made-up libraries under names that clients report."""
    names = {"northern": "librdkafka", "southern": "sarama"}
    return learned({replace(one, family=names[one.family]): sent for one, sent in trials().items()})


def test_a_reported_version_within_the_range_is_the_version(known: Fingerprints) -> None:
    found = asked(reporting("librdkafka", "1.3", northern(10)), known)
    assert (found.library, found.version) == ("librdkafka", "1.3")
    assert found.reported is not None
    assert found.reported.contradicts == ""


def test_a_reported_version_that_contradicts_is_shown_and_not_believed(known: Fingerprints) -> None:
    plain = asked(seen([northern(10)], line="3.9"), known)
    found = asked(reporting("librdkafka", "1.5", northern(10)), known)
    assert found.reported is not None
    assert found.reported.contradicts == "what it sends is that of librdkafka after 1.2 and before 1.4"
    assert found.version == ""
    assert replace(found, reported=None) == plain


def test_a_name_that_no_other_library_sends_is_never_outweighed(known: Fingerprints) -> None:
    """What it sends is that of another library: a proxy, a setting that was not learned, or an order that was not."""
    found = asked(reporting("sarama", "v1.61.1", northern(10)), known)
    assert (found.library, found.sure, found.span) == ("sarama", Sure.LIKELY, Span())
    assert found.reason == "it reports the name sarama"
    assert found.reported is not None
    assert found.reported.contradicts == "what it sends is that of librdkafka"


@pytest.mark.parametrize("name", ["rskafka", "krafka", "platformatic-kafka"])
def test_a_library_without_fingerprints_that_names_itself_is_named(known: Fingerprints, name: str) -> None:
    found = asked(reporting(name, "0.6.0", northern(10)), known)
    assert (found.library, found.sure, found.text, found.version) == (
        name,
        Sure.LIKELY,
        f"{name}, any version",
        "0.6.0",
    )
    assert found.reported is not None
    assert found.reported.contradicts == ""


@pytest.mark.parametrize("place", [1, 2, 3])
def test_the_moment_at_which_a_producer_asks_for_its_id_says_nothing(place: int) -> None:
    requests = list(northern(10).requests)
    requests.insert(place, (INIT_PRODUCER_ID, 4))
    assert asked(seen([replace(northern(10), requests=tuple(requests))], line="3.9")) == asked(
        seen([northern(10)], line="3.9")
    )


def greeting(version: int) -> Handshake:
    """Return a connection of which nothing but ApiVersions was seen."""
    pair = ((API_VERSIONS, version),)
    return Handshake(conn=1, broker=1, purposes=(Purpose.DISCOVERY,), requests=pair, versions=pair)


def test_no_library_is_named_from_api_versions_alone_if_several_send_it() -> None:
    both = {cell(family, "1.0", "3.9"): (northern(7),) for family in ("northern", "eastern")}
    found = asked(seen([greeting(3)]), learned(both))
    assert (found.library, found.candidates) == ("", ("eastern", "northern"))
    assert found.reason == "nothing but ApiVersions was seen, which many send alike"


def test_a_library_is_named_from_api_versions_that_it_alone_sends() -> None:
    found = asked(seen([greeting(3)]))
    assert (found.library, found.sure) == ("northern", Sure.LIKELY)
    assert asked(seen([greeting(2)])).library == ""


def test_an_applications_version_is_not_the_librarys(known: Fingerprints) -> None:
    """Sarama before 1.47 reports the version of its application's module."""
    found = asked(reporting("sarama", "v0.3.0", southern(5)), known)
    assert (found.library, found.version) == ("sarama", "")
    assert found.reported is not None
    assert found.reported.unknown.startswith("some sarama before 1.47")


def test_a_name_decides_between_libraries_that_fit_alike(known: Fingerprints) -> None:
    bare = Handshake(conn=1, broker=1, purposes=(Purpose.PRODUCE,), requests=(), versions=((PRODUCE, 3),))
    shown = replace(seen([bare], began=False), reported=("sarama", "dev"))
    found = asked(shown, known)
    assert (found.library, found.sure) == ("sarama", Sure.LIKELY)
    assert found.reason.endswith("it reports the name sarama")


def test_a_name_that_no_library_reports_changes_nothing(known: Fingerprints) -> None:
    found = asked(reporting("evil\x1b[31m\nname" * 99, "9" * 999, northern(10)), known)
    assert (found.library, found.version) == ("librdkafka", "")
    assert found.reported is not None
    assert "\n" not in found.reported.name + found.reported.version
    assert len(found.reported.name) + len(found.reported.version) < 999


PAIRS = st.tuples(st.integers(0, 90), st.integers(0, 20))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.lists(PAIRS, max_size=6), st.lists(PAIRS, max_size=6), st.booleans()), max_size=3))
def test_any_requests_are_answered(drawn: list[tuple[list[tuple[int, int]], list[tuple[int, int]], bool]]) -> None:
    shown = [
        Handshake(
            conn=number,
            broker=1,
            purposes=(Purpose.DISCOVERY,),
            requests=tuple(requests),
            versions=tuple(versions),
            offered=tuple(versions[:2]),
        )
        for number, (requests, versions, _) in enumerate(drawn)
    ]
    began = frozenset(number for number, (_, _, first) in enumerate(drawn) if first)
    found = asked(Observed(handshakes=tuple(shown), began=began))
    assert (found.sure is Sure.UNKNOWN) is (found.library == "")
    assert (found.sure is Sure.SURE) is (found.reason == "")


def test_a_handshake_of_an_older_trial_is_read() -> None:
    """Older trials lack what brokers offer."""
    assert whole([northern(10)]) == whole([replace(northern(10), offered=())])
