"""Plant one-line faults that weaken a guarantee in what releases: an item of the audit must object to each.

Run as ``python audit/plant.py``, with names of faults for these alone. The faults are in ``faults/faults.toml``, each
with the items that are asked. The exit code is 0 only if all are red.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # a process that forks must have no threads

import attrs
from faults import planted
from mutation import substitution

HERE = Path(__file__).resolve().parent
WARM = ("numpy", "scipy.stats", "scipy.optimize", "sympy", "mpmath", "sklearn.decomposition", "typer.testing")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", help="names of faults; all by default")
    parser.add_argument(
        "--ask", action="append", default=[], metavar="ITEM", help="ask these and not those of the file"
    )
    parser.add_argument("--workers", type=int, default=1, help="processes at a time")
    parser.add_argument("--catalogue", type=Path, default=planted.CATALOGUE, metavar="FILE", help="the faults")
    parser.add_argument("--root", type=Path, default=HERE.parent, help="the checkout in which pytest runs")
    parser.add_argument("--library", default="dpmatrix", help="the package in which faults are planted")
    return parser.parse_args()


def main() -> int:
    """Run, print a table, and return the exit code."""
    arguments = _arguments()
    faults = planted.read(arguments.catalogue)
    unknown = sorted({*arguments.names} - {fault.name for fault in faults})
    if unknown:
        print(f"no fault {', '.join(unknown)}")
        return 2
    chosen = [fault for fault in faults if not arguments.names or fault.name in arguments.names]
    if arguments.ask:
        chosen = [attrs.evolve(fault, asked=arguments.ask) for fault in chosen]
    root = arguments.root.resolve()
    sys.path.insert(0, str(root))
    substitution.warm_up(WARM)
    print("| fault | what is wrong | | who objects |\n| --- | --- | --- | --- |")
    green, begun = 0, time.monotonic()
    try:
        with tempfile.TemporaryDirectory() as drafts:
            for finding in planted.plant(root, chosen, arguments.library, Path(drafts), workers=arguments.workers):
                print(finding.row(), end="", flush=True)
                green += not finding.red
    except planted.FaultError as error:
        print(f"no answer: {error}")
        return 2
    print(f"\n{len(chosen) - green} of {len(chosen)} red in {time.monotonic() - begun:.0f} s")
    return int(bool(green))


if __name__ == "__main__":
    sys.exit(main())
