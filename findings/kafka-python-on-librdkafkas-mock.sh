#!/usr/bin/env bash
# kafka-python 3.0.12 cannot start on the mock cluster of librdkafka 2.16.0, though that serves librdkafka itself.
#
# The mock cluster answers ApiVersions v3 and later with 35 (UNSUPPORTED_VERSION) in a body that is laid out as none of
# the request's versions. KIP-511 asks for the layout of version 0, by which a client learns what to ask next.
# kafka-python opens with the newest version and never gets further; api_version=(2, 0), which opens with an older one,
# helps, api_version=(2, 8) does not. Test suites that use the mock cluster for clients of other families meet this.
#
# Seen 2026-11-27 with confluent-kafka 2.16.1 (librdkafka 2.16.0) and kafka-python 3.0.12, Python 3.11:
#   default: KafkaTimeoutError
#   api_version=(2, 8): KafkaTimeoutError
#   api_version=(2, 0): offset 0
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check confluent-kafka==2.16.1 kafka-python==3.0.12

cat > "$folder/try.py" <<'PYTHON'
from confluent_kafka import Producer
from kafka import KafkaProducer

mock = Producer({"test.mock.num.brokers": 1, "log_level": 0})
broker = next(iter(mock.list_topics(timeout=10).brokers.values()))
for settings in ({}, {"api_version": (2, 8)}, {"api_version": (2, 0)}):
    name = ", ".join(f"{key}={value}" for key, value in settings.items()) or "default"
    try:
        producer = KafkaProducer(bootstrap_servers=f"{broker.host}:{broker.port}", max_block_ms=8000, **settings)
        said = f"offset {producer.send('topic', b'value').get(timeout=8).offset}"
        producer.close(timeout=1)
    except Exception as error:
        said = type(error).__name__
    print(f"{name}: {said}", flush=True)
PYTHON

expected='default: KafkaTimeoutError
api_version=(2, 8): KafkaTimeoutError
api_version=(2, 0): offset 0'
seen=$(timeout 120 "$folder/venv/bin/python" "$folder/try.py" 2> "$folder/log")
echo "$seen"
if [ "$seen" != "$expected" ]; then
    echo "changed: expected" >&2
    echo "$expected" >&2
    exit 1
fi
