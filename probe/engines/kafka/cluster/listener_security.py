"""Security of the brokers' listener for clients: the relay ends TLS, and brokers ask for log-ins, or they do both.

Brokers of every line read users of PLAIN from a JAAS file, which lies in the folder of the cluster, and the key of
tokens from another one. The listener of the brokers among themselves has no security.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from probe.access import Access
from probe.engines.kafka import tls_stores
from probe.engines.kafka.cluster.java_command import log_requests
from probe.engines.kafka.cluster.nodes import Broker
from probe.files.private_files import write_private
from probe.model.release_lines import Since, has
from probe.model.security import Mechanism
from probe.protocol.log_requests import MARK
from probe.token_issuer import AUDIENCE, ISSUER

PLAINTEXT, SASL_PLAINTEXT = "PLAINTEXT", "SASL_PLAINTEXT"
PROTOCOLS = "listener.security.protocol.map"
CLIENTS = "EXT"
"""The listener for clients (`properties`)."""
OF_CLIENTS = f'"listener":"{CLIENTS}"'
PACKAGE = "org.apache.kafka.common.security"
SCRAM_MODULE = f"{PACKAGE}.scram.ScramLoginModule"
MODULES: Mapping[Mechanism, str] = {
    Mechanism.PLAIN: f"{PACKAGE}.plain.PlainLoginModule",
    Mechanism.SCRAM_SHA_256: SCRAM_MODULE,
    Mechanism.SCRAM_SHA_512: SCRAM_MODULE,
    Mechanism.OAUTHBEARER: f"{PACKAGE}.oauthbearer.OAuthBearerLoginModule",
}
JVM_OPTIONS = "JAVA_TOOL_OPTIONS"
CHECKS_TOKENS = f"listener.name.{CLIENTS.lower()}.oauthbearer.sasl.server.callback.handler.class"
ALLOWED = ("urls", "files")
"""Endings of system properties `org.apache.kafka.sasl.oauthbearer.allowed.*`: from 4.0 on other keys are not read."""


def is_of_clients(line: str) -> bool:
    """Return whether a line of a broker's log is about a request of a client."""
    return MARK in line and OF_CLIENTS in line


def secure(broker: Broker, access: Access | None, version: str, *, own_tls: bool = False) -> None:
    """Let a broker that is not started yet ask clients to log in, where they have something to log in with.

    `own_tls`: it ends TLS, too, and logs what it is asked.
    """
    if access is None:
        return
    if own_tls:
        tls_stores.write(broker.folder, access)
        broker.settings |= tls_stores.settings(broker.folder, access)
        log_requests(broker.folder)
    mechanism = access.security.mechanism
    protocol = access.security.protocol if own_tls else SASL_PLAINTEXT if mechanism else PLAINTEXT
    broker.settings[PROTOCOLS] = broker.settings[PROTOCOLS].replace(f"{CLIENTS}:{PLAINTEXT}", f"{CLIENTS}:{protocol}")
    if mechanism is None:
        return
    broker.settings["sasl.enabled.mechanisms"] = str(mechanism)
    if access.session_ms:
        broker.settings["connections.max.reauth.ms"] = str(access.session_ms)
    file = broker.folder / "jaas.conf"
    write_private(file, jaas(access, mechanism))
    options = [f"-Djava.security.auth.login.config={file}"]
    if access.issuer is not None:
        keys = broker.folder / "keys.json"
        keys.write_text(access.issuer.key_set)
        broker.settings |= token_settings(keys, version)
        options += [f"-Dorg.apache.kafka.sasl.oauthbearer.allowed.{kind}={keys.as_uri()}" for kind in ALLOWED]
    broker.environment[JVM_OPTIONS] = " ".join(options)


def token_settings(keys: Path, version: str) -> dict[str, str]:
    """Return the settings by which a broker checks tokens with a set of keys, and bears no difference of clocks."""
    package = f"{PACKAGE}.oauthbearer" + ("" if has(version, Since.TOKENS_PACKAGE) else ".secured")
    return {
        CHECKS_TOKENS: f"{package}.OAuthBearerValidatorCallbackHandler",
        "sasl.oauthbearer.jwks.endpoint.url": keys.as_uri(),
        "sasl.oauthbearer.expected.audience": AUDIENCE,
        "sasl.oauthbearer.expected.issuer": ISSUER,
        "sasl.oauthbearer.clock.skew.seconds": "0",
    }


def jaas(access: Access, mechanism: Mechanism) -> str:
    """Return the JAAS file of a broker. It has users of PLAIN only: the cluster keeps those of SCRAM."""
    users = f' user_{access.user}="{access.password}"' if mechanism is Mechanism.PLAIN else ""
    return f"KafkaServer {{ {MODULES[mechanism]} required{users}; }};\n"
