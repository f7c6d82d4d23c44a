"""Listeners of real brokers that ask for log-ins: properties, the JAAS file, and what brokers keep of passwords."""

from __future__ import annotations

import base64
import hashlib
import hmac
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from probe.access import Access, secure_relay
from probe.engines.kafka.admin.scram_users import ScramUser, scram_users
from probe.engines.kafka.cluster.listener_security import JVM_OPTIONS, secure
from probe.model.security import Mechanism, Security
from probe.run_credentials import MARK
from probe.token_issuer import new_issuer

BEFORE = {"listener.security.protocol.map": "EXT:PLAINTEXT,INT:PLAINTEXT,CTL:PLAINTEXT"}


def access(text: str) -> Access:
    return Access(security=Security.parse(text), user="probe", password="probe-secret-1")  # of this test


VERSION = "4.4.0"
OAUTH = "SASL_PLAINTEXT/OAUTHBEARER"


def broker(folder: Path) -> Any:
    return SimpleNamespace(settings=dict(BEFORE), environment={}, folder=folder)


@pytest.mark.parametrize("text", ["", "SSL"])
def test_nothing_changes_where_nobody_logs_in(tmp_path: Path, text: str) -> None:
    one = broker(tmp_path)
    secure(one, access(text) if text else None, VERSION)
    assert (one.settings, one.environment, list(tmp_path.iterdir())) == (BEFORE, {}, [])


@pytest.mark.parametrize("protocol", ["SASL_SSL", "SASL_PLAINTEXT"])
@pytest.mark.parametrize("mechanism", list(Mechanism))
def test_only_the_listener_of_clients_asks_for_log_ins(tmp_path: Path, protocol: str, mechanism: Mechanism) -> None:
    one = broker(tmp_path)
    secure(one, access(f"{protocol}/{mechanism}"), VERSION)
    assert one.settings == {
        "listener.security.protocol.map": "EXT:SASL_PLAINTEXT,INT:PLAINTEXT,CTL:PLAINTEXT",
        "sasl.enabled.mechanisms": str(mechanism),
    }
    (file,) = tmp_path.iterdir()
    assert file.stat().st_mode & 0o777 == 0o600
    assert one.environment == {JVM_OPTIONS: f"-Djava.security.auth.login.config={file}"}
    assert ("probe-secret-1" in file.read_text()) is (mechanism is Mechanism.PLAIN)
    assert ('user_probe="probe-secret-1"' in file.read_text()) is (mechanism is Mechanism.PLAIN)


def with_issuer() -> Access:
    return replace(access(OAUTH), issuer=new_issuer(f"{MARK}of-this-test"))


@pytest.mark.parametrize(("version", "package"), [("3.1.2", "oauthbearer.secured"), ("3.4.1", "oauthbearer")])
def test_tokens_are_checked_by_kafkas_own_handler_with_the_key_of_the_run(
    tmp_path: Path, version: str, package: str
) -> None:
    one, given = broker(tmp_path), with_issuer()
    secure(one, given, version)
    keys = tmp_path / "keys.json"
    handler = f"org.apache.kafka.common.security.{package}.OAuthBearerValidatorCallbackHandler"
    assert one.settings["listener.name.ext.oauthbearer.sasl.server.callback.handler.class"] == handler
    assert one.settings["sasl.oauthbearer.jwks.endpoint.url"] == keys.as_uri()
    assert one.settings["sasl.oauthbearer.clock.skew.seconds"] == "0"
    assert given.issuer is not None
    assert keys.read_text() == given.issuer.key_set
    for kind in ("urls", "files"):
        assert f"-Dorg.apache.kafka.sasl.oauthbearer.allowed.{kind}={keys.as_uri()}" in one.environment[JVM_OPTIONS]
    assert not [file for file in tmp_path.iterdir() if MARK in file.read_text()]


def test_sessions_end_where_the_scenario_says_so(tmp_path: Path) -> None:
    one = broker(tmp_path)
    secure(one, replace(access("SASL_PLAINTEXT/PLAIN"), session_ms=5000), VERSION)
    assert one.settings["connections.max.reauth.ms"] == "5000"


def test_the_relay_speaks_tls_where_clients_do() -> None:
    given: list[object] = []
    relay: Any = SimpleNamespace(secure=given.append)
    context: Any = object()
    for one in (None, access("SASL_PLAINTEXT/PLAIN"), Access(security=Security.parse("SSL"), server=context)):
        secure_relay(relay, one)
    assert given == [context]


def test_users_are_those_of_scram() -> None:
    assert scram_users(None) == []
    assert scram_users(access("SSL")) == []
    assert scram_users(access("SASL_SSL/PLAIN")) == []
    (user,) = scram_users(access("SASL_SSL/SCRAM-SHA-512"))
    assert (user.name, user.password, user.mechanism) == ("probe", "probe-secret-1", Mechanism.SCRAM_SHA_512)
    assert "probe-secret-1" not in repr(user)


def test_brokers_keep_the_keys_of_rfc_7677() -> None:
    """Its example: user "user", password "pencil", and the proof and the signature that follow from what is kept."""
    salt = base64.b64decode("W22ZaJ0SNY7soEsUEjb6gQ==")
    user = ScramUser(Mechanism.SCRAM_SHA_256, "user", "pencil", salt)
    kept = dict(part.split("=", 1) for part in user.kept.split(","))
    assert (kept["salt"], kept["iterations"]) == ("W22ZaJ0SNY7soEsUEjb6gQ==", "4096")
    nonce = "rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0"
    bare, final = "n=user,r=rOprNGfwEbeRWgbNEkqO", f"c=biws,r={nonce}"
    text = f"{bare},r={nonce},s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096,{final}".encode()
    proof = base64.b64decode("dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=")
    stored, server = base64.b64decode(kept["stored_key"]), base64.b64decode(kept["server_key"])
    signature = hmac.digest(stored, text, "sha256")
    assert hashlib.sha256(bytes(a ^ b for a, b in zip(proof, signature, strict=True))).digest() == stored
    assert base64.b64encode(hmac.digest(server, text, "sha256")) == b"6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4="
