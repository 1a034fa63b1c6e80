"""How long it takes to look something up in a fresh checkout, against the import of numpy: `make bench`.

Processor time of whole processes, in turns, in a folder without a run. Run as a file it prints the table.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile

import pytest

COMMANDS = {
    "import numpy": ("-c", "import numpy"),
    "claims": ("-m", "dpmatrix", "claims"),
    "claims wishart": ("-m", "dpmatrix", "claims", "wishart"),
    "claims wishart.theorem-4": ("-m", "dpmatrix", "claims", "wishart.theorem-4"),
    "findings": ("-m", "dpmatrix", "findings"),
}
ROUNDS = 5
MOST = {"claims": 25, "claims wishart": 20, "claims wishart.theorem-4": 15, "findings": 20}
"""Times the processor time of the import of numpy."""


def seconds(name: str) -> float:
    """Return the processor time of a process from start to end."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [sys.executable, *COMMANDS[name]], cwd=folder, env=environment, capture_output=True, check=True, timeout=120
        )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measured(*names: str) -> dict[str, float]:
    """Return medians over rounds in turns, after one that compiles and fills the caches of files."""
    rounds = [{name: seconds(name) for name in names} for _ in range(ROUNDS + 1)][1:]
    return {name: statistics.median(times[name] for times in rounds) for name in names}


@pytest.mark.benchmark(group="look-ups, against the import of numpy")
@pytest.mark.parametrize("name", MOST)
def test_look_up(benchmark, name: str) -> None:
    times = measured("import numpy", name)
    ratio = times[name] / times["import numpy"]
    benchmark.extra_info["processor time over numpy's"] = ratio
    benchmark.pedantic(lambda: seconds(name), rounds=1)
    assert ratio < MOST[name]


def main() -> None:
    """Print processor times and ratios."""
    times = measured(*COMMANDS)
    for name, found in times.items():
        print(f"{name:26} {found:6.2f} s {found / times['import numpy']:6.1f} x numpy")


if __name__ == "__main__":
    main()
