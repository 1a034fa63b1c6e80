"""The exact loss of a truncated sketch: densities, corners of the box, and the printed bound."""

from __future__ import annotations

import numpy as np
import pytest
from flint import arb, fmpq, fmpq_mat
from scipy.stats import multivariate_normal

from dpmatrix.errors import InvalidParameterError
from dpmatrix.privacy.truncated_sketch import printed_loss_bound, truncated_loss


def correlated(size, correlation):
    """Give unit variances and one correlation."""
    matrix = fmpq_mat([[int(i == j) for j in range(size)] for i in range(size)])
    matrix[0, 1] = matrix[1, 0] = correlation
    return matrix


def diagonal(*values):
    size = len(values)
    return fmpq_mat([[values[i] if i == j else 0 for j in range(size)] for i in range(size)])


def floats(matrix):
    size = matrix.nrows()
    return np.array([float(entry.p) / float(entry.q) for entry in matrix.entries()]).reshape(size, size)


def log_ratio(outputs, first, second):
    laws = [multivariate_normal(np.zeros(len(first)), covariance) for covariance in (first, second)]
    return float(np.sum(laws[0].logpdf(outputs) - laws[1].logpdf(outputs)))


@pytest.mark.parametrize("seed", range(5))
def test_no_output_of_the_box_exceeds_the_supremum_and_the_corner_attains_it(seed):
    generator = np.random.default_rng(seed)
    size, rows, radius = 3, 6, fmpq(1, 20)
    matrices = []
    for _ in range(2):
        factor = generator.integers(-3, 4, (size, size))
        matrices.append(fmpq_mat((factor @ factor.T + 4 * np.eye(size, dtype=int)).tolist()) / 8)
    first, second = matrices
    loss = truncated_loss(first, second, first, rows, radius)
    assert loss.attained
    center, other = floats(first), floats(second)
    slope = np.linalg.inv(other) - np.linalg.inv(center)
    reached = []
    for gram in [
        center + 0.05 * np.sign(slope),
        *(center + 0.05 * np.tril(s) + 0.05 * np.tril(s, -1).T for s in generator.uniform(-1, 1, (200, size, size))),
    ]:
        # Any matrix of m rows with this Gram matrix is an output with this log-ratio.
        outputs = np.zeros((rows, size))
        outputs[:size] = np.linalg.cholesky(gram).T * np.sqrt(rows)
        reached.append(log_ratio(outputs, center, other))
    supremum = float(loss.supremum)
    assert max(reached) <= supremum + 1e-9
    assert abs(reached[0] - supremum) < 1e-9
    # Control: a box of half the width has a smaller supremum.
    assert truncated_loss(first, second, first, rows, radius / 2).supremum < max(reached)


def test_a_corner_outside_the_cone_is_only_a_bound():
    first, second = correlated(2, fmpq(1, 100)), correlated(2, fmpq(9, 10))
    assert not truncated_loss(second, first, first, 5, 4).attained
    assert not truncated_loss(first, second, first, 1, fmpq(1, 100)).attained
    assert truncated_loss(first, second, first, 2, fmpq(1, 100)).attained


@pytest.mark.parametrize("size", [2, 3, 5])
@pytest.mark.parametrize("correlation", [fmpq(1, 1000), fmpq(1, 10), fmpq(1, 2), fmpq(9, 10)])
@pytest.mark.parametrize("tail", [fmpq(1, 100), fmpq(1)])
def test_printed_bound_holds_for_one_changed_correlation_and_wastes(size, correlation, tail):
    first, second = correlated(size, 0), correlated(size, correlation)
    printed = printed_loss_bound(first, second, 100, tail, correlation)
    exact = [
        truncated_loss(*pair, first, 100, tail + correlation).supremum for pair in ((first, second), (second, first))
    ]
    assert printed >= exact[0].max(exact[1])


def test_two_thirds_of_the_printed_bound_fail():
    first, second = correlated(2, 0), correlated(2, fmpq(1, 1000))
    printed = printed_loss_bound(first, second, 100, 1, fmpq(1, 1000))
    assert 2 * printed / 3 < truncated_loss(first, second, first, 100, fmpq(1001, 1000)).supremum


def test_formula_of_the_printed_bound():
    # By hand: p = 2, S_1 = I, S_2 with correlation 1/2: least eigenvalues 1 and 1/2, Frobenius norm sqrt(2)/2.
    printed = printed_loss_bound(correlated(2, 0), correlated(2, fmpq(1, 2)), 10, fmpq(1, 4), fmpq(1, 2))
    root = arb(fmpq(1, 2)).sqrt()
    assert (printed - 10 * 2 * root / (2 * arb(fmpq(1, 2))) * (fmpq(3, 4) + 2 * root / (2 * arb(fmpq(1, 2))))).contains(
        0
    )


@pytest.mark.parametrize(("rows", "tail", "greatest"), [(7, fmpq(1, 3), fmpq(1, 5)), (20, fmpq(2), fmpq(0))])
@pytest.mark.parametrize(
    ("first", "second"),
    [
        (fmpq_mat([[3, 1, 0], [1, 2, fmpq(1, 2)], [0, fmpq(1, 2), 1]]), fmpq_mat([[1, 0, 0], [0, 2, 1], [0, 1, 4]])),
        (diagonal(1, 3, 4), diagonal(2, 5, fmpq(1, 2))),
    ],
)
def test_the_printed_bound_is_its_formula(first, second, rows, tail, greatest):
    """With numpy's eigenvalues and norm."""
    one, other = floats(first), floats(second)
    size, norm = len(one), np.linalg.norm(one - other)
    product = np.linalg.eigvalsh(one)[0] * np.linalg.eigvalsh(other)[0]
    spectral = np.linalg.eigvalsh(one)[-1]
    inner = float(tail.p) / float(tail.q) + float(greatest.p) / float(greatest.q)
    inner += 2 * norm * spectral**2 / (size * product)
    expected = rows * size * norm / (2 * product) * inner
    found = printed_loss_bound(first, second, rows, tail, greatest)
    assert float(found) == pytest.approx(expected, rel=1e-12)
    assert found.rel_accuracy_bits() > 40


def test_a_box_of_no_width_is_the_reference_itself():
    first, second = correlated(2, 0), correlated(2, fmpq(1, 2))
    loss = truncated_loss(first, second, correlated(2, fmpq(1, 3)), 4, 0)
    assert loss.attained
    expected = 2 * (np.log(3 / 4) + np.trace((np.linalg.inv(floats(second)) - np.eye(2)) @ [[1, 1 / 3], [1 / 3, 1]]))
    assert float(loss.supremum) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("reference", "attained"),
    [
        (diagonal(fmpq(1, 100), fmpq(1, 100)), True),
        (fmpq_mat([[1, 1], [1, 1]]), True),
        (diagonal(1, 0), True),
        (fmpq_mat([[1, fmpq(101, 100)], [fmpq(101, 100), 1]]), False),
        (diagonal(1, fmpq(-1, 100)), False),
    ],
)
def test_a_corner_is_attained_where_it_has_no_negative_eigenvalue(reference, attained):
    first, second = correlated(2, 0), correlated(2, fmpq(1, 2))
    assert truncated_loss(first, second, reference, 2, 0).attained == attained
    assert not truncated_loss(first, second, reference, 1, 0).attained


def test_entries_on_which_the_ratio_does_not_depend_stay_where_they_are():
    """S_2^-1 - S_1^-1 is minus half the identity, so only the diagonal is moved, to zero."""
    loss = truncated_loss(diagonal(1, 1), diagonal(2, 2), diagonal(fmpq(1, 10), fmpq(1, 10)), 3, fmpq(1, 10))
    assert loss.attained
    assert float(loss.supremum) == pytest.approx(3 * np.log(2), rel=1e-12)


@pytest.mark.parametrize("name", ["first", "second"])
def test_a_singular_covariance_is_refused(name):
    matrices = {"first": correlated(2, 0), "second": correlated(2, 0)} | {name: fmpq_mat([[1, 1], [1, 1]])}
    with pytest.raises(InvalidParameterError, match=f"{name}: it is not positive definite"):
        truncated_loss(matrices["first"], matrices["second"], correlated(2, 0), 3, 1)


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ((fmpq_mat([[1, 2], [2, 1]]), correlated(2, 0), correlated(2, 0), 3, 1), "first"),
        ((correlated(2, 0), fmpq_mat([[1, 1], [0, 1]]), correlated(2, 0), 3, 1), "second"),
        ((correlated(2, 0), correlated(2, 0), correlated(3, 0), 3, 1), "reference"),
        ((correlated(2, 0), correlated(2, 0), correlated(2, 0), 0, 1), "rows"),
        ((correlated(2, 0), correlated(2, 0), correlated(2, 0), 3, -1), "radius"),
        ((correlated(2, 0), correlated(2, 0), correlated(2, 0), 3, float("nan")), "radius"),
    ],
)
def test_bad_input_is_named(arguments, name):
    with pytest.raises(InvalidParameterError, match=name):
        truncated_loss(*arguments)
