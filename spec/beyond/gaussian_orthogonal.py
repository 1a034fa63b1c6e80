"""Gaussian noise of second moments that is the symmetric part of independent entries: privacy and total variance."""

from __future__ import annotations

from collections.abc import Iterator

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Claim, Kind, Locator, Statement, Step, Verdict
from dpmatrix.exact import Exact, Real, ball, rational
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.privacy.profiles.gaussian import GaussianProfile
from dpmatrix.spec.beyond.approximate_noise import Columns, times
from dpmatrix.spec.beyond.pairs import squared_norm
from dpmatrix.spec.common.conditions import at_least, at_most, exceeds, positive, whole
from dpmatrix.spec.common.spectra import identity, squared_frobenius_norm, trace


@attrs.frozen
class NoisyNumbers:
    """Two records that stand for each other, and the noise on the numbers that are computed from them.

    Parameters
    ----------
    x, y
        Records of one length; only x counts where a record is added or removed.
    adjacency
        The neighbouring relation.
    variance
        w, of the Gaussian noise on each number.
    epsilon, delta
        The stated guarantee.
    """

    x: tuple[Exact, ...]
    y: tuple[Exact, ...]
    adjacency: Adjacency
    variance: Exact
    epsilon: Exact
    delta: Real


def numbers(record: tuple[Exact, ...], *, last: bool) -> list[fmpq]:
    """Return all products of two coordinates, and then 1 - |x|^2 if asked."""
    entries = [rational(entry) for entry in record]
    products = [a * b for a in entries for b in entries]
    return [*products, 1 - sum((a * a for a in entries), fmpq(0))] if last else products


def squared_change(p: NoisyNumbers) -> fmpq:
    """Sum of the squares of what the numbers change by."""
    if p.adjacency is Adjacency.REPLACE_ONE:
        pairs = zip(numbers(p.x, last=True), numbers(p.y, last=True), strict=True)
        return sum(((a - b) ** 2 for a, b in pairs), fmpq(0))
    return sum((a * a for a in numbers(p.x, last=False)), fmpq(0))


def most(adjacency: Adjacency) -> int:
    """Return what that sum is at most: 2, or 1 where a record is added or removed."""
    return 2 if adjacency is Adjacency.REPLACE_ONE else 1


def profile(square: Exact, p: NoisyNumbers) -> arb:
    """Delta at epsilon of Gaussian noise of variance w on numbers that change by so much in sum of squares."""
    return GaussianProfile(arb(rational(square)).sqrt(), arb(rational(p.variance)).sqrt()).delta(p.epsilon)


def private_margin(p: NoisyNumbers) -> arb:
    """``delta`` minus that of the change of these two records."""
    return ball(p.delta) - profile(squared_change(p), p)


def calibrated_margin(p: NoisyNumbers) -> arb:
    """``delta`` minus that of the greatest change."""
    return ball(p.delta) - profile(most(p.adjacency), p)


def unit_x_margin(p: NoisyNumbers) -> arb:
    """``1 - |x|^2``."""
    return 1 - squared_norm(p.x)


def unit_y_margin(p: NoisyNumbers) -> arb:
    """``1 - |y|^2``."""
    return 1 - squared_norm(p.y)


@attrs.frozen
class Products:
    """Squares of the norms of two records, and their inner product."""

    first: Real
    second: Real
    inner: Real


def exchange_margin(p: Products) -> arb:
    """``2 - (s^2 + t^2 - 2 p^2 + (s - t)^2)``."""
    s, t, inner = ball(p.first), ball(p.second), ball(p.inner)
    return 2 - (s * s + t * t - 2 * inner * inner + (s - t) * (s - t))


@attrs.frozen
class Drawn:
    """What is summed and what is drawn.

    Parameters
    ----------
    moments
        X'X, symmetric and rational.
    noise
        K, rational, as large.
    last
        The number k_0 that is drawn besides.
    records
        n.
    """

    moments: fmpq_mat
    noise: fmpq_mat
    last: Exact
    records: int


def symmetric_part(matrix: fmpq_mat) -> fmpq_mat:
    """``(A + A')/2``."""
    return (matrix + matrix.transpose()) / fmpq(2)


def published(p: Drawn) -> fmpq_mat:
    """``X'X + (K + K')/2 - (tr K + k_0)/(d + 1) I``."""
    size = p.moments.nrows()
    excess = (trace(p.noise) + rational(p.last)) / (size + 1)
    return p.moments + symmetric_part(p.noise) - identity(size) * excess


def from_noisy(p: Drawn) -> fmpq_mat:
    """The same from A = X'X + K, a = n - tr X'X + k_0 and n alone: ``(A + A')/2 - (tr A + a - n)/(d + 1) I``."""
    size = p.moments.nrows()
    noisy, last = p.moments + p.noise, p.records - trace(p.moments) + rational(p.last)
    return symmetric_part(noisy) - identity(size) * ((trace(noisy) + last - p.records) / (size + 1))


def afterwards_margin(p: Drawn) -> arb:
    """Minus the square of the distance of the two."""
    return -squared_frobenius_norm(published(p) - from_noisy(p))


def sums_symmetric_margin(p: Drawn) -> arb:
    """Zero, or minus one where X'X is not symmetric or has no rows."""
    return arb(0 if p.moments.nrows() and p.moments == p.moments.transpose() else -1)


@attrs.frozen
class Sized:
    """A number of columns and a relation."""

    dimension: int
    adjacency: Adjacency


def responses(p: Sized) -> Iterator[fmpq_mat]:
    """Yield what is added to X'X for one drawn number of 1 and all others of 0, for each of the drawn numbers."""
    size, nothing = p.dimension, fmpq_mat(p.dimension, p.dimension)
    replaces = p.adjacency is Adjacency.REPLACE_ONE
    for i in range(size):
        for j in range(size):
            one = fmpq_mat(size, size)
            one[i, j] = fmpq(1)
            yield published(Drawn(nothing, one, 0, 0)) if replaces else symmetric_part(one)
    if replaces:
        yield published(Drawn(nothing, nothing, 1, 0))


def total(p: Sized) -> fmpq:
    """``E |N|_F^2`` for w = 1: the sum over the drawn numbers of the squares of what they add."""
    return sum((trace(one * one.transpose()) for one in responses(p)), fmpq(0))


def stated_total(p: Sized) -> fmpq:
    """``d (d^2 + 2 d - 1)/(2 (d + 1))``, or ``d (d + 1)/2`` where a record is added or removed."""
    d = p.dimension
    if p.adjacency is Adjacency.REPLACE_ONE:
        return fmpq(d * (d * d + 2 * d - 1), 2 * (d + 1))
    return fmpq(d * (d + 1), 2)


def total_margin(p: Sized) -> arb:
    """Minus the square of the distance of the two, exact."""
    return -arb((total(p) - stated_total(p)) ** 2)


LARGEST = fmpq(1043, 1000)


def quotient_margin(p: Columns) -> arb:
    """``1.043 K - d (d + 1)/2``, K that of `beyond.approximate-noise` for a record that is added or removed."""
    d = p.dimension
    return LARGEST * times(d, Adjacency.ADD_REMOVE_ONE) - fmpq(d * (d + 1), 2)


GAUSSIAN_ORTHOGONAL = Claim(
    id="beyond.gaussian-orthogonal",
    kind=Kind.PRIVACY,
    source=Locator(
        "beyond",
        "Gaussian orthogonal noise",
        "X'X + (K + K')/2 - (tr K + k_0)/(d + 1) I, K and k_0 of independent N(0, w), is (eps, delta)-private for a "
        "replaced record where N(0, w) is for one number that changes by 2^(1/2), and X'X + (K + K')/2 for one added "
        "or removed where it is for a change of 1",
    ),
    statement=Statement(
        "the hockey-stick divergence at epsilon of N(0, w) noise on the numbers x_i x_j for all i and j and 1 - |x|^2, "
        "which y changes, or on x_i x_j, which x adds, is at most delta if it is so for a change of 2^(1/2), or 1",
        private_margin,
        given=(
            positive("variance"),
            positive("epsilon"),
            exceeds("|x| <= 1", unit_x_margin, strict=False),
            exceeds("|y| <= 1", unit_y_margin, strict=False),
            exceeds("delta is at least that of the greatest change", calibrated_margin, strict=False),
        ),
    ),
    verdict=Verdict.HOLDS,
    headline=(
        "Noise with half the variance off the diagonal is the least Gaussian noise for a replaced record, and at most "
        "1.043 times the least for one added or removed."
    ),
    because=(
        "Of Gaussian noise only the length of the change counts. By `exchange` the numbers x_i x_j and 1 - |x|^2 "
        "change by at most 2 in sum of squares where a record replaces another, and x_i x_j by |x|^4 where one is "
        "added. What is published is a function of these noisy numbers, summed over the records, and of n, which is "
        "public (`afterwards`).\n\n"
        "The total variance (`total`) is w/2 times d (d^2 + 2 d - 1)/(d + 1) for a replaced record. N(0, w) for a "
        "change of 2^(1/2) is N(0, w/2) for one of 1, so no Gaussian noise of the same guarantee has less, and the "
        "quotient to the bound for all mechanisms is that of one number (`beyond.approximate-noise`). For a record "
        "added or removed the best shape has a little more variance along the identity (`quotient`).\n\n"
        "Known are Gaussian noise of the best covariance for a domain (Nikolov and Tang 2024), correlated noise by a "
        "number more, for counts (Lebeda 2024), and symmetric Gaussian noise with half the variance off the diagonal "
        "(Mangoubi and Vishnoi 2022)."
    ),
    steps=(
        Step(
            "exchange",
            Statement(
                "s^2 + t^2 - 2 p^2 + (s - t)^2 is at most 2 for s and t of [0, 1]",
                exchange_margin,
                given=(at_least("first", 0), at_most("first", 1), at_least("second", 0), at_most("second", 1)),
            ),
            defect=None,
        ),
        Step(
            "afterwards",
            Statement(
                "X'X + (K + K')/2 - (tr K + k_0)/(d + 1) I is (A + A')/2 - (tr A + a - n)/(d + 1) I for A = X'X + K "
                "and a = n - tr X'X + k_0",
                afterwards_margin,
                given=(exceeds("X'X is symmetric", sums_symmetric_margin, strict=False),),
            ),
            defect=None,
        ),
        Step(
            "total",
            Statement(
                "for w = 1 the expected square of the Frobenius norm of what is added is d (d^2 + 2 d - 1)/(2 (d + "
                "1)), or d (d + 1)/2 where a record is added or removed",
                total_margin,
                given=(whole("dimension", 1),),
            ),
            defect=None,
        ),
        Step(
            "quotient",
            Statement(
                "d (d + 1)/2 is at most 1.043 times ((d - 1) ((d + 2)/2)^(1/2) + 1)^2/d",
                quotient_margin,
                given=(whole("dimension", 1),),
            ),
            defect=None,
        ),
    ),
    reading=(
        "Records are all vectors of the closed unit ball; for those of a ball of radius r the numbers are multiplied "
        "by r^2, and for X'X/n divided by n. The number of records n is public where one is replaced, and not "
        "otherwise."
    ),
    uses=("beyond.approximate-noise",),
)
