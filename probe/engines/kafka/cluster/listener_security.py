"""Security of the brokers' listener for clients: the relay ends TLS, so brokers ask for log-ins only.

Brokers of every line read users of PLAIN from a JAAS file, which lies in the folder of the cluster, and the key of
tokens from another one. The listener of the brokers among themselves has no security.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from probe.access import Access
from probe.engines.kafka.cluster.nodes import Broker
from probe.files.private_files import write_private
from probe.model.release_lines import Since, has
from probe.model.security import Mechanism
from probe.token_issuer import AUDIENCE, ISSUER

PLAINTEXT, SASL_PLAINTEXT = "PLAINTEXT", "SASL_PLAINTEXT"
PROTOCOLS = "listener.security.protocol.map"
CLIENTS = "EXT"
"""The listener for clients (`properties`)."""
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


def secure(broker: Broker, access: Access | None, version: str) -> None:
    """Let a broker that is not started yet ask clients to log in, where they have something to log in with."""
    if access is None or (mechanism := access.security.mechanism) is None:
        return
    broker.settings[PROTOCOLS] = broker.settings[PROTOCOLS].replace(
        f"{CLIENTS}:{PLAINTEXT}", f"{CLIENTS}:{SASL_PLAINTEXT}"
    )
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
