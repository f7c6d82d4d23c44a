"""The action and the GitLab template of `probe check`: their one script, run in an empty folder, and their form."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from probe.cli import lazy_group
from probe.toolchain.checked_library import needed_tools

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "docker" / "schedules" / "check.sh"
ACTION, GITLAB = ROOT / "action.yml", ROOT / "docker" / "schedules" / "check.gitlab-ci.yml"
STAND_IN = """
import pathlib, sys
words = sys.argv[1:]
pathlib.Path("argv").write_text("\\n".join(words))
pathlib.Path(words[words.index("--summary") + 1]).write_text("the sentence\\n")
sys.exit({code})
"""


def load(path: Path) -> Any:
    return pytest.importorskip("yaml", reason="PyYAML is not installed").safe_load(path.read_text())


def run_script(folder: Path, code: int, **variables: str) -> tuple[int, list[str]]:
    """Run the script beside a stand-in for run.py; return its exit code and the arguments of the probe."""
    (folder / "probe").mkdir()
    (folder / "probe" / "run.py").write_text(STAND_IN.format(code=code))
    env = {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PROBE": str(folder / "probe"),
        "REPORTS": str(folder / "reports"),
        **variables,
    }
    done = subprocess.run(["sh", str(SCRIPT)], cwd=folder, env=env, check=False, capture_output=True, text=True)
    assert done.stderr == ""
    return done.returncode, (folder / "argv").read_text().splitlines()


def test_the_script_is_one_probe_command_and_advisory_by_default(tmp_path: Path) -> None:
    code, words = run_script(tmp_path, 0, FAMILY="kafka-python", BUILD=".")
    assert (code, words[:3]) == (0, ["probe", "check", "kafka-python@path:."])
    assert words[words.index("--fail-on") + 1] == "none"
    assert "--against" not in words
    lazy_group.load("check").make_context("check", words[2:], resilient_parsing=False).close()


def test_options_are_words_and_patterns_stay(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "disk" / "file").touch()
    _, words = run_script(
        tmp_path, 0, FAMILY="sarama", BUILD="lib", AGAINST="1.61.0", OPTIONS="--scenario disk/* --jobs 2"
    )
    assert words[-6:] == ["--against", "1.61.0", "--scenario", "disk/*", "--jobs", "2"]


def test_the_report_is_handed_on_and_the_exit_code_kept(tmp_path: Path) -> None:
    summary, output = tmp_path / "step.md", tmp_path / "output"
    step = {"GITHUB_STEP_SUMMARY": str(summary), "GITHUB_OUTPUT": str(output), "FAIL_ON": "worse"}
    code, words = run_script(tmp_path, 1, FAMILY="sarama", **step)
    assert (code, words[words.index("--fail-on") + 1]) == (1, "worse")
    assert summary.read_text() == "the sentence\n"
    assert f"summary={tmp_path}/reports/summary.md" in output.read_text()


def test_the_action_gives_the_script_all_that_it_reads() -> None:
    action = load(ACTION)
    (step,) = [step for step in action["runs"]["steps"] if "run" in step]
    assert step["run"].strip('"').removeprefix("$PROBE/") == str(SCRIPT.relative_to(ROOT))
    needed = set(re.findall(r"\$\{?([A-Z]\w+)", SCRIPT.read_text())) - {"GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"}
    assert needed <= set(step["env"])
    named = set(re.findall(r"inputs\.([\w-]+)", ACTION.read_text()))
    assert named == set(action["inputs"])
    assert action["inputs"]["fail-on"]["default"] == "none"
    assert os.access(SCRIPT, os.X_OK)


def test_the_template_runs_the_same_script_and_keeps_its_report() -> None:
    job = load(GITLAB)[".kafka-failover-check"]
    assert job["script"][-1].strip('"') == f"$PROBE/{SCRIPT.relative_to(ROOT)}"
    assert job["variables"]["FAIL_ON"] == "none"
    assert job["artifacts"]["reports"]["junit"] == ".probe/reports/junit.xml"


@pytest.mark.parametrize(
    ("arguments", "tools"),
    [
        (["check", "kafka-python@path:."], ()),
        (["check", "--json", "java@path:x.jar"], ("java",)),
        (["check", "kafkajs@path:."], ("node",)),
        (["check", "sarama@path:."], ()),
        (["check", "nobody@path:."], None),
        (["check", "--help"], None),
        (["run", "--client", "sarama@path:."], None),
    ],
)
def test_a_check_fetches_the_tools_of_its_library_alone(arguments: list[str], tools: tuple[str, ...] | None) -> None:
    assert needed_tools(ROOT, "probe", arguments) == tools
