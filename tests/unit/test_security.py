"""Security of listeners: its written form, who has it since when, and the reasons of skips."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from probe.cli.app import app
from probe.cli.wiring.catalogue import families
from probe.model import Profile
from probe.model.security import NAMES, Mechanism, Security, SecurityProtocol
from probe.scenarios.own_profiles import CERTIFICATES, LOG_INS, TOKENS

LOGGING_IN = [one for one in SecurityProtocol if one.sasl]
ANY = st.builds(Security, st.just(SecurityProtocol.SSL), client_auth=st.booleans()) | st.builds(
    Security, st.sampled_from(LOGGING_IN), st.sampled_from(list(Mechanism))
)


@given(ANY)
def test_a_written_security_is_an_own_key_of_the_profile(security: Security) -> None:
    assert Security.parse(str(security)) == security
    profile = Profile("isolated", (("a", "1"), ("z", "2")), security=security)
    assert str(profile) == f"isolated+a=1+security={security}+z=2"
    assert Profile.parse(str(profile)) == profile


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("PLAINTEXT", "PLAINTEXT is what clients have without it; leave it out"),
        ("ssl", "there is no protocol 'ssl'; write SSL, SASL_PLAINTEXT, SASL_SSL"),
        ("SSL/PLAIN", "SSL has no log-in, so write SSL or SSL/CLIENT-AUTH"),
        (
            "SASL_SSL/CLIENT-AUTH",
            "there is no mechanism 'CLIENT-AUTH'; write SASL_SSL/MECHANISM with one of PLAIN, SCRAM-SHA-256, "
            "SCRAM-SHA-512, OAUTHBEARER",
        ),
        ("SSL/", "SSL has no log-in, so write SSL or SSL/CLIENT-AUTH"),
        (
            "SASL_SSL",
            "the mechanism is missing; write SASL_SSL/MECHANISM with one of PLAIN, SCRAM-SHA-256, SCRAM-SHA-512, "
            "OAUTHBEARER",
        ),
        (
            "SASL_SSL/GSSAPI",
            "there is no mechanism 'GSSAPI'; write SASL_SSL/MECHANISM with one of PLAIN, SCRAM-SHA-256, SCRAM-SHA-512, "
            "OAUTHBEARER",
        ),
        ("", "there is no protocol ''; write SSL, SASL_PLAINTEXT, SASL_SSL"),
    ],
)
def test_anything_else_is_refused_in_one_line(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=re.escape(reason)):
        Security.parse(text)
    done = CliRunner().invoke(app, ["plan", "--client", "kafka-python@3.0.12", "--security", text])
    assert done.exit_code != 0
    assert str(done.exception) == f"--security {text}: {reason}"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("SSL", {"0.9.0": True}),
        ("SSL/CLIENT-AUTH", {"0.9.0": True}),
        ("SASL_PLAINTEXT/PLAIN", {"0.9.0": False, "0.10.2": True}),
        ("SASL_SSL/SCRAM-SHA-256", {"0.10.1": False, "0.10.2": True, "4.4": True}),
        ("SASL_SSL/SCRAM-SHA-512", {"0.10.1": False, "0.10.2": True}),
        ("SASL_PLAINTEXT/OAUTHBEARER", {"3.0": False, "3.1": True, "4.4": True}),
    ],
)
def test_lines_have_what_their_brokers_have(text: str, lines: dict[str, bool]) -> None:
    found = {line: not Security.parse(text).missing_on(line) for line in lines}
    assert found == lines


def test_the_reason_names_line_and_source() -> None:
    reason = Security.parse("SASL_PLAINTEXT/PLAIN").missing_on("0.9.0")
    assert reason == (
        "brokers have PLAIN since Kafka 0.10: Clients name their mechanism in SaslHandshake, and may log in by a "
        "password (KIP-43)"
    )


@pytest.mark.parametrize(
    ("client", "arguments", "reason"),
    [
        (
            "kafka-python@1.4.7",
            ["--security", "SASL_SSL/SCRAM-SHA-512"],
            "has SCRAM-SHA-512 since 2.0.0: kafka-python has had SCRAM since 2.0.0",
        ),
        (
            "librdkafka@1.8.2",
            ["--security", "SASL_SSL/OAUTHBEARER"],
            "has OAUTHBEARER since 1.9.2: librdkafka has asked token servers by itself since 1.9.0",
        ),
        ("kcat@1.7.0", ["--security", "SSL"], "kcat cannot be played with SSL here"),
        ("java@2.1.1", ["--security", "SSL/CLIENT-AUTH"], "java has SSL since 2.7.0"),
        (
            "kafka-python@3.0.12",
            ["--security", "SASL_PLAINTEXT/PLAIN", "--engine", "kafka", "--broker", "0.9.0"],
            "brokers have PLAIN since Kafka 0.10: Clients name",
        ),
    ],
)
def test_what_a_client_or_a_line_lacks_is_a_skip_with_its_reason(
    client: str, arguments: list[str], reason: str
) -> None:
    family = client.partition("@")[0]
    known = families()[family].versions
    wanted = client if any(client.endswith(f"@{one.version}") for one in known) else f"{family}@{known[0].version}"
    done = CliRunner().invoke(
        app, ["plan", "--client", wanted, "--role", "producer", "--scenario", "steady", *arguments]
    )
    assert reason in f"{done.output}{done.exception}"


def test_a_scenario_about_tokens_is_skipped_where_clients_have_passwords() -> None:
    wanted = ["--client", "librdkafka@2.16.0", "--role", "producer", "--scenario", "auth/token-server-away"]
    done = CliRunner().invoke(app, ["plan", *wanted, "--security", "SASL_SSL/PLAIN"])
    assert f"is about tokens, which SASL_SSL/PLAIN lacks: --security {TOKENS}" in f"{done.output}{done.exception}"


def test_a_scenario_about_log_ins_is_played_with_its_own_security_unless_another_is_named() -> None:
    def profiles(*arguments: str) -> set[str]:
        client = ["--client", "kafka-python@3.0.12", "--role", "producer", "--scenario", "auth/*"]
        done = CliRunner().invoke(app, ["plan", *client, *arguments, "--json"])
        return {cell["profile"] for cell in json.loads(done.stdout)["cells"] if cell["scenario"] != "auth/revoked"}

    own = {f"isolated+security={LOG_INS}", f"isolated+security={TOKENS}"}
    assert profiles() == {"isolated", *own}  # the first is that of a control cell
    assert profiles("--security", "SASL_SSL/PLAIN") == {"isolated+security=SASL_SSL/PLAIN"}


def test_a_scenario_about_log_ins_is_skipped_where_nobody_logs_in() -> None:
    wanted = ["--client", "kafka-python@3.0.12", "--role", "producer", "--scenario", "auth/wrong-password"]
    done = CliRunner().invoke(app, ["plan", *wanted, "--security", "SSL"])
    assert f"is about log-ins, which SSL lacks: --security {LOG_INS}" in f"{done.output}{done.exception}"


@pytest.mark.parametrize(
    ("asked", "skipped"), [("SASL_SSL/PLAIN", False), ("SSL", False), ("SASL_PLAINTEXT/PLAIN", True)]
)
def test_a_scenario_about_tls_is_skipped_where_nothing_is_encrypted(asked: str, skipped: bool) -> None:
    wanted = ["--client", "kafka-python@3.0.12", "--role", "producer", "--scenario", "tls/certificate-expired"]
    done = CliRunner().invoke(app, ["plan", *wanted, "--security", asked])
    reason = f"is about TLS, which {asked} lacks: --security SSL"
    assert (reason in f"{done.output}{done.exception}") is skipped


def test_a_scenario_about_the_clients_certificate_is_skipped_where_brokers_ask_for_none() -> None:
    wanted = ["--client", "kafka-python@3.0.12", "--role", "producer", "--scenario", "tls/client-certificate-refused"]
    done = CliRunner().invoke(app, ["plan", *wanted, "--security", "SSL"])
    assert f"is about certificates of clients, which SSL lacks: --security {CERTIFICATES}" in (
        f"{done.output}{done.exception}"
    )


def test_every_declared_security_has_a_source() -> None:
    declared = {(name, key) for name, family in families().items() for key in family.security}
    assert {key for _, key in declared} == set(NAMES)
    for name, key in declared:
        assert families()[name].security[key].source, (name, key)
