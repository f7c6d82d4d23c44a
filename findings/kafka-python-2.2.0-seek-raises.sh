#!/usr/bin/env bash
# kafka-python 2.2.0: KafkaConsumer.seek_to_beginning() and seek_to_end() end in an AttributeError, whatever the broker does.
#
# Both call need_offset_reset of the subscription (kafka/consumer/group.py, 880 and 905), a method that 2.2.0 renamed there and
# not here. 2.1.5 and 2.2.1 (#2599) have both. A requirement like `kafka-python~=2.2.0` finds 2.2.20 today; a lock file of
# April 2025 still has 2.2.0, and nothing but the call shows it.
#
# Seen 2026-11-29, Python 3.11: the assignment needs no broker.
#   2.1.5 works; 2.2.0 AttributeError; 2.2.1 works
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
cat > seek.py <<'PY'
import kafka

consumer = kafka.KafkaConsumer(bootstrap_servers="127.0.0.1:1", api_version=(2, 6))
partition = kafka.TopicPartition("records", 0)
consumer.assign([partition])
said = []
for seek in (consumer.seek_to_beginning, consumer.seek_to_end):
    try:
        seek(partition)
        said.append("works")
    except AttributeError as error:
        said.append(type(error).__name__)
print(kafka.__version__, *said)
PY

found=""
for version in 2.1.5 2.2.0 2.2.1; do
  venv/bin/pip install --quiet --disable-pip-version-check "kafka-python==$version"
  found+="$(venv/bin/python seek.py 2> /dev/null)"$'\n'
done
printf %s "$found"
[ "$found" = "2.1.5 works works
2.2.0 AttributeError AttributeError
2.2.1 works works
" ]
