"""Deterministic replay: freeze the noise, and see what the data alone change.

A target that takes all its randomness from the generator repeats its noise when the generator starts from the same
state. If the outputs on two data sets then differ by the same amount whatever the noise is, the noise is additive and
the difference is that of the noise-free query: its sensitivity on this pair is read off, without any statistics.
Targets whose outputs repeat although the generators differ have noise that is fixed, reused, or absent.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from attrs import frozen

from dpmatrix.auditing.arrays import FloatArray
from dpmatrix.auditing.independence.repeats import CALLS, are_kept, are_repeated
from dpmatrix.auditing.pairs.pair import NeighbouringPair
from dpmatrix.auditing.targets.sampling import entropy_of, generator_for
from dpmatrix.auditing.targets.target import Target, draw_batch, resolution_of
from dpmatrix.errors import InvalidParameterError

_OUTPUTS = CALLS
_ROUNDING = 2.0**-40
# Two numbers on a grid, a fixed distance apart before they were put there, are as far apart to within one step.
_STEPS = 1.25


@frozen(eq=False)
class ReplayReport:
    """What frozen noise shows on one pair. These are facts about the calls that were made, not statistics.

    Attributes
    ----------
    reproducible
        Whether generators in the same state gave the same outputs; where not, nothing below is known but ``repeats``
        and ``shared``.
    repeats
        Whether generators in different states gave the same outputs on one data set, beyond all chance: a fixed seed,
        or noise that is kept from call to call.
    shared
        Whether the outputs of one call were all the same, and all those of another other ones: noise drawn once a call.
    uniform
        Whether the outputs of some call were all the same: no noise, noise drawn once a call, or a likely value.
    difference
        Output on the data less output on the neighbour, of the shape of one output, where that did not depend on the
        noise (but for rounding); else None. Zero everywhere means that the target does not depend on what changed.
    """

    reproducible: bool
    repeats: bool
    shared: bool
    uniform: bool
    difference: FloatArray | None

    @property
    def additive(self) -> bool:
        """Whether the noise is added: it shifts the outputs on both data sets alike."""
        noisy = not (self.repeats or self.uniform)
        return noisy and self.difference is not None and bool(self.difference.any())

    @property
    def wants_fresh_calls(self) -> bool:
        """Whether the outputs of one call, or of several, may depend on each other."""
        return self.repeats or self.uniform

    @property
    def invariant(self) -> bool:
        """Whether the outputs were the same on both data sets whatever the noise."""
        return self.difference is not None and not self.difference.any()

    def l1(self) -> float:
        """Return the l1 norm of the difference; of a symmetric matrix, over the upper triangle."""
        return float(np.sum(np.abs(_entries(self._known()))))

    def l2(self) -> float:
        """Return the Euclidean norm of the difference; of a matrix, the Frobenius norm."""
        return float(np.linalg.norm(self._known()))

    def _known(self) -> FloatArray:
        if self.difference is None:
            raise InvalidParameterError("difference", "the noise is not additive on this pair", "ask `additive` first")
        return self.difference

    def sentences(self) -> tuple[str, ...]:
        """Say what was found."""
        found = []
        if self.repeats:
            found.append("calls with different generators repeat their outputs: the noise is fixed or reused")
        if self.shared:
            found.append("the outputs of one call are all the same: they share their noise")
        if self.uniform and not self.shared:
            found.append(f"{_OUTPUTS} calls in turn repeat one value: no noise, noise that is kept, or a likely value")
        if self.additive:
            norms = f"differ by l1 {self.l1():.6g} and l2 {self.l2():.6g}"
            found.append(f"the noise is additive: with the noise frozen the outputs on this pair {norms}")
        if self.invariant:
            found.append("with the noise frozen the outputs on this pair are the same")
        return tuple(found)


def _entries(matrix: FloatArray) -> FloatArray:
    if matrix.ndim == 2 and np.array_equal(matrix, matrix.T):
        return np.asarray(matrix[np.triu_indices(len(matrix))])
    return np.asarray(matrix).ravel()


def replay(target: Target, pair: NeighbouringPair, *, generator: np.random.Generator | int) -> ReplayReport:
    """Run a target on both data sets of a pair with the same noise, and on each with different noise.

    Parameters
    ----------
    target
        The algorithm.
    pair
        Two data sets.
    generator
        Gives the states at which the noise is frozen.

    Raises
    ------
    InvalidParameterError
        If the target's outputs are not batches of one real shape.
    """
    entropy = entropy_of(generator)

    def draw(data: FloatArray, state: int) -> FloatArray:
        return draw_batch(target, data, _OUTPUTS, generator_for(entropy, (state,)))

    first, again, second = draw(pair.data, 0), draw(pair.data, 0), draw(pair.data, 1)
    other, other_again, other_second = draw(pair.neighbour, 0), draw(pair.neighbour, 0), draw(pair.neighbour, 1)
    reproducible = _same(first, again) and _same(other, other_again)
    repeats = are_repeated(first, second) or are_repeated(other, other_second)
    shared = are_kept(first, second) or are_kept(other, other_second)
    uniform = any(
        _same(batch, np.broadcast_to(batch[:1], batch.shape)) for batch in (first, second, other, other_second)
    )
    difference = None
    if reproducible and first.shape == other.shape:
        batches = np.concatenate([first, second]), np.concatenate([other, other_second])
        difference = _constant(*batches, _STEPS * resolution_of(target))
    return ReplayReport(reproducible, repeats, shared, uniform, difference)


def _same(first: FloatArray, second: FloatArray) -> bool:
    return bool(np.array_equal(first, second, equal_nan=True))


def _constant(batch: FloatArray, other_batch: FloatArray, coarseness: FloatArray) -> FloatArray | None:
    """Return the difference of two batches if it is the same in every output, but for rounding and coarseness."""
    with np.errstate(all="ignore"):
        differences = batch - other_batch
    if not np.all(np.isfinite(differences)):
        return None
    with np.errstate(all="ignore"):
        middle = np.asarray(np.median(differences, axis=0))
    rounding = _ROUNDING * max(float(np.max(np.abs(batch))), float(np.max(np.abs(other_batch))))
    return middle if np.all(np.abs(differences - middle) <= rounding + coarseness) else None


@frozen(eq=False)
class ObservedSensitivity:
    """The largest differences that frozen noise showed among some pairs; lower bounds on the query's sensitivity."""

    l1: float
    l1_pair: NeighbouringPair
    l2: float
    l2_pair: NeighbouringPair


def observed_sensitivity(
    target: Target, pairs: Sequence[NeighbouringPair], *, generator: np.random.Generator | int
) -> ObservedSensitivity:
    """Measure how far the noise-free query moves, on a target with additive noise.

    Raises
    ------
    InvalidParameterError
        If there is no pair, or the noise is not additive on one of them.
    """
    if len(pairs) == 0:
        raise InvalidParameterError("pairs", "no pair is given", "pass at least one pair of neighbouring data sets")
    reports = [replay(target, pair, generator=generator) for pair in pairs]
    by_l1 = max(range(len(pairs)), key=lambda place: reports[place].l1())
    by_l2 = max(range(len(pairs)), key=lambda place: reports[place].l2())
    return ObservedSensitivity(reports[by_l1].l1(), pairs[by_l1], reports[by_l2].l2(), pairs[by_l2])


@frozen(eq=False)
class FreshCalls:
    """A target that makes a call of another for every output, so that noise which repeats between calls is seen."""

    target: Target

    def __call__(self, data: FloatArray, size: int, generator: np.random.Generator) -> FloatArray:
        """Draw ``size`` outputs, one call each."""
        return np.concatenate([draw_batch(self.target, data, 1, generator) for _ in range(size)])
