"""Mutate the specification: evidence must notice a changed constant, a dropped hypothesis, a flipped inequality.

Run as ``python audit/mutate.py``. The exit code is 0 only if every mutant is noticed, or its survival is explained in
``mutation_survivors.toml`` next to this file. What statements compute with is mutated as well, as far as some statement
reaches it; with ``--lines`` its own tests judge that, and otherwise the evidence. Nothing is written but what
``--json``, ``--table`` and ``--state`` ask for.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # a process that forks must have no threads

from mutation import explanations, line_coverage, report, source_campaign, substitution, table
from mutation.asking import Tell
from mutation.campaign import Campaign
from mutation.evidence import NoEvidenceError
from mutation.selection import OPERATORS, VACUOUS, Selection, run
from mutation.state import State, StateError
from mutation.verdicts import Outcome
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from dpmatrix.atomic_files import write_atomically
from dpmatrix.claims.strangers import TRUSTED_BASE

HERE = Path(__file__).resolve().parent
WIDTH = 120
WARM = ("numpy", "scipy.stats", "sympy", "mpmath", "hypothesis")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--claims", nargs="+", default=[], metavar="ID", help="only mutants that change these claims")
    parser.add_argument("--module", action="append", default=[], metavar="NAME", help="such as wishart.sensitivity")
    parser.add_argument("--workers", type=int, default=2, help="processes at a time")
    parser.add_argument("--sample", type=int, metavar="N", help="only N mutants, drawn with a fixed seed")
    kinds = (*OPERATORS, VACUOUS)
    parser.add_argument("--operator", action="append", default=[], choices=kinds, help="only changes of this kind")
    parser.add_argument(
        "--again", type=Path, metavar="FILE", help="only what a run with --json FILE left open, and what is new"
    )
    parser.add_argument(
        "--lines",
        type=Path,
        metavar="FILE",
        help="what `mutate_sources.py --trace` wrote of tests of what statements compute with: they judge its mutants",
    )
    parser.add_argument("--state", type=Path, metavar="FILE", help="keep every fate there, and go on from it")
    parser.add_argument("--table", type=Path, metavar="FILE", help="renew its counts of modules that have changed")
    parser.add_argument("--afresh", action="store_true", help="judge what the table has as well")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every mutant and its fate")
    parser.add_argument("--root", type=Path, default=HERE.parent, help="the checkout in which pytest runs")
    parser.add_argument("--specification", default="dpmatrix.spec", help="the package to mutate")
    parser.add_argument("--base", nargs="*", default=TRUSTED_BASE, help="what statements compute with")
    parser.add_argument("--survivors", type=Path, default=HERE / "mutation_survivors.toml", help="the explanations")
    parser.add_argument("--warm", nargs="*", default=WARM, metavar="NAME", help="what to import once for all mutants")
    return parser.parse_args()


def _tell(progress: Progress) -> Tell:
    """Show one bar per phase; refreshed by hand, because no thread may run while processes are forked."""
    bars: dict[str, TaskID] = {}

    def tell(phase: str, done: int, total: int) -> None:
        if phase not in bars:
            bars[phase] = progress.add_task(phase, total=total)
        progress.update(bars[phase], completed=done, total=total)
        progress.refresh()

    return tell


def main() -> int:
    """Run, print, and return the exit code."""
    arguments = _arguments()
    console = Console() if sys.stdout.isatty() else Console(width=WIDTH)
    sys.path.insert(0, str(arguments.root))
    substitution.warm_up(arguments.warm)
    operators = frozenset(arguments.operator or OPERATORS)
    reasons = explanations.read(arguments.survivors)
    bars = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    where = (arguments.root.resolve(), arguments.specification, tuple(arguments.base))
    try:
        earlier = None if arguments.again is None else report.read_records(arguments.again)
        with tempfile.TemporaryDirectory() as drafts, Progress(*bars, console=console, auto_refresh=False) as progress:
            campaign = Campaign(*where, Path(drafts), arguments.workers)
            earlier = None if earlier is None else report.current(earlier, campaign.modules())
            known = None if earlier is None else report.stands(earlier, reasons)
            rows = table.read(arguments.table) if arguments.table else {}
            every = campaign.modules()
            names = frozenset(module.short for module in every)
            rows = table.standing(rows, every, reasons)
            chosen = frozenset[str](arguments.module) or (names if arguments.afresh else names - rows.keys())
            if rows and not chosen:
                write_atomically(arguments.table, table.text(rows, every), "table")
                console.print("every module is in the table, with the code that it has now: nothing to judge")
                return 0
            claims, crashed = frozenset[str](arguments.claims), report.crashed(earlier or ())
            tests = None
            if arguments.lines:
                coverage = line_coverage.Coverage.read(
                    arguments.lines, functools.partial(line_coverage.texts, where[0])
                )
                tests = source_campaign.SourceCampaign(where[0], coverage, Path(drafts), arguments.workers)
            selection = Selection(chosen, claims, arguments.sample, operators, known, crashed)
            state = State.read(arguments.state, arguments.specification)
            found, verdicts = run(campaign, selection, state, _tell(progress), tests)
    except (NoEvidenceError, LookupError, StateError) as error:
        console.print(f"[red]no answer:[/red] {escape(str(error))}", soft_wrap=True)
        return 2
    modules = {mutant.module.short for mutant in found} if arguments.claims else chosen
    problems = explanations.stale(reasons, found, verdicts, modules, names, all_ran=selection.everything)
    open_ones = report.unexplained(verdicts, reasons)
    blind = [verdict for verdict in verdicts if verdict.outcome is Outcome.BLIND]
    records = report.renewed(earlier or (), report.records(verdicts, reasons), found)
    console.print(report.counts_table(records))
    report.print_verdicts(console, "no item of evidence notices", open_ones)
    report.print_verdicts(console, "evidence notices, the fingerprint does not", blind)
    report.print_problems(console, problems)
    if arguments.json:
        arguments.json.write_text(json.dumps(records, indent=1), encoding="utf-8")
    if arguments.table:
        asked = [module for module in every if module.short in chosen and not arguments.claims]
        rows = {**rows, **table.judged(records, asked, found)}
        write_atomically(arguments.table, table.text(rows, every), "table")
    return int(bool(open_ones or blind or problems))


if __name__ == "__main__":
    sys.exit(main())
