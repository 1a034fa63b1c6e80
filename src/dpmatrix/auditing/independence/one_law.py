"""Whether outputs of two processes are draws from one law, and not from a law that each process made for itself.

A mechanism may draw a table of noise when it is imported, or a number that it adds to every output. What one process
then shows looks independent, and says nothing of what another one will draw. Two tests have a bound on the probability
that independent outputs of one law fail them, whatever the law is:

- *Distributions.* Each empirical distribution of m outputs is within ``(41 / 2m)**(1/2)`` of the law's, but for
  ``2 exp(-41)``, by the inequality of Dvoretzky, Kiefer and Wolfowitz with Massart's constant. Two that are farther
  apart than both together are not of one law.
- *Outputs that come back.* Given the first half of one sequence, an output is among its values with the same
  probability in the other half and in the other sequence. Given how often that happens in both together, how often it
  happens in the other sequence has a hypergeometric law.
"""

from __future__ import annotations

import math

import numpy as np

from dpmatrix.auditing.arrays import FloatArray
from dpmatrix.auditing.independence.values import FEW_COORDINATES, NATS, codes_of, log_factorials

_DISTANCE_NATS = NATS + 1.5


def are_of_two_laws(first: FloatArray, second: FloatArray) -> bool:
    """Tell whether two sequences of outputs have different laws, in a coordinate or as a whole, beyond all chance.

    Parameters
    ----------
    first, second
        Shape (m, ...) and (n, ...), in the order of the calls.
    """
    own, other = (_numbers(batch) for batch in (first, second))
    if own.shape[1] != other.shape[1]:
        return True
    sequences = [(own[:, place], other[:, place]) for place in range(min(own.shape[1], FEW_COORDINATES))]
    if any(_are_far_apart(*pair) for pair in sequences):
        return True
    if own.shape[1] > 1:
        whole = codes_of(np.concatenate([own, other])).astype(np.float64)
        sequences.append((whole[: len(own)], whole[len(own) :]))
    return any(_come_back_elsewhere_less(*pair) or _come_back_elsewhere_less(*pair[::-1]) for pair in sequences)


def _numbers(batch: FloatArray) -> FloatArray:
    """Return the coordinates, shape (m, k); NaN is an infinity here, which merges two values and proves no less."""
    flat = batch.reshape(len(batch), -1) + 0.0
    return np.where(np.isnan(flat), np.inf, flat)


def _are_far_apart(own: FloatArray, other: FloatArray) -> bool:
    places = np.concatenate([own, other])
    shares = (np.searchsorted(np.sort(one), places, side="right") / len(one) for one in (own, other))
    distance = float(np.max(np.abs(np.subtract(*shares))))
    return distance > sum(math.sqrt(_DISTANCE_NATS / (2 * len(one))) for one in (own, other))


def _come_back_elsewhere_less(own: FloatArray, other: FloatArray) -> bool:
    """Tell whether values of the first half of a sequence come back in its other half, and elsewhere much less."""
    half = len(own) // 2
    known, later = own[:half], own[half:]
    here, there = (int(np.count_nonzero(np.isin(one, known))) for one in (later, other))
    return _nats_of_so_few(there, here + there, len(later), len(other)) >= NATS


def _nats_of_so_few(there: int, both: int, later: int, other: int) -> float:
    """Return minus the logarithm of the probability that of ``both`` marked outputs so few are among ``other``."""
    log = log_factorials(later + other)
    found = np.arange(max(0, both - later), there + 1)
    ways = log[other] - log[found] - log[other - found] + log[later] - log[both - found] - log[later - both + found]
    every = log[later + other] - log[both] - log[later + other - both]
    return float(every - np.logaddexp.reduce(ways))
