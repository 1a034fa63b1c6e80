"""Upper bounds on the divergence between two records from the divergences of each from nothing."""

from __future__ import annotations

from collections.abc import Callable

from flint import arb, fmpq

from dpmatrix.privacy.profiles.chi_square import absent_against_present, present_against_absent

POINTS = 8
"""Subdivisions of the interval of splits in one round of the search."""

ROUNDS = 3
"""Rounds of the search; each narrows the interval to the neighbours of its best point."""


def replacement_bound(epsilon: fmpq, shift: fmpq, degrees: fmpq) -> arb:
    """Return a certified upper bound on the profile of Wishart noise when one record replaces another.

    P(E) <= e^a Z(E) + H and Z(E) <= e^b Q(E) + K give P(E) <= e^(a+b) Q(E) + H + e^a K: a chain through any third
    distribution Z and any split a + b = epsilon bounds the divergence of P = vv' + W from Q = ww' + W. Two choices of
    Z are tried: W itself (v vanishes, then w appears), and vv' + ww' + W (w appears, then v vanishes).
    The better of the two is returned at the best split that a search finds; every split is valid.

    Parameters
    ----------
    epsilon
        At least zero.
    shift
        Bound on |v|^2 / 2c and |w|^2 / 2c, for noise with scale matrix cI.
    degrees
        Degrees of freedom k = m - d + 1 of the scalar that a rank-one record leaves, at least two.
    """

    def vanish(part: fmpq) -> arb:
        return present_against_absent(part, shift, degrees)

    def appear(part: fmpq) -> arb:
        return absent_against_present(part, shift, degrees)

    # Beyond x nothing is gained, since a vanishing record has loss at most x.
    largest = min(epsilon, shift)
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
