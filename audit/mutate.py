"""Mutate the specification: evidence must notice a changed constant, a dropped hypothesis, a flipped inequality.

Run as ``python audit/mutate.py``. The exit code is 0 only if every mutant is noticed, or its survival is explained in
``mutation_survivors.toml`` next to this file. What statements compute with is mutated as well, as far as some statement
reaches it. Nothing is written but what ``--json``, ``--table`` and ``--state`` ask for.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # a process that forks must have no threads

from mutation import explanations, report, substitution
from mutation.asking import Tell
from mutation.campaign import Campaign
from mutation.evidence import NoEvidenceError
from mutation.mutants import Module
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
HEAD = """# Mutants of the specification, and of what it computes with

Each row counts the changes of one kind to one module, one at a time, by what became of them: killed by an item of
evidence that objected, that crashed, that could not be imported or that took too long; explained, one by one, in
`mutation_survivors.toml`; survived without an explanation; not part of what any claim computes; and noticed by
evidence while the fingerprint of the claim stayed the same. {extent}; the code that was changed has, words aside, the
digest {digest}.{renewed}

"""
ALL, PART = "All of them were judged", "A part of them was judged"
RENEWED = " What no item had noticed, and what is new, was judged after the evidence had been mended."
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
    parser.add_argument("--state", type=Path, metavar="FILE", help="keep every fate there, and go on from it")
    parser.add_argument("--table", type=Path, metavar="FILE", help="write counts by module and kind of change")
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


def _head(modules: Iterable[Module], *, whole: bool, renewed: bool) -> str:
    """Say whether a table is of all mutants, and of which code: a digest of all modules, chosen or not."""
    code = json.dumps([(module.short, module.code) for module in modules])
    digest = hashlib.sha256(code.encode()).hexdigest()[:16]
    return HEAD.format(extent=ALL if whole else PART, digest=digest, renewed=RENEWED if renewed else "")


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
            selection = Selection(
                frozenset(arguments.module), frozenset(arguments.claims), arguments.sample, operators, known
            )
            state = State.read(arguments.state, arguments.specification)
            found, verdicts = run(campaign, selection, state, _tell(progress))
    except (NoEvidenceError, LookupError, StateError) as error:
        console.print(f"[red]no answer:[/red] {escape(str(error))}", soft_wrap=True)
        return 2
    modules = {mutant.module.short for mutant in found}
    every = {module.short for module in campaign.modules()}
    problems = explanations.stale(reasons, found, verdicts, modules, every, all_ran=selection.everything)
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
        part = bool(arguments.module or arguments.claims)
        whole = not part and report.covers(records, [one for one in found if one.edit.operator in OPERATORS])
        head = _head(campaign.modules(), whole=whole, renewed=earlier is not None)
        write_atomically(arguments.table, head + report.table_file(records), "table")
    return int(bool(open_ones or blind or problems))


if __name__ == "__main__":
    sys.exit(main())
