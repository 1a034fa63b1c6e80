"""Algorithms 1 to 3, line by line, and what is run in their place; records are the rows of A, m x n."""

from __future__ import annotations

import attrs
from flint import arb, arb_mat, fmpq, fmpq_mat

from dpmatrix.exact import Exact, ball, precision, rational, square
from dpmatrix.privacy.adjacency import Adjacency
from dpmatrix.privacy.sensitivity import frobenius_sensitivity
from dpmatrix.spec.analyze_gauss.gaussian_mechanism import printed_deviation, repaired_deviation
from dpmatrix.spec.analyze_gauss.subspace_privacy import deviation_factor, laplace_scale, offset
from dpmatrix.spec.common.algorithms import (
    Integers,
    Reals,
    bounded,
    entries_of_triangle,
    leading_eigenvectors,
    nearest,
    rounded_up,
    symmetric,
    truncated,
)
from dpmatrix.spec.common.spectra import eigenvalues

_DIGITS = 32
"""Binary digits after the point of the deviation that is run, in units of the grid."""


@attrs.frozen
class RecoveryUnits:
    """Spacings of the grids of coordinates, of the gap and of the projector."""

    coordinates: Exact
    gap: Exact
    projector: Exact


def _short_rows(data: fmpq_mat, unit: Exact) -> fmpq_mat:
    return truncated(bounded(data.transpose()).transpose(), unit)


def algorithm_1(data: fmpq_mat, epsilon: Exact, delta: Exact, normal: Reals) -> arb_mat:
    """The Gaussian mechanism, as printed.

    Parameters
    ----------
    data, epsilon, delta
        The inputs.
    normal
        Source of variates of N(0, v), given v.
    """
    n = data.ncols()
    noise = symmetric(n, normal(square(printed_deviation(epsilon, delta)), entries_of_triangle(n)))  # line 1: E
    return arb_mat(data.transpose() * data) + arb_mat(noise)  # line 2: A'A + E


def algorithm_1_repaired(
    data: fmpq_mat, epsilon: Exact, delta: Exact, adjacency: Adjacency, discrete_gaussian: Integers, unit: Exact
) -> fmpq_mat:
    """What is run for it: short rows on a grid, integer noise for the sensitivity of the relation.

    Parameters
    ----------
    data, epsilon, delta, adjacency
        The inputs.
    discrete_gaussian
        Source of integers k with probability proportional to exp(-k^2/2v), given v.
    unit
        Spacing of the grid of the coordinates.

    Raises
    ------
    ValueError
        If a row is longer than 1.
    """
    n, spacing = data.ncols(), rational(unit) ** 2
    kept = _short_rows(data, unit)  # input, changed: |a_i| <= 1, coordinates on a grid
    with precision(256):
        deviation = frobenius_sensitivity(n, adjacency) * repaired_deviation(
            epsilon, delta
        )  # line 1, changed: s Delta'
        variance = rounded_up(deviation / arb(spacing), _DIGITS) ** 2
    noise = fmpq_mat(symmetric(n, discrete_gaussian(variance, entries_of_triangle(n)))) * spacing  # line 1, changed
    return kept.transpose() * kept + noise  # line 2


def algorithm_2(data: fmpq_mat, k: int, epsilon: Exact, delta: Exact, laplace: Reals, normal: Reals) -> arb_mat:
    """Private subspace recovery, as printed but for d, which is read as dhat: k x k, and I_k whatever the data.

    Parameters
    ----------
    data, k, epsilon, delta
        The inputs.
    laplace, normal
        Sources of variates of Lap(b), given b, and of N(0, v), given v.

    Raises
    ------
    ValueError
        If a matrix has eigenvalues that are not told apart.
    """
    n, gram = data.ncols(), data.transpose() * data
    values = eigenvalues(gram)  # line 1
    gap = values[k - 1] - values[k] + ball(laplace(laplace_scale(epsilon), 1)[0])  # line 2: dhat
    vectors = leading_eigenvectors(arb_mat(gram), k)  # line 3: V_k, columns
    variance = square(printed_deviation(epsilon, delta) / (gap - offset(epsilon, delta)))
    noise = arb_mat(symmetric(n, normal(variance, entries_of_triangle(n))))
    noisy = vectors * vectors.transpose() + noise  # line 4: What
    rows = leading_eigenvectors(noisy, k).transpose()  # line 5: Vhat_k, "as a row matrix"
    return rows * rows.transpose()  # the output Vhat_k Vhat_k'


def algorithm_2_repaired(
    data: fmpq_mat,
    k: int,
    epsilon: Exact,
    delta: Exact,
    adjacency: Adjacency,
    discrete_laplace: Integers,
    discrete_gaussian: Integers,
    units: RecoveryUnits,
) -> tuple[fmpq, fmpq_mat | None]:
    """What is run for it: the noisy gap, and the noisy projector where the gap is large enough.

    Parameters
    ----------
    data, k, epsilon, delta, adjacency
        The inputs.
    discrete_laplace, discrete_gaussian
        Sources of integers, as in `algorithm_1_repaired`, and with probability proportional to exp(-|j|/t), given t.
    units
        The grids.

    Raises
    ------
    ValueError
        If a row is longer than 1, or a matrix has eigenvalues that are not told apart.
    """
    n, unit = data.ncols(), rational(units.gap)
    kept = _short_rows(data, units.coordinates)
    with precision(256):
        values = eigenvalues(kept.transpose() * kept)  # line 1
        scale = 2 * (1 + 2 * unit) / (rational(epsilon) * unit)  # line 2, changed: one unit more on either side
        exact_gap = fmpq(nearest(arb_mat([[values[k - 1] - values[k]]]), unit)[0, 0])
        gap = exact_gap + discrete_laplace(scale, 1)[0]
        reach = rounded_up(arb(scale) * (1 / ball(delta)).log(), 0)
        bracket = (gap - reach - 1) * unit - 2  # line 4, changed: what dhat certainly has above the offset
        if bracket <= 0:
            return gap * unit, None
        deviation = (
            deviation_factor(adjacency) * repaired_deviation(epsilon, delta) / arb(bracket * rational(units.projector))
        )
        variance = rounded_up(square(deviation), 0)
        vectors = leading_eigenvectors(arb_mat(kept.transpose() * kept), k)  # line 3
        projector = fmpq_mat(nearest(vectors * vectors.transpose(), units.projector))
    noise = fmpq_mat(symmetric(n, discrete_gaussian(variance, entries_of_triangle(n))))
    return gap * unit, (projector + noise) * rational(units.projector)  # line 4; line 5 is post-processing


def algorithm_3(
    data: fmpq_mat, k: int, epsilon: Exact, delta: Exact, normal: Reals, first: arb_mat
) -> tuple[list[arb_mat], list[arb]]:
    """Online singular subspaces, as printed: Vhat_1, ..., Vhat_m, each n x k, and the rewards R_1, ..., R_m.

    Parameters
    ----------
    data
        a_1, ..., a_m as rows.
    k, epsilon, delta
        The inputs.
    normal
        Source of variates of N(0, v), given v.
    first
        The arbitrary Vhat_1.

    Raises
    ------
    ValueError
        If a noisy matrix has eigenvalues that are not told apart.
    """
    n = data.ncols()
    subspaces, rewards, covariance = [first], [], fmpq_mat(n, n)  # line 1
    for t in range(data.nrows()):  # line 2
        row = fmpq_mat([data.tolist()[t]])
        coordinates = arb_mat(row) * subspaces[t]
        rewards.append((coordinates * coordinates.transpose())[0, 0])  # line 3: |Vhat_t' a_t|^2
        covariance += row.transpose() * row  # line 4: C_t
        noise = symmetric(n, normal(square(printed_deviation(epsilon, delta)), entries_of_triangle(n)))
        noisy = arb_mat(covariance) + arb_mat(noise)  # line 5: C_t + E_t, E_t as in Algorithm 1
        subspaces.append(leading_eigenvectors(noisy, k, by_modulus=True))  # line 6: Vhat_{t+1}
    return subspaces[: data.nrows()], rewards  # Vhat_{m+1} is no output


def algorithm_3_repaired(
    data: fmpq_mat, epsilon: Exact, delta: Exact, adjacency: Adjacency, discrete_gaussian: Integers, unit: Exact
) -> list[fmpq_mat]:
    """What is run for it: the noisy matrices Chat_1, ..., Chat_m, of which subspaces are post-processing.

    Parameters
    ----------
    data, epsilon, delta, adjacency, discrete_gaussian, unit
        As in `algorithm_1_repaired`.

    Raises
    ------
    ValueError
        If a row is longer than 1.
    """
    m, n, spacing = data.nrows(), data.ncols(), rational(unit) ** 2
    kept = _short_rows(data, unit)
    with precision(256):
        deviation = arb(m).sqrt() * frobenius_sensitivity(n, adjacency) * repaired_deviation(epsilon, delta)
        variance = rounded_up(square(deviation) / arb(spacing) ** 2, 0)
    matrices, covariance = [], fmpq_mat(n, n)
    for t in range(m):
        row = fmpq_mat([kept.tolist()[t]])
        covariance += row.transpose() * row
        noise = fmpq_mat(symmetric(n, discrete_gaussian(variance, entries_of_triangle(n))))
        matrices.append(covariance + noise * fmpq(spacing))
    return matrices
