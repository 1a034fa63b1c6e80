"""The loss of a truncated sketch is the largest log-ratio over its box, and the printed bound is its formula.

A supremum that some output exceeds is a guarantee that is smaller than the truth. It is held against the log-ratio of
Gram matrices all over the box, its corners included, in exact fractions and with mpmath's logarithms.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import mpmath
import numpy as np
import pytest
from flint import arb, fmpq, fmpq_mat

from dpmatrix.errors import InvalidParameterError
from dpmatrix.privacy.truncated_sketch import printed_loss_bound, truncated_loss


def correlated(size: int, correlation: fmpq | int) -> fmpq_mat:
    """Give unit variances and one correlation."""
    matrix = fmpq_mat([[int(i == j) for j in range(size)] for i in range(size)])
    matrix[0, 1] = matrix[1, 0] = fmpq(correlation)
    return matrix


def diagonal(*values: fmpq | int) -> fmpq_mat:
    size = len(values)
    return fmpq_mat(size, size, [fmpq(values[i]) if i == j else fmpq(0) for i, j in product(range(size), repeat=2)])


def floats(matrix: fmpq_mat) -> np.ndarray:
    size = matrix.nrows()
    return np.array([float(entry.p) / float(entry.q) for entry in matrix.entries()]).reshape(size, size)


def real(value: fmpq) -> mpmath.mpf:
    return mpmath.mpf(int(value.p)) / int(value.q)


def log_ratio(gram: fmpq_mat, first: fmpq_mat, second: fmpq_mat, rows: int) -> mpmath.mpf:
    """Return the log-ratio of the densities of m independent normal rows with this Gram matrix, divided by m."""

    def log_density(covariance: fmpq_mat) -> mpmath.mpf:
        form = covariance.inv() * gram
        trace = sum((form[i, i] for i in range(gram.nrows())), fmpq(0))
        return -mpmath.mpf(rows) / 2 * (mpmath.log(real(covariance.det())) + real(trace))

    return log_density(first) - log_density(second)


def box(reference: fmpq_mat, radius: fmpq) -> Iterator[fmpq_mat]:
    """List symmetric matrices of a box: its corners, its middle and the middles of its faces."""
    size = reference.nrows()
    places = [(i, j) for i in range(size) for j in range(i, size)]
    for signs in product((-1, 0, 1), repeat=len(places)):
        found = fmpq_mat(reference)
        for (i, j), sign in zip(places, signs, strict=True):
            found[i, j] = found[j, i] = reference[i, j] + sign * radius
        yield found


def near(ball: arb, value: mpmath.mpf) -> bool:
    return abs(mpmath.mpf(float(ball.mid())) - value) < 1e-12 * (1 + abs(value)) and float(ball.rad()) < 1e-10


PAIRS = {
    "correlations": (correlated(2, 0), correlated(2, fmpq(1, 2))),
    "scales": (diagonal(1, 3), diagonal(2, fmpq(1, 2))),
    "equal-entries": (diagonal(1, 1), diagonal(2, 2)),
    "one": (diagonal(3), diagonal(fmpq(1, 7))),
    "full": (
        fmpq_mat([[3, 1, 0], [1, 2, fmpq(1, 2)], [0, fmpq(1, 2), 1]]),
        fmpq_mat([[2, 0, 1], [0, 2, 1], [1, 1, 4]]),
    ),
}


@pytest.mark.parametrize("rows", [1, 3, 20])
@pytest.mark.parametrize("radius", [fmpq(0), fmpq(1, 20), fmpq(1, 2)])
@pytest.mark.parametrize("name", PAIRS)
def test_the_supremum_is_the_largest_log_ratio_over_the_box(name: str, radius: fmpq, rows: int) -> None:
    """In either order of the two laws, around a matrix that is neither of the two."""
    for first, second in (PAIRS[name], PAIRS[name][::-1]):
        reference = first / 2 + second / 3
        loss = truncated_loss(first, second, reference, rows, radius)
        ratios = [log_ratio(gram, first, second, rows) for gram in box(reference, radius)]
        assert near(loss.supremum, max(ratios))
        assert radius == 0 or rows < 3 or not near(loss.supremum, min(ratios))


def semidefinite(matrix: fmpq_mat) -> bool:
    """Whether no principal minor is negative."""
    size = matrix.nrows()
    for chosen in product((False, True), repeat=size):
        kept = [index for index in range(size) if chosen[index]]
        minor = fmpq_mat(len(kept), len(kept), [matrix[i, j] for i in kept for j in kept])
        if kept and minor.det() < 0:
            return False
    return True


@pytest.mark.parametrize(
    "reference",
    [
        diagonal(fmpq(1, 100), fmpq(1, 100)),
        fmpq_mat([[1, 1], [1, 1]]),
        fmpq_mat([[1, -1], [-1, 1]]),
        diagonal(1, 0),
        diagonal(0, 0),
        diagonal(2, fmpq(1, 2)),
        fmpq_mat([[1, fmpq(101, 100)], [fmpq(101, 100), 1]]),
        diagonal(1, fmpq(-1, 100)),
        diagonal(-2, -3),
        diagonal(-1, 2),
    ],
)
def test_a_supremum_is_attained_where_its_corner_is_a_gram_matrix(reference: fmpq_mat) -> None:
    """Of as many rows as it has columns, and without a negative eigenvalue."""
    first, second = correlated(2, 0), correlated(2, fmpq(1, 2))
    for radius in (fmpq(0), fmpq(1, 100), fmpq(1)):
        corner = max(box(reference, radius), key=lambda gram: log_ratio(gram, first, second, 2))
        for rows in (1, 2, 3):
            loss = truncated_loss(first, second, reference, rows, radius)
            assert loss.attained is (rows >= 2 and semidefinite(corner))
            assert near(loss.supremum, log_ratio(corner, first, second, rows))


@pytest.mark.parametrize("sign", [1, -1])
def test_entries_on_which_the_ratio_does_not_depend_stay_where_they_are(sign: int) -> None:
    """S_2^-1 - S_1^-1 is a multiple of the identity, so only the diagonal of the box is moved, to zero or from it."""
    first, second = (diagonal(1, 1), diagonal(2, 2))[::sign]
    radius = fmpq(1, 10)
    loss = truncated_loss(first, second, diagonal(radius, radius), 3, radius)
    assert loss.attained
    trace = real(fmpq(0)) if sign > 0 else 2 * real(fmpq(1, 2)) * real(2 * radius)
    assert near(loss.supremum, sign * 3 * mpmath.log(2) + mpmath.mpf(3) / 2 * trace)
    # A box around zero: the corner has zeros beside its diagonal, and is semidefinite for that.
    assert truncated_loss(diagonal(2, 2), diagonal(1, 1), diagonal(0, 0), 3, radius).attained


# The printed bound


@pytest.mark.parametrize(
    ("rows", "tail", "greatest"), [(7, fmpq(1, 3), fmpq(1, 5)), (20, fmpq(2), fmpq(0)), (1, fmpq(0), fmpq(3))]
)
@pytest.mark.parametrize("name", [*PAIRS, "double-eigenvalues"])
def test_the_printed_bound_is_its_formula(name: str, rows: int, tail: fmpq, greatest: fmpq) -> None:
    """With numpy's eigenvalues and norm."""
    pair = PAIRS.get(name, (correlated(3, 0), correlated(3, fmpq(1, 10))))
    for first, second in (pair, pair[::-1]):
        one, other = floats(first), floats(second)
        size, norm = len(one), np.linalg.norm(one - other)
        least = np.linalg.eigvalsh(one)[0] * np.linalg.eigvalsh(other)[0]
        inner = float(Fraction(int(tail.p), int(tail.q)) + Fraction(int(greatest.p), int(greatest.q)))
        inner += 2 * norm * np.linalg.eigvalsh(one)[-1] ** 2 / (size * least)
        found = printed_loss_bound(first, second, rows, tail, greatest)
        assert float(found) == pytest.approx(rows * size * norm / (2 * least) * inner, rel=1e-12)
        assert found.rel_accuracy_bits() > 40
        assert printed_loss_bound(first, first, rows, tail, greatest) == 0


# Refusals


SINGULAR = fmpq_mat([[1, 1], [1, 1]])
FINE = correlated(2, fmpq(1, 3))


@pytest.mark.parametrize("name", ["first", "second"])
@pytest.mark.parametrize(
    "matrix", [SINGULAR, diagonal(1, 0), diagonal(0, 0), diagonal(-1, -1), fmpq_mat([[1, 2], [2, 1]])]
)
def test_a_covariance_that_is_not_positive_definite_is_refused(name: str, matrix: fmpq_mat) -> None:
    matrices = {"first": FINE, "second": FINE, name: matrix}
    with pytest.raises(InvalidParameterError, match=f"{name}: it is not positive definite"):
        truncated_loss(matrices["first"], matrices["second"], FINE, 3, 1)


@pytest.mark.parametrize(
    ("changed", "name"),
    [
        *(({name: fmpq_mat([[2, 1], [0, 2]])}, name) for name in ("first", "second", "reference")),
        *(({name: correlated(3, 0)}, name) for name in ("second", "reference")),
        *(({name: fmpq_mat([[1, 0, 0], [0, 1, 0]])}, name) for name in ("second", "reference")),
        ({"first": fmpq_mat([[1, 0, 0], [0, 1, 0]])}, "first"),
        *(({"rows": rows}, "rows") for rows in (0, -1, 1.5)),
        *(({"radius": radius}, "radius") for radius in (-1, fmpq(-1, 10**30), float("nan"), float("inf"))),
    ],
)
def test_what_makes_no_sense_is_refused_under_its_name(changed: dict[str, Any], name: str) -> None:
    arguments = {"first": FINE, "second": FINE, "reference": FINE, "rows": 3, "radius": 1, **changed}
    with pytest.raises(InvalidParameterError, match=f"^{name}"):
        truncated_loss(*arguments.values())
    assert near(truncated_loss(FINE, FINE, SINGULAR, 1, 0).supremum, mpmath.mpf(0))
