"""Whether outputs repeat as independent ones do not: what an audit must know before its counts mean anything.

Outputs of a discrete mechanism repeat honestly, so that a repetition alone is no evidence. Each test here has a bound
on the probability that independent outputs of one law fail it, whatever the law is:

- *Equal batches.* A sequence of m outputs of empirical entropy H (in nats) has probability at most ``exp(-m H)`` under
  any law, so that another sequence equals it, and ``m H >= 40``, with probability at most ``exp(-40)``. All different
  floats reach that at m = 16; a sequence of one value never does.
- *Different constants.* That m outputs are all a and m others all b, with a and b different, has probability at most
  ``4**-m``, since ``p (1 - p) <= 1/4``.
- *Equal outputs some calls apart.* Of the pairs of outputs that lie L apart half do not overlap; they are equal
  independently, with the probability c that two outputs are equal. Hoeffding's bound for U-statistics keeps c near its
  estimate, and Chernoff's bound does the rest, each but for ``exp(-40)``.
- *Equal outputs in pairs.* Take s of m disjoint pairs. Whatever values there are, if none occurs more than K times and
  all 2m orders are as likely, a pair is equal, given j other equal ones, with probability at most ``(K - 1) / (2m - 2j
  - 1)``. The product of these for all s, times the number of ways to take s pairs, bounds the probability that s are
  equal. This notices few outputs of many values, each twice, of which Hoeffding's bound says nothing; the first 512
  outputs are looked at.
- *Equal first outputs.* That the first outputs of k processes are one value, and none of n others is, has probability
  at most ``((k - 1) / (e n))**(k - 1)``: for a value of probability p it is ``p**k (1 - p)**n``, and summed over all
  values at most the largest ``p**(k - 1) (1 - p)**n``. For k = 3 and 10,000 outputs that is 6e-9.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from attrs import frozen
from numpy.typing import NDArray

from dpmatrix.auditing.arrays import FloatArray
from dpmatrix.auditing.independence.one_law import are_of_two_laws
from dpmatrix.auditing.independence.values import FEW_COORDINATES, NATS, codes_of, columns_of, log_factorials

CALLS = 24
"""Outputs from calls of their own at the beginning; 4**-24 is below 1e-14."""

_FEW_OUTPUTS, _LEAST_PAIRS = 512, 6
_RARE = 1e-8


@frozen(eq=False)
class Drawn:
    """What one process drew from one data set, in the order of its calls.

    Attributes
    ----------
    process
        Which process.
    batches
        The first holds `CALLS` outputs, each from a call of its own; the others come from a call each.
    """

    process: int
    batches: tuple[FloatArray, ...]


def _nats(codes: NDArray[np.int64]) -> float:
    counts = np.unique(codes, return_counts=True)[1]
    return float(np.sum(counts * np.log(len(codes) / counts)))


def are_repeated(first: FloatArray, second: FloatArray) -> bool:
    """Tell whether a coordinate, or the whole, of two batches is the same, output by output, beyond all chance."""
    size = min(len(first), len(second))
    own, other = columns_of(first[:size]), columns_of(second[:size])
    if own.shape != other.shape:
        return False
    equal = np.flatnonzero(np.all(own == other, axis=0))
    if equal.size == own.shape[1] and _nats(codes_of(own)) >= NATS:
        return True
    return any(_nats(own[:, place]) >= NATS for place in equal)


def are_kept(first: FloatArray, second: FloatArray) -> bool:
    """Tell whether a coordinate has one value in the whole of a batch, and another in the whole of the other."""
    size = min(len(first), len(second))
    own, other = columns_of(first[:size]), columns_of(second[:size])
    if size < CALLS or own.shape != other.shape:
        return False
    return bool(np.any(np.all(own == own[0], axis=0) & np.all(other == other[0], axis=0) & (own[0] != other[0])))


def are_periodic(batch: FloatArray) -> bool:
    """Tell whether equal outputs lie a fixed number of calls apart, beyond all chance."""
    columns = columns_of(batch)
    sequences = [codes_of(columns)]
    if 1 < columns.shape[1] <= FEW_COORDINATES:
        sequences.extend(columns.T)
    return any(_is_periodic(sequence) for sequence in sequences)


def _is_periodic(codes: NDArray[np.int64]) -> bool:
    size = len(codes)
    counts = np.unique(codes, return_counts=True)[1]
    collision = float(np.sum(counts * (counts - 1.0)) / (size * (size - 1.0)))
    if collision == 0:
        return False
    if _are_paired(codes[:_FEW_OUTPUTS]):
        return True
    lags = np.arange(1, size // 2)
    bound = collision + np.sqrt(NATS / (2 * (size // 2)))
    if bound >= 1:
        return False
    equal = np.array([np.count_nonzero(codes[lag:] == codes[:-lag]) for lag in lags])
    share = np.minimum(1.0, equal / (size - lags))
    with np.errstate(all="ignore"):
        miss = np.where(share < 1, (1 - share) * np.log((1 - share) / (1 - bound)), 0.0)
        divergence = share * np.log(share / bound) + miss
    return bool(np.any((share > bound) & ((size - lags) // 2 * divergence >= NATS)))


def _are_paired(codes: NDArray[np.int64]) -> bool:
    """Tell whether too many outputs are equal to the one a fixed number of calls later; among few outputs alone."""
    most = int(np.unique(codes, return_counts=True)[1].max())
    # Neither pairs of a value that is a third of all, nor fewer pairs, are ever beyond chance.
    if 3 * most >= len(codes):
        return False
    every = range(1, len(codes) // 2)
    some = [lag for lag in every if np.count_nonzero(codes[lag:] == codes[:-lag]) >= _LEAST_PAIRS]
    if not some:
        return False
    lags = np.array(some)
    apart = np.array([_equal_apart(codes, lag) for lag in some])
    return bool(np.any(_nats_of_pairs(_disjoint_pairs(len(codes), lags), apart, most) >= NATS))


def _equal_apart(codes: NDArray[np.int64], lag: int) -> NDArray[np.int64]:
    """Count the outputs equal to the one ``lag`` calls later, in every other run of ``lag`` and in the rest.

    The shape is (2,). Pairs of one kind do not overlap.
    """
    equal = np.zeros(-(-(len(codes) - lag) // (2 * lag)) * 2 * lag, dtype=bool)
    np.equal(codes[lag:], codes[:-lag], out=equal[: len(codes) - lag])
    return np.asarray(np.count_nonzero(equal.reshape(-1, 2, lag), axis=(0, 2)), dtype=np.int64)


def _disjoint_pairs(size: int, lags: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many pairs `_equal_apart` looks at in each half, shape (k, 2)."""
    pairs = size - lags
    whole, left = np.divmod(pairs, 2 * lags)
    even = whole * lags + np.minimum(left, lags)
    return np.stack([even, pairs - even], axis=1)


def _nats_of_pairs(pairs: NDArray[np.int64], equal: NDArray[np.int64], most: int) -> FloatArray:
    """Bound minus the logarithm of the probability that so many of the pairs are equal, in an order by chance."""
    log, halves = (log_factorials(int(pairs.max()), shift) for shift in (0.0, 0.5))
    others = equal * np.log(2) + halves[pairs] - halves[pairs - equal]
    ways = log[pairs] - log[equal] - log[pairs - equal]
    return np.asarray(others - equal * np.log(max(1, most - 1)) - ways)


def chance_of_beginning_alike(drawn: Sequence[Drawn]) -> float:
    """Bound the probability that independent outputs begin alike in every process by chance; 1 where they do not.

    They begin alike if the very first output is the same in every process, and never seen again. Such a mechanism
    begins without noise, or with the same noise in every process: whoever runs it once sees that.

    Parameters
    ----------
    drawn
        On one data set; of each process the first `Drawn` comes first.
    """
    columns = [columns_of(np.concatenate(one.batches)) for one in drawn]
    if len({one.shape[1] for one in columns}) > 1:
        return 1.0
    codes = np.split(codes_of(np.concatenate(columns)), np.cumsum([len(one) for one in columns])[:-1])
    firsts = list({one.process: own[0] for one, own in reversed(list(zip(drawn, codes, strict=True)))}.values())
    further, others = len(firsts) - 1, sum(len(own) for own in codes) - len(firsts)
    seen = sum(int(np.count_nonzero(own == firsts[0])) for own in codes)
    if further < 1 or others == 0 or seen != len(firsts) or any(first != firsts[0] for first in firsts):
        return 1.0
    return float(min(1.0, (further / (np.e * others)) ** further))


def begin_alike(drawn: Sequence[Drawn]) -> bool:
    """Tell whether outputs on one data set begin alike in every process, beyond all chance."""
    return chance_of_beginning_alike(drawn) <= _RARE


def repetition(drawn: Sequence[Drawn]) -> str | None:
    """Say how outputs on one data set repeat, in one process or across several; None if they do as independent ones.

    Each process draws in the same order of calls and with generators of its own.
    """
    for one in drawn:
        if any(are_repeated(first, second) for first, second in combinations(one.batches, 2)):
            return "calls in one process repeat their outputs on the same data"
        if are_periodic(np.concatenate(one.batches)):
            return "outputs come back after a fixed number of calls on the same data"
    for one, other in combinations(drawn, 2):
        where = "two calls" if one.process == other.process else "two processes"
        for first, second in zip(one.batches, other.batches, strict=False):
            if are_repeated(first, second):
                return f"{where} draw the same outputs from the same data, with different generators"
        if are_kept(one.batches[0], other.batches[0]):
            return f"a number of the output is drawn once and then kept: {where} have two values of it"
    for other in drawn[1:]:
        sequences = (np.concatenate(one.batches) for one in (drawn[0], other))
        if other.process != drawn[0].process and are_of_two_laws(*sequences):
            return (
                "two processes draw from two laws on the same data: something random is made once in each and then kept"
            )
    return None


def are_frozen(data: Sequence[Drawn], neighbour: Sequence[Drawn]) -> bool:
    """Tell whether all outputs on the data are the same, and all those on the neighbour, and these are others."""
    sides = [
        columns_of(np.concatenate([batch for one in drawn for batch in one.batches])) for drawn in (data, neighbour)
    ]
    if any(np.any(side != side[0]) for side in sides):
        return False
    return sides[0].shape[1] != sides[1].shape[1] or bool(np.any(sides[0][0] != sides[1][0]))
