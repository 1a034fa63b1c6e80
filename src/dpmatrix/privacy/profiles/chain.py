"""Upper bounds on the divergence between two records from the divergences of each from nothing."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from flint import arb, fmpq

POINTS = 4
"""Subdivisions of the interval of splits in one round of the search."""

ROUNDS = 6
"""Rounds of the search; each narrows the interval to the neighbours of its best point."""


def replacement_bound(
    epsilon: fmpq, largest: fmpq, vanish: Callable[[fmpq], arb], appear: Callable[[fmpq], arb]
) -> arb:
    """Return a certified upper bound on the profile for one record v that replaces another, w.

    P(E) <= e^a Z(E) + H and Z(E) <= e^b Q(E) + K give P(E) <= e^(a+b) Q(E) + H + e^a K: a chain through any third
    distribution Z and any split a + b = epsilon bounds the divergence of P, with v, from Q, with w. Two choices of Z
    are tried: neither record (v vanishes, then w appears), and both records (w appears, then v vanishes).
    The better of the two is returned at the best split that a search finds; every split is valid.

    Parameters
    ----------
    epsilon
        At least zero.
    largest
        Greatest part of epsilon, at most all of it, that is worth spending on a record that vanishes.
    vanish, appear
        Bound the divergence of a data set with one record more from the one without it, and the other way round, at
        an epsilon of at least zero.
    """
    # Both chains and all rounds meet the same splits again.
    vanish, appear = cache(vanish), cache(appear)
    through_nothing = _least(lambda part: vanish(part) + arb(part).exp() * appear(epsilon - part), largest)
    through_both = _least(lambda part: appear(epsilon - part) + arb(epsilon - part).exp() * vanish(part), largest)
    return min(through_nothing, through_both, arb(1), key=lambda bound: bound.upper())


def _least(bound: Callable[[fmpq], arb], largest: fmpq) -> arb:
    lower, upper = fmpq(0), largest
    best, best_split = bound(largest), largest
    for _ in range(ROUNDS):
        step = (upper - lower) / POINTS
        for index in range(POINTS + 1):
            candidate = bound(lower + step * index)
            if candidate < best:
                best, best_split = candidate, lower + step * index
        lower, upper = max(fmpq(0), best_split - step), min(largest, best_split + step)
    return best
