"""Public auditors behind one interface, for `compare_auditors`: what each is handed, and what it says of it.

*StatDP* (Ding et al. 2018; repository cmla-psu/statdp, commit d1f1e8f) takes numbers and tuples of them, and delta = 0.
Its events are products of one event for each number: ten half-lines, or the values where there are few. So their
number grows like 10 to the number of entries, and it is not asked where there would be more than `EVENTS`. It says no
bound: the greatest epsilon at which its own p-value for the event that it selected is below ``alpha`` is taken for one.

*DP-Auditorium* (Kong et al. 2024; repository google/differential-privacy, folder python/dp_auditorium) has several
testers. Its *histogram tester* takes numbers: an output of few values is told to it by the number of the value, any
other number goes into 20 bins, between quantiles of a share of the outputs that is not used again. Its *hockey-stick
tester* takes vectors; network, training and the hyperbolic tangent before them are those of its own example, and it
splits the outputs into halves by itself. Both bound delta at the claimed epsilon, in two directions with half of the
error probability each. Its testers by Renyi divergence and by maximum mean discrepancy, its search for data sets, and
that of StatDP, are not asked.
"""

from __future__ import annotations

import contextlib
import io
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

from audit.peers.claims import Claims

FloatArray: TypeAlias = NDArray[np.float64]
Sampler: TypeAlias = Callable[[FloatArray, int, np.random.Generator], FloatArray]
"""Data, a number of outputs and a generator to so many outputs: one number each, or a row of numbers each."""
CONFIRMING = Fraction(4, 5)
BUFFER = 4096
BINS = 20
FEW = 40
"""An output has few values below so many, for the histogram tester."""
SHARE_OF_VALUES = 0.002
"""StatDP's own limit: an output has few values below this share of the outputs that it selects by."""
EVENTS = 100_000


@frozen
class Row:
    """What one auditor said about one mechanism; NaN where it says nothing. The seconds are those of the processor."""

    detected: bool | None
    epsilon: float
    delta: float
    seconds: float
    remark: str = ""


@frozen
class Task:
    """What every auditor is given: the outputs of one mechanism on two data sets, the claim, and how many of them.

    An auditor that searches inputs may be given further pairs of data sets, and one that tries other claims of the same
    noise those.
    """

    sampler: Sampler
    data: FloatArray
    neighbour: FloatArray
    epsilon: float
    delta: float
    outputs: int
    alpha: float
    further: tuple[tuple[FloatArray, FloatArray], ...] = ()
    claims: Claims | None = None

    @property
    def confirming(self) -> int:
        """How many outputs on each data set are for confirmation, where the auditor distinguishes."""
        return int(CONFIRMING * self.outputs) // 2

    def samples(self) -> list[FloatArray]:
        """Draw half of the outputs on each of the data sets."""
        generator = np.random.default_rng()
        return [self.sampler(data, self.outputs // 2, generator) for data in (self.data, self.neighbour)]


def not_asked(why: str) -> Row:
    """Return the row of an auditor that does not take the outputs."""
    return Row(None, math.nan, math.nan, math.nan, why)


class _InThisProcess:
    """The part of a pool that StatDP uses."""

    _processes = 1

    @staticmethod
    def imap_unordered(function: Callable[[Any], Any], values: Iterable[Any]) -> Iterator[Any]:
        return map(function, values)


def _one_by_one(sampler: Sampler) -> Callable[..., Any]:
    """Serve single outputs from batches, as StatDP asks for them; none is served twice."""
    waiting: dict[bytes, list[Any]] = {}

    def algorithm(prng: np.random.Generator, queries: FloatArray, epsilon: float) -> Any:
        outputs = waiting.setdefault(queries.tobytes(), [])
        if not outputs:
            batch = sampler(queries, BUFFER, prng)
            outputs.extend(batch if batch.ndim == 1 else map(tuple, batch))
        return outputs.pop()

    return algorithm


def _events(task: Task) -> int:
    """Count the events that StatDP would search; it takes numbers for values where these are few for its outputs."""
    batch = task.sampler(task.data, BUFFER, np.random.default_rng())
    few = SHARE_OF_VALUES * (task.outputs // 2 - task.confirming)
    distinct = [len(np.unique(column)) for column in batch.reshape(len(batch), -1).T]
    return math.prod(count if count < few else 10 for count in distinct)


def ask_statdp(task: Task) -> Row:
    """Let StatDP select an event and test it."""
    from statdp.core import run_algorithm
    from statdp.hypotest import test_statistics
    from statdp.selectors import select_event

    if task.delta:
        return not_asked("not asked: takes delta = 0 alone")
    if (events := _events(task)) > EVENTS:
        return not_asked(f"not asked: {events:,} events to search")
    begin = time.process_time()
    algorithm = _one_by_one(task.sampler)
    pairs = [(task.data, task.neighbour), *task.further]
    databases = [(data, neighbour, {"epsilon": task.epsilon}) for data, neighbour in pairs]
    first, second, arguments, event = select_event(
        algorithm, databases, task.epsilon, task.outputs // 2 - task.confirming, _InThisProcess(), quiet=True
    )
    ((likelier, other),), _ = run_algorithm(algorithm, first, second, arguments, event, task.confirming)

    def refuted(epsilon: float) -> bool:
        return bool(test_statistics(likelier, other, epsilon, task.confirming) < task.alpha)

    low, high = 0.0, 16.0
    while high - low > 1e-3:
        middle = (low + high) / 2
        low, high = (middle, high) if refuted(middle) else (low, middle)
    return Row(refuted(task.epsilon), low, math.nan, time.process_time() - begin)


def load_auditorium() -> None:
    """Make the modules of DP-Auditorium importable without its ``__init__``s, which import all that any of them needs.

    Those of the histogram tester need NumPy, those of the hockey-stick tester TensorFlow; an optimisation service is
    for the search for data sets, which nobody does here.
    """
    for name in ("dp_auditorium.testers", "dp_auditorium.configs", "dp_auditorium"):
        found = None if name in sys.modules else find_spec(name.split(".")[0])
        if found is not None and found.submodule_search_locations:
            package = ModuleType(name)
            package.__path__ = [str(Path(found.submodule_search_locations[0], *name.split(".")[1:]))]
            sys.modules[name] = package


def numbered(samples: list[FloatArray], learning: slice) -> tuple[list[NDArray[np.int64]], int] | None:
    """Replace outputs by the number of their value among those of a share, and one more; None if they are too many."""
    stacked = np.concatenate([sample.reshape(len(sample), -1) for sample in samples])
    inverse = np.unique(stacked, axis=0, return_inverse=True)[1].reshape(len(samples), -1)
    known = np.unique(inverse[:, learning])
    if len(known) >= FEW:
        return None
    places = np.minimum(np.searchsorted(known, inverse), len(known) - 1)
    codes = np.where(known[places] == inverse, places, len(known))
    return list(codes.astype(np.int64)), len(known) + 1


def ask_histogram(task: Task) -> Row:
    """Let the histogram tester of DP-Auditorium bound delta; what it is told of the range comes from a share."""
    load_auditorium()
    from dp_auditorium.configs.privacy_property import ApproximateDp
    from dp_auditorium.configs.property_tester_config import HistogramPropertyTesterConfig
    from dp_auditorium.testers.histogram_tester import HistogramTester

    begin = time.process_time()
    drawn, claim = task.samples(), ApproximateDp(task.epsilon, task.delta)
    few, samples = numbered(drawn, slice(task.confirming, None)), list[NDArray[Any]](drawn)
    if few is not None:
        samples, size = list(few[0]), few[1]
        config = HistogramPropertyTesterConfig(True, size, 0, size, claim)
    elif samples[0].ndim == 1:
        low, high = np.quantile(np.concatenate([sample[task.confirming :] for sample in samples]), [0.002, 0.998])
        config = HistogramPropertyTesterConfig(False, BINS, float(low), float(high), claim)
    else:
        return not_asked("not asked: takes one number")
    tester = HistogramTester(config)
    kept = [sample[: task.confirming] for sample in samples]
    delta = max(
        float(tester.estimate_lower_bound(first, second, failure_probability=task.alpha / 2))
        for first, second in (kept, kept[::-1])
    )
    return Row(delta > task.delta, math.nan, max(delta, 0.0), time.process_time() - begin)


def ask_hockey_stick(task: Task) -> Row:
    """Let the hockey-stick tester of DP-Auditorium train its network and bound delta."""
    load_auditorium()
    from dp_auditorium.configs.privacy_property import ApproximateDp
    from dp_auditorium.configs.property_tester_config import HockeyStickPropertyTesterConfig
    from dp_auditorium.testers import hockey_stick_tester as own

    begin = time.process_time()
    samples = [np.tanh(sample.reshape(len(sample), -1)) for sample in task.samples()]
    found = []
    for first, second in (samples, samples[::-1]):
        config = HockeyStickPropertyTesterConfig(
            own.make_default_hs_training_config(), ApproximateDp(task.epsilon, task.delta)
        )
        tester = own.HockeyStickPropertyTester(config, own.make_default_hs_base_model())
        with contextlib.redirect_stdout(io.StringIO()):
            found.append(float(tester.estimate_lower_bound(first, second, failure_probability=task.alpha / 2)))
    delta = max(found)
    return Row(delta > task.delta, math.nan, max(delta, 0.0), time.process_time() - begin)


OTHERS: dict[str, tuple[tuple[str, ...], Callable[[Task], Row]]] = {
    "StatDP": (("statdp",), ask_statdp),
    "DP-Auditorium, histogram": (("dp_auditorium",), ask_histogram),
    "DP-Auditorium, hockey-stick": (("dp_auditorium", "tensorflow"), ask_hockey_stick),
}
"""Name, the packages without which it is left out, and how it is asked."""
