"""Mutate the library that releases: the items of a suite that run a line must notice that it changed.

First ``python audit/mutate_sources.py --trace build/lines.json -- audit`` runs a suite once, traced; what follows
``--`` is for pytest. Then ``python audit/mutate_sources.py --lines build/lines.json mechanisms`` asks of each mutant
the items that run its line. The exit code is 0 only if every mutant is noticed, or its survival is explained in
``source_survivors.toml`` next to this file. What an item runs in other processes is not seen. With ``--table`` only
those modules are judged whose rows are not of today's code, or have an open mutant.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # a process that forks must have no threads

from mutation import explanations, line_coverage, report, source_campaign, source_report, substitution, table
from mutation.evidence import NoEvidenceError
from mutation.mutants import Module
from mutation.pool import forked
from mutation.state import State, StateError
from rich.console import Console
from rich.markup import escape

from dpmatrix.atomic_files import write_atomically
from dpmatrix.spec import load

HERE = Path(__file__).resolve().parent
PARTS = ("mechanisms", "privacy", "randomness", "streaming", "files", "estimators", "commands.pca")
"""What releases: packages and modules below the library."""
LIBRARY = "dpmatrix"

WIDTH = 120
HOURS = 6 * 3600.0
WARM = (
    "dpmatrix.reporting.session",
    "hypothesis",
    "numpy",
    "scipy.stats",
    "sympy",
    "mpmath",
    "sklearn.decomposition",
    "typer.testing",
    "rich.progress",
)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("parts", nargs="*", default=PARTS, help="such as mechanisms or mechanisms.streams.window")
    parser.add_argument("--trace", type=Path, metavar="FILE", help="run what follows -- traced, write its lines there")
    parser.add_argument("--lines", type=Path, metavar="FILE", help="what --trace wrote")
    parser.add_argument("--workers", type=int, default=2, help="processes at a time")
    parser.add_argument("--sample", type=int, metavar="N", help="only N mutants, drawn with a fixed seed")
    parser.add_argument("--operator", action="append", default=[], help="only changes of this kind, such as 'swapped'")
    parser.add_argument("--state", type=Path, metavar="FILE", help="keep every fate there, and go on from it")
    parser.add_argument("--table", type=Path, metavar="FILE", help="renew its counts of modules that have changed")
    parser.add_argument("--asked", default="`make test`", metavar="WORDS", help="how the table calls who is asked")
    again = "only what a run with --json FILE left open, and what is new"
    parser.add_argument("--again", type=Path, metavar="FILE", help=again)
    quick = "ask only items that took so long together when they were traced, the most promising first"
    parser.add_argument("--quick", type=float, metavar="SECONDS", help=quick)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every mutant and its fate")
    parser.add_argument("--root", type=Path, default=HERE.parent, help="the checkout in which pytest runs")
    parser.add_argument("--library", default=LIBRARY, help="the package whose parts are mutated")
    also = "import this package anew too, such as dpmatrix.spec, where it imports what is exchanged: slower"
    parser.add_argument("--also", action="append", default=[], metavar="PACKAGE", help=also)
    parser.add_argument("--survivors", type=Path, default=HERE / "source_survivors.toml", help="the explanations")
    mine, theirs = sys.argv[1:], []
    if "--" in mine:
        place = mine.index("--")
        mine, theirs = mine[:place], mine[place + 1 :]
    found = parser.parse_args(mine)
    found.suite = theirs
    if (found.trace is None) == (found.lines is None) or (found.trace is None) != (not theirs):
        parser.error("pass --trace FILE -- and what pytest runs, or else --lines FILE")
    if found.quick is not None and found.table:
        parser.error("a table counts what all items say: pass --table without --quick")
    return found


def _say(phase: str, done: int, total: int) -> None:
    print(f"{phase}: {done} of {total}", file=sys.stderr)


def _modules(parts: Sequence[str], library: str) -> list[Module]:
    return [found for part in parts for found in source_campaign.modules_of(part, library)]


def main() -> int:
    """Run, print, and return the exit code."""
    arguments = _arguments()
    console = Console() if sys.stdout.isatty() else Console(width=WIDTH)
    root = arguments.root.resolve()
    sys.path.insert(0, str(root))
    layout = source_report.layout(arguments.asked, arguments.survivors.name)
    reasons = explanations.read(arguments.survivors)
    rows: table.Rows = {}
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
        modules = _modules(arguments.parts, arguments.library)
        every = _modules(PARTS, LIBRARY) if arguments.library == LIBRARY else modules
        if arguments.table:
            rows = table.standing(table.read(arguments.table, layout), every, reasons)
            modules = [module for module in modules if module.short not in rows]
        found = [mutant for module in modules for mutant in source_campaign.mutants_of(module)]
        chosen = [one for one in found if not arguments.operator or one.edit.operator in arguments.operator]
        earlier = report.current(report.read_records(arguments.again), modules) if arguments.again else []
        stands = report.stands(earlier, reasons)
        chosen = source_campaign.sample([one for one in chosen if not stands.get(one.name)], arguments.sample)
        substitution.warm_up([*WARM, *(module.name for module in modules)])
        load()  # every run of pytest does: what is imported now, no process imports again
        gc.freeze()  # and nobody looks for garbage in it
        with tempfile.TemporaryDirectory() as drafts:
            campaign = source_campaign.SourceCampaign(
                root,
                coverage,
                Path(drafts),
                arguments.workers,
                arguments.library,
                arguments.quick,
                tuple(arguments.also),
            )
            state = State.read(arguments.state, f"{arguments.library}, asked: {' '.join(coverage.suite)}")
            campaign.check_unchanged(sorted({one.module for one in chosen}, key=lambda module: module.name))
            verdicts = campaign.verdicts(chosen, state, _say)
    except (NoEvidenceError, LookupError, StateError) as error:
        console.print(f"[red]no answer:[/red] {escape(str(error))}", soft_wrap=True)
        return 2
    names = {module.short for module in modules}
    whole = arguments.sample is None and not arguments.operator and not earlier
    problems = explanations.stale(reasons, found, verdicts, names, names | set(reasons), all_ran=whole)
    open_ones = report.unexplained(verdicts, reasons)
    records = report.renewed(earlier, report.records(verdicts, reasons), found)
    report.print_verdicts(console, "no item notices", open_ones)
    report.print_problems(console, problems)
    judged = table.judged(records, modules, found, layout)
    console.print(table.text(judged, modules, layout), soft_wrap=True, markup=False)
    if arguments.json:
        write_atomically(arguments.json, json.dumps(records, indent=1) + "\n", "records")
    if arguments.table:
        write_atomically(arguments.table, table.text({**rows, **judged}, every, layout), "table")
    return int(bool(open_ones or problems))


if __name__ == "__main__":
    sys.exit(main())
