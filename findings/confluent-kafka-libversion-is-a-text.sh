#!/usr/bin/env bash
# confluent-kafka 2.12.0: `libversion()` returns a text, and `libversion()[0]` is "2".
#
# Before and after it the function returns a pair, the version of librdkafka as text and as a number, which programs take
# apart to say which library they run or to ask whether it is new enough. In this one release a program that names its
# library by `libversion()[0]` reports version 2, and one that compares the number fails with TypeError.
#
# Seen 2026-11-29 with Python 3.11:
#   2.11.1: ('2.11.1', 34275839)
#   2.12.0: '2.12.0'
#   2.12.1: ('2.12.1', 34341375)
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
for version in 2.11.1 2.12.0 2.12.1; do
    "$folder/venv/bin/pip" --disable-pip-version-check install --quiet "confluent-kafka==$version" > /dev/null
    "$folder/venv/bin/python" -c 'import confluent_kafka as c; print(repr(c.libversion()))' > "$folder/$version"
    echo "$version: $(cat "$folder/$version")"
done > "$folder/seen"
cat "$folder/seen"
expected="2.11.1: ('2.11.1', 34275839)
2.12.0: '2.12.0'
2.12.1: ('2.12.1', 34341375)"
if [ "$(cat "$folder/seen")" != "$expected" ]; then
    echo "changed: expected" >&2
    echo "$expected" >&2
    exit 1
fi
