"""Public auditors beside `dpmatrix.auditing`: the same mechanisms, pairs and numbers of outputs, in one run.

    python audit/peers/compare_auditors.py [outputs]

StatDP (Ding et al. 2018; repository cmla-psu/statdp, commit d1f1e8f) and the histogram tester of DP-Auditorium
(Kong et al. 2024; repository google/differential-privacy, folder python/dp_auditorium) are in no package registry
under their own names, so neither is an extra of this project. In an environment of their own, from two checkouts:

    python -m venv /path/to/auditors
    /path/to/auditors/bin/pip install -e . scikit-learn numba tqdm etils absl-py typing_extensions /path/to/statdp
    PYTHONPATH=/path/to/dp_auditorium /path/to/auditors/bin/python audit/peers/compare_auditors.py

About 0.5 GB. An auditor that is not importable is left out, with a word about it. The histogram tester is loaded
without its package's ``__init__``, which imports TensorFlow and an optimisation service for the other testers.

*Rules.* Every auditor gets the same pair of neighbours, on which a search beforehand saw the mechanism do badly (20,000
outputs on each side of each pair: with fewer, noise may choose a pair on which nobody refutes anything), and
the same number of outputs, 80 % of them to confirm where the auditor distinguishes; confidence 1 - 1e-6. StatDP takes
numbers and short tuples, and delta = 0; the histogram tester takes numbers. Where an output is longer, they get the
summary that the table names. StatDP says no bound: the greatest epsilon at which its own p-value for the event that it
selected is below 1e-6 is taken for one. The histogram tester bounds delta at the claimed epsilon.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from dpmatrix.auditing import NeighbouringPair, audit, seen_at_resolution
from dpmatrix.auditing.zoo import RESOLUTION, Specimen, specimen

FloatArray: TypeAlias = NDArray[np.float64]
Summary: TypeAlias = Callable[[FloatArray, NeighbouringPair], FloatArray]
OUTPUTS = 200_000
CONFIRMING = Fraction(4, 5)
ALPHA = 1e-6
BUFFER = 4096
BINS = 20


def _itself(batch: FloatArray, _: NeighbouringPair) -> FloatArray:
    return batch


def _along_change(batch: FloatArray, pair: NeighbouringPair) -> FloatArray:
    change = pair.data.T @ pair.data - pair.neighbour.T @ pair.neighbour
    return np.asarray(np.einsum("bij,ij->b", batch, change))


def _first(batch: FloatArray, _: NeighbouringPair) -> FloatArray:
    return batch[:, 0]


def _ones(batch: FloatArray, _: NeighbouringPair) -> FloatArray:
    return np.asarray((batch == 1).sum(axis=1), dtype=np.float64)


ENTRANTS: dict[str, tuple[str, Summary, Summary]] = {
    "laplace-moment-replace-one-3": ("the part along the change", _along_change, _along_change),
    "laplace-half": ("the part along the change", _along_change, _along_change),
    "laplace-off-diagonal-forgotten": ("the part along the change", _along_change, _along_change),
    "gaussian-short-by-a-fifth": ("the part along the change", _along_change, _along_change),
    "histogram-laplace": ("first count", _first, _first),
    "histogram-discrete": ("first count", _first, _first),
    "histogram-inverted-scale": ("first count", _first, _first),
    "noisy-max-laplace": ("output", _itself, _itself),
    "noisy-max-value": ("output", _itself, _itself),
    "noisy-max-half": ("output", _itself, _itself),
    "exponential-mechanism-half": ("output", _itself, _itself),
    "sparse-vector-1": ("output / number of ones", _itself, _ones),
    "sparse-vector-4": ("output / number of ones", _itself, _ones),
    "sparse-vector-5": ("output / number of ones", _itself, _ones),
    "sparse-vector-6": ("output / number of ones", _itself, _ones),
}
"""Name, what StatDP / the histogram tester are shown, and how it is made; `dpmatrix` sees the output as it is."""


@frozen
class Row:
    """What one auditor said about one mechanism; NaN where it says nothing. The seconds are those of the processor."""

    detected: bool | None
    epsilon: float
    delta: float
    seconds: float
    remark: str = ""


def _bad_pair(entrant: Specimen) -> NeighbouringPair:
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


class _InThisProcess:
    """The part of a pool that StatDP uses."""

    _processes = 1

    @staticmethod
    def imap_unordered(function: Callable[[Any], Any], values: Iterable[Any]) -> Iterator[Any]:
        return map(function, values)


def _one_by_one(entrant: Specimen, pair: NeighbouringPair, summary: Summary) -> Callable[..., Any]:
    """Serve single outputs from batches, as StatDP asks for them; none is served twice."""
    target = seen_at_resolution(entrant.target, RESOLUTION)
    waiting: dict[bytes, list[Any]] = {}

    def algorithm(prng: np.random.Generator, queries: FloatArray, epsilon: float) -> Any:
        outputs = waiting.setdefault(queries.tobytes(), [])
        if not outputs:
            batch = summary(np.asarray(target(queries, BUFFER, prng)), pair)
            outputs.extend(batch if batch.ndim == 1 else map(tuple, batch))
        return outputs.pop()

    return algorithm


def ask_statdp(entrant: Specimen, pair: NeighbouringPair, outputs: int, summary: Summary) -> Row:
    """Let StatDP select an event and test it."""
    from statdp.core import run_algorithm
    from statdp.hypotest import test_statistics
    from statdp.selectors import select_event

    if entrant.delta:
        return Row(None, math.nan, math.nan, math.nan, "pure epsilon only")
    begin = time.process_time()
    algorithm, claim = _one_by_one(entrant, pair, summary), float(entrant.epsilon)
    confirming = int(CONFIRMING * outputs) // 2
    databases = [(pair.data, pair.neighbour, {"epsilon": claim})]
    first, second, arguments, event = select_event(
        algorithm, databases, claim, outputs // 2 - confirming, _InThisProcess(), quiet=True
    )
    ((likelier, other),), _ = run_algorithm(algorithm, first, second, arguments, event, confirming)

    def refuted(epsilon: float) -> bool:
        return bool(test_statistics(likelier, other, epsilon, confirming) < ALPHA)

    low, high = 0.0, 16.0
    while high - low > 1e-3:
        middle = (low + high) / 2
        low, high = (middle, high) if refuted(middle) else (low, middle)
    return Row(refuted(claim), low, math.nan, time.process_time() - begin)


def _without_package_modules(name: str) -> None:
    """Make the modules of a package importable without its ``__init__``, which imports all that the package needs."""
    found = None if name in sys.modules else find_spec(name.split(".")[0])
    if found is not None and found.submodule_search_locations:
        package = ModuleType(name)
        package.__path__ = [str(Path(found.submodule_search_locations[0], *name.split(".")[1:]))]
        sys.modules[name] = package


def ask_auditorium(entrant: Specimen, pair: NeighbouringPair, outputs: int, summary: Summary) -> Row:
    """Let the histogram tester of DP-Auditorium bound delta; its range is taken from a share of the outputs."""
    for package in ("dp_auditorium.testers", "dp_auditorium.configs", "dp_auditorium"):
        _without_package_modules(package)
    from dp_auditorium.configs.privacy_property import ApproximateDp
    from dp_auditorium.configs.property_tester_config import HistogramPropertyTesterConfig
    from dp_auditorium.testers.histogram_tester import HistogramTester

    begin = time.process_time()
    generator = np.random.default_rng()
    target = seen_at_resolution(entrant.target, RESOLUTION)
    data_sets = (pair.data, pair.neighbour)
    samples = [summary(np.asarray(target(data, outputs // 2, generator)), pair) for data in data_sets]
    confirming = int(CONFIRMING * outputs) // 2
    low, high = np.quantile(np.concatenate([sample[confirming:] for sample in samples]), [0.002, 0.998])
    claim = ApproximateDp(float(entrant.epsilon), float(entrant.delta))
    tester = HistogramTester(HistogramPropertyTesterConfig(False, BINS, float(low), float(high), claim))
    kept = [sample[:confirming] for sample in samples]
    # Two directions, each with half of the error probability.
    delta = max(
        float(tester.estimate_lower_bound(first, second, failure_probability=ALPHA / 2))
        for first, second in (kept, kept[::-1])
    )
    return Row(delta > claim.delta, math.nan, max(delta, 0.0), time.process_time() - begin)


def ask_dpmatrix(entrant: Specimen, pair: NeighbouringPair, outputs: int) -> Row:
    """Let `audit` choose and confirm an event."""
    begin = time.process_time()
    confirming = int(CONFIRMING * outputs) // 2
    result = audit(
        seen_at_resolution(entrant.target, RESOLUTION),
        [pair],
        epsilon=entrant.epsilon,
        delta=entrant.delta,
        # The finalists are drawn again, four times as often.
        training=(outputs // 2 - confirming) // 5,
        confirmation=confirming,
        failure_probability=ALPHA,
        generator=np.random.default_rng(),
    )
    elapsed = time.process_time() - begin
    return Row(result.violated, result.epsilon_lower_bound, result.delta_lower_bound_at_epsilon, elapsed)


def _number(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.3g}"


def _line(cells: Iterable[str]) -> str:
    return "".join(cell.ljust(width) for cell, width in zip(cells, (32, 9, 9, 9, 9, 9, 9), strict=False)).rstrip()


def _print_rows(entrant: Specimen, shown: str, rows: dict[str, Row]) -> None:
    truth = entrant.truth()
    true = "?" if truth is None else f"{truth.epsilon:.3g}"
    kind = "faulty" if entrant.is_faulty else "correct"
    print(f"{entrant.name} ({kind}; others see: {shown}); claimed ({entrant.epsilon}, {entrant.delta}), true {true}")
    for name, row in rows.items():
        verdict = row.remark if row.detected is None else "violated" if row.detected else "passed"
        cells = (f"    {name}", verdict, _number(row.epsilon), _number(row.delta), f"{row.seconds:.2f}")
        print(_line(cells) if row.detected is not None else f"    {name.ljust(28)}{verdict}", flush=True)


def main(arguments: list[str]) -> int:
    """Print the table."""
    outputs = int(arguments[0]) if arguments else OUTPUTS
    there = {name: find_spec(name) is not None for name in ("statdp", "dp_auditorium")}
    for name, found in there.items():
        if not found:
            print(f"{name} is not installed and left out; how to install it: see the docstring of {__file__}")
    if not any(there.values()):
        return 0
    if there["statdp"]:
        # Its functions are compiled at the first call; that time is nobody's.
        warm = specimen("noisy-max-laplace")
        ask_statdp(warm, warm.pairs()[0], 2000, _itself)
    print(f"{outputs} outputs each, confidence 1 - {ALPHA}; epsilon and delta: certified lower bounds")
    print(_line(("", "verdict", "epsilon", "delta", "cpu s")))
    verdicts: dict[str, list[tuple[bool, bool]]] = {}
    seconds: dict[str, float] = {}
    for name, (shown, for_statdp, for_auditorium) in ENTRANTS.items():
        entrant = specimen(name)
        pair = _bad_pair(entrant)
        rows = {"dpmatrix": ask_dpmatrix(entrant, pair, outputs)}
        if there["statdp"]:
            rows["StatDP"] = ask_statdp(entrant, pair, outputs, for_statdp)
        if there["dp_auditorium"]:
            rows["DP-Auditorium, histogram"] = ask_auditorium(entrant, pair, outputs, for_auditorium)
        _print_rows(entrant, shown, rows)
        for name, row in rows.items():
            if row.detected is not None:
                verdicts.setdefault(name, []).append((entrant.is_faulty, row.detected))
                seconds[name] = seconds.get(name, 0.0) + row.seconds
    for name, found in verdicts.items():
        faulty = [detected for is_faulty, detected in found if is_faulty]
        correct = [detected for is_faulty, detected in found if not is_faulty]
        counts = f"{sum(faulty)} of {len(faulty)} faulty, {sum(correct)} of {len(correct)} correct ones refuted"
        print(f"{name}: {counts}, {seconds[name]:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
