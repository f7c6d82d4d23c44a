#!/usr/bin/env bash
# kafka-python 3.0.12 and kafka-python-ng 2.2.3 in one environment: neither works, and pip finds nothing wrong.
#
# Both packages install the module `kafka`. The later one overwrites the files that both have and leaves the others, so
# that the import fails half way. Removing one then removes files of the other. `pip check` is content in both states:
# an inventory that lists both packages describes an application that cannot start.
#
# Seen 2026-11-27 with Python 3.11 and pip 23.2.1:
#   both installed: pip check 0, import fails with ImportError
#   one removed: pip check 0, import fails with ImportError
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
pip() { "$folder/venv/bin/pip" --disable-pip-version-check "$@" > /dev/null; }
state() {
    local checked=0 said
    pip check || checked=$?
    said=$("$folder/venv/bin/python" -c 'from kafka import KafkaProducer' 2>&1 | tail -n 1)
    echo "$1: pip check $checked, import fails with ${said%%:*}"
}

pip install --quiet kafka-python==3.0.12
"$folder/venv/bin/python" -c 'from kafka import KafkaProducer' # alone it works
pip install --quiet kafka-python-ng==2.2.3
seen=$(state 'both installed')
pip uninstall --quiet --yes kafka-python
seen="$seen
$(state 'one removed')"
echo "$seen"
expected='both installed: pip check 0, import fails with ImportError
one removed: pip check 0, import fails with ImportError'
if [ "$seen" != "$expected" ]; then
    echo "changed: expected" >&2
    echo "$expected" >&2
    exit 1
fi
