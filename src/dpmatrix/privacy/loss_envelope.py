"""A discrete pair of laws that is at least as easy to tell apart as any neighbours of a privacy profile."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from attrs import frozen
from flint import arb, fmpq

from dpmatrix.errors import InvalidParameterError
from dpmatrix.exact import Exact, fraction, precision, rational
from dpmatrix.privacy.profiles.protocol import PrivacyProfile

WORKING_BITS = 128
"""Second differences of a profile lose about twice the bits of the spacing; this is enough for any of them."""

LARGEST_LOSS = 64
"""Losses beyond this are infinite."""

MOST_POINTS = 1 << 16
"""Largest number of points with a loss above zero."""


@frozen
class LossEnvelope:
    """Masses of a discrete privacy loss, none of them too small.

    Attributes
    ----------
    spacing
        h, a power of two: every finite loss is k h, a float without rounding.
    masses
        For each k that has any, a float of at least the probability of the loss k h.
    infinity
        A float of at least the probability of an infinite loss.
    """

    spacing: float
    masses: dict[int, float]
    infinity: float


def loss_envelope(profile: PrivacyProfile, spacing: Exact, tail: Exact) -> LossEnvelope:
    r"""Return the privacy loss of a pair (P, Q) of laws that dominates every ordered pair of neighbours of a profile.

    Parameters
    ----------
    profile
        Its delta(epsilon) bounds the divergence of neighbours in both orders.
    spacing
        h > 0, a power of two.
    tail
        Losses are kept up to the first k h at which delta is certainly within this of what it is at `LARGEST_LOSS`.

    Raises
    ------
    InvalidParameterError
        If the spacing is no power of two, the tail is not in (0, 1), or it takes more than 2^16 points.

    Notes
    -----
    *The function.* Write f(a), with a = e^epsilon > 0, for the supremum over ordered neighbours (A, B) of
    ``sup over E of A(E) - a B(E)``. For a >= 1 it is delta(epsilon). For a < 1 the best event against (A, B) is the
    complement of the best one against (B, A), so that divergence is 1 - a (1 - divergence of (B, A) at 1/a); as both
    relations are symmetric, ``f(a) = 1 - a (1 - f(1/a))``. A supremum of functions that are convex and do not increase
    is another one, and f(0) = 1.

    *The envelope.* Let u_k >= f(a_k) at a_k = e^(k h), -N <= k <= N, from certified upper bounds for k >= 0 and from
    the identity for k < 0. As f is convex, it lies below every chord between two such points, or between the first one
    and (0, 1), and as it does not increase, it lies below u_N beyond a_N. So it lies below g, the curve through any
    choice of the points that keeps both ends. Only tightness depends on the choice; the lower convex hull is made.

    *The pair.* Let q_k = g'(a_k+) - g'(a_k-), and 0 where that is negative, and p_k = a_k q_k. Then ``u_N + sum_k q_k
    (a_k - a)^+`` is at least g(a), and is g(a) if g is convex. It is the divergence, at every a, of P from Q that have
    the masses p_k and q_k at the loss k h, P having u_N at a loss of plus infinity and Q the rest of one at minus
    infinity. So (P, Q) dominates both (A, B) and (B, A), at a < 1 too, and so does every product of such pairs that of
    the neighbours, even if a later mechanism is chosen in view of what the earlier ones gave (Zhu, Dong and Wang
    2022, on dominating pairs). Where the two orders differ, the pair is worse than either.

    *Rounding.* The divergence, of the pair and of its products, does not fall when a mass p_k or u_N is raised, and
    each is rounded up to a float.
    """
    step, most = _spacing(spacing), _tail(tail)
    with precision(WORKING_BITS):
        upper = _upper_bounds(profile, step, most)
        points = _points(step, upper)
        hull = _lower_hull(points)
        slopes = [_slope(points[left], points[right]) for left, right in pairwise(hull)]
        slopes.append(arb(0))
        offset = len(upper)
        masses = {
            index - offset: _round_up(points[index][0] * (after - before))
            for index, before, after in zip(hull[1:], slopes[:-1], slopes[1:], strict=True)
        }
        infinity = _round_up(upper[-1])
    return LossEnvelope(float(fraction(step)), {key: mass for key, mass in masses.items() if mass > 0}, infinity)


def _spacing(value: Exact) -> fmpq:
    step = rational(value, "spacing")
    if step <= 0 or step.p & (step.p - 1) or step.q & (step.q - 1):
        raise InvalidParameterError("spacing", f"{value} is no power of two", "pass one, such as Fraction(1, 256)")
    return step


def _tail(value: Exact) -> arb:
    if not 0 < fraction(value, "tail") < 1:
        raise InvalidParameterError("tail", f"{value} is not in (0, 1)", "pass a small probability")
    return arb(rational(value)).lower()


def _upper_bounds(profile: PrivacyProfile, step: fmpq, tail: arb) -> list[arb]:
    """Return certified upper bounds of delta at 0, h, 2 h, ... up to the first one that is small enough."""
    enough = (profile.delta(LARGEST_LOSS).upper() + tail).lower()
    found: list[arb] = []
    for index in range(MOST_POINTS):
        bound = profile.delta(step * index).upper().min(arb(1))
        # What bounds delta at a smaller epsilon bounds it here.
        found.append(bound if not found else bound.min(found[-1]).upper())
        if found[-1] <= enough or step * index >= LARGEST_LOSS:
            return found
    raise InvalidParameterError(
        "spacing", f"{step} asks for more than {MOST_POINTS} points", "pass a larger spacing or tail"
    )


def _points(step: fmpq, upper: Sequence[arb]) -> list[tuple[arb, arb]]:
    """Return (0, 1) and then (e^(k h), u_k) for -N <= k <= N: k = 0 has the index N + 1."""
    right = [(arb(step * index).exp(), bound) for index, bound in enumerate(upper)]
    left = [(1 / ratio, 1 - (1 - bound) / ratio) for ratio, bound in reversed(right[1:])]
    return [(arb(0), arb(1)), *left, *right]


def _slope(first: tuple[arb, arb], second: tuple[arb, arb]) -> arb:
    return (second[1] - first[1]) / (second[0] - first[0])


def _lower_hull(points: Sequence[tuple[arb, arb]]) -> list[int]:
    """Return the indices of the vertices of the lower convex hull; a point may stay that is one within rounding."""
    hull: list[int] = []
    for index, point in enumerate(points):
        while len(hull) > 1 and not _slope(points[hull[-2]], points[hull[-1]]) < _slope(points[hull[-1]], point):
            hull.pop()
        hull.append(index)
    return hull


def _round_up(value: arb) -> float:
    """Return a float of at least a value, and of at least zero."""
    bound = value.upper()
    if bound <= 0:
        return 0.0
    nearest = float(bound.mid())
    return nearest if arb(nearest) >= bound else math.nextafter(nearest, math.inf)
