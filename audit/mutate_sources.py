"""Mutate the library that releases: the items of a suite that run a line must notice that it changed.

First ``python audit/mutate_sources.py --trace build/lines.json -- audit`` runs a suite once, traced; what follows
``--`` is for pytest. Then ``python audit/mutate_sources.py --lines build/lines.json mechanisms`` asks of each mutant
the items that run its line. The exit code is 0 only if every mutant is noticed, or its survival is explained in
``source_survivors.toml`` next to this file. What an item runs in other processes is not seen.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # a process that forks must have no threads

from mutation import explanations, line_coverage, report, source_campaign, source_report, substitution
from mutation.evidence import NoEvidenceError
from mutation.pool import forked
from mutation.state import State, StateError
from rich.console import Console
from rich.markup import escape

from dpmatrix.atomic_files import write_atomically

HERE = Path(__file__).resolve().parent
PARTS = ("mechanisms", "privacy", "randomness", "streaming", "files", "estimators", "commands.pca")
"""What releases: packages and modules below ``dpmatrix``."""

WIDTH = 120
HOURS = 6 * 3600.0
WARM = ("numpy", "scipy.stats", "sympy", "mpmath", "sklearn.decomposition", "typer.testing", "rich.progress")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("parts", nargs="*", default=PARTS, help="such as mechanisms or mechanisms.streams.window")
    parser.add_argument("--trace", type=Path, metavar="FILE", help="run what follows -- traced, write its lines there")
    parser.add_argument("--lines", type=Path, metavar="FILE", help="what --trace wrote")
    parser.add_argument("--workers", type=int, default=2, help="processes at a time")
    parser.add_argument("--sample", type=int, metavar="N", help="only N mutants, drawn with a fixed seed")
    parser.add_argument("--operator", action="append", default=[], help="only changes of this kind, such as 'swapped'")
    parser.add_argument("--state", type=Path, metavar="FILE", help="keep every fate there, and go on from it")
    parser.add_argument("--table", type=Path, metavar="FILE", help="write counts by module and kind of change")
    parser.add_argument("--root", type=Path, default=HERE.parent, help="the checkout in which pytest runs")
    parser.add_argument("--library", default="dpmatrix", help="the package whose parts are mutated")
    parser.add_argument("--survivors", type=Path, default=HERE / "source_survivors.toml", help="the explanations")
    mine, theirs = sys.argv[1:], []
    if "--" in mine:
        place = mine.index("--")
        mine, theirs = mine[:place], mine[place + 1 :]
    found = parser.parse_args(mine)
    found.suite = theirs
    if (found.trace is None) == (found.lines is None) or (found.trace is None) != (not theirs):
        parser.error("pass --trace FILE -- and what pytest runs, or else --lines FILE")
    return found


def _say(phase: str, done: int, total: int) -> None:
    print(f"{phase}: {done} of {total}", file=sys.stderr)


def main() -> int:
    """Run, print, and return the exit code."""
    arguments = _arguments()
    console = Console() if sys.stdout.isatty() else Console(width=WIDTH)
    root = arguments.root.resolve()
    sys.path.insert(0, str(root))
    try:
        if arguments.trace:
            texts = line_coverage.texts(root, arguments.suite, arguments.library)

            def write(file: Path) -> None:
                line_coverage.trace(root, arguments.suite, line_coverage.library(arguments.library), texts).write(file)

            list(forked(write, [arguments.trace.absolute()], lambda _: HOURS, workers=1))
            return 0
        coverage = line_coverage.Coverage.read(
            arguments.lines, lambda suite: line_coverage.texts(root, suite, arguments.library)
        )
        modules = [found for part in arguments.parts for found in source_campaign.modules_of(part, arguments.library)]
        found = [mutant for module in modules for mutant in source_campaign.mutants_of(module)]
        chosen = [one for one in found if not arguments.operator or one.edit.operator in arguments.operator]
        chosen = source_campaign.sample(chosen, arguments.sample)
        substitution.warm_up([*WARM, *(module.name for module in modules)])
        with tempfile.TemporaryDirectory() as drafts:
            campaign = source_campaign.SourceCampaign(
                root, coverage, Path(drafts), arguments.workers, arguments.library
            )
            state = State.read(arguments.state, f"{arguments.library}, asked: {' '.join(coverage.suite)}")
            campaign.check_unchanged(sorted({one.module for one in chosen}, key=lambda module: module.name))
            verdicts = campaign.verdicts(chosen, state, _say)
    except (NoEvidenceError, LookupError, StateError) as error:
        console.print(f"[red]no answer:[/red] {escape(str(error))}", soft_wrap=True)
        return 2
    reasons = explanations.read(arguments.survivors)
    names = {module.short for module in modules}
    whole = arguments.sample is None and not arguments.operator
    problems = explanations.stale(reasons, found, verdicts, names, names | set(reasons), all_ran=whole)
    open_ones = report.unexplained(verdicts, reasons)
    report.print_verdicts(console, "no item notices", open_ones)
    report.print_problems(console, problems)
    table = source_report.table(verdicts, reasons)
    console.print(table, soft_wrap=True, markup=False)
    if arguments.table:
        write_atomically(arguments.table, table, "table")
    return int(bool(open_ones or problems))


if __name__ == "__main__":
    sys.exit(main())
