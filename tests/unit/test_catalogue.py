"""Selection of families, clients, profiles, brokers and scenarios, with clear errors for unknown names."""

from __future__ import annotations

from pathlib import Path

import pytest

from probe.catalogue.families import CatalogueError, Version, read_families, read_family
from probe.catalogue.releases import releases_of
from probe.catalogue.scenarios import CORE, RUN_BY_PATTERN, default_scenarios, select_scenarios
from probe.catalogue.selectors import broker_line, select_clients, select_profiles
from probe.cli.wiring.catalogue import by_number, families
from probe.model import Election, Outcome, Reaction, Reality, Role, Symptom
from probe.model.roles import ROLES
from probe.model.versions import version_key
from probe.scenarios.scenario import Bootstrap
from probe.scenarios.steps.brokers import Evacuate, ExpireIdle
from probe.scenarios.steps.partitions import BreakLogDir, MoveLeader
from probe.scenarios.steps.step import Step

CLIENTS = Path(__file__).parents[2] / "clients"

SMALL = """
family = "demo"
title = "Demo"
about = "A family for tests."
driver = "driver.py"
instances_per_process = 2
core = ["1.9.0", "latest"]
source = {kind = "wheel", name = "demo"}
roles = {producer = {}, consumer = {since = "1.10.0", reason = "it could not read before"}}
profiles = {isolated = {}, zstd = {since = "1.10.0"}}
versions = [{version = "1.9.0"}, {version = "1.10.0"}, {version = "2.0.0", released = "2026-01-02"}]
[behaviour]
back_off_ms = [{value = 250, source = "docs", until = "1.9.9"}, {value = 100, source = "docs"}]
acks_one = {until = "1.9.9", reason = "docs"}
"""


def demo(tmp_path: Path, text: str = SMALL) -> Path:
    folder = tmp_path / "demo"
    folder.mkdir()
    (folder / "client.toml").write_text(text)
    return folder / "client.toml"


def never(_family: object, text: str) -> Version:
    raise CatalogueError(f"asked the registry for {text}")


class TestFamilies:
    def test_versions_are_ordered_numerically(self) -> None:
        assert sorted(["1.10.0", "1.9.0", "2.0"], key=version_key) == ["1.9.0", "1.10.0", "2.0"]

    def test_limits_and_roles_depend_on_the_version(self, tmp_path: Path) -> None:
        family = read_family(demo(tmp_path))
        assert [family.limit(family.behaviour.back_off_ms, v) for v in ("1.9.0", "2.0.0")] == [250, 100]
        assert [family.roles["consumer"].covers(v) for v in ("1.9.0", "1.10.0")] == [False, True]
        assert family.newest.version == "2.0.0"

    @pytest.mark.parametrize(
        ("old", "new", "names"),
        [
            ('title = "Demo"', "", "title"),
            ("[behaviour]", "surprise = 1\n[behaviour]", "surprise"),
            ('core = ["1.9.0", "latest"]', 'core = ["7.7.7"]', "7.7.7"),
            ('family = "demo"', 'family = "Demo Ltd"', "family"),
            ('family = "demo"', "family = ", "client.toml"),
        ],
    )
    def test_an_invalid_file_is_reported_in_one_line(self, tmp_path: Path, old: str, new: str, names: str) -> None:
        path = demo(tmp_path, SMALL.replace(old, new))
        with pytest.raises(CatalogueError) as caught:
            read_family(path)
        assert names in str(caught.value)
        assert str(path) in str(caught.value)

    def test_the_families_of_the_repository_can_be_read(self) -> None:
        read = {name: family.family for name, family in read_families(CLIENTS).items()}
        assert {"sarama", "java", "librdkafka", "kafka-python"} <= set(read)
        assert read == {name: name for name in read}

    def test_a_broken_family_is_an_error_where_it_is_named_and_only_there(self, tmp_path: Path) -> None:
        for name, text in (("demo", SMALL), ("other", SMALL), ("torn", SMALL[:-20])):
            (tmp_path / name).mkdir()
            (tmp_path / name / "client.toml").write_text(text)
        families = read_families(tmp_path)
        assert families["demo"].title == "Demo"
        with pytest.raises(CatalogueError, match=r"other.client\.toml: family: demo is not the name of the folder"):
            families["other"]
        with pytest.raises(CatalogueError, match=r"torn.client\.toml: "):
            families["torn"]

    def test_a_folder_without_families_is_an_error(self, tmp_path: Path) -> None:
        with pytest.raises(CatalogueError, match=r"no .*client.toml"):
            read_families(tmp_path)


class TestClients:
    def chosen(self, tmp_path: Path, *names: str) -> list[str]:
        families = {"demo": read_family(demo(tmp_path))}
        return [str(item.version.version) for item in select_clients(families, names, never)]

    def test_a_repeated_version_is_selected_once(self, tmp_path: Path) -> None:
        assert self.chosen(tmp_path, "demo@1.9.0", "demo@1.9.0") == ["1.9.0"]

    def test_all_selects_every_version_of_a_family(self, tmp_path: Path) -> None:
        assert self.chosen(tmp_path, "demo@all") == ["1.9.0", "1.10.0", "2.0.0"]

    def test_all_alone_selects_every_family(self, tmp_path: Path) -> None:
        assert self.chosen(tmp_path, "all") == ["1.9.0", "1.10.0", "2.0.0"]

    @pytest.mark.parametrize("name", ["sarama", "librdkafka"])
    def test_released_selects_all_that_the_registry_serves(self, name: str) -> None:
        found = select_clients({name: families()[name]}, [f"{name}@released"], by_number)
        versions = {item.version.version for item in found}
        assert versions >= {item.version for item in families()[name].versions}
        assert len(versions) == len(releases_of(name).releases)

    def test_a_family_without_a_list_has_no_releases_to_select(self, tmp_path: Path) -> None:
        with pytest.raises(CatalogueError, match=r"demo@released: no registry lists its releases; use all"):
            self.chosen(tmp_path, "demo@released")

    def test_a_range_selects_matching_versions(self, tmp_path: Path) -> None:
        assert self.chosen(tmp_path, "demo@>=1.10.0,<2") == ["1.10.0"]

    def test_latest_is_queried_from_the_registry(self, tmp_path: Path) -> None:
        with pytest.raises(CatalogueError, match="asked the registry for latest"):
            self.chosen(tmp_path, "demo@latest")

    def test_an_unlisted_version_is_queried_from_the_registry(self, tmp_path: Path) -> None:
        with pytest.raises(CatalogueError, match=r"asked the registry for 1\.9\.5"):
            self.chosen(tmp_path, "demo@1.9.5")

    @pytest.mark.parametrize(
        ("name", "says"),
        [("demmo", "did you mean demo"), ("demo@>=9", "no listed version"), ("demo@x/y", "is not a version")],
    )
    def test_an_unknown_client_is_reported(self, tmp_path: Path, name: str, says: str) -> None:
        with pytest.raises(CatalogueError, match=says):
            self.chosen(tmp_path, name)


class TestProfilesAndBrokers:
    def test_properties_are_sorted_in_the_profile(self) -> None:
        (profile,) = select_profiles(["isolated"], ["z=1", "a=2"], Election(1000, 400))
        assert str(profile) == "isolated+a=2+election=1000,400+z=1"

    @pytest.mark.parametrize(("names", "properties"), [(["isolatd"], []), (["isolated"], ["novalue"])])
    def test_invalid_profiles_and_properties_are_named(self, names: list[str], properties: list[str]) -> None:
        with pytest.raises(CatalogueError, match=r"isolatd|novalue"):
            select_profiles(names, properties, None)

    def test_broker_versions_are_reduced_to_release_lines(self) -> None:
        assert [broker_line(text) for text in ("3.9", "3.9.2", "0.10.2.2")] == ["3.9", "3.9", "0.10.2"]
        with pytest.raises(CatalogueError, match=r"3\.14"):
            broker_line("3.14")


class TestScenarios:
    def test_every_scenario_has_a_summary_and_a_role(self) -> None:
        for name, item in default_scenarios().items():
            assert item.summary.endswith("."), name
            assert item.roles, name
            for role in item.roles:
                part = item.variant(role)
                assert part is not None
                assert part.expectation.watch_ms >= part.expectation.prompt_ms, name

    def test_every_core_scenario_exists(self) -> None:
        assert {item.name for item in select_scenarios(CORE)} == set(CORE)

    def test_a_second_instance_starts_only_under_a_fault_that_lasts(self) -> None:
        (item,) = select_scenarios(["start-during/cluster/outage"])
        part = item.variant(Role.PRODUCER)
        assert part is not None
        assert part.second_instance
        assert (part.heal_after_ms, part.expectation.conforms) == (30_000, (Outcome.CLEAN,))
        with pytest.raises(CatalogueError):
            select_scenarios(["start-during/cluster/restart"])

    def test_a_second_instance_waits_for_a_leader_that_moves(self) -> None:
        late = [(item.name, part) for item in default_scenarios().values() for part in item.variants]
        led = [(name, part) for name, part in late if part.second_instance and any(map(_moves_the_leader, part.steps))]
        assert "incident/jbod-client-restart" in {name for name, _ in led}
        assert [name for name, part in led if part.expectation.election_ms is None and not part.by_session] == []

    def test_a_client_of_one_broker_has_everything_at_the_failing_one(self) -> None:
        for item in select_scenarios(["one-broker/*"]):
            for role in item.roles:
                part = item.variant(role)
                assert part is not None
                assert (part.bootstrap, part.whole_broker) == (Bootstrap.FAILING, False)

    def test_globs_match_whole_names(self) -> None:
        assert {item.name for item in select_scenarios(["leader/*"])} == {
            "leader/election-slow",
            "leader/elected",
            "leader/reassigned",
            "leader/hinted",
        }

    def test_any_error_name_is_a_scenario_and_old_names_are_accepted(self) -> None:
        (item,) = select_scenarios(["answer/produce/NOT_LEADER_FOR_PARTITION"])
        assert item.name == "answer/produce/NOT_LEADER_OR_FOLLOWER"
        part = item.variant(Role.PRODUCER)
        assert part is not None
        assert part.expectation.codes == (6,)
        assert Outcome.REFRESHES in part.expectation.conforms

    def test_an_error_that_brokers_never_send_is_informative(self) -> None:
        (item,) = select_scenarios(["answer/produce/GROUP_ID_NOT_FOUND"])
        part = item.variant(Role.PRODUCER)
        assert part is not None
        assert part.expectation.conforms == ()
        assert part.expectation.reality is Reality.RAW

    def test_a_final_error_must_surface(self) -> None:
        (item,) = select_scenarios(["blip/produce/TOPIC_AUTHORIZATION_FAILED"])
        part = item.variant(Role.PRODUCER)
        assert part is not None
        assert (part.expectation.kind, part.expectation.expects) == (Symptom.ANSWER, Reaction.SURFACE)

    @pytest.mark.parametrize(
        ("pattern", "says"),
        [
            ("answer/produce/KAFKA_STORAGE_EROR", "KAFKA_STORAGE_ERROR"),
            ("disk/storage-eror", "did you mean"),
            ("x*", "no"),
        ],
    )
    def test_an_unknown_scenario_is_reported(self, pattern: str, says: str) -> None:
        with pytest.raises(CatalogueError, match=says):
            select_scenarios([pattern])

    @pytest.mark.parametrize("name", ["net/idle-closed", "net/idle-dropped"])
    def test_only_a_rest_makes_a_connection_idle(self, name: str) -> None:
        """A reader's long poll is no rest; the longest is MaxWait of kafka-go, 10 s."""
        (item,) = select_scenarios([name])
        for role in item.roles:
            part = item.variant(role)
            assert part is not None
            (step,) = part.steps
            assert isinstance(step, ExpireIdle)
            assert (10_000 if ROLES[role].reads else 0) < step.after_ms < part.idle_ms == part.heal_after_ms
            assert part.idle_ms < part.expectation.watch_ms - part.expectation.prompt_ms


def _moves_the_leader(step: Step) -> bool:
    return isinstance(step, BreakLogDir | MoveLeader | Evacuate)


def test_the_number_of_scenarios_that_a_pattern_runs_is_the_one_that_audits_name() -> None:
    found = default_scenarios()
    assert sum(not item.asked for item in found.values()) == RUN_BY_PATTERN
    assert not any(found[name].asked for name in CORE)
