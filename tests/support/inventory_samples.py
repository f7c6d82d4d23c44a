"""The format of each sample of `tests/data/inventory`, and the clients that it names with their places."""

from __future__ import annotations

COMMIT = "it comes from commit 4b10b5bd532a, no release; its own source says 3.0.6"
NOBODY = "no client of this name is measured here"
BY_ID = "it is known by its default client id alone, which is no proof of a version"
FORK = (
    "github.com/elastic/sarama@v1.19.1-0.20220310193331-ebc2b0d8eef3",
    "it replaces github.com/Shopify/sarama, and a fork is not its origin's version",
)
READ = {
    "go-version-m.txt": ("output of go version -m", [("plain", "sarama@1.61.1", "")]),
    "go-version-m-trimpath.txt": ("output of go version -m", [("stripped", "sarama@1.61.1", "")]),
    "go-version-m-vendored.txt": ("output of go version -m", [("vend", "sarama@1.61.1", "")]),
    "go-version-m-replaced.txt": ("output of go version -m", [("shipper", *FORK)]),
    "mvn-dependency-list-2.8.txt": ("mvn dependency:list", [("inventory", "java@4.3.1", "")]),
    "mvn-dependency-list-3.11.0.txt": ("mvn dependency:list", [("inventory", "java@4.3.1", "")]),
    "cyclonedx-maven.cdx.json": (
        "CycloneDX",
        [("inventory", "java@4.3.1", ""), ("inventory", "flink-connector-kafka@5.0.0-2.2", "")],
    ),
    "cyclonedx-npm.cdx.json": ("CycloneDX", [("inventory", "kafkajs@2.2.4", "")]),
    "npm-10-sbom.cdx.json": ("CycloneDX", [("inventory", "kafkajs@2.2.4", "")]),
    "npm-11-sbom.cdx.json": ("CycloneDX", [("inventory", "kafkajs@2.2.4", "")]),
    "cyclonedx-py.cdx.json": (
        "CycloneDX",
        [("inventory", "confluent-kafka@2.16.1", ""), ("inventory", "kafka-python@3.0.12", "")],
    ),
    "cyclonedx-py-git.cdx.json": (
        "CycloneDX",
        [("inventory", "kafka-python", "it comes from a commit, no release; its own source says 3.0.6")],
    ),
    "package-lock.json": ("package-lock.json", [("orders", "kafkajs@2.2.4", "")]),
    "pip-list.txt": (
        "pip list",
        [("inventory", "confluent-kafka@2.16.1", ""), ("inventory", "kafka-python@3.0.12", "")],
    ),
    "pip-list.json": (
        "pip list",
        [("inventory", "confluent-kafka@2.16.1", ""), ("inventory", "kafka-python@3.0.12", "")],
    ),
    "pip-freeze.txt": (
        "requirements of pip",
        [
            ("inventory", "confluent-kafka@2.16.1", ""),
            ("inventory", "kafka-python@3.0.12", ""),
            ("inventory", "kafka-python", "it comes from an address, whose version the file does not name"),
        ],
    ),
    "poetry.lock": ("lock file of Poetry, uv or PDM", [("inventory", "kafka-python", COMMIT)]),
    "package-lock-1.json": ("package-lock.json", [("orders", "kafkajs@2.2.4", "")]),
    "uv-conflict.lock": (
        "lock file of Poetry, uv or PDM",
        [("orders", "kafka-python@2.0.2", ""), ("orders", "kafka-python-ng@2.2.3", "")],
    ),
    "requirements-hashes.txt": (
        "requirements of pip",
        [("inventory", "aiokafka@0.14.0", ""), ("inventory", "kafka-python@2.0.2", "")],
    ),
    "go.mod": ("go.mod", [("example.org/shop/shipper", *FORK)]),
    "kubectl-create.yaml": (
        "objects of Kubernetes in YAML",
        [("metrics", "telegraf@1.31.3", ""), ("ship", "filebeat@7.17.29", "")],
    ),
    "packages.lock.json": ("packages.lock.json of NuGet", [("inventory", "confluent-kafka-dotnet@2.3.0", "")]),
    "shop.csproj": ("project of .NET", [("shop", "confluent-kafka-dotnet@2.3.0", "")]),
    "Directory.Packages.props": ("project of .NET", [("inventory", "confluent-kafka-dotnet@2.6.1", "")]),
    "build.gradle.kts": (
        "build file of Gradle",
        [("inventory", "java@4.3.1", ""), ("inventory", "kafka-streams@3.9.1", "")],
    ),
    "build.gradle": ("build file of Gradle", [("inventory", "java@3.8.1", "")]),
    "libs.versions.toml": (
        "version catalogue of Gradle",
        [("inventory", "java@3.9.1", ""), ("inventory", "kafka-streams@4.0.0", "")],
    ),
    "compose.yaml": (
        "compose file",
        [
            ("metrics", "telegraf@1.31.3", ""),
            ("logs", "docker.elastic.co/beats/filebeat", "the environment fills in its tag"),
        ],
    ),
    "Gemfile.lock": (
        "Gemfile.lock",
        [
            ("inventory", "rdkafka", COMMIT.replace("3.0.6", "0.24.2")),
            ("inventory", "karafka-rdkafka@0.19.5", "which librdkafka is inside its releases is not known"),
            ("inventory", "rdkafka-ruby@0.19.0", ""),
            ("inventory", "ruby-kafka@1.5.0", NOBODY),
        ],
    ),
    "mix.lock": ("mix.lock", [("inventory", "brod@3.16.2", NOBODY), ("inventory", "kafka_ex", NOBODY)]),
    "composer.lock": (
        "composer.lock",
        [
            ("inventory", "longlang/phpkafka@1.2.5", NOBODY),
            ("inventory", "ext-rdkafka", "the librdkafka of the system is used, which no composer.lock names"),
        ],
    ),
    "docker-ps.txt": (
        "containers of Docker",
        [("metrics", "telegraf@1.31.3", ""), ("logs", "filebeat@7.17.29", "")],
    ),
    "docker-ps.json": ("containers of Docker", [("metrics", "telegraf@1.31.3", "")]),
    "consumer-groups-members.txt": (
        "members of consumer groups",
        [
            ("orders", "java (client id consumer-orders-N)", BY_ID),
            ("billing", "librdkafka (client id rdkafka)", BY_ID),
            ("billing", "kafka-python (client id kafka-python-2.0.2)", BY_ID),
        ],
    ),
    "uv.lock": ("lock file of Poetry, uv or PDM", [("orders", "kafka-python", COMMIT)]),
    "poetry-groups.lock": (
        "lock file of Poetry, uv or PDM",
        [("inventory", "confluent-kafka@2.3.0", ""), ("inventory", "kafka-python@2.0.2", "")],
    ),
    "pdm.lock": (
        "lock file of Poetry, uv or PDM",
        [
            ("inventory", "confluent-kafka@2.3.0", ""),
            ("inventory", "kafka-python", "it comes from commit 0123456789ab, no release; its own source says 2.0.2"),
        ],
    ),
    "pylock-pip.toml": (
        "pylock.toml",
        [("inventory", "confluent-kafka@2.3.0", ""), ("inventory", "kafka-python@2.0.2", "")],
    ),
    "pylock-uv.toml": (
        "pylock.toml",
        [
            ("inventory", "aiokafka@0.10.0", ""),
            ("inventory", "confluent-kafka@2.3.0", ""),
            ("inventory", "kafka-python@2.0.2", ""),
            ("inventory", "kafka-python@2.0.6", ""),
        ],
    ),
    "bun.lock": (
        "bun.lock",
        [("orders", "platformatic-kafka@2.12.1", ""), ("orders", "kafkajs@2.2.4", ""), ("orders", "kafkajs@2.2.3", "")],
    ),
    "deno.lock": (
        "deno.lock",
        [
            ("inventory", "platformatic-kafka@2.12.1", ""),
            ("inventory", "kafkajs@2.2.3", ""),
            ("inventory", "kafkajs@2.2.4", ""),
            ("inventory", "node-rdkafka@3.4.1", ""),
        ],
    ),
    "mvn-dependency-tree-3.11.0.txt": ("mvn dependency:tree", [("orders", "java@4.3.1", "")]),
    "Cargo.lock": ("Cargo.lock", [("viardkafka", "rdkafka-sys@4.10.0+2.12.1", "")]),
    "npm-11-sbom.spdx.json": ("SPDX", [("orders", "kafkajs@2.2.4", "")]),
    "pnpm-lock.yaml": ("pnpm-lock.yaml", [("inventory", "kafkajs@2.2.4", "")]),
    "yarn-1.lock": ("yarn.lock", [("inventory", "kafkajs@2.2.4", "")]),
    "yarn-4.lock": ("yarn.lock", [("orders", "kafkajs@2.2.4", "")]),
}
"""Name of the sample, its format, and service, client and why it is not known."""
