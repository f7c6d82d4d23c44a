#!/bin/sh
# The one command of action.yml and of check.gitlab-ci.yml. From the environment: PROBE (this checkout), FAMILY, BUILD,
# REPORTS (a folder); perhaps AGAINST, FAIL_ON, OPTIONS (words, without quotes).
set -u
mkdir -p "$REPORTS"
set -- "$FAMILY@path:${BUILD:-.}" --fail-on "${FAIL_ON:-none}" --results "$REPORTS/results"
set -- "$@" --summary "$REPORTS/summary.md" --junit "$REPORTS/junit.xml" --sarif "$REPORTS/check.sarif"
[ -n "${AGAINST:-}" ] && set -- "$@" --against "$AGAINST"
set -f # a pattern of scenarios is no pattern of files
# shellcheck disable=SC2086 # words
set -- "$@" ${OPTIONS:-}
python3 "$PROBE/run.py" probe check "$@"
code=$?
if [ -f "$REPORTS/summary.md" ]; then
  [ -n "${GITHUB_STEP_SUMMARY:-}" ] && cat "$REPORTS/summary.md" >> "$GITHUB_STEP_SUMMARY"
  [ -n "${GITHUB_OUTPUT:-}" ] && printf 'summary=%s\nsarif=%s\n' "$REPORTS/summary.md" "$REPORTS/check.sarif" >> "$GITHUB_OUTPUT"
fi
exit "$code"
