"""Theorem 13: Fano's inequality for an estimate in a pseudo-metric space (section 5.2)."""

from __future__ import annotations

from itertools import permutations

import attrs
from flint import arb, fmpq

from dpmatrix.claims import Claim, Condition, Kind, Locator, Statement, Verdict
from dpmatrix.exact import Exact, Real, ball, rational
from dpmatrix.spec.common.conditions import at_least


@attrs.frozen
class Estimation:
    """r laws of an observation with finitely many values, and an estimate.

    Parameters
    ----------
    laws
        Row j: the probabilities f_j of the values.
    errors
        Row x, column j: the distance d(estimate(x), theta_j).
    separation, divergence
        The bounds tau and gamma.
    """

    laws: tuple[tuple[Exact, ...], ...]
    errors: tuple[tuple[Exact, ...], ...]
    separation: Real
    divergence: Real


def kullback_leibler(first: tuple[Exact, ...], second: tuple[Exact, ...]) -> arb:
    """``KL(f|g) = sum f log(f/g)``, infinite where f > 0 = g."""
    total = arb(0)
    for f, g in zip(first, second, strict=True):
        if rational(f) > 0:
            total += ball(f) * (ball(f) / ball(g)).log() if rational(g) > 0 else arb("inf")
    return total


def largest_error(p: Estimation) -> fmpq:
    """``max_j E_j d(estimate, theta_j)``."""
    return max(
        sum((rational(f) * rational(row[j]) for f, row in zip(law, p.errors, strict=True)), fmpq(0))
        for j, law in enumerate(p.laws)
    )


def fano_bound(separation: arb, divergence: arb, log_count: arb) -> arb:
    """``(tau/2) (1 - (gamma + log 2)/log r)``."""
    return separation / 2 * (1 - (divergence + arb(2).log()) / log_count)


def theorem_13_margin(p: Estimation) -> arb:
    """``max_j E_j d(estimate, theta_j) - (tau/2) (1 - (gamma + log 2)/log r)``."""
    log_count = arb(len(p.laws)).log()
    return arb(largest_error(p)) - fano_bound(ball(p.separation), ball(p.divergence), log_count)


def count_margin(p: Estimation) -> arb:
    """``r - 2``."""
    return arb(len(p.laws) - 2)


def shape_margin(p: Estimation) -> arb:
    """0 when the laws are of the same values and each value has one distance for each law, else -1."""
    values = {len(law) for law in p.laws} | {len(p.errors)}
    return arb(0 if len(values) == 1 and {len(row) for row in p.errors} == {len(p.laws)} else -1)


def mass_margin(p: Estimation) -> arb:
    """Least probability."""
    return arb(min(rational(f) for law in p.laws for f in law))


def sum_margin(p: Estimation) -> arb:
    """Minus the largest distance of a law's total from 1."""
    return -arb(max(abs(sum((rational(f) for f in law), fmpq(0)) - 1) for law in p.laws))


def error_margin(p: Estimation) -> arb:
    """Least distance."""
    return arb(min(rational(error) for row in p.errors for error in row))


def separation_margin(p: Estimation) -> arb:
    """Least ``d(e, theta_i) + d(e, theta_j) - tau``: by the triangle inequality at least d(theta_i, theta_j) - tau."""
    least = arb("inf")
    for row in p.errors:
        for first, second in permutations(row, 2):
            least = least.min(arb(rational(first) + rational(second)) - ball(p.separation))
    return least


def divergence_margin(p: Estimation) -> arb:
    """``gamma`` minus the largest divergence of two of the laws."""
    least = arb("inf")
    for first, second in permutations(p.laws, 2):
        least = least.min(ball(p.divergence) - kullback_leibler(first, second))
    return least


THEOREM_13 = Claim(
    id="near-optimal.theorem-13",
    kind=Kind.LEMMA,
    source=Locator(
        "near-optimal",
        "Theorem 13",
        "d(theta_i, theta_j) >= tau, KL(f_i|f_j) <= gamma: max_j E_j d(estimate, theta_j) >= (tau/2) (1 - (gamma + log "
        "2)/log r)",
    ),
    statement=Statement(
        "max_j E_j d(estimate, theta_j) >= (tau/2) (1 - (gamma + log 2)/log r)",
        theorem_13_margin,
        given=(
            Condition("r >= 2", count_margin),
            Condition("r laws of the same values, r distances for each value", shape_margin),
            Condition("the probabilities are at least 0", mass_margin),
            Condition("each law sums to 1", sum_margin),
            Condition("distances are at least 0", error_margin),
            at_least("separation", 0),
            Condition("d(e, theta_i) + d(e, theta_j) >= d(theta_i, theta_j) >= tau for i != j", separation_margin),
            Condition("KL(f_i|f_j) <= gamma", divergence_margin),
        ),
    ),
    verdict=Verdict.HOLDS,
    reading=(
        "'For all i and j' means i != j, as d(theta_i, theta_i) = 0; r >= 2 and tau >= 0. Evaluated for observations "
        "with finitely many values; the proof is for all densities."
    ),
    because=(
        "Let J be uniform on 1, ..., r and let the guess be the nearest theta_j. The mutual information of J and the "
        "observation is at most the mean of the divergences, hence at most gamma, and at least the divergence of two "
        "coins with chances 1 - p and 1/r of a right guess, hence at least (1 - p) log r - log 2. A wrong guess costs "
        "at least tau/2. The document quotes it from Yu and gives no proof."
    ),
)
