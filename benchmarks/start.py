"""CPU of short commands, each in a process of its own, next to a typer command that does nothing, in turn.

    python benchmarks/start.py [--rounds N] [--probe PROGRAM]

The least of the rounds counts: other load only adds. PROGRAM may be that of an installed wheel.
"""

from __future__ import annotations

import argparse
import os
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
COMMANDS = (
    ("--help",),
    ("audit", FLEET),
    ("audit", FLEET, "--json"),
    ("clients",),
    ("scenarios",),
    ("show",),
)


def cpu(argv: list[str], folder: Path) -> float:
    """Run a command and return the seconds of CPU that it took, with its child processes."""
    before = os.times()
    subprocess.run(argv, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    after = os.times()
    return sum(after[2:4]) - sum(before[2:4])


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
        (folder / FLEET).write_text("sarama@1.43.2\n")
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
        print(f"{name:<26} {seconds:.2f} s  {seconds / base:.2f}")  # noqa: T201


if __name__ == "__main__":
    main()
