#!/usr/bin/env bash
# kafka-python-ng 2.1.0 installs without a warning and cannot be imported: kafka/sasl/msk.py, which kafka/conn.py needs, imports
# botocore, and the package's metadata ask for no such package. 2.0.3 and 2.2.0 can be imported.
#
# A requirement like `kafka-python-ng>=2,<2.2` therefore builds, and each process ends at its start, unless something else
# brings botocore.
#
# Seen 2026-11-29, Python 3.11, from PyPI:
#   2.0.3 works; 2.1.0 ModuleNotFoundError: No module named 'botocore'; 2.2.0 works
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

found=""
for version in 2.0.3 2.1.0 2.2.0; do
  python3 -m venv "$version"
  "$version/bin/pip" install --quiet --disable-pip-version-check "kafka-python-ng==$version"
  said=$("$version/bin/python" -W ignore -c 'import kafka; print("works")' 2>&1 | tail -1) || true
  found+="$version $said"$'\n'
done
printf %s "$found"
[ "$found" = "2.0.3 works
2.1.0 ModuleNotFoundError: No module named 'botocore'
2.2.0 works
" ]
