"""How much noise every mechanism of an approximate guarantee adds to second moments, at least."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import attrs
from flint import arb, fmpq, fmpq_mat

from dpmatrix.claims import Claim, Kind, Locator, Statement, Step, Verdict
from dpmatrix.exact import Exact, rational
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.privacy.profiles.gaussian import GaussianProfile
from dpmatrix.spec.beyond.one_number import FUNCTIONS, Functions, cost, gain
from dpmatrix.spec.common.conditions import equality, exceeds, positive, whole
from dpmatrix.spec.common.spectra import eigenvalues, squared_frobenius_norm, trace


@attrs.frozen
class GaussianNoise:
    """A symmetric matrix of independent Gaussian coordinates.

    Parameters
    ----------
    dimension
        d.
    beside
        Variance of each coordinate of its part of trace zero.
    along
        Variance of its coordinate along the identity.
    epsilon
        Where its delta is taken.
    adjacency
        The neighbouring relation.
    functions
        The test functions of the bound.
    """

    dimension: int
    beside: Exact
    along: Exact
    epsilon: Exact
    adjacency: Adjacency
    functions: Functions


def gaussian_square(p: GaussianNoise) -> arb:
    """``E |N|_F^2``: (d - 1)(d + 2)/2 coordinates beside the identity, and one along it."""
    coordinates = fmpq((p.dimension - 1) * (p.dimension + 2), 2)
    return arb(coordinates * rational(p.beside) + rational(p.along))


def changed_square(dimension: int, adjacency: Adjacency, beside: arb, along: arb) -> arb:
    """Square of the greatest change in standard deviations: one record uu', or uu' - vv' for orthogonal u and v."""
    alone = (1 - arb(fmpq(1, dimension))) / beside + 1 / (dimension * along)
    swaps = adjacency is Adjacency.REPLACE_ONE and dimension > 1
    return alone.max(2 / beside) if swaps else alone


def delta_of(p: GaussianNoise) -> arb:
    """Its delta at epsilon."""
    square = changed_square(p.dimension, p.adjacency, arb(rational(p.beside)), arb(rational(p.along)))
    return GaussianProfile(square.sqrt(), 1).delta(p.epsilon)


def times(dimension: int, adjacency: Adjacency) -> arb:
    """``d (d^2 + 2 d - 1)/(d + 1)`` for a replaced record, ``((d - 1) ((d + 2)/2)^(1/2) + 1)^2/d`` otherwise."""
    d = dimension
    if adjacency is Adjacency.REPLACE_ONE:
        return arb(fmpq(d * (d * d + 2 * d - 1), d + 1))
    return ((d - 1) * arb(fmpq(d + 2, 2)).sqrt() + 1) ** 2 / d


def least_square(p: GaussianNoise) -> arb:
    """So many times ``g - 2 delta (mu_1 + ... + mu_T)``."""
    return times(p.dimension, p.adjacency) * (gain(p.functions, p.epsilon) - cost(p.functions) * delta_of(p))


def approximate_noise_margin(p: GaussianNoise) -> arb:
    """``E |N|_F^2`` minus the bound."""
    return gaussian_square(p) - least_square(p)


@attrs.frozen
class Symmetric:
    """A symmetric rational matrix Z."""

    matrix: fmpq_mat


def unit_matrix(size: int, *places: tuple[int, int, Exact]) -> fmpq_mat:
    """Return the symmetric matrix with these numbers at these places."""
    found = fmpq_mat(size, size)
    for row, column, value in places:
        found[row, column] = found[column, row] = rational(value)
    return found


def directions(size: int) -> Iterator[tuple[fmpq, fmpq_mat]]:
    """Yield c and A for each A: ``e_i e_j' + e_j e_i'``, ``e_i e_i' - e_j e_j'`` for i < j, and ``I + e_i e_i'``."""
    squared = (size + 1) ** 2
    for i, j in combinations(range(size), 2):
        yield fmpq(1, 2), unit_matrix(size, (i, j, 1))
        yield fmpq(size + 2, squared), unit_matrix(size, (i, i, 1), (j, j, -1))
    for i in range(size):
        yield fmpq(1, squared), unit_matrix(size, *((j, j, 1 + int(i == j)) for j in range(size)))


def most_by_a_swap(matrix: fmpq_mat) -> arb:
    """Greatest eigenvalue or zero, minus the least eigenvalue or zero: what a replaced record changes in <A, X'X>."""
    greatest, least = arb(0), arb(0)
    for value in eigenvalues(matrix):
        greatest, least = greatest.max(value), least.min(value)
    return greatest - least


def split_margin(p: Symmetric) -> arb:
    """Minus the distance of the sum of ``c <A, Z>^2`` from ``|Z|_F^2``."""
    size = p.matrix.nrows()
    total = sum((c * trace(a * p.matrix) ** 2 for c, a in directions(size)), fmpq(0))
    return equality(arb(total), squared_frobenius_norm(p.matrix))


@attrs.frozen
class Columns:
    """A number of columns."""

    dimension: int


def swaps_margin(p: Columns) -> arb:
    """Minus the distance of the sum of ``c w(A)^2`` from what is claimed, w the most that a swap changes."""
    total = sum((c * most_by_a_swap(a) ** 2 for c, a in directions(p.dimension)), arb(0))
    return equality(total, times(p.dimension, Adjacency.REPLACE_ONE))


def lean(dimension: int) -> tuple[arb, arb]:
    """``p`` and ``q`` of the matrices ``p (uu' - I/d) + (q/d) I``: p^2 = d (d + 2)/2, q^2 = d."""
    return arb(fmpq(dimension * (dimension + 2), 2)).sqrt(), arb(dimension).sqrt()


def orbit_margin(p: Symmetric) -> arb:
    """Minus the distance of the mean of ``<A, Z>^2`` over the sphere from ``|Z|_F^2``, or of w^2 from what is claimed.

    The mean of (u'Zu)^2 is (2 |Z|_F^2 + t^2)/(d (d + 2)), t the trace. w is the eigenvalue of A on u, the greatest.
    """
    size = p.matrix.nrows()
    tilt, level = lean(size)
    square, t = squared_frobenius_norm(p.matrix), trace(p.matrix)
    spread = (2 * square + t * t) / (size * (size + 2)) - arb(t * t) / size**2
    mean = tilt**2 * spread + level**2 * t * t / size**2
    most = tilt * (size - 1) / size + level / size
    return equality(mean, square).min(equality(most**2, times(size, Adjacency.ADD_REMOVE_ONE)))


def symmetric_margin(p: Symmetric) -> arb:
    """Zero, or minus one where Z is not symmetric or has no rows."""
    return arb(0 if p.matrix.nrows() and p.matrix == p.matrix.transpose() else -1)


@attrs.frozen
class Shaped:
    """The best shape of Gaussian noise for a number of columns and a relation."""

    dimension: int
    adjacency: Adjacency


def best_shape(p: Shaped) -> tuple[arb, arb]:
    """Return variances beside and along the identity for which the greatest change is one standard deviation."""
    d = p.dimension
    if p.adjacency is Adjacency.REPLACE_ONE:
        return arb(2), arb(fmpq(2, d + 1))
    root = times(d, p.adjacency).sqrt()
    tilt, level = lean(d)
    return root * 2 * tilt / (d * (d + 2)), root / level


def shape_margin(p: Shaped) -> arb:
    """Minus the greater distance: of E |N|_F^2 from what is claimed, and of the greatest change from one."""
    beside, along = best_shape(p)
    total = beside * fmpq((p.dimension - 1) * (p.dimension + 2), 2) + along
    change = changed_square(p.dimension, p.adjacency, beside, along)
    return equality(total, times(p.dimension, p.adjacency)).min(equality(change, arb(1)))


APPROXIMATE_NOISE = Claim(
    id="beyond.approximate-noise",
    kind=Kind.LOWER_BOUND,
    source=Locator(
        "beyond",
        "Every mechanism",
        "for every (eps, delta)-private M, sup E |M(X) - X'X|_F^2 >= K b, K = d (d^2 + 2 d - 1)/(d + 1) for a replaced "
        "record, ((d - 1) ((d + 2)/2)^(1/2) + 1)^2/d for one added or removed, b = g - 2 delta sum_t mu_t",
    ),
    statement=Statement(
        "Gaussian noise has a mean squared Frobenius norm of at least K (g - 2 delta (mu_1 + ... + mu_T)) with its own "
        "delta at epsilon, K = d (d^2 + 2 d - 1)/(d + 1), or ((d - 1) ((d + 2)/2)^(1/2) + 1)^2/d",
        approximate_noise_margin,
        given=(whole("dimension", 1), positive("beside"), positive("along"), positive("epsilon"), FUNCTIONS),
    ),
    verdict=Verdict.HOLDS,
    headline="With any number of columns, the best Gaussian noise has the quotient to the bound that it has for one.",
    because=(
        "For every mechanism of that guarantee, of any form. Write |Z|_F^2 as a sum of c <A, Z>^2, steps `split` and "
        "`orbit`. For each A and each kind of records let m records either count or not, where one that counts changes "
        "<A, X'X> by w(A) s_t. If all other records stay, the mean over the counts of A of the square of the error of "
        "<A, X'X> is at least w(A)^2 b, by `beyond.one-number`; and the mean over all counts of the sum is K b.\n\n"
        "Gaussian noise with two variances has K times the variance that it has for one number (step `shape`), so that "
        "its quotient to the bound is the same for all d. Noise with equal variances has d (d + 1) or d (d + 1)/2 "
        "times that variance. For mechanisms without bias Nikolov and Tang (2024) show near-optimality of the best "
        "Gaussian noise in every such geometry; the order d^2, but for logarithms, is known for covariances of "
        "Gaussian records (Kamath, Mouzakis and Singhal 2022). What is added here are constants."
    ),
    steps=(
        Step(
            "split",
            Statement(
                "|Z|_F^2 is the sum of c <A, Z>^2 over e_i e_j' + e_j e_i' (c = 1/2), e_i e_i' - e_j e_j' (c = "
                "(d + 2)/(d + 1)^2) and I + e_i e_i' (c = 1/(d + 1)^2)",
                split_margin,
                given=(exceeds("Z is symmetric", symmetric_margin, strict=False),),
            ),
            defect=None,
        ),
        Step(
            "swaps",
            Statement(
                "for these A the sum of c w(A)^2 is d (d^2 + 2 d - 1)/(d + 1), w the greatest change by a swap",
                swaps_margin,
                given=(whole("dimension", 1),),
            ),
            defect=None,
        ),
        Step(
            "orbit",
            Statement(
                "|Z|_F^2 is the mean of <A, Z>^2 over A = p (uu' - I/d) + (q/d) I, u uniform on the sphere, p^2 = "
                "d (d + 2)/2, q^2 = d, and the greatest change by one record has the square of K",
                orbit_margin,
                given=(exceeds("Z is symmetric", symmetric_margin, strict=False),),
            ),
            defect=None,
        ),
        Step(
            "shape",
            Statement(
                "Gaussian noise with variances 2 and 2/(d + 1), or with those for one record added or removed, has a "
                "mean square of K and a greatest change of one standard deviation",
                shape_margin,
                given=(whole("dimension", 1),),
            ),
            defect=None,
        ),
    ),
    reading=(
        "Records are all vectors of the closed unit ball, and may repeat; the supremum is over data sets of every "
        "size, for replace-one over the sizes of a family of mechanisms. For X'X/n divide by n^2."
    ),
    uses=("beyond.one-number",),
)
