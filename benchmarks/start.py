"""CPU of short commands, each in a process of its own, next to a typer command that does nothing, in turn.

    python benchmarks/start.py [--rounds N] [--probe PROGRAM]

The least of the rounds counts: other load only adds. PROGRAM may be that of an installed wheel. Bytecode is kept, as
Python does by default, so the first round compiles and the others do not.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

EMPTY = """
import typer
app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
@app.command()
def nothing() -> None:
    pass
app()
"""
FLEET = "fleet.txt"
MODULE = "go.mod"
INVENTORIES = {
    FLEET: "sarama@1.43.2\n",
    MODULE: "module example.org/orders\n\ngo 1.22\n\nrequire github.com/IBM/sarama v1.43.2\n",
}
COMMANDS = (
    ("--help",),
    ("lookup", "sarama@1.43.2"),
    ("audit", MODULE),
    ("audit", FLEET),
    ("audit", FLEET, "--json"),
    ("clients",),
    ("scenarios",),
    ("show",),
)


def cpu(argv: list[str], folder: Path) -> float:
    """Run a command and return the seconds of CPU that it took, with its child processes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run(argv, cwd=folder, env=kept, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Measure every command in turn and print seconds and ratios."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=7)
    options.add_argument("--probe", type=Path, default=Path(sys.executable).with_name("probe"))
    asked = options.parse_args()
    program = str(asked.probe.absolute())
    python = str(Path(program).with_name("python"))
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        for name, text in INVENTORIES.items():
            (folder / name).write_text(text)
        (folder / "empty.py").write_text(EMPTY)
        rows = {"an empty typer command": [python, "empty.py"]}
        rows |= {f"probe {' '.join(command)}": [program, *command] for command in COMMANDS}
        least = dict.fromkeys(rows, float("inf"))
        for _ in range(asked.rounds):
            for name, argv in rows.items():
                least[name] = min(least[name], cpu(argv, folder))
    base = next(iter(least.values()))
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, least of {asked.rounds} rounds")  # noqa: T201
    for name, seconds in least.items():
        print(f"{name:<26} {seconds:.3f} s  {seconds / base:.2f}")  # noqa: T201


if __name__ == "__main__":
    main()
