"""Security of the brokers' listener for clients: the relay ends TLS, so brokers ask for log-ins only.

Brokers of every line read users of PLAIN from a JAAS file, which lies in the folder of the cluster. The listener of
the brokers among themselves has no security.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from probe.access import Access
from probe.engines.kafka.cluster.nodes import Broker
from probe.model.security import Mechanism

PLAINTEXT, SASL_PLAINTEXT = "PLAINTEXT", "SASL_PLAINTEXT"
PROTOCOLS = "listener.security.protocol.map"
CLIENTS = "EXT"
"""The listener for clients (`properties`)."""
MODULES: Mapping[bool, str] = {
    False: "org.apache.kafka.common.security.plain.PlainLoginModule",
    True: "org.apache.kafka.common.security.scram.ScramLoginModule",
}
"""Log-in modules, by whether the mechanism is SCRAM."""
JVM_OPTIONS = "JAVA_TOOL_OPTIONS"


def secure(broker: Broker, access: Access | None) -> None:
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
    broker.environment[JVM_OPTIONS] = f"-Djava.security.auth.login.config={file}"


def jaas(access: Access, mechanism: Mechanism) -> str:
    """Return the JAAS file of a broker; users of SCRAM are kept by the cluster instead."""
    users = "" if mechanism.scram else f' user_{access.user}="{access.password}"'
    return f"KafkaServer {{ {MODULES[mechanism.scram]} required{users}; }};\n"


def write_private(file: Path, text: str) -> None:
    """Write a file that only its owner can read."""
    file.touch(mode=0o600)
    file.write_text(text)
