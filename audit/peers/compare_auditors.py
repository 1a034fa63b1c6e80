"""Public auditors beside `dpmatrix.auditing`: the same mechanisms, pairs, outputs and numbers of them, in one run.

    python -m audit.peers.compare_auditors [outputs] ["matrices"]

What the others are, what they take and how they are asked stands in `other_auditors`. They are in no package registry
under their own names, so none of them is an extra of this project. In an environment of their own, from two checkouts:

    python -m venv /path/to/auditors
    /path/to/auditors/bin/pip install -e ".[audit]" numba tqdm etils absl-py tensorflow-cpu /path/to/statdp
    PYTHONPATH=/path/to/dp_auditorium /path/to/auditors/bin/python -m audit.peers.compare_auditors

About 2 GB, of which TensorFlow is 1.5. An auditor that is not importable is left out, with a word about it.

*Two views.* Every auditor, ours too, is asked twice: about the *whole output*, where it takes it, and about a *summary*
of one number, which all of them take. The summary is a function of the output that the table names: somebody who knows
the mechanism chose it. Where the output is one number both are the same, and it is asked once. A summary may show less
than the claim even of a faulty mechanism; then nobody can refute it. Of a symmetric matrix everybody is given the upper
triangle as a row of numbers, since that is what all of them take. Ours knows matrices, and looks at more of them where
it is given one; so it is asked about matrices as they are in a last part, by itself, which the counts leave out.

*The same for all.* The mechanisms are of our own suite, `audit.zoo`. The pair is the one on which our own search, with
20,000 whole outputs on each side of each pair, saw the mechanism do worst; that is on nobody's account. The number of
outputs is the same, 80 % of them to confirm where the auditor distinguishes; DP-Auditorium's hockey-stick tester keeps
its own halves. The error probability is 1e-6. Nobody searches data sets here, and nobody is told the law of the
mechanism.
"""

from __future__ import annotations

import math
import os
import sys
import time
from collections.abc import Callable, Iterable
from importlib.util import find_spec
from typing import TypeAlias

import numpy as np
from attrs import frozen

from audit.peers.other_auditors import OTHERS, FloatArray, Row, Sampler, Task, ask_statdp
from audit.zoo import RESOLUTION, Specimen, specimen
from dpmatrix.auditing import NeighbouringPair, audit, seen_at_resolution

Summary: TypeAlias = Callable[[FloatArray, NeighbouringPair], FloatArray]
OUTPUTS = 200_000
ALPHA = 1e-6
OURS = "dpmatrix"
WHOLE, SUMMARY = "whole output", "summary"
MATRIX = "matrix as it is"


def _along_change(batch: FloatArray, pair: NeighbouringPair) -> FloatArray:
    change = pair.data.T @ pair.data - pair.neighbour.T @ pair.neighbour
    return np.asarray(np.einsum("bij,ij->b", batch, change))


def _first(batch: FloatArray, _: NeighbouringPair) -> FloatArray:
    return batch[:, 0]


def _ones(batch: FloatArray, _: NeighbouringPair) -> FloatArray:
    return np.asarray((batch == 1).sum(axis=1), dtype=np.float64)


ENTRANTS: dict[str, tuple[str, Summary] | None] = {
    "laplace-moment-replace-one-3": ("the part along the change", _along_change),
    "laplace-half": ("the part along the change", _along_change),
    "laplace-off-diagonal-forgotten": ("the part along the change", _along_change),
    "gaussian-short-by-a-fifth": ("the part along the change", _along_change),
    "histogram-laplace": ("the first count", _first),
    "histogram-discrete": ("the first count", _first),
    "histogram-inverted-scale": ("the first count", _first),
    "noisy-max-laplace": None,
    "noisy-max-value": None,
    "noisy-max-half": None,
    "exponential-mechanism-half": None,
    "sparse-vector-1": ("the number of ones", _ones),
    "sparse-vector-4": ("the number of ones", _ones),
    "sparse-vector-5": ("the number of ones", _ones),
    "sparse-vector-6": ("the number of ones", _ones),
}
"""The mechanisms, with the summary of their outputs; None where the output is one number."""


@frozen
class View:
    """What is shown of the outputs of one mechanism, to all auditors alike."""

    name: str
    shown: str
    sampler: Sampler


def whole(batch: FloatArray) -> FloatArray:
    """Return outputs as numbers or rows of them: of symmetric matrices the upper triangle, which is all of them."""
    if batch.ndim == 3:
        rows, columns = np.triu_indices(batch.shape[1])
        return batch[:, rows, columns]
    return batch


def views(entrant: Specimen, pair: NeighbouringPair) -> list[View]:
    """List what the auditors are shown of a mechanism."""
    target, summary = seen_at_resolution(entrant.target, RESOLUTION), ENTRANTS[entrant.name]

    def outputs(data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
        return whole(np.asarray(target(data, size, generator), dtype=np.float64))

    numbers = math.prod(outputs(pair.data, 1, np.random.default_rng(0)).shape)
    shown = View(WHOLE, "1 number" if numbers == 1 else f"{numbers} numbers", outputs)
    if summary is None:
        return [shown]
    words, function = summary

    def summarised(data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
        return function(np.asarray(target(data, size, generator), dtype=np.float64), pair)

    return [shown, View(SUMMARY, words, summarised)]


def bad_pair(entrant: Specimen) -> NeighbouringPair:
    """Return neighbours on which the mechanism does badly, found by a search that is on nobody's account."""
    pairs = entrant.telling_pairs() or entrant.pairs()
    if len(pairs) == 1:
        return pairs[0]
    return audit(
        entrant.audited_target(),
        pairs,
        epsilon=entrant.epsilon,
        delta=entrant.delta,
        training=20_000,
        confirmation=1,
        generator=1,
    ).pair


def ask_dpmatrix(entrant: Specimen, pair: NeighbouringPair, view: View, task: Task) -> Row:
    """Let `audit` choose and confirm an event, of what the others are shown; nothing else of the mechanism is known."""
    begin = time.process_time()
    result = audit(
        # It rounds again what is rounded already, so that the audit knows that no low bit is to be had.
        seen_at_resolution(view.sampler, RESOLUTION),
        [pair],
        epsilon=entrant.epsilon,
        delta=entrant.delta,
        # The finalists are drawn again, four times as often.
        training=(task.outputs // 2 - task.confirming) // 5,
        confirmation=task.confirming,
        failure_probability=task.alpha,
        generator=np.random.default_rng(),
    )
    elapsed = time.process_time() - begin
    return Row(result.violated, result.epsilon_lower_bound, result.delta_lower_bound_at_epsilon, elapsed)


def about_matrices(outputs: int) -> list[str]:
    """Ask our auditor alone about matrices as they are."""
    lines, refuted = [], {True: 0, False: 0}
    entrants = [specimen(name) for name, summary in ENTRANTS.items() if summary and summary[1] is _along_change]
    for entrant in entrants:
        pair = bad_pair(entrant)
        task = Task(
            entrant.target, pair.data, pair.neighbour, float(entrant.epsilon), float(entrant.delta), outputs, ALPHA
        )
        row = ask_dpmatrix(entrant, pair, View(MATRIX, MATRIX, entrant.target), task)
        lines.append(_cells(f"  {entrant.name}", row))
        refuted[entrant.is_faulty] += bool(row.detected)
    faulty = sum(entrant.is_faulty for entrant in entrants)
    words = (
        f"{refuted[True]} of {faulty} faulty ones refuted, {refuted[False]} of {len(entrants) - faulty} correct ones"
    )
    return [*lines, f"{MATRIX}, {OURS}: {words}"]


def compare(entrant: Specimen, outputs: int, others: Iterable[str]) -> dict[str, tuple[str, dict[str, Row]]]:
    """Return for each view what was shown and what every auditor said of it."""
    pair = bad_pair(entrant)
    said = {}
    for view in views(entrant, pair):
        claim = float(entrant.epsilon), float(entrant.delta)
        task = Task(view.sampler, pair.data, pair.neighbour, *claim, outputs, ALPHA)
        rows = {OURS: ask_dpmatrix(entrant, pair, view, task)}
        rows |= {name: OTHERS[name][1](task) for name in others}
        said[view.name] = view.shown, rows
    return said


def _number(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.3g}"


def _line(cells: Iterable[str]) -> str:
    return "".join(cell.ljust(width) for cell, width in zip(cells, (34, 10, 9, 9, 9), strict=False)).rstrip()


def _cells(name: str, row: Row) -> str:
    verdict = "violated" if row.detected else "passed"
    return _line((name, verdict, _number(row.epsilon), _number(row.delta), f"{row.seconds:.2f}"))


def _print_rows(entrant: Specimen, said: dict[str, tuple[str, dict[str, Row]]]) -> None:
    truth = entrant.truth()
    true = "?" if truth is None else f"{truth.epsilon:.3g}"
    kind = "faulty" if entrant.is_faulty else "correct"
    print(f"{entrant.name} ({kind}); claimed ({entrant.epsilon}, {entrant.delta}), true epsilon {true}")
    for view, (shown, rows) in said.items():
        print(f"  {view}: {shown}")
        for name, row in rows.items():
            if row.detected is None:
                print(f"    {name.ljust(30)}{row.remark}", flush=True)
                continue
            print(_cells(f"    {name}", row), flush=True)


def tally(view: str, all_said: dict[str, dict[str, tuple[str, dict[str, Row]]]]) -> list[str]:
    """Count who refuted what under a view; an output of one number counts under both.

    Each of the others is counted beside ours on the mechanisms that it was asked about, and on no more.
    """
    asked = {name: said.get(view, said[WHOLE])[1] for name, said in all_said.items()}
    lines = []
    for auditor in dict.fromkeys(name for rows in asked.values() for name in rows):
        taken = {name: rows for name, rows in asked.items() if rows[auditor].detected is not None}
        faulty = [rows for name, rows in taken.items() if specimen(name).is_faulty]
        correct = [rows for name, rows in taken.items() if not specimen(name).is_faulty]
        words = f"{sum(bool(rows[auditor].detected) for rows in faulty)} of {len(faulty)} faulty ones refuted"
        if auditor != OURS:
            words += f" ({OURS} of the same {len(faulty)}: {sum(bool(rows[OURS].detected) for rows in faulty)})"
        words += f", {sum(bool(rows[auditor].detected) for rows in correct)} of {len(correct)} correct ones"
        lines.append(f"{view}, {auditor}: {words}; {sum(rows[auditor].seconds for rows in taken.values()):.1f} s")
    return lines


def main(arguments: list[str]) -> int:
    """Print the table."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    outputs = int(arguments[0]) if arguments else OUTPUTS
    if "matrices" in arguments:
        print("\n".join(about_matrices(outputs)))
        return 0
    there = [name for name, (packages, _) in OTHERS.items() if all(map(find_spec, packages))]
    for name in sorted(OTHERS.keys() - there):
        print(f"{name} is not installed and left out; how to install it: see the docstring of {__file__}")
    if not there:
        return 0
    if "StatDP" in there:
        # Its functions are compiled at the first call; that time is nobody's.
        warm = specimen("noisy-max-laplace")
        pair = warm.pairs()[0]
        ask_statdp(Task(views(warm, pair)[0].sampler, pair.data, pair.neighbour, 1.0, 0.0, 2000, ALPHA))
    print(f"{outputs} outputs each, confidence 1 - {ALPHA}; epsilon and delta: certified lower bounds")
    print(_line(("", "verdict", "epsilon", "delta", "cpu s")))
    all_said = {}
    for name in ENTRANTS:
        all_said[name] = compare(specimen(name), outputs, there)
        _print_rows(specimen(name), all_said[name])
    for view in (WHOLE, SUMMARY):
        print("\n".join(tally(view, all_said)))
    print("\n".join(about_matrices(outputs)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
